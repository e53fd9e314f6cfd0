#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts find a command that is named by a relative path, and tell in words what they do not understand."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
import arguments  # noqa: E402

BAD_INPUT = Path(__file__).resolve().parent / "bad_input" / "bad_input.py"


def script(*words, folder="."):
    return subprocess.run([sys.executable, "-B", *map(str, words)], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Arguments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="archipelago-arguments-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def make(self, text):
        path = self.folder / "bin" / "program"
        path.parent.mkdir()
        path.write_text(text)
        path.chmod(0o755)

    def test_a_case_runs_the_command_of_a_relative_path_though_it_runs_elsewhere(self):
        self.make("#!/bin/sh\necho the program; exit 9\n")
        done = script(BAD_INPUT, "--command", "bin/program", "--exact", "command_line.no_subcommand",
                      folder=self.folder)
        self.assertIn("| the program", done.stdout)
        self.assertIn("exit status 9, expected 2", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_a_program_that_is_not_there_is_told_in_words(self):
        (self.folder / "text").write_text("no program")
        for name in ("nowhere", "./nowhere/program", "./text", "."):
            done = script(BAD_INPUT, "--command", name, folder=self.folder)
            self.assertIn(f"argument --command: no program {name}", done.stdout)
            self.assertNotIn("Traceback", done.stdout)
            self.assertEqual(done.returncode, 2)

    def test_a_program_in_the_path_is_found_by_its_name(self):
        self.assertEqual(os.path.basename(arguments.program("sh")), "sh")
        self.assertTrue(os.path.isabs(arguments.program("sh")))

    def test_a_default_that_is_not_built_is_missed_only_by_what_runs_it(self):
        (self.folder / "default.py").write_text(
            "import argparse, pathlib, sys\n"
            f"sys.path.insert(0, {str(suite.ROOT / 'testbenches' / 'support')!r})\n"
            "from arguments import program, runnable\n"
            "parser = argparse.ArgumentParser()\n"
            "parser.add_argument('--command', type=program, default=pathlib.Path('nowhere'))\n"
            "parser.add_argument('--run', action='store_true')\n"
            "a = parser.parse_args()\n"
            "print('ran ' + runnable(parser, a.command) if a.run else 'nothing run')\n")
        done = script("default.py", folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "nothing run\n"))
        done = script("default.py", "--run", folder=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("argument --command: no program nowhere", done.stdout)
        self.make("")
        done = script("default.py", "--run", "--command", "bin/program", folder=self.folder)
        self.assertEqual(done.stdout, f"ran {os.path.realpath(self.folder / 'bin' / 'program')}\n")

    def test_positional_arguments_are_taken_and_the_rest_is_left(self):
        (self.folder / "take.py").write_text(
            f"import sys\nsys.path.insert(0, {str(suite.ROOT / 'testbenches' / 'support')!r})\n"
            "from arguments import existing, take\n"
            "print(take('what it is for', number=int, file=existing), sys.argv[1:])\n")
        done = script("take.py", "5", "take.py", "--verbose", "Name", folder=self.folder)
        path = os.path.realpath(self.folder / "take.py")
        self.assertEqual(done.stdout, f"[5, {path!r}] ['--verbose', 'Name']\n")
        for words, status, said in (
                (["--help"], 0, "what it is for"),
                (["5"], 2, "the following arguments are required: file"),
                (["five", "take.py"], 2, "invalid int value: 'five'"),
                (["5", "nowhere"], 2, "argument file: nowhere does not exist")):
            done = script("take.py", *words, folder=self.folder)
            self.assertIn(said, done.stdout)
            self.assertEqual(done.returncode, status)


if __name__ == "__main__":
    unittest.main()
