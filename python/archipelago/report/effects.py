# SPDX-License-Identifier: Apache-2.0
"""Effects of parameters and of single changes: ratios to the baseline, a line per workload and per other parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from archipelago.report import matched
from archipelago.report.data import CHIPS_OWN, Point, ResultSet, Value
from archipelago.report.matched import Line, Matched
from archipelago.report.parts import Dot, HeatMap, Scatter, Section, Series, Table, Tornado, short

MOST_LINES = 8
MOST_TICKS = 16  # of swept values
MOST_CHANGES = 40


@dataclass
class Effect:
    """A parameter about one point: the line through it."""
    parameter: str
    line: Line


def timeless(results: ResultSet) -> list[str]:
    """A note on points without cycles."""
    count = sum(p.cycles is None for p in results.done)
    return [f"{count} of {len(results.done)} design points have no cycles: they ran in functional mode."] if count else []


def best(results: ResultSet, points: Sequence[Point], metric: str) -> Optional[Point]:
    """The first of the points with the least of the metric."""
    measured = [(value, p) for p in points if (value := results.value(p, metric))]
    return min(measured, key=lambda m: m[0])[1] if measured else None


def effects(results: ResultSet, points: list[Point], metric: str) -> list[Effect]:
    """Per parameter the line through the best point, else through the baseline, else the one of the largest spread; the
    largest effect first."""
    anchors = [best(results, points, metric), results.baseline(points, metric)]
    out = []
    for parameter in results.varying_parameters():
        found = [line for line in matched.lines(results, points, metric, parameter) if len(line.values) > 1]
        if found:
            through = (line for a in anchors for line in found if a in line.points)
            out.append(Effect(parameter, next(through, max(found, key=lambda line: line.spread))))
    return sorted(out, key=lambda e: -e.line.spread)


def sensitivity(results: ResultSet, names: list[str]) -> Optional[Section]:
    parameters = [n for n in results.varying_parameters() if not _is_single_change(results, n)]
    if not parameters:
        return None
    section = Section("What each parameter does", [*timeless(results)])
    rows: list[tuple] = []
    for name in names:
        found = {parameter: matched.compare(results, name, parameter) for parameter in parameters}
        of_metric = [_effect_row(results, name, group, parameter, of_group[group]) for parameter, of_group in found.items() for group in of_group]
        rows += sorted(of_metric, key=lambda r: (r[1], -(r[7] or 0)))
    header = ("metric", "of", "parameter", "best at", "value", "worst at", "value", "spread, %", "least spread, %", "matched sets", "unmatched")
    section.parts.append(_without("of", Table(header, rows, "Sets of design points that are equal in everything but the parameter. Spread: "
                                              "worst over best, of the set where it is largest, and of the one where it is least.")))
    for name in names:
        section.parts += heat_maps(results, name)
        section.parts += [plot for parameter in parameters for plot in _plots(results, name, parameter)]
    return section


def _is_single_change(results: ResultSet, parameter: str) -> bool:
    """Points of `list` alone set it, to one value: the section of single changes has it."""
    values = results.values(parameter)
    return any(map(results.is_as_it_is, results.done)) and len(values) == 2 and CHIPS_OWN in values


def _without(column: str, table: Table) -> Table:
    """Drops a column that is empty in all rows."""
    at = list(table.header).index(column)
    if any(row[at] not in ("", None) for row in table.rows):
        return table
    return Table([h for i, h in enumerate(table.header) if i != at], [[c for i, c in enumerate(row) if i != at] for row in table.rows],
                 table.caption, table.most)


def _effect_row(results: ResultSet, metric: str, group: str, parameter: str, found: Matched) -> tuple:
    if not found.lines:
        return metric, group, parameter, None, None, None, None, None, None, 0, found.left_out or f"no point has {metric}"
    ordered = sorted(found.lines, key=lambda line: line.spread)
    least, most = ordered[0], ordered[-1]
    low, high = (results.cell(metric, most.values[v]) for v in (most.best, most.worst))
    return (metric, group, parameter, str(most.best), low, str(most.worst), high,
            100 * (most.spread - 1), 100 * (least.spread - 1), len(found.lines), found.left_out)


def _ratios(results: ResultSet, metric: str) -> dict[int, float]:
    """Each point's metric as a ratio to that of its group's baseline, by number of the point."""
    out = {}
    for _, points in results.groups():
        base = results.baseline(points, metric)
        first = results.value(base, metric) if base else None
        for p in points if first else ():
            value = results.value(p, metric)
            if value is not None and first:
                out[p.number] = value / first
    return out


def _plots(results: ResultSet, metric: str, parameter: str) -> Iterator[Scatter]:
    ratios = _ratios(results, metric)
    if not ratios:
        return
    at, ticks = results.axis(parameter)
    has_words = results.has_words(parameter)
    chosen = _chosen_lines(results, metric, parameter)
    longest = max((len(line.points) for line, _ in chosen), default=0)
    is_sample = longest < 2 or len(ticks) > MOST_TICKS and longest < 3
    title = f"{metric} by {parameter}"

    def dot(p: Point) -> Dot:
        said = f"{p.at(parameter)}, {short(results.value(p, metric))}, {ratios[p.number]:.4g} of the baseline"
        return Dot(at[p.at(parameter)], ratios[p.number], p.label, said=said)

    if is_sample and not has_words:
        series = [Series(group or "points", [dot(p) for p in points if p.number in ratios]) for group, points in results.groups()]
        yield Scatter(title, parameter, _of_baseline(metric), [s for s in series if s.dots][:MOST_LINES], has_baseline=True)
        return
    names = _line_names(results, parameter, [line for line, _ in chosen])
    drawn = [Series(name, [dot(p) for p in line.points], True) for name, (line, _) in zip(names, chosen)]
    total = chosen[0][1] if chosen else 0
    if total > len(chosen):
        title += f", {len(chosen)} of {total} lines"
    yield Scatter(title, parameter, _of_baseline(metric), drawn, ticks=ticks if len(ticks) <= MOST_TICKS or has_words else (),
                  has_baseline=True)


def _of_baseline(metric: str) -> str:
    return f"{metric} / baseline"


def _chosen_lines(results: ResultSet, metric: str, parameter: str) -> list[tuple[Line, int]]:
    """At most MOST_LINES, of all groups in turn, those through the best point and the baseline first; and how many there are."""
    by_group = []
    for _, points in results.groups():
        anchors = (best(results, points, metric), results.baseline(points, metric))
        found = list(enumerate(matched.lines(results, points, metric, parameter)))
        by_group.append(sorted(found, key=lambda f: not any(a in f[1].points for a in anchors)))
    total = sum(map(len, by_group))
    turns = [(turn, group) for turn in range(max(map(len, by_group), default=0)) for group in range(len(by_group)) if turn < len(by_group[group])]
    kept = sorted(((group, *by_group[group][turn]) for turn, group in turns[:MOST_LINES]), key=lambda k: k[:2])
    return [(line, total) for _, _, line in kept]


def _line_names(results: ResultSet, parameter: str, found: Sequence[Line]) -> list[str]:
    """By group and by the other parameters that differ among them."""
    others = [n for n in results.varying_parameters() if n != parameter and len({line.points[0].at(n) for line in found}) > 1]
    several = len({results.group(line.points[0]) for line in found}) > 1
    seeds = len({line.points[0].seed for line in found}) > 1

    def name(p: Point) -> str:
        words = [results.group(p)] if several else []
        words += [f"{results.shown(n)} {p.at(n)}" if n not in results.compared else str(p.at(n)) for n in others]
        return ", ".join(words + ([f"seed {p.seed}"] if seeds else [])) or "points"

    return [name(line.points[0]) for line in found]


def heat_maps(results: ResultSet, metric: str) -> Iterator[HeatMap]:
    """A map per group: the two parameters with the largest effect, all others as in the best point."""
    for group, points in results.groups():
        ratios, top = _ratios(results, metric), best(results, points, metric)
        if top is None:
            continue
        pair = [e.parameter for e in effects(results, points, metric)][:2]
        if len(pair) < 2 or any(len(results.values(n)) > MOST_TICKS for n in pair):
            continue
        x, y = sorted(pair, key=lambda n: (-len(results.values(n)), pair.index(n)))
        cells = {(p.at(x), p.at(y)): ratios[p.number] for p in points if p.number in ratios and _alike(results, p, top, pair)}
        columns, rows = ([v for v in results.values(n) if any(key[i] == v for key in cells)] for i, n in enumerate((x, y)))
        if len(columns) > 1 and len(rows) > 1 and len(cells) > len(columns) + len(rows) - 1:
            rest = [f"{results.shown(n)} {top.at(n)}" for n in results.varying_parameters() if n not in pair]
            title = _of_baseline(metric) + (f" of {group}" if group else "") + (f", at {', '.join(rest)}" if rest else "")
            yield HeatMap(title, x, y, [str(v) for v in columns],
                          [str(v) for v in rows], [[cells.get((c, r)) for c in columns] for r in rows])


def _alike(results: ResultSet, p: Point, other: Point, pair: Sequence[str]) -> bool:
    return p.seed == other.seed and all(p.at(n) == other.at(n) for n in results.varying_parameters() if n not in pair)


def single_changes(results: ResultSet, names: list[str]) -> Optional[Section]:
    """Points of `list` against the one among them that is the chip as it is."""
    section = Section("Each change against the chip as it is")
    for group, points in results.groups():
        first = next((p for p in points if results.is_as_it_is(p)), None)
        if first is None or len(points) < 2:
            continue
        section.parts += _tornados(results, names, group, [p for p in points if p is not first], first)
        rows = []
        for p in points:
            row: list = [p.label]
            for name in names:
                value, base = results.value(p, name), results.value(first, name)
                row += [value, 100 * (value / base - 1) if value is not None and base and p is not first else None]
            rows.append(tuple(row))
        section.parts.append(Table((group or "point", *(text for n in names for text in (results.with_unit(n), "change, %"))), rows))
    return section if section.parts else None


def _tornados(results: ResultSet, names: list[str], group: str, points: list[Point], first: Point) -> Iterator[Tornado]:
    for name in names:
        base = results.value(first, name)
        if not base:
            continue
        bars = [(p.name, 100 * (value / base - 1)) for p in points if (value := results.value(p, name)) is not None]
        bars.sort(key=lambda bar: -abs(bar[1]))
        cut = f", the largest {MOST_CHANGES} of {len(bars)}" if len(bars) > MOST_CHANGES else ""
        if any(percent for _, percent in bars):
            yield Tornado(f"{name} against the chip as it is, %{f', {group}' if group else ''}{cut}", bars[:MOST_CHANGES])


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's: 1 when both rise together, -1 when one falls as the other rises."""
    def ranks(values: Sequence[float]) -> list[float]:
        ordered = sorted(values)
        return [(2 * ordered.index(v) + ordered.count(v) - 1) / 2 for v in values]

    x, y = ranks([a for a, _ in pairs]), ranks([b for _, b in pairs])
    middle = (len(pairs) - 1) / 2
    across = sum((a - middle) * (b - middle) for a, b in zip(x, y))
    along = sum((a - middle)**2 for a in x) * sum((b - middle)**2 for b in y)
    return across / along**0.5 if along else 0.0


def words_of(value: Value, parameter: str) -> str:
    return f"{value} ns" if parameter.endswith(".ns") else str(value)
