#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a reader finds in a timeline: names, details, the overview; a part of a run, and a bound on its size.

    timeline_test.py ARCHIPELAGO
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite
import timeline
from archipelago import timeline as reader

COMMAND = str(Path(sys.argv.pop(1)).resolve())
MATMUL = suite.ROOT / "testbenches/workloads/matmul.yaml"
CODE = suite.ROOT / "testbenches/golden/code/matmul.hsaco"


def tracks_of(path):
    """[(path, rank, whether it has events)] of what the file declares."""
    trace = reader._message_of_traces()()
    trace.ParseFromString(Path(path).read_bytes())
    names, busy, order = {}, set(), []
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            parent = names.get(track.parent_uuid, "")
            names[track.uuid] = f"{parent}.{track.name}".strip(".")
            order.append(track)
        if packet.HasField("track_event"):
            busy.add(names[packet.track_event.track_uuid])
    return [(names[t.uuid], t.sibling_order_rank, names[t.uuid] in busy) for t in order if t.uuid]


class Timelines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="archipelago-timeline-")
        cls.folder = Path(cls.scratch.name)
        cls.whole = cls.folder / "whole"
        cls.run_matmul("--trace", cls.whole, "--stats", cls.folder / "stats.json")
        cls.rows = timeline.read(cls.whole)
        cls.stats = json.loads((cls.folder / "stats.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def run_matmul(cls, *options, status=0):
        done = subprocess.run([COMMAND, "run", MATMUL, "--asic", "tahiti", "--code", CODE, *map(str, options)],
                              capture_output=True, text=True, cwd=cls.folder)
        assert done.returncode == status, f"{done.returncode}: {done.stdout}{done.stderr}"
        return done

    def spans(self, pattern, rows=None):
        return [s for row, spans in (self.rows if rows is None else rows).items() if re.fullmatch(pattern, row) for s in spans]


class Names(Timelines):
    def test_a_dispatch_and_its_waves_have_the_name_of_the_kernel(self):
        [dispatch] = self.spans(r"spi\.gfx")
        self.assertEqual(dispatch.name, "matmul, dispatch 1")
        self.assertRegex(dispatch.detail, r"^64 groups of 16x16x1 threads, program at 0x[0-9a-f]+$")
        waves = self.spans(r"se\d\.sh\d\.cu\d\.simd\d\.slot\d+")
        self.assertEqual(len(waves), 256)
        for wave in waves:
            group, number = re.fullmatch(r"matmul, group (\d+) w (\d)", wave.name).groups()
            self.assertRegex(wave.detail, rf"^dispatch 1, work-group {group}, wave {number} of 4, pc 0x[0-9a-f]+-0x[0-9a-f]+$")

    def test_a_wait_has_its_instruction_and_address(self):
        waits = self.spans(r".*\.waits")
        self.assertGreater(len(waits), 10000)
        by_address = {}
        for wait in waits:
            text, pc = re.fullmatch(r"([vs]_.*|ds_.*|buffer_.*); pc (0x[0-9a-f]+)", wait.detail).groups()
            by_address.setdefault(pc, set()).add(text)
        self.assertEqual([texts for texts in by_address.values() if len(texts) != 1], [])
        self.assertEqual({s.detail.partition(";")[0] for s in waits if s.name == "barrier"}, {"s_barrier"})

    def test_a_miss_has_address_client_and_merged_requests(self):
        for row, client in ((r"se.*\.l1\.miss\d+", "tcp"), (r"tcc\d+\.miss\d+", r"\S+ \d+"), (r"sqc\.inst\d\.miss\d+", "sqc.inst"),
                            (r"sqc\.data\d\.miss\d+", "sqc.data")):
            misses = self.spans(row)
            self.assertTrue(misses, row)
            for miss in misses:
                self.assertRegex(miss.detail, rf"^address 0x[0-9a-f]+, client {client}, \d+ merged")
        merged = sum(int(re.search(r"(\d+) merged", s.detail)[1]) for s in self.spans(r"se.*\.l1\.miss\d+"))
        self.assertEqual(merged, sum(u["read_merged"] for path, u in self.stats["units"].items() if path.endswith(".l1")))

    def test_dram_data_have_address_bank_and_row(self):
        bursts = self.spans(r"mc\d+\.data")
        self.assertTrue(bursts)
        for burst in bursts:
            self.assertRegex(burst.detail, r"^address 0x[0-9a-f]+, bank \d+ row 0x[0-9a-f]+, client \S+ \d+$")
        self.assertTrue(all(s.detail.startswith("row 0x") for s in self.spans(r"mc\d+\.bank\d+")))

    def test_each_slice_has_its_cycle(self):
        period = 1e9 / 925e6
        for span in self.spans(r"(cp|spi|se0|mc\d+|fabric|host|ih)(\..*)?"):
            self.assertLess(abs(span.cycle * period - span.begin), 2 * period, span)

    def test_source_lines_are_those_of_the_program(self):
        (self.folder / "saxpy.yaml").write_text(f"""
kernel: {{code: {suite.ROOT}/testbenches/workloads/saxpy.cl, name: saxpy, global_size: [64, 1, 1], local_size: [64, 1, 1],
          args: [{{buffer: {{zeros: 256}}}}, {{buffer: {{zeros: 256}}}}, {{f32: 1.0}}]}}
""")
        done = subprocess.run([COMMAND, "run", "saxpy.yaml", "--quiet", "--trace", "lines"], capture_output=True, text=True, cwd=self.folder)
        if "clang" in done.stderr:
            self.skipTest(done.stderr)
        waits = self.spans(r".*\.waits", timeline.read(self.folder / "lines"))
        self.assertTrue(any(re.search(r"; pc 0x[0-9a-f]+; saxpy\.cl:\d+$", s.detail) for s in waits), waits[:3])


class Rows(Timelines):
    def test_rows_without_events_are_not_declared(self):
        tracks = tracks_of(self.whole)
        busy = [path for path, _, has in tracks if has]
        for path, _, has in tracks:
            self.assertTrue(has or any(b.startswith(path + ".") for b in busy), path)

    def test_the_overview_comes_first_and_the_command_processor_next(self):
        outermost = sorted((rank, path) for path, rank, _ in tracks_of(self.whole) if "." not in path)
        self.assertEqual([path for _, path in outermost[:3]], ["overview", "cp", "host"])
        overview = [path for path in self.rows if path.startswith("overview.")]
        self.assertEqual(len(overview), 12)

    def test_the_overview_adds_up_to_the_statistics(self):
        def area(row):
            spans = self.rows[f"overview.{row}"]
            return sum(float(a.name) * (b.begin - a.begin) for a, b in zip(spans, spans[1:]))

        period = 1e9 / 925e6
        for row, wanted in (("instructions per cycle", self.stats["wave_instructions"]),
                            ("LDS instructions per cycle", self.stats["instructions"]["lds"])):
            self.assertAlmostEqual(area(row) / period / wanted, 1, delta=0.02)
        dram = sum(u["bytes_read"] + u["bytes_written"] for path, u in self.stats["units"].items() if re.fullmatch(r"mc\d+", path))
        self.assertAlmostEqual(area("DRAM bandwidth") / dram, 1, delta=0.02)
        self.assertEqual(max(float(s.name) for s in self.rows["overview.resident waves"]), 256)
        engines = [float(s.name) for s in self.rows["overview.busy CP engines"]]
        self.assertTrue(all(0 <= n <= 9 for n in engines) and max(engines) >= 3, max(engines))

    def test_the_host_brings_the_chip_up_before_the_workload(self):
        up, run = self.rows["host"]
        self.assertEqual((up.name, up.begin, up.end), ("bring-up", 0, run.begin))
        self.assertEqual(run.name, "matmul.yaml")
        self.assertGreaterEqual(self.spans(r"spi\.gfx")[0].begin, run.begin)

    def test_a_traced_run_takes_the_same_cycles_and_is_deterministic(self):
        self.run_matmul("--stats", "plain.json", "--quiet")
        plain = json.loads((self.folder / "plain.json").read_text())
        self.assertEqual((plain["cycles"], plain["units"]), (self.stats["cycles"], self.stats["units"]))
        self.run_matmul("--trace", "again")
        self.assertEqual((self.folder / "again").read_bytes(), self.whole.read_bytes())
        self.run_matmul("--trace", "shuffled", "--seed", "4")
        self.assertEqual(timeline.read(self.folder / "shuffled"), self.rows)


class Parts(Timelines):
    def of(self, *options, status=0):
        done = self.run_matmul("--trace", "part", *options, status=status)
        return timeline.read(self.folder / "part"), done

    def test_a_window_has_what_overlaps_it(self):
        period = 1e9 / 925e6
        for text, first, end in (("4000:4400", 4000, 4400), ("4000:", 4000, 10**9), (":3000", 0, 3000)):
            rows, _ = self.of("--trace-window", text)
            for row, spans in rows.items():
                whole = {s[:4] for s in self.rows[row]}
                for s in spans:
                    self.assertLess(s.begin, end * period + 1, row)
                    self.assertGreaterEqual(s.end, first * period - 2, row)
                    self.assertTrue(s[:4] in whole or row.startswith(("overview", "transactions")), (row, s))
            waits = [s for row, s in self.flat(self.rows) if row.endswith(".waits") and s.end > first * period + 2
                     and s.begin < end * period - 2]
            self.assertLessEqual(len(waits), sum(len(s) for row, s in rows.items() if row.endswith(".waits")))
            self.assertTrue(waits)

    @staticmethod
    def flat(rows):
        return [(row, s) for row, spans in rows.items() for s in spans]

    def test_units_are_shown_with_all_in_them(self):
        for text, pattern in (("cp", r"cp\..*"), ("spi,se0.sh0.cu0", r"spi\..*|se0\.sh0\.cu0\..*"), ("se*.l1", r"se.*\.l1\..*"),
                              ("overview,se0.sh0.cu[01].simd0", r"overview\..*|se0\.sh0\.cu[01]\.simd0\..*")):
            rows, _ = self.of("--trace-units", text)
            self.assertEqual(rows, {row: spans for row, spans in self.rows.items() if re.fullmatch(pattern, row)}, text)

    def test_what_makes_no_sense_is_refused(self):
        for options, said in ((["--trace-units", "spl"], r'--trace-units spl: the chip has no such unit \(did you mean "spi"\?\)'),
                              (["--trace-units", "cp,se0.sh0.cu9"], r"--trace-units se0.sh0.cu9: the chip has no such unit \(did you mean"),
                              (["--trace-units", "nothing*"], r"--trace-units nothing\*: the chip has no such unit, expected one of: .*cp, "),
                              (["--trace-units", "cp,,spi"], "an empty name"),
                              (["--trace-window", "400"], "--trace-window 400: expected FIRST:END in cycles"),
                              (["--trace-window", ":"], "expected FIRST:END"),
                              (["--trace-window", "7x:9"], '"7x" is no cycle'),
                              (["--trace-window", "9:9"], "it ends before it begins"),
                              (["--trace-limit", "much"], "--trace-limit much: expected a size such as 256MiB")):
            done = self.run_matmul("--trace", "refused", *options, status=2)
            self.assertRegex(done.stderr, said)
            self.assertFalse((self.folder / "refused").exists())
        for option in ("--trace-window", "--trace-units", "--trace-limit"):
            self.assertRegex(self.run_matmul(option, "1:2", status=2).stderr, f"{option} requires --trace")

    def test_a_window_that_never_begins_is_said(self):
        rows, done = self.of("--trace-window", "1000000:")
        self.assertEqual(rows, {})
        self.assertRegex(done.stderr, r"part: --trace-window 1000000: never begins: the run ends at cycle \d+")
        self.assertIn("its window never begins", done.stdout)

    def test_a_file_ends_at_its_limit_and_says_so(self):
        for text, limit in (("1MiB", 2**20), ("300000", 300000), ("2 MiB", 2**21)):
            rows, done = self.of("--trace-limit", text)
            self.assertLessEqual((self.folder / "part").stat().st_size, limit * 1.01)
            self.assertGreater((self.folder / "part").stat().st_size, limit * 0.5)
            cycle = re.search(r"part: the timeline ends early, at cycle (\d+): it has reached --trace-limit " + text, done.stderr)[1]
            self.assertIn(f"ends early at cycle {cycle})", done.stdout)
            [said] = rows["timeline"]
            self.assertEqual(said.cycle, int(cycle))
            self.assertIn("ends early", said.name)
            self.assertIn("1 of 1 passed", done.stdout)
        for text in ("0", "1GiB"):
            rows, done = self.of("--trace-limit", text)
            self.assertEqual((rows, done.stderr), (self.rows, ""))


if __name__ == "__main__":
    unittest.main()
