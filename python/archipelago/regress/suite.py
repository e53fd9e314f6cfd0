# SPDX-License-Identifier: Apache-2.0
"""What is compared: a user's suite as `regress.yaml` says; scripts/regress has the project's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Protocol

from archipelago.errors import Refused, writing
from archipelago.job import Job
from archipelago.regress import golden as goldens
from archipelago.yaml_file import Map, load

FILE = "regress.yaml"


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


class UserSuite:
    """Of a folder with a regress.yaml."""
    rebase_hint = 'when intended: archipelago regress rebase --reason "why"'

    def __init__(self, file: Path):
        self._folder = file.parent
        top = load(file).root.map()
        diagnostics = top.value.diagnostics
        self._asics = self._texts(top, "asics") or ["tahiti"]
        self._modes = [v.one_of(("cycle", "functional")) for v in self._items(top, "modes")] or ["cycle"]
        self._workloads = self._files(top)
        golden, counters, timelines = top.find("golden"), top.find("counters"), top.find("timelines")
        self.golden = self._folder / (golden.text() if golden else "golden")
        self._selection = goldens.read_selection(self._folder / counters.text()) if counters else None
        self.keeps_timelines = timelines is None or timelines.one_of(("true", "false")) == "true"
        top.finish()
        diagnostics.raise_if_any()

    @staticmethod
    def _items(top: Map, key: str) -> list[Any]:
        found = top.find(key)
        return found.items() if found else []

    def _texts(self, top: Map, key: str) -> list[str]:
        return [v.text() for v in self._items(top, key)]

    def _files(self, top: Map) -> list[Path]:
        out = []
        for value in self._items(top, "workloads"):
            found = [p for p in sorted(self._folder.glob(value.text())) if p.name != FILE]
            if not found:
                value.error(f"no file is called {value.text()}")
            out += found
        if not out:
            top.value.error("the key workloads is missing, expected files or patterns, as *.yaml")
        return list(dict.fromkeys(out))

    def targets(self) -> list[Target]:
        return [Target(Path(chip).stem, mode) for chip in self._asics for mode in self._modes]

    def chip(self, target: Target) -> str:
        [found] = [c for c in self._asics if Path(c).stem == target.chip]
        return str(self._folder / found) if found.endswith(".yaml") else found

    def cases(self, target: Target) -> list[Case]:
        chip = self.chip(target)
        return [Case(str(path.relative_to(self._folder).with_suffix("")), Job(str(path), chip, mode=target.mode))
                for path in self._workloads]

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
"""


def init(folder: Path, workloads: list[str], asics: list[str]) -> Path:
    path = folder / FILE
    if path.exists():
        raise Refused(f"{path} is there already")
    with writing(path):
        path.write_text(TEMPLATE.format(workloads=", ".join(f'"{w}"' for w in workloads), asics=", ".join(asics)))
    return path
