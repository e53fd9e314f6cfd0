#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""archipelago sweep --cluster: on a Dask cluster of this machine, and on a Slurm that is two scripts. Whatever dies, the
database is the one of a sweep on this machine.

    cluster_test.py ARCHIPELAGO
"""

import os
import re
import sqlite3
import subprocess
import unittest

import support
from support import InFolder, kill

GRID = """\
workload: saxpy.yaml
parameters:
  topology.cu_per_sh: [1, 2, 4]
  memory.channel_map.channels: [4, 12]
"""

PYTHON = support.sys.executable

# Each task of an array is a process in the background; its file in active/ is there while it runs.
SBATCH = """\
#!/bin/sh
for word; do
    case $word in
        --array=0-*) last=${word#--array=0-} ;;
        --output=*) output=${word#--output=} ;;
        *) script=$word ;;
    esac
done
mkdir -p "$SLURM/active"
job=$(($(ls "$SLURM" | grep -c '^job') + 1))
touch "$SLURM/job$job"
for task in $(seq 0 "$last"); do touch "$SLURM/active/$job.$task"; done
(
    for task in $(seq 0 "$last"); do
        if [ -e "$SLURM/lose" ] && mkdir "$SLURM/lost.$task" 2>/dev/null; then
            echo "node failure" > "$(echo "$output" | sed "s/%a/$task/")"
        else
            SLURM_ARRAY_TASK_ID=$task sh "$script" > "$(echo "$output" | sed "s/%a/$task/")" 2>&1
        fi
        rm "$SLURM/active/$job.$task"
    done
) > /dev/null 2>&1 &
echo "$job;cluster"
"""
SQUEUE = """\
#!/bin/sh
for word; do
    case $word in --jobs=*) jobs=${word#--jobs=} ;; esac
done
for file in "$SLURM"/active/*; do
    name=${file##*/}
    case ,$jobs, in *,${name%.*},*) echo "${name%.*} ${name#*.}" ;; esac
done
"""


class Cluster(InFolder):
    def setUp(self):
        super().setUp()
        self.write("sweep.yaml", GRID)
        self.call("sweep", "sweep.yaml", "--database", "local.sqlite")

    def rows(self, query, name):
        connection = sqlite3.connect(self.folder / name)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def assert_same_as_local(self, name):
        dumps = [self.call("sweep", "sweep.yaml", "--database", d, "--dump") for d in (name, "local.sqlite")]
        self.assertEqual(dumps[0], dumps[1])


class Dask(Cluster):
    def setUp(self):
        super().setUp()
        self.processes = []
        self.addCleanup(self.end)
        log = self.folder / "scheduler.log"
        self.launch(log, "dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard")
        self.wait_until(lambda: "Scheduler at" in log.read_text())
        self.address = re.search(r"tcp://(\S+)", log.read_text())[1]

    def launch(self, log, module, *words):
        with open(log, "w") as file:
            process = subprocess.Popen([PYTHON, "-B", "-m", f"distributed.cli.{module}", *words], cwd=self.folder,
                                       stdout=file, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def worker(self, name):
        return self.launch(self.folder / f"{name}.log", "dask_worker", f"tcp://{self.address}", "--name", name, "--nthreads",
                           "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder))

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def test_a_worker_that_is_killed_half_way_changes_nothing(self):
        doomed = self.worker("doomed")
        self.write("hold", "")
        driver = self.start("sweep", "sweep.yaml", "--database", "dask.sqlite", "--cluster", f"dask://{self.address}",
                            command=self.python_command(self.held_command(2)))
        self.wait_until(lambda: (self.folder / "started").exists()
                        and len((self.folder / "started").read_text().splitlines()) == 3)
        kill(doomed)
        (self.folder / "hold").unlink()
        self.worker("other")
        out, _ = driver.communicate(timeout=120)
        self.assertEqual(driver.returncode, 0, out)
        # The command was another: a script about the one of the local sweep.
        self.call("sweep", "sweep.yaml", "--database", "held.sqlite", command=self.python_command(self.folder / "held"))
        dumps = [self.call("sweep", "sweep.yaml", "--database", d, "--dump") for d in ("dask.sqlite", "held.sqlite")]
        self.assertEqual(dumps[0], dumps[1])
        self.assertGreater(len((self.folder / "started").read_text().splitlines()), 12, "the killed run was given out again")

    def test_two_workers_make_the_database_of_this_machine(self):
        self.worker("a")
        self.worker("b")
        self.call("sweep", "sweep.yaml", "--database", "dask.sqlite", "--cluster", f"dask://{self.address}")
        self.assert_same_as_local("dask.sqlite")

    def test_no_scheduler_is_told(self):
        out = self.call("sweep", "sweep.yaml", "--database", "none.sqlite", "--cluster", "dask://127.0.0.1:1", status=2,
                        environment={"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"})
        self.assertIn("--cluster dask://127.0.0.1:1: no scheduler answers", out)


class Slurm(Cluster):
    def setUp(self):
        super().setUp()
        for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE)):
            self.write(f"bin/{name}", text).chmod(0o755)
        self.state = self.folder / "state"
        self.state.mkdir()
        self.environment = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "SLURM": str(self.state),
                            "ARCHIPELAGO_SLURM_POLL": "0.1"}
        # What is left running must not outlive the folder.
        self.addCleanup(lambda: self.wait_until(lambda: not list(self.state.glob("active/*"))))

    def slurm(self, name, **options):
        return self.call("sweep", "sweep.yaml", "--database", name, "--cluster", "slurm", environment=self.environment,
                         **options)

    def test_arrays_of_jobs_make_the_database_of_this_machine(self):
        self.slurm("slurm.sqlite")
        self.assert_same_as_local("slurm.sqlite")
        self.assertEqual(len(list(self.state.glob("job*"))), 1)

    def test_tasks_lost_with_their_node_are_submitted_again(self):
        (self.state / "lose").touch()
        self.slurm("slurm.sqlite")
        self.assert_same_as_local("slurm.sqlite")
        lost = self.rows("SELECT report FROM attempts WHERE status = 'lost'", "slurm.sqlite")
        self.assertEqual(len(lost), 6)
        self.assertIn("node failure", lost[0][0])

    def test_a_driver_that_starts_again_takes_the_results_of_the_array_of_the_one_before(self):
        driver = self.start("sweep", "sweep.yaml", "--database", "slurm.sqlite", "--cluster", "slurm",
                            environment=self.environment)
        self.wait_until(lambda: list(self.folder.glob("slurm.sqlite.slurm/1/array.json")))
        kill(driver)
        self.slurm("slurm.sqlite")
        self.assert_same_as_local("slurm.sqlite")
        self.assertEqual(len(list(self.state.glob("job*"))), 1, "nothing was submitted twice")

    def test_without_slurm_the_missing_program_is_named(self):
        self.environment["PATH"] = "/nowhere"
        self.assertIn("--cluster slurm: sbatch does not start", self.slurm("slurm.sqlite", status=2))

    def test_a_cluster_of_another_kind_is_refused(self):
        out = self.call("sweep", "sweep.yaml", "--cluster", "pbs", status=2)
        self.assertIn("--cluster pbs: expected dask://HOST:PORT or slurm", out)


if __name__ == "__main__":
    support.main(__doc__)
