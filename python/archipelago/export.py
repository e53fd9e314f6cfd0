# SPDX-License-Identifier: Apache-2.0
"""Results as CSV: a row per point, a column per counter."""

from __future__ import annotations

import csv
from typing import Any

from archipelago.database import Database
from archipelago.files import written

_QUERY = {"unit": "SELECT point, unit || '.' || counter, value FROM values_by_unit WHERE point = ?",
          "kind": "SELECT point, kind || '.' || counter, value FROM totals WHERE point = ?"}
_NAMES = {"unit": "SELECT unit || '.' || name FROM counters", "kind": "SELECT DISTINCT kind || '.' || name FROM counters"}


def write_csv(database: Database, path: str, by: str) -> None:
    """The file appears whole or not at all."""
    columns = [row[1] for row in database.rows("PRAGMA table_info(runs)") if row[1] not in ("result", "report")]
    names = sorted(name for name, in database.rows(_NAMES[by]))
    with written(path, kept=f"; the results are kept in {database.path}", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*columns, *names, "report"])
        chosen = ", ".join(f'"{c}"' for c in columns)
        for *head, report in database.rows(f"SELECT {chosen}, report FROM runs ORDER BY point"):
            counts: dict[str, Any] = {name: value for _, name, value in database.rows(_QUERY[by], (head[0],))}
            out.writerow([*head, *(counts.get(n, "") for n in names), report])
