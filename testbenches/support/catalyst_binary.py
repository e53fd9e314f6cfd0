#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Binaries in the format of the OpenCL 1.2 compiler in AMD's Catalyst drivers, of our own making.

    catalyst_binary.py DESCRIPTION.yaml -o FILE.bin --command ARCHIPELAGO

No file of that compiler is at hand: the layout follows what CLRX's documents say of it (doc/ClrxAsmAmd,
doc/AmdAbi), with what a loader needs and nothing else. The code is assembled by `archipelago asm`.

The description:

    chip: tahiti              # pitcairn, verde, oland, hainan
    bits: 32                  # of pointers, and of the outer file
    constants: [1, 2]         # words of the program's constants, __OpenCL_0_global
    kernels:
      - name: k
        code: k.s             # beside the description
        local: 1024           # bytes of LDS
        group_size: [256, 1, 1]
        vgprs: 8
        sgprs: 20             # without VCC
        groups: xyz           # group numbers behind the user data
        items: x              # item numbers in v0 to v2: x, xy, xyz
        user_data: [{class: IMM_UAV, slot: 12, first: 4}]
        args:                 # each 16 bytes of constant buffer 1 from the one before
          - {name: y, type: float, space: uav, buffer: 12}     # or c, hc, hl (local)
          - {name: a, type: float}                             # a value; count: elements
"""

import argparse
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

CHIPS = {"tahiti": (0x3fd, 0x1a), "pitcairn": (0x3fe, 0x1b), "verde": (0x3ff, 0x1c),
         "oland": (0x402, 0x20), "hainan": (0x407, 0x25)}
CLASSES = {"IMM_RESOURCE": (0, 4), "IMM_SAMPLER": (1, 4), "IMM_CONST_BUFFER": (2, 4),
           "IMM_UAV": (4, 4), "PTR_CONST_BUFFER_TABLE": (0x14, 2), "PTR_UAV_TABLE": (0x17, 2),
           "PTR_INTERNAL_GLOBAL_TABLE": (0x18, 2)}
ELEMENT_BYTES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8,
                 "float": 4, "double": 8}
PROGRAM_INFO, UAV = 1, 16
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB = 1, 2, 3


def align(data, unit):
    return data + bytes(-len(data) % unit)


def metadata(kernel, chip, bits, has_constants):
    lines = [f"ARGSTART:__OpenCL_{kernel['name']}_kernel", "version:3:1:111", f"device:{chip}",
             "uniqueid:1024", "memory:uavprivate:0", f"memory:hwlocal:{kernel.get('local', 0)}",
             "memory:hwregion:0"]
    if "group_size" in kernel:
        lines.append("cws:" + ":".join(str(n) for n in kernel["group_size"]))
    offset = 0
    for arg in kernel.get("args", ()):
        element = ELEMENT_BYTES[arg["type"]]
        if "space" in arg:
            access = arg.get("access", "RW")
            lines.append(f"pointer:{arg['name']}:{arg['type']}:1:1:{offset}:{arg['space']}:"
                         f"{arg.get('buffer', 1)}:{element}:{access}:0:0")
            offset += 16
        else:
            count = arg.get("count", 1)
            lines.append(f"value:{arg['name']}:{arg['type']}:{count}:1:{offset}")
            offset += -(-element * count // 16) * 16
    if has_constants:
        lines.append("memory:datareqd")
    lines.append("function:1:1030")
    if bits == 64:
        lines.append("memory:64bitABI")
    lines += ["uavid:11", "printfid:9", "cbid:10", "privateid:8"]
    lines += [f"reflection:{i}:{a['type']}{'*' if 'space' in a else ''}"
              for i, a in enumerate(kernel.get("args", ()))]
    lines.append(f"ARGEND:__OpenCL_{kernel['name']}_kernel")
    return "".join(f";{line}\n" for line in lines).encode()


def program_info(kernel):
    user_data = [(*CLASSES[d["class"]], d.get("slot", 0), d["first"])
                 for d in kernel.get("user_data", ())]
    pairs = [(0x80001000, len(user_data))]
    for i, (number, count, slot, first) in enumerate(user_data):
        pairs += [(0x80001001 + 4 * i + k, value)
                  for k, value in enumerate((number, slot, first, count))]
    user_registers = max((first + count for _, count, _, first in user_data), default=0)
    groups = kernel.get("groups", "x")
    rsrc2 = user_registers << 1 | sum(1 << 7 + "xyz".index(axis) for axis in groups)
    rsrc2 |= len(kernel.get("items", "x")) - 1 << 11 | -(-kernel.get("local", 0) // 256) << 15
    pairs += [(0x80001041, kernel["vgprs"]), (0x80001042, kernel["sgprs"]), (0x80001863, 102),
              (0x80001864, 256), (0x80001043, 0xc0), (0x80001044, 0), (0x80001045, 0),
              (0x2e13, rsrc2)]
    pairs += [(0x8000001c + i, n) for i, n in enumerate(kernel.get("group_size", (256, 0, 0)))]
    return b"".join(struct.pack("<II", *pair) for pair in pairs)


def note(kind, data):
    return struct.pack("<III8s", 8, len(data), kind, b"ATI CAL") + data


def inner_file(kernel, machine, code):
    """Header, three program headers, dictionary of encodings, names, section headers; then the
    notes and the code, which the entry of the dictionary spans."""
    names = b"\0.shstrtab\0.text\0.data\0.symtab\0.strtab\0"
    uavs = [a["buffer"] for a in kernel.get("args", ()) if a.get("space") == "uav"]
    notes = note(UAV, b"".join(struct.pack("<4I", uav, 4, 0, 5) for uav in uavs))
    notes += note(PROGRAM_INFO, program_info(kernel))
    programs, dictionary, strings = 52, 52 + 3 * 32, 52 + 3 * 32 + 20
    sections = strings + len(names) + -(strings + len(names)) % 4
    begin = sections + 3 * 40
    text = begin + len(notes)
    header = b"\x7fELF" + bytes((1, 1, 1, 0x64, 1)) + bytes(7)
    header += struct.pack("<HHIIIIIHHHHHH", 2, 0x7d, 1, 0, programs, sections, 1, 52, 32, 3, 40, 3, 1)
    program = struct.pack("<8I", 0x70000002, dictionary, 0, 0, 20, 0, 0, 0)
    program += struct.pack("<8I", 4, begin, 0, 0, len(notes), 0, 0, 0)
    program += struct.pack("<8I", 1, text, 0, 0, len(code), len(code), 0, 0)
    entry = struct.pack("<5I", machine, 4, begin, len(notes) + len(code), 0)
    table = bytes(40)
    table += struct.pack("<10I", 1, SHT_STRTAB, 0, 0, strings, len(names), 0, 0, 0, 0)
    table += struct.pack("<10I", names.index(b".text"), SHT_PROGBITS, 0, 0, text, len(code), 0, 0, 0, 0)
    return align(header + program + entry + names, 4) + table + notes + code


class Outer:
    """The outer file: symbols that name parts of .rodata and .text."""

    def __init__(self, machine, bits):
        self.machine, self.wide = machine, bits == 64
        self.strings, self.symbols = b"\0", []
        self.rodata = self.text = b""

    def add(self, name, data, code=False):
        start = len(self.text if code else self.rodata)
        if code:
            self.text += data
        else:
            self.rodata += data
        self.symbols.append((len(self.strings), start, len(data), 2 if code else 1,
                             5 if code else 4))
        self.strings += name.encode() + b"\0"

    def symbol_table(self):
        if self.wide:
            return bytes(24) + b"".join(struct.pack("<IBBHQQ", n, kind, 0, section, value, size)
                                        for n, value, size, kind, section in self.symbols)
        return bytes(16) + b"".join(struct.pack("<IIIBBH", n, value, size, kind, 0, section)
                                    for n, value, size, kind, section in self.symbols)

    def build(self):
        names = b"\0.shstrtab\0.strtab\0.symtab\0.rodata\0.text\0"
        parts = [(".shstrtab", SHT_STRTAB, 0, names, 0, 0), (".strtab", SHT_STRTAB, 0, self.strings, 0, 0),
                 (".symtab", SHT_SYMTAB, 0, self.symbol_table(), 2, 24 if self.wide else 16),
                 (".rodata", SHT_PROGBITS, 2, self.rodata, 0, 0), (".text", SHT_PROGBITS, 6, self.text, 0, 0)]
        size = 64 if self.wide else 52
        body, places = b"", []
        for _, _, _, data, _, _ in parts:
            body = align(body, 8)
            places.append(size + len(body))
            body += data
        body = align(body, 8)
        shape = "<IIQQQQIIQQ" if self.wide else "<10I"
        table = bytes(struct.calcsize(shape))
        for (name, kind, flags, data, link, entry), place in zip(parts, places):
            table += struct.pack(shape, names.index(name.encode() + b"\0"), kind, flags, 0, place,
                                 len(data), link, 0, 1, entry)
        header = b"\x7fELF" + bytes((2 if self.wide else 1, 1, 1)) + bytes(9)
        header += struct.pack("<HHIQQQIHHHHHH" if self.wide else "<HHIIIIIHHHHHH", 2, self.machine, 1,
                              0, 0, size + len(body), 0, size, 0, 0, 64 if self.wide else 40, 6, 1)
        return header + body + table


def assemble(command, source):
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "code.raw")
        subprocess.run([command, "asm", source, "--isa", "gfx6", "-o", raw], check=True)
        return raw.read_bytes()


def build(description, code_of):
    """The binary of a description; `code_of` gives the machine code of a kernel."""
    outer_machine, inner_machine = CHIPS[description["chip"]]
    bits = description.get("bits", 32)
    outer = Outer(outer_machine, bits)
    constants = description.get("constants", ())
    if constants:
        outer.add("__OpenCL_0_global", struct.pack(f"<{len(constants)}I", *constants))
    for kernel in description["kernels"]:
        name = kernel["name"]
        outer.add(f"__OpenCL_{name}_metadata", metadata(kernel, description["chip"], bits, bool(constants)))
        outer.add(f"__OpenCL_{name}_kernel", inner_file(kernel, inner_machine, code_of(kernel)), code=True)
        outer.add(f"__OpenCL_{name}_header", struct.pack("<8I", 0, 0, 0, kernel.get("local", 0),
                                                        8 if bits == 64 else 0, 1, 0, 0))
    return outer.build()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("description", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--command", required=True)
    parser.add_argument("--check", action="store_true", help="compare with OUTPUT instead of writing it")
    a = parser.parse_args()
    description = yaml.safe_load(a.description.read_text(encoding="utf-8"))
    binary = build(description, lambda kernel: assemble(a.command, a.description.parent / kernel["code"]))
    if not a.check:
        a.output.write_bytes(binary)
    elif a.output.read_bytes() != binary:
        print(f"{a.output} is not what {a.description} makes")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
