# SPDX-License-Identifier: Apache-2.0
"""What the host gives a program of scripts/timing-report --applications, and what must come out."""

import array
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

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


PATTERN = 4093  # numbers until they begin again; prime, so that no stride of two's powers meets one twice


def patterned(code, numbers, value=float):
    """So many numbers of an array's type code; number i is value(i % PATTERN)."""
    pattern = array.array(code, map(value, range(PATTERN))).tobytes()
    return (pattern * (numbers // PATTERN + 1))[:array.array(code).itemsize * numbers]
