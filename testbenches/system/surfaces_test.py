#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`dump` and `expect` of surfaces: images of what memory holds, by description and by registers.

    surfaces_test.py ARCHIPELAGO
"""

import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

import suite

COMMAND = sys.argv.pop(1)
DONE, EXPECTATION_FAILED, BAD_INPUT = 0, 1, 2
MODES = ("cycle", "functional")


def read_pam(path):
    """Width, height, channels, and a list of samples."""
    head, body = path.read_bytes().split(b"ENDHDR\n", 1)
    fields = dict(line.split(" ", 1) for line in head.decode().splitlines()[1:])
    count = int(fields["WIDTH"]) * int(fields["HEIGHT"]) * int(fields["DEPTH"])
    wide = int(fields["MAXVAL"]) > 255
    return (int(fields["WIDTH"]), int(fields["HEIGHT"]), int(fields["DEPTH"]),
            list(struct.unpack(f">{count}{'H' if wide else 'B'}", body)))


def write_pam(path, width, height, channels, samples):
    path.write_bytes(f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {channels}\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n".encode() + bytes(samples))


def read_png(path):
    """As read_pam(), of 8 and 16 bits, by the rules of the PNG specification."""
    data, at, rows = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack_from(">IIBB", body)
        if kind == b"IDAT":
            rows += body
        at += 12 + size
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
    rows, step, stride = zlib.decompress(rows), channels * bits // 8, width * channels * bits // 8
    out, above = b"", bytes(stride)
    for y in range(height):
        kind, row = rows[y * (stride + 1)], bytearray(rows[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = (row[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
            near = min((a, b, c), key=lambda v: abs(a + b - c - v))
            row[i] = (row[i] + (0, a, b, (a + b) // 2, near)[kind]) & 255
        out, above = out + bytes(row), bytes(row)
    count = width * height * channels
    return width, height, channels, list(struct.unpack(f">{count}{'H' if bits == 16 else 'B'}", out))


class InFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-surfaces-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_(self, workload, *options, status=DONE):
        (self.folder / "w.yaml").write_text(workload)
        done = subprocess.run([COMMAND, "run", "w.yaml", "--quiet", *options], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr

    def addresses(self, asic, keys, points):
        """Of pixels, as `map` prints them."""
        (self.folder / "s.yaml").write_text(f"asic: {asic}\n" + "".join(f"{key}: {value}\n" for key, value in keys.items()))
        done = subprocess.run([COMMAND, "map", "s.yaml"], cwd=self.folder, text=True, capture_output=True,
                              input="".join(f"{','.join(map(str, p))}\n" for p in points))
        self.assertEqual(done.returncode, DONE, done.stderr)
        return [int(line, 16) for line in done.stdout.split()]


def flow(keys):
    return "{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}"


class Described(InFolder):
    def fill(self, asic, keys, width, height, pixel, size=4, slice_of=0):
        """A file of memory that has pixel(x, y) where `map` has it."""
        points = [(x, y, slice_of) for y in range(height) for x in range(width)]
        at = self.addresses(asic, {**keys, "bpp": 8 * size}, points)
        base = int(str(keys["address"]), 0)
        memory = bytearray(max(at) + size - base)
        for (x, y, _), address in zip(points, at):
            memory[address - base:address - base + size] = pixel(x, y).to_bytes(size, "little")
        (self.folder / "memory.bin").write_bytes(memory)
        return f"asic: {asic}\nmemory:\n  - {{address: {keys['address']}, file: memory.bin}}\n"

    def test_tiled_surfaces_of_every_chip_are_pictures_in_both_modes(self):
        def pixel(x, y):
            return x | y << 8 | (x ^ y) << 16 | 0xf0 << 24
        right = [v for y in range(48) for x in range(70) for v in (x, y, x ^ y, 0xf0)]
        for asic in ("tahiti", "pitcairn", "verde", "oland", "hainan"):
            for index in (8, 10, 13, 14):  # linear, 2D display, 1D thin, 2D thin
                keys = {"tile_index": index, "width": 70, "height": 48, "depth": 2, "slice": 1, "address": "0x10000000"}
                memory = self.fill(asic, keys, 70, 48, pixel, slice_of=1)
                for mode in MODES:
                    with self.subTest(f"{asic} {index} {mode}"):
                        surface = flow({"format": "8_8_8_8", **keys})
                        self.run_(f"{memory}dump:\n  - {{surface: {surface}, file: a.png}}\n  - {{surface: {surface}, file: a.pam}}\n", "--mode", mode)
                        self.assertEqual(read_pam(self.folder / "a.pam"), (70, 48, 4, right))
                        self.assertEqual(read_png(self.folder / "a.png"), (70, 48, 4, right))

    def test_other_generations_have_pictures_of_their_memory(self):
        for asic, keys in (("rv770", {"array_mode": "1d_tiled_thin1", "tile_type": "display"}), ("cypress", {"array_mode": "1d_tiled_thin1", "tile_type": "thin"}),
                           ("bonaire", {"tile_index": 10})):
            with self.subTest(asic):
                keys = {**keys, "width": 16, "height": 8, "address": "0x10000000"}
                memory = self.fill(asic, keys, 16, 8, lambda x, y: 16 * y + x, size=2)
                self.run_(f"{memory}dump:\n  - {{surface: {flow({'format': 16, **keys})}, file: a.pam}}\n")
                self.assertEqual(read_pam(self.folder / "a.pam"), (16, 8, 1, list(range(128))))

    def test_the_example_of_the_page_runs_and_says_what_differs(self):
        page = (suite.ROOT / "testbenches" / "host" / "WORKLOADS.md").read_text()
        section = page[page.index("\n## Pictures of surfaces"):]
        workload = re.search(r"```yaml\n(.*?)```", section, re.S)[1]
        # Of 32 bits in a displayed tile, from the lowest bit of the number of a pixel on: x0 x1 y0 x2 y1 y2.
        order = [(x & 1) | (x >> 1 & 1) << 1 | (y & 1) << 2 | (x >> 2) << 3 | (y >> 1 & 1) << 4 | (y >> 2) << 5 for y in range(8) for x in range(8)]
        right = [v for n in order for v in (4 * n & 255, 0, 0, 255)]
        write_pam(self.folder / "tile.pam", 8, 8, 4, right)
        for mode in MODES:
            self.run_(workload, "--mode", mode)
            self.assertEqual(read_png(self.folder / "tile.png"), (8, 8, 4, right))
        wrong = list(right)
        wrong[4 * (8 + 3)] -= 4
        write_pam(self.folder / "tile.pam", 8, 8, 4, wrong)
        said = self.run_(workload, status=EXPECTATION_FAILED)
        self.assertEqual(said, f"w.yaml:6:5: expect[0]: surface: pixel (3, 1): expected ({wrong[44]}, 0, 0, 255), got ({right[44]}, 0, 0, 255) "
                               "(1 of 64 pixels differ by more than 1, the largest difference is 4)\n")
        self.run_(workload.replace("tolerance: 1", "tolerance: 4"))

    def test_images_of_other_shapes_are_named(self):
        surface = "{format: 8_8_8_8, width: 2, height: 1, array_mode: linear_general, address: 0x100000}"
        workload = f"memory: [{{address: 0x100000, words: [1, 2]}}]\nsteps:\n  - expect: {{surface: {surface}, image: a.pam}}\n"
        write_pam(self.folder / "a.pam", 1, 2, 4, [0] * 8)
        self.assertIn("steps[0].expect: surface: has 2 x 1, 8-bit RGBA, ./a.pam has 1 x 2, 8-bit RGBA".replace("./", ""),
                      self.run_(workload, status=EXPECTATION_FAILED))
        (self.folder / "a.pam").write_text("no image")
        self.assertIn("w.yaml:3:13: steps[0].expect: a.pam: does not begin with P7", self.run_(workload, status=BAD_INPUT).replace("no ENDHDR", "does not begin with P7"))

    def test_memory_that_is_not_mapped_is_named(self):
        surface = "{format: 8_8_8_8, width: 2, height: 1, array_mode: linear_general, address: 0x100000}"
        write_pam(self.folder / "a.pam", 2, 1, 4, [0] * 8)
        why = "surface: memory at 0x100000, of pixel (0, 0), is not mapped"
        self.assertIn(f"w.yaml:1:10: expect[0]: {why}", self.run_(f"expect: [{{surface: {surface}, image: a.pam}}]\n", status=EXPECTATION_FAILED))
        self.assertIn(f"w.yaml:1:8: dump[0]: {why}", self.run_(f"dump: [{{surface: {surface}, file: b.pam}}]\n", status=BAD_INPUT))


def set_context(registers):
    """Packets that write context registers, as drivers do."""
    return ", ".join(f'"SET_CONTEXT_REG {name} = {value:#x}"' for name, value in registers.items())


class Bound(InFolder):
    """CB_COLORn_* and DB_* of the newest context."""
    COLOUR = {"BASE": 0x10000000 >> 8, "PITCH": 64 // 8 - 1, "SLICE": 64 * 32 // 64 - 1, "VIEW": 0, "INFO": 0x1a << 2, "ATTRIB": 13}

    def colour(self, n, **changes):
        return set_context({f"CB_COLOR{n}_{name}": value for name, value in {**self.COLOUR, **changes}.items()})

    def workload(self, packets, results, words="series: {count: 2048}"):
        return (f"memory:\n  - {{address: 0x10000000, {words}}}\nsteps:\n  - {{ring: gfx, packets: [{packets}]}}\n  - {{wait: gfx}}\n{results}")

    def test_render_targets_are_those_of_the_registers_in_both_modes(self):
        at = self.addresses("tahiti", {"tile_index": 13, "width": 64, "height": 32, "bpp": 32, "address": "0x10000000"},
                            [(x, y) for y in range(32) for x in range(64)])
        words = [(a - 0x10000000) // 4 for a in at]
        right = [v for w in words for v in (w & 255, w >> 8, 0, 0)]
        for mode in MODES:
            for n in (0, 7):
                with self.subTest(f"cb{n} {mode}"):
                    # The first context is not the newest.
                    packets = f'{self.colour(n, BASE=0x20000)}, {self.colour(n, INFO=0x0a << 2)}'
                    self.run_(self.workload(packets, f"dump:\n  - {{surface: cb{n}, file: a.pam}}\n  - {{surface: {{target: cb{n}, width: 5, height: 3}}, file: b.pam}}\n"),
                              "--mode", mode)
                    self.assertEqual(read_pam(self.folder / "a.pam"), (64, 32, 4, right))
                    cut = [v for y in range(3) for x in range(5) for v in right[4 * (64 * y + x):4 * (64 * y + x) + 4]]
                    self.assertEqual(read_pam(self.folder / "b.pam"), (5, 3, 4, cut))

    def test_tiles_that_cmask_clears_have_the_clear_colour(self):
        # CMASK all 0: every tile is cleared; all ones: none.
        more = set_context({"CB_COLOR0_CMASK": 0x11000000 >> 8, "CB_COLOR0_CMASK_SLICE": 0, "CB_COLOR0_CLEAR_WORD0": 0x44332211})
        for fill, first in ((0, [0x11, 0x22, 0x33, 0x44]), (255, [0, 0, 0, 0])):
            text = self.workload(f"{self.colour(0, INFO=0x0a << 2 | 1 << 13)}, {more}", "dump:\n  - {surface: cb0, file: a.pam}\n").replace(
                "steps:", f"  - {{address: 0x11000000, size: 65536, fill: {fill}}}\nsteps:")
            for mode in MODES:
                self.run_(text, "--mode", mode)
                self.assertEqual(read_pam(self.folder / "a.pam")[3][:4], first)

    def test_tiles_in_states_that_are_unknown_are_named(self):
        write_pam(self.folder / "a.pam", 64, 32, 4, [0] * 64 * 32 * 4)
        more = set_context({"CB_COLOR0_CMASK": 0x11000000 >> 8, "CB_COLOR0_CMASK_SLICE": 0})
        text = self.workload(f"{self.colour(0, INFO=0x0a << 2 | 1 << 13)}, {more}", "expect: [{surface: cb0, image: a.pam}]\n")
        cleared_in_part = text.replace("steps:", "  - {address: 0x11000000, size: 65536, fill: 0x55}\nsteps:")
        for mode in MODES:
            self.assertIn("surface cb0: CB_COLOR0_CMASK: code 5, a tile that is cleared in part", self.run_(cleared_in_part, "--mode", mode, status=EXPECTATION_FAILED))
            self.assertRegex(self.run_(text, "--mode", mode, status=EXPECTATION_FAILED), r"surface cb0: metadata at 0x1100\w+ is not mapped")

    def test_depth_and_stencil_are_those_of_the_registers_in_both_modes(self):
        z, stencil = 0x10000000, 0x10010000
        registers = {"DB_Z_INFO": 1 | 4 << 20, "DB_STENCIL_INFO": 1 | 4 << 20, "DB_DEPTH_SIZE": 64 // 8 - 1 | (64 // 8 - 1) << 11, "DB_DEPTH_SLICE": 64 * 64 // 64 - 1,
                     "DB_Z_READ_BASE": z >> 8, "DB_Z_WRITE_BASE": z >> 8, "DB_STENCIL_READ_BASE": stencil >> 8, "DB_STENCIL_WRITE_BASE": stencil >> 8, "DB_DEPTH_VIEW": 0}
        text = self.workload(set_context(registers), "dump:\n  - {surface: depth, file: z.pam}\n  - {surface: {target: stencil, width: 8, height: 2}, file: s.pam}\n",
                             "fill: 0x34, size: 65536").replace("steps:", "  - {address: 0x10010000, size: 65536, fill: 7}\nsteps:")
        for mode in MODES:
            self.run_(text, "--mode", mode)
            self.assertEqual(read_pam(self.folder / "z.pam"), (64, 64, 1, [0x3434] * 4096))
            self.assertEqual(read_pam(self.folder / "s.pam"), (8, 2, 1, [7] * 16))

    def test_the_triangle_of_the_examples_is_drawn(self):
        for file in (suite.ROOT / "examples" / "triangle").glob("*.*"):
            shutil.copy(file, self.folder)
        text = (self.folder / "triangle.yaml").read_text()
        self.run_(text, "--mode", "functional")
        drawn = read_png(self.folder / "triangle.png")
        self.assertEqual(drawn, read_png(self.folder / "reference.png"))
        width, _, _, samples = drawn
        # Corners at pixels (6.4, 57.6), (32, 6.4) and (57.6, 57.6): each has its colour, the rest of the picture is grey.
        for (x, y), colour in (((8, 56), 0), ((32, 9), 1), ((55, 56), 2)):
            pixel = samples[4 * (y * width + x):][:4]
            self.assertEqual(pixel[colour], max(pixel[:3]), pixel)
            self.assertGreater(pixel[colour], 200)
            self.assertEqual(pixel[3], 255)
        self.assertEqual(samples[:4], [0x20, 0x20, 0x20, 0xff])
        colours = [samples[i:i + 4] != [0x20, 0x20, 0x20, 0xff] for i in range(0, len(samples), 4)]
        # Row k of 52 is k + 0.1 pixels wide, around x = 32: the centres in it.
        self.assertEqual(sum(colours), sum(2 * ((k + 1) // 2) for k in range(52)))

    def test_what_is_not_bound_or_cannot_be_is_named(self):
        write_pam(self.folder / "a.pam", 2, 1, 4, [0] * 8)
        for surface, why in (("cb3", "surface cb3: nothing is bound: CB_COLOR3_INFO.FORMAT is INVALID"),
                             ("{target: depth}", "surface depth: nothing is bound: DB_Z_INFO.FORMAT is INVALID"),
                             ("{target: cb0, width: 100}", "surface cb0: width 100, the surface has 64"),
                             ("{target: cb0, slice: 9}", "surface cb0: slice 9, the surface has 1"),
                             ("{target: cb0, sample: 1}", "surface cb0: sample 1, the surface has 1")):
            with self.subTest(surface):
                text = self.workload(self.colour(0, INFO=0x0a << 2), f"expect: [{{surface: {surface}, image: a.pam}}]\n")
                self.assertIn(why, self.run_(text, status=EXPECTATION_FAILED))
        text = self.workload(self.colour(0, INFO=13 << 2), "expect: [{surface: cb0, image: a.pam}]\n")
        self.assertIn("surface cb0: CB_COLOR0_INFO: FORMAT 13 is reserved", self.run_(text, status=EXPECTATION_FAILED))

    def test_addresses_of_an_address_space_are_translated(self):
        at = "address_spaces: [{vmid: 3, address: 0x10000000, size: 64 KiB, memory: 0x40000000}]\n"
        surface = "{format: 32, number_type: uint, width: 2, height: 1, array_mode: linear_general, address: 0x10000000, vmid: 3}"
        self.run_(f"{at}memory: [{{address: 0x40000000, words: [5, 6]}}]\ndump: [{{surface: {surface}, file: a.pam}}]\n")
        self.assertEqual(read_pam(self.folder / "a.pam"), (2, 1, 1, [5, 6]))


if __name__ == "__main__":
    unittest.main()
