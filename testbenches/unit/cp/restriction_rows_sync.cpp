// SPDX-License-Identifier: Apache-2.0
// Restrictions of 2.7 and 2.8: predication and synchronisation.
#include "testbenches/unit/cp/restriction_test.h"

namespace archipelago::cp::test {

namespace {

// Pairs of counters at 0x208000 and on, all there and 0.
#define PAIR "0, 0x80000000, 0, 0x80000000, "
#define COUNTERS                                                                                \
    "WRITE_DATA DST_SEL = MEMORY, WR_CONFIRM = 1, DST_ADDR = 0x208000, DATA = [" PAIR PAIR PAIR \
        PAIR PAIR PAIR PAIR PAIR "0]\nPFP_SYNC_ME\n"
#define MARK "ONE_REG_WRITE REG_OFFSET = 0x2542, DATA = 7\n"
#define MARKED "reg 09508=7"
#define DISPATCH \
    "DISPATCH_DIRECT [compute] DIM_X = 1, DIM_Y = 1, DIM_Z = 1, DISPATCH_INITIATOR = 1\n"
#define DRAW "DRAW_INDEX_AUTO INDEX_COUNT = 3, DRAW_INITIATOR = 2\n"
#define EOS_CS "EVENT_WRITE_EOS [compute] EVENT_INDEX = 6, EVENT_TYPE = CS_DONE, "
#define ATOMIC32 "ATOMIC OP = 0xf, ADDR_LO = 0x200010, SRC_DATA_LO = 1, "
#define CAS "ATOMIC OP = 0x8, ADDR_LO = 0x200010, SRC_DATA_LO = 9, "

}  // namespace

std::vector<Restriction> sync_restrictions() {
    constexpr auto kStops = Breach::Stops;
    constexpr auto kDoes = Breach::Does;
    constexpr auto kIgnored = Breach::Ignored;
    return {
        {"2.7.1", "EXEC_COUNT is that of whole packets", kStops,
         "COND_EXEC BOOL_ADDR = 0x200000, EXEC_COUNT = %\n" MARK, "2", "3",
         "EXEC_COUNT ends inside packet ONE_REG_WRITE"},
        {"2.7.1", "EXEC_COUNT is that of packets there are", kDoes,
         "COND_EXEC BOOL_ADDR = 0x200000, EXEC_COUNT = %\n" MARK, "200", "3",
         "PFP waits for dwords beyond the write pointer at ring gfx dword 0"},
        {"2.7.1", "what follows EXEC_COUNT dwords is a packet", kStops,
         "COND_EXEC BOOL_ADDR = 0x200000, EXEC_COUNT = %\n.word 0x80000000\n.word "
         "0x40000000\n" MARK,
         "1", "5", "type-1 packet header"},
        {"2.7.1", "COMMAND 1 to 15 is reserved", kStops,
         "COND_EXEC BOOL_ADDR = 0x200000, COMMAND = %, EXEC_COUNT = 0\n", "15", "0",
         "reserved COMMAND 15"},
        {"2.7.1", "the Boolean is dword aligned", kStops, "COND_EXEC DW1 = %, EXEC_COUNT = 0\n",
         "0x200002", "0x200004", "not dword aligned"},
        {"2.7.1", "the Boolean is 0 or 1: others continue", kIgnored,
         "COND_EXEC BOOL_ADDR = %, EXEC_COUNT = 3\n" MARK, "0x200008", "0x200004", MARKED},
        {"2.7.2", "FUNCTION 7 is reserved", kStops,
         "COND_WRITE WRITE_SPACE = MEMORY, POLL_SPACE = MEMORY, FUNCTION = %, "
         "POLL_ADDRESS = 0x200010, WRITE_ADDRESS = 0x200000\n",
         "7", "0", "reserved FUNCTION 7"},
        {"2.7.2", "bits 31:9, 7:5 and 3 of the control are reserved", kIgnored,
         "COND_WRITE [count=8] DW1 = %, DW2 = 0x200010, DW6 = 0x200000, WRITE_DATA = 9\n",
         "0xfffffff8", "0x110", "[200000]=9 "},
        {"2.7.2", "the swap of what is polled is 0 to 2", kStops,
         "COND_WRITE POLL_SPACE = MEMORY, WRITE_SPACE = MEMORY, POLL_ADDRESS = 0x200010, "
         "POLL_SWAP = %, WRITE_ADDRESS = 0x200000\n",
         "3", "2", "reserved swap code 3"},
        {"2.7.2", "the swap of what is written is 0 to 2", kStops,
         "COND_WRITE POLL_SPACE = MEMORY, WRITE_SPACE = MEMORY, POLL_ADDRESS = 0x200010, "
         "WRITE_SWAP = %, WRITE_ADDRESS = 0x200000\n",
         "3", "2", "reserved swap code 3"},
        {"2.7.3", "exec_count is that of whole packets", kStops,
         "PRED_EXEC DEVICE_SELECT = 1, EXEC_COUNT = %\n" MARK, "1", "3",
         "EXEC_COUNT ends inside packet ONE_REG_WRITE"},
        {"2.7.3", "exec_count is that of packets there are", kDoes,
         "PRED_EXEC DEVICE_SELECT = 1, EXEC_COUNT = %\n" MARK, "100", "3",
         "PFP waits for dwords beyond the write pointer at ring gfx dword 0"},
        {"2.7.4", "predOp 3 is reserved", kStops,
         COUNTERS "SET_PREDICATION START_ADDR = 0x208000, PRED_OP = %\n", "3", "1",
         "reserved PRED_OP 3"},
        {"2.7.4", "predOp 4 to 7 is reserved", kStops,
         COUNTERS "SET_PREDICATION START_ADDR = 0x208000, PRED_OP = %\n", "6", "2",
         "reserved PRED_OP 6"},
        {"2.7.4", "the counters are 16 byte aligned", kStops,
         COUNTERS "SET_PREDICATION PRED_OP = ZPASS, DW1 = %\n", "0x208008", "0x208000",
         "not a multiple of 16"},
        {"2.7.4", "hint is valid for Zpass only", kIgnored,
         COUNTERS "SET_PREDICATION PRED_OP = PRIMCOUNT, START_ADDR = 0x208000, HINT = %\n" MARK,
         "1", "0", MARKED},
        {"2.7.4", "continue goes on with the packet before", kStops,
         COUNTERS "SET_PREDICATION PRED_OP = %, START_ADDR = 0x208000\n"
                  "SET_PREDICATION PRED_OP = ZPASS, START_ADDR = 0x208000, CONTINUE = 1\n",
         "PRIMCOUNT", "ZPASS", "CONTINUE, but no SET_PREDICATION of PRED_OP 1"},
        // ---- 2.8.1 ----
        {"2.8.1", "OP is a TC_OP_ATOMIC", kStops, "ATOMIC OP = %, ADDR_LO = 0x200010\n", "0x1f",
         "0xf", "OP 0x1f is not an atomic"},
        {"2.8.1", "OP returns the value before", kStops, "ATOMIC OP = %, ADDR_LO = 0x200010\n",
         "0x4f", "0x0f", "OP 0x4f returns no value"},
        {"2.8.1", "CMD 2 to 15 is reserved", kStops, CAS "CMP_DATA_LO = 4, CMD = %\n", "2", "1",
         "reserved CMD 2"},
        {"2.8.1", "only CMPSWP loops", kStops,
         "ATOMIC OP = %, CMD = LOOP, ADDR_LO = 0x200010, "
         "CMP_DATA_LO = 4\n",
         "0xf", "0x8", "OP 0xf does not loop"},
        {"2.8.1", "bits 1:0 of the address of 32 bits are zero", kStops,
         "ATOMIC OP = 0xf, DW2 = %\n", "0x200002", "0x200004", "not dword aligned"},
        {"2.8.1", "bits 2:0 of the address of 64 bits are zero", kStops,
         "ATOMIC OP = 0x2f, DW2 = %\n", "0x200004", "0x200008", "not qword aligned"},
        {"2.8.1", "CMP_DATA is zero but for CMPSWP", kIgnored, ATOMIC32 "CMP_DATA_LO = %\n", "5",
         "0", "[200010]=5 "},
        {"2.8.1", "CMP_DATA is n/a for a single CMPSWP: it counts", kDoes, CAS "CMP_DATA_LO = %\n",
         "4", "0", "[200010]=9 "},
        {"2.8.1", "LOOP_INTERVAL is n/a without a loop", kIgnored,
         ATOMIC32 "LOOP_INTERVAL = %\n" MARK, "0x1fff", "0", MARKED},
        {"2.8.1", "bits 7 and 31:12 are reserved", kIgnored,
         "ATOMIC DW1 = %, ADDR_LO = 0x200010, "
         "SRC_DATA_LO = 1\n",
         "0xfffff08f", "0xf", "[200010]=5 "},
        // ---- 2.8.2 ----
        {"2.8.2", "ATOM_OP is a supported opcode", kStops,
         "ATOMIC_GDS ATOM_OP = %, ATOM_SIZE = 64\n", "29", "0", "ATOM_OP 29"},
        {"2.8.2", "ATOM_READ is for what returns a value", kStops,
         "ATOMIC_GDS ATOM_OP = %, ATOM_READ = 1, ATOM_SIZE = 64\n", "0", "32", "returns nothing"},
        {"2.8.2", "ATOM_CMP_SWAP is for compare-and-swaps", kStops,
         "ATOMIC_GDS ATOM_OP = %, ATOM_CMP_SWAP = 1, ATOM_READ = 1, ATOM_SIZE = 64\n", "32", "48",
         "not a compare-and-swap"},
        {"2.8.2", "ATOM_CMP_SWAP needs ATOM_READ", kStops,
         "ATOMIC_GDS ATOM_OP = 48, ATOM_CMP_SWAP = 1, ATOM_READ = %, ATOM_SIZE = 64\n", "0", "1",
         "ATOM_CMP_SWAP without ATOM_READ"},
        {"2.8.2", "ATOM_CMP_SWAP reads one value", kStops,
         "ATOMIC_GDS ATOM_OP = 48, ATOM_CMP_SWAP = 1, ATOM_READ = 1, ATOM_RD_CNTL = %, "
         "ATOM_SIZE = 64\n",
         "1", "0", "ATOM_CMP_SWAP with ATOM_RD_CNTL 1"},
        {"2.8.2", "ATOM_COMPLETE and ATOM_READ are never both set", kStops,
         "ATOMIC_GDS ATOM_OP = 32, ATOM_COMPLETE = 1, ATOM_READ = %, ATOM_SIZE = 64\n", "1", "0",
         "are both set"},
        {"2.8.2", "bits 7:6 of ATOM_CNTL are reserved", kStops,
         "ATOMIC_GDS ATOM_OP = 0, DW2 = %, ATOM_SIZE = 64\n", "0x40", "0x4",
         "reserved bits of ATOM_CNTL"},
        {"2.8.2", "the base lies in the ring's partition", kStops,
         "SET_BASE BASE_INDEX = GDS_PARTITIONS, CS1_INDEX = 0x100, CS2_INDEX = 0x200\n"
         "ATOMIC_GDS ATOM_OP = 0, ATOM_BASE = %, ATOM_SIZE = 64\n",
         "0x104", "0x40", "beyond the ring's partition"},
        // ---- 2.8.3 ----
        {"2.8.3", "a sample event has four dwords", kStops, "%\n", ".word 0xc0004600\n.word 0x21e",
         "EVENT_WRITE [count=3] EVENT_INDEX = 2, EVENT_TYPE = SAMPLE_PIPELINESTAT, DW2 = 0x200000",
         "has 1 body dwords, must have 3"},
        {"2.8.3", "other events have two dwords", kStops,
         "EVENT_WRITE [count=%] EVENT_INDEX = 4, EVENT_TYPE = PS_PARTIAL_FLUSH\n"
         ".word 0x80000000\n.word 0x80000000\n",
         "3", "1", "has 3 body dwords, must have 1"},
        {"2.8.3", "EVENT_INDEX 5 is for EVENT_WRITE_EOP", kStops,
         "EVENT_WRITE EVENT_INDEX = %, EVENT_TYPE = PS_PARTIAL_FLUSH\n", "5", "4",
         "EVENT_INDEX 5 is not one of EVENT_WRITE"},
        {"2.8.3", "EVENT_INDEX 6 is for EVENT_WRITE_EOS", kStops,
         "EVENT_WRITE EVENT_INDEX = %, EVENT_TYPE = PS_PARTIAL_FLUSH\n", "6", "0",
         "EVENT_INDEX 6 is not one of EVENT_WRITE"},
        {"2.8.3", "EVENT_INDEX 8 to 15 is reserved", kStops,
         "EVENT_WRITE EVENT_INDEX = %, EVENT_TYPE = CACHE_FLUSH\n", "8", "7",
         "EVENT_INDEX 8 is not one of EVENT_WRITE"},
        {"2.8.3", "EVENT_INDEX goes with the event", kStops,
         "EVENT_WRITE EVENT_INDEX = %, EVENT_TYPE = CACHE_FLUSH\n", "4", "0",
         "EVENT_INDEX 4 does not go with CACHE_FLUSH"},
        {"2.8.3", "time stamps are for EVENT_WRITE_EOP", kStops, "EVENT_WRITE EVENT_TYPE = %\n",
         "CACHE_FLUSH_TS", "VGT_FLUSH", "is for EVENT_WRITE_EOP or EVENT_WRITE_EOS"},
        {"2.8.3", "ends of shaders are for EVENT_WRITE_EOS", kStops, "EVENT_WRITE EVENT_TYPE = %\n",
         "PS_DONE", "VGT_FLUSH", "is for EVENT_WRITE_EOP or EVENT_WRITE_EOS"},
        {"2.8.3", "EVENT_TYPE is an event", kStops, "EVENT_WRITE EVENT_TYPE = %\n", "63",
         "VGT_FLUSH", "reserved EVENT_TYPE 63"},
        {"2.8.3", "INV_L2 is for EVENT_INDEX 7", kIgnored,
         "EVENT_WRITE EVENT_INDEX = 0, EVENT_TYPE = CACHE_FLUSH, INV_L2 = %\n", "1", "0",
         "event 6 ring 0"},
        {"2.8.3", "bits 2:0 of the address are zero", kStops,
         "EVENT_WRITE [count=3] EVENT_INDEX = 3, EVENT_TYPE = SAMPLE_STREAMOUTSTATS, DW2 = %\n",
         "0x200004", "0x200008", "not qword aligned"},
        // ---- 2.8.4 ----
        {"2.8.4", "EVENT_INDEX 0 to 4 is for EVENT_WRITE", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = %, EVENT_TYPE = CACHE_FLUSH_TS\n", "4", "5",
         "EVENT_INDEX 4, must be 5"},
        {"2.8.4", "EVENT_INDEX 6 is for EVENT_WRITE_EOS", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = %, EVENT_TYPE = BOTTOM_OF_PIPE_TS\n", "6", "5",
         "EVENT_INDEX 6, must be 5"},
        {"2.8.4", "EVENT_INDEX 7 is for EVENT_WRITE", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = %, EVENT_TYPE = CACHE_FLUSH_TS\n", "7", "5",
         "EVENT_INDEX 7, must be 5"},
        {"2.8.4", "EVENT_INDEX 8 to 15 is reserved", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = %, EVENT_TYPE = CACHE_FLUSH_TS\n", "13", "5",
         "EVENT_INDEX 13, must be 5"},
        {"2.8.4", "the event is one of the end of the pipe", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = 5, EVENT_TYPE = %\n", "CACHE_FLUSH", "CACHE_FLUSH_TS",
         "is not an end-of-pipe event"},
        {"2.8.4", "bits 1:0 of the address of 32 bits are zero", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = 5, EVENT_TYPE = CACHE_FLUSH_TS, DATA_SEL = 1, DW2 = %\n",
         "0x200001", "0x200004", "not dword aligned"},
        {"2.8.4", "bits 2:0 of the address of 64 bits are zero", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = 5, EVENT_TYPE = CACHE_FLUSH_TS, DATA_SEL = 2, DW2 = %\n",
         "0x200004", "0x200008", "not qword aligned"},
        {"2.8.4", "without data the address is no matter", kIgnored,
         "EVENT_WRITE_EOP EVENT_INDEX = 5, EVENT_TYPE = CACHE_FLUSH_TS, DATA_SEL = 0, DW2 = %\n",
         "0x200003", "0x200000", "event 4 ring 0"},
        {"2.8.4", "DATA_SEL 5 to 7 is reserved", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = 5, EVENT_TYPE = CACHE_FLUSH_TS, DATA_SEL = %, "
         "ADDRESS = 0x200000\n",
         "5", "3", "reserved DATA_SEL 5"},
        {"2.8.4", "INT_SEL 1 is with DATA_SEL 0", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = 5, EVENT_TYPE = CACHE_FLUSH_TS, INT_SEL = 1, DATA_SEL = %, "
         "ADDRESS = 0x200000\n",
         "1", "0", "INT_SEL 1 (interrupt only) with DATA_SEL 1"},
        {"2.8.4", "INT_SEL is 0 to 2", kStops,
         "EVENT_WRITE_EOP EVENT_INDEX = 5, EVENT_TYPE = CACHE_FLUSH_TS, INT_SEL = %\n", "3", "2",
         "reserved INT_SEL 3"},
        // ---- 2.8.5 ----
        {"2.8.5", "EVENT_INDEX 0 to 5 is for others", kStops,
         DISPATCH "EVENT_WRITE_EOS [compute] EVENT_INDEX = %, EVENT_TYPE = CS_DONE, "
                  "ADDRESS = 0x200000, CMD = FENCE\n",
         "5", "6", "EVENT_INDEX 5, must be 6"},
        {"2.8.5", "EVENT_INDEX 7 is for EVENT_WRITE", kStops,
         DISPATCH "EVENT_WRITE_EOS [compute] EVENT_INDEX = %, EVENT_TYPE = CS_DONE, "
                  "ADDRESS = 0x200000, CMD = FENCE\n",
         "7", "6", "EVENT_INDEX 7, must be 6"},
        {"2.8.5", "EVENT_INDEX 8 to 15 is reserved", kStops,
         DISPATCH "EVENT_WRITE_EOS [compute] EVENT_INDEX = %, EVENT_TYPE = CS_DONE, "
                  "ADDRESS = 0x200000, CMD = FENCE\n",
         "9", "6", "EVENT_INDEX 9, must be 6"},
        {"2.8.5", "the event is CS_DONE or PS_DONE", kStops,
         DISPATCH "EVENT_WRITE_EOS [compute] EVENT_INDEX = 6, EVENT_TYPE = %, ADDRESS = 0x200000, "
                  "CMD = FENCE\n",
         "CS_PARTIAL_FLUSH", "CS_DONE", "is not an end-of-shader event"},
        {"2.8.5", "SHADER_TYPE says whose end on ring 0", kStops,
         DRAW "EVENT_WRITE_EOS [%] EVENT_INDEX = 6, EVENT_TYPE = PS_DONE, ADDRESS = 0x200000, "
              "CMD = FENCE\n",
         "compute", "reserved=0", "does not go with SHADER_TYPE 1"},
        {"2.8.5", "bits 1:0 of the address are zero", kStops,
         DISPATCH EOS_CS "DW2 = %, CMD = FENCE\n", "0x200002", "0x200004", "not dword aligned"},
        {"2.8.5", "CMD 0 is reserved", kStops, DISPATCH EOS_CS "ADDRESS = 0x200000, CMD = %\n", "0",
         "FENCE", "reserved CMD 0"},
        {"2.8.5", "CMD 3 to 7 is reserved", kStops, DISPATCH EOS_CS "ADDRESS = 0x200000, CMD = %\n",
         "7", "FENCE", "reserved CMD 7"},
        {"2.8.5", "SIZE 0 is not supported with CMD 1", kStops,
         DISPATCH EOS_CS "ADDRESS = 0x200000, CMD = STORE_GDS, SIZE = %\n", "0", "1",
         "SIZE 0 with CMD 1"},
        {"2.8.5", "SIZE is at most 16K dwords, those of the partition", kStops,
         DISPATCH EOS_CS "ADDRESS = 0x200000, CMD = STORE_GDS, SIZE = %\n", "0x4001", "0x4000",
         "beyond the ring's partition"},
        // ---- 2.8.6 ----
        {"2.8.6", "SEM_SEL is Signal or Wait", kStops,
         "MEM_SEMAPHORE ADDRESS = 0x200008, SEM_SEL = %\n", "5", "SIGNAL", "reserved SEM_SEL 5"},
        {"2.8.6", "CLIENT_CODE 3 is reserved", kStops,
         "MEM_SEMAPHORE ADDRESS = 0x200008, SEM_SEL = SIGNAL, CLIENT_CODE = %\n", "3", "DB",
         "reserved CLIENT_CODE 3"},
        {"2.8.6", "SIGNAL_TYPE 1 is for a signal", kStops,
         "MEM_SEMAPHORE ADDRESS = 0x200008, SEM_SEL = %, SIGNAL_TYPE = WRITE_1\n", "WAIT", "SIGNAL",
         "SIGNAL_TYPE 1 with SEM_SEL Wait"},
        {"2.8.6", "WAIT_ON_SIGNAL is Evergreen's", kStops,
         "MEM_SEMAPHORE ADDRESS = 0x200008, SEM_SEL = WAIT, WAIT_ON_SIGNAL = %\n", "1", "0",
         "WAIT_ON_SIGNAL"},
        {"2.8.6", "the address is qword aligned", kStops,
         "MEM_SEMAPHORE DW1 = %, SEM_SEL = SIGNAL\n", "0x20000c", "0x200008", "not qword aligned"},
        // ---- 2.8.7 ----
        {"2.8.7", "bits 3:0 of the start address are zero", kStops,
         COUNTERS "OCCLUSION_QUERY DW1 = %, QUERY_ADDR = 0x20a000\n", "0x208004", "0x208000",
         "not a multiple of 16"},
        {"2.8.7", "bits 1:0 of the query address are zero", kStops,
         COUNTERS "OCCLUSION_QUERY START_ADDR = 0x208000, DW3 = %\n", "0x20a002", "0x20a004",
         "not dword aligned"},
        {"2.8.7", "bits above the query address are zero", kStops,
         COUNTERS "OCCLUSION_QUERY START_ADDR = 0x208000, QUERY_ADDR_LO = 0x20a000, DW4 = %\n",
         "0x10000", "0", "reserved bits of QUERY_ADDR_HI"},
        {"2.8.7", "counters are valid at last", kDoes,
         COUNTERS "OCCLUSION_QUERY START_ADDR = %, QUERY_ADDR = 0x20a000\n", "0x209000", "0x208000",
         "OCCLUSION_QUERY"},
        {"2.8.7", "the driver clears the sum before", kDoes,
         COUNTERS "MEM_WRITE ADDRESS = 0x20a000, DATA_LO = %, WR_CONFIRM = 1\n"
                  "OCCLUSION_QUERY START_ADDR = 0x208000, QUERY_ADDR = 0x20a000\n",
         "9", "0", "[20a000]=9 "},
        // ---- 2.8.9 .. 2.8.11 ----
        {"2.8.9", "bits 31:10 and 7:3 of the control are reserved", kIgnored,
         "STRMOUT_BUFFER_UPDATE DW1 = %, BUFFER_OFFSET = 9\n", "0xfffffcf8", "0", "=9 ring 0"},
        {"2.8.9", "the swap of the destination is 0 to 2", kStops,
         "STRMOUT_BUFFER_UPDATE UPDATE_MEMORY = 1, SOURCE_SELECT = NONE, DST_SWAP = %, "
         "DST_ADDRESS = 0x200000\n",
         "3", "2", "reserved swap code 3"},
        {"2.8.9", "the swap of the source is 0 to 2", kStops,
         "STRMOUT_BUFFER_UPDATE SOURCE_SELECT = MEMORY, SRC_SWAP = %, SRC_ADDRESS = 0x200010\n",
         "3", "2", "reserved swap code 3"},
        {"2.8.10", "POLL_INTERVAL is forced to 4 at least", kIgnored,
         "SURFACE_SYNC ENGINE = ME, COHER_CNTL = {TC_ACTION_ENA: 1}, COHER_SIZE = -1, "
         "POLL_INTERVAL = %\n" MARK,
         "1", "4", MARKED},
        {"2.8.10", "bits 31:16 beside POLL_INTERVAL are reserved", kIgnored,
         "SURFACE_SYNC ENGINE = ME, COHER_CNTL = {TC_ACTION_ENA: 1}, COHER_SIZE = -1, DW4 = "
         "%\n" MARK,
         "0xffff0008", "8", MARKED},
        {"2.8.11", "PFP polls memory only", kStops,
         "WAIT_REG_MEM ENGINE = PFP, MEM_SPACE = %, FUNCTION = GREATER_EQUAL, DW2 = 0x200010, "
         "REFERENCE = 0, MASK = -1\n",
         "REGISTER", "MEMORY", "ENGINE PFP polls memory only"},
        {"2.8.11", "PFP knows >= only", kStops,
         "WAIT_REG_MEM ENGINE = PFP, MEM_SPACE = MEMORY, FUNCTION = %, POLL_ADDRESS = 0x200010, "
         "REFERENCE = 4, MASK = -1\n",
         "EQUAL", "GREATER_EQUAL", "knows only FUNCTION 5"},
        {"2.8.11", "FUNCTION 7 is reserved", kStops,
         "WAIT_REG_MEM MEM_SPACE = MEMORY, FUNCTION = %, POLL_ADDRESS = 0x200010\n", "7", "0",
         "reserved FUNCTION 7"},
        {"2.8.11", "bits 7:5 and 3 of the control are reserved", kIgnored,
         "WAIT_REG_MEM [count=6] DW1 = %, DW2 = 0x200010, REFERENCE = 4, MASK = -1\n" MARK, "0xfb",
         "0x13", MARKED},
        {"2.8.11", "the swap of what is polled is 0 to 2", kStops,
         "WAIT_REG_MEM MEM_SPACE = MEMORY, FUNCTION = 0, POLL_ADDRESS = 0x200010, SWAP = %\n", "3",
         "2", "reserved swap code 3"},
        {"2.8.11", "POLL_INTERVAL is forced to 4 at least", kIgnored,
         "WAIT_REG_MEM MEM_SPACE = MEMORY, FUNCTION = EQUAL, POLL_ADDRESS = 0x200010, "
         "REFERENCE = 5, MASK = -1, POLL_INTERVAL = %\n",
         "0", "4", "waits: "},
    };
}

}  // namespace archipelago::cp::test
