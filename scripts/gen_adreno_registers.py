#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns configs/isa/adreno_registers.yaml into the tables of models/afuc/pm4/registers.cpp.

usage: gen_adreno_registers.py DATABASE OUTPUT

For each generation its registers in the order of their indices. Faults of the database (unknown keys and
generations, registers outside of the space, names that occur twice) are reported, one per line; the exit
status is then 1.
"""
import re
import sys
from pathlib import Path
from typing import Any, Dict, List

import yaml

GENERATIONS = ["a5xx", "a6xx", "a7xx"]
KEYS = {"name", "at", "dwords", "array", "stride", "of"}
SPACE = 0x40000
NAME = re.compile(r"[A-Z][A-Z0-9_]*\Z")


def faults_of(rows: List[Dict[str, Any]]) -> List[str]:
    faults = []
    for row in rows:
        place = str(row.get("name"))
        faults += [f"{place}: unknown key {key}" for key in row if key not in KEYS]
        faults += [f"{place}: unknown generation {g}" for g in row["of"] if g not in GENERATIONS]
        if not NAME.match(place):
            faults.append(f"{place}: not a name")
        if ("array" in row) != ("stride" in row):
            faults.append(f"{place}: an array has a stride, and nothing else has")
        if row["at"] + row.get("array", 1) * row.get("stride", row.get("dwords", 1)) > SPACE:
            faults.append(f"{place}: outside of the space")
    for generation in GENERATIONS:
        names = [row["name"] for row in rows if generation in row["of"]]
        faults += [f"{name} ({generation}): occurs twice" for name in sorted(set(names)) if names.count(name) > 1]
    return faults


def table(rows: List[Dict[str, Any]], generation: str) -> List[str]:
    lines = [f'    {{"{r["name"]}", 0x{r["at"]:x}, {r.get("dwords", 1)}, {r.get("array", 0)}, {r.get("stride", 1)}}},'
             for r in sorted(rows, key=lambda r: int(r["at"])) if generation in r["of"]]
    return [f"constexpr std::array<Register, {len(lines)}> kState_{generation}{{{{", *lines, "}};"]


def main() -> int:
    database, output = map(Path, sys.argv[1:3])
    rows = yaml.safe_load(database.read_text())["registers"]
    faults = faults_of(rows)
    for fault in faults:
        print(f"{database}: {fault}", file=sys.stderr)
    if faults:
        return 1
    out = [f"// SPDX-License-Identifier: Apache-2.0\n// From {database.name} by gen_adreno_registers.py."]
    for generation in GENERATIONS:
        out += table(rows, generation)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(out) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
