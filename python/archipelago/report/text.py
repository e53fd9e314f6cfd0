# SPDX-License-Identifier: Apache-2.0
"""A report on a terminal."""

from __future__ import annotations

from typing import Iterator

from archipelago.report.parts import HeatMap, Report, Scatter, Stacked, Table, Tornado, short

_LEVELS = "▁▂▃▄▅▆▇█"
_MOST_ROWS = 60


def _columns(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip()


def _table(table: Table) -> Iterator[str]:
    if table.caption:
        yield f"  ({table.caption})"
    shown = table.rows[:table.most or _MOST_ROWS]
    yield from _columns([list(table.header), *([" ".join(short(c).split()) for c in row] for row in shown)])
    if len(shown) < len(table.rows):
        yield f"  … {len(table.rows) - len(shown)} more"


def _scatter(plot: Scatter) -> Iterator[str]:
    yield f"  {plot.title}"
    for ceiling in plot.ceilings:
        yield f"    ceiling {ceiling.name}"
    for series in plot.series:
        if not series.joined or len(series.dots) < 2:
            continue
        low, high = min(d.y for d in series.dots), max(d.y for d in series.dots)
        step = max(1, len(series.dots) // 60)
        bars = "".join(_LEVELS[int((d.y - low) / ((high - low) or 1) * 7)] for d in list(series.dots)[::step])
        first, last = series.dots[0], series.dots[-1]
        names = dict(plot.ticks)
        ends = [names.get(d.x, short(d.x)) for d in (first, last)]
        yield f"    {series.name}: {bars}  {short(low)} to {short(high)} {plot.y_label}, from {ends[0]} to {ends[1]}"


def _stacked(plot: Stacked) -> Iterator[str]:
    yield f"  {plot.title}"
    for label, bar in plot.bars:
        whole = sum(bar.values()) or 1
        parts = sorted(((v, p) for p, v in bar.items() if v), reverse=True)
        said = ", ".join(f"{p} {100 * v / whole:.1f} %" for v, p in parts[:6])
        yield f"    {label}: {short(whole if plot.as_shares else round(whole, 1))} {plot.unit}: {said}"


def _heat_map(plot: HeatMap) -> Iterator[str]:
    yield f"  {plot.title}"
    head = [f"{plot.y_label} \\ {plot.x_label}", *plot.columns]
    for line in _columns([head, *([name, *(short(v) for v in row)] for name, row in zip(plot.rows, plot.cells))]):
        yield f"  {line}"


def _tornado(plot: Tornado) -> Iterator[str]:
    yield f"  {plot.title}"
    for line in _columns([[label, f"{percent:+.1f} %"] for label, percent in plot.bars]):
        yield f"  {line}"


def _part(part: object) -> Iterator[str]:
    if isinstance(part, Table):
        yield from _table(part)
    elif isinstance(part, Scatter):
        yield from _scatter(part)
    elif isinstance(part, HeatMap):
        yield from _heat_map(part)
    elif isinstance(part, Tornado):
        yield from _tornado(part)
    elif isinstance(part, Stacked):
        yield from _stacked(part)
    else:
        yield f"  {part}"


def lines(report: Report) -> Iterator[str]:
    yield report.title
    yield from filter(None, (report.question, *report.answer))
    yield report.subtitle
    for section in report.sections:
        yield ""
        yield section.title
        for part in section.parts:
            yield from _part(part)
