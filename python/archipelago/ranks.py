# SPDX-License-Identifier: Apache-2.0
"""Causes before consequences: the order in which counters that moved are shown."""

from __future__ import annotations

import re

# Of the ranks of what moved, after the fields of the chip.
WORK, BUSY, WAITS, TIME = range(4)

_WAITS = re.compile(r"stall|wait|queue|full|latency|(^|_)no_")
_TIME = "wave_cycles"  # begins the counters of a compute unit that are reasons of wave cycles


def rank(counter: str, unit: str) -> int:
    """What was done (requests, bytes, hits) comes before the cycles that units took for it, and those before the cycles in
    which something waited for them. Where the time of waves went is last."""
    if counter.startswith(_TIME):
        return TIME
    if not unit.endswith("cycles"):
        return WORK
    return WAITS if _WAITS.search(counter) else BUSY
