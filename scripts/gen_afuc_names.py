#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns configs/isa/afuc.yaml into the tables of models/afuc/isa/names.cpp.

usage: gen_afuc_names.py DATABASE OUTPUT

For each generation: control, SQE, pipe and GPU registers in the order of their indices, and packets
in the order of their opcodes. Faults of the database (unknown keys and generations, registers that
overlap or leave their space, names that occur twice) are reported, one per line; the exit status is
then 1.
"""
import re
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

import yaml

GENERATIONS = ["a5xx", "a6xx", "a7xx", "a750"]
SPACES = {"control": 0x1000, "sqe": 0x10, "pipe": 0x100, "gpu": 0x40000}  # what each has room for
NAME = re.compile(r"[A-Z][A-Z0-9_]*\Z")

faults: List[str] = []


class Register(NamedTuple):
    name: str
    first: int
    count: int
    array: int  # dwords of each; 0: no array
    fires: bool


def keys(place: str, row: Dict[str, Any], allowed: List[str]) -> None:
    for key in row:
        if key not in allowed:
            faults.append(f"{place}: unknown key {key}")


def by_generation(space: str, rows: Dict[str, Dict[str, Any]]) -> Dict[str, List[Register]]:
    """Registers whose index differs between generations."""
    tables: Dict[str, List[Register]] = {g: [] for g in GENERATIONS}
    for name, row in rows.items():
        keys(f"{space}.{name}", row, GENERATIONS + ["dwords", "void"])
        for generation in GENERATIONS:
            if generation in row:
                tables[generation].append(
                    Register(name, row[generation], row.get("dwords", 1), 0, row.get("void", False)))
    return tables


def in_all(space: str, rows: List[Dict[str, Any]]) -> Dict[str, List[Register]]:
    """Registers with one index."""
    tables: Dict[str, List[Register]] = {g: [] for g in GENERATIONS}
    for row in rows:
        keys(f"{space}.{row.get('name')}", row, ["name", "alias", "at", "dwords", "array", "of"])
        dwords = row.get("dwords", 1)
        count, array = row.get("array", 1) * dwords, dwords if "array" in row else 0
        for generation in row.get("of", GENERATIONS):
            if generation not in tables:
                faults.append(f"{space}.{row['name']}: unknown generation {generation}")
                continue
            tables[generation].append(Register(row["name"], row["at"], count, array, False))
            if "alias" in row:
                tables[generation].append(Register(row["alias"], row["at"], count, array, False))
    return tables


def check(space: str, generation: str, registers: List[Register], end: int) -> None:
    seen = set()
    for r in registers:
        place = f"{space}.{r.name} ({generation})"
        if not NAME.match(r.name):
            faults.append(f"{place}: not a name")
        if r.name in seen:
            faults.append(f"{place}: occurs twice")
        seen.add(r.name)
        if r.first < 0 or r.first + r.count > end:
            faults.append(f"{place}: outside of the space")


def print_registers(out: List[str], space: str, tables: Dict[str, List[Register]]) -> None:
    for generation in GENERATIONS:
        # An alias stands behind the register's own name.
        registers = sorted(tables[generation], key=lambda r: r.first)
        check(space, generation, registers, SPACES[space])
        rows = [f'    {{"{r.name}", 0x{r.first:x}, {r.count}, {r.array}, {str(r.fires).lower()}}},'
                for r in registers]
        out += [f"constexpr std::array<RegisterName, {len(rows)}> k{space.capitalize()}_{generation}{{{{", *rows, "}};"]


def print_packets(out: List[str], rows: List[Dict[str, Any]]) -> None:
    for generation in GENERATIONS:
        lines = []
        for row in rows:
            keys(f"packets.{row.get('name')}", row, ["name", "opcode", "of"])
            if not 0 <= row["opcode"] < 0x80:
                faults.append(f"packets.{row['name']}: opcode outside of seven bits")
            if generation in row.get("of", GENERATIONS):
                lines.append(f'    {{"{row["name"]}", 0x{row["opcode"]:02x}}},')
        out += [f"constexpr std::array<PacketName, {len(lines)}> kPackets_{generation}{{{{", *lines, "}};"]


def main() -> int:
    database, output = map(Path, sys.argv[1:3])
    tree = yaml.safe_load(database.read_text())
    out = [f"// SPDX-License-Identifier: Apache-2.0\n// From {database.name} by gen_afuc_names.py."]
    sqe = [{"name": name, **row} for name, row in tree["sqe"].items()]
    print_registers(out, "control", by_generation("control", tree["control"]))
    print_registers(out, "sqe", in_all("sqe", sqe))
    print_registers(out, "pipe", by_generation("pipe", tree["pipe"]))
    print_registers(out, "gpu", in_all("gpu", tree["gpu"]))
    print_packets(out, tree["packets"])
    for fault in faults:
        print(f"{database}: {fault}", file=sys.stderr)
    if faults:
        return 1
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(out) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
