# SPDX-License-Identifier: Apache-2.0
"""`archipelago sweep|report|profile|regress|tracediff …`, which the C++ command hands over to here."""

from __future__ import annotations

import importlib
import os
import sys

from archipelago.errors import BAD_USAGE, Refused

# name -> module with main(arguments) -> exit status
SUBCOMMANDS = {
    "sweep": "archipelago.sweep.cli",
    "report": "archipelago.report.cli",
    "profile": "archipelago.profile",
    "regress": "archipelago.regress.cli",
    "tracediff": "archipelago.tracediff",
}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in SUBCOMMANDS:
        print(f"usage: archipelago {'|'.join(SUBCOMMANDS)} …", file=sys.stderr)
        return BAD_USAGE
    try:
        return importlib.import_module(SUBCOMMANDS[arguments[0]]).main(arguments[1:])
    except Refused as error:
        print(error, file=sys.stderr)
        return BAD_USAGE
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
