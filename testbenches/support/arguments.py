# SPDX-License-Identifier: Apache-2.0
"""Command-line arguments of the scripts: help and errors in plain text, and a relative path means the
same file from any folder."""

import argparse
import os
import shutil
import sys


def existing(text):
    """argparse type of a file or folder: its absolute path."""
    if not os.path.exists(text):
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    return os.path.abspath(text)


def program(text):
    """argparse type of something to run, by its path or by a name in PATH: its absolute path."""
    found = shutil.which(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"no program {text}: build it, or name another")
    return os.path.abspath(found)


def runnable(parser, default):
    """The same of a value argparse has not looked at: a Path that is the default of --command, which
    need not be there as long as nothing is run. Bad usage when it is not."""
    try:
        return program(str(default))
    except argparse.ArgumentTypeError as error:
        return parser.error(f"argument --command: {error}")


def take(doc, **types):
    """[value, ...] of the script's first arguments, {name: argparse type} in their order; `doc` is
    its description. The arguments behind them stay in sys.argv: they are unittest's."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, kind in types.items():
        parser.add_argument(name, type=kind)
    values = parser.parse_args(sys.argv[1:1 + len(types)])
    del sys.argv[1:1 + len(types)]
    return [getattr(values, name) for name in types]
