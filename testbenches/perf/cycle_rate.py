#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast cycle mode is on kernels that fill the chip, and what tracing costs.

  cycle_rate.py --command build/release/archipelago [--compare OTHER] [--rounds N] [KERNEL...]

Takes kernels of the suite with index ranges large enough for every compute unit (buffers grow with
them; results are not checked here, the suite does that) and prints, per kernel, work-groups,
wave-instructions and cycles of one run, million wave-instructions per second of CPU time and, with a
timeline written, by what factor the run is slower. Loading is left out: of a run's CPU time counts
the share that the simulation had of its elapsed time. Runs alternate and the best of several counts,
so that a busy machine disturbs all alike. With --compare a second command runs in turn with the first
and the ratio of the two is printed; simulated counts must then be equal. Judges nothing else.
"""
import argparse
import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testbenches" / "support"))
from arguments import program  # noqa: E402

WORKLOADS = ROOT / "testbenches" / "workloads"

# Workload: global size to run with (None: as it is). Buffers grow with the number of work-items.
KERNELS = {
    "matmul_large": None,           # LDS tiles, barriers
    "matmul": None,
    "mandelbrot": [512, 256, 1],    # vector ALU, divergent loops
    "collatz": [65536, 1, 1],
    "nbody": [4096, 1, 1],          # f32 with reciprocal roots
    "hash_mix": [32768, 1, 1],      # 64-bit integers
    "reduction": [262144, 1, 1],    # loads, LDS, barriers
    "prefix_sum": [131072, 1, 1],
    "stencil3d": [128, 64, 32],     # many loads, reuse in L1
    "transpose": [640, 384, 1],
    "saxpy": [262144, 1, 1],        # memory
    "stream_copy": [65536, 1, 1],
}


def enlarged(name, folder):
    """Writes the workload with its larger size; returns its path and the number of work-groups."""
    source = WORKLOADS / f"{name}.yaml"
    text = yaml.safe_load(source.read_text())
    kernel = text["kernel"]
    size = KERNELS.get(name) or kernel["global_size"]
    factor = math.prod(size) // math.prod(kernel["global_size"])
    kernel["global_size"] = size
    kernel["code"] = str(WORKLOADS / kernel["code"])
    for argument in kernel["args"]:
        argument.pop("expect", None)
        buffer = argument.get("buffer", {})
        if "zeros" in buffer:
            buffer["zeros"] *= factor
        elif "random" in buffer:
            buffer["random"]["count"] *= factor
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(text))
    groups = math.prod(-(-a // b) for a, b in zip(size, kernel["local_size"]))
    return path, groups


def run(command, workload, folder, *options):
    """(simulated counts, CPU seconds of the simulation)."""
    stats = folder / "stats.json"
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([command, "run", "--quiet", "--mode", "cycle", "--stats", stats, *options,
                    workload], check=True)
    elapsed = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    data = json.loads(stats.read_text())
    simulation = min(1.0, data.pop("host_seconds") / elapsed)
    return data, cpu * simulation


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=program, required=True)
    parser.add_argument("--compare", type=program, help="another build of the command")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    unknown = [k for k in arguments.kernels if k not in KERNELS]
    if unknown:
        parser.error(f"unknown kernel {unknown[0]}; known: {', '.join(KERNELS)}")
    compare = arguments.compare
    print(f"{'kernel':14} {'groups':>6} {'wave-inst':>10} {'cycles':>8} {'M/s':>6} {'traced':>7}"
          + (f" {'M/s other':>10} {'ratio':>6}" if compare else ""))
    status = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kernel in arguments.kernels or KERNELS:
            workload, groups = enlarged(kernel, folder)
            plain, traced, other = [], [], []
            for _ in range(arguments.rounds):
                data, seconds = run(arguments.command, workload, folder)
                plain.append(seconds)
                traced.append(run(arguments.command, workload, folder, "--trace",
                                  folder / "trace")[1])
                if compare:
                    theirs, seconds = run(compare, workload, folder)
                    other.append(seconds)
                    if theirs != data:
                        print(f"{kernel}: the two commands simulate differently")
                        status = 1
            count = data["wave_instructions"]
            line = (f"{kernel:14} {groups:6} {count:10} {data['cycles']:8}"
                    f" {count / min(plain) / 1e6:6.2f} {min(traced) / min(plain):7.2f}")
            if compare:
                line += f" {count / min(other) / 1e6:10.2f} {min(other) / min(plain):6.2f}"
            print(line, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
