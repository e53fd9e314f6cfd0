# SPDX-License-Identifier: Apache-2.0
"""Programs of CTM chips that keep one of their units busy: for a length, a workload and what it does."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts" / "reference"))
from ctm_program import OUT, Program  # noqa: E402

# More threads than an array needs to hide its latencies, of either chip.
WIDTH, HEIGHT = 96, 64
FLOPS = {"mad": 8, "mad_presubtract": 12}  # vec3 and scalar, of one processor
ELEMENT_BYTES = 16


def workload(program, domain, inputs, repeats):
    """Of a program without its end, which writes nothing."""
    program.math(kind=OUT, LAST=1)
    return {"program": {
        "code": {"words": program.words()}, "constants": {"int": [[repeats, 0, 0]]},
        "domain": [0, 0, domain[0] - 1, domain[1] - 1],
        "inputs": [{**surface, "data": {"fill": 0}} for surface in inputs]}}


def arithmetic(show, length):
    """Floating-point operations."""
    program, count = Program(), 200
    program.repeat(0)
    presubtract = {f"{half}_{field}": value for half in ("RGB", "ALPHA") for field, value in (("SRCP_OP", 1), ("SEL_A", 3))} \
        if show["kernel"] == "mad_presubtract" else {}
    for i in range(count):
        target = f"r{4 + i % 4}"
        program.both("MAD", target, "r0", "r1", "r2", **presubtract)
    program.end_repeat()
    return workload(program, (WIDTH, HEIGHT), [], length), WIDTH * HEIGHT * count * length * FLOPS[show["kernel"]]


def lookups(show, length):
    """Elements of an input that its cache holds."""
    program, count = Program(), 16
    program.repeat(0)
    for i in range(count):
        program.load(f"r{4 + i}", "r0", 0, mask="r", last_of_group=i == count - 1)
    program.end_repeat()
    surface = {"width": WIDTH, "height": HEIGHT, "format": "float32_1", "tiling": show["tiling"]}
    return workload(program, (WIDTH, HEIGHT), [surface], length), WIDTH * HEIGHT * count * length


def copies(show, length):
    """Bytes of memory: of each element of `length` rows of some inputs, which are read once, and of an output."""
    program, inputs = Program(), show["inputs"]
    for i in range(inputs):
        program.load(f"r{4 + i}", "r0", i, last_of_group=i == inputs - 1)
    if show["writes"]:
        program.out("o0.rgba", "r4", last=False)
    surface = {"width": 256, "height": length, "format": "float32_4", "tiling": "tiled"}
    made = workload(program, (256, length), [surface] * inputs, 1)
    if show["writes"]:
        made["program"]["outputs"] = [surface]
    return made, 256 * length * (inputs + show["writes"]) * ELEMENT_BYTES


KERNELS = {"mad": arithmetic, "mad_presubtract": arithmetic, "lookups": lookups, "copies": copies}
