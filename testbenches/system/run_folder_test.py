#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run --out DIR: a folder with all of a run, which repeats it.

    run_folder_test.py ARCHIPELAGO
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

COMMAND = sys.argv.pop(1)
DONE, EXPECTATION_FAILED, BAD_INPUT, STOPPED = 0, 1, 2, 3
WORKLOADS = suite.ROOT / "testbenches" / "workloads"
FILES = ["chip.yaml", "log.txt", "resolved.yaml", "run.json", "statistics.json", "summary.txt", "trace.perfetto-trace"]

# A file beside it, one that it dumps, and options of its compilation.
OWN = """\
asic: chips/mine.yaml
kernel:
  code: k.cl
  options: [-Iinclude, "-DBY=2 -DTEXT=unused"]
  name: k
  global_size: [64]
  local_size: [64]
  args:
    - buffer: {file: data/in.bin}
      expect: {file: data/out.bin}
      dump: left.bin
"""
MINE = f"""\
base: {suite.ROOT}/configs/asics/verde.yaml
name: mine
"""
HANG = """\
memory: [{address: 0x200000, size: 4096}]
steps:
  - {ring: compute0, packets: ["WAIT_REG_MEM MEM_SPACE = MEMORY, FUNCTION = EQUAL, POLL_ADDRESS = 0x200000, REFERENCE = 5, MASK = 0xffffffff"]}
  - {wait: compute0}
"""


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-folder-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_(self, *words, status=DONE, at=None):
        done = subprocess.run([COMMAND, "run", *map(str, words)], cwd=at or self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def stats(self, path):
        stats = json.loads((self.folder / path).read_text())
        for key in ("host_seconds", "workload"):
            stats.pop(key, None)
        return stats

    def info(self, folder="out"):
        return json.loads((self.folder / folder / "run.json").read_text())

    def repeat(self, *words, folder="out"):
        """From another place; the same statistics but for the time it took."""
        self.run_(self.folder / folder / "resolved.yaml", *words, "--quiet", "--stats", self.folder / "again.json", at="/")
        self.assertEqual(self.stats("again.json"), self.stats(f"{folder}/statistics.json"))

    def workload(self, path):
        return json.loads((self.folder / path).read_text())["workload"]

    def own(self):
        for name, text in (("own/w.yaml", OWN), ("own/chips/mine.yaml", MINE), ("own/include/by.h", "#define OFFSET 1\n"),
                           ("own/k.cl", '#include "by.h"\nkernel void k(global uint* x) { x[get_global_id(0)] = x[get_global_id(0)] * BY + OFFSET; }\n')):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.folder / "own/data").mkdir()
        for name, values in (("in", range(64)), ("out", (2 * i + 1 for i in range(64)))):
            (self.folder / f"own/data/{name}.bin").write_bytes(b"".join(v.to_bytes(4, "little") for v in values))


class Repeated(Folder):
    def test_a_run_leaves_all_of_it_and_is_repeated_from_anywhere(self):
        said = self.run_(WORKLOADS / "saxpy.yaml", "--out", "out", "--set", "tcc.mshrs=7", "--asic", "verde")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), FILES)
        self.assertEqual((self.folder / "out/summary.txt").read_text(), said)
        info = self.info()
        self.assertEqual(info["command"][1:], ["run", str(WORKLOADS / "saxpy.yaml"), "--out", "out", "--set", "tcc.mshrs=7", "--asic", "verde"])
        self.assertEqual((info["directory"], info["asic"], info["mode"], info["status"]), (str(self.folder), "verde", "cycle", 0))
        self.assertLessEqual({"archipelago", "systemc", "compiler"}, info["versions"].keys())
        self.assertEqual(info["config_hash"], self.stats("out/statistics.json")["config_hash"])
        self.assertIn(str(WORKLOADS / "saxpy.cl"), [i["file"] for i in info["inputs"]])
        self.assertRegex((self.folder / "out/log.txt").read_text(), r"DISPATCH_DIRECT")
        self.repeat()
        self.assertEqual((self.workload("out/statistics.json"), self.workload("again.json")), ("saxpy.yaml", "saxpy.yaml"))
        shutil.move(self.folder / "out", self.folder / "elsewhere")
        self.repeat(folder="elsewhere")

    def test_files_of_the_workload_and_its_chip_are_found_again(self):
        self.own()
        self.run_("own/w.yaml", "--out", "out/deep", "--quiet")  # the chip stands beside the workload
        (self.folder / "own/left.bin").unlink()
        self.repeat(folder="out/deep")
        self.assertEqual((self.folder / "own/left.bin").read_bytes(), (self.folder / "own/data/out.bin").read_bytes())

    def test_what_is_repeated_is_called_as_the_workload_that_was_run(self):
        self.own()
        self.run_("own/w.yaml", "--out", "first", "--quiet")
        self.run_("first/resolved.yaml", "--out", "second", "--quiet")  # of a repetition, too
        self.assertEqual(self.workload("second/statistics.json"), "w.yaml")
        self.assertIn('"name": "w.yaml"', subprocess.run([COMMAND, "check", "-"], input=json.dumps({"workload": "first/resolved.yaml"}), text=True,
                                                         cwd=self.folder, capture_output=True).stdout.replace('":"', '": "'))
        said = self.run_("first/resolved.yaml", "second/resolved.yaml", "--stats", "both.json")
        self.assertEqual([part["workload"] for part in json.loads((self.folder / "both.json").read_text())["workloads"]], ["w.yaml", "w.yaml"])
        self.assertIn("w.yaml", said)

    def test_chips_of_other_families_and_draws_are_repeated(self):
        for name, words in (("ctm/stencil", ()), ("draws_vmid", ()), ("adreno/all/buffers", ("--asic", "a530"))):
            with self.subTest(name):
                folder = Path(name).name
                self.run_(WORKLOADS / f"{name}.yaml", *words, "--out", folder, "--quiet")
                self.run_(f"{folder}/resolved.yaml", "--quiet", "--stats", "again.json")
                again, stats = self.stats("again.json"), self.stats(f"{folder}/statistics.json")
                self.assertEqual((again["cycles"], again["units"]), (stats["cycles"], stats["units"]))

    def test_options_that_change_results_come_along_and_yield_to_the_command_line(self):
        self.own()
        (self.folder / "own/other.cl").write_text("kernel void k(global uint* x) { x[get_global_id(0)] = 2 * x[get_global_id(0)] + 1; }\n")
        self.run_("own/w.yaml", "--out", "out", "--mode", "functional", "--code", "own/other.cl", "--options", "-Iown -DTHREE=3", "--quiet")
        text = (self.folder / "out/resolved.yaml").read_text()
        self.assertIn(f"--code={self.folder}/own/other.cl", text)
        self.assertIn(f"-I{self.folder}/own", text)
        self.assertFalse((self.folder / "out/trace.perfetto-trace").exists())
        self.assertTrue(self.run_("out/resolved.yaml").startswith("mine functional, "))
        self.assertTrue(self.run_("out/resolved.yaml", "--mode", "cycle").startswith("mine cycle, "))
        self.assertTrue(self.run_("out/resolved.yaml", "--mode=cycle").startswith("mine cycle, "))

    def test_a_run_that_is_functional_at_first_is_repeated(self):
        self.own()
        text = (self.folder / "own/w.yaml").read_text().replace("      expect: {file: data/out.bin}\n", "")
        (self.folder / "own/w.yaml").write_text(text.replace("  name: k\n", "  name: k\n  repeat: 3\n"))
        self.run_("own/w.yaml", "--out", "out", "--fast-forward", "kernel:2", "--caches", "warm", "--quiet")
        self.repeat()

    def test_several_workloads_have_a_folder_each_in_their_order(self):
        names = ("vector_add", "saxpy")
        self.run_(*(WORKLOADS / f"{n}.yaml" for n in names), "--out", "out", "--quiet")
        self.assertEqual([str(p.relative_to(self.folder)) for p in sorted(self.folder.glob("out/*/*"))],
                         ["out/1-vector_add/resolved.yaml", "out/2-saxpy/resolved.yaml"])
        self.run_(*sorted(self.folder.glob("out/*/resolved.yaml")), "--quiet", "--stats", "again.json")
        again, stats = self.stats("again.json"), self.stats("out/statistics.json")
        self.assertEqual((again["cycles"], again["units"]), (stats["cycles"], stats["units"]))
        self.run_("out/2-saxpy/resolved.yaml", "--quiet")


class Refused(Folder):
    def test_a_folder_that_is_not_empty_needs_force(self):
        (self.folder / "out").mkdir()
        self.run_(WORKLOADS / "saxpy.yaml", "--out", "out", "--quiet")  # empty
        (self.folder / "out/own.txt").write_text("mine")
        self.assertEqual(self.run_(WORKLOADS / "saxpy.yaml", "--out", "out", status=BAD_INPUT),
                         "--out out: is not empty, expected a new folder, an empty one, or --force\n")
        self.run_(WORKLOADS / "saxpy.yaml", "--out", "out", "--force", "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), sorted([*FILES, "own.txt"]))
        self.assertIn("--out out/own.txt: is a file, expected a folder",
                      self.run_(WORKLOADS / "saxpy.yaml", "--out", "out/own.txt", status=BAD_INPUT))
        self.assertIn("--force: goes with --out", self.run_(WORKLOADS / "saxpy.yaml", "--force", status=BAD_INPUT))

    def test_bad_input_leaves_no_folder(self):
        (self.folder / "bad.yaml").write_text("kernel: {}\n")
        self.run_("bad.yaml", "--out", "out", status=BAD_INPUT)
        self.run_(WORKLOADS / "saxpy.yaml", "--fast-forward", "kernel:7", "--out", "out", status=BAD_INPUT)
        self.assertFalse((self.folder / "out").exists())

    def test_a_run_that_fails_or_stops_leaves_its_status(self):
        (self.folder / "wrong.yaml").write_text("memory: [{address: 0x200000, fill: 0, size: 4096}]\nexpect: [{address: 0x200000, words: [1]}]\n")
        (self.folder / "hang.yaml").write_text(HANG)
        self.assertIn("expected 0x00000001", self.run_("wrong.yaml", "--out", "wrong", status=EXPECTATION_FAILED))
        self.assertEqual(self.info("wrong")["status"], EXPECTATION_FAILED)
        self.run_("hang.yaml", "--out", "hang", "--max-cycles", "20000", status=STOPPED)
        self.assertEqual(self.info("hang")["status"], STOPPED)
        self.assertIn("WAIT_REG_MEM", self.stats("hang/statistics.json")["stopped"])
        self.assertIn("20000", self.run_("hang/resolved.yaml", status=STOPPED))

    def test_options_for_files_of_their_own_put_these_where_they_say(self):
        self.run_(WORKLOADS / "saxpy.yaml", "--out", "out", "--stats", "s.json", "--log", "reg", "--log-file", "l.txt",
                  "--retire", "r.txt", "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), [f for f in FILES if f not in ("log.txt", "statistics.json")])
        self.assertTrue((self.folder / "s.json").exists() and (self.folder / "r.txt").exists())
        self.assertIn(" write ", (self.folder / "l.txt").read_text() + " write ")

    def test_words_under_run_are_options_with_a_value(self):
        (self.folder / "w.yaml").write_text('run: ["--mode=functional", "--stats=s.json", "--seed"]\nmemory: [{address: 0x200000, size: 4096}]\n'
                                            "expect: [{address: 0x200000, words: [0]}]\n")
        said = self.run_("w.yaml", status=BAD_INPUT)
        self.assertRegex(said, r'w\.yaml:1:28: run\[1\]: got "--stats=s\.json", expected a value after one of --mode=, ')
        self.assertRegex(said, r'w\.yaml:1:46: run\[2\]: got "--seed"')


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
