# SPDX-License-Identifier: Apache-2.0
"""`archipelago sweep`: many points of a design space, one process each, into one database."""
