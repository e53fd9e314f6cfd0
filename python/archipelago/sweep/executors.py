# SPDX-License-Identifier: Apache-2.0
"""Where jobs run: the cores of this machine, a Dask cluster, or arrays of Slurm jobs. Each yields outcomes as they come,
every job exactly once; a job that went away with its worker is `lost`, and the driver gives it out again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Iterator, Optional, Protocol, Sequence

from archipelago import job as jobs
from archipelago.errors import Refused, needs, writing
from archipelago.files import written
from archipelago.job import Job, Outcome

Task = tuple[str, Job]  # key of the result, and what to run


class Executor(Protocol):
    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[str, Outcome]]: ...


def make(cluster: str, command: str, workers: int, folder: Path) -> Executor:
    if not cluster:
        return LocalPool(command, workers)
    if cluster.startswith("dask://"):
        return DaskCluster(command, cluster[len("dask://"):])
    if cluster == "slurm":
        return SlurmArrays(command, folder)
    raise Refused(f"--cluster {cluster}: expected dask://HOST:PORT or slurm")


class LocalPool:
    def __init__(self, command: str, workers: int):
        self.command, self.workers = command, workers
        self._local = threading.local()
        self._processes: set[subprocess.Popen] = set()
        self._ended = False

    def _running(self, process: Optional[subprocess.Popen]) -> None:
        if process is None:
            self._processes.discard(self._local.process)
            return
        self._local.process = process
        self._processes.add(process)
        if self._ended:
            jobs.kill(process)

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[str, Outcome]]:
        with ThreadPoolExecutor(self.workers) as pool:
            futures = {pool.submit(jobs.run, self.command, job, self._running): key for key, job in tasks}
            try:
                for future in as_completed(futures):
                    yield futures.pop(future), future.result()
            finally:  # nobody waits for the others any more
                self._ended = bool(futures)
                for future in futures:
                    future.cancel()
                for process in list(self._processes) if self._ended else ():
                    jobs.kill(process)


def _worker_program(command: str) -> list[str]:
    """What a node of a cluster runs: this file system has the command and the package."""
    return [sys.executable, "-B", str(Path(jobs.__file__).resolve()), command]


class DaskCluster:
    def __init__(self, command: str, address: str):
        self.command = command
        distributed = needs("distributed", "--cluster dask://")
        self._as_completed = distributed.as_completed
        try:
            self.client = distributed.Client(address, timeout=20)
        except (OSError, TimeoutError, ValueError) as error:
            raise Refused(f"--cluster dask://{address}: no scheduler answers: {error}") from error

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[str, Outcome]]:
        # Workers know subprocess.run, but need not find this package.
        futures = {self.client.submit(subprocess.run, _worker_program(self.command), input=jobs.task_of(job),
                                      capture_output=True, text=True, pure=False): key for key, job in tasks}
        for future in self._as_completed(list(futures)):
            yield futures.pop(future), self._outcome(future)
            future.release()

    @staticmethod
    def _outcome(future: Any) -> Outcome:
        if future.status != "finished":
            return Outcome(jobs.LOST, f"the Dask task ended as {future.status}: {_reason(future)}")
        done = future.result()
        if done.returncode != 0:
            return Outcome(jobs.LOST, f"the Dask worker's program ended with {done.returncode}: {done.stderr}")
        return Outcome(**json.loads(done.stdout))


def _reason(future: Any) -> str:
    try:
        return repr(future.exception(timeout=5))
    except Exception as error:  # pylint: disable=broad-except
        return repr(error)


class SlurmArrays:
    """Every array has a folder, `<folder>/<number>`, with its tasks, a result file per task and the job's number. A driver
    that starts again waits for the arrays of the one before in place of submitting their tasks again."""
    LONGEST_ARRAY = 1000  # Slurm's default for MaxArraySize is 1001

    def __init__(self, command: str, folder: Path, poll_seconds: float = 2.0):
        self.command, self.folder = command, folder
        self.poll_seconds = float(os.environ.get("ARCHIPELAGO_SLURM_POLL", poll_seconds))
        self.options = os.environ.get("ARCHIPELAGO_SBATCH_OPTIONS", "").split()

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[str, Outcome]]:
        wanted = dict(tasks)
        waiting: dict[str, tuple[Path, str]] = {}  # key -> (result file, job)
        for array in sorted(self.folder.glob("*/array.json")):
            state = json.loads(array.read_text())
            for index, key in enumerate(state["keys"]):
                if key in wanted and not self._is_taken(array.parent, index):
                    waiting[key] = (array.parent / f"{index}.json", state["job"])
        left = [(key, job) for key, job in tasks if key not in waiting]
        for at in range(0, len(left), self.LONGEST_ARRAY):
            waiting.update(self._submit(left[at:at + self.LONGEST_ARRAY]))
        yield from self._collect(waiting)

    @staticmethod
    def _is_taken(folder: Path, index: int) -> bool:
        return (folder / f"{index}.taken").exists()

    def _submit(self, tasks: Sequence[Task]) -> dict[str, tuple[Path, str]]:
        with writing(self.folder):
            folder, script = self._prepare(tasks)
        said = self._call(["sbatch", "--parsable", f"--array=0-{len(tasks) - 1}", f"--chdir={os.getcwd()}",
                           f"--output={folder}/%a.log", "--job-name=archipelago", *self.options, str(script)])
        job = said.strip().split(";")[0]
        with written(folder / "array.json") as file:
            json.dump({"job": job, "keys": [key for key, _ in tasks]}, file)
        return {key: (folder / f"{i}.json", job) for i, (key, _) in enumerate(tasks)}

    def _prepare(self, tasks: Sequence[Task]) -> tuple[Path, Path]:
        """The folder of a new array, and its script."""
        self.folder.mkdir(parents=True, exist_ok=True)
        number = 1 + max((int(p.name) for p in self.folder.iterdir() if p.name.isdigit()), default=0)
        folder = self.folder.resolve() / str(number)
        folder.mkdir()
        (folder / "tasks.json").write_text(json.dumps([vars(job) for _, job in tasks]))
        script = folder / "job.sh"
        words = [*_worker_program(self.command), str(folder / "tasks.json")]
        line = " ".join("'" + w.replace("'", "'\\''") + "'" for w in words)
        script.write_text(f'#!/bin/sh\nexec {line} "$SLURM_ARRAY_TASK_ID" "{folder}/$SLURM_ARRAY_TASK_ID.json"\n')
        return folder, script

    def _collect(self, waiting: dict[str, tuple[Path, str]]) -> Iterator[tuple[str, Outcome]]:
        while waiting:
            # First who is there, then what has come: what ends in between has left its result.
            active = self._active({job for _, job in waiting.values()})
            came = 0
            for key, (path, job) in list(waiting.items()):
                if path.exists():
                    outcome = Outcome(**json.loads(path.read_text()))
                elif (job, path.stem) in active or (job, "") in active:
                    continue
                else:
                    log = path.with_suffix(".log")
                    said = log.read_text(errors="replace") if log.exists() else ""
                    outcome = Outcome(jobs.LOST, f"task {path.stem} of Slurm job {job} ended without a result\n{said}")
                del waiting[key]
                came += 1
                yield key, outcome
                # It is in the database now.
                path.with_suffix(".taken").touch()
            if waiting and not came:
                time.sleep(self.poll_seconds)

    def _active(self, arrays: set[str]) -> set[tuple[str, str]]:
        """(job, task) that wait or run; (job, "") when all of an array's tasks wait."""
        said = self._call(["squeue", "--noheader", "--array", "--format=%F %K", "--jobs=" + ",".join(sorted(arrays))],
                          "Invalid job id")
        found = set()
        for line in said.splitlines():
            job, _, task = line.strip().partition(" ")
            found.add((job, task if task.isdigit() else ""))
        return found

    @staticmethod
    def _call(words: list[str], nothing: str = "\0") -> str:
        """`nothing`: the complaint that means there is none any more."""
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise Refused(f"--cluster slurm: {words[0]} does not start: {error.strerror}") from error
        if done.returncode != 0 and nothing not in done.stderr:
            raise Refused(f"--cluster slurm: {words[0]}: {done.stderr.strip() or f'exit status {done.returncode}'}")
        return done.stdout
