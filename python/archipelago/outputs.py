# SPDX-License-Identifier: Apache-2.0
"""Files that a command is to write, looked at before it runs: the rules and words of the C++ command (check_outputs())."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence, Union

from archipelago.errors import Refused

PathLike = Union[str, "os.PathLike[str]"]


def check_outputs(outputs: Sequence[tuple[str, str]], inputs: Iterable[PathLike], dumps: Iterable[PathLike] = ()) -> None:
    """Refuses an output (option, path; an empty path is none) that cannot be written, would overwrite a file that is read or
    that a workload dumps into, or is that of another option. Devices and pipes may be all of them."""
    read, dumped = _canonical(inputs), _canonical(dumps)
    options: dict[str, str] = {}  # by file
    for option, path in outputs:
        if not path:
            continue
        fault = _fault(path)
        if fault:
            raise Refused(f"{option} {path}: {fault}")
        if os.path.exists(path) and not os.path.isfile(path):
            continue
        file = os.path.realpath(path)
        if file in read:
            raise Refused(f'{option} {path}: would overwrite "{file}", which the command reads')
        if file in dumped:
            raise Refused(f'{option} {path}: would overwrite "{file}", a dump of the workload')
        other = options.setdefault(file, option)
        if other != option:
            raise Refused(f"{option} {path}: writes the same file as {other}")


def check_folder(option: str, path: str) -> None:
    """Refuses a folder for outputs that stands below a file, or where one is; it need not be there."""
    if not path:
        return
    for folder in (Path(path), *Path(path).parents):
        if folder.exists():
            if not folder.is_dir():
                raise Refused(f"{option} {path}: {folder} is a file, expected a directory")
            return


def answered_files(answers: Iterable[Mapping[str, Any]], key: str) -> list[str]:
    """Those that answers of `archipelago check` have under `inputs` or `outputs`."""
    return [file for answer in answers for file in answer.get(key, ())]


def _fault(path: str) -> str:
    if path == "-":
        return "is not standard output here, expected a file (/dev/stdout, ./-)"
    if not os.path.isdir(os.path.dirname(path) or "."):
        return "no such directory"
    return "is a directory, expected a file to write" if os.path.isdir(path) else ""


def _canonical(files: Iterable[PathLike]) -> set[str]:
    return {os.path.realpath(file) for file in files if os.fspath(file)}
