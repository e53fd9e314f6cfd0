# SPDX-License-Identifier: Apache-2.0
"""The report of a set of results, section by section. A section without data is left out."""

from __future__ import annotations

from collections import defaultdict
from typing import Iterable, Iterator, Optional, Sequence

from archipelago.report import answer
from archipelago.report.data import Point, ResultSet, grouped, on_path
from archipelago.report.effects import MOST_LINES, sensitivity, single_changes, timeless
from archipelago.report.parts import Ceiling, Dot, Quantity, Report, Scatter, Section, Series, Stacked, Table, si

MOST_BARS = 40


def build(results: ResultSet, metrics: Iterable[str] = ()) -> Report:
    names = [*results.metric_names(), *metrics]
    versions = sorted({v for v, in results.database.rows("SELECT DISTINCT version FROM runs WHERE version IS NOT NULL")})
    count = f"{len(results.points)} design point{'s' * (len(results.points) != 1)}, {len(results.done)} with results"
    report = Report(results.title or results.name, f"{count}; {', '.join(versions)}", question=results.question)
    goal = answer.goal(results, names)
    report.answer = answer.answers(results, goal) if goal else []
    # Cycles of kernels and of the run are one goal.
    goals = [names[0], *results.metrics.weighted, *metrics]
    makers = (overview, single_changes, sensitivity, pareto, roofline, cycles, memory_time, occupancy, caches, bandwidth, table, troubles)
    for make in makers:
        section = make(results, goals if make is pareto else names)
        if section and section.parts:
            report.sections.append(section)
    return report


def _some(results: ResultSet, most: int) -> list[Point]:
    """All points, workload by workload in the order of the sweep; or of each those of fewest and most cycles and some between."""
    groups = [[p for p in points if p.cycles is not None] for _, points in results.groups()]
    if sum(map(len, groups)) <= most:
        return [p for points in groups for p in points]
    out = []
    for points in groups[:most]:
        share = min(len(points), max(1, most // len(groups)))
        ordered = sorted(points, key=lambda p: p.cycles or 0)
        chosen = [ordered[round(i * (len(ordered) - 1) / max(1, share - 1))] for i in range(share)]
        out += sorted(chosen, key=lambda p: p.number)
    return out


def _chosen(results: ResultSet, most: int) -> str:
    shown = len(_some(results, most))
    return f"{shown} of {len(results.done)} points, from the fewest cycles to the most" if len(results.done) > most else ""


def overview(results: ResultSet, names: list[str]) -> Section:
    """The extremes of each metric, of each workload and mode by itself."""
    rows: list[tuple] = []
    for name in names:
        for group, points in results.groups():
            values = [(v, p) for p in points if (v := results.value(p, name)) is not None]
            base = results.baseline(points, name)
            if not values:
                continue
            first = results.value(base, name) if base else None
            row = [results.heading(name), *([group] if results.has_groups else []), results.cell(name, first), base.name if base else ""]
            for value, p in (min(values, key=lambda v: v[0]), max(values, key=lambda v: v[0])):
                row += [results.cell(name, value), p.name, value / first if first else None]
            rows.append(tuple(row))
    header = ("metric", *(["of"] if results.has_groups else []), "baseline", "at", "least", "at", "/ baseline", "most", "at", "/ baseline")
    return Section("Overview", [*timeless(results), *_outside(results), *([Table(header, rows)] if rows else [])])


def _outside(results: ResultSet) -> list[str]:
    """How much of the runs the cycles of their kernels are."""
    shares = [100 * (1 - kernels / p.cycles) for p in results.done
              if p.cycles and (kernels := results.value(p, "kernel.cycles")) is not None]
    if not shares:
        return []
    part = f"{min(shares):.1f} %" if len(shares) == 1 else f"{min(shares):.1f} to {max(shares):.1f} %"
    return [f"kernel.cycles: kernel cycles, in which a kernel had waves. cycles: the whole run, of which {part} lie outside kernels."]


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
    for group, members in results.groups():
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
    rows: list[tuple] = []
    dots: dict[str, list[Dot]] = defaultdict(list)
    peaks: list[dict[str, float]] = []
    for p in _some(results, MOST_BARS):
        ceilings = results.section(p, "ceilings")
        for kernel in (results.section(p, "kernel_totals") or ()) if ceilings else ():
            row = roofline_row(kernel, ceilings, (p.sim_seconds or 0) / (p.cycles or 1))
            if row:
                rows.append((kernel["kernel"], p.label, *with_units(row)))
                dots[kernel["kernel"]].append(Dot(row[1], row[0], f"{kernel['kernel']}, {p.label}"))
                peaks.append(ceilings)
    if not rows:
        return None
    if len(dots) > MOST_KERNELS:
        dots = {"kernels": [d for found in dots.values() for d in found]}
    series = [Series(name, found) for name, found in dots.items()]
    return Section("Roofline of each kernel", [roof("Roofline", peaks, series), Table(("kernel", "point", *ROOFLINE_HEADER), rows)])


MOST_KERNELS = 4  # with a colour each, beside those of the ceilings
ROOFLINE_HEADER = ("FLOP/s", "FLOP per DRAM byte", "% of peak FLOP/s", "DRAM bytes/s", "% of peak DRAM", "bound by")


def bound(kernel: dict) -> str:
    """The verdict on a kernel, as the summary of `run` has it."""
    verdict = kernel["bound"]
    return f"{verdict['by']}, {100 * verdict['share']:.0f} % of {'its peak' if verdict['near_peak'] else 'wave cycles'}"


def roof(title: str, peaks: Sequence[dict[str, float]], series: Sequence[Series]) -> Scatter:
    """Each ceiling where it is highest, with the range it has over the points."""
    def ceiling(name: str, key: str, unit: str) -> tuple[str, float]:
        low, high = si(min(p[key] for p in peaks), unit), si(max(p[key] for p in peaks), unit)
        return f"{name} {high if low == high else f'{low} to {high}'}", max(p[key] for p in peaks)

    flops = [ceiling(name, key, "FLOP/s") for name, key in (("f32", "f32_flops"), ("f64", "f64_flops"))]
    bytes_ = [ceiling(name, key, "B/s") for name, key in (("DRAM", "dram_bytes"), ("L2", "l2_bytes"), ("L1", "l1_bytes"), ("LDS", "lds_bytes"))]
    highest = max(peak for _, peak in flops)
    lines = [Ceiling(name, slope=peak, limit=highest) for name, peak in bytes_] + [Ceiling(name, limit=peak) for name, peak in flops]
    return Scatter(title, "FLOP per byte of DRAM", "FLOP/s", series, True, lines)


def with_units(row: tuple) -> tuple:
    flops, intensity, of_flops, rate, of_rate, verdict = row
    return Quantity(flops, "FLOP/s"), intensity, of_flops, Quantity(rate, "B/s"), of_rate, verdict


def busy_cycles(kernel: dict) -> int:
    """In which one of its dispatches had started and not ended; older databases have their sum alone."""
    return int(kernel.get("busy_cycles", kernel["cycles"]))


def roofline_row(kernel: dict, ceilings: dict[str, float], seconds_per_cycle: float) -> Optional[tuple]:
    """As ROOFLINE_HEADER; None of a kernel without floating point or memory."""
    seconds = busy_cycles(kernel) * seconds_per_cycle
    flops = sum(kernel["flops"].values())
    size = sum(kernel["memory"]["dram"].values())
    if not flops or not size or seconds <= 0:
        return None
    # The SIMDs do f32 and f64 in turns: what the kernel's mix of them takes at least.
    least = sum(kernel["flops"][kind] / ceilings[f"{kind}_flops"] for kind in ("f32", "f64"))
    rate = size / (kernel["cycles"] * seconds_per_cycle)  # dispatches that overlap see the same bytes
    return (flops / seconds, flops / seconds / rate, 100 * least / seconds, rate, 100 * kernel["of_peak"]["DRAM"], bound(kernel))


def _reasons_table(head: tuple[str, str], rows: Sequence[Sequence], reasons: Sequence[str], unit: str) -> Table:
    """A column per reason; those of less than a hundredth in every row are one."""
    def is_small(i: int) -> bool:
        return all(row[2 + i] < 0.01 * sum(row[2:]) for row in rows)

    kept = [i for i, _ in enumerate(reasons) if not is_small(i)]
    rest = [i for i, _ in enumerate(reasons) if is_small(i) and any(row[2 + i] for row in rows)]
    header = (*head, *(f"{reasons[i]}, {unit}" for i in kept), *([f"others, {unit}"] if rest else []))
    cells = [(*row[:2], *(row[2 + i] for i in kept), *([sum(row[2 + i] for i in rest)] if rest else [])) for row in rows]
    return Table(header, cells, f"Others: {', '.join(reasons[i] for i in rest)}." if rest else "")


def cycles(results: ResultSet, _names: list[str]) -> Optional[Section]:
    bars, rows, reasons = [], [], []
    for p in _some(results, MOST_BARS):
        attribution = results.section(p, "attribution")
        if attribution and attribution["waves"]["total"]:
            waves = attribution["waves"]
            bars.append((p.label, grouped(waves["reasons"], attribution)))
            reasons = list(waves["reasons"])
            rows.append((p.label, waves["total"], *(100 * waves["reasons"][r] / waves["total"] for r in reasons)))
    if not bars:
        return None
    table_ = _reasons_table(("point", "wave cycles"), rows, reasons, "%")
    note = _chosen(results, MOST_BARS)
    return Section("Where each cycle of a wave went",
                   [*([note] if note else []), Stacked("Cycles of all waves, by reason", "wave cycles", bars), table_])


def memory_time(results: ResultSet, _names: list[str]) -> Optional[Section]:
    bars, rows, reasons = [], [], []
    for p in _some(results, MOST_BARS):
        attribution = results.section(p, "attribution")
        if attribution and attribution["memory"]["total"]:
            m = attribution["memory"]
            mean = {r: fs / m["transactions"] * 1e-6 for r, fs in m["reasons"].items()}
            bars.append((p.label, on_path(mean)))
            reasons = list(mean)
            rows.append((p.label, m["transactions"], *mean.values()))
    if not bars:
        return None
    table_ = _reasons_table(("point", "transactions"), rows, reasons, "ns")
    return Section("Where each memory transaction waited",
                   [Stacked("Mean time of a transaction, by part of the memory path", "ns", bars, False), table_])


def occupancy(results: ResultSet, _names: list[str]) -> Optional[Section]:
    bars, lines = [], []
    for p in _some(results, MOST_BARS):
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
    points = _some(results, MOST_BARS)
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
    for p in _some(results, MOST_BARS):
        if not p.sim_seconds or not p.cycles:
            continue
        read, written = results.total(p, "mc.bytes_read"), results.total(p, "mc.bytes_written")
        peak = (results.section(p, "ceilings") or {}).get("dram_bytes")
        rate = (read + written) / p.sim_seconds
        rows.append((p.label, Quantity(read, "B"), Quantity(written, "B"), Quantity(rate, "B/s"), 100 * rate / peak if peak else None))
        series = results.section(p, "series")
        if series and peak:
            lines.append(Series(p.label, list(bandwidth_over_time(series, p.sim_seconds / p.cycles)), True))
    section = Section("Memory bandwidth")
    if lines:
        section.parts.append(Scatter("DRAM bandwidth over time", "cycle", "GB/s", lines[:MOST_LINES]))
    if rows:
        section.parts.append(Table(("point", "read", "written", "bandwidth", "% of peak"), rows,
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
