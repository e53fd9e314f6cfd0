#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Byte addresses by the tables of the ATI CTM Guide 1.01, section 2.1.4, read column by column.

    map_reference.py TILING BYTES PITCH OFFSET < points.csv

prints what `archipelago map` must print for well-formed points. Shares no code with the model.
"""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from arguments import take  # noqa: E402

# Bytes: (bits 31:5, bits 4:0)
TABLE_1 = {
    1: ("y[11:0]*pitch[13:5]+x[11:5]", "x[4:0]"),
    2: ("y[11:0]*pitch[13:4]+x[11:4]", "x[3:0],0"),
    4: ("y[11:0]*pitch[13:3]+x[11:3]", "x[2:0],00"),
    8: ("y[11:0]*pitch[13:2]+x[11:2]", "x[1:0],000"),
    16: ("y[11:0]*pitch[13:1]+x[11:1]", "x[0],0000"),
}
# Bytes: (bits 31:11, bits 10:0)
TABLE_2 = {
    1: ("y[11:5]*pitch[13:6]+x[11:6]",
        "y[4]^x[6],x[5]^y[5],y[3]^x[5],x[4]^y[4],y[2],x[3],y[1:0],x[2:0]"),
    2: ("y[11:5]*pitch[13:5]+x[11:5]",
        "y[4]^x[5],x[4]^y[5],y[3]^x[4],x[3]^y[4],y[2],x[2],y[1:0],x[1:0],0"),
    4: ("y[11:4]*pitch[13:5]+x[11:5]",
        "y[3]^x[5],x[4]^y[4],y[2]^x[4],x[3]^y[3],y[1],x[2],y[0],x[1:0],00"),
    8: ("y[11:4]*pitch[13:4]+x[11:4]",
        "y[3]^x[4],x[3]^y[4],y[2]^x[3],x[2]^y[3],y[1],x[1],y[0],x[0],000"),
    16: ("y[11:3]*pitch[13:4]+x[11:4]",
         "y[2]^x[4],x[3]^y[3],y[1]^x[3],x[2]^y[2],y[0],x[1],x[0],0000"),
}


def slice_of(text, values):
    """(value, width) of `x[4:0]`, `x[3]` or a string of binary digits."""
    if re.fullmatch("0+", text):
        return 0, len(text)
    name, high, low = re.fullmatch(r"(\w+)\[(\d+)(?::(\d+))?\]", text).groups()
    high, low = int(high), int(low if low is not None else high)
    return values[name] >> low & ((1 << high - low + 1) - 1), high - low + 1


def address(tiled, size, pitch, offset, x, y):
    values = {"x": x, "y": y, "pitch": pitch}
    upper, lower = (TABLE_2 if tiled else TABLE_1)[size]
    shift = 11 if tiled else 5
    total = (offset & ~0x7ff) >> shift
    for term in upper.split("+"):
        product = 1
        for factor in term.split("*"):
            product *= slice_of(factor, values)[0]
        total += product
    low = width = 0
    for piece in lower.split(","):
        bits = [slice_of(part, values) for part in piece.split("^")]
        value, count = bits[0]
        for other, _ in bits[1:]:
            value ^= other
        low, width = low << count | value, width + count
    assert width == shift
    return (total << shift | low) & 0xffffffff


def line(tiling, size, pitch, offset, x, y):
    tiled = tiling.startswith("tiled")
    if not tiling.endswith("_inp_2x2"):
        return hex(address(tiled, size, pitch, offset, x, y))
    right, below = (x + 1) % 4096, (y + 1) % 4096
    points = ((right, y), (x, below), (right, below), (x, y))
    return " ".join(hex(address(tiled, size, pitch, offset, *point)) for point in points)


if __name__ == "__main__":
    def number(text):
        return int(text, 0)

    tiling, size, pitch, offset = take(__doc__, tiling=str, bytes=number, pitch=number,
                                       offset=number)
    for text in sys.stdin:
        print(line(tiling, size, pitch, offset, *map(int, text.split(","))))
