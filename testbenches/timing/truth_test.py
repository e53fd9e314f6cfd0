#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The class of a row in truth.yaml (set, derived, predicted) agrees with what the configuration names as sources:
scripts/timing-report refuses, by name, each way in which it may not."""

import copy
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "scripts" / "timing-report"
TRUTH = yaml.safe_load((ROOT / "testbenches" / "timing" / "truth.yaml").read_text())


class Classes(unittest.TestCase):
    def setUp(self):
        self.truth = copy.deepcopy(TRUTH)

    def fact(self, name):
        return next(fact for fact in self.truth["facts"] if fact["id"] == name)

    def refused(self, *parts):
        with tempfile.TemporaryDirectory(prefix="archipelago-truth-") as scratch:
            path = Path(scratch) / "truth.yaml"
            path.write_text(yaml.safe_dump(self.truth))
            done = subprocess.run([sys.executable, "-B", REPORT, "--list", "--truth", path], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        if not parts:
            self.assertEqual(done.returncode, 0, done.stdout)
        else:
            self.assertEqual(done.returncode, 2, done.stdout)
            for part in parts:
                self.assertIn(part, done.stdout)

    def test_the_file_as_it_is_passes(self):
        self.refused()

    def test_every_row_has_a_class(self):
        del self.fact("gcn.salu")["class"]
        self.refused("gcn.salu/add_i32/tahiti", "expected one of set, derived, predicted")

    def test_every_row_names_parameters_of_its_chip(self):
        self.fact("gcn.salu")["parameters"] = []
        self.refused("gcn.salu/add_i32/tahiti: names no parameters")
        self.fact("gcn.salu")["parameters"] = ["cu.issue.salu_cycle"]
        self.refused("cu.issue.salu_cycle is not in the configuration")

    def test_a_set_row_names_a_parameter_of_its_source_or_says_how_it_was_set(self):
        self.fact("gcn.salu")["source"] = ["guide"]
        self.refused("cu.issue.salu_cycles does not name the figure as its source")
        self.fact("gcn.salu")["source"] = ["clrx"]
        self.fact("gcn.salu")["parameters"] = ["cu.issue.valu_to_salu_stall"]
        self.refused("cu.issue.valu_to_salu_stall does not name the figure as its source")
        self.fact("gcn.salu")["why"] = "chosen to meet it"
        self.refused()

    def test_what_a_parameter_names_as_its_source_is_neither_derived_nor_predicted(self):
        for kind in ("derived", "predicted"):
            self.fact("gcn.mul_lo").update({"class": kind, "why": "none"})
            self.refused(f"gcn.mul_lo/mul_lo_i32/tahiti: is {kind}, but a parameter names it as its source")

    def test_a_derived_or_predicted_row_says_why(self):
        del self.fact("gcn.cmov")["why"]
        self.refused("gcn.cmov/cmov/tahiti: `why` is missing")

    def test_a_prediction_rests_on_no_parameter_of_its_own_source(self):
        self.fact("gcn.cmov")["class"] = "predicted"
        self.refused("gcn.cmov/cmov/tahiti: is predicted, but cu.issue.valu_cycles.full has the same source")


if __name__ == "__main__":
    unittest.main()
