#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Progress of long runs, and their end by Ctrl-C (SIGINT) or SIGTERM. What is waited for is something to be seen, never a time.

    stop_test.py ARCHIPELAGO
"""

import json
import os
import pty
import re
import select
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import closing
from pathlib import Path

import timeline

COMMAND = str(Path(sys.argv.pop(1)).resolve())
STOPPED_BY_USER = 130
PATIENCE = 300  # s, for what must come
ENDLESS = """
waves:
  - code: s_branch 0xffff                # to itself
expect: [{address: 0x200000, words: [1]}]
memory: [{address: 0x200000, size: 4096}]
"""
SHORT = """
waves:
  - code: s_nop 0
"""
LINE = r"endless\.yaml: cycle \d+, [0-9.]+ ([kM] )?cycles/s, waves 0 done"


class Runs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-stop-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "endless.yaml").write_text(ENDLESS)
        (self.folder / "short.yaml").write_text(SHORT)

    def start(self, *words, **streams):
        process = subprocess.Popen([COMMAND, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, **streams)
        self.addCleanup(process.kill)
        return process

    def until(self, file, pattern):
        """What comes from the file up to a line that matches."""
        text = ""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, text):
            self.assertLess(time.monotonic(), end, text)
            if select.select([file], [], [], 1)[0]:
                try:
                    more = os.read(file, 65536).decode()
                except OSError:  # of a terminal that nobody has open any more
                    more = ""
                self.assertTrue(more, f"the end of {text!r}")
                text += more
        return text


class Progress(Runs):
    def test_a_terminal_shows_cycle_rate_and_waves_in_one_line(self):
        ours, theirs = pty.openpty()
        process = self.start("run", "endless.yaml", stderr=theirs)
        os.close(theirs)
        text = self.until(ours, r"(?s)endless.*endless.*done")  # two of them
        self.assertRegex(text, r"^\r" + LINE + r"\x1b\[K\r" + LINE)
        process.send_signal(signal.SIGINT)
        self.assertIn("\r\x1b[K", self.until(ours, r"archipelago: stopped by the user at cycle \d+"))
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, STOPPED_BY_USER)
        os.close(ours)

    def test_a_pipe_shows_none_unless_it_is_asked_for(self):
        process = self.start("run", "endless.yaml", "--progress", "--quiet", stderr=subprocess.PIPE)
        first = self.until(process.stderr.fileno(), "\n")
        self.assertRegex(first, "^" + LINE + "\n$")
        process.terminate()
        process.communicate(timeout=PATIENCE)
        for options in ((), ("--no-progress",)):
            done = subprocess.run([COMMAND, "run", "endless.yaml", "--max-cycles", "300000", *options], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertNotIn("waves 0 done", done.stderr)
        both = subprocess.run([COMMAND, "run", "short.yaml", "--progress", "--no-progress"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(both.returncode, 2)

    def test_a_terminal_shows_none_with_no_progress(self):
        ours, theirs = pty.openpty()
        done = subprocess.run([COMMAND, "run", "endless.yaml", "--max-cycles", "300000", "--no-progress"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("\r\x1b", self.until(ours, r"the machine stopped"))
        os.close(ours)


class Stops(Runs):
    def test_either_signal_ends_a_run_with_all_its_files(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("run", "endless.yaml", "--progress", "--stats", "stats.json", "--trace", "trace",
                                 "--trace-units", "overview,cp,host,se0.sh0", stderr=subprocess.PIPE)
            self.until(process.stderr.fileno(), LINE)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, STOPPED_BY_USER)
            cycle = re.search(r"^archipelago: stopped by the user at cycle (\d+)$", err.decode(), re.M)[1]
            self.assertRegex(out.decode(), r"(?m)^  cycles +\d+ ")
            self.assertRegex(out.decode(), rf"(?m)^  checks +none: stopped by the user at cycle {cycle}$")
            stats = json.loads((self.folder / "stats.json").read_text())
            self.assertEqual(stats["stopped"], f"stopped by the user at cycle {cycle}")
            rows = timeline.read(self.folder / "trace")
            self.assertEqual(rows["host"][-1].name, "endless.yaml")
            self.assertTrue(any("open at the end of the run" in s.detail for row, spans in rows.items() if ".slot" in row for s in spans))

    def test_a_second_signal_ends_it_at_once(self):
        # The statistics fill the pipe, which nobody reads: the run cannot end by itself.
        process = self.start("run", "endless.yaml", "--progress", "--stats", "/dev/stdout", stderr=subprocess.PIPE)
        self.until(process.stderr.fileno(), LINE)
        process.send_signal(signal.SIGINT)
        status = Path(f"/proc/{process.pid}/status")
        end = time.monotonic() + PATIENCE
        while int(re.search(r"^SigCgt:\s*([0-9a-f]+)$", status.read_text(), re.M)[1], 16) & 1 << signal.SIGINT - 1:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=PATIENCE), -signal.SIGINT)
        process.communicate()

    def test_functional_mode_ends_too(self):
        process = self.start("run", "endless.yaml", "--mode", "functional", "--progress", stderr=subprocess.PIPE)
        self.until(process.stderr.fileno(), r"endless\.yaml: [0-9.]+ ([kM] )?waves/s, waves \d+ done")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, STOPPED_BY_USER)
        self.assertRegex(err.decode(), r"archipelago: stopped by the user after \d+ waves \(functional mode counts no cycles\)")

    def test_of_several_workloads_the_others_are_not_run(self):
        process = self.start("run", "short.yaml", "endless.yaml", "short.yaml", "--progress", "--stats", "stats.json", stderr=subprocess.PIPE)
        self.until(process.stderr.fileno(), LINE)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, STOPPED_BY_USER)
        self.assertRegex(err.decode(), r"archipelago: endless\.yaml: stopped by the user at cycle \d+\n"
                         r"archipelago: short\.yaml: not run: stopped by the user")
        self.assertIn("all 3 workloads", out.decode())
        first, second, third = json.loads((self.folder / "stats.json").read_text())["workloads"]
        self.assertNotIn("stopped", first)
        self.assertRegex(second["stopped"], "^stopped by the user")
        self.assertRegex(third["stopped"], "^not run: stopped by the user")

    def test_a_sweep_keeps_its_results_and_can_go_on(self):
        (self.folder / "sweep.yaml").write_text("workload: [short.yaml, endless.yaml]\nasic: tahiti\n")
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("sweep", "sweep.yaml", "--jobs", "1", "--quiet", "--database", "d.sqlite", stderr=subprocess.PIPE)
            end = time.monotonic() + PATIENCE
            while self.results() < 1 or not self.runs_of("endless.yaml"):
                self.assertLess(time.monotonic(), end)
                self.assertIsNone(process.poll())
                time.sleep(0.05)
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, STOPPED_BY_USER)
            self.assertEqual(err.decode(), "archipelago sweep: stopped by the user; d.sqlite has the results so far, "
                             "and the same command continues\n")
            self.assertFalse(self.runs_of("endless.yaml"))
            self.assertEqual(self.results(), 1)

    def results(self):
        database = self.folder / "d.sqlite"
        if not database.exists():
            return 0
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
            try:
                return db.execute("SELECT COUNT(*) FROM results WHERE status = 'done'").fetchone()[0]
            except sqlite3.OperationalError:  # no tables yet
                return 0

    def runs_of(self, workload):
        """Processes of this test's folder that run it."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
                if b"run" in words and any(w.endswith(workload.encode()) for w in words) and \
                        Path(os.readlink(path / "cwd")) == self.folder.resolve():
                    found.append(path.name)
            except OSError:  # it has ended
                continue
        return found


if __name__ == "__main__":
    unittest.main()
