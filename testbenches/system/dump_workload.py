# SPDX-License-Identifier: Apache-2.0
"""Copies of a workload that dump everything it names in memory: each kernel buffer, each output of a program, and each
range its memory entries map. Works on the YAML tree, so that numbers keep their spelling."""

from dataclasses import dataclass
from pathlib import Path

import yaml

SIZE_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "B": 1}


@dataclass(frozen=True)
class Dump:
    what: str  # "argument 0", "0x100000 + 4096"
    path: Path


def _get(mapping, key):
    for name, value in mapping.value:
        if name.value == key:
            return value
    return None


def _set(mapping, key, text):
    mapping.value = [(n, v) for n, v in mapping.value if n.value != key]
    # Quoted: a path may hold anything.
    mapping.value.append((yaml.ScalarNode("tag:yaml.org,2002:str", key),
                          yaml.ScalarNode("tag:yaml.org,2002:str", str(text), style='"')))


def _make_paths_absolute(node, directory):
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _make_paths_absolute(item, directory)
    elif isinstance(node, yaml.MappingNode):
        for name, value in list(node.value):
            if isinstance(value, yaml.ScalarNode):
                if name.value in ("file", "code"):
                    _set(node, name.value, directory / value.value)
            else:
                _make_paths_absolute(value, directory)


def _size(text):
    number, _, unit = text.partition(" ")
    return int(number, 0) * SIZE_UNITS[unit or "B"]


def _mapped_ranges(root):
    """What memory entries with a size or words map: disjoint, sorted (first, bytes)."""
    entries = list(getattr(_get(root, "memory"), "value", []))
    for step in getattr(_get(root, "steps"), "value", []):
        entry = _get(step, "memory")
        if entry is not None:
            entries.append(entry)
    ranges = []
    for entry in entries:
        size, words = _get(entry, "size"), _get(entry, "words")
        if size is not None or words is not None:
            first = int(_get(entry, "address").value, 0)
            ranges.append((first, first + (_size(size.value) if size is not None else 4 * len(words.value))))
    merged = []
    for first, end in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([first, end])
    return [(first, end - first) for first, end in merged]


def _programs(root):
    """Of CTM chips: the workload's, and those of its steps."""
    found = [_get(node, "program") for node in [root, *getattr(_get(root, "steps"), "value", [])]]
    return [program for program in found if program is not None]


def write(workload, directory):
    """Writes the copy into `directory`, where its dumps go, too. Returns (file, [Dump])."""
    directory = Path(directory)
    root = yaml.compose(Path(workload).read_text())
    _make_paths_absolute(root, Path(workload).resolve().parent)
    dumps = []
    kernel = _get(root, "kernel")
    arguments = getattr(_get(kernel, "args") if kernel else None, "value", [])
    for index, argument in enumerate(arguments):
        if _get(argument, "buffer") is not None:
            dumps.append(Dump(f"argument {index}", directory / f"argument{index}.bin"))
            _set(argument, "dump", dumps[-1].path)
    for number, program in enumerate(_programs(root)):
        outputs = list(getattr(_get(program, "outputs"), "value", []))
        if (condition := _get(program, "condition")) is not None:
            outputs.append(condition)
        for index, output in enumerate(outputs):
            dumps.append(Dump(f"program {number}, output {index}", directory / f"program{number}_{index}.bin"))
            _set(output, "dump", dumps[-1].path)
    top = []
    for first, size in _mapped_ranges(root):
        dumps.append(Dump(f"{first:#x} + {size}", directory / f"{first:x}.bin"))
        top.append(f"{{address: {first:#x}, size: {size}, file: \"{dumps[-1].path}\"}}")
    if top:
        root.value.append((yaml.ScalarNode("tag:yaml.org,2002:str", "dump"),
                           yaml.compose("[" + ", ".join(top) + "]")))
    copy = directory / "workload.yaml"
    copy.write_text(yaml.serialize(root))
    return copy, dumps
