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


if __name__ == "__main__":
    support.main(__doc__)
