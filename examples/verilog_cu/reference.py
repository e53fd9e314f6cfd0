#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what integer.yaml reads and expects: reference.py FOLDER."""
import random
import struct
import sys
from pathlib import Path

COUNT, ROUNDS, WORDS = 1000, 5, 1024
MASK = 0xffffffff


def value(a, b, i):
    total = (3 * a + b) & MASK
    out = ~total & MASK if total & 1 else (total - i) & MASK
    for n in range(1, ROUNDS + 1):
        if total >> n & 1:
            out = (out - 1) & MASK
    return out


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    draw = random.Random(3)
    a, b = ([draw.getrandbits(32) for _ in range(WORDS)] for _ in "ab")
    out = [value(a[i], b[i], i) if i < COUNT else 0 for i in range(WORDS)]
    for name, words in ("a", a), ("b", b), ("out", out):
        (folder / f"{name}.bin").write_bytes(struct.pack(f"<{WORDS}I", *words))


if __name__ == "__main__":
    main()
