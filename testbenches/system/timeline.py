#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the timeline that `archipelago run --trace` writes: Perfetto's protobuf, of which only what
testbenches/host/perfetto_sink.cpp writes is understood.

    timeline.py FILE [ROW-PREFIX...]      one line per slice and instant of these rows
"""

import argparse
import sys
from collections import namedtuple

# A slice of a row, or an instant (begin == end). `flow` is 0 when there is no arrow.
Span = namedtuple("Span", "begin end name detail flow")


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data):
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
            value, at = data[at:at + size], at + size
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
        kind, track, name, detail, flow = 0, 0, None, "", 0
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
        else:
            raise ValueError(f"event type {kind}")


def read(path, wanted=None):
    """{row: [Span]} in order of their begin, empty rows included; `wanted` says which. Times are
    nanoseconds."""
    reader = _Reader(wanted)
    with open(path, "rb") as file:
        data = memoryview(file.read())
    for number, value in _fields(data):
        if number != 1:
            raise ValueError(f"field {number} where a packet must be")
        reader.packet(value)
    if any(reader.open.values()):
        raise ValueError("a slice has no end")
    return reader.rows


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a trace")
    parser.add_argument("prefix", nargs="*", default=[""], help="beginning of a row's path")
    a = parser.parse_args(arguments)
    for path, spans in read(a.file, lambda p: p.startswith(tuple(a.prefix))).items():
        for s in spans:
            print(f"{s.begin} {s.end} {path}: {s.name} [{s.detail}]"
                  + (f" flow {s.flow:#x}" if s.flow else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
