# SPDX-License-Identifier: Apache-2.0
"""Programs of scripts/timing-report --applications that reach the peaks of the vector ALU and of memory."""

import array
import fractions
import random
import struct

from programs.launch import MASK32, PATTERN, Launch, patterned


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


# struct code, scalar type, first x, and x * y + z as the instruction rounds it.
ELEMENTS = {
    "float": ("f", "f32", -1 + 2 ** -20, lambda x, y, z: single(single(x * y) + z)),
    "double": ("d", "f64", -1 + 2 ** -20,
               lambda x, y, z: float(fractions.Fraction(x) * fractions.Fraction(y) + fractions.Fraction(z))),
    "int": ("I", "i32", 12345, lambda x, y, z: (x * y + z) & MASK32)}
MADS = 2048
CHECKED_LANES = 16  # the chains of others leave the range of floating point


def peak(files, show, length):
    items, out = 256 * length, files("out")
    code, scalar, start, mad = ELEMENTS[show["type"]]

    def right(data):
        values = memoryview(data).cast(code)
        for lane in range(CHECKED_LANES):
            x, y = start, lane
            for _ in range(MADS // 2):
                x = mad(y, x, y)
                y = mad(x, y, x)
            if set(values[lane::256].tolist()) != {y}:
                return False
        return True

    return Launch({"global_size": [items], "args": [
        {"buffer": {"zeros": struct.calcsize(code) * items}, "dump": str(out)}, {scalar: start}]},
        out, 2 * MADS * items, right)


VECTORS = 16  # that a work-item of a stream adds up


def stream(files, show, length):
    width, items, out = show["width"], 256 * length, files("out")
    numbers = items * VECTORS * width
    files("in").write_bytes(patterned("f", numbers))

    def first_and_step(item):
        return (item // 256 * VECTORS * 256 + item % 256, 256) if show["step"] == "local" else (item, items)

    def right(data):
        sums = array.array("f", data)
        for item in random.Random(1).sample(range(items), 1000):
            first, step = first_and_step(item)
            vectors = range(first, first + VECTORS * step, step)
            if sums[item] != sum((vector * width + k) % PATTERN for vector in vectors for k in range(width)):
                return False
        return True

    return Launch({"global_size": [items], "args": [{"buffer": {"file": str(files("in"))}},
                                                    {"buffer": {"zeros": 4 * items}, "dump": str(out)}]},
                  out, 4 * numbers, right, 4 * numbers)


# What STREAM makes of a and b with the scalar 3, and how many bytes a number of it moves.
STREAMS = {"copy": (lambda a, b: a, 16), "mul": (lambda a, b: 3 * a, 16), "add": (lambda a, b: a + b, 24),
           "triad": (lambda a, b: a + 3 * b, 24)}


def stream_double(files, show, length):
    numbers, out = 256 * length, files("out")
    value, moved = STREAMS[show["step"]]
    files("a").write_bytes(patterned("d", numbers))
    files("b").write_bytes(patterned("d", numbers, lambda i: 2.0 * i + 1))
    inputs = ["a", "b"] if moved == 24 else ["a", "a"]
    return Launch({"global_size": [numbers], "args": [*({"buffer": {"file": str(files(name))}} for name in inputs),
                                                      {"buffer": {"zeros": 8 * numbers}, "dump": str(out)}, {"f64": 3.0}]},
                  out, moved * numbers, lambda data: data == patterned("d", numbers, lambda i: value(i, 2.0 * i + 1)),
                  (moved - 8) * numbers)


def saxpy_two(files, show, length):
    numbers, out = 2 * 64 * length, files("out")
    files("x").write_bytes(patterned("f", numbers))
    files("y").write_bytes(patterned("f", numbers, lambda i: 2.0 * i + 1))
    return Launch({"global_size": [numbers // 2], "args": [
        {"buffer": {"file": str(files("x"))}}, {"buffer": {"file": str(files("y"))}, "dump": str(out)}, {"f32": 3.0}]},
        out, 12 * numbers, lambda data: data == patterned("f", numbers, lambda i: 5.0 * i + 1), 8 * numbers)
