# SPDX-License-Identifier: Apache-2.0
"""archipelago regress: compares what the workloads of a suite cost with its golden results, exactly.

    archipelago regress init *.yaml --asic tahiti       writes regress.yaml and the first golden results
    archipelago regress [run] [WORKLOAD...]             compares; a faster result differs, too
    archipelago regress rebase --reason "why"           accepts what is measured now as golden

A suite is a folder with a regress.yaml; this one, or that of --suite. A difference is shown with the counters that moved
most, the fields of the chip that changed, and the first event in which the timelines differ.
Exit status: 0 nothing differs, or rebased; 1 something differs, or a rebase is refused; 2 bad usage; 3 a workload failed to run,
also of `init` and `rebase`, which then make nothing."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from archipelago import command as cmd
from archipelago.errors import DONE, FAILED, Refused
from archipelago.options import OptionParser
from archipelago.outputs import answered_files, check_outputs
from archipelago.regress import suite
from archipelago.regress.formats import FORMATS, SUMMARY
from archipelago.regress.session import Session
from archipelago.whole_numbers import at_least


def add_forms(parser: argparse.ArgumentParser) -> None:
    """What is compared and how the outcome is shown."""
    parser.add_argument("-k", default="", metavar="EXPR", dest="chosen_by",
                        help='only workloads whose "chip/name" has these words: "tahiti and not (draws or saxpy)"')
    parser.add_argument("--format", choices=("text", *FORMATS), default="text", dest="form",
                        help=f"text (default), json, markdown, or github: an annotation for each difference, and Markdown for ${SUMMARY}")
    parser.add_argument("--durations", type=at_least(0), default=0, metavar="N", help="list the N workloads that took longest")
    parser.add_argument("--junit", default="", metavar="FILE", help="write the outcome as JUnit XML, too")


def parser_of() -> argparse.ArgumentParser:
    parser = OptionParser(prog="archipelago regress", description=__doc__,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="action")
    for name, what in (("init", "make a suite of workload files"), ("run", "compare (default)"),
                       ("rebase", "accept what is measured now as golden")):
        sub = commands.add_parser(name, help=what)
        sub.add_argument("workload", nargs="*", help="file or pattern" if name == "init" else "name or pattern; default: all")
        sub.add_argument("--suite", default=".", help="folder with regress.yaml (default: this one)")
        sub.add_argument("--jobs", type=at_least(1), default=len(os.sched_getaffinity(0)), help="runs at a time (default: all cores)")
        sub.add_argument("--counters", type=at_least(0), default=4, help="counters to show per workload (default: 4)")
        if name == "init":
            sub.add_argument("--asic", action="append", help="name or file (default: tahiti)")
        else:
            sub.add_argument("--against", default="", metavar="COMMAND",
                             help="an archipelago that makes the golden results, for timelines and fields that are not kept")
            sub.add_argument("--events", type=at_least(0), default=5, help="workloads to look for the first different event of")
            add_forms(sub)
        if name == "rebase":
            sub.add_argument("--reason", default="", help="the one cause, in a sentence; goes to CHANGES.md")
    return parser


def init(folder: Path, a: argparse.Namespace) -> int:
    """What it has made goes again when it fails, so that a second one may follow."""
    golden = folder / suite.GOLDEN
    before = set(golden.rglob("*"))
    was_there = golden.exists()
    path = suite.init(folder, a.workload or ["*.yaml"], a.asic or ["tahiti"])
    status = FAILED
    try:
        made, command = suite.UserSuite(path), cmd.find()
        made.check_chips(command)
        status = Session(made, command, a.jobs, reason="First results").run(rebasing=True)
    finally:
        if status != DONE:
            path.unlink()
            for left in sorted(set(golden.rglob("*")) - before, reverse=True):  # what is in a folder first
                left.rmdir() if left.is_dir() else left.unlink()
            if golden.exists() and not was_there:
                golden.rmdir()
    return status


def check_junit(made: suite.UserSuite, command: str, a: argparse.Namespace) -> None:
    """Nothing that the suite or one of its runs reads or writes is overwritten."""
    answers = cmd.check(command, [{"workload": case.job.workload, "asic": case.job.asic, "mode": case.job.mode, "reads": True}
                                  for target in made.targets() for case in made.cases(target)])
    kept = [path for path in made.golden.rglob("*") if path.is_file()]
    goldens = [made.golden / f"{target.name}.json" for target in made.targets()]
    check_outputs([("--junit", a.junit)], [*made.inputs, *kept, *goldens, a.against, *answered_files(answers, "reads")],
                  answered_files(answers, "outputs"))


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in ("init", "run", "rebase", "-h", "--help"):
        arguments = ["run", *arguments]
    a = parser_of().parse_args(arguments)
    folder = Path(a.suite)
    if a.action == "init":
        return init(folder, a)
    file = folder / suite.FILE
    if not os.path.lexists(file):
        raise Refused(f"{file}: no such file; `archipelago regress init` makes a suite, --suite names its folder")
    made, command = suite.UserSuite(file), cmd.find()
    made.check_chips(command)
    if a.junit:
        check_junit(made, command, a)
    session = Session(made, command, a.jobs, a.workload, a.counters, cmd.usable(a.against) if a.against else "", a.events,
                      a.junit, getattr(a, "reason", "").strip(), a.form, a.durations, a.chosen_by)
    return session.run(rebasing=a.action == "rebase")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
