# SPDX-License-Identifier: Apache-2.0
"""From a sweep file to points that are known to be valid, or known why they are not. The command itself checks every
one (`archipelago check`), so there is no second list of what a chip accepts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Optional

from archipelago import command as cmd
from archipelago.errors import Refused
from archipelago.job import Job
from archipelago.outputs import answered_files
from archipelago.sweep import search
from archipelago.sweep.file import Item, SweepFile
from archipelago.sweep.space import Assignment, Setting
from archipelago.yaml_file import Diagnostics, Place


@dataclass
class Point:
    """One run, or an invalid combination."""
    workload: Item
    asic: Item
    mode: str
    seed: int
    settings: Assignment
    set: tuple[str, ...]
    rtl: tuple[str, ...] = ()  # BLOCK or BLOCK=FILE
    options: tuple[str, ...] = ()  # of the kernel's compilation, after the workload's own
    chip: str = ""            # the name the description has
    config_hash: str = ""
    workload_hash: str = ""
    key: str = ""             # what a known result is known by
    job: Optional[Job] = None
    invalid: str = ""         # why it is


@dataclass
class Plan:
    file: SweepFile
    command: str
    version: str
    code_folder: Path
    points: list[Point] = field(default_factory=list)
    inputs: set[str] = field(default_factory=set)   # files that its runs read
    dumps: set[str] = field(default_factory=set)    # and write
    names: dict[str, str] = field(default_factory=dict)  # of workloads that have one of their own, beside their file's
    _code: dict[tuple[str, ...], str] = field(default_factory=dict)    # source and its options -> object
    _hashes: dict[tuple[str, ...], str] = field(default_factory=dict)

    def add(self, assignments: Iterable[Assignment]) -> list[Point]:
        """Points of every assignment on every workload, chip, mode and seed, checked."""
        common = tuple(a for s in self.file.common for a in s.assignments)
        verilog = tuple(r for s in self.file.common for r in s.rtl)
        options = tuple(o for s in self.file.common for o in s.options)
        new = [Point(w, c, mode, seed, settings, common + tuple(a for s in settings.values() for a in s.assignments),
                     verilog + tuple(r for s in settings.values() for r in s.rtl),
                     options + tuple(o for s in settings.values() for o in s.options))
               for settings in assignments for w in self.file.workloads for c in self.file.asics
               for mode in self.file.modes for seed in self.file.seeds]
        answers = self._check([self.request(p) for p in new])
        for point, answer in zip(new, answers):
            if "errors" in answer:
                point.invalid = "\n".join(answer["errors"])
            else:
                self._complete(point, answer)
        self.points += new
        return new

    def request(self, p: Point) -> dict[str, Any]:
        return _request(p.workload, p.asic, p.set, p.rtl, p.mode, self.file.series, _compilation(self.file, p.options))

    def _check(self, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Equal ones once: seeds do not matter."""
        known = {repr(r): r for r in requests}
        answers = dict(zip(known, cmd.check(self.command, known.values())))
        return [answers[repr(r)] for r in requests]

    def _complete(self, point: Point, answer: dict[str, Any]) -> None:
        try:
            objects = [self._object(code["file"], tuple(code["options"])) for code in answer["codes"]]
        except Refused as error:
            if not point.options:
                raise
            point.invalid = str(error)
            return
        self.inputs |= set(answered_files([answer], "inputs"))
        self.dumps |= set(answered_files([answer], "outputs"))
        if answer["name"] != Path(point.workload.value).name:
            self.names[point.workload.label] = answer["name"]
        point.chip, point.config_hash = answer["asic"], answer["config_hash"]
        point.workload_hash = self._workload_hash(point.workload.value, answer["inputs"], objects)
        options = self.file.options + tuple(word for block in point.rtl for word in ("--rtl", block))
        options_known = options + tuple(_contents(block) for block in point.rtl)
        identity = (point.config_hash, point.workload_hash, self.version, point.mode, str(point.seed), *options_known)
        point.key = hashlib.sha256("\n".join(identity).encode()).hexdigest()[:32]
        code = tuple(word for o in objects for word in ("--code", o))
        point.job = Job(point.workload.value, point.asic.value, point.set, point.mode, point.seed, options=options + code,
                        timeout=self.file.timeout)

    def _object(self, code: str, options: tuple[str, ...]) -> str:
        """Kernels in source are compiled once with the same options, not by every run; others are objects."""
        if not code.endswith((".cl", ".s")):
            return code
        key = (code, *options)
        if key not in self._code:
            self._code[key] = str(cmd.compile_kernel(self.command, code, self.code_folder, options))
        return self._code[key]

    def _workload_hash(self, workload: str, inputs: list[str], objects: list[str]) -> str:
        key = (workload, *objects)
        if key not in self._hashes:
            files = cmd.content_hash(inputs, Path(workload).parent.resolve())
            # A compiled object is named by its contents; the folder it is in, by the database.
            made = [Path(o).name for o in objects if o in self._code.values()]
            self._hashes[key] = hashlib.sha256(" ".join([files, *made]).encode()).hexdigest()[:16] if made else files
        return self._hashes[key]


def _contents(block: str) -> str:
    """Of Verilog that stands in a block's place: a description stands for its library."""
    path = Path(block.partition("=")[2])
    if path.suffix in (".yaml", ".yml"):
        path = path.with_suffix(".so")
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _request(workload: Optional[Item], asic: Item, assignments: Iterable[str], rtl: Iterable[str] = (), mode: str = "cycle",
             series: int = 0, compilation: Optional[dict[str, Any]] = None) -> dict[str, Any]:
    request: dict[str, Any] = {"set": list(assignments), "rtl": list(rtl), "mode": mode, "series": series}
    if workload:
        request["workload"] = workload.value
        request.update(compilation or {})
    if asic.value:
        request["asic"] = asic.value
    return request


def _compilation(file: SweepFile, options: Iterable[str]) -> dict[str, Any]:
    """What a request says of it: folders of its options are relative to the sweep file."""
    words = list(options)
    return {"options": words, "options_folder": str(file.folder)} if words else {}


def _compiled(file: SweepFile, setting: Setting) -> Optional[Item]:
    """What options of a setting can be tried on."""
    return file.workloads[0] if setting.options else None


def make(file: SweepFile, command: str, code_folder: Path) -> Plan:
    """The points of a sweep file. Raises Refused with every fault of the file: a value that no valid point has and that
    is refused alone, too. What is refused in combination only is an invalid point."""
    plan = Plan(file, command, cmd.version(command), code_folder)
    if file.search:
        search.check(file)
        plan_of_levels = [{p.name: s} for p in file.parameters for s in _ends(p)]
        plan.add(plan_of_levels)
        _judge(plan)
        plan.points = []
        return plan
    plan.add(file.assignments())
    _judge(plan)
    return plan


def _ends(parameter: Any) -> list[Setting]:
    return [parameter.at(0.0), parameter.at(0.999999)] if parameter.range else list(parameter.choices)


@dataclass
class _Suspect:
    """Part of a sweep file that no valid point has: is it refused alone?"""
    request: dict[str, Any]
    place: Optional[Place]
    path: str
    setting: Optional[Setting] = None
    key: Optional[Place] = None  # of the setting's parameter


def _suspects(plan: Plan, valid: list[Point], chip: Item) -> list[_Suspect]:
    """`chip`: one that is valid, to try the others on."""
    file, common = plan.file, [a for s in plan.file.common for a in s.assignments]
    options = [o for s in file.common for o in s.options]
    out = [] if valid else [_Suspect(_request(_compiled(file, s), chip, s.assignments, s.rtl,
                                              compilation=_compilation(file, s.options)), s.place, "set", s) for s in file.common]
    out += [_Suspect(_request(workload, chip, common), workload.place, "workload")
            for workload in file.workloads if not any(p.workload == workload for p in valid)]
    # Of a range, which may have thousands of values, one is enough.
    unused = {s.place: (name, s) for p in plan.points for name, s in p.settings.items()}
    for point in valid:
        for setting in point.settings.values():
            unused.pop(setting.place, None)
    keys = {p.name: p.place for p in file.parameters}
    # A workload may name the chip.
    runs = next((p.workload for p in valid), None)
    return out + [_Suspect(_request(runs or _compiled(file, s), chip, [*common, *s.assignments], s.rtl,
                                    compilation=_compilation(file, [*options, *s.options])), s.place, name, s, keys.get(name))
                  for name, s in unused.values()]


def _judge(plan: Plan) -> None:
    diagnostics = plan.file.document.diagnostics
    valid = [p for p in plan.points if not p.invalid]

    def try_all(suspects: list[_Suspect]) -> list[bool]:
        """Reports what is wrong; which are right."""
        answers = cmd.check(plan.command, [s.request for s in suspects])
        for suspect, answer in zip(suspects, answers):
            for error in answer.get("errors", []):
                _report(diagnostics, error, suspect)
        return ["errors" not in answer for answer in answers]

    chips = plan.file.asics
    right = [c for c, ok in zip(chips, try_all([_Suspect(_request(None, c, ()), c.place, "asic") for c in chips])) if ok]
    if right:
        try_all(_suspects(plan, valid, right[0]))
    diagnostics.raise_if_any()
    if plan.points and not valid:
        raise Refused(f"{plan.file.name}: no point is valid, the first because: {plan.points[0].invalid}")


def _report(diagnostics: Diagnostics, error: str, suspect: _Suspect) -> None:
    """An error of an override gets the place it has in the sweep file."""
    if suspect.setting and error.startswith("--set: "):
        of_key = suspect.key if "unknown key" in error else None
        diagnostics.error(of_key or suspect.place, "", error[len("--set: "):])
    else:
        diagnostics.error(suspect.place, suspect.path, error.removeprefix("--rtl ").removeprefix("--options: "))
