#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is measured of a part of a run is near the whole, and testbenches/host/PARTS.md says how near.

    sample_test.py ARCHIPELAGO repetitions|caches|groups [--table]      --table prints the rows of that page

repetitions: scripts/sample --every of a kernel's dispatches. caches: a dispatch behind a fast-forward, with cold and with
warm caches, against the same one in a run in cycle mode. groups: scripts/sample --block of a dispatch's work-groups.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import suite
import yaml

PAGE = suite.ROOT / "testbenches" / "host" / "PARTS.md"
BY_NAME = {w.name: w for w in suite.workloads()}
# Percent. A row of the page may be off by so much more before it has to be written anew.
ROW_IS_OFF = 2.0

REPEAT, EVERY = 12, 4
REPEATED = ("saxpy", "reduction", "transpose", "matmul", "stencil3d", "nbody", "histogram")
REPEATED_ERROR = 5.0

# Dispatches that find in L2 what the ones before left, as those of one command buffer do.
KEEP_L2 = {"repeat": 4, "sync": "first_level"}
CACHED = ("saxpy", "reduction", "transpose", "matmul", "stencil3d", "histogram", "sobel", "sparse_mv")
WARM_ERROR = 2.0

# Dispatches of many times the groups that the chip holds: {kernel: (groups of a block, what changes)}.
SMALL_CHIP = ["--asic", "hainan", "--set", "topology.cu_per_sh=2", "--set", "clocks.memory=1375 MHz"]
BLOCKS_EVERY = 4
GROUPS_ERROR = 6.0


def random(kind, count, seed):
    return {"buffer": {"random": {"type": kind, "count": count, "seed": seed}}}


def zeros(size):
    return {"buffer": {"zeros": size}}


LARGE = {
    "saxpy": (40, {"global_size": [131072, 1, 1], "args": [random("f32", 131072, 1), random("f32", 131072, 2),
                                                           {"f32": 2.0}]}),
    "reduction": (10, {"global_size": [131072, 1, 1], "args": [zeros(2048), zeros(2048), random("i32", 131072, 10),
                                                               random("f32", 131072, 11)]}),
    "transpose": (10, {"global_size": [384, 384, 1], "args": [zeros(589824), random("i32", 147456, 29)]}),
    "matmul": (10, {"global_size": [256, 512, 1], "args": [zeros(524288), random("f32", 32768, 6),
                                                           random("f32", 16384, 7), {"i32": 256}, {"i32": 64}]}),
    "stencil3d": (20, {"global_size": [64, 64, 16], "args": [zeros(262144), random("f32", 65536, 30), {"f32": 0.5},
                                                             {"f32": 0.0625}]}),
    "mandelbrot": (20, {"global_size": [256, 256, 1], "args": [zeros(262144), {"i32": 100}]}),
    "collatz": (40, {"global_size": [65536, 1, 1], "args": [zeros(262144)]}),
    "sobel": (20, {"global_size": [384, 384, 1], "args": [zeros(147456), random("u8", 147456, 106), {"i32": 384},
                                                          {"i32": 384}]}),
}


def changed(name, changes, folder):
    """(file of the workload with other keys of its kernel and without expectations, options)"""
    workload = BY_NAME[name]
    kernel = {**yaml.safe_load(workload.path.read_text())["kernel"], **changes}
    kernel["code"] = str(workload.source)
    for argument in kernel["args"]:
        argument.pop("expect", None)
    file = Path(folder) / f"{name}.yaml"
    file.write_text(yaml.safe_dump({"kernel": kernel}))
    return file, workload.options


def output_of(arguments):
    done = subprocess.run([str(a) for a in arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{arguments}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def sampled(command, name, changes, options):
    """(measured, estimate, whole, error) as scripts/sample prints them"""
    with tempfile.TemporaryDirectory(prefix="archipelago-sample-test-") as folder:
        file, code = changed(name, changes, folder)
        text = output_of([suite.ROOT / "scripts" / "sample", file, "--full", "--command", command, *code, *options])
    found = re.search(r"^(\d+) .*\nestimate (\d+) cycles\nwhole \w+ (\d+) cycles, error (\S+) %$", text, re.M)
    if not found:
        sys.exit(f"{name}: scripts/sample said\n{text}")
    return int(found[1]), int(found[2]), int(found[3]), float(found[4])


def repetitions(command):
    for name in REPEATED:
        samples, estimate, whole, error = sampled(command, name, {"repeat": REPEAT}, ["--every", EVERY])
        yield (f"| {name} | {samples} of {REPEAT} | {estimate} | {whole} | {error:+.2f} % |",
               abs(error) <= REPEATED_ERROR)


def last_dispatch(command, file, *options):
    """Cycles of the kernel's last dispatch."""
    stats = file.with_suffix(".json")
    output_of([command, "run", "--quiet", "--stats", stats, *options, file])
    kernel = json.loads(stats.read_text())["kernels"][-1]
    return kernel["end"] - kernel["start"]


def caches(command):
    before = f"kernel:{KEEP_L2['repeat'] - 1}"
    for name in CACHED:
        with tempfile.TemporaryDirectory(prefix="archipelago-sample-test-") as folder:
            file, code = changed(name, KEEP_L2, folder)
            whole = last_dispatch(command, file, *code)
            cold, warm = (last_dispatch(command, file, *code, "--fast-forward", before, "--caches", kind)
                          for kind in ("cold", "warm"))
        errors = [100 * (cycles - whole) / whole for cycles in (cold, warm)]
        yield (f"| {name} | {whole} | {cold} | {errors[0]:+.2f} % | {warm} | {errors[1]:+.2f} % |",
               abs(errors[1]) <= WARM_ERROR < abs(errors[0]))


def groups(command):
    for name, (block, changes) in LARGE.items():
        measured, estimate, whole, error = sampled(command, name, changes,
                                                   [*SMALL_CHIP, "--every", BLOCKS_EVERY, "--block", block])
        yield (f"| {name} | {measured}, blocks of {block} | {estimate} | {whole} | {error:+.2f} % |",
               abs(error) <= GROUPS_ERROR)


def percents(row):
    return [float(p) for p in re.findall(r"([+-]\d+\.\d+) %", row)]


def is_documented(row):
    """Whether the page has this row, or one whose errors are nearly the same."""
    name, measured, *rest = row.split("|")[1:-1]
    for line in PAGE.read_text().splitlines():
        cells = line.split("|")[1:-1]
        # The second cell of caches is cycles.
        same = cells[:1] == [name] and len(cells) == len(rest) + 2 and (len(rest) == 4 or cells[1] == measured)
        if same and len(percents(line)) == len(percents(row)) and all(
                abs(a - b) <= max(ROW_IS_OFF, abs(b) / 10) for a, b in zip(percents(line), percents(row))):
            return True
    return False


def main():
    command, part = sys.argv[1], {"repetitions": repetitions, "caches": caches, "groups": groups}[sys.argv[2]]
    bad = 0
    for row, within in part(command):
        documented = "--table" in sys.argv or is_documented(row)
        bad += not (within and documented)
        print(row + ("" if within else "  <- beyond the bound") +
              ("" if documented else f"  <- {PAGE.name} has no such row: run with --table"), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
