# SPDX-License-Identifier: Apache-2.0
"""Timelines in which two events have changed places, for `order.py doctored`: each breaks one rule
as a fault of the machine would."""

import re
from dataclasses import dataclass
from typing import Callable

DOCTORS = []


@dataclass(frozen=True)
class Doctor:
    rule: str
    workload: str
    says: str  # what the rule must say of it, among other things
    what: str
    change: Callable  # of {row: [Span]}, which is the doctor's own


def doctor(rule, workload, says):
    def add(function):
        DOCTORS.append(Doctor(rule, workload, says, function.__doc__, function))
        return function
    return add


class Place:
    """One slice of a timeline."""

    def __init__(self, rows, row, index):
        self.rows, self.row, self.index = rows, row, index

    @property
    def span(self):
        return self.rows[self.row][self.index]

    def set(self, **values):
        self.rows[self.row][self.index] = self.span._replace(**values)

    def move(self, begin):
        """As long as before, from another time on."""
        self.set(begin=begin, end=begin + self.span.end - self.span.begin)

    def next(self):
        return Place(self.rows, self.row, self.index + 1)


def find(rows, row, name="", detail="", nth=0, after=0):
    """The nth slice that begins behind `after` in rows and with a name and detail that match."""
    found = [(s.begin, r, i) for r, spans in rows.items() if re.match(row, r)
             for i, s in enumerate(spans)
             if re.match(name, s.name) and re.search(detail, s.detail) and s.begin >= after]
    found.sort()
    return Place(rows, *found[nth][1:])


def answer(rows, request):
    """The answer to a request that has left a crossbar."""
    s = request.span
    line, port = re.search(r"line (0x[0-9a-f]+).* port (\d+)", s.detail).groups()
    xbar = request.row.partition(".")[0]
    for r, spans in rows.items():
        for i, a in enumerate(spans):
            if r == f"{xbar}.response{port}" and a.begin > s.begin and a.name == s.name and \
                    a.flow == s.flow and a.detail == f"line {line}":
                return Place(rows, r, i)
    raise ValueError(f"no answer to {s}")


def last_wave(rows, work):
    found = [(s.end, r, i) for r, spans in rows.items() if ".slot" in r
             for i, s in enumerate(spans) if re.match(work + r"\b", s.detail)]
    return Place(rows, *max(found)[1:])


# ---- constants -----------------------------------------------------------------------------------

@doctor("constants", "ce_constants",
        r"is in memory at .* when the wait")
def wait_before_dump(rows):
    """the wait for CE is over before the dump is acknowledged"""
    dump = answer(rows, find(rows, r"fabric\.request", "write", r"cp\.ce .*line 0x130000"))
    wait = find(rows, r"cp\.me\.gfx", "WAIT_ON_CE_COUNTER")
    at, end = dump.span.begin, wait.span.end
    dump.move(end)
    wait.set(end=at)
    return rows


@doctor("constants", "ce_constants",
        r"reads 0x130000 .* which has the constants of set 3")
def read_behind_later_dump(rows):
    """a dispatch reads its table when it has the constants of a later dispatch"""
    read = find(rows, r"fabric\.request", "read", r"sqc\.data .*line 0x130000")
    dump = find(rows, r"fabric\.request", "write", r"cp\.ce .*line 0x130000", nth=1)
    read_at = read.span.begin
    dump.move(read_at)
    find(rows, r"cp\.ce\.gfx", "DUMP_CONST_RAM", "ADDR_LO=0x130000", nth=1).set(begin=read_at)
    read.move(read_at + 1)
    return rows


@doctor("constants", "ce_constants",
        r"constants of set 3 reach 0x130000")
def dump_under_a_wave(rows):
    """constants of a later dispatch come while a wave that read the table is at work"""
    dump = find(rows, r"fabric\.request", "write", r"cp\.ce .*line 0x130000", nth=1)
    wave = last_wave(rows, "dispatch 1")
    at, end = dump.span.begin, wave.span.end
    dump.move(end)
    wave.set(end=at)
    return rows


# ---- fences --------------------------------------------------------------------------------------

@doctor("fences", "saxpy",
        r"is served at .* while waves before it end")
def fence_before_wave(rows):
    """the fence is written before the last wave has ended"""
    fence = find(rows, r"fabric\.request", "write", r"cp\.eop 0 ", nth=-1)
    wave = last_wave(rows, "dispatch 1")
    at, end = fence.span.begin, wave.span.end
    fence.move(end)
    wave.set(end=at)
    return rows


@doctor("fences", "saxpy",
        r"behind all its waves")
def wave_before_write(rows):
    """a wave ends before its write is acknowledged"""
    wave = last_wave(rows, "dispatch 1")
    unit = wave.row.partition(".simd")[0]
    end = max(s.end for r, spans in rows.items() if r.startswith(unit + ".simd") for s in spans)
    numbers = [int(n) for n in re.findall(r"\d+", unit)]
    units = sorted({tuple(int(n) for n in re.findall(r"\d+", r.partition(".simd")[0]))
                    for r in rows if ".slot" in r})
    write = answer(rows, find(rows, r"fabric\.request", "write",
                              rf"tcp {units.index(tuple(numbers))} ", nth=-1))
    write.move(end + 1)
    return rows


@doctor("fences", "rings_beside_draws",
        r"writes at .* while waves before it end")
def fence_before_draw(rows):
    """the graphics ring's fence is written before the waves of its draws have ended"""
    number = find(rows, r"spi\.draws", nth=-1).span.name.split()[1]
    wave = last_wave(rows, f"draw {number}")
    fence = find(rows, r"fabric\.request", "write", r"cp\.eop 0 ", after=wave.span.end)
    served = find(rows, r"cp\.eop\.serving", detail="ring gfx")
    for nth in range(1, len(rows["cp.eop.serving"])):
        if served.span.end >= fence.span.begin:
            break
        served = find(rows, r"cp\.eop\.serving", detail="ring gfx", nth=nth)
    at, end = fence.span.begin, wave.span.end
    served.set(begin=end)
    fence.move(end)
    wave.set(end=at)
    return rows


# ---- interrupts ----------------------------------------------------------------------------------

@doctor("interrupts", "interrupt_ring",
        r"comes at .* before its command is complete")
def interrupt_before_end(rows):
    """an interrupt comes before its command is complete"""
    served = find(rows, r"cp\.eop\.serving", detail="interrupt", nth=-1)
    came = find(rows, "ih$", "came", nth=-1)
    at, end = came.span.begin, served.span.end
    came.move(end)
    served.set(end=at)
    return rows


@doctor("interrupts", "saxpy",
        r"before its write is")
def end_before_write(rows):
    """a command whose interrupt waits for its write is complete before it is acknowledged"""
    served = find(rows, r"cp\.eop\.serving", detail="when written")
    write = answer(rows, find(rows, r"fabric\.request", "write", r"cp\.eop ",
                              after=served.span.begin))
    at, end = write.span.begin, served.span.end
    write.move(end)
    served.set(end=at)
    return rows


# ---- shadows -------------------------------------------------------------------------------------

@doctor("shadows", "shadow_load",
        r"before the write .* is acknowledged")
def load_before_shadow(rows):
    """a LOAD reads its shadow before the write of a SET is acknowledged"""
    load = find(rows, r"cp\.me\.", "LOAD_SH_REG|LOAD_CONTEXT_REG|LOAD_CONFIG_REG",
                after=find(rows, r"(hub|fabric)\.request", "write", r"cp\.me ",
                           after=find(rows, r"cp\.me\.gfx", "CONTEXT_CONTROL").span.end).span.begin)
    begin = load.span.begin
    read = find(rows, r"(hub|fabric)\.request", "read", r"cp\.me ", after=begin)
    writes = [(s.begin, r, i) for r, spans in rows.items() if re.match(r"(hub|fabric)\.request", r)
              for i, s in enumerate(spans)
              if s.name == "write" and s.detail.startswith("cp.me ") and s.begin < read.span.begin]
    write = answer(rows, Place(rows, *max(writes)[1:]))
    read_at, write_at = read.span.begin, write.span.begin
    read.move(write_at)
    write.move(read_at)
    load.set(begin=min(begin, write_at))
    return rows


# ---- waits ---------------------------------------------------------------------------------------

@doctor("waits", "rings_beside_draws",
        r"before its poll is answered")
def wait_before_poll(rows):
    """a WAIT_REG_MEM is over before its poll is answered"""
    wait = find(rows, r"cp\.me\.compute0", "WAIT_REG_MEM")
    polls = [(s.begin, r, i) for r, spans in rows.items() if re.match(r"(hub|fabric)\.request", r)
             for i, s in enumerate(spans)
             if s.name == "read" and s.detail.startswith("cp.me 1 ")
             and wait.span.begin <= s.begin <= wait.span.end]
    poll = answer(rows, Place(rows, *max(polls)[1:]))
    at, end = poll.span.begin, wait.span.end
    poll.move(end)
    wait.set(end=at)
    return rows


@doctor("waits", "rings_beside_draws",
        r"is satisfied with 0")
def satisfied_by_too_little(rows):
    """a WAIT_REG_MEM goes on with a value that does not satisfy it"""
    wait = find(rows, r"cp\.me\.compute0", "WAIT_REG_MEM")
    wait.set(detail=re.sub(r"read \d+", "read 0", wait.span.detail))
    return rows


@doctor("waits", "rings_beside_draws",
        r"behind a wait that is over")
def next_before_wait(rows):
    """the packet behind a WAIT_REG_MEM begins before it is over"""
    wait = find(rows, r"cp\.me\.compute0", "WAIT_REG_MEM")
    behind = wait.next()
    end, begin = wait.span.end, behind.span.begin
    wait.set(end=begin)
    behind.set(begin=end - 1)
    return rows


@doctor("waits", "ring_semaphores",
        r"behind a wait that is over")
def next_before_semaphore(rows):
    """a copy behind a semaphore begins before it is taken"""
    wait = find(rows, r"cp\.me\.compute0", "MEM_SEMAPHORE", "SEM_SEL=7")
    behind = wait.next()
    end, begin = wait.span.end, behind.span.begin
    behind.set(begin=end - 1)
    wait.set(end=begin)
    return rows


@doctor("waits", "ring_semaphores",
        r"before its poll is answered")
def semaphore_before_poll(rows):
    """a semaphore is taken before the answer that gives it"""
    wait = find(rows, r"cp\.me\.compute0", "MEM_SEMAPHORE", "SEM_SEL=7")
    polls = sorted((s.begin, r, i) for r, spans in rows.items()
                   if r.startswith("hub.request") for i, s in enumerate(spans)
                   if s.name == "read" and s.detail.startswith("cp.me 1 ") and wait.span.begin <= s.begin <= wait.span.end)
    poll = answer(rows, Place(rows, *polls[-1][1:]))
    at, end = poll.span.begin, wait.span.end
    poll.move(end)
    wait.set(end=at)
    return rows


@doctor("waits", "rings_beside_draws",
        r"polls at")
def polls_too_often(rows):
    """a WAIT_REG_MEM polls again at once"""
    wait = find(rows, r"cp\.me\.compute0", "WAIT_REG_MEM")
    polls = sorted((s.begin, r, i) for r, spans in rows.items()
                   if re.match(r"(hub|fabric)\.request", r) for i, s in enumerate(spans)
                   if s.name == "read" and s.detail.startswith("cp.me 1 ")
                   and wait.span.begin <= s.begin <= wait.span.end)
    Place(rows, *polls[1][1:]).move(polls[0][0] + 1)
    return rows


# ---- PFP_SYNC_ME ---------------------------------------------------------------------------------

@doctor("syncs", "predicated_work",
        r"COND_EXEC .* before ME comes")
def parser_before_engine(rows):
    """PFP goes on before ME comes to the PFP_SYNC_ME"""
    at_pfp = find(rows, r"cp\.pfp\.gfx", "PFP_SYNC_ME")
    at_me = find(rows, r"cp\.me\.gfx", "PFP_SYNC_ME")
    behind = at_pfp.next()
    begin, then = at_me.span.begin, behind.span.begin
    at_me.set(begin=then)
    behind.set(begin=begin)
    at_pfp.set(end=begin)
    return rows


# ---- contexts ------------------------------------------------------------------------------------

@doctor("contexts", "context_roll",
        r"and in use until")
def context_taken_too_early(rows):
    """a context is taken again before its CONTEXT_DONE"""
    first = find(rows, r"cp\.me\.context2$")
    second = first.next()
    end, begin = first.span.end, second.span.begin
    second.set(begin=end - 1)
    first.set(end=begin)
    return rows


@doctor("contexts", "context_roll",
        r"is given back at .* at work until")
def context_done_before_wave(rows):
    """a context is given back while a wave of its draw is at work"""
    context = find(rows, r"cp\.me\.context2$")
    draws = [s for s in rows["spi.draws"] if s.detail.startswith("context 2,")
             and s.begin < context.span.end and "no waves" not in s.detail]
    wave = last_wave(rows, draws[0].name)
    end, done = wave.span.end, context.span.end
    wave.set(end=done)
    context.set(end=end - 1)
    return rows


# ---- confirmations -------------------------------------------------------------------------------

@doctor("confirmations", "gds_counters",
        r"before its write to")
def packet_before_confirmation(rows):
    """a COPY_DATA that is to be confirmed ends before its write is acknowledged"""
    packet = find(rows, r"cp\.me\.gfx", "COPY_DATA", "WR_CONFIRM=1")
    write = answer(rows, find(rows, r"(hub|fabric)\.request", "write", r"cp\.me 0 ",
                              after=packet.span.begin))
    at, end = write.span.begin, packet.span.end
    write.move(end)
    packet.set(end=at)
    return rows


@doctor("confirmations", "ring_semaphores",
        r"CP_DMA .* before its write to")
def copy_before_its_write(rows):
    """a CP_DMA that is waited for ends before the acknowledgement of a write"""
    packet = find(rows, r"cp\.me\.compute0", "CP_DMA", "CP_SYNC=1")
    write = answer(rows, find(rows, r"(hub|fabric)\.request", "write", r"cp\.dma 1 ",
                              after=packet.span.begin))
    at, end = write.span.begin, packet.span.end
    write.move(end)
    packet.set(end=at)
    return rows


# ---- arrows --------------------------------------------------------------------------------------

@doctor("arrows", "rings_beside_draws",
        r"the arrow of draw 1 has no end in spi")
def draw_without_its_arrow(rows):
    """SPI's slice of a draw has no arrow"""
    find(rows, r"spi\.draws", "draw 1$").set(flow=0)
    return rows


@doctor("arrows", "saxpy",
        r"the arrow of dispatch 1 has no end in cp")
def packet_without_its_arrow(rows):
    """the packet of a dispatch has no arrow"""
    find(rows, r"cp\.me\.", "DISPATCH_DIRECT").set(flow=0)
    return rows
