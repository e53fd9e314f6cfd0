# SPDX-License-Identifier: Apache-2.0
"""Accesses of every client of memory at an address that its VMID does not map, though memory has it."""
from framework import BAD_INPUT, MACHINE_STOPPED, Suite
from pm4 import cp_dma, copy_data, end_of_pipe, set_sh, type3, words, write_data

suite = Suite("space")

# Addresses of VMID 3; memory has a page at each of them, too, and none of VMID 3's is there.
PACKETS, CODE, DATA = 0x400000, 0x401000, 0x402000
ABSENT = 0x500000
OF_SPACE = rf"unmapped address {ABSENT:#x} of VMID 3"

MAP = """address_spaces:
  - {vmid: 3, address: 0x400000, size: 12 KiB, memory: 0x900000}
  - {vmid: 4, address: 0x500000, size: 4 KiB, memory: 0xa00000}
memory:
  - {address: 0x400000, size: 12 KiB, fill: 0xee}
  - {address: 0x500000, size: 4 KiB}
  - {address: 0x902000, size: 4 KiB}
  - {address: 0xa00000, size: 4 KiB}
"""


def run(packets, code=(), ring="gfx", address=PACKETS, dwords=None):
    """A buffer of VMID 3, and a program."""
    count = len(packets) if dwords is None else dwords
    text = MAP + f"  - {{address: 0x900000, words: {words(packets)}}}\n"
    if code:
        text += f"  - {{address: 0x901000, words: {words(code)}}}\n"
    return (text + f"steps:\n  - {{ring: {ring}, ib: {{address: {address:#x}, dwords: {count}, vmid: 3}}}}\n"
            f"  - {{wait: {ring}}}\n")


def dispatch(code=CODE, user_data=(DATA, 0)):
    """One wave."""
    return [*set_sh(0xB810, [0, 0, 0]), *set_sh(0xB81C, [64, 1, 1]), *set_sh(0xB830, [code >> 8, 0]),
            *set_sh(0xB848, [0x002F0041, 4]), *set_sh(0xB854, [0, 0xFFFFFFFF, 0xFFFFFFFF, 0]),
            *set_sh(0xB900, list(user_data)), *type3(0x15, [1, 1, 1, 5], True)]


def faults(name, packets, message, **more):
    suite.workload(name, run(packets, **more), MACHINE_STOPPED, rf"access fault\): {message}")


# ---- command processor: packets, data, copies, fences

IB1 = rf"ring gfx, IB1 {PACKETS:#x} dword "
faults("buffer", [0], rf"ring gfx, IB1 {ABSENT:#x} dword 0: fetch from {OF_SPACE}", address=ABSENT, dwords=4)
faults("end_of_buffer", type3(0x10, [0] * 1023) * 3,
       rf"ring gfx, IB1 {PACKETS:#x} dword 3072: fetch from unmapped address {PACKETS + 0x3000:#x} of VMID 3", dwords=3080)
faults("write_data", write_data(ABSENT, [1]), rf"{IB1}0: packet WRITE_DATA: DST_ADDR: write to {OF_SPACE}")
faults("copy_data", copy_data(ABSENT, DATA), rf"{IB1}0: packet COPY_DATA: SRC_ADDR: read of {OF_SPACE}")
faults("copy_from", cp_dma(ABSENT, DATA, 64), rf"{IB1}0: CP_DMA read of {OF_SPACE}")
faults("copy_to", cp_dma(DATA, ABSENT, 64), rf"{IB1}0: CP_DMA write to {OF_SPACE}")
faults("fence", end_of_pipe(ABSENT), rf"{IB1}0: .* write to {OF_SPACE}")

# ---- waves

WAVE = r"(se\d\.sh\d\.cu\d+ simd\d slot\d|functional) cs\d+\.g0\.w0 pc 0x[0-9a-f]+"
END = 0xBF810000
WAIT = 0xBF8C0000
# s[0:1] is a pointer; s[2:3] and s[0:1] make a buffer of 4 KiB.
RESOURCE = [0xBE8203FF, 0x1000, 0xBE8303FF, 0x27FAC]  # s_mov_b32 s2, s3
HERE = (ABSENT, 0)
faults("code", dispatch(code=ABSENT), rf"{WAVE}: instruction fetch from an unmapped address of VMID 3")
faults("scalar_load", dispatch(user_data=HERE), rf"{WAVE} \(s_load_dword .*\): scalar read of {OF_SPACE}",
       code=[0xC0020100, WAIT, END])
faults("load", dispatch(user_data=HERE), rf"{WAVE} \(buffer_load_dword .*\): read of {OF_SPACE}, lane 0",
       code=[*RESOURCE, 0xE0300000, 0x80000100, WAIT, END])
faults("store", dispatch(user_data=HERE), rf"{WAVE} \(buffer_store_dword .*\): write to {OF_SPACE}, lane 0",
       code=[*RESOURCE, 0xE0700000, 0x80000000, WAIT, END])
faults("atomic", dispatch(user_data=HERE), rf"{WAVE} \(buffer_atomic_add .*\): atomic on {OF_SPACE}, lane 0",
       code=[*RESOURCE, 0xE0C80000, 0x80000000, WAIT, END])

# ---- indices of draws, and async DMA engines

faults("indices", [*type3(0x68, [0x256, 4]), *type3(0x2A, [0]), *type3(0x27, [3, ABSENT, 0, 3, 0])],
       rf"{IB1}5: packet DRAW_INDEX_2: vgt\.index_dma: draw 1: indices read from {OF_SPACE}")
NOPS = [0xF0000000] * 3
DMA = rf"ring dma0, IB {PACKETS:#x} dword 0: packet COPY_LINEAR: "
faults("dma_read", [0x30000010, DATA, ABSENT, 0, 0, *NOPS], rf"{DMA}read of {OF_SPACE}", ring="dma0")
faults("dma_write", [0x30000010, ABSENT, DATA, 0, 0, *NOPS], rf"{DMA}write to {OF_SPACE}", ring="dma0")
faults("dma_buffer", [0], rf"ring dma0, IB {ABSENT:#x} dword 0: fetch from {OF_SPACE}", ring="dma0",
       address=ABSENT, dwords=8)


# ---- workload files

def wrong(name, items, message, options=()):
    suite.workload(name, "address_spaces:\n" + "".join(f"  - {{{item}}}\n" for item in items), BAD_INPUT, message,
                   modes=["cycle"], options=options)


PAGE = "vmid: 1, address: 0x4000, size: 4 KiB, memory: 0x8000"
wrong("of_the_kernel", [PAGE.replace("vmid: 1", "vmid: 0")],
      r"^w\.yaml:2:\d+: address_spaces\[0\]\.vmid: 0 is out of range, expected an integer in 1\.\.15")
wrong("there_is_not", [PAGE.replace("vmid: 1", "vmid: 16")], r"^w\.yaml:2:\d+: address_spaces\[0\]\.vmid: 16 is out of")
wrong("without_memory", ["vmid: 1, address: 0, size: 4 KiB"],
      r"^w\.yaml:2:\d+: address_spaces\[0\]\.memory: required key is missing")
wrong("of_part_of_a_page", [PAGE.replace("4 KiB", "2 KiB")],
      r"^w\.yaml:2:\d+: address_spaces\[0\]\.size: 2048 bytes, expected a multiple of 4 KiB, a page")
wrong("between_pages", [PAGE.replace("0x4000", "0x4040")],
      r"^w\.yaml:2:\d+: address_spaces\[0\]\.address: 0x4040, expected a multiple of 4 KiB, a page")
wrong("between_pages_of_memory", [PAGE.replace("0x8000", "0x8100")],
      r"^w\.yaml:2:\d+: address_spaces\[0\]\.memory: 0x8100, expected a multiple of 4 KiB, a page")
wrong("over_the_end", [PAGE.replace("0x4000", "0xfffffffffffff000").replace("4 KiB", "8 KiB")],
      r"^w\.yaml:2:\d+: address_spaces\[0\]\.address: 8192 bytes .* run over the end of the address space")
wrong("over_the_end_of_memory", [PAGE.replace("0x8000", "0xfffffffffffff000").replace("4 KiB", "8 KiB")],
      r"^w\.yaml:2:\d+: address_spaces\[0\]\.memory: 8192 bytes .* run over the end of the address space")
wrong("twice", [PAGE, "vmid: 2, address: 0x4000, size: 4 KiB, memory: 0", "vmid: 1, address: 0x3000, size: 8 KiB, memory: 0"],
      r"^w\.yaml:4:\d+: address_spaces\[2\]\.address: 0x3000 to 0x4fff overlap 0x4000 to 0x4fff, which VMID 1 has mapped")
for chip in ("r580", "a660", "cypress"):
    wrong(f"of_{chip}", [PAGE], r"^w\.yaml:\d+:\d+: address_spaces: the chip has no VMIDs: no packet of its rings names one",
          options=["--asic", chip])

CASES = suite.cases
