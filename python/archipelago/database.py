# SPDX-License-Identifier: Apache-2.0
"""Results in one SQLite file. Only the driver writes it; whatever ends the driver, it holds whole results.

Everything but the table `attempts` follows from the points alone: two sweeps of the same points have the same
canonical() text, on whatever machines and in whatever order they ran.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Iterable, Iterator, Mapping, Optional, Union

from archipelago.errors import Refused
from archipelago.files import need_plain
from archipelago.job import DONE, Outcome

SCHEMA_VERSION = 1

SCHEMA = """
-- schema: SCHEMA_VERSION; sweep: the text of the last sweep file; file: its name; title, question and same_work: its keys, if it has them.
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);

-- One row per distinct run. key: of configuration, workload, command and options; equal keys, equal results.
CREATE TABLE results (
    result INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    config_hash TEXT NOT NULL,      -- of the resolved description of the chip
    workload_hash TEXT NOT NULL,    -- of the workload and every file it reads
    version TEXT NOT NULL,          -- of the command
    asic TEXT NOT NULL,             -- name in the description
    mode TEXT NOT NULL,
    seed INTEGER NOT NULL,
    status TEXT NOT NULL,           -- done, expectation failed, stopped, bad input, crashed, timeout, lost
    exit_status INTEGER,
    report TEXT NOT NULL,           -- what the run said
    cycles INTEGER,                 -- NULL, as the seconds, where the mode has no time
    sim_seconds REAL,
    wave_instructions INTEGER);

-- The points of the last sweep file, in its order.
CREATE TABLE points (
    point INTEGER PRIMARY KEY,
    workload TEXT NOT NULL,         -- as written in the sweep file
    asic TEXT NOT NULL,             -- likewise; empty: the workload's own
    mode TEXT NOT NULL,
    seed INTEGER NOT NULL,
    settings TEXT NOT NULL,         -- every override, a JSON list of PATH=VALUE
    key TEXT,                       -- of results; NULL: invalid
    invalid TEXT);                  -- why the combination is

CREATE TABLE parameters (
    point INTEGER NOT NULL REFERENCES points,
    name TEXT NOT NULL,             -- key of the chip's description, or of a variant
    value,                          -- INTEGER, REAL, or TEXT as written ("925 MHz")
    PRIMARY KEY (point, name)) WITHOUT ROWID;

-- Every counter there is, by hierarchical name of its unit.
CREATE TABLE counters (
    counter INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,             -- se0.sh1.cu3.l1
    kind TEXT NOT NULL,             -- the same without numbers: se.sh.cu.l1
    name TEXT NOT NULL,
    measure TEXT NOT NULL,          -- cycles, bytes, ...
    meaning TEXT NOT NULL,
    UNIQUE (unit, name));

CREATE TABLE counts (
    result INTEGER NOT NULL REFERENCES results,
    counter INTEGER NOT NULL REFERENCES counters,
    value INTEGER NOT NULL,
    PRIMARY KEY (result, counter)) WITHOUT ROWID;

-- The other parts of the statistics, as JSON: instructions, attribution, kernels, series, warnings, ...
CREATE TABLE sections (
    result INTEGER NOT NULL REFERENCES results,
    name TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (result, name)) WITHOUT ROWID;

-- What running them took. The only table that tells one machine or day from another.
CREATE TABLE attempts (
    attempt INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    started TEXT NOT NULL,          -- UTC
    host TEXT NOT NULL,
    host_seconds REAL NOT NULL,     -- of the process
    simulation_seconds REAL,        -- of it, the simulation
    status TEXT NOT NULL,
    report TEXT NOT NULL);

CREATE VIEW values_by_unit AS
    SELECT point, unit, kind, name AS counter, counts.value, measure, meaning
    FROM points JOIN results USING (key) JOIN counts USING (result) JOIN counters USING (counter);
CREATE VIEW totals AS           -- summed over the units of a kind
    SELECT point, kind, counter, SUM(value) AS value, COUNT(*) AS units, measure, meaning
    FROM values_by_unit GROUP BY point, kind, counter;
CREATE VIEW wave_time AS        -- cycles of all waves, by reason
    SELECT point, reasons.key AS reason, reasons.value AS cycles
    FROM points JOIN results USING (key) JOIN sections USING (result), json_each(sections.json, '$.waves.reasons') AS reasons
    WHERE sections.name = 'attribution';
CREATE VIEW memory_time AS      -- of all memory transactions, by location, in cycles of the engine clock
    SELECT point, reasons.key AS reason, CAST(reasons.value AS REAL) / json_extract(sections.json, '$.memory.period_fs') AS cycles
    FROM points JOIN results USING (key) JOIN sections USING (result), json_each(sections.json, '$.memory.reasons') AS reasons
    WHERE sections.name = 'attribution';
"""

# Every field of each chip as `set` of the sweep file leaves it; a table younger than the schema, as the views below.
_FIELDS = """CREATE TABLE fields (
    asic TEXT NOT NULL,             -- name in the description
    path TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (asic, path)) WITHOUT ROWID"""
# Views younger than the schema; a database of before has them only while it is open. kernel_time: cycles in which some kernel had
# waves; kernel_totals: all dispatches of a kernel; kernels: dispatch by dispatch, `json` its entry in the statistics.
_LATER_VIEWS = {
    "kernel_time": "SELECT point, CAST(json AS INTEGER) AS cycles FROM points JOIN results USING (key) JOIN sections USING (result) "
                   "WHERE name = 'kernel_cycles'",
    "kernel_totals": "SELECT point, json_extract(k.value, '$.kernel') AS kernel, json_extract(k.value, '$.stage') AS stage, "
                     "json_extract(k.value, '$.dispatches') AS dispatches, json_extract(k.value, '$.cycles') AS cycles "
                     "FROM points JOIN results USING (key) JOIN sections USING (result), json_each(sections.json) AS k "
                     "WHERE name = 'kernel_totals'",
    "kernels": "SELECT point, k.key AS number, k.value AS json "
               "FROM points JOIN results USING (key) JOIN sections USING (result), json_each(sections.json) AS k "
               "WHERE name = 'kernels'",
}

# One row per point, a column per parameter; made anew for the parameters of each sweep file.
_RUNS = """
CREATE VIEW runs AS
    SELECT point, workload, points.asic, points.mode, points.seed{columns},
        CASE WHEN invalid IS NOT NULL THEN 'invalid' WHEN result IS NULL THEN 'pending' ELSE status END AS status,
        cycles, sim_seconds, wave_instructions, config_hash, workload_hash, version, result,
        COALESCE(invalid, NULLIF(report, '')) AS report
    FROM points LEFT JOIN results USING (key)
"""

_HEAD = ("cycles", "sim_seconds", "wave_instructions")
_OF_TIME = ("cycles", "sim_seconds")  # which functional mode has not; its statistics count 0
# Of the statistics, what is stored elsewhere or says how fast the host was.
_NO_SECTION = {*_HEAD, "host_seconds", "schema_version", "workload", "rtl", "verilog", "asic", "mode", "config_hash",
               "units", "definitions"}

# name: query whose rows do not depend on the order the results came in.
_CANONICAL = {
    "meta": "SELECT name, value FROM meta ORDER BY name",
    "points": "SELECT * FROM points ORDER BY point",
    "parameters": "SELECT * FROM parameters ORDER BY point, name",
    "fields": "SELECT * FROM fields ORDER BY asic, path",
    "results": "SELECT key, config_hash, workload_hash, version, asic, mode, seed, status, exit_status, report, cycles, "
               "sim_seconds, wave_instructions FROM results ORDER BY key",
    "counters": "SELECT unit, kind, name, measure, meaning FROM counters ORDER BY unit, name",
    "counts": "SELECT key, unit, name, value FROM counts JOIN results USING (result) JOIN counters USING (counter) "
              "ORDER BY key, unit, name",
    "sections": "SELECT key, name, json FROM sections JOIN results USING (result) ORDER BY key, name",
}


def kinds_of(units: Iterable[str]) -> dict[str, str]:
    """Of each unit its path without numbers: se0.sh1.cu3.l1 is of kind se.sh.cu.l1. What is numbered begins at 0; the 1 of
    an L1 is part of its name."""
    units = list(units)
    parts = {unit: unit.split(".") for unit in units}
    there = {tuple(p[:i]) for p in parts.values() for i in range(1, len(p) + 1)}

    def without_number(path: list[str], i: int) -> str:
        name = path[i].rstrip("0123456789")
        return name if name and (*path[:i], name + "0") in there else path[i]

    return {unit: ".".join(without_number(p, i) for i in range(len(p))) for unit, p in parts.items()}


def definition(definitions: dict[str, Any], unit: str, kind: str, counter: str) -> tuple[str, str]:
    """What the counter of a unit counts, and its meaning, as the statistics define them."""
    last = kind.rpartition(".")[2]
    found = definitions.get(f"{last} ({unit})", {}).get(counter) or definitions.get(last, {}).get(counter) or {}
    return found.get("unit", ""), found.get("meaning", "")


NAME_OF = "name of "  # begins the facts that are names of workloads


class Database:
    def __init__(self, path: Union[str, Path], create: bool = False):
        self.path = str(path)
        self._lock: Optional[IO[str]] = None
        if not create or os.path.lexists(path):
            need_plain(path, "the database of a sweep")
        with self.faults():
            # Others may be reading for a while.
            self.connection = sqlite3.connect(self.path, timeout=60)
            self.connection.execute("PRAGMA foreign_keys = OFF")
            if create and not self._tables():
                with self.connection:
                    self.connection.executescript(SCHEMA + _RUNS.format(columns="") + ";")
                    self._add_later_views("VIEW")
                    self._meta("schema", str(SCHEMA_VERSION))
            self._check_schema()
            if "fields" not in self._tables():  # a database of before
                self.connection.execute(_FIELDS.replace("CREATE TABLE", "CREATE TABLE" if create else "CREATE TEMP TABLE"))
            self._add_later_views("TEMP VIEW")
        self._counters: dict[tuple[str, str], int] = {
            (unit, name): number for number, unit, name in self.rows("SELECT counter, unit, name FROM counters")}

    def _tables(self) -> list[str]:
        return [name for name, in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]

    def _add_later_views(self, what: str) -> None:
        there = {name for name, in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
        for name, query in _LATER_VIEWS.items():
            if name not in there:
                self.connection.execute(f"CREATE {what} {name} AS {query}")

    def _check_schema(self) -> None:
        if "meta" not in self._tables():
            raise Refused(f"{self.path}: is a database, but not of a sweep{self._expected()}")
        found = self.connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
        if found != (str(SCHEMA_VERSION),):
            raise Refused(f"{self.path}: has schema {found and found[0]}, expected {SCHEMA_VERSION}")

    @contextmanager
    def faults(self) -> Iterator[None]:
        """What SQLite cannot do, in words; what was committed stays."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise Refused(f"{self.path}: {error}{self._expected() if 'not a database' in str(error) else ''}") from error

    def _expected(self) -> str:
        """In place of another file, as that which the results are of."""
        path = Path(self.path)
        given = "a workload or sweep file: " if path.suffix in (".yaml", ".yml") else ""
        return f", {given}expected the results that `archipelago sweep` writes, as {path.stem}.sqlite"

    def close(self) -> None:
        self.connection.close()
        if self._lock:
            self._lock.close()

    def hold(self) -> None:
        """Refuses a second driver, until this one has closed or gone, however it ends. SQLite's own locks are others."""
        try:
            self._lock = open(f"{self.path}.lock", "w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(f"{self.path}: another sweep is writing it") from error
        except OSError as error:
            raise Refused(f"{self.path}.lock: {error.strerror}") from error

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def rows(self, query: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        with self.faults():
            return self.connection.execute(query, tuple(values)).fetchall()

    # --- written by the driver

    def _meta(self, name: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def begin_sweep(self, name: str, text: str, parameters: Iterable[str], facts: Optional[Mapping[str, str]] = None,
                    names: Optional[Mapping[str, str]] = None) -> None:
        """Forgets the points of the sweep before, not their results. `facts`: for the report; `names`: of workloads that the
        report calls otherwise than their files."""
        columns = "".join(
            ", (SELECT value FROM parameters AS p WHERE p.point = points.point AND p.name = {}) AS {}".format(
                _literal(p), _identifier(p)) for p in parameters)
        with self.faults(), self.connection as c:
            self._meta("file", Path(name).name)
            self._meta("sweep", text)
            c.execute("DELETE FROM meta WHERE name IN ('title', 'question', 'same_work') OR name LIKE ?", (f"{NAME_OF}%",))
            for fact, value in {**(facts or {}), **{NAME_OF + file: name for file, name in (names or {}).items()}}.items():
                self._meta(fact, value)
            c.execute("DELETE FROM points")
            c.execute("DELETE FROM parameters")
            c.execute("DROP VIEW runs")
            c.execute(_RUNS.format(columns=columns))

    def put_fields(self, fields: Mapping[str, Mapping[str, str]]) -> None:
        """Of each chip, by its name, in place of those of the sweep before."""
        with self.faults(), self.connection as c:
            c.execute("DELETE FROM fields")
            c.executemany("INSERT INTO fields VALUES (?, ?, ?)",
                          [(asic, path, value) for asic, of_chip in fields.items() for path, value in of_chip.items()])

    def add_points(self, points: Iterable[Any]) -> None:
        """plan.Points behind those there are."""
        with self.faults(), self.connection as c:
            first = c.execute("SELECT COALESCE(MAX(point), -1) + 1 FROM points").fetchone()[0]
            for number, p in enumerate(points, first):
                c.execute("INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                          (number, p.workload.label, p.asic.label, p.mode, _signed(p.seed), json.dumps(list(p.set)), p.key or None,
                           p.invalid or None))
                c.executemany("INSERT INTO parameters VALUES (?, ?, ?)",
                              [(number, name, s.value) for name, s in p.settings.items()])

    def put(self, point: Any, outcome: Outcome, version: str) -> None:
        """The result of a point, in place of a failure before it."""
        stats = json.loads(outcome.stats) if outcome.stats else {}
        if outcome.status != DONE:
            stats = {k: v for k, v in stats.items() if k in ("stopped", "hang", *_HEAD)}
        if point.mode == "functional":
            stats = {k: v for k, v in stats.items() if k not in _OF_TIME}
        with self.faults(), self.connection as c:
            for old, in c.execute("SELECT result FROM results WHERE key = ?", (point.key,)).fetchall():
                for table in ("counts", "sections", "results"):
                    c.execute(f"DELETE FROM {table} WHERE result = ?", (old,))
            result = c.execute(
                "INSERT INTO results VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (point.key, point.config_hash, point.workload_hash, version, point.chip, point.mode, _signed(point.seed),
                 outcome.status, outcome.exit_status, outcome.report, *(stats.get(k) for k in _HEAD))).lastrowid
            self._put_counts(c, result, stats)
            c.executemany("INSERT INTO sections VALUES (?, ?, ?)",
                          [(result, k, json.dumps(v)) for k, v in stats.items() if k not in _NO_SECTION])

    def _put_counts(self, c: sqlite3.Connection, result: Optional[int], stats: dict[str, Any]) -> None:
        definitions = stats.get("definitions", {})
        units = stats.get("units", {})
        kinds: dict[str, str] = {}
        rows = []
        for unit, counts in units.items():
            for name, value in counts.items():
                number = self._counters.get((unit, name))
                if number is None:
                    kinds = kinds or kinds_of(units)
                    number = self._define(c, unit, kinds[unit], name, definitions)
                rows.append((result, number, value))
        c.executemany("INSERT INTO counts VALUES (?, ?, ?)", rows)

    def _define(self, c: sqlite3.Connection, unit: str, kind: str, name: str, definitions: dict[str, Any]) -> int:
        number = c.execute("INSERT INTO counters VALUES (NULL, ?, ?, ?, ?, ?)",
                           (unit, kind, name, *definition(definitions, unit, kind, name))).lastrowid
        assert number is not None
        self._counters[unit, name] = number
        return number

    def put_attempt(self, key: str, outcome: Outcome) -> None:
        seconds = json.loads(outcome.stats).get("host_seconds") if outcome.stats and outcome.status == DONE else None
        with self.faults(), self.connection as c:
            c.execute("INSERT INTO attempts VALUES (NULL, ?, strftime('%Y-%m-%d %H:%M:%f', ?, 'unixepoch'), ?, ?, ?, ?, ?)",
                      (key, outcome.started, outcome.host, outcome.host_seconds, seconds, outcome.status, outcome.report))

    # --- read

    def known(self) -> dict[str, str]:
        """key -> status."""
        return dict(self.rows("SELECT key, status FROM results"))  # type: ignore[arg-type]

    def result_of(self, key: str) -> Optional[int]:
        found = self.rows("SELECT result FROM results WHERE key = ? AND status = ?", (key, DONE))
        return found[0][0] if found else None

    def parameter_names(self) -> list[str]:
        return [name for name, in self.rows("SELECT DISTINCT name FROM parameters ORDER BY name")]

    def canonical(self) -> Iterator[str]:
        """All but the attempts, one line a row: equal for equal points."""
        for table, query in _CANONICAL.items():
            for row in self.rows(query):
                yield f"{table} {json.dumps(row)}"


def _signed(seed: int) -> int:
    """SQLite's integers have 63 bits and a sign."""
    return seed - (1 << 64) if seed >= 1 << 63 else seed


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
