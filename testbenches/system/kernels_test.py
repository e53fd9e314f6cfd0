#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code objects stand in for the sources of kernels, and scripts/build-kernels notices when they differ.

    kernels_test.py ARCHIPELAGO
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND = None
SAXPY = suite.WORKLOADS / "saxpy.yaml"


def run(*words, **environment):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout


class Code(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-kernels-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def test_an_object_is_run_in_place_of_the_source(self):
        code = suite.committed_code(suite.WORKLOADS / "saxpy.cl")
        line = (COMMAND, "run", "--quiet", "--mode", "functional", SAXPY)
        status, said = run(*line, **suite.NO_COMPILERS)
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("clang not found", said)
        self.assertEqual(run(*line, "--code", code, **suite.NO_COMPILERS), (suite.DONE, ""))
        # Not beside the source, but in place of it: another kernel is another result.
        status, said = run(*line, "--code", suite.committed_code(suite.WORKLOADS / "vector_add.cl"))
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("vector_add.hsaco", said)

    def test_suite_runs_need_no_compiler(self):
        [saxpy] = [w for w in suite.workloads() if w.name == "saxpy"]
        self.assertEqual(suite.run(COMMAND, saxpy, mode="functional").status, suite.DONE)
        compiled = suite.Workload(saxpy.name, saxpy.path)
        self.assertEqual(suite.run(COMMAND, compiled, mode="functional").status, suite.BAD_USAGE)

    def test_a_workload_without_kernel_takes_no_code(self):
        status, said = run(COMMAND, "run", suite.WORKLOADS / "draws.yaml", "--code", "any.hsaco")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("draws.yaml has no kernel", said)

    def test_compile_makes_the_object_run_makes(self):
        made = self.folder / "saxpy.hsaco"
        self.assertEqual(run(COMMAND, "compile", suite.WORKLOADS / "saxpy.cl", "-o", made), (0, ""))
        self.assertEqual(run(COMMAND, "run", "--quiet", SAXPY, "--code", made, **suite.NO_COMPILERS), (0, ""))
        for words, message in ((("x.c", "-o", made), "expected a .cl or .s file"),
                               ((suite.WORKLOADS / "saxpy.cl",), "--output is required"), ((), "expected a .cl")):
            status, said = run(COMMAND, "compile", *words)
            self.assertEqual(status, suite.BAD_USAGE)
            self.assertIn(message, said)

    def test_a_kernel_is_compiled_with_the_options_of_workload_and_command(self):
        (self.folder / "include").mkdir()
        header = self.folder / "include" / "element.h"
        header.write_text("typedef uint ELEMENT;\n")
        (self.folder / "k.cl").write_text('#include "element.h"\nkernel void k(global ELEMENT* out) { out[get_global_id(0)] = N + 1; }\n')
        kernel = ("kernel:\n  code: k.{}\n  options: {}\n  name: k\n  global_size: [64]\n  args:\n    - buffer: {{zeros: 256}}\n"
                  "      expect: {{words: [{}]}}\n")
        workload = self.folder / "w.yaml"
        line = (COMMAND, "run", "--quiet", workload)
        for options in ("[-DN=4, -Iinclude]", "-DN=4 -I include", "[-D, N=4, '-I\"include\"']", "[-DN=1, -DN=4 -Iinclude]"):
            workload.write_text(kernel.format("cl", options, 5))
            for mode in ("functional", "cycle"):
                self.assertEqual(run(*line, "--mode", mode), (suite.DONE, ""), options)
        # The command's come last; those of several workloads hold for each.
        status, said = run(*line, "--mode", "functional", "--options", "-DN=5")
        self.assertEqual(status, suite.EXPECTATION_FAILED)
        self.assertIn("got 0x00000006", said)
        workload.write_text(kernel.format("cl", "[-DN=4, -Iinclude]", 6))
        self.assertEqual(run(*line, workload, "--mode", "functional", "--options", "-DN=5"), (suite.DONE, ""))
        # A header of the options is read, so it is not overwritten.
        for words in ((*line, "--stats", header), (COMMAND, "compile", self.folder / "k.cl", "-DN=4", "-I", header.parent, "-o", header)):
            status, said = run(*words)
            self.assertEqual(status, suite.BAD_USAGE)
            self.assertIn(f'would overwrite "{header}", which the command reads', said)
        # The object has its definitions, and options go with a source.
        made = self.folder / "k.hsaco"
        self.assertEqual(run(COMMAND, "compile", "-D", "N=5", self.folder / "k.cl", f"-I{header.parent}", "-cl-mad-enable", "-o", made),
                         (0, ""))
        self.assertEqual(run(*line, "--code", made), (suite.DONE, ""))
        status, said = run(*line, "--code", made, "--options", "-DN=5")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("--options: the code is compiled already", said)
        for words in (("-target", "x86_64"), ("--options", "-target x86_64")):
            status, said = run(COMMAND, "compile", self.folder / "k.cl", "-o", made, *words)
            self.assertEqual(status, suite.BAD_USAGE)
            self.assertIn('": machine, steps and output of the compilation are the model\'s', said)

    def test_symbols_and_folders_of_assembly_are_options(self):
        (self.folder / "include").mkdir()
        listing = (suite.WORKLOADS / "saxpy_asm.s").read_text()
        (self.folder / "include" / "body.inc").write_text(".if N != 7\n.error \"N is another\"\n.endif\n")
        (self.folder / "saxpy_asm.s").write_text('.include "body.inc"\n' + listing)
        line = (COMMAND, "compile", self.folder / "saxpy_asm.s", "-o", self.folder / "saxpy.hsaco", f"-I{self.folder / 'include'}")
        self.assertEqual(run(*line, "-DN=7"), (0, ""))
        status, said = run(*line, "-DN=8")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("N is another", said)
        status, said = run(*line, "-DN=7", "-O2")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("the assembler takes -D NAME=INTEGER and -I FOLDER only", said)

    def new(self, *words, status=0):
        made, said = run(COMMAND, "new", *words)
        self.assertEqual(made, status, said)
        return said

    def test_a_workload_written_for_a_kernel_runs_at_once(self):
        for name in ("saxpy", "matmul", "arg_types", "fft", "histogram", "local_types", "transpose"):
            source = shutil.copy(suite.WORKLOADS / f"{name}.cl", self.folder)
            self.new(source)
            workload = self.folder / f"{name}.yaml"
            self.assertEqual(run(COMMAND, "run", "--quiet", "--mode", "functional", workload), (suite.DONE, ""), workload.read_text())
        text = (self.folder / "saxpy.yaml").read_text()
        for line in ("# y: float*", "# x: const float*", "- buffer: {random: {type: f32, count: 65536, seed: 2}}", "# a: float", "- f32: 1.0"):
            self.assertIn(line, text)
        self.assertIn("saxpy.yaml exists already, and nothing is overwritten", self.new(self.folder / "saxpy.cl", status=suite.BAD_USAGE))
        self.assertEqual((self.folder / "saxpy.yaml").read_text(), text)

    def test_a_workload_in_another_folder_has_the_options_of_its_kernel(self):
        (self.folder / "source" / "include").mkdir(parents=True)
        (self.folder / "runs").mkdir()
        (self.folder / "source" / "include" / "side.h").write_text("#define SIDE 8\n")
        kernel = self.folder / "source" / "k.cl"
        kernel.write_text('#include "side.h"\nkernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void tiled(global TYPE* out, local TYPE* tile) {\n'
                          "  tile[get_local_id(1)] = get_global_id(0);\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = tile[0];\n}\n"
                          "kernel void other(global uint* out) { out[get_global_id(0)] = 1; }\n")
        workload = self.folder / "runs" / "tiled.yaml"
        self.new(kernel, "-o", workload, "--kernel", "tiled", "-DTYPE=unsigned int", "-I", kernel.parent / "include")
        text = workload.read_text()
        for line in ("code: ../source/k.cl", "-I../source/include", "global_size: [32, 32]", "local_size: [8, 8]", "- local: 4096"):
            self.assertIn(line, text)
        self.assertEqual(run(COMMAND, "run", "--quiet", workload), (suite.DONE, ""))
        self.assertIn("no kernel 'none'; it has other, tiled",
                      self.new(kernel, "-o", self.folder / "x.yaml", "--kernel", "none", "-DTYPE=int", f"-I{kernel.parent / 'include'}",
                               status=suite.BAD_USAGE))
        self.assertFalse((self.folder / "x.yaml").exists())

    def test_several_kernels_are_steps_that_share_buffers_of_one_name(self):
        kernels = self.folder / "k.cl"
        kernels.write_text("kernel void zoom(global float* data, float by, uint2 size) { data[get_global_id(0)] *= by + size.y; }\n"
                           "kernel void add(global const float* data, global float* sum) { sum[get_global_id(0)] += data[get_global_id(0)]; }\n")
        self.new(kernels)
        text = (self.folder / "k.yaml").read_text()
        self.assertLess(text.index("name: zoom"), text.index("name: add"), "in the order of the source")
        for line in ("- buffer: {name: data, random:", "- buffer: {buffer: data}", "- u32: [256, 256]"):
            self.assertIn(line, text)
        self.assertEqual(run(COMMAND, "run", "--quiet", "--mode", "functional", self.folder / "k.yaml"), (suite.DONE, ""))

    def test_a_kernel_in_assembly_is_written_with_its_workload(self):
        self.new("--asm", self.folder / "add-one.s")
        for mode in ("functional", "cycle"):
            status, said = run(COMMAND, "run", "--mode", mode, self.folder / "add-one.yaml")
            self.assertEqual(status, 0, said)
            self.assertIn("1 of 1 passed", said)
        (self.folder / "add-one.yaml").unlink()
        self.assertIn("add-one.s exists already", self.new("--asm", self.folder / "add-one.s", status=suite.BAD_USAGE))
        self.assertFalse((self.folder / "add-one.yaml").exists())
        self.assertIn("expected the name of a .s file", self.new("--asm", self.folder / "k.cl", status=suite.BAD_USAGE))

    def build_kernels(self, *words):
        return run(suite.ROOT / "scripts" / "build-kernels", "--command", COMMAND, "--folder", self.folder / "code",
                   *words)

    def test_what_differs_is_named(self):
        folder = self.folder / "code"
        shutil.copytree(suite.CODE, folder)
        (folder / "stray.hsaco").touch()
        (folder / "fft.hsaco").unlink()
        table = (folder / "code.yaml").read_text()
        (folder / "code.yaml").write_text(table.replace("  saxpy.cl: ", "  saxpy.cl: f"))
        status, said = self.build_kernels("--check")
        self.assertEqual(status, 1)
        for line in ("stray.hsaco: no workload uses it", "fft.cl: has no object",
                     "saxpy.cl: changed since its object was made", "3 wrong"):
            self.assertIn(line, said)

    def test_another_object_of_the_recorded_compilers_fails_and_of_others_is_named(self):
        folder = self.folder / "code"
        # Golden.CodeObjectsAreOfTheSourcesInTheTree compiles them all.
        some = ("--only", "fft.cl", "gds_asm.s", "saxpy.cl")
        status, said = self.build_kernels(*some)
        self.assertEqual(status, 0, said)
        self.assertEqual(self.build_kernels("--check", *some)[0], 0)
        shutil.copy(folder / "saxpy.hsaco", folder / "fft.hsaco")
        status, said = self.build_kernels("--check", *some)
        self.assertEqual(status, 1)
        self.assertIn("fft.hsaco: the recorded compilers make another object", said)
        table = (folder / "code.yaml").read_text()
        (folder / "code.yaml").write_text(table.replace("  clang: ", "  clang: Other "))
        status, said = self.build_kernels("--check", *some)
        self.assertEqual(status, 0, said)
        self.assertIn("recorded Other", said)
        self.assertIn("fft.hsaco: these compilers make another object", said)


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
