# SPDX-License-Identifier: Apache-2.0
"""What ends a command, and how a missing module is told."""

from __future__ import annotations

import importlib
import os
from contextlib import contextmanager
from types import ModuleType
from typing import Iterator, Union

# Exit statuses, those of the C++ command.
DONE, FAILED, BAD_USAGE, MACHINE_STOPPED = 0, 1, 2, 3


class Refused(Exception):
    """Bad usage, bad input or a file that cannot be written: the message says all. `status`: to exit with."""

    def __init__(self, message: str, status: int = BAD_USAGE) -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def writing(path: Union[str, "os.PathLike[str]"], kept: str = "") -> Iterator[None]:
    """Tells what cannot be written in words; `kept`: what is not lost with it. Errors of opening name their file, those of
    writing (a full disk) do not."""
    try:
        yield
    except BrokenPipeError:  # who reads it has had enough
        raise
    except OSError as error:
        raise Refused(f"{error.filename or path}: {error.strerror}{kept}") from error


# What the optional modules are for, and where they come from.
_PACKAGES = {
    "yaml": "python3-yaml",
    "google": "python3-protobuf",
    "pandas": "python3-pandas",
    "matplotlib": "python3-matplotlib",
    "optuna": "python3-optuna",
    "distributed": "python3-distributed",
}


def needs(module: str, purpose: str) -> ModuleType:
    """Imports a module the package does not need everywhere."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Refused(f"{purpose} needs the Python module {module} ({error}): "
                      f"install the Debian package {_PACKAGES[module.partition('.')[0]]}") from error
