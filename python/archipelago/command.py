# SPDX-License-Identifier: Apache-2.0
"""The C++ command: where it is, what it is, and what it says of a point before it runs."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any, Iterable, Union

from archipelago.errors import Refused, writing

_HERE = Path(__file__).resolve().parent
# From the package: in an installation lib/python3/dist-packages/archipelago, in the sources python/archipelago.
_BESIDE = (_HERE.parents[3] / "bin" / "archipelago", _HERE.parents[1] / "build" / "release" / "archipelago")


def find() -> str:
    """The command that started this package, one in PATH, or the one installed or built beside the package."""
    named = os.environ.get("ARCHIPELAGO_COMMAND")
    if named:
        return usable(named, "ARCHIPELAGO_COMMAND: ")
    in_path = shutil.which("archipelago")
    if in_path:
        return os.path.abspath(in_path)
    for path in _BESIDE:
        if os.access(path, os.X_OK):
            return str(path)
    raise Refused("no command archipelago: build it, put it into PATH or set ARCHIPELAGO_COMMAND")


def usable(path: str, named_by: str = "") -> str:
    """A program of that path or name, for a run in any folder."""
    found = shutil.which(path)
    if not found:
        raise Refused(f"{named_by}no program {path}: build it, or name another")
    return os.path.abspath(found)


@functools.lru_cache(maxsize=None)
def version(command: str) -> str:
    """Of results: another program may give others, whatever it calls itself."""
    said = _run([command, "--version"], f"{command} --version").strip()
    return f"{said} ({hashlib.sha256(Path(command).read_bytes()).hexdigest()[:12]})"


def _run(words: list[str], what: str, **options: Any) -> str:
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    except OSError as error:
        raise Refused(f"{what}: {error}") from error
    if done.returncode != 0:
        raise Refused(f"{what}: {(done.stderr or done.stdout).strip() or f'exit status {done.returncode}'}")
    return done.stdout


def configs(command: str) -> Path:
    """The folder its chips come from."""
    found = re.match(r"chips \((.*)/asics\):", _run([command, "list"], "archipelago list"))
    if not found:
        raise Refused(f"{command} list names no folder of chips")
    return Path(found[1])


def fields_of(command: str, chip: str, assignments: Iterable[str] = ()) -> dict[str, str]:
    """Every field of the chip's description with its value."""
    settings = [word for assignment in assignments for word in ("--set", assignment)]
    said = _run([command, "describe", chip, "--fields", *settings], chip)
    return dict(re.findall(r"^(\S+): (.*?)   # ", said, re.M))


def check(command: str, requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answer of `archipelago check` to each request (workload, asic, code, options, set, mode, rtl, series): errors, or what
    it would run; with `reads`, every file that it would read."""
    lines = [json.dumps(request) for request in requests]
    out = _run([command, "check", "-"], "archipelago check", input="".join(line + "\n" for line in lines))
    # Not splitlines(): a name may have a character that is a line's end in Unicode alone.
    answers = [json.loads(line) for line in out.split("\n") if line]
    if len(answers) != len(lines):
        raise Refused(f"archipelago check: {len(answers)} answers to {len(lines)} requests")
    return answers


def compile_kernel(command: str, source: str, folder: Path, options: Iterable[str] = ()) -> Path:
    """The code object of OpenCL C or assembly, compiled with options that `check` has answered, in a file of `folder` that is named by its contents."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    stem = Path(source).stem
    part = folder / f"{stem}.{os.getpid()}.part"
    try:
        _run([command, "compile", source, "-o", str(part), *(f"--options={shlex.quote(o)}" for o in options)], source)
        path = folder / f"{stem}-{hashlib.sha256(part.read_bytes()).hexdigest()[:16]}.hsaco"
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def content_hash(inputs: Iterable[Union[str, Path]], folder: Union[str, Path]) -> str:
    """Of files, by their names relative to `folder`."""
    digest = hashlib.sha256()
    for path in sorted(os.fspath(p) for p in inputs):
        with open(path, "rb") as file:
            digest.update(f"{os.path.relpath(path, folder)} {hashlib.sha256(file.read()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]
