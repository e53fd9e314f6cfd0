#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exploration from Python, without a notebook: a run, a sweep of it, and what pandas makes of the results.

    PYTHONPATH=python ARCHIPELAGO_COMMAND=build/release/archipelago examples/exploration/points.py [DATABASE]
"""

import sys
from pathlib import Path

import archipelago

HERE = Path(__file__).resolve().parent


def main(database: str) -> None:
    run = archipelago.run(HERE / "copy.yaml", set={"topology.cu_per_sh": 2})
    print(f"copy on 8 compute units: {run.cycles} cycles, {run.total('mc', 'bytes_read')} bytes read from DRAM")

    sweep = archipelago.Sweep(folder=HERE, workload="copy.yaml",
                              parameters={"topology.cu_per_sh": [1, 2, 4], "memory.channel_map.channels": [4, 8]})
    results = sweep.run(database)
    cycles = results.runs.pivot(index="topology.cu_per_sh", columns="memory.channel_map.channels", values="cycles")
    print("\ncycles by compute units of a SH and by memory channels")
    print(cycles.to_string())

    table = results.runs[["topology.cu_per_sh", "memory.channel_map.channels", "cycles"]].join(
        results.totals("mc.queue_cycles", "tcc.mshr_full_cycles"))
    table["area"] = results.metric("area", HERE / "weights.yaml")
    print("\nwhat goes with them")
    print(table.to_string())
    results.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "points.sqlite")
