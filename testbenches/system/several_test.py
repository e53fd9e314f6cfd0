#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several workloads of one run of the command, on one machine.

    several_test.py ARCHIPELAGO
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

COMMAND = sys.argv.pop(1)
DONE, EXPECTATION_FAILED, BAD_INPUT, STOPPED = 0, 1, 2, 3

KERNEL = """
kernel:
  code: {code}
  name: saxpy
  global_size: [{items}, 1, 1]
  local_size: [64, 1, 1]
  args:
    - buffer: {{random: {{type: f32, count: {items}, seed: 1}}}}
      dump: {dump}
    - buffer: {{random: {{type: f32, count: {items}, seed: 2}}}}
    - f32: 0.5
"""
PACKETS = """
memory: [{{address: 0x200000, size: 4096}}]
steps:
  - {{ring: gfx, packets: ["WRITE_DATA DST_SEL = MEMORY_SYNC, WR_CONFIRM = 1, DST_ADDR = 0x200000, DATA = [1, 2, 3]"]}}
  - {{wait: gfx}}
expect:
  - {{address: 0x200000, words: [1, 2, {last}]}}
  - {{interrupt: eop, count: 0}}
"""
FAULT = """
steps:
  - {ring: gfx, ib: {address: 0x70000000, dwords: 8}}
  - {wait: gfx}
"""
HANG = """
memory: [{address: 0x200000, size: 4096}]
steps:
  - {ring: compute0, packets: ["WAIT_REG_MEM MEM_SPACE = MEMORY, FUNCTION = EQUAL, POLL_ADDRESS = 0x200000, REFERENCE = 5, MASK = 0xffffffff"]}
  - {wait: compute0}
"""
UNIMPLEMENTED = """
steps:
  - {ring: gfx, words: [0xC0007400, 0]}
  - {wait: gfx}
"""
CTM = """
asic: r580
memory: [{address: 0x100000, fill: 0, size: 4096}]
expect: [{address: 0x100000, words: [0]}]
"""
CTM_FAULT = """
asic: r580
steps: [{ring: ctm, ib: {address: 0x7000000, dwords: 8}}, {wait: ctm}]
"""
ADRENO = """
memory: [{address: 0x100000, fill: 0, size: 4096}]
steps: [{ring: cp, packets: ["CP_MEM_WRITE ADDR = 0x100000, DATA = [7]"]}, {wait: cp}]
expect: [{address: 0x100000, words: [7]}]
"""
ADRENO_FAULT = """
steps: [{ring: cp, packets: ["CP_MEM_WRITE ADDR = 0x70000000, DATA = [7]"]}, {wait: cp}]
"""


class Several(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-several-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        code = suite.committed_code(Path("saxpy"))
        self.one = self.write("one", KERNEL.format(code=code, items=4096, dump="one.bin"))
        self.two = self.write("two", KERNEL.format(code=code, items=1024, dump="two.bin"))
        self.packets = self.write("packets", PACKETS.format(last=3))
        self.wrong = self.write("wrong", PACKETS.format(last=4))
        self.stops = {kind: self.write(kind, text) for kind, text in
                      (("access fault", FAULT), ("hang", HANG), ("unimplemented", UNIMPLEMENTED))}
        self.statistics = self.folder / "stats.json"

    def write(self, name, text):
        file = self.folder / f"{name.split()[0]}.yaml"
        file.write_text(text)
        return file

    def run_on(self, *arguments):
        return subprocess.run([COMMAND, "run", *map(str, arguments)], capture_output=True, text=True, check=False)

    def dumps(self):
        return [(self.folder / name).read_bytes() for name in ("one.bin", "two.bin")]

    def test_two_in_a_row_leave_the_memory_that_two_machines_leave(self):
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                for workload in (self.one, self.two):
                    self.assertEqual(self.run_on(workload, "--mode", mode).returncode, DONE)
                alone = self.dumps()
                for name in ("one.bin", "two.bin"):
                    (self.folder / name).unlink()
                result = self.run_on(self.one, self.two, self.packets, "--mode", mode)
                self.assertEqual(result.returncode, DONE, result.stderr)
                self.assertEqual(self.dumps(), alone)

    def test_the_first_takes_the_cycles_it_takes_alone(self):
        self.run_on(self.one, "--stats", self.statistics)
        alone = json.loads(self.statistics.read_text())
        self.run_on(self.one, self.two, "--stats", self.statistics)
        together = json.loads(self.statistics.read_text())
        first, second = together["workloads"]
        self.assertEqual(first["cycles"], alone["cycles"])
        self.assertEqual(first["instructions"], alone["instructions"])
        self.assertEqual(second["workload"], str(self.two))
        self.assertEqual(second["wave_instructions"] * 4, first["wave_instructions"])
        self.assertEqual(together["wave_instructions"], first["wave_instructions"] + second["wave_instructions"])
        self.assertGreater(together["cycles"], first["cycles"] + second["cycles"])
        for path, counters in together["units"].items():
            for name, value in counters.items():
                self.assertEqual(value, first["units"][path][name] + second["units"][path][name], (path, name))

    def test_a_stop_ends_its_workload_and_not_the_next(self):
        for mode in suite.MODES:
            for kind, stop in self.stops.items():
                with self.subTest(mode=mode, kind=kind):
                    result = self.run_on(self.packets, stop, self.one, self.packets, "--mode", mode,
                                         "--max-cycles", 100000, "--stats", self.statistics)
                    self.assertEqual(result.returncode, STOPPED, result.stderr)
                    self.assertIn(f"archipelago: {stop}: the machine stopped ({kind}): ", result.stderr)
                    self.assertEqual(result.stdout.count("checks        2 of 2 passed"), 2, result.stdout)
                    self.assertTrue((self.folder / "one.bin").exists())
                    (self.folder / "one.bin").unlink()
                    workloads = json.loads(self.statistics.read_text())["workloads"]
                    self.assertEqual(["stopped" in w for w in workloads], [False, True, False, False])
                    self.assertEqual(sum(1 for w in workloads if w["wave_instructions"] != 0), 1)

    def test_the_report_of_a_stop_is_that_of_the_workload_alone(self):
        for mode in suite.MODES:
            for kind, stop in self.stops.items():
                with self.subTest(mode=mode, kind=kind):
                    alone = self.run_on(stop, "--mode", mode).stderr.strip()
                    first = self.run_on(stop, self.packets, "--mode", mode).stderr.strip()
                    self.assertEqual(first.replace(f"{stop}: ", ""), alone)

    # Twice as many work-items as the buffers have elements, in kernels whose buffers lie elsewhere.
    def test_an_access_beyond_a_buffer_names_the_nearest_argument(self):
        over = {size: self.write(f"over{size}", self.one.read_text().replace("global_size: [4096,", f"global_size: [{size},")
                                 .replace("count: 4096", f"count: {size // 2}")) for size in (2048, 4096, 8192)}
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                result = self.run_on(self.two, *over.values(), self.two, "--mode", mode)
                self.assertEqual(result.returncode, STOPPED, result.stderr)
                lines = [line for line in result.stderr.splitlines() if "the machine stopped (access fault)" in line]
                self.assertEqual(len(lines), len(over), result.stderr)
                for line, (size, file) in zip(lines, over.items()):
                    self.assertIn(str(file), line)
                    found = re.search(r" unmapped address (0x\w+), lane \d+; \1 is (\d+) bytes after "
                                      r"argument (0 `y`|1 `x`) \((0x\w+), (\d+) bytes\); work-item \(\d+, 0, 0\)", line)
                    self.assertTrue(found, line)
                    address, distance, _, base, length = found.groups()
                    self.assertEqual(int(length), 4 * size // 2)
                    self.assertEqual(int(address, 16), int(base, 16) + int(length) + int(distance))

    def test_the_exit_status_is_the_worst(self):
        self.assertEqual(self.run_on(self.wrong, self.packets).returncode, EXPECTATION_FAILED)
        self.assertEqual(self.run_on(self.wrong, self.stops["access fault"], self.packets).returncode, STOPPED)

    def test_the_last_may_stop(self):
        result = self.run_on(self.packets, self.stops["access fault"])
        self.assertEqual(result.returncode, STOPPED)
        self.assertIn("the machine stopped (access fault)", result.stderr)

    def test_a_timeline_a_log_and_a_retire_trace_have_all_of_them(self):
        trace, retire, log = (self.folder / name for name in ("t.perfetto-trace", "retire.txt", "log.txt"))
        options = ["--trace", trace, "--retire", retire, "--log", "pm4", "--log-file", log]
        result = self.run_on(self.one, self.stops["access fault"], self.two, *options)
        self.assertEqual(result.returncode, STOPPED)
        self.assertGreater(trace.stat().st_size, 0)
        self.assertEqual(log.read_text().count("DISPATCH_DIRECT"), 2)
        self.assertIn("waves         80", result.stdout)
        self.assertRegex(result.stdout, r"retire trace  \S+, (\d+) instructions of \1\n")

    def test_samples_count_on_after_a_reset_has_cleared_counters(self):
        result = self.run_on(self.one, self.stops["access fault"], self.two, "--profile", "--series", 100, "--stats", self.statistics)
        self.assertEqual(result.returncode, STOPPED)
        statistics = json.loads(self.statistics.read_text())
        self.assertLessEqual(sum(statistics["series"]["instructions"]), statistics["wave_instructions"])
        self.assertLess(sum(statistics["series"]["l2_reads"]), statistics["wave_instructions"])

    def test_what_goes_with_one_workload_is_refused_by_name(self):
        for options in (["--code", "x.cl"], ["--checkpoint-at", "step:0", "--checkpoint", "c"], ["--restore", "c"],
                        ["--fast-forward", "step:0"], ["--groups", "0-1"], ["--debug", "-"]):
            with self.subTest(option=options[0]):
                result = self.run_on(self.packets, self.packets, *options)
                self.assertEqual(result.returncode, BAD_INPUT)
                self.assertIn(f"{options[0]}: goes with one workload, got 2", result.stderr)

    def test_workloads_of_two_chips_are_refused_by_name(self):
        ctm = self.write("ctm", CTM)
        result = self.run_on(self.packets, ctm)
        self.assertEqual(result.returncode, BAD_INPUT)
        self.assertIn(f"{ctm}: runs on r580, {self.packets} on tahiti", result.stderr)

    def test_a_stop_ends_its_workload_on_chips_that_one_register_resets(self):
        for mode in suite.MODES:
            for chip, (good, bad) in {"r580": (CTM, CTM_FAULT), "a630": (ADRENO, ADRENO_FAULT)}.items():
                with self.subTest(mode=mode, chip=chip):
                    good, bad = self.write("good", good), self.write("bad", bad)
                    result = self.run_on(good, bad, good, bad, good, "--asic", chip, "--mode", mode)
                    self.assertEqual(result.returncode, STOPPED)
                    self.assertEqual(result.stderr.count(f"archipelago: {bad}: the machine stopped (access fault): "), 2)
                    self.assertEqual(result.stdout.count("checks        1 of 1 passed"), 3, result.stdout)


if __name__ == "__main__":
    unittest.main()
