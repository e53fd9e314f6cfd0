# SPDX-License-Identifier: Apache-2.0
"""Runs what is not known yet and stores it, result by result."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import Optional, Sequence, TextIO

from archipelago.database import Database
from archipelago.errors import Refused
from archipelago.job import DONE, VERDICTS, Outcome
from archipelago.sweep.executors import Executor
from archipelago.sweep.plan import Plan, Point


def duration(seconds: float) -> str:
    minutes, s = divmod(int(seconds + 0.5), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m}:{s:02}"


class Progress:
    """One line that is written over, on a terminal; elsewhere a line each tenth."""

    def __init__(self, total: int, stream: Optional[TextIO] = None):
        self.total, self.stream = total, stream or sys.stderr
        self.done = self.failed = 0
        self.began = time.monotonic()
        self._is_terminal = self.stream.isatty()
        self._tenth = 0

    def line(self) -> str:
        passed = time.monotonic() - self.began
        left = passed / self.done * (self.total - self.done) if self.done else 0
        failed = f", {self.failed} failed" if self.failed else ""
        eta = f", {duration(left)} left" if self.done and self.done < self.total else ""
        return f"{self.done} of {self.total} runs{failed}, {duration(passed)}{eta}"

    def came(self, failed: bool) -> None:
        self.done += 1
        self.failed += failed
        if self._is_terminal:
            self.stream.write(f"\r\033[K{self.line()}")
        elif 10 * self.done // self.total > self._tenth:
            self._tenth = 10 * self.done // self.total
            self.stream.write(self.line() + "\n")
        self.stream.flush()

    def end(self) -> None:
        if self._is_terminal and self.done:
            self.stream.write("\n")


@dataclass
class Summary:
    ran: int = 0
    known: int = 0
    invalid: int = 0
    failures: dict[str, Outcome] = field(default_factory=dict)  # by key


class Driver:
    def __init__(self, plan: Plan, database: Database, executor: Executor, quiet: bool = False):
        self.plan, self.database, self.executor, self.quiet = plan, database, executor, quiet
        self.summary = Summary()

    def run(self, points: Sequence[Point]) -> None:
        """Points of the plan, which are in the database already. Lost, killed and disturbed runs are given out again
        `retries` times; the machine's own verdicts when the sweep is started again."""
        known = self.database.known()
        valid = {p.key: p for p in points if not p.invalid}
        self.summary.invalid += sum(1 for p in points if p.invalid)
        left = [key for key in valid if known.get(key) != DONE]
        self.summary.known += len(valid) - len(left)
        progress = None if self.quiet or not left else Progress(len(left))
        for retries in range(self.plan.file.retries, -1, -1):
            left = self._round(valid, left, retries, progress)
        if progress:
            progress.end()

    def _round(self, points: dict[str, Point], keys: list[str], retries: int, progress: Optional[Progress]) -> list[str]:
        """What is to be given out again."""
        again = []
        outcomes = self.executor.run([(key, points[key].job) for key in keys]) if keys else iter(())  # type: ignore[misc]
        try:
            for key, outcome in outcomes:
                self._store(points[key], outcome)
                if outcome.status not in VERDICTS and retries:
                    again.append(key)
                    continue
                self.summary.ran += 1
                if outcome.status != DONE:
                    self.summary.failures[key] = outcome
                if progress:
                    progress.came(outcome.status != DONE)
        finally:
            outcomes.close() if hasattr(outcomes, "close") else None
        return again

    def _store(self, point: Point, outcome: Outcome) -> None:
        try:
            self.database.put_attempt(point.key, outcome)
            self.database.put(point, outcome, self.plan.version)
        except Refused as error:
            done = sum(1 for status in self._known_anyway().values() if status == DONE)
            total = len({p.key for p in self.plan.points if not p.invalid})
            raise Refused(f"{error}; {done} of {total} results are kept: start the same command again when this is "
                          "mended") from error

    def _known_anyway(self) -> dict[str, str]:
        try:
            return self.database.known()
        except Refused:
            return {}
