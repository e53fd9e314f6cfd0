# SPDX-License-Identifier: Apache-2.0
"""What `import archipelago` offers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from archipelago import command as cmd
from archipelago import job
from archipelago.database import Database, definition, kinds_of
from archipelago.errors import Refused, needs
from archipelago.metrics import Metrics, base_unit, numeric
from archipelago.yaml_file import did_you_mean

if TYPE_CHECKING:
    import pandas

PathLike = Union[str, Path]
FRAMES = "results as data frames"  # what pandas is for
# Columns of `runs` and their units.
_UNITS = {"cycles": "cycles", "sim_seconds": "s", "wave_instructions": "instructions"}


class RunFailed(Exception):
    """A run that met an expectation not, stopped or was ended. `outcome` has its status and report."""

    def __init__(self, outcome: job.Outcome):
        super().__init__(f"{outcome.status}: {outcome.report.strip()}")
        self.outcome = outcome


class Run:
    """The statistics of one run; attributes by the names the statistics have (`cycles`, `units`, `kernel_totals`, …)."""

    def __init__(self, stats: dict[str, Any]):
        self.stats = stats

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["stats"][name]
        except KeyError:
            raise AttributeError(f"the statistics have no {name}") from None

    def total(self, kind: str, counter: str) -> int:
        """A counter, summed over the units of a kind (`tcc`, `se.sh.cu.l1` or `l1`). KeyError: none has it."""
        kinds = kinds_of(self.units)
        found = [counts[counter] for unit, counts in self.units.items() if counter in counts
                 and (kinds[unit] == kind or kinds[unit].endswith("." + kind))]
        if not found:
            raise KeyError(f"{kind}.{counter}")
        return sum(found)

    def counters(self) -> "pandas.DataFrame":
        """Every counter of every unit, a row each: unit, kind, counter, value, what it counts (`measure`) and its meaning."""
        pandas = needs("pandas", FRAMES)
        kinds = kinds_of(self.units)
        rows = [(unit, kinds[unit], name, value, *definition(self.stats.get("definitions", {}), unit, kinds[unit], name))
                for unit, counts in self.units.items() for name, value in counts.items()]
        return pandas.DataFrame(rows, columns=["unit", "kind", "counter", "value", "measure", "meaning"])


def run(workload: PathLike, asic: PathLike = "", set: Optional[Mapping[str, Any]] = None,  # pylint: disable=redefined-builtin
        mode: str = "cycle", seed: int = 0, code: PathLike = "", options: tuple[str, ...] = (),
        timeout: Optional[float] = None, command: str = "") -> Run:
    """Runs a workload in a process of its own. Raises RunFailed for what is not done as expected."""
    assignments = tuple(f"{path}={value}" for path, value in (set or {}).items())
    outcome = job.run(command or cmd.find(), job.Job(os.fspath(workload), os.fspath(asic), assignments, mode, seed,
                                                     os.fspath(code), options, timeout))
    if outcome.status != job.DONE:
        raise RunFailed(outcome)
    return Run(json.loads(outcome.stats))


class Sweep:
    """A sweep whose keys are those of a sweep file: Sweep(workload=…, parameters={…}, sample={…}). Paths are relative to
    `folder`. Raises Refused with every fault of them."""

    def __init__(self, folder: PathLike = ".", **keys: Any):
        yaml = needs("yaml", "a sweep")
        self.folder = Path(folder)
        self.text: str = yaml.safe_dump(keys, sort_keys=False, default_flow_style=None)

    def run(self, database: PathLike, jobs: Optional[int] = None, cluster: str = "", quiet: bool = True) -> "Results":
        """Runs what the database does not know yet; failed points are in the results with their reports."""
        from archipelago.sweep import cli, executors, file
        made = cli.make_plan(file.read_text(self.text, self.folder), os.fspath(database))
        workers = jobs or len(os.sched_getaffinity(0))
        executor = executors.make(cluster, made.command, workers, Path(f"{os.fspath(database)}.slurm"))
        with Database(database, create=True) as results:
            cli.run(made, results, executor, quiet)
        return load(database)


class Results:
    """The database of a sweep as pandas has it. Frames name the unit of each column in `attrs["units"]`; also a context manager."""

    def __init__(self, database: Database):
        self.database = database

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def query(self, sql: str) -> "pandas.DataFrame":
        """Any query of the tables and views that README.md and the database itself describe."""
        pandas = needs("pandas", FRAMES)
        with self.database.faults():
            return pandas.read_sql_query(sql, self.database.connection)

    @property
    def runs(self) -> "pandas.DataFrame":
        """A row per point: workload, chip, parameters as written, status, cycles, hashes."""
        frame = self.query("SELECT * FROM runs ORDER BY point").set_index("point")
        frame.attrs["units"] = dict(_UNITS)
        return frame

    @property
    def parameters(self) -> "pandas.DataFrame":
        """The parameters of every point as numbers, frequencies in Hz and sizes in bytes; words stay as written. NaN: the chip's own."""
        pandas = needs("pandas", FRAMES)
        rows = self.database.rows("SELECT point, name, value FROM parameters")
        names = list(dict.fromkeys(name for _, name, _ in rows))
        points = [p for p, in self.database.rows("SELECT point FROM points ORDER BY point")]
        columns, units = {}, {}
        for name in names:
            written = {point: value for point, of, value in rows if of == name}
            numbers = {point: numeric(value) for point, value in written.items()}
            is_number = None not in numbers.values()
            columns[name] = pandas.Series(numbers if is_number else written, index=points)
            units[name] = base_unit(name, list(written.values())) if is_number else ""
        frame = pandas.DataFrame(columns, index=pandas.Index(points, name="point"))
        frame.attrs["units"] = units
        return frame

    @property
    def kernels(self) -> "pandas.DataFrame":
        """A row per point and kernel: dispatches, and the cycles in which they had waves."""
        frame = self.query("SELECT point, kernel, stage, dispatches, cycles FROM kernel_totals ORDER BY point").set_index(["point", "kernel"])
        frame.attrs["units"] = {"dispatches": "dispatches", "cycles": "cycles"}
        return frame

    @property
    def units(self) -> "pandas.DataFrame":
        """Unit (`measure`) and meaning of each counter, indexed by `kind.counter`."""
        return self.query("SELECT DISTINCT kind || '.' || name AS name, measure, meaning FROM counters ORDER BY 1").set_index("name")

    def totals(self, *counters: str) -> "pandas.DataFrame":
        """Counters summed over the units of each kind, a column `kind.counter` each, indexed by point; all of them, or
        those named: `tcc.read_hits`, or `read_hits` of every kind that has it. Refused: no unit has one that is named."""
        long = self.query("SELECT point, kind || '.' || counter AS name, value, measure FROM totals")
        known = list(dict.fromkeys(long["name"]))
        for counter in counters:
            if known and not any(name == counter or name.endswith("." + counter) for name in known):
                raise _no_counter(counter, known)
        if counters:
            wanted = long["name"].apply(lambda name: any(name == c or name.endswith("." + c) for c in counters))
            long = long[wanted]
        frame = long.pivot(index="point", columns="name", values="value")
        frame.attrs["units"] = dict(zip(long["name"], long["measure"]))
        return frame

    def by_unit(self, counter: str) -> "pandas.DataFrame":
        """One counter of every unit that has it: a column per unit, indexed by point. Refused: no unit has it."""
        pandas = needs("pandas", FRAMES)
        with self.database.faults():
            long = pandas.read_sql_query("SELECT point, unit, value, measure FROM values_by_unit WHERE counter = ?",
                                         self.database.connection, params=(counter,))
        if long.empty:
            known = [name for name, in self.database.rows("SELECT DISTINCT counter FROM values_by_unit ORDER BY counter")]
            if known:
                raise _no_counter(counter, known)
        frame = long.pivot(index="point", columns="unit", values="value")
        frame.attrs["units"] = dict(zip(long["unit"], long["measure"]))
        return frame

    def section(self, point: int, name: str) -> Any:
        """A part of the statistics that is no counter: instructions, attribution, kernels, series, …"""
        rows = self.database.rows("SELECT json FROM sections JOIN results USING (result) JOIN points USING (key) "
                                  "WHERE point = ? AND sections.name = ?", (point, name))
        return json.loads(rows[0][0]) if rows else None

    def metric(self, name: str, weights: PathLike = "") -> "pandas.Series":
        """A metric of every point that has a result: `kernel.cycles`, `cycles`, a counter's total, or one of a weights file.
        Refused: no point has it."""
        pandas = needs("pandas", FRAMES)
        metrics = Metrics(self.database, os.fspath(weights))
        done = [p for p, in self.database.rows("SELECT point FROM runs WHERE status = 'done' ORDER BY point")]
        values = [metrics.value(p, name) for p in done]
        if done and all(value is None for value in values):
            raise _no_counter(name, [*metrics.of_kernels(), *metrics.examples(), *metrics.counters()])
        series = pandas.Series(values, index=pandas.Index(done, name="point"), name=name)
        series.attrs["units"] = {name: metrics.unit(name)}
        return series

    def close(self) -> None:
        """Closes the database; frames stay."""
        self.database.close()


def _no_counter(name: str, known: Sequence[str]) -> Refused:
    return Refused(f"no counter is called {name}" + did_you_mean(name, known))


def load(database: PathLike) -> Results:
    """The results of a sweep, while it is running, too. Refused: no such database."""
    return Results(Database(database))


__all__ = ["Refused", "Results", "Run", "RunFailed", "Sweep", "load", "run"]
