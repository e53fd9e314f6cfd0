#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`archipelago list counters|timings|parameters|glossary`, and that every name has a meaning and every block a row in the glossary.

    finder_test.py ARCHIPELAGO
"""

import json
import re
import subprocess
import sys
import unittest

import suite
import yaml

COMMAND = None
GLOSSARY = yaml.safe_load((suite.ROOT / "configs" / "glossary.yaml").read_text())
CHIPS = sorted(path.stem for path in (suite.ROOT / "configs" / "asics").glob("*.yaml"))


def command(*words):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True)


def rows(what, *words, chip="tahiti"):
    """The columns of each row."""
    done = command("list", what, *words, "--asic", chip)
    assert done.returncode == 0, done.stderr
    return [re.split(r"  +", line, maxsplit=2) for line in done.stdout.splitlines()]


def names(what, *words, **options):
    return [row[0] for row in rows(what, *words, **options)]


def under(name, prefixes):
    return any(name == p or name.startswith(p + ".") for p in prefixes)


def of_glossary(key):
    return {name for row in GLOSSARY.values() for name in row.get(key, [])}


class Finder(unittest.TestCase):
    def test_all_words_must_be_there_in_the_name_or_the_meaning(self):
        self.assertEqual(names("counters", "l1", "hit"), ["se.sh.cu.l1.read_hits", "se.sh.cu.l1.write_hits"])
        self.assertIn("tcc.mshr_full_cycles", names("counters", "WAITED", "mshr"))

    def test_a_block_is_found_by_its_other_names(self):
        for name in ("L2", "tc l2", "TCC"):
            self.assertIn("tcc.hit_latency", names("timings", name))
            self.assertIn("tcc.read_hits", names("counters", name))

    def test_a_row_has_unit_or_value_and_source(self):
        self.assertIn(["tcc.read_hits", "requests", "reads answered from the cache"], rows("counters", "read_hits"))
        self.assertIn(["tcp.mshrs", "128", "MSHRs: lines being fetched; an integer in 1..1024"], rows("parameters", "mshrs"))
        found = command("list", "parameters", "tcp.mshrs", "--set", "tcp.mshrs=7").stdout
        self.assertRegex(found, r"^tcp\.mshrs +7 ")
        self.assertRegex(command("list", "timings", "valu_cycles.full").stdout, r"4 cycles .*\(source: guide, gcn\.valu32\.cycles\)")

    def test_what_is_not_there_is_refused_with_what_was_meant(self):
        for words, meant in ((("counters", "msrh"), "mshr"), (("countrs",), "counters"), (("parameters", "tcp.mshsr"), "tcp.mshrs")):
            done = command("list", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'(did you mean "{meant}"?)', done.stderr)

    def test_a_misspelt_option_is_answered_with_the_one_that_was_meant(self):
        for words, meant in ((("run", "x.yaml", "--tarce", "f"), "--trace"), (("run", "x.yaml", "--stat=f"), "--stats"),
                             (("rtl", "pins", "--jsno"), "--json"), (("profile", "x.yaml", "--what-fi"), "--what-if"),
                             (("regress", "run", "--junti", "f"), "--junit")):
            done = command(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'(did you mean "{meant}"?)', done.stderr)


class Meanings(unittest.TestCase):
    def test_every_counter_and_parameter_of_every_chip_has_one(self):
        for chip in CHIPS:
            for what in ("counters", "parameters", "timings"):
                for name, *rest in rows(what, chip=chip):
                    self.assertRegex(rest[-1], r"^\w.", f"{chip}: {name} has no meaning")


class Glossary(unittest.TestCase):
    def test_it_names_every_block(self):
        for chip in CHIPS:
            for name in names("counters", chip=chip):
                self.assertTrue(under(name, of_glossary("counters")), name)
            for name in names("parameters", chip=chip):
                if "." in name:  # not name, generation and product of the chip
                    self.assertTrue(under(name, of_glossary("parameters")), name)
        self.assertEqual(set(json.loads(command("rtl", "pins", "--json").stdout)), of_glossary("verilog"))

    def test_what_it_names_is_there(self):
        counters, parameters = ({name for chip in CHIPS for name in names(what, chip=chip)} for what in ("counters", "parameters"))
        for kind in of_glossary("counters"):
            self.assertTrue(any(under(name, [kind]) for name in counters), kind)
        for key in of_glossary("parameters"):
            self.assertTrue(any(under(name, [key]) for name in parameters), key)


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
