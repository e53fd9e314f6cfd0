#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the pins of blocks (configs/pins/<block>.yaml) into C++ and SystemVerilog.

    gen_pins.py FOLDER --out DIR      write DIR/pins/<block>_pins.h and DIR/rtl/<block>/<block>_ports.svh of each
                                      block, and DIR/pins/pin_data.cpp of all
    gen_pins.py FOLDER --check        only validate
    gen_pins.py FOLDER --list         name the files --out writes, one per line

The schema is described in configs/pins/README.md. All faults are reported, one per line, as
`file:line: what is wrong`; the exit status is then 1. Output depends on nothing but the folder.
"""

import argparse
import os
import sys
import textwrap
from pathlib import Path

import pins_reader
from gen_regs import write_if_changed
from pins_reader import HANDSHAKE


# --- C++

def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def comment(text, indent):
    if not text:
        return ""
    return "".join(f"{indent}// {line}\n" for line in textwrap.wrap(text, 96 - len(indent)))


def member_line(type_, name, initial, is_array, text, indent):
    value = "{}" if is_array else f" = {initial}"
    line = f"{indent}{type_} {name}{value};"
    return f"{line}  // {text}\n" if text and len(line) + len(text) < 96 else comment(text, indent) + line + "\n"


def field_line(f, indent, name=None, lanes=None):
    type_, is_array = f.cpp_type()
    if lanes:
        type_, is_array = f"std::array<{type_}, {lanes}>", True
    return member_line(type_, name or f.member or f.name, f.initial, is_array, f.texts[0], indent)


def write_message(message, indent="    "):
    out = comment(message.about, indent)
    base = f" : {message.base.name}" if message.base is not None else ""
    out += f"{indent}struct {message.name}{base} {{\n"
    out += "".join(field_line(f, indent + "    ") for f in message.fields)
    if message.equal:
        same = " && ".join(f"{f.name} == o.{f.name}" for f in message.fields)
        out += f"\n{indent}    bool operator==(const {message.name}& o) const {{\n"
        out += f"{indent}        return {same};\n{indent}    }}\n"
    return out + f"{indent}}};\n"


def write_values(block, way):
    """The struct In or Out."""
    out = f"    struct {way.capitalize()} {{\n"
    if way == "in":
        out += "        uint8_t rst = 0;\n"
    for port in block.ports:
        has_struct = False
        for f in port.fields[way]:
            if port.in_struct(f, way):
                if not has_struct:
                    type_ = port.struct.name
                    array = f"std::array<{type_}, {port.lanes}>" if port.lanes else type_
                    out += f"        {array} {port.struct_member()}{'{}' if port.lanes else ''};\n"
                has_struct = True
            else:
                out += field_line(f, "        ", port.member_name(f, way), port.lanes)
    return out + "    };\n"


def write_visitor(block, way):
    out = f"    template <class V>\n    static void {way}puts(V&& visit) {{\n"
    for pin in block.pins(way):
        out += (f"        ARCHIPELAGO_PIN({pin.port}, {pin.field}, {pin.where}, {pin.bits},\n"
                f"                        {quoted(pin.text)});\n")
    return out + "    }\n"


def write_elastic(block):
    words = [quoted(block.elastic.get(k, "")) for k in ("inputs", "outputs", "faults", "served")]
    if block.exact_only is not None:
        words.append(quoted(block.exact_only))
    return f"    static constexpr Elastic kElastic{{{', '.join(words)}}};\n"


def write_names(block):
    """Constants, enumerations and names of types."""
    out = ""
    for name, (value, text, type_) in block.constants.items():
        out += f"    static constexpr {type_} {name} = {value};{'  // ' + text if text else ''}\n"
    for name, (about, entries) in block.enums.items():
        out += "\n" + comment(about, "    ") + f"    enum {name} : uint8_t {{\n"
        out += "".join(f"        {e},{'  // ' + text if text else ''}\n" for e, text in entries) + "    };\n"
    return out + write_aliases(block, "    ")


def write_aliases(block, indent):
    return "".join(comment(about, indent) + textwrap.indent(text, indent) + "\n"
                   for about, text in block.aliases.values())


def write_listed(block):
    """A list of a port's fields by a macro, for users that treat them alike."""
    out = ""
    for port in block.ports:
        if port.listed is None:
            continue
        macro, first, last = port.listed
        names = [f.name for f in port.fields["in"]]
        rows = []
        for f in port.fields["in"][names.index(first):names.index(last) + 1]:
            rows.append(f"    LIST({f.name}, {f.count}, {f.bits})" if f.count else f"    NUMBER({f.name}, {f.bits})")
        out += (f"// NUMBER(field, bits) and LIST(field, elements, bits) for {first} to {last} of {port.name}.\n"
                f"#define {macro}(NUMBER, LIST) \\\n" + " \\\n".join(rows) + "\n\n")
    return out


def header(source, about, includes):
    return ("// SPDX-License-Identifier: Apache-2.0\n"
            f"// Generated by scripts/gen_pins.py from configs/pins/{source}; do not edit.\n//\n"
            + comment(about, "") + "#pragma once\n\n#include <array>\n#include <cstdint>\n\n"
            + "".join(f'#include "{name}"\n' for name in includes) + "\nnamespace archipelago::rtl {\n\n")


def write_block(block):
    includes = sorted(["models/common/pins/pin_block.h"] + [f"pins/{name}.h" for name in block.shared])
    out = header(block.file, f"Pins of {block.title}. {block.about}".rstrip(), includes)
    out += write_listed(block)
    out += f"struct {block.class_name()} {{\n    static constexpr const char* kName = {quoted(block.name)};\n"
    out += write_elastic(block) + write_names(block) + "\n"
    out += "".join(write_message(m) for m in block.messages.values() if not m.shared)
    out += write_values(block, "in") + write_values(block, "out") + "\n"
    return out + write_visitor(block, "in") + write_visitor(block, "out") + "};\n\n}  // namespace archipelago::rtl\n"


def write_shared(block):
    out = header(block.file, block.title[0].upper() + block.title[1:] + ".", [])
    out += write_aliases(block, "") + "\n"
    out += "\n".join(write_message(m, "") for m in block.messages.values())
    return out + "\n}  // namespace archipelago::rtl\n"


def write_data(blocks, rules):
    """All pins as data, for what works on them at run time."""
    out = ("// SPDX-License-Identifier: Apache-2.0\n"
           "// Generated by scripts/gen_pins.py from configs/pins; do not edit.\n"
           "#include <cstddef>\n\n"
           + "".join(f'#include "pins/{block.name}_pins.h"\n' for block in blocks)
           + '#include "rtl-bridge/pins/pin_table.h"\n\n'
           "// Structs with a base are laid out as others are.\n"
           '#pragma GCC diagnostic ignored "-Winvalid-offsetof"\n\n'
           "namespace archipelago::rtl {\n\n"
           "const char* pin_rules() {\n    return\n"
           + "\n".join(f"        {quoted(line)}" for line in rules.splitlines(keepends=True)) + ";\n}\n")
    for block in blocks:
        out += (f"\ntemplate <>\nPinData pin_data<{block.class_name()}>() {{\n    using P = {block.class_name()};\n"
                "    using In = P::In;\n    using Out = P::Out;\n    static constexpr PinRow kRows[] = {\n"
                '        {"reset", "rst", "high: reset, synchronous", true, offsetof(In, rst), 1, 1, 1},\n')
        for way in ("in", "out"):
            for pin in block.pins(way):
                out += (f'        {{"{pin.port}", "{pin.field}", {quoted(pin.text)},\n'
                        f"         {'true' if way == 'in' else 'false'}, {pin.offset}, {pin.count}, {pin.bytes},"
                        f" {pin.bits}}},\n")
        out += (f"    }};\n    return {{{quoted(block.title)}, {quoted(block.about)},\n            {quoted(enums_text(block))},\n"
                "            std::begin(kRows), std::end(kRows)};\n}\n")
    return out + "\n}  // namespace archipelago::rtl\n"


def enums_text(block):
    """A line for each enumeration: its values by number."""
    lines = []
    for name, (about, values) in block.enums.items():
        shown = [f"{i} {value}{' (' + text + ')' if text else ''}" for i, (value, text) in enumerate(values)]
        lines.append(f"{block.class_name()}::{name}: {about + ' ' if about else ''}{', '.join(shown)}")
    return "\n".join(lines)


# --- SystemVerilog

def width(pin, packed):
    if pin.count > 1 and pin.bits > 1 and packed:
        return f"[{pin.count - 1}:0][{pin.bits - 1}:0] "
    return f"[{pin.count * pin.bits - 1}:0] " if pin.count * pin.bits > 1 else ""


def write_ports(block):
    """A port's handshake first."""
    out = ("// SPDX-License-Identifier: Apache-2.0\n"
           f"// Generated by scripts/gen_pins.py from configs/pins/{block.file}; do not edit.\n"
           f"// Ports of {block.title}.\n")
    pins = [(way, pin) for way in ("in", "out") for pin in block.pins(way)]
    ports = list(dict.fromkeys(pin.port for _, pin in pins))
    place = lambda pin: HANDSHAKE.index(pin.field) if pin.field in HANDSHAKE else len(HANDSHAKE)
    rows = [("input  logic clk", ""), ("input  logic rst", "high: reset, synchronous")]
    for way, pin in sorted(pins, key=lambda row: (ports.index(row[1].port), place(row[1]))):
        rows.append((f"{way + 'put':<6} logic {width(pin, block.packed)}{pin.name()}", pin.text))
    for i, (declaration, text) in enumerate(rows):
        comma = "," if i + 1 < len(rows) else ""
        out += f"  {declaration}{comma}{'  // ' + text if text else ''}\n"
    return out


def generate(blocks, shared, rules):
    files = {f"pins/{name}.h": write_shared(block) for name, block in shared.items()}
    files["pins/pin_data.cpp"] = write_data(blocks, rules)
    for block in blocks:
        files[f"pins/{block.name}_pins.h"] = write_block(block)
        files[f"rtl/{block.name}/{block.name}_ports.svh"] = write_ports(block)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--out", metavar="DIR")
    action.add_argument("--check", action="store_true")
    action.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    blocks, shared, errors = pins_reader.load(arguments.folder)
    if errors:
        print("\n".join(errors), file=sys.stderr)
        return 1
    rules = Path(arguments.folder, "RULES.md").read_text(encoding="utf-8")
    files = generate(blocks, shared, rules)
    if arguments.list:
        print("\n".join(sorted(files)))
    elif arguments.out:
        for name, text in files.items():
            path = os.path.join(arguments.out, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_if_changed(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
