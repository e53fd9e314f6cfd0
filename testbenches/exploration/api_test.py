#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""import archipelago: running a point, building a sweep, loading results into pandas.

    api_test.py ARCHIPELAGO
"""

import inspect
import json
import os
import re
import subprocess
import unittest

import support
from support import ROOT, WRONG, InFolder

import archipelago


class Api(InFolder):
    def setUp(self):
        super().setUp()
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def test_a_run_has_the_statistics_of_the_command(self):
        self.call("run", "saxpy.yaml", "--quiet", "--set", "topology.cu_per_sh=4", "--stats", "stats.json")
        stats = json.loads((self.folder / "stats.json").read_text())
        run = archipelago.run("saxpy.yaml", set={"topology.cu_per_sh": 4})
        self.assertEqual((run.cycles, run.units), (stats["cycles"], stats["units"]))
        self.assertEqual(run.total("l1", "reads"), run.total("se.sh.cu.l1", "reads"))
        self.assertEqual(run.total("tcc", "reads"), sum(u["reads"] for n, u in stats["units"].items() if n.startswith("tcc")))
        with self.assertRaises(AttributeError):
            _ = run.cycels
        with self.assertRaises(KeyError):
            run.total("tcc", "reeds")

    def test_a_run_that_fails_raises_with_its_report(self):
        self.write("wrong.yaml", WRONG)
        with self.assertRaisesRegex(archipelago.RunFailed, "expectation failed: .*expected 0x00000001") as caught:
            archipelago.run("wrong.yaml")
        self.assertEqual(caught.exception.outcome.exit_status, 1)

    def test_a_sweep_built_in_python_is_one_of_a_file_and_loads_into_pandas(self):
        keys = {"workload": "saxpy.yaml", "parameters": {"topology.cu_per_sh": [1, 2, 4]}, "mode": "cycle"}
        results = archipelago.Sweep(**keys).run("api.sqlite")
        self.addCleanup(results.close)
        self.assertEqual(list(results.runs["topology.cu_per_sh"]), [1, 2, 4])
        self.assertEqual(list(results.runs.status), ["done"] * 3)
        self.assertEqual(list(results.totals("tcc.reads").columns), ["tcc.reads"])
        self.assertEqual(results.by_unit("row_hits").shape, (3, 12))
        for ask, name in ((results.totals, "tcc.reeds"), (results.by_unit, "reeds")):
            with self.assertRaisesRegex(archipelago.Refused, f'no counter is called {name} .did you mean "(tcc.)?reads"'):
                ask(name)
        self.assertEqual(list(results.totals("se.sh.cu.waves")["se.sh.cu.waves"]), [4, 4, 4])
        self.assertEqual(results.section(0, "instructions")["valu"], archipelago.run("saxpy.yaml").instructions["valu"])
        self.write("w.yaml", "area: {cu: 2 mm2}\n")
        self.assertEqual(list(results.metric("area", "w.yaml")), [8, 16, 32])
        self.assertEqual(list(results.metric("cycles")), list(results.runs.cycles))
        with self.assertRaisesRegex(archipelago.Refused, r'no counter is called cyles \(did you mean "cycles"\?\)'):
            results.metric("cyles")

    def test_frames_name_the_units_of_their_columns(self):
        keys = {"workload": "saxpy.yaml", "parameters": {"clocks.memory": ["700 MHz", "1.4 GHz"], "tcc.size": ["32 KiB"],
                                                         "cp.me_packet_cycles.cycles": [1]},
                "variants": {"shape": {"narrow": {"topology.cu_per_sh": 1}}}}
        with archipelago.Sweep(**keys).run("units.sqlite") as results:
            self.assertEqual(results.runs.attrs["units"], {"cycles": "cycles", "sim_seconds": "s", "wave_instructions": "instructions"})
            parameters = results.parameters
            self.assertEqual(list(parameters["clocks.memory"]), [700e6, 1.4e9])
            self.assertEqual((list(parameters["tcc.size"]), list(parameters["shape"])), ([32768] * 2, ["narrow"] * 2))
            self.assertEqual(parameters.attrs["units"],
                             {"clocks.memory": "Hz", "tcc.size": "B", "cp.me_packet_cycles.cycles": "cycles", "shape": ""})
            totals = results.totals("mc.bytes_read", "tcc.reads")
            self.assertEqual(totals.attrs["units"], {"mc.bytes_read": "bytes", "tcc.reads": results.units.measure["tcc.reads"]})
            self.assertEqual(set(results.by_unit("bytes_read").attrs["units"].values()), {"bytes"})
            self.assertIn("bytes read", " ".join(results.units.meaning[results.units.index.str.startswith("mc.")]))
            self.write("w.yaml", "energy: {seconds: 2 W}\n")
            for metric, unit in (("kernel.cycles", "cycles"), ("cycles", "cycles"), ("mc.bytes_read", "bytes"), ("energy", "J"),
                                 ("waves.barrier", "cycles"), ("sim_seconds", "s"), ("kernel.saxpy.cycles", "cycles")):
                self.assertEqual(results.metric(metric, "w.yaml").attrs["units"], {metric: unit})
            self.assertEqual(list(results.kernels.loc[(0, "saxpy"), ["dispatches", "cycles"]]), [1, results.metric("kernel.cycles")[0]])

    def test_counters_of_a_run_are_a_frame(self):
        run = archipelago.run("saxpy.yaml")
        frame = run.counters()
        self.assertEqual(len(frame), sum(map(len, run.units.values())))
        reads = frame[(frame.kind == "tcc") & (frame.counter == "reads")]
        self.assertEqual(reads.value.sum(), run.total("tcc", "reads"))
        self.assertNotIn("", list(reads.meaning) + list(reads.measure))

    def test_everything_public_has_a_docstring_and_type_hints(self):
        self.assertTrue((ROOT / "python" / "archipelago" / "py.typed").exists())
        for name in archipelago.__all__:
            thing = getattr(archipelago, name)
            functions = {name: thing} if not inspect.isclass(thing) else {
                f"{name}.{n}": f.fget if isinstance(f, property) else f for n, f in vars(thing).items()
                if not n.startswith("_") and (callable(f) or isinstance(f, property))}
            for where, documented in {name: thing, **functions}.items():
                self.assertTrue(inspect.getdoc(documented), where)
            for where, function in functions.items():
                hinted = inspect.signature(function)
                self.assertIsNot(hinted.return_annotation, inspect.Signature.empty, where)
                for parameter in list(hinted.parameters.values())[inspect.isclass(thing):]:
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{where}: {parameter.name}")

    def test_time_by_reason_is_in_views_and_metrics(self):
        results = archipelago.Sweep(workload="saxpy.yaml").run("time.sqlite")
        self.addCleanup(results.close)
        attribution = {"waves": {"reasons": {"barrier": 30, "fetch": 12}},
                       "memory": {"period_fs": 1000, "reasons": {"dram": 5000}}}
        with results.database.connection as connection:
            connection.execute("INSERT OR REPLACE INTO sections SELECT result, 'attribution', ? FROM results",
                               (json.dumps(attribution),))
        self.assertEqual(list(results.metric("waves.barrier")) + list(results.metric("memory.dram")), [30, 5])
        table = results.query("SELECT reason, cycles FROM wave_time")
        self.assertEqual(dict(zip(table.reason, table.cycles)), {"barrier": 30, "fetch": 12})

    def test_faults_of_a_built_sweep_are_raised_with_their_keys(self):
        with self.assertRaisesRegex(archipelago.Refused, "topology.cu_pr_sh: unknown key"):
            archipelago.Sweep(workload="saxpy.yaml", parameters={"topology.cu_pr_sh": [1]}).run("x.sqlite")
        with self.assertRaisesRegex(archipelago.Refused, "none.sqlite: no such file"):
            archipelago.load("none.sqlite")


class Installed(InFolder):
    """pip install, in an environment of its own, without network."""

    def setUp(self):
        super().setUp()
        support.shutil.copytree(ROOT / "python", self.folder / "python", ignore=support.shutil.ignore_patterns("__pycache__"))
        self.python = self.folder / "environment" / "bin" / "python"
        self.said("/usr/bin/python3", "-m", "venv", "--system-site-packages", "--without-pip", "environment")
        self.said(self.python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "./python")
        support.shutil.rmtree(self.folder / "python")

    def said(self, *words, status=0, **environment):
        kept = {k: v for k, v in os.environ.items() if k not in ("ARCHIPELAGO_COMMAND", "PYTHONPATH")}
        done = subprocess.run(list(map(str, words)), cwd=self.folder, capture_output=True, text=True, env={**kept, **environment})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_the_package_is_whole_and_finds_the_command(self):
        said = self.said(self.python, "-c", "import archipelago; print(archipelago.__file__, archipelago.run('saxpy.yaml').cycles > 1000)",
                         PATH=f"{os.path.dirname(self.COMMAND)}:{os.environ['PATH']}")
        self.assertRegex(said, rf"^{self.folder}/environment/lib/python3[.0-9]*/site-packages/archipelago/__init__.py True$")
        self.write("x.yaml", "workload: saxpy.yaml\n")
        self.said(self.python, "-m", "archipelago", "sweep", "x.yaml", "--quiet", ARCHIPELAGO_COMMAND=self.COMMAND)
        self.assertEqual(self.said(self.python, "-m", "archipelago", "report", "x.sqlite"), "x.html\n")
        self.assertEqual(self.said(self.python, "-m", "archipelago", "sweep", "x.yaml", PATH="/nowhere", status=2),
                         "no command archipelago: build it, put it into PATH or set ARCHIPELAGO_COMMAND\n")
        self.assertEqual(self.said(self.python, "-m", "archipelago", "sweep", "x.yaml", ARCHIPELAGO_COMMAND="/no/such", status=2),
                         "ARCHIPELAGO_COMMAND: no program /no/such: build it, or name another\n")
        installed = self.folder / "environment" / "lib"
        self.assertEqual(len(list(installed.glob("python3*/site-packages/archipelago/py.typed"))), 1)
        self.assertFalse((self.folder / "environment" / "bin" / "archipelago").exists(), "it would hide the C++ command")

    def test_its_version_is_that_of_the_command(self):
        version = self.said(self.python, "-c", "from importlib.metadata import version; print(version('archipelago'))").strip()
        self.assertEqual(self.call("--version").split()[-1], version)


class Command(InFolder):
    def test_check_answers_what_run_would_refuse(self):
        requests = [{"workload": "saxpy.yaml"}, {"workload": "none.yaml"}, {"asic": "tahity"}, {"set": ["cu.lds.bangs=3"]},
                    {"workload": "saxpy.yaml", "asic": "verde", "set": ["topology.cu_per_sh=2"]}]
        self.write("requests", "".join(json.dumps(r) + "\n" for r in requests))
        answers = [json.loads(line) for line in self.call("check", "requests").splitlines()]
        self.assertEqual(["errors" in a for a in answers], [False, True, True, True, False])
        self.assertIn("did you mean tahiti", answers[2]["errors"][0])
        self.assertRegex(answers[3]["errors"][0], '^--set: cu.lds.bangs: unknown key.*did you mean "banks"')
        self.assertEqual([os.path.basename(p) for p in answers[0]["inputs"]], ["saxpy.hsaco", "saxpy.yaml"])
        self.call("run", "saxpy.yaml", "--quiet", "--asic", "verde", "--set", "topology.cu_per_sh=2", "--stats", "s.json")
        self.assertEqual(answers[4]["config_hash"], json.loads((self.folder / "s.json").read_text())["config_hash"])
        self.write("requests", "[]\n")
        self.assertIn("requests:1: not a JSON object", self.call("check", "requests", status=2))

    def test_described_bandwidth_is_what_the_channels_move_and_the_width_of_the_bus_what_registers_say(self):
        def said(chip, *settings):
            text = self.call("describe", chip, *(word for s in settings for word in ("--set", s)))
            return re.search(r"(\d+) channels, \d+ banks each, (\d+) GB/s", text).groups(), re.findall(r"\d+-bit.*", text)
        # 64 bytes of a channel in the 4 cycles of a burst, at 1375 MHz.
        self.assertEqual(said("tahiti"), (("12", "264"), ["384-bit bus)"]))
        self.assertEqual(said("tahiti", "memory.bus_bits=32"), (("12", "264"), ["32-bit bus)"]))
        self.assertEqual(said("tahiti", "memory.channel_map.channels=4"), (("4", "88"), ["384-bit bus)"]))
        self.assertEqual(said("tahiti", "memory.dram.timing.burst.cycles=2"), (("12", "528"), ["384-bit bus)"]))
        for chip, bandwidth in (("bonaire", "96"), ("r580", "50"), ("a630", "119")):
            self.assertEqual(said(chip)[0][1], bandwidth)
            self.assertEqual(said(chip, "memory.bus_bits=32"), said(chip))

    def test_check_refuses_modes_and_chips_as_run_does(self):
        for words, request, why in (
                (("--mode", "functional", "--series", "50", "--stats", "x"), {"mode": "functional", "series": 50}, "--series: "),
                (("--mode", "functional", "--rtl", "lds"), {"mode": "functional", "rtl": ["lds"]}, "--rtl: the Verilog twins stand"),
                (("--rtl", "nope"), {"rtl": ["nope"]}, "--rtl nope: "),
                (("--asic", "r580"), {"asic": "r580"}, "saxpy.yaml:2:3: kernel: kernels need GCN compute units")):
            with self.subTest(why):
                self.write("requests", json.dumps({"workload": "saxpy.yaml", **request}) + "\n")
                [error] = json.loads(self.call("check", "requests"))["errors"]
                self.assertTrue(error.startswith(why), error)
                self.assertEqual(self.call("run", "saxpy.yaml", *words, status=2), error + "\n")
        self.write("requests", '{"mode": "functional"}\n{"rtl": ["nope"]}\n')
        answers = [json.loads(line) for line in self.call("check", "requests").splitlines()]
        self.assertEqual(["errors" in answer for answer in answers], [False, True])

    def test_ends_of_a_described_range_are_refused_because_of_other_keys_only(self):
        alone = re.compile(r"not in \d+\.\.\d+|: \d+ to \d+$|: at (most|least) \d+$|a queue of|out of range")
        for chip in ("tahiti", "bonaire", "juniper", "r580", "a630", "a750"):
            fields = re.findall(r"^(\S+): .*, an integer in (-?\d+)\.\.(-?\d+)", self.call("describe", chip, "--fields"), re.MULTILINE)
            self.assertGreater(len(fields), 30)
            settings = [f"{key}={end}" for key, *ends in fields for end in ends]
            # A delay's range is in the message, beside the key.
            delays = re.findall(r"^(\S+): .*, timing in cycles", self.call("describe", chip, "--fields"), re.MULTILINE)
            settings += [f"{key}.cycles=1000000" for key in delays]
            self.write("requests", "".join(json.dumps({"asic": chip, "set": [setting]}) + "\n" for setting in settings))
            for setting, line in zip(settings, self.call("check", "requests").splitlines()):
                with self.subTest(chip=chip, setting=setting):
                    for error in json.loads(line).get("errors", []):
                        if not error.startswith(f"--set: {setting.split('=')[0]}: 1000000 is out of range"):
                            self.assertNotRegex(error, alone)

    def test_a_missing_module_names_its_package(self):
        self.write("shadow/yaml.py", "raise ImportError('hidden')\n")
        self.write("x.yaml", "workload: saxpy.yaml\n")
        # The package's folder comes first, so the shadow goes in front of it through the interpreter's own option.
        done = subprocess.run(["/usr/bin/python3", "-B", "-c",
                               f"import sys; sys.path[:0] = ['{self.folder}/shadow', '{ROOT}/python']\n"
                               "from archipelago.__main__ import main\nsys.exit(main(['sweep', 'x.yaml']))"],
                              cwd=self.folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("needs the Python module yaml (hidden): install the Debian package python3-yaml", done.stderr)

    def test_a_page_needs_matplotlib_and_text_does_not(self):
        self.write("x.yaml", "workload: saxpy.yaml\n")
        self.call("sweep", "x.yaml", "--quiet")
        self.write("shadow/matplotlib.py", "raise ImportError('hidden')\n")
        hidden = {"PYTHONPATH": str(self.folder / "shadow")}
        self.assertIn("a page or a picture needs the Python module matplotlib (hidden): install the Debian package python3-matplotlib",
                      self.call("report", "x.sqlite", status=2, environment=hidden))
        self.assertFalse((self.folder / "x.html").exists())
        self.assertIn("Overview", self.call("report", "x.sqlite", "--text", environment=hidden))

    def test_numbers_that_mean_nothing_are_bad_usage_in_words(self):
        self.write("sweep.yaml", "workload: saxpy.yaml\n")
        for option, words in (("--jobs", ("sweep", "sweep.yaml")), ("--jobs", ("regress",)), ("--counters", ("regress",)),
                              ("--events", ("regress",)), ("--jobs", ("regress", "init")), ("--jobs", ("profile", "saxpy.yaml")),
                              ("--top", ("profile", "saxpy.yaml")), ("--series", ("profile", "saxpy.yaml")),
                              ("--count", ("tracediff", "a", "b"))):
            for number, why in (("-1", r"expected at least [01], got -1"), ("x", "expected a whole number, got x")):
                out = self.call(*words, option, number, status=2)
                self.assertRegex(out, f"error: argument {option}: {why}\n")
                self.assertNotIn("Traceback", out)
        self.assertIn("--jobs: expected at least 1, got 0", self.call("profile", "saxpy.yaml", "--jobs", "0", status=2))

    def test_the_python_subcommands_are_in_the_help_and_have_their_own(self):
        said = self.call("--help")
        from archipelago.__main__ import SUBCOMMANDS
        for name in SUBCOMMANDS:
            self.assertRegex(said, rf"\n  {name} ")
            words = ["rtl", "build"] if name == "rtl" else [name]  # the command has the others of rtl
            self.assertIn(f"usage: archipelago {' '.join(words)}", self.call(*words, "--help"))


if __name__ == "__main__":
    support.main(__doc__)
