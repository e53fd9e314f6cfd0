#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the map of a register bus into a C++ header and a SystemVerilog package.

    gen_bus_map.py DATABASE BUS.yaml OUT.h OUT.svh

DATABASE is the register database (configs/registers/<generation>.yaml), BUS.yaml the map of its bus.
Files are only written when they change. Exit status 1 names what is wrong.
"""

import os
import sys

import yaml

import gen_regs

PAGE = 0x400  # bytes: the registers known within one page make one constant
APERTURE = 0x40000
STATUS = ["GRBM_STATUS", "GRBM_STATUS2", "GRBM_STATUS_SE0", "GRBM_STATUS_SE1"]
OWN = STATUS + ["GRBM_SOFT_RESET", "GRBM_GFX_INDEX"]
COPIES = ["se", "sh", "instance"]
FIELDS = {"GRBM_STATUS": ["GUI_ACTIVE"],
          "GRBM_GFX_INDEX": ["INSTANCE_INDEX", "SH_INDEX", "SE_INDEX", "SH_BROADCAST_WRITES",
                             "INSTANCE_BROADCAST_WRITES", "SE_BROADCAST_WRITES"]}


def fail(message):
    print(f"gen_bus_map: {message}", file=sys.stderr)
    sys.exit(1)


def check(bus, path, registers):
    unknown = set(bus) - {"ports", "ranges", "contexts", "copies", "side_effects"}
    if unknown:
        fail(f"{path}: unknown key {sorted(unknown)[0]}")
    if bus["ports"][:2] != ["self", "store"]:
        fail(f"{path}: the first ports must be self and store")
    last = -1
    for r in bus["ranges"]:
        if set(r) - {"also"} != {"name", "start", "end", "port"}:
            fail(f"{path}: range {r.get('name')}: name, start, end and port are wanted")
        for port in (r["port"], *r.get("also", [])):
            if port not in bus["ports"]:
                fail(f"{path}: range {r['name']}: no port {port}")
        if {"self", "store", r["port"]} & set(r.get("also", [])) or ("also" in r and r["port"] == "self"):
            fail(f"{path}: range {r['name']}: also is for blocks beside another block or the store")
        if r["start"] % 4 != 0 or r["end"] % 4 != 3 or r["start"] <= last or r["end"] >= APERTURE:
            fail(f"{path}: range {r['name']}: not dwords behind the range before, in the aperture")
        last = r["end"]
    contexts = bus["contexts"]
    if set(contexts) != {"start", "end", "copy", "single"}:
        fail(f"{path}: contexts: start, end, copy and single are wanted")
    if contexts["start"] % PAGE != 0 or (contexts["end"] + 1 - contexts["start"]) % PAGE != 0:
        fail(f"{path}: contexts: not whole pages of {PAGE} bytes")
    if contexts["copy"] not in contexts["single"]:
        fail(f"{path}: contexts: {contexts['copy']} must be single")
    copies = bus["copies"]
    if set(copies) != {"most", "contexts", "blocks", "registers"}:
        fail(f"{path}: copies: most, contexts, blocks and registers are wanted")
    if list(copies["most"]) != COPIES or any(n & (n - 1) or not 0 < n < 256 for n in copies["most"].values()):
        fail(f"{path}: copies: most names {', '.join(COPIES)}, each a power of two")
    if copies["contexts"] != COPIES[:len(copies["contexts"])]:
        fail(f"{path}: copies: contexts: the first of {', '.join(COPIES)}")
    for name, by in [("contexts", copies["contexts"]), *copies["blocks"].items(), *copies["registers"].items()]:
        if not set(by) <= set(COPIES):
            fail(f"{path}: copies: {name}: of {', '.join(COPIES)}")
    for block in copies["blocks"]:
        if block not in {r.block for r in registers.values()}:
            fail(f"{path}: copies: no register is of block {block}")
    for name in bus["side_effects"] + contexts["single"] + list(copies["registers"]) + OWN:
        if name not in registers:
            fail(f"{path}: the database has no register {name}")


def port_name(port):
    return "k" + port.capitalize()


def also(bus, bus_range):
    """Blocks that get the writes of a range too: a bit each, by the number of their port."""
    return sum(1 << bus["ports"].index(port) for port in bus_range.get("also", []))


def copied(bus, registers):
    """Runs (start, end, [se, sh, instance]) of kept registers that there are several of; bytes, inclusive. What lies
    between two of a run is of it, reserved dwords among that."""
    copies, contexts = bus["copies"], bus["contexts"]
    runs, last = [], None
    for r in sorted((r for r in registers.values() if r.offset is not None), key=lambda r: r.offset):
        if r.block == "reserved":
            continue
        if not any(b["start"] <= r.offset <= b["end"] and b["port"] == "store" for b in bus["ranges"]):
            last = None
            continue
        by = set(copies["registers"].get(r.name, copies["blocks"].get(r.block, [])))
        if contexts["start"] <= r.offset <= contexts["end"]:
            by &= set(copies["contexts"])
        if by and by == last:
            runs[-1][1] = r.offset + 3
        elif by:
            runs.append([r.offset, r.offset + 3, [kind in by for kind in COPIES]])
        last = by
    return runs


def cpp(bus, registers, generation, banner):
    ports = ", ".join(port_name(p) for p in bus["ports"])
    out = [banner("//"), "#pragma once\n\n#include <cstdint>\n\n",
           f"namespace archipelago::regs::{generation} {{\n\n",
           f"// By number.\nnamespace bus_port {{\nenum Port : uint8_t {{ {ports}, kPorts }};\n"
           "}  // namespace bus_port\n\n",
           "struct BusRange {\n    const char* name;\n    uint32_t start, end;  // bytes, inclusive\n"
           "    uint8_t port;\n    uint32_t also;  // ports that get the writes too, a bit each by number\n};\n",
           "inline constexpr BusRange kBusRanges[] = {\n"]
    for r in bus["ranges"]:
        out.append(f"    {{{gen_regs.quoted(r['name'])}, 0x{r['start']:05X}, 0x{r['end']:05X}, "
                   f"bus_port::{port_name(r['port'])}, 0x{also(bus, r):X}}},\n")
    out.append("};\n\n// Their writes start something that no block does yet.\n"
               "struct BusSideEffect {\n    uint32_t offset;\n    const char* name;\n};\n"
               "inline constexpr BusSideEffect kBusSideEffects[] = {\n")
    for n in bus["side_effects"]:
        out.append(f"    {{0x{registers[n].offset:05X}, {gen_regs.quoted(n)}}},\n")
    contexts = bus["contexts"]
    out.append("};\n\n// Registers there are for each render context, and those among them there are once.\n"
               f"inline constexpr uint32_t kBusContextStart = 0x{contexts['start']:05X};  // bytes\n"
               f"inline constexpr uint32_t kBusContextEnd = 0x{contexts['end']:05X};    // inclusive\n"
               "inline constexpr uint32_t kBusContextSingle[] = {\n")
    for n in contexts["single"]:
        out.append(f"    0x{registers[n].offset:05X},  // {n}\n")
    out.append("};\nconstexpr bool is_context_register(uint32_t offset) {\n"
               "    if (offset < kBusContextStart || offset > kBusContextEnd)\n        return false;\n"
               "    for (const uint32_t single : kBusContextSingle)\n        if (offset == single)\n"
               "            return false;\n    return true;\n}\n\n"
               "// Kept registers there are several of: one for each shader engine, shader array of an engine,\n"
               "// unit of an array; and how many of those there are at most.\n"
               "struct BusCopies {\n    uint32_t start, end;  // bytes, inclusive\n"
               "    bool se, sh, instance;\n};\ninline constexpr BusCopies kBusCopies[] = {\n")
    for start, end, by in copied(bus, registers):
        out.append(f"    {{0x{start:05X}, 0x{end:05X}, {', '.join(str(b).lower() for b in by)}}},\n")
    out.append("};\n")
    for kind, most in bus["copies"]["most"].items():
        out.append(f"inline constexpr uint32_t kBusMost{kind.capitalize()} = {most};\n")
    out.append(f"\n}}  // namespace archipelago::regs::{generation}\n")
    return "".join(out)


def dword(offset):
    return f"16'h{offset // 4:04x}"


def function(name, width, argument, arguments, rows, default):
    out = [f"  function automatic logic [{width - 1}:0] {name}(input logic [{arguments - 1}:0] "
           f"{argument});\n    case ({argument})\n"]
    out += [f"      {key}: {name} = {value};\n" for key, value in rows]
    out.append(f"      default: {name} = {default};\n    endcase\n  endfunction\n\n")
    return "".join(out)


def verilog(bus, registers, banner):
    blocks = len(bus["ports"]) - 2
    out = [banner("//"), "`ifndef GRBM_MAP_SVH\n`define GRBM_MAP_SVH\n"
           "/* verilator lint_off UNUSEDPARAM */\npackage grbm_map;\n",
           f"  localparam int kPorts = {len(bus['ports'])};\n"
           f"  localparam int kBlocks = {blocks};          // the last of the ports\n"
           "  localparam int kAnswers = kBlocks + 1;  // to one source in one cycle, at most\n"]
    for number, port in enumerate(bus["ports"]):
        out.append(f"  localparam logic [7:0] kPort{port.capitalize()} = 8'd{number};\n")
    out.append("\n  // Dword offsets.\n")
    camel = gen_regs.camel
    for n in OWN:
        out.append(f"  localparam logic [15:0] k{camel(n.lower())} = {dword(registers[n].offset)};\n")
    for n, fields in FIELDS.items():
        for f in registers[n].fields:
            if f.name in fields:
                out.append(f"  localparam int k{camel(f.name.lower())}Lsb = {f.lsb};\n")
    out.append("\n  // Port of the block that owns a dword; 8'hff for a hole in the map.\n"
               "  function automatic logic [7:0] port_of(input logic [15:0] dword);\n"
               "    port_of = 8'hff;\n")
    for r in bus["ranges"]:
        out.append(f"    if (dword >= {dword(r['start'])} && dword <= {dword(r['end'])}) "
                   f"port_of = kPort{r['port'].capitalize()};  // {r['name']}\n")
    out.append("  endfunction\n\n"
               "  // Blocks that get the writes of a dword too, a bit each from the first block on.\n"
               f"  function automatic logic [{blocks - 1}:0] also_of(input logic [15:0] dword);\n"
               "    also_of = '0;\n")
    for r in bus["ranges"]:
        if "also" in r:
            out.append(f"    if (dword >= {dword(r['start'])} && dword <= {dword(r['end'])}) "
                       f"also_of = {blocks}'h{also(bus, r) >> 2:x};  // {r['name']}\n")
    out.append("  endfunction\n\n"
               "  // Writes that start something no block does.\n"
               "  function automatic logic starts(input logic [15:0] dword);\n"
               "    starts = " + "\n          || ".join(
                   f"dword == {dword(registers[n].offset)}" for n in bus["side_effects"]) +
               ";\n  endfunction\n\n")
    contexts = bus["contexts"]
    size = (contexts["end"] + 1 - contexts["start"]) // 4
    out.append("  // Registers there are for each render context.\n"
               f"  localparam logic [15:0] kContextFirst = {dword(contexts['start'])};\n"
               f"  localparam int kContextDwords = {size};\n"
               f"  localparam int kContextBits = {(size - 1).bit_length()};\n"
               f"  localparam logic [15:0] kCopyState = {dword(registers[contexts['copy']].offset)};\n"
               "  function automatic logic of_context(input logic [15:0] dword);\n"
               f"    of_context = dword >= kContextFirst && dword <= {dword(contexts['end'])}\n"
               "        && !(" + "\n          || ".join(
                   f"dword == {dword(registers[n].offset)}" for n in contexts["single"]) +
               ");\n  endfunction\n\n")
    out.append("  // Kept registers there are several of: {for each shader engine, shader array, unit}.\n"
               "  function automatic logic [2:0] copies_of(input logic [15:0] dword);\n"
               "    copies_of = 3'b000;\n")
    for start, end, by in copied(bus, registers):
        bits = "".join(str(int(b)) for b in by)
        out.append(f"    if (dword >= {dword(start)} && dword <= {dword(end - 3)}) copies_of = 3'b{bits};\n")
    out.append("  endfunction\n")
    for kind, most in bus["copies"]["most"].items():
        out.append(f"  localparam int kCopy{kind.capitalize()}Bits = {most.bit_length() - 1};\n")
    bits = sum(bus["copies"]["most"][kind].bit_length() - 1 for kind in bus["copies"]["contexts"])
    out.append(f"  localparam int kContextCopyBits = {bits};\n\n")
    pages = {}
    for r in registers.values():
        if r.offset is None or not any(b["start"] <= r.offset <= b["end"] and
                                       b["port"] in ("self", "store") for b in bus["ranges"]):
            continue
        page = r.offset // PAGE
        pages[page] = pages.get(page, 0) | 1 << (r.offset % PAGE // 4)
    pages = sorted(pages.items())
    width = max(1, (len(pages) - 1).bit_length())
    out.append(f"  // Pages of 256 dwords that hold registers kept in the bus manager, and which.\n"
               f"  localparam int kPages = {len(pages)};\n"
               f"  localparam int kPageBits = {width};\n")
    out.append(function("page_number", width, "page", 8,
                        [(f"8'h{p:02x}", f"{width}'d{i}") for i, (p, _) in enumerate(pages)],
                        f"{width}'d0"))
    out.append(function("page_registers", 256, "page", 8,
                        [(f"8'h{p:02x}", f"256'h{bits:x}") for p, bits in pages], "256'd0"))
    out.append("endpackage\n/* verilator lint_on UNUSEDPARAM */\n`endif\n")
    return "".join(out)


def main():
    if len(sys.argv) != 5:
        fail("usage: gen_bus_map.py DATABASE BUS.yaml OUT.h OUT.svh")
    database, path, header, package = sys.argv[1:]
    loader = gen_regs.Loader(database)
    if not loader.load():
        print("\n".join(loader.errors), file=sys.stderr)
        return 1
    with open(path, encoding="utf-8") as stream:
        bus = yaml.safe_load(stream)
    registers = {r.name: r for r in loader.db.registers}
    check(bus, path, registers)

    def banner(comment):
        return (f"{comment} SPDX-License-Identifier: Apache-2.0\n{comment} Generated by "
                f"scripts/gen_bus_map.py from configs/registers/{os.path.basename(path)}; do not edit.\n")

    for out, text in ((header, cpp(bus, registers, loader.db.generation, banner)),
                      (package, verilog(bus, registers, banner))):
        os.makedirs(os.path.dirname(out), exist_ok=True)
        gen_regs.write_if_changed(out, text)
    return 0


sys.exit(main())
