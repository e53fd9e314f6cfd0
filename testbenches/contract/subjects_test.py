#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every class with the Control contract is a subject of the conformance test of that contract.

    subjects_test.py REPOSITORY
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from arguments import existing, take  # noqa: E402

# Base classes, whose derived ones are subjects.
BASES = {"CacheUnit", "ComputeUnit", "Control", "GrbmUnit", "L2Channel", "McUnit", "PrimitiveAssembler", "SqcCore", "Unit", "VectorL1"}
# Blocks whose units are their members, with the folders of those: each passes reset, run state, idle and reasons on
# to its units, and is their subject.
WHOLES = {"models/afuc/cp/cp_core.h": ("models/afuc/cp/", "models/front/"),
          "models/cp/cp_core.h": ("models/cp/", "models/front/"),
          "models/dma/dma_core.h": ("models/dma/", "models/front/")}


def main():
    [repository] = take(__doc__, repository=existing)
    root = Path(repository)
    test = "".join(path.read_text() for path in sorted((root / "testbenches/contract").glob("control_*.cpp")))
    included = set(re.findall(r'#include "([^"]+)"', test))
    wholes = [((root / whole).read_text(), parts) for whole, parts in WHOLES.items()]
    found, missing = 0, []
    for folder in ("models", "tlm"):
        for path in sorted((root / folder).rglob("*.h")):
            name = path.relative_to(root).as_posix()
            for cls, bases in re.findall(r"^class (\w+)(?: final)? : ([^{]+)\{", path.read_text(),
                                         re.MULTILINE):
                control = BASES & set(re.findall(r"public (\w+)", bases))
                if not control or cls in BASES:
                    continue
                found += 1
                if any(name.startswith(parts) and re.search(rf"\b{cls}\b(<.*>)?>* \w+_;", whole)
                       for whole, parts in wholes):
                    continue
                if name not in included or not re.search(rf"\b{cls}\b", test):
                    missing.append(f"{cls} ({name})")
    for text in missing:
        print(f"{text} is not checked against the contract")
    print(f"{found} classes with Control, {len(missing)} without a subject")
    return 1 if missing or found == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
