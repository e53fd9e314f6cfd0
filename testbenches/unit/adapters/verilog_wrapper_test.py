#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Errors in a description of Verilog are reported with file, line and pin, and status 2.

    verilog_wrapper_test.py WRAPPER VERILATOR AXI_RAM.v REGISTERS.v
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

WRAPPER, VERILATOR, RAM, REGISTERS = take(
    __doc__, wrapper=existing, verilator=program, axi_ram=existing, registers=existing)

GOOD = f"""verilog:
  top: axi_ram
  sources: [{RAM}]
  parameters: {{DATA_WIDTH: 64}}
  clock: aclk
  reset: aresetn
  interface: axi4
  pins: {{prefix: s_axi_}}
  at: {{address: 0x1000, size: 8 KiB}}
  memory: mem
"""
LITE = f"""verilog:
  top: registers
  sources: [{REGISTERS}]
  clock: CLK
  reset: {{pin: RST, active: high}}
  interface: axi4-lite
  pins: {{prefix: S_AXI_}}
  at: {{address: 0, size: 4 KiB}}
"""
STREAM = """module stream(input clk, input rst_n, input in_valid, output in_ready, input [31:0] in_data,
    output out_valid, input out_ready, output [31:0] out_data, input en, inout pad);
  assign in_ready = out_ready; assign out_valid = in_valid; assign out_data = in_data;
endmodule
"""
STREAMS = """verilog:
  top: stream
  sources: [stream.v]
  tie: {en: 1}
  interfaces:
    - {name: a, interface: ready_valid, pins: {prefix: in_}, at: {size: 4 KiB}}
    - {name: b, interface: ready_valid, role: initiator, pins: {prefix: out_}}
"""
# Pins of every width the tests want wrong.
ODD = """module odd(input clk, input rst_n,
    input [31:0] s_awaddr, input s_awvalid, output s_awready, input [7:0] s_awlen,
    input [47:0] s_wdata, input [3:0] s_wstrb, input s_wvalid, output s_wready, input s_wlast,
    output s_bvalid, input s_bready, input [3:0] s_awid,
    input [30:0] s_araddr, input s_arvalid, output s_arready, input [3:0] s_arlen,
    output [31:0] s_rdata, output s_rvalid, input s_rready, output s_rlast, input [1:0] s_rresp);
endmodule
"""

WIDE_V = """module wide(input clk, input rst, input valid, output ready, input [1000:0] a, input [30:0] b);
  assign ready = 1;
endmodule
"""
WIDE = """verilog:
  top: wide
  sources: [wide.v]
  interface: ready_valid
  pins: {valid: valid, ready: ready, data: [a, b]}
  at: {size: 4 KiB}
"""
ODD_YAML = """verilog:
  top: odd
  sources: [odd.v]
  interface: axi4
  at: {address: 0, size: 4 KiB}
  pins:
    prefix: s_
"""

# (what, description, line, what the message must match)
CASES = [
    ("unknown pin", GOOD.replace("prefix: s_axi_", "prefix: s_axi_, awaddr: s_axi_awadr"), 8,
     r"pins\.awaddr: axi_ram has no pin s_axi_awadr, did you mean s_axi_awaddr\?"),
    ("unknown signal", GOOD.replace("prefix: s_axi_", "prefix: s_axi_, awadr: x"), 8,
     r"pins\.awadr: unknown key, did you mean awaddr\?"),
    ("wrong prefix", GOOD.replace("prefix: s_axi_", "prefix: m_axi_"), 8,
     r"pins\.awvalid: missing: axi_ram has no pin m_axi_awvalid"),
    ("wrong role", GOOD.replace("  at:", "  role: initiator\n  at:"), 8,
     r"pin s_axi_awvalid is an input, expected an output \(role: initiator\)"),
    ("top not found", GOOD.replace("top: axi_ram", "top: axi_rom"), 2,
     r"verilog\.top: no module axi_rom in the sources, did you mean axi_ram\?"),
    ("top is no name", GOOD.replace("top: axi_ram", "top: --help"), 2, r"is no name of a module"),
    ("no such source", GOOD.replace(RAM, "nowhere.v"), 3, r"verilog\.sources: no file .*nowhere\.v"),
    ("no Verilog", GOOD.replace(RAM, "broken.v"), 3, r"Verilator cannot read them:(?s:.)*broken\.v:1"),
    ("unknown parameter", GOOD.replace("DATA_WIDTH", "DATA_WIDE"), 4, r"verilog\.parameters: .*DATA_WIDE"),
    ("unknown key", GOOD.replace("reset:", "rest:"), 6, r"verilog\.rest: unknown key, did you mean reset"),
    ("key twice", GOOD.replace("  reset: aresetn", "  clock: aclk"), 6, r"clock: given twice"),
    ("no interface", GOOD.replace("  interface: axi4\n", ""), 2, r"verilog\.interface: missing"),
    ("unknown interface", GOOD.replace("axi4\n", "axi5\n"), 7, r'"axi5", expected axi4 or axi4-lite'),
    ("no range", re.sub(r"  at:.*\n", "", GOOD), 2, r"verilog\.at: missing"),
    ("range of no size", GOOD.replace(", size: 8 KiB", ""), 9, r"at\.size: missing"),
    ("range not in pages", GOOD.replace("0x1000", "0x1080"), 9, r"multiples of 4096"),
    ("octal number", GOOD.replace("0x1000", "010000"), 9, r"octal"),
    ("no number", GOOD.replace("0x1000", "here"), 9, r'"here", expected a number'),
    ("clock not there", GOOD.replace("clock: aclk", "clock: clk"), 5, r"verilog\.clock: axi_ram has no pin clk, did you mean aclk"),
    ("clock is a vector", GOOD.replace("clock: aclk", "clock: s_axi_awid"), 5, r"an input of 4 bits"),
    ("clock's unit", GOOD.replace("clock: aclk", "clock: {pin: aclk, frequency: 100}"), 5, r'frequency: "100", expected a number with Hz'),
    ("reset's sense", GOOD.replace("reset: aresetn", "reset: {pin: aresetn, active: up}"), 6, r'active: "up", expected low or high'),
    ("part beyond the range", GOOD.replace("memory: mem", "memory: [{array: mem, at: 8 KiB}]"), 10, r"memory\.at: 8 KiB, expected 0 to 8191"),
    ("part larger than its array", GOOD.replace("memory: mem", "memory: [{array: mem, size: 32 MiB}]"), 10, r"memory\.size: 32 MiB, expected 1 to 16777216"),
    ("parts on one another", GOOD.replace("memory: mem", "memory: [{array: mem, size: 4 KiB}, {array: mem, at: 4000}]"), 10,
     r"memory: from 0xfa0 on there is another one \(from 0x0, 4096 bytes\)"),
    ("unknown key of a part", GOOD.replace("memory: mem", "memory: [{array: mem, from: 0}]"), 10, r"memory\.from: unknown key"),
    ("a part without a name", GOOD.replace("memory: mem", "memory: [{at: 0}, mem]"), 10, r"memory: expected array: \(one memory\) or each:"),
    ("counter of nothing", GOOD + "  counters: {hits: s_axi_bvalit}\n", 11, r"counters\.hits: no pin or signal s_axi_bvalit in axi_ram, did you mean s_axi_bvalid\?"),
    ("counter that is too wide", GOOD.replace("64}", "128}") + "  counters: {hits: s_axi_rdata}\n", 11, r"s_axi_rdata has 128 bits, at most 64"),
    ("counter with the clock's name", GOOD + "  counters: {cycles: r_left}\n", 11, r'"cycles", expected a name'),
    ("counters without names", GOOD + "  counters: [r_left]\n", 11, r"counters: expected names"),
    ("a field that is no pin", STREAMS.replace("in_}", "in_, data: [in_data, in_dat]}"), 6, r"pins\.data: stream has no pin in_dat, did you mean in_data\?"),
    ("a field from the wrong side", STREAMS.replace("in_}", "in_, data: [in_data, out_valid]}"), 6, r"pins\.data: pin out_valid is an output, expected an input"),
    ("a field used twice", STREAMS.replace("in_}", "in_, data: [in_data, in_data]}"), 6, r"pins\.data: pin in_data is already verilog"),
    ("no fields", STREAMS.replace("in_}", "in_, data: []}"), 6, r"pins\.data: expected pins"),
    ("fields of AXI", GOOD.replace("prefix: s_axi_", "prefix: s_axi_, wdata: [s_axi_wdata, s_axi_wstrb]"), 8, r"pins\.wdata: expected a word"),
    ("fields wider than a word", WIDE, 5, r"pins\.data: a and b: more than 1024 bits"),
    ("dangerous option", GOOD + "  verilator: [--assert, --exe]\n", 11, r"verilator: --exe: not here: what is written"),
    ("option that starts a program", GOOD + "  verilator: --pipe-filter rm\n", 11, r"verilator: --pipe-filter: not here: it starts"),
    ("option with a key of its own", GOOD + "  verilator: [-DX=1]\n", 11, r"verilator: -DX=1: not here: defines: is for that"),
    ("arguments from a file", GOOD + "  verilator: [-f x.f]\n", 11, r"verilator: -f: not here: give the options themselves"),
    ("option misspelt", GOOD + "  verilator: [--unrol-count 3]\n", 11, r"verilator: --unrol-count: no option .*did you mean --unroll-count"),
    ("option without value", GOOD + "  verilator: [--unroll-count]\n", 11, r"verilator: --unroll-count: its number is missing"),
    ("option's value", GOOD + "  verilator: [--unroll-count many]\n", 11, r'verilator: --unroll-count: "many", expected a number'),
    ("option's word", GOOD + "  verilator: [--x-initial 2]\n", 11, r'verilator: --x-initial: "2", expected 0\|fast\|unique'),
    ("folder of modules", GOOD + "  verilator: [-y nowhere]\n", 11, r"verilator: -y: no folder .*nowhere"),
    ("options in keys", GOOD + "  verilator: {a: b}\n", 11, r"verilator: expected options"),
    ("no array", GOOD.replace("memory: mem", "memory: ram"), 10, r"no array ram in axi_ram; there are: mem"),
    ("arrays for ports", GOOD.replace("memory: mem", "memory: {each: [mem, mem]}"), 10, r"2 arrays for 1 ports"),
    ("input left over", GOOD.replace("prefix: s_axi_", "prefix: s_axi_").replace("axi_ram\n", "wrap\n").replace(RAM, "wrap.v"), 2,
     r"input pin test_mode of wrap belongs to no interface"),
    ("IDs it does not have", GOOD + "  ids: 17\n", 11, r"verilog\.ids: 17, expected 1 to 16"),
    ("gap of no strobe", GOOD + "  gap: 1\n", 11, r"gap: is for strobes"),
    ("tie of an output", GOOD + "  tie: {s_axi_rlast: 1}\n", 11, r"tie: pin s_axi_rlast is an output"),
    ("tie of nothing", GOOD + "  tie: {s_axi_last: 1}\n", 11, r"tie: axi_ram has no pin s_axi_last"),
    ("tie and use", GOOD + "  tie: {s_axi_wlast: 1}\n", 8, r"pin s_axi_wlast is already verilog\.tie"),
    ("pins used twice", GOOD.replace("prefix: s_axi_", "prefix: s_axi_, arid: s_axi_awid"), 8, r"pin s_axi_awid is already verilog\.pins\.awid"),
    ("too many ports", GOOD + "  ports: 3\n", 8, r"pin s_axi_awid is 4 bits wide, which 3 ports cannot share"),
    ("axi4 pins for lite", GOOD.replace("axi4\n", "axi4-lite\n"), 8, r"pins\.awlen: AXI4-Lite has no such pin \(s_axi_awlen\)"),
    ("lite is 32 or 64 wide", GOOD.replace("axi4\n", "axi4-lite\n").replace("64}", "128}"), 8, r"gives 128 bits of data, expected 32, 64"),
    ("address wider than asked", LITE.replace("prefix: S_AXI_", "prefix: S_AXI_, wstrb: S_AXI_AWPROT, awprot: S_AXI_WSTRB"), 7,
     r"pins\.wstrb: pin S_AXI_AWPROT is 3 bits wide, expected 4, one for each byte of data"),
    ("memory of registers", LITE + "  memory: x\n", 9, r"no array x in registers; there are: none"),
    ("sleep of an initiator", STREAMS.replace("tie:", "sleep: when_idle\n  tie:"), 4, r"an initiator may start by itself"),
    ("names twice", STREAMS.replace("name: b", "name: a"), 7, r"a is given to two interfaces"),
    ("inout", STREAMS, 2, r"pin pad of stream is an inout"),
    ("both ways to say it", STREAMS + "  interface: axi4\n", 8, r"verilog\.interface: belongs to one of verilog\.interfaces"),
    ("prefix not clear", STREAMS.replace(", pins: {prefix: in_}", "").replace(", pins: {prefix: out_}", ""), 6, r"several interfaces could be meant \(prefixes 'in_', 'out_'\)"),
    ("data of 48 bits", ODD_YAML, 7,
     r"pin s_wdata gives 48 bits of data"),
    ("addresses differ", ODD_YAML, 7,
     r"pin s_araddr is 31 bits wide, expected 32, as s_awaddr"),
    ("length of 4 bits", ODD_YAML, 7,
     r"pin s_arlen is 4 bits wide, expected 8"),
    ("response from the wrong side", ODD_YAML, 7,
     r"pin s_rresp is an input, expected an output"),
    ("ID without its response", ODD_YAML, 7,
     r"pins\.bid: missing, and awid \(s_awid\) is there"),
    ("no key", "ram: {}\n", 1, r"expected the key verilog"),
    ("empty", "", 1, r"empty"),
    ("not YAML", "verilog: [\n", 2, r"."),
    ("a list", "- verilog\n", 1, r"expected the key verilog"),
    ("verilog is a word", "verilog: axi\n", 1, r"verilog: expected keys"),
    ("pins is a word", GOOD.replace("{prefix: s_axi_}", "s_axi_"), 8, r"verilog\.pins: expected keys"),
    ("top is a list", GOOD.replace("top: axi_ram", "top: [a]"), 2, r"verilog\.top: expected a word"),
]
WRAP = """module wrap(input aclk, input aresetn, input test_mode,
  input [23:0] s_axi_araddr, input s_axi_arvalid, output s_axi_arready, output [31:0] s_axi_rdata,
  output s_axi_rvalid, input s_axi_rready);
  parameter DATA_WIDTH = 32; reg [31:0] mem [0:3];
endmodule
"""


def run(folder, text):
    path = folder / "x.yaml"
    path.write_text(text)
    done = subprocess.run([sys.executable, "-B", WRAPPER, str(path), "--name", "x", "--out",
                           str(folder / "out"), "--verilator", VERILATOR],
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr, path


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in (("stream.v", STREAM), ("odd.v", ODD), ("wrap.v", WRAP), ("wide.v", WIDE_V),
                           ("broken.v", "module m(;\n")):
            (folder / file).write_text(text)
        for what, text in (("good", GOOD), ("lite", LITE)):
            status, told, _ = run(folder, text)
            if status != 0 or told:
                bad += 1
                print(f"{what}: status {status}\n{told}")
        # Written again only when something changes, so that nothing is built again.
        before = (folder / "out/x.cpp").stat().st_mtime_ns
        run(folder, LITE)
        if (folder / "out/x.cpp").stat().st_mtime_ns != before:
            bad += 1
            print("the same description rewrites its files")
        for what, text, line, pattern in CASES:
            status, told, path = run(folder, text)
            place = rf"^{re.escape(str(path))}:{line}: .*{pattern}"
            if status != 2 or not re.search(place, told, re.M) or "Traceback" in told:
                bad += 1
                print(f"{what}: status {status}, expected 2 and line {line}: {pattern}\n{told}")
        # Verilator's arguments: what is given, and no more unrolling than the strobes need.
        for what, text, there, absent in (
                ("none given", GOOD, "-Wno-fatal", "-unroll"),
                ("given", GOOD + "  verilator: [--unroll-count 200, -fno-gate, --flatten, -y .]\n",
                 f'"--unroll-count"\n"200"\n"-fno-gate"\n"--flatten"\n"-y"\n"{folder}"', "128"),
                ("128 strobes", GOOD.replace("64}", "1024}"), '"--unroll-count"\n"128"', "256")):
            status, told, _ = run(folder, text)
            arguments = (folder / "out/x.args").read_text()
            if status != 0 or there not in arguments or absent in arguments:
                bad += 1
                print(f"options, {what}: status {status}\n{told}{arguments}")
        # No bytes crash it.
        for junk in (b"\xff\xfe\x00", b"verilog: &a {top: *a}", b"verilog: {? [1]: 2}",
                     b"verilog: {top: 1, sources: 2}", b"[" * 3000, b"verilog: !!python/x {}"):
            (folder / "x.yaml").write_bytes(junk)
            done = subprocess.run([sys.executable, "-B", WRAPPER, str(folder / "x.yaml"), "--name",
                                   "x", "--out", str(folder / "out"), "--verilator", VERILATOR],
                                  capture_output=True, text=True)
            if done.returncode != 2 or "Traceback" in done.stderr or "x.yaml" not in done.stderr:
                bad += 1
                print(f"{junk[:30]}: status {done.returncode}\n{done.stderr[-500:]}")
    print(f"{len(CASES)} descriptions, {bad} complaints")
    return 1 if bad else 0


sys.exit(main())
