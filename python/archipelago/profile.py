# SPDX-License-Identifier: Apache-2.0
"""archipelago profile WORKLOAD: one run explained. Where its cycles went, kernel by kernel and instruction by instruction,
beside the roofs of the chip; how occupancy and bandwidth went over time; and with --what-if, what the run would gain if each
resource in turn were as good as free."""

from __future__ import annotations

import argparse
import json
import os
import textwrap
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Optional

from archipelago import command as cmd
from archipelago import job as jobs
from archipelago.errors import BAD_USAGE, DONE, FAILED, MACHINE_STOPPED, Refused
from archipelago.files import written
from archipelago.job import Job
from archipelago.options import OptionParser
from archipelago.outputs import answered_files, check_outputs
from archipelago.report import build, html, text
from archipelago.report.data import grouped
from archipelago.report.parts import Dot, Report, Scatter, Section, Series, Stacked, Table
from archipelago.sweep.executors import LocalPool
from archipelago.whole_numbers import at_least
from archipelago.yaml_file import load

Stats = dict[str, Any]

LONGEST_REASON = 100  # characters of why a resource could not be tried


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = OptionParser(prog="archipelago profile", description=__doc__,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", help="workload file (YAML)")
    parser.add_argument("--asic", default="", help="chip name, or a YAML file")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="override a value of the chip")
    parser.add_argument("--code", default="", help="code object to run instead of the workload's")
    parser.add_argument("--options", action="append", default=[], metavar="OPTIONS",
                        help="compile the kernel with these, after the workload's own: --options=-DTILE=8")
    parser.add_argument("--series", type=at_least(0), default=1000, metavar="CYCLES", help="between two samples of the counters (default: 1000)")
    parser.add_argument("--top", type=at_least(0), default=12, help="instructions and kernels to show (default: 12)")
    parser.add_argument("--what-if", action="store_true", help="run again with each resource made free: the upper bound of optimising it")
    parser.add_argument("--jobs", type=at_least(1), default=len(os.sched_getaffinity(0)), help="runs at a time with --what-if")
    parser.add_argument("-o", "--output", default="", help="also write a page (HTML)")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    a = parse(arguments)
    command = cmd.find()
    if a.output:
        check_page(command, a)
    job = Job(a.workload, a.asic, tuple(a.set), code=a.code, options=tuple(f"--options={o}" for o in a.options))
    stats, failure = _run(command, replace(job, options=(*job.options, "--profile", "--series", str(a.series))))
    if failure and ("attribution" not in stats or not stats["cycles"]):
        raise failure
    if "attribution" not in stats:
        raise Refused(f"{a.workload}: nothing to explain: {stats.get('attribution_absent', 'no attribution in the statistics')}")
    if not stats["cycles"]:
        raise Refused(f"{a.workload}: nothing to explain: the run took no cycles")
    report = explain(stats, Path(stats.get("workload", a.workload)).stem, a.top, _freed_by(command) if "gaps" in stats else {})
    if failure:
        report.subtitle += f"\n{_until(failure, stats['cycles'])}"
    elif a.what_if:
        report.sections.append(what_if(command, job, stats, a.jobs))
    print("\n".join(text.lines(report)), flush=True)
    if a.output:
        with written(a.output) as page:
            page.write(html.page(report))
    if failure:
        raise failure
    return DONE


def _until(failure: Refused, cycles: int) -> str:
    """The mark of a profile whose run did not end well; why it did not is the error that follows."""
    return f"The run stopped: this is its profile up to cycle {cycles}." if failure.status == MACHINE_STOPPED else "A check of the run failed."


def check_page(command: str, a: argparse.Namespace) -> None:
    """Nothing that the run reads or writes is overwritten. What `check` refuses, the run will say."""
    request = {"workload": a.workload, "set": a.set, "options": a.options, "reads": True, **({"asic": a.asic} if a.asic else {})}
    answers = cmd.check(command, [request, *([{**request, "code": a.code}] if a.code else [])])
    named = [a.workload, a.code, a.asic if Path(a.asic).is_file() else ""]
    check_outputs([("-o", a.output)], [*named, *answered_files(answers, "reads")], answered_files(answers, "outputs"))


def _run(command: str, job: Job) -> tuple[Stats, Optional[Refused]]:
    """The statistics, of a machine that stopped up to there, and what went wrong."""
    outcome = jobs.run(command, job)
    if outcome.status == jobs.DONE:
        return json.loads(outcome.stats), None
    status = {jobs.EXPECTATION_FAILED: FAILED, jobs.STOPPED: MACHINE_STOPPED}.get(outcome.status, BAD_USAGE)
    failure = Refused(outcome.report.strip(), status)
    if status == BAD_USAGE or not outcome.stats:
        raise failure
    return json.loads(outcome.stats), failure


def explain(stats: Stats, name: str, top: int, freed_by: dict[str, str]) -> Report:
    report = Report(f"{name} on {stats['asic']}",
                    f"{stats['cycles']} cycles, {stats['sim_seconds'] * 1e6:.4g} us, {stats['wave_instructions']} "
                    f"{_instructions(stats)}, configuration {stats['config_hash']}")
    for section in (kernels(stats, top), gaps(stats, top, freed_by), waves(stats), instructions(stats, top), packets(stats, top),
                    microcode(stats, top), memory(stats), channels(stats), over_time(stats)):
        if section.parts:
            report.sections.append(section)
    return report


def _instructions(stats: Stats) -> str:
    """What they are of: waves, or the micro engines of a command processor."""
    return "instructions of micro engines" if "micro" in stats.get("instructions", {}) else "wave instructions"


def _seconds_per_cycle(stats: Stats) -> float:
    return stats["sim_seconds"] / stats["cycles"] if stats["cycles"] else 0.0


def kernels(stats: Stats, top: int) -> Section:
    """One row for all dispatches of a kernel; those with most cycles."""
    totals = stats.get("kernel_totals", ())[:top]
    section = Section("Kernels")
    if not totals:
        return section
    outside = _outside(stats)
    rows = [_kernel_row(k, stats["cycles"]) for k in totals]
    rows.append(("outside kernels", None, None, outside, _percent(outside, stats["cycles"]), *[None] * (len(_KERNEL_HEADER) - 5)))
    section.parts += [Table(_KERNEL_HEADER, rows, _left_out(stats["kernel_totals"], totals)),
                      Table(("kernel", "waves", "waves a CU", "at most", "limit", *totals[0]["of_peak"]),
                            [_peak_row(k) for k in totals], "In percent of what the chip can do in the cycles of the kernel.")]
    roofs = [((k["kernel"], *build.with_units(row)), Dot(row[1], row[0], k["kernel"])) for k in totals
             if (row := build.roofline_row(k, stats["ceilings"], _seconds_per_cycle(stats)))]
    if roofs:
        section.parts += [build.roof("Roofline", [stats["ceilings"]], [Series("kernels", [dot for _, dot in roofs])]),
                          Table(("kernel", *build.ROOFLINE_HEADER), [row for row, _ in roofs])]
    return section


def _left_out(kernels_: list, shown: list) -> str:
    count = len(kernels_) - len(shown)
    return f"{count} {'kernel' if count == 1 else 'kernels'} with fewer cycles left out." if count else ""


_KERNEL_HEADER = ("kernel", "stage", "dispatches", "cycles", "% of run", "mean", "least", "most", "instructions", "L1 hits, %",
                  "L2 hits, %", "bound by")


def _kernel_row(k: dict, cycles: int) -> tuple:
    l1, l2 = k["memory"]["l1"], k["memory"]["l2"]
    busy = build.busy_cycles(k)
    return (k["kernel"], k["stage"], k["dispatches"], busy, _percent(busy, cycles), k["cycles"] / k["dispatches"],
            k["least"], k["most"], sum(k["instructions"].values()), _percent(l1["hits"], l1["reads"]),
            _percent(l2["hits"], l2["reads"]), build.bound(k))


def _peak_row(k: dict) -> tuple:
    waves_ = k["waves_per_cu"]
    limit = "waves of a dispatch" if waves_["limits"] == ["dispatch"] else ", ".join(waves_["limits"])
    return (k["kernel"], k["waves"], waves_["mean"], waves_["most"], limit, *(100 * share for share in k["of_peak"].values()))


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0


def gaps(stats: Stats, top: int, freed_by: dict[str, str]) -> Section:
    """Of a Radeon: what CP, the register bus and SPI did while no wave ran, kernel by kernel, by reason and by packet. The
    reasons that a resource of what_if.yaml frees are together: `freed_by`."""
    section = Section("Between dispatches")
    part = stats.get("gaps")
    total = sum(part["reasons"].values()) if part else 0
    if not part or not total:
        return section
    shown = part["kernels"][:top]
    rows = [_gap_row(f"before {k['kernel']}", k, stats["cycles"]) for k in shown]
    has_dispatches = bool(part["kernels"] or part["before_first"])  # the first begins after its packets
    if not has_dispatches:
        section.title = "Without dispatches"
    rows += [(name, None, None, cycles, _percent(cycles, stats["cycles"]), *[None] * 4)
             for name, cycles in (("before the first", part["before_first"]),
                                  ("after the last" if has_dispatches else "of a run without dispatches", part["after_last"])) if cycles]
    header = ("cycles without a wave", "stage", "dispatches", "cycles", "% of run", "mean", "least", "most", "mostly")
    intervals = [_gap_row(k["kernel"], k, stats["cycles"]) for k in part.get("intervals", ())[:top] if k["cycles"]]
    of_resource: dict[str, int] = defaultdict(int)
    for reason, cycles in part["reasons"].items():
        of_resource[freed_by.get(reason, reason)] += cycles
    reasons = sorted(((freed_by.get(reason, ""), reason, cycles, _percent(cycles, total), _percent(cycles, stats["cycles"]),
                       part["definitions"][reason]) for reason, cycles in _by_cycles(part["reasons"])),
                     key=lambda row: -of_resource[row[0] or row[1]])
    most = max(of_resource, key=lambda name: of_resource[name])
    packets_ = [(p["packet"] or "no packet", p["reason"], p["cycles"], _percent(p["cycles"], total)) for p in part["packets"][:top]]
    section.parts = [Table(header, rows, _left_out(part["kernels"], shown)),
                     f"The largest share is {most}: {_percent(of_resource[most], total):.0f} % of these cycles, "
                     f"{_percent(of_resource[most], stats['cycles']):.3g} % of the run.",
                     Table(("what-if", "reason", "cycles", "%", "% of run", "meaning"), reasons),
                     Table(("packet", "reason", "cycles", "%"), packets_),
                     *([Table(("from first wave to first wave", *header[1:]), intervals,
                              "How often kernels are dispatched, also while others run: since the dispatch before.")] if intervals else []),
                     *_of_intervals(part, freed_by, stats["cycles"])]
    return section


HELD_UP = 5  # percent of the cycles between dispatches, from which on SPI limits their rate


def _of_intervals(part: dict, freed_by: dict[str, str], cycles: int) -> Iterator[str]:
    """Whether SPI limits the rate of dispatches. Then it has what CP's own work leaves of the cycles between two of them."""
    intervals = part.get("intervals", ())
    total = sum(k["cycles"] for k in intervals)
    held_up = sum(k["reasons"].get("dispatch_queue", 0) for k in intervals)
    if _percent(held_up, total) >= HELD_UP:
        yield (f"Dispatches overlap, and SPI limits their rate: {freed_by.get('dispatch_queue', 'dispatch_queue')} has {_percent(held_up, total):.0f} % "
               f"of the cycles between two of them, {_percent(held_up, cycles):.3g} % of the run. The rest is work of the command processor, "
               "which limits the rate next.")


def _gap_row(name: str, k: dict, cycles: int) -> tuple:
    mostly = ", ".join(f"{reason} {_percent(n, k['cycles']):.0f} %" for reason, n in _by_cycles(k["reasons"])[:2])
    return (name, k["stage"], k["dispatches"], k["cycles"], _percent(k["cycles"], cycles), k["cycles"] / k["dispatches"],
            k["least"], k["most"], mostly)


def _by_cycles(reasons: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(((reason, cycles) for reason, cycles in reasons.items() if cycles), key=lambda r: -r[1])


def waves(stats: Stats) -> Section:
    """Of all waves, reason by reason."""
    part = stats["attribution"]["waves"]
    if not part["total"]:
        return Section("Where each cycle of a wave went")
    meanings = stats["attribution"].get("definitions", {}).get("waves", {})
    rows = [(reason, cycles, _percent(cycles, part["total"]), meanings.get(reason, ""))
            for reason, cycles in sorted(part["reasons"].items(), key=lambda r: -r[1]) if cycles]
    bars = [(k["kernel"], grouped(k["reasons"], stats["attribution"])) for k in stats.get("kernel_totals", ())
            if k["wave_cycles"]][:build.MOST_BARS]
    return Section("Where each cycle of a wave went",
                   [Stacked("Cycles of all waves, by reason", "wave cycles", bars),
                    Table(("reason", "wave cycles", "%", "meaning"), rows)])


def instructions(stats: Stats, top: int) -> Section:
    """By what they wait, execution apart."""
    total = stats["attribution"]["waves"]["total"]
    sources: dict[str, list[str]] = {}
    rows = []
    stalls = [(sum(c for r, c in pc["cycles"].items() if not r.startswith("issue_")), pc) for pc in stats.get("pcs", ())]
    for cycles, pc in sorted(stalls, key=lambda s: -s[0])[:top]:
        if not cycles:
            break
        reasons = sorted(((c, r) for r, c in pc["cycles"].items() if not r.startswith("issue_")), reverse=True)[:2]
        place, line = _source(pc["source"], sources)
        rows.append((_percent(cycles, total), pc["kernel"], f"{pc['offset']:#x}", pc["text"],
                     ", ".join(f"{r} {c}" for c, r in reasons if c), place, line))
    header = ("% of wave cycles", "kernel", "offset", "instruction", "waits", "source", "line")
    return Section("Instructions that wait most", [Table(header, rows)] if rows else [])


AT_WORK = 1  # percent of the run; engines with less are only named


def packets(stats: Stats, top: int) -> Section:
    """Of a command processor: cycles by packet, of GCN for each ring, and what its engines waited for."""
    engines: dict[str, list[dict]] = defaultdict(list)
    for p in stats.get("packets", ()):
        engines[p["engine"]].append(p)
    total = {name: sum(p["cycles"] for p in listed) for name, listed in engines.items()}
    at_work = {name: sum(p["cycles"] for p in listed if p["count"]) for name, listed in engines.items()}
    shown = [name for name in engines if _percent(at_work[name], stats["cycles"]) >= AT_WORK]
    ordered = sorted((p for name in shown for p in engines[name]), key=lambda p: -p["cycles"])
    rows = [(p["engine"], p["packet"], p["count"], p["cycles"], _percent(p["cycles"], total[p["engine"]]),
             *((p["cycles"] / p["count"], p["most"]) if p["count"] else (None, None))) for p in ordered[:top]]
    idle = ", ".join(name for name in engines if name not in shown)
    header = ("engine", "packet", "packets", "cycles", "% of engine", "cycles each", "at most")
    tables = [Table(header, rows, f"At work in less than {AT_WORK} % of the run: {idle}." if idle else "")] if rows else []
    waits = _waits_of_engines(stats, top)
    return Section("Packets of the command processor", [*tables, *([waits] if waits else [])])


def _waits_of_engines(stats: Stats, top: int) -> Optional[Table]:
    rows = [(unit, counter[len("stall_"):], cycles, _percent(cycles, stats["cycles"]),
             stats.get("definitions", {}).get(unit.rpartition(".")[2], {}).get(counter, {}).get("meaning", ""))
            for unit, counts in stats["units"].items() if unit.startswith("cp.")
            for counter, cycles in counts.items() if counter.startswith("stall_") and cycles]
    rows.sort(key=lambda row: -row[2])
    return Table(("unit", "waits for", "cycles", "% of run", "meaning"), rows[:top]) if rows else None


def microcode(stats: Stats, top: int) -> Section:
    """What its engines spend cycles on, waiting included."""
    total = sum(m["cycles"] for m in stats.get("microcode", ()))
    rows = [(_percent(m["cycles"], total), m["engine"], m["pc"], m["text"], m["beats"], m["cycles"] / m["beats"], m["source"])
            for m in sorted(stats.get("microcode", ()), key=lambda m: -m["cycles"])[:top]]
    header = ("% of engine cycles", "engine", "pc", "instruction", "issue cycles", "cycles each", "source")
    return Section("Microcode", [Table(header, rows)] if rows else [])


def _source(source: Optional[dict], files: dict[str, list[str]]) -> tuple[str, str]:
    if not source:
        return "", ""
    path, number = source["file"], source["line"]
    if path not in files:
        try:
            files[path] = Path(path).read_text(errors="replace").splitlines()
        except OSError:
            files[path] = []
    lines = files[path]
    return f"{Path(path).name}:{number}", lines[number - 1].strip() if 0 < number <= len(lines) else ""


def memory(stats: Stats) -> Section:
    part = stats["attribution"]["memory"]
    if not part["transactions"]:
        return Section("Where each memory transaction waited")
    meanings = stats["attribution"].get("definitions", {}).get("memory", {})
    rows = [(place, fs / part["transactions"] / part["period_fs"], _percent(fs, part["total"]), meanings.get(place, ""))
            for place, fs in sorted(part["reasons"].items(), key=lambda r: -r[1]) if fs]
    return Section("Where each memory transaction waited",
                   [Table(("where", "cycles of each transaction", "%", "meaning"), rows,
                          f"The mean of {part['transactions']} transactions.")])


def channels(stats: Stats) -> Section:
    """Whether addresses use all memory channels alike."""
    sizes = [(unit, counts["bytes_read"], counts["bytes_written"], _percent(counts["data_bus_cycles"], stats["cycles"]))
             for unit, counts in stats["units"].items() if unit.startswith("mc") and "bytes_read" in counts]
    mean = sum(r + w for _, r, w, _ in sizes) / len(sizes) if sizes else 0
    if not mean:
        return Section("Memory channels")
    rows = [(unit, r, w, 100 * (r + w) / mean) for unit, r, w, _ in sizes]
    return Section("Memory channels", [Table(("channel", "bytes read", "bytes written", "% of mean"), rows),
                                       f"The busiest channel moves {max(row[3] for row in rows) / 100:.2f} times the mean."])


def over_time(stats: Stats) -> Section:
    series = stats.get("series")
    if not series or len(series["cycle"]) < 2:
        return Section("Over time")
    seconds = _seconds_per_cycle(stats)
    waves_ = [Dot(c, w, f"cycle {c}") for c, w in zip(series["cycle"], series["resident_waves"])]
    spans = [b - a for a, b in zip([0, *series["cycle"]], series["cycle"])]
    ipc = [Dot(c, n / s, f"to cycle {c}") for c, n, s in zip(series["cycle"], series["instructions"], spans) if s]
    bandwidth = list(build.bandwidth_over_time(series, seconds))
    drawn = (("Occupancy", "waves", "resident waves", waves_),
             ("Instructions", f"{_instructions(stats)} per cycle", "instructions per cycle", ipc),
             ("DRAM bandwidth", "GB/s", "bandwidth", bandwidth))
    return Section("Over time", [Scatter(title, "cycle", unit, [Series(name, dots, True)])
                                 for title, unit, name, dots in drawn if any(d.y for d in dots)])


class Resource(NamedTuple):
    """Of what_if.yaml."""
    name: str
    meaning: str
    limits: str
    gaps: tuple[str, ...]  # reasons of cycles between dispatches that it makes free
    overrides: tuple[str, ...]


def _listed(command: str) -> list[Resource]:
    return [Resource(name, keys["meaning"].text(), keys["limits"].text(),
                     tuple(reason.text() for reason in keys["gaps"].items()) if "gaps" in keys else (),
                     tuple(f"{path}={value.source}" for path, value in keys["overrides"].map()))
            for name, keys in ((name, resource.map().keys) for name, resource in load(cmd.configs(command) / "what_if.yaml").root.map())]


def _freed_by(command: str) -> dict[str, str]:
    """The resource that makes a reason of cycles between dispatches free."""
    return {reason: resource.name for resource in _listed(command) for reason in resource.gaps}


def resources(command: str, job: Job) -> Iterator[Resource]:
    """Those that the chip has."""
    listed = _listed(command)
    answers = iter(cmd.check(command, [{"workload": job.workload, "asic": job.asic, "set": [*job.set, override]}
                                       for resource in listed for override in resource.overrides]))
    for resource in listed:
        known = [not any("unknown key" in error for error in next(answers).get("errors", ())) for _ in resource.overrides]
        if known[0]:
            yield resource._replace(overrides=tuple(o for o, is_known in zip(resource.overrides, known) if is_known))


def _outside(stats: Stats) -> int:
    return stats["cycles"] - stats["kernel_cycles"]


def what_if(command: str, job: Job, stats: Stats, workers: int) -> Section:
    """The run again with each resource of what_if.yaml in turn. What the kernels gain comes first, if there are any. Beside
    the gain stand the cycles outside kernels that the profile gives to the resource, and how many fewer of them there are."""
    tries = list(resources(command, job))
    outcomes = dict(LocalPool(command, workers).run([(t.name, replace(job, set=job.set + t.overrides)) for t in tries]))
    gap_cycles = stats["gaps"]["reasons"] if "gaps" in stats else {}
    measures = [(name, title) for name, title in (("kernel_cycles", "kernel cycles"), ("cycles", "cycles")) if stats.get(name)]
    rows: list[tuple] = []
    for t in tries:
        outcome = outcomes[t.name]
        share = sum(gap_cycles.get(reason, 0) for reason in t.gaps) if t.gaps else None
        if outcome.status == jobs.DONE:
            now = json.loads(outcome.stats)
            gains = [g for m, _ in measures for g in (now[m], _percent(stats[m] - now[m], stats[m]))]
            fewer = _outside(stats) - _outside(now) if t.gaps else None
            rows.append((t.name, *gains, *((share, fewer) if gap_cycles else ()), t.meaning, t.limits))
        else:
            said = next(iter(outcome.report.split("\n")), "")
            why = textwrap.shorten(f"{outcome.status}: {said}", LONGEST_REASON)
            rows.append((t.name, *[None] * (2 * len(measures)), *((share, None) if gap_cycles else ()), why, t.limits))
    rows.sort(key=lambda r: -(r[2] if r[2] is not None else -1e9))
    header = [title for _, title_ in measures for title in (title_, "fewer, %")]
    return Section("Upper bound of each optimisation",
                   [Table(("resource", *header, *(("between dispatches", "fewer there") if gap_cycles else ()), "what was made free", "what remains"),
                          rows)])
