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
REFERENCE = (suite.ROOT / "testbenches" / "host" / "KERNELS.md").read_text()

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


class ArgumentsByValue(InFolder):
    def test_vectors_and_structures_have_the_layout_of_the_source(self):
        self.write(k_cl="""
typedef struct { int start; char step; double scale; float weights[3]; } Plan;
kernel void plan(global float* out, const float4 base, const uint2 size, const uchar3 shift, const Plan p) {
  const uint i = get_global_id(0);
  const float v[4] = {base.x, base.y, base.z, base.w};
  out[i] = v[i & 3] * size.y + size.x + shift.z + (float)(p.scale * (p.start + (int)i * p.step)) + p.weights[i % 3];
}
""", plan_bin=struct.pack("<ib3xd3f4x", -3, 2, 0.25, 8, 16, 32))
        weights = (8, 16, 32)
        expected = [[1.5, -2, 0.25, 8][i & 3] * 7 + 100 + 3 + 0.25 * (-3 + i * 2) + weights[i % 3] for i in range(64)]
        fields = "[{i32: -3}, {i8: 2}, {f64: 0.25}, {f32: [8, 16, 32]}]"
        for value in ("{file: plan.bin}", fields):
            self.write(k_yaml=f"""
kernel:
  code: k.cl
  global_size: [64]
  args:
    - buffer: {{zeros: 256}}
      expect: {{f32: {expected}}}
    - f32: [1.5, -2.0, 0.25, 8.0]
    - u32: [100, 7]
    - u8: [1, 2, 3]
    - value: {value}
""")
            for asic in (suite.MAIN_CHIP, "hainan"):
                self.in_both_modes("k.yaml", "--asic", asic)
        text = (self.folder / "k.yaml").read_text()
        for old, new, said in (
                ("u32: [100, 7]", "u32: 100", r"argument 2 'size' \(uint2\) has 8 bytes, 4 were given"),
                ("f32: [1.5,", "i32: [1, 2, 3, 4] #", r"argument 1 'base' \(float4\) is a floating-point number, an integer"),
                (fields, "{zeros: 28}", r"argument 4 'p' \(Plan\) has 32 bytes, 28 were given"),
                (fields, "{zeros: 65537}", r"k.yaml:11:14: kernel.args\[4\].value: 65537 bytes, expected at most 65536"),
                ("u8: [1, 2, 3]", "buffer: null", r"argument 3 'shift' \(uchar3\) is a value, a buffer was given")):
            self.write(k_yaml=text.replace(old, new))
            self.assertRegex(self.call("run", "k.yaml", status=suite.BAD_USAGE).stderr, said)

    def test_small_numbers_have_their_types(self):
        self.write(k_cl="""
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global int* out, char a, uchar b, short c, ushort d, long e, char2 f) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e >> 33; out[5] = f.y;
}
""", k_yaml="""
kernel:
  code: k.cl
  args:
    - buffer: {zeros: 24}
      expect: {i32: [-5, 250, -300, 65000, -1, -2]}
    - i8: -5
    - u8: 250
    - i16: -300
    - u16: 65000
    - i64: -8589934592
    - i8: [1, -2]
""")
        self.in_both_modes("k.yaml")

    def test_a_pointer_may_be_null(self):
        self.write(k_cl="""
kernel void shade(global uint* out, global const uint* table, uint fallback) {
  const uint i = get_global_id(0);
  out[i] = table ? table[i & 15] + i : fallback + i;
}
""")
        for table, first in (("buffer: null", 5), ("buffer: {range: {type: u32, count: 16, first: 70, step: 0}}", 70)):
            self.write(k_yaml=f"""
kernel:
  code: k.cl
  global_size: [64]
  args:
    - {{buffer: {{zeros: 256}}, expect: {{range: {{type: u32, count: 64, first: {first}}}}}}}
    - {table}
    - u32: 5
""")
            self.in_both_modes("k.yaml")

    def test_assembly_without_metadata_has_values_by_their_alignment(self):
        self.write(k_s="""
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx4 s[8:11], s[0:1], 0x4
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v0, s8
  v_mov_b32 v1, s11
  s_mov_b32 s6, -1
  s_mov_b32 s7, 0xf000
  buffer_store_dwordx2 v[0:1], off, s[4:7], 0
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 32
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
""", k_yaml="""
kernel:
  code: k.s
  args: [{buffer: {zeros: 8}, expect: {u32: [7, 9]}}, u32: 1, value: [{u32: [7, 0, 0, 9]}]]
""")
        self.in_both_modes("k.yaml")


class Formulas(InFolder):
    SAXPY = """
kernel void saxpy(global float* y, global const float* x, float a) { const uint i = get_global_id(0); y[i] = a * x[i] + y[i]; }
kernel void blur(global const float* x, global float* y) {
  const uint i = get_global_id(0), n = get_global_size(0);
  y[i] = (x[i == 0 ? 0 : i - 1] + x[i] + x[i == n - 1 ? i : i + 1]) / 3;
}
kernel void gray(global uint* out) { const uint i = get_global_id(0); out[i] = i ^ i >> 1; }
"""
    TEXT = """
code: saxpy.cl
steps:
  - kernel:
      name: saxpy
      global_size: [256]
      args:
        - buffer: {name: y, range: {type: f32, count: 256, first: 1, step: 0.25}}
          expect: {formula: "2*x + y", rel: 1e-6}
        - buffer: {name: x, random: {type: f32, count: 256, seed: 3}}
        - f32: 2
  - kernel:
      name: blur
      global_size: [256]
      args:
        - buffer: x
        - buffer: {name: blurred, zeros: 1024}
          expect: {formula: "(x[i == 0 ? 0 : i - 1] + x + x[min(i + 1, n - 1)]) / 3", type: f32, rel: 1e-6}
  - kernel: {name: gray, global_size: [256], args: [buffer: {name: codes, zeros: 1024}]}
expect:
  - {buffer: codes, formula: "i ^ i >> 1", type: u32}
  - {buffer: y, formula: "fma(2, x, y)", rel: 1e-6}
"""

    def test_results_are_those_of_the_formula(self):
        self.write(saxpy_cl=self.SAXPY, f_yaml=self.TEXT)
        for done in self.in_both_modes("f.yaml"):
            self.assertIn("checks        4 of 4 passed", done.stdout)
        self.write(f_yaml=self.TEXT.replace("2*x + y", "2*x + y + (i == 7 ? 0.5 : 0)").replace("i ^ i >> 1", "i ^ i >> 2"))
        for done in self.in_both_modes("f.yaml", status=suite.EXPECTATION_FAILED):
            self.assertRegex(done.stderr, r"steps\[0\].kernel.args\[0\]: argument 0 at 0x\w+: element 7 \(f32\) .* \(1 of 256 differ\)")
            self.assertRegex(done.stderr, r"expect\[0\]: buffer codes at 0x\w+: element 2 \(u32\) .*expected 2, got 3 ")

    def test_faults_have_a_line_and_a_column(self):
        self.write(saxpy_cl=self.SAXPY)
        for old, new, said in (
                ("2*x + y\"", "2*z + y\"", r'f.yaml:9:29: steps\[0\].kernel.args\[0\].expect.formula: column 3 of the formula: unknown name "z", '
                                           r"expected one of: y, x, blurred, codes, i, n"),
                ("2*x + y\"", "2*x +\"", r"column 6 of the formula: it ends where"),
                ("x[min(i + 1, n - 1)]", "x[i + 1]", r"f.yaml:18:29: .*column 30 of the formula: element 256 of a buffer of 256, where i is 255"),
                (", type: u32}", "}", r"expect\[0\].type: required key is missing, expected the type of the elements"),
                ("type: u32}", "type: u33}", r'expect\[0\].type: got text "u33", expected one of: i8'),
                ("i ^ i >> 1\"", "x ^ 1\"", r"column 1 of the formula: elements of f32 among integers")):
            with self.subTest(new=new):
                self.write(f_yaml=self.TEXT.replace(old, new, 1))
                self.assertRegex(self.call("run", "f.yaml", "--mode", "functional", status=suite.BAD_USAGE).stderr, said)

    def test_contents_may_be_a_formula_of_the_index(self):
        self.write(saxpy_cl=self.SAXPY, f_yaml="""
memory:
  - {address: 0x100000, formula: "i * i", type: u16, count: 300}
kernel:
  code: saxpy.cl
  name: blur
  global_size: [64]
  args:
    - buffer: {formula: "(i & 1) * 2", type: u32, count: 64}
    - buffer: {zeros: 256}
expect:
  - {address: 0x100000, formula: "i * i", type: u16, count: 300}
""")
        self.in_both_modes("f.yaml")
        for old, new, said in (("\"i * i\"", "\"x * i\"", "unknown name \"x\", expected one of: i, n"),
                               (", count: 300", "", "memory[0].count: required key is missing")):
            text = (self.folder / "f.yaml").read_text()
            self.write(g_yaml=text.replace(old, new, 1))
            self.assertIn(said, self.call("run", "g.yaml", status=suite.BAD_USAGE).stderr)


class Sizes(InFolder):
    GRID = """
kernel void grid(global uint* out, uint width) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  out[(y - get_global_offset(1)) * width + x - get_global_offset(0)] =
      100 * y + x + 1000000 * get_local_size(0) + 10000000 * get_group_id(0);  // the full size
}
"""

    def run_grid(self, width, height, local, offset=(0, 0)):
        values = []
        for y in range(height):
            for x in range(width):
                values.append(100 * (y + offset[1]) + x + offset[0] + 1000000 * local[0] + 10000000 * (x // local[0]))
        self.write(grid_cl=self.GRID, grid_bin=words(*values), grid_yaml=f"""
kernel:
  code: grid.cl
  global_size: [{width}, {height}]
  local_size: [{local[0]}, {local[1]}]
  global_offset: [{offset[0]}, {offset[1]}]
  args: [{{buffer: {{zeros: {4 * width * height}}}, expect: {{file: grid.bin}}}}, u32: {width}]
""")
        self.in_both_modes("grid.yaml")

    def test_a_global_offset_is_that_of_the_ids(self):
        self.run_grid(32, 4, (16, 2), (7, 50))

    def test_the_last_groups_may_be_partial(self):
        self.run_grid(37, 5, (16, 2))
        self.run_grid(100, 3, (64, 1), (3, 1))

    def test_an_offset_that_the_kernel_does_not_read_is_refused(self):
        self.write(k_s=".text\n.globl k\n.p2align 8\n.type k,@function\nk:\n  s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n"
                       "  .amdhsa_next_free_vgpr 1\n  .amdhsa_next_free_sgpr 1\n.end_amdhsa_kernel\n",
                   k_yaml="kernel: {code: k.s, global_offset: [0, 3]}\n")
        self.assertIn("a global offset of 3 in y, which the kernel does not read",
                      self.call("run", "k.yaml", status=suite.BAD_USAGE).stderr)


class Overlap(InFolder):
    CODE = "kernel void add(global uint* d, uint n) { for (uint i = 0; i < 50; ++i) d[get_global_id(0)] += n; }\n"

    def dispatches(self, workload):
        self.write(add_cl=self.CODE, add_yaml=workload)
        self.call("run", "add.yaml", "--mode", "functional")
        self.call("run", "add.yaml", "--stats", "s.json", "--log", "pm4", "--log-file", "log")
        kernels = json.loads((self.folder / "s.json").read_text())["kernels"]
        log = (self.folder / "log").read_text()
        between = log[log.index("DISPATCH_DIRECT"):log.rindex("DISPATCH_DIRECT")]
        return sorted((k["start"], k["end"]) for k in kernels), "CS_PARTIAL_FLUSH" in between

    def overlap(self, spans):
        return any(start < end for (_, end), (start, _) in zip(spans, spans[1:]))

    def test_repetitions_without_sync_do_not_wait_for_each_other(self):
        for sync, overlaps in (("all", False), ("first_level", False), ("none", True)):
            with self.subTest(sync=sync):
                spans, waits = self.dispatches(f"""
kernel: {{code: add.cl, global_size: [64], repeat: 6, sync: {sync}, args: [buffer: {{zeros: 256}}, u32: 0]}}
""")
                self.assertEqual((self.overlap(spans), waits), (overlaps, not overlaps))

    def test_kernels_of_steps_without_sync_overlap_on_buffers_of_their_own(self):
        for sync, overlaps in (("all", False), ("none", True)):
            with self.subTest(sync=sync):
                spans, waits = self.dispatches(f"""
code: add.cl
steps:
  - kernel: {{global_size: [64], args: [{{buffer: {{zeros: 256}}, expect: {{words: [50]}}}}, u32: 1]}}
  - kernel: {{global_size: [64], sync: {sync}, args: [{{buffer: {{zeros: 256}}, expect: {{words: [100]}}}}, u32: 2]}}
  - kernel: {{global_size: [64], sync: {sync}, args: [{{buffer: {{zeros: 256}}, expect: {{words: [150]}}}}, u32: 3]}}
""")
                self.assertEqual((self.overlap(spans), waits), (overlaps, not overlaps))


class BeyondBuffers(InFolder):
    def test_a_fault_names_argument_work_item_and_line(self):
        self.write(k_cl="""
kernel void far(global uint* a, uint width) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  if (x == 41 && y == 9)
    a[1u << 26] = 5;
  a[y * width + x] = 1;
}
""", k_yaml="""
kernel: {code: k.cl, global_size: [50, 10], local_size: [16, 4], global_offset: [0, 2], args: [buffer: {zeros: 2400}, u32: 50]}
""")
        for done in self.in_both_modes("k.yaml", status=suite.MACHINE_STOPPED):
            self.assertRegex(done.stderr, r"bytes after argument 0 `a` \(0x\w+, 2400 bytes\); work-item \(41, 9, 0\) at \S*k.cl:5\n")

    def test_a_store_into_the_last_page_names_the_argument(self):
        self.write(k_cl="kernel void add(global const uint* a, global uint* b) { b[get_global_id(0)] = a[0]; }\n", k_yaml="""
kernel: {code: k.cl, global_size: [256], args: [buffer: {zeros: 1024}, buffer: {zeros: 1000}]}
""")
        for done in self.in_both_modes("k.yaml", "--asic", "verde", status=suite.EXPECTATION_FAILED):
            self.assertRegex(done.stderr, r"kernel.args\[1\]: argument 1 `b`: the kernel has written beyond its 1000 bytes: byte 100[0-3], at 0x")


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
