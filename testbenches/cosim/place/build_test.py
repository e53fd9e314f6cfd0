#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`archipelago rtl build`: what an earlier build, a moved folder, or another build at the same time leave, does not matter.

    build_test.py COMMAND
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import program, take  # noqa: E402

COMMAND, = take(__doc__, command=program)
HERE = Path(__file__).resolve().parent


def start(description, **environment):
    return subprocess.Popen([COMMAND, "rtl", "build", description.name, "-O", "0"], cwd=description.parent, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment})


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "a folder"
        self.folder.mkdir()
        for name in ("slow_lane.yaml", "own_lane.sv"):
            shutil.copy(HERE / name, self.folder)
        self.description = self.folder / "slow_lane.yaml"

    def check(self, build):
        said = build.communicate()[0]
        self.assertEqual(build.returncode, 0, said)
        self.assertEqual(said, "slow_lane.so is built\n")

    def test_two_at_once(self):
        for build in [start(self.description), start(self.description)]:
            self.check(build)

    def test_behind_a_tool_that_fails_and_in_another_folder(self):
        for tool in ("cmake", "ninja"):
            tools = self.folder / tool
            tools.mkdir()
            (tools / tool).write_text("#!/bin/sh\nexit 1\n")
            (tools / tool).chmod(0o755)
            build = start(self.description, PATH=f"{tools}:{os.environ['PATH']}")
            said = build.communicate()[0]
            self.assertEqual(build.returncode, 2, said)
            self.assertIn(tool, said)
            shutil.rmtree(tools)
        self.check(start(self.description))
        self.check(start(self.folder.rename(self.folder.with_name("moved")) / "slow_lane.yaml"))


unittest.main(argv=sys.argv[:1])
