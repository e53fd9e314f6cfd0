// SPDX-License-Identifier: Apache-2.0
// The constant engine: 2.3.
#include "testbenches/unit/cp/packet_field_test.h"

namespace archipelago::cp::test {

namespace {

const char kConstants[] = "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $\n";

}  // namespace

std::vector<FieldRow> constant_rows() {
    const auto row = [](const char* packet, const char* field, const char* effect,
                        const char* buffer, std::vector<FieldValue> values,
                        Sight sight = Sight::Effects) {
        return FieldRow{packet, field, effect, kConstants, std::move(values), buffer, sight, 0};
    };
    return {
        {"INDIRECT_BUFFER_CONST",
         "SWAP",
         "bytes of its dwords",
         "INDIRECT_BUFFER_CONST SWAP = %, IB_BASE = 0x300000, IB_SIZE = $\n",
         {{"NONE"}, {"SWAP_8_IN_32", "packet"}, {"3", "reserved swap code 3"}},
         "NOP\n"},
        {"INDIRECT_BUFFER_CONST",
         "IB_BASE_LO",
         "where it begins",
         "INDIRECT_BUFFER_CONST IB_BASE_LO = %, IB_SIZE = 8\n",
         {{"0x300000"}, {"0x300020"}},
         "NOP\nNOP\nNOP\nNOP\nWRITE_CONST_RAM OFFSET = 0, DATA = 9\nDUMP_CONST_RAM OFFSET = 0, "
         "NUM_DW = 1, "
         "ADDR = 0x200000\n"},
        {"INDIRECT_BUFFER_CONST",
         "IB_BASE_HI",
         "its upper bits",
         "INDIRECT_BUFFER_CONST IB_BASE_LO = 0x300000, IB_BASE_HI = %, IB_SIZE = $\n",
         {{"0"}, {"1", "0x100300000"}},
         "NOP\n"},
        {"INDIRECT_BUFFER_CONST",
         "VMID",
         "whose address space",
         "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $, VMID = %\n",
         {{"0"}, {"5"}},
         "NOP\n",
         Sight::Requests},
        {"INDIRECT_BUFFER_CONST",
         "CHAIN",
         "not of this chip",
         "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $, CHAIN = %\n",
         {{"0"}, {"1", "CHAIN"}},
         "NOP\n"},
        {"INDIRECT_BUFFER_CONST",
         "IB_SIZE",
         "its dwords",
         "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = %\n",
         {{"3"}, {"8"}, {"0", "of 0 dwords"}, {"2", "cut off"}},
         "WRITE_CONST_RAM OFFSET = 0, DATA = 9\nDUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, "
         "ADDR = 0x200000\n"},
        row("WRITE_CONST_RAM", "OFFSET", "which dword of the RAM",
            "WRITE_CONST_RAM OFFSET = 0, DATA = [1, 2]\nWRITE_CONST_RAM OFFSET = %, DATA = 9\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 2, ADDR = 0x200000\n",
            {{"0"}, {"4"}, {"2", "2"}}),
        row("WRITE_CONST_RAM", "DATA", "what",
            "WRITE_CONST_RAM OFFSET = 0, DATA = %\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 2, ADDR = 0x200000\n",
            {{"9"}, {"0xffffffff"}, {"[9, 8]"}}),
        row("WRITE_CONST_RAM_OFFSET", "OFFSET", "which dword of the RAM",
            "WRITE_CONST_RAM OFFSET = 0, DATA = [1, 2]\n"
            "WRITE_CONST_RAM_OFFSET OFFSET = %, DATA = 9\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 2, ADDR = 0x200000\n",
            {{"0"}, {"4"}}),
        row("WRITE_CONST_RAM_OFFSET", "DATA", "what, from the ring's partition of the GDS on",
            "WRITE_CONST_RAM_OFFSET OFFSET = 0, DATA = %\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR = 0x200000\n",
            {{"9"}, {"0xffffffff"}}),
        row("DUMP_CONST_RAM", "OFFSET", "from where",
            "WRITE_CONST_RAM OFFSET = 0, DATA = [7, 8, 9]\n"
            "DUMP_CONST_RAM OFFSET = %, NUM_DW = 1, ADDR = 0x200000\n",
            {{"0"}, {"8"}, {"2", "2"}}),
        row("DUMP_CONST_RAM", "NUM_DW", "how many dwords",
            "WRITE_CONST_RAM OFFSET = 0, DATA = [7, 8, 9]\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = %, ADDR = 0x200000\n",
            {{"1"}, {"3"}}),
        row("DUMP_CONST_RAM", "ADDR_LO", "to where",
            "WRITE_CONST_RAM OFFSET = 0, DATA = [7, 8, 9]\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR_LO = %\n",
            {{"0x200000"}, {"0x200004"}, {"0x200002", "2"}}),
        row("DUMP_CONST_RAM", "ADDR_HI", "its upper bits",
            "WRITE_CONST_RAM OFFSET = 0, DATA = [7, 8, 9]\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR_LO = 0x200000, ADDR_HI = %\n",
            {{"0"}, {"1", "0x100200000"}}),
        row("LOAD_CONST_RAM", "ADDR_LO", "from where",
            "LOAD_CONST_RAM ADDR_LO = %, NUM_DW = 8, OFFSET = 0\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 8, ADDR = 0x201000\n",
            {{"0x200020"}, {"0x200040"}, {"0x200010", "10"}}),
        row("LOAD_CONST_RAM", "ADDR_HI", "its upper bits",
            "LOAD_CONST_RAM ADDR_LO = 0x200020, ADDR_HI = %, NUM_DW = 8, OFFSET = 0\n",
            {{"0"}, {"1", "0x1002000"}}),
        row("LOAD_CONST_RAM", "NUM_DW", "how many dwords",
            "LOAD_CONST_RAM ADDR = 0x200040, NUM_DW = %, OFFSET = 0\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 16, ADDR = 0x201000\n",
            {{"8"}, {"16"}, {"4", "4"}}),
        row("LOAD_CONST_RAM", "OFFSET", "to where",
            "LOAD_CONST_RAM ADDR = 0x200040, NUM_DW = 8, OFFSET = %\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 16, ADDR = 0x201000\n",
            {{"0"}, {"32"}, {"16", "10"}}),
        row("INCREMENT_CE_COUNTER", "DUMMY", "nothing", "INCREMENT_CE_COUNTER DUMMY = %\n",
            {{"0"}, {"0xffffffff"}}, Sight::Nothing),
        row("WAIT_ON_DE_COUNTER", "COUNTER_LO", "how far DE has to be",
            "SET_CE_DE_COUNTERS COUNTER = 5\nWAIT_ON_DE_COUNTER COUNTER_LO = %\n"
            "WRITE_CONST_RAM OFFSET = 0, DATA = 9\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR = 0x200000\n",
            {{"5"}, {"6"}}),
        row("WAIT_ON_DE_COUNTER", "COUNTER_HI", "its upper half",
            "SET_CE_DE_COUNTERS COUNTER = 5\nWAIT_ON_DE_COUNTER COUNTER_HI = %\n"
            "WRITE_CONST_RAM OFFSET = 0, DATA = 9\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR = 0x200000\n",
            {{"0"}, {"1"}}),
        row("WAIT_ON_DE_COUNTER_DIFF", "DIFF", "how far CE may be ahead",
            "SET_CE_DE_COUNTERS COUNTER = 5\nINCREMENT_CE_COUNTER\n"
            "WAIT_ON_DE_COUNTER_DIFF DIFF = %\nWRITE_CONST_RAM OFFSET = 0, DATA = 9\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR = 0x200000\n",
            {{"1"}, {"2"}}),
        row("SET_CE_DE_COUNTERS", "COUNTER_LO", "what both counters begin with",
            "SET_CE_DE_COUNTERS COUNTER_LO = %\nWAIT_ON_DE_COUNTER COUNTER = 6\n"
            "WRITE_CONST_RAM OFFSET = 0, DATA = 9\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR = 0x200000\n",
            {{"5"}, {"6"}}),
        row("SET_CE_DE_COUNTERS", "COUNTER_HI", "its upper half",
            "SET_CE_DE_COUNTERS COUNTER_HI = %\nWAIT_ON_DE_COUNTER COUNTER = 6\n"
            "WRITE_CONST_RAM OFFSET = 0, DATA = 9\n"
            "DUMP_CONST_RAM OFFSET = 0, NUM_DW = 1, ADDR = 0x200000\n",
            {{"0"}, {"1"}}),
    };
}

}  // namespace archipelago::cp::test
