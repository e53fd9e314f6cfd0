# SPDX-License-Identifier: Apache-2.0
"""The programs of scripts/timing-report --applications: what the host gives each, and what must come out.

A program is a function of (files, keys of the row, length) that gives a Launch; files(name) is the path of a file of its
own. `length` is how much of the program runs: work-groups, or terms of a sum.
"""

import array
import fractions
import hashlib
import math
import random
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

FOLDER = Path(__file__).resolve().parent / "programs"

MASK32 = 0xFFFFFFFF


@dataclass(frozen=True)
class Launch:
    kernel: dict  # of the workload file, without code and name
    out: Path  # of what it dumps
    work: float  # in units of the row's figure
    right: Callable  # of the bytes dumped
    bytes: int = 0  # it has to read from memory


def words_of(data):
    return struct.unpack(f"<{len(data) // 4}I", data)


def bytes_of(words):
    return struct.pack(f"<{len(words)}I", *words)


# ---- hashing -------------------------------------------------------------------------------------------------------
# Hashes a candidate takes: of the password and its salt, and 2048 times of the hash before.
STRETCHING = 2049


def sha256_iterated(files, show, length):
    items, iterations = 64 * length, show["iterations"]
    first = [hashlib.sha256(b"candidate %d" % i).digest() for i in range(items)]
    state, out = files("state"), files("out")
    state.write_bytes(by_words(first))

    def right(data):
        digests = first
        for _ in range(iterations):
            digests = [hashlib.sha256(digest).digest() for digest in digests]
        return data == by_words(digests)

    return Launch({"global_size": [items], "args": [{"buffer": {"file": str(state)}, "dump": str(out)}, {"u32": iterations}]},
                  out, items * iterations / STRETCHING, right)


def by_words(digests):
    """The first words of all digests, then the second ones, and so on."""
    words = [struct.unpack(">8I", digest) for digest in digests]
    return b"".join(bytes_of([digest[k] for digest in words]) for k in range(8))


# Header of the first block of the Bitcoin chain without its nonce: version, no block before, root, time, bits.
HEADER = (struct.pack("<I", 1) + bytes(32)
          + bytes.fromhex("3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a")
          + struct.pack("<2I", 1231006505, 0x1D00FFFF))
NONCE = 0x1DAC2B7C  # as a word of the message, big-endian like the others


def sha256_mining(files, show, length):
    items, first, out = 256 * length, NONCE - 1000, files("out")
    middle = compressed(SHA256_FIRST, struct.unpack(">16I", HEADER[:64]))
    w0, w1, w2 = struct.unpack(">3I", HEADER[64:])
    w16, w17 = small0(w1) + w0, small1(640) + small0(w2) + w1
    # What the kernel's words 18, 19, 31 and 32 have of words that no nonce changes.
    parts = [small1(w16 & MASK32) + w2, small1(w17 & MASK32) + small0(0x80000000), small0(w16 & MASK32) + 640,
             small0(w17 & MASK32) + w16]
    # Unrolled rounds pass no variables on: three of them later, what was called d to h, a to c is called a to h.
    state = sha256_rounds(middle, (w0, w1, w2))
    scalars = [first, *middle, *state[3:], *state[:3], w16, w17, *parts]

    def right(data):
        found = [0] * 256
        for nonce in range(first, first + items):
            digest = hashlib.sha256(hashlib.sha256(HEADER + struct.pack(">I", nonce)).digest()).digest()
            if digest.endswith(bytes(4)):
                found[nonce & 255] = nonce
        return NONCE in found and words_of(data) == tuple(found)

    return Launch({"global_size": [items], "args": [{"buffer": {"zeros": 1024}, "dump": str(out)}]
                   + [{"u32": scalar & MASK32} for scalar in scalars]}, out, items, right)


def rotated(x, n):
    return (x >> n | x << 32 - n) & MASK32


def small0(x):
    return rotated(x, 7) ^ rotated(x, 18) ^ x >> 3


def small1(x):
    return rotated(x, 17) ^ rotated(x, 19) ^ x >> 10


def cube_root(x):
    low, high = 0, 1 << x.bit_length() // 3 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle ** 3 <= x else (low, middle)
    return low


PRIMES = [p for p in range(2, 312) if all(p % q for q in range(2, p))]
SHA256_FIRST = [math.isqrt(p << 64) & MASK32 for p in PRIMES[:8]]
SHA256_CONSTANTS = [cube_root(p << 96) & MASK32 for p in PRIMES]


def sha256_rounds(state, words):
    """The state behind the first rounds, one for each word."""
    a, b, c, d, e, f, g, h = state
    for word, constant in zip(words, SHA256_CONSTANTS):
        t = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (e & f ^ ~e & g) + word + constant
        u = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = t + u & MASK32, a, b, c, d + t & MASK32, e, f, g
    return a, b, c, d, e, f, g, h


def compressed(state, block):
    """The state behind a block."""
    words = list(block)
    for i in range(16, 64):
        words.append(words[i - 16] + small0(words[i - 15]) + words[i - 7] + small1(words[i - 2]) & MASK32)
    return [s + r & MASK32 for s, r in zip(state, sha256_rounds(state, words))]


# ---- matrices ------------------------------------------------------------------------------------------------------
# Rows that columns of A, B and C have room for, and the sums terms: a run of fewer terms reads them where they would be.
SIDE = 2048


def sgemm(files, show, length):
    """`length` terms of each sum, for the first columns of C. Small integers, so that no order of adding rounds.
    `padding`: numbers between the columns of B."""
    columns, numbers = show["columns"], random.Random(1)
    pitch = SIDE + show.get("padding", 0)
    a = array.array("f", numbers.choices(range(-3, 4), k=SIDE * length))
    b = array.array("f", numbers.choices(range(-3, 4), k=pitch * columns))
    out = files("out")
    for name, matrix in (("a", a), ("b", b)):
        files(name).write_bytes(matrix.tobytes())

    def right(data):
        """Freivalds' check: C times a vector is A times B times it."""
        c, vector = array.array("f", data), numbers.choices(range(1, 1000), k=columns)
        middle = [sum(map(float.__mul__, b[k::pitch], map(float, vector))) for k in range(length)]
        return all(sum(map(float.__mul__, c[row::SIDE], map(float, vector)))
                   == sum(map(float.__mul__, a[row::SIDE], middle)) for row in range(SIDE))

    return Launch({"global_size": [SIDE // 8, columns // show["block"]], "args": [
        {"buffer": {"file": str(files("a"))}}, {"buffer": {"file": str(files("b"))}},
        {"buffer": {"zeros": 4 * SIDE * columns}, "dump": str(out)},
        {"u32": length}, {"u32": SIDE}, {"u32": pitch}, {"u32": SIDE}]},
        out, 2 * SIDE * columns * length, right, 4 * (SIDE + columns) * length)


# ---- peaks ---------------------------------------------------------------------------------------------------------
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
PATTERN = 4093  # numbers until they begin again; prime, so that no stride of two's powers meets one twice


def stream(files, show, length):
    width, items, out = show["width"], 256 * length, files("out")
    numbers = items * VECTORS * width
    pattern = array.array("f", range(PATTERN)).tobytes()
    files("in").write_bytes((pattern * (numbers // PATTERN + 1))[:4 * numbers])

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


PROGRAMS = {program.__name__: program for program in (sha256_iterated, sha256_mining, sgemm, peak, stream)}
