#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether statistics and timeline of a platform say what those of the command say of the same work.

    files_test.py PLATFORM COMMAND      each a path without .json and .perfetto-trace

PYTHONPATH has the package `archipelago`. Both hosts bring the chip up in their own ways: times, and what the bring-up
does, differ.
"""

import json
import re
import sys
import unittest

from archipelago.timeline import read

PLATFORM, COMMAND = sys.argv[1:3]
# What only the command's host knows.
OF_THE_COMMAND = ["host_seconds", "workload"]
# Counters of compute units that say what was done, not when.
WORK = re.compile(r"waves(_ended)?|\w+_(instructions|lanes)|vmem_\w*requests")


class Statistics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own, cls.command = (json.load(open(path + ".json")) for path in (PLATFORM, COMMAND))

    def test_keys_are_the_same_in_the_same_order(self):
        self.assertEqual(list(self.own), [key for key in self.command if key not in OF_THE_COMMAND])
        for key in OF_THE_COMMAND:
            self.assertIn(key, self.command)

    def test_chip_and_work_are_the_same(self):
        for key in ("schema_version", "asic", "mode", "config_hash", "wave_instructions", "instructions", "warnings",
                    "timing_guesses", "rtl", "verilog", "definitions"):
            self.assertEqual(self.own[key], self.command[key], key)
        self.assertEqual(self.own["wave_instructions"], 384)

    def test_units_have_the_same_counters(self):
        self.assertEqual({unit: list(counters) for unit, counters in self.own["units"].items()},
                         {unit: list(counters) for unit, counters in self.command["units"].items()})

    def test_units_have_done_the_same(self):
        for unit, counters in self.command["units"].items():
            for name, value in counters.items():
                if re.search(r"\.cu\d+$", unit) and WORK.fullmatch(name):
                    self.assertEqual(self.own["units"][unit][name], value, f"{unit}.{name}")
        spi = self.own["units"]["spi"]
        self.assertEqual((spi["dispatches"], spi["groups"]), (1, 64))

    def test_time_has_passed_in_cycle_mode_only(self):
        timed = self.own["mode"] == "cycle"
        self.assertEqual("attribution" in self.own, timed)
        for file in (self.own, self.command):
            self.assertEqual(file["cycles"] > 1000, timed)


class Timeline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.timed = json.load(open(PLATFORM + ".json"))["mode"] == "cycle"
        cls.own = read(PLATFORM + ".perfetto-trace", lambda row: True)
        # Functional mode has no timeline: the command writes none, a platform's is empty.
        cls.command = read(COMMAND + ".perfetto-trace", lambda row: True) if cls.timed else {}

    def test_rows_are_the_same(self):
        """But for those in which the command's host, which sets all rings up, has something to show."""
        self.assertEqual(sorted(self.own.keys() - self.command.keys()), [])
        for row in self.command.keys() - self.own.keys():
            self.assertRegex(row, r"^(host|cp\.(pfp|me|ce)\.\w+|mc\d+\.bank\d+)$")
        self.assertEqual(len(self.own) > 300, self.timed)

    def test_waves_are_the_same(self):
        def waves(rows):
            return sorted((row, span.name) for row, spans in rows.items() if re.search(r"\.slot\d+$", row)
                          for span in spans)
        self.assertEqual(waves(self.own), waves(self.command))
        self.assertEqual(len(waves(self.own)) >= 64, self.timed)

    def test_packets_are_among_those_of_the_command(self):
        row = "cp.me.gfx"
        if not self.timed:
            self.assertNotIn(row, self.own)
            return
        names = iter(span.name for span in self.command[row])
        for span in self.own[row]:
            self.assertIn(span.name, names)  # behind the one before
        self.assertIn("DISPATCH_DIRECT", [span.name for span in self.own[row]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
