# SPDX-License-Identifier: Apache-2.0
"""archipelago sweep SWEEP.yaml: runs the points of a design space into a database.

Start it again to continue: points with results are not run again, failed ones are. Exit status: 0 all points are done or invalid,
1 some failed, 2 bad input or a file that cannot be written."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Sequence

from archipelago import command as cmd
from archipelago.database import Database
from archipelago.errors import DONE, FAILED, Refused
from archipelago.export import write_csv
from archipelago.options import OptionParser
from archipelago.outputs import answered_files, check_outputs
from archipelago.sweep import driver, executors, file, plan, search
from archipelago.whole_numbers import at_least


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = OptionParser(prog="archipelago sweep", description=__doc__,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sweep", help="sweep file (YAML)")
    parser.add_argument("--database", help="default: the sweep file's name with .sqlite, in this folder")
    parser.add_argument("--csv", help="write all results there, too, every counter a column")
    parser.add_argument("--by", choices=("unit", "kind", "kernel"), help="columns of --csv (default: unit); kernel: a row for each dispatch")
    parser.add_argument("--jobs", type=at_least(1), default=len(os.sched_getaffinity(0)),
                        help="runs at a time on this machine (default: all cores)")
    parser.add_argument("--cluster", default="", help="dask://HOST:PORT, or slurm")
    parser.add_argument("--check", action="store_true", help="check the file, count the points, run nothing")
    parser.add_argument("--dump", action="store_true", help="print the results that do not depend on the host, for comparison")
    parser.add_argument("--quiet", action="store_true", help="no progress, failures only")
    a = parser.parse_args(arguments)
    if a.by and not a.csv:
        parser.error("--by: the columns of --csv, which is not given")
    if a.csv and (a.check or a.dump):
        parser.error(f"--csv: {'--check runs' if a.check else '--dump writes'} nothing")
    a.by = a.by or "unit"
    a.database = a.database or Path(a.sweep).stem + ".sqlite"
    return a


def describe(made: plan.Plan) -> str:
    valid = [p for p in made.points if not p.invalid]
    distinct = len({p.key for p in valid})
    equal = f", {len(valid) - distinct} equal to others" if distinct != len(valid) else ""
    return f"{len(made.points)} points: {len(valid)} valid{equal}, {len(made.points) - len(valid)} invalid combinations"


def main(arguments: list[str]) -> int:
    a = parse(arguments)
    if a.dump:
        with Database(a.database) as database:
            for line in database.canonical():
                print(line)
        return DONE
    with leaving_nothing(a.database):
        made = make_plan(file.read(a.sweep), a.database, a.csv or "", [a.sweep])
        if a.check:
            print(describe(made) if not made.file.search else f"a search of {made.file.search.trials} trials")
            return DONE
        executor = executors.make(a.cluster, made.command, a.jobs, Path(f"{a.database}.slurm"))
        opened = Database(a.database, create=True)
    with opened as database:
        try:
            summary = run(made, database, executor, a.quiet)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{a.database} has the results so far, and the same command continues") from None
        if a.csv:
            write_csv(database, a.csv, a.by)
        if not a.quiet:
            print(f"{describe(made)}\n{summary.ran} runs, {summary.known} results were known; {a.database}")
        return report_failures(made, summary)


@contextmanager
def leaving_nothing(database: str) -> Iterator[None]:
    """What a sweep that is refused has made goes again."""
    new = [path for path in (database, f"{database}.code", f"{database}.slurm") if not os.path.lexists(path)]
    try:
        yield
    except Refused:
        for path in new:
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            elif os.path.lexists(path):
                os.unlink(path)
        raise


def make_plan(swept: file.SweepFile, database: str, csv: str = "", read: Sequence[str] = ()) -> plan.Plan:
    """The points, once it is known that no output overwrites what is read or another output."""
    outputs = [("--database", database), ("--database", f"{database}.lock"), ("--csv", csv)]
    # Compiled kernels are written when the points are made: what the file names is looked at before.
    check_outputs(outputs, [*read, *swept.named_files()])
    made = plan.make(swept, cmd.find(), Path(f"{database}.code"))
    common = [a for setting in swept.common for a in setting.assignments]
    requests = [{"workload": w.value, "asic": c.value, "set": common, "reads": True}
                for w in swept.workloads for c in swept.asics]
    # Other options may include other headers.
    compiled = {(p.workload.value, p.options): made.request(p) for p in made.points if p.options}
    requests += [{**request, "reads": True} for request in compiled.values()]
    answers = cmd.check(made.command, requests)
    check_outputs(outputs, [*made.inputs, *answered_files(answers, "reads")], made.dumps)
    return made


def run(made: plan.Plan, database: Database, executor: executors.Executor, quiet: bool) -> driver.Summary:
    database.hold()
    database.begin_sweep(made.file.name, made.file.text, made.file.parameter_names(), made.file.facts(), made.names)
    drive = driver.Driver(made, database, executor, quiet)
    if made.file.search:
        search.run(made, database, drive)
    else:
        database.add_points(made.points)
        drive.run(made.points)
    database.put_fields(fields_of_chips(made))
    return drive.summary


def fields_of_chips(made: plan.Plan) -> dict[str, dict[str, str]]:
    """By name; without a chip that only a workload names and that is no known one."""
    common = [a for setting in made.file.common for a in setting.assignments]
    described = {p.chip: p.asic.value or p.chip for p in made.points if not p.invalid}
    answers = cmd.check(made.command, [{"asic": chip} for chip in described.values()])
    return {name: cmd.fields_of(made.command, chip, common) for (name, chip), answer in zip(described.items(), answers)
            if "errors" not in answer}


def report_failures(made: plan.Plan, summary: driver.Summary) -> int:
    for number, point in enumerate(made.points):
        outcome = summary.failures.get(point.key)
        if outcome:
            first = next((line for line in outcome.report.splitlines() if line.strip()), "")
            print(f"point {number} ({point.workload.label} {' '.join(point.set)}): {outcome.status}: {first}", file=sys.stderr)
    return FAILED if summary.failures else DONE

