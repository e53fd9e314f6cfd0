#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A memory of 2^18 words that two nested loops fill becomes C++ in little time and little memory.

    build_test.py NINJA BUILD PREFIX

Runs the command that makes the C++ of PREFIX in the folder BUILD, with its results elsewhere.
"""

import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, program, take  # noqa: E402

NINJA, BUILD, PREFIX = take(__doc__, ninja=program, build=existing, prefix=str)
SECONDS = 10  # of a processor
MEGABYTES = 500


def main():
    every = subprocess.run([NINJA, "-C", BUILD, "-t", "commands"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    [command] = [line for line in every if f"PREFIX={PREFIX} " in line]
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = re.sub(r"FOLDER=\S+", f"FOLDER={folder}/verilated", command)
        subprocess.run(command, shell=True, check=True, cwd=BUILD)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        megabytes = after.ru_maxrss / 1024
        made = Path(folder, "verilated", PREFIX + "_fast.cpp").stat().st_size
    print(f"{seconds:.2f} s, {megabytes:.0f} MB")
    return 1 if seconds > SECONDS or megabytes > MEGABYTES or made == 0 else 0


sys.exit(main())
