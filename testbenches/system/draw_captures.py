#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the recorded draws of drivers: every result must be in the tolerance that its file states.

    draw_captures.py ARCHIVE --command ARCHIPELAGO --count N [--mode MODE]... [--jobs N] [NAME...]

Without NAMEs, captures that measure the speed of functional mode do not run in cycle mode.
"""

import argparse
import sys
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program  # noqa: E402


# Millions of pixels.
OF_SPEED = ("speed_fill", "speed_tris")
# What a capture fails with, and why that is right.
REFERENCE_AT_FAULT = {
    # Row 39 lies outside the viewport scissor of the second draw, which begins at row 40, and must stay as it is. The
    # rasteriser that made the reference tests the scissor at sample positions, and so covers two of four samples there.
    "vk_msaa4": "(28 of 16384 differ)",
}


def is_right(capture, result):
    known = REFERENCE_AT_FAULT.get(capture.name)
    if known is None:
        return result.status == suite.DONE
    return result.status == suite.EXPECTATION_FAILED and known in result.output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", help="folder with a folder for each capture")
    parser.add_argument("name", nargs="*", help="captures to run; all without any")
    parser.add_argument("--command", type=program, required=True)
    parser.add_argument("--count", type=int, required=True, help="how many captures there must be")
    parser.add_argument("--mode", action="append", choices=suite.MODES)
    parser.add_argument("--jobs", type=int, default=suite.default_jobs())
    a = parser.parse_args()
    captures = suite.archive(a.archive)
    if len(captures) != a.count:
        print(f"{len(captures)} captures, expected {a.count}")
        return 1
    unknown = set(a.name) - {c.name for c in captures}
    if unknown:
        parser.error(f"no such capture: {', '.join(sorted(unknown))}")
    runs = [(c, mode) for mode in a.mode or suite.MODES for c in captures
            if (c.name in a.name if a.name else mode == "functional" or c.name not in OF_SPEED)]
    results = suite.in_parallel(lambda r: suite.run(a.command, r[0], mode=r[1], stats=False), runs, a.jobs)
    wrong = [(c, mode, r) for (c, mode), r in zip(runs, results) if not is_right(c, r)]
    for capture, mode, result in wrong:
        print(f"{capture.name} in {mode} mode: {suite.why(result)}")
    print(f"{len(runs) - len(wrong)} of {len(runs)} runs right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
