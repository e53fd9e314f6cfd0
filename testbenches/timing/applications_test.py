#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/timing-report --applications refuses, by name: wrong results, an error without a cause, a cause without an
error, a table that says otherwise.

    applications_test.py [--command FILE]
"""

import argparse
import copy
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "scripts" / "timing-report"
FIGURES = yaml.safe_load((ROOT / "testbenches" / "timing" / "applications.yaml").read_text())
PAGE = (ROOT / "ACCURACY.md").read_text()
ROW = "clpeak.spectre/double/like_spectre"
COMMAND = []


class Applications(unittest.TestCase):
    def setUp(self):
        self.figures = copy.deepcopy(FIGURES)

    def row(self, fact, name):
        shows = next(entry["show"] for entry in self.figures["facts"] if entry["id"] == fact)
        return next(show for show in shows if show["name"] == name)

    def report(self, status, row, *options):
        with tempfile.TemporaryDirectory(prefix="archipelago-applications-") as scratch:
            path = Path(scratch) / "applications.yaml"
            path.write_text(yaml.safe_dump(self.figures))
            done = subprocess.run([sys.executable, "-B", REPORT, "--applications", "--truth", path, *COMMAND, *options, row],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def test_a_row_within_its_target_agrees_with_the_readme(self):
        self.assertIn("1 inside", self.report(0, ROW, "--check"))

    def test_an_error_needs_a_cause(self):
        show = self.row("clpeak.spectre", "double")
        show["published"] = 60
        self.assertIn("FAIL", self.report(1, ROW))
        show["cause"] = "half the truth"
        self.assertIn("explained", self.report(0, ROW))
        self.assertIn("out of date", self.report(1, ROW, "--check"))

    def test_a_cause_needs_an_error(self):
        self.row("clpeak.spectre", "double")["cause"] = "none"
        self.assertIn("its `cause` is out of date", self.report(1, ROW))

    def test_results_are_compared(self):
        show = self.row("sgemm.2048", "8x4")
        show.update({"columns": 64, "lengths": [16]})
        self.assertNotIn("wrong", self.report(1, "sgemm.2048/8x4/r9_280x"))
        show["block"] = 8  # half of the work-items
        self.assertIn("the results of length 16 are wrong", self.report(1, "sgemm.2048/8x4/r9_280x"))

    def test_every_row_is_in_the_readme(self):
        for fact in FIGURES["facts"]:
            for show in fact["show"]:
                self.assertIn(f"| {fact['id']}/{show['name']} | {show['chip']} |", PAGE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command")
    arguments, rest = parser.parse_known_args()
    COMMAND = ["--command", arguments.command] if arguments.command else []
    unittest.main(argv=sys.argv[:1] + rest)
