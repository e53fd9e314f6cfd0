# SPDX-License-Identifier: Apache-2.0
"""Drawings as SVG text. Everything in them is text and shapes: a page needs no library and no network."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Iterable, Sequence

from archipelago.report.parts import Ceiling, Scatter, Series, Stacked, short, si

# Ten hues that stay apart for colour-blind readers; the page gives them to both themes.
COLOURS = tuple(f"var(--c{i})" for i in range(10))
WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 74, 12, 12, 46


class Axis:
    def __init__(self, values: Sequence[float], low: float, high: float, is_log: bool):
        self.is_log, self.low_px, self.high_px = is_log, low, high
        least, most = (min(values), max(values)) if values else (0.0, 1.0)
        self.least: float
        self.most: float
        if is_log:
            self.least, self.most = math.floor(math.log10(least)), math.ceil(math.log10(most))
            self.most += self.most == self.least
        else:
            # Values that differ by rounding alone are one value: ticks between them would be finer than a float can step.
            apart = most - least if most - least > 1e-9 * max(abs(least), abs(most)) else 0.0
            margin = apart * 0.06 or abs(most) * 0.06 or 1.0
            self.least, self.most = least - margin, most + margin

    def at(self, value: float) -> float:
        value = math.log10(value) if self.is_log else value
        return self.low_px + (value - self.least) / (self.most - self.least) * (self.high_px - self.low_px)

    def ticks(self) -> Iterable[tuple[float, str]]:
        if self.is_log:
            powers = max(1, math.ceil((self.most - self.least) / 6))
            for power in range(int(self.least), int(self.most) + 1, powers):
                yield 10.0**power, si(10.0**power)
            return
        rough = (self.most - self.least) / 5
        unit = 10.0**math.floor(math.log10(rough))
        step: float = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough)
        value = math.ceil(self.least / step) * step
        while value <= self.most:
            yield value, si(value) if abs(value) >= 1e5 or 0 < abs(value) < 1e-3 else f"{value:.6g}"
            value += step


def _text(x: float, y: float, text: str, anchor: str = "middle", extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{escape(text)}</text>'


def _frame(plot: Scatter, x: Axis, y: Axis) -> Iterable[str]:
    ticks: list[tuple[float, str]] = list(enumerate(plot.categories)) if plot.categories else list(x.ticks())  # type: ignore
    for value, label in ticks:
        px = x.at(value)
        yield f'<line class="grid" x1="{px:.1f}" x2="{px:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        yield _text(px, HEIGHT - BOTTOM + 16, label)
    for value, label in y.ticks():
        py = y.at(value)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{py:.1f}" y2="{py:.1f}"/>'
        yield _text(LEFT - 6, py + 4, label, "end")
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, plot.x_label, extra='class="label"')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield _text(14, middle, plot.y_label, extra=f'class="label" transform="rotate(-90 14 {middle:.1f})"')


def _ceiling(c: Ceiling, x: Axis, y: Axis, row: int) -> Iterable[str]:
    left, right = 10.0**x.least, 10.0**x.most
    limit = c.limit or math.inf
    if c.slope is None:
        points = [(left, limit), (right, limit)]
    else:
        ridge = limit / c.slope
        start = max(left, 10.0**y.least / c.slope)
        points = [(start, c.slope * start), (min(ridge, right), c.slope * min(ridge, right))]
        if points[0][0] >= points[1][0]:
            return
    path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in points)
    yield f'<polyline class="ceiling" points="{path}"><title>{escape(c.name)}</title></polyline>'
    if c.slope is None:
        yield _text(WIDTH - RIGHT - 4, y.at(limit) - 5, c.name, "end", 'class="ceiling-name"')
    else:
        # Side by side where the lines are close.
        share = 0.04 + 0.24 * row
        px, py = (axis.at(a) + share * (axis.at(b) - axis.at(a)) for axis, a, b in
                  ((x, points[0][0], points[1][0]), (y, points[0][1], points[1][1])))
        yield _text(px - 4, py - 4, c.name, "start", 'class="ceiling-name"')


def _series(series: Series, colour: str, x: Axis, y: Axis, named: bool) -> Iterable[str]:
    if series.joined and len(series.dots) > 1:
        path = " ".join(f"{x.at(d.x):.1f},{y.at(d.y):.1f}" for d in series.dots)
        yield f'<polyline class="line" style="stroke:{colour}" points="{path}"/>'
    radius = 2.5 if series.joined and len(series.dots) > 30 else 4
    for d in series.dots:
        marked = ' stroke="var(--ink)" stroke-width="1.5"' if d.marked else ""
        yield (f'<circle cx="{x.at(d.x):.1f}" cy="{y.at(d.y):.1f}" r="{radius}" style="fill:{colour}"{marked}>'
               f"<title>{escape(f'{d.label}: {short(d.x)}, {short(d.y)}')}</title></circle>")


def scatter(plot: Scatter) -> Drawing:
    dots = [d for s in plot.series for d in s.dots if not plot.is_log or d.x > 0 and d.y > 0]
    xs, ys = [d.x for d in dots], [d.y for d in dots]
    if plot.ceilings:
        limits = [c.limit for c in plot.ceilings if c.limit]
        ys += [max(limits) * 1.5]
        xs += [max(limits) / min(c.slope for c in plot.ceilings if c.slope) * 4]
    if plot.categories:
        xs += [-0.3, len(plot.categories) - 0.7]
    x, y = Axis(xs, LEFT, WIDTH - RIGHT, plot.is_log), Axis(ys, HEIGHT - BOTTOM, TOP, plot.is_log)
    out = list(_frame(plot, x, y))
    for row, c in enumerate(plot.ceilings):
        out += _ceiling(c, x, y, row)
    for i, s in enumerate(plot.series):
        out += _series(s, COLOURS[i % len(COLOURS)], x, y, bool(plot.ceilings) and len(dots) <= 6)
    return Drawing(plot.title, WIDTH, HEIGHT, "".join(out), [s.name for s in plot.series] if len(plot.series) > 1 else [])


@dataclass
class Drawing:
    title: str
    width: int
    height: int
    shapes: str
    names: Sequence[str]  # of the legend

    def in_page(self, kind: str = "") -> str:
        return (f'<svg{kind} viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{escape(self.title)}">{self.shapes}'
                f"</svg>{_legend(self.names) if self.names else ''}")

    def alone(self, style: str) -> str:
        """As a file of its own, title and legend inside."""
        keys, x, y = [], 10, self.height + 34
        for i, name in enumerate(self.names):
            width = 22 + 7 * len(name)
            if x + width > self.width:
                x, y = 10, y + 18
            keys.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" style="fill:{COLOURS[i % len(COLOURS)]}"/>'
                        + _text(x + 15, y, name, "start"))
            x += width
        title = _text(10, 17, self.title, "start", 'class="title"')
        height = y + 10 if self.names else self.height + 26
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" width="{self.width}" '
                f'height="{height}"><style>{style}</style><rect width="100%" height="100%" style="fill:var(--paper)"/>'
                f'{title}<g transform="translate(0 20)">{self.shapes}</g>{"".join(keys)}</svg>\n')


def _legend(names: Sequence[str]) -> str:
    keys = "".join(f'<span><i style="background:{COLOURS[i % len(COLOURS)]}"></i>{escape(n)}</span>'
                   for i, n in enumerate(names))
    return f'<div class="legend">{keys}</div>'


def stacked(plot: Stacked) -> Drawing:
    parts = [p for p in dict.fromkeys(p for _, bar in plot.bars for p in bar) if any(bar.get(p) for _, bar in plot.bars)]
    # Beyond ten hues the least are one.
    totals = {p: sum(bar.get(p, 0) for _, bar in plot.bars) for p in parts}
    shown = sorted(parts, key=lambda p: -totals[p])[:9] if len(parts) > 10 else parts
    shown = [p for p in parts if p in shown]
    names = shown + (["other"] if len(shown) < len(parts) else [])
    # The widest letter of a label takes some 7 units.
    left = max(210, 12 + 7 * max(len(label) for label, _ in plot.bars))
    width, row = left + 550, 22
    longest = 1.0 if plot.as_shares else max(sum(bar.values()) for _, bar in plot.bars) or 1.0
    out = []
    for i, (label, bar) in enumerate(plot.bars):
        whole = sum(bar.values()) or 1.0
        scale = (width - left - 70) / (whole if plot.as_shares else longest)
        at = float(left)
        out.append(_text(left - 6, i * row + 15, label, "end"))
        for n, name in enumerate(names):
            value = bar.get(name, 0) if name != "other" else sum(v for p, v in bar.items() if p not in shown)
            if value:
                said = f"{label}: {name} {short(value)} {plot.unit}, {100 * value / whole:.1f} %"
                out.append(f'<rect x="{at:.1f}" y="{i * row + 2}" width="{value * scale:.1f}" height="{row - 5}" '
                           f'style="fill:{COLOURS[n % len(COLOURS)]}"><title>{escape(said)}</title></rect>')
                at += value * scale
        out.append(_text(at + 5, i * row + 15, si(whole), "start"))
    height = len(plot.bars) * row + 4
    return Drawing(f"{plot.title}, {plot.unit}", width, height, "".join(out), names)
