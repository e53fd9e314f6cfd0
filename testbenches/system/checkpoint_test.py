#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints through the command: what may be restored where, what is refused, and how.

    checkpoint_test.py ARCHIPELAGO 0|1         1: there are Verilog twins
"""

import random
import struct
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import checkpoints
import dump_workload
import suite

COMMAND, HAVE_TWINS = sys.argv.pop(1), sys.argv.pop(1) == "1"
BY_NAME = {w.name: w for w in suite.workloads()}
STEPS = BY_NAME["context_roll"]

REPEATED = """
memory: [{{address: 0x100000, fill: 0, size: 4096}}]
kernel:
  code: {code}
  global_size: [4096, 1, 1]
  local_size: [64, 1, 1]
  repeat: 6
  args:
    - buffer: {{random: {{type: f32, count: 4096, seed: 1}}}}
    - buffer: {{random: {{type: f32, count: 4096, seed: 2}}}}
    - f32: 0.5
"""


# Packets that wait for a value that nobody writes.
WAITS = """
asic: {asic}
memory: [{{address: 0x200000, fill: 0, size: 4096}}]
steps:
  - {{ring: {ring}, packets: ["{packets}"]}}
  - {{wait: {ring}}}
"""


# A program of one OUT; then its counters are read.
COUNTERS = """
memory:
  - {{address: 0x100000, words: [0x00000105, 0, 0, 0, 0, 0]}}
  - {{address: 0x200000, fill: 0, size: 4096}}
steps:
  - {{ring: ctm, words: [{start}, 0xC0010A00, 0x100000, 0x2000400, 0xC0030700, 0, 0, 0, 0, 0xC0000800, 0, 0xC0000900, 0]}}
  - {{ring: ctm, words: [0xC0010500, 0x200000, 0]}}
  - {{wait: ctm}}
dump: [{{address: 0x200000, size: 8, file: counted}}]
"""


class Checkpoint(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-checkpoint-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.file = self.folder / "checkpoint"
        self.repeated = self.folder / "repeated.yaml"
        self.repeated.write_text(REPEATED.format(code=suite.committed_code(Path("saxpy"))))

    def run_on(self, workload, *options, mode="cycle"):
        return suite.run(COMMAND, workload, mode=mode, options=[str(o) for o in options])

    def write(self, workload, point, *options, mode="cycle"):
        result = self.run_on(workload, "--checkpoint-at", point, "--checkpoint", self.file, *options, mode=mode)
        self.assertEqual(result.status, suite.DONE, result.output)
        return result

    def refused(self, status, words, workload, *options, mode="cycle"):
        result = self.run_on(workload, *options, mode=mode)
        self.assertEqual(result.status, status, result.output)
        for word in words:
            self.assertIn(word, result.output)

    def test_every_point_of_a_kernel_and_of_the_steps_can_be_restored(self):
        for workload, points in ((self.repeated, ["kernel:1", "kernel:3", "kernel:6", "step:0"]),
                                 (STEPS, ["step:0", "step:1", "step:2"])):
            for mode in suite.MODES:
                for point in points:
                    with self.subTest(point=point, mode=mode):
                        on = self.write(workload, point, mode=mode)
                        restored = self.run_on(workload, "--restore", self.file, mode=mode)
                        self.assertEqual(suite.results_of(on.stats_text),
                                         suite.results_of(restored.stats_text))

    def test_a_restored_run_writes_the_next_checkpoint_as_the_run_itself(self):
        self.write(self.repeated, "kernel:2")
        second = self.folder / "second"
        options = ["--checkpoint-at", "kernel:4", "--checkpoint", second]
        self.assertEqual(self.run_on(self.repeated, "--restore", self.file, *options).status, suite.DONE)
        third = self.run_on(self.repeated, "--restore", second)
        again = self.run_on(self.repeated, "--restore", second)
        self.assertEqual(suite.results_of(third.stats_text), suite.results_of(again.stats_text))
        first = second.read_bytes()
        self.assertEqual(self.run_on(self.repeated, "--restore", self.file, *options).status, suite.DONE)
        self.assertEqual(second.read_bytes(), first)

    def test_under_shuffled_ticks_random_stalls_and_protocol_checkers_it_goes_on_identically(self):
        for options in (["--seed", 3], ["--random-stall", 30, "--seed", 2], ["--check-protocol"]):
            with self.subTest(options=options):
                on = self.write(self.repeated, "kernel:3", *options)
                restored = self.run_on(self.repeated, "--restore", self.file, *options)
                self.assertEqual(suite.results_of(on.stats_text),
                                 suite.results_of(restored.stats_text))

    def test_with_other_delays_it_asks_what_if(self):
        on = self.write(self.repeated, "kernel:3")
        same = self.run_on(self.repeated, "--restore", self.file)
        slower = self.run_on(self.repeated, "--restore", self.file, "--set", "links.mc.latency.cycles=60")
        self.assertEqual(slower.status, suite.DONE, slower.output)
        self.assertEqual(on.stats["cycles"], same.stats["cycles"])
        self.assertGreater(slower.stats["cycles"], same.stats["cycles"])

    def test_another_chip_is_refused_by_the_key_that_differs(self):
        self.write(self.repeated, "kernel:3")
        self.refused(suite.BAD_USAGE, ["the chip tahiti", "verde"], self.repeated, "--restore", self.file,
                     "--asic", "verde")
        self.refused(suite.BAD_USAGE, ["topology.cu_per_sh", "only delays may differ"], self.repeated, "--restore",
                     self.file, "--set", "topology.cu_per_sh=4")

    def test_another_workload_is_refused(self):
        self.write(self.repeated, "kernel:3")
        self.repeated.write_text(self.repeated.read_text().replace("0.5", "0.25"))
        self.refused(suite.BAD_USAGE, ["the workload"], self.repeated, "--restore", self.file)

    def test_functional_mode_takes_nothing_from_cycle_mode(self):
        self.write(self.repeated, "kernel:3")
        self.refused(suite.BAD_USAGE, ["mode cycle", "functional"], self.repeated, "--restore", self.file,
                     mode="functional")

    def test_points_that_are_not_there_are_refused(self):
        for point, word in (("kernel:7", "kernel:1 to kernel:6"), ("kernel:0", "kernel:1"), ("step:1", "step:0"),
                            ("frame:1", "kernel:N or step:N"), ("step:x", "a number")):
            self.refused(suite.BAD_USAGE, [point, word], self.repeated, "--checkpoint-at", point, "--checkpoint",
                         self.file)

    def test_files_that_cannot_be_written_or_read_are_named(self):
        nowhere = self.folder / "none" / "checkpoint"
        self.refused(suite.BAD_USAGE, [f"--checkpoint {nowhere}: no such directory"], self.repeated, "--checkpoint-at",
                     "kernel:1", "--checkpoint", nowhere)
        self.refused(suite.BAD_USAGE, [f"cannot read the checkpoint {nowhere}"], self.repeated, "--restore", nowhere)

    @unittest.skipUnless(HAVE_TWINS, "built without Verilog twins")
    def test_a_chip_with_a_twin_is_refused_by_the_name_of_its_block(self):
        self.refused(suite.BAD_USAGE, ["--checkpoint-at", "grbm: a checkpoint", "Verilog twin"], self.repeated, "--rtl", "grbm",
                     "--checkpoint-at", "kernel:1", "--checkpoint", self.file)
        self.refused(suite.BAD_USAGE, ["--checkpoint-at", "cp: a checkpoint", "cp.sqe is a Verilog twin"],
                     suite.WORKLOADS / "adreno" / "from_a6xx" / "draw_state.yaml", "--rtl", "afuc_engine",
                     "--checkpoint-at", "step:1", "--checkpoint", self.file)

    def test_damaged_files_are_refused_with_the_place(self):
        self.write(STEPS, "step:1")
        data = self.file.read_bytes()
        chance = random.Random(1)
        for _ in range(12):
            cut = chance.randrange(len(data))
            self.file.write_bytes(data[:cut])
            self.refused(suite.BAD_USAGE, ["checkpoint"], STEPS, "--restore", self.file)
            place = chance.randrange(len(data))
            self.file.write_bytes(data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1:])
            self.refused(suite.BAD_USAGE, ["byte "], STEPS, "--restore", self.file)

    def test_fast_forward_computes_what_a_run_in_cycle_mode_does(self):
        for name in ("context_roll", "gds_two_rings", "ce_draws", "draws", "shadow_rings", "rings_beside_draws"):
            workload = BY_NAME[name]
            with self.subTest(workload=name):
                point = checkpoints.middle(workload.path)
                result = self.run_on(workload, "--fast-forward", point)
                self.assertEqual(result.status, suite.DONE, result.output)
                self.assertEqual(result.stats["mode"], "cycle")
                whole = self.run_on(workload)
                self.assertGreater(result.stats["cycles"], 0)
                self.assertLess(result.stats["cycles"], whole.stats["cycles"])

    def test_fast_forward_of_a_ctm_chip_leaves_its_caches_as_they_are(self):
        # Lines that no program has flushed and lines that are older than memory go along.
        for workload in suite.ctm_workloads():
            steps = checkpoints.steps(workload.path)
            whole, stats = self.dumps(workload)
            for point in {0, 1, steps // 2, steps - 1} & set(range(steps)):
                with self.subTest(workload=workload.name, point=point):
                    rest, rest_stats = self.dumps(workload, "--fast-forward", f"step:{point}")
                    self.assertEqual(rest, whole)
                    self.assertEqual(rest_stats["mode"], "cycle")
                    self.assertLessEqual(rest_stats["cycles"], stats["cycles"])

    def test_fast_forward_of_a_ctm_chip_counts_on(self):
        # What programs count without time is instructions; from there on it is clocks.
        workload = self.folder / "counters.yaml"
        counters = "0xC0010200, 1, 0, 0xC0000300, 0"
        workload.write_text(COUNTERS.format(start=counters))
        result = self.run_on(workload, "--fast-forward", "step:1", "--asic", "r580")
        self.assertEqual(result.status, suite.DONE, result.output)
        total, active = struct.unpack("<2I", (self.folder / "counted").read_bytes())
        self.assertEqual(active, 1)  # of the one instruction before
        self.assertGreater(total, active)
        self.assertLess(total, 10000)

    def dumps(self, workload, *options, mode="cycle"):
        """What the run leaves in the workload's memory, and its statistics."""
        copy, dumps = dump_workload.write(workload.path, self.folder)
        result = self.run_on(replace(workload, path=Path(copy)), *options, mode=mode)
        self.assertIn(result.status, (suite.DONE, suite.EXPECTATION_FAILED), result.output)
        self.assertTrue(dumps)
        return [dump.path.read_bytes() for dump in dumps], result.stats

    def repetitions(self, name, sync):
        """The workload with repetitions; what its kernel leaves then is not what it expects."""
        file = self.folder / f"{name}_{sync}.yaml"
        copy, _ = dump_workload.write(BY_NAME[name].path, self.folder)
        text = Path(copy).read_text().replace("kernel:\n", f"kernel:\n  repeat: 5\n  sync: {sync}\n", 1)
        file.write_text(text)
        return replace(BY_NAME[name], path=file)

    def test_memory_behind_warm_caches_is_that_of_functional_mode(self):
        # Dirty lines, atomics, LDS, images and scratch.
        for name in ("saxpy", "histogram", "reduction", "local_atomics", "image_tiles", "scratch"):
            for sync in ("all", "first_level"):
                with self.subTest(workload=name, sync=sync):
                    workload = self.repetitions(name, sync)
                    want, _ = self.dumps(workload, mode="functional")
                    for point in ("kernel:1", "kernel:4"):
                        got, _ = self.dumps(workload, "--fast-forward", point, "--caches", "warm")
                        self.assertEqual(got, want)

    def test_streams_go_on_behind_warm_caches(self):
        for name in ("context_roll", "gds_two_rings", "ce_draws", "draws", "shadow_rings", "draws_vmid", "draws_spaces",
                     "address_spaces"):
            workload = BY_NAME[name]
            with self.subTest(workload=name):
                result = self.run_on(workload, "--fast-forward", checkpoints.middle(workload.path), "--caches", "warm")
                self.assertEqual(result.status, suite.DONE, result.output)

    def test_caches_stay_cold_unless_they_are_asked_to_be_warm(self):
        workload = self.repetitions("matmul", "first_level")
        first = [self.run_on(workload, "--fast-forward", "kernel:4", *options).stats
                 for options in ((), ("--caches", "cold"), ("--caches", "warm"))]
        self.assertEqual(first[0]["units"], first[1]["units"])
        hits = [sum(unit["read_hits"] for path, unit in stats["units"].items() if path.startswith("tcc"))
                for stats in first]
        self.assertGreater(hits[2], hits[1])

    def test_a_checkpoint_with_warm_caches_is_taken_on_in_functional_mode(self):
        workload = self.repetitions("matmul", "first_level")
        second = self.folder / "second"
        self.write(workload, "kernel:2", "--caches", "warm", mode="functional")
        self.assertEqual(self.run_on(workload, "--restore", self.file, "--caches", "warm", "--checkpoint-at", "kernel:4",
                                     "--checkpoint", second, mode="functional").status, suite.DONE)
        gone_on = self.run_on(workload, "--restore", second)
        at_once = self.run_on(workload, "--fast-forward", "kernel:4", "--caches", "warm")
        self.assertEqual(gone_on.stats["cycles"], at_once.stats["cycles"])
        self.write(workload, "kernel:2", mode="functional")
        self.refused(suite.BAD_USAGE, ["did not follow its caches"], workload, "--restore", self.file, "--caches", "warm",
                     "--checkpoint-at", "kernel:4", "--checkpoint", second, mode="functional")

    def test_some_groups_in_cycle_mode_and_the_others_before_them_leave_all_of_the_memory(self):
        for name, groups in (("saxpy", "0-63"), ("saxpy", "5"), ("matmul", "1,3-8,63"), ("histogram", "2-3"),
                             ("reduction", "0-7,16-23"), ("transpose", "14")):
            for caches in ("cold", "warm"):
                with self.subTest(workload=name, groups=groups, caches=caches):
                    result = self.run_on(BY_NAME[name], "--groups", groups, "--caches", caches)
                    self.assertEqual(result.status, suite.DONE, result.output)  # its expectations
        _, whole = self.dumps(BY_NAME["saxpy"])
        result = self.run_on(BY_NAME["saxpy"], "--groups", "4-11,40").stats
        self.assertEqual(whole["units"]["spi"]["groups"], 64)
        self.assertEqual(result["kernels"][0]["waves"], 9)
        self.assertEqual(result["wave_instructions"] * 64, whole["wave_instructions"] * 9)

    def test_groups_are_those_of_the_dispatch_behind_the_fast_forward(self):
        workload = self.repetitions("saxpy", "first_level")
        want, _ = self.dumps(workload, mode="functional")
        got, stats = self.dumps(workload, "--fast-forward", "kernel:3", "--groups", "8-15", "--caches", "warm")
        self.assertEqual(got, want)
        self.assertEqual([kernel["waves"] for kernel in stats["kernels"]], [8, 64])

    def test_choices_of_groups_and_caches_that_cannot_be_are_refused(self):
        saxpy = BY_NAME["saxpy"]
        for groups, word in (("5-3", "\"5-3\", expected the first number"), ("0-7,x", "\"x\", expected a number"),
                             ("3,2", "expected groups after 3"), ("1,,2", "\"\", expected"),
                             ("60-64", "64 groups, numbered from 0"), ("4294967296", "expected a number")):
            self.refused(suite.BAD_USAGE, ["--groups", word], saxpy, f"--groups={groups}")
        self.refused(suite.BAD_USAGE, ["--groups", "has no kernel"], STEPS, "--groups", "0-7")
        self.refused(suite.BAD_USAGE, ["--groups", "after kernel:6"], self.repeated, "--groups", "0-7", "--fast-forward",
                     "kernel:6")
        self.refused(suite.BAD_USAGE, ["--fast-forward kernel:7", "kernel:1 to kernel:6"], self.repeated,
                     "--fast-forward", "kernel:7")
        self.refused(suite.BAD_USAGE, ["--groups", "cycle mode"], saxpy, "--groups", "0-7", mode="functional")
        self.refused(suite.BAD_USAGE, ["--caches", "hot"], saxpy, "--caches", "hot")
        self.refused(suite.BAD_USAGE, ["--caches", "--fast-forward"], saxpy, "--caches", "warm")

    def test_what_hangs_in_front_of_a_point_is_named_with_the_point(self):
        radeon, adreno = self.folder / "radeon.yaml", self.folder / "adreno.yaml"
        radeon.write_text(WAITS.format(asic="tahiti", ring="compute0",
                                       packets="WAIT_REG_MEM MEM_SPACE = MEMORY, FUNCTION = EQUAL, "
                                               "POLL_ADDRESS_LO = 0x200000, REFERENCE = 7, MASK = 0xff, POLL_INTERVAL = 4"))
        adreno.write_text(WAITS.format(asic="a630", ring="cp",
                                       packets="CP_WAIT_REG_MEM FUNCTION = WRITE_EQ, POLL = POLL_MEMORY, "
                                               "POLL_ADDR = 0x200000, REF = 7, MASK = 0xff, DELAY_LOOP_CYCLES = 16"))
        write = ["--checkpoint", self.file, "--checkpoint-at"]
        at_point, before = "what is submitted before it does not end", "the run stands at step:1"
        for workload, packet in ((radeon, "ME has WAIT_REG_MEM"), (adreno, "cp.sqe: pc ")):
            for point, where in (("step:1", at_point), ("step:2", before)):
                for mode, options in (("cycle", write), ("functional", write), ("cycle", ["--fast-forward"])):
                    for caches in ("cold", "warm"):
                        if caches == "warm" and options is write and mode == "cycle":
                            continue
                        with self.subTest(workload=workload.stem, mode=mode, options=options, point=point,
                                          caches=caches):
                            given = [] if caches == "cold" else ["--caches", caches]
                            self.refused(suite.MACHINE_STOPPED,
                                         ["(hang)", packet, f"{options[-1]} {point} was not reached: {where}"],
                                         workload, *options, point, *given, "--max-cycles", 100000, mode=mode)
        self.assertFalse(self.file.exists())

    def test_engines_of_an_adreno_that_wait_for_packets_are_at_rest_without_time(self):
        for asic in ("a530", "a630", "a750"):
            workload = suite.WORKLOADS / "adreno" / "all" / "two_submissions.yaml"
            on = self.write(workload, "step:1", "--asic", asic, "--caches", "warm", mode="functional")
            restored = self.run_on(workload, "--restore", self.file, "--asic", asic, mode="functional")
            self.assertEqual(suite.results_of(on.stats_text), suite.results_of(restored.stats_text))

    def test_the_twins_of_caches_do_not_take_warm_ones(self):
        for block in ("tc_l1", "tc_l2_bank"):
            self.refused(suite.BAD_USAGE, [f"--caches warm: {block} is Verilog"], self.repeated, "--rtl", block,
                         "--fast-forward", "kernel:3", "--caches", "warm")
        if HAVE_TWINS:
            cold = self.run_on(self.repeated, "--rtl", "tc_l2_bank", "--fast-forward", "kernel:3")
            self.assertEqual(cold.status, suite.DONE, cold.output)

    def test_fast_forward_of_a_repeated_kernel_measures_the_rest(self):
        rest = self.run_on(self.repeated, "--fast-forward", "kernel:4")
        self.assertEqual(rest.status, suite.DONE, rest.output)
        whole = self.run_on(self.repeated)
        share = rest.stats["cycles"] / whole.stats["cycles"]
        self.assertTrue(0.2 < share < 0.5, share)
        self.assertEqual(rest.stats["wave_instructions"] * 6, whole.stats["wave_instructions"] * 2)


if __name__ == "__main__":
    subprocess.run([COMMAND, "--version"], check=True, stdout=subprocess.DEVNULL)
    unittest.main(verbosity=2)
