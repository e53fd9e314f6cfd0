#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An L2 channel of another structure in the place of the chip's, whole and with each FAULT of other_l2.sv.

    l2_test.py COMMAND L2_0.so L2_1.so L2_2.so L2_3.so L2_4.so L2_5.so
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

COMMAND, WHOLE, FOREIGN_TAG, DONE_UNASKED, UNASKED, KEEPS, ASKS_OF_THROUGHS = take(
    __doc__, command=program, whole=existing, foreign_tag=existing, done_unasked=existing, unasked=existing, keeps=existing,
    asks=existing)
WORKLOADS = Path(__file__).resolve().parents[2] / "workloads"


def archipelago(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)


def run(l2, workload, *more):
    return archipelago("run", WORKLOADS / f"{workload}.yaml", "--rtl", f"tc_l2_bank={l2}", *more)


def cosim(l2, *more):
    return archipelago("cosim", "tc_l2_bank", "--rtl", f"tc_l2_bank={l2}", *more)


class Whole(unittest.TestCase):
    def test_random_and_recorded_traffic_has_the_models_answers(self):
        for more in (["--cycles", 100000], ["--workload", WORKLOADS / "local_atomics.yaml"]):
            done = cosim(WHOLE, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("differences   none", done.stdout)

    def test_workloads_meet_their_expectations(self):
        with tempfile.TemporaryDirectory() as folder:
            for workload in ("saxpy", "transpose", "atomics64"):
                done = run(WHOLE, workload, "--trace", Path(folder) / "timeline")
                self.assertEqual(done.returncode, 0, done.stderr)


class Faults(unittest.TestCase):
    def test_what_the_chip_cannot_take_stops_it(self):
        for l2, why in ((FOREIGN_TAG, "down_tag: a read has kind 0 and a number below cfg_mshrs, a write kind 1 or 2"),
                        (DONE_UNASKED, "done: a transfer that none at action has asked for"),
                        (UNASKED, "answer: a transfer that none at fabric has asked for")):
            done = run(l2, "saxpy")
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertRegex(done.stderr, rf"tc_l2_bank: .*cycle \d+ of its clock: {why}")

    def test_a_hang_counts_what_is_open(self):
        done = run(KEEPS, "saxpy", "--max-cycles", 20000)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stderr, r"tcc0: Verilog: [1-9]\d? requests not answered, what is inside to leave")

    def test_cosim_finds_a_page_asked_for_of_write_throughs(self):
        done = cosim(ASKS_OF_THROUGHS, "--cycles", 100000)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, r"answer.status=0x0 in the model, answer.status=0x1 in the Verilog")


unittest.main(argv=sys.argv[:1])
