# SPDX-License-Identifier: Apache-2.0
"""Results as a report needs them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Optional, Sequence, Union

from archipelago.database import NAME_OF, Database
from archipelago.metrics import Metrics, numeric
from archipelago.report.parts import Cell, Quantity

Value = Union[int, float, str, None]

# Of a parameter that a point leaves alone, as points of `list` do.
CHIPS_OWN = "chip's own"
# A point that leaves all of them alone.
AS_IT_IS = "the chip as it is"

def grouped(reasons: dict[str, float], attribution: dict[str, Any]) -> dict[str, float]:
    """Cycles of waves as one colour can tell them apart: by the groups of the statistics. What is in none is "other"."""
    groups = attribution.get("definitions", {}).get("groups", {})
    of = {reason: group for group, members in groups.items() for reason in members}
    out: dict[str, float] = {name: 0 for name in groups}
    for reason, cycles in reasons.items():
        group = of.get(reason, "other")
        out[group] = out.get(group, 0) + cycles
    return out


# A memory transaction's reasons, from the compute unit to DRAM.
_PATH = {"L1 and scalar caches": ("l1", "scalar_cache", "instruction_cache", "merged"), "fabric": ("fabric_request", "fabric_response"),
         "L2": ("l2_queue", "l2", "l2_wait"), "DRAM": ("dram_queue", "dram", "dram_return"), "hub": ("hub_request", "hub_response")}


def on_path(reasons: dict[str, float]) -> dict[str, float]:
    """Time of memory transactions by the part of the memory path they were in. What is in none is "other"."""
    of = {reason: part for part, members in _PATH.items() for reason in members}
    out: dict[str, float] = {part: 0 for part in _PATH}
    for reason, time in reasons.items():
        part = of.get(reason, "other")
        out[part] = out.get(part, 0) + time
    return out


def _short_names(values: set[str]) -> dict[str, str]:
    def end(value: str, parts: int) -> str:
        return "/".join(PurePath(value).with_suffix("").parts[-parts:]) if value.endswith(".yaml") else value

    def short(value: str) -> str:
        lengths = range(1, len(PurePath(value).parts) + 1)
        return next((end(value, n) for n in lengths if sum(end(v, n) == end(value, n) for v in values) == 1), value)

    return {value: short(value) for value in values}


_SI_UNITS = ("J", "W", "s")
UNITS_OF_DELAYS = ("cycles", "ns")


def short_paths(paths: Sequence[str]) -> dict[str, str]:
    """The shortest end of each path that no other ends with; the unit of a delay is no name of it."""
    words = {path: path.split(".") for path in paths}
    for path, parts in words.items():
        others = [p for p in words if p != path]
        if len(parts) > 1 and parts[-1] in UNITS_OF_DELAYS and path.rpartition(".")[0] not in (o.rpartition(".")[0] for o in others):
            words[path] = parts[:-1]

    def short(path: str) -> str:
        parts = words[path]
        ends = (parts[-n:] for n in range(1, len(parts) + 1))
        return ".".join(next((end for end in ends if sum(p[-len(end):] == end for p in words.values()) == 1), parts))

    return {path: short(path) for path in paths}


@dataclass
class Point:
    number: int
    workload: str
    asic: str
    mode: str
    seed: int
    status: str
    report: str
    parameters: dict[str, Value]
    cycles: Optional[int]
    sim_seconds: Optional[float]
    asked: str  # the chip as the sweep file has it
    label: str = ""  # what tells it from all others
    name: str = ""   # what tells it from those of its group
    fields: dict[str, Value] = field(default_factory=dict)  # chip or workload, where a report compares them

    @property
    def identity(self) -> tuple[Any, ...]:
        """What makes it the same point of another set of results, whose chips or `set` may differ."""
        return self.workload, self.asic, self.mode, self.seed, tuple(sorted((n, str(v)) for n, v in self.parameters.items()))

    def at(self, parameter: str) -> Value:
        return self.fields.get(parameter, self.parameters.get(parameter, CHIPS_OWN))


class ResultSet:
    def __init__(self, database: Database, weights: str = "", name: str = ""):
        self.database, self.metrics = database, Metrics(database, weights)
        self.name = name or database.path
        facts: dict[str, str] = {name: value for name, value in database.rows("SELECT name, value FROM meta")}
        self.title, self.question = facts.get("title", ""), facts.get("question", "")
        self._has_same_work = facts.get("same_work") == "true"
        self._own_names = {fact.removeprefix(NAME_OF): name for fact, name in facts.items() if fact.startswith(NAME_OF)}
        self._names: dict[str, dict[str, str]] = {}  # by field and value
        self.parameters = self._parameter_order()
        self.points = self._points()
        self.done = [p for p in self.points if p.status == "done"]
        self._label()

    def _parameter_order(self) -> list[str]:
        known = set(self.database.parameter_names())
        return [row[1] for row in self.database.rows("PRAGMA table_info(runs)") if row[1] in known]

    def _points(self) -> list[Point]:
        values: dict[int, dict[str, Value]] = {}
        for point, name, value in self.database.rows("SELECT point, name, value FROM parameters"):
            values.setdefault(point, {})[name] = value
        rows = self.database.rows(
            "SELECT point, r.workload, COALESCE(results.asic, r.asic), r.mode, r.seed, r.status, COALESCE(r.report, ''), "
            "r.cycles, r.sim_seconds, r.asic FROM runs r LEFT JOIN results USING (result) "
            "ORDER BY point")
        points = [Point(p, w, a, m, s, st, rep, values.get(p, {}), c, ss, asked)
                  for p, w, a, m, s, st, rep, c, ss, asked in rows]
        files = {(p.asic, p.asked) for p in points if p.status == "done"}
        shared = [asic for asic, count in Counter(asic for asic, _ in files).items() if count > 1]
        for p in points:
            if p.asic in shared:
                p.asic = p.asked
        return points

    def _label(self) -> None:
        """By what tells points apart."""
        varying = [f for f in ("workload", "asic", "mode", "seed") if len({getattr(p, f) for p in self.done or self.points}) > 1]
        compared = [f for f in varying if f == "asic" or f == "workload" and self._has_same_work]
        shown = self._short = short_paths(self.parameters)
        for p in self.points:
            fields = [self.named(p, f) for f in varying]
            words = [f"{shown[n]} {p.parameters[n]}{' ns' if n.endswith('.ns') else ''}" for n in self.parameters if n in p.parameters]
            if self.is_as_it_is(p):
                words.append(AS_IT_IS)
            p.label = ", ".join(fields + words) or self.named(p, "workload")
            p.name = ", ".join([self.named(p, f) for f in varying if f in compared or f == "seed"] + words) or p.label
        self.varying, self.compared = varying, compared
        for p in self.points:
            p.fields = {f: self.named(p, f) for f in compared}

    def group(self, point: Point) -> str:
        """The workload and mode of a point, as far as they vary: points of two groups are not compared."""
        return ", ".join(self.named(point, f) for f in self.varying if f != "seed" and f not in self.compared)

    @property
    def has_groups(self) -> bool:
        return any(self.group(p) for p in self.done)

    def groups(self) -> Iterator[tuple[str, list[Point]]]:
        """Points with results, in the order of the sweep."""
        found: dict[str, list[Point]] = {}
        for p in self.done:
            found.setdefault(self.group(p), []).append(p)
        yield from found.items()

    def baseline(self, points: Sequence[Point], metric: str) -> Optional[Point]:
        """The chip as it is, else the first point that has the metric."""
        measured = [p for p in points if self.value(p, metric)]
        return next((p for p in measured if self.is_as_it_is(p)), measured[0] if measured else None)

    def is_as_it_is(self, point: Point) -> bool:
        """A point of `list` that changes nothing, where others do."""
        return bool(self.parameters) and not point.parameters

    def named(self, point: Point, field: str) -> str:
        """A file by its own name, with as much of its folder as tells it from others."""
        if field == "seed":
            return f"seed {point.seed}"
        if field not in self._names:
            called = {value: self._called(value) for value in {str(getattr(p, field)) for p in self.points}}
            short = _short_names(set(called.values()))
            self._names[field] = {value: short[name] for value, name in called.items()}
        return self._names[field][str(getattr(point, field))]

    def _called(self, file: str) -> str:
        """A workload with a name of its own, as resolved.yaml of a run, stands in the folder of its file."""
        return str(PurePath(file).with_name(self._own_names[file])) if file in self._own_names else file

    def varying_parameters(self) -> list[str]:
        return [n for n in (*self.compared, *self.parameters) if len({p.at(n) for p in self.done}) > 1]

    def metric_names(self) -> list[str]:
        return [*self.metrics.of_kernels(), "cycles", *self.metrics.weighted]

    def unit(self, metric: str) -> str:
        weighted = self.metrics.weighted.get(metric)
        return weighted.unit if weighted else {"sim_seconds": "s"}.get(metric, "")

    def with_unit(self, metric: str) -> str:
        unit = self.unit(metric)
        return f"{metric}, {unit}" if unit else metric

    def heading(self, metric: str) -> str:
        """Of cells that have their unit, or have none."""
        return metric if self.unit(metric) in _SI_UNITS else self.with_unit(metric)

    def cell(self, metric: str, value: Optional[float]) -> Cell:
        """A value with the prefix of its unit."""
        return Quantity(value, self.unit(metric)) if value is not None and self.unit(metric) in _SI_UNITS else value

    def value(self, point: Point, metric: str) -> Optional[float]:
        return self.metrics.value(point.number, metric)

    def total(self, point: Point, name: str) -> float:
        return self.metrics.value(point.number, name) or 0

    def section(self, point: Point, name: str) -> Any:
        rows = self.database.rows("SELECT json FROM sections JOIN results USING (result) JOIN points USING (key) "
                                  "WHERE point = ? AND sections.name = ?", (point.number, name))
        return json.loads(rows[0][0]) if rows else None

    def shown(self, parameter: str) -> str:
        """The short name of a parameter, which no other of the sweep has."""
        return self._short.get(parameter, parameter)

    def values(self, parameter: str) -> list[Value]:
        """Those with results; numbers and sizes by size, words in the order of the sweep."""
        values = list(dict.fromkeys(p.at(parameter) for p in self.done))
        numbers = {v: numeric(v) for v in values}
        if any(n is None for n in numbers.values()):
            return values
        return sorted(values, key=lambda v: float(numbers[v]))  # type: ignore[arg-type]

    def axis(self, parameter: str) -> tuple[dict[Value, float], list[tuple[float, str]]]:
        """The position of each value of a parameter: numbers where they are, words side by side; and a tick each."""
        values = self.values(parameter)
        numbers = [numeric(v) for v in values]
        at = {v: float(i) if None in numbers else float(n) for i, (v, n) in enumerate(zip(values, numbers))}  # type: ignore[arg-type]
        return at, [(x, str(v)) for v, x in at.items()]

    def has_words(self, parameter: str) -> bool:
        return any(numeric(v) is None for v in self.values(parameter))
