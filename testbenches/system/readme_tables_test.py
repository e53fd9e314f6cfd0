#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/readme-tables names what it cannot read; scripts/readme-commands notices outputs that differ from a page.

    readme_tables_test.py ARCHIPELAGO
"""

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


class Chips(unittest.TestCase):
    def check(self, edit):
        """The script with a command whose list of chips is edited."""
        with tempfile.TemporaryDirectory(prefix="archipelago-readme-") as scratch:
            command = Path(scratch) / "archipelago"
            command.write_text(f'#!/bin/sh\n"{COMMAND}" "$@" | sed "{edit}"\n')
            command.chmod(0o755)
            return subprocess.run([sys.executable, "-B", suite.ROOT / "scripts" / "readme-tables", "--check",
                                   "--command", command], capture_output=True, text=True)

    def test_a_chip_it_cannot_read_is_named(self):
        done = self.check("s/32 CUs/32 units/")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "list: neither a chip with compute units nor a part of one: tahiti .*32 units")

    def test_a_chip_that_is_not_listed_makes_the_table_old(self):
        done = self.check("/  verde /d")
        self.assertEqual(done.returncode, 1)
        self.assertIn("STATUS.md is out of date", done.stderr)

    def test_every_chip_has_a_row(self):
        listed = subprocess.run([COMMAND, "list"], check=True, capture_output=True, text=True).stdout
        chips = re.search(r"^chips .*\n((?:  .*\n)+)", listed)[1]
        table = re.search(r"<!-- begin chips -->\n(.*?)<!-- end chips -->", (suite.ROOT / "STATUS.md").read_text(), re.S)[1]
        self.assertEqual(re.findall(r"^  (\w+) ", chips, re.M), re.findall(r"^\| (\w+) \|", table, re.M)[1:])


class Commands(unittest.TestCase):
    def check(self, block):
        """The status of scripts/readme-commands for a page of one block, and what it says."""
        with tempfile.TemporaryDirectory(prefix="archipelago-readme-") as scratch:
            page = Path(scratch) / "PAGE.md"
            page.write_text(f"# A page\n\n```console\n{block}```\n")
            done = subprocess.run([sys.executable, "-B", suite.ROOT / "scripts" / "readme-commands", "--page", page,
                                   "--command", COMMAND], capture_output=True, text=True)
            return done.returncode, done.stderr

    def test_outputs_as_shown_pass(self):
        self.assertEqual(self.check("$ printf 'a 1\\nb 2\\nc\\n'\na …\n…\nc\n$ true\n"), (0, ""))

    def test_a_different_line_is_named(self):
        status, said = self.check("$ printf 'a 1\\nb 2\\n'\na 1\nb 3\n")
        self.assertEqual(status, 1)
        self.assertIn("PAGE.md:3: printf 'a 1\\nb 2\\n': no line is as shown: b 3", said)

    def test_lines_that_are_not_shown_are_noticed(self):
        self.assertIn("it goes on after what is shown", self.check("$ printf 'a\\nb\\n'\na\n")[1])
        self.assertIn("no line is as shown: c", self.check("$ echo a\n…\nc\n")[1])

    def test_a_failing_command_is_an_error(self):
        self.assertIn("false: status 1", self.check("$ false\n")[1])

    def test_demo_runs_both_kernels_and_builds_nothing(self):
        self.assertEqual(self.check("$ scripts/demo\n…\n== saxpy…\n…\n  checks        1 of 1 passed\n…\n"
                                    "== matmul…\n…\n  checks        1 of 1 passed\n…\n"), (0, ""))


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
