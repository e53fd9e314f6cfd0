# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C (SIGINT) and SIGTERM: the first ends a command in order, by KeyboardInterrupt, the second at once."""

from __future__ import annotations

import os
import signal
from typing import Any

from archipelago import job

STATUS = 130  # to exit with, that of the C++ command
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def listen() -> None:
    """What the parent has made the process ignore stays ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def _stop(number: int, frame: Any) -> None:
    for each in _SIGNALS:
        signal.signal(each, _stop_at_once)
    raise KeyboardInterrupt


def _stop_at_once(number: int, frame: Any) -> None:
    job.kill_all()
    os._exit(STATUS)
