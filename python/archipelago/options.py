# SPDX-License-Identifier: Apache-2.0
"""Options of the subcommands: a misspelt one is answered with the one that was probably meant."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from archipelago.yaml_file import did_you_mean


class OptionParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: .*?(--[^\s=]+)", message)
        super().error(message + (did_you_mean(unknown[1], _options(self)) if unknown else ""))


def _options(parser: argparse.ArgumentParser) -> list[str]:
    """Of the parser and those of its actions."""
    actions = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return [*parser._option_string_actions, *(name for a in actions for p in a.choices.values() for name in _options(p))]
