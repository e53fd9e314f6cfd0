#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Order of events in the front end, judged from timelines ("Radeon Southern Islands Acceleration"
1.3.3 and 2.2 to 2.9).

    order.py record DIRECTORY [WORKLOAD...] --command ARCHIPELAGO [--jobs N]
                        runs every workload of the suite in cycle mode and keeps its timeline, of
                        those that are packets a second with channels that refuse at random
    order.py check DIRECTORY RULE     judges all of them; fails when nothing is there to be judged
    order.py doctored DIRECTORY       exchanges events of good timelines: every rule must notice
    order.py packets DIRECTORY        every packet of the document is executed in one of them
"""

import argparse
import bisect
import pickle
import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path

import doctored_traces
import machine_trace
import suite
import timeline
from machine_trace import LINE, RINGS

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program  # noqa: E402

SEMAPHORE_WAIT = 7  # SEM_SEL of MEM_SEMAPHORE
MAX_CONTEXTS = 8
EOP_INTERRUPT = 181  # source id of end-of-pipe interrupts
SHORTEST_POLL = 4    # 2.8.11: intervals below are taken as this; one is 16 clocks
# Left out: a timeline of hundreds of thousands of atomics, and nothing else that is not elsewhere.
MANY_REQUESTS = ("global_atomics",)


class Verdict:
    """What a rule has looked at, and what it did not like."""

    def __init__(self):
        self.looked_at = 0
        self.broken = []

    def hold(self, condition, *what):
        if not condition:
            self.broken.append(" ".join(str(w) for w in what))


def line_of(address):
    return address & ~(LINE - 1)


def mask_of(line, begin, end):
    """The bytes [begin, end) of a line, as a mask."""
    first, last = max(begin, line) - line, min(end, line + LINE) - line
    return (1 << last) - (1 << first) if last > first else 0


# ---- constants -----------------------------------------------------------------------------------

class Dump:
    def __init__(self, packet, number):
        self.packet = packet
        self.number = number  # of its set of constants, from 1
        self.first = packet.wide("ADDR")
        self.end = self.first + 4 * packet["NUM_DW"]
        self.writes = {}  # by line

    def bytes_of(self, line):
        return mask_of(line, self.first, self.end)


def dumps_of(trace, ring, verdict):
    """The ring's dumps with their writes, and how many sets of constants CE has finished."""
    dumps, sets = [], 0
    for p in trace.ce[ring]:
        if p.name == "DUMP_CONST_RAM":
            dumps.append(Dump(p, sets + 1))
        elif p.name == "INCREMENT_CE_COUNTER":
            sets += 1
    by_line = defaultdict(list)
    for a in trace.of("ce", ring):
        if a.command == "write":
            by_line[a.line].append(a)
    for d in dumps:
        for line in range(line_of(d.first), d.end, LINE):
            if not by_line[line]:
                verdict.hold(False, "no write of", d.packet.place, "to line", hex(line))
                continue
            d.writes[line] = by_line[line].pop(0)
            verdict.hold(d.writes[line].bytes == d.bytes_of(line) and
                         d.writes[line].time >= d.packet.begin,
                         "write to", hex(line), "at", d.writes[line].time, "is not of",
                         d.packet.place)
    return dumps, sets


def constant_works(trace, ring):
    """(works of one packet, number of the set, packet that waited for it) in order of the ring."""
    number, waited = 1, None
    for p in trace.me[ring]:
        if p.name == "WAIT_ON_CE_COUNTER":
            waited = p
        elif p.name == "INCREMENT_DE_COUNTER":
            number, waited = number + 1, None
        elif waited is not None and (p.dispatch or p.draws):
            yield works_of(p), number, waited, p


def works_of(packet):
    works = [("draw", n) for n in packet.draws]
    return works + ([("dispatch", packet.dispatch)] if packet.dispatch else [])


def reads_by_work(trace):
    """{work: [(time at L2, line)]} of scalar loads that went to L2."""
    by_slot = defaultdict(list)
    for w in trace.waves:
        by_slot[w.slot].append(w)
    for waves in by_slot.values():
        waves.sort(key=lambda w: w.begin)
    requests = defaultdict(list)
    for a in trace.of("sqc.data"):
        requests[a.unit, a.line].append(a.time)
    reads = defaultdict(list)
    for miss in trace.misses:
        times = requests[miss.group, miss.line]
        place = bisect.bisect_left(times, miss.begin)
        if place == len(times) or times[place] > miss.end:
            raise ValueError(f"no request of the miss of line {miss.line:#x} at {miss.begin}")
        for member in miss.slots:
            waves = by_slot[machine_trace.slot_name(trace, miss, member)]
            # The wave that was there when the line came.
            found = [w for w in waves if w.begin <= miss.end <= w.end]
            if not found:
                raise ValueError(f"no wave waits for line {miss.line:#x} until {miss.end}")
            reads[found[0].work].append((times[place], miss.line))
    return reads


def constants(trace):
    """A draw or dispatch that has waited for CE reads what was dumped for it: those dumps are in
    memory before the wait is over, and no dump for a later one reaches these bytes before its
    waves have ended."""
    v = Verdict()
    reads = reads_by_work(trace)
    waves = trace.waves_of()
    for ring in range(len(RINGS)):
        dumps, sets = dumps_of(trace, ring, v)
        if not dumps:
            continue
        for works, number, waited, packet in constant_works(trace, ring):
            v.hold(number <= sets, packet.place, "uses constants CE has not finished")
            mine = [d for d in dumps if d.number <= number]
            later = [d for d in dumps if d.number > number]
            for d in mine:
                for line, w in d.writes.items():
                    v.hold(w.answered is not None and w.answered <= waited.end, "dump of",
                           d.packet.place, "to", hex(line), "is in memory at", w.answered,
                           "when the wait at", waited.place, "is over since", waited.end)
            end = max((w.end for work in works for w in waves[work]), default=0)
            lines = {(t, line) for work in works for t, line in reads[work]}
            for t, line in sorted(lines):
                wanted = 0
                for d in mine:
                    wanted |= d.bytes_of(line) if line in d.writes else 0
                v.looked_at += 1 if wanted else 0
                for d in later:
                    if line not in d.writes or not d.bytes_of(line) & wanted:
                        continue
                    v.hold(d.writes[line].time > t, works, "reads", hex(line), "at", t,
                           "which has the constants of set", d.number, "since",
                           d.writes[line].time)
                    v.hold(d.writes[line].time >= end, "constants of set", d.number, "reach",
                           hex(line), "at", d.writes[line].time, "while", works,
                           "that read set", number, "is at work until", end)
    return v


# ---- fences --------------------------------------------------------------------------------------

class Before:
    """When the work up to each packet of a ring has ended."""

    def __init__(self, trace, ring, waves):
        self.ends = []  # by packet: end of the latest wave of it and those before it
        self.place = defaultdict(list)
        latest = 0
        for i, p in enumerate(trace.me[ring]):
            self.place[p.place].append(i)
            self.ends.append(latest)
            for work in works_of(p):
                for w in waves[work]:
                    latest = max(latest, w.end)

    def packet(self, trace, ring, served):
        """Of a command: the packet it is of."""
        found = [i for i in self.place[served.place] if trace.me[ring][i].begin <= served.begin]
        return found[-1] if found else None


def fence_write(trace, served, writes):
    """The first request of what an end-of-pipe command writes."""
    times = [a.time for a in writes]
    for a in writes[bisect.bisect_left(times, served.begin):]:
        if a.time > served.end and not served.posted:
            break
        if a.line == line_of(served.address):
            return a
    return None


def fences(trace):
    """What an end-of-pipe command writes leaves after every wave before it on its ring has ended,
    and these end after their writes are done."""
    v = Verdict()
    waves = trace.waves_of()
    before = [Before(trace, ring, waves) for ring in range(len(RINGS))]
    eop = [sorted(trace.of("eop", ring) + trace.of("gds", ring), key=lambda a: a.time)
           for ring in range(len(RINGS))]
    for s in trace.served:
        index = before[s.ring].packet(trace, s.ring, s)
        v.hold(index is not None, "no packet of", s.name, "at", s.place)
        if index is None:
            continue
        ended = before[s.ring].ends[index]
        v.hold(ended <= s.begin, s.place, "is served at", s.begin, "while waves before it end at",
               ended)
        if s.writes == 0:
            continue
        write = fence_write(trace, s, eop[s.ring])
        v.hold(write is not None, "nothing is written for", s.place)
        if write is None:
            continue
        v.looked_at += 1 if ended else 0
        v.hold(ended <= write.time, s.place, "writes at", write.time, "while waves before it end at",
               ended)
    writes_of_waves(trace, v)
    return v


def writes_of_waves(trace, v):
    """Every write and atomic of vector memory is done before the wave it is of has ended: one of
    those on its compute unit ends behind it."""
    by_unit = defaultdict(list)
    for w in trace.waves:
        by_unit[w.slot.partition(".simd")[0]].append((w.begin, w.end))
    longest = {}
    for unit, spans in by_unit.items():
        spans.sort()
        # Up to each begin: the latest end.
        latest, ends = 0, []
        for _, end in spans:
            latest = max(latest, end)
            ends.append(latest)
        longest[unit] = ([b for b, _ in spans], ends)
    for a in trace.of("tcp"):
        if a.command == "read":
            continue
        unit = trace.units[a.unit]
        begins, ends = longest.get(unit, ([], []))
        place = bisect.bisect_right(begins, a.time)
        v.hold(place and a.answered is not None and ends[place - 1] >= a.answered, a.command,
               "of", unit, "to", hex(a.line), "is done at", a.answered, "behind all its waves")


def interrupts(trace):
    """An end-of-pipe interrupt comes when its command is complete, which is after the
    acknowledgement of what it writes if it requests that; and goes to the host in that order."""
    v = Verdict()
    eop = [trace.of("eop", ring) for ring in range(len(RINGS))]
    for ring in range(len(RINGS)):
        complete = sorted(s.end for s in trace.served if s.ring == ring and s.interrupt)
        came = [t for t, what, source, r in trace.interrupts
                if what == "came" and source == EOP_INTERRUPT and r == ring]
        raised = [t for t, what, source, r in trace.interrupts
                  if what == "raised" and source == EOP_INTERRUPT and r == ring]
        for n, t in enumerate(came, 1):
            v.looked_at += 1
            v.hold(bisect.bisect_left(complete, t) >= n, "interrupt", n, "of ring", RINGS[ring],
                   "comes at", t, "before its command is complete")
        for n, t in enumerate(raised):
            v.hold(n < len(came) and came[n] <= t, "interrupt", n + 1, "of ring", RINGS[ring],
                   "goes to the host at", t, "before it came")
    for s in trace.served:
        if s.when_written and s.writes:
            write = fence_write(trace, s, eop[s.ring])
            v.hold(write is not None and write.answered is not None and write.answered <= s.end,
                   s.place, "is complete at", s.end, "before its write is")
    return v


# ---- shadows -------------------------------------------------------------------------------------

LOADS = ("LOAD_CONFIG_REG", "LOAD_CONTEXT_REG", "LOAD_SH_REG")


def shadows(trace):
    """A LOAD packet reads its shadow when every write of its ring before it is acknowledged."""
    v = Verdict()
    for ring in range(len(RINGS)):
        accesses = [a for a in trace.of("me", ring)]
        for p in trace.me[ring]:
            if p.name not in LOADS:
                continue
            reads = [a for a in accesses if a.command == "read" and p.begin <= a.time <= p.end]
            if not reads:
                continue
            first = reads[0].time
            v.looked_at += 1
            for a in accesses:
                if a.command == "read" or a.time > p.end:
                    continue
                v.hold(a.time <= first, p.name, "at", p.place, "reads at", first,
                       "before the write to", hex(a.line), "at", a.time)
                v.hold(a.answered is not None and a.answered <= first, p.name, "at", p.place,
                       "reads at", first, "before the write to", hex(a.line),
                       "is acknowledged at", a.answered)
            for a in reads:
                v.hold(a.answered is not None and a.answered <= p.end, p.name, "at", p.place,
                       "ends at", p.end, "before its data are there")
    return v


# ---- waits ---------------------------------------------------------------------------------------

COMPARE = (lambda a, b: True, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a == b,
           lambda a, b: a != b, lambda a, b: a >= b, lambda a, b: a > b)


def behind(packets, index, v, p, waves):
    """Nothing of the ring's packets behind a wait is there before it is over."""
    for q in packets[index + 1:]:
        v.hold(q.begin >= p.end, q.name, "at", q.place, "begins at", q.begin,
               "behind a wait that is over at", p.end)
        for work in works_of(q):
            for w in waves[work]:
                v.hold(w.begin >= p.end, work, "has a wave at", w.begin,
                       "behind a wait that is over at", p.end)


def waits(trace):
    """WAIT_REG_MEM and waits for semaphores: the engine goes on with the ring behind the answer
    of a poll that satisfies them, and polls no more often than it may."""
    v = Verdict()
    waves = trace.waves_of()
    for engine, rings in (("me", trace.me), ("pfp", trace.pfp)):
        for ring, packets in enumerate(rings):
            for i, p in enumerate(packets):
                polls = wait_polls(trace, engine, ring, p)
                if polls is None:
                    continue
                v.looked_at += 1
                v.hold(bool(polls), p.name, "at", p.place, "goes on without a poll")
                for a in polls:
                    v.hold(a.answered is not None and a.answered <= p.end, p.name, "at", p.place,
                           "is over at", p.end, "before its poll is answered at", a.answered)
                behind(packets, i, v, p, waves if engine == "me" else defaultdict(list))
                if p.name != "WAIT_REG_MEM":
                    v.hold(p.read != 0, "semaphore at", p.place, "is taken while it is 0")
                    continue
                v.hold(COMPARE[p["FUNCTION"]](p.read & p["MASK"], p["REFERENCE"]), p.name, "at",
                       p.place, "is satisfied with", p.read)
                shortest = 16 * max(SHORTEST_POLL, p["POLL_INTERVAL"]) * trace.period
                for a, b in zip(polls, polls[1:]):
                    v.hold(b.time - a.time >= shortest - 1, p.name, "at", p.place, "polls at",
                           a.time, "and", b.time)
    return v


def wait_polls(trace, engine, ring, p):
    """The polls of a packet in memory; None when it does not wait there."""
    if p.name == "WAIT_REG_MEM" and p["MEM_SPACE"] == 1 and p.read is not None:
        line = line_of(p.wide("POLL_ADDRESS"))
    elif p.name == "MEM_SEMAPHORE" and p["SEM_SEL"] == SEMAPHORE_WAIT:
        line = line_of(p.wide("ADDRESS"))
    else:
        return None
    return [a for a in trace.of(engine, ring)
            if p.begin <= a.time <= p.end and a.line == line and a.command != "write"]


def syncs(trace):
    """PFP goes on with a ring behind PFP_SYNC_ME when ME has come to it there."""
    v = Verdict()
    for ring in range(len(RINGS)):
        at_me = [p for p in trace.me[ring] if p.name == "PFP_SYNC_ME"]
        at_pfp = [i for i, p in enumerate(trace.pfp[ring]) if p.name == "PFP_SYNC_ME"]
        v.hold(len(at_me) == len(at_pfp), len(at_pfp), "PFP_SYNC_ME at PFP,", len(at_me), "at ME")
        for i, me in zip(at_pfp, at_me):
            p = trace.pfp[ring][i]
            v.looked_at += 1
            v.hold(p.place == me.place, p.place, "at PFP is", me.place, "at ME")
            v.hold(p.end >= me.begin, p.place, "is over for PFP at", p.end, "and comes to ME at",
                   me.begin)
            for q in trace.pfp[ring][i + 1:i + 2]:
                v.hold(q.begin >= me.begin, q.name, "at", q.place, "begins at", q.begin,
                       "before ME comes to PFP_SYNC_ME at", me.begin)
    return v


# ---- contexts ------------------------------------------------------------------------------------

def contexts(trace):
    """No more than eight contexts are in use, and one is taken again when its CONTEXT_DONE is
    there, behind all waves of the draws that had it."""
    v = Verdict()
    waves = trace.waves_of()
    moments = []
    draws = []
    for p in trace.me[0]:
        for n in p.draws:
            draws.append((p, n))
        if p.draws:
            v.hold(trace.draw_contexts.get(p.draws[-1]) == p.context, "draw", p.draws[-1],
                   "is in context", p.context, "for ME, in",
                   trace.draw_contexts.get(p.draws[-1]), "for SPI")
    for number, spans in trace.contexts.items():
        for a, b in zip(spans, spans[1:]):
            v.looked_at += 1
            v.hold(a.end <= b.begin, "context", number, "is taken at", b.begin,
                   "and in use until", a.end)
        for s in spans:
            moments += [(s.begin, 1), (s.end, -1)]
            for p, n in draws:
                if trace.draw_contexts.get(n) != number or s.begin > p.end or s.end <= p.begin:
                    continue
                end = max((w.end for w in waves["draw", n]), default=0)
                v.looked_at += 1
                v.hold(end <= s.end, "context", number, "is given back at", s.end,
                       "while draw", n, "is at work until", end)
    used = 0
    for at, change in sorted(moments, key=lambda m: (m[0], m[1])):
        used += change
        v.hold(used <= MAX_CONTEXTS, used, "contexts are in use at", at)
    return v


# ---- confirmed writes ----------------------------------------------------------------------------

def confirmations(trace):
    """A packet that requests a confirmation of its write to memory ends behind it, and so does a
    CP_DMA that is waited for, with all its writes."""
    v = Verdict()
    for rings in (trace.me, trace.pfp):
        for ring, packets in enumerate(rings):
            for p in packets:
                copies(trace, v, ring, p)
    for client, rings in (("me", trace.me), ("pfp", trace.pfp), ("ce_data", trace.ce_data)):
        for ring, packets in enumerate(rings):
            written(trace, v, client, ring, packets)
    return v


def written(trace, v, client, ring, packets):
    for p in packets:
        if p.name not in ("WRITE_DATA", "COPY_DATA", "MEM_WRITE") or p["WR_CONFIRM"] == 0 or \
                (p.name != "MEM_WRITE" and p["DST_SEL"] not in (1, 2, 5)):
            continue
        line = line_of(p.wide("ADDRESS" if p.name == "MEM_WRITE" else "DST_ADDR"))
        write = next((a for a in trace.of(client, ring)
                      if a.time >= p.begin and a.line == line and a.command == "write"), None)
        v.looked_at += 1
        v.hold(write is not None and write.answered is not None and write.answered <= p.end,
               p.name, "at", p.place, "ends at", p.end, "before its write to", hex(line))


def copies(trace, v, ring, p):
    by_dwords = p["DAS"] or p["DAIC"] or (p["SRC_SEL"] == 0 and (p["SAS"] or p["SAIC"]))
    if p.name != "CP_DMA" or p["CP_SYNC"] == 0 or p["DISABLE_WR_CONFIRM"] or p["DST_SEL"] == 1 or \
            by_dwords or p["BYTE_COUNT"] == 0:
        return
    first, end = p.wide("DST_ADDR"), p.wide("DST_ADDR") + p["BYTE_COUNT"]
    missing = set(range(line_of(first), end, LINE))
    v.looked_at += 1
    for a in trace.of("dma", ring):
        if a.command != "write" or a.time < p.begin or a.line not in missing:
            continue
        missing.remove(a.line)
        v.hold(a.answered is not None and a.answered <= p.end, p.name, "at", p.place, "ends at",
               p.end, "before its write to", hex(a.line))
    v.hold(not missing, p.name, "at", p.place, "has not written", len(missing), "lines")


# ---- arrows --------------------------------------------------------------------------------------

def arrows(trace):
    """Arrows of draws and dispatches have both ends: a packet, what it starts, and the waves."""
    v = Verdict()
    works = trace.waves_of()
    first_draws = {p.draws[0] for ring in trace.me for p in ring if p.draws}
    for (kind, number), rows in trace.arrows.items():
        v.looked_at += 1
        v.hold(len(rows) > 1, "the arrow of", kind, number, "has one end, in", rows[0])
        ends = [r"vgt", r"spi\.draws"] if kind == "draw" else [r"cp\.me\.", r"spi\."]
        if number in first_draws and kind == "draw":
            ends.append(r"cp\.me\.gfx")
        if works[kind, number]:
            ends.append(r".*\.slot")
        for end in ends:
            v.hold(any(re.match(end, row) for row in rows), "the arrow of", kind, number,
                   "has no end in", end)
    return v


# ---- packets -------------------------------------------------------------------------------------

# Those the document describes, 2.2 to 2.9, by their names in models/cp/packets/si.
DOCUMENT = """
    ME_INITIALIZE SET_CONFIG_REG SET_BASE LOAD_CONFIG_REG
    DUMP_CONST_RAM INCREMENT_CE_COUNTER INDIRECT_BUFFER_CONST LOAD_CONST_RAM SET_CE_DE_COUNTERS
    WAIT_ON_DE_COUNTER WAIT_ON_DE_COUNTER_DIFF WRITE_CONST_RAM WRITE_CONST_RAM_OFFSET
    CONTEXT_CONTROL CLEAR_STATE LOAD_CONTEXT_REG SET_CONTEXT_REG SET_CONTEXT_REG_INDIRECT
    LOAD_SH_REG SET_SH_REG
    DRAW_INDEX_2 DRAW_INDEX_AUTO DRAW_INDEX_IMMD DRAW_INDEX_INDIRECT DRAW_INDEX_MULTI_AUTO
    DRAW_INDEX_OFFSET_2 DRAW_INDIRECT INCREMENT_DE_COUNTER INDEX_BASE INDEX_BUFFER_SIZE INDEX_TYPE
    INDIRECT_BUFFER MPEG_INDEX NUM_INSTANCES WAIT_ON_AVAIL_BUFFER WAIT_ON_CE_COUNTER
    DISPATCH_DIRECT DISPATCH_INDIRECT
    COND_EXEC COND_WRITE PRED_EXEC SET_PREDICATION
    ATOMIC ATOMIC_GDS EVENT_WRITE EVENT_WRITE_EOP EVENT_WRITE_EOS MEM_SEMAPHORE OCCLUSION_QUERY
    PFP_SYNC_ME STRMOUT_BUFFER_UPDATE SURFACE_SYNC WAIT_REG_MEM
    ALLOC_GDS COPY_DATA WRITE_GDS_RAM WRITE_DATA NOP
""".split()


def packets(a):
    """Every packet the document describes is executed by a workload."""
    seen = set()
    for _, trace in timelines(a.directory):
        for rings in (trace.me, trace.pfp, trace.ce, trace.ce_data):
            for ring in rings:
                seen.update(p.name for p in ring)
    missing = [name for name in DOCUMENT if name not in seen]
    if missing:
        print(f"in no workload: {', '.join(missing)}")
    print(f"{len(DOCUMENT) - len(missing)} of {len(DOCUMENT)} packets are in workloads")
    return 1 if missing else 0


RULES = {f.__name__: f for f in (constants, fences, interrupts, shadows, waits, syncs, contexts,
                                 confirmations, arrows)}


# ---- files ---------------------------------------------------------------------------------------

ALL = "all"  # a file that says that every workload was recorded


def facts_path(directory, workload, variant=""):
    return Path(directory) / (workload.name.replace("/", "_") + variant + ".facts")


def variants(workload):
    """{name: options} of the runs of a workload: those of packets also with channels that refuse at
    random."""
    runs = {"": []}
    if not re.search(r"^kernel:", workload.path.read_text(), re.MULTILINE):
        runs[".stalled"] = ["--random-stall", "30", "--seed", "1"]
    return runs


def has_address_spaces(workload):
    return re.search(r"^address_spaces:", workload.path.read_text(), re.MULTILINE) is not None


def recorded():
    """The rules compare addresses that packets and caches name with lines at L2: these are one only where no
    address space lies between them."""
    return [w for w in suite.workloads_of(suite.MAIN_CHIP)
            if w.name not in suite.LONG + MANY_REQUESTS and not has_address_spaces(w)]


def record(a):
    directory = Path(a.directory)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)

    def one(workload):
        for variant, options in variants(workload).items():
            path = facts_path(directory, workload, variant)
            trace = path.with_suffix(".trace")
            result = suite.run(a.command, workload, asic=suite.MAIN_CHIP,
                               options=["--trace", str(trace)] + options)
            if result.status != suite.DONE:
                return suite.why(result)
            rows = machine_trace.complete(timeline.read(trace, machine_trace.wanted), result.stats["units"])
            period = result.stats["sim_seconds"] * 1e9 / result.stats["cycles"]
            trace.unlink()
            with open(path, "wb") as file:
                pickle.dump(machine_trace.understand(rows, period), file)
            if not variant and workload.name in {d.workload for d in doctored_traces.DOCTORS}:
                with open(path.with_suffix(".rows"), "wb") as file:
                    pickle.dump((rows, period), file)
        return None

    workloads = [w for w in recorded() if not a.rest or w.name in a.rest]
    failed = 0
    for workload, why in zip(workloads, suite.in_parallel(one, workloads, a.jobs)):
        if why is not None:
            print(f"{workload.name}: {why}")
            failed += 1
    if not a.rest:
        (directory / ALL).touch()
    print(f"timelines of {len(workloads) - failed} of {len(workloads)} workloads")
    return 1 if failed or not workloads else 0


def timelines(directory):
    """(name, Trace) of what was recorded."""
    for workload in recorded():
        for variant in variants(workload):
            path = facts_path(directory, workload, variant)
            if not path.exists() and not (Path(directory) / ALL).exists():
                continue  # some were recorded by name
            with open(path, "rb") as file:
                yield workload.name + variant, pickle.load(file)


def check(a):
    rule = RULES[a.rest[0]]
    looked_at, with_some, failed = 0, 0, 0
    for name, trace in timelines(a.directory):
        verdict = rule(trace)
        looked_at += verdict.looked_at
        with_some += 1 if verdict.looked_at else 0
        failed += 1 if verdict.broken else 0
        for text in verdict.broken[:5]:
            print(f"{name}: {text}")
        if len(verdict.broken) > 5:
            print(f"{name}: and {len(verdict.broken) - 5} more")
    print(f"{rule.__name__}: {looked_at} times in {with_some} timelines, broken in {failed}")
    return 1 if failed or not looked_at else 0


def doctored(a):
    """Each rule holds in the timelines as they are and is broken in every doctored one."""
    failed, done = 0, 0
    by_name = {w.name: w for w in recorded()}
    for doctor in doctored_traces.DOCTORS:
        path = facts_path(a.directory, by_name[doctor.workload]).with_suffix(".rows")
        with open(path, "rb") as file:
            rows, period = pickle.load(file)
        rule = RULES[doctor.rule]
        good = rule(machine_trace.understand(rows, period))
        changed = doctor.change({path: list(spans) for path, spans in rows.items()})
        bad = rule(machine_trace.understand(changed, period))
        if good.broken or not any(re.search(doctor.says, text) for text in bad.broken):
            print(f"{doctor.rule}, {doctor.workload}: {doctor.what}: "
                  + "; ".join((good.broken or bad.broken or ["not noticed"])[:3]))
            failed += 1
        done += 1
    rules = {d.rule for d in doctored_traces.DOCTORS}
    for missing in sorted(set(RULES) - rules):
        print(f"{missing}: no doctored trace breaks it")
        failed += 1
    print(f"{done - failed} of {done} doctored timelines noticed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("record", "check", "doctored", "packets"))
    parser.add_argument("directory")
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--command", type=program, default=suite.default_command())
    parser.add_argument("--jobs", type=int, default=suite.default_jobs())
    a = parser.parse_args()
    if a.what == "check" and (len(a.rest) != 1 or a.rest[0] not in RULES):
        parser.error(f"the rules are {', '.join(RULES)}")
    return {"record": record, "check": check, "doctored": doctored, "packets": packets}[a.what](a)


if __name__ == "__main__":
    sys.exit(main())
