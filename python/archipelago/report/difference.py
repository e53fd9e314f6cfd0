# SPDX-License-Identifier: Apache-2.0
"""Two sets of results: what differs between them, which points moved, and the counters that explain it, causes before
consequences."""

from __future__ import annotations

import math
from typing import Iterator, Optional

from archipelago import ranks
from archipelago.report.data import Point, ResultSet
from archipelago.report.parts import Dot, Report, Scatter, Section, Series, Table

MOST_FIELDS, MOST_CAUSES = 2, 5
Pair = tuple[Point, Point]


def build(old: ResultSet, new: ResultSet) -> Report:
    before = {p.identity: p for p in old.done}
    pairs = [(before[p.identity], p) for p in new.done if p.identity in before]
    alone = [len(old.done) - len(pairs), len(new.done) - len(pairs)]
    report = Report(f"{old.name} and {new.name}",
                    f"{len(pairs)} points in both, {alone[0]} only in the first, {alone[1]} only in the second")
    report.sections.append(differing(old, new, pairs))
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
            Table(("counter", "unit", "before", "after", "change, %"), counters, "What was done stands before the cycles that it took.")]))
    return report


def differing(old: ResultSet, new: ResultSet, pairs: list[Pair]) -> Section:
    """Fields of the chips, commands and workloads."""
    chips, rows = _changed_fields(old, new)
    section = Section("What differs")
    if rows:
        section.parts.append(Table(("chip", "field", "before", "after"), rows))
    unknown = sorted({asic for results in (old, new) for asic, in results.database.rows("SELECT DISTINCT asic FROM results")} - set(chips))
    if chips and not rows:
        section.parts.append(f"No field of {', '.join(chips)} differs.")
    if unknown:
        section.parts.append(f"The fields of {', '.join(unknown)} are not known in both.")
    versions = [_distinct(results, "version") for results in (old, new)]
    if versions[0] != versions[1]:
        section.parts.append(f"The commands differ: {', '.join(versions[0])} -> {', '.join(versions[1])}.")
    hashes: list[dict[int, str]] = [{point: value for point, value in results.database.rows("SELECT point, workload_hash FROM runs")}
                                    for results in (old, new)]
    others = sorted({old.named(a, "workload") for a, b in pairs if hashes[0][a.number] != hashes[1][b.number]})
    if others:
        section.parts.append(f"Workloads that have changed, in a file that they read or in their kernels: {', '.join(others)}.")
    return section


def _changed_fields(old: ResultSet, new: ResultSet) -> tuple[list[str], list[tuple[str, str, Optional[str], Optional[str]]]]:
    """The chips whose fields both know, and of these each that differs: chip, path, before, after."""
    before, after = _fields(old), _fields(new)
    chips = sorted({asic for asic, _ in before} & {asic for asic, _ in after})
    return chips, [(asic, path, before.get((asic, path)), after.get((asic, path))) for asic, path in sorted(before.keys() | after.keys())
                   if asic in chips and before.get((asic, path)) != after.get((asic, path))]


def _fields(results: ResultSet) -> dict[tuple[str, str], str]:
    return {(asic, path): value for asic, path, value in results.database.rows("SELECT asic, path, value FROM fields")}


def _distinct(results: ResultSet, column: str) -> list[str]:
    return sorted(v for v, in results.database.rows(f"SELECT DISTINCT {column} FROM runs WHERE {column} IS NOT NULL"))


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
    """The chip, then what was done, then the cycles that follow."""
    fields = [f"{path} {a or 'absent'} -> {b or 'absent'}" for asic, path, a, b in _changed_fields(old, new)[1] if asic == pair[1].asic]
    more = len(fields) - MOST_FIELDS
    units = _units(new)
    most = sorted(_moves(old, new, pair)[:MOST_CAUSES], key=lambda m: _rank(m[1], units))
    return [*fields[:MOST_FIELDS], *([f"{more} more {'field' if more == 1 else 'fields'} of the chip"] if more > 0 else []),
            *(f"{name} {a:.0f} -> {b:.0f}" for _, name, a, b in most)]


def _units(results: ResultSet) -> dict[str, str]:
    return {name: measure for name, measure in results.database.rows("SELECT DISTINCT kind || '.' || name, measure FROM counters")}


def _rank(name: str, units: dict[str, str]) -> int:
    """Of a counter, or of a reason of wave cycles."""
    return ranks.rank(name.rpartition(".")[2], units[name]) if name in units else ranks.TIME


def _everywhere(old: ResultSet, new: ResultSet, pairs: list[Pair]) -> list[tuple[str, str, float, float, float]]:
    sums: dict[str, list[float]] = {}
    for a, b in pairs:
        for side, results, point in ((0, old, a), (1, new, b)):
            for name, value in _counts(results, point):
                sums.setdefault(name, [0.0, 0.0])[side] += value
    moved = [(abs(a - b) / math.sqrt(max(a, b)), name, a, b) for name, (a, b) in sums.items() if a != b]
    units = _units(new)
    most = sorted(sorted(moved, reverse=True)[:30], key=lambda m: _rank(m[1], units))
    return [(name, units.get(name, "wave cycles"), a, b, 100 * (b - a) / a if a else math.inf) for _, name, a, b in most]
