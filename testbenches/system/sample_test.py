#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sampled runs estimate the cycles of the whole within a bound.

    sample_test.py ARCHIPELAGO [--table]      --table prints what testbenches/host/README.md shows
"""

import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import dump_workload
import suite

REPEAT, EVERY = 12, 4
KERNELS = ("saxpy", "reduction", "transpose", "matmul", "stencil3d", "nbody", "histogram")
MOST_PERCENT = 5.0


def repeated(workload, folder):
    """A copy of the workload that runs its kernel REPEAT times."""
    copy, _ = dump_workload.write(workload.path, folder)
    text, count = re.subn(r"^kernel:\n", f"kernel:\n  repeat: {REPEAT}\n", Path(copy).read_text(), flags=re.M)
    if count != 1:
        sys.exit(f"{workload.path}: no kernel to repeat")
    Path(copy).write_text(text)
    return replace(workload, path=Path(copy))


def measure(command, workload):
    """(samples, estimate, whole, error in percent)"""
    with tempfile.TemporaryDirectory(prefix="archipelago-sample-test-") as folder:
        copy = repeated(workload, folder)
        done = subprocess.run([suite.ROOT / "scripts" / "sample", copy.path, "--every", str(EVERY), "--full",
                               "--command", command, *workload.options], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    found = re.search(r"^(\d+) of \d+ dispatches.*\nestimate (\d+) cycles\nwhole run (\d+) cycles, error (\S+) %$",
                      done.stdout, re.M)
    if done.returncode != 0 or not found:
        sys.exit(f"{workload.name}: exit status {done.returncode}\n{done.stdout}")
    return int(found[1]), int(found[2]), int(found[3]), float(found[4])


def main():
    command, table = sys.argv[1], "--table" in sys.argv
    by_name = {w.name: w for w in suite.workloads()}
    bad = 0
    for name in KERNELS:
        samples, estimate, whole, error = measure(command, by_name[name])
        bad += abs(error) > MOST_PERCENT
        print(f"| {name} | {samples} of {REPEAT} | {estimate} | {whole} | {error:+.2f} % |" if table else
              f"{name}: {samples} of {REPEAT} dispatches, estimate {estimate}, whole {whole}, error {error:+.2f} %")
    print(f"{len(KERNELS) - bad} of {len(KERNELS)} within {MOST_PERCENT} %")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
