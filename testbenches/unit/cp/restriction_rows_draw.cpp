// SPDX-License-Identifier: Apache-2.0
// Restrictions of 2.5 and 2.6: draws and dispatches.
#include "testbenches/unit/cp/restriction_test.h"

namespace archipelago::cp::test {

namespace {

#define ARGUMENTS "SET_BASE BASE_INDEX = DRAW_INDIRECT, ADDRESS = 0x200100\n"
#define BASE "INDEX_BASE INDEX_BASE = 0x204000\n"
#define SIZE "INDEX_BUFFER_SIZE INDEX_BUFFER_SIZE = 0x100\n"
#define VS0 "BASE_VTX_LOC = SPI_SHADER_USER_DATA_VS_0"
#define VS1 "START_INST_LOC = SPI_SHADER_USER_DATA_VS_1"
#define DRAW_AUTO "DRAW_INITIATOR = {SOURCE_SELECT: 2}\n"
#define DRAW_IMMEDIATE "DRAW_INITIATOR = {SOURCE_SELECT: 1}"
#define DISPATCH "DISPATCH_DIRECT [compute] DIM_X = 1, DIM_Y = 1, DIM_Z = 1, "

}  // namespace

std::vector<Restriction> draw_restrictions() {
    constexpr auto kStops = Breach::Stops;
    constexpr auto kDoes = Breach::Does;
    constexpr auto kIgnored = Breach::Ignored;
    return {
        {"2.5.1", "the index buffer is word aligned", kStops,
         "DRAW_INDEX_2 MAX_SIZE = 9, DW2 = %, INDEX_COUNT = 3, DRAW_INITIATOR = 0\n", "0x204001",
         "0x204002", "not aligned to 2 bytes"},
        {"2.5.1", "its indices are fetched", kStops,
         "DRAW_INDEX_2 MAX_SIZE = 9, INDEX_BASE = 0x204000, INDEX_COUNT = 3, DRAW_INITIATOR = %\n",
         "2", "0", "SOURCE_SELECT is 2"},
        {"2.5.2", "its indices are generated", kStops,
         "DRAW_INDEX_AUTO INDEX_COUNT = 3, DRAW_INITIATOR = %\n", "0", "2", "SOURCE_SELECT is 0"},
        {"2.5.3", "INDEX_COUNT is that of the 16-bit indices there are", kStops,
         "DRAW_INDEX_IMMD INDEX_COUNT = %, " DRAW_IMMEDIATE ", INDEX_DATA = [1, 2]\n", "5", "3",
         "5 indices of 16 bits in 2 dwords"},
        {"2.5.3", "INDEX_COUNT is that of the 32-bit indices there are", kStops,
         "INDEX_TYPE INDEX_TYPE = INDEX_32\nDRAW_INDEX_IMMD INDEX_COUNT = %, " DRAW_IMMEDIATE
         ", INDEX_DATA = [1, 2]\n",
         "3", "2", "3 indices of 32 bits in 2 dwords"},
        {"2.5.4", "bits 1:0 of DATA_OFFSET are zero", kStops,
         ARGUMENTS BASE SIZE "DRAW_INDEX_INDIRECT DATA_OFFSET = %, " VS0 ", " VS1
                             ", DRAW_INITIATOR = 0\n",
         "2", "4", "DATA_OFFSET 0x2 is not dword aligned"},
        {"2.5.4", "SET_BASE comes before it", kStops,
         "SET_BASE BASE_INDEX = %, ADDRESS = 0x200100\n" BASE SIZE "DRAW_INDEX_INDIRECT " VS0
         ", " VS1 ", DRAW_INITIATOR = 0\n",
         "DISPLAY_LIST", "DRAW_INDIRECT", "no SET_BASE"},
        {"2.5.4", "INDEX_BASE comes before it", kStops,
         ARGUMENTS SIZE "%\nDRAW_INDEX_INDIRECT " VS0 ", " VS1 ", DRAW_INITIATOR = 0\n", "TYPE2",
         "INDEX_BASE INDEX_BASE = 0x204000", "no INDEX_BASE packet before it"},
        {"2.5.4", "INDEX_BUFFER_SIZE comes before it", kStops,
         ARGUMENTS BASE "%\nDRAW_INDEX_INDIRECT " VS0 ", " VS1 ", DRAW_INITIATOR = 0\n", "TYPE2",
         "INDEX_BUFFER_SIZE INDEX_BUFFER_SIZE = 0x100", "no INDEX_BUFFER_SIZE packet before it"},
        {"2.5.4", "the location is user data of VS, LS or ES", kStops,
         ARGUMENTS BASE SIZE "DRAW_INDEX_INDIRECT BASE_VTX_LOC = %, " VS1 ", DRAW_INITIATOR = 0\n",
         "SPI_SHADER_USER_DATA_PS_0", "SPI_SHADER_USER_DATA_LS_0", "no user data of VS, ES or LS"},
        {"2.5.5", "PRIMCOUNT is that of the primitives there are", kStops,
         "DRAW_INDEX_MULTI_AUTO PRIMCOUNT = %, DRAW_INITIATOR = 2, INDEX_COUNT = 3\n", "2", "1",
         "PRIMCOUNT 2 with 1 dwords"},
        {"2.5.6", "INDEX_BASE comes before it", kStops,
         "%\nDRAW_INDEX_OFFSET_2 MAX_SIZE = 9, INDEX_COUNT = 3, DRAW_INITIATOR = 0\n", "TYPE2",
         "INDEX_BASE INDEX_BASE = 0x204000", "no INDEX_BASE packet before it"},
        {"2.5.6", "INDEX_TYPE comes before it: 16 bits are meant", kDoes,
         BASE "%\nDRAW_INDEX_OFFSET_2 MAX_SIZE = 9, INDEX_OFFSET = 8, INDEX_COUNT = 3, "
              "DRAW_INITIATOR = 0\n",
         "TYPE2", "INDEX_TYPE INDEX_TYPE = INDEX_32", "reg 287e8=204010"},
        {"2.5.7", "bits 1:0 of DATA_OFFSET are zero", kStops,
         ARGUMENTS "DRAW_INDIRECT DATA_OFFSET = %, " VS0 ", " VS1 ", " DRAW_AUTO, "1", "4",
         "DATA_OFFSET 0x1 is not dword aligned"},
        {"2.5.7", "SET_BASE comes before it", kStops,
         "SET_BASE BASE_INDEX = %, ADDRESS = 0x200100\nDRAW_INDIRECT " VS0 ", " VS1 ", " DRAW_AUTO,
         "DISPLAY_LIST", "DRAW_INDIRECT", "no SET_BASE"},
        {"2.5.7", "BASE_VTX_LOC is one of 16 user data", kStops,
         ARGUMENTS "DRAW_INDIRECT BASE_VTX_LOC = %, " VS1 ", " DRAW_AUTO, "0x5c",
         "SPI_SHADER_USER_DATA_VS_2", "BASE_VTX_LOC 0x5c is register 0xb170"},
        {"2.5.7", "START_INST_LOC follows BASE_VTX_LOC: any user data will do", kDoes,
         ARGUMENTS "DRAW_INDIRECT " VS0 ", START_INST_LOC = %, " DRAW_AUTO,
         "SPI_SHADER_USER_DATA_VS_4", "SPI_SHADER_USER_DATA_VS_1", "reg 0b140=43"},
        {"2.5.9", "the index buffer is word aligned", kStops, "INDEX_BASE DW1 = %\n", "0x204001",
         "0x204002", "not aligned to 2 bytes"},
        {"2.5.10", "it bounds what an indirect draw fetches", kDoes,
         ARGUMENTS BASE "INDEX_BUFFER_SIZE INDEX_BUFFER_SIZE = %\nDRAW_INDEX_INDIRECT " VS0 ", " VS1
                        ", DRAW_INITIATOR = 0\n",
         "1", "0x100", "reg 28a78=0"},
        {"2.5.11", "bits beside INDEX_TYPE and SWAP_MODE are nothing", kStops,
         "INDEX_TYPE DW1 = %\n", "2", "5", "reserved bits"},
        {"2.5.12", "the kernel gives a VMID", kIgnored,
         "INDIRECT_BUFFER IB_BASE = 0x300000, IB_SIZE = $, VMID = %\n", "0", "3", "[200000]=9 ",
         "MEM_WRITE ADDRESS = 0x200000, DATA32 = 1, DATA_LO = 9\n"},
        {"2.5.13", "NUM_INDICES is at least 3", kStops,
         "INDEX_TYPE INDEX_TYPE = INDEX_32\nMPEG_INDEX NUM_INDICES = %, " DRAW_IMMEDIATE
         ", INDEX = 8\n",
         "2", "3", "NUM_INDICES 0x2, of 0x3 to 0x3fff"},
        {"2.5.13", "NUM_INDICES is at most 0x3fff", kStops,
         "INDEX_TYPE INDEX_TYPE = INDEX_32\nMPEG_INDEX NUM_INDICES = %, " DRAW_IMMEDIATE
         ", INDEX = [8, 9]\n",
         "0x4000", "6", "NUM_INDICES 0x4000, of 0x3 to 0x3fff"},
        {"2.5.13", "there is one index for each three", kStops,
         "INDEX_TYPE INDEX_TYPE = INDEX_32\nMPEG_INDEX NUM_INDICES = %, " DRAW_IMMEDIATE
         ", INDEX = [8, 9, 10]\n",
         "6", "9", "6 with 3 first indices"},
        {"2.5.13", "indices have 32 bits", kStops,
         "INDEX_TYPE INDEX_TYPE = %\nMPEG_INDEX NUM_INDICES = 3, " DRAW_IMMEDIATE ", INDEX = 1\n",
         "INDEX_16", "INDEX_32", "needs indices of 32 bits"},
        {"2.5.14", "NUM_INSTANCES 0 is taken for 1", kIgnored, "NUM_INSTANCES NUM_INSTANCES = %\n",
         "0", "1", "=1 ring 0"},
        {"2.5.15", "it comes when SET_CE_DE_COUNTERS does, and only then", kDoes,
         "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $\nWAIT_ON_AVAIL_BUFFER\n", "TYPE2",
         "SET_CE_DE_COUNTERS", "waits: ", "NOP DATA = 0\n%\n"},
        {"2.5.16", "CE counter is greater than zero", kDoes,
         "INDIRECT_BUFFER_CONST IB_BASE = 0x300000, IB_SIZE = $\nWAIT_ON_CE_COUNTER\n",
         "NOP DATA = 0", "INCREMENT_CE_COUNTER", "WAIT_ON_CE_COUNTER", "%\n"},
        // ---- 2.6 ----
        {"2.6.1", "SHADER_TYPE of a dispatch is 1", kStops,
         "DISPATCH_DIRECT [%] DIM_X = 1, DIM_Y = 1, DIM_Z = 1, DISPATCH_INITIATOR = 1\n",
         "reserved=0", "compute", "SHADER_TYPE 0, but dispatches are of compute shaders"},
        {"2.6.2", "SHADER_TYPE of an indirect dispatch is 1", kStops,
         ARGUMENTS "DISPATCH_INDIRECT [%] DATA_OFFSET = 4, DISPATCH_INITIATOR = 1\n", "reserved=0",
         "compute", "SHADER_TYPE 0, but dispatches are of compute shaders"},
        {"2.6.2", "bits 1:0 of DATA_OFFSET are zero", kStops,
         ARGUMENTS "DISPATCH_INDIRECT [compute] DATA_OFFSET = %, DISPATCH_INITIATOR = 1\n", "2",
         "4", "DATA_OFFSET 0x2 is not dword aligned"},
    };
}

}  // namespace archipelago::cp::test
