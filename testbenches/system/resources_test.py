#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Capacities, granules and widths of a compute unit decide how many waves run and how fast, never what a program may use or computes.

    resources_test.py ARCHIPELAGO

Fields of RSRC registers count in units of the ISA; the chip's granules round up what is asked for.
"""

import random
import sys
import unittest
from pathlib import Path

import suite
import yaml

COMMAND = Path(sys.argv.pop(1))

# Programs that use LDS, many registers, scratch, barriers, every graphics stage and the largest groups.
WORKLOADS = ("matmul", "reduction", "scratch", "register_array", "local_atomics", "fft", "draws_patches", "draws_geometry",
             "partial_groups", "bfs", "radix_pass")
# Registers of the largest wave, and of each wave of the largest group, which has 16.
ALONE, IN_A_GROUP = 128, 48
LEAST_LDS = 32768
ONE_CU = {"topology.shader_engines": 1, "topology.sh_per_se": 1, "topology.cu_per_sh": 1}
# A matrix multiply asks for 2 KiB of LDS a group, for VGPRs in fours, and SGPRs in eights.
DIVISORS = {"vgpr_granule": (1, 2), "sgpr_granule": (2, 4), "lds_granule": ("512 B", "1 KiB")}
WIDTHS = {"cu.issue.width": (1, 5), "cu.scalar_memory.queue": (1, 16), "cu.scalar_memory.outstanding": (1, 64),
          "cu.vector_memory.queue": (1, 16), "cu.vector_memory.outstanding": (1, 64), "cu.vector_memory.ta_requests_per_cycle": (1, 16),
          "cu.vector_memory.td_responses_per_cycle": (1, 16), "cu.vector_memory.td_bytes_per_cycle": (4, 1024)}
SEEDS = range(1, 7)


def registers(rng, name, waves, most):
    """Registers of a SIMD that hold so many waves of the largest group, in at most 256 granules."""
    while True:
        granule = rng.randint(1, 64)
        least = max(-(-ALONE // granule), waves * -(-IN_A_GROUP // granule))
        if least <= min(256, most // granule):
            return {f"{name}s": granule * rng.randint(least, min(256, most // granule)), f"{name}_granule": granule}


def random_unit(seed):
    """Overrides that give a chip another compute unit."""
    rng = random.Random(seed)
    simds = rng.randint(1, 4)
    waves = -(-16 // simds)  # of the largest group, on a SIMD
    granule = rng.randrange(128, 4097, 4)
    lds = granule * rng.randint(-(-LEAST_LDS // granule), 256)
    resources = {"simds": simds, "wave_slots": rng.randint(waves, 16), "barriers": rng.randint(1, 64),
                 **registers(rng, "vgpr", waves, 4096), **registers(rng, "sgpr", waves, 2048),
                 "lds": f"{lds} B", "lds_granule": f"{granule} B"}
    return {**{f"cu.resources.{key}": value for key, value in resources.items()},
            **{path: rng.randint(*ends) for path, ends in WIDTHS.items()}, "cu.lds.banks": 1 << rng.randint(1, 6)}


def run(workload, overrides):
    options = [word for path, value in overrides.items() for word in ("--set", f"{path}={value}")]
    return suite.run(COMMAND, workload, asic=suite.MAIN_CHIP, options=options)


class Resources(unittest.TestCase):
    def setUp(self):
        self.workloads = {w.name: w for w in suite.workloads()}

    def passes(self, name, overrides):
        result = run(self.workloads[name], overrides)
        self.assertEqual(result.status, suite.DONE, f"{name} {overrides}: {suite.why(result)}")
        return result.stats["cycles"]

    def test_any_legal_capacity_granule_and_width_keeps_programs_legal_and_results_right(self):
        for seed in SEEDS:
            overrides = random_unit(seed)
            for name in WORKLOADS:
                with self.subTest(seed=seed, workload=name):
                    self.passes(name, overrides)

    def test_a_granule_that_divides_what_is_asked_for_changes_no_cycle(self):
        before = self.passes("matmul", ONE_CU)
        for key, values in DIVISORS.items():
            for value in values:
                with self.subTest(key=key, value=value):
                    overrides = {**ONE_CU, f"cu.resources.{key}": value}
                    self.assertEqual(self.passes("matmul", overrides), before)

    def test_what_if_asks_about_occupancy_for_every_kernel(self):
        what_if = yaml.safe_load((suite.ROOT / "configs" / "what_if.yaml").read_text())["occupancy"]["overrides"]
        for name, workload in self.workloads.items():
            if workload.source and name not in suite.LONG:
                with self.subTest(workload=name):
                    self.passes(name, what_if)


if __name__ == "__main__":
    unittest.main()
