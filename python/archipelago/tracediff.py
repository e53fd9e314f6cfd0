# SPDX-License-Identifier: Apache-2.0
"""archipelago tracediff A B: the first event in which two timelines of `run --trace` differ.

Rows are compared one by one, event by event; the rows in which the earliest difference lies come first. Exit status: 0
the timelines are the same, 1 they differ, 2 one cannot be read."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import zip_longest
from typing import Optional

from archipelago.errors import DONE, FAILED
from archipelago.options import OptionParser
from archipelago.timeline import Span, read, sums_up
from archipelago.whole_numbers import at_least

Rows = dict[str, list[Span]]


@dataclass(frozen=True)
class Divergence:
    """Where a row goes another way: the n-th event of it."""
    time: int  # ns, of the earlier of the two
    row: str
    index: int
    old: Optional[Span]
    new: Optional[Span]

    def __str__(self) -> str:
        return f"{self.time} ns, {self.row}, event {self.index}: {self.what()}"

    def what(self) -> str:
        old, new = self.old, self.new
        if old is None or new is None:
            return f"{_text(old or new)} only in the {'second' if old is None else 'first'}"
        if (old.name, old.detail) != (new.name, new.detail):
            return f"{_text(old)}, then {_text(new)}"
        if old.begin != new.begin:
            return f"{_text(old)} begins {_moved(old.begin, new.begin)}"
        return f"{_text(old)} ends {_moved(old.end, new.end)}"


def _text(span: Optional[Span]) -> str:
    assert span is not None
    return f"{span.name} [{span.detail}]" if span.detail else span.name


def _moved(old: int, new: int) -> str:
    return f"at {new} ns in place of {old} ns ({new - old:+d} ns)"


def _time(old: Optional[Span], new: Optional[Span]) -> int:
    if old is None or new is None:
        return (old or new).begin  # type: ignore[union-attr]
    same_but_end = (old.begin, old.name, old.detail) == (new.begin, new.name, new.detail)
    return min(old.end, new.end) if same_but_end else min(old.begin, new.begin)


def _of_row(row: str, old: list[Span], new: list[Span]) -> Optional[Divergence]:
    """The flow numbers of arrows are of one file."""
    for index, (a, b) in enumerate(zip_longest(old, new)):
        if a is None or b is None or a[:4] != b[:4]:
            return Divergence(_time(a, b), row, index, a, b)
    return None


def compare(old: Rows, new: Rows) -> list[Divergence]:
    """The first difference of each row that has one, the earliest first; rows that sum others up come last."""
    found = [_of_row(row, old.get(row, []), new.get(row, [])) for row in sorted(old.keys() | new.keys())]
    return sorted((d for d in found if d), key=lambda d: (sums_up(d.row), d.time, d.row))


def main(arguments: list[str]) -> int:
    parser = OptionParser(prog="archipelago tracediff", description=__doc__,
                          formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second", help="files of run --trace, or compressed (.xz)")
    parser.add_argument("--rows", default="", metavar="PREFIX", help="only rows whose path begins so")
    parser.add_argument("--count", type=at_least(1), default=5, help="rows to show (default: 5)")
    a = parser.parse_args(arguments)
    old, new = (read(f, lambda row: row.startswith(a.rows)) for f in (a.first, a.second))
    found = compare(old, new)
    if not found:
        print(f"no difference in {len(old)} rows, {sum(map(len, old.values()))} events")
        return DONE
    print(f"{len(found)} of {len(old.keys() | new.keys())} rows differ; the first differences:")
    for divergence in found[:a.count]:
        print(f"  {divergence}")
    return FAILED
