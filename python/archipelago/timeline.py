# SPDX-License-Identifier: Apache-2.0
"""Reads the timeline that `archipelago run --trace` writes: Perfetto's protobuf, of which only what
models/report/perfetto_sink.cpp writes is understood."""

from __future__ import annotations

import io
import lzma
import warnings
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Union

from archipelago import files
from archipelago.errors import Refused, needs


class Span(NamedTuple):
    """A slice of a row, an instant, or the value a counter has from then on (begin == end), in nanoseconds."""
    begin: int
    end: int
    name: str
    detail: str
    flow: int  # 0: there is no arrow
    cycle: int = 0  # of the engine clock in which it begins; values of counters have none


def sums_up(row: str) -> bool:
    """A row that shows of the whole chip or run what others show one by one: a difference there is none of its own."""
    return row.startswith(("overview.", "host"))


# The messages of Perfetto's protos/perfetto/trace, as far as perfetto_sink.cpp writes them: {message: {field: (number, type)}}.
_MESSAGES = {
    "Trace": {"packet": (1, "TracePacket*")},
    "TracePacket": {"timestamp": (8, "uint64"), "track_event": (11, "TrackEvent"), "interned_data": (12, "InternedData"),
                    "sequence_flags": (13, "uint32"), "track_descriptor": (60, "TrackDescriptor")},
    "TrackDescriptor": {"uuid": (1, "uint64"), "name": (2, "string"), "parent_uuid": (5, "uint64"),
                        "sibling_order_rank": (12, "uint32")},
    "InternedData": {"event_names": (2, "EventName*")},
    "EventName": {"iid": (1, "uint64"), "name": (2, "string")},
    "TrackEvent": {"debug_annotations": (4, "DebugAnnotation*"), "type": (9, "uint32"), "name_iid": (10, "uint64"),
                   "track_uuid": (11, "uint64"), "name": (23, "string"), "counter_value": (30, "int64"),
                   "double_counter_value": (44, "double"), "flow_ids": (47, "fixed64*")},
    "DebugAnnotation": {"uint_value": (3, "uint64"), "string_value": (6, "string")},
}
_STATE_CLEARED = 1  # of sequence_flags
_SLICE_BEGIN, _SLICE_END, _INSTANT, _COUNTER = 1, 2, 3, 4  # of TrackEvent.type


def _message_of_traces() -> Any:
    """The class of Trace; a star after a type is a repeated field."""
    protobuf = {part: needs(f"google.protobuf.{part}", "a timeline")
                for part in ("descriptor_pb2", "descriptor_pool", "message_factory")}
    kinds = protobuf["descriptor_pb2"].FieldDescriptorProto
    file = protobuf["descriptor_pb2"].FileDescriptorProto(name="archipelago_timeline.proto", package="archipelago")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            of = kind.rstrip("*")
            is_message = of in _MESSAGES
            message.field.add(name=field, number=number,
                              label=kinds.LABEL_REPEATED if kind.endswith("*") else kinds.LABEL_OPTIONAL,
                              type=kinds.TYPE_MESSAGE if is_message else kinds.Type.Value(f"TYPE_{of.upper()}"),
                              type_name=f".archipelago.{of}" if is_message else None)
    pool = protobuf["descriptor_pool"].DescriptorPool()
    pool.Add(file)
    return protobuf["message_factory"].MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("archipelago.Trace"))


class _Reader:
    def __init__(self, wanted: Optional[Callable[[str], bool]]):
        self.wanted = wanted
        self.paths: dict[int, str] = {}  # of tracks
        self.names: dict[int, str] = {}  # interned
        self.open: dict[int, list[tuple[int, int, str, str, int, int]]] = {}  # by track: the slices that have begun
        self.rows: dict[str, list[Any]] = {}

    def packet(self, packet: Any) -> None:
        if packet.sequence_flags & _STATE_CLEARED:
            self.names = {}
        if packet.HasField("track_descriptor"):
            self.track(packet.track_descriptor)
        for name in packet.interned_data.event_names:
            self.names[name.iid] = name.name
        if packet.HasField("track_event"):
            self.event(packet.timestamp, packet.track_event)

    def track(self, track: Any) -> None:
        parent = self.paths.get(track.parent_uuid, "")
        self.paths[track.uuid] = f"{parent}.{track.name}" if parent else track.name

    def event(self, time: int, event: Any) -> None:
        track = event.track_uuid
        path = self.paths[track]
        if self.wanted is not None and not self.wanted(path):
            return
        row = self.rows.setdefault(path, [])
        if event.type == _SLICE_END:
            place, begin, name, detail, flow, cycle = self.open[track].pop()
            row[place] = Span(begin, time, name, detail, flow, cycle)
            return
        if event.type == _COUNTER:
            exact = event.HasField("counter_value")
            row.append(Span(time, time, str(event.counter_value if exact else event.double_counter_value), "", 0))
            return
        name = self.names[event.name_iid] if event.HasField("name_iid") else event.name
        detail, cycle = "", 0
        for argument in event.debug_annotations:
            detail = argument.string_value or detail
            cycle = argument.uint_value or cycle
        flow = event.flow_ids[-1] if event.flow_ids else 0
        if event.type == _SLICE_BEGIN:
            self.open.setdefault(track, []).append((len(row), time, name, detail, flow, cycle))
            row.append(None)
        elif event.type == _INSTANT:
            row.append(Span(time, time, name, detail, flow, cycle))
        else:
            raise ValueError(f"event type {event.type}")


def _why(error: Exception) -> str:
    if isinstance(error, (EOFError, IndexError)):
        return "it is cut off"
    if type(error).__name__ == "DecodeError":  # of protobuf
        return "it is cut off or no protobuf"
    if isinstance(error, lzma.LZMAError):
        return "its compressed data are damaged"
    if isinstance(error, UnicodeDecodeError):
        return "a name in it is no text"
    return str(error) if isinstance(error, ValueError) else "an event refers to what it has not"


def read(path: Union[str, Path], wanted: Optional[Callable[[str], bool]] = None) -> dict[str, list[Span]]:
    """{row: [Span]} in order of their begin; a row without any is not in the file. `wanted` says which. The file may be compressed (.xz).
    Raises Refused for what is no timeline."""
    message = needs("google.protobuf.message", str(path))
    reader = _Reader(wanted)
    trace = _message_of_traces()()
    try:
        data = files.read_bytes(path)
        if str(path).endswith(".xz"):
            data = lzma.LZMAFile(io.BytesIO(data)).read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a text that ends a group, which has no packet
            trace.ParseFromString(data)
        if data and not trace.packet:
            raise ValueError("it has no packet")
        for packet in trace.packet:
            reader.packet(packet)
    except (ValueError, IndexError, KeyError, lzma.LZMAError, EOFError, message.DecodeError) as error:
        raise Refused(f"{path}: is no timeline of archipelago run --trace: {_why(error)}") from error
    if any(reader.open.values()):
        raise Refused(f"{path}: a slice has no end: the run that wrote it was ended")
    return reader.rows
