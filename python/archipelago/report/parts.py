# SPDX-License-Identifier: Apache-2.0
"""What a report is made of. html.py and text.py each show all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Sequence, Union

Cell = Union[str, int, float, None]


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
    categories: Sequence[str] = ()  # x counts these, from 0


@dataclass
class Stacked:
    """Bars of parts; `unit` of the whole."""
    title: str
    unit: str
    bars: Sequence[tuple[str, dict[str, float]]]
    as_shares: bool = True


@dataclass
class Section:
    title: str
    parts: list[Union[str, Table, Scatter, Stacked]] = field(default_factory=list)


@dataclass
class Report:
    title: str
    subtitle: str
    sections: list[Section] = field(default_factory=list)


def short(value: Cell) -> str:
    """A number as a person writes it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) or float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", " ") if abs(value) >= 10000 else str(int(value))
    return f"{value:.4g}" if abs(value) < 10000 or abs(value) >= 1e15 else f"{value:,.0f}".replace(",", " ")


def si(value: float, unit: str = "") -> str:
    """With a prefix: 2.64e11 is 264 G."""
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"),
                           (1e-9, "n"), (1e-12, "p")):
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}".rstrip()
    return f"0 {unit}".rstrip()
