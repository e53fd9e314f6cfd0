# SPDX-License-Identifier: Apache-2.0
"""Where a difference comes from: the fields of the chip that changed, and the first event that did. Both need what the
golden results were made with: files kept beside them, or another command to make it again."""

from __future__ import annotations

import lzma
import re
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Iterable, Optional

from archipelago import job as jobs
from archipelago import tracediff
from archipelago.errors import Refused, writing
from archipelago.job import Job
from archipelago.regress.suite import Case, Suite, Target
from archipelago.timeline import read

Fields = dict[str, str]


def fields_of(command: str, chip: str) -> Fields:
    """Every field of the chip's description with its value."""
    done = subprocess.run([command, "describe", chip, "--fields"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Refused(f"{chip}: {done.stderr.strip()}")
    return dict(re.findall(r"^(\S+): (.*?)   # ", done.stdout, re.M))


def _fields_file(suite: Suite, target: Target) -> Path:
    return suite.golden / f"{target.chip}.fields"


def _timeline_file(suite: Suite, target: Target, case: Case) -> Path:
    return suite.golden / "timelines" / target.name / f"{case.name}.perfetto-trace.xz"


def _record(command: str, job: Job, trace: Path) -> None:
    outcome = jobs.run(command, replace(job, options=(*job.options, "--trace", str(trace))))
    if outcome.status != jobs.DONE:
        raise Refused(f"{job.workload}: no timeline: {outcome.report.strip()}")


def keep(suite: Suite, command: str, target: Target, cases: Iterable[Case]) -> None:
    """Beside the golden file of the target, as it is rebased."""
    lines = [f"{path}: {value}\n" for path, value in fields_of(command, suite.chip(target)).items()]
    with writing(_fields_file(suite, target)):
        _fields_file(suite, target).write_text("".join(lines))
    if target.mode != "cycle":
        return
    for case in cases:
        path = _timeline_file(suite, target, case)
        with writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="archipelago-regress-") as scratch:
            trace = Path(scratch) / "trace"
            _record(command, case.job, trace)
            with writing(path):
                path.write_bytes(lzma.compress(trace.read_bytes(), preset=1))


def changed_fields(suite: Suite, command: str, against: str, target: Target) -> list[str]:
    """`path old -> new` of each, when the golden results' are known."""
    file = _fields_file(suite, target)
    if against:
        old = fields_of(against, suite.chip(target))
    elif file.exists():
        old = dict(re.findall(r"^(\S+): (.*)$", file.read_text(), re.M))
    else:
        return []
    new = fields_of(command, suite.chip(target))
    return [f"{path} {old.get(path, 'absent')} -> {new.get(path, 'absent')}"
            for path in sorted(old.keys() | new.keys()) if old.get(path) != new.get(path)]


def first_event(suite: Suite, command: str, against: str, target: Target, case: Case) -> Optional[tracediff.Divergence]:
    """Of the golden timeline and one that is made now; None: they are the same, or there is none."""
    kept = _timeline_file(suite, target, case)
    if target.mode != "cycle" or not (against or kept.exists()):
        return None
    with tempfile.TemporaryDirectory(prefix="archipelago-regress-") as scratch:
        old, new = kept, Path(scratch) / "new"
        if against:
            old = Path(scratch) / "old"
            _record(against, case.job, old)
        _record(command, case.job, new)
        found = tracediff.compare(read(old), read(new))
    return found[0] if found else None
