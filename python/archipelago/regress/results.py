# SPDX-License-Identifier: Apache-2.0
"""What became of each workload of a comparison, as every form of output has it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence

from archipelago.regress.compare import Comparison
from archipelago.regress.golden import Moved, moved

EXACT, WITHIN, MOVED, NEW, GONE, FAILED = "exact", "within tolerance", "moved", "new", "gone", "failed"
UNREADABLE, NOT_COMPARED = "unreadable", "not compared"  # a golden file, and each of its workloads
GOOD = (EXACT, WITHIN)


@dataclass
class Result:
    target: str            # name of the golden file
    workload: str
    status: str
    file: str = ""         # of the workload
    golden: int = 0        # cycles
    now: int = 0
    seconds: float = 0.0   # of the run on the host, loading included
    moves: list[Moved] = field(default_factory=list)   # causes first
    configuration: list[str] = field(default_factory=list)
    event: str = ""        # the first that differs
    why: str = ""          # it failed, or its golden file cannot be read

    @property
    def name(self) -> str:
        return f"{self.target}/{self.workload}"

    @property
    def percent(self) -> float:
        return 100.0 * (self.now - self.golden) / self.golden if self.golden else 0.0

    def said(self) -> str:
        """One line."""
        if self.status == FAILED:
            return "failed to run: " + self.why.replace("\n    ", ": ")
        if self.status == UNREADABLE:
            return self.why
        if self.status == NOT_COMPARED:
            return f"{self.now} cycles, not compared: {self.why}"
        if self.status == NEW:
            return f"no golden entry, {self.now} cycles"
        if self.status == GONE:
            return "in the golden file, not in the suite"
        if self.golden == self.now:
            return f"{self.now} cycles as before, {len(self.moves)} counters moved" if self.moves else f"{self.now} cycles"
        return f"{self.golden} -> {self.now} cycles ({self.percent:+.2f} %)"

    def explained(self, counters: int) -> str:
        """What there is to say beside the numbers of a table, a line each."""
        return self.why or "\n".join(self.causes(counters))

    def causes(self, counters: int) -> Iterator[str]:
        """What moved, causes before consequences: the chip, then what was done, then what that took."""
        yield from (f"configuration: {line}" for line in self.configuration)
        yield from (str(move) for move in self.moves[:counters])
        if self.event:
            yield self.event

    def data(self) -> dict[str, Any]:
        out: dict[str, Any] = {"target": self.target, "workload": self.workload, "status": self.status, "file": self.file,
                               "seconds": round(self.seconds, 3)}
        if self.status in (EXACT, WITHIN, MOVED):
            out.update(golden_cycles=self.golden, cycles=self.now, percent=round(self.percent, 4))
        elif self.status in (NEW, NOT_COMPARED):
            out.update(cycles=self.now)
        if self.why:
            out.update(why=self.why)
        if self.status in (MOVED, WITHIN):
            out.update(configuration=self.configuration, first_event=self.event,
                       moved=[{"counter": m.name, "unit": m.unit, "golden": m.old, "now": m.new, "percent": m.percent} for m in self.moves])
        return out


def results_of(comparisons: Sequence[Comparison], configurations: Mapping[str, list[str]],
               events: Mapping[tuple[str, str], str]) -> list[Result]:
    """`configurations`: fields that changed, by golden file; `events`: by golden file and workload."""
    out = []
    for c in comparisons:
        target = c.target.name
        if c.unreadable:
            out.append(Result(target, c.golden_file.name, UNREADABLE, os.path.relpath(c.golden_file), why=c.unreadable))
        for name in {**dict.fromkeys(c.now.entries), **dict.fromkeys(c.now.failed), **dict.fromkeys(c.gone)}:
            result = Result(target, name, c.status(name), os.path.relpath(c.files[name]) if name in c.files else "",
                            seconds=c.now.seconds.get(name, 0.0), why=c.now.failed.get(name, c.unreadable))
            if name in c.now.entries:
                result.now = c.now.entries[name].cycles
            if name in c.old.workloads:
                result.golden = c.old.workloads[name].cycles
            if result.status in (MOVED, WITHIN):
                result.moves = moved(c.old.workloads[name], c.now.entries[name], c.now.units)
                result.configuration = configurations.get(target, [])
                result.event = events.get((target, name), "")
            out.append(result)
    return out


def slowest(results: Sequence[Result], count: int) -> list[Result]:
    return sorted((r for r in results if r.seconds), key=lambda r: -r.seconds)[:count]
