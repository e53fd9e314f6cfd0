#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packets of Adreno's command processors by the project's microcode: every workload on every chip that has its packets, in both
modes; what a chip cannot do stops it by name.

    adreno_packets_test.py ARCHIPELAGO
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path[:0] = [str(suite.ROOT / part) for part in ("testbenches/support",)]
from arguments import program, take  # noqa: E402

CHIPS = suite.ADRENO_CHIPS["all"]
# What stops: packets, chips, and what is said.
STOPS = (
    ("CP_EVENT_WRITE EVENT = ZPASS_DONE", suite.ADRENO_CHIPS["before_a7xx"], "packet CP_EVENT_WRITE"),
    ("CP_EVENT_WRITE7 EVENT = ZPASS_DONE", suite.ADRENO_A7XX, "packet CP_EVENT_WRITE7"),
    ("CP_WAIT_REG_MEM FUNCTION = WRITE_ALWAYS, WRITE_MEMORY = 1", CHIPS, "packet CP_WAIT_REG_MEM"),
    ("CP_INDIRECT_BUFFER_CHAIN IB_BASE = 0x110000, IB_SIZE = 1", CHIPS, "packet CP_INDIRECT_BUFFER_CHAIN"),
    ("CP_SET_SECURE_MODE MODE = 1", CHIPS, "packet CP_SET_SECURE_MODE"),
    ("CP_SET_SECURE_MODE MODE = 2", CHIPS, "packet CP_SET_SECURE_MODE"),
    ("CP_SET_MARKER MODE = 0", suite.ADRENO_CHIPS["from_a6xx"], "packet CP_SET_MARKER"),
)


class AdrenoPacketsTest(unittest.TestCase):
    def test_every_workload_ends_as_it_must(self):
        runs = [(w, chip, mode) for chip in CHIPS for w in suite.adreno_workloads(chip) for mode in suite.MODES]
        self.assertGreater(len(runs), 400)
        results = suite.in_parallel(lambda r: suite.run(COMMAND, r[0], asic=r[1], mode=r[2], stats=False), runs, suite.default_jobs())
        for (workload, chip, mode), result in zip(runs, results):
            with self.subTest(workload=workload.name, chip=chip, mode=mode):
                self.assertEqual(result.status, suite.DONE, result.output)

    def test_what_a_chip_cannot_do_stops_it_by_name(self):
        for packet, chips, said in STOPS:
            for chip in chips:
                with self.subTest(packet=packet, chip=chip), tempfile.TemporaryDirectory() as scratch:
                    path = Path(scratch) / "w.yaml"
                    path.write_text(f'steps:\n  - {{ring: cp, packets: ["{packet}"]}}\n  - {{wait: cp}}\n')
                    result = suite.run(COMMAND, path, asic=chip, mode="functional", stats=False)
                    self.assertEqual(result.status, suite.MACHINE_STOPPED, result.output)
                    self.assertIn(said, result.output)
                    self.assertIn("stops.afuc:", result.output)

    def test_cond_exec_compares_signed_numbers(self):
        # Value, reference, whether it is less.
        pairs = ((0x10, 0x80000000, 0), (0x90000000, 0x80000000, 0), (0x80000000, 0x10, 1), (0xfffffffe, 5, 1),
                 (0x7fffffff, 0xffffffff, 0), (4, 5, 1), (5, 5, 0))
        packets = [f"CP_COND_EXEC ADDR0 = 0x100000, ADDR1 = {0x100004 + 4 * i:#x}, REF = {reference:#x}, DWORDS = 4\n"
                   f"      - CP_MEM_WRITE ADDR = {0x100100 + 4 * i:#x}, DATA = [1]" for i, (_, reference, _) in enumerate(pairs)]
        text = (f"memory: [{{address: 0x100000, words: {[1, *(value for value, _, _ in pairs)]}}}, {{address: 0x100100, size: 4096, fill: 0}}]\n"
                "steps:\n  - ring: cp\n    packets:\n      - " + "\n      - ".join(packets) + "\n  - {wait: cp}\n"
                f"expect: [{{address: 0x100100, words: {[less for _, _, less in pairs]}}}]\n")
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "w.yaml"
            path.write_text(text)
            for chip in CHIPS:
                with self.subTest(chip=chip):
                    result = suite.run(COMMAND, path, asic=chip, mode="functional", stats=False)
                    self.assertEqual(result.status, suite.DONE, result.output)

    def test_the_example_of_a_packet_of_ones_own(self):
        example = suite.ROOT / "examples" / "own_packet"
        own = ("--set", f"cp.microcode={example / 'mine.afuc'}")
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                result = suite.run(COMMAND, example / "sum.yaml", asic="a630", mode=mode, options=own)
                self.assertEqual(result.status, suite.DONE, result.output)
        without = suite.run(COMMAND, example / "sum.yaml", asic="a630", stats=False)
        self.assertEqual(without.status, suite.MACHINE_STOPPED, without.output)
        for link in re.findall(r"\]\(([^)]+)\)", (example / "README.md").read_text()):
            self.assertTrue((example / link).exists(), link)

    def test_names_of_interrupts_are_in_the_reference(self):
        reference = (suite.ROOT / "testbenches" / "host" / "WORKLOADS.md").read_text()
        for chip in ("a530", "a750", "tahiti", "r580", "rv770"):
            with self.subTest(chip=chip), tempfile.TemporaryDirectory() as scratch:
                path = Path(scratch) / "w.yaml"
                path.write_text("expect: [{interrupt: none, count: 1}]\n")
                result = suite.run(COMMAND, path, asic=chip, stats=False)
                self.assertEqual(result.status, suite.BAD_USAGE, result.output)
                names = re.split(", | or ", re.search(r'unknown interrupt "none", expected (.*)', result.output)[1])
                for name in names:
                    self.assertTrue(f"`{name}`" in reference or name == "cp1", name)

    def test_both_modes_count_the_same_instructions(self):
        """Of workloads in which nothing is waited for: loops that wait go round as often as they must."""
        for chip in ("a530", "a630", "a650"):
            counted = [w for w in suite.adreno_workloads(chip) if w.name.split("/")[-1] in ("buffers", "mem_write", "registers")]
            self.assertEqual(len(counted), 3)
            for workload in counted:
                with self.subTest(chip=chip, workload=workload.name):
                    stats = [suite.run(COMMAND, workload, asic=chip, mode=mode).stats for mode in suite.MODES]
                    engines = [{unit: (c["instructions"], c["packets"]) for unit, c in s["units"].items() if "instructions" in c}
                               for s in stats]
                    self.assertEqual(engines[0], engines[1])
                    self.assertEqual(stats[0]["instructions"], stats[1]["instructions"])
                    self.assertEqual(sum(e[0] for e in engines[0].values()), stats[0]["wave_instructions"])

    def test_without_time_only_what_is_counted_is_there(self):
        [workload] = [w for w in suite.adreno_workloads("a730") if w.name == "adreno/all/mem_write"]
        units = suite.run(COMMAND, workload, asic="a730", mode="functional").stats["units"]
        self.assertEqual({unit: list(counts) for unit, counts in units.items()},
                         {unit: ["instructions", "packets"] for unit in ("cp.br", "cp.bv", "cp.lpac")})

    def test_a_slow_cluster_changes_when_and_not_what(self):
        [clusters] = [w for w in suite.adreno_workloads("a630") if w.name == "adreno/from_a6xx/clusters"]
        slow = ("--set", "cp.mem_pool.clusters.gras.chunk.cycles=400")
        for chip in suite.ADRENO_CHIPS["from_a6xx"]:
            with self.subTest(chip=chip):
                fast, late = (suite.run(COMMAND, clusters, asic=chip, options=options) for options in ((), slow))
                for result in (fast, late):
                    self.assertEqual(result.status, suite.DONE, result.output)
                fast, late = fast.stats, late.stats
                # The first of four chunks is taken at once.
                self.assertGreater(late["cycles"], fast["cycles"] + 1200)
                engine = "cp.br" if chip in suite.ADRENO_A7XX else "cp.sqe"
                for stats in (fast, late):
                    self.assertEqual(stats["units"][engine + ".pool.gras"]["writes"], 9)
                    self.assertEqual(stats["units"][engine + ".pool.fe"]["writes"], 5)


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
