# SPDX-License-Identifier: Apache-2.0
"""`archipelago report`: results as one self-contained page, or as text."""
