# SPDX-License-Identifier: Apache-2.0
"""One comparison or rebase of a suite: what both `archipelago regress` and scripts/regress do."""

from __future__ import annotations

import fnmatch
import sys
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Optional, Sequence

from archipelago.errors import DONE, FAILED, MACHINE_STOPPED, Refused
from archipelago.regress import causes, expression, golden, junit, rebase
from archipelago.regress.compare import Comparison, Measured, compare, measure, text
from archipelago.regress.formats import FORMATS
from archipelago.regress.results import GOOD, Result, results_of, slowest
from archipelago.regress.suite import Case, Suite, Target
from archipelago.yaml_file import did_you_mean


def _is_named(name: str, pattern: str) -> bool:
    """Also by the name of its file."""
    return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name, pattern.removesuffix(".yaml"))


@dataclass
class Session:
    suite: Suite
    command: str
    jobs: int
    patterns: Sequence[str] = ()   # of workloads; none: all
    counters: int = 4              # to show per workload
    against: str = ""              # the command the golden results are of
    events: int = 5                # workloads per golden file whose first diverging event is looked for
    junit: str = ""
    reason: str = ""               # of a rebase
    form: str = "text"             # or one of formats.FORMATS
    durations: int = 0             # slowest workloads to list
    chosen_by: str = ""            # an expression over names (expression.py)
    _configurations: dict[str, list[str]] = field(default_factory=dict)   # fields that changed, by golden file
    _events: dict[tuple[str, str], str] = field(default_factory=dict)     # the first that differs

    def run(self, rebasing: bool) -> int:
        holds = expression.parse(self.chosen_by) if self.chosen_by else None
        chosen = {t: self._chosen(t, holds) for t in self.suite.targets()}
        known = list(dict.fromkeys(c.name for t in chosen for c in self.suite.cases(t)))
        for pattern in self.patterns:
            if not any(_is_named(name, pattern) for name in known):
                raise Refused(f"no workload is named {pattern}" + did_you_mean(pattern, known))
        if holds and not any(chosen.values()):
            raise Refused(f'no workload is chosen by -k "{self.chosen_by}"')
        if rebasing:
            rebase.check_reason(self.reason, self.suite.golden)
        with rebase.alone(self.suite.golden) if rebasing else nullcontext():
            comparisons, ok = self._targets(chosen, rebasing)
        results = results_of(comparisons, self._configurations, self._events)
        if self.junit:
            junit.write(self.junit, results, self.counters)
        for line in FORMATS[self.form](results, self.counters, self.durations) if self.form != "text" else ():
            print(line)
        self._end(results, ok or rebasing)
        if any(c.now.runs_failed for c in comparisons):
            return MACHINE_STOPPED
        return DONE if ok else FAILED

    def _end(self, results: list[Result], ok: bool) -> None:
        for r in slowest(results, self.durations):
            self._say(f"  {r.seconds:8.2f} s  {r.name}")
        failed = sum(r.status == "failed" for r in results)
        if not ok and failed:
            self._say(f"{failed} {'workload' if failed == 1 else 'workloads'} failed to run.")
        if not ok and any(r.status not in (*GOOD, "failed") for r in results):
            self._say(f"Results differ from the golden files (faster counts, too); {self.suite.rebase_hint}")

    def _say(self, line: str) -> None:
        """In other forms, standard output has what these print at the end alone."""
        if self.form == "text":
            print(line)

    def _targets(self, chosen: dict[Target, list[Case]], rebasing: bool) -> tuple[list[Comparison], bool]:
        """What every golden file came to, and whether all is well."""
        comparisons, ok = [], True
        for target, cases in chosen.items():
            if not cases:
                continue
            try:
                c = self._compare(target, cases)
            except golden.GoldenError as error:  # the other chips can be compared
                print(error, file=sys.stderr)
                failed = Measured(failed=dict.fromkeys((case.name for case in cases), str(error)))
                comparisons.append(Comparison(target, golden.Golden(target.name), failed))
                ok = False
                continue
            comparisons.append(c)
            ok = (self._rebase(c, cases) if rebasing else not c.differs) and ok
        return comparisons, ok

    def _chosen(self, target: Target, holds: Optional[expression.Holds]) -> list[Case]:
        return [c for c in self.suite.cases(target)
                if (not self.patterns or any(_is_named(c.name, p) for p in self.patterns))
                and (holds is None or holds(f"{target.name}/{c.name}"))]

    @property
    def _everything(self) -> bool:
        return not self.patterns and not self.chosen_by

    def _compare(self, target: Target, cases: list[Case]) -> Comparison:
        old, unreadable = self._golden(target)
        now = measure(self.command, self.suite, target, cases, self.jobs)
        c = compare(target, old, now, self._everything, self.suite.tolerance())
        c.unreadable, c.golden_file = unreadable, golden.path_of(target.name, self.suite.golden)
        c.files = {case.name: case.job.workload for case in cases}
        explained = bool(c.moved) and bool(self.against or self.suite.keeps_timelines)
        if explained:
            self._find_fields(c)
        for line in text(c, self.counters, self._configurations.get(target.name, ())):
            self._say(line)
        if explained:
            self._find_events(c, cases)
        sys.stdout.flush()
        return c

    def _golden(self, target: Target) -> tuple[golden.Golden, str]:
        """An empty one in place of one that cannot be read, and why it cannot."""
        try:
            return golden.read(target.name, self.suite.golden), ""
        except golden.GoldenError as error:
            return golden.Golden(target.name), str(error)

    def _find_fields(self, c: Comparison) -> None:
        try:
            self._configurations[c.target.name] = causes.changed_fields(self.suite, self.command, self.against, c.target)
        except golden.GoldenError as error:
            self._configurations[c.target.name] = [str(error)]

    def _find_events(self, c: Comparison, cases: list[Case]) -> None:
        # Where counters alone moved, events may not have.
        moved = sorted((case for case in cases if case.name in c.moved),
                       key=lambda case: -abs(c.cycles(case.name)[1] - c.cycles(case.name)[0]))
        for case in moved[:self.events]:
            event = self._first_event(c, case)
            if event:
                self._say(f"  {case.name}: {event}")
                self._events[c.target.name, case.name] = event

    def _first_event(self, c: Comparison, case: Case) -> str:
        try:
            event = causes.first_event(self.suite, self.command, self.against, c.target, case)
        except golden.GoldenError as error:
            return f"no first difference: {error}"
        return f"first difference at {event}" if event else ""

    def _rebase(self, c: Comparison, cases: list[Case]) -> bool:
        done, said = rebase.rebase(self.suite.golden, self.reason, c, self._everything)
        if done and self.suite.keeps_timelines:
            is_new = said != f"{c.target.name}: nothing to rebase"
            anew = cases if is_new else causes.damaged(self.suite, c.target, cases)
            if anew:
                causes.keep(self.suite, self.command, c.target, anew)
            causes.drop(self.suite, c.target, c.gone)
            said += "" if is_new else "".join(f"\n  {case.name}: its timeline could not be read, and is made again" for case in anew)
        self._say(said)
        return done
