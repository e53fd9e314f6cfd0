#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/cp_microcode: its script prints the table of its README; microcode changes cycles and nothing else.

    microcode_test.py ARCHIPELAGO
"""

import json
import os
import re
import subprocess
import unittest

import support
from support import ROOT, InFolder

EXAMPLES = ROOT / "examples" / "cp_microcode"
CHIPS = ("tahiti", EXAMPLES / "one_engine.yaml", EXAMPLES / "two_engines.yaml")
# Registers, memory by packets, waits, predication, draws and dispatches.
WORKLOADS = ("registers.yaml", "dispatches.yaml", "ring_semaphores.yaml", "predicated_work.yaml")


def path_of(workload):
    own = EXAMPLES / workload
    return own if own.exists() else support.WORKLOADS / workload


class Examples(InFolder):
    def test_the_script_prints_the_table_of_the_readme(self):
        done = subprocess.run([EXAMPLES / "run", "out"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "ARCHIPELAGO": self.COMMAND})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 6)
        self.assertIn(f"\n{done.stdout}\n", (EXAMPLES / "README.md").read_text())

    def test_what_the_readmes_name_is_there(self):
        for folder in (EXAMPLES, ROOT / "configs" / "microcode" / "radeon"):
            for link in re.findall(r"\]\(([^)]+)\)", (folder / "README.md").read_text()):
                self.assertTrue((folder / link).exists(), link)

    def result(self, workload, chip, mode):
        """Cycles, and the text of memory and registers that the workload names."""
        self.call("run", path_of(workload), "--asic", chip, "--mode", mode, "--stats", "stats.json", "--quiet")
        return json.loads((self.folder / "stats.json").read_text())["cycles"]

    def test_microcode_changes_cycles_and_never_what_the_workload_expects(self):
        for workload in WORKLOADS:
            cycles = [self.result(workload, chip, "cycle") for chip in CHIPS]
            self.assertEqual(len(set(cycles)), 3, workload)

    def test_without_time_microcode_changes_nothing(self):
        for workload in WORKLOADS:
            self.assertEqual(len({self.result(workload, chip, "functional") for chip in CHIPS}), 1, workload)

    def described(self, chip):
        """The parts of `describe` about microcode: {engine: (title, {packet: pc or "none"})}."""
        text = self.call("describe", chip)
        engines = {}
        for engine, title, table in re.findall(r"^microcode of ([^:]+): ([^\n]*)\n((?: .*\n)*)", text, re.M):
            routines = {}
            place = None
            for line in table.splitlines():
                place = re.match(r" +pc +(\d+) | +none ", line) or place
                names = line[place.end():] if place.string is line else line
                routines |= {name: place[1] or "none" for name in names.split()}
            engines[engine] = (title, routines)
        return engines

    def test_describe_shows_which_routine_each_packet_runs(self):
        self.assertEqual(self.described("tahiti"), {})
        title, routines = self.described(EXAMPLES / "one_engine.yaml")["PFP and ME"]
        self.assertRegex(title, r"^one\.afuc \(a6xx, \d+ words, \(xmovN\) of at most \d\)")
        self.assertNotIn("none", routines.values())
        self.assertEqual(routines["DRAW_INDEX"], routines["SURFACE_SYNC"])
        self.assertNotEqual(routines["SET_SH_REG"], routines["TYPE_0"])
        two = self.described(EXAMPLES / "two_engines.yaml")
        self.assertEqual(list(two), ["PFP", "ME"])
        self.assertEqual(two["ME"][1]["INDIRECT_BUFFER"], "none")  # PFP keeps it
        self.assertEqual(set(two["ME"][1]), set(routines))

    def test_set_gives_a_chip_microcode_that_has_none(self):
        root = str(ROOT / "configs" / "microcode" / "radeon" / "one.afuc")
        text = self.call("describe", "tahiti", "--set", f"cp.microcode={root}")
        self.assertIn("microcode of PFP and ME: one.afuc", text)

    def test_describe_shows_the_places_of_the_image(self):
        (self.folder / "own.afuc").write_text("[01000001]\n[#end]\nTYPE_0:\nnop\nnop\nNOP:\n(rep)mov $00, $data\nwaitin\n"
                                              "mov $01, $data\nend:\n")
        (self.folder / "own.yaml").write_text(f"base: {ROOT}/configs/asics/verde.yaml\nname: own\n"
                                              "cp:\n  microcode: own.afuc\n  microcode_moves: 1\n")
        title, routines = self.described("own.yaml")["PFP and ME"]
        self.assertEqual(title, "own.afuc (a6xx, 7 words, (xmovN) of at most 1); routines:")
        self.assertEqual((routines["TYPE_0"], routines["NOP"], routines["DRAW_INDEX"]), ("2", "4", "none"))


if __name__ == "__main__":
    support.main(__doc__)
