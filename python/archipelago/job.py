# SPDX-License-Identifier: Apache-2.0
"""One run of the command in a process of its own. Workers of a cluster execute this file as a program, so it knows no
other module of the package."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Callable, Optional

# What became of a run.
DONE = "done"
EXPECTATION_FAILED = "expectation failed"  # exit status 1
STOPPED = "stopped"                        # 3: hang, fault, unimplemented
BAD_INPUT = "bad input"                    # 2; after a check also a full disk, or a file that went away
CRASHED = "crashed"                        # by a signal
TIMEOUT = "timeout"
LOST = "lost"                              # the worker went away with it
# The machine's own verdicts are the same the next time.
VERDICTS = (DONE, EXPECTATION_FAILED, STOPPED)
_BY_EXIT = {0: DONE, 1: EXPECTATION_FAILED, 2: BAD_INPUT, 3: STOPPED}

LONGEST_REPORT = 20000  # characters


@dataclass(frozen=True)
class Job:
    workload: str
    asic: str = ""                    # empty: the workload's own
    set: tuple[str, ...] = ()         # PATH=VALUE
    mode: str = "cycle"
    seed: int = 0
    code: str = ""                    # in place of the workload's
    options: tuple[str, ...] = ()     # others of `archipelago run`
    timeout: Optional[float] = None   # seconds

    def arguments(self) -> list[str]:
        words = ["run", "--quiet", "--mode", self.mode, "--seed", str(self.seed)]
        words += ["--asic", self.asic] if self.asic else []
        words += ["--code", self.code] if self.code else []
        for assignment in self.set:
            words += ["--set", assignment]
        return words + list(self.options)


@dataclass
class Outcome:
    status: str
    report: str = ""                  # what the run said, or why there is none
    stats: str = ""                   # the statistics, JSON
    exit_status: Optional[int] = None
    started: float = 0.0              # seconds since 1970
    host_seconds: float = 0.0         # of the process, loading included
    host: str = ""


def kill(process: subprocess.Popen) -> None:
    """With what it has started, which holds its pipes open."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


_running: set[subprocess.Popen] = set()  # of this process


def kill_all() -> None:
    for process in list(_running):
        kill(process)


def run(command: str, job: Job, running: Callable[[Optional[subprocess.Popen]], None] = lambda process: None) -> Outcome:
    """Never raises for what the run does. `running` is told the process, so that it can be ended."""
    began, clock = time.time(), time.monotonic()

    def outcome(status: str, report: str, stats: str = "", exit_status: Optional[int] = None) -> Outcome:
        return Outcome(status, report[-LONGEST_REPORT:], stats, exit_status, began, time.monotonic() - clock,
                       platform.node())

    try:
        # The statistics come through the pipe: a run leaves nothing behind where it runs.
        process = subprocess.Popen([command, *job.arguments(), "--stats", "/dev/stdout", job.workload], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                   start_new_session=True)
    except OSError as error:
        return outcome(BAD_INPUT, str(error))
    _running.add(process)
    running(process)
    try:
        stats, report = process.communicate(timeout=job.timeout)
    except subprocess.TimeoutExpired:
        kill(process)
        _, report = process.communicate()
        return outcome(TIMEOUT, f"no end after {job.timeout:g} s\n{report}")
    except BaseException:  # Ctrl-C: the process has a session of its own, and would go on
        kill(process)
        raise
    finally:
        _running.discard(process)
        running(None)
    if process.returncode < 0:
        return outcome(CRASHED, f"ended by signal {-process.returncode}\n{report}", "", process.returncode)
    status = _BY_EXIT.get(process.returncode, CRASHED)
    try:
        json.loads(stats)
    except ValueError:
        # A run that failed may have none, and have said so.
        report, stats = f"{stats}{report}", ""
        if status == DONE:
            status, report = BAD_INPUT, f"the statistics are incomplete\n{report}"
    return outcome(status, report, stats, process.returncode)


def task_of(job: Job) -> str:
    return json.dumps(vars(job))


def _run_task(command: str, task: dict) -> str:
    task["set"], task["options"] = tuple(task["set"]), tuple(task["options"])
    return json.dumps(vars(run(command, Job(**task))))


def main(arguments: list[str]) -> int:
    """job.py COMMAND                            one task on standard input, its outcome on standard output
    job.py COMMAND TASKS.json INDEX RESULT    the INDEX-th task; the result appears whole or not at all"""
    if len(arguments) == 1:
        print(_run_task(arguments[0], json.load(sys.stdin)))
        return 0
    command, tasks, index, result = arguments
    with open(tasks) as file:
        outcome = _run_task(command, json.load(file)[int(index)])
    with open(result + ".part", "w") as file:
        file.write(outcome)
    os.replace(result + ".part", result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
