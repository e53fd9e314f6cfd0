#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check-tidy takes files, folders, and what changed since a revision. It runs in a repository made up here, on a
stand-in for clang-tidy that prints the file it is given and objects to bad.cpp."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = {"a/one.h": "", "a/one.cpp": '#include "a/one.h"\n', "a/b/two.cpp": '#include "a/one.h"\n#include "a/lone.h"\n',
         "a/lone.h": "", "c/three.cpp": "", "c/bad.cpp": ""}
STAND_IN = '#!/bin/sh\nfor file; do :; done\necho "$file"\n[ "$(basename "$file")" != bad.cpp ]\n'


class CheckTidy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-tidy-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for name, text in FILES.items():
            self.write(name, text)
        self.write("bin/clang-tidy", STAND_IN).chmod(0o755)
        self.write("bin/cmake", "#!/bin/sh\n").chmod(0o755)
        shutil.copy(ROOT / "scripts" / "check-tidy", self.write("scripts/check-tidy", ""))
        (self.folder / "scripts" / "check-tidy").chmod(0o755)
        self.write("build/tidy/compile_commands.json", "".join(f'"/{name}"\n' for name in FILES))
        self.git("init", "-q")
        self.git("add", "a", "c")
        self.git("commit", "-q", "-m", "first")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.folder), "-c", "user.name=x", "-c", "user.email=x@x", *words], check=True)

    def tidy(self, *words):
        done = subprocess.run([str(self.folder / "scripts" / "check-tidy"), *words], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"})
        return done.returncode, sorted(done.stdout.split())

    def test_everything_and_what_fails(self):
        status, files = self.tidy()
        self.assertNotEqual(status, 0)
        self.assertEqual(files, ["a/b/two.cpp", "a/one.cpp", "c/bad.cpp", "c/three.cpp"])

    def test_files_and_folders(self):
        self.assertEqual(self.tidy("a", "c/three.cpp"), (0, ["a/b/two.cpp", "a/one.cpp", "c/three.cpp"]))
        self.assertNotEqual(self.tidy("c")[0], 0)

    def test_what_changed_since_a_revision(self):
        self.assertEqual(self.tidy("--since", "HEAD"), (0, []))
        self.write("c/three.cpp", "int x;\n")
        self.write("a/one.h", "int y;\n")  # through the source of its name
        self.assertEqual(self.tidy("--since", "HEAD"), (0, ["a/one.cpp", "c/three.cpp"]))
        self.assertEqual(self.tidy("--since", "HEAD", "a"), (0, ["a/one.cpp"]))
        self.git("commit", "-q", "-a", "-m", "second")
        self.write("a/lone.h", "int z;\n")  # through one that includes it
        self.assertEqual(self.tidy("--since", "HEAD"), (0, ["a/b/two.cpp"]))
        self.assertEqual(self.tidy("--since", "HEAD~1"), (0, ["a/b/two.cpp", "a/one.cpp", "c/three.cpp"]))

    def test_comments_alone_are_no_change(self):
        self.write("c/three.cpp", "// What it does.\n\n  // None of it.\n")
        self.write("a/one.h", "// NOLINTNEXTLINE\n")
        self.assertEqual(self.tidy("--since", "HEAD"), (0, ["a/one.cpp"]))
        self.write("c/three.cpp", "// What it does.\nint x;  // N\n")
        self.assertEqual(self.tidy("--since", "HEAD"), (0, ["a/one.cpp", "c/three.cpp"]))

    def test_bad_usage(self):
        self.assertEqual(self.tidy("--since", "nowhere")[0], 2)
        self.assertEqual(self.tidy("--sinse", "HEAD")[0], 2)
        self.assertNotEqual(self.tidy("--since")[0], 0)


if __name__ == "__main__":
    unittest.main()
