#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""archipelago run --verilog: what cannot be is refused by name with status 2, and what goes wrong on
the pins stops the machine.

    command_test.py COMMAND STREAMS.so TWO_RAMS.so
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

COMMAND, STREAMS, RAMS = take(__doc__, command=program, streams=existing, two_rams=existing)
NOTHING = "steps:\n  - {wait: gfx}\n"
# WRITE_DATA of one dword, confirmed, to an address.
WRITE = "  - {{ring: gfx, words: [0xC0033700, 0x00100500, {0:#x}, 0, 0x12345678]}}\n  - {{wait: gfx}}\n"
ONE_WRITE = "steps:\n" + WRITE
CASES = [
    ("no such file", NOTHING, ["--verilog", "nowhere.so"], 2, "nowhere.so: cannot load it as Verilog"),
    ("another file", NOTHING, ["--verilog", __file__], 2, "cannot load it as Verilog"),
    ("registers without time", NOTHING, ["--verilog", STREAMS, "--mode", "functional"], 2,
     "port in has no memory: in its description and needs time: cycle mode only"),
    ("the same range twice", NOTHING, ["--verilog", RAMS, "--verilog", RAMS], 2, "overlaps"),
    ("waveform of which", NOTHING, ["--verilog", RAMS, "--verilog", STREAMS, "--fst", "x.fst"], 2,
     "--fst: waveforms are those of one"),
    ("waveform to nowhere", NOTHING, ["--verilog", RAMS, "--fst", "/nowhere/x.fst"], 2,
     "/nowhere/x.fst: no such folder"),
    ("load registers", "memory: [{address: 0x1000, fill: 1, size: 16}]\n" + NOTHING,
     ["--verilog", STREAMS], 2, "no memory behind address 0x1000"),
    ("nothing to do", NOTHING, ["--verilog", RAMS], 0, "ram0: 0 reads, 0 writes; ram1: 0 reads"),
    # Both memories, loaded and compared by the back door, written over the pins.
    ("two memories", "memory:\n  - {address: 0x100000, fill: 0x11, size: 8}\n"
     "  - {address: 0x200000, fill: 0x22, size: 8}\n" + ONE_WRITE.format(0x100000)
     + WRITE.format(0x200004)
     + "expect:\n  - {address: 0x100000, words: [0x12345678, 0x11111111]}\n"
       "  - {address: 0x200000, words: [0x22222222, 0x12345678]}\n",
     ["--verilog", RAMS, "--check-protocol"], 0, "ram0: 0 reads, 1 writes; ram1: 0 reads, 1 writes"),
    ("two memories, a wrong expectation", "memory: [{address: 0x100000, fill: 0x11, size: 8}]\n"
     + ONE_WRITE.format(0x100000) + "expect: [{address: 0x100000, words: [0x12345679]}]\n",
     ["--verilog", RAMS], 1, "0x12345678"),
    # Words of three bytes: a write of four has no place in the stream.
    ("a write the stream cannot take", ONE_WRITE.format(0x1000), ["--verilog", STREAMS], 3,
     "write to faulty address 0x1000"),
    # What the stream sends goes to an address where nothing is.
    ("a word to nowhere", ONE_WRITE.format(0x2000), ["--verilog", STREAMS], 3,
     "a word was refused where it is written to: address error"),
]


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        workload = Path(folder) / "w.yaml"
        for what, text, arguments, status, says in CASES:
            workload.write_text(text)
            done = subprocess.run([COMMAND, "run", str(workload), *arguments], cwd=folder,
                                  capture_output=True, text=True)
            told = done.stdout + done.stderr
            if done.returncode != status or says not in told:
                bad += 1
                print(f"{what}: status {done.returncode}, expected {status} and \"{says}\"\n{told}")
    print(f"{len(CASES)} runs, {bad} complaints")
    return 1 if bad else 0


sys.exit(main())
