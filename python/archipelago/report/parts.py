# SPDX-License-Identifier: Apache-2.0
"""The parts of a report. html.py and text.py each show all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Sequence, Union


@dataclass(frozen=True)
class Quantity:
    """A number that is shown with the SI prefix of its unit."""
    value: float
    unit: str


Cell = Union[str, int, float, Quantity, None]


@dataclass
class Table:
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    most: int = 0  # rows on a terminal; 0: all


@dataclass
class Dot:
    x: float
    y: float
    label: str
    marked: bool = False
    said: str = ""  # of its values; empty: x and y


@dataclass
class Series:
    name: str
    dots: Sequence[Dot]
    joined: bool = False


@dataclass
class Ceiling:
    """y = min(limit, slope * x) of a roofline, as far as each is given."""
    name: str
    slope: Optional[float] = None
    limit: Optional[float] = None


@dataclass
class Scatter:
    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    is_log: bool = False
    ceilings: Sequence[Ceiling] = ()
    ticks: Sequence[tuple[float, str]] = ()  # of x, in order; none: round numbers
    has_baseline: bool = False               # y is a ratio, 1 of the baseline


@dataclass
class HeatMap:
    """A ratio to the baseline per pair of values; None: no result."""
    title: str
    x_label: str
    y_label: str
    columns: Sequence[str]
    rows: Sequence[str]
    cells: Sequence[Sequence[Optional[float]]]  # row by row


@dataclass
class Tornado:
    """Single changes in percent of the baseline, the largest first."""
    title: str
    bars: Sequence[tuple[str, float]]


@dataclass
class Stacked:
    """Bars of parts; `unit` of the whole."""
    title: str
    unit: str
    bars: Sequence[tuple[str, dict[str, float]]]
    as_shares: bool = True


Plot = Union[Scatter, HeatMap, Tornado, Stacked]
PLOTS = (Scatter, HeatMap, Tornado, Stacked)


@dataclass
class Section:
    title: str
    parts: list[Union[str, Table, Plot]] = field(default_factory=list)


@dataclass
class Report:
    title: str
    subtitle: str
    sections: list[Section] = field(default_factory=list)
    question: str = ""
    answer: list[str] = field(default_factory=list)  # a paragraph per workload, chip and mode that are not compared


def short(value: Cell) -> str:
    """A number as a person writes it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Quantity):
        return si(value.value, value.unit)
    if isinstance(value, int) or float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", " ") if abs(value) >= 10000 else str(int(value))
    return f"{value:.4g}" if abs(value) < 10000 or abs(value) >= 1e15 else f"{value:,.0f}".replace(",", " ")


_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"),
             (1e-12, "p"))


def si(value: float, unit: str = "") -> str:
    """With a prefix: 2.64e11 is 264 G."""
    for factor, prefix in _PREFIXES:
        if abs(float(f"{value:.3g}")) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}".rstrip()
    return f"0 {unit}".rstrip()
