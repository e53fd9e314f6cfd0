# SPDX-License-Identifier: Apache-2.0
"""The outcome for machines and for CI systems: JSON, Markdown, annotations and step summary of GitHub."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Callable, Iterator, Sequence

from archipelago.errors import writing
from archipelago.regress.results import FAILED, GOOD, MOVED, Result, slowest

SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file that a step of GitHub appends its summary to


def as_json(results: Sequence[Result], counters: int, durations: int) -> Iterator[str]:
    counts = Counter(r.status for r in results)
    yield json.dumps({"counts": dict(sorted(counts.items())), "results": [r.data() for r in results],
                      "slowest": [{"name": r.name, "seconds": round(r.seconds, 3)} for r in slowest(results, durations)]},
                     indent=1, ensure_ascii=False)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")


def as_markdown(results: Sequence[Result], counters: int, durations: int) -> Iterator[str]:
    counts = Counter(r.status for r in results)
    yield "## archipelago regress"
    yield ""
    yield ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "no workload"
    bad = [r for r in results if r.status not in GOOD]
    if bad:
        yield ""
        yield "| workload | status | golden, cycles | now, cycles | change | causes first |"
        yield "|---|---|---:|---:|---:|---|"
        for r in bad:
            change = f"{r.now - r.golden:+d} ({r.percent:+.2f} %)" if r.status == MOVED else ""
            yield (f"| {_cell(r.name)} | {r.status} | {r.golden or ''} | {r.now or ''} | {change} | {_cell(r.explained(counters))} |")
    if durations:
        yield ""
        yield "| slowest | seconds |"
        yield "|---|---:|"
        yield from (f"| {_cell(r.name)} | {r.seconds:.2f} |" for r in slowest(results, durations))


def _escaped(text: str, more: str = "") -> str:
    """Of a workflow command; `more`: what its properties escape besides."""
    for c in "%\r\n" + more:
        text = text.replace(c, f"%{ord(c):02X}")
    return text


def as_github(results: Sequence[Result], counters: int, durations: int) -> Iterator[str]:
    """An annotation for each workload that is not as it was, at its file."""
    for r in results:
        if r.status in GOOD:
            continue
        title = f"{'failed to run' if r.status == FAILED else r.status}: {r.name}"
        place = f"file={_escaped(r.file, ':,')}," if r.file else ""
        text = "\n".join([r.said(), *r.causes(counters)])
        yield f"::error {place}title={_escaped(title, ':,')}::{_escaped(text)}"
    path = os.environ.get(SUMMARY)
    if path:
        with writing(path), open(path, "a", encoding="utf-8") as file:  # of all steps of a job
            file.write("\n".join(as_markdown(results, counters, durations)) + "\n")


# Besides text, which is printed as the comparison goes.
FORMATS: dict[str, Callable[[Sequence[Result], int, int], Iterator[str]]] = {
    "json": as_json, "markdown": as_markdown, "github": as_github}
