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


def decode_mode(raw):
    names = {code: name for name, (code, _) in PIPES.items()}
    s = Surface(generation=SI, micro=MICROS[raw & 3], array=ARRAYS[raw >> 2 & 15],
                pipe_name=names[raw >> 6 & 31], split=64 << (raw >> 11 & 7),
                bank_width=1 << (raw >> 14 & 3), bank_height=1 << (raw >> 16 & 3),
                aspect=1 << (raw >> 18 & 3), banks=2 << (raw >> 20 & 3), bank_interleave=1)
    s.code, s.equation = PIPES[s.pipe_name]
    s.pipes = 1 << len(s.equation)
    return s


def fit_banks(s, row):
    """Changes the bank parameters to what the element size allows."""
    tile = min(s.split, 64 * thick(s.array) * s.bits * s.samples // 8)
    need = max(1, s.interleave // (tile * s.bank_width))
    s.bank_height = up(s.bank_height, need)

    def fit_aspect():
        if s.samples == 1:
            s.aspect = up(s.aspect, max(1, s.interleave // (tile * s.pipes * s.bank_width)))
    fit_aspect()

    def too_big():
        return tile * s.bank_width * s.bank_height > row
    if too_big():
        if s.bank_width > 1:
            while too_big() and s.bank_width > 1:
                s.bank_width //= 2
            need = max(1, s.interleave // (tile * s.bank_width))
            fit_aspect()
        if s.micro != "DEPTH" or s.bits < 64:
            while too_big() and s.bank_height > need:
                s.bank_height = max(need, s.bank_height // 2)
    return tile


def degrade(s, width, height, slices, row):
    """The array mode of a level above 0."""
    while is_macro(s.array):
        before = s.array
        fit_banks(s, row)
        mw, mh = s.macro_size()
        array = s.array
        if slices < thick(array) and not array.startswith("PRT"):
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
    if s.array == "1D_THICK" and slices < 4:
        s.array = "1D_THIN"


def chain(raw, config, kind, g):
    """Levels of an image: list of (offset, surface)."""
    row = 1024 << (config >> 28 & 3)
    base = decode_mode(raw)
    base.interleave = 256 << (config >> 4 & 7)
    base.bits, base.samples = g.element * 8, g.samples
    if is_macro(base.array):
        fit_banks(base, row)
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
            degrade(s, width, height, slices, row)
        slices = up(slices, thick(s.array))
        align = s.interleave
        if is_macro(s.array):
            mw, mh = s.macro_size()
            width, height = up(width, mw), up(height, mh)
            align = s.pipes * s.bank_width * s.banks * s.bank_height * min(s.split, s.tile_bytes())
        elif s.array.startswith("1D"):
            width, height = up(width, 8), up(height, 8)
            while n > 0 and width * height * thick(s.array) * g.element % s.interleave:
                width += 8
        elif s.array == "LINEAR_ALIGNED" and n > 0:
            step = max(8, 64 // g.element)
            width = up(width, step)
            while width * height % max(64, s.interleave // g.element):
                width += step
        elif s.array == "LINEAR_GENERAL":
            align = g.element
        s.pitch, s.height, s.slices = width, height, slices
        offset = up(end, align)
        end = offset + width * height * slices * g.element * g.samples
        levels.append((offset, s))
    return levels


def print_chain(table, index, rng):
    name, config, modes = table
    s = decode_mode(modes[index])
    kind = rng.choice(["1D", "2D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "MSAA"])
    if kind == "MSAA" and (thick(s.array) > 1 or s.array.startswith("LINEAR")):
        kind = "2D"
    g = Surface(element=1 << rng.randint(0, 4), samples=1, block=1, pow2=False)
    if g.element >= 8 and rng.random() < 0.3:
        g.block = 4
    g.width, g.height, g.depth = rng.randint(1, 700), rng.randint(1, 700), 1
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
    # The pitch a driver would give: padded width.
    s.bits, s.samples, s.interleave = g.element * 8, g.samples, 256
    step = 8
    if is_macro(s.array):
        fit_banks(s, 1024 << (config >> 28 & 3))
        step = s.macro_size()[0]
    elements = -(-g.width // g.block)
    elements = up(up_to_power(elements) if g.pow2 else elements, step)
    g.pitch = elements * g.block
    swizzle = rng.randrange(s.pipes * s.banks) if is_macro(s.array) else 0
    levels = chain(modes[index], config, kind, g)
    types = {"1D": 0, "2D": 1, "3D": 2, "CUBE": 3, "1D_ARRAY": 4, "2D_ARRAY": 5, "MSAA": 6}
    print(name, index, types[kind], g.width, g.height, g.depth, g.pitch, g.samples, g.last,
          g.element, g.block, int(g.pow2), swizzle, len(levels), end="")
    for offset, level in levels:
        level.pipe_swizzle, level.bank_swizzle = swizzle % s.pipes, swizzle // s.pipes
        x, y = rng.randrange(level.pitch), rng.randrange(level.height)
        z, sample = rng.randrange(level.slices), rng.randrange(level.samples)
        print("", ARRAYS.index(level.array), level.pitch, level.height, level.slices, offset, x, y,
              z, sample, offset + level.address(x, y, z, sample), end="")
    print()


def read_tables(path):
    text = open(path).read().split("kSiTables[]")[1].split("kCikTables[]")[0]
    tables = []
    for name, body in re.findall(r'\{"([\w.]+)",([^"]*)', text):
        numbers = [int(v, 16) for v in re.findall(r"0x[0-9A-F]+", body)]
        tables.append((name, numbers[0], numbers[1:33]))
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
