# SPDX-License-Identifier: Apache-2.0
"""The effect of a parameter, by points that are equal in everything else. Values of different workloads, or of different
other parameters, are never averaged: each set of points is a line of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Optional

from archipelago.report.data import Point, ResultSet, Value

Rest = tuple[Any, ...]  # everything of a point but the parameter


@dataclass
class Line:
    """Points that differ in one parameter alone, in the order of its values."""
    points: list[Point]
    values: dict[Value, float]  # of the metric, by value of the parameter

    @property
    def best(self) -> Value:
        return min(self.values, key=self.values.__getitem__)

    @property
    def worst(self) -> Value:
        return max(self.values, key=self.values.__getitem__)

    @property
    def spread(self) -> float:
        """Worst over best."""
        return self.values[self.worst] / self.values[self.best]


@dataclass
class Matched:
    lines: list[Line]  # each has all values that are compared
    left_out: str      # how many points and why; empty: none


def lines(results: ResultSet, points: list[Point], metric: str, parameter: str) -> list[Line]:
    """Every set of points that differ in the parameter alone; one of a single point, too."""
    order = {v: i for i, v in enumerate(results.values(parameter))}
    found: dict[Rest, list[tuple[Point, float]]] = defaultdict(list)
    for p in points:
        value = results.value(p, metric) if p.status == "done" else None
        if value is not None and value > 0:
            found[_rest(results, p, parameter)].append((p, value))
    out = []
    for members in found.values():
        members.sort(key=lambda m: order[m[0].at(parameter)])
        out.append(Line([p for p, _ in members], {p.at(parameter): v for p, v in members}))
    return out


def compare(results: ResultSet, metric: str, parameter: str) -> dict[str, Matched]:
    """By group: the lines that have all values compared, and why other points are left out."""
    found: dict[Rest, Line] = {}
    why: dict[tuple[Rest, Value], str] = {}
    for p in results.points:
        rest, value = _rest(results, p, parameter), p.at(parameter)
        measured = results.value(p, metric) if p.status == "done" else None
        if measured is None or measured <= 0:
            why.setdefault((rest, value), _reason(p, metric, measured))
    for line in lines(results, results.done, metric, parameter):
        found[_rest(results, line.points[0], parameter)] = line
    compared = _compared([line.values for line in found.values()])
    out = {}
    for group, _ in results.groups():
        of_group = {rest: line for rest, line in found.items() if results.group(line.points[0]) == group}
        whole = [line for line in of_group.values() if len(compared) > 1 and compared <= line.values.keys()]
        for line in whole:
            line.values = {v: m for v, m in line.values.items() if v in compared}
        out[group] = Matched(whole, _left_out({r: {p.at(parameter) for p in line.points} for r, line in of_group.items()}, compared, why))
    return out


def _rest(results: ResultSet, p: Point, parameter: str) -> Rest:
    fields = {"workload": p.workload, "asic": p.asked, "mode": p.mode, "seed": p.seed}
    return (*(v for f, v in fields.items() if f != parameter), *(p.at(n) for n in results.parameters if n != parameter))


def _reason(p: Point, metric: str, measured: Optional[float]) -> str:
    if p.status != "done":
        return p.status
    return f"no {metric}" if measured is None else f"{metric} is {measured:g}"


def _compared(found: list[dict[Value, float]]) -> set[Value]:
    """All values that some set of points has together; where none has all, without those that the fewest have."""
    count = Counter(v for values in found if len(values) > 1 for v in values)
    compared = set(count)
    for value, _ in reversed(count.most_common()):
        if any(compared <= values.keys() for values in found):
            break
        compared.discard(value)
    return compared


def _left_out(found: dict[Rest, set[Value]], compared: set[Value], why: dict[tuple[Rest, Value], str]) -> str:
    total = sum(map(len, found.values()))
    points, reasons = 0, Counter[str]()
    for rest, values in found.items():
        if len(compared) > 1 and compared <= values:
            points += len(values - compared)
            reasons.update(f"no set has {v} and all others" for v in values - compared)
            continue
        points += len(values)
        missing = [v for v in compared if v not in values]
        reasons.update(f"no {v} ({why.get((rest, v), 'not in the sweep')})" for v in missing)
    if not points:
        return ""
    if len(compared) < 2:
        return f"{points} of {total}: no two are equal in everything else"
    said = ", ".join(f"{reason} in {n}" if n > 1 else reason for reason, n in sorted(reasons.items()))
    return f"{points} of {total}: {said}"
