# SPDX-License-Identifier: Apache-2.0
"""`archipelago regress`: what workloads cost, compared exactly with golden results."""
