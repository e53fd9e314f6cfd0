#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the instruction tables of models/cu/isa from an ISA description (configs/isa/*.yaml).

usage: gen_isa.py ISA.yaml OUTPUT_DIR

Writes opcodes.h (enum Op, OpInfo, op_info), encoding.h (bit fields of every format) and
opcode_table.cpp (the table and the number -> Op maps). Every error of the description is reported
as `file: format.opcode: what is wrong` and ends in exit status 1.
"""
import fnmatch
import io
import os
import sys

import yaml_nodes
from gen_regs import write_if_changed

# Order of the formats in enum Format (models/cu/isa/isa.h).
FORMATS = ["SOP2", "SOPK", "SOP1", "SOPC", "SOPP", "SMRD", "VOP2", "VOP1", "VOPC", "VOP3",
           "VINTRP", "DS", "MUBUF", "MTBUF", "MIMG", "EXP"]
CLASSES = ["Valu", "Salu", "Smem", "Vmem", "Lds", "Gds", "Export", "Branch", "Message", "Internal"]
RATES = ["Full", "Trans", "MulLo", "F64Add", "F64Mul", "Fma32", "Cvt", "DivF32", "DivF64", "Scalar",
         "ScalarLong", "Other"]
FLAGS = ["mask_out", "mask_in", "vcc_in", "exec_out", "scc_out", "dst_in", "sdst_in", "sgpr_dst", "lane_sel",
         "constant", "no_vop3", "llvm_refuses"]
MEM_KINDS = ["None", "ScalarLoad", "ScalarBufferLoad", "Time", "CacheInvalidate", "Load", "Store",
             "LoadFormat", "StoreFormat", "Atomic", "LdsRead", "LdsWrite", "LdsAtomic", "LdsMskOr",
             "LdsExchange2", "LdsSrc2", "LdsWriteSrc2", "LdsSwizzle", "LdsAppend", "LdsConsume",
             "OrderedCount", "Gws", "ImageLoad", "ImageStore", "ImageAtomic", "ImageSample",
             "ImageQuery"]
ATOMICS = ["Swap", "CmpSwap", "Add", "Sub", "RSub", "SMin", "UMin", "SMax", "UMax", "And", "Or",
           "Xor", "Inc", "Dec", "FCmpSwap", "FMin", "FMax", "None"]
OP_KEYS = {"op", "dst", "src", "mnemonic", "alias", "class", "rate", "flags", "mem", "sem", "llvm"}
MODIFIER_KEYS = {"ops", "src", "clamp", "omod"}
FORMAT_KEYS = {"dwords", "class", "rate", "id", "fields"}
MEM_KEYS = {"kind", "bytes", "signed", "atomic", "pair", "returns"}

# VOP3 re-encodes the shorter vector formats at these opcode offsets.
VOP3_OFFSETS = {"VOPC": 0, "VOP2": 256, "VOP1": 384}


def camel(text):
    return "".join(part.capitalize() for part in text.split("_"))


class Isa:
    """The description, checked and in table order."""

    def __init__(self, path):
        self.path = path
        self.errors = []
        node = yaml_nodes.compose(path)
        for key in yaml_nodes.doubled_keys(node):
            sys.exit(f"{path}:{yaml_nodes.line_of(key)}: duplicate key {key.value}")
        tree = yaml_nodes.FAST("").construct_document(node)
        self.formats = tree.get("formats", {})
        opcodes = tree.get("opcodes", {})
        for name in set(self.formats) ^ set(FORMATS):
            self.error(name, "format missing or unknown")
        for name in set(opcodes) - set(FORMATS):
            self.error(name, "opcodes of an unknown format")
        for name, fmt in self.formats.items():
            self.check_format(name, fmt)
        self.ops = []
        self.index = {}
        self.mnemonics = {}  # LLVM's and other names -> index of the op
        for fmt in FORMATS:
            for name, op in opcodes.get(fmt, {}).items():
                self.add_op(fmt, name, op)
        for row in tree.get("modifiers", []):
            self.add_modifiers(row)
        if self.errors:
            sys.exit("\n".join(self.errors))

    def error(self, where, what):
        self.errors.append(f"{self.path}: {where}: {what}")

    def check_format(self, name, fmt):
        for key in set(fmt) ^ FORMAT_KEYS:
            self.error(name, f"key '{key}' missing or unknown")
        limit = 32 * fmt.get("dwords", 1)
        for field, bits in fmt.get("fields", {}).items():
            if len(bits) != 2 or not 0 <= bits[0] <= bits[1] < limit:
                self.error(f"{name}.{field}", f"bits {bits} are not a range within 0..{limit - 1}")

    def choice(self, where, what, value, allowed):
        if value not in allowed:
            self.error(where, f"{what} '{value}' is none of {', '.join(allowed)}")
            return allowed[0]
        return value

    def add_op(self, fmt, name, op):
        where = f"{fmt}.{name}"
        for key in set(op) - OP_KEYS:
            self.error(where, f"unknown key '{key}'")
        spec = self.formats.get(fmt, {})
        low, high = spec.get("fields", {}).get("op", [0, -1])
        number = op.get("op")
        if not isinstance(number, int) or not 0 <= number < (1 << (high - low + 1)):
            self.error(where, f"op {number} does not fit the opcode field")
            return
        if name in self.index:
            self.error(where, "name used twice")
        if any(o["format"] == fmt and o["number"] == number for o in self.ops):
            self.error(where, f"op {number} used twice")
        flags = list(op.get("flags", []))
        if op.get("llvm") is False:
            flags.append("llvm_refuses")
        for flag in flags:
            self.choice(where, "flag", flag, FLAGS)
        mem = op.get("mem", {})
        for key in set(mem) - MEM_KEYS:
            self.error(where, f"unknown key 'mem.{key}'")
        src = op.get("src", [])
        for bits in src + [op.get("dst", 0)]:
            if bits % 32 or not 0 <= bits <= 512:
                self.error(where, f"width {bits} is not a multiple of 32 up to 512")
        if len(src) > 3:
            self.error(where, "more than three sources")
        self.index[name] = len(self.ops)
        self.ops.append({
            "name": name, "format": fmt, "number": number,
            "mnemonic": op.get("mnemonic", name),
            "class": self.choice(where, "class", op.get("class", spec.get("class")), CLASSES),
            "rate": self.choice(where, "rate", op.get("rate", spec.get("rate")), RATES),
            "dst": op.get("dst", 0) // 32,
            "src": [bits // 32 for bits in src],
            "flags": flags, "modifiers": 0,
            "mem": self.choice(where, "mem.kind", mem.get("kind", "None"), MEM_KINDS),
            "bytes": mem.get("bytes", 0), "pair": mem.get("pair", 0),
            "signed": mem.get("signed", False), "returns": mem.get("returns", False),
            "atomic": self.choice(where, "mem.atomic", mem.get("atomic", "None"), ATOMICS),
            "sem": op.get("sem", ""),
        })
        for text in {name, self.ops[-1]["mnemonic"], *op.get("alias", [])}:
            if text in self.mnemonics:
                self.error(where, f"mnemonic {text} used twice")
            self.mnemonics[text] = self.index[name]

    def add_modifiers(self, row):
        """Bits 0 to 2: sources that take neg and abs; bit 3: clamp; bit 4: output modifier."""
        for key in set(row) - MODIFIER_KEYS:
            self.error("modifiers", f"unknown key '{key}'")
        bits = (sum(1 << slot for slot in row.get("src", [])) |
                row.get("clamp", False) << 3 | row.get("omod", False) << 4)
        for pattern in row.get("ops", []):
            found = [op for op in self.ops if op["format"] in {"VOP3", *VOP3_OFFSETS} and
                     fnmatch.fnmatchcase(op["name"], pattern)]
            if not found:
                self.error("modifiers", f"'{pattern}' matches no vector opcode")
            for op in found:
                if not op["modifiers"]:
                    op["modifiers"] = bits

    def number_map(self, fmt):
        """number -> index of the op, for one opcode field."""
        low, high = self.formats[fmt]["fields"].get("op", [0, -1])  # EXP has no opcode field
        table = [None] * (1 << (high - low + 1))
        for i, op in enumerate(self.ops):
            if op["format"] == fmt:
                table[op["number"]] = i
            elif fmt == "VOP3" and op["format"] in VOP3_OFFSETS and "no_vop3" not in op["flags"]:
                table[op["number"] + VOP3_OFFSETS[op["format"]]] = i
        return table


HEADER = """// SPDX-License-Identifier: Apache-2.0
// Generated by scripts/gen_isa.py from {source}; do not edit.
"""


def enum_name(op):
    return op["name"].upper()


def write_opcodes(isa, out):
    out.write("#pragma once\n\n#include <cstdint>\n\n#include \"models/cu/isa/isa.h\"\n\n")
    out.write("namespace archipelago::isa {\n\nenum class Op : uint16_t {\n")
    last = None
    for op in isa.ops:
        if op["format"] != last:
            last = op["format"]
            out.write(f"    // {last}\n")
        sem = f"  // {op['sem']}" if op["sem"] else ""
        out.write(f"    {enum_name(op)},{sem}\n")
    out.write("    Illegal,\n};\n\n// Opcodes without Illegal, which follows the last one.\n"
              "constexpr unsigned kOpCount = static_cast<unsigned>(Op::Illegal);\n\n")
    out.write("// Bits of OpInfo::flags.\nenum OpFlag : uint16_t {\n")
    for i, flag in enumerate(FLAGS):
        out.write(f"    kOp{camel(flag)} = 1u << {i},\n")
    out.write("};\n\nenum class MemKind : uint8_t {\n")
    for kind in MEM_KINDS:
        out.write(f"    {kind},\n")
    out.write("""};

// What is known about an opcode apart from what it computes. Widths are in dwords.
struct OpInfo {
    const char* name;       // LLVM's mnemonic, without an encoding suffix
    Format format;          // native format; VOP2, VOP1 and VOPC opcodes also exist in VOP3
    uint16_t number;        // in the native format's opcode field
    Class cls;
    Rate rate;
    uint8_t dst_dwords;     // 0: no destination register
    uint8_t num_src;
    uint8_t src_dwords[3];  // DS, MUBUF, MTBUF, MIMG: address, data0, data1
    uint16_t flags;         // OpFlag
    uint8_t modifiers;      // VOP3: bit i: source i takes neg and abs; kModifierClamp, kModifierOmod
    MemKind mem;
    uint8_t mem_bytes;      // per element
    uint8_t mem_pair;       // DS with two offsets: their unit in elements (1 or 64), else 0
    bool mem_signed;
    bool mem_returns;       // DS: writes the old value
    AtomicOp atomic;

    bool has(OpFlag flag) const { return (flags & flag) != 0; }
};

constexpr uint8_t kModifierClamp = 8;
constexpr uint8_t kModifierOmod = 16;

// Total for any value of `op`: Op::Illegal and beyond give the entry named "illegal".
const OpInfo& op_info(Op op);

// Opcode number of a format's opcode field to Op; Op::Illegal when there is none. For Vop3 the
// re-encoded VOPC, VOP2 and VOP1 opcodes are included.
Op op_from_number(Format format, unsigned number);

// A name an assembler takes, without an encoding suffix.
struct OpName {
    const char* text;
    Op op;
};
// LLVM's mnemonics and the other names in use, in order of the text.
extern const OpName kOpNames[];
extern const unsigned kOpNameCount;

}  // namespace archipelago::isa
""")


def write_encoding(isa, out):
    out.write("""#pragma once

#include <cstdint>

#include "models/cu/isa/isa.h"

namespace archipelago::isa::enc {

// A bit field of an encoding; bits 32..63 are in the second dword.
struct Field {
    uint8_t low, high;

    constexpr uint32_t get(uint64_t word) const {
        return static_cast<uint32_t>(word >> low) & mask();
    }
    constexpr uint64_t put(uint32_t value) const {
        return static_cast<uint64_t>(value & mask()) << low;
    }
    constexpr uint32_t mask() const { return (2u << (high - low)) - 1; }
};

""")
    for name in FORMATS:
        fmt = isa.formats[name]
        low, high, value = fmt["id"]
        out.write(f"namespace {name.lower()} {{\n")
        out.write(f"constexpr unsigned kDwords = {fmt['dwords']};\n")
        out.write(f"constexpr Field kId{{{low}, {high}}};\nconstexpr uint32_t kIdValue = {value:#x};\n")
        for field, bits in fmt["fields"].items():
            out.write(f"constexpr Field k{camel(field)}{{{bits[0]}, {bits[1]}}};\n")
        out.write(f"}}  // namespace {name.lower()}\n\n")
    out.write("// The fields of all formats by name, without the one that tells the format.\n")
    out.write("struct NamedField {\n    Format format;\n    const char* name;\n    Field field;\n};\n")
    out.write("constexpr NamedField kNamedFields[] = {\n")
    for name in FORMATS:
        for field, bits in isa.formats[name]["fields"].items():
            out.write(f'    {{Format::{camel(name.lower())}, "{field}", {{{bits[0]}, {bits[1]}}}}},\n')
    out.write("};\n\n}  // namespace archipelago::isa::enc\n")


def write_table(isa, out):
    out.write("#include \"models/cu/isa/opcodes.h\"\n\nnamespace archipelago::isa {\nnamespace {\n\n")
    out.write("constexpr OpInfo kTable[] = {\n")

    def row(name, fmt, number, cls, rate, dst, src, flags, modifiers, mem, size, pair, signed,
            returns, atomic):
        widths = ", ".join(str(w) for w in src + [0] * (3 - len(src)))
        bits = sum(1 << FLAGS.index(f) for f in flags)
        out.write(f"    {{\"{name}\", Format::{fmt.capitalize()}, {number}, Class::{cls}, "
                  f"Rate::{rate}, {dst}, {len(src)}, {{{widths}}}, {bits:#x}, {modifiers}, MemKind::{mem}, "
                  f"{size}, {pair}, {str(signed).lower()}, {str(returns).lower()}, "
                  f"AtomicOp::{atomic}}},\n")

    for op in isa.ops:
        row(op["mnemonic"], op["format"], op["number"], op["class"], op["rate"], op["dst"],
            op["src"], op["flags"], op["modifiers"], op["mem"], op["bytes"], op["pair"], op["signed"],
            op["returns"], op["atomic"])
    row("illegal", "Illegal", 0, "Internal", "Other", 0, [], [], 0, "None", 0, 0, False, False, "None")
    out.write("};\nstatic_assert(sizeof kTable / sizeof kTable[0] == kOpCount + 1);\n\n")
    for fmt in FORMATS:
        table = isa.number_map(fmt)
        out.write(f"constexpr uint16_t k{fmt.capitalize()}[{len(table)}] = {{\n")
        for i in range(0, len(table), 16):
            cells = ", ".join(str(len(isa.ops) if v is None else v) for v in table[i:i + 16])
            out.write(f"    {cells},\n")
        out.write("};\n")
    out.write("\n}  // namespace\n\n")
    out.write("const OpInfo& op_info(Op op) {\n"
              "    const auto i = static_cast<unsigned>(op);\n"
              "    return kTable[i < kOpCount ? i : kOpCount];\n}\n\n")
    out.write("Op op_from_number(Format format, unsigned number) {\n    switch (format) {\n")
    for fmt in FORMATS:
        size = len(isa.number_map(fmt))
        out.write(f"        case Format::{fmt.capitalize()}:\n"
                  f"            return number < {size} ? Op{{k{fmt.capitalize()}[number]}} : "
                  "Op::Illegal;\n")
    out.write("        case Format::Illegal:\n            break;\n    }\n"
              "    return Op::Illegal;\n}\n\n")
    out.write("const OpName kOpNames[] = {\n")
    for text in sorted(isa.mnemonics):
        out.write(f"    {{\"{text}\", Op{{{isa.mnemonics[text]}}}}},\n")
    out.write("};\nconst unsigned kOpNameCount = sizeof kOpNames / sizeof kOpNames[0];\n\n"
              "}  // namespace archipelago::isa\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, directory = sys.argv[1:]
    isa = Isa(source)
    os.makedirs(directory, exist_ok=True)
    for name, write in (("opcodes.h", write_opcodes), ("encoding.h", write_encoding),
                        ("opcode_table.cpp", write_table)):
        out = io.StringIO()
        out.write(HEADER.format(source="configs/isa/" + os.path.basename(source)))
        write(isa, out)
        write_if_changed(os.path.join(directory, name), out.getvalue())


if __name__ == "__main__":
    main()
