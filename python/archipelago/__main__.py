# SPDX-License-Identifier: Apache-2.0
"""`archipelago sweep|report|profile|regress|tracediff …`, which the C++ command hands over to here."""

from __future__ import annotations

import importlib
import os
import sys

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
    try:
        with writing(f"archipelago {arguments[0]}"):
            status: int = importlib.import_module(SUBCOMMANDS[arguments[0]]).main(arguments[1:])
            sys.stdout.flush()
        return status
    except Refused as error:
        print(error, file=sys.stderr)
        if isinstance(error.__cause__, OSError):
            _drop_output()
        return error.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `| head`
        _drop_output()
        return BAD_USAGE


def _drop_output() -> None:
    """Python writes what is left of it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
