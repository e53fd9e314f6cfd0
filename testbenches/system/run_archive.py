#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every workload of an unpacked archive of captures and names those that fail.

    run_archive.py DIRECTORY --command ARCHIPELAGO --mode MODE --count N [--jobs N]

`--count` is how many there must be: an archive unpacked in part is a failure, not a shorter test.
"""

import argparse
import sys

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("--command", type=program, required=True)
    parser.add_argument("--mode", choices=suite.MODES, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--jobs", type=int, default=suite.default_jobs())
    a = parser.parse_args()

    found = suite.archive(a.directory)
    if len(found) != a.count:
        print(f"{a.directory} has {len(found)} workloads, expected {a.count}")
        return 1
    results = suite.in_parallel(
        lambda w: suite.run(a.command, w, mode=a.mode, stats=False), found, a.jobs)
    failed = [(w, r) for w, r in zip(found, results) if r.status != suite.DONE]
    for workload, result in failed:
        print(f"{workload.name}: {suite.why(result)}")
    print(f"{len(found) - len(failed)} of {len(found)} workloads passed in {a.mode} mode")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
