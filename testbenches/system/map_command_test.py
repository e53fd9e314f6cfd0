#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`archipelago map`: addresses, forms of input, warnings, size, the Verilog's answers.

    map_command_test.py ARCHIPELAGO HAVE_TWINS
"""

import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import map_reference
import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND, TWINS = take(__doc__, archipelago=program, have_twins=int)
HAVE_TWINS = TWINS == 1
SURFACES = suite.ROOT / "testbenches" / "surfaces"
TILINGS = ("linear", "tiled", "linear_inp_2x2", "tiled_inp_2x2")
SIZES = (1, 2, 4, 8, 16)


def points_text(points):
    return "".join(f"{x},{y}\n" for x, y in points)


class Map(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="archipelago-map-")
        self.scratch = Path(self.enterContext(directory))

    def map_file(self, surface, text, *options):
        done = subprocess.run([COMMAND, "map", surface, *options], capture_output=True, timeout=120,
                              check=False, input=text if isinstance(text, bytes) else text.encode())
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def map(self, text, *options, tiling="tiled", size=4, pitch=512, offset="0x80000"):
        path = self.scratch / "surface.yaml"
        path.write_text(f"{{asic: r580, tiling: {tiling}, bytes: {size}, pitch: {pitch}, "
                        f"offset: {offset}}}\n")
        return self.map_file(path, text, *options)

    def corners_and_others(self, count, seed):
        generator = random.Random(seed)
        ends = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 511, 512, 4094, 4095]
        return [(x, y) for x in ends for y in ends] + [
            (generator.randrange(4096), generator.randrange(4096)) for _ in range(count)]

    def every_surface_is_the_reference(self, count, pitches, *options):
        generator = random.Random(7)
        for tiling in TILINGS:
            for size in SIZES:
                for pitch in (*pitches, 4 * generator.randrange(2048)):
                    offset = generator.randrange(1 << 21) << 11
                    points = self.corners_and_others(count, pitch)
                    with self.subTest(tiling=tiling, size=size, pitch=pitch, offset=offset):
                        status, out, _ = self.map(points_text(points), *options, tiling=tiling,
                                                  size=size, pitch=pitch, offset=hex(offset))
                        self.assertEqual(status, suite.DONE)
                        self.assertEqual(out.splitlines(), [
                            map_reference.line(tiling, size, pitch, offset, x, y)
                            for x, y in points])

    def test_every_table_row_is_that_of_the_reference(self):
        self.every_surface_is_the_reference(400, (0, 64, 512, 4096, 8188))

    @unittest.skipUnless(HAVE_TWINS, "this build has no twins")
    def test_the_verilog_gives_the_same_addresses(self):
        self.every_surface_is_the_reference(100, (512,), "--rtl", "ctm_mc_address")

    def test_the_examples_give_their_golden_addresses(self):
        points = (SURFACES / "points.csv").read_bytes()
        for surface in sorted(SURFACES.glob("*.yaml")):
            golden = surface.with_suffix(".golden.txt").read_text()
            self.assertEqual(self.map_file(surface, points), (suite.DONE, golden, ""))

    def test_a_surface_may_leave_out_the_offset(self):
        path = self.scratch / "surface.yaml"
        path.write_text("asic: r580\ntiling: linear\nbytes: 16\npitch: 4\n")
        self.assertEqual(self.map_file(path, "1,1\n"), (suite.DONE, "0x50\n", ""))

    def test_offset_takes_units(self):
        self.assertEqual(self.map("0,0\n", offset="512 KiB"), (suite.DONE, "0x80000\n", ""))

    def test_address_zero_has_one_digit(self):
        self.assertEqual(self.map("0,0\n", offset=0), (suite.DONE, "0x0\n", ""))

    def test_addresses_wrap_at_32_bits(self):
        status, out, _ = self.map("0,0\n4095,4095\n", tiling="linear", size=16, pitch=8188,
                                  offset="0xfffff800")
        self.assertEqual(status, suite.DONE)
        last = (4095 * 8188 + 4095) * 16 - 0x800
        self.assertEqual(out, f"0xfffff800\n{last:#x}\n")

    def test_lines_may_come_in_many_forms(self):
        plain = self.map("1,2\n3,4\n5,6\n")
        self.assertEqual(plain[0], suite.DONE)
        for text in ("1,2\r\n3,4\r\n5,6\r\n", "1,2\n3,4\n5,6", "\n1,2\n\n \n3,4\n5,6\n\n",
                     "# points\n1,2 # the first\n  # nothing\n3,4\n5,6\n",
                     " 1 , 2\n\t3,4 \n5,\t6 \t\r\n", "0x1,0x2\n+3,4\n0x5,0x6\n"):
            self.assertEqual(self.map(text), plain, repr(text))

    def test_no_points_give_no_lines(self):
        for text in ("", "\n", "# nothing\n\n"):
            self.assertEqual(self.map(text), (suite.DONE, "", ""))

    def test_answers_end_at_the_first_bad_line_and_all_are_told(self):
        status, out, errors = self.map("0,0\n1,0\n4096,0\n2,0\n\nx,0\n")
        self.assertEqual((status, out), (suite.BAD_USAGE, "0x80000\n0x80004\n"))
        self.assertRegex(errors, r"\Astdin:3: x is 4096, .*\nstdin:6: x is \"x\", .*\n\Z")

    def test_what_the_hardware_ignores_is_warned_of(self):
        for options, warning, same in (
                ({"offset": "0x80010"}, r"surface\.yaml:1:\d+: offset: warning: .*0x80000 is used",
                 {}),
                ({"pitch": 516}, r"surface\.yaml:1:\d+: pitch: warning: .*512 is used", {}),
                ({"tiling": "tiled_inp_2x2", "size": 8}, r": tiling: warning: .*undefined",
                 {"tiling": "tiled_inp_2x2", "size": 8})):
            status, out, errors = self.map("5,77\n", **options)
            self.assertEqual(status, suite.DONE)
            self.assertRegex(errors, warning)
            self.assertEqual(out, self.map("5,77\n", **same)[1])

    def test_answers_come_before_the_input_ends(self):
        surface = SURFACES / "tiled.yaml"
        with subprocess.Popen([COMMAND, "map", surface], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, bufsize=1) as process:
            for point, address in ((" 0,0", "0x80000"), ("1,0", "0x80004"), ("0,1", "0x80010")):
                process.stdin.write(point + "\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), address + "\n")
            process.stdin.close()
            self.assertEqual(process.wait(timeout=20), suite.DONE)

    def test_a_million_points_cross_every_block_boundary(self):
        # Lines of every length, so that blocks end anywhere in them.
        generator = random.Random(9)
        points = [(generator.randrange(10 ** generator.randrange(1, 4)), generator.randrange(4096))
                  for _ in range(1_000_000)]
        status, out, errors = self.map(points_text(points), tiling="linear", pitch=1024, offset=0)
        self.assertEqual((status, errors), (suite.DONE, ""))
        self.assertEqual(out, "".join(f"{(y * 1024 + x) * 4:#x}\n" for x, y in points))

    def test_output_that_cannot_be_written_is_2(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([COMMAND, "map", SURFACES / "tiled.yaml"], input=b"0,0\n",
                                  stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, suite.BAD_USAGE)
        self.assertIn(b"standard output: cannot be written", done.stderr)

    def test_input_that_cannot_be_read_is_2(self):
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        done = subprocess.run([COMMAND, "map", SURFACES / "tiled.yaml"], stdin=folder,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, suite.BAD_USAGE)
        self.assertIn(b"standard input: cannot be read", done.stderr)


class Chip(unittest.TestCase):
    def command(self, *arguments):
        return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)

    def test_the_chip_is_listed_and_described(self):
        self.assertRegex(self.command("list").stdout, r"(?m)^  r580 +X1900 XTX +CTM: ")
        described = self.command("describe", "r580")
        self.assertEqual(described.returncode, suite.DONE)
        self.assertIn("not modelled: PE, CO, DPP", described.stdout)
        self.assertRegex(self.command("describe", "r580", "--timings").stdout,
                         r"(?m)^ctm\.mc\.address\.latency +4 +guess")
        self.assertIn("ctm.mc.address.requests.capacity: 4",
                      self.command("describe", "r580", "--fields").stdout)
        self.assertIn("generation: r5xx", self.command("describe", "r580", "--tree").stdout)

    def test_overrides_reach_it(self):
        described = self.command("describe", "r580", "--set", "ctm.mc.address.latency.cycles=7")
        self.assertIn("7 cycles", described.stdout)

    def test_a_workload_on_it_is_3_and_names_what_is_missing(self):
        done = self.command("run", str(suite.WORKLOADS / "saxpy.yaml"), "--asic", "r580")
        self.assertEqual(done.returncode, suite.MACHINE_STOPPED)
        self.assertIn("r580", done.stderr)
        self.assertIn("unimplemented", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
