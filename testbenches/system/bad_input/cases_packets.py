# SPDX-License-Identifier: Apache-2.0
"""Command streams the command processor must refuse, each with the ring, buffer and dword."""
import struct

from framework import BAD_INPUT, MACHINE_STOPPED, Suite
from pm4 import (DATA, IB1, IB2, UNMAPPED, copy_data, cp_dma, end_of_pipe, header, in_ib,
                 indirect_buffer, lo, nop, on_ring, set_sh, type3, wait_memory, wait_register,
                 words, write_data)

suite = Suite("packet")

CP_RB0_WPTR, CP_RB1_WPTR = 0xC114, 0xC190


def at(dword, level=1):
    base = {1: IB1, 2: IB2}[level]
    return rf"ring gfx, IB{level} {base:#x} dword {dword}: "


def bad(name, packets, message, where=0, **options):
    """In an indirect buffer behind a NOP of three dwords, so that the dword number tells."""
    suite.workload(name, in_ib(nop(2) + packets, **options), MACHINE_STOPPED,
                   rf"bad input\): {at(3 + where)}{message}")


def strict(name, packets, message):
    """Refused by `cp.strict: true` only."""
    suite.workload(name, in_ib(nop(2) + packets), MACHINE_STOPPED, rf"bad input\): {at(3)}{message}",
                   options=["--set", "cp.strict=true"])


def missing(name, packets, message):
    suite.workload(name, in_ib(nop(2) + packets), MACHINE_STOPPED,
                   rf"unimplemented\): {at(3)}{message}.* is not implemented")


def fault(name, packets, message):
    suite.workload(name, in_ib(nop(2) + packets), MACHINE_STOPPED,
                   rf"access fault\): {at(3)}{message}")


# ---- headers and lengths

bad("cut_off_at_the_end_of_an_indirect_buffer", [header(0x10, 9), 0, 0],
    r"packet NOP \(opcode 0x10\) is cut off: its body has 9 dwords, 2 are left before the end of "
    "the indirect buffer")
# The fence behind a packet that nothing goes on with would be taken for the rest of it.
suite.workload("cut_off_at_the_end_of_a_ring", on_ring(nop(2) + [header(0x37, 40), 0, 0]), BAD_INPUT,
               r"^w\.yaml:4:5: steps\[0\]: ends inside packet WRITE_DATA, which begins at dword 3 of the step: "
               r"38 of its dwords are missing, and the fence of w\.yaml:5:5: steps\[1\] would be taken for them$")
suite.workload("cut_off_in_front_of_the_call_of_a_buffer",
               on_ring([header(0x10, 9), 0, 0], ring="compute1", wait=False) +
               f"  - {{ring: compute1, ib: {{address: {DATA:#x}, dwords: 4}}}}\n", BAD_INPUT,
               r"steps\[0\]: ends inside packet NOP, which begins at dword 0 of the step: 7 of its dwords are missing, and the "
               r"call of the buffer of w\.yaml:5:5: steps\[1\] would")
bad("longer_than_it_can_be", type3(0x15, [1, 1, 1, 1, 1]),
    "packet DISPATCH_DIRECT has 5 body dwords, must have 4")
bad("shorter_than_it_can_be", type3(0x37, [0, 0]),
    "packet WRITE_DATA has 2 body dwords, must have at least 4")
bad("as_long_as_a_header_can_say", [header(0x10, 0x4000)],
    r"packet NOP \(opcode 0x10\) is cut off: its body has 16384 dwords, 0 are left")
bad("unknown_opcode", type3(0xEE, [0]), "unknown packet opcode 0xee")
bad("type_1_header", [0x40000000], "type-1 packet header 0x40000000")
bad("type_0_beyond_the_registers", [1 << 16 | 0xFFFF, 0, 0],
    r"packet type-0.*: writes registers up to 0x40000, beyond the register space")
bad("constant_engine_packet_in_a_buffer_of_de", type3(0x81, [0, 0]),
    "packet WRITE_CONST_RAM is for the constant engine, whose packets are in buffers of "
    "INDIRECT_BUFFER_CONST")
suite.workload("unknown_opcode_in_the_ring", on_ring(type3(0xEE, [0])), MACHINE_STOPPED,
               r"bad input\): ring gfx dword \d+: unknown packet opcode 0xee")
suite.workload("type_1_header_in_a_compute_ring", on_ring([0x40000000], ring="compute1"),
               MACHINE_STOPPED, r"bad input\): ring compute1 dword \d+: type-1 packet header")
suite.workload("me_initialize_on_a_compute_ring", on_ring(type3(0x44, [1] * 6), ring="compute0"),
               MACHINE_STOPPED,
               r"bad input\): ring compute0 dword \d+: packet ME_INITIALIZE is not allowed on "
               "this ring")
suite.workload("draw_on_a_compute_ring", in_ib(type3(0x2D, [3, 2]), ring="compute1"),
               MACHINE_STOPPED,
               r"bad input\): ring compute1, IB1 0x200000 dword 0: packet DRAW_INDEX_AUTO is not "
               "allowed on this ring")

# ---- global data share

bad("gds_offset_off_a_dword", write_data(2, [1], destination=3),
    "packet WRITE_DATA: GDS offset 0x2 is not dword aligned")
bad("gds_write_beyond_the_partition", type3(0x11, [2, 0x40, 0x80]) + type3(0x1C, [0x3C, 1, 2]),
    "packet WRITE_GDS_RAM: GDS offset 0x3c and 8 bytes reach beyond the ring's partition of 64 bytes",
    where=4)
bad("gds_atomic_of_a_wave", type3(0x1D, [29] + [0] * 9),
    "packet ATOMIC_GDS: ATOM_OP 29 is not an operation of one lane on memory")
bad("gds_atomic_loop_without_read", type3(0x1D, [48 | 1 << 16] + [0] * 9),
    "packet ATOMIC_GDS: ATOM_CMP_SWAP without ATOM_READ")
strict("gds_store_behind_no_dispatch", type3(0x48, [0x62F, lo(DATA), 1 << 29, 1 << 16], True),
       "packet EVENT_WRITE_EOS: must directly follow a dispatch")
bad("gds_dma_beyond_the_partition", cp_dma(0xFFC0, DATA, 65, control=1 << 29),
    "packet CP_DMA: GDS offset 0xffc0 and 65 bytes reach beyond the ring's partition of 65536 bytes")

# ---- packets the model does not have

missing("draw_index_multi_element", type3(0x36, [0] * 9), "packet DRAW_INDEX_MULTI_ELEMENT")
missing("chained_buffer", type3(0x32, [IB2, 0, 4 | 1 << 20]), "packet INDIRECT_BUFFER with CHAIN")

# ---- predication and synchronisation

bad("cond_exec_reserved_command", type3(0x22, [lo(DATA), 1 << 28, 0, 3]),
    "packet COND_EXEC: reserved COMMAND 1")
bad("cond_exec_ends_inside_a_packet", type3(0x22, [lo(DATA), 0, 2, 0]) + nop(4),
    "packet COND_EXEC: EXEC_COUNT ends inside packet NOP, which has 3 dwords behind it")
bad("cond_exec_beyond_its_buffer", type3(0x22, [lo(DATA), 0, 5000, 0]),
    "packet COND_EXEC skips 5000 dwords, ")
# The fence is left out, too, and more is waited for.
suite.workload("cond_exec_beyond_its_ring", on_ring(type3(0x22, [lo(DATA), 0, 5000, 0])), MACHINE_STOPPED,
               r"hang\): host: waits for the fence of ring 0(?s:.*) PFP has COND_EXEC(?s:.*)"
               r"PFP waits for dwords beyond the write pointer at ring gfx dword 36$")
bad("mem_semaphore_reserved_select", type3(0x39, [lo(DATA), 0]),
    "packet MEM_SEMAPHORE: reserved SEM_SEL 0")
bad("atomic_that_returns_nothing", type3(0x1E, [0x4F, lo(DATA), 0, 1, 0, 0, 0, 0]),
    "packet ATOMIC: OP 0x4f returns no value")
strict("indirect_buffer_of_zeros", [0] * 6,
       "packet type-0: a header of 0, as of memory that nothing was written to")
strict("register_there_is_not", type3(0x68, [0x540, 1]),
       "packet SET_CONFIG_REG: writes unknown register 0x9500")
strict("dispatch_without_shader_type", type3(0x15, [1, 1, 1, 1]),
       "packet DISPATCH_DIRECT: SHADER_TYPE 0")
strict("dispatch_that_is_not_enabled", type3(0x15, [1, 1, 1, 4], True),
       "packet DISPATCH_DIRECT: DISPATCH_INITIATOR 0x4 has COMPUTE_SHADER_EN 0")
strict("indirect_dispatch_without_a_base", type3(0x16, [DATA, 1], True),
       "packet DISPATCH_INDIRECT: no SET_BASE of the dispatch arguments")
strict("end_of_shader_event_behind_no_draw",
       type3(0x48, [48 | 6 << 8, lo(DATA), 2 << 29, 1]),
       "packet EVENT_WRITE_EOS: must directly follow a draw")

# ---- indirect buffers

suite.workload("buffer_not_mapped",
               f"steps:\n  - {{ring: gfx, ib: {{address: {UNMAPPED:#x}, dwords: 16}}}}\n",
               MACHINE_STOPPED,
               rf"access fault\): ring gfx, IB1 {UNMAPPED:#x} dword 0: fetch from unmapped address "
               rf"{UNMAPPED:#x}")
suite.workload("buffer_runs_out_of_its_mapping", in_ib(nop(1023), dwords=1040), MACHINE_STOPPED,
               rf"access fault\): ring gfx, IB1 {IB1:#x} dword 1024: fetch from unmapped address "
               rf"{IB1 + 4096:#x}")
bad("buffer_of_no_dwords", indirect_buffer(IB2, 0), "packet INDIRECT_BUFFER of 0 dwords")
suite.workload("second_level_buffer_is_wrong",
               in_ib(nop(2) + indirect_buffer(IB2, 4), second=nop(1) + type3(0xEE, [0])),
               MACHINE_STOPPED, rf"bad input\): {at(2, level=2)}unknown packet opcode 0xee")
suite.workload("buffers_nested_too_deep",
               in_ib(nop(2) + indirect_buffer(IB2, 6),
                     second=nop(1) + indirect_buffer(IB1, 3)),
               MACHINE_STOPPED,
               rf"bad input\): {at(2, level=2)}packet INDIRECT_BUFFER inside IB2: indirect buffers "
               "nest two deep")

# ---- addresses

fault("write_data_not_mapped", write_data(UNMAPPED, [1, 2, 3]),
      rf"packet WRITE_DATA: DST_ADDR: write to unmapped address {UNMAPPED:#x}")
fault("copy_data_from_unmapped", copy_data(UNMAPPED, DATA),
      rf"packet COPY_DATA: SRC_ADDR: read of unmapped address {UNMAPPED:#x}")
fault("copy_data_to_unmapped", copy_data(DATA, UNMAPPED),
      rf"packet COPY_DATA: DST_ADDR: write to unmapped address {UNMAPPED:#x}")
fault("cp_dma_from_unmapped", cp_dma(UNMAPPED, DATA, 256),
      rf"CP_DMA read of unmapped address {UNMAPPED:#x}")
fault("cp_dma_to_unmapped", cp_dma(DATA, UNMAPPED, 256),
      rf"CP_DMA write to unmapped address {UNMAPPED:#x}")
fault("cp_dma_over_the_end_of_a_mapping", cp_dma(DATA, DATA + 4096 - 64, 128),
      rf"CP_DMA write to unmapped address {DATA + 4096:#x}$")
fault("fence_not_mapped", end_of_pipe(UNMAPPED),
      rf"CACHE_FLUSH_AND_INV_TS_EVENT write to unmapped address {UNMAPPED:#x}")
fault("wait_on_unmapped_memory", wait_memory(UNMAPPED, 1),
      rf"packet WAIT_REG_MEM: POLL_ADDRESS: read of unmapped address {UNMAPPED:#x}")
bad("write_data_misaligned", write_data(DATA + 2, [1]),
    rf"packet WRITE_DATA: address {DATA + 2:#x} is not dword aligned")
bad("copy_data_misaligned", copy_data(DATA + 1, DATA),
    rf"packet COPY_DATA: address {DATA + 1:#x} is not dword aligned")
bad("fence_misaligned", end_of_pipe(DATA + 2),
    rf"packet EVENT_WRITE_EOP: address {DATA + 2:#x} is not dword aligned")
bad("fence_of_64_bits_misaligned", end_of_pipe(DATA + 4, data_sel=2),
    rf"packet EVENT_WRITE_EOP: address {DATA + 4:#x} is not qword aligned")
bad("indirect_dispatch_misaligned", type3(0x16, [2, 1]),
    "packet DISPATCH_INDIRECT: DATA_OFFSET 0x2 is not dword aligned")
bad("set_base_misaligned", type3(0x11, [1, DATA + 4, 0]),
    rf"packet SET_BASE: address {DATA + 4:#x} is not qword aligned")

# ---- fields

bad("registers_outside_their_window", set_sh(0xBFFC, [1, 2, 3]),
    r"packet SET_SH_REG: registers 0xbffc\.\.0xc004 are outside the window")
bad("reserved_compare_function", wait_memory(DATA, 0, function=7),
    "packet WAIT_REG_MEM: reserved FUNCTION 7")
bad("event_that_does_not_exist", type3(0x46, [62]),
    "packet EVENT_WRITE: reserved EVENT_TYPE 62")
bad("event_index_of_another_packet", type3(0x46, [7 | 5 << 8]),
    "packet EVENT_WRITE: EVENT_INDEX 5 is not one of EVENT_WRITE")
bad("fence_with_a_wrong_index", end_of_pipe(DATA, index=4),
    "packet EVENT_WRITE_EOP: EVENT_INDEX 4, must be 5")
bad("fence_with_an_undefined_interrupt", end_of_pipe(DATA, int_sel=3),
    "packet EVENT_WRITE_EOP: reserved INT_SEL 3")
bad("write_data_reserved_destination", write_data(DATA, [1], destination=7),
    "packet WRITE_DATA: reserved DST_SEL 7")
bad("cp_dma_reserved_source", cp_dma(DATA, DATA + 64, 64, control=3 << 29),
    "packet CP_DMA: reserved SRC_SEL 3")
bad("me_initialize_without_contexts", type3(0x44, [1, 0, 0, 1 << 16, 0, 0]),
    "packet ME_INITIALIZE: MAX_CONTEXT 0")
bad("me_initialize_for_no_device", type3(0x44, [1, 0, 7, 0, 0, 0]),
    "packet ME_INITIALIZE: DEVICE_ID 0x0 is not one-hot")
bad("indirect_draw_without_the_size_of_its_indices",
    type3(0x11, [1, DATA, 0]) + type3(0x26, [DATA, 0]) + type3(0x25, [0, 0x4C, 0x4D, 0]),
    "packet DRAW_INDEX_INDIRECT: no INDEX_BUFFER_SIZE packet before it", where=7)
bad("multi_draw_of_a_misaligned_stride", type3(0x2C, [0, 0x4C, 0x4D, 0, 2, 0, 0, 18, 2]),
    "packet DRAW_INDIRECT_MULTI: STRIDE 0x12 is not dword aligned")
bad("address_of_no_buffer_dword", type3(0x77, [0x4C, 2, 0]),
    "packet SET_SH_REG_OFFSET: IB_OFFSET 0x2 is not dword aligned")
bad("draw_of_no_primitive", type3(0x2D, [3, 2]),
    "packet DRAW_INDEX_AUTO: vgt, draw 1: VGT_PRIMITIVE_TYPE 0 is no primitive")
suite.workload("draw_of_indices_in_unmapped_memory",
               in_ib(type3(0x68, [0x256, 4]) + type3(0x2A, [0]) + type3(0x27, [3, 0xDEAD0000, 0, 3, 0])),
               MACHINE_STOPPED,
               [r"access fault\): ring gfx, IB1 0x200000 dword 5: packet DRAW_INDEX_2: vgt\.index_dma: "
                r"draw 1: indices read from unmapped address 0xdead0000"])
bad("reserved_base_index", type3(0x11, [9, 0, 0]), "packet SET_BASE: reserved BASE_INDEX 9")

# ---- waits that never end

WAITS = r"hang\): host: waits for the fence of ring 0"
suite.workload("wait_on_memory_never_satisfied", in_ib(nop(2) + wait_memory(DATA, 0x1234)),
               MACHINE_STOPPED,
               [WAITS, rf"WAIT_REG_MEM memory {DATA:#x} == 0x1234 \(last 0x0\)",
                r"ring gfx, IB1 0x200000 dword 3",
                # The report names pointers, packet and place of every ring that has something to do.
                r"ring gfx: read 0x[0-9a-f]+, write 0x[0-9a-f]+ of 0x40000 dwords",
                r"ME has WAIT_REG_MEM .*at ring gfx, IB1 0x200000 dword 3",
                rf"ME waits for WAIT_REG_MEM memory {DATA:#x} == 0x1234 \(last 0x0\)"])
suite.workload("wait_on_a_register_never_satisfied",
               in_ib(nop(2) + wait_register(0x8500, 0x77)), MACHINE_STOPPED,
               [WAITS, r"WAIT_REG_MEM register 0x8500 == 0x77 \(last 0x0\)"])
suite.workload("wait_by_pfp_never_satisfied",
               in_ib(nop(2) + wait_memory(DATA, 0x1234, function=5, engine=1)), MACHINE_STOPPED,
               [WAITS, rf"PFP waits for WAIT_REG_MEM memory {DATA:#x} >= 0x1234 \(last 0x0\)",
                r"PFP has WAIT_REG_MEM .*at ring gfx, IB1 0x200000 dword 3"], never="ME (has|waits for) WAIT")
# PFP reads the counters of a predicate (2.7.4), whichever mode executes it.
suite.workload("predicate_whose_counters_are_never_written",
               in_ib(nop(2) + type3(0x20, [DATA, 1 << 16])), MACHINE_STOPPED,
               [WAITS, r"PFP has SET_PREDICATION .*at ring gfx, IB1 0x200000 dword 3",
                rf"PFP waits for SET_PREDICATION: counters from {DATA:#x} on to be written$"],
               never="ME (has|waits for) SET_PREDICATION")
suite.workload("wait_on_one_ring_while_another_runs_on",
               f"memory:\n  - {{address: {DATA:#x}, fill: 0, size: 4096}}\n"
               f"steps:\n  - {{ring: compute0, words: {words(wait_memory(DATA, 5))}}}\n"
               f"  - {{ring: gfx, words: {words(write_data(DATA, [4]))}}}\n"
               "  - {wait: gfx}\n  - {wait: compute0}\n", MACHINE_STOPPED,
               [r"hang\): host: waits for the fence of ring 1",
                rf"compute0.*WAIT_REG_MEM memory {DATA:#x} == 0x5 \(last 0x4\)"])
suite.workload("wait_never_satisfied_within_max_cycles", in_ib(wait_memory(DATA, 1)),
               MACHINE_STOPPED, [r"at the limit of 20000 cycles", "WAIT_REG_MEM"],
               options=["--max-cycles", "20000"], modes=["cycle"])

# Rings full of fillers.
def ring_of(packets):
    ring = [0x80000000] * ((1 << 18) - 1)
    for place, packet in packets.items():
        ring[place:place + len(packet)] = packet
    return struct.pack(f"<{len(ring)}I", *ring)


suite.workload("stream_that_moves_its_own_write_pointer",
               "steps:\n  - {ring: gfx, file: ring.bin}\n", MACHINE_STOPPED,
               r"bad input\): ring gfx dword \d+: packet WRITE_DATA: writes register 0xc114, which "
               "says where and how its own ring is read",
               files={"ring.bin": lambda: ring_of(
                   {100000: write_data(CP_RB0_WPTR // 4, [200000], destination=0)})})


# Each of two rings has two packets, of which it executes one and the other in turns, because the other ring moves its write
# pointer behind the one and the other. The compute ring's wait for a flag that the graphics ring sets.
def moves(register, place):
    return type3(0x45, [3 | 1 << 4, lo(DATA), 0, 1, 0xFFFFFFFF, register // 4, 0, place])


suite.workload("rings_that_move_each_others_write_pointers",
               f"memory:\n  - {{address: {DATA:#x}, fill: 0, size: 4096}}\n"
               "steps:\n  - {ring: compute0, file: other.bin}\n  - {ring: gfx, file: ring.bin}\n",
               MACHINE_STOPPED,
               r"hang\): cp: 3000000 reads since the host's last register access, and the rings do "
               "not run empty",
               files={"ring.bin": lambda: ring_of(
                          {20000: write_data(DATA, [1]), 100000: moves(CP_RB1_WPTR, 60000),
                           200000: moves(CP_RB1_WPTR, 160000)}),
                      "other.bin": lambda: ring_of({50000: moves(CP_RB0_WPTR, 210000),
                                                    150000: moves(CP_RB0_WPTR, 110000)})},
               options=["--max-cycles", "3000000"], modes=["functional"])

CASES = suite.cases
