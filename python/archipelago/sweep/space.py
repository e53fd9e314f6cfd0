# SPDX-License-Identifier: Apache-2.0
"""Parameters and how they are sampled."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence, Union

from archipelago.yaml_file import Number, Place

RTL = "rtl"      # among the paths: no value of the chip, but a block of it that is Verilog
MODEL = "model"  # value of it: none is
OPTIONS = "options"  # among the paths: options with which the kernel is compiled


@dataclass(frozen=True)
class Setting:
    """One value of a parameter, and the overrides it stands for: its own, or those of a variant."""
    value: Union[Number, str]
    overrides: tuple[tuple[str, str], ...]  # (path, YAML)
    place: Optional[Place]

    @property
    def assignments(self) -> tuple[str, ...]:
        return tuple(f"{path}={text}" for path, text in self.overrides if path not in (RTL, OPTIONS))

    @property
    def rtl(self) -> tuple[str, ...]:
        """Blocks that are Verilog, as --rtl takes them."""
        return tuple(text for path, text in self.overrides if path == RTL and text != MODEL)

    @property
    def options(self) -> tuple[str, ...]:
        """Of the kernel's compilation, as --options takes them."""
        return tuple(text for path, text in self.overrides if path == OPTIONS)


@dataclass(frozen=True)
class Range:
    low: Number
    high: Number
    unit: str          # " MHz"
    is_integer: bool
    is_log: bool
    count: int = 0     # of a grid; 0: none given
    step: Number = 0

    def _at(self, share: float) -> Number:
        """Of equal shares of the range: integers have equal shares, too."""
        low, high = (self.low, self.high + 1) if self.is_integer else (self.low, self.high)
        if self.is_log:
            got = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        else:
            got = low + share * (high - low)
        return min(int(got), int(self.high)) if self.is_integer else float(f"{got:.6g}")

    def at(self, share: float) -> str:
        return f"{self._at(share)}{self.unit}"

    def text(self, number: Number) -> str:
        return f"{number}{self.unit}"

    def levels(self) -> list[str]:
        if self.step:
            steps = int(math.floor((self.high - self.low) / self.step + 1e-9))
            numbers = [self.low + i * self.step for i in range(steps + 1)]
        elif self.is_log:
            ratio = math.log(self.high / self.low) / max(1, self.count - 1)
            numbers = [self.low * math.exp(i * ratio) for i in range(self.count)]
        else:
            numbers = [self.low + i * (self.high - self.low) / max(1, self.count - 1) for i in range(self.count)]
        rounded = [round(n) if self.is_integer else float(f"{n:.6g}") for n in numbers]
        return [self.text(n) for n in dict.fromkeys(rounded)]


@dataclass(frozen=True)
class Parameter:
    name: str
    place: Optional[Place]                    # of its key
    choices: tuple[Setting, ...] = ()
    range: Optional[Range] = None
    range_place: Optional[Place] = None

    def setting(self, text: str) -> Setting:
        """Of a value within the range."""
        from archipelago.yaml_file import natural
        return Setting(natural(text), ((self.name, text),), self.range_place)

    def levels(self) -> list[Setting]:
        return [self.setting(t) for t in self.range.levels()] if self.range else list(self.choices)

    def at(self, share: float) -> Setting:
        if self.range:
            return self.setting(self.range.at(share))
        return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]


Assignment = dict[str, Setting]


def grid(parameters: Sequence[Parameter]) -> Iterator[Assignment]:
    for settings in itertools.product(*(p.levels() for p in parameters)):
        yield {p.name: s for p, s in zip(parameters, settings)}


def at_random(parameters: Sequence[Parameter], points: int, seed: int) -> Iterator[Assignment]:
    source = random.Random(seed)
    for _ in range(points):
        yield {p.name: p.at(source.random()) for p in parameters}


def latin_hypercube(parameters: Sequence[Parameter], points: int, seed: int) -> Iterator[Assignment]:
    """Each parameter's range is cut into as many shares as there are points, and each share is used once."""
    source = random.Random(seed)
    columns = []
    for _ in parameters:
        shares = list(range(points))
        source.shuffle(shares)
        columns.append([(share + source.random()) / points for share in shares])
    for i in range(points):
        yield {p.name: p.at(column[i]) for p, column in zip(parameters, columns)}
