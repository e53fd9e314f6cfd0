// SPDX-License-Identifier: Apache-2.0
// Restrictions of 2.1 to 2.4: headers, configuration, constant engine, state.
#include "testbenches/unit/cp/restriction_test.h"

namespace archipelago::cp::test {

namespace {

#define CONSTANTS "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $\n"
#define CALL "INDIRECT_BUFFER IB_BASE = 0x300000, IB_SIZE = $\n"
#define INITIALIZE                                               \
    "ME_INITIALIZE DEFAULT_RESET_CONTROL = 1, MAX_CONTEXT = 7, " \
    "DEVICE_ID = 1, "
#define MARK "ONE_REG_WRITE REG_OFFSET = 0x2542, DATA = 7\n"
#define MARKED "reg 09508=7"

}  // namespace

std::vector<Restriction> state_restrictions() {
    constexpr auto kStops = Breach::Stops;
    constexpr auto kDoes = Breach::Does;
    constexpr auto kIgnored = Breach::Ignored;
    return {
        // ---- 2.1 ----
        {"2.1.1", "COUNT of type 0 is that of the dwords there are", kDoes, ".word %\n.word 5\n",
         "0x00012542", "0x00002542", "PFP waits for dwords beyond the write pointer"},
        {"2.1.1", "type 0 reaches 64K dwords of registers", kStops, ".word %\n.word 5\n.word 5\n",
         "0x0001ffff", "0x00012542", "beyond the register space"},
        {"2.1.2", "type 1 is not supported", kStops, ".word %\n.word 0\n", "0x40001000",
         "0xc0001000", "type-1 packet header 0x40001000"},
        {"2.1.3", "bits 29:0 of type 2 are zero by default", kIgnored, ".word %\n" MARK,
         "0xbfffffff", "0x80000000", MARKED},
        {"2.1.4", "bits 7:2 of a header are zero by default", kIgnored,
         "ONE_REG_WRITE [reserved=%] REG_OFFSET = 0x2542, DATA = 7\n", "63", "0", MARKED},
        {"2.1.4", "SHADER_TYPE is 0 unless otherwise noted", kIgnored,
         "ONE_REG_WRITE [%] REG_OFFSET = 0x2542, DATA = 7\n", "compute", "reserved=0", MARKED},
        {"2.1.4", "IT_OPCODE is one of the packets that follow", kStops, ".word %\n.word 0\n",
         "0xc0009900", "0xc0001000", "unknown packet opcode 0x99"},
        {"2.1.4", "COUNT is the size of the packet, less", kStops,
         "ATOMIC_GDS [count=%] ATOM_OP = 0\n.word 0x80000000\n", "9", "10",
         "has 9 body dwords, must have 10"},
        {"2.1.4", "COUNT is the size of the packet, more", kStops,
         "PFP_SYNC_ME [count=%]\n.word 0x80000000\n", "2", "1", "has 2 body dwords, must have 1"},
        {"2.1.4", "COUNT is that of the dwords there are", kDoes,
         "NOP [count=1] DATA = 0\n.word %\n", "0xc0031000", "0x80000000",
         "PFP waits for dwords beyond the write pointer"},
        {"2.1.5", "EVENT_WRITE_EOS is immediately after a draw", kStops,
         "DRAW_INDEX_AUTO INDEX_COUNT = 3, DRAW_INITIATOR = 2\n.word %\n.word 0\n"
         "EVENT_WRITE_EOS EVENT_INDEX = 6, EVENT_TYPE = PS_DONE, ADDRESS = 0x200000, CMD = FENCE, "
         "DATA = 9\n",
         "0xc0002f00", "0xc0001000", "must directly follow a draw"},
        // ---- 2.2.1 ----
        {"2.2.1", "ME_INITIALIZE comes before all other packets", kIgnored,
         "%\n" INITIALIZE "HEADER_DUMP_SIZE = 0\n", "NOP DATA = 0", "TYPE2", "idle"},
        {"2.2.1", "one that changes MAX_CONTEXT is followed by a CONTEXT_CONTROL", kDoes,
         "ME_INITIALIZE MAX_CONTEXT = %, DEVICE_ID = 1\nSET_CONTEXT_REG 0x28a40 = 1\n"
         "DRAW_INDEX_AUTO INDEX_COUNT = 3, DRAW_INITIATOR = 2\nSET_CONTEXT_REG 0x28a40 = 2\n"
         "DRAW_INDEX_AUTO INDEX_COUNT = 3, DRAW_INITIATOR = 2\nSET_CONTEXT_REG 0x28a40 = 3\n",
         "1", "7", "reg 28a40=3"},
        {"2.2.1", "dword 3 is zero", kStops, INITIALIZE "DW2 = %\n", "1", "0", "reserved bits"},
        {"2.2.1", "bits 31:1 of the reset control are nothing", kStops,
         "ME_INITIALIZE DW1 = %, MAX_CONTEXT = 7, DEVICE_ID = 1\n", "2", "1", "reserved bits"},
        {"2.2.1", "MAX_CONTEXT is 1 to 7", kStops, "ME_INITIALIZE MAX_CONTEXT = %, DEVICE_ID = 1\n",
         "0", "1", "MAX_CONTEXT 0"},
        {"2.2.1", "DEVICE_ID is one-hot: not two", kStops,
         "ME_INITIALIZE MAX_CONTEXT = 7, DEVICE_ID = %\n", "3", "2", "is not one-hot"},
        {"2.2.1", "DEVICE_ID is one-hot: not none", kStops,
         "ME_INITIALIZE MAX_CONTEXT = 7, DEVICE_ID = %, EXTERNAL_MEM_SWAP = 0\n", "0", "0x80",
         "is not one-hot"},
        {"2.2.1", "bits 31:24 beside DEVICE_ID are reserved", kStops, INITIALIZE "DW4 = %\n",
         "0x01010000", "0x00010000", "reserved bits"},
        {"2.2.1", "bits 15:2 beside DEVICE_ID are reserved", kStops, INITIALIZE "DW4 = %\n",
         "0x00010004", "0x00010001", "reserved bits"},
        {"2.2.1", "bits 3:2 beside HEADER_DUMP_BASE are zero", kStops, INITIALIZE "DW5 = %\n", "4",
         "0x10", "reserved bits"},
        {"2.2.1", "bit 30 beside HEADER_DUMP_SIZE is reserved", kStops, INITIALIZE "DW6 = %\n",
         "0x40000000", "1", "reserved bits"},
        // ---- 2.2.2 ----
        {"2.2.2", "bits 31:16 of REG_OFFSET are zero", kStops,
         "SET_CONFIG_REG DW1 = %, 0x9508 = 7\n", "0x10542", "0x542", "reserved bits"},
        {"2.2.2", "registers lie in the window of the packet", kStops,
         "SET_CONFIG_REG [count=2] DW1 = %, DW2 = 7\n", "0xc00", "0x542", "outside the window"},
        // ---- 2.2.3 ----
        {"2.2.3", "BASE_INDEX is 0 to 3", kStops, "SET_BASE BASE_INDEX = %\n", "4", "0",
         "reserved BASE_INDEX 4"},
        {"2.2.3", "bits 2:0 of an address are zero", kStops, "SET_BASE BASE_INDEX = 1, DW2 = %\n",
         "0x200004", "0x200008", "not qword aligned"},
        {"2.2.3", "bits 31:16 beside ADDRESS_HI are zero", kStops,
         "SET_BASE BASE_INDEX = 0, DW3 = %\n", "0x10000", "0xffff", "reserved bits of ADDRESS1"},
        {"2.2.3", "bits 31:16 beside CS1_INDEX are zero", kStops,
         "SET_BASE BASE_INDEX = 2, DW2 = %, DW3 = 0x8000\n", "0x14000", "0x4000",
         "reserved bits of ADDRESS0"},
        {"2.2.3", "bits 31:16 beside CS2_INDEX are zero", kStops,
         "SET_BASE BASE_INDEX = 2, DW2 = 0x4000, DW3 = %\n", "0x18000", "0x8000",
         "reserved bits of ADDRESS1"},
        {"2.2.3", "CS1_INDEX is a multiple of 64 bytes", kStops,
         "SET_BASE BASE_INDEX = 2, CS1_INDEX = %, CS2_INDEX = 0x8000\n", "0x4020", "0x4040",
         "multiple of 64"},
        {"2.2.3", "CS2_INDEX is a multiple of 64 bytes", kStops,
         "SET_BASE BASE_INDEX = 2, CS1_INDEX = 0x4000, CS2_INDEX = %\n", "0x8020", "0x8040",
         "multiple of 64"},
        {"2.2.3", "partitions of CE RAM are multiples of 64 bytes", kStops, CONSTANTS, "0x4020",
         "0x4040", "multiples of 64",
         "SET_BASE BASE_INDEX = 3, CS1_INDEX = %, CS2_INDEX = 0x8000\n"},
        {"2.2.3", "the constant engine has the base of its partitions alone", kStops, CONSTANTS,
         "1", "3", "is not the constant engine's",
         "SET_BASE BASE_INDEX = %, DW2 = 0x4000, DW3 = 0x8000\n"},
        // ---- 2.2.4 ----
        {"2.2.4", "processed only after a CONTEXT_CONTROL that enables it", kDoes,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = %\n"
         "LOAD_CONFIG_REG BASE_ADDR = 0x200000, REG_OFFSET = 0x542, NUM_DWORDS = 1\n" MARK,
         "0", "1", "reg 09508=7 ring 0 context 1; idle"},
        {"2.2.4", "NUM_DWORDS 0 loads nothing", kDoes,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = 1\n"
         "LOAD_CONFIG_REG BASE_ADDR = 0x200000, REG_OFFSET = 0x542, NUM_DWORDS = %\n" MARK,
         "0", "1", "reg 09508=7 ring 0 context 1; idle"},
        {"2.2.4", "the base is dword aligned", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = 1\n"
         "LOAD_CONFIG_REG [count=4] DW1 = %, DW3 = 0, DW4 = 0\n",
         "0x200002", "0x200004", "not dword aligned"},
        {"2.2.4", "a base and at least one pair", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = 1\n"
         "LOAD_CONFIG_REG [count=%] DW1 = 0x200000, DW3 = 0, DW4 = 0, DW5 = 0\n"
         ".word 0x80000000\n",
         "5", "6", "pairs of offset and count"},
        {"2.2.4", "bits 31:16 of REG_OFFSET are reserved", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = 1\n"
         "LOAD_CONFIG_REG [count=4] DW1 = 0x200000, DW3 = %, DW4 = 1\n",
         "0x10542", "0x542", "reserved bits"},
        {"2.2.4", "registers lie in the window of the packet", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = 1\n"
         "LOAD_CONFIG_REG [count=4] DW1 = 0x200000, DW3 = %, DW4 = 1\n",
         "0xc00", "0x543", "outside the window"},
        {"2.2.4", "bits above NUM_DWORDS are reserved", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = 1\n"
         "LOAD_CONFIG_REG [count=4] DW1 = 0x200000, DW3 = 0x542, DW4 = %\n",
         "0x4001", "1", "reserved bits"},
        // ---- 2.3 ----
        {"2.3.1", "bits 1:0 of OFFSET are zero", kStops, CONSTANTS, "2", "4",
         "misaligned value 0x2", "DUMP_CONST_RAM DW1 = %, NUM_DW = 1, ADDR = 0x200000\n"},
        {"2.3.1", "bits 1:0 of the address are zero", kStops, CONSTANTS, "0x200002", "0x200004",
         "misaligned value 0x200002", "DUMP_CONST_RAM NUM_DW = 1, DW3 = %\n"},
        {"2.3.1", "it dumps its ring's partition", kStops, CONSTANTS, "0x7fff", "0x2000",
         "beyond the ring's partition", "DUMP_CONST_RAM OFFSET = 0, NUM_DW = %, ADDR = 0x200000\n"},
        {"2.3.3", "the kernel gives a VMID", kIgnored,
         "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $, VMID = %\n", "0", "5",
         "[200000]=9 ",
         "WRITE_CONST_RAM OFFSET = 0, DATA = 9\nDUMP_CONST_RAM NUM_DW = 1, ADDR = 0x200000\n"},
        {"2.3.4", "bits 4:0 of the address are zero", kStops, CONSTANTS, "0x200010", "0x200020",
         "misaligned value 0x200010", "LOAD_CONST_RAM DW1 = %, NUM_DW = 8\n"},
        {"2.3.4", "bits 2:0 of NUM_DW are zero", kStops, CONSTANTS, "4", "8",
         "misaligned value 0x4", "LOAD_CONST_RAM ADDR = 0x200000, NUM_DW = %\n"},
        {"2.3.4", "bits 4:0 of OFFSET are zero", kStops, CONSTANTS, "0x10", "0x20",
         "misaligned value 0x10", "LOAD_CONST_RAM ADDR = 0x200000, NUM_DW = 8, OFFSET = %\n"},
        {"2.3.7", "the difference is less than DIFF to continue", kDoes, CONSTANTS "PFP_SYNC_ME\n",
         "0", "1", "WAIT_ON_DE_COUNTER_DIFF", "WAIT_ON_DE_COUNTER_DIFF DIFF = %\n"},
        {"2.3.8", "bits 1:0 of OFFSET are zero", kStops, CONSTANTS, "6", "8",
         "misaligned value 0x6", "WRITE_CONST_RAM DW1 = %, DATA = 9\n"},
        {"2.3.9", "bits 1:0 of OFFSET are zero", kStops, CONSTANTS, "6", "8",
         "misaligned value 0x6", "WRITE_CONST_RAM_OFFSET DW1 = %, DATA = 9\n"},
        // ---- 2.4.1 ----
        {"2.4.1", "bits 30:25 of LOAD_CONTROL are zero", kStops, "CONTEXT_CONTROL DW1 = %\n",
         "0x02000000", "0x81010003", "LOAD_CONTROL"},
        {"2.4.1", "bits 23:17 of LOAD_CONTROL are zero", kStops, "CONTEXT_CONTROL DW1 = %\n",
         "0x00800000", "0x81010003", "LOAD_CONTROL"},
        {"2.4.1", "bits 15:2 of LOAD_CONTROL are zero", kStops, "CONTEXT_CONTROL DW1 = %\n",
         "0x00000004", "0x81010003", "LOAD_CONTROL"},
        {"2.4.1", "bits 30:25 of SHADOW_ENABLE are zero", kStops, "CONTEXT_CONTROL DW2 = %\n",
         "0x40000000", "0x81010003", "SHADOW_ENABLE"},
        {"2.4.1", "bits 23:17 of SHADOW_ENABLE are zero", kStops, "CONTEXT_CONTROL DW2 = %\n",
         "0x00020000", "0x81010003", "SHADOW_ENABLE"},
        {"2.4.1", "bits 15:2 of SHADOW_ENABLE are zero", kStops, "CONTEXT_CONTROL DW2 = %\n",
         "0x00008000", "0x81010003", "SHADOW_ENABLE"},
        {"2.4.1", "a dword without its enable is discarded", kDoes,
         "CONTEXT_CONTROL DW1 = %\n"
         "LOAD_CONFIG_REG BASE_ADDR = 0x200000, REG_OFFSET = 0x542, NUM_DWORDS = 1\n" MARK,
         "0x00000001", "0x80000001", "reg 09508=7 ring 0 context 1; idle"},
        {"2.4.1", "SHADER_TYPE of SET_CONFIG_REG is zero", kIgnored,
         "SET_CONFIG_REG [%] 0x9508 = 7\n", "compute", "reserved=0", MARKED},
        // ---- 2.4.3 .. 2.4.7 ----
        {"2.4.3", "bits 31:16 beside BASE_ADDR_HI are nothing", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONTEXT = 1\n"
         "LOAD_CONTEXT_REG [count=4] DW1 = 0x200000, DW2 = %, DW3 = 0, DW4 = 0\n",
         "0x80000000", "0", "reserved bits"},
        {"2.4.3", "bits 31:16 of REG_OFFSET are reserved", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONTEXT = 1\n"
         "LOAD_CONTEXT_REG [count=4] DW1 = 0x200000, DW3 = %, DW4 = 1\n",
         "0x10290", "0x290", "reserved bits"},
        {"2.4.3", "bits above NUM_DWORDS are reserved", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONTEXT = 1\n"
         "LOAD_CONTEXT_REG [count=4] DW1 = 0x200000, DW3 = 0x290, DW4 = %\n",
         "0x8001", "1", "reserved bits"},
        {"2.4.3", "registers lie in the window of the packet", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONTEXT = 1\n"
         "LOAD_CONTEXT_REG [count=4] DW1 = 0x200000, DW3 = %, DW4 = 1\n",
         "0x2000", "0x291", "outside the window"},
        {"2.4.4", "registers lie in the window of the packet", kStops,
         "SET_CONTEXT_REG [count=2] DW1 = %, DW2 = 7\n", "0x2000", "0x290", "outside the window"},
        {"2.4.5", "registers lie in the window of the packet", kStops,
         "SET_BASE BASE_INDEX = 0, ADDRESS = 0x200000\nSET_CONTEXT_REG_INDIRECT DW1 = %, DW2 = 1\n",
         "0x2000", "0x290", "outside the window"},
        {"2.4.5", "the patch table is where SET_BASE says", kStops,
         "SET_BASE BASE_INDEX = %, ADDRESS = 0x200000\n"
         "SET_CONTEXT_REG_INDIRECT DW1 = 0x290, DW2 = 2\n",
         "1", "0", "no SET_BASE"},
        {"2.4.6", "bits 31:16 beside BASE_ADDR_HI are nothing", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_GFX_SH = 1\n"
         "LOAD_SH_REG [count=4] DW1 = 0x200000, DW2 = %, DW3 = 0, DW4 = 0\n",
         "0x80000000", "0", "reserved bits"},
        {"2.4.6", "bits 31:16 of REG_OFFSET are reserved", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_GFX_SH = 1\n"
         "LOAD_SH_REG [count=4] DW1 = 0x200000, DW3 = %, DW4 = 1\n",
         "0x1004c", "0x4c", "reserved bits"},
        {"2.4.6", "bits above NUM_DWORDS are reserved", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_GFX_SH = 1\n"
         "LOAD_SH_REG [count=4] DW1 = 0x200000, DW3 = 0x4c, DW4 = %\n",
         "0x80000001", "1", "reserved bits"},
        {"2.4.6", "registers lie in the window of the packet", kStops,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_GFX_SH = 1\n"
         "LOAD_SH_REG [count=4] DW1 = 0x200000, DW3 = %, DW4 = 1\n",
         "0x400", "0x4d", "outside the window"},
        {"2.4.6", "SHADER_TYPE says which base and enable", kDoes,
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_GFX_SH = 1\n"
         "LOAD_SH_REG [%] BASE_ADDR = 0x200000, REG_OFFSET = 0x4d, NUM_DWORDS = 1\n" MARK,
         "compute", "reserved=0", "reg 09508=7 ring 0 context 1; idle"},
        {"2.4.7", "registers lie in the window of the packet", kStops,
         "SET_SH_REG [count=2] DW1 = %, DW2 = 7\n", "0x400", "0x4d", "outside the window"},
    };
}

}  // namespace archipelago::cp::test
