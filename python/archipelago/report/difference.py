# SPDX-License-Identifier: Apache-2.0
"""Two sets of results: which points moved, and the counters that explain it."""

from __future__ import annotations

import math
from typing import Iterator

from archipelago.report.data import Point, ResultSet
from archipelago.report.parts import Dot, Report, Scatter, Section, Series, Table

MOST_CAUSES = 5
Pair = tuple[Point, Point]


def build(old: ResultSet, new: ResultSet) -> Report:
    before = {p.identity: p for p in old.done}
    pairs = [(before[p.identity], p) for p in new.done if p.identity in before]
    alone = [len(old.done) - len(pairs), len(new.done) - len(pairs)]
    report = Report(f"{old.name} and {new.name}",
                    f"{len(pairs)} points in both, {alone[0]} only in the first, {alone[1]} only in the second")
    moved = sorted((p for p in pairs if p[0].cycles != p[1].cycles), key=lambda p: -abs(_percent(p)))
    if not pairs:
        report.sections.append(Section("What moved", ["No point is in both."]))
        return report
    same = len(pairs) - len(moved)
    report.sections.append(Section("What moved", [
        f"{len(moved)} of {len(pairs)} points have other cycles, {same} the same.",
        *([Table(("point", "cycles before", "cycles after", "change, %", "explained by"),
                 [(b.label, a.cycles, b.cycles, _percent((a, b)), "; ".join(_causes(old, new, (a, b)))) for a, b in moved])]
          if moved else [])]))
    dots = [Dot(a.cycles, b.cycles, b.label, a.cycles != b.cycles) for a, b in pairs if a.cycles and b.cycles]
    if dots:
        ends = [min(d.x for d in dots), max(d.x for d in dots)]
        report.sections.append(Section("Cycles before and after", [
            Scatter("Each point; below the line is faster", "cycles before", "cycles after",
                    [Series("points", dots), Series("equal", [Dot(e, e, "equal") for e in dict.fromkeys(ends)], True)])]))
    counters = _everywhere(old, new, pairs)
    if counters:
        report.sections.append(Section("Counters that moved over all points", [
            Table(("counter", "before", "after", "change, %"), counters)]))
    return report


def _percent(pair: Pair) -> float:
    before, after = pair[0].cycles or 0, pair[1].cycles or 0
    return 100.0 * (after - before) / before if before else 0.0


def _counts(results: ResultSet, point: Point) -> Iterator[tuple[str, float]]:
    attribution = results.section(point, "attribution")
    if attribution:
        for reason, cycles in attribution["waves"]["reasons"].items():
            yield f"waves: {reason}", cycles
    for (kind, counter), (value, _) in results.metrics.totals(point.number).items():
        yield f"{kind}.{counter}", value


def _moves(old: ResultSet, new: ResultSet, pair: Pair) -> list[tuple[float, str, float, float]]:
    """As regress has it: 100 more in 10000 are as remarkable as 10 more in 100."""
    before, after = dict(_counts(old, pair[0])), dict(_counts(new, pair[1]))
    out = []
    for name in before.keys() | after.keys():
        a, b = before.get(name, 0), after.get(name, 0)
        if a != b:
            out.append((abs(a - b) / math.sqrt(max(a, b)), name, a, b))
    return sorted(out, key=lambda m: (-m[0], m[1]))


def _causes(old: ResultSet, new: ResultSet, pair: Pair) -> list[str]:
    return [f"{name} {a:.0f} -> {b:.0f}" for _, name, a, b in _moves(old, new, pair)[:MOST_CAUSES]]


def _everywhere(old: ResultSet, new: ResultSet, pairs: list[Pair]) -> list[tuple[str, float, float, float]]:
    sums: dict[str, list[float]] = {}
    for a, b in pairs:
        for side, results, point in ((0, old, a), (1, new, b)):
            for name, value in _counts(results, point):
                sums.setdefault(name, [0.0, 0.0])[side] += value
    moved = [(abs(a - b) / math.sqrt(max(a, b)), name, a, b) for name, (a, b) in sums.items() if a != b]
    return [(name, a, b, 100 * (b - a) / a if a else math.inf) for _, name, a, b in sorted(moved, reverse=True)[:30]]
