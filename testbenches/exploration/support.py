# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "testbenches" / "support")]
sys.dont_write_bytecode = True

WORKLOADS = ROOT / "testbenches" / "workloads"
CODE = ROOT / "testbenches" / "golden" / "code"

# A kernel workload of its own, small, with a code object: no test here waits for a compiler.
SAXPY = """\
kernel:
  code: saxpy.hsaco
  name: saxpy
  global_size: [{size}, 1, 1]
  local_size: [64, 1, 1]
  args:
    - buffer: {{random: {{type: f32, count: {size}, seed: 1}}}}
    - buffer: {{random: {{type: f32, count: {size}, seed: 2}}}}
    - f32: 2.0
"""
# Ends with exit status 1.
WRONG = """\
memory:
  - {address: 0x200000, size: 4096, fill: 0}
expect:
  - {address: 0x200000, words: [1]}
"""
HANGS = """\
memory:
  - {address: 0x200000, size: 4096, fill: 0}
steps:
  - {ring: compute0, words: [0xC0053C00, 0x13, 0x200000, 0, 7, 0xffffffff, 4]}
  - {wait: compute0}
"""


class InFolder(unittest.TestCase):
    """Each test in a folder of its own, with the command under test."""
    COMMAND = ""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="archipelago-exploration-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        shutil.copy(CODE / "saxpy.hsaco", self.folder)
        self.write("saxpy.yaml", SAXPY.format(size=256))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(self, *words, command=None, environment=None, **options):
        return subprocess.Popen([command or self.COMMAND, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})}, **options)

    def call(self, *words, status=0, **options):
        process = self.start(*words, **options)
        out, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, status, out)
        return out

    def stand_in(self, name, before_run):
        """A command that does something of its own before `run`."""
        path = self.write(name, f'#!/bin/sh\nif [ "$1" = run ]; then\n{before_run}\nfi\nexec {self.COMMAND} "$@"\n')
        path.chmod(0o755)
        return path

    def python_command(self, command):
        """The package with another command under it."""
        path = self.write("with_" + command.name, "#!/bin/sh\n"
                          f"ARCHIPELAGO_COMMAND={command} PYTHONPATH={ROOT}/python exec /usr/bin/python3 -B "
                          '-m archipelago "$@"\n')
        path.chmod(0o755)
        return path

    def held_command(self, runs):
        """A command whose runs after so many wait while the file `hold` is there, or until their parent has gone."""
        return self.stand_in("held", f"""\
    echo >> started
    while [ -e hold ] && [ "$(wc -l < started)" -gt {runs} ]; do
        kill -0 $PPID 2>/dev/null || exit 1
        sleep 0.05
    done""")

    def wait_until(self, holds, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.02)


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.communicate()


def main(doc, *classes):
    """SCRIPT ARCHIPELAGO [unittest arguments]"""
    from arguments import program, take
    [InFolder.COMMAND] = take(doc, archipelago=program)
    # The package's own calls use it, too.
    os.environ["ARCHIPELAGO_COMMAND"] = InFolder.COMMAND
    unittest.main(module="__main__")
