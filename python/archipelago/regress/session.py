# SPDX-License-Identifier: Apache-2.0
"""One comparison or rebase of a suite: what both `archipelago regress` and scripts/regress do."""

from __future__ import annotations

import fnmatch
import sys
from dataclasses import dataclass, field
from typing import Sequence

from archipelago.errors import DONE, FAILED, Refused
from archipelago.regress import causes, golden, junit, rebase
from archipelago.regress.compare import Comparison, compare, measure, text
from archipelago.regress.suite import Case, Suite, Target


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
    _causes: dict[tuple[str, str], str] = field(default_factory=dict)

    def run(self, rebasing: bool) -> int:
        try:
            return self._run(rebasing)
        except golden.GoldenError as error:
            print(error, file=sys.stderr)
            return FAILED

    def _run(self, rebasing: bool) -> int:
        chosen = {t: self._chosen(t) for t in self.suite.targets()}
        for pattern in self.patterns:
            if not any(fnmatch.fnmatchcase(c.name, pattern) for cases in chosen.values() for c in cases):
                raise Refused(f"no workload is named {pattern}")
        if rebasing:
            rebase.check_reason(self.reason, self.suite.golden)
        comparisons, ok = [], True
        for target, cases in chosen.items():
            if not cases:
                continue
            c = self._compare(target, cases)
            comparisons.append(c)
            ok = (self._rebase(c, cases) if rebasing else not c.differs) and ok
        if self.junit:
            junit.write(self.junit, comparisons, self._causes, self.counters)
        if not ok and not rebasing:
            print(f"Results differ from the golden files (faster counts, too); {self.suite.rebase_hint}")
        return DONE if ok else FAILED

    def _chosen(self, target: Target) -> list[Case]:
        return [c for c in self.suite.cases(target)
                if not self.patterns or any(fnmatch.fnmatchcase(c.name, p) for p in self.patterns)]

    def _compare(self, target: Target, cases: list[Case]) -> Comparison:
        old = golden.read(target.name, self.suite.golden)
        now = measure(self.command, self.suite, target, cases, self.jobs)
        c = compare(target, old, now, everything=not self.patterns)
        for line in text(c, self.counters):
            print(line)
        if c.moved and (self.against or self.suite.keeps_timelines):
            self._explain(c, cases)
        sys.stdout.flush()
        return c

    def _explain(self, c: Comparison, cases: list[Case]) -> None:
        changed = causes.changed_fields(self.suite, self.command, self.against, c.target)
        for line in changed:
            print(f"  configuration: {line}")
        # Where counters alone moved, events may not have.
        moved = sorted((case for case in cases if case.name in c.moved),
                       key=lambda case: -abs(c.cycles(case.name)[1] - c.cycles(case.name)[0]))
        for case in moved[:self.events]:
            event = causes.first_event(self.suite, self.command, self.against, c.target, case)
            said = [f"configuration: {line}" for line in changed]
            if event:
                print(f"  {case.name}: first difference at {event}")
                said.append(f"first difference at {event}")
            self._causes[c.target.name, case.name] = "\n".join(said)

    def _rebase(self, c: Comparison, cases: list[Case]) -> bool:
        done, said = rebase.rebase(self.suite.golden, self.reason, c, everything=not self.patterns)
        if done and self.suite.keeps_timelines and said != f"{c.target.name}: nothing to rebase":
            causes.keep(self.suite, self.command, c.target, cases)
        print(said)
        return done
