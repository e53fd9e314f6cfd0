#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Feeds the command everything it must refuse, and checks status and message of each refusal.

    bad_input.py --list                          names of all cases
    bad_input.py --command PATH [NAME ...]       runs all, or those whose name starts so
"""
import argparse
import concurrent.futures
import importlib
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "support"))
from arguments import program  # noqa: E402

TOPICS = ("packets", "shaders", "dispatch", "code_objects", "catalyst", "workloads", "chips", "maps",
          "command_line", "hangs", "dma", "ctm", "adreno", "spaces")


def all_cases():
    cases = []
    for topic in TOPICS:
        cases += importlib.import_module(f"cases_{topic}").CASES
    names = [case.name for case in cases]
    doubles = {name for name in names if names.count(name) > 1}
    if doubles:
        sys.exit(f"two cases with one name: {', '.join(sorted(doubles))}")
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the names of all cases")
    parser.add_argument("--command", type=program, help="the archipelago command to test")
    parser.add_argument("--exact", action="store_true", help="names are whole names")
    parser.add_argument("--jobs", type=int, default=1, help="cases at the same time")
    parser.add_argument("--show", action="store_true", help="print what the command says")
    parser.add_argument("names", nargs="*", help="cases, by the beginning of their name")
    arguments = parser.parse_args()

    cases = all_cases()
    if arguments.list:
        print("\n".join(case.name for case in cases))
        return 0
    if not arguments.command:
        parser.error("--command is needed")
    if arguments.names:
        for name in arguments.names:
            if not any(c.name == name or (not arguments.exact and c.name.startswith(name))
                       for c in cases):
                parser.error(f"no case is called {name}")
        cases = [c for c in cases
                 if any(c.name == n or (not arguments.exact and c.name.startswith(n))
                        for n in arguments.names)]

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, (problems, output) in zip(
                cases, pool.map(lambda case: case.run(arguments.command), cases)):
            if problems or arguments.show:
                print(f"{'FAILED' if problems else 'ok'} {case.name}: {' '.join(case.arguments)}")
                for problem in problems:
                    print(f"    {problem}")
                print("".join(f"    | {line}\n" for line in output.splitlines()), end="")
            failed += bool(problems)
    print(f"{len(cases) - failed} of {len(cases)} cases hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
