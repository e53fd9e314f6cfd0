# SPDX-License-Identifier: Apache-2.0
"""Measures a suite and compares it with its golden files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Sequence

from archipelago.job import DONE, Outcome
from archipelago.regress import golden as goldens
from archipelago.regress.golden import Entry, Golden, GoldenError, Units
from archipelago.regress.suite import Case, Suite, Target
from archipelago.regress.tolerance import Tolerance
from archipelago.sweep.executors import LocalPool


@dataclass
class Measured:
    config_hash: str = ""
    entries: dict[str, Entry] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)  # name -> why
    runs_failed: bool = False                             # not the golden file or the selection of counters alone
    seconds: dict[str, float] = field(default_factory=dict)  # of each run, loading included
    units: Units = field(default_factory=dict)            # of counters


def why(outcome: Outcome, lines: int = 3) -> str:
    """One failed run in a few words."""
    said = [line for line in outcome.report.splitlines() if line.strip()][:lines]
    ended = f"exit status {outcome.exit_status}" if outcome.exit_status is not None else outcome.status
    return ended + "".join("\n    " + line for line in said)


def measure(command: str, suite: Suite, target: Target, cases: Iterable[Case], jobs: int) -> Measured:
    out, hashes = Measured(), set()
    counters = suite.counters(target)
    outcomes = dict(LocalPool(command, jobs).run([(c.name, c.job) for c in cases]))
    for case in cases:
        outcome = outcomes[case.name]
        out.seconds[case.name] = outcome.host_seconds
        if outcome.status != DONE:
            out.failed[case.name] = why(outcome)
            out.runs_failed = True
            continue
        stats = json.loads(outcome.stats)
        hashes.add(stats["config_hash"])
        out.entries[case.name] = goldens.entry_of(stats, counters(stats))
        out.units.update(goldens.units_of(stats, out.entries[case.name].counters))
    if len(hashes) > 1:
        raise GoldenError(f"{target.name}: the configuration changed while the workloads ran")
    out.config_hash = hashes.pop() if hashes else ""
    return out


@dataclass
class Comparison:
    """Of one golden file with what was measured."""
    target: Target
    old: Golden
    now: Measured
    moved: list[str] = field(default_factory=list)  # names that differ, in order of measurement
    new: list[str] = field(default_factory=list)    # without golden entry
    gone: list[str] = field(default_factory=list)   # without workload
    within: list[str] = field(default_factory=list)  # names that differ by no more than the suite tolerates
    files: dict[str, str] = field(default_factory=dict)  # of workloads
    golden_file: Path = Path()
    unreadable: str = ""                            # why the golden file is; `old` is empty then

    @property
    def differs(self) -> bool:
        return bool(self.moved or self.new or self.gone or self.now.failed or self.unreadable)

    def status(self, name: str) -> str:
        """As results.py has them."""
        new = "not compared" if self.unreadable else "new"
        for status, names in (("failed", self.now.failed), ("gone", self.gone), (new, self.new), ("moved", self.moved),
                              ("within tolerance", self.within)):
            if name in names:
                return status
        return "exact"

    def cycles(self, name: str) -> tuple[int, int]:
        return self.old.workloads[name].cycles, self.now.entries[name].cycles


def compare(target: Target, old: Golden, now: Measured, everything: bool, tolerance: Tolerance = Tolerance()) -> Comparison:
    """`everything`: the whole suite was measured, so what is missing has gone."""
    out = Comparison(target, old, now)
    for name, entry in now.entries.items():
        if name not in old.workloads:
            out.new.append(name)
        elif old.workloads[name] != entry:
            (out.within if tolerance.accepts(name, old.workloads[name], entry) else out.moved).append(name)
    if everything:
        out.gone = sorted(old.workloads.keys() - now.entries.keys() - now.failed.keys())
    return out


def change(old: Entry, new: Entry) -> str:
    if old.cycles == new.cycles:
        return "same"
    percent = f"{100.0 * (new.cycles - old.cycles) / old.cycles:+.2f} %" if old.cycles else ""
    return f"{new.cycles - old.cycles:+d} {percent}"


def explanation(old: Entry, new: Entry, counters: int, units: Units) -> str:
    """The counters that moved, causes before consequences, of each those that moved most."""
    moves = goldens.moved(old, new, units)
    what = ", ".join(str(m) for m in moves[:counters])
    if len(moves) > counters:
        what += f", {len(moves) - counters} more" if what else f"{len(moves)} counters"
    if old.wave_instructions != new.wave_instructions:
        # Not only time: other code ran, or a loop that waits went round more or less often.
        what = f"instructions {old.wave_instructions} -> {new.wave_instructions}; {what}"
    return what


def _table(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [row[c].rjust(widths[c]) for c in (1, 2, 3)]
        yield "  " + "  ".join(cells + [row[4]]).rstrip()


def text(c: Comparison, counters: int, configuration: Sequence[str] = ()) -> Iterable[str]:
    """What differs, line by line; `configuration`: the fields of the chip that do."""
    golden_hash = f" (golden: {c.old.config_hash})" if c.old.config_hash not in ("", c.now.config_hash) else ""
    yield (f"{c.target.name}: {len(c.now.entries) + len(c.now.failed)} workloads, "
           f"configuration {c.now.config_hash or 'unknown'}{golden_hash}")
    if c.unreadable:
        yield f"  {c.unreadable}"
    yield from (f"  configuration: {line}" for line in configuration)
    rows = [("workload", "golden", "now", "change", "moved, causes first")]
    for name in c.moved:
        before, after = c.old.workloads[name], c.now.entries[name]
        rows.append((name, str(before.cycles), str(after.cycles), change(before, after),
                     explanation(before, after, counters, c.now.units)))
    if c.moved:
        yield from _table(rows)
    for name in c.new:
        yield f"  {name}: {c.now.entries[name].cycles} cycles, no golden entry"
    for name in c.gone:
        yield f"  {name}: in the golden file, not in the suite"
    for name, reason in c.now.failed.items():
        yield f"  {name}: failed to run, {reason}"
    slower = sum(new > old for old, new in map(c.cycles, c.moved))
    faster = sum(new < old for old, new in map(c.cycles, c.moved))
    exact = len(c.now.entries) - len(c.moved) - len(c.new) - len(c.within)
    within = f", {len(c.within)} within tolerance" if c.within else ""
    yield (f"  {exact} exact, {slower} slower, {faster} faster, {len(c.moved) - slower - faster} other differences, "
           f"{len(c.new)} new, {len(c.gone)} gone, {len(c.now.failed)} failed{within}")
