// SPDX-License-Identifier: Apache-2.0
// The project's microcode, packet by packet, on the chips that have the packet: what memory and
// registers hold afterwards, and what stops.
#include <gtest/gtest.h>

#include <string>

#include "testbenches/unit/afuc/microcode_chips.h"

namespace archipelago::afuc::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Chips, Microcode, testing::ValuesIn(kChips), chip_name);

class MicrocodeFromA6 : public Microcode {};
INSTANTIATE_TEST_SUITE_P(Chips, MicrocodeFromA6, testing::ValuesIn(kChips + 1, std::end(kChips)),
                         chip_name);

TEST_P(Microcode, StartsAndTakesTheDriversPackets) {
    EXPECT_TRUE(chip.taken());
    chip.run("CP_NOP DATA = [1, 2, 3]\nCP_NOP\nCP_MEM_WRITE ADDR = 0x100001000, DATA = [7]\n");
    EXPECT_EQ(chip.memory(0x100001000, 1), (Words{7}));
}

TEST_P(Microcode, WritesRegistersOfAStreamUnderTheirProtection) {
    chip.run("PKT4 0x8801 = 1, 0x8802 = 2, 0x8803 = 3\nPKT4 0x3ffff = 9\n");
    EXPECT_EQ(chip.reg(0x8801), 1u);
    EXPECT_EQ(chip.reg(0x8803), 3u);
    EXPECT_EQ(chip.reg(0x3FFFF), 9u);
    for (const uint32_t index : chip.engines[0]->unchecked)
        EXPECT_NE(index & 0xFFFFFFF0, 0x8800u);
}

TEST_P(Microcode, WritesMemory) {
    chip.put(0x2ffffffff8, {0, 0, 0, 0, 0});
    chip.run("CP_MEM_WRITE ADDR = 0x2ffffffffb, DATA = [1, 2, 3, 4]\n");
    EXPECT_EQ(chip.memory(0x2ffffffff8, 5), (Words{1, 2, 3, 4, 0}));
}

TEST_P(Microcode, RunsBuffersWithinEachOtherAndChains) {
    chip.put(0x4000, {0, 0, 0, 0, 0, 0});
    chip.buffer(0x200000000,
                "CP_MEM_WRITE ADDR = 0x4000, DATA = [1]\n"
                "CP_INDIRECT_BUFFER IB_BASE = 0x300000000, IB_SIZE = 8\n"
                "CP_MEM_WRITE ADDR = 0x4004, DATA = [2]\n");
    chip.buffer(0x300000000,
                "CP_MEM_WRITE ADDR = 0x4008, DATA = [3]\n"
                "CP_INDIRECT_BUFFER_CHAIN IB_BASE = 0x400000000, IB_SIZE = 4\n");
    chip.buffer(0x400000000, "CP_MEM_WRITE ADDR = 0x400c, DATA = [4]\n");
    chip.run(
        "CP_INDIRECT_BUFFER IB_BASE = 0x200000000, IB_SIZE = 12\n"
        "CP_INDIRECT_BUFFER IB_BASE = 0x5, IB_SIZE = 0\n"
        "CP_INDIRECT_BUFFER_PFD IB_BASE = 0x400000000, IB_SIZE = 4\n"
        "CP_MEM_WRITE ADDR = 0x4010, DATA = [5]\n");
    EXPECT_EQ(chip.memory(0x4000, 5), (Words{1, 2, 3, 4, 5}));
    EXPECT_TRUE(chip.taken());
}

// Every image, as the file that a driver loads.
TEST(MicrocodeImages, ComeBackFromTheirDisassembly) {
    const struct {
        const char *root, *generation;
    } kRoots[] = {{"a530_pfp", "a5xx"}, {"a530_me", "a5xx"}, {"a630", "a6xx"}, {"a650", "a6xx"},
                  {"a660", "a660"},     {"a730", "a7xx"},    {"a740", "a7xx"}, {"a750", "a750"}};
    for (const auto& r : kRoots) {
        const Generation& generation = *find_generation(r.generation);
        Words file = microcode(generation, r.root);
        ASSERT_TRUE(is_id(generation, file[0])) << r.root;
        file.insert(file.begin(), 0);
        const Assembly again = assemble(generation, disassemble(generation, file));
        ASSERT_TRUE(again.errors.empty()) << r.root << ": " << again.errors[0].message;
        EXPECT_EQ(again.words, file) << r.root;
    }
}

// ---- registers and memory ----------------------------------------------------------------------

TEST_P(Microcode, CopiesRegistersToMemory) {
    for (uint32_t i = 0; i < 4; ++i)
        chip.reg(0x9000 + i) = 10 + i;
    chip.put(0x5000, {100, 0, 0, 0, 0, 0, 0, 0});
    chip.run(
        "CP_REG_TO_MEM REG = 0x9000, DEST = 0x5000\n"
        "CP_REG_TO_MEM REG = 0x9000, CNT = 3, DEST = 0x5004\n"
        "CP_REG_TO_MEM REG = 0x9002, _64B = 1, DEST = 0x5010\n");
    EXPECT_EQ(chip.memory(0x5000, 8), (Words{10, 10, 11, 12, 12, 13, 0, 0}));
}

TEST_P(Microcode, AddsRegistersToMemory) {
    for (const uint32_t i : {0u, 2u}) {
        chip.reg(0x9000 + i) = 0xFFFFFFFF;
        chip.reg(0x9001 + i) = i;
    }
    chip.put(0x5000, {2, 5, 1, 7, 9});
    chip.run("CP_REG_TO_MEM REG = 0x9000, CNT = 4, _64B = 1, ACCUMULATE = 1, DEST = 0x5000\n");
    EXPECT_EQ(chip.memory(0x5000, 5), (Words{1, 6, 0, 10, 9}));
    chip.run("CP_REG_TO_MEM REG = 0x9000, CNT = 2, ACCUMULATE = 1, DEST = 0x5000\n");
    EXPECT_EQ(chip.memory(0x5000, 3), (Words{0, 6, 0}));
}

TEST_P(MicrocodeFromA6, MovesTheAddressOfRegistersByRegisterScratchOrMemory) {
    chip.reg(0x9000) = 77;
    chip.reg(0x9010) = 8;
    chip.put(0x1'00000000, {0, 0, 0, 0, 0});
    chip.put(0x6000, {0x20});
    chip.run(
        "CP_SCRATCH_WRITE SCRATCH = 5, DATA = [0x10]\n"
        "CP_REG_TO_MEM_OFFSET_REG REG = 0x9000, DEST = 0xfffffff8, OFFSET0 = 0x9010\n"
        "CP_REG_TO_MEM_OFFSET_REG REG = 0x9000, DEST = 0xfffffff8, OFFSET0 = 5, OFFSET0_SCRATCH = "
        "1\n"
        "CP_REG_TO_MEM_OFFSET_MEM REG = 0x9000, DEST = 0xfffffff0, OFFSET = 0x6000\n");
    EXPECT_EQ(chip.memory(0x1'00000000, 5), (Words{77, 0, 77, 0, 77}));
}

TEST_P(Microcode, CopiesMemoryToRegisters) {
    chip.put(0x5000, {0x40000001, 2, 3});
    chip.run(
        "CP_MEM_TO_REG REG = 0x9000, SRC = 0x5000\n"
        "CP_MEM_TO_REG REG = 0x9004, CNT = 3, SHIFT_BY_2 = 1, SRC = 0x5000\n"
        "CP_MEM_TO_REG REG = 0x9008, CNT = 2, UNK31 = 1, SRC = 0x5004\n");
    EXPECT_EQ(chip.reg(0x9000), 0x40000001u);
    EXPECT_EQ(chip.reg(0x9001), 0u);
    EXPECT_EQ(chip.reg(0x9004), 4u);
    EXPECT_EQ(chip.reg(0x9005), 8u);
    EXPECT_EQ(chip.reg(0x9006), 12u);
    EXPECT_EQ(chip.reg(0x9008), 2u);
    EXPECT_EQ(chip.reg(0x9009), 3u);
}

TEST_P(Microcode, AddsValuesOfMemory) {
    chip.put(0x5000, {1, 2, 0xFFFFFFFF, 3, 10, 20});
    chip.run(
        "CP_MEM_TO_MEM DST = 0x6000, SRC_A = 0x5000, SRC_B = 0x5008, SRC_C = 0x5010\n"
        "CP_MEM_TO_MEM DOUBLE = 1, DST = 0x6008, SRC_A = 0x5000, SRC_B = 0x5008\n"
        "CP_MEM_TO_MEM DOUBLE = 1, NEG_B = 1, DST = 0x6010, SRC_A = 0x5000, SRC_B = 0x5008\n"
        "CP_MEM_TO_MEM NEG_A = 1, NEG_C = 1, DST = 0x6018, SRC_A = 0x5000, SRC_B = 0x5010, "
        "SRC_C = 0x5014\n"
        "CP_MEM_TO_MEM DST = 0x6004, SRC_A = 0x5010\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{10, 10}));
    EXPECT_EQ(chip.memory(0x6008, 2), (Words{0, 6}));
    EXPECT_EQ(chip.memory(0x6010, 2), (Words{2, 0xFFFFFFFE}));  // 2:1 - 3:ffffffff
    EXPECT_EQ(chip.memory(0x6018, 1), (Words{10u - 1 - 20}));
    chip.machine.log.clear();
    chip.run("CP_MEM_TO_MEM WAIT_FOR_MEM_WRITES = 1, DST = 0x6000, SRC_A = 0x5000\n");
    using Log = std::vector<std::string>;  // the ME of a5xx reads after its own writes
    EXPECT_EQ(chip.machine.log, chip.is_a5() ? Log{} : (Log{"memory", "idle"}));
    chip.machine.log.clear();
    chip.run("CP_MEM_TO_MEM UNK31 = 1, DST = 0x6000, SRC_A = 0x5000\n");
    EXPECT_EQ(chip.machine.log, chip.is_a5() ? Log{} : Log{"idle"});
}

TEST_P(MicrocodeFromA6, CopiesMemory) {
    chip.put(0x1'fffffff8, {1, 2, 3, 4});
    chip.put(0x7000, {0, 0, 0, 9});
    chip.run(
        "CP_MEMCPY DWORDS = 3, SRC = 0x1fffffffc, DST = 0x7000\n"
        "CP_MEMCPY DWORDS = 0, SRC = 0, DST = 0x7000\n");
    EXPECT_EQ(chip.memory(0x7000, 4), (Words{2, 3, 4, 9}));
}

TEST_P(Microcode, ModifiesRegisters) {
    chip.reg(0x9000) = 0x12345678;
    chip.reg(0x9001) = 0x0000FF00;
    chip.reg(0x9002) = 3;
    chip.run("CP_REG_RMW DST_REG = 0x9000, ROTATE = 8, SRC0 = 0xff0000ff, SRC1 = 0x100\n");
    EXPECT_EQ(chip.reg(0x9000), 0x7912u);  // 12000078 rotated: 00007812, with 0x100
    chip.reg(0x9000) = 0x12345678;
    chip.run(
        "CP_REG_RMW DST_REG = 0x9000, SRC0_IS_REG = 1, SRC1_IS_REG = 1, SRC1_ADD = 1, "
        "SRC0 = 0x9001, SRC1 = 0x9002\n");
    EXPECT_EQ(chip.reg(0x9000), 0x5603u);
}

TEST_P(MicrocodeFromA6, KeepsScratchRegisters) {
    chip.reg(0x9000) = 1;
    chip.reg(0x9001) = 2;
    chip.reg(0x9002) = 3;
    chip.run(
        "CP_SCRATCH_WRITE SCRATCH = 6, DATA = [60, 70, 0]\n"
        "CP_REG_TO_SCRATCH REG = 0x9000, SCRATCH = 1, CNT = 2\n"
        "CP_SCRATCH_TO_REG REG = 0xa000, SCRATCH = 0, CNT = 7\n");
    const Words expected{0, 1, 2, 3, 0, 0, 60, 70};
    for (uint32_t i = 0; i < 8; ++i)
        EXPECT_EQ(chip.reg(0xA000 + i), expected[i]) << i;
}

TEST_P(Microcode, WritesPairsOfRegisters) {
    chip.run(
        "CP_CONTEXT_REG_BUNCH REG = 0x9000, VALUE = 1, REG = 0x9100, VALUE = 2, REG = 0x9200, "
        "VALUE = 3\n");
    EXPECT_EQ(chip.reg(0x9000), 1u);
    EXPECT_EQ(chip.reg(0x9100), 2u);
    EXPECT_EQ(chip.reg(0x9200), 3u);
}

// ---- waits and conditions ----------------------------------------------------------------------

// Of the functions 1 to 6: <, <=, ==, !=, >=, >.
struct Comparison {
    uint32_t value, reference;
    bool is_signed;
    const char* holds;
};
constexpr Comparison kComparisons[] = {
    {5, 6, false, "< <= !="},         {6, 6, false, "<= == >="},
    {7, 6, false, "!= >= >"},         {0xFFFFFFFF, 1, false, "!= >= >"},
    {0xFFFFFFFF, 1, true, "< <= !="}, {0x80000000, 0x7FFFFFFF, true, "< <= !="},
};

TEST_P(Microcode, WritesUnderConditions) {
    const char* const kNames[] = {"WRITE_LT", "WRITE_LE", "WRITE_EQ",
                                  "WRITE_NE", "WRITE_GE", "WRITE_GT"};
    const std::string kSigns[] = {"<", "<=", "==", "!=", ">=", ">"};
    for (const Comparison& c : kComparisons)
        for (unsigned f = 0; f < 6; ++f) {
            chip.put(0x5000, {c.value});
            chip.put(0x6000, {0});
            chip.run(std::string("CP_COND_WRITE5 FUNCTION = ") + kNames[f] +
                     ", SIGNED_COMPARE = " + std::to_string(int{c.is_signed}) +
                     ", POLL = POLL_MEMORY, WRITE_MEMORY = 1, POLL_ADDR = 0x5000, REF = " +
                     std::to_string(c.reference) +
                     ", MASK = 0xffffffff, WRITE_ADDR = 0x6000, WRITE_DATA = 1\n");
            const std::string holds = std::string(" ") + c.holds + " ";
            EXPECT_EQ(chip.memory(0x6000, 1)[0],
                      holds.find(" " + kSigns[f] + " ") != std::string::npos ? 1u : 0u)
                << c.value << kSigns[f] << c.reference << c.is_signed;
        }
}

TEST_P(MicrocodeFromA6, PollsRegistersScratchAndAlways) {
    chip.reg(0x9000) = 0x1234;
    chip.run(
        "CP_SCRATCH_WRITE SCRATCH = 2, DATA = [0x77]\n"
        "CP_COND_WRITE5 FUNCTION = WRITE_EQ, POLL_REG = 0x9000, REF = 0x200, MASK = 0xf00, "
        "WRITE_ADDR = 0x9001, WRITE_DATA = 5\n"
        "CP_COND_WRITE5 FUNCTION = WRITE_EQ, POLL = POLL_SCRATCH, POLL_ADDR = 2, REF = 0x77, "
        "MASK = 0xffffffff, WRITE_ADDR = 0x9002, WRITE_DATA = 6\n"
        "CP_COND_WRITE5 FUNCTION = WRITE_ALWAYS, POLL_REG = 0x9000, REF = 0, MASK = 0, "
        "WRITE_ADDR = 0x9003, WRITE_DATA = 7\n");
    EXPECT_EQ(chip.reg(0x9001), 5u);
    EXPECT_EQ(chip.reg(0x9002), 6u);
    EXPECT_EQ(chip.reg(0x9003), 7u);
}

TEST_P(Microcode, WritesRegistersUnderConditions) {
    chip.reg(0x9000) = 0x1234;
    chip.run(
        "CP_COND_WRITE5 FUNCTION = WRITE_EQ, POLL_REG = 0x9000, REF = 0x200, MASK = 0xf00, "
        "WRITE_ADDR = 0x9005, WRITE_DATA = 5\n"
        "CP_COND_WRITE5 FUNCTION = WRITE_NE, POLL_REG = 0x9000, REF = 0x200, MASK = 0xf00, "
        "WRITE_ADDR = 0x9007, WRITE_DATA = 5\n");
    EXPECT_EQ(chip.reg(0x9005), 5u);
    EXPECT_EQ(chip.reg(0x9007), 0u);
}

TEST_P(Microcode, WaitsUntilMemoryHolds) {
    chip.put(0x5000, {0});
    chip.put(0x6000, {0});
    chip.run(
        "CP_WAIT_REG_MEM FUNCTION = WRITE_GE, POLL = POLL_MEMORY, POLL_ADDR = 0x5000, REF = 3, "
        "MASK = 0xffff, DELAY_LOOP_CYCLES = 20\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 1), (Words{0}));
    chip.put(0x5000, {0x10002});
    chip.run();
    EXPECT_EQ(chip.memory(0x6000, 1), (Words{0}));
    chip.put(0x5000, {0x10003});
    chip.run();
    EXPECT_EQ(chip.memory(0x6000, 1), (Words{1}));
}

TEST_P(Microcode, WaitsForWhatIsQueued) {
    chip.machine.log.clear();
    chip.run("CP_WAIT_MEM_WRITES\nCP_WAIT_FOR_IDLE\nCP_WAIT_FOR_ME\n");
    using Log = std::vector<std::string>;
    EXPECT_EQ(chip.machine.log,
              chip.is_a5() ? (Log{"memory", "idle"}) : (Log{"memory", "idle", "idle"}));
    EXPECT_EQ(chip.is_a5() ? chip.reg(0xB15) : chip.engines[0]->control("WFI_PEND_CTR"), 0u);
    EXPECT_TRUE(chip.taken());
}

TEST_P(Microcode, SkipsWhatAConditionExcludes) {
    const std::string write = "CP_MEM_WRITE ADDR = 0x600";
    chip.put(0x5000, {1, 0xFFFFFFFE, 0});
    chip.put(0x6000, {0, 0, 0, 0, 0, 0, 0, 0});
    chip.reg(0x9000) = 4;
    chip.reg(0x9001) = 4;
    chip.reg(0x9002) = 5;
    chip.run("CP_COND_EXEC ADDR0 = 0x5000, ADDR1 = 0x5004, REF = 0xffffffff, DWORDS = 4\n" + write +
             "0, DATA = [1]\nCP_COND_EXEC ADDR0 = 0x5008, ADDR1 = 0x5004, REF = 5, DWORDS = 4\n" +
             write + "4, DATA = [1]\n" +
             "CP_COND_EXEC ADDR0 = 0x5000, ADDR1 = 0x5000, REF = 1, DWORDS = 4\n" + write +
             "8, DATA = [1]\n"
             "CP_COND_REG_EXEC MODE = REG_COMPARE, REG0 = 0x9000, REG1 = 0x9001, DWORDS = 4\n" +
             write + "c, DATA = [1]\n" +
             "CP_COND_REG_EXEC MODE = REG_COMPARE, REG0 = 0x9000, REG1 = 0x9002, DWORDS = 8\n" +
             write + "8, DATA = [1]\n" + write +
             "8, DATA = [1]\nCP_MEM_WRITE ADDR = 0x6010, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 5), (Words{1, 0, 0, 1, 1}));
}

TEST_P(MicrocodeFromA6, TestsRegistersForPredicates) {
    chip.put(0x6000, {0, 0, 0, 0});
    chip.reg(0x9000) = 0x20;
    chip.run(
        "CP_REG_TEST REG = 0x9000, BIT = 5, PRED_BIT = 7\n"
        "CP_REG_TEST REG = 0x9000, BIT = 4\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, PRED_BIT = 7, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n"
        "CP_REG_TEST PRED_UPDATE = 1, PRED_MASK = 0x81, PRED_VAL = 1\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, PRED_BIT = 7, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6008, DATA = [1]\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x600c, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 4), (Words{1, 0, 0, 1}));
}

TEST_P(MicrocodeFromA6, KnowsTheModeOfTheMarker) {
    struct {
        const char* marker;
        Words binning_gmem_sysmem;
    } const kMarkers[] = {{"", {0, 0, 1}},
                          {"MODE = RM6_BIN_VISIBILITY", {1, 0, 0}},
                          {"MODE = RM6_BIN_RENDER_START, USES_GMEM = 1", {0, 1, 0}},
                          {"MODE = RM6_IB1LIST_START", {0, 1, 0}},
                          {"MARKER_MODE = SET_IFPC_MODE, IFPC_MODE = IFPC_DISABLE", {0, 1, 0}},
                          {"MODE = RM6_DIRECT_RENDER", {0, 0, 1}},
                          {"MODE = RM6_COMPUTE", {0, 1, 0}}};
    for (const auto& m : kMarkers) {
        chip.put(0x6000, {0, 0, 0});
        chip.run((*m.marker != 0 ? std::string("CP_SET_MARKER ") + m.marker + "\n" : "") +
                 "CP_COND_REG_EXEC MODE = RENDER_MODE, BINNING = 1, DWORDS = 4\n"
                 "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
                 "CP_COND_REG_EXEC MODE = RENDER_MODE, GMEM = 1, DWORDS = 4\n"
                 "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n"
                 "CP_COND_REG_EXEC MODE = RENDER_MODE, SYSMEM = 1, DWORDS = 4\n"
                 "CP_MEM_WRITE ADDR = 0x6008, DATA = [1]\n");
        EXPECT_EQ(chip.memory(0x6000, 3), m.binning_gmem_sysmem) << m.marker;
    }
}

TEST_P(MicrocodeFromA6, ReplacesPredicates) {
    chip.put(0x6000, {0});
    chip.reg(0x9000) = 0x20;
    chip.run(
        "CP_REG_TEST REG = 0x9000, BIT = 5, PRED_BIT = 7\n"
        "CP_REG_TEST REG = 0x9000, BIT = 4, PRED_BIT = 7\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, PRED_BIT = 7, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 1), (Words{0}));
}

TEST_P(MicrocodeFromA6, WaitsBeforeItReadsWhatAPacketMayHaveQueued) {
    for (const char* packet :
         {"CP_REG_RMW DST_REG = 0x9000\n", "CP_REG_TO_SCRATCH REG = 0x9000\n",
          "CP_REG_TEST REG = 0x9000\n", "CP_COND_REG_EXEC MODE = REG_COMPARE, DWORDS = 0\n",
          "CP_MEM_TO_REG REG = 0x9000, UNK31 = 1, SRC = 0x5000\n"}) {
        chip.put(0x5000, {0});
        chip.machine.log.clear();
        chip.run(packet);
        EXPECT_EQ(chip.machine.log, (std::vector<std::string>{"idle"})) << packet;
    }
}

// ---- draw state --------------------------------------------------------------------------------

TEST_P(MicrocodeFromA6, RunsDrawStateAtOnceInTheOrderOfThePacket) {
    chip.put(0x6000, {0, 0, 0, 0, 0});
    chip.buffer(0x1'00010000, "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\nPKT4 0x9000 = 1\n");
    chip.buffer(0x1'00020000, "CP_MEM_WRITE ADDR = 0x6004, DATA = [2]\nPKT4 0x9000 = 2\n");
    chip.buffer(0x1'00030000,
                "CP_SET_DRAW_STATE COUNT = 6, LOAD_IMMED = 1, SYSMEM = 1, GROUP_ID = 7, "
                "ADDR = 0x100010000, COUNT = 6, LOAD_IMMED = 1, GMEM = 1, GROUP_ID = 2, "
                "ADDR = 0x100020000\nCP_MEM_WRITE ADDR = 0x6008, DATA = [3]\n");
    chip.run(
        "CP_SET_DRAW_STATE COUNT = 6, LOAD_IMMED = 1, SYSMEM = 1, GROUP_ID = 3, "
        "ADDR = 0x100020000, COUNT = 6, SYSMEM = 1, GROUP_ID = 31, ADDR = 0x100010000, COUNT = 0, "
        "LOAD_IMMED = 1, SYSMEM = 1, GROUP_ID = 4, ADDR = 0x4, COUNT = 6, LOAD_IMMED = 1, "
        "SYSMEM = 1, GMEM = 1, GROUP_ID = 1, ADDR = 0x100010000\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 2}));
    EXPECT_EQ(chip.reg(0x9000), 1u);  // the last
    chip.put(0x6000, {0, 0, 0});
    chip.run("CP_INDIRECT_BUFFER IB_BASE = 0x100030000, IB_SIZE = 11\n");
    EXPECT_EQ(chip.memory(0x6000, 3), (Words{1, 0, 3}));
    EXPECT_TRUE(chip.taken());
}

TEST_P(MicrocodeFromA6, KeepsDrawStateUntilItIsDisabled) {
    const uint32_t active = chip.names == Names::A7xx && chip.generation.names == Names::A750
                                ? 0x425
                                : chip.engines[0]->place("DRAW_STATE_ACTIVE_BITMASK");
    chip.buffer(0x1'00010000, "CP_NOP\n");
    chip.run(
        "CP_SET_DRAW_STATE COUNT = 5, SYSMEM = 1, GROUP_ID = 3, ADDR = 0x10000, COUNT = 5, GMEM = "
        "1, "
        "GROUP_ID = 9, ADDR = 0x20000\n");
    EXPECT_EQ(chip.engines[0]->control_at(active), 1u << 3 | 1u << 9);
    chip.run("CP_SET_DRAW_STATE COUNT = 0, DISABLE = 1, GROUP_ID = 3\n");
    EXPECT_EQ(chip.engines[0]->control_at(active), 1u << 9);
    // What is run now does not wait any longer.
    chip.run(
        "CP_SET_DRAW_STATE COUNT = 1, LOAD_IMMED = 1, SYSMEM = 1, GROUP_ID = 9, ADDR = "
        "0x100010000, "
        "COUNT = 1, GROUP_ID = 30, ADDR = 0x4\n");
    EXPECT_EQ(chip.engines[0]->control_at(active), 1u << 30);
    chip.run("CP_SET_DRAW_STATE COUNT = 0, DISABLE_ALL_GROUPS = 1\n");
    EXPECT_EQ(chip.engines[0]->control_at(active), 0u);
}

TEST_P(Microcode, KeepsWhetherToSkipBuffers) {
    const auto flags = [&] { return chip.engines[0]->engine.state().gpr[0x14] & 0x300; };
    chip.run("CP_SKIP_IB2_ENABLE_GLOBAL ENABLE = 1\n");
    EXPECT_EQ(flags(), 0x200u);
    chip.run("CP_SKIP_IB2_ENABLE_LOCAL ENABLE = 1\nCP_SKIP_IB2_ENABLE_GLOBAL ENABLE = 0\n");
    EXPECT_EQ(flags(), 0x100u);
    chip.run("CP_SKIP_IB2_ENABLE_LOCAL ENABLE = 0\n");
    EXPECT_EQ(flags(), 0u);
}

TEST_P(Microcode, DumpsNoHeaders) {
    if (chip.is_a7())
        return;  // its packet has no address for them
    EXPECT_NE(stop_of(chip, "CP_ME_INIT ORDINALS = 0x2f, HEADER_DUMP = 0x100000000\n")
                  .find("no instruction"),
              std::string::npos);
}

TEST_P(MicrocodeFromA6, RunsDrawStateOfAModeAtOnceWhenToldSo) {
    chip.put(0x6000, {0, 0});
    chip.buffer(0x1'00010000, "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n");
    chip.buffer(0x1'00020000, "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n");
    const std::string set =
        "CP_SET_DRAW_STATE COUNT = 4, SYSMEM = 1, GROUP_ID = 3, ADDR = 0x100010000, COUNT = 4, "
        "BINNING = 1, GROUP_ID = 4, ADDR = 0x100020000\n";
    chip.run(set);
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{0, 0}));
    chip.run("CP_SET_MODE MODE = 1\n" + set);
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 0}));
    chip.put(0x6000, {0, 0});
    chip.run("CP_SET_MODE MODE = 0\n" + set);
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{0, 0}));
}

// ---- events ------------------------------------------------------------------------------------

TEST_P(Microcode, WritesAndInterruptsWithEvents) {
    chip.put(0x5000, {0, 0, 0, 0, 0, 0});
    if (chip.is_a7())
        chip.run(
            "CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_ENABLED = 1, IRQ = 1, ADDR = 0x5000, "
            "PAYLOAD_0 = 7\n"
            "CP_EVENT_WRITE7 EVENT = RB_DONE_TS, WRITE_SRC = EV_WRITE_ALWAYSON, WRITE_ENABLED = 1, "
            "ADDR = 0x5008\n"
            "CP_EVENT_WRITE7 EVENT = CCU_FLUSH_COLOR\n");
    else
        chip.run(
            "CP_EVENT_WRITE EVENT = CACHE_FLUSH_TS, IRQ = 1, ADDR_0 = 0x5000, DATA = 7\n"
            "CP_EVENT_WRITE EVENT = RB_DONE_TS, TIMESTAMP = 1, ADDR_0 = 0x5008, DATA = 1\n"
            "CP_EVENT_WRITE EVENT = PC_CCU_FLUSH_COLOR_TS\n");
    EXPECT_EQ(chip.memory(0x5000, 5), (Words{7, 0, 0x55667788, 0x11223344, 0}));
    EXPECT_EQ(chip.machine.interrupts, (std::vector<unsigned>{20}));
    if (chip.is_a5())
        return;  // no register of it that would take events is public
    EXPECT_EQ(chip.machine.events, (Words{chip.is_a7() ? 49u : 4u, 22, 29}));
    EXPECT_EQ(
        chip.engines[0]->control(chip.is_a7() ? "CACHE_CLEAN_PEND_CTR" : "CACHE_FLUSH_PEND_CTR"),
        0u);
}

// ---- what stops --------------------------------------------------------------------------------

TEST_P(MicrocodeFromA6, StopsWhereAFieldMeansNothing) {
    const char* const kPackets[] = {
        "CP_WAIT_REG_MEM FUNCTION = WRITE_ALWAYS, WRITE_MEMORY = 1\n",
        "CP_WAIT_REG_MEM FUNCTION = 7, POLL = POLL_SCRATCH\n",
        "CP_SCRATCH_TO_REG REG = 0x9000, UNK18 = 1\n",
        "CP_SET_MARKER MODE = 0\n",
        "CP_SET_MARKER DW1 = 0x401\n",
        "CP_SET_MODE MODE = 2\n",
        "CP_INDIRECT_BUFFER_CHAIN IB_BASE = 0x10000, IB_SIZE = 4\n",
    };
    for (const char* text : kPackets) {
        Chip fresh(GetParam());
        const std::string packet(text, std::string(text).find(' '));
        const std::string stop = stop_of(fresh, text);
        EXPECT_NE(stop.find("no instruction"), std::string::npos) << text << stop;
        EXPECT_NE(stop.find("packet " + packet), std::string::npos) << text << stop;
    }
    EXPECT_NE(stop_of(chip, "CP_DRAW_AUTO\n").find("no handler"), std::string::npos);
}

TEST_P(Microcode, StopsWhereBuffersAreTooDeep) {
    for (uint32_t i = 1; i <= 4; ++i)
        chip.buffer(0x10000 * i, "CP_INDIRECT_BUFFER IB_BASE = " +
                                     std::to_string(0x10000 * (i + 1)) + ", IB_SIZE = 4\n");
    chip.buffer(0x50000, "CP_NOP DATA = [1, 2, 3]\n");
    // Three levels of a7xx, two before it.
    const uint32_t first = chip.is_a7() ? 3 : 4;
    const auto call = [](uint32_t at) {
        return "CP_INDIRECT_BUFFER IB_BASE = " + std::to_string(0x10000 * at) + ", IB_SIZE = 4\n";
    };
    EXPECT_EQ(stop_of(chip, call(first)), "none");
    EXPECT_TRUE(chip.taken());
    EXPECT_NE(stop_of(chip, call(first - 1)).find("no instruction"), std::string::npos);
}

}  // namespace
}  // namespace archipelago::afuc::test
