#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`archipelago asm` and `archipelago disasm`: text to code and back, containers, refusals.

    asm_command_test.py ARCHIPELAGO
"""

import shutil
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

KERNEL = """
kernel void twice(global float *y, global const float *x) {
    const uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    y[i] = x[i] * 2.0f + y[i];
}
kernel void divide(global double *y, global const double *x, local double *l) {
    const uint i = __builtin_amdgcn_workitem_id_x();
    l[i] = x[i];
    __builtin_amdgcn_s_barrier();
    if (x[i] > 0.5) y[i] = l[63 - i] / x[i];
}
"""


def run(*arguments, stdin=b""):
    done = subprocess.run([COMMAND, *map(str, arguments)], input=stdin, capture_output=True,
                          timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def text_section(path):
    """The bytes of .text of an ELF file."""
    data = Path(path).read_bytes()
    table, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3c)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    for h in headers:
        start = headers[names][4] + h[0]
        if data[start:data.index(b"\0", start)] == b".text":
            return data[h[4]:h[4] + h[5]]
    raise AssertionError(f"no .text in {path}")


class Asm(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="archipelago-asm-")
        self.scratch = Path(self.enterContext(directory))

    def write(self, name, content):
        path = self.scratch / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def comes_back(self, container, has_data=False):
        """Lists a code object, assembles the listing, compares with the section; the listing. Data
        in the code is known from labels only, so that the raw code would list otherwise."""
        status, listing, errors = run("disasm", container, "--isa", "gfx6")
        self.assertEqual((status, errors), (suite.DONE, ""))
        text, code = self.write("listing.s", listing), self.scratch / "code.bin"
        self.assertEqual(run("asm", text, "--isa", "gfx6", "-o", code), (suite.DONE, "", ""))
        self.assertEqual(code.read_bytes(), text_section(container))
        # The raw code lists as the same instructions, without the object's labels.
        status, raw, _ = run("disasm", code, "--isa", "gfx6")
        self.assertEqual(status, suite.DONE)
        if has_data:
            return listing
        instructions = [line.split("//")[0].rstrip() for line in listing.splitlines()]
        self.assertEqual([line.split("//")[0].rstrip() for line in raw.splitlines()],
                         [line for line in instructions if line])
        return listing

    def test_text_becomes_words_and_raw_code(self):
        text = "v_mov_b32 v0, 1.5\nloop: s_branch loop\n"
        words = [0x7e0002ff, 0x3fc00000, 0xbf82ffff]
        status, out, _ = run("asm", "-", "--isa", "gfx6", stdin=text.encode())
        self.assertEqual((status, out), (suite.DONE, "".join(f"0x{w:08x}\n" for w in words)))
        code = self.scratch / "code.bin"
        self.assertEqual(run("asm", self.write("a.s", text), "--isa", "gfx6", "-o", code),
                         (suite.DONE, "", ""))
        self.assertEqual(code.read_bytes(), struct.pack("<3I", *words))

    def test_words_as_text_are_listed(self):
        status, out, _ = run("disasm", "-", "--isa", "gfx6", "--hex",
                             stdin=b"0xbf810000, 7E0002FF 40 // two more\n; none\nf4001234")
        self.assertEqual(status, suite.DONE)
        self.assertEqual([line.split(" // ")[0].rstrip() for line in out.splitlines()],
                         ["s_endpgm", ".long 0x7e0002ff, 0x00000040", ".long 0xf4001234"])
        self.assertIn("illegal", out)
        status, back, _ = run("asm", "-", "--isa", "gfx6", stdin=out.encode())
        self.assertEqual((status, back.split()), (suite.DONE, ["0xbf810000", "0x7e0002ff",
                                                               "0x00000040", "0xf4001234"]))

    def test_any_bytes_come_back(self):
        for size in (0, 1, 3, 4, 1000, 4099):
            content = bytes((i * i * 37 + (i >> 3) * 11) & 0xff for i in range(size))
            raw = self.write("raw.bin", content)
            text, code = self.scratch / "a.s", self.scratch / "code.bin"
            status, listing, _ = run("disasm", raw, "--isa", "gfx6")
            self.assertEqual(status, suite.DONE)
            text.write_text(listing)
            self.assertEqual(run("asm", text, "--isa", "gfx6", "-o", code), (suite.DONE, "", ""))
            self.assertEqual(code.read_bytes(), content)

    def test_a_linked_kernel_comes_back_with_its_labels(self):
        clang = shutil.which("clang-15")
        if clang is None:
            self.skipTest("clang-15 is not installed")
        source, kernel = self.write("k.cl", KERNEL), self.scratch / "k.hsaco"
        subprocess.run([clang, "-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-amd-amdhsa",
                        "-mcpu=gfx600", "-nogpulib", "-O2", source, "-o", kernel], check=True)
        listing = self.comes_back(kernel)
        llvm_mc = shutil.which("llvm-mc-15")
        if llvm_mc is not None:
            other = self.scratch / "other.o"
            subprocess.run([llvm_mc, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx600", "-filetype=obj",
                            "-o", other, self.scratch / "listing.s"], check=True)
            self.assertEqual(text_section(other), text_section(kernel))
        for part in ("<twice>:", "<divide>:", "v_mac_f32_e32", "v_div_fmas_f64", "s_endpgm"):
            self.assertIn(part, listing)
        self.assertNotIn(".long", listing)

    def test_a_relocatable_object_comes_back(self):
        llvm_mc = shutil.which("llvm-mc-15")
        if llvm_mc is None:
            self.skipTest("llvm-mc-15 is not installed")
        source = suite.WORKLOADS / "saxpy_asm.s"
        for flags in (["-triple=amdgcn-amd-amdhsa"], ["-triple=amdgcn-mesa-mesa3d"]):
            text = source.read_text()
            if "mesa" in flags[0]:
                text = text[:text.index(".rodata")].replace("amd-amdhsa", "mesa-mesa3d")
                text = text[:text.rindex("\n")]
            kernel = self.scratch / "k.o"
            subprocess.run([llvm_mc, *flags, "-mcpu=gfx600", "-filetype=obj", "-o", kernel,
                            self.write("k.s", text)], check=True)
            self.assertIn("<saxpy_asm>:", self.comes_back(kernel))

    def test_the_header_of_an_old_kernel_is_listed_as_data(self):
        clang = shutil.which("clang-15")
        if clang is None:
            self.skipTest("clang-15 is not installed")
        source, kernel = self.write("k.cl", KERNEL), self.scratch / "k.o"
        subprocess.run([clang, "-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-mesa-mesa3d",
                        "-mcpu=tahiti", "-nogpulib", "-O2", "-c", source, "-o", kernel], check=True)
        lines = self.comes_back(kernel, has_data=True).splitlines()
        at = next(i for i, line in enumerate(lines) if "<twice>:" in line)
        self.assertEqual([line.split()[0] for line in lines[at + 1:at + 65]], [".long"] * 64)
        self.assertNotIn(".long", lines[at + 65])

    def test_every_error_has_place_reason_and_suggestion(self):
        path = self.write("bad.s", "s_nop 0\nv_add_f23 v0, v1, v2\n  s_mov_b64 s[1:2], 0\n"
                                   "buffer_load_dword v0, v1, s[0:3], 0 offn\nend: s_branch ned\n")
        output = self.scratch / "out.bin"
        status, out, errors = run("asm", path, "--isa", "gfx6", "-o", output)
        self.assertEqual((status, out), (suite.BAD_USAGE, ""))
        self.assertEqual(errors.splitlines(), [
            f'{path}:2:1: unknown instruction "v_add_f23" (did you mean "v_add_f32"?)',
            f"{path}:3:13: a range of 2 scalar registers starts at an even number",
            f'{path}:4:37: unknown modifier "offn" of buffer_load_dword (did you mean "offen"?)',
            f'{path}:5:15: unknown symbol or register "ned" (did you mean "end"?)'])
        self.assertFalse(output.exists())

    def test_packets_come_back_from_their_text(self):
        text = ("SET_SH_REG COMPUTE_NUM_THREAD_X = {NUM_THREAD_FULL: 64},\n"
                "           COMPUTE_NUM_THREAD_Y = 1 // the next one\n"
                "DISPATCH_DIRECT [compute] DIM_X = 1, DIM_Y = 1, DIM_Z = 1, DISPATCH_INITIATOR = 1\n"
                "EVENT_WRITE_EOP EVENT_INDEX = 5, EVENT_TYPE = CACHE_FLUSH_AND_INV_TS_EVENT,\n"
                "    ADDRESS = 0x100200000, DATA_SEL = DATA32, INT_SEL = ON_CONFIRM, DATA = 7\n")
        words = [0xc0027600, 0x207, 64, 1, 0xc0031502, 1, 1, 1, 1,
                 0xc0044700, 0x514, 0x200000, 0x22000001, 7, 0]
        status, out, _ = run("asm", "-", "--isa", "pm4:si", stdin=text.encode())
        self.assertEqual((status, out), (suite.DONE, "".join(f"0x{w:08x}\n" for w in words)))
        status, listing, _ = run("disasm", "-", "--isa", "pm4:si", "--hex", stdin=out.encode())
        self.assertEqual(status, suite.DONE)
        self.assertIn("COMPUTE_NUM_THREAD_X = {NUM_THREAD_FULL: 0x40}", listing)
        self.assertIn("ADDRESS = 0x100200000", listing)
        self.assertEqual(run("asm", "-", "--isa", "pm4:si", stdin=listing.encode())[1], out)

    def test_packets_of_dma_engines_come_back_from_their_text(self):
        text = "COPY_LINEAR COUNT = 64, DST = 0x1000, SRC = 0x1200002000 # dwords, or bytes on CIK\n"
        for generation, words in (
                ("r600", [0x30000040, 0x1000, 0x2000, 0x00000012]),
                ("r700", [0x30000040, 0x1000, 0x2000, 0, 0x12]),
                ("eg", [0x30000040, 0x1000, 0x2000, 0, 0x12]),
                ("ni", [0x30000040, 0x1000, 0x2000, 0, 0x12]),
                ("si", [0x30000040, 0x1000, 0x2000, 0, 0x12]),
                ("cik", [1, 64, 0, 0x2000, 0x12, 0x1000, 0])):
            isa = f"dma:{generation}"
            status, out, _ = run("asm", "-", "--isa", isa, stdin=text.encode())
            self.assertEqual((status, out), (suite.DONE, "".join(f"0x{w:08x}\n" for w in words)))
            status, listing, _ = run("disasm", "-", "--isa", isa, "--hex", stdin=out.encode())
            self.assertEqual(status, suite.DONE)
            self.assertIn("DST = 0x1000, ", listing)
            self.assertIn("SRC = 0x1200002000", listing)
            self.assertEqual(run("asm", "-", "--isa", isa, stdin=listing.encode())[1], out)
        status, listing, _ = run("disasm", "-", "--isa", "dma:si", "--hex", stdin=b"90000000 f1520 1")
        self.assertIn("REGISTER = HDP_MEM_COHERENCY_FLUSH_CNTL", listing)

    def test_programs_of_the_ctm_array_come_back_from_their_text(self):
        text = ("        tex ld r1.rgba, i0, r0 unscaled acquire sem_wait // the element of its place\n"
                "again:  alu rgb(r1, c3) mad r2.rgb, s0, s1, s0.000 sem_wait\n"
                "        fc jump again func=0xaa bool=4\n"
                "        out rgb(r2) max.bits r0._, s0, s0 rgb_out=o0.rgb last\n")
        status, out, _ = run("asm", "-", "--isa", "ctm", stdin=text.encode())
        self.assertEqual(status, suite.DONE)
        words = out.split()
        self.assertEqual(len(words), 4 * 6)
        self.assertEqual(words[12:16], ["0x00000002", "0x00000000", "0x0000aa00", "0x00010004"])
        status, listing, _ = run("disasm", "-", "--isa", "ctm", "--hex", stdin=out.encode())
        self.assertEqual(status, suite.DONE)
        self.assertIn("fc jump 1 func=0xaa bool=4  // 2\n", listing)
        self.assertEqual(run("asm", "-", "--isa", "ctm", stdin=listing.encode())[1], out)
        status, _, errors = run("asm", "-", "--isa", "ctm", stdin=b"alu\nalu rgb(r1) mda r1.rgb\n")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("<stdin>:2:13: unknown operation \"mda\"", errors)

    def test_any_bytes_come_back_as_packets(self):
        for isa in ("pm4:si", "pm4:a5xx", "pm4:a6xx", "pm4:a7xx", "dma:r600", "dma:r700", "dma:eg", "dma:ni", "dma:si", "dma:cik",
                    "ctm", "ctm:commands"):
            for size in (0, 1, 3, 4, 1000, 4099):
                content = bytes((i * i * 37 + (i >> 3) * 11) & 0xff for i in range(size))
                text, code = self.scratch / "a.txt", self.scratch / "ib.bin"
                status, listing, _ = run("disasm", self.write("raw.bin", content), "--isa", isa)
                self.assertEqual(status, suite.DONE)
                text.write_text(listing)
                self.assertEqual(run("asm", text, "--isa", isa, "-o", code), (suite.DONE, "", ""))
                self.assertEqual(code.read_bytes(), content)

    def test_every_file_of_the_captures_comes_back(self):
        captures = Path(__file__).parent.parent / "workloads" / "captures"
        files = sorted(captures.glob("*/*.bin"))
        self.assertGreaterEqual(len(files), 10)
        named = 0
        for file in files:
            text, code = self.scratch / "a.pm4", self.scratch / "ib.bin"
            status, listing, _ = run("disasm", file, "--isa", "pm4:si")
            self.assertEqual(status, suite.DONE)
            text.write_text(listing)
            self.assertEqual(run("asm", text, "--isa", "pm4:si", "-o", code), (suite.DONE, "", ""))
            self.assertEqual(code.read_bytes(), file.read_bytes(), file)
            self.assertEqual(run("disasm", code, "--isa", "pm4:si")[1], listing)
            if "_ib" in file.name:
                named += 1
                self.assertRegex(listing, r"SET_(SH|CONTEXT)_REG [A-Z]\w+ = ")
                self.assertNotIn("unknown opcode", listing)
                self.assertNotIn("cut off", listing)
        self.assertGreater(named, 0)

    def test_bad_packets_are_reported_each_with_a_suggestion(self):
        path = self.write("bad.pm4", "NOP\nSET_SH_REGS COMPUTE_PGM_LO = 1\n"
                          "SET_SH_REG COMPUTE_PGM_LOW = 1\n"
                          "EVENT_WRITE EVENT_TYPE = CS_PARTIAL_FLUSHS\n"
                          "DISPATCH_DIRECT DIM_W = 1\n"
                          "NOP [count=0x4001]\n"
                          "COPY_DATA DST_SEL = DRAM\n")
        output = self.scratch / "out"
        status, out, errors = run("asm", path, "--isa", "pm4:si", "-o", output)
        self.assertEqual((status, out), (suite.BAD_USAGE, ""))
        self.assertEqual(errors.splitlines(), [
            f'{path}:2:1: unknown packet "SET_SH_REGS" (did you mean "SET_SH_REG"?)',
            f'{path}:3:12: unknown register "COMPUTE_PGM_LOW" (did you mean "COMPUTE_PGM_LO"?)',
            f'{path}:4:26: unknown value "CS_PARTIAL_FLUSHS" of EVENT_TYPE '
            '(did you mean "CS_PARTIAL_FLUSH"?)',
            f'{path}:5:17: DISPATCH_DIRECT has no field "DIM_W" (did you mean "DIM_X"?)',
            f'{path}:6:12: 0x4001 is more than 0x4000',
            f'{path}:7:21: unknown value "DRAM" of DST_SEL, '
            'expected one of: REGISTER, MEMORY_SYNC, TC_L2, GDS, MEMORY'])
        self.assertFalse(output.exists())

    def test_bad_words_are_reported_each(self):
        status, out, errors = run("disasm", "-", "--isa", "gfx6", "--hex",
                                  stdin=b"bf810000 xyz\n 123456789\n")
        self.assertEqual((status, out), (suite.BAD_USAGE, ""))
        self.assertIn("<stdin>:1:10: \"xyz\"", errors)
        self.assertIn("<stdin>:2:2: \"123456789\"", errors)

    def test_unknown_isa_names_the_known_ones(self):
        for command in ("asm", "disasm"):
            status, _, errors = run(command, "-", "--isa", "gfx66")
            self.assertEqual(status, suite.BAD_USAGE)
            self.assertIn('"gfx66"', errors)
            self.assertIn("gfx6", errors.split("expected one of")[1])
            self.assertEqual(run(command, "-")[0], suite.BAD_USAGE)

    def test_files_that_cannot_be_used_are_named(self):
        status, _, errors = run("asm", "/nonexistent/a.s", "--isa", "gfx6")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("/nonexistent/a.s", errors)
        status, _, errors = run("asm", self.write("a.s", "s_nop 0"), "--isa", "gfx6", "-o",
                                "/nonexistent/out")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("/nonexistent/out", errors)
        status, _, errors = run("disasm", self.scratch, "--isa", "gfx6")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn(str(self.scratch), errors)
        elf = self.write("x86.o", b"\x7fELF\2\1\1" + bytes(57))
        status, _, errors = run("disasm", elf, "--isa", "gfx6")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("not AMDGPU", errors)
        cut = self.write("cut.o", b"\x7fELF\2\1\1")
        self.assertEqual(run("disasm", cut, "--isa", "gfx6")[0], suite.BAD_USAGE)

    def test_an_error_names_the_included_file(self):
        inner = self.write("inner.afuc", "nop\n  foo\n")
        root = self.write("root.afuc", '.include "inner.afuc"\n')
        status, _, errors = run("asm", root, "--isa", "afuc:a6xx")
        self.assertEqual((status, errors), (suite.BAD_USAGE, f"{inner}:2:3: no instruction foo of a6xx\n"))

    def test_a_warning_has_its_place_and_lets_the_text_pass(self):
        root = self.write("warned.afuc", "[016ee001]\n[#t]\nCP_NOSUCH: nop\nt: .jumptbl\n")
        status, output, errors = run("asm", root, "--isa", "afuc:a6xx")
        self.assertEqual(status, 0)
        self.assertIn("0x016ee001", output)
        self.assertRegex(errors, r"warned\.afuc:3:1: warning: label CP_NOSUCH is like a packet's")


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
