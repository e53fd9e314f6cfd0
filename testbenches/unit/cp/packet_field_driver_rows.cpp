// SPDX-License-Identifier: Apache-2.0
// Packets the document only names, as drivers use them: COPY_DW, ME_WRITE, CE_WRITE, REG_RMW.
#include "testbenches/unit/cp/packet_field_test.h"

namespace archipelago::cp::test {

std::vector<FieldRow> driver_rows() {
    const char* const kConstants = "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $\n";
    return {
        {"COPY_DW",
         "SRC_SPACE",
         "from a register or memory",
         "ONE_REG_WRITE REG_OFFSET = 0x2542, DATA = 5\n"
         "COPY_DW [count=5] SRC_SPACE = %, DST_SPACE = MEMORY, DW2 = 0x2544, "
         "DST_ADDR = 0x200000\n",
         {{"REGISTER"}, {"MEMORY", "0x2544"}}},
        {"COPY_DW",
         "DST_SPACE",
         "to a register or memory",
         "COPY_DW [count=5] SRC_SPACE = MEMORY, DST_SPACE = %, SRC_ADDR = 0x200010, DW4 = 0x2544\n",
         {{"REGISTER"}, {"MEMORY", "0x254"}}},
        {"COPY_DW",
         "SRC_REGISTER",
         "which register",
         "ONE_REG_WRITE REG_OFFSET = 0x2542, DATA = 5\n"
         "COPY_DW SRC_SPACE = REGISTER, DST_SPACE = MEMORY, SRC_REGISTER = %, "
         "DST_ADDR = 0x200004\n",
         {{"0x2542"}, {"0x2543"}}},
        {"COPY_DW",
         "SRC_ADDR_LO",
         "which dword",
         "COPY_DW SRC_SPACE = MEMORY, DST_SPACE = MEMORY, SRC_ADDR_LO = %, DST_ADDR = 0x200000\n",
         {{"0x200010"}, {"0x200014"}}},
        {"COPY_DW",
         "SRC_ADDR_HI",
         "its upper bits",
         "COPY_DW SRC_SPACE = MEMORY, DST_SPACE = MEMORY, SRC_ADDR_LO = 0x200010, SRC_ADDR_HI = %, "
         "DST_ADDR = 0x200000\n",
         {{"0"}, {"1", "0x100200010"}}},
        {"COPY_DW",
         "DST_REGISTER",
         "which register",
         "COPY_DW SRC_SPACE = MEMORY, DST_SPACE = REGISTER, SRC_ADDR = 0x200010, "
         "DST_REGISTER = %\n",
         {{"0x2542"}, {"0x2543"}}},
        {"COPY_DW",
         "DST_ADDR_LO",
         "which dword",
         "COPY_DW SRC_SPACE = MEMORY, DST_SPACE = MEMORY, SRC_ADDR = 0x200010, DST_ADDR_LO = %\n",
         {{"0x200000"}, {"0x200004"}}},
        {"COPY_DW",
         "DST_ADDR_HI",
         "its upper bits",
         "COPY_DW SRC_SPACE = MEMORY, DST_SPACE = MEMORY, SRC_ADDR = 0x200010, "
         "DST_ADDR_LO = 0x200000, DST_ADDR_HI = %\n",
         {{"0"}, {"1", "0x100200000"}}},
        {"ME_WRITE",
         "ADDR_LO",
         "where",
         "ME_WRITE ADDR_LO = %, DATA = 0x99\n",
         {{"0x200000"}, {"0x200004"}}},
        {"ME_WRITE",
         "ADDR_HI",
         "its upper bits",
         "ME_WRITE ADDR_LO = 0x200000, ADDR_HI = %, DATA = 9\n",
         {{"0"}, {"1", "0x100200000"}}},
        {"ME_WRITE", "DATA", "what", "ME_WRITE ADDR = 0x200000, DATA = %\n", {{"9"}, {"[9, 8]"}}},
        {"CE_WRITE",
         "ADDR_LO",
         "where",
         kConstants,
         {{"0x200000"}, {"0x200004"}},
         "CE_WRITE ADDR_LO = %, DATA = 0x99\n"},
        {"CE_WRITE",
         "ADDR_HI",
         "its upper bits",
         kConstants,
         {{"0"}, {"1", "0x100200000"}},
         "CE_WRITE ADDR_LO = 0x200000, ADDR_HI = %, DATA = 9\n"},
        {"CE_WRITE",
         "DATA",
         "what",
         kConstants,
         {{"9"}, {"[9, 8]"}},
         "CE_WRITE ADDR = 0x200000, DATA = %\n"},
        {"REG_RMW",
         "MOD_ADRS",
         "which register",
         "REG_RMW MOD_ADRS = %, AND_MASK = 0, OR_MASK = 5\n",
         {{"0x2542"}, {"0x2543"}}},
        {"REG_RMW",
         "AND_MASK_SRC",
         "the mask itself or a register with it",
         "ONE_REG_WRITE REG_OFFSET = 0x2543, DATA = 0xf0\nONE_REG_WRITE REG_OFFSET = 0x2542, "
         "DATA = 0xff\nREG_RMW MOD_ADRS = 0x2542, AND_MASK_SRC = %, DW2 = 0x2543\n",
         {{"VALUE"}, {"REGISTER"}}},
        {"REG_RMW",
         "OR_MASK_SRC",
         "the bits themselves or a register with them",
         "ONE_REG_WRITE REG_OFFSET = 0x2543, DATA = 0xf0\n"
         "REG_RMW MOD_ADRS = 0x2542, OR_MASK_SRC = %, AND_MASK = -1, DW3 = 0x2543\n",
         {{"VALUE"}, {"REGISTER"}}},
        {"REG_RMW",
         "AND_MASK",
         "bits that stay",
         "ONE_REG_WRITE REG_OFFSET = 0x2542, DATA = 0xff\n"
         "REG_RMW MOD_ADRS = 0x2542, AND_MASK = %, OR_MASK = 0\n",
         {{"1"}, {"-1"}}},
        {"REG_RMW",
         "AND_ADRS",
         "the register with bits that stay",
         "ONE_REG_WRITE REG_OFFSET = 0x2542, DATA = 0xff\n"
         "ONE_REG_WRITE REG_OFFSET = 0x2543, DATA = 0xf0\n"
         "REG_RMW MOD_ADRS = 0x2542, AND_MASK_SRC = REGISTER, AND_ADRS = %\n",
         {{"0x2542"}, {"0x2543"}}},
        {"REG_RMW",
         "OR_MASK",
         "bits that come",
         "REG_RMW MOD_ADRS = 0x2542, AND_MASK = 0, OR_MASK = %\n",
         {{"1"}, {"-1"}}},
        {"REG_RMW",
         "OR_ADRS",
         "the register with bits that come",
         "ONE_REG_WRITE REG_OFFSET = 0x2543, DATA = 0xf0\n"
         "REG_RMW MOD_ADRS = 0x2542, AND_MASK = 0, OR_MASK_SRC = REGISTER, OR_ADRS = %\n",
         {{"0x2543"}, {"0x2544"}}},
    };
}

}  // namespace archipelago::cp::test
