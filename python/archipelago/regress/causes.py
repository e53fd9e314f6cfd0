# SPDX-License-Identifier: Apache-2.0
"""Where a difference comes from: the fields of the chip that changed, and the first event that did. Both need what the
golden results were made with: files kept beside them, or another command to make it again. Whole timelines are too large for
git, which is to ignore their folder; their digests are small, and say where to look."""

from __future__ import annotations

import lzma
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Iterable, Optional

from archipelago import job as jobs
from archipelago import tracediff
from archipelago.command import fields_of
from archipelago.errors import Refused, writing
from archipelago.files import written
from archipelago.job import Job
from archipelago.regress import digest
from archipelago.regress.golden import GoldenError
from archipelago.regress.suite import Case, Suite, Target
from archipelago.timeline import read

TIMELINES = "timelines"  # folder beside the golden files


def _fields_file(suite: Suite, target: Target) -> Path:
    return suite.golden / f"{target.chip}.fields"


def _digests_file(suite: Suite, target: Target) -> Path:
    return suite.golden / f"{target.name}.timelines"


def _timeline_file(suite: Suite, target: Target, workload: str) -> Path:
    return suite.golden / TIMELINES / target.name / f"{workload}.perfetto-trace.xz"


def _record(command: str, job: Job, trace: Path) -> None:
    options = (*job.options, "--trace", str(trace))
    outcome = jobs.run(command, replace(job, options=(*options, "--trace-limit", "0")))
    if outcome.status == jobs.BAD_INPUT and "--trace-limit" in outcome.report:  # an older command
        outcome = jobs.run(command, replace(job, options=options))
    if outcome.status != jobs.DONE:
        raise Refused(f"{job.workload}: no timeline: {outcome.report.strip()}")


def keep(suite: Suite, command: str, target: Target, cases: Iterable[Case]) -> None:
    """Beside the golden file of the target, as it is rebased."""
    lines = [f"{path}: {value}\n" for path, value in fields_of(command, suite.chip(target)).items()]
    with written(_fields_file(suite, target)) as file:
        file.writelines(lines)
    if target.mode != "cycle":
        return
    try:
        digests = digest.read(_digests_file(suite, target))
    except GoldenError:
        digests = {}  # made anew with all of the suite
    for case in cases:
        path = _timeline_file(suite, target, case.name)
        with writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        _ignore(suite.golden / TIMELINES)
        with tempfile.TemporaryDirectory(prefix="archipelago-regress-") as scratch:
            trace = Path(scratch) / "trace"
            _record(command, case.job, trace)
            with written(path, "wb") as file:
                file.write(lzma.compress(trace.read_bytes(), preset=1))
            digests[case.name] = digest.digest_of(read(trace))
    digest.write(_digests_file(suite, target), digests)


def _ignore(folder: Path) -> None:
    """Git takes none of its files."""
    path = folder / ".gitignore"
    if not path.exists():
        with written(path) as file:
            file.write("*\n")


def drop(suite: Suite, target: Target, names: Iterable[str]) -> None:
    """The timelines of workloads that have gone, with folders that are empty then."""
    gone = list(names)
    path = _digests_file(suite, target)
    if gone and path.exists():
        digest.write(path, {name: kept for name, kept in digest.read(path).items() if name not in gone})
    for name in gone:
        path = _timeline_file(suite, target, name)
        with writing(path):
            path.unlink(missing_ok=True)
            for folder in path.parents:
                if folder == suite.golden / TIMELINES or not folder.is_dir() or any(folder.iterdir()):
                    break
                folder.rmdir()


def damaged(suite: Suite, target: Target, cases: Iterable[Case]) -> list[Case]:
    """Those whose timeline is there and cannot be read."""
    return [case for case in cases if target.mode == "cycle" and not _can_be_read(_timeline_file(suite, target, case.name))]


def _can_be_read(path: Path) -> bool:
    try:
        return not path.exists() or bool(lzma.decompress(path.read_bytes()))
    except (OSError, EOFError, lzma.LZMAError):
        return False


def changed_fields(suite: Suite, command: str, against: str, target: Target) -> list[str]:
    """`path old -> new` of each, when the golden results' are known. Raises GoldenError for kept ones that cannot be read."""
    file = _fields_file(suite, target)
    if against:
        old = fields_of(against, suite.chip(target))
    elif file.exists():
        try:
            old = dict(re.findall(r"^(\S+): (.*)$", file.read_text(), re.M))
        except (OSError, ValueError) as error:
            raise GoldenError(f"{file}: {error.strerror if isinstance(error, OSError) else 'is no text'}") from error
    else:
        return []
    new = fields_of(command, suite.chip(target))
    return [f"{path} {old.get(path, 'absent')} -> {new.get(path, 'absent')}"
            for path in sorted(old.keys() | new.keys()) if old.get(path) != new.get(path)]


def first_event(suite: Suite, command: str, against: str, target: Target, case: Case) -> Optional[str]:
    """Of the golden timeline and one that is made now, in words; where the golden one is not here, by its digest. None: they are
    the same, or there is none. Raises GoldenError for a kept one that cannot be read."""
    if target.mode != "cycle":
        return None
    kept = _timeline_file(suite, target, case.name)
    if not (against or kept.exists()):
        return _by_digest(suite, command, target, case)
    with tempfile.TemporaryDirectory(prefix="archipelago-regress-") as scratch:
        old, new = kept, Path(scratch) / "new"
        if against:
            old = Path(scratch) / "old"
            _record(against, case.job, old)
        golden = _read_golden(old)
        _record(command, case.job, new)
        found = tracediff.compare(golden, read(new))
    return str(found[0]) if found else None


def _by_digest(suite: Suite, command: str, target: Target, case: Case) -> Optional[str]:
    old = digest.read(_digests_file(suite, target)).get(case.name)
    if old is None:
        return None
    with tempfile.TemporaryDirectory(prefix="archipelago-regress-") as scratch:
        _record(command, case.job, Path(scratch) / "new")
        return digest.first_difference(old, read(Path(scratch) / "new"))


def _read_golden(path: Path) -> tracediff.Rows:
    try:
        return read(path)
    except Refused as error:
        raise GoldenError(str(error)) from error
