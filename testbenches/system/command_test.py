#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the system tests rely on: the command tells apart what can go wrong, every workload expects
something, and the copies that dump memory dump all of it.

    command_test.py ARCHIPELAGO
"""

import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

import dump_workload
import suite
import timeline

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND = None


class ExitStatus(unittest.TestCase):
    def run_text(self, text, asic="tahiti", **options):
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            path = Path(scratch) / "workload.yaml"
            path.write_text(text)
            return suite.run(COMMAND, path, asic=asic, **options)

    def each_mode(self, text, status, *said):
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                result = self.run_text(text, mode=mode, stats=False)
                self.assertEqual(result.status, status, result.output)
                for part in said:
                    self.assertIn(part, result.output)

    def test_met_expectation_is_0_and_says_nothing(self):
        for mode in suite.MODES:
            text = suite.WRITE_BEEF + "expect:\n  - {address: 0x200000, words: [0xbeef, 0]}\n"
            result = self.run_text(text, mode=mode)
            self.assertEqual((result.status, result.output), (suite.DONE, ""))

    def test_a_packet_may_go_on_in_the_next_step_of_its_ring(self):
        text = """\
memory:
  - {address: 0x200000, size: 4096, fill: 0}
steps:
  - {ring: gfx, words: [0xC0011000, 0, 0, 0xC0033700]}
  - {ring: dma0, words: [0x30000001, 0x200008]}
  - {ring: gfx, words: [0x00100500, 0x00200000, 0, 0xbeef, 0xC0001000]}
  - {ring: gfx, words: [5]}
  - {wait: gfx}
  - {ring: dma0, words: [0x200000, 0, 0]}
  - {wait: dma0}
expect:
  - {address: 0x200000, words: [0xbeef, 0, 0xbeef, 0]}
"""
        for mode in suite.MODES:
            result = self.run_text(text, mode=mode)
            self.assertEqual((result.status, result.output), (suite.DONE, ""))

    def test_wrong_memory_is_1_and_names_place_expected_and_got(self):
        self.each_mode(suite.WRITE_BEEF + "expect:\n  - {address: 0x200000, words: [0xbeee, 0]}\n",
                       suite.EXPECTATION_FAILED, "workload.yaml:7:", "at 0x200000",
                       "expected 0x0000beee, got 0x0000beef")

    # All that a stop leaves to be seen: what it has done, what it has not, and what a step has found before.
    STOP = """\
memory:
  - {address: 0x200000, size: 4096, fill: 0}
interrupts: {ring: {address: 0x400000, size: 4096}}
steps:
  - ring: gfx
    packets:
      - "WRITE_DATA DST_SEL = MEMORY, WR_CONFIRM = 1, DST_ADDR = 0x200000, DATA = 0xbeef"
      - SET_CONFIG_REG SCRATCH_REG0 = 0x77
      - "EVENT_WRITE_EOP EVENT_TYPE = CACHE_FLUSH_AND_INV_TS_EVENT, EVENT_INDEX = 5, ADDRESS = 0x200010, DATA_SEL = 1, INT_SEL = 2, DATA_LO = 5"
  - {wait: gfx}
  - {wait: compute0}  # the interrupt of the fence before arrives
  - expect: {address: 0x200000, words: [0xdead]}
  - ring: gfx
    packets: ["%s"]
  - {wait: gfx}
  - expect: {address: 0x200000, words: [1]}
expect:
  - {register: SCRATCH_REG0, value: 0x77}
  - {register: SCRATCH_REG0, value: 0x78}
  - {address: 0x200000, words: [0xbeef]}
  - {address: 0x200000, words: [0xcafe]}
  - {interrupt: eop, count: 1}
  - {interrupt: eop, count: 2}
"""
    FOUND = ("steps[3].expect: expect at 0x200000: word 0 at 0x200000: expected 0x0000dead, got 0x0000beef",
             "expect[1]: register SCRATCH_REG0: expected 0x78, got 0x77",
             "expect[3]: expect at 0x200000: word 0 at 0x200000: expected 0x0000cafe, got 0x0000beef",
             "expect[5]: interrupt eop: expected 2, got 1")
    ENDS = {"hang": ("WAIT_REG_MEM MEM_SPACE = MEMORY, FUNCTION = EQUAL, POLL_ADDRESS = 0x200020, REFERENCE = 2, MASK = -1",
                     "the machine stopped (hang): host: waits for the fence of ring 0"),
            "bad input": (".word 0xc000ee00, 0", "the machine stopped (bad input): ring gfx dword "),
            "access fault": ("WRITE_DATA DST_SEL = MEMORY, DST_ADDR = 0x90000000, DATA = 1",
                             "the machine stopped (access fault): ring gfx dword ")}

    def test_expectations_are_looked_at_after_a_stop(self):
        for kind, (packet, reason) in self.ENDS.items():
            for mode in suite.MODES:
                with self.subTest(kind=kind, mode=mode):
                    result = self.run_text(self.STOP % packet, mode=mode)
                    self.assertEqual(result.status, 3, result.output)
                    told = result.output.split("archipelago: ")
                    self.assertEqual(len(told), 2, result.output)
                    self.assertTrue(told[1].startswith(reason), result.output)
                    lines = told[0].splitlines()
                    self.assertEqual(len(lines), len(self.FOUND), result.output)
                    for line, part in zip(lines, self.FOUND):
                        self.assertIn(part, line)

    # The parser halts at an opcode error whose interrupt is enabled, and the host's fence stands behind it.
    def test_an_error_interrupt_is_seen_after_the_hang_it_causes(self):
        text = """\
steps:
  - ring: gfx
    packets:
      - "WRITE_DATA DST_SEL = REGISTER, WR_CONFIRM = 1, DST_REGISTER = CP_INT_CNTL_RING0, DATA = 0x5000000"
      - PFP_SYNC_ME
      - .word 0xc000ee00, 0
  - {wait: gfx}
expect:
  - {register: CP_INT_STATUS_RING0, value: 0x1000000, mask: 0x1000000}
  - {interrupt: cp0, count: 1}
  - {interrupt: eop, count: 0}
"""
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                result = self.run_text(text, mode=mode)
                self.assertEqual(result.status, 3)
                self.assertTrue(result.output.startswith("archipelago: the machine stopped (hang)"), result.output)
                self.assertIn("PFP waits for the host, which has the error: ring gfx dword", result.output)
                result = self.run_text(text.replace("value: 0x1000000", "value: 0"), mode=mode)
                self.assertIn("expect[0]: register CP_INT_STATUS_RING0: expected 0x0, got 0x1000000", result.output)

    def test_registers_of_every_family_are_seen_after_a_stop(self):
        families = {
            "a630": ("{ring: cp, words: [0x707f8000]}\n  - {wait: cp}", "CP_INTERRUPT_STATUS", 1),
            "a730": ("{ring: cp, words: [0x707f8000]}\n  - {wait: cp}", "CP_INTERRUPT_STATUS", 1),
            "cayman": ("{ring: dma0, packets: [FENCE ADDRESS = 0x90000000]}\n  - {wait: dma0}", "DMA0_RB_CNTL", 0x101d)}
        for chip, (step, register, value) in families.items():
            for mode in suite.MODES:
                with self.subTest(chip=chip, mode=mode):
                    text = f"asic: {chip}\nsteps:\n  - {step}\nexpect:\n  - {{register: {register}, value: %d}}\n"
                    said = []
                    for expected in (value, value + 1):
                        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
                            path = Path(scratch) / "workload.yaml"
                            path.write_text(text % expected)
                            result = suite.run(COMMAND, path, asic=chip, mode=mode, stats=False)
                        self.assertEqual(result.status, 3, result.output)
                        said.append(result.output)
                    self.assertTrue(said[0].startswith("archipelago: the machine stopped ("), said[0])
                    self.assertIn(f"register {register}: expected {value + 1:#x}, got {value:#x}", said[1])

    # pc; behind it $01, which has the header that failed.
    def test_the_dump_of_a_micro_engine_is_seen_after_a_stop(self):
        windows = {"a530": ("CP_PFP_STAT", 0x808), "a660": ("CP_SQE_STAT", 0x908), "a750": ("CP_SQE_STAT", 0x908)}
        for chip, (window, address) in windows.items():
            for mode in suite.MODES:
                with self.subTest(chip=chip, mode=mode):
                    for packets in ("", f"  - {{ring: cp, packets: [PKT4 {address:#x} = 1]}}\n  - {{wait: cp}}\n"):
                        text = (f"steps:\n{packets}  - {{ring: cp, words: [0x50000001, 0x1234]}}\n  - {{wait: cp}}\nexpect:\n"
                                f"  - {{register: {window}_DATA, value: 0}}\n"
                                "  - {register: CP_INTERRUPT_STATUS, value: 1}\n"
                                "  - {register: CP_IB1_BASE, value: 0}\n")
                        result = self.run_text(text, asic=chip, mode=mode)
                        self.assertEqual(result.status, suite.MACHINE_STOPPED, result.output)
                        pc = int(re.search(r"pc (\d+), .*neither type 4 nor type 7", result.output)[1])
                        shown = pc if packets == "" else 0x50000001
                        self.assertIn(f"expect[0]: register {window}_DATA: expected 0x0, got {shown:#x}", result.output)
                        self.assertEqual(result.output.count("expect["), 1, result.output)

    # In time: the micro engine that waits is busy.
    def test_status_registers_are_seen_after_a_hang(self):
        packet, reason = self.ENDS["hang"]
        result = self.run_text(f"""\
memory:
  - {{address: 0x200000, size: 4096, fill: 0}}
steps:
  - {{ring: gfx, packets: ["{packet}"]}}
  - {{wait: gfx}}
expect:
  - {{register: GRBM_STATUS, value: 0xa0000000, mask: 0xa0000000}}
""", mode="cycle")
        self.assertEqual(result.status, 3)
        self.assertTrue(result.output.startswith("archipelago: " + reason), result.output)

    def test_what_a_poll_has_on_its_way_is_told_from_what_hangs(self):
        text = ("memory:\n  - {address: 0x200000, size: 4096, fill: 0}\nsteps:\n  - ring: cp\n    packets:\n"
                "      - CP_WAIT_REG_MEM FUNCTION = WRITE_EQ, POLL = POLL_MEMORY, POLL_ADDR = 0x200000, REF = 7, MASK = 1\n"
                "  - {wait: cp}\n")
        moving = set()
        for cycles in range(100000, 100400, 29):
            result = self.run_text(text, asic="a630", options=["--max-cycles", str(cycles)])
            self.assertEqual(result.status, suite.MACHINE_STOPPED, result.output)
            hang = json.loads(result.stats_text)["hang"]
            self.assertEqual(list(hang["units"]), ["cp"], result.output)
            moving |= hang["moving_units"].keys()
        self.assertLessEqual({"mc0", "hub"}, moving)

    def test_a_hang_leaves_its_report_in_the_statistics(self):
        text = ("memory:\n  - {address: 0x200000, size: 4096, fill: 0}\nsteps:\n"
                "  - {ring: compute0, words: [0xC0053C00, 0x13, 0x200000, 0, 7, 0xffffffff, 4]}\n"
                "  - {wait: compute0}\n")
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                result = self.run_text(text, mode=mode)
                self.assertEqual(result.status, suite.MACHINE_STOPPED, result.output)
                stats = json.loads(result.stats_text)
                self.assertIn("waits for the fence of ring 1", stats["stopped"])
                ring = stats["hang"]["rings"]["compute0"]
                self.assertEqual(ring["engine"], "ME")
                self.assertIn("WAIT_REG_MEM", ring["packet"])
                self.assertIn("memory 0x200000 == 0x7 (last 0x0)", ring["waits_for"])
                self.assertIn("ring compute0 dword", ring["place"])
                self.assertEqual(ring["dwords"], 1 << 18)
                # Functional mode has fetched nothing behind the packet.
                self.assertNotEqual(stats["hang"]["rings"]["compute0"]["write"], 0)
                self.assertEqual(stats["hang"]["rings"]["gfx"]["engine"], "")
                self.assertIn("cp", stats["hang"]["units"])
                self.assertEqual(stats["hang"]["waves"], [])

    def test_a_hang_lists_the_waves_with_their_places(self):
        text = (suite.WORKLOADS / "vector_add.yaml").read_text()
        text = text.replace("vector_add.cl", str(suite.WORKLOADS / "vector_add.cl"))
        text = text.replace("reference/", str(suite.WORKLOADS / "reference") + "/")
        result = self.run_text(text, mode="cycle", options=["--max-cycles", "2800"])
        self.assertEqual(result.status, suite.MACHINE_STOPPED, result.output)
        waves = json.loads(result.stats_text)["hang"]["waves"]
        self.assertTrue(waves)
        for wave in waves:
            self.assertIn(wave["state"], {"ready", "fetch", "memory", "barrier", "halted", "ending"})
            self.assertGreater(wave["pc"], 0)
            self.assertRegex(wave["cu"], r"^se[01]\.sh[01]\.cu[0-7]$")
        self.assertIn(f"{len(waves)} waves are resident", result.output)

    def test_the_offset_of_a_load_to_lds_counts_in_lds_unless_the_chip_says_otherwise(self):
        # Two loads with one M0: beside each other in LDS, or the second over the first.
        text = """
memory:
  - {address: 0x200000, words: [0xa0, 0xa1, 0xb0, 0xb1]}
waves:
  - code: |
      s_mov_b32 m0, 64
      buffer_load_dword v0, s[0:3], 0 offen lds
      buffer_load_dword v0, s[0:3], 0 offen offset:8 lds
      s_waitcnt vmcnt(0)
      s_mov_b32 m0, -1
      ds_read_b32 v1, v0 offset:64
      ds_read_b32 v2, v0 offset:72
      s_waitcnt lgkmcnt(0)
    lds: 256
    set: {v0: [0, 4], s0: 0x200000, s2: 0xffffffff, s3: 0x24fac, exec: 3}
    expect: {v1: [%s], v2: [%s]}
"""
        for counts, words in (("true", ("0xa0, 0xa1", "0xb0, 0xb1")), ("false", ("0xb0, 0xb1", "0, 0"))):
            for mode in suite.MODES:
                with self.subTest(counts=counts, mode=mode):
                    result = self.run_text(text % words, mode=mode,
                                           options=["--set", f"cu.lds.load_offset={counts}"])
                    self.assertEqual(result.status, suite.DONE, result.output)

    def test_missing_interrupt_is_1(self):
        self.each_mode(suite.WRITE_BEEF + "expect:\n  - {interrupt: eop, count: 1000}\n",
                       suite.EXPECTATION_FAILED, "eop", "1000")

    def test_one_wrong_byte_of_a_kernel_buffer_is_1(self):
        reference = suite.WORKLOADS / "reference" / "vector_add.c.bin"
        text = (suite.WORKLOADS / "vector_add.yaml").read_text()
        self.assertIn("reference/vector_add.c.bin", text)
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            wrong = bytearray(reference.read_bytes())
            wrong[-1] ^= 0x40
            (Path(scratch) / "wrong.bin").write_bytes(wrong)
            text = text.replace("reference/vector_add.c.bin", str(Path(scratch) / "wrong.bin"))
            text = text.replace("vector_add.cl", str(suite.WORKLOADS / "vector_add.cl"))
            self.each_mode(text, suite.EXPECTATION_FAILED, "workload.yaml:")

    def test_outputs_that_destroy_what_is_read_or_each_other_are_2(self):
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            here = Path(scratch)
            files = {"w.yaml": suite.WRITE_BEEF + "dump: [{address: 0x200000, size: 4, file: d.bin}]\n", "k.s": "s_endpgm\n",
                     "k.yaml": "kernel: {code: k.s, global_size: [64]}\n",
                     "s.yaml": (suite.ROOT / "testbenches" / "surfaces" / "macro_tiled.yaml").read_text()}
            for name, text in files.items():
                (here / name).write_text(text)
            (here / "link.yaml").symlink_to("w.yaml")
            run = ["run", "w.yaml"]
            cases = [([*run, "--log", "isa", option, name], f"{option} {name}: would overwrite")
                     for option in ("--stats", "--trace", "--log-file", "--retire", "--fst")
                     for name in ("w.yaml", "./link.yaml", "d.bin") if option != "--fst"]
            cases += [([*run, "--retire", "o", "--stats", "./o"], "--retire o: writes the same file as --stats"),
                      ([*run, "--retire", "o", "--trace", "o"], "--retire o: writes the same file as --trace"),
                      ([*run, "--log", "isa", "--log-file", "o", "--trace", "o"], "--log-file o: writes the same file as --trace"),
                      ([*run, "--retire", "-"], "--retire -: is not standard output here"),
                      ([*run, "--stats", "no/o"], "--stats no/o: no such directory"),
                      ([*run, "--stats", "."], "--stats .: is a directory"),
                      (["run", "k.yaml", "--code", "k.s", "--trace", "k.s"], "--trace k.s: would overwrite"),
                      ([*run, "--checkpoint-at", "step:0", "--checkpoint", "w.yaml"], "--checkpoint w.yaml: would overwrite"),
                      (["asm", "k.s", "--isa", "gfx6", "-o", "k.s"], "--output k.s: would overwrite"),
                      (["compile", "k.s", "-o", "k.s"], "--output k.s: would overwrite"),
                      (["map", "s.yaml", "--picture", "s.yaml"], "--picture s.yaml: would overwrite")]
            for words, says in cases:
                with self.subTest(words=words):
                    done = subprocess.run([COMMAND, *words], cwd=here, capture_output=True, text=True)
                    self.assertEqual(done.returncode, suite.BAD_USAGE, done.stderr)
                    self.assertIn(says, done.stderr)
            self.assertEqual({p.name: p.read_text() for p in here.iterdir() if p.name != "link.yaml"}, files)
            done = subprocess.run([COMMAND, *run, "--retire", "/dev/null", "--stats", "/dev/null"], cwd=here, capture_output=True)
            self.assertEqual(done.returncode, suite.DONE)

    def test_messages_end_with_one_line(self):
        result = self.run_text("kernal: {}\n", mode="cycle", stats=False)
        self.assertTrue(result.output.endswith("\n"))
        self.assertFalse(result.output.endswith("\n\n"), result.output)

    def test_verilog_given_twice_is_2(self):
        result = self.run_text(suite.WRITE_BEEF, mode="cycle", stats=False, options=["--verilog", "a.so", "--verilog", "a.so"])
        self.assertEqual(result.status, suite.BAD_USAGE)
        self.assertIn("--verilog a.so: given more than once", result.output)

    def test_unknown_key_is_2_with_its_place(self):
        self.each_mode("kernal: {}\n", suite.BAD_USAGE, "workload.yaml:1:1", "kernal")

    def test_absent_workload_is_2(self):
        result = suite.run(COMMAND, "/nonexistent/workload.yaml")
        self.assertEqual(result.status, suite.BAD_USAGE, result.output)
        self.assertIn("/nonexistent/workload.yaml", result.output)

    def test_unknown_chip_is_2(self):
        result = suite.run(COMMAND, suite.WORKLOADS / "saxpy.yaml", asic="tahity")
        self.assertEqual(result.status, suite.BAD_USAGE, result.output)
        self.assertIn("tahity", result.output)

    def test_too_few_cycles_is_3_and_names_who_waits(self):
        result = suite.run(COMMAND, suite.WORKLOADS / "saxpy.yaml",
                           options=["--max-cycles", "100"])
        self.assertEqual(result.status, suite.MACHINE_STOPPED, result.output)
        self.assertIn("waits for", result.output)

    def test_a_clock_that_is_far_slower_than_another_is_no_hang(self):
        for asic, workload, clocks in (("tahiti", "saxpy.yaml", ("clocks.engine=10 GHz", "clocks.memory=1 MHz")),
                                       ("a750", "adreno/all/mem_write.yaml", ("clocks.memory=1600 kHz",))):
            result = suite.run(COMMAND, suite.WORKLOADS / workload, asic=asic, stats=False,
                               options=[word for clock in clocks for word in ("--set", clock)])
            self.assertEqual(result.status, suite.DONE, result.output)

    def test_max_instructions_are_those_of_a_wave_in_both_modes(self):
        for mode in suite.MODES:  # 64 waves of 26 instructions
            with self.subTest(mode=mode):
                runs = [suite.run(COMMAND, suite.WORKLOADS / "saxpy.yaml", mode=mode, stats=False,
                                  options=["--max-instructions", str(most)]) for most in (30, 20)]
                self.assertEqual(runs[0].status, suite.DONE, runs[0].output)
                self.assertEqual(runs[1].status, suite.MACHINE_STOPPED, runs[1].output)
                self.assertIn("the wave has executed 20 instructions without ending", runs[1].output)

    def test_a_kernel_on_a_chip_without_compute_units_is_2_and_names_its_place(self):
        for asic in ("r580", "a630", "juniper"):
            result = suite.run(COMMAND, suite.WORKLOADS / "saxpy.yaml", asic=asic, stats=False)
            self.assertEqual(result.status, suite.BAD_USAGE, result.output)
            self.assertRegex(result.output, r"saxpy\.yaml:\d+:\d+: kernel: kernels need GCN compute units, this chip has none")

    def test_unmapped_write_is_3_and_names_the_address(self):
        self.each_mode(suite.WRITE_BEEF.replace("0x00200000, 0,", "0x00900000, 0,"),
                       suite.MACHINE_STOPPED, "0x900000")


# A wave that branches to itself.
ENDLESS = """\
memory:
  - {address: 0x208000, words: [0xBF82FFFF]}
steps:
  - ring: gfx
    words: [0xC0037602, 0x207, 64, 1, 1, 0xC0027602, 0x20C, 0x2080, 0,
            0xC0027602, 0x212, 0xAF0040, 0, 0xC0037602, 0x215, 0, 0xFFFFFFFF, 0xFFFFFFFF,
            0xC0031502, 1, 1, 1, 5]
  - {wait: gfx}
"""


class Terminal(unittest.TestCase):
    """What comes without --quiet."""

    def command(self, text, mode, scratch, *options):
        path = Path(scratch) / "workload.yaml"
        path.write_text(text)
        return [str(COMMAND), "run", str(path), "--mode", mode, "--asic", "tahiti", *options]

    def summary(self, text, mode):
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            done = subprocess.run(self.command(text, mode, scratch), capture_output=True, text=True)
        self.assertEqual(done.returncode, suite.DONE, done.stderr)
        return done.stdout

    def test_summary_tells_what_a_stream_hardly_means(self):
        warned = {
            "{ring: gfx, ib: {address: 0x200000, dwords: 16}}":
                "8 packets with a header of 0; first: ring gfx, IB1 0x200000 dword 0: packet "
                "type-0: a header of 0, as of memory that nothing was written to",
            "{ring: gfx, words: [0xC0016800, 0x540, 1]}":
                "1 accesses to registers that are not on the bus; first: ring gfx dword ",
            "{ring: compute0, words: [0xC0031500, 1, 1, 1, 0]}":
                "1 dispatches with SHADER_TYPE 0; first: ring compute0 dword ",
            "{ring: gfx, words: [0xC0023200, 0x300000, 0, 0x10000002]}":
                "1 indirect buffers with a VMID there is not; first: ring gfx dword ",
        }
        for step, line in warned.items():
            text = ("memory:\n  - {address: 0x200000, fill: 0, size: 4096}\n"
                    "  - {address: 0x300000, words: [0xC0001000, 0]}\n"
                    f"steps:\n  - {step}\n")
            for mode in suite.MODES:
                with self.subTest(mode=mode, step=step):
                    self.assertIn("  warning       " + line, self.summary(text, mode))

    def test_summary_tells_whose_addresses_are_not_translated(self):
        enable = "{ring: gfx, words: [0xC0033700, 0, 0x505, 0, 3]}"  # VM_CONTEXT1_CNTL
        gfx = "{ring: gfx, ib: {address: 0x200000, dwords: 2, vmid: 5}}"
        dma = "{ring: dma0, ib: {address: 0x200100, dwords: 8, vmid: 6}}"
        line = "addresses of VMID %d were not translated"
        for mode in suite.MODES:
            for steps, told in (([enable, gfx, gfx, dma], [5, 6]), ([enable], []), ([gfx, dma], [])):
                with self.subTest(mode=mode, steps=steps):
                    text = ("memory:\n  - {address: 0x200000, words: [0xC0001000, 0]}\n"
                            "  - {address: 0x200100, words: [" + ", ".join(["0xF0000000"] * 8) + "]}\n"
                            "steps:\n" + "".join(f"  - {step}\n" for step in steps) +
                            "  - {wait: gfx}\n  - {wait: dma0}\n")
                    summary = self.summary(text, mode)
                    self.assertEqual(summary.count("  warning "), len(told), summary)
                    for vmid in told:
                        self.assertIn(line % vmid, summary)

    def test_address_spaces_are_translated_whatever_is_recorded(self):
        enable = "{ring: gfx, words: [0xC0033700, 0, 0x505, 0, 3]}"  # VM_CONTEXT1_CNTL
        text = (suite.WORKLOADS / "address_spaces.yaml").read_text().replace("steps:\n", f"steps:\n  - {enable}\n")
        for mode in suite.MODES:
            with self.subTest(mode=mode), tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
                command = self.command(text, mode, scratch)
                recorded = ["--trace", f"{scratch}/t.json", "--log", "pm4,isa,dma,reg,mem", "--log-file", f"{scratch}/l.txt",
                            "--retire", f"{scratch}/r.jsonl"][2 if mode == "functional" else 0:]
                plain, done = (subprocess.run(command + more, capture_output=True, text=True) for more in ([], recorded))
                self.assertEqual((plain.returncode, done.returncode), (suite.DONE, suite.DONE), done.stderr)
                self.assertNotIn("warning", plain.stdout)
                cycles = [re.search(r"cycles +[\d ]+", run.stdout) for run in (plain, done)]
                self.assertEqual(*(found and found.group() for found in cycles))

    def test_each_of_several_workloads_has_its_own_address_spaces(self):
        files = [str(suite.WORKLOADS / f"{name}.yaml") for name in
                 ("address_spaces", "draws_vmid", "draws_spaces", "address_spaces")]
        for mode in suite.MODES:
            with self.subTest(mode=mode):
                done = subprocess.run([str(COMMAND), "run", *files, "--mode", mode], capture_output=True, text=True)
                self.assertEqual(done.returncode, suite.DONE, done.stdout + done.stderr)

    def test_summary_of_an_ordinary_stream_has_no_warnings(self):
        for mode in suite.MODES:
            self.assertNotIn("warning", self.summary(suite.WRITE_BEEF, mode))

    def test_summary_tells_hits_from_mshr_hits(self):
        reads = r"L2 read hits  \d+\.\d % of \d+, MSHR hits \d+\.\d %"
        self.assertRegex(self.summary(suite.WRITE_BEEF, "cycle"), reads + "|L2 read hits  no accesses")
        path = suite.WORKLOADS / "vector_add.yaml"
        done = subprocess.run([str(COMMAND), "run", str(path)], capture_output=True, text=True)
        self.assertRegex(done.stdout, reads)

    def summary_of(self, *names, mode="cycle"):
        files = [str(suite.WORKLOADS / f"{name}.yaml") for name in names]
        return subprocess.run([str(COMMAND), "run", *files, "--mode", mode], capture_output=True, text=True, check=True).stdout

    def test_summary_has_a_verdict_for_each_kernel_and_the_rest_of_the_run(self):
        out = self.summary_of("saxpy")
        kernel, of_run = re.search(r"  kernel        saxpy: (\d+) cycles \((\S+) % of the run\), bound by .* \(\d+ % of wave cycles\)\n"
                                   r"    of peak     ALU \d+ %, LDS 0 %, L1 \d+ %, L2 \d+ %, DRAM \d+ %\n"
                                   r"    waves a CU  \d+\.\d+ of at most 40; 64 in the dispatch\n", out).groups()
        rest, of_rest = re.search(r"  no kernel     (\d+) cycles \((\S+) % of the run\)\n", out).groups()
        self.assertEqual(int(kernel) + int(rest), int(re.search(r"cycles +(\d+)", out)[1]))
        self.assertAlmostEqual(float(of_run) + float(of_rest), 100, places=1)
        self.assertNotIn("kernel", self.summary_of("saxpy", mode="functional"))

    def test_summary_of_several_workloads_has_the_kernels_of_each(self):
        out = self.summary_of("saxpy", "vector_add")
        kernels = [re.findall(r"^  kernel        (\w+):", part, re.M) for part in re.split(r"^\S.*:.*cycle, configuration", out, flags=re.M)[1:]]
        self.assertEqual(kernels[:2], [["saxpy"], ["vector_add"]])
        self.assertCountEqual(kernels[2], ["saxpy", "vector_add"])

    def test_summary_shows_the_longest_of_many_kernels_and_counts_the_others(self):
        names = ("saxpy", "vector_add", "reduction", "transpose", "histogram", "bitonic_sort")
        out = self.summary_of(*names).split("all 6 workloads: ")[1]
        cycles = [int(n) for n in re.findall(r"^  kernel .*: (\d+) cycles", out, re.M)]
        self.assertEqual(cycles, sorted(cycles, reverse=True))
        self.assertEqual(len(cycles), 4)
        self.assertRegex(out, r"  kernels       \d+ more: \d+ cycles \(all in --stats\)\n")

    def test_a_terminal_shows_progress(self):
        master, terminal = pty.openpty()
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            command = self.command(ENDLESS, "cycle", scratch, "--max-instructions", "10000000")
            run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal)
            os.close(terminal)
            shown = b""
            try:
                while part := os.read(master, 4096):
                    shown += part
            except OSError:  # the other side is closed
                pass
            os.close(master)
            self.assertEqual(run.wait(), suite.MACHINE_STOPPED, shown)
        self.assertRegex(shown, rb"\rworkload\.yaml: cycle \d+, [0-9.]+ ([kM] )?cycles/s, waves 0 done")
        self.assertIn(b"\r\x1b[Karchipelago: the machine stopped (hang)", shown)
        self.assertIn(b"the wave has executed 10000000 instructions without ending", shown)


class PerformanceCounters(unittest.TestCase):
    """Of units there are several of: GRBM_GFX_INDEX names those selected and the one that is read."""

    COUNTS = 0x900000
    CHANNELS = 12
    UNITS = [(se, sh, cu) for se in range(2) for sh in range(2) for cu in range(8)]

    @staticmethod
    def index(se=None, sh=None, instance=None):
        fields = {"SE_INDEX": se, "SH_INDEX": sh, "INSTANCE_INDEX": instance, "SE_BROADCAST_WRITES": se is None,
                  "SH_BROADCAST_WRITES": sh is None, "INSTANCE_BROADCAST_WRITES": instance is None}
        named = ", ".join(f"{name}: {int(value)}" for name, value in fields.items() if value)
        return f"SET_CONFIG_REG GRBM_GFX_INDEX = {{{named}}}"

    def counted(self, select, reads):
        """What is read of each (index, counter) behind a recorded vector addition, and the statistics."""
        packets = (select + [self.index(), "SET_CONFIG_REG CP_PERFMON_CNTL = 1"],
                   ["SET_CONFIG_REG CP_PERFMON_CNTL = 2"] +
                   [packet for n, (index, counter) in enumerate(reads)
                    for packet in (index, f"COPY_DATA SRC_SEL = REGISTER, DST_SEL = MEMORY, WR_CONFIRM = 1, "
                                          f"SRC_REGISTER = {counter}, DST_ADDR = {self.COUNTS + 4 * n:#x}")])
        capture = suite.CAPTURES / "cl_vadd_tahiti"
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            lines = (capture / "workload.yaml").read_text().replace("file: ", f"file: {capture}/").splitlines()
            ring = next(n for n, line in enumerate(lines) if "ring: gfx" in line)
            wait = "- {wait: gfx}"
            lines[ring:ring + 2] = [f"- {{ring: gfx, packets: {json.dumps(packets[0])}}}", wait, lines[ring], wait,
                                    f"- {{ring: gfx, packets: {json.dumps(packets[1])}}}", wait]
            lines += ["memory:", f"  - {{address: {self.COUNTS:#x}, size: 4096, fill: 0}}",
                      "dump:", f"  - {{address: {self.COUNTS:#x}, size: {4 * len(reads)}, file: {scratch}/counts}}"]
            path = Path(scratch) / "workload.yaml"
            path.write_text("\n".join(lines) + "\n")
            result = suite.run(COMMAND, path, asic="tahiti", mode="cycle")
            self.assertEqual(result.status, suite.DONE, result.output)
            counts = (Path(scratch) / "counts").read_bytes()
        return [int.from_bytes(counts[4 * n:4 * n + 4], "little") for n in range(len(reads))], result.stats["units"]

    def test_each_unit_counts_its_own(self):
        indices = [self.index(instance=n) for n in range(self.CHANNELS)]
        units = [self.index(*unit) for unit in self.UNITS]
        counts, counters = self.counted(
            ["SET_CONFIG_REG TCC_PERFCOUNTER0_SELECT = 5", "SET_CONFIG_REG TCP_PERFCOUNTER0_SELECT = 0x7f"],
            [(index, "TCC_PERFCOUNTER0_LO") for index in indices] +
            [(index, "TCP_PERFCOUNTER0_LO") for index in units])
        reads = [counters[f"tcc{n}"]["reads"] for n in range(self.CHANNELS)]
        reads += [counters[f"se{se}.sh{sh}.cu{cu}.l1"]["reads"] for se, sh, cu in self.UNITS]
        self.assertEqual(counts, reads)
        self.assertGreater(len(set(reads)), 2)

    def test_a_select_is_for_the_units_named_and_a_read_of_all_is_of_the_first(self):
        counts, counters = self.counted(
            [self.index(instance=3), "SET_CONFIG_REG TCC_PERFCOUNTER1_SELECT = 5"],
            [(self.index(instance=3), "TCC_PERFCOUNTER1_LO"), (self.index(instance=4), "TCC_PERFCOUNTER1_LO"),
             (self.index(instance=3), "TCC_PERFCOUNTER1_SELECT"), (self.index(), "TCC_PERFCOUNTER1_SELECT"),
             (self.index(), "TCC_PERFCOUNTER1_LO")])
        self.assertEqual(counts, [counters["tcc3"]["reads"], 0, 5, 0, 0])
        self.assertGreater(counts[0], 0)


class DriverStreams(unittest.TestCase):
    """What drivers send leaves no warning."""

    # SET_CONTEXT_REG as drivers send it over dwords without a register, (first, dwords): a colour target of Mesa's
    # radeonsi, and the clear state of the Linux kernel.
    RUNS = ([(0x318 + 15 * target, 13) for target in range(8)] +
            [(0x000, 212), (0x0D8, 272), (0x1F5, 6), (0x200, 157), (0x2A1, 1), (0x2A3, 1), (0x2A5, 233)])

    def no_warnings(self, workload, mode):
        result = suite.run(COMMAND, workload, asic="tahiti", mode=mode)
        self.assertEqual(result.status, suite.DONE, result.output)
        self.assertEqual(result.stats["warnings"], [])

    def test_runs_of_registers_with_reserved_dwords_among_them(self):
        words = [word for first, count in self.RUNS
                 for word in [0xC0006900 | count << 16, first] + [0] * count]
        for mode in suite.MODES:
            with self.subTest(mode=mode), tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
                path = Path(scratch) / "workload.yaml"
                path.write_text(f"steps:\n  - {{ring: gfx, words: {words}}}\n  - {{wait: gfx}}\n")
                self.no_warnings(path, mode)

    def test_captures(self):
        for capture in suite.captures():
            with self.subTest(capture=capture.name):
                self.no_warnings(capture, "functional")


class AsyncDma(unittest.TestCase):
    """Packets of the engines in logs of both modes and in the timeline, on a chip of each generation."""

    WORKLOAD = """\
memory:
  - {address: 0x100000, fill: 1, size: 4096}
  - {address: 0x200000, fill: 0, size: 4096}
  - {address: 0x210000, ring: dma0, packets: ["WRITE_LINEAR DST = 0x200100, DATA = [7, 8]", NOP, NOP, NOP]}
steps:
  - {ring: dma0, packets: ["COPY_LINEAR COUNT = 16, DST = 0x200000, SRC = 0x100000"]}
  - {ring: dma0, ib: {address: 0x210000, dwords: 8}}
  - {wait: dma0}
"""
    CHIPS = [chips[0] for chips in suite.DMA_CHIPS.values()]

    def run_with(self, chip, *options, mode="cycle"):
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            path, out = Path(scratch) / "workload.yaml", Path(scratch) / "out"
            path.write_text(self.WORKLOAD)
            result = suite.run(COMMAND, path, asic=chip, mode=mode, options=[*options, str(out)], stats=False)
            self.assertEqual(result.status, suite.DONE, result.output)
            return timeline.read(out) if "--trace" in options else out.read_text().splitlines()

    def test_log_has_packets_with_their_places_in_both_modes(self):
        for chip in self.CHIPS:
            packets = {}
            for mode in suite.MODES:
                with self.subTest(chip=chip, mode=mode):
                    lines = self.run_with(chip, "--log", "dma", "--log-file", mode=mode)
                    packets[mode] = [line.split(" ", 1)[1] for line in lines if " dma0: " in line]
                    self.assertRegex(packets[mode][0], r"^dma0: ring dma0 dword 0: COPY_LINEAR .*COUNT=0x10")
                    [write] = [line for line in packets[mode] if "WRITE_LINEAR" in line]
                    self.assertRegex(write, r"^dma0: ring dma0, IB 0x210000 dword 0: WRITE_LINEAR .*DST_LO=0x200100")
            self.assertEqual(packets["functional"], packets["cycle"])

    def test_timeline_has_packets_and_their_transfers(self):
        for chip in self.CHIPS:
            with self.subTest(chip=chip):
                rows = self.run_with(chip, "--trace")
                names = [span.name for span in rows["dma0"]]
                self.assertEqual([n for n in names if n != "NOP"][:3], ["COPY_LINEAR", "INDIRECT_BUFFER", "WRITE_LINEAR"])
                copies = rows["dma0.copy"]
                self.assertEqual([span.name for span in copies][:2], ["COPY_LINEAR", "WRITE_LINEAR"])
                for span in copies:
                    self.assertLess(span.begin, span.end)
                [write] = [span for span in rows["dma0"] if span.name == "WRITE_LINEAR"]
                self.assertIn("ring dma0, IB 0x210000 dword 0: WRITE_LINEAR", write.detail)


class Ctm(unittest.TestCase):
    """Commands and instructions of CTM chips in logs of both modes and in the timeline."""

    [WORKLOAD] = [w for w in suite.ctm_workloads() if w.path.stem == "mandelbrot"]

    def run_with(self, chip, *options, mode="cycle"):
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            out = Path(scratch) / "out"
            result = suite.run(COMMAND, self.WORKLOAD, asic=chip, mode=mode, options=[*options, str(out)], stats=False)
            self.assertEqual(result.status, suite.DONE, result.output)
            return timeline.read(out) if "--trace" in options else out.read_text().splitlines()

    def test_log_has_the_same_commands_in_both_modes(self):
        for chip in suite.CTM_CHIPS:
            commands = {}
            for mode in suite.MODES:
                lines = self.run_with(chip, "--log", "pm4", "--log-file", mode=mode)
                commands[mode] = [line[line.index("command buffer 1 "):] for line in lines]
                self.assertRegex(commands[mode][0], r"^command buffer 1 at 0x[0-9a-f]+, dword 0: wait_for_idle$")
            self.assertEqual(commands["functional"], commands["cycle"])

    def test_log_has_the_same_instructions_of_each_thread_in_both_modes(self):
        for chip in suite.CTM_CHIPS:
            threads = {}
            for mode in suite.MODES:
                of_mode = threads[mode] = {}
                for line in self.run_with(chip, "--log", "isa", "--log-file", mode=mode):
                    found = re.match(r"\d+ (?:ctm\.dpp\d: slot \d+|dpp:) (\(\d+, \d+\)) (\d+: (?:alu|out|fc|tex) .*)$", line)
                    self.assertTrue(found, line)
                    of_mode.setdefault(found[1], []).append(found[2])
            self.assertGreaterEqual(len(threads["cycle"]), 40)
            self.assertEqual(threads["functional"], threads["cycle"])

    def test_timeline_has_commands_and_threads(self):
        rows = self.run_with("r580", "--trace")
        names = {span.name for spans in rows.values() for span in spans}
        for name in ("start_program", "set_out_fmt", "flush_out_cache"):
            self.assertIn(name, names)


class Workloads(unittest.TestCase):
    def test_every_workload_expects_something(self):
        found = suite.workloads() + suite.captures()
        found += [w for chips in suite.DMA_CHIPS.values() for w in suite.dma_workloads(chips[0])]
        self.assertGreater(len(found), 80)
        for workload in found:
            with self.subTest(workload=workload.name):
                text = yaml.safe_load(workload.path.read_text())
                entries = text.get("steps", []) + text.get("kernel", {}).get("args", [])
                self.assertTrue(text.get("expect") or any("expect" in e for e in entries))

    def test_dumping_copy_dumps_every_buffer(self):
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            copy, dumps = dump_workload.write(suite.WORKLOADS / "vector_add.yaml", scratch)
            result = suite.run(COMMAND, copy, mode="functional")
            self.assertEqual(result.status, suite.DONE, result.output)
            self.assertEqual([d.what for d in dumps], [f"argument {i}" for i in range(3)])
            self.assertEqual([d.path.stat().st_size for d in dumps], [16384] * 3)
            reference = suite.WORKLOADS / "reference" / "vector_add.c.bin"
            self.assertEqual(dumps[0].path.read_bytes(), reference.read_bytes())

    def test_dumping_copy_dumps_every_mapped_range(self):
        with tempfile.TemporaryDirectory(prefix="archipelago-command-") as scratch:
            path = suite.CAPTURES / "cl_vadd_tahiti" / "workload.yaml"
            copy, dumps = dump_workload.write(path, scratch)
            result = suite.run(COMMAND, copy, mode="functional")
            self.assertEqual(result.status, suite.DONE, result.output)
            sizes = {d.path.name: d.path.stat().st_size for d in dumps}
            # Buffers that touch each other are one range.
            self.assertEqual(sizes, {"800000.bin": 0x50000, "100000000.bin": 0x41000})


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
