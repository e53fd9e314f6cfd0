#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of CTM chips through the command: executables, text, code in memory.

    ctm_program_test.py ARCHIPELAGO
"""

import json
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

COPY = """// A copy of input 0.
.proginfo full cached temporaries=2
start:
        tex ld r1.rgba, i0.rgba, r0.rgrr unscaled acquire sem_wait
end:    out rgb(r1) max.bits r0._, s0.rgb, s0.rgb, s0.rrr | alpha(r1) max.bits r0._, s0.a, s0.a, s0.r rgb_out=o0.rgb alpha_out=o0.a sem_wait last
"""

# A copy that says where each value goes.
UNCACHED = """.proginfo uncached
tex ld r1.rgba, i0.rgba, r0.rgrr unscaled acquire sem_wait
alu rgb() max r2.rgb, s0.0rg, s0.0rg, s0.rrr | alpha() mad r2.a, s0.0, s0.0, s0.0 sem_wait
alu rgb(r1) max.bits r2.r, s0.rrr, s0.rrr, s0.rrr | alpha(r1) mad r0._, s0.0, s0.0, s0.0 sem_wait
out rgb(r2) max.bits r0._, s0.rgb, s0.rgb, s0.rrr | alpha(r2) max.bits r0._, s0.a, s0.a, s0.r rgb_out=o2.rgb alpha_out=o2.a sem_wait last
"""

# A command buffer that copies 64 elements by the program at 0x100000.
RAW = """asic: r580
steps:
  - memory: {address: 0x100000, file: %s}
  - memory: {address: 0x200000, random: {type: f32, count: 64, seed: 3}}
  - memory: {address: 0x300000, size: 4 KiB, fill: 0}
  - {ring: ctm, words: [0xc0010a00, 0x100000, 0x2000400, 0xc0001100, 0, 0xc0030b00, 0, 0x200000, 0x2000040, 1,
      0xc0030c00, 0, 0x300000, 0x2000040, 1, 0xc0001600, 0, 0xc0030700, 0, 0, 63, 0, 0xc0000800, 0, 0xc0000900, 0,
      0xc0001700, 0]}
  - wait: ctm
  - expect: {address: 0x300000, random: {type: f32, count: 64, seed: 3}}
"""

SUGAR = """asic: r580
program:
  code: %s
  inputs: [{width: 64, format: float32_1, data: {random: {type: f32, count: 64, seed: 3}}}]
  outputs: [{width: 64, format: float32_1, expect: {random: {type: f32, count: 64, seed: 3}}}]
"""


def run(*arguments, stdin=b""):
    done = subprocess.run([COMMAND, *map(str, arguments)], input=stdin, capture_output=True,
                          timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class CtmPrograms(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="archipelago-ctm-")
        self.scratch = Path(self.enterContext(directory))
        self.text = self.write("copy.ctm", COPY)
        self.elf = self.scratch / "copy.elf"
        self.assertEqual(run("asm", self.text, "--isa", "ctm", "--elf", "-o", self.elf),
                         (suite.DONE, "", ""))

    def write(self, name, content):
        path = self.scratch / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def test_an_executable_has_the_header_of_the_guide(self):
        data = self.elf.read_bytes()
        self.assertEqual(data[:16], b"\x7fELF\1\1\1\x62\1" + bytes(7))
        kind, machine, version, entry = struct.unpack_from("<HHII", data, 16)
        self.assertEqual((kind, machine, version, entry), (2, 122, 1, 0))
        self.assertEqual(struct.unpack_from("<I", data, 36), (1,))
        self.assertIn(b"ATI DPP\0", data)

    def test_a_listing_makes_the_same_executable(self):
        status, listing, errors = run("disasm", self.elf, "--isa", "ctm")
        self.assertEqual((status, errors), (suite.DONE, ""))
        for part in ("// inputs 0; outputs 0; conditional output no", "start:\n", "end:\n",
                     ".proginfo full cached temporaries=2\n", "tex ld r1.rgba"):
            self.assertIn(part, listing)
        again = self.scratch / "again.elf"
        self.assertEqual(run("asm", "-", "--isa", "ctm", "--elf", "-o", again,
                             stdin=listing.encode()), (suite.DONE, "", ""))
        self.assertEqual(again.read_bytes(), self.elf.read_bytes())

    def test_code_in_memory_is_found_in_a_whole_executable(self):
        raw = self.scratch / "copy.bin"
        self.assertEqual(run("asm", self.text, "--isa", "ctm", "-o", raw)[0], suite.DONE)
        cycles = set()
        for code in (raw, self.elf):
            workload = self.write("raw.yaml", RAW % code)
            for mode in ("cycle", "functional"):
                status, out, errors = run("run", workload, "--mode", mode)
                self.assertEqual((status, errors), (suite.DONE, ""), mode)
                self.assertIn("1 of 1 passed", out)
                if mode == "cycle":
                    cycles.add(out.split("cycles")[2].split()[0])
        # All temporaries, or the two that its note names: as many threads at once here.
        self.assertEqual(len(cycles), 1, cycles)

    def test_a_checkpoint_keeps_what_has_been_loaded(self):
        elf = self.scratch / "uncached.elf"
        self.assertEqual(run("asm", "-", "--isa", "ctm", "--elf", "-o", elf,
                             stdin=UNCACHED.encode()), (suite.DONE, "", ""))
        # The program is named in one buffer and started in the next.
        text = (RAW % elf).replace("0xc0000800,", "]}\n  - wait: ctm\n  - {ring: ctm, words: [0xc0000800,")
        workload, checkpoint = self.write("raw.yaml", text), self.scratch / "checkpoint"
        whole, parts = self.scratch / "whole.json", self.scratch / "parts.json"
        for more in (("--checkpoint-at", "step:5", "--checkpoint", checkpoint, "--stats", whole),
                     ("--restore", checkpoint, "--stats", parts)):
            status, out, errors = run("run", workload, *more)
            self.assertEqual((status, errors), (suite.DONE, ""))
            self.assertIn("1 of 1 passed", out)
        whole, parts = (json.loads(p.read_text()) for p in (whole, parts))
        whole.pop("host_seconds"), parts.pop("host_seconds")
        self.assertEqual(whole, parts)

    def test_code_of_a_workload_comes_in_many_forms(self):
        inline = "{text: '%s'}" % "\\n".join(
            line.split("//")[0] for line in COPY.splitlines())
        for code in ("copy.elf", "copy.ctm", "{file: copy.elf}", "{file: copy.ctm}",
                     inline.replace("'", '"')):
            workload = self.write("sugar.yaml", SUGAR % code)
            status, out, errors = run("run", workload)
            self.assertEqual((status, errors), (suite.DONE, ""), code)
            self.assertIn("1 of 1 passed", out)

    def test_the_example_runs_in_both_modes_and_needs_its_program(self):
        example = suite.ROOT / "examples" / "ctm"
        for mode in ("cycle", "functional"):
            status, out, errors = run("run", example / "sum.yaml", "--mode", mode)
            self.assertEqual((status, errors), (suite.DONE, ""), mode)
            self.assertIn("1 of 1 passed", out)
        self.write("sum.ctm", COPY)  # leaves input 0 where the sum is expected
        status, _, errors = run("run", self.write("sum.yaml", (example / "sum.yaml").read_text()))
        self.assertEqual(status, suite.EXPECTATION_FAILED, errors)

    def test_bad_executables_are_refused_with_their_place(self):
        data = bytearray(self.elf.read_bytes())
        self.write("cut.elf", bytes(data[:-1]))
        for arguments in (("disasm", self.scratch / "cut.elf", "--isa", "ctm"),
                          ("run", self.write("w.yaml", SUGAR % "cut.elf"))):
            status, _, errors = run(*arguments)
            self.assertEqual(status, suite.BAD_USAGE)
            self.assertRegex(errors, r"cut\.elf: section headers: bytes 0x.* are outside the file")
        data[18] = 3
        self.write("x86.elf", bytes(data))
        for mode in ("cycle", "functional"):
            status, _, errors = run("run", self.write("w.yaml", RAW % "x86.elf"), "--mode", mode)
            self.assertEqual(status, suite.MACHINE_STOPPED)
            self.assertIn("(bad input): command buffer 1, dword 0, set_inst_fmt: program at 0x100000: "
                          "ELF header at 0x12: the machine is 3, of CTM executables it is 122",
                          errors)
        status, _, errors = run("asm", self.text, "--isa", "gfx6", "--elf")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("--elf: \"gfx6\" has no executables here, ctm has", errors)
        status, _, errors = run("asm", "-", "--isa", "ctm", "--elf", stdin=b"alu\n.byte 1\n")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("has no .byte", errors)
        status, _, errors = run("asm", "-", "--isa", "ctm", "--elf", stdin=b"// nothing\n")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("0 instructions, expected 1 to 512", errors)


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
