# SPDX-License-Identifier: Apache-2.0
"""The answer of a report in two sentences: the best point and its gain over the baseline; the parameter that matters, and
the reason of wave cycles that shrank most. Each workload and mode has its own: unlike things are not compared."""

from __future__ import annotations

from typing import Optional

from archipelago.metrics import numeric
from archipelago.report.data import Point, ResultSet
from archipelago.report.effects import Effect, best, effects, rank_correlation, words_of
from archipelago.report.parts import short, si

MOST_ANSWERS = 8
MATTERS = 0.5   # percent; less is no effect
NEAR_BEST = 1.0  # percent of the best: enough


def answers(results: ResultSet, metric: str) -> list[str]:
    found = [(group, text) for group, points in results.groups() if (text := _answer(results, points, metric))]
    shown = [f"{group}: {text}" if group else text for group, text in found[:MOST_ANSWERS]]
    return shown + ([f"{len(found) - MOST_ANSWERS} more are in the table."] if len(found) > MOST_ANSWERS else [])


def _answer(results: ResultSet, points: list[Point], metric: str) -> str:
    top, base = best(results, points, metric), results.baseline(points, metric)
    if top is None or base is None or len(points) < 2:
        return ""
    return f"{_gain(results, points, metric, top, base)} {_what_matters(results, points, metric, top, base)}"


def _of(metric: str) -> str:
    return {"kernel.cycles": "kernel cycles"}.get(metric, metric)


def _less(before: float, after: float) -> str:
    """ "38 % fewer"; small and large changes with as many digits as they need."""
    percent = 100 * (after / before - 1)
    return f"{abs(percent):.{0 if abs(percent) >= 9.5 else 1}f} % {'fewer' if percent < 0 else 'more'}"


def _gain(results: ResultSet, points: list[Point], metric: str, top: Point, base: Point) -> str:
    least, first = results.value(top, metric) or 0, results.value(base, metric) or 0
    equal = sum(results.value(p, metric) == least for p in points) - 1
    also = f" ({equal} other point{'s need' if equal > 1 else ' needs'} as many)" if equal else ""
    if least == first:
        return f"No point needs fewer {_of(metric)} than the baseline, {base.name}, with {short(first)}{also}."
    return (f"Best is {top.name} with {short(least)} {_of(metric)}{also}, {_less(first, least)} than the baseline, "
            f"{base.name}, with {short(first)}.")


def _what_matters(results: ResultSet, points: list[Point], metric: str, top: Point, base: Point) -> str:
    found = effects(results, points, metric)
    reason = _reason(results, top, base)
    if not found:
        text = _correlation(results, points, metric) or _largest_change(results, points, metric, base)
    elif 100 * (1 - 1 / found[0].line.spread) < MATTERS:
        text = f"No parameter changes them by {MATTERS:g} %"
    else:
        text = _effect(found)
    return f"{text}{reason}."


def _effect(found: list[Effect]) -> str:
    """The parameter of the largest effect, its value that is enough, and the next parameter."""
    first, *rest = found
    line, name = first.line, first.parameter
    enough = next(v for v in line.values if line.values[v] <= line.values[line.best] * (1 + NEAR_BEST / 100))
    near = f", {words_of(enough, first.parameter)} is within {NEAR_BEST:g} % of it" if enough != line.best else ""
    change = _less(line.values[line.worst], line.values[line.best])
    text = (f"{name} matters most: {words_of(line.best, first.parameter)} instead of {words_of(line.worst, first.parameter)} needs "
            f"{change}{near}")
    if rest:
        second = rest[0]
        percent = 100 * (1 - 1 / second.line.spread)
        text += f" (next {second.parameter}: {percent:.{0 if percent >= 9.5 else 1}f} %)"
    return text


def _correlation(results: ResultSet, points: list[Point], metric: str) -> str:
    """The parameter of the highest rank correlation, for samples: no two of their points differ in one parameter alone."""
    found = []
    for parameter in results.varying_parameters():
        pairs = [(numeric(p.at(parameter)), results.value(p, metric)) for p in points]
        numbers = [(x, y) for x, y in pairs if x is not None and y is not None]
        if len(numbers) == len(points) and len(points) > 4:
            found.append((rank_correlation(numbers), parameter))
    if not found:
        return ""
    strength, parameter = max(found, key=lambda f: abs(f[0]))
    return (f"{parameter} matters most in this sample: they {'fall' if strength < 0 else 'rise'} with it, "
            f"rank correlation {strength:.2f}".replace("-", "−"))


def _largest_change(results: ResultSet, points: list[Point], metric: str, base: Point) -> str:
    """Where several parameters change at a time."""
    first = results.value(base, metric) or 1
    changed = [(results.value(p, metric) or first, p) for p in points]
    value, point = max(changed, key=lambda c: abs(c[0] / first - 1))
    if value == first:
        return "No point differs from the baseline"
    return f"The largest change is that of {point.name}: {_less(first, value)}"


def _reasons(results: ResultSet, p: Point) -> tuple[dict[str, float], dict[str, str]]:
    attribution = results.section(p, "attribution") or {}
    return attribution.get("waves", {}).get("reasons", {}), attribution.get("definitions", {}).get("waves", {})


def _reason(results: ResultSet, top: Point, base: Point) -> str:
    """The reason of wave cycles that shrank most from the baseline to the best point."""
    if top is base:
        return ""
    (after, meanings), (before, _) = _reasons(results, top), _reasons(results, base)
    if not any(before.values()) or not any(after.values()):
        return ""
    shrank, name = max(((cycles - after.get(reason, 0), reason) for reason, cycles in before.items()), key=lambda r: r[0])
    if shrank <= 0:
        return "; no reason of wave cycles shrank"
    return (f"; of the wave cycles, {name} ({meanings.get(name, 'a reason')}) shrank most, from {si(before[name])} to "
            f"{si(after.get(name, 0))}")


def goal(results: ResultSet, names: list[str]) -> Optional[str]:
    """The first metric that some point has."""
    return next((n for n in names if any(results.value(p, n) for p in results.done)), None)
