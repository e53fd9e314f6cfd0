#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns configs/isa/afuc.yaml into the map of control registers of rtl-bridge/rtl/afuc_engine.

usage: gen_afuc_control_map.py DATABASE OUTPUT

A SystemVerilog package: numbers ("slots") of the control registers that do something, the slot of an
index in each generation, and the pipe registers that take no data. The file is only written when it
changes. Exit status 1 names what is wrong.
"""
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import yaml

GENERATIONS = ["a5xx", "a6xx", "a7xx", "a750"]  # afuc::Names
# Kept in flip-flops, because others than cread and cwrite reach them. Some have two names.
KEPT = ["PACKET_TABLE_WRITE_ADDR", "REG_WRITE_ADDR", "REG_READ_ADDR", "REG_READ_DWORDS", "MEM_READ_ADDR",
        "MEM_READ_DWORDS", "MEM_READ_ADDR_HI_PRIVILEGED", "LOAD_STORE_HI|STORE_HI", "DRAW_STATE_HDR",
        "DRAW_STATE_BASE", "DRAW_STATE_ACTIVE_BITMASK", "SDS_BASE", "SDS_DWORDS", "IB1_BASE", "IB2_BASE",
        "IB3_BASE", "WFI_PEND_CTR", "QUERY_PEND_CTR", "CACHE_CLEAN_PEND_CTR|CACHE_FLUSH_PEND_CTR",
        "BV_INSTR_BASE", "LPAC_INSTR_BASE", "SECURE_MODE", "PREEMPT_ENABLE", "PREEMPT_TRIGGER"]
# Their writes start something; what is written is kept in the memory of all others.
STARTS = ["PACKET_TABLE_WRITE", "REG_WRITE", "DRAW_STATE_SET_HDR", "DRAW_STATE_SEL", "IB1_DWORDS",
          "IB2_DWORDS", "IB3_DWORDS", "WFI_PEND_INCR", "QUERY_PEND_INCR",
          "CACHE_CLEAN_PEND_INCR|CACHE_FLUSH_PEND_INCR", "BV_CNTL", "LPAC_CNTL"]
# Others than the engine change them.
LIVE = ["THREAD_SYNC", "COPROCESSOR_LOCK", "RB_RPTR", "GLOBAL_TIMESTAMP", "LOCAL_TIMESTAMP"]
FIRST_START, LIVE_SLOT, PLAIN_SLOT = 32, 62, 63


def fail(message: str) -> None:
    print(f"gen_afuc_control_map: {message}", file=sys.stderr)
    sys.exit(1)


def camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("|")[0].split("_"))


def rows_of(database: Dict[str, Any], names: str) -> List[Dict[str, Any]]:
    rows = [database["control"][n] for n in names.split("|") if n in database["control"]]
    if not rows:
        fail(f"control register {names} is not in the database")
    return rows


def slots(database: Dict[str, Any]) -> Tuple[List[str], Dict[Tuple[int, int], str]]:
    """Declarations of the slots, and the slot of (generation, index)."""
    declared: List[str] = []
    of: Dict[Tuple[int, int], str] = {}

    def put(name: str, number: int, rows: List[Dict[str, Any]], offset: int = 0) -> None:
        declared.append(f"  localparam logic [5:0] {name} = 6'd{number};\n")
        for row in rows:
            for generation, key in enumerate(GENERATIONS):
                if key not in row:
                    continue
                place = (generation, row[key] + offset)
                if place in of:
                    fail(f"{name} and {of[place]} have the same index in {key}")
                of[place] = name

    number = 0
    for names in KEPT:
        rows = rows_of(database, names)
        put("kSlot" + camel(names), number, rows)
        number += 1
        if rows[0].get("dwords", 1) == 2:
            put("kSlot" + camel(names) + "Hi", number, rows, 1)
            number += 1
    if number > FIRST_START:
        fail("too many registers are kept in flip-flops")
    declared.append(f"  localparam int kKept = {number};\n")
    for number, names in enumerate(STARTS, FIRST_START):
        put("kSlot" + camel(names), number, rows_of(database, names))
    declared.append(f"  localparam logic [5:0] kSlotLive = 6'd{LIVE_SLOT};\n"
                    f"  localparam logic [5:0] kSlotPlain = 6'd{PLAIN_SLOT};\n")
    for name in LIVE:
        for generation, key in enumerate(GENERATIONS):
            if key in database["control"][name]:
                of[(generation, database["control"][name][key])] = "kSlotLive"
    return declared, of


def check_buffers(database: Dict[str, Any]) -> None:
    """A buffer's base stands before its size."""
    for level in ("IB1", "IB2", "IB3", "SDS"):
        base, dwords = (database["control"][f"{level}_{what}"] for what in ("BASE", "DWORDS"))
        for key in GENERATIONS:
            if key in dwords and base.get(key) != dwords[key] - 2:
                fail(f"{level}_BASE is not before {level}_DWORDS in {key}")


def package(database: Dict[str, Any], source: str) -> str:
    declared, of = slots(database)
    out = [f"// SPDX-License-Identifier: Apache-2.0\n// From {source} by gen_afuc_control_map.py.\n"
           "`ifndef AFUC_CONTROL_MAP_SVH\n`define AFUC_CONTROL_MAP_SVH\n"
           "/* verilator lint_off UNUSEDPARAM */\npackage afuc_control_map;\n"]
    out += [f"  localparam logic [1:0] kNames{key.capitalize()} = 2'd{n};\n" for n, key in enumerate(GENERATIONS)]
    out += ["\n  // Control registers that do something.\n", *declared,
            "\n  // Of an index.\n"
            "  function automatic logic [5:0] slot_of(input logic [1:0] names, input logic [11:0] index);\n"
            "    case ({names, index})\n"]
    out += [f"      {{kNames{GENERATIONS[generation].capitalize()}, 12'h{index:03x}}}: slot_of = {name};\n"
            for (generation, index), name in sorted(of.items())]
    out.append("      default: slot_of = kSlotPlain;\n    endcase\n  endfunction\n\n"
               "  // Pipe registers that take no data.\n"
               "  function automatic logic fires(input logic [1:0] names, input logic [7:0] pipe);\n"
               "    case ({names, pipe})\n")
    for name, row in database["pipe"].items():
        for key in GENERATIONS:
            if row.get("void", False) and key in row:
                out.append(f"      {{kNames{key.capitalize()}, 8'h{row[key]:02x}}}: fires = 1'b1;  // {name}\n")
    out.append("      default: fires = 1'b0;\n    endcase\n  endfunction\nendpackage\n"
               "/* verilator lint_on UNUSEDPARAM */\n`endif\n")
    return "".join(out)


def main() -> int:
    if len(sys.argv) != 3:
        fail("usage: gen_afuc_control_map.py DATABASE OUTPUT")
    source, output = map(Path, sys.argv[1:])
    database = yaml.safe_load(source.read_text())
    check_buffers(database)
    text = package(database, source.name)
    if not output.is_file() or output.read_text() != text:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
