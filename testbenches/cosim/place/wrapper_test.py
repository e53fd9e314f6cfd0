#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of Verilog in a block's place: every block's template is taken, and each mistake is reported as
`file:line: where: reason` with status 2.

    wrapper_test.py WRAPPER PINS TWINS GENERATED COMMAND
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

WRAPPER, PINS, TWINS, GENERATED, COMMAND = take(__doc__, wrapper=existing, pins=existing, twins=existing,
                                               generated=existing, command=program)
START = "verilog:\n  block: {block}\n  top: my_{block}\n  sources: top.sv\n"
LANE = START.format(block="valu_lane")
# What is changed in the template of valu_lane, the description, and what is said of it.
CASES = [
    ("no such block", None, LANE.replace("block: valu_lane", "block: valu_lain"),
     "d.yaml:2: verilog.block: no block valu_lain with documented pins, did you mean valu_lane?"),
    ("no such contract", None, LANE + "  contract: loose\n", 'd.yaml:5: verilog.contract: "loose", expected exact or elastic'),
    ("a pin is missing", ("  input  logic in_carry,", ""), LANE,
     "d.yaml:3: verilog.pins.in_carry: missing: my_valu_lane has no input in_carry of 1 bits"),
    ("a pin's width", ("logic [31:0] in_a", "logic [30:0] in_a"), LANE,
     "d.yaml:3: verilog.pins.in_a: pin in_a is 31 bits wide, expected 32"),
    ("a pin's direction", ("input  logic in_carry", "output logic in_carry"), LANE,
     "d.yaml:3: verilog.pins.in_carry: pin in_carry is an output, expected an input"),
    ("an input too many", ("input  logic clk,", "input logic clk,\n  input logic scan,"), LANE,
     "d.yaml:3: verilog: input pin scan of my_valu_lane belongs to no interface"),
    ("a name that is none", None, LANE + "  pins: {in_a: in_aa}\n", "d.yaml:5: verilog.pins.in_a: my_valu_lane has no pin in_aa"),
    ("a pin the block does not have", None, LANE + "  pins: {in_z: in_a}\n", "d.yaml:5: verilog.pins.in_z: unknown key"),
    ("unconnected and there", None, LANE + "  unconnected: in_a\n", "d.yaml:5: verilog.unconnected: in_a is listed as unconnected, but my_valu_lane has it: in_a"),
    ("unconnected output of an exact one", ("  output logic out_flag,", ""), LANE + "  unconnected: [out_flag]\n",
     "d.yaml:5: verilog.unconnected: out_flag is an output, and the contract exact compares all of them"),
    ("unconnected what is none", None, LANE + "  unconnected: [cfg_*]\n",
     "d.yaml:5: verilog.unconnected: valu_lane has no pin cfg_*"),
    ("no such twin", None, LANE + "  twins: valu_lan\n",
     "d.yaml:5: verilog.twins: no block valu_lan has Verilog, did you mean valu_lane?"),
    ("a key of the adapters", None, LANE + "  role: target\n", "d.yaml:5: verilog.role: unknown key"),
    ("an unpacked array", ("logic [31:0] in_a", "logic in_a [32]"), LANE,
     "d.yaml:3: verilog.pins.in_a: pin in_a is an unpacked array, expected packed bits: logic [31:0]"),
    ("a reset by a name of its own", ("logic rst,", "logic reset_l,"), LANE,
     "d.yaml:3: verilog: input pin reset_l of my_valu_lane belongs to no interface; name it under reset:, map it"),
    ("block, contract and twins before the Verilog", ("endmodule", "end"),
     LANE.replace("block: valu_lane", "block: valu_lain") + "  contract: loose\n  twins: valu_lan\n",
     "d.yaml:2: verilog.block: no block valu_lain with documented pins, did you mean valu_lane?, expected one of: "
     + ", ".join(json.loads(Path(PINS).read_text())) + '\nd.yaml:5: verilog.contract: "loose", expected exact or elastic\n'
     "d.yaml:6: verilog.twins: no block valu_lan has Verilog"),
    ("Verilog that is none", ("endmodule", "end"), LANE, "d.yaml:4: verilog.sources: Verilator cannot read them"),
]


def template(block):
    return subprocess.run([COMMAND, "rtl", "template", block], check=True, capture_output=True, text=True).stdout


def wrap(folder, verilog, description, pins=PINS):
    (folder / "top.sv").write_text(verilog)
    (folder / "d.yaml").write_text(description)
    return subprocess.run([sys.executable, "-B", WRAPPER, "d.yaml", "--name", "d", "--out", "out", "--pins", pins,
                           "--twins", TWINS, "--twins", GENERATED], cwd=folder, capture_output=True, text=True)


def wrong_cases(folder):
    lane = template("valu_lane")
    for what, change, description, says in CASES:
        if change and change[0] not in lane:
            yield f"{what}: the template has no {change[0]}"
            continue
        done = wrap(folder, lane.replace(*change, 1) if change else lane, description)
        if done.returncode != 2 or says not in done.stderr:
            yield f"{what}: status {done.returncode}, says {done.stderr!r}, expected {says!r}"


def blocks(folder):
    for block, table in json.loads(Path(PINS).read_text()).items():
        for contract in ("exact", "elastic"):
            done = wrap(folder, template(block), START.format(block=block) + f"  contract: {contract}\n")
            why = table["exact_only"] if contract == "elastic" else None
            if why and (done.returncode != 2 or f"verilog.contract: {block} can be exact only: {why}" not in done.stderr):
                yield f"{block}: elastic is not refused: {done.stderr}"
            if not why and done.returncode != 0:
                yield f"{block}, {contract}: {done.stderr}"
    if len(json.loads(Path(PINS).read_text())) < 15:
        yield "fewer blocks than 15"


def blocks_of_blocks(folder):
    """With a block's Verilog comes that of the blocks it uses."""
    top = re.sub(r"^  assign .*\n", "", template("cu_valu"), flags=re.M).replace("endmodule", "  cu_valu all (.*);\nendmodule")
    done = wrap(folder, top, START.format(block="cu_valu") + "  twins: cu_valu\n")
    if done.returncode != 0:
        yield f"twins: cu_valu: {done.stderr}"
    given = (folder / "out" / "d.args").read_text()
    for used in ("cu_decode", "valu_lane"):
        if f"{TWINS}/{used}" not in given:
            yield f"twins: cu_valu: Verilator is not given {used}"


def ports_by_include(folder):
    """The generated list of a block's ports is there to be included, without the block's own Verilog."""
    top = 'module my_valu_lane (\n  `include "valu_lane_ports.svh"\n);\n' + "\n".join(
        re.findall(r"^  assign .*", template("valu_lane"), flags=re.M)) + "\nendmodule\n"
    done = wrap(folder, top, LANE)
    if done.returncode != 0:
        yield f"valu_lane_ports.svh: {done.stderr}"


def names_of_reset(folder):
    """The sense of a reset is its name's."""
    for name, low in (("rst", False), ("rst_i", False), ("rst_n", True), ("rst_ni", True), ("rst_n_i", True), ("reset_ni", True)):
        for given in ("", f"  reset: {name}\n"):
            done = wrap(folder, template("valu_lane").replace("logic rst,", f"logic {name},", 1), LANE + given)
            code = (folder / "out" / "d.cpp").read_text()
            if done.returncode != 0 or f"verilog.{name} = rst {'==' if low else '!='} 0;" not in code:
                yield f"{name}{' named' if given else ''}: expected active {'low' if low else 'high'}: {done.stderr}"


def templates_lint(folder):
    """What `rtl template` writes passes Verilator's warnings, but for what its emptiness leaves unused."""
    for block in json.loads(Path(PINS).read_text()):
        (folder / f"my_{block}.sv").write_text(template(block))
        done = subprocess.run(["verilator", "--lint-only", "-Wall", "-Wno-UNUSED", f"my_{block}.sv"], cwd=folder,
                              capture_output=True, text=True)
        if done.returncode != 0:
            yield f"{block}: {done.stderr}"


def no_table(folder):
    """A table of pins that was not built is named with its target."""
    done = wrap(folder, template("valu_lane"), LANE, folder / "none.json")
    if done.returncode != 2 or "none.json: no table of pins" not in done.stderr or "--target archipelago_pin_table_file" not in done.stderr:
        yield f"no table of pins: status {done.returncode}, says {done.stderr!r}"


def main():
    with tempfile.TemporaryDirectory() as name:
        bad = [*wrong_cases(Path(name)), *blocks(Path(name)), *blocks_of_blocks(Path(name)),
               *ports_by_include(Path(name)), *names_of_reset(Path(name)), *no_table(Path(name)), *templates_lint(Path(name))]
    print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main())
