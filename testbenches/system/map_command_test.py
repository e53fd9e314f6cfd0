#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`archipelago map`: addresses, forms of input, warnings, size, the Verilog's answers.

    map_command_test.py ARCHIPELAGO HAVE_TWINS
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import map_reference
import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
sys.path.insert(0, str(suite.ROOT / "testbenches" / "unit" / "mc"))
import surface_vectors  # noqa: E402
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


class Radeon(unittest.TestCase):
    """Surfaces of Southern Islands, against the transcription that the library's unit tests use."""

    CONFIG = 0x12011003  # GB_ADDR_CONFIG of Tahiti

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="archipelago-map-")
        self.scratch = Path(self.enterContext(directory))
        tahiti = (suite.ROOT / "configs" / "asics" / "tahiti.yaml").read_text()
        self.modes = [int(v, 16) for v in re.findall(r"0x[0-9A-F]{8}",
                                                     tahiti.split("tile_modes")[1])[:32]]
        self.tahiti = surface_vectors.Surface(generation=surface_vectors.SI, config=self.CONFIG,
                                              modes=self.modes)

    def map(self, keys, text, *options):
        path = self.scratch / "surface.yaml"
        path.write_text(f"{{asic: tahiti, {keys}}}\n")
        done = subprocess.run([COMMAND, "map", path, *options], capture_output=True, timeout=120,
                              check=False, input=text, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_every_mode_has_the_addresses_of_the_transcription_and_back(self):
        rng = random.Random(3)
        kinds = {"2d": "2D_ARRAY", "1d": "1D_ARRAY", "3d": "3D", "cube": "CUBE"}
        for index in (i for i, raw in enumerate(self.modes) if raw != 0):
            for kind, reference in kinds.items():
                g = surface_vectors.Surface(element=1 << rng.randrange(4), samples=1, block=1, depth=2,
                                            width=rng.randint(40, 300), height=rng.randint(40, 300))
                if kind == "1d":
                    g.height = 1
                g.last = rng.randrange(4)
                g.pow2 = g.last > 0
                g.pitch = 1024
                level = rng.randint(0, g.last)
                mode = surface_vectors.decode_mode(self.tahiti, index, g.element, g.samples)
                if surface_vectors.is_macro(mode.array):
                    surface_vectors.fit_banks(mode)
                offset, s = surface_vectors.chain(mode, reference, g)[level]
                s.pipe_swizzle = s.bank_swizzle = 0
                base = 0x40000000
                points = [(rng.randrange(max(1, g.width >> level)), rng.randrange(max(1, g.height >> level)),
                           rng.randrange(max(1, g.depth >> level) if kind == "3d" else g.depth))
                          for _ in range(40)]
                keys = (f"tile_index: {index}, type: {kind}, bpp: {8 * g.element}, width: {g.width}, "
                        f"height: {g.height}, depth: 2, levels: {g.last + 1}, level: {level}, "
                        f"pitch: {g.pitch}, base: {base}")
                with self.subTest(keys):
                    status, out, errors = self.map(keys, "".join(f"{x},{y},{z}\n" for x, y, z in points))
                    self.assertEqual((status, errors), (suite.DONE, ""))
                    self.assertEqual(out.split(), [hex(base + offset + s.address(*p, 0)) for p in points])
                    self.assertEqual(self.map(keys, out, "--inverse")[:2],
                                     (suite.DONE, "".join(f"{x},{y},{z},0\n" for x, y, z in points)))
                    if HAVE_TWINS:
                        text = "".join(f"{x},{y},{z}\n" for x, y, z in points)
                        self.assertEqual(self.map(keys, text, "--rtl", "si_tile_address"), (suite.DONE, out, ""))

    @unittest.skipUnless(HAVE_TWINS, "this build has no twins")
    def test_the_verilog_gives_the_same_addresses(self):
        points = "".join(f"{x},{y},{z},{s}\n" for x in (0, 5, 63) for y in (0, 17, 63) for z in (0, 2) for s in (0, 3))
        for keys in ("tile_index: 2, bpp: 32, width: 64, height: 64, samples: 4, depth: 3",
                     "array_mode: linear_aligned, bpp: 96, width: 64, height: 64, depth: 3",
                     "tile_index: 14, bpp: 128, width: 64, height: 64, depth: 3, bank_height: 2",
                     "array_mode: linear_general, bpp: 2, width: 100, height: 64, depth: 3, pitch: 128, base: 0x1000"):
            with self.subTest(keys):
                text = points if "samples" in keys else re.sub(",[0-9]+\n", "\n", points)
                model = self.map(keys, text)
                self.assertEqual(model[0], suite.DONE, model[2])
                self.assertEqual(self.map(keys, text, "--rtl", "si_tile_address"), model)

    def test_a_mode_may_be_given_by_its_parts(self):
        keys = "bpp: 32, width: 500, height: 300, pitch: 512"
        parts = ("array_mode: 2d_tiled_thin1, tile_type: thin, pipe_config: p8_32x32_8x16, "
                 "tile_split: 256, banks: 16, bank_width: 1, bank_height: 4, macro_aspect: 1")
        points = "".join(f"{x},{y}\n" for x in (0, 8, 70, 499) for y in (0, 31, 299))
        self.assertEqual(self.modes[14] >> 2 & 15, 4)
        self.assertEqual(self.map(f"{keys}, {parts.replace('bank_height: 4', 'bank_height: 2')}", points),
                         self.map(f"{keys}, tile_index: 14, bank_height: 2", points))

    def test_a_pitch_may_be_left_out(self):
        status, out, _ = self.map("array_mode: linear_aligned, bpp: 32, width: 65, height: 2", "0,1\n")
        # Whole 64 bytes a row, and whole 256 bytes of both.
        self.assertEqual((status, out), (suite.DONE, f"{96 * 4:#x}\n"))

    def test_slices_and_samples_may_be_left_out(self):
        keys = "tile_index: 2, bpp: 32, width: 64, height: 64, samples: 4, depth: 3, slice: 2"
        whole = self.map(keys, "5,6,2,0\n5,6,2,3\n5,6,0,0\n")[1].split()
        self.assertEqual(self.map(keys, "5,6\n5,6,2\n")[1].split(), [whole[0], whole[0]])
        self.assertEqual(len(set(whole)), 3)

    def test_elements_of_less_than_a_byte_have_a_bit(self):
        keys = "array_mode: linear_general, bpp: 2, width: 100, height: 4, pitch: 128, base: 0x1000"
        self.assertEqual(self.map(keys, "0,0\n5,1\n99,3\n")[:2],
                         (suite.DONE, "0x1000 0\n0x1021 2\n0x1078 6\n"))
        self.assertEqual(self.map(keys, "0x1021\n0x1079\n0x1080\n0xfff\n", "--inverse")[:2],
                         (suite.DONE, "4,1,0,0\npadding\noutside\noutside\n"))

    def test_points_outside_are_refused(self):
        status, out, errors = self.map("tile_index: 14, bpp: 32, width: 100, height: 50, depth: 2",
                                       "99,49,1\n100,0\n0,50\n0,0,2\n0,0,0,1\n1\n")
        self.assertEqual((status, len(out.splitlines())), (suite.BAD_USAGE, 1))
        for text in (r"stdin:2: x is 100, out of range, .* 0 to 99", r"stdin:3: y is 50, .* 0 to 49",
                     r"stdin:4: slice is 2, .* 0 to 1", r"stdin:5: sample is 1, .* 0 to 0",
                     r"stdin:6: got \"1\", expected numbers x,y\[,slice\]\[,sample\]"):
            self.assertRegex(errors, text)

    def test_a_picture_shows_where_elements_lie_and_counts_conflicts(self):
        svg = self.scratch / "picture.svg"
        # Rows of 32 KiB: a column comes back to banks with another row.
        status, out, errors = self.map(
            "array_mode: linear_aligned, bpp: 32, width: 8192, height: 64", "", "--picture", svg,
            "--region", "0,0,64,64")
        self.assertEqual((status, errors), (suite.DONE, ""))
        rows = {line[:10].strip(): line[10:].split() for line in out.splitlines()[1:]}
        self.assertEqual(rows["along x"], ["4", "1", "4", "0"])
        lines, channels, most, conflicts = (int(v) for v in rows["along y"])
        self.assertEqual(lines, 64)
        self.assertLess(channels, 12)
        self.assertGreater(most, 64 // 12)
        picture = ElementTree.parse(svg).getroot()
        panels = picture.findall("{*}g")
        self.assertEqual([p.find("{*}text").text for p in panels],
                         ["pipe (1)", "bank (1)", "memory channel (12)"])
        area = [sum(int(r.get("width")) * int(r.get("height")) for r in p.findall("{*}rect"))
                for p in panels]
        self.assertEqual(area, [64 * 64 * 64] * 3)
        # A macro tiled surface spreads the same column over pipes and banks.
        _, tiled, _ = self.map("tile_index: 14, bpp: 32, width: 8192, height: 64", "", "--picture", svg)
        column = next(line for line in tiled.splitlines() if line.startswith("along y")).split()
        self.assertLess(int(column[-1]), conflicts)


class Chip(unittest.TestCase):
    def command(self, *arguments):
        return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)

    def test_the_chip_is_listed_and_described(self):
        self.assertRegex(self.command("list").stdout, r"(?m)^  r580 +X1900 XTX +CTM: ")
        described = self.command("describe", "r580")
        self.assertEqual(described.returncode, suite.DONE)
        self.assertIn("DPP  4 arrays x 12 processors", described.stdout)
        self.assertRegex(self.command("describe", "r580", "--timings").stdout,
                         r"(?m)^ctm\.mc\.address\.latency +4 +guess")
        self.assertIn("ctm.mc.address.requests.capacity: 4",
                      self.command("describe", "r580", "--fields").stdout)
        self.assertIn("generation: r5xx", self.command("describe", "r580", "--tree").stdout)

    def test_overrides_reach_it(self):
        described = self.command("describe", "r580", "--set", "ctm.dpp.arrays=2")
        self.assertIn("DPP  2 arrays", described.stdout)

    def test_delays_in_ns_are_cycles_of_its_memory_clock(self):
        def read_latency(chip, *settings):
            sets = [word for setting in settings for word in ("--set", setting)]
            described = self.command("describe", chip, "--timings", *sets)
            self.assertEqual(described.returncode, suite.DONE, described.stderr)
            return re.search(r"(?m)^memory\.dram\.timing\.cl +(\d+) +(\S+) .* (\S+) +\S+$", described.stdout).groups()

        ns = "memory.dram.timing.cl.ns=14.5"
        for chip, settings, expected in (("tahiti", (), ("18", "guess", "13")), ("verde", (), ("15", "guess", "13")),
                                         ("r580", (), ("11", "guess", "14")),
                                         ("tahiti", ("clocks.memory=1250 MHz",), ("17", "guess", "13")),
                                         ("tahiti", (ns,), ("20", "--set", "14.5")),
                                         ("tahiti", (ns, "clocks.memory=1 GHz"), ("15", "--set", "14.5")),
                                         ("tahiti", ("memory.dram.timing.cl.cycles=9",), ("9", "--set", "-"))):
            self.assertEqual(read_latency(chip, *settings), expected, (chip, settings))
        both = self.command("describe", "tahiti", "--set", ns, "--set", "memory.dram.timing.cl.cycles=9")
        self.assertEqual(both.returncode, suite.BAD_USAGE)
        self.assertEqual(both.stderr, '--set: memory.dram.timing.cl.ns: conflicts with "cycles", expected one of: cycles, ns\n')

    def test_a_kernel_on_it_is_refused_at_its_place(self):
        done = self.command("run", str(suite.WORKLOADS / "saxpy.yaml"), "--asic", "r580", "--code",
                            str(suite.CODE / "saxpy.hsaco"))
        self.assertEqual(done.returncode, suite.BAD_USAGE)
        self.assertRegex(done.stderr, r"saxpy\.yaml:\d+:\d+: kernel: kernels need GCN compute units, this chip has none")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
