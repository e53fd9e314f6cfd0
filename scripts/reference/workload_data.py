# SPDX-License-Identifier: Apache-2.0
"""Reads workload files: kernel arguments as bytes and numbers, for computing references.

The generator behind `random:` buffers is the one of testbenches/host/random_data.h.
"""
import pathlib
import struct

import yaml

WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "testbenches" / "workloads"
MASK64 = (1 << 64) - 1
INTEGER_BYTES = {"u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8}
FORMATS = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q",
           "i64": "q", "f16": "e", "f32": "f", "f64": "d"}


def random_words(seed, count):
    """The first `count` 64-bit outputs of xorshift64* for `seed`."""
    state = (seed * 0x9E3779B97F4A7C15 + 1) & MASK64 or 1
    for _ in range(count):
        state ^= state >> 12
        state = (state ^ (state << 25)) & MASK64
        state ^= state >> 27
        yield (state * 0x2545F4914F6CDD1D) & MASK64


def random_bytes(kind, count, seed):
    if kind == "f16":
        return pack("f16", [(r >> 53) * 2.0**-11 for r in random_words(seed, count)])
    if kind == "f32":
        return pack("f32", [(r >> 40) * 2.0**-24 for r in random_words(seed, count)])
    if kind == "f64":
        return pack("f64", [(r >> 11) * 2.0**-53 for r in random_words(seed, count)])
    size = INTEGER_BYTES[kind]
    return b"".join((r >> (64 - 8 * size)).to_bytes(size, "little")
                    for r in random_words(seed, count))


def pack(kind, values):
    values = list(values)
    return struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)


def unpack(kind, data):
    count = len(data) // struct.calcsize(FORMATS[kind])
    return list(struct.unpack(f"<{count}{FORMATS[kind]}", data))


class Argument:
    """One kernel argument: `data` (bytes) for a buffer, `value` for a scalar of type `kind`."""

    def __init__(self, entry, folder):
        self.expect = entry.get("expect")
        self.kind = next(key for key in entry if key not in ("expect", "dump"))
        self.data = None
        self.value = None
        source = entry[self.kind]
        if self.kind != "buffer":
            self.value = source
        elif "zeros" in source:
            self.data = bytes(source["zeros"])
        elif "words" in source:
            self.data = pack("u32", source["words"])
        elif "random" in source:
            self.data = random_bytes(source["random"]["type"], source["random"]["count"],
                                     source["random"]["seed"])
        else:
            self.data = (folder / source["file"]).read_bytes()


class Workload:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.name = self.path.stem
        document = yaml.safe_load(self.path.read_text())
        kernel = document["kernel"]
        self.code = self.path.parent / kernel["code"]
        self.kernel = kernel["name"]
        self.global_size = kernel["global_size"]
        self.local_size = kernel["local_size"]
        self.args = [Argument(entry, self.path.parent) for entry in kernel["args"]]
        # Memory at fixed addresses counts on behind the arguments.
        expected = {entry["address"]: entry for entry in document.get("expect", [])
                    if "address" in entry}
        self.args += [Argument({"buffer": entry, "expect": expected.get(entry["address"])},
                               self.path.parent) for entry in document.get("memory", [])]

    def buffer(self, index, kind):
        return unpack(kind, self.args[index].data)

    def value(self, index):
        return self.args[index].value

    def expectation_path(self, index):
        return self.path.parent / self.args[index].expect["file"]


def has_kernel(path):
    return "kernel" in yaml.safe_load(path.read_text())


def all_workloads():
    """Those with a kernel; workloads of packets alone say themselves what must come out."""
    return [Workload(path) for path in sorted(WORKLOADS.glob("*.yaml")) if has_kernel(path)]
