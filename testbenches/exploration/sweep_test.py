#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""archipelago sweep: what is checked, run, stored, resumed and told.

    sweep_test.py ARCHIPELAGO
"""

import csv
import itertools
import json
import os
import pty
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import unittest
import venv
from pathlib import Path

import support
from support import HANGS, SAXPY, WRONG, InFolder, kill
from archipelago.sweep import file as sweep_file  # noqa: E402

GRID = """\
workload: saxpy.yaml
parameters:
  topology.cu_per_sh: [1, 2, 4, 8]
  memory.channel_map.channels: [4, 8, 12]
"""


class Sweep(InFolder):
    def sweep(self, text, *words, status=0, **options):
        self.write("sweep.yaml", text)
        return self.call("sweep", "sweep.yaml", *words, status=status, **options)

    def rows(self, query, name="sweep.sqlite"):
        connection = sqlite3.connect(self.folder / name)
        self.addCleanup(connection.close)
        return connection.execute(query).fetchall()

    def dump(self, database):
        return self.call("sweep", "sweep.yaml", "--database", database, "--dump")


class Started(Sweep):
    def test_debians_python_finds_debians_modules_whatever_python_is_first_in_path(self):
        venv.create(self.folder / "venv")
        path = f"{self.folder / 'venv' / 'bin'}:{os.environ['PATH']}"
        self.assertIn("1 points: 1 valid", self.sweep("workload: saxpy.yaml\n", "--check", environment={"PATH": path}))


class Checked(Sweep):
    def refused(self, text, *expected):
        out = self.sweep(text, status=2)
        self.assertEqual(out.splitlines(), list(expected))
        self.assertFalse((self.folder / "sweep.sqlite").exists(), "nothing is written before all is checked")

    def test_every_fault_of_keys_and_kinds_is_told_at_once_with_its_place(self):
        self.refused(
            "workload: saxpy.yaml\nmode: [cycle, fast]\nsead: 3\nparameters:\n  a.b: []\n  c: {from: 1 MHz, to: 2 GHz}\n"
            "sample: latin\n",
            'sweep.yaml:2:15: mode[1]: got "fast", expected one of: cycle, functional',
            "sweep.yaml:3:1: sead: unknown key, expected one of: workload, asic, mode, seed, set, parameters, variants, "
            'list, sample, search, timeout_seconds, retries, max_cycles, series_cycles, title, question, same_work (did you mean "seed"?)',
            "sweep.yaml:5:8: parameters.a.b: is empty, expected at least one value",
            'sweep.yaml:6:6: parameters.c: "MHz" and "GHz" are two units, expected one',
            "sweep.yaml:6:6: parameters.c: a range in a grid needs count or step",
            'sweep.yaml:7:9: sample: got "latin", expected one of: grid, random, latin_hypercube')

    def test_keys_and_values_of_the_chip_are_judged_by_the_command_and_placed_in_the_sweep_file(self):
        self.refused(
            "workload: saxpy.yaml\nparameters:\n  topology.cu_per_sh: [2, 99]\n  topology.cu_pr_sh: [1, 2]\n"
            "  clocks.memory: [1000 MHz, 7]\n  memory.dram.timing.cl.ns: [13, 0]\n",
            "sweep.yaml:3:27: topology.cu_per_sh: 99 is out of range, expected an integer in 1..16",
            "sweep.yaml:4:3: topology.cu_pr_sh: unknown key, expected one of: shader_engines, sh_per_se, cu_per_sh, "
            'cus_per_sqc (did you mean "cu_per_sh"?)',
            "sweep.yaml:5:29: clocks.memory: got 7 without a unit, expected a frequency in Hz, kHz, MHz, GHz from 1 MHz "
            "to 10 GHz",
            "sweep.yaml:6:34: memory.dram.timing.cl.ns: 0 ns are 0 cycles of 1375 MHz, expected 1..1000000")

    def test_unknown_chips_and_missing_workloads_are_told_at_their_places(self):
        out = self.sweep("workload: [saxpy.yaml, none.yaml]\nasic: [verde, tahity]\n", status=2)
        self.assertRegex(out, r'sweep\.yaml:2:15: asic: unknown asic "tahity", did you mean tahiti')
        self.assertRegex(out, r"sweep\.yaml:1:24: workload: none\.yaml: ")

    def test_syntax_errors_and_empty_files_have_a_place(self):
        self.assertRegex(self.sweep("workload: [saxpy.yaml\nmode: cycle\n", status=2), r"^sweep\.yaml:2:\d+: ")
        self.assertIn("sweep.yaml: the file is empty", self.sweep("", status=2))
        self.assertIn("sweep.yaml:1:1: the key workload is missing", self.sweep("mode: cycle\n", status=2))

    def test_keys_given_twice_are_faults(self):
        self.refused("workload: saxpy.yaml\nworkload: saxpy.yaml\n", "sweep.yaml:2:1: workload: is given twice")

    def test_kernel_that_does_not_compile_is_told_before_anything_runs(self):
        self.write("bad.s", "v_nonsense v0, v1\n")
        self.write("bad.yaml", "kernel: {code: bad.s, global_size: [64]}\n")
        self.assertIn("bad.s", self.sweep("workload: bad.yaml\n", status=2))
        self.assertFalse((self.folder / "sweep.sqlite").exists())

    def test_no_text_is_too_broken_to_be_told_about(self):
        """Mutations of good files: each is read, or refused with its faults."""
        from archipelago.errors import Refused
        from archipelago.sweep import file
        source = random.Random(7)
        good = [GRID, Searched.SEARCH, "workload: [a, b]\nlist:\n  - {x: 1}\nsample: {method: random, points: 3}\n"
                "set: {a.b: {cycles: 3, source: guess}}\nvariants: {v: {w: {x: 2 MHz}}}\nparameters: {p: {from: 1, to: 9, log: true, count: 3}}\n"]
        pieces = ["{", "}", "[", "]", ":", ": ", "\n", "  ", "- ", "&a ", "*a", "!!int ", "\t", "?", "|", ">", '"', "'", "#", "null", "~", "-1",
                  "1e999", "0x", "99999999999999999999999", "\u2028", "\x00", "<<: ", "---\n", "%", ",", ".inf", "from: ", "points: "]
        read = 0
        for _ in range(1500):
            text = source.choice(good)
            for _ in range(source.randint(1, 4)):
                at = source.randrange(len(text))
                text = text[:at] + source.choice(pieces) + text[at + source.choice((0, 0, 1, 5)):]
            try:
                list(itertools.islice(file.read_text(text).assignments(), 50))
                read += 1
            except Refused as error:
                self.assertTrue(str(error))
        self.assertGreater(read, 20)

    def test_parts_that_set_one_key_contradict_each_other(self):
        text = ("workload: saxpy.yaml\nset: {clocks.engine: 800 MHz, cp: {meq_latency: {cycles: 3, source: guess}}}\n"
                "parameters:\n  clocks.memory: [700 MHz, 1375 MHz]\n  clocks.engine: {from: 800 MHz, to: 900 MHz, count: 2}\n"
                "  cp.meq_latency.cycles: [2]\n"
                "variants:\n  dram: {slow: {clocks.memory: 200 MHz}, fast: {memory: {bus_bits: 384}}}\n"
                "  bus: {wide: {memory.bus_bits: 384}}\n  clocks.memory: {slow: {topology.cu_per_sh: 2}}\n"
                "list: [{clocks.engine: 700 MHz}, {clocks.memory: 700 MHz}]\n")
        self.refused(
            text,
            "sweep.yaml:5:3: parameters.clocks.engine: clocks.engine is in set, too, at sweep.yaml:2:7: expected one of them",
            "sweep.yaml:6:27: parameters.cp.meq_latency.cycles[0]: cp.meq_latency.cycles is in set, too, at sweep.yaml:2:50: "
            "expected one of them",
            "sweep.yaml:8:17: variants.dram.slow.clocks.memory: clocks.memory is in parameters.clocks.memory, too, at "
            "sweep.yaml:4:19: expected one of them",
            "sweep.yaml:9:16: variants.bus.wide.memory.bus_bits: memory.bus_bits is in variants.dram, too, at sweep.yaml:8:58: "
            "expected one of them",
            "sweep.yaml:10:3: variants.clocks.memory: is the name of a parameter, too, expected another",
            "sweep.yaml:11:9: list[0].clocks.engine: clocks.engine is in set, too, at sweep.yaml:2:7: expected one of them")

    def test_blocks_that_do_not_exist_are_told_at_their_places(self):
        # What is said where the command was built without Verilator.
        why = r"(no block with pins is called nope, expected one of: .*\blds\b|no Verilog twins: )"
        self.assertRegex(self.sweep("workload: saxpy.yaml\nparameters: {rtl: [model, nope]}\n", "--check", status=2),
                         rf"^sweep\.yaml:2:27: rtl: nope: {why}")
        self.assertRegex(self.sweep("workload: saxpy.yaml\nset: {rtl: nope}\n", "--check", status=2),
                         rf"^sweep\.yaml:2:12: set: nope: {why}")

    def test_chips_and_modes_that_cannot_run_it_are_invalid_before_anything_runs(self):
        out = self.sweep("workload: saxpy.yaml\nasic: [tahiti, r580]\n", "--check")
        self.assertEqual(out, "2 points: 1 valid, 1 invalid combinations\n")
        out = self.sweep("workload: saxpy.yaml\nasic: [r580, a630]\n", "--check", status=2)
        self.assertRegex(out, r"^sweep\.yaml:1:11: workload: \S*saxpy\.yaml:2:3: kernel: kernels need GCN compute units")
        out = self.sweep("workload: saxpy.yaml\nmode: [cycle, functional]\nseries_cycles: 500\n")
        self.assertIn("2 points: 1 valid, 1 invalid combinations\n1 runs", out)
        [(reason,)] = self.rows("SELECT report FROM runs WHERE status = 'invalid'")
        self.assertIn("--series: what it adds is part of the statistics of a run in cycle mode", reason)

    def test_characters_that_no_file_or_line_can_have_are_refused_at_their_places(self):
        for word, code in (("\\0", "0000"), ("\\ud800", "D800")):
            with self.subTest(code):
                self.assertEqual(self.sweep(f'workload: saxpy.yaml\nasic: "{word}"\n', "--check", status=2),
                                 f"sweep.yaml:2:7: has the character U+{code}, which no text may have here\n")
        # The end of a line in Unicode, not in JSON.
        shutil.copy(self.folder / "saxpy.yaml", self.folder / "sax\u2028py.yaml")
        self.assertIn("1 points: 1 valid", self.sweep('workload: "sax\\u2028py.yaml"\n', "--check"))
        self.assertRegex(self.sweep('workload: "no\\u2028ne.yaml"\n', "--check", status=2), r"^sweep\.yaml:1:11: workload: ")

    def test_a_number_is_no_name_of_a_file(self):
        self.refused("workload: 3\n", "sweep.yaml:1:11: workload: got 3, expected text")

    def test_check_alone_counts_and_runs_nothing(self):
        self.assertEqual(self.sweep(GRID, "--check"), "12 points: 12 valid, 0 invalid combinations\n")
        self.assertFalse((self.folder / "sweep.sqlite").exists())


class Points(Sweep):
    def values(self, parameter):
        return [v for v, in self.rows(f"SELECT value FROM parameters WHERE name = '{parameter}' ORDER BY point")]

    def test_grid_has_every_combination_in_order(self):
        self.sweep(GRID)
        self.assertEqual(self.values("topology.cu_per_sh"), [1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8])
        self.assertEqual(self.values("memory.channel_map.channels"), [4, 8, 12] * 4)
        self.assertEqual(self.rows("SELECT DISTINCT status FROM runs"), [("done",)])
        # The runs are of the chips they say they are of.
        units = self.rows('SELECT "topology.cu_per_sh" * 4, units FROM runs JOIN totals USING (point) '
                          "WHERE kind = 'se.sh.cu' AND counter = 'waves'")
        self.assertEqual([a for a, _ in units], [b for _, b in units])

    def test_latin_hypercube_uses_each_share_of_each_range_once(self):
        self.sweep("workload: saxpy.yaml\nparameters:\n  topology.cu_per_sh: {from: 1, to: 8}\n"
                   "  clocks.memory: {from: 800 MHz, to: 1600 MHz}\n"
                   "sample: {method: latin_hypercube, points: 8, seed: 3}\n")
        self.assertEqual(sorted(self.values("topology.cu_per_sh")), list(range(1, 9)))
        shares = sorted(int((float(v.split()[0]) - 800) // 100) for v in self.values("clocks.memory"))
        self.assertEqual(shares, list(range(8)))

    def test_random_samples_follow_the_seed(self):
        text = ("workload: saxpy.yaml\nparameters:\n  topology.cu_per_sh: {from: 1, to: 8}\n"
                "sample: {method: random, points: 6, seed: %d}\n")
        drawn = []
        for seed in (1, 1, 2):
            self.sweep(text % seed)
            drawn.append(self.values("topology.cu_per_sh"))
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
        self.assertTrue(all(1 <= v <= 8 for v in drawn[0] + drawn[2]))

    def test_lists_variants_chips_workloads_modes_and_seeds_are_crossed(self):
        self.write("small.yaml", SAXPY.format(size=128))
        self.write("mine.yaml", f"base: {support.ROOT}/configs/asics/verde.yaml\nname: mine\n")
        self.sweep("workload: [saxpy.yaml, small.yaml]\nasic: [tahiti, mine.yaml]\nmode: [cycle, functional]\nseed: [0, 7]\n"
                   "set: {clocks.engine: 800 MHz}\n"
                   "variants:\n  memory: {slow: {clocks.memory: 700 MHz, memory.bus_bits: 128}, fast: {clocks.memory: 1400 MHz}}\n")
        self.assertEqual(self.rows("SELECT COUNT(*), COUNT(DISTINCT workload || asic || mode || seed || memory) FROM runs"),
                         [(32, 32)])
        self.assertEqual(self.rows("SELECT DISTINCT status FROM runs"), [("done",)])
        self.assertEqual(self.rows("SELECT DISTINCT asic FROM results ORDER BY asic"), [("mine",), ("tahiti",)])
        settings = {json.loads(s)[0] for s, in self.rows("SELECT settings FROM points")}
        self.assertEqual(settings, {"clocks.engine=800 MHz"})
        # The order of ticks does not matter to a result, in either mode.
        self.assertEqual(self.rows("SELECT COUNT(*) FROM runs a JOIN runs b USING (workload, asic, mode, memory) "
                                   "WHERE a.seed = 0 AND b.seed = 7 AND a.cycles != b.cycles"), [(0,)])

    def test_a_list_of_blocks_is_several_blocks_that_are_verilog(self):
        self.write("lane.yaml", "verilog: {}\n")
        read = sweep_file.read_text("workload: saxpy.yaml\nset: {rtl: [grbm, lds]}\n"
                                    "parameters: {rtl: [model, [valu_lane, cu_issue], salu]}\n"
                                    "variants: {verilog: {none: {rtl: model}, some: {rtl: [valu_lane=lane.yaml, cu_issue]}}}\n"
                                    "list: [{rtl: [tc_l1, tc_l2_bank]}]\n", self.folder)
        self.assertEqual([s.rtl for s in read.common], [("grbm", "lds")])
        self.assertEqual([[s.rtl for s in p.choices] for p in read.parameters],
                         [[(), ("valu_lane", "cu_issue"), ("salu",)], [(), (f"valu_lane={self.folder}/lane.yaml", "cu_issue")]])
        self.assertEqual([p["rtl"].rtl for p in read.listed], [("tc_l1", "tc_l2_bank")])
        self.assertIn("sweep.yaml:2:19: set.rtl[1]: no file none.yaml, expected the library of a block or its description",
                      self.sweep("workload: saxpy.yaml\nset: {rtl: [grbm, lds=none.yaml]}\n", status=2))

    def test_options_of_the_kernel_are_an_axis(self):
        self.write("include/width.h", "#define WIDTH 64\n")
        self.write("k.cl", '#include "width.h"\nkernel void k(global volatile uint* out) { for (int i = 0; i < TIMES; ++i) out[get_global_id(0)] += WIDTH; }\n')
        self.write("k.yaml", "kernel:\n  code: k.cl\n  options: [-DTIMES=1]\n  global_size: [64]\n  args:\n    - buffer: {zeros: 256}\n")
        out = self.sweep("workload: k.yaml\nset: {options: -Iinclude}\nparameters:\n"
                         "  options: ['', -DTIMES=2, [-D, TIMES=64, -O1], -DTIMES=x, '-DTIMES=1 -w']\n")
        self.assertIn("5 points: 4 valid, 1 equal to others, 1 invalid combinations", out)
        cycles = dict(self.rows("SELECT options, cycles FROM runs WHERE status = 'done'"))
        self.assertEqual(set(cycles), {"", "-DTIMES=2", "[-D, TIMES=64, -O1]", "-DTIMES=1 -w"})
        self.assertEqual(cycles[""], cycles["-DTIMES=1 -w"])
        self.assertLess(cycles[""], cycles["[-D, TIMES=64, -O1]"])
        self.assertEqual(len(list(self.folder.glob("sweep.sqlite.code/*"))), 3)
        self.assertIn("which the command reads",
                      self.sweep("workload: k.yaml\nset: {options: -Iinclude}\n", "--csv", "include/width.h", status=2))
        self.assertEqual(self.sweep("workload: k.yaml\nset: {options: -Iinclude}\nparameters:\n  options: [-DA, -target]\n", status=2),
                         "sweep.yaml:4:18: options: \"-target\": machine, steps and output of the compilation are the model's\n")
        self.assertEqual(self.sweep("workload: k.yaml\nset: {options: -Inone}\n", status=2),
                         f"sweep.yaml:2:16: set: \"-Inone\": no folder none\n")

    def test_listed_points_stand_before_sampled_ones(self):
        self.sweep("workload: saxpy.yaml\nlist:\n  - {topology.cu_per_sh: 3}\n  - {clocks.engine: 900 MHz}\n")
        self.assertEqual(self.rows('SELECT "topology.cu_per_sh", "clocks.engine" FROM runs ORDER BY point'),
                         [(3, None), (None, "900 MHz")])

    def test_what_is_refused_only_in_combination_is_invalid_with_its_reason_and_no_failure(self):
        out = self.sweep("workload: saxpy.yaml\nparameters:\n  topology.cu_per_sh: [8, 16]\n  topology.shader_engines: [1, 2]\n")
        self.assertIn("4 points: 3 valid, 1 invalid combinations", out)
        [(point, reason)] = self.rows("SELECT point, report FROM runs WHERE status = 'invalid'")
        self.assertEqual(point, 3)
        self.assertIn("64 compute units, 32 shared caches and the command processor are 97 clients, more than the 64 "
                      "ports of the fabric", reason)


class Stored(Sweep):
    def test_known_results_are_not_run_again_and_new_values_are(self):
        self.assertIn("12 runs, 0 results were known", self.sweep(GRID))
        self.assertIn("0 runs, 12 results were known", self.sweep(GRID))
        self.assertIn("3 runs, 12 results were known", self.sweep(GRID.replace("[1, 2, 4, 8]", "[1, 2, 3, 4, 8]")))
        self.assertEqual(self.rows("SELECT COUNT(*) FROM attempts"), [(15,)])

    def test_another_workload_content_configuration_command_or_option_is_another_result(self):
        text = "workload: saxpy.yaml\n"
        self.sweep(text)
        self.write("saxpy.yaml", SAXPY.format(size=320))
        self.assertIn("1 runs, 0 results were known", self.sweep(text))
        data = bytearray((self.folder / "saxpy.hsaco").read_bytes()) + b"\0"
        (self.folder / "saxpy.hsaco").write_bytes(data)
        self.assertIn("1 runs, 0 results were known", self.sweep(text))
        self.assertIn("1 runs, 0 results were known", self.sweep(text + "set: {clocks.engine: 800 MHz}\n"))
        self.assertIn("1 runs, 0 results were known", self.sweep(text + "max_cycles: 1000000\n"))
        other = self.stand_in("other", ":")
        from archipelago import command
        self.assertNotEqual(command.version(str(other)), command.version(self.COMMAND))
        self.assertIn("0 runs, 1 results were known", self.sweep(text))

    def test_a_kernel_in_source_is_the_same_in_every_database(self):
        shutil.copy(support.WORKLOADS / "saxpy_asm.s", self.folder)
        self.write("asm.yaml", SAXPY.format(size=256).replace("saxpy.hsaco", "saxpy_asm.s").replace("name: saxpy", "name: saxpy_asm"))
        (self.folder / "elsewhere").mkdir()
        self.sweep("workload: asm.yaml\n")
        self.sweep("workload: asm.yaml\n", "--database", "elsewhere/other.sqlite")
        self.assertEqual(self.dump("sweep.sqlite"), self.dump("elsewhere/other.sqlite"))

    def test_functional_mode_has_no_cycles(self):
        self.sweep("workload: saxpy.yaml\nmode: [cycle, functional]\n", "--csv", "out.csv")
        [timed, timeless] = self.rows("SELECT mode, status, cycles, sim_seconds, wave_instructions FROM runs ORDER BY point")
        self.assertEqual(timeless, ("functional", "done", None, None, timed[4]))
        self.assertGreater(timed[2], 0)
        with open(self.folder / "out.csv", newline="") as file:
            self.assertEqual([row["cycles"] for row in csv.DictReader(file)], [str(timed[2]), ""])

    def test_points_of_one_configuration_are_run_once(self):
        out = self.sweep("workload: saxpy.yaml\nlist:\n  - {topology.cu_per_sh: 8}\n  - {topology.cu_per_sh: 8}\n")
        self.assertIn("2 points: 2 valid, 1 equal to others", out)
        self.assertIn("1 runs", out)

    def test_ctm_chips_are_swept_by_their_own_keys(self):
        workload = Path(__file__).resolve().parents[1] / "workloads" / "ctm" / "stencil.yaml"
        out = self.sweep(f"workload: {workload}\nasic: [r580, r520]\nparameters: {{ctm.dpp.arrays: [1, 4]}}\n", "--csv", "out.csv")
        self.assertIn("4 points: 4 valid, 0 invalid", out)
        with open(self.folder / "out.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        cycles = {(row["asic"], row["ctm.dpp.arrays"]): int(row["cycles"]) for row in rows}
        for chip in ("r580", "r520"):
            self.assertGreater(cycles[chip, "1"], 1.5 * cycles[chip, "4"])

    def test_every_counter_hash_and_version_is_in_database_and_csv(self):
        self.sweep("workload: saxpy.yaml\nparameters: {topology.cu_per_sh: [2, 4]}\n", "--csv", "out.csv")
        stats = self.folder / "stats.json"
        self.call("run", "saxpy.yaml", "--quiet", "--set", "topology.cu_per_sh=4", "--stats", stats)
        stats = json.loads(stats.read_text())
        expected = {(unit, name): value for unit, counts in stats["units"].items() for name, value in counts.items()}
        stored = {(u, c): v for u, c, v in self.rows("SELECT unit, counter, value FROM values_by_unit WHERE point = 1")}
        self.assertEqual(stored, expected)
        with open(self.folder / "out.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2)
        self.assertEqual({f"{u}.{c}": str(v) for (u, c), v in expected.items()},
                         {k: rows[1][k] for k in (f"{u}.{c}" for u, c in expected)})
        self.assertEqual((rows[1]["config_hash"], rows[1]["cycles"]), (stats["config_hash"], str(stats["cycles"])))
        self.assertRegex(rows[1]["version"], r"archipelago \d+\.\d+\.\d+ \([0-9a-f]{12}\)")
        # Units one does not have are empty, not 0.
        self.assertEqual((rows[0]["se0.sh0.cu3.waves"], rows[1]["se0.sh0.cu3.waves"]), ("", rows[1]["se0.sh0.cu3.waves"]))
        self.sweep("workload: saxpy.yaml\nparameters: {topology.cu_per_sh: [2, 4]}\n", "--csv", "kinds.csv", "--by", "kind")
        with open(self.folder / "kinds.csv", newline="") as file:
            total = sum(v for (u, c), v in expected.items() if c == "waves" and u.startswith("se"))
            self.assertEqual(list(csv.DictReader(file))[1]["se.sh.cu.waves"], str(total))

    def test_csv_by_kernel_has_a_row_for_each_dispatch(self):
        self.write("twice.yaml", SAXPY.format(size=256).replace("kernel:\n", "kernel:\n  repeat: 2\n"))
        self.write("nothing.yaml", "memory: [{address: 0x100000, words: [1]}]\nsteps: [{ring: gfx, words: [0xC0001000, 0]}, {wait: gfx}]\n")
        self.sweep("workload: [twice.yaml, nothing.yaml]\nmode: [cycle, functional]\nasic: verde\n", "--csv", "k.csv", "--by", "kernel")
        self.call("run", "twice.yaml", "--asic", "verde", "--stats", "s.json", "--quiet")
        kernels = json.loads((self.folder / "s.json").read_text())["kernels"]
        with open(self.folder / "k.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["workload"], r["mode"], r["dispatch"]) for r in rows],
                         [("twice.yaml", "cycle", "1"), ("twice.yaml", "cycle", "2"), ("twice.yaml", "functional", ""),
                          ("nothing.yaml", "cycle", ""), ("nothing.yaml", "functional", "")])
        for row, kernel in zip(rows, kernels):
            self.assertEqual(row["kernel"], "saxpy")
            self.assertEqual(row["kernel_cycles"], str(kernel["end"] - kernel["start"]))
            self.assertEqual(row["memory.l1.reads"], str(kernel["memory"]["l1"]["reads"]))
            self.assertEqual(row["reasons.wait_vm"], str(kernel["reasons"]["wait_vm"]))

    def test_counters_have_measure_meaning_and_kind(self):
        self.sweep("workload: saxpy.yaml\n")
        self.assertEqual(self.rows("SELECT DISTINCT kind FROM counters WHERE unit LIKE 'se0.sh0.cu0%' ORDER BY kind"),
                         [("se.sh.cu",), ("se.sh.cu.l1",)])
        self.assertEqual(self.rows("SELECT COUNT(*) FROM counters WHERE meaning = '' OR measure = ''"), [(0,)])

    def test_no_host_time_is_outside_the_attempts(self):
        self.sweep(GRID)
        self.sweep(GRID, "--database", "again.sqlite", "--jobs", "1")
        self.assertEqual(self.dump("sweep.sqlite"), self.dump("again.sqlite"))
        self.assertGreater(self.rows("SELECT MIN(host_seconds) FROM attempts")[0][0], 0)


class Failing(Sweep):
    def test_a_failed_point_is_recorded_with_its_report_and_run_again_next_time(self):
        self.write("wrong.yaml", WRONG)
        self.write("hangs.yaml", HANGS)
        text = "workload: [saxpy.yaml, wrong.yaml, hangs.yaml]\n"
        out = self.sweep(text, status=1)
        self.assertIn("point 1 (wrong.yaml ): expectation failed: ", out)
        rows = self.rows("SELECT workload, status, report FROM runs ORDER BY point")
        self.assertEqual([r[:2] for r in rows], [("saxpy.yaml", "done"), ("wrong.yaml", "expectation failed"),
                                                 ("hangs.yaml", "stopped")])
        self.assertIn("expected 0x00000001, got 0x00000000", rows[1][2])
        self.assertIn("waits for the fence", rows[2][2])
        self.assertEqual(len(self.rows("SELECT json FROM sections WHERE name = 'hang'")), 1)
        self.assertIn("2 runs, 1 results were known", self.sweep(text, status=1))
        # Where the tolerance lies in the workload, mending it makes another point of it.
        self.write("wrong.yaml", WRONG.replace("[1]", "[0]"))
        self.write("hangs.yaml", HANGS.replace("7, 0x", "0, 0x"))
        self.sweep(text)
        self.assertEqual(self.rows("SELECT DISTINCT status FROM runs"), [("done",)])

    def test_a_run_that_is_killed_is_given_out_again_at_once(self):
        once = self.stand_in("killed_once", 'if mkdir "$PWD/killed" 2>/dev/null; then kill -9 $$; fi')
        self.write("sweep.yaml", GRID)
        from archipelago import command
        self.assertTrue(command.usable(str(once)))
        self.call("sweep", "sweep.yaml", command=self.python_command(once))
        self.assertEqual(self.rows("SELECT status, COUNT(*) FROM attempts GROUP BY status ORDER BY status"),
                         [("crashed", 1), ("done", 12)])
        self.assertEqual(self.rows("SELECT DISTINCT status FROM runs"), [("done",)])

    def test_a_run_that_is_always_killed_ends_as_a_failure_after_its_retries(self):
        always = self.stand_in("always_killed", "kill -9 $$")
        self.write("sweep.yaml", "workload: saxpy.yaml\nretries: 2\n")
        out = self.call("sweep", "sweep.yaml", command=self.python_command(always), status=1)
        self.assertIn("crashed: ended by signal 9", out)
        self.assertEqual(self.rows("SELECT COUNT(*) FROM attempts"), [(3,)])

    def test_a_run_beyond_its_time_is_ended_and_recorded(self):
        slow = self.stand_in("slow", "sleep 60")
        self.write("sweep.yaml", "workload: saxpy.yaml\nretries: 0\ntimeout_seconds: 0.3\n")
        self.assertIn("timeout: no end after 0.3 s",
                      self.call("sweep", "sweep.yaml", command=self.python_command(slow), status=1))

    def test_a_full_disk_ends_with_what_was_done_kept(self):
        self.write("sweep.yaml", GRID)
        self.call("sweep", "sweep.yaml", "--database", "whole.sqlite")
        limit = (self.folder / "whole.sqlite").stat().st_size // 2

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        out = self.call("sweep", "sweep.yaml", status=2, preexec_fn=small_files)
        found = re.search(r"sweep\.sqlite: .*; (\d+) of 12 results are kept: start the same command again", out)
        self.assertTrue(found, out)
        kept = int(found[1])
        self.assertGreater(kept, 0)
        self.assertEqual(self.rows("SELECT COUNT(*) FROM results WHERE status = 'done'"), [(kept,)])
        self.assertIn(f"{12 - kept} runs, {kept} results were known", self.call("sweep", "sweep.yaml"))
        self.assertEqual(self.dump("sweep.sqlite"), self.dump("whole.sqlite"))

    def test_files_that_cannot_be_written_are_told(self):
        self.sweep("workload: saxpy.yaml\n")
        self.write("file", "")
        # Nothing can be below a file or in place of a folder, whoever asks: root, too, whom no permission stops.
        for folder in ("x.sqlite-journal", "y.sqlite.lock"):
            (self.folder / folder).mkdir()
            self.write(f"{folder}/in", "")
        for path, says in (("x.sqlite", "x.sqlite: unable to open database file"),
                           ("y.sqlite", "--database y.sqlite.lock: is a directory, expected a file to write")):
            self.assertIn(says, self.sweep(GRID, "--database", path, status=2))
        self.write("sweep.yaml", "workload: saxpy.yaml\n")
        self.assertIn("/dev/full: No space left on device; the results are kept in sweep.sqlite",
                      self.call("sweep", "sweep.yaml", "--csv", "/dev/full", status=2))
        self.assertTrue(Path("/dev/full").is_char_device())
        self.call("sweep", "sweep.yaml", "--csv", "/dev/stdout")
        self.write("text.sqlite", "this is no database\n" * 100)
        self.assertIn("text.sqlite: file is not a database", self.sweep(GRID, "--database", "text.sqlite", status=2))

    def test_outputs_that_cannot_be_or_would_overwrite_are_refused_before_a_run(self):
        (self.folder / "folder").mkdir()
        shutil.copy(support.CODE / "saxpy.hsaco", self.folder / "own.hsaco")
        self.write("own.yaml", SAXPY.format(size=256).replace("saxpy.hsaco", "own.hsaco") + "dump: [{address: 0x100000, size: 4, file: d.bin}]\n"
                   "memory: [{address: 0x100000, fill: 0, size: 4 KiB}]\n")
        self.write("chip.yaml", f"base: {support.ROOT}/configs/asics/verde.yaml\nname: chip\n")
        self.write("w.yaml", "energy: {cu: 12 pJ}\n")
        text = "workload: own.yaml\nasic: chip.yaml\n"
        before = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
        for words, why in (
                (("--database", "no/such/x.sqlite"), "--database no/such/x.sqlite: no such directory"),
                (("--database", "w.yaml/x.sqlite"), "--database w.yaml/x.sqlite: no such directory"),
                (("--database", "folder"), "--database folder: is a directory, expected a file to write"),
                (("--database", "./sweep.yaml"), 'sweep.yaml", which the command reads'),
                (("--database", "own.yaml"), 'own.yaml", which the command reads'),
                (("--database", "d.bin"), 'd.bin", a dump of the workload'),
                (("--csv", "no/such/x.csv"), "--csv no/such/x.csv: no such directory"),
                (("--csv", "-"), "--csv -: is not standard output here, expected a file (/dev/stdout, ./-)"),
                (("--csv", "folder"), "--csv folder: is a directory, expected a file to write"),
                (("--csv", "sweep.yaml"), 'sweep.yaml", which the command reads'),
                (("--csv", "folder/../chip.yaml"), 'chip.yaml", which the command reads'),
                (("--csv", "own.hsaco"), 'own.hsaco", which the command reads'),
                (("--csv", "d.bin"), 'd.bin", a dump of the workload'),
                (("--csv", "./sweep.sqlite"), "--csv ./sweep.sqlite: writes the same file as --database"),
                (("--csv", "sweep.sqlite.lock"), "writes the same file as --database")):
            with self.subTest(words):
                self.assertIn(why, self.sweep(text, *words, status=2))
        after = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file() and p.name != "sweep.yaml"}
        self.assertEqual(after, before)
        self.sweep(text, "--csv", "out.csv")
        self.sweep(text, "--csv", "out.csv")  # those of the run before are written again

    def test_kernels_in_source_need_a_folder_for_their_objects(self):
        shutil.copy(support.WORKLOADS / "saxpy_asm.s", self.folder)
        self.write("asm.yaml", SAXPY.format(size=256).replace("saxpy.hsaco", "saxpy_asm.s").replace("name: saxpy", "name: saxpy_asm"))
        self.write("sweep.sqlite.code", "no folder")
        self.assertIn("sweep.sqlite.code: File exists", self.sweep("workload: asm.yaml\n", status=2))

    def test_a_full_standard_output_is_told(self):
        self.sweep("workload: saxpy.yaml\n")
        for words in (("--dump",), ()):
            with open("/dev/full", "w") as full:
                done = subprocess.run([self.COMMAND, "sweep", "sweep.yaml", *words], cwd=self.folder, stdout=full,
                                      stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr), (2, "standard output: No space left on device\n"))


class Resumed(Sweep):
    def test_after_kill_9_of_the_driver_a_second_start_completes_an_identical_database(self):
        self.write("sweep.yaml", GRID)
        held = self.python_command(self.held_command(5))
        self.write("hold", "")
        driver = self.start("sweep", "sweep.yaml", "--database", "killed.sqlite", command=held)
        # What waits is behind five that ran.
        self.wait_until(lambda: self.count() == 5)
        kill(driver)
        (self.folder / "hold").unlink()
        out = self.call("sweep", "sweep.yaml", "--database", "killed.sqlite", command=held)
        self.assertIn("7 runs, 5 results were known", out)
        self.call("sweep", "sweep.yaml", "--database", "whole.sqlite", command=held)
        self.assertEqual(self.dump("killed.sqlite"), self.dump("whole.sqlite"))

    def test_a_second_driver_of_a_database_is_refused_while_the_first_lives(self):
        self.write("sweep.yaml", GRID)
        held = self.python_command(self.held_command(2))
        self.write("hold", "")
        driver = self.start("sweep", "sweep.yaml", "--database", "killed.sqlite", command=held)
        self.wait_until(lambda: self.count() == 2)
        self.assertIn("killed.sqlite: another sweep is writing it",
                      self.call("sweep", "sweep.yaml", "--database", "killed.sqlite", status=2))
        kill(driver)
        (self.folder / "hold").unlink()
        self.assertIn("12 runs", self.call("sweep", "sweep.yaml", "--database", "killed.sqlite"))

    def count(self):
        if not (self.folder / "killed.sqlite").exists():
            return 0
        try:
            return self.rows("SELECT COUNT(*) FROM results", "killed.sqlite")[0][0]
        except sqlite3.OperationalError:  # the tables are being made
            return 0


class Told(Sweep):
    def test_a_terminal_shows_progress_and_time_left(self):
        self.write("sweep.yaml", GRID)
        leader, follower = pty.openpty()
        process = self.start("sweep", "sweep.yaml")
        process.communicate()
        with_terminal = support.subprocess.run([self.COMMAND, "sweep", "sweep.yaml", "--database", "t.sqlite"],
                                               cwd=self.folder, stderr=follower, stdout=support.subprocess.DEVNULL)
        os.close(follower)
        shown = os.read(leader, 1 << 16).decode()
        os.close(leader)
        self.assertEqual(with_terminal.returncode, 0)
        self.assertRegex(shown, r"\r\x1b\[K6 of 12 runs, 0:\d\d, 0:\d\d left")
        self.assertIn("12 of 12 runs, 0:", shown)

    def test_quiet_says_nothing_when_all_is_well(self):
        self.assertEqual(self.sweep(GRID, "--quiet"), "")


class Searched(Sweep):
    SEARCH = """\
workload: saxpy.yaml
variants: {memory: {narrow: {memory.bus_bits: 128, memory.channel_map.channels: 4}, wide: {memory.bus_bits: 384}}}
parameters: {topology.cu_per_sh: {from: 1, to: 8}, clocks.memory: {from: 800 MHz, to: 1500 MHz}}
search: {trials: 16, batch: 4, seed: 5, sampler: nsga2, objectives: {cycles: minimize, area: minimize}, weights: w.yaml}
"""

    def setUp(self):
        super().setUp()
        self.write("w.yaml", "area: {cu: 5.2 mm2, tcc: 1.5 mm2}\n")

    def test_a_search_follows_its_seed_and_goes_on_from_what_is_known(self):
        self.sweep(self.SEARCH)
        self.assertEqual(self.rows("SELECT COUNT(*) FROM points"), [(16,)])
        again = self.sweep(self.SEARCH)
        self.assertRegex(again, r"^16 points: .*\n0 runs, ")
        self.sweep(self.SEARCH.replace("trials: 16", "trials: 8"), "--database", "two.sqlite")
        self.sweep(self.SEARCH, "--database", "two.sqlite")
        self.assertEqual(self.dump("two.sqlite"), self.dump("sweep.sqlite"))

    def test_an_unknown_objective_names_what_there_is(self):
        out = self.sweep(self.SEARCH.replace("cycles: minimize", "speed: maximize"), status=2)
        self.assertIn("no metric is called speed", out)

    def test_a_search_in_functional_mode_has_no_objectives_of_time(self):
        text = self.SEARCH.replace("variants", "mode: functional\nvariants")
        self.write("w.yaml", "area: {cu: 5.2 mm2}\nenergy: {seconds: 20 W}\n")
        out = self.sweep(text.replace("area: minimize", "energy: minimize, waves.barrier: minimize"), "--check", status=2)
        self.assertEqual(out.splitlines(), [
            f"sweep.yaml:5:{column}: search.objectives.{name}: functional mode counts no cycles, expected a counter or mode: cycle"
            for name, column in (("cycles", 78), ("energy", 96), ("waves.barrier", 121))])
        self.assertIn("a search of 16 trials", self.sweep(text.replace("cycles: minimize", "wave_instructions: minimize"), "--check"))

    def test_weights_are_checked_before_anything_runs(self):
        self.write("w.yaml", "cycles: {cu: 5.2 mm2}\narea: {cu: -1 mm2, tcc: 1e999 mm2, sqc: mm2}\n")
        self.assertEqual(self.sweep(self.SEARCH, "--check", status=2).splitlines(), [
            "w.yaml:1:1: cycles: is measured, expected another name for what the weights make",
            *(f'w.yaml:2:{column}: area.{term}: got "{got}", expected a number of at least 0 with a unit, as 12 pJ'
              for column, term, got in ((12, "cu", "-1 mm2"), (25, "tcc", "1e999 mm2"), (41, "sqc", "mm2")))])
        self.assertFalse((self.folder / "sweep.sqlite").exists())

    def test_weights_that_name_nothing_have_a_place(self):
        self.write("w.yaml", "area: {cu: 5.2 mm2, tcc.reeds: 1 mm2}\n")
        self.assertIn('w.yaml:1:32: area.tcc.reeds: is no counter, kind of unit or parameter (did you mean "tcc.reads"?)',
                      self.sweep(self.SEARCH, status=2))


if __name__ == "__main__":
    support.main(__doc__)
