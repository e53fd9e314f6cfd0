#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large linear copies and fills of an async DMA engine reach 95 % of what its port and the DRAM allow.

    dma_throughput_test.py --command FILE [CHIP...]      prints bytes a cycle of the engine clock; CHIP: others, too
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BYTES = 4 << 20
LINE = 64
SOURCE, TARGET = 0x1000000, 0x2000000
GOAL = 0.95
CHIPS = ("tahiti", "pitcairn", "verde", "oland", "hainan", "cayman", "r600", "rv610", "rv670", "rv770", "rv730", "cypress",
         "juniper", "cedar", "bonaire", "hawaii", "kaveri")
# The most bytes of a packet of a generation, whole pages; CIK counts bytes.
MOST = {"r600": 0x3F000, "r700": 0x3F000, "cik": 0x3FF000}
MOST_DWORDS = 0x3FF000  # of the others
WITHOUT_FILL = ("r600",)


class Chip:
    def __init__(self, command, name):
        self.command, self.name = command, name
        def described(part):
            text = subprocess.run([command, "describe", name, part], capture_output=True, text=True, check=True).stdout
            return dict(re.findall(r"^(\S+): ([^#\n]*?) *(?:#.*)?$", text, re.MULTILINE))

        self.values, self.fields = described("--tree"), described("--fields")
        self.generation = self.values["async_dma.generation"]

    def number(self, key):
        return float(self.values[key].split()[0])

    def delay(self, name):
        """Cycles of the memory clock."""
        return float(self.fields[f"memory.dram.timing.{name}"])

    def limit(self, reads, writes):
        """Cycles of the engine clock for so many lines: the port takes a message a cycle. A channel of DRAM moves its
        lines, stands still for refreshes, and turns round for every drain of writes among reads."""
        channels = self.number("memory.channel_map.channels")
        moved = (reads + writes) / channels * self.delay("burst")
        drain = self.number("memory.dram.write_high") - self.number("memory.dram.write_low")
        turns = writes / channels / drain * (self.delay("rtw") + self.delay("wtr")) if reads else 0
        refreshed = 1 - self.delay("rfc") / self.delay("refi")
        ratio = self.number("clocks.engine") / self.number("clocks.memory")
        return max(reads + writes, (moved / refreshed + turns) * ratio)

    def packets(self, name):
        most = MOST.get(self.generation, MOST_DWORDS)
        unit = 1 if self.generation == "cik" else 4
        for at in range(0, BYTES, most):
            packet = f"{name} COUNT = {min(most, BYTES - at) // unit}, DST = {TARGET + at:#x}"
            if name == "COPY_LINEAR":
                yield f"{packet}, SRC = {SOURCE + at:#x}"
            else:
                yield packet + ", DATA = 0x1020304" + (", FILL_SIZE = DWORDS" if self.generation == "cik" else "")

    def cycles(self, name):
        data = f"random: {{type: u32, count: {BYTES // 4}, seed: 1}}"
        result = data if name == "COPY_LINEAR" else f"fill: 0x1020304, size: {BYTES}"
        text = (f"memory:\n  - {{address: {SOURCE:#x}, {data}}}\n  - {{address: {TARGET:#x}, size: {BYTES}}}\n"
                f"steps:\n  - ring: dma0\n    packets: {json.dumps(list(self.packets(name)))}\n  - {{wait: dma0}}\n"
                f"expect:\n  - {{address: {TARGET:#x}, {result}}}\n")
        with tempfile.TemporaryDirectory(prefix="archipelago-throughput-") as scratch:
            workload, stats = Path(scratch) / "w.yaml", Path(scratch) / "stats.json"
            workload.write_text(text)
            subprocess.run([self.command, "run", "--quiet", "--asic", self.name, "--stats", stats, workload], check=True)
            return json.loads(stats.read_text())["cycles"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", required=True)
    parser.add_argument("chip", nargs="*", default=CHIPS)
    a = parser.parse_args()
    failed = False
    lines = BYTES // LINE
    for name in a.chip:
        chip = Chip(a.command, name)
        for packet, reads in (("COPY_LINEAR", lines), ("CONSTANT_FILL", 0)):
            if packet == "CONSTANT_FILL" and chip.generation in WITHOUT_FILL:
                continue
            cycles, limit = chip.cycles(packet), chip.limit(reads, lines)
            failed |= limit / cycles < GOAL
            print(f"{name} {packet}: {BYTES / cycles:.2f} bytes a cycle, {100 * limit / cycles:.1f} % of "
                  f"{BYTES / limit:.2f}, expected {100 * GOAL:.0f} %")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
