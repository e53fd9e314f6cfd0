#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares functional mode with PoCL: the same OpenCL C, the same inputs, one core of the same CPU.

  opencl_ratio.py --command build/release/archipelago \\
                  --runner build/release/testbenches/perf/archipelago_opencl_runner [WORKLOAD...]

Prints, per kernel, seconds of one launch through PoCL, seconds of the same launch in functional mode and
their ratio; runs alternate, the best of several counts, so that a busy machine disturbs both alike. PoCL
compiles for the host; the ratio says what executing Southern Islands machine code instead costs.
Needs pocl-opencl-icd. Judges nothing.
"""
import argparse
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts" / "reference"), str(ROOT / "testbenches" / "support")]
from arguments import program  # noqa: E402
from workload_data import FORMATS, all_workloads  # noqa: E402

ROUNDS = 3


def arguments(workload, folder):
    out = []
    for index, argument in enumerate(workload.args):
        path = folder / f"arg{index}"
        if argument.data is not None:
            path.write_bytes(argument.data)
            out.append(f"buffer:{path}")
        else:
            path.write_bytes(struct.pack("<" + FORMATS[argument.kind], argument.value))
            out.append(f"scalar:{path}")
    return out


def opencl_seconds(runner, workload, folder):
    launched = subprocess.run(
        [runner, workload.code, workload.kernel, *map(str, workload.global_size),
         *map(str, workload.local_size), "5", *arguments(workload, folder)],
        env={**os.environ, "POCL_MAX_PTHREAD_COUNT": "1"}, capture_output=True, text=True)
    if launched.returncode != 0:
        raise RuntimeError((launched.stderr.strip() or "failed").splitlines()[0])
    return float(launched.stdout.splitlines()[-1])


def model(command, workload, folder):
    stats = folder / "stats.json"
    subprocess.run([command, "run", "--quiet", "--mode", "functional", "--stats", stats,
                    workload.path], check=True)
    data = json.loads(stats.read_text())
    return data["host_seconds"], data["wave_instructions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", type=program, required=True)
    parser.add_argument("--runner", type=program, required=True)
    parser.add_argument("workloads", nargs="*", help="names; all OpenCL kernels without")
    options = parser.parse_args()
    ratios = []
    print(f"{'kernel':20} {'PoCL us':>10} {'model us':>10} {'ratio':>8} {'M wave-inst/s':>14}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for workload in all_workloads():
            if workload.code.suffix != ".cl" or \
                    (options.workloads and workload.name not in options.workloads):
                continue
            try:
                opencl, ours, instructions = math.inf, math.inf, 0
                for _ in range(ROUNDS):
                    opencl = min(opencl, opencl_seconds(options.runner, workload, folder))
                    seconds, instructions = model(options.command, workload, folder)
                    ours = min(ours, seconds)
            except RuntimeError as error:
                print(f"{workload.name:20} not run by PoCL: {error}")
                continue
            ratios.append(ours / opencl)
            print(f"{workload.name:20} {opencl * 1e6:10.1f} {ours * 1e6:10.1f} {ours / opencl:8.1f}"
                  f" {instructions / ours / 1e6:14.2f}")
    if not ratios:
        sys.exit("nothing could be run")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} kernels, geometric mean of the ratios {mean:.1f}")


if __name__ == "__main__":
    main()
