# SPDX-License-Identifier: Apache-2.0
"""Takes results over as golden, with a reason that a reviewer reads beside the diff."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional

from archipelago.errors import Refused, writing
from archipelago.files import written
from archipelago.regress import golden as goldens
from archipelago.regress.compare import Comparison
from archipelago.regress.golden import Golden

LONGEST_REASON = 100
CHANGES = "CHANGES.md"


def bundled(reason: str) -> str:
    """Why this is not one reason; empty when it may be."""
    if not reason:
        return "it is empty"
    if len(reason) > LONGEST_REASON:
        return f"it has {len(reason)} characters, expected up to {LONGEST_REASON}"
    if re.search(r"[;\n]|\.\s", reason):
        return "it is more than one sentence"
    return ""


def _last_reason(text: str) -> str:
    return (re.findall(r"^## (.*)", text, re.M) or [""])[-1]


def _git(folder: Path, *words: str) -> Optional[str]:
    """What git prints; None when it fails or is missing."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def in_messages(folder: Path) -> bool:
    """Whether git ignores CHANGES.md: then it has the last rebase only, as text for the message of its commit."""
    return _git(folder, "check-ignore", CHANGES) is not None


def uncommitted(folder: Path) -> str:
    """The reason of a rebase that git does not have yet; empty when all are committed, or without git."""
    path = folder / CHANGES
    if not path.exists():
        return ""
    reason = _last_reason(path.read_text())
    if in_messages(folder):
        return reason if _git(folder, "status", "--porcelain", ".") else ""
    committed = _git(folder, "show", f"HEAD:./{CHANGES}")
    return reason if committed is not None and reason != _last_reason(committed) else ""


def check_reason(reason: str, folder: Path) -> None:
    wrong = bundled(reason)
    if wrong:
        raise Refused(f"a rebase needs a --reason why the cycles moved: {wrong}; each cause has a rebase of its own")
    before = uncommitted(folder)
    if before not in ("", reason):
        raise Refused(f'{CHANGES} has an uncommitted rebase, "{before}": commit it with its cause first; '
                      "its --reason again adds to it")
    if not before and in_messages(folder):
        (folder / CHANGES).unlink(missing_ok=True)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Refuses a second rebase of the golden files until this one has ended, however it ends."""
    was_there = folder.exists()
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"{folder}: another rebase is writing it") from None
        yield
    finally:
        os.close(held)
        if not was_there and not any(folder.iterdir()):
            folder.rmdir()


def _record(folder: Path, reason: str, line: str) -> None:
    """Appends to CHANGES.md, under the last entry when it has the same reason."""
    path = folder / CHANGES
    text = path.read_text() if path.exists() else ""
    if _last_reason(text) != reason:
        line = f"\n## {reason}\n{line}"
    with written(path) as file:
        file.write(text + line)


def change_line(old: Golden, new: Golden) -> str:
    """A golden file's line of an entry of CHANGES.md, wrapped; empty when nothing to tell."""
    changes = []
    for name in sorted(old.workloads.keys() & new.workloads.keys()):
        before, after = old.workloads[name], new.workloads[name]
        if before.cycles != after.cycles:
            changes.append(f"{name} {before.cycles} -> {after.cycles}")
        elif before != after:
            changes.append(f"{name} {after.cycles} (counters only)")
    changes += [f"{name} {new.workloads[name].cycles} (new)"
                for name in sorted(new.workloads.keys() - old.workloads.keys())]
    changes += [f"{name} gone" for name in sorted(old.workloads.keys() - new.workloads.keys())]
    if not changes:
        if old.config_hash == new.config_hash:
            return ""
        changes = ["no workload changed, configuration " + new.config_hash]
    return textwrap.fill(f"- {new.asic}: {'; '.join(changes)}", 100, subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False) + "\n"


def rebase(folder: Path, reason: str, c: Comparison, everything: bool) -> tuple[bool, str]:
    """Writes one golden file; whether it could, and what there is to say."""
    name, old, now = c.target.name, c.old, c.now
    if now.failed:
        return False, f"{name}: not rebased, a workload failed"
    if everything:
        new = Golden(name, now.config_hash, dict(now.entries))
    elif c.unreadable:
        return False, f"{name}: not rebased: its golden file cannot be read, and has other workloads; rebase all of the chip"
    else:
        kept = old.workloads.keys() - now.entries.keys()
        if kept and old.config_hash != now.config_hash:
            return False, (f"{name}: not rebased: the configuration is {now.config_hash}, the other entries "
                           f"are of {old.config_hash}; rebase all workloads of the chip")
        new = Golden(name, now.config_hash, {**old.workloads, **now.entries})
    line = change_line(old, new)
    if not line:
        return True, f"{name}: nothing to rebase"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        goldens.write(new, folder)
        _record(folder, reason, line)
    return True, f"{name}: rebased\n{textwrap.indent(line.rstrip(), '  ')}"
