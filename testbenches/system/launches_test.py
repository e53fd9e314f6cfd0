#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How kernels are launched: several in a workload, on buffers that they share.

    launches_test.py ARCHIPELAGO
"""

import json
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND = None
REFERENCE = (suite.ROOT / "testbenches" / "host" / "WORKLOADS.md").read_text()

# Breadth-first search on a ring of vertices: the frontier moves on by one vertex a level.
BFS = """
kernel void expand(global const uint* frontier, global uint* next, global uint* depth, uint level) {
  const uint v = get_global_id(0), w = (v + 1) % get_global_size(0);
  if (frontier[v] != 0 && depth[w] == 0) { depth[w] = level; next[w] = 1; }
}
kernel void commit(global uint* frontier, global uint* next) {
  const uint v = get_global_id(0);
  frontier[v] = next[v];
  next[v] = 0;
}
"""
OTHER = "kernel void add(global uint* d, uint n) { d[get_global_id(0)] += n; }\n"
LEVELS = 6
SEARCH = f"""
code: bfs.cl
steps:
  - repeat: {LEVELS}
    steps:
      - kernel:
          name: expand
          global_size: [128]
          local_size: [64]
          args:
            - buffer: {{name: frontier, file: start.bin}}
            - buffer: {{name: next, zeros: 512}}
            - buffer: {{name: depth, zeros: 512}}
              dump: seen.bin
            - u32: {{first: 1, step: 1}}
      - kernel: {{name: commit, global_size: [128], local_size: [64], args: [buffer: frontier, buffer: next]}}
expect:
  - {{buffer: depth, file: depth.bin}}
dump:
  - {{buffer: depth, file: out.bin}}
"""


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="archipelago-launches-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, **files):
        """Underscores stand for points in names."""
        for name, contents in files.items():
            (self.folder / name.replace("_", ".")).write_bytes(
                contents if isinstance(contents, bytes) else contents.encode())

    def call(self, *line, status=suite.DONE):
        done = subprocess.run([COMMAND, *map(str, line)], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def in_both_modes(self, file, *options, status=suite.DONE):
        return [self.call("run", file, "--mode", mode, *options, status=status) for mode in suite.MODES]


class SeveralKernels(InFolder):
    def setUp(self):
        super().setUp()
        depth = [0, *range(1, LEVELS + 1), *[0] * (127 - LEVELS)]
        self.write(bfs_cl=BFS, other_cl=OTHER, start_bin=words(1, *[0] * 127), depth_bin=words(*depth),
                   bfs_yaml=SEARCH)

    def test_buffers_with_names_keep_their_contents_from_step_to_step(self):
        for asic in (suite.MAIN_CHIP, *suite.OTHER_CHIPS):
            for mode in suite.MODES:
                self.call("run", "bfs.yaml", "--asic", asic, "--mode", mode)
        for name in ("out.bin", "seen.bin"):
            self.assertEqual((self.folder / name).read_bytes(), (self.folder / "depth.bin").read_bytes())

    def test_the_example_of_the_reference_runs(self):
        section = REFERENCE.split("\n## Several kernels\n")[1].split("\n## ")[0]
        code, workload = re.findall(r"```\w+\n(.*?)```", section, re.S)
        self.write(norm_cl=code, norm_yaml=workload)
        self.in_both_modes("norm.yaml")

    def test_each_kernel_has_its_rows(self):
        done = self.call("run", "bfs.yaml", "--stats", "s.json")
        for name in ("expand", "commit"):
            self.assertRegex(done.stdout, rf"\n  kernel        {name} x {LEVELS}: \d+ cycles ")
        statistics = json.loads((self.folder / "s.json").read_text())
        self.assertEqual([k["kernel"] for k in statistics["kernels"]], ["expand", "commit"] * LEVELS)
        ends = [(k["start"], k["end"]) for k in statistics["kernels"]]
        self.assertTrue(all(end <= start for (_, end), (start, _) in zip(ends, ends[1:])), "each waits for the one before")
        self.assertEqual({k["kernel"]: k["dispatches"] for k in statistics["kernel_totals"]},
                         {"expand": LEVELS, "commit": LEVELS})
        profile = self.call("profile", "bfs.yaml").stdout
        self.assertRegex(profile, rf"expand +\S* *{LEVELS} ")

    def test_a_sweep_has_a_row_for_each_kernel(self):
        self.write(sweep_yaml="workload: bfs.yaml\nparameters:\n  clocks.memory: [500 MHz, 1000 MHz]\n")
        self.call("sweep", "sweep.yaml", "--csv", "k.csv", "--by", "kernel", "--quiet")
        rows = (self.folder / "k.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + 2 * 2 * LEVELS)
        self.assertEqual(sum(",expand," in row for row in rows), 2 * LEVELS)

    def test_a_sweep_of_several_files_runs_again_when_one_includes_something_else(self):
        self.write(n_h="#define N 1\n", other_cl='#include "n.h"\n' + OTHER.replace("+= n", "+= n * N"),
                   two_yaml="""
steps:
  - kernel: {code: bfs.cl, name: commit, global_size: [64], args: [buffer: {name: d, zeros: 256}, buffer: {zeros: 256}]}
  - kernel: {code: other.cl, global_size: [64], args: [buffer: d, u32: 3]}
expect: [{buffer: d, fill: 3, size: 4}]
""".replace("fill: 3, size: 4", "words: [3]"), sweep_yaml="workload: two.yaml\nparameters: {clocks.memory: [500 MHz]}\n")
        line = ("sweep", "sweep.yaml", "--database", "s.sqlite")
        self.assertIn("1 run", self.call(*line).stdout)
        self.write(n_h="#define N 2\n")
        self.assertIn("1 run", self.call(*line, status=suite.EXPECTATION_FAILED).stdout)

    def test_expectations_between_kernels_see_what_the_last_one_left(self):
        self.write(steps_yaml="""
kernel: {code: other.cl, global_size: [64], args: [{buffer: {name: d, zeros: 256}, expect: {words: [1]}}, {u32: 1}]}
steps:
  - kernel: {global_size: [64], args: [{buffer: d}, {u32: 1}], repeat: 2}
  - expect: {buffer: d, words: [3, 3]}
  - {ring: gfx, packets: [NOP COUNT = 0]}
  - kernel: {global_size: [64], args: [{buffer: d, expect: {words: [5]}}, {u32: 2}]}
  - {wait: gfx}
  - kernel: {global_size: [64], args: [{buffer: d}, {u32: 4}]}
expect: [{buffer: d, words: [9]}]
""".replace("  - {ring: gfx, packets: [NOP COUNT = 0]}\n", "  - {ring: gfx, words: [0xC0001000, 0]}\n"))
        for done in self.in_both_modes("steps.yaml"):
            self.assertIn("checks        4 of 4 passed", done.stdout)
        text = (self.folder / "steps.yaml").read_text()
        self.write(steps_yaml=text.replace("words: [3, 3]", "words: [3, 4]").replace("words: [5]", "words: [6]"))
        for done in self.in_both_modes("steps.yaml", status=suite.EXPECTATION_FAILED):
            self.assertRegex(done.stderr, r"steps.yaml:5:13: steps\[1\].expect: buffer d at 0x\w+: word 1 at 0x\w+: "
                                          r"expected 0x00000004, got 0x00000003")
            self.assertRegex(done.stderr, r"steps\[3\].kernel.args\[0\]: argument 0 at 0x\w+: word 0 .* got 0x00000005")

    def test_checkpoints_stand_between_the_dispatches_of_all_kernels(self):
        at = [f"kernel:{n}" for n in (1, 5, 2 * LEVELS)] + [f"step:{n}" for n in (0, 3, 2 * LEVELS)]
        whole = self.call("run", "bfs.yaml", "--stats", "s.json")
        for point in at:
            with self.subTest(point=point):
                self.call("run", "bfs.yaml", "--checkpoint-at", point, "--checkpoint", "c")
                self.assertIn("1 of 1 passed", self.call("run", "bfs.yaml", "--restore", "c").stdout)
                for caches in ("cold", "warm"):
                    self.call("run", "bfs.yaml", "--fast-forward", point, "--caches", caches)
        self.call("run", "bfs.yaml", "--fast-forward", "kernel:4", "--groups", "1")
        self.assertIn("expected kernel:1 to kernel:12", self.call(
            "run", "bfs.yaml", "--checkpoint-at", "kernel:13", "--checkpoint", "c", status=suite.BAD_USAGE).stderr)
        self.assertIn("passed", whole.stdout)

    def test_code_stands_for_each_file_in_order(self):
        self.call("compile", "bfs.cl", "-o", "bfs.hsaco")
        self.call("compile", "other.cl", "-o", "other.hsaco")
        self.call("run", "bfs.yaml", "--code", "bfs.hsaco", "--mode", "functional")
        self.write(two_yaml="""
steps:
  - kernel: {code: bfs.cl, name: commit, args: [buffer: {name: d, zeros: 64}, buffer: {zeros: 64}]}
  - kernel: {code: other.cl, args: [buffer: d, u32: 1]}
  - kernel: {code: bfs.cl, name: commit, args: [buffer: {zeros: 64}, buffer: d]}
""")
        self.call("run", "two.yaml", "--code", "bfs.hsaco", "--code", "other.hsaco")
        said = self.call("run", "two.yaml", "--code", "bfs.hsaco", status=suite.BAD_USAGE).stderr
        self.assertIn("--code: 1 given, the kernels of two.yaml are made from 2 (in this order: bfs.cl, other.cl)", said)

    def test_options_hold_for_kernels_that_inherit_the_code(self):
        self.write(n_cl="kernel void add(global uint* d) { d[0] += N; }\n", n_yaml="""
kernel: {code: n.cl, options: [-DN=2]}
steps:
  - kernel: {args: [buffer: {name: d, zeros: 64}]}
  - kernel: {args: [buffer: d], options: [-DN=10]}
  - kernel: {args: [buffer: d]}
  - kernel: {args: [buffer: d], code: n.cl, options: -DN=100}
  - kernel: {args: [buffer: d]}
expect: [{buffer: d, words: [214]}]
""")
        self.in_both_modes("n.yaml")

    def test_several_workloads_have_kernels_and_buffers_of_their_own(self):
        for mode in suite.MODES:
            done = self.call("run", "bfs.yaml", "bfs.yaml", "--mode", mode)
            self.assertEqual(done.stdout.count("1 of 1 passed"), 2, done.stdout)

    def test_what_does_not_fit_the_last_kernel_is_found_before_the_first_runs(self):
        self.write(bad_yaml=SEARCH.replace("args: [buffer: frontier, buffer: next]", "args: [buffer: frontier]"))
        said = self.call("run", "bad.yaml", status=suite.BAD_USAGE).stderr
        self.assertRegex(said, r"bad.yaml:\d+:\d+: steps\[0\].steps\[1\].kernel: .*kernel 'commit': argument 1 'next' .* is "
                               r"missing: 1 given, 2 needed")

    def test_a_fault_names_the_argument_of_the_kernel_that_has_it(self):
        self.write(far_cl=BFS + "kernel void far(global uint* a, global uint* b) { b[get_global_id(0) + (1u << 26)] = a[0]; }\n",
                   far_yaml=SEARCH.replace("bfs.cl", "far.cl").split("expect:")[0] +
                   "  - kernel: {name: far, global_size: [64], args: [buffer: next, buffer: depth]}\n")
        for done in self.in_both_modes("far.yaml", status=suite.MACHINE_STOPPED):
            self.assertIn("bytes after argument 1 `b` (", done.stderr)

    def test_stores_beyond_a_buffer_of_several_kernels_are_found_once(self):
        self.write(over_yaml="""
code: other.cl
steps:
  - kernel: {global_size: [64], args: [{buffer: {name: d, zeros: 200}}, {u32: 1}]}
  - kernel: {global_size: [32], args: [{buffer: d}, {u32: 1}]}
""")
        for done in self.in_both_modes("over.yaml", status=suite.EXPECTATION_FAILED):
            self.assertEqual(done.stderr.count("written beyond its 200 bytes: byte 200"), 1, done.stderr)


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
