# SPDX-License-Identifier: Apache-2.0
"""Numbers of a point by name: `cycles`, a counter summed over units (`tcc.read_hits`), cycles of waves or memory
transactions by reason (`waves.barrier`, `memory.dram_queue`), or what the user's weights make of them (`energy`).

A weights file has metrics, and in each what one of something weighs:

    energy:
      valu_instructions: 12 pJ      # a counter of all kinds of unit that have it
      mc.bytes_read: 60 pJ          # of one kind; `cu` is se.sh.cu
      seconds: 20 W                 # of simulated time; also `cycles`
    area:
      cu: 5.2 mm2                   # each unit of a kind
      topology.cu_per_sh: 0.1 mm2   # a parameter of the sweep, if that is a number
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional, Union

from archipelago.database import Database
from archipelago.yaml_file import Value, did_you_mean, load, natural

_PREFIXES = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_TIMES = {"waves": "wave_time", "memory": "memory_time"}  # views
_HEAD = ("cycles", "sim_seconds", "wave_instructions")


@dataclass(frozen=True)
class Weight:
    term: str
    factor: float
    value: Value


@dataclass(frozen=True)
class Metric:
    name: str
    unit: str
    weights: tuple[Weight, ...]


def quantity(text: str) -> tuple[Optional[float], str]:
    """ "925 MHz" is 925 and "MHz"; None: no number."""
    found = re.fullmatch(r"\s*(\S+?)\s*([A-Za-z][A-Za-z0-9]*)?\s*", text)
    number = natural(found[1]) if found else ""
    return (None, "") if isinstance(number, str) else (float(number), found[2] or "")  # type: ignore[index]


def numeric(value: Union[int, float, str, None]) -> Optional[float]:
    """A parameter's value as a number: frequencies in Hz, sizes in bytes."""
    if value is None or isinstance(value, (int, float)):
        return value
    number, unit = quantity(value)
    sizes = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    if number is None:
        return None
    if unit in sizes:
        return number * sizes[unit]
    prefix = _PREFIXES.get(unit[:-len("Hz")]) if unit.endswith("Hz") else None
    return number * prefix if prefix else number


def _si(unit: str) -> tuple[float, str]:
    """pJ is 1e-12 and J."""
    for base in ("J", "W"):
        if unit.endswith(base) and unit[:-1] in _PREFIXES:
            return _PREFIXES[unit[:-1]], base
    return 1.0, unit


def read_weights(path: str) -> list[Metric]:
    document = load(path)
    metrics = []
    for name, terms in document.root.map():
        weights, units = [], set()
        for term, value in terms.map():
            number, unit = quantity(value.text())
            if number is None:
                value.error(f'got "{value.source}", expected a number with a unit, as 12 pJ')
                continue
            factor, base = _si(unit)
            if term == "seconds" and base == "W":
                base = "J"
            units.add(base)
            weights.append(Weight(term, number * factor, value))
        if len(units) > 1:
            terms.error(f"adds {' and '.join(sorted(units))}, expected one unit")
        metrics.append(Metric(name, units.pop() if units else "", tuple(weights)))
    document.diagnostics.raise_if_any()
    return metrics


def _matches(kind: str, short: str) -> bool:
    return kind == short or kind.endswith("." + short)


class Metrics:
    def __init__(self, database: Database, weights: str = ""):
        self.database = database
        self.weighted = {m.name: m for m in read_weights(weights)} if weights else {}
        self._totals: dict[int, dict[tuple[str, str], tuple[int, int]]] = {}

    def totals(self, point: int) -> dict[tuple[str, str], tuple[int, int]]:
        """(kind, counter) -> (sum, units)."""
        if point not in self._totals:
            rows = self.database.rows("SELECT kind, counter, value, units FROM totals WHERE point = ?", (point,))
            self._totals[point] = {(kind, counter): (value, units) for kind, counter, value, units in rows}
        return self._totals[point]

    def value(self, point: int, name: str) -> Optional[float]:
        """None when there is none of the name, or the point has no result."""
        metric = self.weighted.get(name)
        if metric:
            return sum(w.factor * self._term(point, w) for w in metric.weights)
        if name in _HEAD:
            return self.database.rows(f"SELECT {name} FROM runs WHERE point = ?", (point,))[0][0]
        return self._counter(point, name)

    def _counter(self, point: int, name: str) -> Optional[float]:
        kind, _, counter = name.rpartition(".")
        if kind in _TIMES:
            rows = self.database.rows(f"SELECT cycles FROM {_TIMES[kind]} WHERE point = ? AND reason = ?", (point, counter))
            return float(rows[0][0]) if rows else None
        found = [v for (k, c), (v, _) in self.totals(point).items() if c == counter and (not kind or _matches(k, kind))]
        return float(sum(found)) if found else None

    def _term(self, point: int, weight: Weight) -> float:
        for find in (self._time, self._parameter, self._units, self._counter):
            value = find(point, weight.term)
            if value is not None:
                return value
        known = sorted({k.rsplit(".", 1)[-1] + "." + c for k, c in self.totals(point)})
        weight.value.error("is no counter, kind of unit or parameter" + did_you_mean(weight.term, known))
        weight.value.diagnostics.raise_if_any()
        return 0.0

    def _time(self, point: int, term: str) -> Optional[float]:
        column = {"seconds": "sim_seconds", "cycles": "cycles"}.get(term)
        return self.database.rows(f"SELECT {column} FROM runs WHERE point = ?", (point,))[0][0] if column else None

    def _parameter(self, point: int, term: str) -> Optional[float]:
        found = self.database.rows("SELECT value FROM parameters WHERE point = ? AND name = ?", (point, term))
        return numeric(found[0][0]) if found else None

    def _units(self, point: int, term: str) -> Optional[float]:
        found = [units for (kind, _), (_, units) in self.totals(point).items() if _matches(kind, term)]
        return float(max(found)) if found else None

    @staticmethod
    def examples() -> tuple[str, ...]:
        return (*_HEAD, "tcc.read_hits")

