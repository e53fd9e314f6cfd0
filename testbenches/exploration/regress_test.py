#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""archipelago regress and tracediff on a user's own suite.

    regress_test.py ARCHIPELAGO
"""

import fcntl
import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as xml

import support
from support import CODE, ROOT, WORKLOADS, WRONG, InFolder

# Each moves a cycle of a workload of the suite below when it takes a cycle more.
LATENCIES = (
    "cp.channels.memory_in.latency", "cp.meq_latency", "cp.roq_latency", "cp.strobe_latency", "cu.channels.launch.latency",
    "cu.channels.memory.latency", "cu.lds.latency", "cu.vector_memory.ta_latency", "cu.vector_memory.td_latency",
    "links.fabric.request_in.latency", "links.fabric.response_in.latency", "links.l1.latency", "links.mc.latency",
    "memory.dram.timing.cl", "spi.registers.latency", "sqc_data.fill_latency", "sqc_inst.hit_latency",
    "srbm.request.latency", "tcc.hit_latency", "tcp.fill_latency")

CHIP = "base: {root}/configs/asics/hainan.yaml\nname: mine\n{more}"


class Suite(InFolder):
    def chip(self, more=""):
        self.write("mine.yaml", CHIP.format(root=ROOT, more=more))

    def make(self, *workloads):
        self.chip()
        for name in workloads:
            shutil.copy(CODE / f"{name}.hsaco", self.folder)
            text = (WORKLOADS / f"{name}.yaml").read_text().replace(f"code: {name}.cl", f"code: {name}.hsaco")
            self.write(f"{name}.yaml", text.replace("reference/", f"{WORKLOADS}/reference/"))
        return self.call("regress", "init", *(f"{n}.yaml" for n in ("saxpy", *workloads)), "--asic", "mine.yaml")

    def regress(self, *words, status=0):
        return self.call("regress", *words, status=status)

    def entry(self, name="saxpy"):
        return json.loads((self.folder / "golden/mine.json").read_text())["workloads"][name]


class UserSuite(Suite):
    def test_init_writes_a_suite_that_passes_and_is_refused_a_second_time(self):
        out = self.make()
        self.assertIn("mine: rebased", out)
        self.assertIn("## First results\n- mine: saxpy ", (self.folder / "golden/CHANGES.md").read_text())
        self.assertIn("1 exact, 0 slower, 0 faster", self.regress())
        self.assertIn("regress.yaml exists already", self.regress("init", status=2))

    def test_golden_results_have_every_counter_and_where_time_went(self):
        self.make()
        self.call("run", "saxpy.yaml", "--quiet", "--asic", "mine.yaml", "--stats", "s.json")
        stats = json.loads((self.folder / "s.json").read_text())
        entry = self.entry()
        self.assertEqual(entry["cycles"], stats["cycles"])
        waves = sum(u["waves"] for n, u in stats["units"].items() if re.fullmatch(r"se\d+\.sh\d+\.cu\d+", n))
        self.assertEqual(entry["counters"]["se.sh.cu"]["waves"], waves)
        self.assertEqual(set(entry["counters"]) >= {"cp.me", "tcc", "mc", "spi"}, True)

    def test_a_difference_shows_counters_field_and_first_event_and_a_faster_result_fails_too(self):
        self.make()
        self.chip("clocks: {memory: 2000 MHz}\n")
        out = self.regress(status=1)
        self.assertRegex(out, r"saxpy +\d+ +\d+ +-\d+ -\d+\.\d\d % +[\w. ]+ \d+ -> \d+ [\w ]+ \([+-][\d.e+]+ %\), ")
        self.assertIn("configuration: clocks.memory 900 MHz -> 2 GHz", out)
        self.assertRegex(out, r"saxpy: first difference at \d+ ns, mc\d+\S*, event \d+: ")
        self.assertIn("0 slower, 1 faster", out)

    def test_a_rebase_needs_a_reason_and_shows_as_a_diff_of_one_line_per_kind(self):
        self.make()
        before = (self.folder / "golden/mine.json").read_text().splitlines()
        self.chip("clocks: {memory: 2000 MHz}\n")
        self.assertIn("--reason", self.regress("rebase", status=2))
        self.regress("rebase", "--reason", "faster memory")
        self.assertIn("1 exact", self.regress())
        after = (self.folder / "golden/mine.json").read_text().splitlines()
        changed = [b for a, b in zip(before, after) if a != b]
        self.assertEqual(len(before), len(after))
        self.assertTrue(any('"mc"' in line for line in changed) and len(changed) < len(after), changed)
        self.assertIn("clocks.memory: 2 GHz", (self.folder / "golden/mine.fields").read_text())

    def test_a_second_rebase_is_refused_while_the_first_runs(self):
        self.make()
        self.chip("clocks: {memory: 2000 MHz}\n")
        before = (self.folder / "golden/mine.json").read_text()
        held = os.open(self.folder / "golden", os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        out = self.regress("rebase", "--reason", "faster memory", status=2)
        self.assertIn("golden: another rebase is writing it", out)
        self.assertIn("0 slower, 1 faster", self.regress(status=1))
        self.assertEqual((self.folder / "golden/mine.json").read_text(), before)
        os.close(held)
        self.assertIn("mine: rebased", self.regress("rebase", "--reason", "faster memory"))

    def test_a_rebase_that_fails_without_golden_files_leaves_no_folder(self):
        self.make()
        shutil.rmtree(self.folder / "golden")
        self.write("saxpy.yaml", WRONG)
        self.regress("rebase", "--reason", "none", status=3)
        self.assertFalse((self.folder / "golden").exists())

    def test_junit_has_a_case_per_workload_with_failures_and_errors(self):
        self.make("reduction")
        self.write("wrong.yaml", WRONG)
        text = (self.folder / "regress.yaml").read_text()
        self.write("regress.yaml", text.replace('"saxpy.yaml"', '"saxpy.yaml", "wrong.yaml"'))
        self.chip("clocks: {memory: 2000 MHz}\n")
        self.assertIn("wrong: failed to run, exit status 1", self.regress("--junit", "out.xml", status=3))
        [suite] = xml.parse(self.folder / "out.xml").getroot()
        self.assertEqual((suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")),
                         ("mine", "3", "2", "1"))
        cases = {case.get("name"): case for case in suite}
        self.assertIn("expected 0x00000001", cases["wrong"].find("error").text)
        self.assertEqual((cases["wrong"].find("error").get("type"), cases["saxpy"].find("failure").get("type")), ("failed", "moved"))
        self.assertEqual(cases["saxpy"].get("file"), "saxpy.yaml")
        self.assertGreater(float(cases["saxpy"].get("time")), 0)
        self.assertGreaterEqual(float(suite.get("time")), float(cases["reduction"].get("time")))
        self.assertRegex(cases["saxpy"].find("failure").get("message"), r"\d+ -> \d+ cycles \(-")
        self.assertIn("configuration: clocks.memory", cases["saxpy"].find("failure").text)
        self.assertIn("first difference at", cases["saxpy"].find("failure").text)

    def moved_with_a_failure(self):
        self.make()
        self.write("wrong.yaml", WRONG)
        text = (self.folder / "regress.yaml").read_text()
        self.write("regress.yaml", text.replace('"saxpy.yaml"', '"saxpy.yaml", "wrong.yaml"'))
        self.chip("clocks: {memory: 2000 MHz}\n")

    def test_json_has_statuses_units_and_causes_before_consequences(self):
        self.moved_with_a_failure()
        said = json.loads(self.regress("--format", "json", "--durations", "1", status=3))
        self.assertEqual(said["counts"], {"failed": 1, "moved": 1})
        saxpy, wrong = sorted(said["results"], key=lambda r: r["workload"])
        self.assertEqual((saxpy["status"], wrong["status"]), ("moved", "failed"))
        self.assertIn("expected 0x00000001", wrong["why"])
        self.assertLess(saxpy["percent"], 0)
        self.assertIn("clocks.memory 900 MHz -> 2 GHz", saxpy["configuration"])
        self.assertRegex(saxpy["first_event"], r"^first difference at \d+ ns")
        kinds = ["sums" if m["counter"].startswith("time of") or ".wave_cycles" in m["counter"] else
                 "waits" if m["unit"].endswith("cycles") else "work" for m in saxpy["moved"]]
        self.assertEqual(kinds, sorted(kinds, key=("work", "waits", "sums").index))
        self.assertIn("wave cycles", {m["unit"] for m in saxpy["moved"]})
        self.assertEqual(len(said["slowest"]), 1)

    def test_markdown_and_github_show_what_moved_and_what_failed_at_the_files(self):
        self.moved_with_a_failure()
        out = self.regress("--format", "markdown", status=3)
        self.assertIn("1 failed, 1 moved\n", out)
        self.assertRegex(out, r"\| mine/saxpy \| moved \| \d+ \| \d+ \| -\d+ \(-\d+\.\d\d %\) \| configuration: clocks\.memory 900 MHz -> 2 GHz<br>")
        self.assertRegex(out, r"\| mine/wrong \| failed \|  \|  \|  \| exit status 1<br>.*expected 0x00000001")
        self.write("step.md", "before\n")
        out = self.call("regress", "--format", "github", status=3, environment={"GITHUB_STEP_SUMMARY": str(self.folder / "step.md")})
        lines = out.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], r"^::error file=saxpy\.yaml,title=moved%3A mine/saxpy::\d+ -> \d+ cycles \(-\d+\.\d\d %25\)%0Aconfiguration: ")
        self.assertRegex(lines[1], r"^::error file=wrong\.yaml,title=failed to run%3A mine/wrong::failed to run: exit status 1: ")
        self.assertTrue((self.folder / "step.md").read_text().startswith("before\n## archipelago regress\n"))

    def test_k_chooses_by_words_and_durations_lists_the_slowest(self):
        self.make("reduction")
        out = self.regress("-k", "mine and not (saxpy or matmul)", "--durations", "5")
        self.assertIn("mine: 1 workloads", out)
        self.assertRegex(out, r"\n +\d+\.\d\d s  mine/reduction\n$")
        self.assertIn("mine: 2 workloads", self.regress("-k", "SAXPY or reduction"))
        for wrong, why in (("saxpy and", "it ends in place of a word"), ("(saxpy", "a parenthesis is open"), ("saxpy)", 'got ")" where it could end'),
                           ("nothing", 'no workload is chosen by -k "nothing"')):
            self.assertIn(why, self.regress("-k", wrong, status=2))

    def tolerate(self, text):
        whole = (self.folder / "regress.yaml").read_text().split("\ntolerance:")[0]
        self.write("regress.yaml", whole + f"\ntolerance: {text}\n")

    def test_a_difference_within_the_tolerance_of_its_workload_and_counters_is_none(self):
        self.make()
        self.chip("clocks: {memory: 920 MHz}\n")
        self.regress(status=1)
        self.tolerate("{saxpy: {cycles: 6 %, 'time of*': 300 %, '*.*': 100000}}")
        self.assertIn("0 failed, 1 within tolerance", self.regress())
        self.assertEqual(json.loads(self.regress("--format", "json"))["counts"], {"within tolerance": 1})
        self.tolerate("{saxpy: {cycles: 6 %}}")  # counters stay exact
        self.regress(status=1)
        self.tolerate("{saxpy: {cycles: 1, 'time of*': 300 %, '*.*': 100000}}")
        self.regress(status=1)
        for wrong, why in (("{saxpi: {cycles: 1}}", "no workload is named saxpi"), ("{saxpy: {cycle: 1}}", "cycle is no quantity"),
                           ("{saxpy: {cycles: 1.5}}", "expected a percentage"), ("{saxpy: {cycles: x}}", "expected a percentage")):
            self.tolerate(wrong)
            self.assertRegex(self.regress(status=2), rf"regress\.yaml:\d+:\d+: tolerance.*{why}")

    def test_without_its_timeline_the_digest_says_between_which_events_the_first_difference_is(self):
        self.make()
        self.assertEqual((self.folder / "golden/timelines/.gitignore").read_text(), "*\n")
        shutil.rmtree(self.folder / "golden/timelines")  # as after a clone
        self.assertIn("1 exact", self.regress())
        self.chip("clocks: {memory: 2000 MHz}\n")
        self.assertRegex(self.regress(status=1), r"saxpy: first difference at \d+ to \d+ ns, \S+, events \d+ to \d+")
        size = (self.folder / "golden/mine.timelines").stat().st_size
        self.assertLess(size, 200_000)
        self.write("golden/mine.timelines", "{}x")
        self.assertIn("mine.timelines: not the digests of timelines", self.regress(status=1))

    def test_without_kept_timelines_another_command_makes_them(self):
        self.make()
        text = (self.folder / "regress.yaml").read_text()
        self.write("regress.yaml", text.replace("timelines: true", "timelines: false"))
        old = self.stand_in("old", ":")
        self.chip("clocks: {memory: 2000 MHz}\n")
        self.assertNotIn("first difference", self.regress(status=1))
        # The other command runs the same files, on which nothing differs; the chip changes in its own right.
        self.write("old", f'#!/bin/sh\nfor word; do shift; [ "$word" = ./mine.yaml -o "$word" = mine.yaml ] && word=hainan\n'
                   f'set -- "$@" "$word"; done\nexec {self.COMMAND} "$@"\n')
        out = self.regress("--against", old, status=1)
        self.assertRegex(out, r"saxpy: first difference at \d+ ns")
        self.assertIn("configuration: clocks.memory 900 MHz -> 2 GHz", out)

    def test_mistakes_in_the_suite_file_have_places(self):
        self.chip()
        self.write("regress.yaml", 'workloads: ["none*.yaml"]\nmode: [cycle]\n')
        out = self.regress(status=2)
        self.assertIn("regress.yaml:1:13: workloads[0]: no file is called none*.yaml", out)
        self.assertIn('regress.yaml:2:1: mode: unknown key', out)
        (self.folder / "regress.yaml").unlink()
        self.assertIn("regress.yaml: no such file; `archipelago regress init` makes a suite", self.regress(status=2))
        self.make()
        self.assertIn('no workload is named saxpi (did you mean "saxpy"?)', self.regress("saxpi", status=2))

    def test_a_chip_that_cannot_be_loaded_is_a_fault_of_the_suite_before_a_run(self):
        self.make()
        text = (self.folder / "regress.yaml").read_text()
        self.write("regress.yaml", text.replace('["mine.yaml"]', '["mine.yaml", verdee]'))
        out = self.regress(status=2)
        self.assertIn('regress.yaml:3:22: asics[1]: unknown asic "verdee", did you mean verde?', out)
        self.assertNotIn("exact", out)

    def test_a_chip_and_a_folder_may_have_any_name(self):
        self.chip()
        (self.folder / "my suite").mkdir()
        for name, to in (("mine.yaml", "a chip, #2.yaml"), ("saxpy.yaml", "sax py.yaml"), ("saxpy.hsaco", "saxpy.hsaco")):
            shutil.copy(self.folder / name, self.folder / "my suite" / to)
        words = ("--suite", "my suite")
        self.regress("init", "sax py.yaml", "--asic", "a chip, #2.yaml", *words)
        self.assertIn("a chip, #2: 1 workloads", self.regress("run", *words))

    def test_a_junit_file_that_cannot_be_written_is_refused_before_a_run(self):
        self.make()
        before = (self.folder / "saxpy.yaml").read_text()
        for name, why in (("none/out.xml", "no such directory"), ("golden", "is a directory"),
                          ("saxpy.yaml", "would overwrite"), ("regress.yaml", "would overwrite")):
            out = self.regress("--junit", name, status=2)
            self.assertIn(f"--junit {name}: {why}", out)
            self.assertNotIn("exact", out)
        self.assertEqual((self.folder / "saxpy.yaml").read_text(), before)

    def test_every_key_is_checked_at_its_place(self):
        self.chip()
        self.write("c2/mine.yaml", CHIP.format(root=ROOT, more=""))
        for text, why in (
                ("workloads: saxpy.yaml\nasics: [mine.yaml, c2/mine.yaml]",
                 "2:20: asics[1]: would have the golden file of mine.yaml, mine.json, expected another name of the file"),
                ("workloads: saxpy.yaml\nasics: [hainan, hainan]", "2:17: asics[1]: is given twice"),
                ("workloads: saxpy.yaml\nmodes: [cycle, cycle]", "2:16: modes[1]: is given twice"),
                ("workloads: {}", "1:12: workloads: is a mapping, expected text"),
                ("workloads: []", "1:12: workloads: is empty, expected at least one"),
                ("workloads: [nothere.yaml]", "1:13: workloads[0]: no file is called nothere.yaml"),
                ('workloads: ["/x.yaml"]', "1:13: workloads[0]: /x.yaml begins at the root, expected a file or pattern seen from ."),
                ('workloads: ["a**b"]', "1:13: workloads[0]: a**b is no pattern: Invalid pattern: '**' can only be an entire path component"),
                ("asics: hainan", "1:1: the key workloads is missing, expected files or patterns, as *.yaml"),
                ("workloads: saxpy.yaml\nasics: []", "2:8: asics: is empty, expected at least one"),
                ('workloads: saxpy.yaml\nasics: "\\0"', "2:8: has the character U+0000, which no text may have here"),
                ("workloads: saxpy.yaml\ngolden: 3", "2:9: golden: got 3, expected text")):
            with self.subTest(text):
                self.write("regress.yaml", text + "\n")
                self.assertEqual(self.regress(status=2), f"regress.yaml:{why}\n")

    def test_the_file_of_counters_is_checked_at_its_places(self):
        self.write("regress.yaml", "workloads: saxpy.yaml\ncounters: counters.yaml\n")
        self.write("counters.yaml", 'mc: {units: "mc(", counters: [reads]}\ntcc: {unit: tcc}\ncp: 3\n')
        self.assertEqual(self.regress(status=2).splitlines(), [
            "counters.yaml:1:13: mc.units: is no regular expression: missing ), unterminated subpattern at position 2",
            "counters.yaml:2:6: tcc: expected {units: a regular expression, counters: [NAME, ...]}",
            'counters.yaml:2:7: tcc.unit: unknown key, expected one of: units, counters, chips (did you mean "units"?)',
            "counters.yaml:3:5: cp: is a scalar, expected a map",
            "counters.yaml:3:5: cp: expected {units: a regular expression, counters: [NAME, ...]}"])

    def test_a_counter_that_no_unit_has_is_an_error_of_each_chip(self):
        self.write("regress.yaml", "workloads: saxpy.yaml\nasics: [hainan, oland]\ncounters: counters.yaml\n")
        self.write("counters.yaml", "mc: {units: 'mc\\d+', counters: [reeds]}\n")
        self.assertEqual(self.regress("--junit", "out.xml", status=1).count("mc: no unit counts reeds"), 2)
        self.assertEqual([(s.get("name"), s.get("tests"), s.get("errors")) for s in xml.parse(self.folder / "out.xml").getroot()],
                         [("hainan", "1", "1"), ("oland", "1", "1")])

    def test_a_workload_is_named_with_or_without_its_suffix(self):
        self.make()
        for name in ("saxpy", "saxpy.yaml", "sax*.yaml"):
            self.assertIn("1 exact", self.regress("run", name))

    def test_an_init_that_fails_leaves_nothing_and_may_follow(self):
        self.chip()
        self.write("broken.yaml", "kernel: {code: nothere.cl}\n")
        self.write("golden/mine.txt", "of the user")
        before = sorted(self.folder.rglob("*"))
        self.assertIn("broken: failed", self.regress("init", "saxpy.yaml", "broken.yaml", "--asic", "hainan", "--asic", "mine.yaml", status=3))
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        out = self.regress("init", "saxpy.yaml", "--asic", "tahity", status=2)
        self.assertRegex(out, r'regress.yaml:3:9: asics\[0\]: unknown asic "tahity", did you mean tahiti\?')
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        self.assertIn("mine: rebased", self.regress("init", "saxpy.yaml", "--asic", "mine.yaml"))


class Damaged(Suite):
    def setUp(self):
        super().setUp()
        self.chip()
        self.regress("init", "saxpy.yaml", "--asic", "mine.yaml", "--asic", "hainan")

    def cut(self, name):
        path = self.folder / "golden" / name
        path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])

    def test_a_golden_file_that_cannot_be_read_is_named_and_the_others_are_compared(self):
        self.cut("mine.json")
        out = self.regress("--junit", "out.xml", status=1)
        self.assertRegex(out, r"golden/mine\.json: not a golden file: line \d+ is no JSON, or the file is cut off there\n")
        self.assertRegex(out, r"hainan: 1 workloads, configuration \w+\n  1 exact")
        self.assertEqual([(s.get("name"), s.get("failures")) for s in xml.parse(self.folder / "out.xml").getroot()],
                         [("mine", "2"), ("hainan", "0")])
        self.assertIn("rebase all of the chip", self.regress("rebase", "saxpy", "--reason", "mended", status=1))
        self.regress("rebase", "--reason", "mended")
        self.assertEqual(self.regress().count("1 exact"), 2)

    def test_a_golden_file_that_cannot_be_read_is_named_in_every_form(self):
        self.write("golden/mine.json", "{}")
        why = "golden/mine.json: not a golden file: it has no asic, or one of another kind"
        said = json.loads(self.regress("--format", "json", "--junit", "out.xml", status=1))
        self.assertEqual(said["counts"], {"exact": 1, "not compared": 1, "unreadable": 1})
        self.assertEqual([(r["target"], r["workload"], r["status"], r.get("why")) for r in said["results"]],
                         [("mine", "mine.json", "unreadable", why), ("mine", "saxpy", "not compared", why), ("hainan", "saxpy", "exact", None)])
        file, case = xml.parse(self.folder / "out.xml").getroot()[0]
        self.assertEqual((file.get("name"), file.get("file"), file.find("failure").get("message")), ("mine.json", "golden/mine.json", why))
        self.assertEqual((case.find("failure").get("type"), case.find("failure").text), ("not compared", why))
        self.assertRegex(case.find("failure").get("message"), rf"^\d+ cycles, not compared: {re.escape(why)}$")
        out = self.regress("--format", "markdown", status=1)
        self.assertIn(f"| mine/mine.json | unreadable |  |  |  | {why} |\n", out)
        self.assertRegex(out, r"\| mine/saxpy \| not compared \|  \| \d+ \|  \| golden/mine\.json: ")
        out = self.regress("--format", "github", status=1)
        self.assertIn(f"::error file=golden/mine.json,title=unreadable%3A mine/mine.json::{why}\n", out)
        self.assertIn("::error file=saxpy.yaml,title=not compared%3A mine/saxpy::", out)

    def test_what_is_wrong_with_a_golden_file_is_said_in_words(self):
        for text, why in (("{}", "it has no asic, or one of another kind"), ("[]", "it is no map"),
                          ('{"asic": "mine", "config_hash": "", "workloads": {"saxpy": {"cycles": "1"}}}',
                           "saxpy has no cycles, or one of another kind"),
                          ('{"asic": "mine", "config_hash": "", "workloads": {"saxpy": {"cycles": 1, "wave_instructions": 1, '
                           '"counters": {"mc": {"reads": "1"}}}}}', "saxpy: mc has no reads, or one of another kind")):
            with self.subTest(text):
                self.write("golden/mine.json", text)
                self.assertIn(f"  golden/mine.json: not a golden file: {why}\n", self.regress(status=1))
        (self.folder / "golden/mine.json").write_bytes(b"\xff")
        self.assertIn("golden/mine.json: not a golden file: it is no text", self.regress(status=1))

    def test_a_timeline_that_cannot_be_read_is_named_and_the_others_are_compared(self):
        timeline = "timelines/mine/saxpy.perfetto-trace.xz"
        self.cut(timeline)
        self.cut("mine.fields")
        with open(self.folder / "golden/mine.fields", "ab") as file:
            file.write(b"\xff")
        self.chip("clocks: {memory: 2000 MHz}\n")
        out = self.regress(status=1)
        self.assertIn("  configuration: golden/mine.fields: is no text\n", out)
        self.assertIn(f"  saxpy: no first difference: golden/{timeline}: is no timeline of archipelago run --trace: it is cut off\n", out)
        self.assertIn("hainan: 1 workloads", out)
        self.regress("rebase", "--reason", "faster memory")
        self.chip("clocks: {memory: 1900 MHz}\n")
        self.assertIn("saxpy: first difference at", self.regress(status=1))

    def test_a_rebase_makes_a_damaged_timeline_anew_where_no_result_moved(self):
        whole = (self.folder / "golden/timelines/mine/saxpy.perfetto-trace.xz").read_bytes()
        self.cut("timelines/mine/saxpy.perfetto-trace.xz")
        out = self.regress("rebase", "--reason", "mended")
        self.assertIn("mine: nothing to rebase\n  saxpy: its timeline could not be read, and is made again\n", out)
        self.assertEqual((self.folder / "golden/timelines/mine/saxpy.perfetto-trace.xz").read_bytes(), whole)

    def test_the_timeline_of_a_workload_goes_with_it(self):
        self.write("d/small.yaml", (self.folder / "saxpy.yaml").read_text().replace("saxpy.hsaco", "../saxpy.hsaco"))
        text = (self.folder / "regress.yaml").read_text()
        self.write("regress.yaml", text.replace('"saxpy.yaml"', '"saxpy.yaml", "d/small.yaml"'))
        self.regress("rebase", "--reason", "another")
        folder = self.folder / "golden/timelines/mine"
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["d", "saxpy.perfetto-trace.xz"])
        self.write("regress.yaml", text)
        self.regress("rebase", "--reason", "and back")
        self.assertEqual([p.name for p in folder.iterdir()], ["saxpy.perfetto-trace.xz"])


class EveryLatency(Suite):
    def test_one_cycle_more_of_each_of_twenty_latencies_is_caught_and_named(self):
        self.make("reduction", "local_atomics")
        said = subprocess.run([self.COMMAND, "describe", "hainan", "--timings"], capture_output=True, text=True).stdout
        cycles = dict(re.findall(r"^(\S+) +(\d+) ", said, re.M))
        self.assertEqual(len(set(LATENCIES)), 20)
        for path in LATENCIES:
            with self.subTest(latency=path):
                value = int(cycles[path])
                keys = path.split(".")
                self.chip("".join(f"{key}: {{" for key in keys) + f"cycles: {value + 1}, source: guess" + "}" * len(keys) + "\n")
                out = self.regress("run", "--events", "1", status=1)
                self.assertIn(f"  configuration: {path} {value} -> {value + 1}\n", out)
                self.assertRegex(out, r"first difference at \d+ ns, ")


class TraceDiff(Suite):
    def trace(self, name, *words):
        self.call("run", "saxpy.yaml", "--quiet", "--trace", name, *words)
        return name

    def test_equal_timelines_have_no_difference(self):
        self.trace("a")
        self.trace("b", "--seed", "5")
        self.assertRegex(self.call("tracediff", "a", "b"), r"^no difference in \d+ rows, \d+ events$")

    def test_the_first_event_that_differs_is_shown_with_both_times(self):
        self.trace("a")
        self.trace("b", "--set", "clocks.memory=1000 MHz")
        out = self.call("tracediff", "a", "b", "--count", "3", status=1).splitlines()
        self.assertEqual(len(out), 4)
        times = [int(re.match(r"  (\d+) ns, ", line)[1]) for line in out[1:]]
        self.assertEqual(times, sorted(times))
        self.assertRegex(out[1], r"(begins|ends) at \d+ ns in place of \d+ ns \([+-]\d+ ns\)")
        rows = self.call("tracediff", "a", "b", "--rows", "se0.sh0.cu0", status=1)
        self.assertTrue(all(", se0.sh0.cu0" in line for line in rows.splitlines()[1:]), rows)

    def test_an_event_of_one_alone_and_another_name_are_told(self):
        from archipelago.timeline import Span
        from archipelago.tracediff import compare
        a = {"r": [Span(0, 5, "read", "", 1), Span(6, 9, "write", "", 0)], "s": []}
        b = {"r": [Span(0, 5, "read", "", 2), Span(6, 9, "atomic", "line 3", 0), Span(9, 9, "end", "", 0)], "s": [Span(2, 3, "x", "", 0)]}
        found = compare(a, b)
        self.assertEqual([str(d) for d in found],
                         ["2 ns, s, event 0: x only in the second", "6 ns, r, event 1: write, then atomic [line 3]"])

    def test_what_is_no_timeline_is_refused(self):
        self.trace("a")
        self.write("text", "this is no timeline")
        self.assertIn("text: is no timeline", self.call("tracediff", "a", "text", status=2))
        self.assertIn("none: No such file", self.call("tracediff", "none", "a", status=2))
        whole = (self.folder / "a").read_bytes()
        (self.folder / "cut").write_bytes(whole[:len(whole) // 2])
        self.assertRegex(self.call("tracediff", "a", "cut", status=2), "cut: (is no timeline|a slice has no end)")


if __name__ == "__main__":
    support.main(__doc__)
