#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes testbenches/workloads/async_dma/<generation>/<family>.yaml: packets of async DMA engines as text, with what
must be in memory behind them, worked out here.

    make_async_dma.py [--check]      --check: compares with the files in place of writing them

Shares nothing with the model. Elements in a micro tile: AMD's address library in Mesa 22.3.6 (src/amd/addrlib).
"""

import argparse
import sys
from pathlib import Path

WORKLOADS = Path(__file__).resolve().parents[2] / "testbenches" / "workloads" / "async_dma"

# A chip of each generation, and the generations in order.
CHIPS = {"r600": "r600", "r700": "rv770", "eg": "cypress", "ni": "cayman", "si": "tahiti", "cik": "bonaire"}
GENERATIONS = tuple(CHIPS)
OLD = ("r600", "r700")

# Places in memory, far apart; PAGE is mapped at each that a workload uses.
PAGE = 0x4000
A, B, C, D, E, F = (0x100000 * i for i in range(1, 7))


class Workload:
    """Memory, packets of dma0 and what must come out; text() is the file."""

    def __init__(self, *comment):
        self.comment, self.memory, self.steps, self.expected = list(comment), [], [], []

    def has(self, address, words):
        self.memory.append(f"  - address: {address:#x}\n    words: [\n{rows_of(words)}    ]")

    def clear(self, *addresses, size=PAGE):
        self.memory += [f"  - {{address: {a:#x}, fill: 0, size: {size}}}" for a in addresses]

    def random(self, address, count, seed):
        self.memory.append(f"  - {{address: {address:#x}, random: {{type: u32, count: {count}, seed: {seed}}}}}")

    def buffer(self, address, packets):
        self.memory.append(f"  - {{address: {address:#x}, ring: dma0, packets: [\n"
                           + "".join(f'      "{p}",\n' for p in packets) + "    ]}")

    def ring(self, *packets, ring="dma0", wait=True):
        """Packets; one that is a tuple has a comment in front."""
        lines = []
        for p in packets:
            comment, packet = p if isinstance(p, tuple) else (None, p)
            lines += [f"      # {comment}"] if comment else []
            lines.append(f"      - {packet}")
        self.steps.append(f"  - ring: {ring}\n    packets:\n" + "\n".join(lines))
        if wait:
            self.wait(ring)

    def wait(self, ring):
        self.steps.append(f"  - {{wait: {ring}}}")

    def step(self, text):
        self.steps.append(f"  - {text}")

    def expect(self, address, words):
        words = list(words)
        inline = f"  - {{address: {address:#x}, words: [{', '.join(map(number, words))}]}}"
        self.expected.append(inline if len(inline) <= 110 else
                             f"  - address: {address:#x}\n    words: [\n{rows_of(words)}    ]")

    def expect_random(self, address, count, seed):
        self.expected.append(f"  - {{address: {address:#x}, random: {{type: u32, count: {count}, seed: {seed}}}}}")

    def expect_interrupts(self, name, count):
        self.expected.append(f"  - {{interrupt: {name}, count: {count}}}")

    def text(self, chip):
        parts = ["# SPDX-License-Identifier: Apache-2.0", *("# " + line for line in self.comment), f"asic: {chip}"]
        for key, lines in (("memory", self.memory), ("steps", self.steps), ("expect", self.expected)):
            if lines:
                parts += [f"{key}:", *lines]
        return "\n".join(parts) + "\n"


def number(word):
    return str(word) if word < 10000 else f"{word:#x}"


def rows_of(words, columns=16):
    lines = [words[i:i + columns] for i in range(0, len(words), columns)]
    return "".join("      " + ", ".join(map(number, line)) + ",\n" for line in lines)


# ---- what a generation spells otherwise --------------------------------------------------------

def count(g, dwords):
    """COUNT of a linear copy or fill: dwords, CIK: bytes."""
    return f"COUNT = {4 * dwords if g == 'cik' else dwords}"


def base(g, name, address):
    if g == "cik":
        return f"{name} = {address:#x}"
    prefix = {"BASE1": "BASE0", "BASE2": "BASE1"}.get(name, name)
    return f"{prefix}_256B = {address >> 8:#x}"


# Bits of the place of an element of 32 bits in its micro tile, from the lowest: R6xx and R7xx have the order of displays
# alone, of the others these workloads take the thin one.
DISPLAY_ORDER = ("x0", "x1", "y0", "x2", "y1", "y2")
THIN_ORDER = ("x0", "y0", "x1", "y1", "x2", "y2")


class Surface:
    """Of elements of 32 bits, tiled 1D thin, one slice."""

    def __init__(self, g, pitch, height):
        self.order = DISPLAY_ORDER if g in OLD else THIN_ORDER
        self.pitch, self.height = pitch, height

    def index(self, x, y):
        inside = 0
        for bit, name in enumerate(self.order):
            inside |= ((x if name[0] == "x" else y) >> int(name[1]) & 1) << bit
        return ((y // 8) * (self.pitch // 8) + x // 8) * 64 + inside

    def tiled(self, rows):
        """Words of memory from rows of elements; zeros where there is None."""
        words = [0] * (self.pitch * self.height)
        for y, row in enumerate(rows):
            for x, word in enumerate(row):
                words[self.index(x, y)] = word or 0
        return words

    def fields(self, g, prefix="", mode=2):
        """The packet's description; `mode`: 2 1D thin, 4 2D thin (four banks)."""
        tiles = self.pitch // 8
        text = (f"{prefix}PITCH_TILE_MAX = {tiles - 1}, "
                f"{prefix}SLICE_TILE_MAX = {tiles * self.height // 8 - 1}")
        return text, layout(g, mode, prefix if g == "cik" else "")

    def described(self, g, mode=2, height=True):
        text, how = self.fields(g, mode=mode)
        if height:
            how += f", HEIGHT = {self.height}" if g == "cik" else f", HEIGHT_MAX = {self.height - 1}"
        return f"{text}, {how}"


def layout(g, mode, prefix=""):
    """What both sides of COPY_TILED_TO_TILED share before CIK."""
    text = f"{prefix}ARRAY_MODE = {mode}, {prefix}SIZE = BITS_32"
    if g in OLD:
        return text
    text += f", {prefix}NON_DISP = 1" if g in ("eg", "ni") else f", {prefix}MICRO_TILE_MODE = 1"  # thin
    if mode == 4:
        text += f", {prefix}NUM_BANKS = 1, {prefix}TILE_SPLIT = 3"
        if g in ("si", "cik"):
            text += f", {prefix}PIPE_CONFIG = 10"  # P8_32x32_8x16
    return text


def picture(pitch, height):
    """Rows of elements that show their place: 100 * y + x + 1."""
    return [[100 * y + x + 1 for x in range(pitch)] for y in range(height)]


def flat(rows):
    return [word for row in rows for word in row]


def window(rows, x, y, width, height):
    return [row[x:x + width] for row in rows[y:y + height]]


def placed(rows, pitch, height, x, y):
    """Rows of a picture of zeros that has `rows` at x, y."""
    out = [[0] * pitch for _ in range(height)]
    for j, row in enumerate(rows):
        out[y + j][x:x + len(row)] = row
    return out


# ---- families ----------------------------------------------------------------------------------

def write(g):
    w = Workload("WRITE_LINEAR: dwords in the packet go to memory; the count is that of DATA. SWAP exchanges bytes.")
    words = [0x01020304 + i * 0x10101010 for i in range(5)]
    w.clear(A)
    w.ring(f"WRITE_LINEAR DST = {A:#x}, DATA = [{', '.join(map(number, words))}]",
           ("across a line of 64 bytes", f"WRITE_LINEAR DST = {A + 0x138:#x}, DATA = [1, 2, 3, 4]"),
           f"WRITE_LINEAR DST = {A + 0x200:#x}, SWAP = SWAP_8_IN_32, DATA = [0x11223344, 0x55667788]")
    w.expect(A, words + [0])
    w.expect(A + 0x134, [0, 1, 2, 3, 4, 0])
    w.expect(A + 0x200, [0x44332211, 0x88776655, 0])
    return w


def copy(g):
    w = Workload("COPY_LINEAR: from a line's beginning, across lines, and with bytes exchanged on the way."
                 + (" CIK counts bytes." if g == "cik" else ""))
    words = list(range(1, 65))
    w.has(A, words)
    w.clear(B)
    w.ring(f"COPY_LINEAR {count(g, 64)}, DST = {B:#x}, SRC = {A:#x}",
           f"COPY_LINEAR {count(g, 22)}, DST = {B + 0x434:#x}, SRC = {A + 0x48:#x}",
           f"COPY_LINEAR {count(g, 2)}, DST = {B + 0x800:#x}, SRC = {A:#x}, DST_SWAP = SWAP_8_IN_32")
    w.expect(B, words + [0])
    w.expect(B + 0x430, [0] + words[18:40] + [0])
    w.expect(B + 0x800, [0x01000000, 0x02000000, 0])
    if g in ("eg", "ni", "si", "cik"):
        name = "COPY_LINEAR" if g == "cik" else "COPY_LINEAR_BYTE"
        w.ring(("seven bytes from an odd place",
                f"{name} COUNT = 7, DST = {B + 0x902:#x}, SRC = {A + 0x3:#x}"))
        data = b"".join(x.to_bytes(4, "little") for x in words)[3:10]
        w.expect(B + 0x900, words_of(b"\0\0" + data + b"\0\0\0"))
    return w


def words_of(data):
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def fill(g):
    w = Workload("CONSTANT_FILL: a word again and again." + (" CIK counts bytes and fills with bytes, too." if g == "cik" else ""))
    w.clear(A)
    dwords = ", FILL_SIZE = DWORDS" if g == "cik" else ""
    w.ring(f"CONSTANT_FILL {count(g, 40)}, DST = {A + 0x20:#x}, DATA = 0xcafe1234{dwords}")
    w.expect(A + 0x1c, [0] + [0xcafe1234] * 40 + [0])
    if g == "cik":
        w.ring(f"CONSTANT_FILL COUNT = 5, DST = {A + 0x403:#x}, DATA = 0x77, FILL_SIZE = BYTES")
        w.expect(A + 0x400, [0x77000000, 0x77777777, 0])
    return w


def pte(g):
    w = Workload("WRITE_PTE: page table entries, each VALUE + n * INCREMENT with MASK's bits, here of eight pages of 4 KiB"
                 " from 0x12345000 on.", "COUNT: " + ("entries." if g == "cik" else "dwords, two an entry."))
    w.clear(A)
    value, mask = 0x12345000, 0x67
    w.ring(f"WRITE_PTE COUNT = {8 if g == 'cik' else 16}, DST = {A:#x}, MASK = {mask:#x}, VALUE = {value:#x}, "
           "INCREMENT = 0x1000")
    w.expect(A, flat([value + 0x1000 * i | mask, 0] for i in range(8)) + [0, 0])
    return w


def tiled(g):
    w = Workload("Tiled surfaces of elements of 32 bits: 32 x 16 in micro tiles, whose words are listed, and 128 x 128 in",
                 "macro tiles, there and back.", "An element is 100 * its row + its column + 1. DETILE: L2T linear to tiled, T2L back.")
    s, big = Surface(g, 32, 16), Surface(g, 128, 128)
    rows = picture(32, 16)
    w.has(A, flat(rows))
    w.random(D, 128 * 128, 7)
    w.clear(B, C)
    w.clear(E, F, size=4 * 128 * 128)
    d, dd = s.described(g), big.described(g, mode=4)
    w.ring(f"COPY_TILED DETILE = L2T, COUNT = 512, {base(g, 'BASE', B)}, {d}, LINEAR = {A:#x}" + pitch_of(g, 32),
           f"COPY_TILED DETILE = T2L, COUNT = 512, {base(g, 'BASE', B)}, {d}, LINEAR = {C:#x}" + pitch_of(g, 32),
           f"COPY_TILED DETILE = L2T, COUNT = 16384, {base(g, 'BASE', E)}, {dd}, LINEAR = {D:#x}" + pitch_of(g, 128),
           f"COPY_TILED DETILE = T2L, COUNT = 16384, {base(g, 'BASE', E)}, {dd}, LINEAR = {F:#x}" + pitch_of(g, 128))
    w.expect(B, s.tiled(rows))
    w.expect(C, flat(rows))
    w.expect_random(F, 128 * 128, 7)
    data = [7001, 7002, 7003, 7004, 7005, 7006, 7007, 7008]
    w.ring(("eight elements at 8, 1 of another surface, from the packet",
            f"WRITE_TILED {base(g, 'BASE', B + 0x2000)}, {d}, X = 8, Y = {0 if g in OLD else 1}, "
            f"DATA = [{', '.join(map(str, data))}]"))
    w.expect(B + 0x2000, s.tiled(placed([data], 32, 16, 8, 0 if g in OLD else 1)))
    if g in ("eg", "ni", "si"):
        w.ring(("six micro tiles from the second on",
                f"COPY_TILE_UNITS DETILE = L2T, COUNT = 6, {base(g, 'BASE', B + 0x3000)}, {d}, X = 8, Y = 0, "
                f"LINEAR = {A + 32:#x}"))
        part = placed(window(rows, 8, 0, 24, 8), 32, 16, 8, 0)
        part[8:] = placed(window(rows, 0, 8, 24, 8), 32, 8, 0, 0)
        w.expect(B + 0x3000, s.tiled(part))
    return w


def pitch_of(g, pitch):
    return f", LINEAR_PITCH = {pitch - 1}" if g == "cik" else ""


def windows(g):
    w = Workload("Windows: part of a picture to another place, linear and tiled. An element is 100 * its row + its column + 1.",
                 "Pitches: " + ("elements, less one." if g == "cik" else "bytes."))
    rows = picture(32, 16)
    w.has(A, flat(rows))
    w.clear(B, C, D)
    part = window(rows, 5, 2, 10, 4)
    s = Surface(g, 32, 16)
    square = placed(window(rows, 4, 3, 12, 6), 32, 16, 9, 1)
    if g == "cik":
        w.ring(("10 x 4 elements at 5, 2 to 0, 1 of a picture 16 wide",
                f"COPY_LINEAR_SUB_WINDOW SIZE = BITS_32, SRC = {A:#x}, SRC_X = 5, SRC_Y = 2, SRC_PITCH = 31, "
                f"SRC_SLICE_PITCH = 511, DST = {B:#x}, DST_Y = 1, DST_PITCH = 15, DST_SLICE_PITCH = 127, "
                "RECT_X = 10, RECT_Y = 4"),
               ("12 x 6 elements at 4, 3 to 9, 1 of a tiled surface, and back",
                f"COPY_TILED_SUB_WINDOW DETILE = L2T, BASE = {C:#x}, {s.described(g, height=False)}, X = 9, Y = 1, "
                f"LINEAR = {A:#x}, LINEAR_X = 4, LINEAR_Y = 3, LINEAR_PITCH = 31, LINEAR_SLICE_PITCH = 511, "
                "RECT_X = 12, RECT_Y = 6"),
               f"COPY_TILED_SUB_WINDOW DETILE = T2L, BASE = {C:#x}, {s.described(g, height=False)}, X = 9, Y = 1, "
               f"LINEAR = {D:#x}, LINEAR_PITCH = 15, LINEAR_SLICE_PITCH = 127, RECT_X = 12, RECT_Y = 6")
        w.clear(E)
        w.ring(("four structures of three dwords, behind the first, to arrays of first, second and third dwords",
                f"COPY_STRUCTURED DIRECTION = STRUCTURED_TO_LINEAR, BUFFER = {A:#x}, START_INDEX = 1, COUNT = 4, "
                f"STRIDE = 3, LINEAR = {E:#x}"))
        structures = flat(rows)[3:15]
        w.expect(E, structures[0::3] + structures[1::3] + structures[2::3] + [0])
    else:
        w.ring(("10 x 4 elements at 5, 2 to 0, 1 of a picture 16 wide",
                f"COPY_LINEAR_PARTIAL SIZE = BITS_32, SRC = {A + 4 * (2 * 32 + 5):#x}, SRC_PITCH = 128, "
                f"SRC_SLICE_PITCH = 2048, DST = {B + 64:#x}, DST_PITCH = 64, DST_SLICE_PITCH = 512, "
                "DX = 10, DY = 4, DZ = 1"),
               ("12 x 6 elements at 4, 3 to 9, 1 of a tiled surface, and back",
                f"COPY_TILED_PARTIAL DETILE = L2T, {base(g, 'BASE', C)}, {s.described(g)}, X = 9, Y = 1, "
                f"LINEAR = {A + 4 * (3 * 32 + 4):#x}, LINEAR_PITCH = 128, LINEAR_SLICE_PITCH = 2048, "
                "DX = 12, DY = 6, DZ = 1"),
               f"COPY_TILED_PARTIAL DETILE = T2L, {base(g, 'BASE', C)}, {s.described(g)}, X = 9, Y = 1, "
               f"LINEAR = {D:#x}, LINEAR_PITCH = 64, LINEAR_SLICE_PITCH = 512, DX = 12, DY = 6, DZ = 1")
    w.expect(B, flat(placed(part, 16, 6, 0, 1)))
    w.expect(C, s.tiled(square))
    w.expect(D, flat(placed(window(rows, 4, 3, 12, 6), 16, 7, 0, 0)))
    return w


def tiled_to_tiled(g):
    w = Workload("COPY_TILED_TO_TILED: 16 x 8 elements at 8, 8 of a surface 32 wide to 32, 0 of one 64 wide, in micro tiles.",
                 "An element is 100 * its row + its column + 1. Places and sizes are those of micro tiles.")
    small, wide = Surface(g, 32, 16), Surface(g, 64, 16)
    rows = picture(32, 16)
    w.has(A, small.tiled(rows))
    w.clear(B)
    size = "RECT_X = 16, RECT_Y = 8, RECT_Z = 1" if g == "cik" else "DX = 16, DY = 8, DZ = 1"
    sides = []
    for side, s, at, x, y in (("SRC_", small, A, 8, 8), ("DST_", wide, B, 32, 0)):
        own, how = s.fields(g, side)
        sides.append(f"{side[:-1]} = {at:#x}" if g == "cik" else f"{side}BASE_256B = {at >> 8:#x}")
        sides.append(f"{side}X = {x}, {side}Y = {y}, {own}")
        sides.append(how if g == "cik" else f"{side}HEIGHT_MAX = 15")
    if g != "cik":
        sides.append(layout(g, 2))
    w.ring(f"COPY_TILED_TO_TILED {size}, {', '.join(sides)}")
    w.expect(B, wide.tiled(placed(window(rows, 8, 8, 16, 8), 64, 16, 32, 0)))
    return w


def broadcast(g):
    w = Workload("One source, two targets: linear and tiled copies, and a frame whose even and odd rows go to two surfaces.",
                 "An element is 100 * its row + its column + 1.")
    rows = picture(32, 16)
    w.has(A, flat(rows))
    w.clear(B, C)
    s, half = Surface(g, 32, 16), Surface(g, 32, 8)
    fields = ("BASE1", "BASE2") if g == "cik" else ("EVEN_BASE", "ODD_BASE")
    # CIK names the field surfaces by their places in the packet: the first is the even one's.
    w.ring(f"COPY_LINEAR_BROADCAST {count(g, 20)}, SRC = {A + 0x10:#x}, DST1 = {B:#x}, DST2 = {C:#x}",
           f"COPY_TILED_BROADCAST COUNT = 512, {base(g, 'BASE1', B + 0x1000)}, {base(g, 'BASE2', C + 0x1000)}, "
           f"{s.described(g)}, LINEAR = {A:#x}" + pitch_of(g, 32),
           f"COPY_FRAME_TO_FIELD COUNT = 512, {base_of_field(g, fields[0], B + 0x2000)}, "
           f"{base_of_field(g, fields[1], C + 0x2000)}, {half.described(g)}, LINEAR = {A:#x}")
    for at in (B, C):
        w.expect(at, flat(rows)[4:24] + [0])
        w.expect(at + 0x1000, s.tiled(rows))
    w.expect(B + 0x2000, half.tiled(rows[0::2]))
    w.expect(C + 0x2000, half.tiled(rows[1::2]))
    if g != "cik":
        w.ring(f"COPY_TILE_UNITS_BROADCAST COUNT = 8, BASE0_256B = {B + 0x3000 >> 8:#x}, "
               f"BASE1_256B = {C + 0x3000 >> 8:#x}, {s.described(g)}, LINEAR = {A:#x}")
        for at in (B, C):
            w.expect(at + 0x3000, s.tiled(rows))
    return w


def base_of_field(g, name, address):
    return f"{name} = {address:#x}" if g == "cik" else f"{name}_256B = {address >> 8:#x}"


# ---- packets that move no data -----------------------------------------------------------------

def control(g):
    w = Workload("Indirect buffers, semaphores, fences and interrupts" + {
        "r600": ".", "r700": ".", "eg": "; a poll of a register.",
        "ni": "; registers of the other engine over SRBM.", "si": "; polls; registers of the other engine over SRBM.",
        "cik": "; polls; registers of the other engine over SRBM;", }[g])
    if g == "cik":
        w.comment.append("conditional execution, timestamps.")
    w.clear(B, C)
    w.buffer(A, [f"WRITE_LINEAR DST = {B:#x}, DATA = [1, 2, 3]"] + ["NOP"] * (1 if g == "cik" else 2))
    vmid = ", VMID = 0" if g in ("ni", "si", "cik") else ""
    w.step(f"{{ring: dma0, ib: {{address: {A:#x}, dwords: 8}}}}")
    # A call of a buffer ends at a multiple of eight dwords.
    call = f"INDIRECT_BUFFER IB_BASE = {A:#x}, IB_SIZE = 8{vmid}"
    w.ring(f"WRITE_LINEAR DST = {B + 0x10:#x}, DATA = [{'4' if g == 'cik' else '4, 5'}]", call, wait=False)
    w.expect(B, [1, 2, 3, 0, 4] + ([0] if g == "cik" else [5]))
    w.ring(("three signals and a wait: two are left; the wait comes behind the copies before it",
            f"SEMAPHORE ADDRESS = {C:#x}, SIGNAL = SIGNAL"),
           f"SEMAPHORE ADDRESS = {C:#x}, SIGNAL = SIGNAL",
           f"SEMAPHORE ADDRESS = {C:#x}, SIGNAL = WAIT",
           f"SEMAPHORE ADDRESS = {C:#x}, SIGNAL = SIGNAL",
           f"FENCE ADDRESS = {C + 0x20:#x}, DATA = 0xfe", "TRAP", "NOP")
    w.expect(C, [2, 0])
    w.expect(C + 0x20, [0xfe, 0])
    if g in ("ni", "si", "cik"):
        other_engine(w, g)
    if g == "eg":
        w.ring(("the address of the ring's fences, set by the host: not 0", "SRBM_READ REGISTER = 0x3407"),
               ("the engine's control register: the trap is enabled",
                "SRBM_READ POLL = 1, REGISTER = 0x340b, RETRY_COUNT = 4095, MASK = 1, VALUE = 1"))
    if g in ("si", "cik"):
        w.ring(("memory: 0xfe is behind the fence; without end", poll_memory(C + 0x20, 0xfe)),
               f"WRITE_LINEAR DST = {C + 0x60:#x}, DATA = 0x61")
        w.expect(C + 0x60, [0x61])
    if g == "cik":
        sea_islands(w)
    if g == "si":
        w.step("{wait: gfx}  # its fence writes L2 back, where semaphores are")
    # The host's own fences end with a TRAP, too; only those of packets are counted.
    w.expect_interrupts("dma0", 1)
    return w


def poll_memory(address, value, function="EQUAL"):
    return (f"POLL_REG_MEM SPACE = MEMORY, FUNCTION = {function}, ADDRESS = {address:#x}, MASK = -1, "
            f"REFERENCE = {value:#x}, RETRY_COUNT = 4095, INTERVAL = 16")


def other_engine(w, g):
    """Engine 1 waits for engine 0, whose registers are its neighbour's over SRBM."""
    timer = 0xD824 if g == "cik" else 0xD848  # SEM_WAIT_FAIL_TIMER_CNTL of engine 1
    poll = f"SRBM_READ POLL = 1, REGISTER = {timer >> 2:#x}, RETRY_COUNT = 4095, MASK = -1, VALUE = 0x1234"
    if g != "ni":
        poll = (f"POLL_REG_MEM SPACE = REGISTER, FUNCTION = EQUAL, ADDRESS = {timer:#x}, MASK = -1, "
                "REFERENCE = 0x1234, RETRY_COUNT = 4095, INTERVAL = 16")
    looks = [] if g == "ni" else [("looks again and again until engine 0 has written it", poll_memory(C + 0x40, 0x41))]
    w.ring(*looks, f"SEMAPHORE ADDRESS = {C + 8:#x}, SIGNAL = WAIT",
           f"COPY_LINEAR {count(g, 2)}, DST = {C + 0x50:#x}, SRC = {C + 0x40:#x}", ring="dma1", wait=False)
    w.ring(("a register of engine 1, a timer", f"SRBM_WRITE REGISTER = {timer >> 2:#x}, BYTE_ENABLE = 15, DATA = 0x1234"),
           poll, f"WRITE_LINEAR DST = {C + 0x40:#x}, DATA = [0x41, 0x42]",
           ("engine 1 copies what is there now", f"SEMAPHORE ADDRESS = {C + 8:#x}, SIGNAL = SIGNAL"))
    w.wait("dma1")
    w.expect(C + 8, [0, 0])
    w.expect(C + 0x50, [0x41, 0x42])


def sea_islands(w):
    w.ring((f"the qword at {C + 0x100:#x} is 0: the next packet is skipped",
            f"COND_EXEC BOOL_ADDRESS = {C + 0x100:#x}, EXEC_COUNT = 5"),
           f"WRITE_LINEAR DST = {C + 0x108:#x}, DATA = 0xbad",
           f"COND_EXEC BOOL_ADDRESS = {C + 0x20:#x}, EXEC_COUNT = 5",
           f"WRITE_LINEAR DST = {C + 0x110:#x}, DATA = 0x600d",
           ("the local clock goes on from what it is set to", "SET_LOCAL_TIMESTAMP DATA = 0x500000000"),
           f"GET_LOCAL_TIMESTAMP ADDRESS = {C + 0x120:#x}", f"GET_GLOBAL_TIMESTAMP ADDRESS = {C + 0x128:#x}", "NOP",
           poll_memory(C + 0x124, 5), poll_memory(C + 0x128, 0, "GREATER"),
           ("times are not those of another run",
            f"CONSTANT_FILL COUNT = 16, DST = {C + 0x120:#x}, DATA = 1, FILL_SIZE = DWORDS"))
    w.expect(C + 0x108, [0, 0, 0x600d])
    w.expect(C + 0x120, [1, 1, 1, 1, 0])


# ---- which generation has which ----------------------------------------------------------------

FAMILIES = (
    (write, GENERATIONS), (copy, GENERATIONS), (tiled, GENERATIONS), (control, GENERATIONS),
    (fill, GENERATIONS[1:]), (broadcast, GENERATIONS[2:]),
    (pte, GENERATIONS[3:]), (windows, GENERATIONS[3:]), (tiled_to_tiled, GENERATIONS[3:]),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the files")
    a = parser.parse_args()
    different = []
    for family, generations in FAMILIES:
        for g in generations:
            path = WORKLOADS / g / f"{family.__name__}.yaml"
            text = family(g).text(CHIPS[g])
            if a.check:
                if not path.exists() or path.read_text() != text:
                    different.append(path.relative_to(WORKLOADS))
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for path in different:
        print(f"{path} is not what this script makes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
