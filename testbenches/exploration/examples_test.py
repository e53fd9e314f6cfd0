#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/exploration: its sweep files are valid, its script runs, its README names what is there.

    examples_test.py ARCHIPELAGO
"""

import os
import re
import subprocess
import sys
import unittest

import support
from support import ROOT, InFolder

EXAMPLES = ROOT / "examples" / "exploration"


class Examples(InFolder):
    def test_sweep_files_are_valid_in_every_point(self):
        points = {"l2_channels": 12, "second_sh": 8, "column_walk": 6, "efficiency": 200}
        for name, count in points.items():
            said = self.call("sweep", EXAMPLES / f"{name}.yaml", "--check")
            self.assertRegex(said, rf"^{count} points: {count} valid.*, 0 invalid combinations\n$")

        said = self.call("sweep", EXAMPLES / "search.yaml", "--check")
        self.assertEqual(said, "a search of 64 trials\n")

    def test_the_script_prints_what_pandas_makes_of_its_sweep(self):
        done = subprocess.run([sys.executable, "-B", str(EXAMPLES / "points.py"), "p.sqlite"], cwd=self.folder,
                              capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"copy on 8 compute units: \d+ cycles, 10\d{5} bytes read")
        self.assertRegex(done.stdout, r"\n4 +\d+ +\d+\n")
        self.assertIn("tcc.mshr_full_cycles", done.stdout)

    def test_a_walk_by_columns_of_rows_touches_more_lines_than_one_of_tiles(self):
        lines = {}
        for name in ("linear", "tiles_2d"):
            said = self.call("map", EXAMPLES / f"{name}.yaml", "--picture", "p.svg", "--region", "0,0,64,64")
            lines[name] = int(re.search(r"^along y +(\d+)", said, re.M)[1])
        self.assertEqual(lines, {"linear": 64, "tiles_2d": 16})

    def test_the_walks_run(self):
        for walk in ("column", "row"):
            self.call("run", EXAMPLES / f"walk_{walk}_tiles_2d.yaml", "--quiet", "--mode", "functional")

    def test_what_the_readme_names_is_there(self):
        text = (EXAMPLES / "README.md").read_text()
        for link in re.findall(r"\]\(([^)]+)\)", text):
            self.assertTrue((EXAMPLES / link).exists(), link)


if __name__ == "__main__":
    support.main(__doc__)
