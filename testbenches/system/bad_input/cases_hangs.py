# SPDX-License-Identifier: Apache-2.0
"""Machines in which a unit waits for ever: the report names each unit that waits, and for what."""
from framework import MACHINE_STOPPED, Suite
from pm4 import DATA, set_sh, type3, wait_memory, wait_register, words, write_data

suite = Suite("hang")

CONSTANTS = 0x204000
CODE = 0x208000
SEMAPHORE = DATA + 64


def on(*steps, extra=""):
    """Steps of (ring, packets), then a wait for every ring named."""
    text = (f"memory:\n  - {{address: {DATA:#x}, fill: 0, size: 4096}}\n{extra}steps:\n")
    for ring, packets in steps:
        text += f"  - {{ring: {ring}, words: {words(packets)}}}\n"
    return text + "".join(f"  - {{wait: {ring}}}\n" for ring, _ in steps)


def memory(address, dwords):
    return f"  - {{address: {address:#x}, words: {words(dwords)}}}\n"


def fence_of(ring):
    return rf"hang\): host: waits for the fence of ring {ring}"


def dispatch(groups, rsrc2=0):
    return (set_sh(0xB810, [0, 0, 0], compute=True) + set_sh(0xB81C, [64, 1, 1], compute=True) +
            set_sh(0xB830, [CODE >> 8, 0], compute=True) +
            set_sh(0xB848, [0xAF0040, rsrc2], compute=True) +
            set_sh(0xB854, [0, 0xFFFFFFFF, 0xFFFFFFFF, 0], compute=True) +
            [0xC0031502, groups, 1, 1, 5])


# One wave at a barrier of two: it is never filled.
BARRIER = type3(0x68, [0x5E0, 3, 0x2002])  # GDS_GWS_RESOURCE_CNTL, GDS_GWS_RESOURCE
WAIT_AT_BARRIER = [0xBEFC03FF, 0x30000,    # s_mov_b32 m0, 0x30000
                   0x7E060281,             # v_mov_b32 v3, 1
                   0xD8760000, 3,          # ds_gws_barrier v3 gds
                   0xBF8C007F,             # s_waitcnt lgkmcnt(0)
                   0x7E120280,             # v_mov_b32 v9, 0
                   0xF80008CF, 0x09090909,  # exp pos0 v9, v9, v9, v9 done
                   0xBF810000]             # s_endpgm
CODE_AT_BARRIER = memory(CODE, WAIT_AT_BARRIER)

suite.workload("each_ring_waits_for_memory_of_its_own",
               on(("gfx", wait_memory(DATA, 1)), ("compute0", wait_memory(DATA + 4, 2)),
                  ("compute1", wait_memory(DATA + 8, 3))), MACHINE_STOPPED,
               [fence_of(0),
                rf"ring gfx: read .*\n.*\n    ME waits for WAIT_REG_MEM memory {DATA:#x} == 0x1 "
                r"\(last 0x0\)",
                rf"ring compute0: read .*\n.*\n    ME waits for WAIT_REG_MEM memory {DATA + 4:#x} "
                r"== 0x2 \(last 0x0\)",
                rf"ring compute1: read .*\n.*\n    ME waits for WAIT_REG_MEM memory {DATA + 8:#x} "
                r"== 0x3 \(last 0x0\)"])

suite.workload("semaphore_that_is_never_signalled",
               on(("compute0", type3(0x39, [SEMAPHORE, 7 << 29]))), MACHINE_STOPPED,
               [fence_of(1), rf"ME has MEM_SEMAPHORE .*{SEMAPHORE:#x}",
                rf"ring compute0.*\n.*\n    ME waits for MEM_SEMAPHORE: semaphore {SEMAPHORE:#x} "
                "to be signalled"])

suite.workload("two_rings_each_wait_for_the_others_semaphore",
               on(("compute0", type3(0x39, [SEMAPHORE, 7 << 29]) +
                   type3(0x39, [SEMAPHORE + 8, 6 << 29])),
                  ("compute1", type3(0x39, [SEMAPHORE + 8, 7 << 29]) +
                   type3(0x39, [SEMAPHORE, 6 << 29]))), MACHINE_STOPPED,
               [rf"ring compute0(.*\n)+    ME waits for MEM_SEMAPHORE: semaphore {SEMAPHORE:#x}",
                rf"ring compute1(.*\n)+    ME waits for MEM_SEMAPHORE: semaphore "
                rf"{SEMAPHORE + 8:#x} to be signalled"])

# INDIRECT_BUFFER_CONST: the constant engine waits for a count of the drawing engine that never
# comes, and ME for the constant engine's.
suite.workload("constant_engine_waits_for_the_drawing_engine",
               on(("gfx", type3(0x33, [CONSTANTS, 0, 5]) + type3(0x86, [1])),
                  extra=memory(CONSTANTS, type3(0x87, [3, 0]) + type3(0x84, [1]))), MACHINE_STOPPED,
               [fence_of(0), r"ME has WAIT_ON_CE_COUNTER",
                r"ME waits for .*(CE|constant engine)",
                r"WAIT_ON_DE_COUNTER"])

# No fence of a ring is behind what a constant buffer does.
FOR_EVER = memory(CONSTANTS, type3(0x87, [3, 0]))
CE_WAITS = [r"hang\): host: waits for the constant engine to end its buffers",
            rf"WAIT_ON_DE_COUNTER at ring gfx, constant IB {CONSTANTS:#x} dword 0"]
suite.workload("constant_buffer_that_waits_for_ever",
               on(("gfx", type3(0x33, [CONSTANTS, 0, 3])), extra=FOR_EVER), MACHINE_STOPPED,
               CE_WAITS)
suite.workload("constant_buffers_behind_one_that_waits_for_ever",
               on(("gfx", 2 * type3(0x33, [CONSTANTS, 0, 3])), extra=FOR_EVER), MACHINE_STOPPED,
               CE_WAITS)

suite.workload("barrier_of_waves_that_never_come",
               on(("gfx", BARRIER + dispatch(1, rsrc2=0)), extra=CODE_AT_BARRIER), MACHINE_STOPPED,
               {"cycle": [fence_of(0), r"gds: .*barrier",
                          r"dispatch 1 of ring gfx: 1 groups running", r"1 waves are resident"],
                "functional": r"hang\).*barrier"})

# Every draw has a context of its own, and none of them ends: the eighth register write after a
# draw finds no context.
DRAWS = (set_sh(0xB120, [CODE >> 8, 0], compute=False) +
         set_sh(0xB128, [0xAF0042, 0], compute=False) +
         type3(0x69, [0x1C3, 4]) + type3(0x69, [0x100, 0xFFFFFFFF, 0, 0]) +
         type3(0x69, [0x2AA, 0x7F]) + type3(0x69, [0x2D5, 0]) + type3(0x68, [0x256, 1]))
DRAWS_FIRST = len(DRAWS)
for n in range(9):
    DRAWS += type3(0x69, [0x316, 14]) + type3(0x2D, [1, 2])
suite.workload("draws_that_never_end_hold_every_context",
               on(("gfx", type3(0x68, [0x5E0, 3, 0x2040]) + DRAWS), extra=CODE_AT_BARRIER),
               MACHINE_STOPPED,
               [fence_of(0), r"ME waits for .*context", r"render contexts in the pipe: .*;",
                r"spi: .*draw 1: 1 VS waves", r"gds: .*barrier"], modes=["cycle"])

# Six vertex waves of one shader engine are to meet, and only four of them have room for their
# positions.
suite.workload("waves_that_hold_the_position_buffer_wait_for_one_without_room",
               on(("gfx", type3(0x68, [0x5E0, 3, 0x200A]) + DRAWS[:DRAWS_FIRST] +
                   type3(0x69, [0x2AA, 0xFFFF]) + type3(0x2D, [6 * 64, 2])),
                  extra=CODE_AT_BARRIER), MACHINE_STOPPED,
               [fence_of(0), r"spi: .*draw 1: .* VS waves",
                r"spi: .*a VS wave of draw 1 waits for space in the position buffer",
                r"gds: .*barrier", "4 waves are resident"],
               options=["--set", "spi.position_vectors=4"], modes=["cycle"])

# The error of a packet interrupts, and PFP halts before it. PFP is ahead of ME: it waits
# until the register says that the interrupt is enabled.
CP_INT_CNTL_RING0 = 0xC1A8
suite.workload("packet_error_that_interrupts",
               on(("gfx", [CP_INT_CNTL_RING0 // 4, 0x05000000] +
                   wait_register(CP_INT_CNTL_RING0, 0x05000000) + type3(0x42, [0]) +
                   type3(0xEE, [0]) + write_data(DATA, [1]))), MACHINE_STOPPED,
               [fence_of(0), r"PFP waits for the host, which has the error: ring gfx dword \d+: unknown "
                "packet opcode 0xee", r"PFP halted"])

CASES = suite.cases
