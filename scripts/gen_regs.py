#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns a register database (configs/registers/<generation>.yaml) into C++, Verilog and Markdown.

    gen_regs.py DATABASE --out DIR      write the files
    gen_regs.py DATABASE --check        only validate
    gen_regs.py DATABASE --list         name the files --out writes, one per line
    gen_regs.py DATABASE --depends      name the files the database consists of, one per line

All faults of a database are reported, one per line, as `file:line: place: what is wrong`; the exit
status is then 1. Output depends on nothing but the database.
"""

import argparse
import difflib
import glob
import os
import re
import sys
from dataclasses import dataclass, field

import yaml
import yaml_nodes

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
INTEGER = re.compile(r"(0x[0-9a-fA-F]+|0|[1-9][0-9]*)\Z")
KINDS = {"system": "System", "config": "Config", "sh": "Sh", "context": "Context",
         "cp_ring": "CpRing", "dma": "Dma"}
ACCESS = {None: "Unknown", "rw": "ReadWrite", "ro": "ReadOnly", "wo": "WriteOnly"}
# Not usable as the name of an accessor.
RESERVED = set("""raw kOffset alignas alignof and and_eq asm auto bitand bitor bool break case catch
    char class compl const constexpr continue decltype default delete do double else enum explicit
    export extern false float for friend goto if inline int long mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register return short signed sizeof
    static struct switch template this throw true try typedef typeid typename union unsigned using
    virtual void volatile while xor xor_eq""".split())


@dataclass
class Field:
    name: str
    lsb: int
    msb: int
    enum: str = None

    def accessor(self, register_name):
        """A C++ member may not be named like its class, nor by a keyword."""
        if self.name == register_name:
            return "VALUE"
        return self.name + "_" if self.name in RESERVED else self.name


@dataclass
class Register:
    name: str
    place: str  # file:line
    block: str
    offset: int = None  # None: a layout
    access: str = None
    reset: int = None
    aliases: list = field(default_factory=list)
    fields: list = field(default_factory=list)


@dataclass
class Range:
    name: str
    start: int
    end: int
    kind: str
    note: str
    place: str


@dataclass
class Database:
    generation: str = ""
    title: str = ""
    sources: list = field(default_factory=list)  # (name, text)
    blocks: list = field(default_factory=list)  # (name, title), in order
    ranges: list = field(default_factory=list)
    enums: dict = field(default_factory=dict)  # name -> [(name, value)]
    registers: list = field(default_factory=list)
    layouts: list = field(default_factory=list)
    files: list = field(default_factory=list)

    def of_block(self, block):
        return [r for r in self.registers + self.layouts if r.block == block]


class Loader:
    """Reads YAML nodes, not values: that keeps line numbers, sees duplicate keys, and does not take
    the field names ON or NO for booleans."""

    def __init__(self, path):
        self.root = path
        self.errors = []
        self.db = Database()
        self.enum_places = {}
        self.includes = []
        self.complete = True  # every file and range could be read

    def fail(self, place, what):
        self.errors.append(f"{place}: {what}")

    def place(self, node):
        return f"{self.file}:{yaml_nodes.line_of(node)}"

    # --- YAML nodes to values; None after an error has been noted

    def pairs(self, node, what):
        if not isinstance(node, yaml.MappingNode):
            self.fail(self.place(node), f"{what}: expected a map")
            return
        seen = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.fail(self.place(key), f"{what}: expected a plain key")
            elif key.value in seen:
                self.fail(self.place(key), f"{what}: duplicate key {key.value}")
            else:
                seen.add(key.value)
                yield key, value

    def items(self, node, what):
        if isinstance(node, yaml.SequenceNode):
            return node.value
        self.fail(self.place(node), f"{what}: expected a list")
        return []

    def text(self, node, what):
        if isinstance(node, yaml.ScalarNode) and node.value.isprintable():
            return node.value
        self.fail(self.place(node), f"{what}: expected one line of text")
        return None

    def integer(self, node, what, limit=0xFFFFFFFF):
        if (not isinstance(node, yaml.ScalarNode) or node.style
                or not INTEGER.match(node.value)):
            self.fail(self.place(node), f"{what}: expected a decimal or 0x integer")
            return None
        value = int(node.value, 0)
        if value > limit:
            self.fail(self.place(node), f"{what}: {node.value} exceeds 0x{limit:x}")
            return None
        return value

    def name(self, node, what):
        text = self.text(node, what)
        if text is not None and not NAME.match(text):
            self.fail(self.place(node), f"{what}: '{text}' is not an identifier")
            return None
        return text

    def unknown(self, key, what, known):
        close = difflib.get_close_matches(key.value, known, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        self.fail(self.place(key), f"{what}: unknown key {key.value}{hint}")

    # --- files

    def parse(self, path):
        self.file = os.path.relpath(path, os.path.dirname(self.root) or ".")
        self.db.files.append(path)
        try:
            node = yaml_nodes.compose(path)
        except yaml_nodes.Unreadable as error:
            said = {"file": "cannot read: ", "text": "", "YAML": "YAML: "}[error.cause]
            line = f":{error.line}" if error.line else ""
            self.fail(self.file + line, said + str(error.reason or error.__cause__))
        else:
            if node is not None:
                return node
            self.fail(self.file, "empty file")
        self.complete = False
        return None

    def load(self):
        """True if the database is faultless; self.errors otherwise."""
        db = self.db
        node = self.parse(self.root)
        if node is not None:
            for key, value in self.pairs(node, "database"):
                if key.value == "generation":
                    db.generation = self.name(value, "generation") or ""
                elif key.value == "title":
                    db.title = self.text(value, "title") or ""
                elif key.value in ("sources", "blocks"):
                    table = getattr(db, key.value)
                    for name, text in self.pairs(value, key.value):
                        table.append((self.name(name, key.value), self.text(text, name.value)))
                elif key.value == "ranges":
                    for item in self.items(value, "ranges"):
                        self.read_range(item)
                elif key.value == "include":
                    self.includes = [(self.text(i, "include"), self.place(i))
                                     for i in self.items(value, "include")]
                elif key.value in ("enums", "registers", "layouts"):
                    self.fail(self.place(key), f"{key.value}: belongs into an included file")
                else:
                    self.unknown(key, "database",
                                 ["generation", "title", "sources", "blocks", "ranges", "include"])
            if not db.generation:
                self.fail(self.file, "database: generation is missing")
            for path in self.included_files():
                self.read_block_file(path)
        if self.complete:  # otherwise what is missing would be reported wherever it is used
            self.validate()
        if not self.errors:
            db.registers.sort(key=lambda r: r.offset)
            db.layouts.sort(key=lambda r: r.name)
        return not self.errors

    def included_files(self):
        """A name with a * is that of every file that no other name includes."""
        folder = os.path.dirname(self.root)
        paths = [os.path.join(folder, name) for name, _ in self.includes if name and "*" not in name]
        for name, _ in self.includes:
            if name and "*" in name:
                paths += [path for path in sorted(glob.glob(os.path.join(folder, name))) if path not in paths]
        return paths

    def read_range(self, node):
        values = {"note": ""}
        for key, value in self.pairs(node, "range"):
            if key.value in ("start", "end"):
                values[key.value] = self.integer(value, key.value)
            elif key.value == "name":
                values["name"] = self.name(value, "name")
            elif key.value in ("kind", "note"):
                values[key.value] = self.text(value, key.value)
            else:
                self.unknown(key, "range", ["name", "start", "end", "kind", "note"])
        missing = [k for k in ("name", "start", "end", "kind") if k not in values]
        if missing:
            self.fail(self.place(node), f"range: {', '.join(missing)} missing")
        if missing or None in values.values():
            self.complete = False
        else:
            self.db.ranges.append(Range(place=self.place(node), **values))

    def read_block_file(self, path):
        node = self.parse(path)
        if node is None:
            return
        entries = dict((k.value, (k, v)) for k, v in self.pairs(node, "file"))
        block = None
        if "block" in entries:
            block_node = entries["block"][1]
            block = self.name(block_node, "block")
            if "title" in entries:
                self.db.blocks.append((block, self.text(entries["title"][1], "title")))
            known = [name for name, _ in self.db.blocks if name is not None]
            if block is not None and block not in known:
                self.fail(self.place(block_node), f"block {block} is not among the database's "
                                                  f"blocks ({', '.join(known)})")
        for word, (key, value) in entries.items():
            if word == "enums":
                for name, body in self.pairs(value, "enums"):
                    self.read_enum(name, body)
            elif word in ("registers", "layouts"):
                if block is None:
                    self.fail(self.place(key), f"{word}: the file names no block")
                for name, body in self.pairs(value, word):
                    self.read_register(name, body, block, word == "layouts")
            elif word == "reserved":
                for run in self.items(value, word):
                    self.read_reserved(run, block)
            elif word not in ("block", "title"):
                self.unknown(key, "file", ["block", "title", "registers", "reserved", "layouts", "enums"])

    def read_enum(self, key, node):
        name = self.name(key, "enum")
        values = []
        for entry, value in self.pairs(node, f"enum {key.value}"):
            entry_name = self.name(entry, f"enum {key.value}")
            number = self.integer(value, f"enum {key.value}: {entry.value}")
            if entry_name is not None and number is not None:
                values.append((entry_name, number))
        if name in self.db.enums:
            self.fail(self.place(key), f"enum {name}: already defined at {self.enum_places[name]}")
        elif name is not None:
            self.db.enums[name] = values
            self.enum_places[name] = self.place(key)

    def read_register(self, key, node, block, is_layout):
        what = key.value
        if self.name(key, "register") is None:
            return
        register = Register(name=key.value, place=self.place(key), block=block)
        known = ["fields"] if is_layout else ["at", "access", "reset", "aliases", "fields"]
        offset_given = is_layout
        for word, value in self.pairs(node, what):
            if word.value not in known:
                self.unknown(word, what, known)
            elif word.value == "at":
                register.offset = self.integer(value, f"{what}: at")
                offset_given = True
            elif word.value == "access":
                register.access = self.text(value, f"{what}: access")
                if register.access not in ACCESS:
                    self.fail(self.place(value),
                              f"{what}: access {register.access}: expected rw, ro or wo")
            elif word.value == "reset":
                register.reset = self.integer(value, f"{what}: reset")
            elif word.value == "aliases":
                aliases = [self.name(i, f"{what}: alias")
                           for i in self.items(value, f"{what}: aliases")]
                register.aliases = [a for a in aliases if a is not None]
            else:
                for name, bits in self.pairs(value, what):
                    self.read_field(register, name, bits)
        if not offset_given:
            self.fail(register.place, f"{what}: at (the byte offset) is missing")
        (self.db.layouts if is_layout else self.db.registers).append(register)

    def read_reserved(self, node, block):
        """[first, last]: dwords without a register, which take writes like one."""
        ends = [self.integer(item, "reserved") for item in self.items(node, "reserved")]
        if None in ends:
            return
        if len(ends) != 2 or ends[0] > ends[1] or ends[0] % 4 or ends[1] % 4:
            self.fail(self.place(node), "reserved: expected [first, last], byte offsets of dwords in order")
            return
        for offset in range(ends[0], ends[1] + 4, 4):
            self.db.registers.append(Register(f"RESERVED_{offset:05X}", self.place(node), block, offset))

    def read_field(self, register, key, node):
        what = f"{register.name}: field {key.value}"
        if self.name(key, register.name + ": field") is None:
            return
        items = self.items(node, what)
        if len(items) not in (2, 3):
            self.fail(self.place(node), f"{what}: expected [lsb, msb] or [lsb, msb, ENUM]")
            return
        lsb, msb = self.integer(items[0], what), self.integer(items[1], what)
        enum = self.name(items[2], what) if len(items) == 3 else None
        if lsb is None or msb is None:
            return
        if not lsb <= msb <= 31:
            self.fail(self.place(node), f"{what}: [{lsb}, {msb}]: bits must satisfy "
                                        "0 <= lsb <= msb <= 31")
            return
        register.fields.append(Field(key.value, lsb, msb, enum))

    # --- rules that span entries

    def validate(self):
        db = self.db
        db.ranges.sort(key=lambda r: r.start)
        for r in db.ranges:
            if r.start > r.end:
                self.fail(r.place, f"range {r.name}: start 0x{r.start:x} lies behind end "
                                   f"0x{r.end:x}")
            if r.kind not in KINDS:
                self.fail(r.place, f"range {r.name}: kind {r.kind}: expected {', '.join(KINDS)}")
        for a, b in zip(db.ranges, db.ranges[1:]):
            if b.start <= a.end:
                self.fail(b.place, f"range {b.name} overlaps range {a.name} ({a.place})")
        names, offsets = {}, {}
        for register in db.registers + db.layouts:
            for name in [register.name] + register.aliases:
                if name in names:
                    self.fail(register.place, f"{register.name}: name {name} already used at "
                                              f"{names[name]}")
                names.setdefault(name, register.place)
            self.validate_fields(register)
        for register in db.registers:
            at = register.offset
            if at is None:
                continue  # already reported
            if at in offsets:
                first = offsets[at]
                self.fail(register.place, f"{register.name}: offset 0x{at:x} already taken by "
                                          f"{first.name} ({first.place})")
            offsets.setdefault(at, register)
            if at % 4:
                self.fail(register.place, f"{register.name}: offset 0x{at:x} is not a multiple "
                                          "of 4")
            if not any(r.start <= at <= r.end for r in db.ranges):
                self.fail(register.place, f"{register.name}: offset 0x{at:x} lies in no range")

    def validate_fields(self, register):
        register.fields.sort(key=lambda f: (f.lsb, f.msb))
        for i, a in enumerate(register.fields):
            for b in register.fields[i + 1:]:
                if b.lsb <= a.msb:
                    self.fail(register.place,
                              f"{register.name}: field {b.name} [{b.lsb}, {b.msb}] overlaps field "
                              f"{a.name} [{a.lsb}, {a.msb}]")
        accessors = [f.accessor(register.name) for f in register.fields]
        for name in sorted(set(a for a in accessors if accessors.count(a) > 1)):
            self.fail(register.place, f"{register.name}: two fields need the accessor {name}")
        for f in register.fields:
            if f.enum is None:
                continue
            what = f"{register.name}: field {f.name}"
            if f.enum not in self.db.enums:
                close = difflib.get_close_matches(f.enum, self.db.enums, 1)
                hint = f" (did you mean {close[0]}?)" if close else ""
                self.fail(register.place, f"{what}: enum {f.enum} is not defined{hint}")
                continue
            for name, value in self.db.enums[f.enum]:
                if value >> (f.msb - f.lsb + 1):
                    self.fail(register.place, f"{what}: {f.enum}.{name} = {value} does not fit "
                                              f"into [{f.lsb}, {f.msb}]")


# --- writers: each returns {file name: text}


def banner(db, comment="//"):
    return (f"{comment} SPDX-License-Identifier: Apache-2.0\n"
            f"{comment} Generated by scripts/gen_regs.py from configs/registers/{db.generation}"
            ".yaml; do not edit.\n")


def stems(db):
    g = db.generation
    names = [f"{g}_names.h", f"{g}_enums.h", f"{g}_registers.h", f"{g}_register_table.h",
             f"{g}_register_table.cpp", f"{g}_accessor_list.inc", f"{g}_registers.vh",
             f"{g}_registers.md"]
    for block, _ in db.blocks:
        names += [f"{g}_{block}.h", f"{g}_{block}.vh"]
    return sorted(names)


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def header(db, includes, body, inner=""):
    space = f"archipelago::regs::{db.generation}{inner}"
    text = banner(db) + "#pragma once\n\n" + "".join(f"#include {i}\n" if i else "\n"
                                                     for i in includes)
    if body:
        text += f"\nnamespace {space} {{\n\n{body}\n}}  // namespace {space}\n"
    return text


def write_names(db):
    body = ["// Byte offsets of registers; an alias has the offset of its register."]
    for block, title in db.blocks:
        registers = [r for r in db.of_block(block) if r.offset is not None]
        if registers:
            body.append(f"\n// {block}: {title}")
        for r in registers:
            for name in [r.name] + r.aliases:
                body.append(f"constexpr uint32_t {name} = 0x{r.offset:05X};")
    return header(db, ["<cstdint>"], "\n".join(body) + "\n")


def write_enums(db):
    body = []
    for name in sorted(db.enums):
        body.append(f"struct {name} {{\n    enum Value : uint32_t {{")
        body += [f"        {entry} = {value}," for entry, value in db.enums[name]]
        body.append("    };\n};\n")
    text = ("// Values of fields, as plain numbers: `word.EVENT_TYPE() == "
            "enums::VGT_EVENT_TYPE::CS_DONE`.\n" + "\n".join(body))
    return header(db, ["<cstdint>"], text, "::enums")


def write_block_header(db, block, title):
    body = [f"// {block}: {title}.\n"]
    for r in db.of_block(block):
        if not r.fields:
            continue
        body.append(f"struct {r.name} {{")
        if r.offset is not None:
            body.append(f"    static constexpr uint32_t kOffset = 0x{r.offset:05X};")
        body.append("    uint32_t raw = 0;")
        for f in r.fields:
            name, bits = f.accessor(r.name), f"{f.lsb}, {f.msb}"
            if f.enum:
                body.append(f"    // enums::{f.enum}")
            body.append(f"    constexpr uint32_t {name}() const {{\n"
                        f"        return get_bits<{bits}>(raw);\n    }}")
            body.append(f"    constexpr {r.name}& set_{name}(uint32_t value) {{\n"
                        f"        raw = set_bits<{bits}>(raw, value);\n"
                        "        return *this;\n    }")
        body.append("};\n")
    return header(db, ["<cstdint>", "", '"models/common/register_info.h"'], "\n".join(body),
                  "::typed")


def write_umbrella(db):
    g = db.generation
    includes = [f'"registers/{g}_{b}.h"' for b in sorted([b for b, _ in db.blocks]
                                                         + ["enums", "names", "register_table"])]
    return header(db, includes, "")


def write_table_header(db):
    blocks = "".join(f"    {camel(b)},  // {t}\n" for b, t in db.blocks)
    body = f"""// RegisterInfo::block of this database.
enum class Block : uint16_t {{
{blocks}}};

const RegisterDatabase& database();

inline const RegisterInfo* find(uint32_t byte_offset) {{ return database().find(byte_offset); }}
inline const RegisterInfo* find_by_name(std::string_view name) {{
    return database().find_by_name(name);
}}
inline const RangeInfo* range_of(uint32_t byte_offset) {{
    return database().range_of(byte_offset);
}}
inline std::string decode(uint32_t byte_offset, uint32_t value) {{
    return database().decode(byte_offset, value);
}}
"""
    return header(db, ["<cstdint>", "<string>", "<string_view>", "",
                       '"models/common/register_info.h"'], body)


def write_table(db):
    g = db.generation
    out = [banner(db), f'#include "registers/{g}_register_table.h"\n',
           f"namespace archipelago::regs::{g} {{\n\nnamespace {{\n"]
    for name in sorted(db.enums):
        entries = "".join(f"    {{{quoted(n)}, {v}u}},\n" for n, v in db.enums[name])
        out.append(f"constexpr EnumValueInfo kValues_{name}[] = {{\n{entries}}};")
        out.append(f"constexpr EnumInfo kEnum_{name}{{{quoted(name)}, "
                   f"{{kValues_{name}, {len(db.enums[name])}}}}};\n")
    # Registers with the same fields share them.
    start, field_rows = {}, []
    for r in db.registers + db.layouts:
        key = tuple((f.name, f.lsb, f.msb, f.enum) for f in r.fields)
        if key and key not in start:
            start[key] = len(field_rows)
            field_rows += [f"    {{{quoted(n)}, {lsb}, {msb}, "
                           f"{'&kEnum_' + e if e else 'nullptr'}}},\n" for n, lsb, msb, e in key]
    if field_rows:
        out.append(f"constexpr FieldInfo kFields[] = {{\n{''.join(field_rows)}}};\n")

    def row(r):
        key = tuple((f.name, f.lsb, f.msb, f.enum) for f in r.fields)
        fields = f"{{kFields + {start[key]}, {len(key)}}}" if key else "{}"
        offset = f"0x{r.offset:05X}u" if r.offset is not None else "kNoOffset"
        known = "true" if r.reset is not None else "false"
        block = f"static_cast<uint16_t>(Block::{camel(r.block)})"
        return (f"    {{{offset}, {quoted(r.name)}, {block}, Access::{ACCESS[r.access]}, {known}, "
                f"0x{r.reset or 0:X}u, {fields}}},\n")

    names = sorted((n.encode(), i) for i, r in enumerate(db.registers)
                   for n in [r.name] + r.aliases)
    tables = [
        ("RegisterInfo", "registers", [row(r) for r in db.registers]),
        ("NameInfo", "names", [f"    {{{quoted(n.decode())}, {i}}},\n" for n, i in names]),
        ("RegisterInfo", "layouts", [row(r) for r in db.layouts]),
        ("RangeInfo", "ranges", [f"    {{0x{r.start:05X}u, 0x{r.end:05X}u, {quoted(r.name)}, "
                                 f"RangeKind::{KINDS[r.kind]}, {quoted(r.note)}}},\n"
                                 for r in db.ranges]),
        ("BlockInfo", "blocks", [f"    {{{quoted(b)}, {quoted(t)}}},\n" for b, t in db.blocks]),
    ]
    spans = []
    for kind, name, rows in tables:
        if rows:
            out.append(f"constexpr {kind} k{camel(name)}[] = {{\n{''.join(rows)}}};\n")
        spans.append(f"    {{k{camel(name)}, {len(rows)}}},\n" if rows else "    {},\n")
    out.append(f"constexpr RegisterDatabase kDatabase{{\n    {quoted(g)},\n"
               f"    {quoted(db.title)},\n" + "".join(spans) + "};\n")
    out.append("}  // namespace\n\nconst RegisterDatabase& database() { return kDatabase; }\n\n"
               f"}}  // namespace archipelago::regs::{g}\n")
    return "\n".join(out)


def write_accessor_list(db):
    """For tests: every accessor there is."""
    lines = ["// ARCHIPELAGO_ACCESSOR(register or layout, accessor, field name)\n"]
    for r in db.registers + db.layouts:
        lines += [f'ARCHIPELAGO_ACCESSOR({r.name}, {f.accessor(r.name)}, "{f.name}")\n'
                  for f in r.fields]
    return banner(db) + "".join(lines)


def write_verilog(db, block=None, title=""):
    prefix = db.generation.upper()
    guard = f"ARCHIPELAGO_{prefix}_{(block or 'registers').upper()}_VH"
    out = [banner(db), f"`ifndef {guard}\n`define {guard}\n"]
    if block is None:
        out.append(f"// Include path: the folder of this file. Register offsets are bytes:\n"
                   f"// {prefix}_<REGISTER>, {prefix}_<REGISTER>__<FIELD>_LSB and _MSB,\n"
                   f"// {prefix}_ENUM_<ENUM>__<VALUE>.\n")
        out += [f'`include "{db.generation}_{b}.vh"\n' for b, _ in db.blocks]
        for name in sorted(db.enums):
            out.append("\n")
            out += [f"`define {prefix}_ENUM_{name}__{n} {v}\n" for n, v in db.enums[name]]
    else:
        out.append(f"// {block}: {title}\n")
        for r in db.of_block(block):
            if r.offset is not None:
                out += [f"`define {prefix}_{n} 32'h{r.offset:08X}\n" for n in [r.name] + r.aliases]
            for f in r.fields:
                out.append(f"`define {prefix}_{r.name}__{f.name}_LSB {f.lsb}\n"
                           f"`define {prefix}_{r.name}__{f.name}_MSB {f.msb}\n")
    return "".join(out) + "\n`endif\n"


def write_markdown(db):
    out = [f"<!-- Generated by scripts/gen_regs.py from configs/registers/{db.generation}.yaml; "
           "do not edit. -->\n", f"# {db.title}: registers\n\n",
           f"{len(db.registers)} registers, {len(db.layouts)} layouts. Offsets are byte offsets. "
           "An empty access or reset is unknown.\n\n## Sources\n\n"]
    out += [f"- {name}: {text}\n" for name, text in db.sources]
    out.append("\n## Ranges\n\n| start | end | name | kind | note |\n|---|---|---|---|---|\n")
    out += [f"| 0x{r.start:05X} | 0x{r.end:05X} | {r.name} | {r.kind} | {r.note} |\n"
            for r in db.ranges]
    for block, title in db.blocks:
        out.append(f"\n## {block}: {title}\n\n| offset | name | access | reset | fields |\n"
                   "|---|---|---|---|---|\n")
        for r in db.of_block(block):
            fields = ", ".join(
                f.name + (f" [{f.msb}:{f.lsb}]" if f.msb != f.lsb else f" [{f.lsb}]")
                + (f" ([{f.enum}](#{f.enum.lower()}))" if f.enum else "") for f in r.fields)
            names = r.name + "".join(f", alias {a}" for a in r.aliases)
            offset = f"0x{r.offset:05X}" if r.offset is not None else ""
            reset = f"0x{r.reset:X}" if r.reset is not None else ""
            out.append(f"| {offset} | {names} | {r.access or ''} | {reset} | {fields} |\n")
    out.append("\n## Enumerations\n")
    for name in sorted(db.enums):
        values = ", ".join(f"{n} = {v}" for n, v in db.enums[name])
        out.append(f"\n### {name}\n\n{values}\n")
    return "".join(out)


def generate(db):
    g = db.generation
    files = {
        f"{g}_names.h": write_names(db),
        f"{g}_enums.h": write_enums(db),
        f"{g}_registers.h": write_umbrella(db),
        f"{g}_register_table.h": write_table_header(db),
        f"{g}_register_table.cpp": write_table(db),
        f"{g}_accessor_list.inc": write_accessor_list(db),
        f"{g}_registers.vh": write_verilog(db),
        f"{g}_registers.md": write_markdown(db),
    }
    for block, title in db.blocks:
        files[f"{g}_{block}.h"] = write_block_header(db, block, title)
        files[f"{g}_{block}.vh"] = write_verilog(db, block, title)
    assert sorted(files) == stems(db)
    return files


def write_if_changed(path, text):
    """Leaves the time stamp of an unchanged header alone, so that its users are not rebuilt."""
    try:
        with open(path, encoding="utf-8") as stream:
            if stream.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--out", metavar="DIR")
    action.add_argument("--check", action="store_true")
    action.add_argument("--list", action="store_true")
    action.add_argument("--depends", action="store_true")
    arguments = parser.parse_args()
    loader = Loader(arguments.database)
    good = loader.load()
    if arguments.depends:
        print("\n".join(loader.db.files))
        return 0  # a faulty database must still be able to trigger its own rebuild
    if not good:
        print("\n".join(loader.errors), file=sys.stderr)
        return 1
    if arguments.list:
        print("\n".join(stems(loader.db)))
    elif arguments.out:
        os.makedirs(arguments.out, exist_ok=True)
        for name, text in generate(loader.db).items():
            write_if_changed(os.path.join(arguments.out, name), text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
