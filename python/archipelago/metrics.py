# SPDX-License-Identifier: Apache-2.0
"""Numbers of a point by name: `cycles`, those in which kernels had waves (`kernel.cycles`) or one of them had
(`kernel.saxpy.cycles`, the sum of its dispatches), a counter summed over units (`tcc.read_hits`), cycles of waves or memory
transactions by reason (`waves.barrier`, `memory.dram_queue`), or what the user's weights make of them (`energy`).

A weights file has metrics, and in each what one of something weighs:

    energy:
      valu_instructions: 12 pJ      # a counter of all kinds of unit that have it
      mc.bytes_read: 60 pJ          # of one kind; `cu` is se.sh.cu
      seconds: 20 W                 # of simulated time; also `cycles`
    area:
      cu: 5.2 mm2                   # each unit of a kind
      topology.cu_per_sh: 0.1 mm2   # a parameter of the sweep, if that is a number

A weight is 0 or more. Its unit is any word, of which a metric has one; J and W may have a prefix, from f to G.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence, Union

from archipelago.database import Database
from archipelago.yaml_file import Value, did_you_mean, load, natural

_PREFIXES = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_SIZES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_TIMES = {"waves": "wave_time", "memory": "memory_time"}  # views
_KERNELS = "kernel.cycles"
_HEAD = ("cycles", "sim_seconds", "wave_instructions")
_TERMS_OF_TIME = {"seconds": "sim_seconds", "cycles": "cycles"}  # of weights: columns


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
    terms: Value

    @property
    def needs_time(self) -> bool:
        return any(w.term in _TERMS_OF_TIME for w in self.weights)


def needs_time(name: str, weighted: Mapping[str, Metric]) -> bool:
    """Functional mode has no such metric."""
    metric = weighted.get(name)
    return metric.needs_time if metric else (name in _TERMS_OF_TIME.values() or name.rpartition(".")[0] in _TIMES
                                             or name == _KERNELS or _kernel(name) is not None)


def _kernel(name: str) -> Optional[str]:
    """The kernel of kernel.NAME.cycles."""
    found = re.fullmatch(r"kernel\.(.+)\.cycles", name)
    return found[1] if found else None


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
    if number is None:
        return None
    if unit in _SIZES:
        return number * _SIZES[unit]
    prefix = _PREFIXES.get(unit[:-len("Hz")]) if unit.endswith("Hz") else None
    return number * prefix if prefix else number


def base_unit(path: str, values: Sequence[Union[int, float, str, None]]) -> str:
    """The unit of `numeric` of a parameter's values: Hz, B, of a delay cycles or ns, else the one they are written with."""
    for value in values:
        unit = quantity(value)[1] if isinstance(value, str) else ""
        if unit:
            return "Hz" if unit.endswith("Hz") else "B" if unit in _SIZES else unit
    last = path.rpartition(".")[2]
    return last if last in ("cycles", "ns") else ""


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
        if name in _HEAD:
            document.diagnostics.error(terms.key, name, "is measured, expected another name for what the weights make")
        weights, units = [], set()
        for term, value in terms.map():
            number, unit = quantity(value.scalar())
            if number is None or not 0 <= number < math.inf:
                value.error(f'got "{value.source}", expected a number of at least 0 with a unit, as 12 pJ')
                continue
            factor, base = _si(unit)
            if term == "seconds" and base == "W":
                base = "J"
            units.add(base)
            weights.append(Weight(term, number * factor, value))
        if len(units) > 1:
            terms.error(f"adds {' and '.join(sorted(units))}, expected one unit")
        metrics.append(Metric(name, units.pop() if units else "", tuple(weights), terms))
    document.diagnostics.raise_if_any()
    return metrics


def _matches(kind: str, short: str) -> bool:
    return kind == short or kind.endswith("." + short)


class Metrics:
    def __init__(self, database: Database, weights: str = ""):
        self.database = database
        self.weighted = {m.name: m for m in read_weights(weights)} if weights else {}
        self._totals: dict[int, dict[tuple[str, str], tuple[int, int]]] = {}
        self._refuse_names_of_counters()

    def _refuse_names_of_counters(self) -> None:
        counters = self.database.rows("SELECT DISTINCT kind, name FROM counters") if self.weighted else []
        for metric in self.weighted.values():
            kind, _, counter = metric.name.rpartition(".")
            if kind in _TIMES or any(c == counter and (not kind or _matches(k, kind)) for k, c in counters):
                value = metric.terms
                value.diagnostics.error(value.key, metric.name, "is measured, expected another name for what the weights make")
        for metric in self.weighted.values():
            metric.terms.diagnostics.raise_if_any()

    def totals(self, point: int) -> dict[tuple[str, str], tuple[int, int]]:
        """(kind, counter) -> (sum, units)."""
        if point not in self._totals:
            rows = self.database.rows("SELECT kind, counter, value, units FROM totals WHERE point = ?", (point,))
            self._totals[point] = {(kind, counter): (value, units) for kind, counter, value, units in rows}
        return self._totals[point]

    def unit(self, name: str) -> str:
        """The unit of a metric's values; empty: they have none, or the metric is unknown."""
        if name in self.weighted:
            return self.weighted[name].unit
        if name == "sim_seconds":
            return "s"
        kind, _, counter = name.rpartition(".")
        if name == "cycles" or name == _KERNELS or _kernel(name) is not None or kind in _TIMES:
            return "cycles"
        if name == "wave_instructions":
            return "instructions"
        rows = self.database.rows("SELECT DISTINCT kind, measure FROM counters WHERE name = ?", (counter,))
        measures = {measure for k, measure in rows if not kind or _matches(k, kind)}
        return measures.pop() if len(measures) == 1 else ""

    def value(self, point: int, name: str) -> Optional[float]:
        """None when there is none of the name, the point has no result, or its mode has no time and the name is of that."""
        metric = self.weighted.get(name)
        if metric:
            values = [(w.factor, self._term(point, w)) for w in metric.weights]
            return None if any(v is None for _, v in values) else sum(factor * v for factor, v in values if v is not None)
        if name in _HEAD:
            return self.database.rows(f"SELECT {name} FROM runs WHERE point = ?", (point,))[0][0]
        kernel = _kernel(name)
        if name == _KERNELS or kernel is not None:
            return self._cycles_of_kernels(point, kernel)
        return self._counter(point, name)

    def counters(self) -> list[str]:
        """As `tcc.read_hits`: those of every point."""
        return sorted({f"{kind.rpartition('.')[2]}.{name}" for kind, name in self.database.rows("SELECT DISTINCT kind, name FROM counters")})

    def of_kernels(self) -> list[str]:
        """`kernel.cycles`, and the kernels by themselves where a point has several."""
        names = [name for name, in self.database.rows("SELECT DISTINCT kernel FROM kernel_totals ORDER BY kernel")]
        several = self.database.rows("SELECT 1 FROM kernel_totals GROUP BY point HAVING COUNT(DISTINCT kernel) > 1 LIMIT 1")
        return [*([_KERNELS] if names else []), *([f"kernel.{name}.cycles" for name in names] if several else [])]

    def _cycles_of_kernels(self, point: int, kernel: Optional[str]) -> Optional[float]:
        """None where there is none."""
        query, values = (("SELECT cycles FROM kernel_time WHERE point = ?", (point,)) if kernel is None else
                         ("SELECT SUM(cycles) FROM kernel_totals WHERE point = ? AND kernel = ?", (point, kernel)))
        rows = self.database.rows(query, values)
        return float(rows[0][0]) if rows and rows[0][0] is not None else None

    def _counter(self, point: int, name: str) -> Optional[float]:
        kind, _, counter = name.rpartition(".")
        if kind in _TIMES:
            rows = self.database.rows(f"SELECT cycles FROM {_TIMES[kind]} WHERE point = ? AND reason = ?", (point, counter))
            return float(rows[0][0]) if rows else None
        found = [v for (k, c), (v, _) in self.totals(point).items() if c == counter and (not kind or _matches(k, kind))]
        return float(sum(found)) if found else None

    def _term(self, point: int, weight: Weight) -> Optional[float]:
        """None: others have it, but not this point's chip or mode."""
        for find in (self._time, self._parameter, self._units, self._counter):
            value = find(point, weight.term)
            if value is not None:
                return value
        if self._is_known(weight.term, self._time(point, "cycles") is not None):
            return None
        weight.value.error("is no counter, kind of unit or parameter" + did_you_mean(weight.term, self.counters()))
        weight.value.diagnostics.raise_if_any()
        return 0.0

    def _is_known(self, term: str, has_time: bool) -> bool:
        """Some point of the database has it, or one with time would."""
        kind, _, counter = term.rpartition(".")
        if not has_time and (term in _TERMS_OF_TIME or kind in _TIMES):
            return True
        counters = self.database.rows("SELECT DISTINCT kind, name FROM counters")
        return term in self.database.parameter_names() or any(
            _matches(k, term) or c == counter and (not kind or _matches(k, kind)) for k, c in counters)

    def _time(self, point: int, term: str) -> Optional[float]:
        column = _TERMS_OF_TIME.get(term)
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

