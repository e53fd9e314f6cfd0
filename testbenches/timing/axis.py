# SPDX-License-Identifier: Apache-2.0
"""An axis of a picture: where a value stands, and its round ticks."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Iterable, Sequence

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))
from archipelago.report.parts import si  # noqa: E402


class Axis:
    def __init__(self, values: Sequence[float], low: float, high: float, is_log: bool):
        self.is_log, self.low_px, self.high_px = is_log, low, high
        least, most = (min(values), max(values)) if values else (0.0, 1.0)
        self.least: float
        self.most: float
        if is_log:
            self.least, self.most = math.floor(math.log10(least)), math.ceil(math.log10(most))
            self.most += self.most == self.least
        else:
            # Values that differ by rounding alone are one value: ticks between them would be finer than a float can step.
            apart = most - least if most - least > 1e-9 * max(abs(least), abs(most)) else 0.0
            margin = apart * 0.06 or abs(most) * 0.06 or 1.0
            self.least, self.most = least - margin, most + margin

    def at(self, value: float) -> float:
        value = math.log10(value) if self.is_log else value
        return self.low_px + (value - self.least) / (self.most - self.least) * (self.high_px - self.low_px)

    def ticks(self) -> Iterable[tuple[float, str]]:
        if self.is_log:
            powers = max(1, math.ceil((self.most - self.least) / 6))
            for power in range(int(self.least), int(self.most) + 1, powers):
                yield 10.0**power, si(10.0**power)
            return
        rough = (self.most - self.least) / 5
        unit = 10.0**math.floor(math.log10(rough))
        step: float = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough)
        value = math.ceil(self.least / step) * step
        while value <= self.most:
            yield value, si(value) if abs(value) >= 1e5 or 0 < abs(value) < 1e-3 else f"{value:.6g}"
            value += step
