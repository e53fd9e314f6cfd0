#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""archipelago report: a page without network, looked at in Chromium; the same as text; two results compared.

    report_test.py ARCHIPELAGO
"""

import itertools
import json
import re
import sqlite3
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

import support
from archipelago.report import plots
from support import HANGS, ROOT, SAXPY, InFolder

sys.path.append(str(ROOT / "testbenches" / "timing"))
from axis import Axis  # noqa: E402

SWEEP = """\
workload: [saxpy.yaml, small.yaml, hangs.yaml]
parameters:
  topology.cu_per_sh: [2, 8, 16]
  topology.shader_engines: [1, 2]
"""
WEIGHTS = "area: {cu: 5 mm2}\nenergy: {valu_instructions: 12 pJ, mc.bytes_read: 0.06 nJ, seconds: 20 W}\n"

SECTIONS = ["Overview", "What each parameter does", "Pareto front", "Caches", "Memory bandwidth", "All design points",
            "Design points without a result"]
# Of what the statistics have beside counters.
ATTRIBUTED = ["Roofline of each kernel", "Where each cycle of a wave went", "Where each memory transaction waited",
              "Occupancy"]


# Texts of drawings that leave them or lie on each other, and texts of the page that leave the window.
TEXTS_OUT_OF_PLACE = """
    const wrong = [];
    for (const svg of document.querySelectorAll("svg")) {
      const frame = svg.getBoundingClientRect();
      if (!frame.width) continue;
      const texts = [...svg.querySelectorAll("text")].map(t => [t, t.getBoundingClientRect()]);
      texts.forEach(([t, b], i) => {
        if (b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1)
          wrong.push(`${svg.ariaLabel}: ${t.textContent} is cut off`);
        for (const [u, c] of texts.slice(i + 1))
          if (!t.hasAttribute("transform") && Math.min(b.right, c.right) - Math.max(b.left, c.left) > 1
              && Math.min(b.bottom, c.bottom) - Math.max(b.top, c.top) > 3)
            wrong.push(`${svg.ariaLabel}: ${t.textContent} lies on ${u.textContent}`);
      });
    }
    for (const e of document.querySelectorAll("th, td, p, h1, h2, figcaption, .legend span")) {
      const b = e.getBoundingClientRect();
      if (b.right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1 && e.clientWidth) wrong.push(e.textContent);
    }
    return wrong;
"""


class Reported(InFolder):
    """One sweep for all tests of the class."""

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="archipelago-report-")
        maker = cls("make")
        maker.setUp()
        try:
            for path in maker.folder.iterdir():
                support.shutil.copy(path, cls.kept.name) if path.is_file() else None
        finally:
            maker.doCleanups()

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def make(self):
        """Not a test: for setUpClass."""

    def setUp(self):
        super().setUp()
        self.write("saxpy.yaml", SAXPY.format(size=8192))
        self.write("small.yaml", SAXPY.format(size=4096))
        self.write("hangs.yaml", HANGS)
        self.write("sweep.yaml", SWEEP)
        self.write("w.yaml", WEIGHTS)
        made = support.Path(self.kept.name) / "sweep.sqlite"
        if made.exists():
            support.shutil.copy(made, self.folder)
        else:
            self.call("sweep", "sweep.yaml", "--quiet", status=1)

    def rows(self, query):
        connection = sqlite3.connect(self.folder / "sweep.sqlite")
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()


class Page(Reported):
    def setUp(self):
        super().setUp()
        self.call("report", "sweep.sqlite", "--weights", "w.yaml")
        self.source = (self.folder / "sweep.html").read_text()

    def open(self, name="sweep.html"):
        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,2000", "--disable-dev-shm-usage"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.addCleanup(driver.quit)
        driver.get(f"file://{self.folder}/{name}")
        return driver

    def table(self, driver, section):
        """Rows of its last table, as the browser shows them."""
        body = driver.find_elements(By.CSS_SELECTOR, f"#{section} table")[-1]
        return [[c.text for c in row.find_elements(By.CSS_SELECTOR, "th, td")] for row in body.find_elements(By.TAG_NAME, "tr")]

    def test_the_browser_shows_every_section_and_loads_nothing_else(self):
        driver = self.open()
        self.assertEqual([l for l in driver.get_log("browser") if l["level"] == "SEVERE"], [])
        requests = [entry["message"] for entry in driver.get_log("performance") if "Network.requestWillBeSent" in entry["message"]]
        addresses = set(re.findall(r'"url":"([^"]+)"', " ".join(requests)))
        self.assertEqual({a for a in addresses if not a.startswith(("file://", "data:"))}, set())
        self.assertEqual(re.findall(r'(?:src|href)="(?!#)[^"]*"|url\(|@import|https?://', self.source), [])
        shown = [h.text for h in driver.find_elements(By.TAG_NAME, "h2")]
        self.assertEqual([h for h in shown if h not in ATTRIBUTED], SECTIONS)
        has = {n for n, in self.rows("SELECT DISTINCT name FROM sections")}
        self.assertEqual([h for h in shown if h in ATTRIBUTED], ATTRIBUTED if "attribution" in has else [])

    def test_plots_have_a_dot_per_point_where_its_numbers_are(self):
        driver = self.open()
        titles = [t.get_attribute("textContent") for t in driver.find_elements(By.CSS_SELECTOR, '[aria-label="cycles by topology.cu_per_sh"] circle title')]
        expected = self.rows('SELECT workload, "topology.cu_per_sh", "topology.shader_engines", cycles FROM runs WHERE status = \'done\'')
        for workload, cus, engines, cycles in expected:
            base = next(c for w, u, e, c in expected if (w, u, e) == (workload, 2, 1))
            self.assertIn(f"{workload[:-5]}, cu_per_sh {cus}, shader_engines {engines}: {cus}, {cycles}, {cycles / base:.4g} of the baseline",
                          titles)
        self.assertEqual(len(titles), len(expected))
        # A dot further right has more compute units, one further up more cycles of the baseline's.
        dots = driver.find_elements(By.CSS_SELECTOR, '[aria-label="cycles by topology.cu_per_sh"] circle')
        places = [(float(d.get_attribute("cx")), float(d.get_attribute("cy"))) for d in dots]
        values = [tuple(float(v) for v in re.search(r": (\d+), \d+, (\S+) of the baseline$", t).groups()) for t in titles]
        for (px, py), (x, y) in zip(places, values):
            for (qx, qy), (u, v) in zip(places, values):
                self.assertEqual((x < u) - (x > u), (px < qx) - (px > qx))
                if abs(y - v) > 0.01:
                    self.assertEqual(y < v, py > qy)

    def test_a_heading_sorts_its_table_by_value_and_again_the_other_way_round(self):
        driver = self.open()
        rows = self.table(driver, "all-design-points")
        column = rows[0].index("cycles")
        heading = driver.find_elements(By.CSS_SELECTOR, "#all-design-points th")[column]
        sorted_ = []
        for _ in range(2):
            driver.execute_script("arguments[0].click()", heading)
            values = [r[column].replace(" ", "") for r in self.table(driver, "all-design-points")[1:]]
            sorted_.append([int(v) for v in values if v])
            self.assertEqual(values[len(sorted_[-1]):], [""] * (len(values) - len(sorted_[-1])), "empty cells are last")
        self.assertEqual(sorted_[0], sorted(sorted_[0]))
        self.assertEqual(sorted_[1], sorted(sorted_[0], reverse=True))
        self.assertGreater(len(set(sorted_[0])), 3)

    def test_a_screenshot_has_plots_tables_and_no_overflow(self):
        """On a screen and on a telephone, by day and by night."""
        driver = self.open()
        shots = set()
        for width in (1280, 390):
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 700})
            for theme in ("light", "dark"):
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                       {"features": [{"name": "prefers-color-scheme", "value": theme}]})
                with self.subTest(width=width, theme=theme):
                    shot = driver.get_screenshot_as_png()
                    self.assertGreater(len(shot), 20000)
                    shots.add(shot)
                    self.assertLessEqual(driver.execute_script("return document.documentElement.scrollWidth"), width)
                    self.assertEqual(driver.execute_script(TEXTS_OUT_OF_PLACE), [])
        self.assertEqual(len(shots), 4)
        figures = [f for f in driver.find_elements(By.CSS_SELECTOR, "figure svg") if f.is_displayed()]
        self.assertGreater(len(figures), 10)
        for figure in figures:
            self.assertGreater(figure.size["height"], 20)
            box = driver.execute_script("const b = arguments[0].getBBox(), v = arguments[0].viewBox.baseVal;"
                                        "return [b.x >= -1, b.y >= -1, b.x + b.width <= v.width + 1, b.y + b.height <= v.height + 1]",
                                        figure)
            self.assertEqual(box, [True] * 4, figure.get_attribute("aria-label"))
        for element in driver.find_elements(By.CSS_SELECTOR, "table, .parts"):
            self.assertIn(element.value_of_css_property("overflow-y"), ("visible",), "no box scrolls by itself")

    def test_weighted_metrics_are_the_sums_of_the_weights(self):
        driver = self.open()
        rows = self.table(driver, "all-design-points")
        area, energy, status = (rows[0].index(n) for n in ("area, mm2", "energy, J", "status"))
        by_point = {int(r[0]): r for r in rows[1:]}
        for point, cus, engines, seconds in self.rows('SELECT point, "topology.cu_per_sh", "topology.shader_engines", sim_seconds '
                                                      "FROM runs WHERE status = 'done'"):
            self.assertEqual(float(by_point[point][area]), 5 * 2 * cus * engines)
            [(valu,)] = self.rows(f"SELECT SUM(value) FROM totals WHERE point = {point} AND counter = 'valu_instructions'")
            [(size,)] = self.rows(f"SELECT value FROM totals WHERE point = {point} AND kind = 'mc' AND counter = 'bytes_read'")
            expected = valu * 12e-12 + size * 60e-12 + 20 * seconds
            self.assertAlmostEqual(float(by_point[point][energy]) / expected, 1, places=3)
        self.assertEqual({r[status] for r in rows[1:]}, {"done", "stopped", "invalid"})

    def test_the_front_has_every_point_that_none_beats(self):
        driver = self.open()
        rows = self.rows('SELECT "topology.cu_per_sh" * "topology.shader_engines", kernel_time.cycles '
                         "FROM runs JOIN kernel_time USING (point) WHERE status = 'done' AND workload = 'saxpy.yaml'")
        front = [r for r in rows if not any(q[0] <= r[0] and q[1] <= r[1] and q != r for q in rows)]
        shown = driver.find_elements(By.CSS_SELECTOR, '[aria-label="kernel.cycles over area of saxpy"] circle.marked')
        self.assertEqual(len(shown), len(front))


class Text(Reported):
    def test_text_has_the_sections_and_numbers_of_the_page(self):
        out = self.call("report", "sweep.sqlite", "--weights", "w.yaml", "--text")
        for title in SECTIONS:
            self.assertIn(f"\n\n{title}\n", out)
        for point, cycles in self.rows("SELECT point, cycles FROM runs WHERE status = 'done'"):
            self.assertRegex(out, rf"\n  {point} .* {cycles} ")
        self.assertIn("more than the 64 ports of the fabric", out)

    def test_cycles_of_kernels_stand_before_those_of_the_run(self):
        out = self.call("report", "sweep.sqlite", "--text")
        self.assertRegex(out, r"\nOverview\n  .* of which \d+\.\d to \d+\.\d % lie outside kernels\.\n  metric .*\n  kernel\.cycles .*\n  kernel\.cycles .*\n  cycles ")
        for point, kernels, cycles in self.rows("SELECT point, kernel_time.cycles, runs.cycles FROM runs JOIN kernel_time USING (point)"):
            self.assertLess(kernels, cycles)
            self.assertRegex(out, rf"\n  {point} .* {kernels} +{cycles} ")

    def test_several_kernels_of_a_run_have_a_metric_each(self):
        names = ["saxpy", "scale"]
        connection = sqlite3.connect(self.folder / "sweep.sqlite")
        [(result, text)] = connection.execute("SELECT result, json FROM sections WHERE name = 'kernel_totals' LIMIT 1").fetchall()
        [total] = json.loads(text)
        both = json.dumps([{**total, "kernel": name, "cycles": 100 + i} for i, name in enumerate(names)])
        with connection:
            connection.execute("UPDATE sections SET json = ? WHERE result = ? AND name = 'kernel_totals'", (both, result))
        connection.close()
        out = self.call("report", "sweep.sqlite", "--text")
        self.assertRegex(out, r"\n  kernel\.saxpy\.cycles +(saxpy|small) +100 ")
        self.assertRegex(out, r"\n  kernel\.scale\.cycles +(saxpy|small) +101 ")

    def test_the_answer_has_the_best_point_its_gain_the_parameter_and_the_reason(self):
        out = self.call("report", "sweep.sqlite", "--text")
        for workload in ("saxpy", "small"):
            points = self.rows('SELECT point, "topology.cu_per_sh", "topology.shader_engines", kernel_time.cycles FROM runs JOIN kernel_time '
                               f"USING (point) WHERE status = 'done' AND workload = '{workload}.yaml' ORDER BY point")
            (first, *_, base), best = points[0], min(points, key=lambda p: p[3])
            self.assertRegex(out, rf"\n{workload}: Best is cu_per_sh {best[1]}, shader_engines {best[2]} with {best[3]} kernel cycles"
                             rf"[^,]*, {100 * (1 - best[3] / base):.{0 if best[3] / base < 0.905 else 1}f} % fewer than the baseline, "
                             rf"cu_per_sh 2, shader_engines 1, with {base}\. topology\.cu_per_sh matters most: ")
            reasons = [dict(self.rows(f"SELECT reason, cycles FROM wave_time WHERE point = {p}")) for p in (first, best[0])]
            shrank = max(reasons[0], key=lambda r: reasons[0][r] - reasons[1].get(r, 0))
            self.assertRegex(out, rf"\n{workload}: .*; of the wave cycles, {shrank} \(.*\) shrank most, from ")

    def test_title_and_question_are_those_of_the_sweep_file(self):
        self.write("titled.yaml", "title: How many & <which>\nquestion: >\n  Does it\n  matter?\n" + SWEEP.replace(", hangs.yaml", ""))
        support.shutil.copy(self.folder / "sweep.sqlite", self.folder / "titled.sqlite")
        self.call("sweep", "titled.yaml", "--quiet", status=0)
        self.assertTrue(self.call("report", "titled.sqlite", "--text").startswith("How many & <which>\nDoes it matter?\nsaxpy: Best is "))
        self.call("report", "titled.sqlite")
        page = (self.folder / "titled.html").read_text()
        self.assertIn("<h1>How many &amp; &lt;which&gt;</h1><p class=\"question\">Does it matter?</p><p class=\"answer\">saxpy: ", page)
        self.assertNotIn("<which>", page)
        # A sweep file without them takes them back.
        self.write("titled.yaml", SWEEP.replace(", hangs.yaml", ""))
        self.call("sweep", "titled.yaml", "--quiet")
        self.assertTrue(self.call("report", "titled.sqlite", "--text").startswith("titled.sqlite\nsaxpy: Best is "))

    def test_a_further_metric_is_a_counter_and_an_unknown_one_is_refused(self):
        self.assertIn("tcc.reads by topology.cu_per_sh", self.call("report", "sweep.sqlite", "--metric", "tcc.reads", "--text"))
        self.assertIn("--metric reeds: no counter is called so", self.call("report", "sweep.sqlite", "--metric", "reeds", status=2))

    def test_pictures_are_files_of_their_own(self):
        self.call("report", "sweep.sqlite", "--weights", "w.yaml", "--pictures", "pictures")
        files = sorted((self.folder / "pictures").glob("*.svg"))
        self.assertIn("kernel-cycles-over-area-of-saxpy.svg", [f.name for f in files])
        for file in files:
            self.assertEqual(xml.parse(file).getroot().tag, "{http://www.w3.org/2000/svg}svg")
            self.assertNotIn("url(", file.read_text())

    def test_files_that_cannot_be_read_or_written_are_told(self):
        self.assertIn("none.sqlite: no such file", self.call("report", "none.sqlite", status=2))
        self.assertIn("/dev/full: No space left on device", self.call("report", "sweep.sqlite", "-o", "/dev/full", status=2))
        for given, why in (("sweep.yaml", "file is not a database, a workload or sweep file: "), ("small.yaml", "file is not a database, a workload or sweep file: "),
                           ("s.json", "file is not a database, ")):
            self.write("s.json", json.dumps({"cycles": 1}) * 1000)
            out = self.call("report", given, status=2)
            self.assertIn(f"{given}: {why}expected the results that `archipelago sweep` writes, as {given.partition('.')[0]}.sqlite\n", out)
        self.write("w.yaml", "energy: {cu: 12 pJ, tcc: 3 mm2}\n")
        self.assertIn("w.yaml:1:9: energy: adds J and mm2, expected one unit",
                      self.call("report", "sweep.sqlite", "--weights", "w.yaml", status=2))

    def test_outputs_that_cannot_be_or_would_overwrite_are_refused(self):
        self.write("file", "")
        self.write("w.yaml", "energy: {valu_instructions: 12 pJ}\n")
        (self.folder / "folder" / "picture-1.svg").mkdir(parents=True)
        before = (self.folder / "sweep.sqlite").read_bytes()
        for words, why in (
                (("-o", "no/such/x.html"), "-o no/such/x.html: no such directory"),
                (("-o", "file/x.html"), "-o file/x.html: no such directory"),
                (("-o", "folder"), "-o folder: is a directory, expected a file to write"),
                (("-o", "./sweep.sqlite"), 'sweep.sqlite", which the command reads'),
                (("-o", "w.yaml", "--weights", "w.yaml"), 'w.yaml", which the command reads'),
                (("--pictures", "file/pictures"), "--pictures file/pictures: file is a file, expected a directory"),
                (("--pictures", "file"), "--pictures file: file is a file, expected a directory")):
            with self.subTest(words):
                self.assertIn(why, self.call("report", "sweep.sqlite", *words, status=2))
        # The page that is written without -o, and a picture in place of it.
        (self.folder / "page.html").write_bytes(before)
        self.assertIn('page.html", which the command reads', self.call("report", "page.html", status=2))
        self.call("report", "sweep.sqlite", "--pictures", "pictures", "-o", "x.html")
        picture = next((self.folder / "pictures").iterdir()).name
        self.assertIn("writes the same file as -o", self.call("report", "sweep.sqlite", "--pictures", "pictures", "-o",
                                                              f"pictures/{picture}", status=2))
        self.assertEqual((self.folder / "sweep.sqlite").read_bytes(), before)


class Matched(InFolder):
    """What the values of a parameter are compared by."""
    def report(self, sweep, *words, status=0):
        self.write("sweep.yaml", sweep)
        self.call("sweep", "sweep.yaml", "--quiet", status=status)
        return self.call("report", "sweep.sqlite", "--text", *words)

    def row(self, out, parameter, metric="cycles", of=""):
        start = "  +".join(map(re.escape, filter(None, (metric, of, parameter))))
        [line] = re.findall(rf"^  {start}  +(.*)$", out, re.M)
        return re.split(r"  +", line)

    def cycles(self, where):
        connection = sqlite3.connect(self.folder / "sweep.sqlite")
        self.addCleanup(connection.close)
        return connection.execute(f"SELECT cycles FROM runs WHERE {where}").fetchall()

    def test_a_workload_that_one_value_does_not_survive_is_left_out_of_all(self):
        self.write("long.yaml", SAXPY.format(size=131072))
        self.call("run", "long.yaml", "--quiet", "--set", "memory.dram.from_l2.latency.cycles=80", "--stats", "s.json")
        # Enough for the long one with a fast link, and for reading what it wrote; too few with a slow one.
        most = json.loads((self.folder / "s.json").read_text())["cycles"] * 3 // 2
        out = self.report(f"workload: [saxpy.yaml, long.yaml]\nmax_cycles: {most}\n"
                          "parameters: {memory.dram.from_l2.latency.cycles: [80, 600]}\n", status=1)
        [(fast,), (slow,)] = self.cycles("workload = 'saxpy.yaml' ORDER BY point")
        self.assertLess(fast, slow)
        spread = f"{100 * (slow / fast - 1):.4g}"
        self.assertEqual(self.row(out, "memory.dram.from_l2.latency.cycles", of="saxpy"),
                         ["80", str(fast), "600", str(slow), spread, spread, "1"])
        self.assertEqual(self.row(out, "memory.dram.from_l2.latency.cycles", of="long"), ["0", "1 of 1: no 600 (stopped)"])

    def test_what_a_point_of_a_list_does_not_name_is_the_chips_own(self):
        out = self.report("workload: saxpy.yaml\nparameters: {topology.cu_per_sh: [1, 8]}\nlist: [{clocks.memory: 200 MHz}]\n")
        self.assertNotIn("None", out)
        self.assertRegex(out, r"\n  0 +chip's own +200 MHz +\d+ +\d+ +done\n  1 +1 +chip's own ")
        self.assertEqual(self.row(out, "topology.cu_per_sh")[6:], ["1", "1 of 3: no 1 (not in the sweep), no 8 (not in the sweep)"])
        self.assertEqual(self.row(out, "clocks.memory"), ["0", "3 of 3: no two are equal in everything else"])

    def test_single_changes_stand_against_the_chip_as_it_is(self):
        out = self.report("workload: saxpy.yaml\nlist: [{}, {clocks.memory: 900 MHz}, {tcp.mshrs: 64}]\n")
        [(own,), (changed,), (same,)] = self.cycles("1 ORDER BY point")
        table = out[out.index("\n\nEach change against the chip as it is\n"):].split("\n\n")[1]
        self.assertRegex(table, rf"\n  the chip as it is +\d+ +{own}\n")
        self.assertRegex(table, rf"\n  memory 900 MHz +\d+ +\S+ +{changed} +{re.escape(f'{100 * (changed / own - 1):.4g}')}\n")
        self.assertRegex(table, rf"\n  mshrs 64 +\d+ +\S+ +{same} +{re.escape(f'{100 * (same / own - 1):.4g}')}$")
        self.assertRegex(table, r"\n  kernel\.cycles against the chip as it is, %\n")
        self.call("report", "sweep.sqlite")
        self.assertIn(f"<title>memory 900 MHz: {100 * (changed / own - 1):+.1f} %</title>".replace("-", "−"), (self.folder / "sweep.html").read_text())
        self.assertNotIn("Each change", self.report("workload: saxpy.yaml\nlist: [{topology.cu_per_sh: 1}, {tcp.mshrs: 64}]\n"))

    def test_a_heat_map_has_the_ratio_to_the_baseline_of_each_pair(self):
        out = self.report("workload: saxpy.yaml\nparameters: {tcc.size: [32 KiB, 512 KiB], topology.cu_per_sh: [1, 2, 8]}\n")
        (base, *_), rows = self.cycles("1 ORDER BY point")[0], self.cycles("1 ORDER BY point")
        ratios = [f"{cycles / base:.4g}" for cycles, in rows]
        shown = out[out.index("\n  cycles / baseline\n"):].splitlines()[2:5]
        self.assertEqual([re.split("  +", line.strip()) for line in shown],
                         [["tcc.size \\ topology.cu_per_sh", "1", "2", "8"], ["32 KiB", *ratios[:3]], ["512 KiB", *ratios[3:]]])
        self.call("report", "sweep.sqlite")
        page = (self.folder / "sweep.html").read_text()
        self.assertIn(f"<title>topology.cu_per_sh 8, tcc.size 512 KiB: {ratios[5]} of the baseline</title>", page)

    def test_workloads_that_do_the_same_work_are_compared(self):
        self.write("slow.yaml", SAXPY.format(size=16384))
        files = "workload: [slow.yaml, saxpy.yaml]\n"
        self.assertIn("\nslow: No point", self.report(files + "parameters: {tcc.size: [32 KiB, 64 KiB]}\n"))
        out = self.report(files + "same_work: true\nparameters: {tcc.size: [32 KiB, 64 KiB]}\n")
        self.assertRegex(out, r"\nBest is saxpy, size \d+ KiB with .* fewer than the baseline, slow, size 32 KiB, .* workload matters most: "
                              r"saxpy instead of slow needs \d+ % fewer")
        self.assertEqual(self.row(out, "workload")[0], "saxpy")
        self.write("sweep.yaml", "workload: saxpy.yaml\nsame_work: true\n")
        self.assertIn("sweep.yaml:2:12: same_work: compares workloads, expected two or more of them", self.call("sweep", "sweep.yaml", status=2))
        self.write("sweep.yaml", "workload: saxpy.yaml\ntitle: []\nquestion: [a]\nsame_work: maybe\n")
        said = self.call("sweep", "sweep.yaml", status=2)
        for fault in ("2:8: title: is a sequence, expected text", "3:11: question: is a sequence, expected text",
                      '4:12: same_work: got "maybe", expected one of: true, false'):
            self.assertIn(f"sweep.yaml:{fault}", said)

    def test_names_of_points_have_their_seeds(self):
        out = self.report("workload: saxpy.yaml\nseed: [1, 2]\nparameters: {topology.cu_per_sh: [1, 8]}\n")
        self.assertRegex(out, r"\n(Best is|No point needs fewer kernel cycles than the baseline,) seed 1, cu_per_sh \d")
        for seed in (1, 2):
            self.assertIn(f"\n    seed {seed}, cu_per_sh 8: ", out)

    def test_chips_are_compared(self):
        out = self.report("workload: saxpy.yaml\nasic: [tahiti, hainan]\n")
        self.assertRegex(out, r"\n(Best is \w+ with|No point needs fewer kernel cycles than the baseline, tahiti,).* asic matters most: |No parameter")

    def test_names_of_points_tell_parameters_apart_and_none_is_cut_off(self):
        out = self.report("workload: saxpy.yaml\nparameters: {tcp.size: [8 KiB, 16 KiB], tcc.size: [32 KiB, 64 KiB], "
                          "cp.me_packet_cycles.cycles: [1, 4]}\n")
        name = "tcp.size 16 KiB, tcc.size 64 KiB, me_packet_cycles 4"
        self.assertIn(name, out)
        self.call("report", "sweep.sqlite", "--pictures", "pictures")
        bars = (self.folder / "pictures" / "cycles-of-all-waves-by-reason.svg").read_text()
        self.assertIn(f">{name}</text>", bars)
        # It ends where the bars begin: as many px from the left edge as it has letters of the font.
        end = float(re.search(rf'text-anchor: end" x="([\d.]+)"[^>]*>{name}', bars)[1])
        self.assertGreaterEqual(end, plots.text_width(name))

    def test_functional_points_have_no_cycles_and_no_part_in_their_means(self):
        self.write("w.yaml", "energy: {seconds: 20 W}\nprice: {grbm.host_writes: 4 furlong}\n")
        out = self.report("workload: saxpy.yaml\nmode: [cycle, functional]\nparameters: {topology.cu_per_sh: [1, 8]}\n",
                          "--weights", "w.yaml")
        said = "  2 of 4 design points have no cycles: they ran in functional mode.\n"
        self.assertIn(f"\nOverview\n{said}", out)
        self.assertIn(f"\nWhat each parameter does\n{said}", out)
        timed = sorted(self.cycles("mode = 'cycle'"))
        self.assertRegex(out, rf"\n  cycles +cycle +\d+ +cu_per_sh 1 +{timed[0][0]} +cu_per_sh \d +\S+ +{timed[1][0]} +cu_per_sh")
        self.assertRegex(out, r"\n  energy +cycle +\d\S* [mu]J +cu_per_sh \d +\d\S* [mu]J +cu_per_sh \d")
        self.assertIn("price, furlong", out)
        self.assertRegex(out, r"\n  kernel\.cycles +cycle +\d+ +cu_per_sh \d +\d+ +cu_per_sh \d")
        self.assertEqual(self.row(out, "topology.cu_per_sh", of="cycle")[6], "1")
        self.assertEqual(self.row(out, "topology.cu_per_sh", of="functional"), ["0", "no point has cycles"])
        self.assertEqual([self.row(out, "topology.cu_per_sh", "price", mode)[6] for mode in ("cycle", "functional")], ["1", "1"])
        out = self.report("workload: saxpy.yaml\nmode: functional\nparameters: {topology.cu_per_sh: [1, 8]}\n")
        self.assertIn("2 of 2 design points have no cycles", out)
        self.assertEqual(self.row(out, "topology.cu_per_sh"), ["0", "no point has cycles"])
        self.assertIn("0 of 2 points have other cycles", self.call("report", "sweep.sqlite", "sweep.sqlite", "--text"))

    def test_workloads_of_one_name_are_told_apart(self):
        for folder, size in (("a", 256), ("b", 512)):
            self.write(f"{folder}/x.yaml", SAXPY.format(size=size).replace("saxpy.hsaco", "../saxpy.hsaco"))
            self.write(f"{folder}/chip.yaml", f"base: {support.ROOT}/configs/asics/hainan.yaml\nname: mine\n"
                       f"clocks: {{memory: {size} MHz}}\n")
        out = self.report("workload: [a/x.yaml, b/x.yaml, saxpy.yaml]\nasic: [a/chip.yaml, b/chip.yaml]\n")
        for workload in ("a/x", "b/x", "saxpy"):
            for chip in ("a/chip", "b/chip"):
                self.assertIn(f"\n    {workload}, {chip}: ", out)

    def test_caches_are_those_the_chip_has(self):
        out = self.report(f"workload: {support.WORKLOADS}/ctm/stencil.yaml\nasic: r580\n")
        self.assertNotIn("\nCaches\n", out)
        out = self.report("workload: saxpy.yaml\n")
        self.assertRegex(out, r"\nCaches\n  point +L1 reads +hits, % +L2 reads +hits, % +scalar lookups +hits, % +instruction")

    def test_weights_do_not_take_the_name_of_what_is_measured(self):
        self.report("workload: saxpy.yaml\n")
        self.write("w.yaml", "wave_instructions: {cu: 1 mm2}\n")
        self.assertEqual(self.call("report", "sweep.sqlite", "--weights", "w.yaml", status=2),
                         "w.yaml:1:1: wave_instructions: is measured, expected another name for what the weights make\n")
        self.write("w.yaml", "area: {cu: 1 mm2}\ntcc.reads: {cu: 1 mm2}\n")
        self.assertEqual(self.call("report", "sweep.sqlite", "--weights", "w.yaml", status=2),
                         "w.yaml:2:1: tcc.reads: is measured, expected another name for what the weights make\n")


class Ticks(unittest.TestCase):
    def test_values_that_differ_by_rounding_alone_have_an_axis(self):
        for values in ((0.1 + 0.2, 0.3), (1e6 / 3, 1e6 / 3 + 1e-10), (0.0, 0.0), (1.0, 1.001)):
            axis = Axis(values, 0, 100, is_log=False)
            ticks = list(itertools.islice(axis.ticks(), 20))
            self.assertTrue(2 <= len(ticks) < 20, (values, ticks))
            for value, _ in ticks:
                self.assertTrue(-0.001 <= axis.at(value) <= 100.001, (values, value))


class Compared(Reported):
    def test_what_moved_is_shown_with_the_counters_that_explain_it(self):
        slow = self.stand_in("slow", 'set -- "$@" --set clocks.memory="700 MHz"')
        self.write("sweep.yaml", SWEEP.replace(", hangs.yaml", ""))
        self.call("sweep", "sweep.yaml", "--quiet", "--database", "slow.sqlite", command=self.python_command(slow))
        out = self.call("report", "sweep.sqlite", "slow.sqlite", "--text")
        self.assertIn("10 points in both, 0 only in the first, 0 only in the second", out)
        self.assertIn("10 of 10 points have other cycles, 0 the same.", out)
        self.assertRegex(out, r"\n  saxpy, cu_per_sh 2, shader_engines 1 +\d+ +\d+ +\d\S* +\S+ \d+ -> \d+; ")
        self.call("report", "sweep.sqlite", "slow.sqlite", "-o", "both.html")
        self.assertIn("Counters that moved over all points", (self.folder / "both.html").read_text())

    def test_what_differs_stands_first_and_causes_before_consequences(self):
        self.write("sweep.yaml", SWEEP.replace(", hangs.yaml", "") + "set: {clocks.memory: 700 MHz, tcp.mshrs: 16}\n")
        self.call("sweep", "sweep.yaml", "--quiet", "--database", "slow.sqlite")
        out = self.call("report", "sweep.sqlite", "slow.sqlite", "--text")
        self.assertRegex(out, r"points in both, 0 only in the first, 0 only in the second\n\nWhat differs\n  chip +field +before +after\n"
                              r"  tahiti +clocks\.memory +1375 MHz +700 MHz\n(  tahiti +memory\.dram\.timing.*\n)*  tahiti +tcp\.mshrs +128 +16\n\nWhat moved\n")
        rows = out[out.index("\nCounters that moved over all points"):].splitlines()[4:]
        units = [re.split("  +", row.strip())[1] for row in rows if row]
        are_cycles = ["cycles" in unit for unit in units]
        self.assertEqual(are_cycles, sorted(are_cycles))
        self.assertEqual(set(are_cycles), {True, False})
        rows = out[out.index("\nWhat moved"):out.index("\nCounters that moved over all")]
        causes = re.findall(r"  clocks\.memory 1375 MHz -> 700 MHz; memory\.dram\.timing\.\S+ \d.*; \d+ more fields of the chip; (.*)", rows)
        self.assertEqual(len(causes), 10)
        for of_point in causes:
            waits = [bool(re.match(r"mc\.queue_cycles|waves: |\S*\.(vmem_latency|wave|mshr_full)_cycles", cause)) for cause in of_point.split("; ")]
            self.assertEqual(waits, sorted(waits), of_point)

    def test_changed_workloads_and_commands_are_named(self):
        self.write("small.yaml", SAXPY.format(size=2048))
        self.write("sweep.yaml", SWEEP.replace(", hangs.yaml", ""))
        slow = self.stand_in("other", "true")
        self.call("sweep", "sweep.yaml", "--quiet", "--database", "other.sqlite", command=self.python_command(slow))
        out = self.call("report", "sweep.sqlite", "other.sqlite", "--text")
        self.assertRegex(out, r"\n\nWhat differs\n  No field of tahiti differs\.\n  The commands differ: archipelago .* -> archipelago .*\.\n"
                              r"  Workloads that have changed, in a file that they read or in their kernels: small\.\n")
        connection = sqlite3.connect(self.folder / "other.sqlite")
        with connection:
            connection.execute("DROP TABLE fields")  # as before there was one
        connection.close()
        self.assertIn("The fields of tahiti are not known in both.", self.call("report", "sweep.sqlite", "other.sqlite", "--text"))

    def test_equal_results_have_moved_nothing(self):
        support.shutil.copy(self.folder / "sweep.sqlite", self.folder / "same.sqlite")
        out = self.call("report", "sweep.sqlite", "same.sqlite", "--text")
        self.assertIn("0 of 10 points have other cycles, 10 the same.", out)


if __name__ == "__main__":
    support.main(__doc__)
