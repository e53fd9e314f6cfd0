# SPDX-License-Identifier: Apache-2.0
"""Numbers on the command line, for argparse's `type`."""

from __future__ import annotations

import argparse
from typing import Callable


def at_least(least: int) -> Callable[[str], int]:
    """A whole number that is not below `least`."""
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected a whole number, got {text}") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"expected at least {least}, got {text}")
        return number

    return read
