#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The debugger of Adreno's micro engines: scripts, where they stop and what they print, in both modes.

    debug_test.py ARCHIPELAGO
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path[:0] = [str(suite.ROOT / part) for part in ("testbenches/support",)]
from arguments import program, take  # noqa: E402

WORKLOAD = """asic: a630
memory:
  - {address: 0x100000, fill: 0, size: 4096}
steps:
  - ring: cp
    packets:
      - CP_MEM_WRITE ADDR = 0x100010, DATA = [1, 2, 3]
      - PKT4 CP_SCRATCH[0x2] = 5, CP_SCRATCH[0x3] = 6
  - {wait: cp}
expect:
  - {address: 0x100010, words: [1, 2, 3]}
"""


class DebugTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.workload = Path(self.scratch.name) / "w.yaml"
        self.workload.write_text(WORKLOAD)

    def run_script(self, script, *options, mode="cycle", source="file"):
        path = Path(self.scratch.name) / "commands"
        path.write_text(script)
        given = {"file": ("--debug", str(path)), "input": ("--debug", "-"),
                 "line": tuple(x for c in script.splitlines() for x in ("--debug-command", c))}[source]
        return subprocess.run([COMMAND, "run", "--quiet", "--mode", mode, *given, *options, str(self.workload)], text=True,
                              input=script if source == "input" else "", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60)

    def test_breakpoints_stop_where_they_are_in_both_modes(self):
        script = "break packet CP_MEM_WRITE\ncontinue\nprint $01\nbreak register CP_SCRATCH[0x3]\ncontinue\nprint $rem\n"
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                done = self.run_script(script, mode=mode)
                self.assertEqual(done.returncode, suite.DONE, done.stderr)
                self.assertRegex(done.stdout, r"(?s)\Acp\.sqe at \d+, ring cp dword 0\n> pc 0 a630\.afuc:\d+: .*"
                                 r"break 1: packet CP_MEM_WRITE\ncp\.sqe at \d+, packet CP_MEM_WRITE, header 0x703d8005, "
                                 r"ring cp dword 10\n> pc \d+ memory_write\.afuc:\d+: .*\n\$01 = 0x703d8005 .*"
                                 r"break 2: register CP_SCRATCH\[0x3\]\n.*\$rem = 0x0 \(0\)\n\Z")

    def test_steps_are_instructions_and_packets(self):
        done = self.run_script("packet 2\nstep\nstep 2\nwhere\n")
        self.assertEqual(done.returncode, suite.DONE, done.stderr)
        places = [int(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("> ")]
        self.assertEqual(len(places), 5)
        self.assertEqual([places[2] - places[1], places[3] - places[2], places[4] - places[3]], [1, 2, 0])

    def test_watches_see_registers_and_memory(self):
        for mode in suite.MODES:
            done = self.run_script("break packet CP_MEM_WRITE\ncontinue\ndelete 1\nwatch memory 0x100014\ncontinue\n"
                                   "delete 2\nwatch $01\ncontinue\nlist 1\n", mode=mode)
            self.assertEqual(done.returncode, suite.DONE, done.stderr)
            self.assertIn("break 2: memory 0x100014\n", done.stdout)
            self.assertIn("break 3: $01: 0x703d8005 -> 0x8088502\n", done.stdout)

    def test_a_source_line_and_a_pc_are_the_same_place(self):
        first = self.run_script("break packet CP_MEM_WRITE\ncontinue\n")
        place = first.stdout.splitlines()[-1].split()
        for point in (f"pc {place[2]}", place[3].rstrip(":")):
            done = self.run_script(f"break {point}\ncontinue\n")
            self.assertEqual(done.stdout.splitlines()[-1].split(), place)

    def test_commands_come_from_files_input_and_the_command_line(self):
        script = "break packet PKT4\ncontinue\nregisters\nstack\npoints\nprint @IB_LEVEL\nprint memory 0x100010 3"
        outputs = {self.run_script(script, source=source).stdout for source in ("file", "input", "line")}
        self.assertEqual(len(outputs), 1)
        self.assertIn("@IB_LEVEL = 0x0 (0)\n0x100010: ", outputs.pop())

    def test_engines_stop_each_for_itself(self):
        done = self.run_script("break packet CP_MEM_WRITE in cp.bv\ncontinue\nengine cp.br\nwhere\n", "--asic", "a730")
        self.assertEqual(done.returncode, suite.DONE, done.stderr)
        self.assertRegex(done.stdout, r"break 1: packet CP_MEM_WRITE in cp\.bv\ncp\.bv at [^\n]*\n> [^\n]*\ncp\.br at ")

    def test_what_is_wrong_ends_a_script_with_its_reason(self):
        for script, said in (("break packet CP_MEM_WRIT\n", "debugger: break packet CP_MEM_WRIT: no packet CP_MEM_WRIT"),
                             ("jump\n", "no such command, help lists them"), ("break\n", "break: pc, packet"),
                             ("print $40\n", "no register $40"), ("print @NONE\n", 'register "NONE" is not a number'),
                             ("print memory 0x40\n", "0x40 is not mapped"), ("delete 3\n", "there is no 3"),
                             ("engine cp.none\n", "no engine cp.none, there are cp.sqe"), ("step x\n", 'step "x" is not a number')):
            with self.subTest(script=script):
                done = self.run_script(script)
                self.assertEqual(done.returncode, suite.BAD_USAGE, done.stderr)
                self.assertIn(said, done.stderr)
        self.assertEqual(self.run_script("quit\n").returncode, suite.MACHINE_STOPPED)
        self.assertEqual(self.run_script("help\n", "--asic", "tahiti").returncode, suite.BAD_USAGE)


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
