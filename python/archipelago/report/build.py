# SPDX-License-Identifier: Apache-2.0
"""The report of a set of results, section by section. A section without data is left out."""

from __future__ import annotations

from collections import defaultdict
from typing import Iterable, Iterator, Optional

from archipelago.report import matched
from archipelago.report.data import Point, ResultSet, grouped
from archipelago.report.matched import Matched
from archipelago.report.parts import Ceiling, Dot, Report, Scatter, Section, Series, Stacked, Table, si

MOST_BARS = 40
MOST_LINES = 6


def build(results: ResultSet, metrics: Iterable[str] = ()) -> Report:
    names = [*results.metric_names(), *metrics]
    versions = sorted({v for v, in results.database.rows("SELECT DISTINCT version FROM runs WHERE version IS NOT NULL")})
    report = Report(results.name, f"{len(results.points)} design points, {len(results.done)} with results; {', '.join(versions)}")
    # Cycles of kernels and of the run are one goal.
    goals = [names[0], *results.metrics.weighted, *metrics]
    makers = (overview, single_changes, sensitivity, pareto, roofline, cycles, memory_time, occupancy, caches, bandwidth, table, troubles)
    for make in makers:
        section = make(results, goals if make is pareto else names)
        if section and section.parts:
            report.sections.append(section)
    return report


def _best(results: ResultSet, most: int) -> list[Point]:
    """All points, or those of fewest and most cycles and some between."""
    ordered = sorted((p for p in results.done if p.cycles is not None), key=lambda p: p.cycles or 0)
    if len(ordered) <= most:
        return sorted(ordered, key=lambda p: p.number)
    return [ordered[round(i * (len(ordered) - 1) / (most - 1))] for i in range(most)]


def _chosen(results: ResultSet, most: int) -> str:
    return f"{most} of {len(results.done)} points, from the fewest cycles to the most" if len(results.done) > most else ""


def overview(results: ResultSet, names: list[str]) -> Section:
    rows = []
    for name in names:
        values = [(v, p) for p in results.done if (v := results.value(p, name)) is not None]
        if values:
            low, high = min(values, key=lambda v: v[0]), max(values, key=lambda v: v[0])
            rows.append((results.with_unit(name), low[0], low[1].label, high[0], high[1].label))
    header = ("metric", "least", "at", "most", "at")
    return Section("Overview", [*_timeless(results), *_outside(results), *([Table(header, rows)] if rows else [])])


def _outside(results: ResultSet) -> list[str]:
    """How much of the runs the cycles of their kernels are."""
    shares = [100 * (1 - kernels / p.cycles) for p in results.done
              if p.cycles and (kernels := results.value(p, "kernel.cycles")) is not None]
    if not shares:
        return []
    part = f"{min(shares):.1f} %" if len(shares) == 1 else f"{min(shares):.1f} to {max(shares):.1f} %"
    return [f"kernel.cycles: kernel cycles, in which a kernel had waves. cycles: the whole run, of which {part} lie outside kernels."]


def single_changes(results: ResultSet, names: list[str]) -> Optional[Section]:
    """Points of `list` against the one among them that is the chip as it is."""
    section = Section("Each change against the chip as it is")
    for group, points in _groups(results):
        first = next((p for p in points if results.is_as_it_is(p)), None)
        if first is None or len(points) < 2:
            continue
        rows = []
        for p in points:
            row: list = [p.label]
            for name in names:
                value, base = results.value(p, name), results.value(first, name)
                row += [value, 100 * (value / base - 1) if value is not None and base and p is not first else None]
            rows.append(tuple(row))
        section.parts.append(Table((group or "point", *(text for n in names for text in (results.with_unit(n), "change, %"))), rows))
    return section if section.parts else None


def _groups(results: ResultSet) -> Iterator[tuple[str, list[Point]]]:
    """Points of one workload, chip and mode."""
    found = defaultdict(list)
    for p in results.done:
        found[", ".join(results.named(p, f) for f in results.varying if f != "seed")].append(p)
    yield from sorted(found.items())


def sensitivity(results: ResultSet, names: list[str]) -> Optional[Section]:
    parameters = results.varying_parameters()
    if not parameters:
        return None
    section = Section("What each parameter does", _timeless(results))
    compared = {(name, parameter): matched.compare(results, name, parameter) for name in names for parameter in parameters}
    rows = [_effect_row(*of, found) for of, found in compared.items()]
    rows.sort(key=lambda r: (names.index(r[0]), -(r[6] or 0)))
    header = ("metric", "parameter", "best at", "mean", "worst at", "mean", "spread, %", "matched pairs", "unmatched")
    section.parts.append(Table(header, rows, "The geometric mean of the metric over matched design points: equal in everything "
                                             "else, with a result at each value compared. Spread: worst over best."))
    section.parts += [_effect(results, *of, found) for of, found in compared.items()]
    return section


def _effect_row(metric: str, parameter: str, found: Matched) -> tuple:
    means = found.means
    if not means:
        return metric, parameter, None, None, None, None, None, 0, found.left_out or f"no point has {metric}"
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    return (metric, parameter, str(low), means[low], str(high), means[high], 100 * (means[high] / means[low] - 1), found.sets,
            found.left_out)


def _timeless(results: ResultSet) -> list:
    """What is said of points without cycles."""
    count = sum(p.cycles is None for p in results.done)
    return [f"{count} of {len(results.done)} design points have no cycles: they ran in functional mode."] if count else []


def _effect(results: ResultSet, metric: str, parameter: str, found: Matched) -> Scatter:
    at, categories = results.axis(parameter)
    series = []
    for name, points in list(_groups(results))[:MOST_LINES]:
        dots = [Dot(at[p.at(parameter)], v, p.label) for p in points
                if (v := results.value(p, metric)) is not None]
        series.append(Series(name or "points", sorted(dots, key=lambda d: d.x)))
    mean = [Dot(at[v], m, f"{v}") for v, m in found.means.items()]
    series.append(Series("mean", sorted(mean, key=lambda d: d.x), joined=True))
    return Scatter(f"{metric} by {parameter}", parameter, results.with_unit(metric), series, categories=categories)


def front(points: list[tuple[float, ...]]) -> list[bool]:
    """Which none of the others beats in one and equals in all (less is better)."""
    def beats(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
        return all(x <= y for x, y in zip(a, b)) and a != b
    return [not any(beats(other, p) for other in points) for p in points]


def pareto(results: ResultSet, names: list[str]) -> Optional[Section]:
    """Of each workload, chip and mode by itself."""
    if len(names) < 2:
        return None
    section = Section("Pareto front", ["Less of every metric is better. A point is on the front when none is better in one "
                                       "and as good in all others."])
    for group, members in _groups(results):
        points = [(p, tuple(v for n in names if (v := results.value(p, n)) is not None)) for p in members]
        points = [(p, values) for p, values in points if len(values) == len(names)]
        if len(points) > 1:
            section.parts += _front_parts(results, names, group, points)
    return section if len(section.parts) > 1 else None


def _front_parts(results: ResultSet, names: list[str], group: str, points: list) -> list:
    parts: list = []
    of = f" of {group}" if group else ""
    for i, second in enumerate(names[1:], 1):
        pair = front([(values[0], values[i]) for _, values in points])
        dots = [Dot(values[i], values[0], p.label, marked) for (p, values), marked in zip(points, pair)]
        line = sorted((d for d in dots if d.marked), key=lambda d: d.x)
        parts.append(Scatter(f"{names[0]} over {second}{of}", results.with_unit(second), results.with_unit(names[0]),
                             [Series("points", [d for d in dots if not d.marked]), Series("front", line, True)]))
    on_front = front([values for _, values in points])
    rows: list[tuple] = [(p.label, *values) for (p, values), marked in zip(points, on_front) if marked]
    rows = list(dict.fromkeys(rows))  # a search may come to a chip twice
    header = (f"on the front{of}", *map(results.with_unit, names))
    rows.sort(key=lambda row: row[1])
    return [*parts, Table(header, rows)]


def roofline(results: ResultSet, _names: list[str]) -> Optional[Section]:
    section = Section("Roofline of each kernel")
    by_ceiling: dict[str, list[tuple[Point, dict, dict]]] = defaultdict(list)
    for p in _best(results, MOST_BARS):
        kernels, ceilings = results.section(p, "kernel_totals"), results.section(p, "ceilings")
        for kernel in kernels or ():
            if ceilings:
                by_ceiling[repr(sorted(ceilings.items()))].append((p, kernel, ceilings))
    rows: list[tuple] = []
    for n, found in enumerate(by_ceiling.values()):
        dots = []
        for p, kernel, ceilings in found:
            row = roofline_row(kernel, ceilings, (p.sim_seconds or 0) / (p.cycles or 1))
            if row:
                rows.append((kernel["kernel"], p.label, *row))
                dots.append(Dot(row[1], row[0], f"{kernel['kernel']}, {p.label}"))
        if dots and n < MOST_LINES:
            first = found[0][0]
            section.parts.append(roof(f"Roofline: {first.label if len(by_ceiling) > 1 else first.asic}", found[0][2], dots))
    if rows:
        section.parts.append(Table(("kernel", "point", *ROOFLINE_HEADER), rows))
    return section


ROOFLINE_HEADER = ("FLOP/s", "FLOP per DRAM byte", "% of peak FLOP/s", "DRAM bytes/s", "% of peak DRAM", "bound by")


def bound(kernel: dict) -> str:
    """The verdict on a kernel, as the summary of `run` has it."""
    verdict = kernel["bound"]
    return f"{verdict['by']}, {100 * verdict['share']:.0f} % of {'its peak' if verdict['near_peak'] else 'wave cycles'}"


def roof(title: str, ceilings: dict[str, float], dots: list[Dot]) -> Scatter:
    peaks = {"f32": ceilings["f32_flops"], "f64": ceilings["f64_flops"]}
    lines = [Ceiling(f"{name} {si(ceilings[key], 'B/s')}", slope=ceilings[key], limit=max(peaks.values()))
             for name, key in (("DRAM", "dram_bytes"), ("L2", "l2_bytes"), ("L1", "l1_bytes"), ("LDS", "lds_bytes"))]
    lines += [Ceiling(f"{name} {si(peak, 'FLOP/s')}", limit=peak) for name, peak in peaks.items()]
    return Scatter(title, "FLOP per byte of DRAM", "FLOP/s", [Series("kernels", dots)], True, lines)


def roofline_row(kernel: dict, ceilings: dict[str, float], seconds_per_cycle: float) -> Optional[tuple]:
    """As ROOFLINE_HEADER; None of a kernel without floating point or memory."""
    seconds = kernel["cycles"] * seconds_per_cycle
    flops = sum(kernel["flops"].values())
    size = sum(kernel["memory"]["dram"].values())
    if not flops or not size or seconds <= 0:
        return None
    # The SIMDs do f32 and f64 in turns: what the kernel's mix of them takes at least.
    least = sum(kernel["flops"][kind] / ceilings[f"{kind}_flops"] for kind in ("f32", "f64"))
    return (flops / seconds, flops / size, 100 * least / seconds, size / seconds, 100 * kernel["of_peak"]["DRAM"], bound(kernel))


def cycles(results: ResultSet, _names: list[str]) -> Optional[Section]:
    bars, rows, reasons = [], [], []
    for p in _best(results, MOST_BARS):
        attribution = results.section(p, "attribution")
        if attribution and attribution["waves"]["total"]:
            waves = attribution["waves"]
            bars.append((p.label, grouped(waves["reasons"], attribution)))
            reasons = list(waves["reasons"])
            rows.append((p.label, waves["total"], *(100 * waves["reasons"][r] / waves["total"] for r in reasons)))
    if not bars:
        return None
    seen = [i for i, _ in enumerate(reasons) if any(row[2 + i] for row in rows)]
    table_ = Table(("point", "wave cycles", *(f"{reasons[i]}, %" for i in seen)),
                   [(row[0], row[1], *(row[2 + i] for i in seen)) for row in rows])
    note = _chosen(results, MOST_BARS)
    return Section("Where each cycle of a wave went",
                   [*([note] if note else []), Stacked("Cycles of all waves, by reason", "wave cycles", bars), table_])


def memory_time(results: ResultSet, _names: list[str]) -> Optional[Section]:
    bars = []
    for p in _best(results, MOST_BARS):
        attribution = results.section(p, "attribution")
        if attribution and attribution["memory"]["total"]:
            m = attribution["memory"]
            bars.append((p.label, {r: fs / m["transactions"] * 1e-6 for r, fs in m["reasons"].items()}))
    if not bars:
        return None
    return Section("Where each memory transaction waited", [Stacked("Mean time of a transaction, by location", "ns", bars, False)])


def occupancy(results: ResultSet, _names: list[str]) -> Optional[Section]:
    bars, lines = [], []
    for p in _best(results, MOST_BARS):
        attribution = results.section(p, "attribution")
        slots = attribution["waves"].get("slots") if attribution else None
        if slots and slots["total"]:
            bars.append((p.label, {"with a wave": slots["total"] - slots["no_work"], "empty": slots["no_work"]}))
        series = results.section(p, "series")
        if series:
            lines.append(Series(p.label, [Dot(c, w, p.label) for c, w in zip(series["cycle"], series["resident_waves"])], True))
    section = Section("Occupancy")
    if bars:
        section.parts.append(Stacked("Wave slots over the run", "slot cycles", bars))
    if lines:
        section.parts.append(Scatter("Resident waves over time", "cycle", "waves", lines[:MOST_LINES]))
    return section


# Kind of unit, its counters, and how the column is called.
_CACHES = (("se.sh.cu.l1", "reads", "read_hits", "L1 reads"), ("tcc", "reads", "read_hits", "L2 reads"),
           ("sqc.data", "lookups", "hits", "scalar lookups"), ("sqc.inst", "lookups", "hits", "instruction lookups"))


def caches(results: ResultSet, _names: list[str]) -> Optional[Section]:
    """Chips have some of them, or none: what no point has is left out, what a point has not is empty."""
    points = _best(results, MOST_BARS)
    there = [c for c in _CACHES if any(c[:2] in results.metrics.totals(p.number) for p in points)]
    rows = []
    for p in points:
        totals = results.metrics.totals(p.number)
        row: list = [p.label]
        for kind, reads, hits, _ in there:
            count, _ = totals.get((kind, reads), (None, 0))
            row += [count, 100 * totals[kind, hits][0] / count if count else None]
        rows.append(row)
    header = ("point", *(text for *_, name in there for text in (name, "hits, %")))
    return Section("Caches", [Table(header, rows, _chosen(results, MOST_BARS))] if there else [])


def bandwidth(results: ResultSet, _names: list[str]) -> Optional[Section]:
    rows, lines = [], []
    for p in _best(results, MOST_BARS):
        if not p.sim_seconds or not p.cycles:
            continue
        read, written = results.total(p, "mc.bytes_read"), results.total(p, "mc.bytes_written")
        peak = (results.section(p, "ceilings") or {}).get("dram_bytes")
        rate = (read + written) / p.sim_seconds
        rows.append((p.label, read, written, rate / 1e9, 100 * rate / peak if peak else None))
        series = results.section(p, "series")
        if series and peak:
            lines.append(Series(p.label, list(bandwidth_over_time(series, p.sim_seconds / p.cycles)), True))
    section = Section("Memory bandwidth")
    if lines:
        section.parts.append(Scatter("DRAM bandwidth over time", "cycle", "GB/s", lines[:MOST_LINES]))
    if rows:
        section.parts.append(Table(("point", "bytes read", "bytes written", "GB/s", "% of peak"), rows,
                                   _chosen(results, MOST_BARS)))
    return section


def bandwidth_over_time(series: dict, seconds_per_cycle: float) -> Iterator[Dot]:
    before = 0
    for cycle, read, written in zip(series["cycle"], series["dram_read_bytes"], series["dram_written_bytes"]):
        if cycle > before:
            yield Dot(cycle, (sum(read) + sum(written)) / ((cycle - before) * seconds_per_cycle) / 1e9, f"to cycle {cycle}")
        before = cycle


def table(results: ResultSet, names: list[str]) -> Section:
    fields = [f for f in results.varying if f != "seed" or len({p.seed for p in results.points}) > 1]
    header = ("point", *fields, *results.parameters, *map(results.with_unit, names), "status")
    rows = [(p.number, *(getattr(p, f) for f in fields), *(p.at(n) for n in results.parameters),
             *(results.value(p, n) if p.status == "done" else None for n in names), p.status) for p in results.points]
    return Section("All design points", [Table(header, rows, "Select a heading to sort.")])


def troubles(results: ResultSet, _names: list[str]) -> Optional[Section]:
    rows = [(p.number, p.label, p.status, p.report.strip()) for p in results.points if p.status != "done"]
    return Section("Design points without a result", [Table(("point", "parameters", "status", "reason"), rows)] if rows else [])
