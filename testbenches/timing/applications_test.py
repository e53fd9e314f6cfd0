#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/timing-report --applications refuses, by name: wrong results, an error without a cause, a cause without an
error, a table that says otherwise. What it writes besides the table: a picture and a summary, which say what the table says.

    applications_test.py [--command FILE]
"""

import argparse
import copy
import fnmatch
import math
import statistics
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "scripts" / "timing-report"
FIGURES = yaml.safe_load((ROOT / "testbenches" / "timing" / "applications.yaml").read_text())
PAGE = (ROOT / "ACCURACY.md").read_text()
ROW = "clpeak.spectre/double/like_spectre"
COMMAND = []
sys.path.insert(0, str(ROOT / "testbenches" / "timing"))
import application_picture as picture  # noqa: E402

CLASSES = {f"{fact['id']}/{show['name']}": (show.get("class", fact["class"]), "doubt" not in show)
           for fact in FIGURES["facts"] for show in fact["show"]}
TABLE = list(picture.dots(PAGE[PAGE.index("<!-- begin applications -->"):].splitlines(), CLASSES))
SVG = "{http://www.w3.org/2000/svg}"


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
        show["block"] = [8, 8]  # half of the work-items
        self.assertIn("the results of length 16 are wrong", self.report(1, "sgemm.2048/8x4/r9_280x"))

    def test_every_row_is_in_the_readme(self):
        for fact in FIGURES["facts"]:
            for show in fact["show"]:
                self.assertIn(f"| {fact['id']}/{show['name']} | {show['chip']} |", PAGE)

    def test_the_results_of_each_hash_are_compared(self):
        for name in ("sha1", "md5", "md4"):
            row = f"mask.pitcairn925/{name}/r7_265"
            show = self.row("mask.pitcairn925", name)
            show.update({"candidates": 1, "lengths": [4], "cause": "short"})
            self.assertIn("explained", self.report(0, row))
            if name != "sha1":
                show["hash"] = "md4" if name == "md5" else "md5"
                self.assertIn("the results of length 4 are wrong", self.report(1, row))

    def test_a_row_of_time_is_less_what_both_programs_do(self):
        show = self.row("polybench.rows", "atax")
        show.update({"size": 256, "lengths": [128, 256], "minus": {"why": "the same"}})
        self.assertRegex(self.report(0, "polybench.rows/atax/*"), r"tahiti_1000  0 +8\.96 +ms +-100\.0 %")

    def test_every_row_has_a_dot(self):
        self.assertEqual([dot[0] for dot in TABLE], list(CLASSES))
        shapes = xml.etree.ElementTree.parse(picture.FILE).getroot()
        said = [circle for circle in shapes.iter(f"{SVG}circle") if circle.find(f"{SVG}title") is not None]
        at = {value: float(text.get("x")) for text in shapes.iter(f"{SVG}text") for value in ("1", "1000") if text.text == value
              and text.get("text-anchor") == "middle"}
        decade = (at["1000"] - at["1"]) / 3
        self.assertEqual(len(said), len(TABLE))
        for circle, (row_id, kind, measured, published, unit, _, is_defined) in zip(said, TABLE):
            self.assertEqual(circle.find(f"{SVG}title").text, f"{row_id}: model {measured:g}, published {published:g} {unit}")
            self.assertAlmostEqual(float(circle.get("cx")), at["1"] + decade * math.log10(published), delta=0.2)
            self.assertEqual(circle.get("stroke"), picture.COLOURS[kind])
            self.assertEqual(circle.get("fill"), picture.COLOURS[kind] if is_defined else "#fff")
        names = [text.text for text in shapes.iter(f"{SVG}text")]
        for row_id, *_, is_outside, _ in TABLE:
            self.assertEqual(row_id in names, is_outside, row_id)

    def test_the_picture_is_the_table_s(self):
        self.assertEqual(picture.FILE.read_text(), picture.picture(TABLE))

    def test_the_summary_counts_the_table_s_rows(self):
        errors = [abs(measured / published - 1) * 100 for _, _, measured, published, *_, is_defined in TABLE if is_defined]
        near = sum(error <= 10 for error in errors)
        self.assertIn(f"Of {len(errors)} well-defined rows, {near} ({near / len(errors):.0%}) are within 10 % of the published figure; "
                      f"their mean error is {statistics.mean(errors):.1f} %", PAGE)

    def test_every_fact_has_one_subject(self):
        for fact in FIGURES["facts"]:
            subjects = [subject["name"] for subject in FIGURES["subjects"]
                        if any(fnmatch.fnmatchcase(fact["id"], pattern) for pattern in subject["facts"])]
            self.assertEqual(len(subjects), 1, fact["id"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command")
    arguments, rest = parser.parse_known_args()
    COMMAND = ["--command", arguments.command] if arguments.command else []
    unittest.main(argv=sys.argv[:1] + rest)
