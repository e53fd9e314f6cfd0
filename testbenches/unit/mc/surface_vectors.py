#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Address and mip chain vectors, from the equations as text, for the surface library's tests.

    surface_vectors.py addresses COUNT SEED
    surface_vectors.py chains COUNT SEED TABLES.h

Prints one vector per line, see print_address() and print_chain(). Shares nothing with the library.
Equations: AMD's address library in Mesa 22.3.6 (src/amd/addrlib), decaf-emu addrlib for R6xx.
"""

import argparse
import random
import re

# name: (code in models/mc/surface/tile_mode.h, bits from the lowest)
PIPES = {
    "P2": (0, ["x3^y3"]),
    "P4_8x16": (4, ["x4^y3", "x3^y4"]),
    "P4_16x16": (5, ["x3^y3^x4", "x4^y4"]),
    "P4_16x32": (6, ["x3^y3^x4", "x4^y5"]),
    "P4_32x32": (7, ["x3^y3^x5", "x5^y5"]),
    "P8_16x32_8x16": (9, ["x4^y3^x5", "x3^y4", "x4^y5"]),
    "P8_32x32_8x16": (10, ["x4^y3^x5", "x3^y4", "x5^y5"]),
    "P8_16x32_16x16": (11, ["x3^y3^x4", "x5^y4", "x4^y5"]),
    "P8_32x32_16x16": (12, ["x3^y3^x4", "x4^y4", "x5^y5"]),
    "P8_32x32_16x32": (13, ["x3^y3^x4", "x4^y6", "x5^y5"]),
    "P8_32x64_32x32": (14, ["x3^y3^x5", "x6^y5", "x5^y6"]),
    "P16_32x32_8x16": (16, ["x4^y3", "x3^y4", "x5^y6", "x6^y5"]),
    "P16_32x32_16x16": (17, ["x3^y3^x4", "x4^y4", "x5^y6", "x6^y5"]),
}
# Evergreen and NI, R6xx: by pipes (Evergreen also by engines and their tile).
EG_PIPES = {
    "1": (32, []),
    "2": (0, ["x3^y3"]),
    "4": (4, ["x4^y3", "x3^y4"]),
    "8 one engine": (33, ["x4^y4^x5", "x3^y5", "x4^y3^y5"]),
    "8 two engines, 16": (34, ["x4^y3^x5", "x3^y5", "x4^y4"]),
    "8 two engines, 32": (10, ["x4^y3^x5", "x3^y4", "x5^y5"]),
}
R6_PIPES = {1: (32, []), 2: (0, ["x3^y3"]), 4: (4, ["x4^y3", "x3^y4"]),
            8: (35, ["x5^y3", "x5^x4^y4", "x3^y5"])}
BANKS = {  # x: column, y: row of banks
    16: ["x0^y3", "x1^y2^y3", "x2^y1", "x3^y0"],
    8: ["x0^y2", "x1^y1^y2", "x2^y0"],
    4: ["x0^y1", "x1^y0"],
    2: ["x0^y0"],
}
R6_BANKS = {4: ["x3^y4", "x4^y3"], 8: ["x3^y5", "x4^y4^y5", "x5^y3"]}  # y: y / pipes
THIN = "x0 y0 x1 y1 x2 y2"
DISPLAY = {8: "x0 x1 x2 y1 y0 y2", 16: "x0 x1 x2 y0 y1 y2", 32: "x0 x1 y0 x2 y1 y2",
           64: "x0 y0 x1 x2 y1 y2", 128: "y0 x0 x1 x2 y1 y2"}
ROTATED = {8: "y0 y1 y2 x1 x0 x2", 16: "y0 y1 y2 x0 x1 x2", 32: "y0 y1 x0 y2 x1 x2",
           64: "y0 x0 y1 x1 x2 y2"}
THICK = {8: "x0 y0 x1 y1 z0 z1 x2 y2", 16: "x0 y0 x1 y1 z0 z1 x2 y2",
         32: "x0 y0 x1 z0 y1 z1 x2 y2", 64: "x0 y0 z0 x1 y1 z1 x2 y2",
         128: "x0 y0 z0 x1 y1 z1 x2 y2"}
ARRAYS = ["LINEAR_GENERAL", "LINEAR_ALIGNED", "1D_THIN", "1D_THICK", "2D_THIN", "PRT_THIN",
          "PRT_2D_THIN", "2D_THICK", "2D_XTHICK", "PRT_THICK", "PRT_2D_THICK", "PRT_3D_THIN",
          "3D_THIN", "3D_THICK", "3D_XTHICK", "PRT_3D_THICK"]
MICROS = ["DISPLAY", "THIN", "DEPTH", "ROTATED", "THICK"]
R6, EG, SI, CIK = range(4)


def thick(array):
    return 8 if "XTHICK" in array else 4 if "THICK" in array else 1


def is_macro(array):
    return ARRAYS.index(array) >= 4


def xor_bits(equations, **coordinate):
    value = 0
    for n, text in enumerate(equations):
        bit = 0
        for axis, index in re.findall(r"([xyz])(\d)", text):
            bit ^= coordinate[axis] >> int(index) & 1
        value |= bit << n
    return value


class Surface:
    """Parameters of one level; address() in bytes from its base."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def index_in_tile(self, x, y, z):
        if self.micro == "THICK":
            order = THICK[self.bits]
        elif self.micro == "DISPLAY":
            order = DISPLAY[self.bits]
        elif self.micro == "ROTATED":
            order = ROTATED[self.bits]
        else:
            order = THIN
        names = order.split()
        if thick(self.array) > 1 and self.micro != "THICK":
            names += ["z0", "z1"]
        if thick(self.array) == 8:
            names += ["z2"]
        return xor_bits(names, x=x, y=y, z=z)

    def element_offset(self, x, y, z, sample):
        """Bytes."""
        index = self.index_in_tile(x % 8, y % 8, z % thick(self.array))
        size = self.bits // 8
        if self.micro == "DEPTH":
            return (index * self.samples + sample) * size
        return sample * (self.tile_bytes() // self.samples) + index * size

    def tile_bytes(self):
        return 64 * thick(self.array) * self.bits * self.samples // 8

    def macro_size(self):
        if self.generation == R6:
            return 8 * self.banks // self.aspect, 8 * self.pipes * self.aspect
        return (8 * self.bank_width * self.pipes * self.aspect,
                8 * self.bank_height * self.banks // self.aspect)

    def address(self, x, y, z, sample):
        if self.array.startswith("LINEAR"):
            plane = z + sample * self.slices
            return (plane * self.pitch * self.height + y * self.pitch + x) * self.bits // 8
        if self.array.startswith("1D"):
            group = self.pitch * self.height * thick(self.array) * self.bits * self.samples // 8
            tile = (y // 8) * (self.pitch // 8) + x // 8
            return (z // thick(self.array) * group + tile * self.tile_bytes()
                    + self.element_offset(x, y, z, sample))
        return self.r6_address(x, y, z, sample) if self.generation == R6 \
            else self.macro_address(x, y, z, sample)

    def macro_address(self, x, y, z, sample):
        mw, mh = self.macro_size()
        offset = self.element_offset(x, y, z, sample)
        tile = self.tile_bytes()
        parts, part = 1, 0
        if thick(self.array) == 1 and tile > self.split:
            parts = tile // self.split
            part, offset = divmod(offset, self.split)
            tile = self.split
        macro = tile * (mw // 8) * (mh // 8) // (self.pipes * self.banks)
        slice_bytes = (self.pitch // mw) * (self.height // mh) * macro
        group = z // thick(self.array)
        total = slice_bytes * (part + parts * group)
        total += ((y // mh) * (self.pitch // mw) + x // mw) * macro
        total += ((y // 8 % self.bank_height) * self.bank_width
                  + x // 8 // self.pipes % self.bank_width) * tile
        total += offset
        if self.array in ("PRT_THIN", "PRT_THICK"):
            x, y = x % mw, y % mh
        step = max(1, self.pipes // 2 - 1)
        turn = step * group if self.array.startswith("3D") else 0
        pipe = xor_bits(self.equation, x=x, y=y) ^ (self.pipe_swizzle + turn) % self.pipes
        tx, ty = x // 8 // (self.bank_width * self.pipes), y // 8 // self.bank_height
        bank = xor_bits(BANKS[self.banks], x=tx, y=ty)
        if self.generation >= SI and self.bank_width == 1 and \
                self.pipe_name in ("P4_32x32", "P8_32x64_32x32"):
            bank ^= (x >> 4 ^ x >> 5) & 1
        turn = 0
        if self.array.startswith("2D"):
            turn = (self.banks // 2 - 1) * group
        elif self.array.startswith("3D"):
            turn = step * group // self.pipes
        bank ^= self.bank_swizzle + turn
        if self.array in ("2D_THIN", "3D_THIN", "PRT_2D_THIN", "PRT_3D_THIN"):
            bank ^= (self.banks // 2 + 1) * part
        bank %= self.banks
        # From the bottom: place in the interleave unit, pipe, unit of a bank, bank, the rest.
        unit, low = divmod(total, self.interleave)
        high, middle = divmod(unit, self.bank_interleave)
        value = high * self.banks + bank
        value = value * self.bank_interleave + middle
        value = value * self.pipes + pipe
        return value * self.interleave + low

    def r6_address(self, x, y, z, sample):
        mw, mh = self.macro_size()
        offset = self.element_offset(x, y, z, sample)
        samples, part, parts = self.samples, 0, 1
        if self.samples > 1 and self.tile_bytes() > self.split:
            samples = max(1, self.split // (self.tile_bytes() // self.samples))
            parts = self.samples // samples
            part, offset = divmod(offset, self.tile_bytes() // parts)
        plane = self.pitch * self.height * thick(self.array) * self.bits * samples // 8
        macro = mw * mh * thick(self.array) * self.bits * samples // 8
        group = z // thick(self.array)
        place = ((y // mh) * (self.pitch // mw) + x // mw) * macro
        place += plane * (part + parts * group)
        t = offset + place // (self.pipes * self.banks)
        pipe = xor_bits(self.equation, x=x, y=y)
        bank = xor_bits(R6_BANKS[self.banks], x=x, y=y // self.pipes)
        both = pipe + self.pipes * bank
        if self.array.startswith("2D"):
            turn = self.pipes * (self.banks // 2 - 1)
        else:
            turn = self.pipes // 2 - 1 if self.pipes >= 4 else 1
        if thick(self.array) == 1:
            both ^= self.pipes * part * (self.banks // 2 + 1)
        both ^= self.pipe_swizzle + self.pipes * self.bank_swizzle + group * turn
        both %= self.pipes * self.banks
        pipe, bank = both % self.pipes, both // self.pipes
        g = self.interleave
        return (t - t % g) * self.pipes * self.banks + (bank * self.pipes + pipe) * g + t % g


def power(rng, low, high):
    return 1 << rng.randint(low, high)


def random_surface(rng):
    generation = rng.choices([SI, CIK, EG, R6], [6, 3, 2, 2])[0]
    array = rng.choice(ARRAYS)
    if generation == R6 and ("PRT" in array or "XTHICK" in array):
        array = rng.choice(["1D_THIN", "2D_THIN", "3D_THIN", "2D_THICK", "3D_THICK"])
    s = Surface(generation=generation, array=array, micro="THIN", pipe_name="P2", code=0,
                equation=[], bits=8 << rng.randint(0, 4), samples=1, pipes=1, banks=2,
                bank_width=1, bank_height=1, aspect=1, split=64 << rng.randint(0, 6),
                interleave=256 << rng.randint(0, 1), bank_interleave=1, pipe_swizzle=0,
                bank_swizzle=0)
    micros = ["DISPLAY", "THIN", "DEPTH"]
    if generation == CIK:
        if thick(array) > 1:
            micros.append("THICK")
        elif s.bits < 128:
            micros.append("ROTATED")
    s.micro = rng.choice(micros)
    if array.startswith("LINEAR"):
        s.bits = rng.choice([8, 16, 32, 64, 96, 128])
    if thick(array) == 1:
        s.samples = power(rng, 0, 4)
    width = height = 8
    if array.startswith("LINEAR"):
        width = height = 1
    elif is_macro(array):
        if generation == R6:
            s.pipes = rng.choice(list(R6_PIPES))
            s.code, s.equation = R6_PIPES[s.pipes]
            s.banks = rng.choice([4, 8])
            s.aspect = power(rng, 0, 2)
        else:
            if generation == EG:
                s.pipe_name = rng.choice(list(EG_PIPES))
                s.code, s.equation = EG_PIPES[s.pipe_name]
                s.bank_interleave = rng.choice([1, 1, 2, 4])
            else:
                s.pipe_name = rng.choice(list(PIPES))
                s.code, s.equation = PIPES[s.pipe_name]
            s.pipes = 1 << len(s.equation)
            s.banks = power(rng, 1, 4)
            s.bank_width = power(rng, 0, 3)
            s.bank_height = power(rng, 0, 3)
            s.aspect = min(s.banks, power(rng, 0, 3))
            if s.pipe_name in ("P4_32x32", "P8_32x64_32x32"):
                s.bank_width = 1
                s.aspect = max(2, s.aspect)
        s.pipe_swizzle = rng.randrange(s.pipes)
        s.bank_swizzle = rng.randrange(s.banks)
        width, height = s.macro_size()
    s.pitch = width * rng.randint(1, 5)
    s.height = height * rng.randint(1, 5)
    s.slices = thick(array) * rng.randint(1, 9)
    return s


def print_address(s, rng):
    x, y = rng.randrange(s.pitch), rng.randrange(s.height)
    z, sample = rng.randrange(s.slices), rng.randrange(s.samples)
    print(s.generation, ARRAYS.index(s.array), MICROS.index(s.micro), s.code, s.split,
          s.bank_width, s.bank_height, s.aspect, s.banks, s.interleave, s.bank_interleave, s.bits,
          s.samples, s.pitch, s.height, s.slices, s.pipe_swizzle, s.bank_swizzle, x, y, z, sample,
          s.address(x, y, z, sample))


# ---- mip chains -----------------------------------------------------------------------------------

def up_to_power(v):
    return 1 << (v - 1).bit_length() if v > 1 else 1


def up(v, to):
    return -(-v // to) * to


def set_banks(s, raw):
    s.bank_width, s.bank_height = 1 << (raw & 3), 1 << (raw >> 2 & 3)
    s.aspect, s.banks = 1 << (raw >> 4 & 3), 2 << (raw >> 6 & 3)


def decode_mode(table, index, element, samples):
    """The mode of an image with these bytes of an element."""
    raw = table.modes[index]
    names = {code: name for name, (code, _) in PIPES.items()}
    s = Surface(generation=table.generation, array=ARRAYS[raw >> 2 & 15],
                pipe_name=names[raw >> 6 & 31], split=64 << (raw >> 11 & 7), bank_interleave=1,
                interleave=256 << (table.config >> 4 & 7), bits=element * 8, samples=samples)
    s.code, s.equation = PIPES[s.pipe_name]
    s.pipes = 1 << len(s.equation)
    if s.generation == SI:
        s.micro = MICROS[raw & 3]
        set_banks(s, raw >> 14)
        return s
    s.micro = MICROS[raw >> 22 & 7]
    one_sample = s.tile_bytes() // samples
    if s.micro != "DEPTH":
        s.split = max(256, one_sample << (raw >> 25 & 3))
    s.split = min(s.split, 1024 << (table.config >> 28 & 3))
    macro = (max(64, min(s.split, s.tile_bytes())) // 64).bit_length() - 1
    set_banks(s, table.macro_modes[macro + 8 * s.array.startswith("PRT")])
    return s


def fit_banks(s):
    """Raises the bank parameters to what the element size needs."""
    tile = min(s.split, s.tile_bytes())
    s.bank_height = up(s.bank_height, max(1, s.interleave // (tile * s.bank_width)))
    if s.samples == 1:
        s.aspect = up(s.aspect, max(1, s.interleave // (tile * s.pipes * s.bank_width)))


def degrade(s, width, height, slices):
    """The array mode of a level above 0. CIK keeps thick tiles and fills them up with slices."""
    keeps = s.generation == CIK
    while is_macro(s.array):
        before = s.array
        fit_banks(s)
        mw, mh = s.macro_size()
        array = s.array
        if slices < thick(array) and not array.startswith("PRT") and not keeps:
            dims = array[:3]
            array = dims + ("THICK" if thick(array) == 8 and slices >= 4 else "THIN")
        tile = min(s.split, 64 * thick(array) * s.bits // 8)
        small = width < mw or height < mh
        if thick(array) == 1:
            small = small or s.interleave > tile * s.pipes * s.bank_width * s.aspect \
                or s.interleave > tile * s.bank_width * s.bank_height
            s.array = "1D_THIN" if small else array
        else:
            s.array = "1D_THICK" if small else array
        if s.array == before:
            break
    if s.array == "1D_THICK" and slices < 4 and not keeps:
        s.array = "1D_THIN"


def whole_units(s, width, height):
    """The pitch of a linear or micro tiled slice: it grows until the slice fills whole units."""
    if s.array == "LINEAR_GENERAL":
        return width
    element = s.bits // 8
    step, pixels = 8, s.interleave // element
    if s.array == "LINEAR_ALIGNED":
        step, pixels = max(8, 64 // element), max(64, pixels)
    width = up(width, step)
    while width * height * thick(s.array) % pixels:
        width += step
    return width


def chain(base, kind, g):
    """Levels of an image: list of (offset, surface)."""
    levels, end = [], 0
    for n in range(g.last + 1):
        s = Surface(**base.__dict__)
        pad = n > 0 or g.pow2
        height = -(-max(1, g.height >> n) // g.block)
        slices = max(1, g.depth >> n) if kind == "3D" else g.depth * (6 if kind == "CUBE" else 1)
        if pad:
            height, slices = up_to_power(height), up_to_power(slices)
        if n == 0:
            width = g.pitch // g.block
        else:
            width = up_to_power(-(-max(1, g.pitch >> n) // g.block))
            degrade(s, width, height, slices)
        slices = up(slices, thick(s.array))
        align = s.interleave
        if is_macro(s.array):
            mw, mh = s.macro_size()
            width, height = up(width, mw), up(height, mh)
            align = s.pipes * s.bank_width * s.banks * s.bank_height * min(s.split, s.tile_bytes())
        else:
            if s.array.startswith("1D"):
                height = up(height, 8)
            if n > 0:
                width = whole_units(s, width, height)
            if s.array == "LINEAR_GENERAL":
                align = g.element
        s.pitch, s.height, s.slices = width, height, slices
        offset = up(end, align)
        end = offset + width * height * slices * g.element * g.samples
        levels.append((offset, s))
    return levels


def random_image(rng, array):
    kind = rng.choice(["1D", "2D", "2D", "3D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "MSAA"])
    if kind == "MSAA" and (thick(array) > 1 or array.startswith("LINEAR")):
        kind = "2D"
    g = Surface(element=1 << rng.randint(0, 4), samples=1, block=1, pow2=False)
    if g.element >= 8 and rng.random() < 0.3:
        g.block = 4
    side = rng.choice([40, 700])  # micro tiles need more pitch than width in narrow images only
    g.width, g.height, g.depth = rng.randint(1, side), rng.randint(1, side), 1
    if kind.startswith("1D"):
        g.height, g.block = 1, 1
    if kind == "3D":
        g.depth = rng.randint(1, 40)
    elif "ARRAY" in kind:
        g.depth = rng.randint(1, 9)
    elif kind == "CUBE":
        g.depth = rng.randint(1, 2)
        g.height = g.width
    g.last = rng.randint(0, max(g.width, g.height).bit_length() - 1)
    if kind == "MSAA":
        g.samples, g.last = power(rng, 1, 3), 0
    g.pow2 = g.last > 0 and rng.random() < 0.9
    return kind, g


def pad_width(s, g, kind, least):
    """The pitch of level 0: the least that the mode takes, or what a driver gives the hardware."""
    width = -(-g.width // g.block)
    height = -(-g.height // g.block) if not kind.startswith("1D") else 1
    if g.pow2:
        width, height = up_to_power(width), up_to_power(height)
    if is_macro(s.array):
        return up(width, s.macro_size()[0]) * g.block
    if not least:
        return up(width, 8) * g.block
    return whole_units(s, width, up(height, 8) if s.array.startswith("1D") else height) * g.block


def print_chain(table, index, rng):
    kind, g = random_image(rng, ARRAYS[table.modes[index] >> 2 & 15])
    s = decode_mode(table, index, g.element, g.samples)
    if s.micro == "ROTATED" and s.bits == 128:
        g.element = 8
        s = decode_mode(table, index, g.element, g.samples)
    if is_macro(s.array):
        fit_banks(s)
    least = rng.random() < 0.5
    g.pitch = pad_width(s, g, kind, least)
    swizzle = rng.randrange(s.pipes * s.banks) if is_macro(s.array) else 0
    levels = chain(s, kind, g)
    types = {"1D": 0, "2D": 1, "3D": 2, "CUBE": 3, "1D_ARRAY": 4, "2D_ARRAY": 5, "MSAA": 6}
    print(table.name, index, types[kind], g.width, g.height, g.depth, 0 if least else g.pitch,
          g.samples, g.last, g.element, g.block, int(g.pow2), swizzle, len(levels), end="")
    for offset, level in levels:
        level.pipe_swizzle, level.bank_swizzle = swizzle % s.pipes, swizzle // s.pipes
        x, y = rng.randrange(level.pitch), rng.randrange(level.height)
        z, sample = rng.randrange(level.slices), rng.randrange(level.samples)
        print("", ARRAYS.index(level.array), level.pitch, level.height, level.slices, offset, x, y,
              z, sample, offset + level.address(x, y, z, sample), end="")
    print()


def read_tables(path):
    text = open(path).read().split("kSiTables[]")[1]
    tables = []
    for generation, part in zip((SI, CIK), text.split("kCikTables[]")):
        for name, body in re.findall(r'\{"([\w.]+)",([^"]*)', part):
            n = [int(v, 16) for v in re.findall(r"0x[0-9A-F]+", body)]
            tables.append(Surface(name=name, generation=generation, config=n[0], modes=n[1:33],
                                  macro_modes=n[33:]))
    return tables


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("addresses", "chains"))
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("tables", nargs="?", metavar="TABLES.h")
    a = parser.parse_args()
    if (a.what == "chains") != (a.tables is not None):
        parser.error("chains are made from TABLES.h, addresses from nothing")
    rng = random.Random(a.seed)
    if a.what == "addresses":
        for _ in range(a.count):
            print_address(random_surface(rng), rng)
    else:
        tables = read_tables(a.tables)
        for n in range(a.count):
            print_chain(tables[n % len(tables)], n // len(tables) % 32, rng)


if __name__ == "__main__":
    main()
