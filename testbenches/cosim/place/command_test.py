#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cosim`, `run` and `map` with `--rtl BLOCK=FILE`: what users get.

    command_test.py COMMAND SLOW_LANE.so SAME_LANE.so BARE_LANE.so WRONG_LANE.so SURPLUS_LANE.so SURPLUS_ISSUE.so SILENT_ISSUE.so SLOW_ADDRESS.so
        FINISHING_LANE.so LOOPING_LANE.so
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

COMMAND, SLOW, SAME, BARE, WRONG, SURPLUS, SURPLUS_ISSUE, SILENT_ISSUE, ADDRESS, FINISHING, LOOPING = take(
    __doc__, command=program, slow=existing, same=existing, bare=existing, wrong=existing, surplus=existing, surplus_issue=existing,
    silent_issue=existing, address=existing, finishing=existing, looping=existing)
HERE = Path(__file__).resolve().parent
SAXPY = HERE.parents[1] / "workloads" / "saxpy.yaml"


def archipelago(*arguments, cwd=None):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)


class Cosim(unittest.TestCase):
    def cosim(self, place, *more):
        return archipelago("cosim", "valu_lane", "--rtl", f"valu_lane={place}", "--cycles", 50000, *more)

    def test_another_latency_is_the_same_to_elastic(self):
        for against in ("model", "twin"):
            done = self.cosim(SLOW, "--against", against)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"against the {against}", done.stdout)
            [transactions] = re.findall(r"compared +(\d+) transactions in 50000 cycles of stimulus", done.stdout)
            self.assertGreater(int(transactions), 10000)

    def test_recorded_traffic_is_compared(self):
        done = self.cosim(SLOW, "--workload", SAXPY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"compared +[1-9]\d{3,} transactions")

    def test_every_pin_is_compared_under_exact(self):
        for against in ("model", "twin"):
            done = self.cosim(SAME, "--against", against)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("50000 cycles, seed 1", done.stdout)

    def test_what_differs_is_named(self):
        done = self.cosim(WRONG, "--against", "twin")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"cycle \d+: out.result=0x[0-9a-f]+ in the twin, out.result=0x[0-9a-f]+ in the Verilog")
        self.assertIn("last transactions of the twin:", done.stderr)

    def test_answers_nobody_asked_for_are_a_difference(self):
        for cycles in (0, 200):
            done = archipelago("cosim", "valu_lane", "--rtl", f"valu_lane={SURPLUS}", "--cycles", cycles)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stderr, r"port out, transaction \d+ ")

    def test_a_waveform_is_of_the_users_verilog(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.cosim(SLOW, "--fst", Path(folder) / "pins.fst")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater((Path(folder) / "pins.fst").stat().st_size, 1000)

    def test_what_cannot_be_is_refused(self):
        for arguments, says in ((["cu_issue", "--rtl", f"cu_issue={SLOW}"], "stands in the place of valu_lane, not of cu_issue"),
                                (["cu_issue", "--rtl", f"valu_lane={SLOW}"], "expected cu_issue=FILE"),
                                (["valu_lane", "--rtl", "valu_lane"], "expected valu_lane=FILE"),
                                (["valu_lane", "--rtl", "valu_lane=nowhere.so"], "nowhere.so: no such file"),
                                (["valu_lane", "--rtl", f"valu_lane={__file__}"], "cannot load it"),
                                (["valu_lane", "--against", "twin"], "give it by --rtl")):
            done = archipelago("cosim", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(says, done.stderr)

    def test_a_library_of_older_sources_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            library = Path(SLOW).read_bytes()
            old = str(HERE / "own_lane.sv").encode()
            [stamp] = re.findall(rb"([0-9a-f]{16}) " + re.escape(old), library)
            (folder / "old.so").write_bytes(library.replace(stamp + b" " + old, stamp[::-1] + b" " + old))
            done = self.cosim(folder / "old.so")
            self.assertEqual(done.returncode, 2)
            self.assertIn("own_lane.sv has changed since it was built, build it again", done.stderr)

    def test_a_description_stands_for_the_library_beside_it(self):
        with tempfile.TemporaryDirectory() as name:
            description = shutil.copy(HERE / "slow_lane.yaml", name)
            done = self.cosim(description)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"is not built: archipelago rtl build {description}", done.stderr)
            shutil.copy(SLOW, Path(name) / "slow_lane.so")
            self.assertEqual(self.cosim(description).returncode, 0)


class Run(unittest.TestCase):
    def run_with(self, place):
        return archipelago("run", SAXPY, "--rtl", f"valu_lane={place}")

    def test_results_and_cycles_are_those_of_the_chip(self):
        [cycles] = re.findall(r"cycles +(\d+)", archipelago("run", SAXPY).stdout)
        for place in (SLOW, SAME):
            done = self.run_with(place)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, rf"cycles +{cycles}\b")
            self.assertRegex(done.stdout, rf"Verilog +valu_lane={place}, [1-9]\d+ cycles of its clock")

    def test_what_registers_hold_before_a_reset_breaks_no_contract(self):
        for seed in range(8):
            done = archipelago("run", SAXPY, "--rtl", f"valu_lane={BARE}", "--seed", seed)
            self.assertEqual(done.returncode, 0, f"seed {seed}: {done.stderr}")

    def test_statistics_name_what_stood_in_a_place(self):
        with tempfile.TemporaryDirectory() as folder:
            stats = Path(folder) / "stats.json"
            for place, contract in ((SLOW, "elastic"), (SAME, "exact")):
                done = archipelago("run", SAXPY, "--rtl", f"valu_lane={place}", "--rtl", "lds", "--stats", stats)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(stats.read_text())["places"],
                                 [{"block": "valu_lane", "file": str(place), "contract": contract, "top": "own_lane"}])
            archipelago("run", SAXPY, "--rtl", f"valu_lane={WRONG}", "--stats", stats)
            self.assertIn("stopped", json.loads(stats.read_text()))
            self.assertEqual(json.loads(stats.read_text())["places"][0]["file"], str(WRONG))
            archipelago("run", SAXPY, "--rtl", "valu_lane", "--stats", stats)
            self.assertNotIn("places", json.loads(stats.read_text()))

    def test_a_broken_contract_stops_the_machine(self):
        done = self.run_with(WRONG)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stderr, r"cycle \d+ of its clock: breaks its contract exact: out.result=0x")

    def test_answers_a_chip_cannot_take_stop_the_machine(self):
        # Some come in the cycle of the question.
        for block, place, why in (("cu_issue", SURPLUS_ISSUE, "out: a transfer that none at in has asked for"),
                                  ("valu_lane", SURPLUS, "out: a transfer that none at in has asked for"),
                                  ("cu_issue", SILENT_ISSUE,
                                   "out_grant and out_reason do not say the same of a slot")):
            done = archipelago("run", SAXPY, "--rtl", f"{block}={place}")
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertRegex(done.stderr, rf"{block}: .*cycle \d+ of its clock: {why}")

    def test_verilog_that_ends_stops_the_machine(self):
        for place, why in ((FINISHING, r"\$finish"), (LOOPING, r".*did not converge\. The Verilog has a combinational loop\.")):
            for done in (self.run_with(place), archipelago("cosim", "valu_lane", "--rtl", f"valu_lane={place}")):
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertRegex(done.stderr, rf"own_lane\.sv:\d+: {why}")
                if place == LOOPING:
                    self.assertRegex(done.stderr, r"behind the run: .*own_lane\.sv:\d+: \$stop, \$fatal or a failed assertion")


class Map(unittest.TestCase):
    def map(self, surface, *options):
        points = "".join(f"{x},{x * 7 % 50}\n" for x in range(60))
        return subprocess.run([COMMAND, "map", HERE.parents[1] / "surfaces" / f"{surface}.yaml", *map(str, options)],
                              capture_output=True, text=True, input=points)

    def test_the_users_verilog_answers(self):
        for surface in ("tiled", "linear_2x2"):
            expected = self.map(surface)
            self.assertEqual(expected.returncode, 0, expected.stderr)
            done = self.map(surface, "--rtl", f"ctm_mc_address={ADDRESS}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, expected.stdout)

    def test_what_cannot_be_is_refused(self):
        for option, says in ((f"ctm_mc_address={SLOW}", "stands in the place of valu_lane, not of ctm_mc_address"),
                             ("ctm_mc_address=nowhere.so", "nowhere.so: no such file"),
                             (f"valu_lane={SLOW}", "that block maps no points, expected one of: ctm_mc_address, si_tile_address")):
            done = self.map("tiled", "--rtl", option)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)


unittest.main(argv=sys.argv[:1])
