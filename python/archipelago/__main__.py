# SPDX-License-Identifier: Apache-2.0
"""`archipelago sweep|report|profile|regress|tracediff …`, which the C++ command hands over to here."""

from __future__ import annotations

import importlib
import os
import sys

from archipelago import stopping
from archipelago.errors import BAD_USAGE, Refused, writing

# name -> module with main(arguments) -> exit status
SUBCOMMANDS = {
    "sweep": "archipelago.sweep.cli",
    "report": "archipelago.report.cli",
    "profile": "archipelago.profile",
    "regress": "archipelago.regress.cli",
    "tracediff": "archipelago.tracediff",
    "rtl": "archipelago.rtl",
}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in SUBCOMMANDS:
        print(f"usage: archipelago {'|'.join(SUBCOMMANDS)} …", file=sys.stderr)
        return BAD_USAGE
    stopping.listen()
    try:
        refuse_empty(arguments)
        with writing("standard output"):  # other files are named by their errors
            status: int = importlib.import_module(SUBCOMMANDS[arguments[0]]).main(arguments[1:])
            sys.stdout.flush()
        return status
    except Refused as error:
        print(error, file=sys.stderr)
        if isinstance(error.__cause__, OSError):
            _drop_output()
        return error.status
    except KeyboardInterrupt as stop:
        print(f"archipelago {arguments[0]}: stopped by the user{''.join(f'; {more}' for more in stop.args)}", file=sys.stderr)
        return stopping.STATUS
    except BrokenPipeError:  # `| head`
        _drop_output()
        return BAD_USAGE


def refuse_empty(arguments: list[str]) -> None:
    """An empty value, which an unset variable of a shell leaves, is not taken for an option not given."""
    for before, argument in zip([""] + arguments, arguments):
        option = before if before.startswith("-") else "an argument"
        if not argument or (argument.startswith("--") and argument.endswith("=")):
            raise Refused(f"{argument.rstrip('=') or option}: is empty, expected a value")


def hold_standard_streams() -> None:
    """Opens those that are closed, the wrong way round: reading and writing them fails, and no other file takes their numbers.
    (The C++ command has done so where it started this.)"""
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _drop_output() -> None:
    """Python writes what is left of it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    hold_standard_streams()
    sys.exit(main(sys.argv[1:]))
