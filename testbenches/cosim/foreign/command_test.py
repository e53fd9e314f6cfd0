#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""archipelago run --verilog: what cannot be is refused by name with status 2, and what goes wrong on
the pins stops the machine.

    command_test.py COMMAND STREAMS.so TWO_RAMS.so BANKS.so
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

COMMAND, STREAMS, RAMS, BANKS = take(__doc__, command=program, streams=existing, two_rams=existing,
                                     banks=existing)
NOTHING = "steps:\n  - {wait: gfx}\n"
# WRITE_DATA of one dword, confirmed, to an address.
WRITE = "  - {{ring: gfx, words: [0xC0033700, 0x00100500, {0:#x}, 0, 0x12345678]}}\n  - {{wait: gfx}}\n"
ONE_WRITE = "steps:\n" + WRITE
CASES = [
    ("no such file", NOTHING, ["--verilog", "nowhere.so"], 2, "nowhere.so: cannot load it as Verilog"),
    ("another file", NOTHING, ["--verilog", __file__], 2, "cannot load it as Verilog"),
    ("registers without time", NOTHING, ["--verilog", STREAMS, "--mode", "functional"], 2,
     "port in has no memory: in its description and needs time: cycle mode only"),
    ("the same library twice", NOTHING, ["--verilog", RAMS, "--verilog", RAMS], 2, "given more than once"),
    ("waveform of which", NOTHING, ["--verilog", RAMS, "--verilog", STREAMS, "--fst", "x.fst"], 2,
     "--fst: waveforms are those of one"),
    ("waveform to nowhere", NOTHING, ["--verilog", RAMS, "--fst", "/nowhere/x.fst"], 2,
     "/nowhere/x.fst: no such directory"),
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
    # The end of the first memory behind the port, the second one, and what lies behind no back door.
    ("parts of a range", "memory:\n  - {address: 0x10fffff8, fill: 0x11, size: 16}\n"
     "  - {address: 0x11001ff8, fill: 0x22, size: 8}\n" + ONE_WRITE.format(0x10fffffc) + WRITE.format(0x11001ff8)
     + "expect:\n  - {address: 0x10fffff8, words: [0x11111111, 0x12345678, 0x11111111]}\n"
       "  - {address: 0x11001ff8, words: [0x12345678, 0x22222222]}\n",
     ["--verilog", BANKS, "--check-protocol"], 0, "ram: 0 reads, 2 writes"),
    ("a part that is no memory", "memory: [{address: 0x11002000, fill: 1, size: 16}]\n" + NOTHING,
     ["--verilog", BANKS], 2, "ram: no memory behind address 0x11002000"),
    # Words of three bytes: a write of four has no place in the stream.
    ("a write the stream cannot take", ONE_WRITE.format(0x1000), ["--verilog", STREAMS], 3,
     "write to faulty address 0x1000"),
    # What the stream sends goes to an address where nothing is.
    ("a word to nowhere", ONE_WRITE.format(0x2000), ["--verilog", STREAMS], 3,
     "a word was refused where it is written to: address error"),
]


# Statistics of the writes above and of a descriptor: tag 5, length 3, address 0x4711.
COUNTED = (ONE_WRITE.format(0x10000100) + "  - {ring: gfx, words: [0xC0033700, 0x00100500, 0x1000, 0, "
           f"{5 | 3 << 5 | 0x4711 << 13:#x}]}}\n  - {{wait: gfx}}\n"
           "memory: [{address: 0x4000, fill: 0, size: 64}]\n"
           f"expect: [{{address: 0x4000, words: [{5 | (0x4711 + 3) << 5:#x}]}}]\n")


def statistics(folder):
    """What is wrong with the statistics of a run with Verilog."""
    (folder / "counted.yaml").write_text(COUNTED)
    done = subprocess.run([COMMAND, "run", "counted.yaml", "--verilog", BANKS, "--stats", "s.json"],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stdout + done.stderr
    stats = json.loads((folder / "s.json").read_text())
    units = stats["units"]
    seen = {
        "schema_version": stats["schema_version"], "workload": stats["workload"],
        "rtl": stats["rtl"], "verilog": stats["verilog"],
        **{f"{unit}.{name}": units["verilog.foreign_banks" + unit][name] for unit, name in (
            ("", "beats"), ("", "low_reads"), (".ram", "writes"), (".ram", "write_beats"),
            (".ram", "reads"), (".desc", "words"), (".status", "words"))}}
    expected = {"schema_version": 1, "workload": "counted.yaml", "rtl": [],
                "verilog": ["foreign_banks"], ".beats": 1, ".low_reads": 0, ".ram.writes": 1,
                ".ram.write_beats": 1, ".ram.reads": 0, ".desc.words": 1, ".status.words": 1}
    defined = stats["definitions"]["ram"]["read_waits"]["unit"] == "cycles"
    return "" if seen == expected and defined else f"{seen}\nexpected {expected}"


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
        wrong = statistics(Path(folder))
        if wrong:
            bad += 1
            print("statistics: " + wrong)
    print(f"{len(CASES) + 1} runs, {bad} complaints")
    return 1 if bad else 0


sys.exit(main())
