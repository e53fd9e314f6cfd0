#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verilog of a user's in the place of a chip's compute units, and beside the model.

    compute_unit_test.py COMMAND OWN_CU.so BROKEN_CU.so
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

COMMAND, OWN, BROKEN = take(__doc__, command=program, own=existing, broken=existing)
ROOT = Path(__file__).resolve().parents[3]
INTEGER = ROOT / "examples" / "verilog_cu" / "integer.yaml"
SAXPY = ROOT / "testbenches" / "workloads" / "saxpy.yaml"


def archipelago(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)


class InAChip(unittest.TestCase):
    def run_on(self, workload, choice, *more):
        with tempfile.TemporaryDirectory() as folder:
            stats = Path(folder) / "stats.json"
            done = archipelago("run", workload, "--rtl", choice, "--stats", stats, *more)
            return done, json.loads(stats.read_text()) if stats.exists() else {}

    def test_memory_is_what_the_cpu_expects(self):
        done, stats = self.run_on(INTEGER, f"cu={OWN}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"Verilog +cu=\S+, [1-9]\d{4,} cycles of its clock")
        self.assertEqual(stats["wave_instructions"], self.model()["wave_instructions"])
        self.assertNotEqual(stats["cycles"], self.model()["cycles"])

    def model(self):
        with tempfile.TemporaryDirectory() as folder:
            stats = Path(folder) / "stats.json"
            archipelago("run", INTEGER, "--stats", stats)
            return json.loads(stats.read_text())

    def test_one_unit_stands_among_those_of_the_model(self):
        done, stats = self.run_on(INTEGER, f"cu@3={OWN}")
        self.assertEqual(done.returncode, 0, done.stderr)
        [cycles] = re.findall(r"([1-9]\d*) cycles of its clock", done.stdout)
        self.assertLess(int(cycles), 20_000)
        self.assertEqual(stats["wave_instructions"], self.model()["wave_instructions"])

    def test_a_unit_the_chip_does_not_have_is_refused(self):
        done, _ = self.run_on(INTEGER, f"cu@32={OWN}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the chip has no such instance", done.stderr)

    def test_an_instruction_it_does_not_have_stops_the_machine_by_name(self):
        done, _ = self.run_on(SAXPY, f"cu={OWN}")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"se\d\.sh\d\.cu\d simd\d slot\d cs1\.g\d+\.w\d pc 0x[0-9a-f]+ "
                                      r"\(\w+ .*\): the Verilog compute unit does not implement this instruction")

    def test_a_broken_one_leaves_wrong_memory(self):
        done, _ = self.run_on(INTEGER, f"cu={BROKEN}")
        self.assertEqual(done.returncode, 1)


class BesideTheModel(unittest.TestCase):
    def cosim(self, unit, workload=INTEGER):
        return archipelago("cosim", "cu", "--rtl", f"cu={unit}", "--workload", workload)

    def test_every_register_of_every_instruction_is_compared(self):
        done = self.cosim(OWN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("recorded      16 of 16 transactions", done.stdout)
        self.assertRegex(done.stdout, r"compared +1[34]\d\d transactions")
        self.assertIn("differences   none", done.stdout)

    def test_a_broken_one_is_caught_with_wave_instruction_and_register(self):
        done = self.cosim(BROKEN)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"cs1\.g\d+\.w0 pc 0x[0-9a-f]+ \(v_sub_i32_e64 v7, s\[20:21\], v5, v1\): v7, lane \d+="
                                      r"0x[0-9a-f]+ in the model, =0x[0-9a-f]+ in the Verilog")

    def test_what_it_does_not_implement_is_named(self):
        done = self.cosim(OWN, SAXPY)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"cs1\.g\d+\.w\d pc 0x[0-9a-f]+ \(.*\): not implemented")

    def test_it_needs_the_waves_of_a_workload(self):
        done = archipelago("cosim", "cu", "--rtl", f"cu={OWN}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("name one, --workload FILE", done.stderr)


if __name__ == "__main__":
    unittest.main()
