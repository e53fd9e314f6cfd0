# SPDX-License-Identifier: Apache-2.0
"""Archipelago from Python: run a point, build and run a sweep, load results.

    import archipelago
    run = archipelago.run("saxpy.yaml", set={"topology.cu_per_sh": 4})
    print(run.cycles, run.total("tcc", "read_hits"))

    sweep = archipelago.Sweep(workload="saxpy.yaml", parameters={"topology.cu_per_sh": [2, 4, 8]})
    results = sweep.run("saxpy.sqlite")
    results.runs                       # a pandas DataFrame, a row per point
    results.totals("tcc.read_hits")    # a column per counter, indexed by point; .attrs["units"] has the unit of each
    results.metric("kernel.cycles")    # a Series
"""

from archipelago.api import Results, Run, RunFailed, Sweep, load, run
from archipelago.errors import Refused

__all__ = ["Refused", "Results", "Run", "RunFailed", "Sweep", "load", "run"]
