#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes on the CPU what every workload must leave in its buffers.

  make_references.py           writes testbenches/workloads/reference/*.bin
  make_references.py --check   fails when a committed file differs (floats: by more than rounding)

Each function below says in Python what a kernel of the same name says in OpenCL C; the inputs come
from the workload file, so that the two cannot drift apart.
"""
import argparse
import cmath
import fractions
import math
import operator
import sys
import zlib

from workload_data import MASK64, all_workloads, pack, unpack

MASK32 = 0xFFFFFFFF
PRIME = 1000003


def f32(value):
    """Rounds to single precision, ties to even."""
    return unpack("f32", pack("f32", [value]))[0]


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def clamp(value, low, high):
    return max(low, min(high, value))


def quotient(a, b):
    """Integer division towards zero, as C does it."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a, b):
    return a - b * quotient(a, b)


def rotate(value, by, bits):
    by %= bits
    return (value << by | value >> (bits - by)) & ((1 << bits) - 1)


def leading_zeros(value, bits):
    return bits - value.bit_length()


def round_half_away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


def by_function(rows):
    """rows[i][f] -> the values of f = 0 for every i, then of f = 1, ..."""
    return [row[f] for f in range(len(rows[0])) for row in rows]


def saxpy(w):
    y, x, a = w.buffer(0, "f32"), w.buffer(1, "f32"), w.value(2)
    return {0: pack("f32", [a * xi + yi for xi, yi in zip(x, y)])}


def vector_add(w):
    return {0: pack("u32", [(a + b) & MASK32
                            for a, b in zip(w.buffer(1, "i32"), w.buffer(2, "i32"))])}


def stream_copy(w):
    return {0: w.args[1].data}


def product(a, b, n, k):
    columns = [b[column::n] for column in range(n)]
    c = []
    for row in range(len(a) // k):
        left = a[row * k:(row + 1) * k]
        c.extend(sum(map(operator.mul, left, column)) for column in columns)
    return {0: pack("f32", c)}


def matmul(w):
    n, k = w.value(3), w.value(4)
    return product(w.buffer(1, "f32"), w.buffer(2, "f32"), n, k)


def typed_matmul(w):
    n = w.value(3)
    return product(w.buffer(1, "f32"), w.buffer(2, "f32"), n, n)


def divergent_filter(w):
    image, taps = w.buffer(1, "f32"), w.buffer(2, "f32")
    width, height, radius, limit = w.value(3), w.value(4), w.value(5), f32(w.value(6))
    out = []
    for y in range(height):
        for x in range(width):
            total = 0.0
            for i in range(max(x - radius, 0), min(x + radius, width - 1) + 1):
                for j in range(max(y - radius, 0), min(y + radius, height - 1) + 1):
                    pixel = image[j * width + i]
                    if abs(f32(pixel - image[y * width + x])) <= limit:
                        tap = taps[(j - y + radius) * (2 * radius + 1) + i - x + radius]
                        total = f32(f32(pixel * tap) + total)
            out.append(total)
    return {0: pack("f32", out)}


def collatz(w):
    steps = []
    for n in range(1, w.global_size[0] + 1):
        count = 0
        while n != 1:
            n = 3 * n + 1 if n & 1 else n >> 1
            count += 1
        steps.append(count)
    return {0: pack("u32", steps)}


def mandelbrot(w):
    width, height = w.global_size[:2]
    out = []
    for y in range(height):
        for x in range(width):
            cr = x * 3 * 4096 // width - 2 * 4096
            ci = y * 2 * 4096 // height - 4096
            zr = zi = n = 0
            while n < w.value(1):
                rr, ii = zr * zr >> 12, zi * zi >> 12
                if rr + ii > 4 * 4096:
                    break
                zr, zi = rr - ii + cr, (zr * zi >> 11) + ci
                n += 1
            out.append(n)
    return {0: pack("u32", out)}


def groups(values, size):
    return [values[i:i + size] for i in range(0, len(values), size)]


def reduction(w):
    size = w.local_size[0]
    return {0: pack("u32", [sum(g) & MASK32 for g in groups(w.buffer(2, "i32"), size)]),
            1: pack("f32", [max(g) for g in groups(w.buffer(3, "f32"), size)])}


def prefix_sum(w):
    out = []
    for group in groups(w.buffer(1, "u32"), w.local_size[0]):
        total = 0
        for value in group:
            total = (total + value) & MASK32
            out.append(total)
    return {0: pack("u32", out)}


def bitonic_sort(w):
    return {0: pack("i32", [v for g in groups(w.buffer(0, "i32"), w.local_size[0])
                            for v in sorted(g)])}


def histogram(w):
    bins = w.buffer(0, "u32")
    for byte in w.args[1].data[:w.value(2)]:
        bins[byte] += 1
    return {0: pack("u32", bins)}


def local_atomics(w):
    out = []
    for group in groups(w.buffer(1, "i32"), w.local_size[0]):
        cell = [0] * 12
        cell[5] = MASK32
        for v in group:
            cell[0] += v
            cell[1] -= v
            cell[2] = max(cell[2], v)
            cell[3] = min(cell[3], v)
            cell[4] = max(cell[4], v & MASK32)
            cell[5] &= v | 0xFF
            cell[6] |= v & 0xFF00
            cell[7] ^= v
        n = len(group)
        cell[8:12] = [n, n * (n - 1) // 2, 7 * (n - 1), 7]
        out.extend(value & MASK32 for value in cell)
    return {0: pack("u32", out)}


def global_atomics(w):
    cell, marks = w.buffer(0, "i32"), w.buffer(1, "i32")
    values = w.buffer(2, "i32")
    cell[4], cell[5] = cell[4] & MASK32, cell[5] & MASK32
    for v in values:
        cell[0] += v
        cell[1] -= v
        cell[2] = max(cell[2], v)
        cell[3] = min(cell[3], v)
        cell[4] = max(cell[4], v & MASK32)
        cell[5] = min(cell[5], v & MASK32)
        cell[6] &= v | 0xFF
        cell[7] |= v & 0xFF00
        cell[8] ^= v
        marks[cell[9]] += 1
        cell[9] += 1
        cell[10] -= 1
        cell[11] = (cell[11] + (v & MASK32) % PRIME) % PRIME
        cell[12] += cell[13]
        cell[13] = 7
    return {0: pack("u32", [value & MASK32 for value in cell]), 1: pack("i32", marks)}


def atomics64(w):
    cell = w.buffer(0, "u64")
    for v in w.buffer(1, "u64"):
        cell[0] = (cell[0] + v) & MASK64
        cell[1] = max(cell[1], v)
        cell[2] ^= v
        cell[3] = (cell[3] - v) & MASK64
        cell[4] = min(cell[4], v)
        cell[5] &= v | 0xFFFFFFFF00
        cell[6] |= v & 0xFF00FF00
        cell[7] += 1
    return {0: pack("u64", cell)}


def int64(w):
    out = []
    for i, (a, b) in enumerate(zip(w.buffer(1, "i64"), w.buffer(2, "i64"))):
        b = (b >> 40 if i & 1 else b) | 1
        ua, ub, s = a & MASK64, b & MASK64, i * 7 & 63
        row = [a + b, a - b, a * b, a * b >> 64, ua * ub >> 64, quotient(a, b), remainder(a, b),
               ua // ub, ua % ub, a << s, a >> s, ua >> s, rotate(ua, s, 64),
               leading_zeros(ua >> s, 64) << 32 | bin(ua).count("1"),
               min(a, b) ^ max(ua, ub),
               abs(a) + (a < b) + 2 * (ua < ub) + 4 * (a == b)]
        out.extend(value & MASK64 for value in row)
    return {0: pack("u64", out)}


def fused(a, b, c):
    """a * b + c with one rounding."""
    return float(fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c))


def f64(w):
    out, roots = [], []
    for i, (x, y) in enumerate(zip(w.buffer(2, "f64"), w.buffer(3, "f64"))):
        a, b = (x - 0.5) * 1024.0, y + 0.125
        out += [a + b, a * y, fused(a, b, -x), a / b, -a / y, min(a, b), max(a, -b),
                float(math.floor(a)), float(math.ceil(a)), float(math.trunc(a)), float(round(a)),
                math.ldexp(b, i - 32), f32(a), float(int(a)) + float(int(b * 1000.0)),
                abs(a) - (1.0 if a < b else 2.0), a - math.floor(a)]
        out[-8:-5] = [math.copysign(v, a) if v == 0 else v for v in out[-8:-5]]
        roots.append(math.sqrt(b))
    return {0: pack("f64", out), 1: pack("f64", roots)}


def sub_dword(w):
    c, u = w.buffer(5, "i8"), w.buffer(6, "u8")
    s, h = w.buffer(7, "i16"), w.buffer(8, "u16")
    n = len(c)
    quads = [v for i in range(n)
             for v in (u[i] + 1 >> 1, (c[i] & 255) + 2 >> 1, (h[i] >> 8) + 3 >> 1,
                       (s[i] & 255) + 255 >> 1)]
    return {0: pack("i8", [signed(c[i] * 3 - u[i], 8) for i in range(n)]),
            1: pack("u8", [clamp(s[i] >> 6, 0, 255) for i in range(n)]),
            2: pack("i16", [clamp(s[i] * 2 + c[i], -32768, 32767) for i in range(n)]),
            3: pack("u16", [h[i] + u[i] * 257 & 0xFFFF for i in range(n)]),
            4: pack("u8", quads)}


def local_types(w):
    out = []
    size = w.local_size[0]
    for number, group in enumerate(groups(w.buffer(1, "u64"), size)):
        for item in range(size):
            other = item * 7 + 3 & size - 1
            v = group[other]
            total = signed(v, 8)
            for part in (v >> 8 & 0xFFFF, v >> 16 & MASK32, v * 3 & MASK64, v & MASK32, v >> 32,
                         other, number * size + other):
                total = total * 31 + part
            out.append(total & MASK64)
    return {0: pack("u64", out)}


def scratch(w):
    size = 96
    data, out = w.buffer(1, "u32"), []
    for i in range(w.global_size[0]):
        place = [data[i + k & 255] ^ k for k in range(size)]
        at = i % size
        for _ in range(w.value(2)):
            value = place[at]
            place[at] = (value * 1664525 + 1013904223) & MASK32
            at = (value >> 8) % size
        total = 0
        for value in place:
            total = (total * 31 + value) & MASK32
        out.append(total)
    return {0: pack("u32", out)}


def register_array(w):
    data, out = w.buffer(1, "u32"), []
    for i in range(w.global_size[0]):
        place, total = data[i:i + 16], i
        for k in range(w.value(2)):
            at = k * w.value(3) & 15
            total = (total * 31 + place[at]) & MASK32
            place[at + 5 & 15] = total
        out.append(total)
    return {0: pack("u32", out)}


def transpose(w):
    data, width = w.buffer(1, "i32"), w.global_size[0]
    return {0: pack("i32", [v for x in range(width) for v in data[x::width]])}


def stencil3d(w):
    (nx, ny, nz), data = w.global_size, w.buffer(1, "f32")
    centre, side = w.value(2), w.value(3)
    out = list(data)
    for z in range(1, nz - 1):
        for y in range(1, ny - 1):
            for x in range(1, nx - 1):
                i = (z * ny + y) * nx + x
                near = sum(data[i + d] for d in (-1, 1, -nx, nx, -nx * ny, nx * ny))
                out[i] = centre * data[i] + side * near
    return {0: pack("f32", out)}


def native_math(w):
    rows = []
    for x in w.buffer(1, "f32"):
        p = f32(x * 8 + 0.0625)
        e = f32(p - 4)
        angle = x * 6 - 3
        rows.append([2.0**e, math.exp(e), math.log2(p), math.log(p), math.sin(angle),
                     math.cos(angle), 1 / p, 1 / math.sqrt(p), math.sqrt(p), x / p])
    return {0: pack("f32", by_function(rows))}


def precise_math(w):
    rows = []
    for x in w.buffer(1, "f32"):
        wide = (x - 0.5) * 64
        p = f32(x * 8 + 0.0625)
        rows.append([math.exp(wide / 4), math.log(p), math.sin(wide), math.cos(wide), math.tan(x),
                     p**(wide / 8), math.atan2(wide, p), math.asin(x), math.tanh(wide / 16),
                     math.copysign(abs(wide)**(1 / 3), wide), math.hypot(wide, p), p / wide])
    return {0: pack("f32", by_function(rows))}


def float_ops(w):
    rows = []
    for i, (x, y) in enumerate(zip(w.buffer(1, "f32"), w.buffer(2, "f32"))):
        x, y = f32((x - 0.5) * 200), f32(y * 16 - 8)
        mantissa, exponent = math.frexp(x)
        whole = [math.copysign(v, x) for v in (math.trunc(x), round(x), round_half_away(x))]
        up = math.ceil(x) or math.copysign(0.0, x)
        rows.append([math.floor(x), up, *whole, min(x, y), max(x, y), f32(fused(x, y, -x)),
                     mantissa, exponent, math.ldexp(y, (i & 31) - 16), math.modf(x)[0],
                     math.copysign(x, -y), clamp(x, -8.0, f32(y + 8)),
                     abs(y) + (1.0 if x > y else 0.0), y if i & 3 == 1 else x])
    return {0: pack("f32", by_function(rows))}


def bit_ops(w):
    rows = []
    for x, y in zip(w.buffer(1, "u32"), w.buffer(2, "u32")):
        sx, sy = signed(x), signed(y)
        mask = 0x0FF000FF
        row = [bin(x).count("1"), leading_zeros(x >> (y & 31), 32), rotate(x, y, 32),
               (x & 0xFFFFFF) * (y & 0xFFFFFF), (sx >> 8) * (sy >> 8) + sx, x * y >> 32,
               sx * sy >> 32, x + y >> 1, sx + sy + 1 >> 1, abs(sx - sy),
               clamp(sx + sy, -2**31, 2**31 - 1), max(x - y, 0), x & ~mask | y & mask,
               x >> 7 & 0x1FF, signed(x << 9) >> 17, (y << 32 | x) >> 13, x // (y | 1),
               remainder(sx, sy | 1), abs(sx), max(sx, sy) - min(x, y)]
        rows.append([value & MASK32 for value in row])
    return {0: pack("u32", by_function(rows))}


def float_bits(value):
    return unpack("u32", pack("f32", [value]))[0]


def nearest_f32(integer):
    """Rounds an integer of any size to single precision without passing through double."""
    magnitude = abs(integer)
    spare = max(magnitude.bit_length() - 24, 0)
    kept, lost = magnitude >> spare, magnitude & (1 << spare) - 1
    half = 1 << spare >> 1
    if lost > half or (spare and lost == half and kept & 1):
        kept += 1
    return math.copysign(float(kept << spare), integer)


def conversions(w):
    rows, halves = [], []
    for x, k in zip(w.buffer(2, "f32"), w.buffer(3, "i32")):
        x = f32((x - 0.5) * 4000)
        half = unpack("f16", pack("f16", [x]))[0]
        halves.append(half)
        row = [int(x), int(abs(x)), round(x), math.ceil(x), math.floor(x), clamp(int(x), 0, 255),
               float_bits(nearest_f32(k)), float_bits(nearest_f32(k & MASK32)),
               clamp(k >> 20, -128, 127) & 255, float_bits(float(k >> 8 & 255)),
               float_bits(nearest_f32(k * 100003)), float_bits(half * 2)]
        rows.append([value & MASK32 for value in row])
    return {0: pack("u32", by_function(rows)), 1: pack("f16", halves)}


def function_calls(w):
    data = w.buffer(1, "u32")

    def mix(a, b):
        return rotate(a ^ (b * 0x9E3779B9 & MASK32), 13, 32)

    def digest(first, count, seed):
        window = [(seed + k) & MASK32 for k in range(32)]
        for word in data[first:first + count]:
            window[word & 31] = mix(window[word & 31], word)
        result = 0
        for value in window:
            result = mix(result, value)
        return result

    out = []
    for i in range(w.global_size[0]):
        a = digest(i & 63, 16, i)
        out.append(mix(a, digest(64, 1 + (i & 15), a)))
    return {0: pack("u32", out)}


def vector_io(w):
    triples, floats = w.buffer(3, "i32"), w.buffer(4, "f32")
    out, swapped = [], []
    for x, y, z in groups(triples, 3):
        out += [z + 1, x + 2, y + 3]
        swapped.append(int.from_bytes((y & MASK32).to_bytes(4, "little"), "big"))
    return {0: pack("u32", [v & MASK32 for v in out]), 1: pack("u32", swapped),
            2: pack("f32", [sum(quad) for quad in groups(floats, 4)])}


def crc32(w):
    return {0: pack("u32", [zlib.crc32(block) for block in groups(w.args[1].data, 64)])}


def partial_groups(w):
    n, size = w.global_size[0], w.local_size[0]
    return {0: pack("u32", [v for i in range(n)
                            for v in (i % size, i // size, size * 1000 + 1, n)])}


def arg_types(w):
    a, b, c, d, e, f = (w.value(i) for i in range(1, 7))
    return {0: pack("u64", [a & MASK64, float_bits(b), c & MASK64, d,
                            unpack("u64", pack("f64", [e]))[0], f])}


def nbody(w):
    bodies = groups(w.buffer(1, "f32"), 4)
    out = []
    for x, y, z, _ in bodies:
        sums = [0.0, 0.0, 0.0]
        for ox, oy, oz, mass in bodies:
            delta = (ox - x, oy - y, oz - z)
            pull = mass * (sum(d * d for d in delta) + 0.01) ** -1.5
            sums = [s + pull * d for s, d in zip(sums, delta)]
        out += [*sums, 0.0]
    return {0: pack("f32", out)}


def sparse_mv(w):
    lengths, columns, values = w.buffer(1, "u32"), w.buffer(2, "u32"), w.buffer(3, "i32")
    x, width = w.buffer(4, "i32"), w.value(5)
    return {0: pack("u32", [sum(values[at] * x[columns[at] & 511]
                                for at in range(row * width, row * width + length % (width + 1)))
                            & MASK32 for row, length in enumerate(lengths)])}


def sobel(w):
    pixels, width, height = w.buffer(1, "u8"), w.value(2), w.value(3)
    steps = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    out = []
    for y in range(height):
        for x in range(width):
            near = {(dx, dy): pixels[clamp(y + dy, 0, height - 1) * width
                                     + clamp(x + dx, 0, width - 1)] for dx, dy in steps}
            gx = sum(p * dx * (2 - abs(dy)) for (dx, dy), p in near.items())
            gy = sum(p * dy * (2 - abs(dx)) for (dx, dy), p in near.items())
            out.append(min(abs(gx) + abs(gy), 255))
    return {0: pack("u8", out)}


def edit_distance(w):
    length = 24
    a, b = ([[letter & 3 for letter in word] for word in groups(w.buffer(i, "u8"), length)]
            for i in (1, 2))
    out = []
    for left, right in zip(a, b):
        row = list(range(length + 1))
        for i, letter in enumerate(left):
            above = [i + 1]
            for j, other in enumerate(right):
                above.append(min(row[j] + (letter != other), above[j] + 1, row[j + 1] + 1))
            row = above
        out.append(row[length])
    return {0: pack("u32", out)}


def hash_mix(w):
    out = []
    for i, words in enumerate(groups(w.buffer(1, "u64"), 8)):
        h = w.value(2) + i & MASK64
        for word in words:
            h ^= word * 0x9E3779B185EBCA87 & MASK64
            h = rotate(h, 31, 64) * 0xC2B2AE3D27D4EB4F & MASK64
            h ^= h >> 29
        out.append(h)
    return {0: pack("u64", out)}


def life(w):
    side = 16
    out = []
    for board in groups(w.buffer(0, "u32"), side * side):
        alive = {(x, y) for y in range(side) for x in range(side) if board[y * side + x] & 1}
        for _ in range(w.value(1)):
            def near(x, y):
                return sum(((x + dx) % side, (y + dy) % side) in alive
                           for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
            alive = {(x, y) for y in range(side) for x in range(side)
                     if near(x, y) == 3 or near(x, y) == 2 and (x, y) in alive}
        out += [int((x, y) in alive) for y in range(side) for x in range(side)]
    return {0: pack("u32", out)}


def constant_filter(w):
    taps = (-3, 7, -21, 64, 160, 64, -21, 7, -3)
    samples = [0] * 4 + w.buffer(1, "i16") + [0] * 4
    return {0: pack("i16", [clamp(sum(t * samples[i + k] for k, t in enumerate(taps)) >> 8,
                                  -32768, 32767) for i in range(w.value(2))])}


def interpreter(w):
    steps = w.value(2)
    programs = groups(w.buffer(1, "u8"), steps)
    out = []
    for i in range(w.global_size[0]):
        stack, top = [i + k for k in range(8)], 7
        for op in programs[i & 15]:
            below = (top + 7) & 7
            a, b = stack[top], stack[below]
            kind = op & 7
            if kind == 0:
                stack[top] = a + b
            elif kind == 1:
                stack[top] = a - b
            elif kind == 2:
                stack[top] = a * b
            elif kind == 3:
                top = (top + 1) & 7
                stack[top] = a ^ op << 4
            elif kind == 4:
                top = below
            elif kind == 5:
                stack[top], stack[below] = b, a
            elif kind == 6:
                stack[top] = -a if a < b else a >> 1
            else:
                stack[top] = a << (b & 15)
            stack = [signed(value) for value in stack]
        out.append(stack[top] & MASK32)
    return {0: pack("u32", out)}


def string_search(w):
    text = bytes(letter & 1 for letter in w.buffer(2, "u8"))
    pattern = bytes(letter & 1 for letter in w.buffer(4, "u8"))
    places = [at for at in range(len(text) - len(pattern) + 1) if text.startswith(pattern, at)]
    return {0: pack("u32", [len(places)]), 1: pack("u32", [min(places, default=MASK32)])}


def queens(w):
    n = w.value(1)

    def solutions(rows):
        if len(rows) == n:
            return 1
        return sum(solutions(rows + [column]) for column in range(n)
                   if all(column not in (other, other + len(rows) - row, other - len(rows) + row)
                          for row, other in enumerate(rows)))

    def start(i):
        first, second = i % n, i // n
        return solutions([first, second]) if i < n * n and abs(first - second) > 1 else 0
    return {0: pack("u32", [start(i) for i in range(w.global_size[0])])}


def bfs(w):
    nodes, degree = w.global_size[0], w.value(2)
    edges = groups([edge % nodes for edge in w.buffer(1, "u32")], degree)
    distance = {0: 0}
    queue = [0]
    for node in queue:
        for other in edges[node]:
            if other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    return {0: pack("i32", [distance.get(node, -1) for node in range(nodes)])}


def radix_pass(w):
    return {0: pack("u32", [key for group in groups(w.buffer(1, "u32"), w.local_size[0])
                            for key in sorted(group, key=lambda k: k >> w.value(2) & 15)])}


def f64_solver(w):
    def fma(a, b, c):
        return float(fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c))
    out = []
    for value in w.buffer(1, "f64"):
        target = value + 0.5
        x = 1.0
        for _ in range(w.value(2)):
            x = 0.5 * (x + target / x)
        y, rounds = target, 0
        while y > 1.0e-3 and rounds < 100:
            y = fma(y, 0.5, -0.0001)
            rounds += 1
        out += [x, y + rounds]
    return {0: pack("f64", out)}


def fft(w):
    n = 64
    out = []
    for numbers in groups(w.buffer(0, "f32"), 2 * n):
        signal = [complex(re, im) for re, im in groups(numbers, 2)]
        for f in range(n):
            total = sum(s * cmath.exp(-2j * math.pi * (f * t % n) / n)
                        for t, s in enumerate(signal))
            out += [total.real, total.imag]
    return {0: pack("f32", out)}


def gds_asm(w):
    n = w.global_size[0]
    return {0: pack("u32", [7] * n), 1: pack("u32", [3 + i % 64 for i in range(n)]),
            2: pack("u32", range(n))}


def packed_float(value, places):
    """An unsigned float of 5 bits of exponent; exact values only."""
    if value == 0:
        return 0
    mantissa, exponent = math.frexp(value)
    bits = (mantissa * 2 - 1) * 2**places
    assert bits == int(bits) and 0 < exponent + 14 < 31
    return (exponent + 14) << places | int(bits)


def special_asm(w):
    lanes = range(64)
    # Attribute 1 of the only primitive is at dword 12; z: P0 4, P10 5, P20 10.
    rows = [pack("f32", [5.0] * 64),
            pack("f32", [16.0 + 17.0 * (0.5 * i) + 22.0 * i for i in lanes]),
            pack("u32", [12] * 64),
            bytes(256),
            pack("u32", [packed_float(i, 6) | packed_float(i / 2, 6) << 11 |
                         packed_float(2.0, 5) << 22 for i in lanes]),
            pack("f32", [1.5 * i for i in lanes]),
            bytes(256),
            pack("u32", [i ^ 31 for i in lanes])]
    return {0: b"".join(rows)}


def tiled_1d(x, y, pitch):
    """Number of texel (x, y) in an image of 8 x 8 tiles, thin order."""
    place = sum((x >> i & 1) << 2 * i | (y >> i & 1) << 2 * i + 1 for i in range(3))
    return (y // 8 * (pitch // 8) + x // 8) * 64 + place


def tiled_2d(x, y, pitch):
    """The same for 32-bit texels in macro tiles: pipes P8_32x32_8x16, 16 banks of one tile."""
    def bit(value, number):
        return value >> number & 1

    pipes, banks = 8, 16
    width, height = 8 * pipes, 8 * banks
    place = tiled_1d(x % 8, y % 8, 8) * 4
    offset = (y // height * (pitch // width) + x // width) * 256 + place
    pipe = (bit(x, 4) ^ bit(y, 3) ^ bit(x, 5) | (bit(x, 3) ^ bit(y, 4)) << 1 |
            (bit(x, 5) ^ bit(y, 5)) << 2)
    tx, ty = x // 8 // pipes, y // 8
    bank = (bit(tx, 0) ^ bit(ty, 3) | (bit(tx, 1) ^ bit(ty, 2) ^ bit(ty, 3)) << 1 |
            (bit(tx, 2) ^ bit(ty, 1)) << 2 | (bit(tx, 3) ^ bit(ty, 0)) << 3)
    return (offset % 256 | pipe << 8 | bank << 11 | offset // 256 << 15) // 4


def image_tiles(w):
    size = 64
    rows_in, tiled_in = w.buffer(0, "u32"), w.buffer(4, "u32")
    tiled_out, rows_out = [0] * 8192, [0] * (size * size)
    for y in range(size):
        for x in range(size):
            tiled_out[tiled_2d(x, y, size)] = rows_in[y * size + x]
            rows_out[y * size + x] = tiled_in[tiled_2d(x, y, size)] ^ 0xFF
    return {3: pack("u32", rows_out), 5: pack("u32", tiled_out)}


def image_sample(w):
    size = 32
    texture = w.buffer(2, "u32")

    def texel(x, y):
        x %= size
        y %= 2 * size
        y = y if y < size else 2 * size - 1 - y
        word = texture[tiled_1d(x, y, size)]
        return [f32((word >> 8 * c & 0xFF) / 255) for c in range(4)]

    def place(value):
        fixed = math.floor(f32(4 * value - 1.5) * size * 256 + 0.5) - 128
        return fixed // 256, fixed % 256

    out = []
    for u, v in zip(w.buffer(0, "f32"), w.buffer(1, "f32")):
        (x, fx), (y, fy) = place(u), place(v)
        total = [0.0] * 4
        for j, wy in ((0, 256 - fy), (1, fy)):
            for i, wx in ((0, 256 - fx), (1, fx)):
                for c, value in enumerate(texel(x + i, y + j)):
                    total[c] += value * (wx * wy / 65536)
        out += total
    return {3: pack("f32", out)}


def constants(w):
    """Of catalyst_constants: 6 x 5 items; the program's constants are in the binary's description."""
    weights = w.buffer(1, "i32")
    out = [1000 * (1 + i % 4) + weights[i % 16] for i in range(30)]
    return {0: pack("i32", out + [0, 0])}


REFERENCES = {
    function.__name__: function
    for function in (saxpy, vector_add, stream_copy, matmul, collatz, mandelbrot, reduction,
                     prefix_sum, bitonic_sort, histogram, local_atomics, global_atomics, atomics64,
                     int64, f64, sub_dword, local_types, scratch, register_array, transpose,
                     stencil3d, native_math, precise_math, float_ops, bit_ops, conversions,
                     function_calls, vector_io, crc32, partial_groups, arg_types, nbody, sparse_mv,
                     sobel, edit_distance, hash_mix, life, constant_filter, interpreter,
                     string_search, queens, bfs, radix_pass, f64_solver, fft, gds_asm,
                     special_asm, image_tiles, image_sample, typed_matmul, divergent_filter,
                     constants)
}
REFERENCES["saxpy_asm"] = saxpy


def same(committed, computed, kind):
    """Exact, except that floats with a tolerance may differ where C libraries round differently."""
    if kind not in ("f32", "f64") or len(committed) != len(computed):
        return committed == computed
    close = 2.5e-7 if kind == "f32" else 4.5e-16
    return all(math.isclose(a, b, rel_tol=close)
               for a, b in zip(unpack(kind, committed), unpack(kind, computed)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    wrong = []
    for workload in all_workloads():
        results = REFERENCES[workload.kernel](workload)
        expected = {i for i, argument in enumerate(workload.args) if argument.expect}
        if expected != set(results):
            wrong.append(f"{workload.path}: expects arguments {sorted(expected)}, "
                         f"the reference computes {sorted(results)}")
            continue
        for index, data in results.items():
            path = workload.expectation_path(index)
            if len(data) != len(workload.args[index].data):
                wrong.append(f"{path}: {len(data)} bytes, the buffer has "
                             f"{len(workload.args[index].data)}")
            elif not check:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
            elif not path.exists() or not same(path.read_bytes(), data,
                                               workload.args[index].expect.get("type")):
                wrong.append(f"{path}: differs from what {workload.path.name} gives")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
