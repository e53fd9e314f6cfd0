#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`archipelago map` of HTILE and CMASK.

    map_metadata_test.py ARCHIPELAGO

The addresses are worked out here step by step from the description of AMD's address library
(siaddrlib.cpp, HwlComputeXmaskAddrFromCoord); nothing is shared with the model.
"""

import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND, = take(__doc__, archipelago=program)
SURFACES = suite.ROOT / "testbenches" / "surfaces"

# Pipe bits and bits of an element's number, lowest first; xN, yN: bit N of the tile's coordinates.
CONFIGS = {"p2": ("x0^y0", "x1^y0 x1^y1 x1", 3),
           "p4_8x16": ("x1^y0 x0^y1", "x1^y1 x1", 2),
           "p4_16x16": ("x0^x1^y0 x1^y1", "x1^y0 x1", 2),
           "p8_32x32_8x16": ("x1^x2^y0 x0^y1 x2^y2", "x1^y1 x1", 2),
           "p8_32x32_16x16": ("x0^x1^y0 x1^y1 x2^y2", "x1^y0 x1", 2)}
KINDS = {"htile": (32, 512), "cmask": (4, 256)}  # bits of an element, elements of a pipe in a block


def bits(equation, x, y):
    value = 0
    for n, terms in enumerate(equation.split()):
        for term in terms.split("^"):
            value ^= ((x if term[0] == "x" else y) >> int(term[1]) & 1) << n
    return value


def up(value, unit):
    return -(-value // unit) * unit


def address(kind, config, width, height, point, base=0, linear=False):
    """Byte and bit."""
    x, y, z = point
    pipe_bits, element_bits, hash_bits = CONFIGS[config]
    size, elements = KINDS[kind]
    pipes = 1 << len(pipe_bits.split())
    shift = 4 - len(pipe_bits.split())
    w, h = elements, 1
    while w > 2 * h * pipes:
        w, h = w // 2, 2 * h
    w, h = 8 * w, 8 * h * pipes
    if linear:
        w = h = 64 if config == "p8_32x32_16x16" else 32
    pitch, rows = up(width, w), up(height, h)
    if linear:
        number = x // 32 + y // 32 * (pitch // 32)
        position = z * up(pitch * rows // 64 // pipes, 1 << hash_bits) * size
    else:
        while pitch * rows // 64 * size % (2048 * pipes):
            rows += h
        number = x % w // 32 + y % h // 32 * (w // 32)
        position = (x // w + y // h * (pitch // w) + z * (pitch // w) * (rows // h)) * elements * size
    number = (number << shift) // (1 << hash_bits) * (1 << hash_bits) if hash_bits != shift else number << shift
    position += (number + bits(element_bits, x // 8, y // 8)) * size
    location = position % 2048 + bits(pipe_bits, x // 8, y // 8) * 2048 + position // 2048 * 2048 * pipes
    return base + location // 8, location % 8


def line(kind, location):
    return f"{location[0]:#x}" + (f" {location[1]}" if kind == "cmask" else "")


class MapMetadata(unittest.TestCase):
    def setUp(self):
        self.scratch = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="archipelago-map-")))

    def map(self, keys, text, *options):
        path = self.scratch / "surface.yaml"
        path.write_text("{asic: tahiti, " + keys + "}\n")
        done = subprocess.run([COMMAND, "map", path, *options], input=text, capture_output=True, text=True,
                              timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_every_layout_has_the_addresses_of_the_transcription(self):
        generator = random.Random(3)
        for kind in KINDS:
            for config in CONFIGS:
                for linear in (False, True):
                    width, height = generator.randrange(1, 3000), generator.randrange(1, 2000)
                    points = [(generator.randrange(width), generator.randrange(height), generator.randrange(3))
                              for _ in range(300)]
                    with self.subTest(kind=kind, config=config, linear=linear, width=width, height=height):
                        status, out, errors = self.map(
                            f"metadata: {kind}, pipe_config: {config}, width: {width}, height: {height}, depth: 3, "
                            f"base: 0x30000, linear: {str(linear).lower()}",
                            "".join(f"{x},{y},{z}\n" for x, y, z in points))
                        self.assertEqual((status, errors), (suite.DONE, ""))
                        self.assertEqual(out.splitlines(), [
                            line(kind, address(kind, config, width, height, p, 0x30000, linear)) for p in points])

    def test_the_examples_are_those_of_the_transcription(self):
        points = [tuple(map(int, text.split(","))) for text in (SURFACES / "points.csv").read_text().split()]
        for name, config, base, z in (("htile", "p8_32x32_8x16", 0x400000, 0), ("cmask", "p4_8x16", 0, 1)):
            expected = [line(name, address(name, config, 4096, 4096, (*p, z), base)) for p in points]
            self.assertEqual((SURFACES / f"{name}.golden.txt").read_text().splitlines(), expected)

    def test_the_pipes_may_be_those_of_a_tile_mode(self):
        keys = "metadata: htile, width: 640, height: 480, "
        self.assertEqual(self.map(keys + "tile_index: 2", "100,50\n"),
                         self.map(keys + "pipe_config: p8_32x32_8x16", "100,50\n"))

    def test_what_is_wrong_is_said_at_its_place(self):
        keys = "metadata: htile, width: 640, height: 480"
        for text, says in ((f"{keys}, pipe_config: p9", "pipe_config"),
                           (keys, "pipe_config"),
                           (f"{keys}, tile_index: 2, pitch: 100", "pitch: got 100, expected at least the width of 640"),
                           (f"{keys}, tile_index: 2, slice: 1", "slice: there are slices 0 to 0"),
                           (f"{keys}, tile_index: 2, bpp: 32", "bpp"),
                           (f"{keys}, pipe_config: p8_16x16_8x16", "not published"),
                           ("metadata: fmask, width: 8, tile_index: 2", "metadata")):
            with self.subTest(text=text):
                status, out, errors = self.map(text, "0,0\n")
                self.assertEqual((status, out), (suite.BAD_USAGE, ""))
                self.assertIn("surface.yaml:1:", errors)
                self.assertIn(says, errors)
        self.assertIn("stdin:1", self.map(f"{keys}, tile_index: 2", "640,0\n")[2])
        for option in (["--inverse"], ["--picture", "p.svg"]):
            self.assertIn("not for HTILE and CMASK", self.map(f"{keys}, tile_index: 2", "0\n", *option)[2])

    def test_other_generations_are_refused(self):
        path = self.scratch / "hawaii.yaml"
        path.write_text("{asic: hawaii, metadata: cmask, width: 64, pipe_config: p8_32x32_16x16}\n")
        done = subprocess.run([COMMAND, "map", path], input="", capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, suite.BAD_USAGE)
        self.assertIn("known for Southern Islands only", done.stderr)


if __name__ == "__main__":
    unittest.main()
