// SPDX-License-Identifier: Apache-2.0
// Registers, state, dispatches and buffers: 2.2, 2.4, 2.5.12, 2.6.
#include "testbenches/unit/cp/packet_field_test.h"

namespace archipelago::cp::test {

namespace {

const char kInit[] = "ME_INITIALIZE DEFAULT_RESET_CONTROL = 1, MAX_CONTEXT = 7, DEVICE_ID = 1\n";
// Shadowing of a kind of register into memory at kData, and loads of it from there.
#define SHADOWED(bits) "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, SHADOW_DW_ENABLE = 1, " bits "\n"

}  // namespace

std::vector<FieldRow> state_rows() {
    static const std::string init_reset =
        std::string(kInit) +
        "SET_BASE BASE_INDEX = DRAW_INDIRECT, ADDRESS = 0x200040\n"
        "ME_INITIALIZE DEFAULT_RESET_CONTROL = %, MAX_CONTEXT = 7,"
        " DEVICE_ID = 1\n";
    return {
        // ---- 2.2 ----
        {"ME_INITIALIZE",
         "DEFAULT_RESET_CONTROL",
         "contexts begin anew from context 0",
         init_reset.c_str(),
         {{"0"}, {"1"}, {"0, DW1 = 2", "reserved bits"}}},
        {"ME_INITIALIZE",
         "MAX_CONTEXT",
         "contexts in turn",
         "ME_INITIALIZE DEFAULT_RESET_CONTROL = 1, MAX_CONTEXT = %, DEVICE_ID = 1\n"
         "SET_CONTEXT_REG DB_RENDER_CONTROL = 1\nSET_CONTEXT_REG VGT_DRAW_INITIATOR = 2\n"
         "SET_CONTEXT_REG DB_RENDER_CONTROL = 2\nSET_CONTEXT_REG VGT_DRAW_INITIATOR = 2\n"
         "SET_CONTEXT_REG DB_RENDER_CONTROL = 3\n",
         {{"1"},
          {"2"},
          {"3"},
          {"0", "MAX_CONTEXT 0"},
          {"1, DW3 = 8", "reserved bits"},
          {"1, DW2 = 1", "reserved"}}},
        {"ME_INITIALIZE",
         "DEVICE_ID",
         "one bit, which PRED_EXEC compares with",
         "ME_INITIALIZE MAX_CONTEXT = 1, DEVICE_ID = %\n"
         "PRED_EXEC DEVICE_SELECT = 1, EXEC_COUNT = 3\nSET_CONFIG_REG 0x9508 = 1\n",
         {{"1"}, {"128"}, {"3", "not one-hot"}}},
        {"ME_INITIALIZE",
         "EXTERNAL_MEM_SWAP",
         "bytes of shadowed registers",
         "ME_INITIALIZE MAX_CONTEXT = 1, DEVICE_ID = 1, EXTERNAL_MEM_SWAP = %\n" SHADOWED(
             "SHADOW_CONFIG = 1, "
             "LOAD_CONFIG = 1") "LOAD_CONFIG_REG BASE_ADDR = 0x200000, REG_OFFSET = 0, NUM_DWORDS "
                                "= 0\n"
                                "SET_CONFIG_REG 0x9508 = 0x11223344\n",
         {{"NONE"}, {"SWAP_8_IN_16"}, {"SWAP_8_IN_32"}, {"3", "swap code 3"}}},
        {"ME_INITIALIZE",
         "HEADER_DUMP_BASE",
         "where headers go, in pages",
         "ME_INITIALIZE MAX_CONTEXT = 1, DEVICE_ID = 1, HEADER_DUMP_BASE = %, HEADER_DUMP_ENABLE = "
         "1, "
         "HEADER_DUMP_SIZE = 64\nNOP\nSET_CONFIG_REG 0x9508 = 1\n",
         {{"0x2000"}, {"0x2010"}}},
        {"ME_INITIALIZE",
         "HEADER_DUMP_SWAP",
         "bytes of the headers",
         "ME_INITIALIZE MAX_CONTEXT = 1, DEVICE_ID = 1, HEADER_DUMP_BASE = 0x2000, "
         "HEADER_DUMP_ENABLE = 1, "
         "HEADER_DUMP_SIZE = 64, HEADER_DUMP_SWAP = %\nSET_CONFIG_REG 0x9508 = 1\n",
         {{"NONE"}, {"SWAP_8_IN_16"}, {"SWAP_8_IN_32"}, {"3", "swap code 3"}}},
        {"ME_INITIALIZE",
         "HEADER_DUMP_ENABLE",
         "headers go to memory",
         "ME_INITIALIZE MAX_CONTEXT = 1, DEVICE_ID = 1, HEADER_DUMP_BASE = 0x2000, "
         "HEADER_DUMP_ENABLE = %, "
         "HEADER_DUMP_SIZE = 64\nSET_CONFIG_REG 0x9508 = 1\n",
         {{"0"}, {"1"}}},
        {"ME_INITIALIZE",
         "HEADER_DUMP_SIZE",
         "dwords before it begins again",
         "ME_INITIALIZE MAX_CONTEXT = 1, DEVICE_ID = 1, HEADER_DUMP_BASE = 0x2000, "
         "HEADER_DUMP_ENABLE = 1, "
         "HEADER_DUMP_SIZE = %\nSET_CONFIG_REG 0x9508 = 1\nSET_CONFIG_REG 0x9508 = 1, 0x950c = 2\n"
         "SET_CONFIG_REG 0x950c = 1, 0x9510 = 3, 0x9514 = 4\n",
         {{"1"}, {"2"}, {"64"}, {"0", "HEADER_DUMP_SIZE 0"}}},
        {"SET_CONFIG_REG",
         "REG_OFFSET",
         "the first register",
         "SET_CONFIG_REG REG_OFFSET = %, REG_DATA = 5\n",
         {{"0x542"},
          {"0x543"},
          {"0xC00", "outside the window"},
          {"0x542, DW1 = 0x10000", "reserved"}}},
        {"SET_CONFIG_REG",
         "REG_DATA",
         "its value, then those of the next",
         "SET_CONFIG_REG REG_OFFSET = 0x542, REG_DATA = %\n",
         {{"1"}, {"0xffffffff"}, {"[1, 2]"}}},
        {"SET_BASE",
         "BASE_INDEX",
         "which base: 1 is DISPATCH_INDIRECT's",
         "SET_BASE BASE_INDEX = 1, ADDRESS = 0x200000\nSET_BASE [count=3] BASE_INDEX = %, "
         "DW2 = 0x200100\nDISPATCH_INDIRECT [compute] DISPATCH_INITIATOR = 1\n",
         {{"0"}, {"1"}, {"4", "reserved BASE_INDEX 4"}, {"2", "reserved bits of ADDRESS0"}}},
        {"SET_BASE",
         "ADDRESS_LO",
         "where structures are",
         "SET_BASE BASE_INDEX = 1, DW2 = %\nDISPATCH_INDIRECT [compute] DISPATCH_INITIATOR = 1\n",
         {{"0x200000"}, {"0x200100"}, {"0x200004", "not qword aligned"}}},
        {"SET_BASE",
         "ADDRESS_HI",
         "its upper bits",
         "SET_BASE BASE_INDEX = 1, ADDRESS_LO = 0x200000, DW3 = %\n"
         "DISPATCH_INDIRECT [compute] DISPATCH_INITIATOR = 1\n",
         {{"0"}, {"1", "0x100200000"}, {"0x10000", "reserved bits of ADDRESS1"}}},
        {"SET_BASE",
         "CS1_INDEX",
         "the GDS of ring 1 begins there, as the constant engine knows",
         "SET_BASE BASE_INDEX = GDS_PARTITIONS, CS1_INDEX = %, CS2_INDEX = 0x8000\n"
         "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $\n",
         {{"0x40"}, {"0x80"}, {"0x41", "multiple of 64"}, {"0x8040", "not in order"}},
         "WRITE_CONST_RAM_OFFSET OFFSET = 0, DATA = 1\n"
         "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR = 0x200000\n",
         Sight::Effects,
         1},
        {"SET_BASE",
         "CS2_INDEX",
         "and that of ring 2",
         "SET_BASE BASE_INDEX = GDS_PARTITIONS, CS1_INDEX = 0x40, CS2_INDEX = %\n"
         "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $\n",
         {{"0x40"}, {"0x80"}, {"0x90", "multiple of 64"}},
         "WRITE_CONST_RAM_OFFSET OFFSET = 0, DATA = 1\n"
         "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR = 0x200000\n",
         Sight::Effects,
         2},
        {"PREAMBLE_CNTL",
         "COMMAND",
         "a clear state begins and ends",
         "PREAMBLE_CNTL COMMAND = CLEAR_STATE_BEGIN\nPREAMBLE_CNTL COMMAND = %\n"
         "SET_CONTEXT_REG DB_RENDER_CONTROL = 1\n",
         {{"PREAMBLE_BEGIN"},
          {"CLEAR_STATE_END"},
          {"CLEAR_STATE_BEGIN", "inside a clear state"},
          {"4", "reserved COMMAND 4"},
          {"0, DW1 = 1", "reserved bits"}}},
        {"ONE_REG_WRITE",
         "REG_OFFSET",
         "the register",
         "ONE_REG_WRITE REG_OFFSET = %, DATA = 5\n",
         {{"0x2542"}, {"0x2543"}}},
        {"ONE_REG_WRITE",
         "DATA",
         "its value",
         "ONE_REG_WRITE REG_OFFSET = 0x2542, DATA = %\n",
         {{"0"}, {"0xffffffff"}}},

        // ---- loads and shadowing ----
        {"LOAD_CONFIG_REG",
         "BASE_ADDR_LO",
         "where the registers are in memory",
         SHADOWED(
             "LOAD_CONFIG = 1") "LOAD_CONFIG_REG DW1 = %, REG_OFFSET = 0x542, NUM_DWORDS = 1\n",
         {{"0x200000"}, {"0x200100"}, {"0x200001", "not dword aligned"}}},
        {"LOAD_CONFIG_REG",
         "BASE_ADDR_HI",
         "its upper bits",
         SHADOWED("LOAD_CONFIG = 1") "LOAD_CONFIG_REG BASE_ADDR_LO = 0x200000, DW2 = %, REG_OFFSET "
                                     "= 0x542, NUM_DWORDS = 1\n",
         {{"0"}, {"1", "0x100201508"}, {"0x10000", "reserved bits"}}},
        {"LOAD_CONFIG_REG",
         "WAIT_FOR_IDLE",
         "an event goes ahead",
         SHADOWED("LOAD_CONFIG = 1") "LOAD_CONFIG_REG WAIT_FOR_IDLE = %, BASE_ADDR_LO = 0x200000, "
                                     "REG_OFFSET = 0x542, NUM_DWORDS = 1\n",
         {{"0"}, {"1"}}},
        {"LOAD_CONFIG_REG",
         "REG_OFFSET",
         "the first register, from the window and from the base",
         SHADOWED(
             "LOAD_CONFIG = 1") "LOAD_CONFIG_REG BASE_ADDR = 0x200000, DW3 = %, NUM_DWORDS = 1\n",
         {{"0x542"}, {"0x543"}, {"0xC00", "outside the window"}, {"0x10542", "reserved bits"}}},
        {"LOAD_CONFIG_REG",
         "NUM_DWORDS",
         "how many",
         SHADOWED("LOAD_CONFIG = 1") "LOAD_CONFIG_REG BASE_ADDR = 0x200000, REG_OFFSET = 0x542, "
                                     "DW4 = %\n",
         {{"0"}, {"1"}, {"20"}, {"0x4001", "reserved bits"}}},
        {"LOAD_CONTEXT_REG",
         "BASE_ADDR_LO",
         "where the registers are in memory",
         SHADOWED("LOAD_CONTEXT = 1") "LOAD_CONTEXT_REG DW1 = %, REG_OFFSET = 2, NUM_DWORDS = 1\n",
         {{"0x200000"}, {"0x200100"}, {"0x200001", "not dword aligned"}}},
        {"LOAD_CONTEXT_REG",
         "BASE_ADDR_HI",
         "its upper bits",
         SHADOWED("LOAD_CONTEXT = 1") "LOAD_CONTEXT_REG BASE_ADDR_LO = 0x200000, DW2 = %, "
                                      "REG_OFFSET = 2, NUM_DWORDS = 1\n",
         {{"0"}, {"1", "0x100200008"}, {"0x80000000", "reserved bits"}}},
        {"LOAD_CONTEXT_REG",
         "REG_OFFSET",
         "the first register",
         SHADOWED(
             "LOAD_CONTEXT = 1") "LOAD_CONTEXT_REG BASE_ADDR = 0x200000, DW3 = %, NUM_DWORDS = 1\n",
         {{"2"}, {"4"}, {"0x2000", "outside the window"}}},
        {"LOAD_CONTEXT_REG",
         "NUM_DWORDS",
         "how many, of each pair",
         SHADOWED("LOAD_CONTEXT = 1") "LOAD_CONTEXT_REG BASE_ADDR = 0x200000, REG_OFFSET = 2, "
                                      "NUM_DWORDS = %\n",
         {{"0"}, {"1"}, {"1, REG_OFFSET = 8, NUM_DWORDS = 2"}, {"1, DW5 = 4", "body dwords"}}},
        {"LOAD_SH_REG",
         "BASE_ADDR_LO",
         "where the registers are in memory",
         SHADOWED("LOAD_CS_SH = 1") "LOAD_SH_REG [compute] DW1 = %, REG_OFFSET = 0x200, NUM_DWORDS "
                                    "= 1\n",
         {{"0x200000"}, {"0x200100"}, {"0x200001", "not dword aligned"}}},
        {"LOAD_SH_REG",
         "BASE_ADDR_HI",
         "its upper bits",
         SHADOWED("LOAD_CS_SH = 1") "LOAD_SH_REG [compute] BASE_ADDR_LO = 0x200000, DW2 = %, "
                                    "REG_OFFSET = 0x200, NUM_DWORDS = 1\n",
         {{"0"}, {"1", "0x100200800"}}},
        {"LOAD_SH_REG",
         "REG_OFFSET",
         "the first register",
         SHADOWED("LOAD_CS_SH = 1") "LOAD_SH_REG [compute] BASE_ADDR = 0x200000, DW3 = %, "
                                    "NUM_DWORDS = 1\n",
         {{"0x200"}, {"0x201"}, {"0x400", "outside the window"}}},
        {"LOAD_SH_REG",
         "NUM_DWORDS",
         "how many",
         SHADOWED("LOAD_CS_SH = 1") "LOAD_SH_REG [compute] BASE_ADDR = 0x200000, REG_OFFSET = "
                                    "0x200, NUM_DWORDS = %\n",
         {{"0"}, {"1"}, {"2"}}},
        {"CONTEXT_CONTROL",
         "LOAD_DW_ENABLE",
         "the load enables are taken",
         "CONTEXT_CONTROL LOAD_DW_ENABLE = %, LOAD_CONFIG = 1\n"
         "LOAD_CONFIG_REG BASE_ADDR = 0x200000, REG_OFFSET = 0x542, NUM_DWORDS = 1\n",
         {{"0"}, {"1"}, {"1, DW1 = 4", "reserved bits"}}},
        {"CONTEXT_CONTROL",
         "LOAD_CONFIG",
         "LOAD_CONFIG_REG is carried out",
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = %\n"
         "LOAD_CONFIG_REG BASE_ADDR = 0x200000, REG_OFFSET = 0x542, NUM_DWORDS = 1\n",
         {{"0"}, {"1"}}},
        {"CONTEXT_CONTROL",
         "LOAD_CONTEXT",
         "LOAD_CONTEXT_REG is carried out",
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONTEXT = %\n"
         "LOAD_CONTEXT_REG BASE_ADDR = 0x200000, REG_OFFSET = 2, NUM_DWORDS = 1\n",
         {{"0"}, {"1"}}},
        {"CONTEXT_CONTROL",
         "LOAD_GFX_SH",
         "LOAD_SH_REG of graphics is carried out",
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_GFX_SH = %\n"
         "LOAD_SH_REG BASE_ADDR = 0x200000, REG_OFFSET = 8, NUM_DWORDS = 1\n",
         {{"0"}, {"1"}}},
        {"CONTEXT_CONTROL",
         "LOAD_CS_SH",
         "LOAD_SH_REG of compute is carried out",
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CS_SH = %\n"
         "LOAD_SH_REG [compute] BASE_ADDR = 0x200000, REG_OFFSET = 0x200, NUM_DWORDS = 1\n",
         {{"0"}, {"1"}}},
        {"CONTEXT_CONTROL",
         "SHADOW_DW_ENABLE",
         "the shadow enables are taken",
         "CONTEXT_CONTROL LOAD_DW_ENABLE = 1, LOAD_CONFIG = 1, SHADOW_DW_ENABLE = %, "
         "SHADOW_CONFIG = 1\nLOAD_CONFIG_REG BASE_ADDR = 0x200000\n"
         "SET_CONFIG_REG 0x9508 = 77\n",
         {{"0"}, {"1"}, {"1, DW2 = 4", "reserved bits"}}},
        {"CONTEXT_CONTROL",
         "SHADOW_CONFIG",
         "SET_CONFIG_REG also goes to memory",
         SHADOWED("LOAD_CONFIG = 1, SHADOW_CONFIG = %") "LOAD_CONFIG_REG BASE_ADDR = "
                                                        "0x200000\nSET_CONFIG_REG 0x9508 = 77\n",
         {{"0"}, {"1"}}},
        {"CONTEXT_CONTROL",
         "SHADOW_CONTEXT",
         "SET_CONTEXT_REG also goes to memory",
         SHADOWED(
             "LOAD_CONTEXT = 1, SHADOW_CONTEXT = %") "LOAD_CONTEXT_REG BASE_ADDR = "
                                                     "0x200000\nSET_CONTEXT_REG 0x28008 = 77\n",
         {{"0"}, {"1"}}},
        {"CONTEXT_CONTROL",
         "SHADOW_GFX_SH",
         "SET_SH_REG of graphics also goes to memory",
         SHADOWED("LOAD_GFX_SH = 1, SHADOW_GFX_SH = %") "LOAD_SH_REG BASE_ADDR = "
                                                        "0x200000\nSET_SH_REG 0xb020 = 77\n",
         {{"0"}, {"1"}}},
        {"CONTEXT_CONTROL",
         "SHADOW_CS_SH",
         "SET_SH_REG of compute also goes to memory",
         SHADOWED(
             "LOAD_CS_SH = 1, SHADOW_CS_SH = %") "LOAD_SH_REG [compute] BASE_ADDR = "
                                                 "0x200000\nSET_SH_REG [compute] 0xb800 = 77\n",
         {{"0"}, {"1"}}},

        // ---- 2.4 ----
        {"CLEAR_STATE",
         "DUMMY",
         "nothing",
         "CLEAR_STATE DUMMY = %\n",
         {{"0"}, {"0xffffffff"}},
         "",
         Sight::Nothing},
        {"SET_CONTEXT_REG",
         "REG_OFFSET",
         "the first register",
         "SET_CONTEXT_REG REG_OFFSET = %, REG_DATA = 5\n",
         {{"2"}, {"4"}, {"0x2000", "outside the window"}}},
        {"SET_CONTEXT_REG",
         "REG_DATA",
         "its value, then those of the next",
         "SET_CONTEXT_REG REG_OFFSET = 2, REG_DATA = %\n",
         {{"1"}, {"0xffffffff"}, {"[1, 2]"}}},
        {"SET_CONTEXT_REG_INDIRECT",
         "REG_OFFSET",
         "the register",
         "SET_BASE BASE_INDEX = DISPLAY_LIST, ADDRESS = 0x200000\n"
         "SET_CONTEXT_REG_INDIRECT REG_OFFSET = %, REG_INDEX = 3\n",
         {{"2"}, {"4"}, {"0x2000", "outside the window"}}},
        {"SET_CONTEXT_REG_INDIRECT",
         "REG_INDEX",
         "the dword of the patch table",
         "SET_BASE BASE_INDEX = DISPLAY_LIST, ADDRESS = 0x200000\n"
         "SET_CONTEXT_REG_INDIRECT REG_OFFSET = 2, REG_INDEX = %\n",
         {{"3"}, {"0x1000"}, {"0x700000", "0x1e00000"}}},
        {"SET_SH_REG",
         "REG_OFFSET",
         "the first register",
         "SET_SH_REG REG_OFFSET = %, REG_DATA = 5\n",
         {{"0x200"}, {"0x201"}, {"0x400", "outside the window"}}},
        {"SET_SH_REG",
         "REG_DATA",
         "its value, then those of the next",
         "SET_SH_REG REG_OFFSET = 0x200, REG_DATA = %\n",
         {{"1"}, {"0xffffffff"}, {"[1, 2]"}}},

        // ---- 2.5.12, 2.6 ----
        {"INDIRECT_BUFFER",
         "SWAP",
         "bytes of its dwords",
         "INDIRECT_BUFFER SWAP = %, IB_BASE = 0x300000, IB_SIZE = 3\n",
         {{"NONE"}, {"SWAP_8_IN_32", "packet"}, {"3", "reserved swap code 3"}},
         "SET_CONFIG_REG 0x9508 = 1\n"},
        {"INDIRECT_BUFFER",
         "IB_BASE_LO",
         "where it begins",
         "INDIRECT_BUFFER IB_BASE_LO = %, IB_SIZE = 3\n",
         {{"0x300000"}, {"0x30000c"}},
         "SET_CONFIG_REG 0x9508 = 1\nSET_CONFIG_REG 0x950c = 2\n"},
        {"INDIRECT_BUFFER",
         "IB_BASE_HI",
         "its upper bits",
         "INDIRECT_BUFFER IB_BASE_LO = 0x300000, IB_BASE_HI = %, IB_SIZE = 3\n",
         {{"0"}, {"1", "0x100300000"}},
         "SET_CONFIG_REG 0x9508 = 1\n"},
        {"INDIRECT_BUFFER",
         "VMID",
         "whose address space",
         "INDIRECT_BUFFER IB_BASE = 0x300000, IB_SIZE = 3, VMID = %\n",
         {{"0"}, {"5"}},
         "SET_CONFIG_REG 0x9508 = 1\n",
         Sight::Requests},
        {"INDIRECT_BUFFER",
         "CHAIN",
         "not of this chip",
         "INDIRECT_BUFFER IB_BASE = 0x300000, IB_SIZE = 3, CHAIN = %\n",
         {{"0"}, {"1", "CHAIN"}},
         "SET_CONFIG_REG 0x9508 = 1\n"},
        {"INDIRECT_BUFFER",
         "IB_SIZE",
         "its dwords",
         "INDIRECT_BUFFER IB_BASE = 0x300000, IB_SIZE = %\n",
         {{"3"}, {"6"}, {"0", "of 0 dwords"}, {"2", "cut off"}},
         "SET_CONFIG_REG 0x9508 = 1\nSET_CONFIG_REG 0x950c = 2\n"},
        {"DISPATCH_DIRECT",
         "DIM_X",
         "groups in x",
         "DISPATCH_DIRECT [compute] DIM_X = %, DIM_Y = 2, DIM_Z = 3, DISPATCH_INITIATOR = 1\n",
         {{"1"}, {"0xffffffff"}}},
        {"DISPATCH_DIRECT",
         "DIM_Y",
         "groups in y",
         "DISPATCH_DIRECT [compute] DIM_X = 1, DIM_Y = %, DIM_Z = 3, DISPATCH_INITIATOR = 1\n",
         {{"1"}, {"0xffffffff"}}},
        {"DISPATCH_DIRECT",
         "DIM_Z",
         "groups in z",
         "DISPATCH_DIRECT [compute] DIM_X = 1, DIM_Y = 2, DIM_Z = %, DISPATCH_INITIATOR = 1\n",
         {{"1"}, {"0xffffffff"}}},
        {"DISPATCH_DIRECT",
         "DISPATCH_INITIATOR",
         "the register that starts it",
         "DISPATCH_DIRECT [compute] DIM_X = 1, DIM_Y = 2, DIM_Z = 3, DISPATCH_INITIATOR = %\n",
         {{"1"}, {"{COMPUTE_SHADER_EN: 1, FORCE_START_AT_000: 1}"}}},
        {"DISPATCH_INDIRECT",
         "DATA_OFFSET",
         "where the groups are, from SET_BASE 1",
         "SET_BASE BASE_INDEX = DRAW_INDIRECT, ADDRESS = 0x200000\n"
         "DISPATCH_INDIRECT [compute] DATA_OFFSET = %, DISPATCH_INITIATOR = 1\n",
         {{"0"}, {"0x104"}, {"2", "dword"}}},
        {"DISPATCH_INDIRECT",
         "DISPATCH_INITIATOR",
         "the register that starts it",
         "SET_BASE BASE_INDEX = DRAW_INDIRECT, ADDRESS = 0x200000\n"
         "DISPATCH_INDIRECT [compute] DATA_OFFSET = 4, DISPATCH_INITIATOR = %\n",
         {{"1"}, {"5"}}},
    };
}

}  // namespace archipelago::cp::test
