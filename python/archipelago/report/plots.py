# SPDX-License-Identifier: Apache-2.0
"""Plots of a report by matplotlib, as SVG whose texts stay texts and whose colours are those of the page's theme. Equal data
give equal files."""

from __future__ import annotations

import functools
import io
import math
import re
import textwrap
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from html import escape
from typing import Any, Iterable, Iterator, Sequence

from archipelago.errors import needs
from archipelago.report.parts import Ceiling, HeatMap, Plot, Scatter, Stacked, Tornado, short, si

WIDTH, HEIGHT = 400, 280     # of a plot that has others beside it, in px
WIDE, NARROW = 1180, 360     # of bars, on a screen and on a telephone
ROW, LINE, FONT = 22, 13, 10.5  # of bars: height, and of a line of text
HUES = 10
# Stand-ins, which become variables of the page's style: matplotlib knows no themes.
_COLOURS = {"ink": "#010101", "soft": "#020202", "line": "#030303", **{f"c{i}": f"#0a0a{i:02x}" for i in range(HUES)}}
_VARIABLES = {colour: f"var(--{name})" for name, colour in _COLOURS.items()}
_SVG = "{http://www.w3.org/2000/svg}"
_FAMILY = re.compile(r"(font: [^;]*?\d+(?:\.\d+)?px )[^;]*")


@dataclass
class Drawing:
    title: str
    width: float
    height: float
    shapes: str
    names: Sequence[str]  # of the legend

    def in_page(self, kind: str = "") -> str:
        return (f'<svg class="{kind}" viewBox="0 0 {self.width:g} {self.height:g}" style="max-width: {self.width:g}px" role="img" '
                f'aria-label="{escape(self.title)}">{self.shapes}</svg>')

    def legend(self) -> str:
        keys = "".join(f'<span><i style="background:var(--c{i % HUES})"></i>{escape(n)}</span>' for i, n in enumerate(self.names))
        return f'<div class="legend">{keys}</div>' if self.names else ""

    def alone(self, style: str) -> str:
        """As a file of its own, title and legend inside."""
        keys, x, y = [], 10.0, self.height + 14
        for i, name in enumerate(self.names):
            width = 28 + text_width(name)
            if x > 10 and x + width > self.width:
                x, y = 10.0, y + 18
            keys.append(f'<rect x="{x:.0f}" y="{y - 9:.0f}" width="10" height="10" style="fill:var(--c{i % HUES})"/>'
                        f'<text class="key" x="{x + 15:.0f}" y="{y:.0f}">{escape(name)}</text>')
            x += width
        titles = textwrap.wrap(self.title, int(self.width / 7.6))
        top = 4 + 16 * len(titles)
        title = "".join(f'<text class="title" x="10" y="{16 * (i + 1)}">{escape(t)}</text>' for i, t in enumerate(titles))
        height = top + (y + 8 if self.names else self.height + 6)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {height:g}" width="{self.width:g}" '
                f'height="{height:g}"><style>{style}</style><rect width="100%" height="100%" style="fill:var(--paper)"/>'
                f'{title}<g transform="translate(0 {top})">{self.shapes}{"".join(keys)}</g></svg>\n')


def drawing(plot: Plot, is_narrow: bool = False) -> Drawing:
    with _settings():
        if isinstance(plot, Scatter):
            return _scatter(plot)
        if isinstance(plot, HeatMap):
            return _heat_map(plot)
        width = NARROW if is_narrow else WIDE
        return _tornado(plot, width) if isinstance(plot, Tornado) else _stacked(plot, width)


def is_wide(plot: Plot) -> bool:
    """Bars have a row of the page for themselves, and two drawings."""
    return isinstance(plot, (Stacked, Tornado))


@functools.lru_cache(maxsize=None)
def _matplotlib() -> Any:
    matplotlib = needs("matplotlib", "a page or a picture")
    for module in ("figure", "backends.backend_svg", "patches", "textpath", "font_manager", "ticker", "cm"):
        needs(f"matplotlib.{module}", "a page or a picture")
    return matplotlib


def _settings() -> Any:
    ink, soft, line = (_COLOURS[name] for name in ("ink", "soft", "line"))
    return _matplotlib().rc_context({
        "svg.fonttype": "none", "svg.hashsalt": "archipelago", "path.simplify": False, "font.family": "DejaVu Sans", "font.size": FONT,
        "axes.edgecolor": line, "axes.labelcolor": ink, "axes.grid": True, "axes.axisbelow": True, "grid.color": line, "text.color": soft,
        "grid.linewidth": 0.8, "xtick.color": soft, "ytick.color": soft, "xtick.labelsize": FONT, "ytick.labelsize": FONT,
        "axes.labelsize": FONT, "axes.titlesize": FONT, "axes.titlelocation": "left", "axes.titlecolor": ink, "axes.titleweight": "normal",
        "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 72, "axes.unicode_minus": True,
        "xtick.major.size": 3, "ytick.major.size": 0, "text.parse_math": False})


@functools.lru_cache(maxsize=4096)
def text_width(text: str, size: float = FONT) -> float:
    font = _matplotlib().font_manager.FontProperties(family="DejaVu Sans", size=size)
    return float(_matplotlib().textpath.text_to_path.get_text_width_height_descent(text, font, False)[0])


def _figure(width: float, height: float, **options: Any) -> tuple[Any, Any]:
    figure = _matplotlib().figure.Figure(figsize=(width / 72, height / 72), **options)
    _matplotlib().backends.backend_svg.FigureCanvasSVG(figure)
    return figure, figure.add_subplot()


class _Titles:
    """Texts that a browser shows at each mark, by the group that matplotlib makes for an artist."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {}

    def of(self, artist: Any, texts: Iterable[str]) -> None:
        name = f"marks{len(self.texts)}"
        artist.set_gid(name)
        self.texts[name] = list(texts)


def _finish(figure: Any, title: str, names: Sequence[str], titles: _Titles) -> Drawing:
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    for artist in figure.findobj():
        artist.set_clip_on(False)  # all marks are inside, and clip paths would be url(...) in the page
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = xml.fromstring(text.getvalue())
    width, height = (float(v) for v in root.get("viewBox", "").split()[2:])
    for group in root.iter(f"{_SVG}g"):
        marks = titles.texts.get(group.get("id", ""))
        if marks is not None:
            _name_marks(group, marks)
    used = _references(root)
    for element in root.iter():
        _shorten(element, used)
    for style in root.findall(f"{_SVG}metadata") + root.findall(f"{_SVG}defs/{_SVG}style/.."):
        root.remove(style)
    shapes = "".join(xml.tostring(child, "unicode") for child in root)
    shapes = re.sub(r' xmlns(:\w+)?="[^"]*"', "", shapes.replace("ns0:", "").replace("ns1:href", "href").replace("xlink:href", "href"))
    shapes = re.sub(r">\s+<", "><", _FAMILY.sub(r"\1'DejaVu Sans', Verdana, sans-serif", shapes))
    for colour, variable in _VARIABLES.items():
        shapes = shapes.replace(colour, variable)
    return Drawing(title, width, height, shapes, names)


def _shorten(element: xml.Element, used: set[str]) -> None:
    """Without what has no effect: names nobody uses, hundredths of a px."""
    if f"#{element.get('id')}" not in used:
        element.attrib.pop("id", None)
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    for name in element.attrib.keys() & {"d", "x", "y", "cx", "cy", "transform"}:
        element.set(name, re.sub(r"\.(\d\d)\d+", r".\1", element.attrib[name].strip()))


def _references(root: xml.Element) -> set[str]:
    return {value for element in root.iter() for key, value in element.items() if key.endswith("href")}


def _name_marks(group: xml.Element, texts: Sequence[str]) -> None:
    """A title in each mark; dots, which are uses of one shape, become circles."""
    marks = [(parent, child) for parent in group.iter() for child in parent if child.tag in (f"{_SVG}use", f"{_SVG}path")
             and parent.tag != f"{_SVG}defs"]
    for (parent, mark), text in zip(marks, texts):
        if mark.tag == f"{_SVG}use":
            style = mark.get("style", "")
            circle = xml.Element(f"{_SVG}circle", cx=mark.get("x", ""), cy=mark.get("y", ""), r="3.5", style=style)
            if _COLOURS["ink"] in style:
                circle.set("class", "marked")
            parent[list(parent).index(mark)] = circle
            mark = circle
        xml.SubElement(mark, f"{_SVG}title").text = text
    for parent in group.iter():
        for defs in parent.findall(f"{_SVG}defs"):
            parent.remove(defs)


def _hue(i: int) -> str:
    return _COLOURS[f"c{i % HUES}"]


# --- dots and lines


def _scatter(plot: Scatter) -> Drawing:
    figure, axes = _figure(WIDTH, HEIGHT, layout="constrained")
    titles = _Titles()
    if plot.is_log:
        axes.set_xscale("log")
        axes.set_yscale("log")
    at = _x_axis(plot, axes)
    if plot.has_baseline:
        axes.axhline(1, color=_COLOURS["soft"], linewidth=1, linestyle=(0, (4, 3)))
    for i, series in enumerate(plot.series):
        dots = [d for d in series.dots if not plot.is_log or d.x > 0 and d.y > 0]
        if not dots:
            continue
        xs, ys = [at(d.x) for d in dots], [d.y for d in dots]
        if series.joined and len(dots) > 1:
            axes.plot(xs, ys, color=_hue(i), linewidth=1.8)
        edges = [_COLOURS["ink"] if d.marked else "none" for d in dots]
        titles.of(axes.scatter(xs, ys, s=49 if len(dots) <= 30 else 16, c=_hue(i), edgecolors=edges, linewidths=1.5, zorder=3),
                  (f"{d.label}: {d.said or f'{short(d.x)}, {short(d.y)}'}" for d in dots))
    names = [s.name for s in plot.series] if len(plot.series) > 1 or plot.ceilings else []
    for i, ceiling in enumerate(plot.ceilings, len(plot.series)):
        names.append(ceiling.name)
        _ceiling(ceiling, plot, axes, _hue(i), _DASHES[i % len(_DASHES)])
    _y_axis(plot, axes)
    axes.set_xlabel(_axis_label(plot.x_label, axes), color=_COLOURS["ink"])
    axes.set_title("\n".join(textwrap.wrap(plot.y_label, 58)))
    return _finish(figure, plot.title, names, titles)


def _y_axis(plot: Scatter, axes: Any) -> None:
    if not plot.is_log:
        # Values that differ by rounding alone are one value.
        values = [d.y for s in plot.series for d in s.dots] + ([1.0] if plot.has_baseline else [])
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        margin = high - low if high - low > 1e-9 * max(abs(low), abs(high)) else abs(high) or 1.0
        margin = max(margin, 0.02 if plot.has_baseline else 0)
        axes.set_ylim(low - 0.06 * margin, high + 0.06 * margin)
        axes.yaxis.set_major_locator(_matplotlib().ticker.MaxNLocator(6))
    _round_ticks(axes.yaxis, [d.y for s in plot.series for d in s.dots])


def _axis_label(text: str, axes: Any) -> str:
    """In lines that are shorter than the axis, of which slanted labels of ticks take a part."""
    is_slanted = any(label.get_rotation() for label in axes.get_xticklabels())
    return "\n".join(textwrap.wrap(text, 30 if is_slanted else 44))


def _round_ticks(axis: Any, values: Sequence[float]) -> None:
    """With prefixes where the values have many digits; one way for all ticks."""
    ticker, most = _matplotlib().ticker, max((abs(v) for v in values), default=1.0)
    has_prefix = most >= 1e4 or most < 0.1
    axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: si(v) if has_prefix else f"{v:.6g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def _x_axis(plot: Scatter, axes: Any) -> Any:
    """Ticks at the values of the parameter: in proportion, by powers, or one beside the other; the first of these whose labels keep
    apart. Returns the position of a value."""
    ticker = _matplotlib().ticker
    if not plot.ticks:
        _round_ticks(axes.xaxis, [d.x for s in plot.series for d in s.dots])
        if not plot.is_log:
            axes.xaxis.set_major_locator(ticker.MaxNLocator(6))
        return lambda x: x
    values, labels = [x for x, _ in plot.ticks], [label for _, label in plot.ticks]
    scales = [lambda x: x] + ([math.log2] if min(values) > 0 else []) + [lambda x: float(values.index(x))]
    if min(values) > 0 and max(values) / min(values) > 8:
        scales = scales[1:]
    at = next((s for s in scales if _fit([s(v) for v in values], labels)), scales[-1])
    positions = [at(v) for v in values]
    span = (max(positions) - min(positions)) or 1.0
    axes.set_xlim(min(positions) - 0.06 * span, max(positions) + 0.06 * span)
    fits = _fit(positions, labels)
    shown = labels if fits else ["\n".join(textwrap.wrap(label, 24)) for label in labels]
    axes.set_xticks(positions, shown, rotation=0 if fits else 35, ha="center" if fits else "right",
                    rotation_mode="anchor")
    return at


def _fit(positions: Sequence[float], labels: Sequence[str]) -> bool:
    """True: labels side by side keep apart on an axis of 290 px between the first and the last."""
    span = (max(positions) - min(positions)) or 1.0
    middles = [(p - min(positions)) / span * 290 for p in positions]
    halves = [text_width(label) / 2 for label in labels]
    return all(b - a >= left + right + 6 for a, b, left, right in zip(middles, middles[1:], halves, halves[1:]))


_DASHES = ((0, (6, 2)), (0, (2, 2)), (0, (6, 2, 1, 2)))


def _ceiling(ceiling: Ceiling, plot: Scatter, axes: Any, colour: str, dashes: Any) -> None:
    """Drawn as far as it bounds: a slope up to the highest peak, a peak from where the steepest slope meets it."""
    slopes = [c.slope for c in plot.ceilings if c.slope]
    limits = [c.limit for c in plot.ceilings if c.limit]
    dots = [d for s in plot.series for d in s.dots if d.x > 0 and d.y > 0]
    left = min([d.x for d in dots] + [min(limits) / max(slopes)]) / 4
    right = max([d.x for d in dots] + [max(limits) / min(slopes)]) * 4
    limit = ceiling.limit or max(limits)
    if ceiling.slope:
        ends = [(left, left * ceiling.slope), (limit / ceiling.slope, limit)]
    else:
        ends = [(max(left, limit / max(slopes)), limit), (right, limit)]
    axes.plot(*zip(*ends), color=colour, linewidth=1.5, linestyle=dashes)
    axes.set_xlim(left, right)


# --- a value per pair of values


def _heat_map(plot: HeatMap) -> Drawing:
    labels = max(text_width(label) for label in plot.rows)
    is_flat = all(text_width(c) + 6 < (WIDTH - labels - 20) / len(plot.columns) for c in plot.columns)
    figure, axes = _figure(WIDTH, max(150, 70 + 26 * len(plot.rows)) + (0 if is_flat else 40), layout="constrained")
    axes.grid(False)
    values = [v for row in plot.cells for v in row if v is not None]
    least, most = min(values), max(values)
    titles, patches = _Titles(), _matplotlib().patches
    colours = _matplotlib().cm.get_cmap("viridis_r")
    for y, row in enumerate(plot.cells):
        for x, value in enumerate(row):
            share = 0.5 if value is None or most == least else (value - least) / (most - least)
            colour = "none" if value is None else colours(0.05 + 0.9 * share)
            cell = axes.add_patch(patches.Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=colour, linewidth=0))
            said = "no result" if value is None else f"{value:.4g} of the baseline"
            titles.of(cell, [f"{plot.x_label} {plot.columns[x]}, {plot.y_label} {plot.rows[y]}: {said}"])
            text = "–" if value is None else f"{value:.2f}"
            if text_width(text) + 4 < (WIDTH - labels - 20) / len(plot.columns):
                axes.text(x, y, text, ha="center", va="center", color=_COLOURS["soft"] if value is None else _on(colour))
    axes.set_xlim(-0.5, len(plot.columns) - 0.5)
    axes.set_ylim(len(plot.rows) - 0.5, -0.5)
    axes.set_xticks(range(len(plot.columns)), plot.columns, rotation=0 if is_flat else 35, ha="center" if is_flat else "right",
                    rotation_mode="anchor")
    axes.set_yticks(range(len(plot.rows)), plot.rows)
    axes.set_xlabel(_axis_label(plot.x_label, axes))
    axes.set_title("\n".join(textwrap.wrap(plot.y_label, 58)))
    return _finish(figure, plot.title, [], titles)


def _on(colour: Sequence[float]) -> str:
    """Black or white, whichever can be read on it."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055)**2.4 for c in colour[:3])
    return "#000000" if 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 else "#ffffff"


# --- bars


@dataclass
class _Rows:
    """Labels of bars: to the left where there is room, else above. `left` and `right` bound the bars, in px."""
    labels: list[list[str]]
    is_above: bool
    left: float
    right: float

    def height(self, i: int) -> float:
        lines = LINE * len(self.labels[i])
        return lines + ROW if self.is_above else max(ROW, lines + 6)

    def layout(self) -> Iterator[tuple[list[str], float, float]]:
        """Per row: the lines of its label, its top and the middle of its bar."""
        top = 0.0
        for i, label in enumerate(self.labels):
            height = self.height(i)
            yield label, top, top + (height - ROW / 2 if self.is_above else height / 2)
            top += height

    @property
    def total(self) -> float:
        return sum(map(self.height, range(len(self.labels)))) or ROW


def _rows(labels: Sequence[str], width: float, value_width: float) -> _Rows:
    is_above = width <= NARROW
    letters = int((width if is_above else width * 0.4) / 6.4)
    wrapped = [textwrap.wrap(label, letters) or [""] for label in labels]
    left = 2.0 if is_above else max(text_width(line) for lines in wrapped for line in lines) + 10
    return _Rows(wrapped, is_above, left, width - value_width - 8)


def _bars_figure(rows: _Rows, width: float, below: float = 0) -> tuple[Any, Any]:
    """Axes whose units are px, y from the top."""
    height = rows.total + below + 4
    figure, axes = _figure(width, height)
    axes.set_position((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    for lines, top, middle in rows.layout():
        for i, line in enumerate(lines):
            if rows.is_above:
                axes.text(0, top + LINE * (i + 1) - 2, line, ha="left", va="baseline")
            else:
                axes.text(rows.left - 8, middle + 4 + LINE * (i - (len(lines) - 1) / 2), line, ha="right", va="baseline")
    return figure, axes


def _stacked(plot: Stacked, width: float) -> Drawing:
    names, of = _parts(plot)
    wholes = [sum(bar.values()) for _, bar in plot.bars]
    rows = _rows([label for label, _ in plot.bars], width, max(text_width(si(w)) for w in wholes))
    figure, axes = _bars_figure(rows, width)
    longest = max(wholes) or 1.0
    titles = _Titles()
    for (label, bar), whole, (_, _, middle) in zip(plot.bars, wholes, rows.layout()):
        scale = (rows.right - rows.left) / ((whole or 1.0) if plot.as_shares else longest)
        at = rows.left
        for n, name in enumerate(names):
            value = sum(v for part, v in bar.items() if of[part] == name)
            if value:
                part = axes.add_patch(_matplotlib().patches.Rectangle((at, middle - 8), value * scale, 16, facecolor=_hue(n), linewidth=0))
                titles.of(part, [f"{label}: {name} {short(value)} {plot.unit}, {100 * value / whole:.1f} %"])
                at += value * scale
        axes.text(at + 5, middle + 4, si(whole), ha="left", va="baseline")
    return _finish(figure, f"{plot.title}, {plot.unit}", names, titles)


def _parts(plot: Stacked) -> tuple[list[str], dict[str, str]]:
    """Names of the colours, and the one of each part: beyond ten the least are one."""
    parts = [p for p in dict.fromkeys(p for _, bar in plot.bars for p in bar)]
    totals = {p: sum(bar.get(p, 0) for _, bar in plot.bars) for p in parts}
    seen = [p for p in parts if totals[p]]
    kept = sorted(seen, key=lambda p: -totals[p])[:HUES - 1] if len(seen) > HUES else seen
    names = [p for p in seen if p in kept] + (["other"] if len(kept) < len(seen) else [])
    return names, {p: p if p in kept else "other" for p in parts}


def _tornado(plot: Tornado, width: float) -> Drawing:
    said = [f"{percent:+.{1 if abs(percent) < 99.95 else 0}f} %".replace("-", "−") for _, percent in plot.bars]
    room = max(map(text_width, said)) + 6
    rows = _rows([label for label, _ in plot.bars], width, room)
    figure, axes = _bars_figure(rows, width)
    low, high = (f(0.0, *(percent for _, percent in plot.bars)) for f in (min, max))
    # Texts stand at the ends of the bars: to the left those of fewer, too.
    left = rows.left + (room if low < 0 else 0)
    scale = (rows.right - left) / ((high - low) or 1.0)
    zero, titles = left - low * scale, _Titles()
    for (label, percent), text, (_, _, middle) in zip(plot.bars, said, rows.layout()):
        bar = _matplotlib().patches.Rectangle((zero + min(0, percent) * scale, middle - 8), abs(percent) * scale, 16, linewidth=0,
                                              facecolor=_hue(4 if percent < 0 else 2))
        titles.of(axes.add_patch(bar), [f"{label}: {text}"])
        axes.text(zero + percent * scale + (-5 if percent < 0 else 5), middle + 4, text, ha="right" if percent < 0 else "left", va="baseline")
        axes.plot([zero, zero], [middle - ROW / 2, middle + ROW / 2], color=_COLOURS["soft"], linewidth=1)
    return _finish(figure, plot.title, [], titles)
