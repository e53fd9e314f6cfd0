#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks that let the chip stop their clock with work inside: lockstep says so, and so does the report of the chip that hangs.

    clock_test.py COMMAND LATE_L2.so ALWAYS_IDLE_L2.so LATE_INDEX.so
"""

import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

COMMAND, LATE_L2, ALWAYS_IDLE_L2, LATE_INDEX = take(__doc__, command=program, late_l2=existing, always_idle_l2=existing,
                                                  late_index=existing)
WORKLOADS = Path(__file__).resolve().parents[2] / "workloads"


def archipelago(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)


class Clock(unittest.TestCase):
    def check(self, done, status, *texts):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_cosim_stops_the_clock_where_the_chip_does(self):
        for block, place, pin in (("tc_l2_bank", LATE_L2, "state_waits is high"), ("vgt_index_dma", LATE_INDEX, "state_active is low")):
            self.check(archipelago("cosim", block, "--rtl", f"{block}={place}", "--cycles", 20000), 1,
                       f"it has let its clock stop with work inside ({pin}, and no input is valid)")

    def test_cosim_says_that_an_empty_block_has_work_inside(self):
        self.check(archipelago("cosim", "tc_l2_bank", "--rtl", f"tc_l2_bank={ALWAYS_IDLE_L2}", "--cycles", 20000), 1,
                   "the Verilog has held state_idle high with work inside")

    def test_a_chip_that_hangs_says_so(self):
        for workload, block, place, unit, pin in (("saxpy", "tc_l2_bank", LATE_L2, "tcc", "state_waits"),
                                                  ("draws", "vgt_index_dma", LATE_INDEX, "vgt.index_dma", "state_active")):
            done = archipelago("run", WORKLOADS / f"{workload}.yaml", "--rtl", f"{block}={place}", "--max-cycles", 100000)
            self.check(done, 3, f"it has let its clock stop with work inside ({pin})")
            self.assertRegex(done.stderr, rf"{unit}.*Verilog: ")

    def test_the_page_of_pins_says_when_the_clock_stops(self):
        text = archipelago("rtl", "pins", "tc_l2_bank").stdout
        self.assertIn("Clock: after a cycle with `state_waits` high it stops until an input is valid.", text)
        self.assertRegex(text, r"`state_waits`.*\(state after the edge\)")
        self.assertIn("(what happens in the cycle)", archipelago("rtl", "pins", "vgt_index_dma").stdout)


unittest.main(argv=sys.argv[:1])
