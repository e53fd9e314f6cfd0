#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles are attributed exactly (attribution.py says what that is).

    attribution_test.py --command PROGRAM --asic CHIP    in every workload of the chip, in cycle mode
    attribution_test.py --command PROGRAM details        what options add, and what other modes and stopped runs leave out
"""

import argparse
import copy
import re
import sys
import tempfile
from pathlib import Path

import attribution
import suite
import timeline

# Of these --profile and --series are tried: a loop with barriers, a lone wave, draws, several dispatches.
DETAILED = ("matmul", "divergent_filter", "draws", "indirect_dispatch", "radix_pass")


def check_workloads(command, chip, jobs):
    workloads = suite.workloads_of(chip)
    results = suite.in_parallel(lambda w: suite.run(command, w, asic=chip), workloads, jobs)
    failed = []
    for workload, result in zip(workloads, results):
        found = (attribution.faults(result.stats) + attribution.still_open(result.stats) if result.status == suite.DONE
                 else [suite.why(result)])
        failed += [f"{workload.name}: {fault}" for fault in found]
    print(f"{chip}: {len(workloads)} workloads")
    return failed


def doctored(stats):
    """Statistics with one number wrong, and what it is."""
    def changed(*path):
        wrong = copy.deepcopy(stats)
        at = wrong
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] += 1
        return ".".join(map(str, path)), wrong
    yield changed("attribution", "waves", "reasons", "wait_vm")
    yield changed("attribution", "waves", "slots", "no_work")
    yield changed("attribution", "memory", "reasons", "dram")
    yield changed("attribution", "memory", "clients", "vector")
    yield changed("kernels", 0, "wave_cycles")
    yield changed("kernels", 0, "reasons", "issue_valu")


# Whole nanoseconds, which timelines count in.
ROUND_CLOCKS = ("--set", "clocks.engine=1000 MHz", "--set", "clocks.memory=500 MHz")

OPEN = "open at the end of the run"  # of PerfettoSink


def traced(command, workload, options=(), asic=None):
    """A run, and its timeline."""
    with tempfile.TemporaryDirectory(prefix="archipelago-attribution-") as scratch:
        trace = Path(scratch) / "trace"
        result = suite.run(command, workload, asic=asic, options=[*ROUND_CLOCKS, *options, "--trace", str(trace)])
        return result, timeline.read(trace) if trace.exists() else {}


def check_timelines(command):
    """What the timeline shows is what the statistics count."""
    by_name = {w.name: w for w in suite.workloads()}
    copies = next(w for w in suite.workloads_of("juniper") if w.name.endswith("copy"))
    [ctm] = [w for w in suite.ctm_workloads() if w.path.stem == "mandelbrot"]
    runs = [(name, by_name[name], (), None, suite.DONE) for name in DETAILED]
    runs += [("stopped", by_name["matmul"], ("--max-cycles", "5000"), None, suite.MACHINE_STOPPED),
             ("clocks of one period", by_name["saxpy"], ("--set", "clocks.memory=1000 MHz"), None, suite.DONE),
             ("stopped with rows of a CTM chip open", ctm, ("--max-cycles", "9000"), "r580", suite.MACHINE_STOPPED),
             ("CTM chip", ctm, (), "r580", suite.DONE),
             ("shuffled ticks", by_name["saxpy"], ("--seed", "5"), None, suite.DONE),
             ("DMA chip", copies, (), "juniper", suite.DONE)]
    failed = []
    for name, workload, options, asic, status in runs:
        result, rows = traced(command, workload, options, asic)
        # A CTM chip's timeline has no places of transactions.
        faults = attribution.slice_faults if workload is ctm else attribution.timeline_faults
        found = faults(result.stats, rows) if result.status == status else [suite.why(result)]
        failed += [f"timeline of {name}: {fault}" for fault in found]
    result, rows = traced(command, by_name["saxpy"])
    row = rows["transactions.dram"]
    row[3] = row[3]._replace(name=str(int(row[3].name) + 1))
    if not attribution.timeline_faults(result.stats, rows):
        failed.append("a wrong number in the timeline is not noticed")
    failed += check_ends(command, by_name["matmul"])
    return failed


def check_ends(command, workload):
    """What the end of a run cuts short says so, and nothing else does."""
    end = 5000  # of the run, ns: a burst of memory that has begun may be drawn beyond it
    _, rows = traced(command, workload, ("--max-cycles", str(end)))
    marked = [(row, s) for row, spans in rows.items() for s in spans if OPEN in s.detail]
    failed = [f"{row}: {s} does not reach the end" for row, s in marked if s.end < end - 2]  # a cycle of memory
    kinds = {re.sub(r"\d+", "N", row) for row, s in marked}
    return failed + [f"nothing of {row} is open in a run that has been stopped" for row in (
        "seN.shN.cuN.simdN.slotN", "seN.shN.cuN.simdN.slotN.waits", "spi.gfx", "mcN.bankN") if row not in kinds]


def check_details(command):
    failed = check_timelines(command)
    by_name = {w.name: w for w in suite.workloads()}
    for name in DETAILED:
        result = suite.run(command, by_name[name], options=["--profile", "--series", "700"])
        if result.status != suite.DONE:
            return [f"{name}: {suite.why(result)}"]
        stats = result.stats
        found = attribution.faults(stats) + attribution.profile_faults(stats) + attribution.series_faults(stats)
        failed += [f"{name}: {fault}" for fault in found]
    for chip in ("a530", "a630", "a750"):
        [write] = [w for w in suite.adreno_workloads(chip) if w.path.stem == "mem_write"]
        result = suite.run(command, write, asic=chip, options=["--profile"])
        failed += [f"{chip}: {fault}" for fault in
                   (attribution.microcode_faults(result.stats) if result.status == suite.DONE else [suite.why(result)])]
    failed += [f"{what}: a wrong number is not noticed" for what, wrong in doctored(stats)
               if not attribution.faults(wrong)]
    plain, *others = (suite.run(command, by_name["radix_pass"], options=options) for options in
                      ([], ["--seed", "5"], ["--check-protocol"], ["--random-stall", "20", "--seed", "5"]))
    for what, run, same in zip(("shuffled ticks", "protocol checkers", "channels that refuse"), others, (True, True, False)):
        failed += [f"{what}: {fault}" for fault in attribution.faults(run.stats)]
        if same and any(run.stats[key] != plain.stats[key] for key in ("attribution", "kernels")):
            failed.append(f"{what}: the cycles go elsewhere")
    functional = suite.run(command, by_name["saxpy"], mode="functional").stats
    if "attribution" in functional or "counts no cycles" not in functional["attribution_absent"]:
        failed.append("functional mode says nothing of the attribution it has not")
    stopped = suite.run(command, by_name["matmul"], options=["--max-cycles", "5000"])
    if stopped.status != suite.MACHINE_STOPPED:
        failed.append(f"--max-cycles: {suite.why(stopped)}")
    else:
        failed += [f"stopped: {fault}" for fault in attribution.memory_faults(stopped.stats)]
        waves = stopped.stats["attribution"]["waves"]
        failed += [f"stopped: {fault}" for fault in attribution.sums("waves", waves["reasons"], waves["total"])]
        if waves["total"] == 0 or stopped.stats["attribution"]["memory"]["open"] == 0:
            failed.append("stopped: nothing is under way")
    for option in (["--profile"], ["--series", "100"]):
        refused = suite.run(command, by_name["saxpy"], options=option, stats=False)
        if refused.status != suite.BAD_USAGE or "--stats" not in refused.output:
            failed.append(f"{option[0]} without --stats: {suite.why(refused)}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=suite.default_command())
    parser.add_argument("--asic")
    parser.add_argument("--jobs", type=int, default=suite.default_jobs())
    parser.add_argument("what", nargs="?", choices=["details"])
    a = parser.parse_args()
    if (a.asic is None) == (a.what is None):
        parser.error("either --asic or details")
    failed = check_workloads(a.command, a.asic, a.jobs) if a.asic else check_details(a.command)
    for line in failed:
        print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
