#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/exploration: its sweep files are valid, its script runs, its README names what is there and quotes what the
model gives.

    examples_test.py ARCHIPELAGO
"""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import support
from support import CODE, ROOT, WORKLOADS, InFolder

HERE = Path(__file__).resolve().parent
EXAMPLES = ROOT / "examples" / "exploration"


class Examples(InFolder):
    def test_sweep_files_are_valid_in_every_point(self):
        points = {"mshrs": 12, "lds_and_waves": 12, "padding": 10, "l2_channels": 12, "second_sh": 8, "column_walk": 6, "efficiency": 200}
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

    def test_the_notebook_runs_and_shows_what_it_shows(self):
        """Its texts are those committed where the compiler is the one of then; another may give other cycles."""
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor
        shown = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
        notebook = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
        os.environ["PYTHONPATH"] = str(ROOT / "python")
        os.environ["TMPDIR"] = str(self.folder)
        try:
            ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(EXAMPLES)}})
        finally:
            del os.environ["PYTHONPATH"], os.environ["TMPDIR"]
        outputs = [[self.text_of(o) for cell in n.cells if cell.cell_type == "code" for o in cell.outputs] for n in (notebook, shown)]
        self.assertEqual(len(outputs[0]), 6)
        self.assertIn("image/png", str([o.get("data", {}).keys() for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]))
        self.call("compile", EXAMPLES / "gather.cl", "-o", "gather.hsaco")
        if (self.folder / "gather.hsaco").read_bytes() == (HERE / "code" / "gather.hsaco").read_bytes():
            self.assertEqual(*outputs)
        else:
            print("the compiler makes another gather.hsaco: outputs of the notebook are not compared")
            self.assertEqual(*map(len, outputs))

    @staticmethod
    def text_of(output):
        return output["text"] if "text" in output else output["data"]["text/plain"]

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


class Figures(InFolder):
    """What the README shows is what its sweeps give, but that kernels are the committed objects: other compilers may make
    others. Of the first question, which takes longer, one row."""
    PICTURES = {"second_sh": {"kernel-cycles-by-shape": "sh_cycles", "dram-bandwidth-over-time": "sh_bandwidth"},
                "column_walk": {"mean-time-of-a-transaction-by-part-of-the-memory-path": "walk_places"},
                "mshrs": {"kernel-cycles-by-tcp-mshrs": "mshrs"}, "lds_and_waves": {"kernel-cycles-baseline": "lds_and_waves"},
                "padding": {"kernel-cycles-by-memory-channel-map-channels": "padding"}}
    OBJECTS = {"gather": "gather", "stream": "gather", "tiles": "tiles", "transpose_plain": "transpose", "transpose_padded": "transpose"}

    def setUp(self):
        super().setUp()
        self.examples = self.folder / "examples" / "exploration"
        shutil.copytree(EXAMPLES, self.examples, ignore=shutil.ignore_patterns("pictures", "*.png"))
        self.with_object(EXAMPLES / "copy.yaml", self.examples)
        for name in ("matmul", "matmul_large"):
            self.with_object(WORKLOADS / f"{name}.yaml", self.folder / "testbenches" / "workloads")
        for name, code in self.OBJECTS.items():
            path = self.examples / f"{name}.yaml"
            path.write_text(path.read_text().replace(f"code: {code}.cl", f"code: {HERE}/code/{code}.hsaco"))
        self.readme = (EXAMPLES / "README.md").read_text()

    def with_object(self, workload, folder):
        """A copy of the workload there."""
        text = re.sub(r"code: (?:.*/)?(\w+)\.cl", rf"code: {CODE}/\1.hsaco", workload.read_text())
        folder.mkdir(parents=True, exist_ok=True)
        (folder / workload.name).write_text(text.replace("file: reference/", f"file: {WORKLOADS}/reference/"))

    def sweep(self, name):
        """The results of a sweep file."""
        import archipelago
        self.call("sweep", self.examples / f"{name}.yaml")
        results = archipelago.load(self.folder / f"{name}.sqlite")
        self.addCleanup(results.close)
        return results

    def quoted(self, first):
        """The numbers of the table row that begins with these cells."""
        row = re.search(rf"^\| {re.escape(first)} \|(.*)\|$", self.readme, re.M)
        self.assertTrue(row, first)
        return [float(cell.replace(" ", "")) for cell in row[1].split("|")]

    def pictures_are_those_of(self, name):
        self.call("report", f"{name}.sqlite", "--weights", self.examples / "weights.yaml", "--pictures", name)
        for made, shown in self.PICTURES[name].items():
            self.assertEqual((self.folder / name / f"{made}.svg").read_text(),
                             (EXAMPLES / "pictures" / f"{shown}.svg").read_text(), shown)

    def answer_is_that_of(self, name):
        """The README quotes what the report says between the question and the number of points."""
        lines = self.call("report", f"{name}.sqlite", "--text").splitlines()
        question = re.search("^question: (.*)$", (self.examples / f"{name}.yaml").read_text(), re.M)[1]
        self.assertEqual(lines[1], question)
        end = next(i for i, line in enumerate(lines) if "design points, " in line)
        self.assertGreater(end, 2)
        self.assertIn("\n\n" + "\n>\n".join(f"> {line}" for line in lines[2:end]) + "\n\n", self.readme)

    def test_answers_of_explorations_are_those_of_their_reports(self):
        for name in ("mshrs", "lds_and_waves", "padding"):
            with self.subTest(name):
                self.sweep(name)
                self.answer_is_that_of(name)
                self.pictures_are_those_of(name)

    def test_a_row_of_the_first_question(self):
        sweep = self.examples / "l2_channels.yaml"
        sweep.write_text(sweep.read_text().replace("[1, 2, 4, 8, 12, 16]", "[12]"))
        results = self.sweep("l2_channels")
        cycles = dict(zip(results.runs["clocks.memory"], results.runs["cycles"]))
        [area] = set(results.metric("area", self.examples / "weights.yaml"))
        self.assertEqual([cycles["1375 MHz"], cycles["700 MHz"], area], self.quoted("12"))

    def test_the_second_question(self):
        runs = self.sweep("second_sh").runs
        for shape in ("1 SH of 8", "2 SHs of 4", "1 SH of 16", "2 SHs of 8"):
            of_shape = runs[runs["shape"] == shape].set_index("workload")["cycles"]
            shs, units = re.fullmatch(r"(\d) SHs? of (\d+)", shape).groups()
            self.assertEqual([2 * int(shs) * int(units), of_shape["copy.yaml"], of_shape["../../testbenches/workloads/matmul.yaml"]],
                             self.quoted(f"{shs} of {units}"))
        self.answer_is_that_of("second_sh")
        self.pictures_are_those_of("second_sh")

    def test_the_third_question(self):
        results = self.sweep("column_walk")
        cycles = results.runs.set_index("workload")["cycles"]
        for layout, row in (("linear", "rows (`GB_TILE_MODE8`)"), ("tiles_1d", "1D tiles (`GB_TILE_MODE13`)"),
                            ("tiles_2d", "2D tiles (`GB_TILE_MODE16`)")):
            self.assertEqual([cycles[f"walk_{walk}_{layout}.yaml"] for walk in ("column", "row")], self.quoted(row))
        memory = results.section(0, "attribution")["memory"]
        self.assertIn(f"a transaction takes {memory['total'] / memory['transactions'] / 1e9:.1f} us in rows, "
                      f"{100 * memory['reasons']['l1'] / memory['total']:.0f} % of it in the L1", self.readme)
        self.answer_is_that_of("column_walk")
        self.pictures_are_those_of("column_walk")
        for tiling, shown in (("linear", "walk_linear_map"), ("tiles_2d", "walk_tiles_map")):
            self.call("map", self.examples / f"{tiling}.yaml", "--picture", f"{tiling}.svg", "--region", "0,0,32,32")
            self.assertEqual((self.folder / f"{tiling}.svg").read_text(), (EXAMPLES / "pictures" / f"{shown}.svg").read_text())


if __name__ == "__main__":
    support.main(__doc__)
