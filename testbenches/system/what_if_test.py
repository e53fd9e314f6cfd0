#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""configs/what_if.yaml: each resource can be made free on Tahiti, those of a micro engine on an Adreno, and a workload that is
bound by it then needs fewer cycles."""

import argparse
import sys

import yaml

import suite

# Of each resource a workload that it bounds, the part of its cycles, in percent, that must go, and overrides of both runs.
ADRENO = "a630"
ONE_CU = {"topology.shader_engines": 1, "topology.sh_per_se": 1, "topology.cu_per_sh": 1}
BOUND_BY = {
    "instruction_fetch": ("queens", 15, {}),
    "lds_banks": ("matmul", 40, ONE_CU),
    "l1_bandwidth": ("typed_matmul", 5, {}),
    "l1_latency": ("sub_dword", 10, {}),
    "l2_bandwidth": ("stream_copy", 10, {}),
    "l2_latency": ("saxpy", 10, {}),
    "dram_bandwidth": ("stream_copy", 10, {}),
    "dram_latency": ("saxpy", 30, {}),
    "valu_issue": ("mandelbrot", 30, ONE_CU),
    "occupancy": ("reduction", 10, ONE_CU),
    "cp_fetch": ("ring_lock", 10, {}),
    "cp_packets": ("ring_lock", 10, {}),
    "register_bus": ("ring_lock", 4, {}),
    "dispatch": ("context_roll", 2, {}),
    "fence": ("vector_add", 5, {}),
    "cp_instructions": ("adreno/from_a6xx/set_mode", 20, {}),
    "cp_register_reads": ("adreno/all/mixing", 10, {}),
    "cp_memory": ("adreno/from_a6xx/memcpy", 40, {}),
}


def cycles(command, workload, overrides):
    options = [word for path, value in overrides.items() for word in ("--set", f"{path}={value}")]
    asic = ADRENO if workload.name.startswith("adreno/") else suite.MAIN_CHIP
    result = suite.run(command, workload, asic=asic, options=options)
    return (result.stats["cycles"], "") if result.status == suite.DONE else (0, suite.why(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", default=suite.default_command())
    command = parser.parse_args().command
    resources = yaml.safe_load((suite.ROOT / "configs" / "what_if.yaml").read_text())
    by_name = {w.name: w for w in [*suite.workloads(), *suite.adreno_workloads(ADRENO)]}
    failed = [f"{name}: in one of what_if.yaml and this test only" for name in resources.keys() ^ BOUND_BY.keys()]
    for name in sorted(resources.keys() & BOUND_BY.keys()):
        workload, percent, chip = BOUND_BY[name]
        entry = resources[name]
        failed += [f"{name}: no {key}" for key in ("meaning", "limits", "overrides") if not entry.get(key)]
        before, why = cycles(command, by_name[workload], chip)
        after, why_not = cycles(command, by_name[workload], {**chip, **entry["overrides"]})
        print(f"{name}: {workload} {before} -> {after}")
        if why or why_not:
            failed.append(f"{name}: {why or why_not}")
        elif after > before * (100 - percent) / 100:
            failed.append(f"{name}: {workload} takes {after} cycles, {before} before: expected {percent} % fewer")
    for line in failed:
        print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
