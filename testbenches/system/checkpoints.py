# SPDX-License-Identifier: Apache-2.0
"""Places for checkpoints in a workload, and what a timeline shows behind one."""

import struct

import yaml

import timeline

HEAD = 12     # bytes: magic number and format
NUMBERS = 24  # of a block: size of its bytes, shape, checksum


def middle(path):
    """The point in the middle of a workload: behind the first half of its kernel's repetitions, or the step nearest the
    middle that comes behind a wait (what waits for steps to come cannot be drained elsewhere), if there is one."""
    tree = yaml.safe_load(path.read_text())
    if "kernel" in tree:
        return f"kernel:{max(1, int(tree['kernel'].get('repeat', 1)) // 2)}"
    steps = tree.get("steps", [])
    half = len(steps) // 2
    drained = [i + 1 for i, step in enumerate(steps) if "wait" in step and i + 1 < len(steps)]
    return f"step:{min(drained, key=lambda i: abs(i - half), default=half)}"


def steps(path):
    return len(yaml.safe_load(path.read_text()).get("steps", [])) or 1


def blocks(data):
    """{name: (first byte, end)} of the blocks of a checkpoint."""
    found, at = {}, HEAD
    while (length := struct.unpack_from("<I", data, at)[0]) != 0:
        name = data[at + 4:at + 4 + length].decode()
        first = at + 4 + length + NUMBERS
        size = struct.unpack_from("<Q", data, at + 4 + length)[0]
        found[name] = (first, first + size)
        at = first + size
    return found


def time_of(checkpoint):
    """Nanoseconds, rounded down, of the moment at which it was written."""
    data = checkpoint.read_bytes()
    return struct.unpack_from("<Q", data, blocks(data)["host"][0])[0] // 1_000_000


def spans_behind(trace, time):
    """{row: [Span]} of what ends behind `time`; rows without are left out, and those that show the whole run from its
    begin on: means of intervals, and the host's own."""
    rows = {path: sorted(span for span in spans if span.end > time)
            for path, spans in timeline.read(trace, lambda path: not path.startswith(("overview", "host"))).items()}
    return {path: spans for path, spans in rows.items() if spans}
