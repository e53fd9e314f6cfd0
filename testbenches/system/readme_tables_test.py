#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/readme-tables: what it cannot read it names.

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
        self.assertIn("README.md is out of date", done.stderr)

    def test_every_chip_has_a_row(self):
        listed = subprocess.run([COMMAND, "list"], check=True, capture_output=True, text=True).stdout
        chips = re.search(r"^chips .*\n((?:  .*\n)+)", listed)[1]
        table = re.search(r"<!-- begin chips -->\n(.*?)<!-- end chips -->", (suite.ROOT / "README.md").read_text(), re.S)[1]
        self.assertEqual(re.findall(r"^  (\w+) ", chips, re.M), re.findall(r"^\| (\w+) \|", table, re.M)[1:])


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
