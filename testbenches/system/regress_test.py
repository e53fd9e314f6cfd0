#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/regress finds every kind of difference and rebases only with a reason. It runs on a
stand-in for the command, a script that writes statistics made up here."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "python"))

from archipelago.regress import golden as goldens  # noqa: E402

# One with few workloads.
CHIP = "verde"
REGRESS = suite.ROOT / "scripts" / "regress"

# What each workload "costs" lies in costs/ beside it: statistics, or an exit status. A shell
# script, because it runs hundreds of times.
STAND_IN = """\
#!/bin/sh
costs=$(dirname "$0")/costs
while [ $# -gt 1 ]; do
    [ "$1" = --stats ] && stats=$2
    shift
done
name=$(basename "$1" .yaml)
[ "$name" = workload ] && name=$(basename "$(dirname "$1")")
[ -e "$costs/$name" ] || name=default
if grep -q '^status' "$costs/$name"; then
    echo "expected 1, got 2"
    exit "$(cut -d' ' -f2 "$costs/$name")"
fi
exec cp "$costs/$name" "$stats"
"""

def one_unit_of_each_kind(selection, value):
    """Statistics with every selected counter, two units of a numbered kind."""
    units = {}
    for pattern, counters in selection.values():
        name = re.sub(r"\\d\+", "0", pattern.pattern).replace("\\.", ".").replace("\\Z", "")
        names = {name, re.sub(r"0$", "1", name)}
        for unit in names:
            units.setdefault(unit, {}).update({c: value for c in counters})
    return units


class Regress(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-regress-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.golden = self.folder / "golden"
        self.golden.mkdir()
        self.command = self.folder / "archipelago"
        self.command.write_text(STAND_IN)
        os.chmod(self.command, 0o755)
        self.selection = goldens.read_selection(suite.ROOT / "testbenches" / "golden" / "counters.yaml")
        (self.folder / "costs").mkdir()
        self.costs = {"default": self.cost(1000)}
        self.regress("--rebase", "--reason", "first", status=0)

    def cost(self, cycles, instructions=64, value=100):
        return {"cycles": cycles, "wave_instructions": instructions, "config_hash": "aa",
                "units": one_unit_of_each_kind(self.selection, value)}

    def regress(self, *arguments, status, chip=CHIP):
        for name, cost in self.costs.items():
            text = f"status {cost['status']}\n" if "status" in cost else json.dumps(cost)
            (self.folder / "costs" / name).write_text(text)
        done = subprocess.run(
            [sys.executable, str(REGRESS), "--command", str(self.command), "--golden",
             str(self.golden), "--jobs", "2", "--asic", chip, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def changes(self):
        return (self.golden / "CHANGES.md").read_text()

    def files(self):
        return {p.name: p.read_bytes() for p in self.golden.iterdir() if p.is_file()}

    def test_same_results_pass_and_write_nothing(self):
        before = self.files()
        out = self.regress(status=0)
        self.assertIn("0 slower, 0 faster", out)
        self.assertEqual(self.files(), before)

    def test_one_cycle_more_fails_and_is_shown(self):
        self.costs["saxpy"] = self.cost(1001)
        out = self.regress(status=1)
        self.assertRegex(out, r"saxpy +1000 +1001 +\+1 \+0\.10 %")
        self.assertIn("1 slower, 0 faster", out)
        self.assertNotIn("matmul", out)

    def test_one_cycle_less_fails_too(self):
        self.costs["saxpy"] = self.cost(999)
        self.assertIn("0 slower, 1 faster", self.regress(status=1))

    def test_other_instructions_fail_with_the_same_cycles(self):
        self.costs["saxpy"] = self.cost(1000, instructions=65)
        self.assertIn("instructions 64 -> 65", self.regress(status=1))

    def test_other_counters_fail_with_the_same_cycles(self):
        self.costs["saxpy"] = self.cost(1000)
        self.costs["saxpy"]["units"]["tcc1"]["read_hits"] = 99
        self.assertRegex(self.regress(status=1), r"saxpy .* same +tcc\.read_hits 200 -> 199")

    def test_counters_that_moved_most_come_first(self):
        self.costs["saxpy"] = self.cost(1100)
        self.costs["saxpy"]["units"]["tcc0"]["read_hits"] = 99
        self.costs["saxpy"]["units"]["mc0"]["queue_cycles"] = 900
        self.assertIn("mc.queue_cycles 200 -> 1000 (+400 %), tcc.read_hits 200 -> 199 (-0.5 %)",
                      self.regress(status=1))
        self.assertRegex(self.regress("--counters", "1", status=1),
                         r"mc\.queue_cycles 200 -> 1000 \(\+400 %\), 1 more\n")

    def test_failed_workload_fails_and_is_never_taken_over(self):
        self.costs["saxpy"] = {"status": 1}
        self.assertRegex(self.regress(status=3), r"saxpy: failed to run, exit status 1\n +expected 1")
        before = self.files()
        self.regress("--rebase", "--reason", "wishful", status=3)
        self.assertEqual(self.files(), before)

    def test_workload_without_golden_and_golden_without_workload_fail(self):
        golden = goldens.read(CHIP, self.golden)
        golden.workloads["vanished"] = golden.workloads.pop("saxpy")
        goldens.write(golden, self.golden)
        out = self.regress(status=1)
        self.assertIn("saxpy: 1000 cycles, no golden entry", out)
        self.assertIn("vanished: in the golden file, not in the suite", out)
        self.regress("--rebase", "--reason", "renamed", status=0)
        self.assertTrue(self.changes().endswith(f"\n## renamed\n- {CHIP}: saxpy 1000 (new); vanished gone\n"))
        self.regress(status=0)

    def test_chip_without_golden_file_fails(self):
        self.assertIn("no golden entry", self.regress(status=1, chip="oland"))

    def test_rebase_needs_a_reason(self):
        before = self.files()
        for arguments in (["--rebase"], ["--rebase", "--reason", "  "], ["--reason", "x"]):
            self.assertIn("--reason", self.regress(*arguments, status=2))
        self.assertEqual(self.files(), before)

    def test_a_rebase_has_one_reason_in_one_sentence(self):
        before = self.files()
        self.costs["saxpy"] = self.cost(900)
        for reason in ("events pass VGT; lanes take a cycle", "Events pass VGT. Lanes take a cycle.", "one\ntwo",
                       "events pass VGT, " * 7):
            self.assertIn("each cause has a rebase of its own", self.regress("--rebase", "--reason", reason, status=2))
        self.assertEqual(self.files(), before)
        self.regress("--rebase", "--reason", "Version 1.2 passes events.", status=0)

    def test_a_rebase_is_committed_before_the_next(self):
        def git(*words):
            subprocess.run(["git", "-C", str(self.golden), "-c", "user.name=x", "-c", "user.email=x@x", *words],
                           check=True, stdout=subprocess.DEVNULL)
        git("init", "-q")
        git("add", "-A")
        git("commit", "-q", "-m", "first")
        self.costs["saxpy"] = self.cost(900)
        self.regress("--rebase", "--reason", "shorter walk", status=0)
        self.costs["matmul"] = self.cost(900)
        before = self.files()
        self.assertIn('uncommitted rebase, "shorter walk"', self.regress("--rebase", "--reason", "other", status=2))
        self.assertEqual(self.files(), before)
        self.regress("--rebase", "--reason", "shorter walk", status=0)
        self.assertEqual(self.changes().count("## shorter walk"), 1)
        git("commit", "-q", "-a", "-m", "shorter walk")
        self.costs["matmul"] = self.cost(901)
        self.regress("--rebase", "--reason", "other", status=0)
        self.assertTrue(self.changes().endswith(f"\n## other\n- {CHIP}: matmul 900 -> 901\n"))

    def test_where_git_ignores_the_entry_it_is_the_message_of_the_commit(self):
        def git(*words):
            subprocess.run(["git", "-C", str(self.golden), "-c", "user.name=x", "-c", "user.email=x@x", *words],
                           check=True, stdout=subprocess.DEVNULL)
        git("init", "-q")
        (self.golden / ".gitignore").write_text("CHANGES.md\n")
        git("add", "-A")
        git("commit", "-q", "-m", "first")
        self.costs["saxpy"] = self.cost(900)
        self.regress("--rebase", "--reason", "shorter walk", status=0)
        self.assertEqual(self.changes(), f"\n## shorter walk\n- {CHIP}: saxpy 1000 -> 900\n")
        self.costs["matmul"] = self.cost(900)
        self.assertIn('uncommitted rebase, "shorter walk"', self.regress("--rebase", "--reason", "other", status=2))
        self.regress("matmul", "--rebase", "--reason", "shorter walk", status=0)
        self.assertEqual(self.changes().count("## shorter walk"), 1)
        git("commit", "-q", "-a", "-m", "shorter walk")
        self.costs["matmul"] = self.cost(901)
        self.regress("--rebase", "--reason", "other", status=0)
        self.assertEqual(self.changes(), f"\n## other\n- {CHIP}: matmul 900 -> 901\n")

    def test_rebase_records_reason_chip_and_cycles_and_then_passes(self):
        self.costs["saxpy"] = self.cost(900)
        self.costs["matmul"] = self.cost(1000, value=101)
        self.regress("--rebase", "--reason", "shorter walk", status=0)
        self.assertTrue(self.changes().endswith(
            f"\n## shorter walk\n- {CHIP}: matmul 1000 (counters only); saxpy 1000 -> 900\n"))
        self.regress(status=0)
        before = self.files()
        self.assertIn("nothing to rebase",
                      self.regress("--rebase", "--reason", "again", status=0))
        self.assertEqual(self.files(), before)

    def test_rebase_of_one_workload_leaves_the_others(self):
        self.costs["saxpy"] = self.cost(900)
        self.costs["matmul"] = self.cost(901)
        self.regress("saxpy", "--rebase", "--reason", "one", status=0)
        out = self.regress(status=1)
        self.assertIn("matmul", out)
        self.assertNotIn("saxpy", out)

    def test_rebase_of_one_workload_does_not_mix_configurations(self):
        for name in ("default", "saxpy"):
            self.costs[name] = {**self.cost(900), "config_hash": "bb"}
        before = self.files()
        self.assertIn("rebase all", self.regress("saxpy", "--rebase", "--reason", "x", status=1))
        self.assertEqual(self.files(), before)
        self.regress("--rebase", "--reason", "x", status=0)
        self.assertEqual(goldens.read(CHIP, self.golden).config_hash, "bb")

    def test_selected_counter_without_a_source_is_an_error(self):
        for cost in self.costs.values():
            for unit in ("tcc0", "tcc1"):
                del cost["units"][unit]["read_hits"]
        self.assertIn("tcc: no unit counts read_hits", self.regress(status=1))

    def test_patterns_select_among_workloads_and_captures(self):
        out = self.regress("captures/*", "saxpy*", status=1, chip=suite.MAIN_CHIP)
        self.assertIn("captures/cl_vadd_tahiti: 1000 cycles", out)
        self.assertIn("saxpy_asm: 1000 cycles", out)
        self.assertNotIn("matmul", out)

    def test_unknown_names_are_bad_usage(self):
        self.assertIn("no workload is named saxpi", self.regress("saxpi", status=2))
        self.assertIn("tahity", self.regress(status=2, chip="tahity"))

    def test_broken_golden_file_is_named(self):
        goldens.path_of(CHIP, self.golden).write_text("{}")
        self.assertIn(f"{CHIP}.json: not a golden file", self.regress(status=1))

    def test_golden_files_read_back_as_written(self):
        golden = goldens.read(CHIP, self.golden)
        self.assertEqual(sorted(golden.workloads), sorted(w.name for w in suite.workloads_of(CHIP)))
        text = goldens.text_of(golden)
        self.assertEqual(text, goldens.path_of(CHIP, self.golden).read_text())


if __name__ == "__main__":
    unittest.main()
