# SPDX-License-Identifier: Apache-2.0
"""What must hold of the attribution in any statistics of cycle mode (testbenches/host/STATISTICS.md, "Where cycles go")."""

import re

# A time that is less than nothing has gone around 2^64.
MOST_FS = 1 << 62


def sums(name, parts, total):
    added = sum(parts.values())
    return [] if added == total else [f"{name}: the parts sum to {added}, the total is {total}"]


def wave_faults(stats):
    waves = stats["attribution"]["waves"]
    found = sums("waves", waves["reasons"], waves["total"])
    found += sums("wave slots", {"no work": waves["slots"]["no_work"], "waves": waves["total"]}, waves["slots"]["total"])
    kernels = stats.get("kernels", [])
    for kernel in kernels:
        found += sums(f"kernel {kernel['kernel']}", kernel["reasons"], kernel["wave_cycles"])
    found += sums("kernels", {i: k["wave_cycles"] for i, k in enumerate(kernels)}, waves["total"])
    # The counters of the compute units count the same on their own.
    counted = {(path, name): value for path, unit in stats["units"].items() for name, value in unit.items()
               if name.startswith("wave_cycles_")}
    found += sums("counters of the compute units", counted, waves["total"])
    for name in ("valu", "vmem", "lds", "salu", "internal"):
        found += sums(f"{name} instructions", {i: k["instructions"][name] for i, k in enumerate(kernels)},
                      stats["instructions"].get(name, 0))
    return found


def memory_faults(stats):
    memory = stats["attribution"]["memory"]
    found = sums("memory by place", memory["reasons"], memory["total"])
    found += sums("memory by client", memory["clients"], memory["total"])
    for kind in ("reasons", "clients"):
        found += [f"memory: {name} is negative" for name, time in memory[kind].items() if time > MOST_FS]
    return found


def still_open(stats):
    """When a run has ended, nothing is on its way: writes that no fence waits for have been answered too."""
    count = stats["attribution"]["memory"]["open"]
    return [f"memory: {count} transactions have not been answered"] if count else []


def profile_faults(stats):
    """With --profile: the instructions of a kernel have the cycles of its dispatches."""
    found = []
    for kernel in {k["kernel"] for k in stats["kernels"]}:
        of_kernel = {i: sum(pc["cycles"].values()) for i, pc in enumerate(stats["pcs"]) if pc["kernel"] == kernel}
        found += sums(f"instructions of {kernel}", of_kernel,
                      sum(k["wave_cycles"] for k in stats["kernels"] if k["kernel"] == kernel))
    return found


def microcode_faults(stats):
    """With --profile, of a command processor with microcode: the packets of an engine have the cycles of its lines, and
    all that it has begun are there."""
    found = []
    lines, packets = stats.get("microcode", []), stats.get("packets", [])
    for engine in sorted({entry["engine"] for entry in lines + packets}):
        of = [p for p in packets if p["engine"] == engine]
        found += sums(f"packets of {engine}", {p["packet"]: p["cycles"] for p in of},
                      sum(line["cycles"] for line in lines if line["engine"] == engine))
        found += sums(f"how many of {engine}", {p["packet"]: p["count"] for p in of},
                      1 + stats["units"][engine]["packets"])  # and what is before the first
    return found + ([] if lines and packets else ["no packets or no microcode"])


def series_faults(stats):
    """With --series: what the intervals have counted is what has been counted in all."""
    series = stats["series"]
    counter = {"l1_reads": (".l1", "reads"), "l1_hits": (".l1", "read_hits")}
    found = []
    for row, (unit, name) in counter.items():
        total = sum(u.get(name, 0) for path, u in stats["units"].items() if path.endswith(unit))
        found += sums(row, dict(enumerate(series[row])), total)
    found += sums("instructions", dict(enumerate(series["instructions"])), stats["wave_instructions"])
    dram = sum(u["bytes_read"] for path, u in stats["units"].items() if path.rstrip("0123456789") == "mc")
    found += sums("dram_read_bytes", {i: sum(row) for i, row in enumerate(series["dram_read_bytes"])}, dram)
    lengths = {len(row) for row in series.values() if isinstance(row, list)}
    return found + ([] if len(lengths) == 1 else ["the rows of the series have different lengths"])


def timeline_faults(stats, rows):
    """With --trace, of a chip whose clocks have whole nanoseconds, the timeline's unit: {row: [Span]} has at every moment
    how many transactions are where, each wave as long as it has lived, its waits, and each row that DRAM has opened,
    also those that the end of the run has cut short."""
    return place_faults(stats, rows) + slice_faults(stats, rows)


def slice_faults(stats, rows):
    units, waves = stats["units"], stats["attribution"].get("waves")
    cut = {kind: [s for row, spans in rows.items() if re.search(kind, row) for s in spans if s.begin < s.end]
           for kind in (r"\.slot\d+$", r"\.waits$", r"^mc\d+\.bank\d+$")}
    lived, waited, opened = cut.values()
    activates = sum(unit.get("activates", 0) for path, unit in units.items() if path.startswith("mc"))
    found = sums("rows of DRAM in the timeline", {"slices": len(opened)}, activates)
    if waves is None:
        return found
    period_ns = stats["attribution"]["memory"]["period_fs"] // 1_000_000
    found += sums("waves in the timeline", {i: s.end - s.begin for i, s in enumerate(lived)}, period_ns * waves["total"])
    for reason, cycles in waves["reasons"].items():
        shown = {i: s.end - s.begin for i, s in enumerate(waited) if s.name == reason}
        if shown or reason.startswith("wait_"):
            found += sums(f"{reason} in the timeline", shown, period_ns * cycles)
    return found


def place_faults(stats, rows):
    found = []
    for place, time in stats["attribution"]["memory"]["reasons"].items():
        row = rows.get(f"transactions.{place}", [])  # one that stays empty is not in the file
        shown = 1_000_000 * sum(int(a.name) * (b.begin - a.begin) for a, b in zip(row, row[1:]))
        found += [] if shown == time else [f"{place}: the timeline shows {shown} fs, the statistics say {time}"]
    last = sum(int(row[-1].name) for name, row in rows.items() if name.startswith("transactions.") and row)
    if last != stats["attribution"]["memory"]["open"]:
        found.append(f"the timeline ends with {last} transactions, {stats['attribution']['memory']['open']} are open")
    return found


def faults(stats):
    """What is wrong, in words."""
    if "attribution" not in stats:
        return ["no attribution"]
    return wave_faults(stats) + memory_faults(stats)
