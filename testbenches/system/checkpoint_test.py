#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints through the command: what may be restored where, what is refused, and how.

    checkpoint_test.py ARCHIPELAGO 0|1         1: there are Verilog twins
"""

import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import checkpoints
import suite

COMMAND, HAVE_TWINS = sys.argv.pop(1), sys.argv.pop(1) == "1"
BY_NAME = {w.name: w for w in suite.workloads()}
STEPS = BY_NAME["context_roll"]

REPEATED = """
memory: [{{address: 0x100000, fill: 0, size: 4096}}]
kernel:
  code: {code}
  global_size: [4096, 1, 1]
  local_size: [64, 1, 1]
  repeat: 6
  args:
    - buffer: {{random: {{type: f32, count: 4096, seed: 1}}}}
    - buffer: {{random: {{type: f32, count: 4096, seed: 2}}}}
    - f32: 0.5
"""


class Checkpoint(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-checkpoint-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.file = self.folder / "checkpoint"
        self.repeated = self.folder / "repeated.yaml"
        self.repeated.write_text(REPEATED.format(code=suite.committed_code(Path("saxpy"))))

    def run_on(self, workload, *options, mode="cycle"):
        return suite.run(COMMAND, workload, mode=mode, options=[str(o) for o in options])

    def write(self, workload, point, *options, mode="cycle"):
        result = self.run_on(workload, "--checkpoint-at", point, "--checkpoint", self.file, *options, mode=mode)
        self.assertEqual(result.status, suite.DONE, result.output)
        return result

    def refused(self, status, words, workload, *options, mode="cycle"):
        result = self.run_on(workload, *options, mode=mode)
        self.assertEqual(result.status, status, result.output)
        for word in words:
            self.assertIn(word, result.output)

    def test_every_point_of_a_kernel_and_of_the_steps_can_be_restored(self):
        for workload, points in ((self.repeated, ["kernel:1", "kernel:3", "kernel:6", "step:0"]),
                                 (STEPS, ["step:0", "step:1", "step:2"])):
            for mode in suite.MODES:
                for point in points:
                    with self.subTest(point=point, mode=mode):
                        on = self.write(workload, point, mode=mode)
                        restored = self.run_on(workload, "--restore", self.file, mode=mode)
                        self.assertEqual(suite.without_host_time(on.stats_text),
                                         suite.without_host_time(restored.stats_text))

    def test_a_restored_run_writes_the_next_checkpoint_as_the_run_itself(self):
        self.write(self.repeated, "kernel:2")
        second = self.folder / "second"
        options = ["--checkpoint-at", "kernel:4", "--checkpoint", second]
        self.assertEqual(self.run_on(self.repeated, "--restore", self.file, *options).status, suite.DONE)
        third = self.run_on(self.repeated, "--restore", second)
        again = self.run_on(self.repeated, "--restore", second)
        self.assertEqual(suite.without_host_time(third.stats_text), suite.without_host_time(again.stats_text))
        first = second.read_bytes()
        self.assertEqual(self.run_on(self.repeated, "--restore", self.file, *options).status, suite.DONE)
        self.assertEqual(second.read_bytes(), first)

    def test_under_shuffled_ticks_random_stalls_and_protocol_checkers_it_goes_on_identically(self):
        for options in (["--seed", 3], ["--random-stall", 30, "--seed", 2], ["--check-protocol"]):
            with self.subTest(options=options):
                on = self.write(self.repeated, "kernel:3", *options)
                restored = self.run_on(self.repeated, "--restore", self.file, *options)
                self.assertEqual(suite.without_host_time(on.stats_text),
                                 suite.without_host_time(restored.stats_text))

    def test_with_other_delays_it_asks_what_if(self):
        on = self.write(self.repeated, "kernel:3")
        same = self.run_on(self.repeated, "--restore", self.file)
        slower = self.run_on(self.repeated, "--restore", self.file, "--set", "links.mc.latency.cycles=60")
        self.assertEqual(slower.status, suite.DONE, slower.output)
        self.assertEqual(on.stats["cycles"], same.stats["cycles"])
        self.assertGreater(slower.stats["cycles"], same.stats["cycles"])

    def test_another_chip_is_refused_by_the_key_that_differs(self):
        self.write(self.repeated, "kernel:3")
        self.refused(suite.BAD_USAGE, ["the chip tahiti", "verde"], self.repeated, "--restore", self.file,
                     "--asic", "verde")
        self.refused(suite.BAD_USAGE, ["topology.cu_per_sh", "only delays may differ"], self.repeated, "--restore",
                     self.file, "--set", "topology.cu_per_sh=4")

    def test_another_workload_is_refused(self):
        self.write(self.repeated, "kernel:3")
        self.repeated.write_text(self.repeated.read_text().replace("0.5", "0.25"))
        self.refused(suite.BAD_USAGE, ["the workload"], self.repeated, "--restore", self.file)

    def test_functional_mode_takes_nothing_from_cycle_mode(self):
        self.write(self.repeated, "kernel:3")
        self.refused(suite.BAD_USAGE, ["mode cycle", "functional"], self.repeated, "--restore", self.file,
                     mode="functional")

    def test_points_that_are_not_there_are_refused(self):
        for point, word in (("kernel:7", "kernel:1 to kernel:6"), ("kernel:0", "kernel:1"), ("step:1", "step:0"),
                            ("frame:1", "kernel:N or step:N"), ("step:x", "a number")):
            self.refused(suite.BAD_USAGE, [point, word], self.repeated, "--checkpoint-at", point, "--checkpoint",
                         self.file)

    def test_files_that_cannot_be_written_or_read_are_named(self):
        nowhere = self.folder / "none" / "checkpoint"
        self.refused(suite.BAD_USAGE, [f"cannot write the checkpoint {nowhere}"], self.repeated, "--checkpoint-at",
                     "kernel:1", "--checkpoint", nowhere)
        self.refused(suite.BAD_USAGE, [f"cannot read the checkpoint {nowhere}"], self.repeated, "--restore", nowhere)

    @unittest.skipUnless(HAVE_TWINS, "built without Verilog twins")
    def test_a_chip_with_a_twin_is_refused_by_the_name_of_its_block(self):
        self.refused(suite.MACHINE_STOPPED, ["grbm: a checkpoint", "Verilog twin"], self.repeated, "--rtl", "grbm",
                     "--checkpoint-at", "kernel:1", "--checkpoint", self.file)

    def test_damaged_files_are_refused_with_the_place(self):
        self.write(STEPS, "step:1")
        data = self.file.read_bytes()
        chance = random.Random(1)
        for _ in range(12):
            cut = chance.randrange(len(data))
            self.file.write_bytes(data[:cut])
            self.refused(suite.BAD_USAGE, ["checkpoint"], STEPS, "--restore", self.file)
            place = chance.randrange(len(data))
            self.file.write_bytes(data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1:])
            self.refused(suite.BAD_USAGE, ["byte "], STEPS, "--restore", self.file)

    def test_fast_forward_computes_what_a_run_in_cycle_mode_does(self):
        for name in ("context_roll", "gds_two_rings", "ce_draws", "draws", "shadow_rings", "rings_beside_draws"):
            workload = BY_NAME[name]
            with self.subTest(workload=name):
                point = checkpoints.middle(workload.path)
                result = self.run_on(workload, "--fast-forward", point)
                self.assertEqual(result.status, suite.DONE, result.output)
                self.assertEqual(result.stats["mode"], "cycle")
                whole = self.run_on(workload)
                self.assertGreater(result.stats["cycles"], 0)
                self.assertLess(result.stats["cycles"], whole.stats["cycles"])

    def test_fast_forward_of_a_repeated_kernel_measures_the_rest(self):
        rest = self.run_on(self.repeated, "--fast-forward", "kernel:4")
        self.assertEqual(rest.status, suite.DONE, rest.output)
        whole = self.run_on(self.repeated)
        share = rest.stats["cycles"] / whole.stats["cycles"]
        self.assertTrue(0.2 < share < 0.5, share)
        self.assertEqual(rest.stats["wave_instructions"] * 6, whole.stats["wave_instructions"] * 2)


if __name__ == "__main__":
    subprocess.run([COMMAND, "--version"], check=True, stdout=subprocess.DEVNULL)
    unittest.main(verbosity=2)
