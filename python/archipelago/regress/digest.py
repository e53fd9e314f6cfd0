# SPDX-License-Identifier: Apache-2.0
"""A timeline in a few lines for git: a hash of the whole, and of each row the number of its events and a hash of every few.
It says in which row, and between which events, another timeline goes another way first."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Iterator, Optional

from archipelago.files import read_text, written
from archipelago.regress.golden import GoldenError
from archipelago.timeline import Span, sums_up

Rows = dict[str, list[Span]]
Digest = dict[str, Any]  # {"hash": TEXT, "rows": {row: [events, events a piece, begin of the first, hash of each piece...]}}

MOST_PIECES = 16  # a row
LEAST_EVENTS = 8  # a piece


def _hash(events: list[Span]) -> str:
    text = "\n".join(f"{e.begin} {e.end} {e.name} {e.detail}" for e in events)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _pieces(events: list[Span], size: int) -> Iterator[list[Span]]:
    for first in range(0, len(events), size):
        yield events[first:first + size]


def digest_of(timeline: Rows) -> Digest:
    rows: dict[str, list] = {}
    for row, events in sorted(timeline.items()):
        if events:
            size = max(LEAST_EVENTS, -(-len(events) // MOST_PIECES))
            rows[row] = [len(events), size, events[0].begin, *(_hash(piece) for piece in _pieces(events, size))]
    return {"hash": hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16], "rows": rows}


def first_difference(old: Digest, new: Rows) -> Optional[str]:
    """In words; None: none is seen."""
    found = [d for row in sorted(old["rows"].keys() | {row for row, events in new.items() if events})
             if (d := _of_row(row, old["rows"].get(row), new.get(row, []))) is not None]
    return min(found)[2] if found else None


def _of_row(row: str, old: Optional[list], new: list[Span]) -> Optional[tuple[bool, int, str]]:
    """Whether the row sums others up, from when on it differs, in ns, and what to say."""
    if old is None:
        return sums_up(row), new[0].begin, f"{new[0].begin} ns, {row}: {len(new)} events in place of none"
    count, size, begin, *hashes = old
    if not new:
        return sums_up(row), begin, f"{begin} ns, {row}: no event in place of {count}"
    for i, before in enumerate(hashes):
        piece = new[i * size:(i + 1) * size]
        if _hash(piece) != before:
            at = piece[0].begin if piece else new[-1].end
            until = max((e.end for e in piece), default=at)
            last = min((i + 1) * size, max(count, len(new))) - 1
            return sums_up(row), at, (f"{at} to {until} ns, {row}, events {i * size} to {last}"
                                      + (f" of {len(new)}, there were {count}" if len(new) != count else "")
                                      + (f"; the first of them now: {piece[0].name}" if piece else ""))
    if len(new) > count:
        return sums_up(row), new[count].begin, f"{new[count].begin} ns, {row}, event {count}: {new[count].name} only in the second"
    return None


def read(path: Path) -> dict[str, Digest]:
    """By workload; none without a file. Raises GoldenError."""
    if not path.exists():
        return {}
    try:
        data = json.loads(read_text(path))
        good = all(isinstance(d["hash"], str) and all(len(row) > 3 for row in d["rows"].values()) for d in data.values())
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        good = False
    if not good:
        raise GoldenError(f"{path}: not the digests of timelines")
    return data


def write(path: Path, digests: dict[str, Digest]) -> None:
    """A line for each row: what changed is what a diff shows."""
    lines = []
    for name, digest in sorted(digests.items()):
        rows = ",\n".join(f"  {json.dumps(row)}: {json.dumps(pieces)}" for row, pieces in digest["rows"].items())
        lines.append(f'{json.dumps(name)}: {{"hash": {json.dumps(digest["hash"])}, "rows": {{\n{rows}}}}}')
    with written(path) as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
