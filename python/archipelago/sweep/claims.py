# SPDX-License-Identifier: Apache-2.0
"""Which part of a sweep file sets which key of the chip. Two parts that set the same one contradict each other: only one
of their values would run, and the other be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from archipelago.sweep.space import OPTIONS, RTL
from archipelago.yaml_file import Map, Place, Value, entries


@dataclass(frozen=True)
class Claim:
    path: str     # of the chip's description
    part: str     # of the sweep file
    value: Value


def check(top: Map) -> None:
    """A point by hand has the keys of `set` and its own; every other has all but those of `list`."""
    common = list(_of_map("set", top.find("set")))
    sampled = [*_of_parameters(top.find("parameters")), *_of_variants(top.find("variants"))]
    _compare([*common, *sampled])
    listed = top.find("list")
    for i, point in enumerate(listed.items() if listed and listed.kind == "sequence" else ()):
        _compare([*common, *_of_map(f"list[{i}]", point)])
    names = top.find("parameters")
    for name, variants in _entries(top.find("variants")):
        if names and name in dict(_entries(names)):
            variants.diagnostics.error(variants.key, variants.path, "is the name of a parameter, too, expected another")


def _entries(value: Optional[Value]) -> list[tuple[str, Value]]:
    """Of what is a map; that it is none has been told."""
    return entries(value) if value and value.kind == "mapping" else []


def _of_map(part: str, value: Optional[Value]) -> Iterator[Claim]:
    for path, item in _entries(value):
        yield from _leaves(path, part, item)


def _of_parameters(value: Optional[Value]) -> Iterator[Claim]:
    for path, values in _entries(value):
        part = f"parameters.{path}"
        if values.kind == "sequence":
            for item in values.items():
                yield from _leaves(path, part, item)
        elif "from" in dict(_entries(values)):
            yield Claim(path, part, values)
        else:
            yield from _leaves(path, part, values)


def _of_variants(value: Optional[Value]) -> Iterator[Claim]:
    for name, choices in _entries(value):
        for _, overrides in _entries(choices):
            yield from _of_map(f"variants.{name}", overrides)


def _leaves(path: str, part: str, value: Value) -> Iterator[Claim]:
    """Of a value that is a map: every key in it."""
    if path in (RTL, OPTIONS):  # those of all parts hold
        return
    inner = _entries(value)
    for name, item in inner:
        yield from _leaves(f"{path}.{name}", part, item)
    if not inner:
        yield Claim(path, part, value)


def _compare(claims: Sequence[Claim]) -> None:
    """Tells, at the later of two, of each key that another part sets, in whole or in part."""
    of: dict[str, Claim] = {}      # path: the first that sets it
    inside: dict[str, Claim] = {}  # path: the first that sets a key in it
    for claim in claims:
        keys = claim.path.split(".")
        *above, path = [".".join(keys[:n]) for n in range(1, len(keys) + 1)]
        others = [of.get(p) for p in (*above, path)] + [inside.get(path)]
        other = next((o for o in others if o and o.part != claim.part), None)
        if other:
            claim.value.diagnostics.error(_place(claim), claim.value.path,
                                          f"{other.path} is in {other.part}, too, at {_place(other)}: expected one of them")
        of.setdefault(path, claim)
        for p in above:
            inside.setdefault(p, claim)


def _place(claim: Claim) -> Place:
    return claim.value.key or claim.value.place
