# SPDX-License-Identifier: Apache-2.0
"""How much results may differ: `tolerance` of regress.yaml, by workload and by what is counted."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field
from typing import Iterator, Optional

from archipelago.regress.golden import Entry, moved
from archipelago.yaml_file import Value

ALONE = ("cycles", "wave_instructions")  # what is not a counter of a unit


@dataclass(frozen=True)
class Bound:
    """Up to `amount` more or less, of percent where `relative`."""
    pattern: str  # "cycles", "tcc.read_hits", "tcc.*"
    amount: float
    relative: bool

    def holds(self, old: int, new: int) -> bool:
        return abs(new - old) <= (abs(old) * self.amount / 100 if self.relative else self.amount)


def _quantities(old: Entry, new: Entry) -> Iterator[tuple[str, int, int]]:
    """That differ."""
    for name in ALONE:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield name, before, after
    for move in moved(old, new):
        yield move.name, move.old, move.new


@dataclass
class Tolerance:
    """Of a suite: bounds by pattern of workloads, in the order of the file."""
    rules: list[tuple[str, list[Bound]]] = field(default_factory=list)

    def accepts(self, workload: str, old: Entry, new: Entry) -> bool:
        """Every quantity that differs is within the first bound that names it."""
        return all((bound := self._bound(workload, name)) is not None and bound.holds(before, after)
                   for name, before, after in _quantities(old, new))

    def _bound(self, workload: str, quantity: str) -> Optional[Bound]:
        for pattern, bounds in self.rules:
            if fnmatch.fnmatchcase(workload, pattern):
                for bound in bounds:
                    if fnmatch.fnmatchcase(quantity, bound.pattern):
                        return bound
        return None


def _bound_of(pattern: str, value: Value) -> Optional[Bound]:
    if pattern not in ALONE and not re.search(r"[.*?\[]", pattern):
        value.error(f"{pattern} is no quantity, expected {', '.join(ALONE)}, or KIND.COUNTER with or without wildcards")
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(%?)", value.source)
    if not found or (not found[2] and "." in found[1]):
        value.error("expected a percentage, as 0.5 %, or a whole number")
        return None
    return Bound(pattern, float(found[1]), bool(found[2]))


def read(value: Value, workloads: list[str]) -> Tolerance:
    """`{PATTERN: {QUANTITY: AMOUNT}}`; faults go to the diagnostics of the file."""
    out = Tolerance()
    for pattern, bounds in value.map():
        if not any(fnmatch.fnmatchcase(name, pattern) for name in workloads):
            bounds.error(f"no workload is named {pattern}")
        listed = [_bound_of(quantity, amount) for quantity, amount in bounds.map()]
        out.rules.append((pattern, [bound for bound in listed if bound]))
    return out
