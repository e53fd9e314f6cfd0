# SPDX-License-Identifier: Apache-2.0
"""What a timeline says of packets, waves, memory and interrupts: the facts order.py judges."""

import bisect
import re
from collections import defaultdict
from dataclasses import dataclass, field

RINGS = ("gfx", "compute0", "compute1")
LINE = 64

# The unit of CP that sent a request: the top byte of its flow, models/common/transaction_id.h.
CP_UNITS = {0x40 + i: name for i, name in enumerate(
    ("fetch", "pfp", "me", "dma", "registers", "ce", "ce_fetch", "ce_data", "eop", "gds"))}


@dataclass
class Packet:
    begin: int
    end: int
    name: str
    ring: int
    place: str
    fields: dict
    dispatch: int = 0
    draws: range = range(0)
    context: int = -1  # of the last draw
    read: int = None  # what a packet that polls has read last

    def __getitem__(self, name):
        return self.fields.get(name, 0)

    def wide(self, name):
        """X_LO and X_HI as one number."""
        return self[name + "_HI"] << 32 | self[name + "_LO"]


@dataclass
class Access:
    """One request that has left a crossbar, and its answer."""
    time: int
    path: str     # fabric (to L2) or hub (to memory)
    client: str   # of CP: "me", "pfp", "eop", "dma", "ce" ...; others as in the timeline
    unit: int     # of CP: the ring
    command: str
    line: int
    bytes: int    # a bit per byte of the line
    answered: int = None


@dataclass
class Wave:
    begin: int
    end: int
    slot: str  # "se0.sh0.cu2.simd1.slot3"
    work: tuple  # ("dispatch" or "draw", number)


@dataclass
class Served:
    """A command of the end-of-pipe unit, from when it is its turn."""
    begin: int
    end: int
    name: str
    ring: int
    place: str
    writes: int
    address: int
    interrupt: bool
    when_written: bool
    posted: bool  # complete without the acknowledgement


@dataclass
class Miss:
    """A line fetched for the scalar caches, and the waves that waited for it."""
    begin: int
    end: int
    group: int
    line: int
    slots: list


@dataclass
class Trace:
    me: list = field(default_factory=lambda: [[], [], []])   # packets of each ring, in order
    pfp: list = field(default_factory=lambda: [[], [], []])
    ce: list = field(default_factory=lambda: [[], [], []])
    ce_data: list = field(default_factory=lambda: [[], [], []])  # data packets of constant buffers
    served: list = field(default_factory=list)
    waves: list = field(default_factory=list)
    accesses: list = field(default_factory=list)             # in order of time
    misses: list = field(default_factory=list)
    contexts: dict = field(default_factory=dict)             # number: its spans
    draw_contexts: dict = field(default_factory=dict)        # draw: context, as SPI has it
    interrupts: list = field(default_factory=list)           # (time, what, source, ring)
    arrows: dict = field(default_factory=dict)               # of draws and dispatches: rows, sorted
    period: float = 1.0                                      # of the engine clock, in ns

    def __post_init__(self):
        self._by_client = None

    def of(self, client, unit=None):
        """The accesses of a client, in order."""
        if self._by_client is None:
            self._by_client = defaultdict(list)
            for a in self.accesses:
                self._by_client[a.client].append(a)
        found = self._by_client[client]
        return found if unit is None else [a for a in found if a.unit == unit]

    def waves_of(self):
        works = defaultdict(list)
        for wave in self.waves:
            works[wave.work].append(wave)
        return works


# models/common/transaction_id.h: the arrows of draws; those of dispatches are their numbers.
DRAW_FLOW = 1 << 63
LAST_DISPATCH = 1 << 32
UID_OF_WAVE = 1 << 32  # waves of draws have transactions of this and more


def arrow(flow):
    """The ("draw" or "dispatch", number) an arrow is of; None: of a transaction."""
    if 0 < flow < LAST_DISPATCH:
        return ("dispatch", flow)
    return ("draw", flow - DRAW_FLOW) if 0 < flow - DRAW_FLOW < UID_OF_WAVE else None


def wanted(path):
    starts = ("cp.", "ih", "fabric.", "hub.", "spi.", "sqc.data", "vgt")
    return path.startswith(starts) or (".slot" in path and not path.endswith(".waits"))


_FIELD = re.compile(r"([A-Z][A-Z0-9_]*)=(0x[0-9a-f]+|\d+)")
_REQUEST = re.compile(r"([a-z.]+) (\d+) line (0x[0-9a-f]+) bytes (0x[0-9a-f]+) port (\d+)")
_RESPONSE = re.compile(r"line (0x[0-9a-f]+)")
_DRAWS = re.compile(r"; draws (\d+) to (\d+) in context (\d+)")
_SERVED = re.compile(r"; (\d+) writes from (0x[0-9a-f]+)")
_INTERRUPT = re.compile(r"(\w+) source (\d+) ring (\d+)")


def ring_of(place):
    return RINGS.index(re.match(r"ring (\w+)", place).group(1))


def packet(span, ring):
    place, _, text = span.detail.partition(": ")
    # The first of fields that repeat counts.
    fields = {}
    for name, value in _FIELD.findall(text):
        fields.setdefault(name, int(value, 0))
    p = Packet(span.begin, span.end, span.name, ring, place, fields)
    if found := re.search(r"; dispatch (\d+)", text):
        p.dispatch = int(found.group(1))
    if found := _DRAWS.search(text):
        p.draws = range(int(found.group(1)), int(found.group(2)) + 1)
        p.context = int(found.group(3))
    if found := re.search(r"; read (\d+)", text):
        p.read = int(found.group(1))
    return p


def _accesses(rows):
    requests, answers = [], defaultdict(list)
    for path in ("fabric", "hub"):
        for row, spans in rows.items():
            if row.startswith(path + ".request"):
                for s in spans:
                    client, unit, line, mask, port = _REQUEST.match(s.detail).groups()
                    if client.startswith("cp."):
                        client = CP_UNITS[s.flow >> 56]
                    requests.append((Access(s.begin, path, client, int(unit), s.name,
                                            int(line, 16), int(mask, 16)),
                                     (path, int(port), int(line, 16), s.name, s.flow)))
            elif row.startswith(path + ".response"):
                port = int(row[len(path + ".response"):])
                for s in spans:
                    line = int(_RESPONSE.match(s.detail).group(1), 16)
                    answers[path, port, line, s.name, s.flow].append(s.begin)
    requests.sort(key=lambda r: r[0].time)
    for times in answers.values():
        times.sort(reverse=True)
    for access, key in requests:
        if answers[key]:
            access.answered = answers[key].pop()
    return [access for access, _ in requests]


def complete(rows, units):
    """Rows with those of compute units and scalar caches that did nothing, which a timeline leaves out; `units` is of the
    statistics."""
    for unit in units:
        if re.fullmatch(r"se\d+\.sh\d+\.cu\d+", unit):
            rows.setdefault(f"{unit}.simd0.slot0", [])
        elif re.fullmatch(r"sqc\.data\d+", unit):
            rows.setdefault(f"{unit}.miss0", [])
    return rows


def understand(rows, period):
    """Trace of rows as complete() gives them."""
    t = Trace(period=period)
    for ring, name in enumerate(RINGS):
        for engine, packets in (("me", t.me), ("pfp", t.pfp), ("ce", t.ce),
                                ("ce_fetch", t.ce_data)):
            packets[ring] = [packet(s, ring) for s in rows.get(f"cp.{engine}.{name}", ())]
    for s in rows.get("cp.eop.serving", ()):
        place = s.detail.partition(";")[0]
        writes = _SERVED.search(s.detail)
        t.served.append(Served(s.begin, s.end, s.name, ring_of(place), place,
                               int(writes.group(1)) if writes else 0,
                               int(writes.group(2), 16) if writes else 0,
                               "; interrupt" in s.detail, "when written" in s.detail,
                               "posted" in s.detail))
    ends = defaultdict(set)
    for row, spans in rows.items():
        for s in spans:
            if work := arrow(s.flow):
                ends[work].add(row)
    t.arrows = {work: sorted(found) for work, found in ends.items()}
    for row, spans in rows.items():
        if ".slot" in row:
            for s in spans:
                if found := re.match(r"(dispatch|draw) (\d+)", s.detail):
                    kind, number = found.groups()
                    t.waves.append(Wave(s.begin, s.end, row, (kind, int(number))))
        elif row.startswith("sqc.data"):
            group = int(row[len("sqc.data"):].partition(".")[0])
            for s in spans:
                line, slots = re.match(r"address (0x[0-9a-f]+), .*, for(.*)", s.detail).groups()
                t.misses.append(Miss(s.begin, s.end, group, int(line, 16), slots.split()))
        elif found := re.fullmatch(r"cp\.me\.context(\d+)", row):
            t.contexts[int(found.group(1))] = spans
    for s in rows.get("spi.draws", ()):
        context = re.match(r"context (\d+)", s.detail).group(1)
        t.draw_contexts[int(s.name.split()[1])] = int(context)
    for s in rows.get("ih", ()):
        what, source, ring = _INTERRUPT.match(s.name).groups()
        t.interrupts.append((s.begin, what, int(source), int(ring)))
    t.accesses = _accesses(rows)
    # The members of a scalar cache are numbered among the CUs that share it.
    units = sorted({re.match(r"(.*)\.simd", w).group(1) for w in rows if ".slot" in w},
                   key=lambda name: [int(n) for n in re.findall(r"\d+", name)])
    groups = len({row.partition(".miss")[0] for row in rows if row.startswith("sqc.data")})
    t.shared_by = len(units) // groups if groups else 0
    t.units = units
    return t


def slot_name(trace, miss, member):
    """ "cu1.simd0.slot2" of a scalar cache as the row of the wave."""
    number, _, rest = member[len("cu"):].partition(".")
    return f"{trace.units[miss.group * trace.shared_by + int(number)]}.{rest}"


def latest(values, at):
    """The last of sorted (time, ...) that is not behind `at`; None."""
    place = bisect.bisect_right(values, (at, float("inf")))
    return values[place - 1] if place else None
