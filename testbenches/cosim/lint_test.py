#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every twin passes verilator -Wall, and iverilog when that is installed, without a complaint.

    lint_test.py RTL GENERATED VERILATOR

GENERATED/<block> holds what the build generates for a block's Verilog to include. A block's uses.txt names the blocks
whose Verilog it uses.
"""

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from arguments import existing, program, take  # noqa: E402
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import verilog_uses  # noqa: E402

# What Icarus says of Verilog it simulates correctly nevertheless.
ICARUS_NOTE = "sorry: constant selects in always_* processes are not currently supported"


def main():
    *folders, verilator = take(__doc__, rtl=existing, generated=existing, verilator=program)
    rtl, generated = map(Path, folders)
    blocks = sorted(p for p in rtl.iterdir() if p.is_dir() and (p / f"{p.name}.sv").is_file())
    if not blocks:
        print(f"{rtl} holds no twin")
        return 1
    bad = 0
    for block in blocks:
        top = block / f"{block.name}.sv"
        folders = verilog_uses.folders(block.name, [rtl, generated])
        found = [option for folder in folders for option in ("-y", str(folder))]
        options = block / "verilator.f"
        own = ["-f", str(options)] if options.is_file() else []
        runs = [[verilator, "--lint-only", "-Wall", "--no-timing", *own, *found, str(top)]]
        sources = [str(p) for folder in folders for p in sorted(folder.glob("*.sv"))]
        # Icarus does not take functions of C.
        calls_c = any('"DPI-C"' in Path(p).read_text() for p in sources)
        if shutil.which("iverilog") and not calls_c:
            # Packages come by `include.
            included = [option for folder in folders for option in ("-I", str(folder))]
            runs.append(["iverilog", "-g2012", "-Wall", "-Wno-timescale", *included, "-t", "null", "-s", block.name,
                         *sources])
        for command in runs:
            done = subprocess.run(command, capture_output=True, text=True)
            lines = (done.stdout + done.stderr).splitlines()
            told = [line for line in lines if ICARUS_NOTE not in line]
            if done.returncode != 0 or told:
                bad += 1
                print(f"{block.name}: {command[0]}: status {done.returncode}")
                print("\n".join(told))
    print(f"{len(blocks)} twins, {bad} complaints")
    return 1 if bad else 0


sys.exit(main())
