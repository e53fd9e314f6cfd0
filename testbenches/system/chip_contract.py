#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the whole chip must keep on any workload, checked through the command.

    chip_contract.py CONTRACT [WORKLOAD...] --command ARCHIPELAGO [--archive DIRECTORY] [--jobs N]
                     [--recorded DIRECTORY] [--twins-alone all|in-turn]
    chip_contract.py record --recorded DIRECTORY --command ARCHIPELAGO [--archive DIRECTORY] [--count N] [--jobs N]

`record` runs every workload once in each mode and keeps statistics and memory, which contracts with --recorded take
for the run they compare others with; without it they make that run themselves.
"""

import argparse
import pickle
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import checkpoints
import dump_workload
import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program  # noqa: E402

TICK_SEEDS = (1, 2, 3, 20111222)
STALL_PERCENT = 30
STALL_SEEDS = (1, 2)
# Under these, stores of vertex shaders reach L2 long after CP has executed the packets of their draws.
SLOW_L2 = (("--set", "links.l2.latency.cycles=3000"), ("--random-stall", "80", "--seed", "4"))


class Failure(Exception):
    pass


def first_difference(a, b):
    """Where two statistics differ, by unit and counter; both texts are JSON, one value a line."""
    section = ""
    for line_a, line_b in zip(a.splitlines(), b.splitlines()):
        if line_a != line_b:
            return f"{section}{line_a.strip()} against {line_b.strip()}"
        if line_a.endswith("{"):
            section = line_a.strip().rstrip("{ ")
    return "one is longer than the other"


def cycles_of(stats_text):
    line = next(line for line in stats_text.splitlines() if '"cycles":' in line)
    return int(line.split(":")[1].rstrip(","))


def run_ok(a, workload, mode="cycle", options=()):
    """Statistics text without the host's time; raises Failure."""
    result = suite.run(a.command, workload, mode=mode, options=options)
    if result.status != suite.DONE:
        raise Failure(f"{mode} mode{''.join(' ' + o for o in options)}: {suite.why(result)}")
    return suite.results_of(result.stats_text)


@dataclass(frozen=True)
class Run:
    stats: str  # without the host's time
    memory: list  # [(what, bytes) of all memory the workload names]


def plain_run(a, workload, mode="cycle"):
    """The Run without options, recorded or made now; raises Failure."""
    if a.recorded:
        path = recorded_path(a, workload, mode)
        if not path.exists():
            raise Failure(f"{path} is missing: record the workloads")
        return pickle.loads(path.read_bytes())
    return run_to_dumps(a, workload, mode=mode)


def recorded_path(a, workload, mode):
    return Path(a.recorded) / f"{workload.name.replace('/', '_')}.{mode}"


def record(a, workload):
    """Every workload runs in both modes, and names memory."""
    for mode in suite.MODES:
        recorded_path(a, workload, mode).write_bytes(pickle.dumps(run_to_dumps(a, workload, mode=mode)))


def must_be_equal(what, a, b):
    if a != b:
        raise Failure(f"{what}: {first_difference(a, b)}")


def two_runs_are_identical(a, workload):
    """Nothing but the host's time differs between two runs, in either mode."""
    for mode in suite.MODES:
        must_be_equal(f"second run in {mode} mode differs", plain_run(a, workload, mode).stats,
                      run_ok(a, workload, mode))


def tick_order_does_not_matter(a, workload):
    """Whatever the order of ticks within a cycle, every counter ends the same."""
    base = plain_run(a, workload).stats
    for seed in TICK_SEEDS:
        must_be_equal(f"--seed {seed}", base, run_ok(a, workload, options=["--seed", str(seed)]))


def random_stall_keeps_results(a, workload):
    """Channels that refuse at random change the time, never what is computed, and the same seed
    refuses in the same cycles."""
    unhindered = cycles_of(plain_run(a, workload).stats)
    cycles = set()
    for seed in STALL_SEEDS:
        options = ["--random-stall", str(STALL_PERCENT), "--seed", str(seed)]
        stalled = run_ok(a, workload, options=options)
        must_be_equal(" ".join(options) + " differs from itself", stalled,
                      run_ok(a, workload, options=options))
        cycles.add(cycles_of(stalled))
    if cycles == {unhindered}:
        raise Failure(f"nothing stalled: {unhindered} cycles as without")


def slow_l2_keeps_results(a, workload):
    """The host's fence waits for all shaders, however long their stores take to L2."""
    for options in SLOW_L2:
        run_ok(a, workload, options=options)


def protocol_is_kept(a, workload):
    """No socket breaks the TLM-2.0 base protocol, and the checkers cost no cycle."""
    must_be_equal("--check-protocol", plain_run(a, workload).stats,
                  run_ok(a, workload, options=["--check-protocol"]))


def observers_change_nothing(a, workload):
    """A timeline and every log attached: no counter differs."""
    with tempfile.TemporaryDirectory(prefix="archipelago-contract-") as scratch:
        trace, log = Path(scratch) / "trace", Path(scratch) / "log"
        observed = run_ok(a, workload, options=["--trace", str(trace), "--log",
                                                "pm4,isa,dma,reg,mem", "--log-file", str(log)])
        for path in (trace, log):
            if not path.exists() or path.stat().st_size == 0:
                raise Failure(f"the {path.name} is empty")
    must_be_equal("with observers", plain_run(a, workload).stats, observed)


def run_to_dumps(a, workload, mode="cycle", options=(), environment=None):
    """The Run, of a copy of the workload that dumps its memory; raises Failure."""
    with tempfile.TemporaryDirectory(prefix="archipelago-contract-") as scratch:
        copy, dumps = dump_workload.write(workload.path, scratch)
        if not dumps:
            raise Failure("names no memory to compare")
        result = suite.run(a.command, replace(workload, path=copy), mode=mode, options=options,
                           environment=environment)
        if result.status != suite.DONE:
            raise Failure(f"{mode} mode{''.join(' ' + o for o in options)}: {suite.why(result)}")
        return Run(suite.results_of(result.stats_text), [(d.what, d.path.read_bytes()) for d in dumps])


def memory_must_be_equal(name_a, a, name_b, b):
    for (what, bytes_a), (_, bytes_b) in zip(a.memory, b.memory):
        if len(bytes_a) != len(bytes_b) or not bytes_a:
            raise Failure(f"{what}: {len(bytes_a)} bytes against {len(bytes_b)}")
        if bytes_a != bytes_b:
            at = next(i for i, (x, y) in enumerate(zip(bytes_a, bytes_b)) if x != y)
            raise Failure(f"{what}, byte {at:#x}: {name_a} {bytes_a[at:at + 8].hex()}, "
                          f"{name_b} {bytes_b[at:at + 8].hex()}")


def memory_is_identical_between_modes(a, workload):
    """Every buffer and every mapped range ends byte for byte the same in both modes."""
    first, second = suite.MODES
    memory_must_be_equal(first, plain_run(a, workload, first), second, plain_run(a, workload, second))


def results_do_not_depend_on_the_host(a, workload):
    """Memory and statistics of functional mode are the same without the host's vector unit."""
    default = plain_run(a, workload, "functional")
    portable = run_to_dumps(a, workload, "functional", environment={"ARCHIPELAGO_LANES": "portable"})
    memory_must_be_equal("default", default, "portable", portable)
    must_be_equal("with portable lanes", default.stats, portable.stats)


def twins_change_nothing(a, workload):
    """With each block that has a Verilog twin exchanged for it, and with all of them: no counter that the pins show
    differs, the cycles included, and no byte of memory. With --twins-alone in-turn, each workload
    has one of the twins alone; the whole compute unit among all is boundary_lockstep.py's."""
    twins = suite.twins(workload)
    if not twins:
        raise Failure("no block has a twin")
    model = plain_run(a, workload)
    together = suite.twins_together(workload)
    if a.twins_alone == "in-turn":
        twins, together = [twins[a.items.index(workload) % len(twins)]], together[-1:]
    for swapped in dict.fromkeys([(t,) for t in twins] + together):
        name = "with " + " and ".join(swapped)
        other = run_to_dumps(a, workload, options=[o for t in swapped for o in ("--rtl", t)])
        memory_must_be_equal("model", model, name, other)
        must_be_equal(name, suite.at_the_pins(model.stats, swapped), suite.at_the_pins(other.stats, swapped))


def restored_runs_go_on_identically(a, workload):
    """A run that goes on from a checkpoint in the middle is the run that wrote it: memory, every counter, every cycle,
    and, in cycle mode, the timeline from there on."""
    for mode in suite.MODES:
        with tempfile.TemporaryDirectory(prefix="archipelago-contract-") as scratch:
            file = Path(scratch) / "checkpoint"
            copy, dumps = dump_workload.write(workload.path, scratch)
            point = checkpoints.middle(workload.path)

            def run(name, options):
                trace = Path(scratch) / name
                timeline = ["--trace", str(trace)] if mode == "cycle" else []
                result = suite.run(a.command, replace(workload, path=copy), mode=mode, options=[*options, *timeline])
                if result.status not in (suite.DONE, suite.EXPECTATION_FAILED):
                    raise Failure(f"{mode} mode {' '.join(options)}: {suite.why(result)}")
                memory = [(d.what, d.path.read_bytes()) for d in dumps]
                behind = checkpoints.spans_behind(trace, checkpoints.time_of(file)) if timeline else {}
                return result.output, Run(suite.results_of(result.stats_text), memory), behind

            said, on, behind = run("on", ["--checkpoint-at", point, "--checkpoint", str(file)])
            said_too, restored, behind_too = run("restored", ["--restore", str(file)])
            # The fence at the point may add what an expectation counts: an entry of an interrupt ring.
            must_be_equal(f"restored at {point} in {mode} mode", on.stats, restored.stats)
            memory_must_be_equal("running on", on, "restored", restored)
            if said != said_too:
                raise Failure(f"{mode} mode, {point}: {said!r} against {said_too!r}")
            for row in sorted({*behind, *behind_too}):
                if behind.get(row) != behind_too.get(row):
                    raise Failure(f"{mode} mode, {point}: the timelines differ in {row}")


CONTRACTS = {f.__name__: f for f in (
    record, two_runs_are_identical, tick_order_does_not_matter, random_stall_keeps_results,
    slow_l2_keeps_results, protocol_is_kept, observers_change_nothing, memory_is_identical_between_modes,
    results_do_not_depend_on_the_host, twins_change_nothing, restored_runs_go_on_identically)}


def selected(a):
    if a.archive:
        return suite.archive(a.archive)
    everything = [w for chip in (suite.MAIN_CHIP, suite.CTM_CHIPS[0]) for w in suite.workloads_of(chip)
                  if w.name not in suite.LONG] + suite.each_adreno_workload()
    if not a.workload:
        return everything
    unknown = set(a.workload) - {w.name for w in everything}
    if unknown:
        sys.exit(f"no such workload here: {', '.join(sorted(unknown))}")
    return [w for w in everything if w.name in a.workload]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("contract", choices=CONTRACTS)
    parser.add_argument("workload", nargs="*")
    parser.add_argument("--command", type=program, required=True)
    parser.add_argument("--archive", help="run the workloads of this folder instead")
    parser.add_argument("--count", type=int, help="how many workloads there must be")
    parser.add_argument("--recorded", help="where the workloads' plain runs are kept")
    parser.add_argument("--jobs", type=int, default=suite.default_jobs())
    parser.add_argument("--twins-alone", choices=("all", "in-turn"), default="all",
                        help="of twins_change_nothing: what each workload runs with besides all twins")
    a = parser.parse_args()
    contract = CONTRACTS[a.contract]
    if contract is record:
        if not a.recorded:
            parser.error("record needs --recorded")
        shutil.rmtree(a.recorded, ignore_errors=True)
        Path(a.recorded).mkdir(parents=True)

    def attempt(workload):
        try:
            contract(a, workload)
        except Failure as failure:
            return str(failure)
        return None

    a.items = items = selected(a)
    if a.count not in (None, len(items)):
        print(f"{len(items)} workloads, expected {a.count}")
        return 1
    verdicts = suite.in_parallel(attempt, items, a.jobs)
    broken = [(w, v) for w, v in zip(items, verdicts) if v is not None]
    for workload, verdict in broken:
        print(f"{workload.name}: {verdict}")
    print(f"{a.contract}: kept by {len(items) - len(broken)} of {len(items)} workloads")
    return 1 if broken or not items else 0


if __name__ == "__main__":
    sys.exit(main())
