# SPDX-License-Identifier: Apache-2.0
"""Reads the timeline that `archipelago run --trace` writes: Perfetto's protobuf, of which only what
models/report/perfetto_sink.cpp writes is understood."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional, Union

from archipelago.errors import Refused


class Span(NamedTuple):
    """A slice of a row, an instant, or the value a counter has from then on (begin == end), in nanoseconds."""
    begin: int
    end: int
    name: str
    detail: str
    flow: int  # 0: there is no arrow



def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: memoryview) -> Iterator[tuple[int, Union[int, memoryview]]]:
    """(number, value) of each field of a message; bytes for nested ones."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif kind == 2:
            size, at = _varint(data, at)
            if size > len(data) - at:
                raise ValueError("it is cut off")
            yield key >> 3, data[at:at + size]
            at += size
            continue
        else:
            raise ValueError(f"wire type {kind} at {at}")
        yield key >> 3, value


class _Reader:
    """Field numbers are those of perfetto_sink.cpp."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.paths = {}  # of tracks
        self.names = {}  # interned
        self.open = {}   # by track: the slices that have begun
        self.rows = {}

    def packet(self, data):
        time, event, interned, flags, descriptor = 0, None, None, 0, None
        for number, value in _fields(data):
            if number == 8:
                time = value
            elif number == 11:
                event = value
            elif number == 12:
                interned = value
            elif number == 13:
                flags = value
            elif number == 60:
                descriptor = value
        if flags & 1:
            self.names = {}
        if descriptor is not None:
            self.track(dict(_fields(descriptor)))
        if interned is not None:
            for number, value in _fields(interned):
                if number == 2:
                    name = dict(_fields(value))
                    self.names[name[1]] = bytes(name[2]).decode()
        if event is not None:
            self.event(time, event)

    def track(self, fields):
        parent = self.paths.get(fields.get(5, 0), "")
        name = bytes(fields.get(2, b"")).decode()
        path = f"{parent}.{name}" if parent else name
        self.paths[fields[1]] = path
        if self.wanted is None or self.wanted(path):
            self.rows.setdefault(path, [])

    def event(self, time, data):
        kind, track, name, detail, flow, count = 0, 0, None, "", 0, 0
        for number, value in _fields(data):
            if number == 9:
                kind = value
            elif number == 11:
                track = value
            elif number == 10:
                name = self.names[value]
            elif number == 23:
                name = bytes(value).decode()
            elif number == 47:
                flow = value
            elif number == 30:
                count = value
            elif number == 4:
                detail = bytes(dict(_fields(value)).get(6, b"")).decode()
        row = self.rows.get(self.paths[track])
        if row is None:
            return
        if kind == 1:
            self.open.setdefault(track, []).append((len(row), time, name, detail, flow))
            row.append(None)
        elif kind == 2:
            place, begin, name, detail, flow = self.open[track].pop()
            row[place] = Span(begin, time, name, detail, flow)
        elif kind == 3:
            row.append(Span(time, time, name, detail, flow))
        elif kind == 4:
            row.append(Span(time, time, str(count), "", 0))
        else:
            raise ValueError(f"event type {kind}")


def _why(error: Exception) -> str:
    if isinstance(error, (EOFError, IndexError)):
        return "it is cut off"
    if isinstance(error, lzma.LZMAError):
        return "its compressed data are damaged"
    if isinstance(error, UnicodeDecodeError):
        return "a name in it is no text"
    return str(error) if isinstance(error, ValueError) else "an event refers to what it has not"


def read(path: Union[str, Path], wanted: Optional[Callable[[str], bool]] = None) -> dict[str, list[Span]]:
    """{row: [Span]} in order of their begin, empty rows included; `wanted` says which. The file may be compressed (.xz).
    Raises Refused for what is no timeline."""
    reader = _Reader(wanted)
    try:
        with (lzma.open(path) if str(path).endswith(".xz") else open(path, "rb")) as file:
            data = memoryview(file.read())
        for number, value in _fields(data):
            if number != 1:
                raise ValueError(f"field {number} where a packet must be")
            reader.packet(value)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}") from error
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, lzma.LZMAError, EOFError) as error:
        raise Refused(f"{path}: is no timeline of archipelago run --trace: {_why(error)}") from error
    if any(reader.open.values()):
        raise Refused(f"{path}: a slice has no end: the run that wrote it was ended")
    return reader.rows
