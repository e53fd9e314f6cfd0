# SPDX-License-Identifier: Apache-2.0
"""Golden files: what each workload costs on one chip, exactly. testbenches/golden/README.md describes the format."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Mapping, Optional, Union

from archipelago import ranks
from archipelago.database import kinds_of
from archipelago.files import written
from archipelago.yaml_file import load

Counters = dict[str, dict[str, int]]  # kind -> {counter: sum}; zeros left out
Selection = dict[str, tuple[re.Pattern, list[str]]]
Units = dict[tuple[str, str], str]  # of (kind, counter)

TIME_OF = "time of "  # begins the kinds of where time went
_TIMES = {"waves": "wave cycles", "memory": "fs"}


class GoldenError(Exception):
    """A golden file, the selection or a run cannot be used; the message names it."""


@dataclass
class Entry:
    cycles: int
    wave_instructions: int
    counters: Counters


@dataclass
class Golden:
    asic: str
    config_hash: str = ""
    workloads: dict[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True)
class Moved:
    """A counter that differs."""
    kind: str
    counter: str
    old: int
    new: int
    unit: str = ""  # of the counter; empty: not known

    @property
    def name(self) -> str:
        return f"{self.kind}.{self.counter}"

    @property
    def percent(self) -> Optional[float]:
        """None: there were none before."""
        return 100.0 * (self.new - self.old) / self.old if self.old else None

    @property
    def rank(self) -> int:
        return ranks.TIME if self.kind.startswith(TIME_OF) else ranks.rank(self.counter, self.unit)

    @property
    def weight(self) -> float:
        """How remarkable the change is: 100 more in 10000 counts as 10 more in 100."""
        return abs(self.new - self.old) / math.sqrt(max(self.old, self.new))

    def __str__(self) -> str:
        percent = f" ({self.percent:+.3g} %)" if self.percent is not None else ""
        return f"{self.name} {self.old} -> {self.new}{' ' if self.unit else ''}{self.unit}{percent}"


def read_selection(path: Union[str, Path], chips: str = "graphics") -> Selection:
    """kind -> (regular expression over unit names, [counter]) of chips of this sort; kinds say of which they are."""
    document = load(path)
    out: Selection = {}
    for kind, entry in document.root.map():
        keys = entry.map()
        units, counters, sorts = (keys.find(key) for key in ("units", "counters", "chips"))
        keys.finish()
        if not units or not counters:
            entry.error("expected {units: a regular expression, counters: [NAME, ...]}")
            continue
        names = [v.text() for v in counters.items()]
        if chips not in ([v.text() for v in sorts.items()] if sorts else ["graphics"]):
            continue
        try:
            out[kind] = (re.compile(units.text() + r"\Z"), names)
        except re.error as error:
            units.error(f"is no regular expression: {error}")
    document.diagnostics.raise_if_any()
    return out


def selected_counters(stats: dict[str, Any], selection: Selection) -> Counters:
    counters = {}
    for kind, (pattern, names) in selection.items():
        units = [values for unit, values in stats["units"].items() if pattern.match(unit)]
        if not units:
            raise GoldenError(f"counters.yaml: {kind}: no unit is named {pattern.pattern}")
        sums = {}
        for name in names:
            if not any(name in unit for unit in units):
                raise GoldenError(f"counters.yaml: {kind}: no unit counts {name}")
            total = sum(unit.get(name, 0) for unit in units)
            if total:
                sums[name] = total
        if sums:
            counters[kind] = sums
    return counters


def all_counters(stats: dict[str, Any]) -> Counters:
    """Every counter by kind of unit, and where wave and transaction time went."""
    counters: Counters = {}
    kinds = kinds_of(stats["units"])
    for unit, counts in stats["units"].items():
        sums = counters.setdefault(kinds[unit], {})
        for name, value in counts.items():
            if value:
                sums[name] = sums.get(name, 0) + value
    for part, attributed in stats.get("attribution", {}).items():
        reasons = attributed.get("reasons", {})
        counters[f"{TIME_OF}{part}"] = {name: value for name, value in reasons.items() if value}
    return {kind: sums for kind, sums in counters.items() if sums}


def entry_of(stats: dict[str, Any], counters: Counters) -> Entry:
    return Entry(stats["cycles"], stats["wave_instructions"], counters)


def units_of(stats: dict[str, Any], counters: Counters) -> Units:
    """Of those that the statistics define: by the kind of the unit, which is the last part of ours."""
    out: Units = {}
    definitions = stats.get("definitions", {})
    for kind, sums in counters.items():
        if kind.startswith(TIME_OF):
            out.update({(kind, counter): _TIMES.get(kind.removeprefix(TIME_OF), "") for counter in sums})
            continue
        # Also of those that are 0, which are not in the sums.
        for counter, defined in definitions.get(kind.rpartition(".")[2], {}).items():
            out[kind, counter] = defined["unit"]
    return out


def moved(old: Entry, new: Entry, units: Mapping[tuple[str, str], str] = MappingProxyType({})) -> list[Moved]:
    """Counters that differ between two entries: causes before consequences, of each the most remarkable first."""
    out = []
    for kind in sorted(old.counters.keys() | new.counters.keys()):
        before, after = old.counters.get(kind, {}), new.counters.get(kind, {})
        for counter in sorted(before.keys() | after.keys()):
            change = Moved(kind, counter, before.get(counter, 0), after.get(counter, 0), units.get((kind, counter), ""))
            if change.old != change.new:
                out.append(change)
    return sorted(out, key=lambda m: (m.rank, -m.weight, m.kind, m.counter))


def path_of(name: str, folder: Union[str, Path]) -> Path:
    return Path(folder) / f"{name}.json"


def read(name: str, folder: Union[str, Path]) -> Golden:
    """The golden file of a chip; an empty one when there is none."""
    path = path_of(name, folder)
    if not path.exists():
        return Golden(name)
    try:
        data = json.loads(path.read_text())
    except OSError as error:
        raise GoldenError(f"{path}: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise GoldenError(f"{path}: not a golden file: line {error.lineno} is no JSON, or the file is cut off there") from error
    except ValueError as error:
        raise GoldenError(f"{path}: not a golden file: it is no text") from error
    _check_kind(path, "it", data, {"asic": str, "config_hash": str, "workloads": dict})
    for workload, entry in data["workloads"].items():
        _check_kind(path, workload, entry, {"cycles": int, "wave_instructions": int, "counters": dict})
        for kind, sums in entry["counters"].items():
            _check_kind(path, f"{workload}: {kind}", sums, dict.fromkeys(sums, int) if isinstance(sums, dict) else {})
    workloads = {n: Entry(e["cycles"], e["wave_instructions"], e["counters"]) for n, e in data["workloads"].items()}
    return Golden(data["asic"], data["config_hash"], workloads)


def _check_kind(path: Path, what: str, data: Any, keys: dict[str, type]) -> None:
    """`keys` of a map of the file."""
    if not isinstance(data, dict):
        raise GoldenError(f"{path}: not a golden file: {what} is no map")
    for key, kind in keys.items():
        if not isinstance(data.get(key), kind):
            raise GoldenError(f"{path}: not a golden file: {what} has no {key}, or one of another kind")


def text_of(golden: Golden) -> str:
    """One line per workload and kind of unit: what changed is what a diff shows."""
    lines = ["{", f'"asic": {json.dumps(golden.asic)},',
             f'"config_hash": {json.dumps(golden.config_hash)},', '"workloads": {']
    names = sorted(golden.workloads)
    for name in names:
        entry = golden.workloads[name]
        head = f'"cycles": {entry.cycles}, "wave_instructions": {entry.wave_instructions}'
        lines.append(f'{json.dumps(name)}: {{{head}, "counters": {{')
        kinds = [f"  {json.dumps(kind)}: {json.dumps(sums)}"
                 for kind, sums in entry.counters.items()]
        lines.append(",\n".join(kinds) + ("}}" if name == names[-1] else "}},"))
    return "\n".join(lines + ["}", "}", ""])


def write(golden: Golden, folder: Union[str, Path]) -> None:
    """Whole or not at all: a rebase may be ended, and others may be reading."""
    with written(path_of(golden.asic, folder)) as file:
        file.write(text_of(golden))
