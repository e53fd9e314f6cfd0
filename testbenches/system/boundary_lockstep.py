#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boundary lockstep: with the blocks of a chip on their pins, every counter is the one of the chip without pins.

    boundary_lockstep.py --command ARCHIPELAGO [--side model|twin] [--archive DIRECTORY] [--cases N | --all] [--seed S]
                         [--jobs N] [WORKLOAD...]

A case is a workload, blocks on pins, channels that stall at random or do not, and a Spec: the chip's own, or one of five
whose latencies and capacities are random. The blocks are all of the chip, once with the whole compute unit and once with
the parts of it that have pins. On the side `model` the model's own core stands at the pins, on `twin` the Verilog.

--cases takes N of all cases at random, from a fixed seed; --all takes all. A case that differs is printed with the options
that repeat it.
"""

import argparse
import random
import re
import sys
from dataclasses import dataclass
from functools import lru_cache

import chip_contract
import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program  # noqa: E402

STALL_PERCENT = 30
STALL_SEEDS = (None, 1, 2)
SPECS = range(6)  # 0 is the chip's own
SEED = 20111222

# Delays of which the Verilog takes no less; those that may be 0 by the model's rules stay 0.
LEAST = {"cu.vector_memory.ta_latency": 3}
# Delays that a Spec leaves as they are: lanes take a vector instruction in four cycles, and times of DRAM depend on each other.
FIXED = re.compile(r"cu\.issue\.valu_cycles\..*|memory\.dram\.timing\..*")
CAPACITY = re.compile(r"^(\S+\.capacity): (\d+) +# .*?an integer in (\d+)\.\.(\d+)", re.MULTILINE)
DELAY = re.compile(r"^(\S+): (\d+) +# .*?timing in cycles", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    workload: suite.Workload
    blocks: tuple
    stall_seed: int  # None: channels do not stall
    spec: int


def chip_of(workload):
    named = re.search(r"^asic: *(\S+)", workload.path.read_text(), re.MULTILINE)
    return named[1] if named else suite.MAIN_CHIP


@lru_cache(maxsize=None)
def parameters(command, chip):
    """Capacities and delays of the chip: path for --set, value, least and most."""
    fields = suite.describe(command, chip, "--fields")
    found = [(path, *map(int, numbers)) for path, *numbers in CAPACITY.findall(fields)]
    for path, value in DELAY.findall(fields):
        if value != "0" and not FIXED.fullmatch(path):
            found.append((path + ".cycles", int(value), LEAST.get(path, 1), 2 * int(value) + 1))
    return found


def random_spec(command, chip, number):
    """Options of `archipelago run` that set the Spec: a third of the chip's capacities and delays, from half of the
    chip's value to twice."""
    if number == 0:
        return []
    choice = random.Random(f"{chip} {number}")
    options = []
    for path, value, least, most in parameters(command, chip):
        if choice.random() < 1 / 3:
            least = max(least, (value + 1) // 2)
            options += ["--set", f"{path}={choice.randint(least, max(least, min(most, 2 * value + 1)))}"]
    return options


def options_of(command, case):
    stall = ["--random-stall", str(STALL_PERCENT), "--seed", str(case.stall_seed)] if case.stall_seed else []
    return stall + random_spec(command, chip_of(case.workload), case.spec)


def on_pins(blocks, side):
    return [option for block in blocks for option in ("--rtl", block + ("=model" if side == "model" else ""))]


def run(a, case, options):
    """Whether it has met its expectations, and what it counts. With another Spec a workload may meet them no longer: a
    second error comes before the first has been read."""
    result = suite.run(a.command, case.workload, options=options)
    if result.status not in (suite.DONE, suite.EXPECTATION_FAILED):
        raise chip_contract.Failure(f"{' '.join(options)}: {suite.why(result)}")
    return result.status, suite.at_the_pins(suite.results_of(result.stats_text), case.blocks)


def difference(a, case):
    """What differs from the chip without pins, with the options that repeat it; None: nothing."""
    plain = options_of(a.command, case)
    pinned = plain + on_pins(case.blocks, a.side)
    try:
        (status, counted), (status_on_pins, counted_on_pins) = run(a, case, plain), run(a, case, pinned)
        chip_contract.must_be_equal("on pins", counted, counted_on_pins)
        if status != status_on_pins:
            raise chip_contract.Failure(f"status {status}, on pins {status_on_pins}")
    except chip_contract.Failure as failure:
        return f"{case.workload.name} {' '.join(pinned)}: {failure}"
    return None


def cases_of(workloads):
    return [Case(workload, blocks, stall_seed, spec) for workload in workloads for blocks in suite.twins_together(workload)
            for stall_seed in STALL_SEEDS for spec in SPECS]


def sample(cases, count, seed):
    """`count` of them: each workload, and each kind of case, about equally often."""
    choice = random.Random(seed)
    by_workload = {}
    for case in choice.sample(cases, len(cases)):
        by_workload.setdefault(case.workload, []).append(case)
    turns = choice.sample(list(by_workload.values()), len(by_workload))
    chosen = []
    while len(chosen) < min(count, len(cases)):
        for left in turns:
            if left and len(chosen) < count:
                kinds = [(len(c.blocks), c.stall_seed, c.spec) for c in chosen]
                best = min(left, key=lambda c: kinds.count((len(c.blocks), c.stall_seed, c.spec)))
                left.remove(best)
                chosen.append(best)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="*")
    parser.add_argument("--command", type=program, required=True)
    parser.add_argument("--side", choices=("model", "twin"), default="twin")
    parser.add_argument("--archive", help="run the workloads of this folder instead")
    parser.add_argument("--cases", type=int, default=40, help="how many, at random")
    parser.add_argument("--all", action="store_true", help="all cases")
    parser.add_argument("--seed", type=int, default=SEED, help="of the choice of cases")
    parser.add_argument("--jobs", type=int, default=suite.default_jobs())
    a = parser.parse_args()
    cases = cases_of(chip_contract.selected(a))
    chosen = cases if a.all else sample(cases, a.cases, a.seed)
    differing = [text for text in suite.in_parallel(lambda case: difference(a, case), chosen, a.jobs) if text]
    for text in differing:
        print(text)
    print(f"{len(chosen) - len(differing)} of {len(chosen)} cases as without pins, of {len(cases)} "
          f"({a.side}; {len({c.workload for c in chosen})} workloads)")
    return 1 if differing or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
