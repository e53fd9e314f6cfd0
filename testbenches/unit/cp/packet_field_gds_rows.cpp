// SPDX-License-Identifier: Apache-2.0
// The global data share from CP: 2.8.2, 2.8.5, 2.9.1, 2.9.3 and DST_SEL, SRC_SEL 3. Dwords 0 to 7
// of GDS hold 0x10 to 0x17 at first.
#include "testbenches/unit/cp/packet_field_test.h"

namespace archipelago::cp::test {

namespace {

#define GDS "WRITE_GDS_RAM GDS_INDEX = 0, DATA = [16, 17, 18, 19, 20, 21, 22, 23]\n"
// What EVENT_WRITE_EOS has to follow.
#define WORK "DISPATCH_DIRECT [compute] DIM_X = 1, DIM_Y = 1, DIM_Z = 1, DISPATCH_INITIATOR = 1\n"
#define ATOM GDS "ATOMIC_GDS ATOM_SIZE = 0xfffc, "

}  // namespace

std::vector<FieldRow> gds_rows() {
    // DS_ADD_U32 is 0, its _RTN 32; DS_CMPST_RTN_B32 48; DS_WRITE2_B32 14; DS_ADD_RTN_U64 96.
    return {
        {"ALLOC_GDS",
         "SEGMENT_SIZE",
         "bytes of the ring's partition, an interrupt beyond",
         "SET_BASE BASE_INDEX = GDS_PARTITIONS, CS1_INDEX = 0x40, CS2_INDEX = 0x80\n"
         "ALLOC_GDS SEGMENT_SIZE = %\nSET_CONFIG_REG 0x9508 = 1\n",
         {{"0x40"}, {"0x44"}},
         "",
         Sight::Effects,
         0,
         true},
        {"WRITE_GDS_RAM",
         "GDS_INDEX",
         "where",
         "WRITE_GDS_RAM GDS_INDEX = %, DATA = 9\n",
         {{"0"}, {"4"}, {"2", "not dword aligned"}}},
        {"WRITE_GDS_RAM",
         "DATA",
         "what",
         "WRITE_GDS_RAM GDS_INDEX = 0, DATA = %\n",
         {{"9"}, {"[9, 8]"}}},
        {"ATOMIC_GDS",
         "ATOM_OP",
         "what is done",
         ATOM "ATOM_OP = %, ATOM_SRC0 = 0x100\n",
         {{"0"}, {"1"}, {"29", "ATOM_OP 29 is not"}, {"127", "ATOM_OP 127 is not"}}},
        {"ATOMIC_GDS",
         "ATOM_CMP_SWAP",
         "again until it passes",
         ATOM "ATOM_OP = 48, ATOM_CMP_SWAP = %, ATOM_READ = 1, ATOM_SRC0 = 99, ATOM_SRC1 = 1\n"
              "SET_CONFIG_REG 0x9508 = 1\n",
         {{"0"}, {"1"}, {"1, ATOM_RD_CNTL = 1", "ATOM_RD_CNTL 1"}}},
        {"ATOMIC_GDS",
         "ATOM_COMPLETE",
         "it is waited for",
         ATOM "ATOM_OP = 0, ATOM_COMPLETE = %, ATOM_SRC0 = 5\nSET_CONFIG_REG 0x9508 = 1\n",
         {{"0"}, {"1"}, {"1, ATOM_READ = 1", "both set"}},
         "",
         Sight::Effort},
        {"ATOMIC_GDS",
         "ATOM_READ",
         "what was there goes to registers",
         ATOM "ATOM_OP = 32, ATOM_READ = %, ATOM_SRC0 = 5\nCOPY_DATA SRC_SEL = GDS_ATOMIC_RETURN0, "
              "DST_SEL = MEMORY, DST_ADDR = 0x200000\n",
         {{"0"}, {"1"}}},
        {"ATOMIC_GDS",
         "ATOM_RD_CNTL",
         "how wide and how many",
         ATOM "ATOM_OP = 96, ATOM_READ = 1, ATOM_RD_CNTL = %, ATOM_SRC0 = 5\n"
              "COPY_DATA COUNT_SEL = 1, SRC_SEL = GDS_ATOMIC_RETURN0, DST_SEL = MEMORY, "
              "DST_ADDR = 0x200000\n",
         {{"0"}, {"2"}}},
        {"ATOMIC_GDS",
         "AUTO_INCREMENT",
         "GDS_ATOM_DST moves on, which every packet sets itself",
         ATOM "ATOM_OP = 0, AUTO_INCREMENT = %, ATOM_SRC0 = 0x100\n",
         {{"0"}, {"4"}},
         "",
         Sight::Nothing},
        {"ATOMIC_GDS",
         "DMODE",
         "denormals of DS_MIN_F32 (18): 0x16 and 0x10 are some",
         ATOM "ATOM_OP = 18, DMODE = %, ATOM_SRC0 = 1\n",
         {{"0"}, {"1"}}},
        {"ATOMIC_GDS",
         "ATOM_BASE",
         "from where addresses count",
         ATOM "ATOM_OP = 0, ATOM_BASE = %, ATOM_SRC0 = 0x100\n",
         {{"0"}, {"4"}}},
        {"ATOMIC_GDS",
         "ATOM_SIZE",
         "beyond it nothing is done",
         GDS "ATOMIC_GDS ATOM_OP = 0, ATOM_SIZE = %, ATOM_OFFSET0 = 8, ATOM_SRC0 = 0x100\n",
         {{"4"}, {"0x100"}}},
        {"ATOMIC_GDS",
         "ATOM_OFFSET0",
         "added to the address",
         ATOM "ATOM_OP = 0, ATOM_OFFSET0 = %, ATOM_SRC0 = 0x100\n",
         {{"0"}, {"4"}}},
        {"ATOMIC_GDS",
         "ATOM_OFFSET1",
         "added to the second address",
         ATOM "ATOM_OP = 14, ATOM_OFFSET1 = %, ATOM_SRC0 = 1, ATOM_SRC1 = 2\n",
         {{"1"}, {"2"}}},
        {"ATOMIC_GDS",
         "ATOM_DST",
         "the address",
         ATOM "ATOM_OP = 0, ATOM_DST = %, ATOM_SRC0 = 0x100\n",
         {{"0"}, {"4"}}},
        {"ATOMIC_GDS",
         "ATOM_SRC0",
         "the operand",
         ATOM "ATOM_OP = 0, ATOM_SRC0 = %\n",
         {{"1"}, {"2"}}},
        {"ATOMIC_GDS",
         "ATOM_SRC0_U",
         "its upper half",
         ATOM "ATOM_OP = 64, ATOM_SRC0_U = %\n",
         {{"1"}, {"2"}}},
        {"ATOMIC_GDS",
         "ATOM_SRC1",
         "the second operand",
         ATOM "ATOM_OP = 48, ATOM_SRC0 = 16, ATOM_SRC1 = %\n",
         {{"1"}, {"2"}}},
        {"ATOMIC_GDS",
         "ATOM_SRC1_U",
         "its upper half",
         ATOM "ATOM_OP = 112, ATOM_SRC0 = 16, ATOM_SRC0_U = 17, ATOM_SRC1_U = %\n",
         {{"1"}, {"2"}}},
        {"WRITE_DATA",
         "DST_GDS",
         "where in the partition",
         "WRITE_DATA DST_SEL = GDS, DST_GDS = %, DATA = 9\n",
         {{"0"}, {"4"}, {"2", "not dword aligned"}}},
        {"COPY_DATA",
         "SRC_GDS",
         "where in the partition",
         GDS "COPY_DATA SRC_SEL = GDS, DST_SEL = MEMORY, SRC_GDS = %, DST_ADDR = 0x200000\n",
         {{"0"}, {"4"}, {"2", "not dword aligned"}}},
        {"COPY_DATA",
         "DST_GDS",
         "where in the partition",
         "COPY_DATA SRC_SEL = IMMEDIATE, DST_SEL = GDS, DATA = 9, DST_GDS = %\n",
         {{"0"}, {"4"}, {"2", "not dword aligned"}}},
        {"EVENT_WRITE_EOS",
         "EVENT_INDEX",
         "6, nothing else",
         WORK
         "EVENT_WRITE_EOS [compute] EVENT_INDEX = %, EVENT_TYPE = CS_DONE, ADDRESS = 0x200000, "
         "CMD = FENCE, DATA = 9\n",
         {{"6"}, {"5", "must be 6"}},
         "",
         Sight::Nothing},
        {"EVENT_WRITE_EOS",
         "EVENT_TYPE",
         "the end of which shader",
         WORK "EVENT_WRITE_EOS [compute] EVENT_INDEX = 6, EVENT_TYPE = %, ADDRESS = 0x200000, CMD "
              "= FENCE, "
              "DATA = 9\n",
         {{"CS_DONE"}, {"PS_DONE", "PS_DONE"}, {"CACHE_FLUSH_TS", "not an end-of-shader event"}}},
        {"EVENT_WRITE_EOS",
         "ADDRESS_LO",
         "where",
         WORK "EVENT_WRITE_EOS [compute] EVENT_INDEX = 6, EVENT_TYPE = CS_DONE, ADDRESS_LO = %, "
              "CMD = FENCE, "
              "DATA = 0x99\n",
         {{"0x200000"}, {"0x200004"}, {"0x200002", "not dword aligned"}}},
        {"EVENT_WRITE_EOS",
         "ADDRESS_HI",
         "its upper bits",
         WORK
         "EVENT_WRITE_EOS [compute] EVENT_INDEX = 6, EVENT_TYPE = CS_DONE, ADDRESS_LO = 0x200000, "
         "ADDRESS_HI = %, CMD = FENCE, DATA = 9\n",
         {{"0"}, {"1", "0x100200000"}}},
        {"EVENT_WRITE_EOS",
         "CMD",
         "a fence or what is in GDS",
         GDS WORK "EVENT_WRITE_EOS [compute, count=4] EVENT_INDEX = 6, EVENT_TYPE = CS_DONE, "
                  "ADDRESS = 0x200000, "
                  "CMD = %, DW4 = 0x20004\n",
         {{"STORE_GDS"}, {"FENCE"}, {"0", "reserved CMD 0"}, {"3", "reserved CMD 3"}}},
        {"EVENT_WRITE_EOS",
         "DATA",
         "the fence",
         WORK "EVENT_WRITE_EOS [compute] EVENT_INDEX = 6, EVENT_TYPE = CS_DONE, ADDRESS = "
              "0x200000, CMD = FENCE, "
              "DATA = %\n",
         {{"9"}, {"0xffffffff"}}},
        {"EVENT_WRITE_EOS",
         "SIZE",
         "how many dwords of GDS",
         GDS WORK
         "EVENT_WRITE_EOS [compute] EVENT_INDEX = 6, EVENT_TYPE = CS_DONE, ADDRESS = 0x200000, "
         "CMD = STORE_GDS, SIZE = %\n",
         {{"1"}, {"4"}, {"0", "SIZE 0"}}},
        {"EVENT_WRITE_EOS",
         "GDS_INDEX",
         "from which dword of the partition",
         GDS WORK
         "EVENT_WRITE_EOS [compute] EVENT_INDEX = 6, EVENT_TYPE = CS_DONE, ADDRESS = 0x200000, "
         "CMD = STORE_GDS, SIZE = 1, GDS_INDEX = %\n",
         {{"0"}, {"1"}, {"2"}, {"0x4000", "GDS offset 0x10000 and 4 bytes reach beyond"}}},
    };
}

}  // namespace archipelago::cp::test
