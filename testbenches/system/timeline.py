#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a timeline that `archipelago run --trace` wrote; scripts here read it by the package's reader.

    timeline.py FILE [ROW-PREFIX...]      one line per slice and instant of these rows
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from archipelago.errors import Refused  # noqa: E402
from archipelago.timeline import Span, read  # noqa: E402

__all__ = ["Span", "read"]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a trace")
    parser.add_argument("prefix", nargs="*", default=[""], help="beginning of a row's path")
    a = parser.parse_args(arguments)
    try:
        rows = read(a.file, lambda p: p.startswith(tuple(a.prefix)))
    except Refused as error:
        parser.error(str(error))
    for path, spans in rows.items():
        for s in spans:
            print(f"{s.begin} {s.end} {path}: {s.name} [{s.detail}]"
                  + (f" flow {s.flow:#x}" if s.flow else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
