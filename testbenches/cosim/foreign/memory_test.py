#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every workload meets its expectations when rings, kernels and buffers lie in a Verilog memory.

    memory_test.py COMMAND MEMORY.so WORKLOADS
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

COMMAND, MEMORY, FOLDER = take(__doc__, command=program, memory=existing, workloads=existing)
TOO_LONG = {"matmul_large"}


def main():
    workloads = [w for w in sorted(Path(FOLDER).glob("*.yaml")) if w.stem not in TOO_LONG]
    if len(workloads) < 20:
        print(f"{FOLDER} holds {len(workloads)} workloads")
        return 1
    bad = 0
    for workload in workloads:
        done = subprocess.run([COMMAND, "run", str(workload), "--verilog", MEMORY],
                              capture_output=True, text=True)
        told = done.stdout + done.stderr
        traffic = re.search(r"port0: (\d+) reads, (\d+) writes", told)
        if done.returncode != 0 or traffic is None or "0" in traffic.groups():
            bad += 1
            print(f"{workload.stem}: status {done.returncode}\n{told}")
    print(f"{len(workloads)} workloads, {bad} complaints")
    return 1 if bad else 0


sys.exit(main())
