#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `run --retire` says of instructions is the same in both modes, `retire-diff` finds what is not, `waves` of a
workload set and expect registers, and logs print what their names say.

    retire_test.py ARCHIPELAGO          a selection of workloads
    retire_test.py ARCHIPELAGO --all    every workload with waves, and what RACES says of those that differ
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

COMMAND = None
EXAMPLES = suite.ROOT / "examples" / "one_wave"

# Every class of instruction and every kind of memory access is in one of these.
SELECTION = ("saxpy", "reduction", "transpose", "histogram", "divergent_filter", "typed_matmul",
             "float_ops", "f64", "int64", "sub_dword", "special_asm", "image_sample", "image_tiles", "local_atomics",
             "atomics64", "gds_ordered", "gds_barrier", "draws_geometry", "draws_patches", "bfs", "radix_pass")
# Whose waves do not do the same in both modes, and why.
ORDER = "old values that atomics return depend on which wave comes first"
PLACE = "SPI gives each wave a part of scratch memory by the place it runs at"
RACES = {
    "function_calls": PLACE,
    "scratch": PLACE,
    "gds_asm": ORDER,
    "gds_counters": ORDER,
    "global_atomics": ORDER,
    "gds_two_rings": "which ring's dispatch comes first, and with it its number",
    "rings_beside_draws": "which ring's dispatch comes first, and with it its number",
}


def run(*words):
    done = subprocess.run([str(COMMAND), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def records(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


class Traces(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-retire-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def trace(self, workload, name, *options, mode="cycle", status=suite.DONE):
        out = self.folder / name
        result = suite.run(COMMAND, workload, asic="tahiti", mode=mode, options=["--retire", str(out), *options], stats=False)
        self.assertEqual(result.status, status, result.output)
        return out

    def named(self, name):
        [found] = [w for w in suite.workloads() if w.name == name]
        return found

    def compare_modes(self, workload, equal=True):
        cycle = self.trace(workload, "cycle.txt")
        functional = self.trace(workload, "functional.txt", mode="functional")
        status, said = run("retire-diff", cycle, functional)
        self.assertEqual(status, suite.DONE if equal else suite.EXPECTATION_FAILED, said)
        return len(records(cycle))

    def test_both_modes_do_the_same(self):
        for name in SELECTION:
            with self.subTest(workload=name):
                self.assertGreater(self.compare_modes(self.named(name)), 30)

    def test_other_chips_and_orders_of_ticks_do_the_same(self):
        first = self.trace(self.named("transpose"), "first.txt")
        shuffled = self.trace(self.named("transpose"), "shuffled.txt", "--seed", "7", "--random-stall", "20")
        self.assertEqual(run("retire-diff", first, shuffled)[0], suite.DONE)
        self.assertNotEqual(first.read_text(), shuffled.read_text())

    def test_text_and_json_say_the_same(self):
        for name in ("local_atomics", "draws_geometry", "special_asm"):
            text = self.trace(self.named(name), "trace.txt")
            lines = self.trace(self.named(name), "trace.jsonl")
            self.assertEqual(run("retire-diff", text, lines)[0], suite.DONE)
            self.assertEqual(run("retire-diff", lines, lines)[0], suite.DONE)
            parsed = [json.loads(line) for line in lines.read_text().splitlines()]
            self.assertEqual(parsed[0], {"archipelago_retire": 1, "asic": "tahiti", "mode": "cycle"})
            self.assertEqual(sum("wave" in r for r in parsed), len(records(text)))

    def test_a_record_has_registers_and_memory(self):
        path = self.folder / "wave.yaml"
        path.write_text("""\
memory: [{address: 0x200000, words: [5, 6, 7, 8]}]
waves:
  - code: |
      v_add_i32 v1, vcc, v0, v0
      v_cmp_eq_u32 s[4:5], 4, v1
      s_load_dwordx2 s[6:7], s[8:9], 0x2
      buffer_load_dword v2, v1, s[0:3], 0 offen
      s_waitcnt vmcnt(0) lgkmcnt(0)
      buffer_atomic_add v2, v1, s[0:3], 0 offen glc
      s_waitcnt vmcnt(0)
      ds_write_b32 v1, v2
      ds_read_b32 v3, v1
    lds: 256
    set: {v0: [0, 2], exec: 3, s0: 0x200000, s2: 16, s3: 0x24fac, s8: 0x200000}
    expect: {v3: [5, 6]}
""")
        for mode in suite.MODES:
            lines = records(self.trace(path, f"{mode}.txt", mode=mode))
            lanes = "[0000000000000003]"
            wanted = [
                f" vcc=0000000000000000 scc=0 m0=00000100 v1{lanes}=00000000,00000004 | v_add_i32_e32 v1, vcc, v0, v0",
                " s4=00000002 s5=00000000 | v_cmp_eq_u32_e64",
                " s6=00000007 s7=00000008 scalar.load.8[0000000000000001]=000000200008:00000007.00000008 | s_load_dwordx2",
                f" v2{lanes}=00000005,00000006 global.load.4{lanes}=000000200000:00000005,000000200004:00000006 | buffer_load",
                " | s_waitcnt",
                f" v2{lanes}=00000005,00000006 global.atomic.4{lanes}=000000200000:00000005,000000200004:00000006 | buffer_at",
                " | s_waitcnt",
                f" lds.store.4{lanes}=0000:00000005,0004:00000006 | ds_write_b32",
                f" v3{lanes}=00000005,00000006 lds.load.4{lanes}=0000:00000005,0004:00000006 | ds_read_b32",
                " | s_endpgm",
            ]
            self.assertEqual(len(lines), len(wanted))
            for line, part in zip(lines, wanted):
                self.assertIn(part, line)

    def test_results_of_loads_into_vcc_and_m0_stand_in_program_order(self):
        path = self.folder / "wave.yaml"
        path.write_text("""\
memory: [{address: 0x200000, words: [0x11, 0x22, 0x33]}]
waves:
  - code: |
      s_load_dwordx2 vcc, s[0:1], 0x0
      s_load_dword m0, s[0:1], 0x2
      s_mov_b32 s4, 1
      s_waitcnt lgkmcnt(0)
      s_mov_b32 vcc_lo, 9
    set: {s0: 0x200000}
""")
        self.compare_modes(path)
        lines = records(self.folder / "cycle.txt")
        for line, (vcc, m0) in zip(lines, [("0000002200000011", "00000000")] + [("0000002200000011", "00000033")] * 3 +
                                   [("0000002200000009", "00000033")]):
            self.assertIn(f" vcc={vcc} scc=0 m0={m0} ", line)

    def test_filters_leave_the_rest_out(self):
        saxpy = self.named("saxpy")
        whole = records(self.trace(saxpy, "whole.txt"))

        def places(lines):
            return {(line.split()[0], line.split()[1], line.split()[-3]) for line in lines}

        of_unit = records(self.trace(saxpy, "unit.txt", "--retire-cu", "se0.sh0.*"))
        self.assertEqual(places(of_unit), {p for p in places(whole) if p[2].startswith("se0.sh0.")})
        of_wave = records(self.trace(saxpy, "wave.txt", "--retire-wave", "cs1.g3.*"))
        self.assertEqual(places(of_wave), {p for p in places(whole) if p[0].startswith("cs1.g3.")})
        first = min(int(p[1], 16) for p in places(whole))
        of_pc = records(self.trace(saxpy, "pc.txt", "--retire-pc", f"{first + 4:#x}-{first + 8:#x}"))
        self.assertEqual({p[1] for p in places(of_pc)}, {f"{first + 4:012x}", f"{first + 8:012x}"})
        self.assertEqual(len(records(self.trace(saxpy, "kernel.txt", "--retire-kernel", "saxpy"))), len(whole))
        self.assertEqual(records(self.trace(saxpy, "none.txt", "--retire-kernel", "matmul")), [])

    def test_the_summary_says_how_much_was_taken(self):
        saxpy = self.named("saxpy")
        whole = len(records(self.trace(saxpy, "whole.txt")))
        first = min(int(line.split()[1], 16) for line in records(self.folder / "whole.txt"))
        for options, taken in ((("--retire-wave", "cs1.g3.*"), None),
                               (("--retire-pc", f"{first:#x}", "--retire-pc", f"{first + 4:#x}-{first + 8:#x}"), None),
                               (("--retire-wave", "bogus"), 0), (("--retire-cu", "xx", "--retire-kernel", "nope"), 0)):
            out = self.folder / "some.txt"
            status, said = run("run", saxpy.path, "--retire", out, *options)
            self.assertEqual(status, suite.DONE, said)
            taken = len(records(out)) if taken is None else taken
            self.assertIn(f"  retire trace  {out}, {taken} instructions of {whole}\n", said)
            given = ", ".join(f"{options[n]} {options[n + 1]}" for n in range(0, len(options), 2))
            self.assertEqual(f"  warning       retire trace: no instruction matches {given}\n" in said, taken == 0)
        pcs = {line.split()[1] for line in records(self.trace(saxpy, "pcs.txt", "--retire-pc", f"{first:#x}", "--retire-pc",
                                                              f"{first + 4:#x}-{first + 8:#x}"))}
        self.assertEqual(pcs, {f"{first + n:012x}" for n in (0, 4, 8)})

    def test_the_name_says_the_format(self):
        for name, begins in (("t.jsonl", "{"), ("t.JSONL", "{"), ("t.json", "{"), ("t.txt", "#"), ("jsonl", "#")):
            self.assertEqual(self.trace(self.named("saxpy"), name, "--retire-wave", "cs1.g0.w0").read_text()[0], begins)

    def test_waves_beside_one_that_nobody_wants_have_the_same_records(self):
        # In functional mode the others run in blocks; instructions have the same numbers.
        for name in ("transpose", "image_sample"):
            whole = records(self.trace(self.named(name), "whole.txt", mode="functional"))
            some = records(self.trace(self.named(name), "some.txt", "--retire-wave", "cs1.g1*", mode="functional"))
            wanted = [line for line in whole if line.split()[0].startswith("cs1.g1")]
            self.assertGreater(len(wanted), 30)
            self.assertLess(len(wanted), len(whole))
            self.assertEqual(some, wanted)

    def test_filters_that_mean_nothing_are_refused(self):
        for options, said in (
                (("--retire-pc", "0x10-0x8"), "end before they begin"), (("--retire-pc", "zwei"), "expected 0xLOW-0xHIGH"),
                (("--retire-wave", ""), "--retire-wave: is empty"), (("--retire-pc", ""), "--retire-pc: is empty"),
                (("--retire-kernel", "saxpy", "--retire-kernel", ""), "--retire-kernel: is empty"),
                (("--retire-cu", "se0.*", "--mode", "functional"), "functional mode has one compute unit")):
            status, output = run("run", suite.WORKLOADS / "draws.yaml", "--retire", self.folder / "x", *options)
            self.assertEqual(status, suite.BAD_USAGE)
            self.assertIn(said, output)
        status, output = run("run", suite.WORKLOADS / "ctm" / "mandelbrot.yaml", "--retire", self.folder / "x")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("has no GCN compute units", output)

    def test_the_instruction_that_faults_comes_last_and_is_unfinished(self):
        path = self.folder / "wave.yaml"
        path.write_text("waves:\n  - code: |\n      s_mov_b32 s4, 1\n      s_load_dword s5, s[0:1], 0x0\n"
                        "      s_waitcnt lgkmcnt(0)\n    set: {s0: 0x40}\n")
        for mode in suite.MODES:
            lines = records(self.trace(path, "fault.txt", mode=mode, status=suite.MACHINE_STOPPED))
            self.assertRegex(lines[1], r" unfinished \| s_load_dword s5")


class Diff(Traces):
    """What retire-diff says of traces that were changed by hand."""

    def changed(self, change):
        before = self.trace(self.named("f64"), "before.txt")
        lines = before.read_text().splitlines(keepends=True)
        after = self.folder / "after.txt"
        after.write_text("".join(change(lines)))
        return run("retire-diff", "--context", "2", before, after)

    def find(self, lines, text):
        return next(i for i, line in enumerate(lines) if text in line)

    def test_one_lane_of_one_register_is_found(self):
        def change(lines):
            at = self.find(lines, " v0[ffffffffffffffff]=")
            lines[at] = re.sub(r"( v0\[f+\]=)........,........", r"\1abababab,cdcdcdcd", lines[at])
            self.at = at
            return lines

        status, said = self.changed(change)
        self.assertEqual(status, suite.EXPECTATION_FAILED)
        self.assertIn(f"before.txt:{self.at + 1} and ", said)
        self.assertRegex(said, r"  v0 lane 0: [0-9a-f]{8} and abababab\n  v0 lane 1: [0-9a-f]{8} and cdcdcdcd\n")
        self.assertEqual(len(re.findall(r"^    0", said, re.MULTILINE)), 2)

    def test_a_record_too_few_or_too_many_is_found(self):
        for change in (lambda lines: lines[:-1], lambda lines: lines[:-1] + ["cs9.g0.w0" + lines[-1][9:]]):
            status, said = self.changed(change)
            self.assertEqual(status, suite.EXPECTATION_FAILED)
            self.assertIn("has no counterpart", said)

    def test_waves_may_interleave_otherwise(self):
        def change(lines):
            return lines[:1] + sorted(lines[1:], key=lambda line: line.split()[0])

        self.assertEqual(self.changed(change)[0], suite.DONE)

    def test_accesses_are_left_out_where_a_file_says_it_has_none(self):
        place = r" (scalar|global|lds)\.\w+\.\d+\[\w+\]=\S*"
        for name in ("before.txt", "before.jsonl"):
            before = self.trace(self.named("f64"), name)
            lines = before.read_text().splitlines(keepends=True)
            if name.endswith("txt"):
                without = [re.sub(place, "", line) for line in lines]
                said = ["# cs1.g0.w0 unit=se0.sh0.cu0 accesses=none\n", "# cs1.g1.w0 unit=se0.sh0.cu0 accesses=none\n"]
            else:
                without = [json.dumps({k: v for k, v in json.loads(line).items() if k != "accesses"}) + "\n" for line in lines]
                said = [json.dumps({"dispatch": "cs1", "wave": f"cs1.g{n}.w0", "unit": "x", "accesses": "none"}) + "\n" for n in (0, 1)]
            after = self.folder / "after"
            after.write_text("".join(without))
            self.assertNotEqual(without, lines)
            status, output = run("retire-diff", before, after)
            self.assertEqual(status, suite.EXPECTATION_FAILED)
            self.assertIn(": the second has none", output)
            self.assertEqual(run("retire-diff", before, after, "--ignore-accesses")[0], suite.DONE)
            after.write_text("".join(without[:1] + said[:1] + without[1:]))
            self.assertEqual(run("retire-diff", before, after)[0], suite.EXPECTATION_FAILED)  # of the second wave
            of_two = [line for line in without if re.search(r"cs1\.g[01]\.", line)]
            after.write_text("".join(without[:1] + said + of_two))
            some = self.folder / "some"
            some.write_text("".join(lines[:1] + [line for line in lines if re.search(r"cs1\.g[01]\.", line)]))
            for files in ((some, after), (after, some)):
                status, output = run("retire-diff", *files)
                self.assertEqual(status, suite.DONE, output)
                self.assertEqual(output.count("has no accesses of memory of 2 waves, theirs are not compared"), 1)
            # What is left is compared.
            after.write_text(after.read_text().replace("scc=0", "scc=1").replace('"scc": 0', '"scc": 1'))
            status, output = run("retire-diff", some, after)
            self.assertEqual(status, suite.EXPECTATION_FAILED)
            self.assertIn("  scc: 0 and 1", output)
            self.assertNotIn("has none", output)

    def test_nothing_to_compare_is_no_equality(self):
        empty = self.folder / "empty"
        empty.write_text("# archipelago-retire 1 asic=tahiti mode=cycle\n")
        status, output = run("retire-diff", empty, empty)
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("both without a record", output)

    def test_traces_of_different_chips_say_so(self):
        def change(lines):
            return [lines[0].replace("asic=tahiti", "asic=pitcairn")] + lines[1:]

        status, said = self.changed(change)
        self.assertEqual(status, suite.DONE)
        self.assertIn("traces of different chips: tahiti and pitcairn\n", said)

    def test_an_unfinished_instruction_is_shown_as_such(self):
        def change(lines):
            return lines[:-2] + [lines[-2].replace(" | ", " unfinished | ", 1)] + [lines[-1].replace("scc=0", "scc=1")]

        status, said = self.changed(change)
        self.assertEqual(status, suite.EXPECTATION_FAILED)
        self.assertNotIn("unfinished=", said)
        self.assertIn("unfinished", said)

    def test_bad_files_are_refused_with_line_and_reason(self):
        good = "# archipelago-retire 1 asic=a mode=cycle\n"
        record = "cs1.g0.w0 000000001000 7e000280 exec=000000000000000f vcc=0 scc=0 m0=0"
        for text, said in (
                ("", "no retire trace: the file is empty"), ("hallo\n", ":1: no retire trace: expected"),
                ("# archipelago-retire 2\n", ":1: a version of the format"), ('{"archipelago_retire": "x"}', ":1: a version"),
                (good + "x", ':2: expected " | "'), (good + "wave 1 2 | x | @1\n", ':2: "wave": expected a wave'),
                (good + record + " v0[f]=1 | x | @", ":2: field"), (good + record + " v0[000000000000000f]=1,2 | x | @", ": value 2 "),
                (good + record + " v0[0000000000000001]=1,2 | x | @", "more values than lanes"), (good + "{", ":2: not a JSON object"),
                (good + '{"wave": 3}', ':2: "wave": expected a string'), (good + "[" * 100000, ':2: expected " | "'),
                (good + "{" + '"a":{' * 100000, ":2: not a JSON object")):
            bad = self.folder / "bad"
            bad.write_text(text)
            status, output = run("retire-diff", bad, bad)
            self.assertEqual(status, suite.BAD_USAGE, text[:60])
            self.assertIn(said, output)
        good_file = self.folder / "good"
        good_file.write_text(good + record + " | x | @\n")
        status, output = run("retire-diff", good_file, self.folder)
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn(f"cannot read {self.folder}: is a directory", output)
        status, output = run("retire-diff", self.folder / "none", self.folder / "none")
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("cannot read", output)


class Waves(Traces):
    """Registers of waves in workloads."""

    def text(self, text, mode="cycle"):
        path = self.folder / "workload.yaml"
        path.write_text(text)
        result = suite.run(COMMAND, path, asic="tahiti", mode=mode, stats=False)
        return result.status, result.output

    def test_examples_meet_what_they_expect(self):
        for path in sorted(EXAMPLES.glob("*.yaml")):
            for mode in suite.MODES:
                result = suite.run(COMMAND, path, mode=mode, stats=False)
                self.assertEqual((result.status, result.output), (suite.DONE, ""))

    def test_a_register_with_another_value_is_named(self):
        for mode in suite.MODES:
            status, said = self.text(
                "waves:\n  - code: v_add_f32 v0, v1, v2\n    set: {v1: 1.5, v2: [2.0, 3.0], exec: 0x3}\n"
                "    expect: {v0: [3.5, 4.0], s4: 1, vcc: 0, scc: 1, exec: 3}\n", mode)
            self.assertEqual(status, suite.EXPECTATION_FAILED)
            self.assertIn("workload.yaml:4:18: waves[0].expect.v0: v0 lane 1: expected 0x40800000, got 0x40900000 (1 of 2", said)
            self.assertIn("waves[0].expect.s4: s4: expected 0x00000001, got 0x00000000", said)
            self.assertIn("waves[0].expect.scc: scc: expected 0x00000001, got 0x00000000", said)
            self.assertEqual(said.count("expected 0x"), 3)

    def test_mistakes_are_told_with_their_places(self):
        for text, said in (
                ("{set: {s0: 1}}", "code: required key is missing"), ("{code: v_ad_f32}", 'did you mean "v_add_f32"'),
                ("{code: s_nop 0, set: {v256: 1}}", "no register of a wave"), ("{code: s_nop 0, set: {s104: 1}}", "no register"),
                ('{code: s_nop 0, set: {"s[1:3]": 1}}', "no register"), ("{code: s_nop 0, set: {s1: [1]}}", "got a list"),
                ("{code: s_nop 0, set: {scc: 2}}", "expected 0 or 1"), ("{code: s_nop 0, set: {v1: ab}}", "expected an integer"),
                ('{code: s_nop 0, set: {v1: 1, "v[0:1]": 1}}', "another key has named"), ("{code: s_nop 0, lds: 64 KiB}", "lds"),
                ("{code: s_nop 0, expected: {}}", 'did you mean "expect"')):
            status, output = self.text(f"waves:\n  - {text}\n")
            self.assertEqual(status, suite.BAD_USAGE, output)
            self.assertRegex(output, r"workload\.yaml:2:\d+: waves\[0\]")
            self.assertIn(said, output)

    def test_halves_of_vcc_and_exec_have_the_names_of_a_dump(self):
        self.assertEqual(self.text("waves:\n  - code: s_mov_b32 s0, vcc_hi\n    set: {vcc_lo: 1, vcc_hi: 2, exec_lo: 3, exec_hi: 4}\n"
                                   "    expect: {vcc: 0x200000001, exec_lo: 3, exec_hi: 4, s0: 2}\n"), (suite.DONE, ""))
        status, said = self.text('waves:\n  - {code: s_nop 0, set: {vcc: 1, vcc_hi: 1}}\n')
        self.assertEqual(status, suite.BAD_USAGE)
        self.assertIn("another key has named", said)

    def test_a_dump_has_every_register(self):
        self.assertEqual(self.text("waves:\n  - {code: s_mov_b32 s3, 7, dump: out.txt}\n")[0], suite.BAD_USAGE)
        self.assertEqual(self.text('waves:\n  - {code: "s_mov_b32 s3, 7", dump: out.txt}\n'), (suite.DONE, ""))
        lines = (self.folder / "out.txt").read_text().splitlines()
        self.assertIn("s3 00000007", lines)
        self.assertEqual(len(lines), 104 + 5 + 1 + 256)


class Logs(Traces):
    def log(self, workload, categories, mode="cycle"):
        out = self.folder / "log"
        result = suite.run(COMMAND, workload, asic="tahiti", mode=mode, options=["--log", categories, "--log-file", str(out)], stats=False)
        self.assertEqual(result.status, suite.DONE, result.output)
        return out.read_text().splitlines()

    def test_isa_has_values_on_demand(self):
        for mode in suite.MODES:
            plain = self.log(self.named("saxpy"), "isa", mode)
            values = self.log(self.named("saxpy"), "isa=values", mode)
            self.assertEqual(len(plain), len(values))
            self.assertFalse(any(" exec=" in line for line in plain))
            self.assertTrue(all(re.match(r"\d+ \S+: simd\d slot\d cs1\.g\d+\.w0 .* exec=\w{16} .* \| \w+", line) for line in values))

    def test_mem_has_transactions_at_l2_and_memory(self):
        lines = self.log(self.named("saxpy"), "mem")
        cycles = [int(line.split()[0]) for line in lines]
        self.assertEqual(cycles, sorted(cycles))  # of one clock
        counts = {}
        for line in lines:
            found = re.match(r"\d+ (mc|tcc)\d+: (fabric|L2|hub): ([a-z.]+) \d+ vmid 0 (read|write) 0x[0-9a-f]+, (\d+) bytes", line)
            self.assertTrue(found, line)
            counts[found[2], found[3], found[4]] = counts.get((found[2], found[3], found[4]), 0) + int(found[5])
        # y = a * x + y of 4096 floats; L2 writes back what it holds at the end.
        self.assertEqual(counts["fabric", "tcp", "read"], 2 * 4096 * 4)
        self.assertEqual(counts["fabric", "tcp", "write"], 4096 * 4)
        self.assertGreaterEqual(counts["L2", "tcc", "read"], 2 * 4096 * 4)
        self.assertIn(("hub", "cp.fetch", "read"), counts)
        [note] = self.log(self.named("saxpy"), "mem", "functional")
        self.assertIn("without transactions", note)

    def test_dma_has_what_cp_dma_does_in_both_modes(self):
        said = {mode: sorted(line.split(" ", 1)[1] for line in self.log(self.named("gds_two_rings"), "dma", mode)) for mode in suite.MODES}
        self.assertIn("cp.dma: ring compute0 dword 65: ME: copy 4 bytes from GDS 0x1008 to 0x160008", said["cycle"])
        self.assertEqual(said["functional"], said["cycle"])


class All(Traces):
    def test_every_workload_but_those_that_race(self):
        for workload in suite.workloads():
            with self.subTest(workload=workload.name):
                if workload.name not in suite.LONG:
                    self.compare_modes(workload, equal=workload.name not in RACES)


def load_tests(loader, _, __):
    """All on demand; what a class inherits from Traces runs there."""
    names = {Traces: Traces, Diff: Diff, Waves: Waves, Logs: Logs} if not EVERY else {All: All}
    own = unittest.TestSuite()
    for case in names:
        for name in loader.getTestCaseNames(case):
            if name in vars(case):
                own.addTest(case(name))
    return own


if __name__ == "__main__":
    EVERY = "--all" in sys.argv
    if EVERY:
        sys.argv.remove("--all")
    [COMMAND] = take(__doc__, command=program)
    unittest.main()
