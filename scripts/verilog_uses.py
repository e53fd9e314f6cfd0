# SPDX-License-Identifier: Apache-2.0
"""Which blocks' Verilog a block uses: rtl-bridge/rtl/<block>/uses.txt names them, one a line."""

from pathlib import Path


def folders(block, roots):
    """The folders with the Verilog of `block`, then those of the blocks it uses, and of those that they use.

    Each root holds a folder for each of its blocks. Empty: no root has the block. Throws ValueError for a used block
    that is nowhere.
    """
    found, pending, seen = [], [block], set()
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        own = [Path(root) / name for root in roots if (Path(root) / name).is_dir()]
        if not own and name != block:
            raise ValueError(f"uses.txt names {name}, which has no Verilog")
        found += own
        for folder in own:
            uses = folder / "uses.txt"
            lines = uses.read_text().splitlines() if uses.is_file() else []
            pending += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return found
