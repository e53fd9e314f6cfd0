# SPDX-License-Identifier: Apache-2.0
"""What the values of a parameter do, by points that are equal in everything else. A mean over whichever points ended would
compare a value that a long workload survived with one that it did not."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Iterable, Optional

from archipelago.report.data import Point, ResultSet, Value

Rest = tuple[Any, ...]  # everything of a point but the parameter


@dataclass
class Matched:
    means: dict[Value, float]  # of values that are compared
    sets: int                  # of points, each with all these values
    left_out: str              # how many points and why; empty: none


def compare(results: ResultSet, metric: str, parameter: str) -> Matched:
    """Geometric means, so that a long workload does not outweigh a short one."""
    found: dict[Rest, dict[Value, float]] = defaultdict(dict)
    why: dict[tuple[Rest, Value], str] = {}
    for p in results.points:
        rest, value = _rest(results, p, parameter), p.at(parameter)
        measured = results.value(p, metric) if p.status == "done" else None
        if measured is not None and measured > 0:
            found[rest][value] = measured
        else:
            why.setdefault((rest, value), _reason(p, metric, measured))
    compared = _compared(found)
    whole = [values for values in found.values() if compared <= values.keys()] if len(compared) > 1 else []
    means = {v: _mean(values[v] for values in whole) for v in _in_order(results, parameter) if whole and v in compared}
    return Matched(means, len(whole), _left_out(found, compared, why))


def _rest(results: ResultSet, p: Point, parameter: str) -> Rest:
    return p.workload, p.asked, p.mode, p.seed, *(p.at(n) for n in results.parameters if n != parameter)


def _reason(p: Point, metric: str, measured: Optional[float]) -> str:
    if p.status != "done":
        return p.status
    return f"no {metric}" if measured is None else f"{metric} is {measured:g}"


def _in_order(results: ResultSet, parameter: str) -> list[Value]:
    return list(dict.fromkeys(p.at(parameter) for p in results.points))


def _compared(found: dict[Rest, dict[Value, float]]) -> set[Value]:
    """All values that some set of points has together; where none has all, without those that the fewest have."""
    count = Counter(v for values in found.values() if len(values) > 1 for v in values)
    compared = set(count)
    for value, _ in reversed(count.most_common()):
        if any(compared <= values.keys() for values in found.values()):
            break
        compared.discard(value)
    return compared


def _mean(values: Iterable[float]) -> float:
    logarithms = [math.log(v) for v in values]
    return math.exp(sum(logarithms) / len(logarithms))


def _left_out(found: dict[Rest, dict[Value, float]], compared: set[Value], why: dict[tuple[Rest, Value], str]) -> str:
    total = sum(map(len, found.values()))
    points, reasons = 0, Counter[str]()
    for rest, values in found.items():
        if len(compared) > 1 and compared <= values.keys():
            points += len(values.keys() - compared)
            reasons.update(f"no set has {v} and all others" for v in values.keys() - compared)
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
