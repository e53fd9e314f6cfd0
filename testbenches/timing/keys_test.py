#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every timing key moves something. A key whose value nothing observes is no parameter.

    keys_test.py [--command FILE] [--list]      --list: which workload each key moved

Each key of configs/timing is changed on its own, and small workloads run until the cycles, the counters or the exit
status of one differ from those of the chip as it is.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
TIMING = ROOT / "configs" / "timing"
WORKLOADS = ROOT / "testbenches" / "workloads"
MAX_CYCLES = 100000
# In the order they are tried: together they reach every block, the first most of them.
SI_ORDER = [FOLDER / "keys" / f"{name}.yaml" for name in ("instructions", "packets", "blend_32f")] + [
    WORKLOADS / f"{name}.yaml" for name in ("ce_constants", "draws_geometry", "perf_draws", "gds_asm", "special_asm",
                                            "data_packets", "gds_ordered", "draws_patches", "ring_semaphores",
                                            "async_dma/si/control", "async_dma/si/beside_compute", "draws_counters",
                                            *(f"captures/gl_{name}_tahiti/workload" for name in
                                              ("tri_smooth", "blend_mrt", "occlusion", "depth_range", "htile_large")))]
CTM_ORDER = [WORKLOADS / "ctm" / f"{name}.yaml" for name in ("conditional", "scatter", "mandelbrot", "conversion", "matmul")] + [
    FOLDER / "keys" / "ctm.yaml"]
# PFP and ME have every queue there is.
ADRENO_ORDER = [WORKLOADS / "adreno" / "all" / f"{name}.yaml" for name in ("mem_to_mem", "reg_to_mem", "buffers", "waits")]
# Files of keys, the chip that runs with them changed, workloads.
PARTS = ((("southern_islands", "system", "memory"), "verde", SI_ORDER), (("ctm",), "r580", CTM_ORDER), (("adreno",), "a530", ADRENO_ORDER))
# Keys that only what is not built could move.
UNUSED = {}


def timing_keys(tree, path=""):
    """(path with the unit of the number, number) of every delay."""
    for key, value in tree.items():
        if isinstance(value, dict) and "source" in value:
            unit = "ns" if "ns" in value else "cycles"
            yield f"{path}{key}.{unit}", value[unit]
        elif isinstance(value, dict):
            yield from timing_keys(value, f"{path}{key}.")


def observe(command, chip, stats, workload, setting=None):
    """What a run shows; None when the configuration refuses the setting."""
    stats.unlink(missing_ok=True)
    line = [command, "run", "--quiet", str(workload), "--asic", chip, "--max-cycles", str(MAX_CYCLES),
            "--stats", str(stats)]
    done = subprocess.run(line + (["--set", setting] if setting else []), capture_output=True, text=True, timeout=300)
    if done.returncode == 2:
        if setting is None:
            raise RuntimeError(f"{workload}: {done.stderr}")
        return None
    seen = json.loads(stats.read_text()) if stats.exists() else {}
    return done.returncode, seen.get("cycles"), seen.get("units")


class Search:
    def __init__(self, command, directory, chip, order):
        self.command, self.chip, self.order = command, chip, order
        self.directory = Path(directory)
        self.as_it_is = {w: observe(command, chip, self.directory / "as_it_is.json", w) for w in order}

    def moved_by(self, item):
        """The workload that the key moves, or None. Long delays first: some only show when work overtakes them."""
        key, number = item
        stats = self.directory / f"{threading.get_ident()}.json"
        for value in (number + 2000, number + 1, number - 1):
            for workload in self.order:
                seen = observe(self.command, self.chip, stats, workload, f"{key}={value}")
                if seen is None:
                    break  # another value may be in range
                if seen != self.as_it_is[workload]:
                    return workload.stem
            else:
                return None
        raise RuntimeError(f"{key}: the configuration refuses every value tried")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=str(ROOT / "build" / "release" / "archipelago"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    moved = {}
    for files, chip, order in PARTS:
        texts = [(TIMING / f"{name}.yaml").read_text() for name in files]
        keys = {key: number for text in texts for key, number in timing_keys(yaml.safe_load(text))}
        with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(options.jobs) as pool:
            search = Search(options.command, directory, chip, order)
            # Both parts have keys of the DRAM, of other values.
            moved.update(zip((key if chip == "verde" else f"{chip}: {key}" for key in keys),
                             pool.map(search.moved_by, keys.items())))
    failures = [f"{key} is excused and is no key" for key in UNUSED if key not in moved]
    for key, workload in moved.items():
        if options.list:
            print(f"{key}: {workload}")
        if workload is None and key not in UNUSED:
            failures.append(f"{key} moves nothing")
        if workload is not None and key in UNUSED:
            failures.append(f"{key} is excused ({UNUSED[key]}) and moves {workload}")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
