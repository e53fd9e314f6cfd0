# SPDX-License-Identifier: Apache-2.0
"""Results as CSV: a row per point, a column per counter; or a row per dispatch, a column for each number of it."""

from __future__ import annotations

import csv
import json
from typing import Any, Iterator

from archipelago.database import Database
from archipelago.files import written

_QUERY = {"unit": "SELECT point, unit || '.' || counter, value FROM values_by_unit WHERE point = ?",
          "kind": "SELECT point, kind || '.' || counter, value FROM totals WHERE point = ?"}
_NAMES = {"unit": "SELECT unit || '.' || name FROM counters", "kind": "SELECT DISTINCT kind || '.' || name FROM counters"}


def write_csv(database: Database, path: str, by: str) -> None:
    """The file appears whole or not at all."""
    header, rows = _by_kernel(database) if by == "kernel" else _by_counter(database, by)
    with written(path, kept=f"; the results are kept in {database.path}", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)


def _runs(database: Database) -> tuple[list[str], Iterator[tuple[list[Any], str]]]:
    """Columns of a point, and each point's with what it reported."""
    columns = [row[1] for row in database.rows("PRAGMA table_info(runs)") if row[1] not in ("result", "report")]
    chosen = ", ".join(f'"{c}"' for c in columns)
    rows = database.rows(f"SELECT {chosen}, report FROM runs ORDER BY point")
    return columns, ((list(head), report) for *head, report in rows)


def _by_counter(database: Database, by: str) -> tuple[list[str], Iterator[list[Any]]]:
    columns, points = _runs(database)
    names = sorted(name for name, in database.rows(_NAMES[by]))

    def row(head: list[Any], report: str) -> list[Any]:
        counts: dict[str, Any] = {name: value for _, name, value in database.rows(_QUERY[by], (head[0],))}
        return [*head, *(counts.get(n, "") for n in names), report]

    return [*columns, *names, "report"], (row(*point) for point in points)


def _by_kernel(database: Database) -> tuple[list[str], Iterator[list[Any]]]:
    """A point without dispatches has one row."""
    columns, points = _runs(database)
    made: list[tuple[list[Any], list[dict[str, Any]], str]] = []
    names: dict[str, None] = {}
    for head, report in points:
        kernels = [_flat(json.loads(text)) for text, in
                   database.rows("SELECT json FROM kernels WHERE point = ? ORDER BY number", (head[0],))]
        for kernel in kernels:
            names.update(dict.fromkeys(kernel))
        made.append((head, kernels or [{}], report))
    rows = ([*head, *(kernel.get(n, "") for n in names), report] for head, kernels, report in made for kernel in kernels)
    return [*columns, *names, "report"], rows


def _flat(kernel: dict[str, Any]) -> dict[str, Any]:
    """{"memory": {"l1": {"reads": 1}}} has a column memory.l1.reads; kernel_cycles stands before start and end."""
    out: dict[str, Any] = {}

    def add(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                add(f"{prefix}.{key}" if prefix else key, inner)
        else:
            out[prefix] = value

    add("", {**{k: kernel[k] for k in ("kernel", "dispatch")}, "kernel_cycles": kernel["end"] - kernel["start"], **kernel})
    return out
