# SPDX-License-Identifier: Apache-2.0
"""Multi-objective search with Optuna. Trials come in batches, and are told in order of their numbers: with the same seed
the same trials follow, so a search that was ended goes on by starting again, with its known results at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from archipelago.database import Database
from archipelago.errors import Refused, needs
from archipelago.metrics import Metrics, needs_time, read_weights
from archipelago.sweep.file import SweepFile
from archipelago.sweep.space import Assignment, Parameter

if TYPE_CHECKING:  # they check a search before they run it
    from archipelago.sweep.driver import Driver
    from archipelago.sweep.plan import Plan


def check(file: SweepFile) -> None:
    """Refuses weights that are wrong, and objectives that runs in the file's mode have not."""
    search = file.search
    assert search is not None
    weighted = {m.name: m for m in read_weights(search.weights)} if search.weights else {}
    for objective in search.objectives:
        if "functional" in file.modes and needs_time(objective.metric, weighted):
            file.document.diagnostics.error(objective.place, f"search.objectives.{objective.metric}",
                                            "functional mode counts no cycles, expected a counter or mode: cycle")
    file.document.diagnostics.raise_if_any()


def _suggest(trial: Any, parameter: Parameter) -> Any:
    r = parameter.range
    if not r:
        return parameter.choices[trial.suggest_categorical(parameter.name, list(range(len(parameter.choices))))]
    if r.is_integer:
        number = trial.suggest_int(parameter.name, r.low, r.high, step=r.step or 1, log=r.is_log)
    else:
        number = trial.suggest_float(parameter.name, r.low, r.high, step=r.step or None, log=r.is_log)
        number = float(f"{number:.6g}")
    return parameter.setting(r.text(number))


def run(plan: Plan, database: Database, driver: Driver) -> None:
    search = plan.file.search
    assert search is not None
    optuna = needs("optuna", "a search")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {"nsga2": optuna.samplers.NSGAIISampler, "tpe": optuna.samplers.TPESampler,
                "random": optuna.samplers.RandomSampler}
    study = optuna.create_study(sampler=samplers[search.sampler](seed=search.seed), directions=[o.direction for o in search.objectives])
    metrics = Metrics(database, search.weights)
    for first in range(0, search.trials, search.batch):
        trials = [study.ask() for _ in range(min(search.batch, search.trials - first))]
        assignments: list[Assignment] = [{p.name: _suggest(t, p) for p in plan.file.parameters} for t in trials]
        points = plan.add(assignments)
        database.add_points(points)
        driver.run(points)
        for number, (trial, point) in enumerate(zip(trials, points), first):
            result = database.result_of(point.key) if point.key else None
            if result is None:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
                continue
            study.tell(trial, [_value(metrics, number, o.metric) for o in search.objectives])


def _value(metrics: Metrics, point: int, name: str) -> float:
    value = metrics.value(point, name)
    if value is None:
        raise Refused(f"search: no metric is called {name}: expected one of {', '.join(metrics.examples())} or a metric of "
                      "the weights")
    return value
