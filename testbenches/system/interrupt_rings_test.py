#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Interrupt rings of the chips of which the async DMA engines are modelled: entries of traps, in both modes.

    interrupt_rings_test.py ARCHIPELAGO
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND, = take(__doc__, archipelago=program)

RING = 0x400000
# Source id and ring id of each engine's traps (Linux radeon evergreen_irq_process, cik_irq_process).
ENGINES = {"r600": [(224, 0)], "r700": [(224, 0)], "eg": [(224, 0)], "ni": [(224, 0), (244, 0)],
           "cik": [(224, 0), (224, 1)]}


def trap_of(generation):
    return 6 if generation == "cik" else 0x70000000


class InterruptRings(unittest.TestCase):
    def run_on(self, chip, mode, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "w.yaml")
            path.write_text(text, encoding="utf-8")
            done = subprocess.run([COMMAND, "run", path, "--asic", chip, "--mode", mode], check=False,
                                  capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, suite.DONE, done.stdout + done.stderr)

    def for_each_chip(self, make):
        for generation in ENGINES:
            for chip in suite.DMA_CHIPS[generation]:
                for mode in suite.MODES:
                    with self.subTest(chip=chip, mode=mode):
                        self.run_on(chip, mode, make(generation, ENGINES[generation]))

    def test_traps_are_entries_in_the_order_of_the_rings(self):
        def make(generation, traps):
            steps = "".join(f"  - {{ring: dma{n}, words: [{trap_of(generation)}]}}\n  - {{wait: dma{n}}}\n"
                            for n in range(len(traps)))
            # The packet's trap and that of the host's fence, which `count` leaves out; the last may still be in flight.
            words = [n for source, ring in traps for n in 2 * [source, 0, ring, 0]][:-4]
            return (f"interrupts:\n  ring: {{address: {RING:#x}, size: 4 KiB}}\nsteps:\n{steps}expect:\n"
                    f"  - {{interrupt: dma0, count: 1}}\n  - {{register: IH_RB_CNTL, value: 0x10115, mask: 0x1013f}}\n"
                    f"  - {{address: {RING:#x}, words: {words}}}\n")
        self.for_each_chip(make)

    def test_a_full_ring_keeps_the_newest_entries(self):
        def make(generation, traps):
            source, ring = traps[0]
            # Sixteen entries, of which one stays free, for nineteen traps: RB_OVERFLOW.
            return (f"interrupts:\n  ring: {{address: {RING:#x}, size: 256}}\nsteps:\n"
                    f"  - {{ring: dma0, words: {[trap_of(generation)] * 19}}}\n  - {{wait: dma0}}\nexpect:\n"
                    f"  - {{interrupt: dma0, count: 19}}\n  - {{register: IH_RB_WPTR, value: 1, mask: 1}}\n"
                    f"  - {{address: {RING:#x}, words: {16 * [source, 0, ring, 0]}}}\n")
        self.for_each_chip(make)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
