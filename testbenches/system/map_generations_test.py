#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`archipelago map` for the chips of R6xx, R7xx, Evergreen, Northern Islands and CIK.

    map_generations_test.py ARCHIPELAGO

The addresses are worked out here from the published equations, bit by bit; nothing is shared with
the model or with the transcription its unit tests use.
"""

import itertools
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND, = take(__doc__, archipelago=program)

# ---- the equations: xN is bit N of x; the lowest bit comes first ---------------------------------

THIN = "x0 y0 x1 y1 x2 y2"
DISPLAY = {8: "x0 x1 x2 y1 y0 y2", 16: "x0 x1 x2 y0 y1 y2", 32: "x0 x1 y0 x2 y1 y2",
           64: "x0 y0 x1 x2 y1 y2", 128: "y0 x0 x1 x2 y1 y2"}
ROTATED = {8: "y0 y1 y2 x1 x0 x2", 16: "y0 y1 y2 x0 x1 x2", 32: "y0 y1 x0 y2 x1 x2",
           64: "y0 x0 y1 x1 x2 y2"}
THICK = {8: "x0 y0 x1 y1 z0 z1 x2 y2", 16: "x0 y0 x1 y1 z0 z1 x2 y2", 32: "x0 y0 x1 z0 y1 z1 x2 y2",
         64: "x0 y0 z0 x1 y1 z1 x2 y2", 128: "x0 y0 z0 x1 y1 z1 x2 y2"}

R6XX_PIPES = {1: "", 2: "x3^y3", 4: "x4^y3 x3^y4", 8: "x5^y3 x5^x4^y4 x3^y5"}
R6XX_BANKS = {4: "x3^t4 x4^t3", 8: "x3^t5 x4^t4^t5 x5^t3"}  # t: y / pipes
EVERGREEN_PIPES = {1: "", 2: "x3^y3", 4: "x4^y3 x3^y4", 8: "x4^y3^x5 x3^y4 x5^y5"}
CIK_PIPES = {4: ("p4_8x16", "x4^y3 x3^y4"), 5: ("p4_16x16", "x3^y3^x4 x4^y4"),
             16: ("p16_32x32_8x16", "x4^y3 x3^y4 x5^y6 x6^y5"),
             17: ("p16_32x32_16x16", "x3^y3^x4 x4^y4 x5^y6 x6^y5")}
# x, y: columns and rows of a bank's tiles.
BANKS = {2: "x0^y0", 4: "x0^y1 x1^y0", 8: "x0^y2 x1^y1^y2 x2^y0",
         16: "x0^y3 x1^y2^y3 x2^y1 x3^y0"}


def bits(equation, **coordinates):
    value = 0
    for place, terms in enumerate(equation.split()):
        for term in terms.split("^"):
            value ^= (coordinates[term[0]] >> int(term[1:]) & 1) << place
    return value


def thickness(mode):
    return 8 if mode.endswith("xthick") else 4 if mode.endswith("thick") else 1


def is_macro(mode):
    return mode[0] in "23p"


def up(value, to):
    return -(-value // to) * to


# ---- surfaces: namespaces of mode, tile_type, bpp, samples, pitch, height, slices, pipes, banks, ...

def element_offset(s, x, y, z, sample):
    thick = thickness(s.mode)
    if s.tile_type == "thick":
        order = THICK[s.bpp] + (" z2" if thick == 8 else "")
    else:
        order = {"display": DISPLAY.get(s.bpp), "rotated": ROTATED.get(s.bpp)}.get(s.tile_type, THIN)
        order += {1: "", 4: " z0 z1", 8: " z0 z1 z2"}[thick]
    index = bits(order, x=x, y=y, z=z)
    if s.tile_type == "depth":
        return (index * s.samples + sample) * s.bpp // 8
    return (sample * 64 * thick + index) * s.bpp // 8


def tile_bytes(s):
    return 8 * thickness(s.mode) * s.bpp * s.samples


def address(s, x, y, z, sample):
    if s.mode.startswith("linear"):
        return s.base + (((z + sample * s.slices) * s.height + y) * s.pitch + x) * s.bpp // 8
    if s.mode.startswith("1d"):
        tile = (y // 8) * (s.pitch // 8) + x // 8
        group = s.pitch * s.height * thickness(s.mode) * s.bpp * s.samples // 8
        return s.base + z // thickness(s.mode) * group + tile * tile_bytes(s) + \
            element_offset(s, x, y, z, sample)
    return s.base + (r6xx_address if s.generation == "r6xx" else macro_address)(s, x, y, z, sample)


def r6xx_address(s, x, y, z, sample):
    thick, group = thickness(s.mode), z // thickness(s.mode)
    offset, tile, part, parts = element_offset(s, x, y, z, sample), tile_bytes(s), 0, 1
    if s.samples > 1 and tile > s.tile_split:
        # Whole samples only.
        parts = s.samples // max(1, s.tile_split // (tile // s.samples))
        part, offset = divmod(offset, tile // parts)
    width, height = macro_size(s)
    plane = s.pitch * s.height * thick * s.bpp * s.samples // 8 // parts
    macro = width * height * thick * s.bpp * s.samples // 8 // parts
    place = (y // height * (s.pitch // width) + x // width) * macro + plane * (part + parts * group)
    offset += place // (s.pipes * s.banks)
    turn = s.pipes * (s.banks // 2 - 1) if s.mode.startswith("2d") else max(1, s.pipes // 2 - 1)
    both = bits(s.pipe_bits, x=x, y=y) + s.pipes * bits(R6XX_BANKS[s.banks], x=x, t=y // s.pipes)
    both ^= s.pipes * part * (s.banks // 2 + 1) ^ (s.swizzle + group * turn)
    both %= s.pipes * s.banks
    high, low = divmod(offset, s.interleave)
    return (high * s.pipes * s.banks + both) * s.interleave + low


def macro_size(s):
    if s.generation == "r6xx":
        return 8 * s.banks // s.macro_aspect, 8 * s.pipes * s.macro_aspect
    return (8 * s.bank_width * s.pipes * s.macro_aspect,
            8 * s.bank_height * s.banks // s.macro_aspect)


def macro_address(s, x, y, z, sample):
    thin, group = thickness(s.mode) == 1, z // thickness(s.mode)
    offset, tile, part, parts = element_offset(s, x, y, z, sample), tile_bytes(s), 0, 1
    if thin and tile > s.tile_split:
        parts, tile = tile // s.tile_split, s.tile_split
        part, offset = divmod(offset, tile)
    width, height = macro_size(s)
    macro = tile * (width // 8) * (height // 8) // (s.pipes * s.banks)
    plane = (s.pitch // width) * (s.height // height) * macro
    offset += plane * (part + parts * group)
    offset += (y // height * (s.pitch // width) + x // width) * macro
    offset += (y // 8 % s.bank_height * s.bank_width + x // 8 // s.pipes % s.bank_width) * tile
    if s.mode in ("prt_tiled_thin1", "prt_tiled_thick"):
        x, y = x % width, y % height
    # The PRT modes do not turn.
    turn = max(1, s.pipes // 2 - 1) * group if s.mode.startswith("3d") else 0
    pipe = bits(s.pipe_bits, x=x, y=y) ^ (s.swizzle % s.pipes + turn) % s.pipes
    turn = (s.banks // 2 - 1) * group if s.mode.startswith("2d") else turn // s.pipes
    bank = bits(BANKS[s.banks], x=x // 8 // (s.bank_width * s.pipes), y=y // 8 // s.bank_height)
    bank ^= s.swizzle // s.pipes + turn
    if thin and s.mode != "prt_tiled_thin1":
        bank ^= (s.banks // 2 + 1) * part
    high, low = divmod(offset, s.interleave)
    return ((high * s.banks + bank % s.banks) * s.pipes + pipe) * s.interleave + low


# ---- chips ----------------------------------------------------------------------------------------

def description(chip):
    return (suite.ROOT / "configs" / "asics" / f"{chip}.yaml").read_text()


def numbers(text, key):
    return [int(v, 16) for v in re.findall(r"0x[0-9A-Fa-f]+", text.split(key + ":")[1].split("]")[0])]


def config_of(chip):
    return int(re.search(r"^tiling_config: (\w+)", description(chip), re.M).group(1), 16)


def a_power(rng, low, high):
    return 1 << rng.randint(low, high)


def start(rng, generation, mode, types):
    s = SimpleNamespace(generation=generation, mode=mode, tile_type=rng.choice(types), swizzle=0,
                        bpp=8 << rng.randrange(5), samples=1, keys={"array_mode": mode})
    if thickness(mode) == 1:
        s.samples = a_power(rng, 0, 3)
    if not mode.startswith("linear"):
        s.keys["tile_type"] = s.tile_type
    return s


def of_r6xx(rng, chip):
    config = config_of(chip)
    mode = rng.choice(["linear_aligned", "linear_general", "1d_tiled_thin1", "1d_tiled_thick",
                       "2d_tiled_thin1", "2d_tiled_thin2", "2d_tiled_thin4", "2d_tiled_thick",
                       "3d_tiled_thin1", "3d_tiled_thick"])
    s = start(rng, "r6xx", mode, ["display", "thin", "depth"])
    s.pipes, s.banks = 1 << (config >> 1 & 7), 4 << (config >> 4 & 3)
    s.interleave, s.tile_split = 256 << (config >> 6 & 3), 1024 << (config >> 14 & 3)
    s.macro_aspect = {"2": 2, "4": 4}.get(mode[-1], 1)
    s.pipe_bits = R6XX_PIPES[s.pipes]
    return s


def of_evergreen(rng, chip):
    config = config_of(chip)
    mode = rng.choice(["linear_aligned", "linear_general", "1d_tiled_thin1", "1d_tiled_thick",
                       "2d_tiled_thin1", "2d_tiled_thick", "2d_tiled_xthick", "3d_tiled_thin1",
                       "3d_tiled_thick", "3d_tiled_xthick"])
    s = start(rng, "evergreen", mode, ["display", "thin", "depth"])
    s.pipes, s.interleave = 1 << (config & 7), 256 << (config >> 4 & 7)
    s.pipe_bits = EVERGREEN_PIPES[s.pipes]
    if is_macro(mode):
        parts(s, rng)
    return s


def parts(s, rng):
    s.banks, s.tile_split = a_power(rng, 1, 4), a_power(rng, 6, 12)
    s.bank_width, s.bank_height = a_power(rng, 0, 3), a_power(rng, 0, 3)
    s.macro_aspect = min(s.banks, a_power(rng, 0, 3))
    for key in ("banks", "tile_split", "bank_width", "bank_height", "macro_aspect"):
        s.keys[key] = getattr(s, key)


CIK_MODES = ["linear_general", "linear_aligned", "1d_tiled_thin1", "1d_tiled_thick",
             "2d_tiled_thin1", "prt_tiled_thin1", "prt_2d_tiled_thin1", "2d_tiled_thick",
             "2d_tiled_xthick", "prt_tiled_thick", "prt_2d_tiled_thick", "prt_3d_tiled_thin1",
             "3d_tiled_thin1", "3d_tiled_thick", "3d_tiled_xthick", "prt_3d_tiled_thick"]


def fit(s):
    """The bank parameters as the driver's library raises them: a macro tile fills whole units."""
    tile = min(s.tile_split, tile_bytes(s))
    s.bank_height = up(s.bank_height, max(1, s.interleave // (tile * s.bank_width)))
    if s.samples == 1:
        s.macro_aspect = up(s.macro_aspect,
                            max(1, s.interleave // (tile * s.pipes * s.bank_width)))


def of_cik_index(chip, index, bpp, samples):
    """The surface of the chip's GB_TILE_MODE and GB_MACROTILE_MODE."""
    config, text = config_of(chip), description(chip)
    value, macros = numbers(text, "tile_modes")[index], numbers(text, "macrotile_modes")
    s = SimpleNamespace(generation="cik", mode=CIK_MODES[value >> 2 & 15], bpp=bpp, swizzle=0,
                        samples=samples, interleave=256 << (config >> 4 & 7),
                        tile_type=["display", "thin", "depth", "rotated", "thick"][value >> 22 & 7],
                        keys={"tile_index": index})
    if thickness(s.mode) > 1:
        s.samples = 1
    if not is_macro(s.mode):
        return s
    _, s.pipe_bits = CIK_PIPES[value >> 6 & 31]
    s.pipes, row = 1 << len(s.pipe_bits.split()), 1024 << (config >> 28 & 3)
    sample_tile = 8 * thickness(s.mode) * bpp
    s.tile_split = 64 << (value >> 11 & 7) if s.tile_type == "depth" else \
        max(256, sample_tile << (value >> 25 & 3))
    s.tile_split = min(s.tile_split, row)
    size = max(64, min(s.tile_split, s.samples * sample_tile))
    macro = macros[size.bit_length() - 7 + (8 if s.mode.startswith("prt") else 0)]
    s.bank_width, s.bank_height = 1 << (macro & 3), 1 << (macro >> 2 & 3)
    s.macro_aspect, s.banks = 1 << (macro >> 4 & 3), 2 << (macro >> 6 & 3)
    fit(s)
    return s


def of_cik(rng, chip):
    if rng.random() < 0.5:
        index = rng.choice([i for i, v in enumerate(numbers(description(chip), "tile_modes"))
                            if v != 0 and v >> 22 & 7 != 3])
        return of_cik_index(chip, index, 8 << rng.randrange(5), a_power(rng, 0, 3))
    mode = rng.choice(CIK_MODES)
    types = ["display", "thin", "depth", "thick" if thickness(mode) > 1 else "rotated"]
    s = start(rng, "cik", mode, types)
    if s.tile_type == "rotated":
        s.bpp = min(s.bpp, 64)
    config = config_of(chip)
    s.interleave = 256 << (config >> 4 & 7)
    if is_macro(mode):
        s.keys["pipe_config"], s.pipe_bits = rng.choice(list(CIK_PIPES.values()))
        s.pipes = 1 << len(s.pipe_bits.split())
        parts(s, rng)
        fit(s)
    return s


CHIPS = {"r600": of_r6xx, "rv610": of_r6xx, "rv670": of_r6xx, "rv770": of_r6xx, "rv730": of_r6xx,
         "cypress": of_evergreen, "juniper": of_evergreen, "cedar": of_evergreen,
         "cayman": of_evergreen, "bonaire": of_cik, "hawaii": of_cik, "kaveri": of_cik}


def is_a_macro_tile(s):
    """Whether the parameters have whole tiles in a macro tile."""
    return not is_macro(s.mode) or min(macro_size(s)) >= 8


def size_of(s, rng, tiles):
    """Gives `s` a size of up to so many (macro) tiles a side."""
    width, height = (1, 1) if s.mode.startswith("linear") else \
        macro_size(s) if is_macro(s.mode) else (8, 8)
    s.pitch, s.height = width * rng.randint(1, tiles), height * rng.randint(1, tiles)
    s.width = rng.randint(s.pitch - width + 1, s.pitch)
    s.rows = rng.randint(s.height - height + 1, s.height)
    s.slices = s.depth = rng.randint(1, 2 * thickness(s.mode) + 1)
    s.base = rng.randrange(1 << 8) << 24
    s.keys.update(bpp=s.bpp, width=s.width, height=s.rows, depth=s.depth, samples=s.samples,
                  pitch=s.pitch, base=s.base)
    if is_macro(s.mode):
        s.swizzle = rng.randrange(s.pipes * s.banks)
        s.keys["base"] += s.swizzle * s.interleave


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="archipelago-map-")
        self.scratch = Path(self.enterContext(directory))

    def map(self, chip, keys, text, *options):
        path = self.scratch / "surface.yaml"
        path.write_text(f"{{asic: {chip}, {', '.join(f'{k}: {v}' for k, v in keys.items())}}}\n")
        done = subprocess.run([COMMAND, "map", path, *options], capture_output=True, timeout=120,
                              check=False, input=text, text=True)
        return done.returncode, done.stdout, done.stderr

    def mapped(self, chip, s, points, *options):
        status, out, errors = self.map(
            chip, s.keys, "".join(",".join(map(str, p)) + "\n" for p in points), *options)
        self.assertEqual((status, errors), (suite.DONE, ""))
        return out.split()

    def expect(self, chip, s, points):
        """These points have the equations' addresses, and the addresses these points."""
        found = self.mapped(chip, s, points)
        self.assertEqual(found, [hex(address(s, *p)) for p in points])
        back = self.map(chip, s.keys, "\n".join(found) + "\n", "--inverse")
        self.assertEqual(back[0], suite.DONE, back[2])
        self.assertEqual(back[1].split(), [",".join(map(str, p)) for p in points])


class Addresses(Case):
    def test_every_chip_has_the_addresses_of_the_equations_and_back(self):
        for chip, make in CHIPS.items():
            rng = random.Random(chip)
            for _ in range(24):
                s = make(rng, chip)
                while not is_a_macro_tile(s):
                    s = make(rng, chip)
                size_of(s, rng, 4)
                points = [(rng.randrange(s.width), rng.randrange(s.rows), rng.randrange(s.depth),
                           rng.randrange(s.samples)) for _ in range(60)]
                points.append((s.width - 1, s.rows - 1, s.depth - 1, s.samples - 1))
                with self.subTest(chip=chip, keys=s.keys):
                    self.expect(chip, s, points)

    def test_all_tile_modes_of_cik_are_those_of_the_tables(self):
        for chip in ("bonaire", "hawaii", "kaveri"):
            rng = random.Random(chip)
            for index, value in enumerate(numbers(description(chip), "tile_modes")):
                s = of_cik_index(chip, index, 32, 4 if value >> 22 & 7 != 3 else 1)
                size_of(s, rng, 2)
                points = [(rng.randrange(s.width), rng.randrange(s.rows), rng.randrange(s.depth),
                           rng.randrange(s.samples)) for _ in range(20)]
                with self.subTest(chip=chip, index=index, value=hex(value)):
                    self.expect(chip, s, points)

    def test_every_element_has_a_place_of_its_own(self):
        for chip, make in CHIPS.items():
            rng = random.Random("all of " + chip)
            for _ in range(3):
                s = make(rng, chip)
                while not is_macro(s.mode) or not is_a_macro_tile(s) or \
                        macro_size(s)[0] * macro_size(s)[1] * s.samples > 1 << 14:
                    s = make(rng, chip)
                size_of(s, rng, 1)
                s.keys.update(width=s.pitch, height=s.height)
                s.keys["depth"] = depth = thickness(s.mode)
                with self.subTest(chip=chip, keys=s.keys):
                    places = [int(a, 16) for a in self.mapped(
                        chip, s, itertools.product(range(s.pitch), range(s.height), range(depth),
                                                   range(s.samples)))]
                    self.assertEqual(len(places), s.pitch * s.height * depth * s.samples)
                    self.assertEqual(len(set(places)), len(places))
                    self.assertTrue(all((a - s.base) % (s.bpp // 8) == 0 for a in places))


class Sizes(Case):
    def pitch_of(self, chip, keys):
        """Elements of a row: what two rows of tiles, or of elements, are apart."""
        step = 1 if keys["array_mode"].startswith("linear") else 8
        _, out, errors = self.map(chip, keys, f"0,0\n0,{step}\n")
        self.assertEqual(errors, "")
        first, second = (int(a, 16) for a in out.split())
        return (second - first) * 8 // keys["bpp"] // step

    def test_a_pitch_may_be_left_out(self):
        for chip in ("rv770", "cypress", "cayman"):
            for bpp in (8, 32, 128):
                keys = {"array_mode": "linear_aligned", "bpp": bpp, "width": 65, "height": 16}
                align = max(64, 256 * 8 // bpp)
                self.assertEqual(self.pitch_of(chip, keys), up(65, align), (chip, bpp))
                keys = {**keys, "array_mode": "1d_tiled_thin1", "tile_type": "thin"}
                align = max(8, 256 // bpp)
                self.assertEqual(self.pitch_of(chip, keys), up(65, align), (chip, bpp))

    def test_rows_of_macro_tiles_of_r6xx_fill_whole_groups_of_a_bank(self):
        # A tile of 64 bytes is a quarter of a group.
        config = config_of("rv670")
        pipes, banks = 1 << (config >> 1 & 7), 4 << (config >> 4 & 3)
        for bpp, tiles in ((8, 4), (16, 2), (32, 1), (64, 1)):
            keys = {"array_mode": "2d_tiled_thin1", "tile_type": "display", "bpp": bpp, "width": 8,
                    "height": 8 * pipes + 1}
            _, out, _ = self.map("rv670", keys, f"0,0\n0,{8 * pipes}\n")
            first, second = (int(a, 16) // (256 * pipes * banks) for a in out.split())
            row = tiles * banks * 8 * 8 * pipes * bpp // 8
            self.assertEqual(second - first, row // (256 * pipes * banks), bpp)

    def test_levels_of_cik_follow_one_another(self):
        keys = {"tile_index": 14, "bpp": 32, "width": 1024, "height": 1024, "levels": 2}
        for chip in ("bonaire", "hawaii", "kaveri"):
            s = of_cik_index(chip, 14, 32, 1)
            s.pitch = s.height = 512
            s.base = 4 << 20
            points = [(x, y, 0, 0) for x in (0, 9, 130, 511) for y in (0, 70, 511)]
            s.keys = {**keys, "level": 1}
            self.expect(chip, s, points)

    def test_levels_before_si_follow_one_another(self):
        # 256 x 256 dwords; levels smaller than a macro tile are micro tiled, down to a tile each.
        keys = {"array_mode": "2d_tiled_thin1", "tile_type": "display", "bpp": 32, "width": 256,
                "height": 256, "levels": 9}
        parts_of_evergreen = {"tile_split": 1024, "banks": 8, "bank_width": 1, "bank_height": 2,
                              "macro_aspect": 2}
        for chip in ("r600", "rv770", "cypress", "cayman"):
            base = 0
            for level in range(9):
                side = 256 >> level
                points = "".join(f"{x},{y},0,0\n" for x in range(side) for y in range(side))
                own = {**keys, **({} if chip[0] == "r" else parts_of_evergreen), "level": level}
                with self.subTest(chip=chip, level=level):
                    status, out, errors = self.map(chip, own, points)
                    self.assertEqual((status, errors), (suite.DONE, ""))
                    places = sorted(int(a, 16) for a in out.split())
                    first, count = (side, side * side) if side >= 8 else (8, side * side)
                    self.assertEqual(places[0], base)
                    self.assertEqual(len(set(places)), count)
                    base += 4 * max(first, 8) ** 2
                    self.assertLess(places[-1], base)
                    self.assertEqual(self.map(chip, own, out, "--inverse")[1], points)


class Pictures(Case):
    def test_a_picture_has_the_pipes_and_banks_of_the_chip(self):
        parts_of_evergreen = {"tile_split": 1024, "banks": 8, "bank_width": 1, "bank_height": 2,
                              "macro_aspect": 2}
        mode = {"array_mode": "2d_tiled_thin1", "tile_type": "display"}
        size = {"bpp": 32, "width": 256, "height": 256}
        for chip, keys, titles in (
                ("r600", mode, ["pipe (8)", "bank (8)", "memory channel (16)"]),
                ("rv610", mode, ["pipe (1)", "bank (4)"]),
                ("cypress", {**mode, **parts_of_evergreen},
                 ["pipe (8)", "bank (8)", "memory channel (8)"]),
                ("hawaii", {"tile_index": 10}, ["pipe (16)", "bank (16)", "memory channel (16)"])):
            svg = self.scratch / "picture.svg"
            status, out, errors = self.map(chip, {**keys, **size}, "", "--picture", svg)
            self.assertEqual((status, errors), (suite.DONE, ""))
            self.assertIn("row conflicts", out)
            panels = ElementTree.parse(svg).getroot().findall("{*}g")
            found = [p.find("{*}text").text for p in panels]
            self.assertEqual(found[:len(titles)], titles, chip)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
