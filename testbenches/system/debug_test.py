#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The debugger of Adreno's micro engines: scripts, where they stop and what they print, in both modes.

    debug_test.py ARCHIPELAGO
"""

import json
import re
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
                                 r"break 2: register CP_SCRATCH\[0x3\]: 0x886 <- 0x6\n.*\$rem = 0x0 \(0\)\n\Z")

    def test_steps_are_instructions_and_packets(self):
        done = self.run_script("packet 2\nstep\nstep 2\nwhere\n")
        self.assertEqual(done.returncode, suite.DONE, done.stderr)
        places = [int(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("> ")]
        self.assertEqual(len(places), 5)
        self.assertEqual([places[2] - places[1], places[3] - places[2], places[4] - places[3]], [1, 2, 0])

    def test_an_instruction_that_waits_is_one(self):
        first = self.run_script("list 40\n")  # the bootstrap reads memory and registers
        waits = re.search(r"  pc (\d+) \S+ mov \$0\d, \$regdata", first.stdout)[1]
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                done = self.run_script(f"break pc {waits}\ncontinue\nstep\nstep\ncontinue\n", mode=mode)
                self.assertEqual(done.returncode, suite.DONE, done.stderr)
                places = [int(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("> ")]
                self.assertEqual(places, [0, int(waits), int(waits) + 1, int(waits) + 2])

    def test_steps_of_another_engine_begin_where_it_stands(self):
        text = self.workload.read_text().replace("a630", "a730")
        self.workload.write_text(text)
        done = self.run_script("break packet CP_MEM_WRITE in cp.br\ncontinue\nengine cp.bv\nwhere\nstep\n")
        self.assertEqual(done.returncode, suite.DONE, done.stderr)
        places = re.findall(r"cp\.bv at .*\n> pc (\d+) ", done.stdout)
        self.assertEqual(len(places), 2)
        self.assertNotEqual(places[0], places[1])

    def test_watches_see_registers_and_memory(self):
        for mode in suite.MODES:
            done = self.run_script("break packet CP_MEM_WRITE\ncontinue\ndelete 1\nwatch memory 0x100014\ncontinue\n"
                                   "delete 2\nwatch $01\ncontinue\nlist 1\n", mode=mode)
            self.assertEqual(done.returncode, suite.DONE, done.stderr)
            self.assertIn("break 2: memory 0x100014: 0x100014 <- 0x2\n", done.stdout)
            self.assertIn("break 3: $01: 0x703d8005 -> 0x8088502\n", done.stdout)

    def test_a_source_line_and_a_pc_are_the_same_place(self):
        first = self.run_script("break packet CP_MEM_WRITE\ncontinue\n")
        place = first.stdout.splitlines()[-1].split()
        for point in (f"pc {place[2]}", place[3].rstrip(":")):
            done = self.run_script(f"break {point}\ncontinue\n")
            self.assertEqual(done.stdout.splitlines()[-1].split(), place)

    def test_commands_come_from_files_input_and_the_command_line(self):
        script = "break packet PKT4\ncontinue\nprint CP_SCRATCH[2]\nregisters\nstack\npoints\nprint @IB_LEVEL\nprint memory 0x100010 3"
        outputs = {self.run_script(script, source=source).stdout for source in ("file", "input", "line")}
        self.assertEqual(len(outputs), 1)
        self.assertIn("@IB_LEVEL = 0x0 (0)\n0x100010: ", outputs.pop())

    def test_registers_have_their_names(self):
        done = self.run_script("break packet CP_MEM_WRITE\ncontinue\nwatch $addr\ncontinue\nprint $1d\nprint $addr\nregisters\n")
        self.assertEqual(done.returncode, suite.DONE, done.stderr)
        self.assertRegex(done.stdout, r"break 2: \$addr: 0x\w+ -> 0xa0000000\n")
        self.assertIn("$1d = 0xa0000000 (2684354560)\n$addr = 0xa0000000 (2684354560)\n", done.stdout)
        self.assertRegex(done.stdout, r"\n\$19 0x\w{8}  \$sp 0x\w{8}  \$lr 0x\w{8}  \$rem 0x\w{8}\n\$addr 0xa0000000  \$usraddr 0x\w{8}\n")

    def test_engines_stop_each_for_itself(self):
        done = self.run_script("break packet CP_MEM_WRITE in cp.bv\ncontinue\nengine cp.br\nwhere\n", "--asic", "a730")
        self.assertEqual(done.returncode, suite.DONE, done.stderr)
        self.assertRegex(done.stdout, r"break 1: packet CP_MEM_WRITE in cp\.bv\ncp\.bv at [^\n]*\n> [^\n]*\ncp\.br at ")

    def test_an_engine_that_has_not_been_started_is_said_to_be(self):
        script = "engine cp.bv\nwhere\nlist\nregisters\nstack\nprint $01\nprint CP_SCRATCH[0x2]\n"
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                done = self.run_script(script, "--asic", "a730", mode=mode)
                self.assertEqual(done.returncode, suite.DONE, done.stderr)
                self.assertEqual(done.stdout.splitlines()[2:],
                                 5 * ["cp.bv has not been started"] + ["CP_SCRATCH[0x2] = 0x0 (0)"])

    def test_a_watch_is_of_the_engine_it_names(self):
        for mode in suite.MODES:
            done = self.run_script("watch $02 in cp.bv\ncontinue\n", "--asic", "a730", mode=mode)
            self.assertEqual(done.returncode, suite.DONE, done.stderr)
            self.assertRegex(done.stdout, r"\n1: \$02 in cp\.bv\nbreak 1: \$02 in cp\.bv: 0x0 -> 0x\w+\ncp\.bv at ")

    def test_an_instruction_is_shown_before_it_has_been_fetched(self):
        for mode in suite.MODES:
            done = self.run_script("break packet CP_MEM_WRITE\ncontinue\nlist 30\n", mode=mode)
            self.assertNotIn("not fetched", done.stdout)
            code = [line.split(": ", 1)[1] for line in done.stdout.splitlines()[-30:]]
            self.assertTrue(all(code), done.stdout)
            self.assertIn("waitin", code)

    def test_a_watch_of_memory_sees_a_write_that_overlaps_it(self):
        done = self.run_script("watch memory 0x100016 1\ncontinue\n")
        self.assertIn("break 1: memory 0x100016 1: 0x100014 <- 0x2\n", done.stdout)
        done = self.run_script("watch memory 0x100000 18446744073709551615\ncontinue\n")
        self.assertIn("615: 0x100010 <- 0x1\n", done.stdout)

    def test_the_ways_to_quit(self):
        for mode in suite.MODES:
            for command in ("quit", "q"):
                done = self.run_script(command + "\n", mode=mode)
                self.assertEqual((done.returncode, done.stderr), (suite.DONE, ""))
                self.assertEqual(done.stdout.splitlines()[-1], "stopped by quit")

    def test_statistics_of_a_run_that_was_quit_say_so(self):
        stats = Path(self.scratch.name) / "s.json"
        self.run_script("step 5\nquit\n", "--stats", str(stats))
        self.assertEqual(json.loads(stats.read_text())["stopped"], "stopped by quit")

    def test_abbreviations_do_what_help_says(self):
        done = self.run_script("help\ns 2\npk\np $01\nb packet PKT4\nl 1\nd 1\nw $01\nc\nh\nq\n")
        self.assertEqual(done.returncode, suite.DONE, done.stderr)
        for line in ("step, s       [N]: ", "packet, pk    [N]: ", "print, p      $NN", "quit, q       end"):
            self.assertEqual(done.stdout.count("\n" + line), 2, line)
        self.assertIn("\n$01 = 0x", done.stdout)

    def test_what_is_wrong_ends_a_script_with_its_reason(self):
        for wrong, said in (
                ("break packet CP_MEM_WRIT", 'no packet CP_MEM_WRIT (did you mean "CP_MEM_WRITE"?)'),
                ("jump", "no such command, help lists them"), ("stop", 'no such command (did you mean "step"?), help'),
                ("break", "expected pc, packet, register or FILE:LINE"), ("break here", "expected pc, packet, register or"),
                ("break pc", "expected the number of an instruction"), ("break pc 99999", "instructions, from pc 0 on"),
                ("break pc -1", 'pc: "-1" is not a number'), ("break pc 60 70", '"70" is too much'),
                ("break foo.afuc:1", "no source foo.afuc; those of the microcode: "),
                ("break memory_writ.afuc:5", 'no source memory_writ.afuc (did you mean "memory_write.afuc"?)'),
                ("break memory_write.afuc:1", "no instruction stands there, the next of memory_write.afuc is on line "),
                ("break memory_write.afuc:9999", "no instruction stands there, the last of memory_write.afuc is on line "),
                ("break memory_write.afuc:x", 'line: "x" is not a number'),
                ("break register CP_SCRACH", 'no register CP_SCRACH (did you mean "CP_SCRATCH"?)'),
                ("break register CP_SCRATCH", "which of CP_SCRATCH? CP_SCRATCH[0x0] and on"),
                ("break register CP_SCRATCH[0x8]", "no register CP_SCRATCH[0x8] (did you mean "),
                ("break register 0xaddr", "no register 0xaddr"), ("break register 0x40000", "they end at 0x3ffff"),
                ("break packet PKT4 in cp.none", "no engine cp.none, there are cp.sqe"),
                ("watch $02 in cp.none", "no engine cp.none"), ("watch CP_SCRATCH[0x2]", "expected $NN, @CONTROL"),
                ("watch memory 0x100000 0", "expected a count from 1 on, got 0"),
                ("print $40", "no register $40, there are $00 to $1f"), ("print $-1", "no register $-1"),
                ("print @NONE", "no control register NONE"), ("print @IB_LEVL", '(did you mean "IB_LEVEL"?)'),
                ("print %SPP", 'no SQE register SPP (did you mean "SP"?)'), ("print", "expected $NN"),
                ("print memory 0x40", "0x40 is not mapped"), ("print memory 0x100000 -1", "a count from 1 on, got -1"),
                ("delete 3", "there is no 3, points lists them"), ("engine cp.none", "no engine cp.none, there are cp.sqe"),
                ("step x", "expected a count from 1 on, got x"), ("step -1", "expected a count from 1 on, got -1"),
                ("step 0", "expected a count from 1 on, got 0"), ("packet 0", "expected a count from 1 on, got 0"),
                ("continue 3", '"3" is too much'), ("step 1 in cp.sqe", '"in" is too much'),
                ("break :5", 'no source ""; those of the microcode: '), ("print @", 'no control register ""')):
            with self.subTest(wrong=wrong):
                done = self.run_script(f"# a script\n\n{wrong}  # wrong\n")
                self.assertEqual(done.returncode, suite.BAD_USAGE, done.stderr)
                self.assertRegex(done.stderr, r"\A\S*/commands:3: " + re.escape(f"{wrong}: ") + "[^\n]*" + re.escape(said))
        for source, place in (("input", "<stdin>:1: "), ("line", "--debug-command: ")):
            self.assertIn(place + "delete 3: there is no 3", self.run_script("delete 3", source=source).stderr)
        self.assertEqual(self.run_script("help\n", "--asic", "tahiti").returncode, suite.BAD_USAGE)

    def test_twins_in_the_place_of_engines_are_refused(self):
        done = self.run_script("help\n", "--rtl", "afuc_engine")
        self.assertEqual(done.returncode, suite.BAD_USAGE)
        self.assertIn("--debug: --rtl afuc_engine shows no instructions", done.stderr)
        done = subprocess.run([COMMAND, "run", "--rtl", "afuc_engine", "--log", "isa", str(self.workload)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, suite.BAD_USAGE)
        self.assertIn("--log isa: --rtl afuc_engine shows no instructions", done.stderr)


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
