# SPDX-License-Identifier: Apache-2.0
"""What is compared: a user's suite as `regress.yaml` says; scripts/regress has the project's own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Protocol

from archipelago import command as cmd
from archipelago.errors import Refused
from archipelago.files import written
from archipelago.job import Job
from archipelago.regress import golden as goldens
from archipelago.regress import tolerance as tolerances
from archipelago.regress.tolerance import Tolerance
from archipelago.yaml_file import Map, Value, load

FILE = "regress.yaml"
GOLDEN = "golden"  # folder, unless the file names another


@dataclass(frozen=True)
class Target:
    """What has a golden file of its own."""
    chip: str          # as the file is called
    mode: str = "cycle"

    @property
    def name(self) -> str:
        """Of its golden file."""
        return self.chip if self.mode == "cycle" else f"{self.chip}.{self.mode}"


@dataclass(frozen=True)
class Case:
    name: str
    job: Job


class Suite(Protocol):
    golden: Path
    rebase_hint: str
    keeps_timelines: bool   # and configurations, beside the golden files

    def targets(self) -> list[Target]: ...
    def cases(self, target: Target) -> list[Case]: ...
    def chip(self, target: Target) -> str: ...
    def counters(self, target: Target) -> Callable[[dict[str, Any]], dict[str, dict[str, int]]]: ...
    def tolerance(self) -> Tolerance: ...


class UserSuite:
    """Of a folder with a regress.yaml."""
    rebase_hint = 'when intended: archipelago regress rebase --reason "why"'

    def __init__(self, file: Path):
        self._folder = file.parent
        top = load(file).root.map()
        diagnostics = top.value.diagnostics
        asics, modes = self._items(top, "asics"), self._items(top, "modes")
        self._asics = [v.text() for v in asics] or ["tahiti"]
        self._modes = [v.one_of(("cycle", "functional")) for v in modes] or ["cycle"]
        self._check_names(asics, modes)
        self._chips_at, self._diagnostics = asics, diagnostics
        self.workloads = self._files(top)
        golden, counters, timelines = top.find("golden"), top.find("counters"), top.find("timelines")
        self.golden = self._folder / (golden.text() if golden else GOLDEN)
        self.inputs = [file, *self.workloads]  # what it names, but for chips
        if counters:
            self.inputs.append(self._folder / counters.text())
        self._selection = goldens.read_selection(self.inputs[-1]) if counters else None
        tolerated = top.find("tolerance")
        self._tolerance = (tolerances.read(tolerated, [self._name(path) for path in self.workloads]) if tolerated
                           else Tolerance())
        self.keeps_timelines = timelines is None or timelines.one_of(("true", "false")) == "true"
        top.finish()
        diagnostics.raise_if_any()

    @staticmethod
    def _items(top: Map, key: str) -> list[Value]:
        found = top.find(key)
        items = found.items() if found else []
        if found and not items:
            found.error("is empty, expected at least one")
        return items

    def _check_names(self, asics: list[Value], modes: list[Value]) -> None:
        """Each chip and mode has a golden file of its own name."""
        taken: dict[str, str] = {}  # by name: the chip as it is written
        for mode in dict.fromkeys(self._modes):
            for value, chip in zip(asics, self._asics):
                name = Target(Path(chip).stem, mode).name
                if name in taken:
                    value.error("is given twice" if taken[name] == chip else
                                f"would have the golden file of {taken[name]}, {name}.json, expected another name of the file")
                taken.setdefault(name, chip)
        for i, value in enumerate(modes):
            if self._modes[i] in self._modes[:i]:
                value.error("is given twice")

    def check_chips(self, command: str) -> None:
        """Refuses the file when one of its chips cannot be loaded, before a workload runs."""
        answers = cmd.check(command, [{"asic": self.chip(Target(Path(chip).stem))} for chip in self._asics])
        for value, answer in zip(self._chips_at, answers):
            for error in answer.get("errors", ()):
                value.error(error)
        self._diagnostics.raise_if_any()

    def _files(self, top: Map) -> list[Path]:
        out: dict[str, Path] = {}  # by name
        if top.find("workloads") is None:
            top.value.error("the key workloads is missing, expected files or patterns, as *.yaml")
        for value in self._items(top, "workloads"):
            for path in self._found(value):
                other = out.setdefault(self._name(path), path)
                if other != path:
                    value.error(f"{path} and {other} have one name in the golden files, expected two")
        return list(out.values())

    def _found(self, value: Value) -> list[Path]:
        pattern = value.text()
        if not pattern:
            return []
        if Path(pattern).is_absolute():
            value.error(f"{pattern} begins at the root, expected a file or pattern seen from {self._folder}")
            return []
        try:
            found = [p for p in sorted(self._folder.glob(pattern)) if p.name != FILE]
        except (ValueError, OSError) as error:
            value.error(f"{pattern} is no pattern: {error}")
            return []
        if not found:
            value.error(f"no file is called {pattern}")
        return found

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._folder).with_suffix(""))

    def targets(self) -> list[Target]:
        return [Target(Path(chip).stem, mode) for chip in self._asics for mode in self._modes]

    def chip(self, target: Target) -> str:
        [found] = [c for c in self._asics if Path(c).stem == target.chip]
        return str(self._folder / found) if found.endswith(".yaml") else found

    def cases(self, target: Target) -> list[Case]:
        chip = self.chip(target)
        return [Case(self._name(path), Job(str(path), chip, mode=target.mode)) for path in self.workloads]

    def tolerance(self) -> Tolerance:
        return self._tolerance

    def counters(self, target: Target) -> Callable[[dict[str, Any]], dict[str, dict[str, int]]]:
        selection = self._selection
        if selection is None:
            return goldens.all_counters
        chosen = selection
        return lambda stats: goldens.selected_counters(stats, chosen)


TEMPLATE = """\
# Of `archipelago regress`: what the workloads cost on these chips, compared exactly with the files in `golden`.
workloads: [{workloads}]   # files or patterns
asics: [{asics}]           # names or files
modes: [cycle]
golden: golden
timelines: true            # keeps them, too: a difference then shows its first event
# tolerance: {{"draws*": {{cycles: 0.5 %}}}}   # what may differ; else nothing
"""


def init(folder: Path, workloads: list[str], asics: list[str]) -> Path:
    path = folder / FILE
    if path.exists():
        raise Refused(f"{path} exists already")

    def quoted(names: list[str]) -> str:
        return ", ".join(json.dumps(name, ensure_ascii=False) for name in names)

    with written(path) as file:
        file.write(TEMPLATE.format(workloads=quoted(workloads), asics=quoted(asics)))
    return path
