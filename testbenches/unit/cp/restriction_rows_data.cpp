// SPDX-License-Identifier: Apache-2.0
// Restrictions of 2.9: moving data.
#include "testbenches/unit/cp/restriction_test.h"

namespace archipelago::cp::test {

namespace {

#define CONSTANTS "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $\n"
#define PARTITIONS "SET_BASE BASE_INDEX = GDS_PARTITIONS, CS1_INDEX = 0x100, CS2_INDEX = 0x200\n"
#define COPY "COPY_DATA [count=5] "

}  // namespace

std::vector<Restriction> data_restrictions() {
    constexpr auto kStops = Breach::Stops;
    constexpr auto kDoes = Breach::Does;
    constexpr auto kIgnored = Breach::Ignored;
    return {
        {"2.9.1", "the segment fits into the partition", kDoes,
         "ONE_REG_WRITE REG_OFFSET = CP_INT_CNTL_RING0, DATA = -1\n" PARTITIONS
         "ALLOC_GDS SEGMENT_SIZE = %\n",
         "0x101", "0x100", "interrupt 176 ring 0"},
        // ---- 2.9.2 ----
        {"2.9.2", "PFP is not supported", kStops,
         COPY "ENGINE_SEL = %, SRC_SEL = 5, DST_SEL = 5, DW2 = 9, DW4 = 0x200000\n", "PFP", "ME",
         "ENGINE_SEL 1, only ME and CE copy"},
        {"2.9.2", "ENGINE_SEL 3 is reserved", kStops,
         COPY "ENGINE_SEL = %, SRC_SEL = 5, DST_SEL = 5, DW2 = 9, DW4 = 0x200000\n", "3", "ME",
         "ENGINE_SEL 3, only ME and CE copy"},
        {"2.9.2", "ENGINE_SEL CE is for constant buffers", kStops,
         COPY "ENGINE_SEL = %, SRC_SEL = 5, DST_SEL = 1, DW2 = 9, DW4 = 0x200000\n", "CE", "ME",
         "ENGINE_SEL CE belongs into a buffer of INDIRECT_BUFFER_CONST"},
        {"2.9.2", "DEST_SEL 4 is reserved", kStops,
         COPY "SRC_SEL = 5, DST_SEL = %, DW4 = 0x200000\n", "4", "5", "reserved DST_SEL 4"},
        {"2.9.2", "DEST_SEL is at most 5", kStops,
         COPY "SRC_SEL = 5, DST_SEL = %, DW4 = 0x200000\n", "6", "5", "reserved DST_SEL 6"},
        {"2.9.2", "SRC_SEL 4 is reserved", kStops,
         COPY "SRC_SEL = %, DST_SEL = 5, DW2 = 0x200010, DW4 = 0x200000\n", "4", "1",
         "reserved SRC_SEL 4"},
        {"2.9.2", "SRC_SEL is at most 8; drivers have 9 for the clock", kStops,
         COPY "SRC_SEL = %, DST_SEL = 5, DW2 = 0x200010, DW4 = 0x200000\n", "10", "9",
         "reserved SRC_SEL 10"},
        {"2.9.2", "a source of 32 bits is dword aligned", kStops,
         COPY "SRC_SEL = 1, DST_SEL = 5, DW2 = %, DW4 = 0x200000\n", "0x200012", "0x200014",
         "not dword aligned"},
        {"2.9.2", "a source of 64 bits is qword aligned", kStops,
         COPY "COUNT_SEL = 1, SRC_SEL = 2, DST_SEL = 5, DW2 = %, DW4 = 0x200000\n", "0x200014",
         "0x200018", "not qword aligned"},
        {"2.9.2", "a destination of 32 bits is dword aligned", kStops,
         COPY "SRC_SEL = 5, DST_SEL = 1, DW2 = 9, DW4 = %\n", "0x200001", "0x200004",
         "not dword aligned"},
        {"2.9.2", "a destination of 64 bits is qword aligned", kStops,
         COPY "COUNT_SEL = 1, SRC_SEL = 5, DST_SEL = 2, DW2 = 9, DW4 = %\n", "0x200004", "0x200008",
         "not qword aligned"},
        {"2.9.2", "a register of 64 bits has a register behind it", kStops,
         COPY "COUNT_SEL = %, SRC_SEL = 5, DST_SEL = 0, DW2 = 9, DW4 = 0xffff\n", "1", "0",
         "beyond the register space"},
        {"2.9.2", "the GDS source lies in the partition", kStops,
         PARTITIONS COPY "SRC_SEL = 3, DST_SEL = 5, DW2 = %, DW4 = 0x200000\n", "0x100", "0xfc",
         "beyond the ring's partition"},
        {"2.9.2", "the GDS destination lies in the partition", kStops,
         PARTITIONS COPY "SRC_SEL = 5, DST_SEL = 3, DW2 = 9, DW4 = %\n", "0x100", "0xfc",
         "beyond the ring's partition"},
        {"2.9.2", "the upper half of immediate data is 0 for 32 bits", kIgnored,
         COPY "SRC_SEL = 5, DST_SEL = 5, DW2 = 9, DW3 = %, DW4 = 0x200000\n", "5", "0",
         "[200000]=9 "},
        {"2.9.2", "in constant buffers ENGINE_SEL is CE", kStops, CONSTANTS, "ME", "CE",
         "in a constant buffer, must be CE",
         COPY "ENGINE_SEL = %, SRC_SEL = 5, DST_SEL = 2, DW2 = 9, DW4 = 0x200000\n"},
        {"2.9.2", "CE does not reach GDS", kStops, CONSTANTS, "3", "2",
         "DST_SEL 3 is not for the constant engine",
         COPY "ENGINE_SEL = CE, SRC_SEL = 5, DST_SEL = %, DW2 = 9, DW4 = 0x200000\n"},
        {"2.9.2", "CE does not write memory directly", kStops, CONSTANTS, "5", "1",
         "DST_SEL 5 is not for the constant engine",
         COPY "ENGINE_SEL = CE, SRC_SEL = 5, DST_SEL = %, DW2 = 9, DW4 = 0x200000\n"},
        {"2.9.2", "CE gets no confirmation of DST_SEL 1", kStops, CONSTANTS, "1", "0",
         "WR_CONFIRM does not go with DST_SEL 1",
         COPY "ENGINE_SEL = CE, WR_CONFIRM = %, SRC_SEL = 5, DST_SEL = 1, DW2 = 9, "
              "DW4 = 0x200000\n"},
        {"2.9.2", "CE has no GDS and no atomic data to copy", kStops, CONSTANTS, "6", "5",
         "SRC_SEL 6 is not for the constant engine",
         COPY "ENGINE_SEL = CE, SRC_SEL = %, DST_SEL = 2, DW2 = 9, DW4 = 0x200000\n"},
        // ---- 2.9.3 ----
        {"2.9.3", "the data lie in the ring's partition", kStops,
         PARTITIONS "WRITE_GDS_RAM GDS_INDEX = %, DATA = [1, 2]\n", "0xfc", "0xf8",
         "beyond the ring's partition"},
        {"2.9.3", "GDS_INDEX is that of a dword", kStops, "WRITE_GDS_RAM GDS_INDEX = %, DATA = 1\n",
         "2", "4", "not dword aligned"},
        // ---- 2.9.4 ----
        {"2.9.4", "ENGINE_SEL CE is for constant buffers", kStops,
         "WRITE_DATA ENGINE_SEL = %, DST_SEL = 1, DST_ADDR = 0x200000, DATA = 9\n", "CE", "ME",
         "ENGINE_SEL CE belongs into a buffer of INDIRECT_BUFFER_CONST"},
        {"2.9.4", "PFP writes registers and memory (sync): not L2", kStops,
         "WRITE_DATA ENGINE_SEL = PFP, DST_SEL = %, DST_ADDR = 0x200000, DATA = 9\n", "2", "1",
         "not DST_SEL 2"},
        {"2.9.4", "PFP writes registers and memory (sync): not GDS", kStops,
         "WRITE_DATA [count=4] ENGINE_SEL = PFP, DST_SEL = %, DW2 = 0x2544, DW4 = 9\n", "3", "0",
         "not DST_SEL 3"},
        {"2.9.4", "PFP writes registers and memory (sync): not async", kIgnored,
         "WRITE_DATA ENGINE_SEL = PFP, DST_SEL = %, DST_ADDR = 0x200000, DATA = 9\n", "5", "1",
         "[200000]=9 "},
        {"2.9.4", "DST_SEL 4 is reserved", kStops,
         "WRITE_DATA [count=4] DST_SEL = %, DW2 = 0x200000, DW4 = 9\n", "4", "5",
         "reserved DST_SEL 4"},
        {"2.9.4", "DST_SEL is at most 5", kStops,
         "WRITE_DATA [count=4] DST_SEL = %, DW2 = 0x200000, DW4 = 9\n", "9", "5",
         "reserved DST_SEL 9"},
        {"2.9.4", "an address in memory is dword aligned", kStops,
         "WRITE_DATA DST_SEL = 5, DW2 = %, DATA = 9\n", "0x200002", "0x200004",
         "not dword aligned"},
        {"2.9.4", "an address in L2 is dword aligned", kStops,
         "WRITE_DATA DST_SEL = 2, DW2 = %, DATA = 9\n", "0x200003", "0x200008",
         "not dword aligned"},
        {"2.9.4", "registers end at 64K dwords", kStops,
         "WRITE_DATA [count=5] DST_SEL = 0, DW2 = %, DW4 = 9, DW5 = 9\n", "0xffff", "0x2542",
         "beyond the register space"},
        {"2.9.4", "a GDS offset lies in the partition", kStops,
         PARTITIONS "WRITE_DATA [count=5] DST_SEL = 3, DW2 = %, DW4 = 9, DW5 = 9\n", "0xfc", "0xf8",
         "beyond the ring's partition"},
        {"2.9.4", "in constant buffers ENGINE_SEL is CE", kStops, CONSTANTS, "0", "2",
         "in a constant buffer, must be CE",
         "WRITE_DATA ENGINE_SEL = %, DST_SEL = 1, DST_ADDR = 0x200000, DATA = 9\n"},
        {"2.9.4", "CE writes registers and memory: not L2", kStops, CONSTANTS, "2", "5",
         "DST_SEL 2 is not for the constant engine",
         "WRITE_DATA ENGINE_SEL = CE, DST_SEL = %, DST_ADDR = 0x200000, DATA = 9\n"},
        {"2.9.4", "CE writes registers and memory: not GDS", kStops, CONSTANTS, "3", "0",
         "DST_SEL 3 is not for the constant engine",
         "WRITE_DATA [count=4] ENGINE_SEL = CE, DST_SEL = %, DW2 = 0x2544, DW4 = 9\n"},
        {"2.9.5", "a NOP may hold anything", kIgnored,
         "NOP DATA = [%, 0x40000000]\nONE_REG_WRITE REG_OFFSET = 0x2542, DATA = 7\n", "0xc0009900",
         "0", "reg 09508=7"},
    };
}

}  // namespace archipelago::cp::test
