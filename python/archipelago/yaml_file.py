# SPDX-License-Identifier: Apache-2.0
"""YAML with places. Every fault of a file is reported at once, in the words the chip's own YAML has:
`file:line:col: key.path: what is wrong, what was expected (did you mean "x"?)`."""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence, Union

from archipelago import files
from archipelago.errors import Refused, needs

Number = Union[int, float]

# Kinds of an unquoted scalar.
_NO_TEXT = {f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "bool", "null")}


@dataclass(frozen=True)
class Place:
    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass
class Diagnostics:
    messages: list[tuple[Optional[Place], str]] = field(default_factory=list)

    def error(self, place: Optional[Place], path: str, message: str) -> None:
        words = [str(place)] if place else []
        words += [path] if path else []
        line = ": ".join(words + [message])
        if (place, line) not in self.messages:
            self.messages.append((place, line))

    def raise_if_any(self) -> None:
        if self.messages:
            ordered = sorted(self.messages, key=lambda m: (m[0].line, m[0].column) if m[0] else (0, 0))
            raise Refused("\n".join(line for _, line in ordered))


def did_you_mean(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def natural(text: str) -> Union[Number, str]:
    """The number a scalar is by the rules of the chip's YAML, or its text."""
    if re.fullmatch(r"-?(0|[1-9]\d*)", text):
        return int(text)
    if re.fullmatch(r"0x[0-9a-fA-F]+", text):
        return int(text, 16)
    if re.fullmatch(r"-?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?", text) and not re.match(r"-?0\d", text):
        return float(text)
    return text


class Value:
    """A node of the file: its kind is checked when it is read."""

    def __init__(self, node: Any, path: str, document: "Document", key: Optional[Place] = None):
        self._node, self.path, self._document = node, path, document
        self.key = key  # where the key of a map's value is

    @property
    def place(self) -> Place:
        return self._document.place(self._node)

    @property
    def diagnostics(self) -> Diagnostics:
        return self._document.diagnostics

    def error(self, message: str) -> None:
        self.diagnostics.error(self.place, self.path, message)

    @property
    def kind(self) -> str:
        return self._node.id

    @property
    def source(self) -> str:
        """As it is written: of a flow collection, brackets and all."""
        if self.kind == "scalar":
            return self._node.value
        text = self._document.text[self._node.start_mark.index:self._node.end_mark.index]
        return " ".join(text.split())

    def map(self) -> "Map":
        if self.kind != "mapping":
            self.error(f"is a {self.kind}, expected a map")
        return Map(self)

    def items(self) -> list["Value"]:
        """Of a list; a value that is none stands for a list of one."""
        if self.kind != "sequence":
            return [self]
        return [Value(n, f"{self.path}[{i}]", self._document) for i, n in enumerate(self._node.value)]

    def scalar(self) -> str:
        """As it is written, be it text or a number."""
        if self.kind != "scalar":
            self.error(f"is a {self.kind}, expected text")
            return ""
        if not self._node.value:
            self.error("is empty, expected text")
        return self._node.value

    def text(self) -> str:
        """Of a name or a file; what is none unless it is quoted is refused."""
        if self._node.tag in _NO_TEXT:
            self.error(f"got {self._node.value or 'nothing'}, expected text")
            return ""
        return self.scalar()

    def integer(self, low: int, high: int) -> int:
        got = natural(self._node.value) if self.kind == "scalar" else self.kind
        if not isinstance(got, int) or not low <= got <= high:
            self.error(f"got {_quoted(got)}, expected a whole number from {low} to {high}")
            return low
        return got

    def number(self) -> Number:
        got = natural(self._node.value) if self.kind == "scalar" else self.kind
        if not isinstance(got, (int, float)) or not math.isfinite(got):
            self.error(f"got {_quoted(got)}, expected a number")
            return 0
        return got

    def one_of(self, names: Sequence[str]) -> str:
        got = self._node.value if self.kind == "scalar" else self.kind
        if got not in names:
            self.error(f"got {_quoted(got)}, expected one of: {', '.join(names)}{did_you_mean(str(got), names)}")
            return names[0]
        return got


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


class Map:
    """The keys of a map. finish() reports those nobody asked for."""

    def __init__(self, value: Value):
        self.value = value
        self.keys: dict[str, Value] = {}
        self._asked: list[str] = []
        if value.kind != "mapping":
            return
        for key, node in value._node.value:
            name = key.value if key.id == "scalar" else "?"
            path = f"{value.path}.{name}" if value.path else name
            place = value._document.place(key)
            if name in self.keys:
                value.diagnostics.error(place, path, "is given twice")
            self.keys[name] = Value(node, path, value._document, place)

    def find(self, key: str) -> Optional[Value]:
        if key not in self._asked:
            self._asked.append(key)
        return self.keys.get(key)

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        return iter(self.keys.items())

    def finish(self) -> None:
        for name, item in self.keys.items():
            if name not in self._asked:
                self.value.diagnostics.error(item.key, item.path, f"unknown key, expected one of: {', '.join(self._asked)}"
                                             + did_you_mean(name, self._asked))


class Document:
    """A file, or a text that is called as one."""

    def __init__(self, name: str, text: str):
        self.name, self.text, self.diagnostics = name, text, Diagnostics()
        yaml = needs("yaml", name)
        try:
            self._root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise Refused(f"{Place(name, mark.line + 1, mark.column + 1)}: {error.problem}") from error
        except yaml.YAMLError as error:
            raise Refused(f"{name}: {error}") from error
        if self._root is None:
            raise Refused(f"{name}: the file is empty")
        self._check_characters(self._root, set())

    def _check_characters(self, node: Any, seen: set[int]) -> None:
        """Neither a file's name nor an argument of a command can have these."""
        if id(node) in seen:  # by an alias
            return
        seen.add(id(node))
        if node.id == "scalar":
            found = re.search("[\0\ud800-\udfff]", node.value)
            if found:
                raise Refused(f"{self.place(node)}: has the character U+{ord(found[0]):04X}, which no text may have here")
            return
        for child in node.value:
            for part in child if isinstance(child, tuple) else (child,):
                self._check_characters(part, seen)

    def place(self, node: Any) -> Place:
        return Place(self.name, node.start_mark.line + 1, node.start_mark.column + 1)

    @property
    def root(self) -> Value:
        return Value(self._root, "", self)


def entries(value: Optional[Value]) -> list[tuple[str, Value]]:
    """Of a map that may be left out."""
    return list(value.map()) if value else []


def load(path: Union[str, Path]) -> Document:
    return Document(str(path), files.read_text(path))
