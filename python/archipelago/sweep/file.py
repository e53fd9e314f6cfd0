# SPDX-License-Identifier: Apache-2.0
"""A sweep file as it stands: keys, kinds and ranges are checked here, values of the chip by the chip (plan.py)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional, Union

from archipelago.sweep import claims, space
from archipelago.yaml_file import Document, Map, Number, Place, Value, entries, load, natural

METHODS = ("grid", "random", "latin_hypercube")
SAMPLERS = ("nsga2", "tpe", "random")
MODES = ("cycle", "functional")
MOST_POINTS = 1_000_000


@dataclass(frozen=True)
class Item:
    """One of the workloads or chips."""
    label: str  # as it is written
    value: str  # a path seen from where the command runs, or a name
    place: Optional[Place]


@dataclass(frozen=True)
class Objective:
    metric: str
    direction: str
    place: Optional[Place]


@dataclass(frozen=True)
class Search:
    trials: int
    sampler: str
    seed: int
    batch: int
    objectives: tuple[Objective, ...]
    weights: str  # file; empty: none


@dataclass
class SweepFile:
    name: str
    text: str
    workloads: list[Item]
    asics: list[Item]
    modes: list[str]
    seeds: list[int]
    common: list[space.Setting]
    parameters: list[space.Parameter]
    listed: list[space.Assignment]
    method: str = "grid"
    points: int = 0
    sample_seed: int = 1
    search: Optional[Search] = None
    timeout: Optional[float] = None
    retries: int = 2
    options: tuple[str, ...] = ()
    series: int = 0                # cycles between two readings, also among the options; 0: none
    folder: Path = Path()          # that paths in it are relative to
    title: str = ""                # of the report
    question: str = ""             # that it answers
    same_work: bool = False        # the workloads do the same work: a report compares them
    document: Document = field(default=None)  # type: ignore[assignment]

    def parameter_names(self) -> list[str]:
        return list(dict.fromkeys([*(p.name for p in self.parameters), *(name for point in self.listed for name in point)]))

    def facts(self) -> dict[str, str]:
        """Title and question of the report, and how it compares workloads."""
        facts = {"title": self.title, "question": self.question, "same_work": "true" if self.same_work else ""}
        return {name: value for name, value in facts.items() if value}

    def named_files(self) -> list[str]:
        """Workloads, chips that are files, weights; Verilog in a block's place."""
        settings = [*self.common, *(s for p in self.parameters for s in p.choices or ()), *(s for a in self.listed for s in a.values())]
        verilog = [block.partition("=")[2] for s in settings for block in s.rtl]
        chips = [c.value for c in self.asics if Path(c.value).is_file()]
        return [*(w.value for w in self.workloads), *chips, *filter(None, verilog), *([self.search.weights] if self.search else [])]

    def assignments(self) -> Iterator[space.Assignment]:
        """Listed ones, then sampled ones."""
        yield from self.listed
        if self.listed and not self.parameters:
            return
        if self.method == "random":
            yield from space.at_random(self.parameters, self.points, self.sample_seed)
        elif self.method == "latin_hypercube":
            yield from space.latin_hypercube(self.parameters, self.points, self.sample_seed)
        else:
            yield from space.grid(self.parameters)


def read(path: Union[str, Path]) -> SweepFile:
    return _Reader(load(path), Path(path).parent).read()


def read_text(text: str, folder: Union[str, Path] = ".", name: str = "sweep") -> SweepFile:
    return _Reader(Document(name, text), Path(folder)).read()


class _Reader:
    def __init__(self, document: Document, folder: Path):
        self.document, self.folder = document, folder

    def read(self) -> SweepFile:
        top = self.document.root.map()
        if top.find("workload") is None:
            top.value.error("the key workload is missing, expected a workload file or a list of them")
        out = SweepFile(
            name=self.document.name, text=self.document.text,
            workloads=[self.file_item(v) for v in self.items(top, "workload")],
            asics=[self.chip_item(v) for v in self.items(top, "asic")] or [Item("", "", None)],
            modes=[v.one_of(MODES) for v in self.items(top, "mode")] or ["cycle"],
            seeds=[v.integer(0, 2**64 - 1) for v in self.items(top, "seed")] or [0],
            common=self.common(top.find("set")), parameters=[], listed=[], folder=self.folder, document=self.document)
        out.parameters = self.parameters(top.find("parameters")) + self.variants(top.find("variants"))
        out.listed = self.listed(top.find("list"))
        self.sample(top.find("sample"), out)
        out.search = self.search(top.find("search"), out)
        self.running(top, out)
        self.reporting(top, out)
        top.finish()
        claims.check(top)
        self.document.diagnostics.raise_if_any()
        return out

    @staticmethod
    def items(top: Map, key: str) -> list[Value]:
        found = top.find(key)
        if found is None:
            return []
        items = found.items()
        if not items:
            found.error("is empty, expected at least one")
        return items

    def path(self, text: str) -> str:
        return str(self.folder / text)

    def override(self, path: str, value: Value) -> tuple[str, str]:
        text = value.source
        if path == space.OPTIONS:  # none is a choice, too
            return path, text
        if not text:
            value.error("has no value, expected one")
        block, is_own, file = text.partition("=")
        if path != space.RTL or not is_own:
            return path, text
        if not Path(self.path(file)).is_file():
            value.error(f"no file {self.path(file)}, expected the library of a block or its description")
        return path, f"{block}={self.path(file)}"

    def overrides(self, path: str, value: Value) -> tuple[tuple[str, str], ...]:
        """One override, but a list names several blocks that are Verilog, or several options of the kernel."""
        values = value.items() if path in (space.RTL, space.OPTIONS) else [value]
        if not values and path == space.RTL:
            value.error("is empty, expected at least one block")
        return tuple(self.override(path, v) for v in values)

    def setting(self, path: str, value: Value) -> space.Setting:
        return space.Setting(natural(value.source), self.overrides(path, value), value.place)

    def file_item(self, value: Value) -> Item:
        text = value.text()
        return Item(text, self.path(text), value.place)

    def chip_item(self, value: Value) -> Item:
        text = value.text()
        is_file = text.endswith(".yaml")
        return Item(text, self.path(text) if is_file else text, value.place)

    def common(self, value: Optional[Value]) -> list[space.Setting]:
        return [self.setting(path, v) for path, v in entries(value)]

    def parameters(self, value: Optional[Value]) -> list[space.Parameter]:
        out = []
        for name, values in entries(value):
            place = values.key
            if values.kind == "mapping" and "from" in values.map().keys:
                out.append(space.Parameter(name, place, (), self.range(values), values.place))
                continue
            items = values.items()
            if not items:
                values.error("is empty, expected at least one value")
            out.append(space.Parameter(name, place, tuple(self.setting(name, v) for v in items)))
        return out

    def variants(self, value: Optional[Value]) -> list[space.Parameter]:
        out = []
        for name, variants in entries(value):
            choices = [space.Setting(label, tuple(o for p, v in overrides.map() for o in self.overrides(p, v)), overrides.place)
                       for label, overrides in variants.map()]
            if not choices:
                variants.error("is empty, expected at least one variant: NAME: {PATH: VALUE}")
            out.append(space.Parameter(name, variants.key, tuple(choices)))
        return out

    def range(self, value: Value) -> space.Range:
        keys = value.map()
        low, unit = self.quantity(keys.find("from"))
        high, other = self.quantity(keys.find("to"))
        step, step_unit = self.quantity(keys.find("step")) if keys.find("step") else (0, unit)
        count = keys.find("count")
        is_log = (keys.find("log") or None) is not None and keys.keys["log"].one_of(("true", "false")) == "true"
        keys.finish()
        if keys.find("to") is None:
            value.error("the key to is missing, expected where the range ends")
        elif len({unit, other, step_unit}) != 1:
            value.error(f'"{unit.strip()}" and "{(other if other != unit else step_unit).strip()}" are two units, '
                        "expected one")
        elif step and (high - low) / step > MOST_POINTS:
            value.error(f"has more than {MOST_POINTS} steps")
        elif not low < high or step < 0 or (is_log and low <= 0):
            value.error(f"expected from below to{', both above 0' if is_log else ''}, got {low} and {high}")
        whole = all(isinstance(n, int) for n in (low, high, step))
        return space.Range(low, high, unit, whole, is_log, count.integer(2, MOST_POINTS) if count else 0, step)

    @staticmethod
    def quantity(value: Optional[Value]) -> tuple[Number, str]:
        if value is None:
            return 0, ""
        found = re.fullmatch(r"([-+.\dxeE]+)(\s*[A-Za-z]*)", value.scalar())
        number = natural(found[1]) if found else ""
        if isinstance(number, str):
            value.error(f'got "{value.source}", expected a number, with a unit or without')
            return 0, ""
        return number, found[2]  # type: ignore[index]

    def listed(self, value: Optional[Value]) -> list[space.Assignment]:
        if value is None:
            return []
        if value.kind != "sequence":
            value.error("expected a list of points: - {PATH: VALUE}")
            return []
        return [{path: self.setting(path, v) for path, v in item.map()} for item in value.items()]

    def sample(self, value: Optional[Value], out: SweepFile) -> None:
        keys = value.map() if value and value.kind == "mapping" else None
        method = keys.find("method") if keys else value
        out.method = method.one_of(METHODS) if method else "grid"
        if keys:
            points, seed = keys.find("points"), keys.find("seed")
            out.points = points.integer(1, MOST_POINTS) if points else 0
            out.sample_seed = seed.integer(0, 2**63) if seed else 1
            keys.finish()
        if value and out.method != "grid" and out.points == 0:
            value.error(f"{out.method} needs points, expected {{method: {out.method}, points: 50, seed: 1}}")
        if value and out.method == "grid" and out.points != 0:
            value.error("a grid has as many points as it has, expected no points here")

    def search(self, value: Optional[Value], out: SweepFile) -> Optional[Search]:
        if value is None:
            self.check_grid(out)
            return None
        keys = value.map()
        trials, sampler, seed, batch = (keys.find(k) for k in ("trials", "sampler", "seed", "batch"))
        objectives, weights = keys.find("objectives"), keys.find("weights")
        keys.finish()
        if out.listed or not out.parameters:
            value.error("a search takes its points from parameters or variants alone, expected these and no list")
        if max(len(out.workloads), len(out.asics), len(out.modes), len(out.seeds)) > 1:
            value.error("a search is over parameters and variants, expected one workload, asic, mode and seed")
        goals = tuple(Objective(name, v.one_of(("minimize", "maximize")), v.place)
                      for name, v in (entries(objectives)))
        if not goals:
            value.error("the key objectives is missing, expected {METRIC: minimize or maximize}")
        return Search(trials.integer(1, MOST_POINTS) if trials else 100, sampler.one_of(SAMPLERS) if sampler else "nsga2",
                      seed.integer(0, 2**32 - 1) if seed else 1, batch.integer(1, 10000) if batch else 8,
                      goals, self.path(weights.text()) if weights else "")

    @staticmethod
    def check_grid(out: SweepFile) -> None:
        if out.method != "grid":
            return
        diagnostics = out.document.diagnostics
        for parameter in out.parameters:
            if parameter.range and not parameter.range.count and not parameter.range.step:
                diagnostics.error(parameter.range_place, f"parameters.{parameter.name}", "a range in a grid needs count or step")
        if diagnostics.messages:
            return
        points = len(out.workloads) * max(1, len(out.asics)) * max(1, len(out.modes)) * max(1, len(out.seeds))
        for parameter in out.parameters:
            points *= len(parameter.levels())
            if points > MOST_POINTS:
                diagnostics.error(None, out.name, f"the grid has more than {MOST_POINTS} points")
                return

    @staticmethod
    def running(top: Map, out: SweepFile) -> None:
        timeout, retries, most = top.find("timeout_seconds"), top.find("retries"), top.find("max_cycles")
        if timeout:
            out.timeout = float(timeout.number())
            if out.timeout <= 0:
                timeout.error("expected more than 0 s")
        if retries:
            out.retries = retries.integer(0, 100)
        if most:
            out.options = ("--max-cycles", str(most.integer(1, 2**63)))
        profile = top.find("series_cycles")
        if profile:
            out.series = profile.integer(1, 2**32)
            out.options += ("--series", str(out.series))

    @staticmethod
    def reporting(top: Map, out: SweepFile) -> None:
        title, question, same = top.find("title"), top.find("question"), top.find("same_work")
        out.title, out.question = _line(title), _line(question)
        out.same_work = same is not None and same.one_of(("true", "false")) == "true"
        if same and out.same_work and len(out.workloads) < 2:
            same.error("compares workloads, expected two or more of them")


def _line(value: Optional[Value]) -> str:
    """A text of one line or of several, as one."""
    return " ".join(value.text().split()) if value else ""
