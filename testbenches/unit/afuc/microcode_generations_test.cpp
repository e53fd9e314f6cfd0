// SPDX-License-Identifier: Apache-2.0
// Packets of the project's microcode that one generation has alone.
#include <gtest/gtest.h>

#include <string>

#include "testbenches/unit/afuc/microcode_chips.h"

namespace archipelago::afuc::test {
namespace {

constexpr ChipRow kA6Chips[] = {kChips[1], kChips[2], kChips[3]};
constexpr ChipRow kA7Chips[] = {kChips[4], kChips[5], kChips[6]};

class MicrocodeA5 : public Microcode {};
INSTANTIATE_TEST_SUITE_P(Chips, MicrocodeA5, testing::Values(kChips[0]), chip_name);

TEST_P(MicrocodeA5, MovesScratchRegisters) {
    chip.reg(0x9000) = 1;
    chip.reg(0x9001) = 2;
    chip.run(
        "CP_REG_TO_SCRATCH REG = 0x9000, SCRATCH = 7, CNT = 1\n"
        "CP_SCRATCH_TO_REG REG = 0xa000, SCRATCH = 6, CNT = 2\n"
        "CP_COND_WRITE5 FUNCTION = WRITE_EQ, POLL = POLL_SCRATCH, POLL_ADDR = 7, REF = 1, MASK = "
        "3, "
        "WRITE_ADDR = 0xa003, WRITE_DATA = 5\n");
    EXPECT_EQ(chip.reg(0xA000), 0u);
    EXPECT_EQ(chip.reg(0xA001), 1u);
    EXPECT_EQ(chip.reg(0xA002), 2u);
    EXPECT_EQ(chip.reg(0xA003), 5u);
}

// Its fields are not public of a5xx: those of a6xx.
TEST_P(MicrocodeA5, TestsRegistersForPredicates) {
    chip.put(0x6000, {0, 0});
    chip.reg(0x9000) = 0x20;
    chip.run(
        "CP_REG_TEST DATA = [0x509000]\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
        "CP_REG_TEST DATA = [0x409000]\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 0}));
}

TEST_P(MicrocodeA5, ThePfpWaitsForTheMe) {
    chip.put(0x5000, Words(300, 0));
    chip.put(0x6000, {0});
    chip.reg(0x9000 + 299) = 1;
    chip.run(
        "CP_REG_TO_MEM REG = 0x9000, CNT = 300, DEST = 0x5000\nCP_WAIT_FOR_ME\n"
        "CP_COND_EXEC ADDR0 = 0x54ac, ADDR1 = 0x5000, REF = 1, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 1), (Words{1}));
}

TEST_P(MicrocodeA5, RunsDrawStateAsBuffersOfTheNextLevel) {
    chip.put(0x6000, {0, 0, 0});
    chip.buffer(0x1'00010000, "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n");
    chip.buffer(0x1'00020000, "CP_MEM_WRITE ADDR = 0x6004, DATA = [2]\n");
    chip.buffer(0x1'00030000,
                "CP_SET_DRAW_STATE COUNT = 4, LOAD_IMMED = 1, GROUP_ID = 7, ADDR = 0x100010000, "
                "COUNT = 4, GROUP_ID = 8, ADDR = 0x4, COUNT = 4, LOAD_IMMED = 1, GROUP_ID = 2, "
                "ADDR = 0x100020000\nCP_MEM_WRITE ADDR = 0x6008, DATA = [3]\n");
    chip.run("CP_INDIRECT_BUFFER IB_BASE = 0x100030000, IB_SIZE = 14\n");
    EXPECT_EQ(chip.memory(0x6000, 3), (Words{1, 2, 3}));
    EXPECT_EQ(chip.engines[0]->control_at(0x164), 1u << 8);  // waits for a draw
    EXPECT_TRUE(chip.taken());
}

TEST_P(MicrocodeA5, StopsWhereAFieldMeansNothing) {
    for (const char* text :
         {"CP_WAIT_REG_MEM FUNCTION = WRITE_ALWAYS, WRITE_MEMORY = 1\n",
          "CP_SCRATCH_TO_REG REG = 0x9000, UNK18 = 1\n", "CP_COND_REG_EXEC MODE = 3, DWORDS = 0\n",
          "CP_EVENT_WRITE EVENT = ZPASS_DONE\n"}) {
        Chip fresh(GetParam());
        std::string stop = "none";
        try {
            fresh.run(text);
        } catch (const MachineStop& s) {
            stop = s.what();
        }
        EXPECT_NE(stop.find("no instruction"), std::string::npos) << text << stop;
    }
}

class MicrocodeA6 : public Microcode {};
INSTANTIATE_TEST_SUITE_P(Chips, MicrocodeA6, testing::ValuesIn(kA6Chips), chip_name);

TEST_P(MicrocodeA6, WaitsForMemoryAndRegisters) {
    chip.put(0x5000, {0xFFFFFFFE});
    chip.put(0x6000, {0, 0});
    chip.run(
        "CP_WAIT_MEM_GTE POLL_ADDR = 0x5000, REF = 0xffffffff\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 1), (Words{0}));
    chip.put(0x5000, {5});
    chip.run();
    EXPECT_EQ(chip.memory(0x6000, 1), (Words{1}));
    chip.reg(0x9001) = 8;
    chip.run(
        "CP_WAIT_TWO_REGS REG0 = 0x9000, REG1 = 0x9001, REF = 8\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6004, 1), (Words{0}));
    chip.reg(0x9000) = 1;
    chip.run();
    EXPECT_EQ(chip.memory(0x6004, 1), (Words{1}));
    chip.run("CP_WAIT_TWO_REGS REG0 = 0x9002, REG1 = 0x9001, REF = 7\n");
    EXPECT_TRUE(chip.taken());
}

TEST_P(MicrocodeA6, WritesTrackedRegisters) {
    chip.run(
        "CP_REG_WRITE TRACKER = TRACK_RENDER_CNTL, REG = 0x8801, VALUE = 5\n"
        "CP_REG_WRITE TRACKER = UNK_EVENT_WRITE, REG = 0x8802, VALUE = 7\n");
    EXPECT_EQ(chip.reg(0x8801), 5u);
    EXPECT_TRUE(chip.machine.events.empty());
    chip.run("CP_REG_WRITE TRACKER = UNK_EVENT_WRITE, REG = 0x8802, VALUE = 6\n");
    EXPECT_EQ(chip.reg(0x8802), 6u);
    EXPECT_EQ(chip.machine.events, (Words{63}));
}

TEST_P(MicrocodeA6, NamesTheKindOfAnEventThatWrites) {
    for (const char* event : {"CACHE_FLUSH_TS", "WT_DONE_TS", "RB_DONE_TS", "PC_CCU_FLUSH_DEPTH_TS",
                              "PC_CCU_FLUSH_COLOR_TS", "PC_CCU_RESOLVE_TS"})
        chip.run(std::string("CP_EVENT_WRITE EVENT = ") + event +
                 ", IRQ = 1, ADDR_0 = 0x5000, DATA = 7\n");
    EXPECT_EQ(chip.machine.interrupts, (std::vector<unsigned>{20, 18, 17, 10, 11, 12}));
    for (const uint32_t index : {0xD600u, 0xD601u})
        EXPECT_EQ(
            std::count(chip.engines[0]->unchecked.begin(), chip.engines[0]->unchecked.end(), index),
            6);
    for (const char* text : {"CP_EVENT_WRITE EVENT = LABEL, ADDR_0 = 0x5000, DATA = 7\n",
                             "CP_EVENT_WRITE EVENT = CACHE_FLUSH_TS, IRQ = 1\n"}) {
        Chip fresh(GetParam());
        EXPECT_NE(stop_of(fresh, text).find("no instruction"), std::string::npos) << text;
    }
}

TEST_P(MicrocodeA6, StopsAtEventsOfThePipeline) {
    for (const char* event :
         {"ZPASS_DONE", "BLIT", "WRITE_PRIMITIVE_COUNTS", "LRZ_CLEAR", "BLIT_OP_FILL_2D",
          "BLIT_OP_COPY_2D", "BLIT_OP_SCALE_2D", "FLUSH_SO_0", "FLUSH_SO_3"}) {
        Chip fresh(GetParam());
        EXPECT_NE(stop_of(fresh, std::string("CP_EVENT_WRITE EVENT = ") + event + "\n")
                      .find("no instruction"),
                  std::string::npos)
            << event;
    }
    EXPECT_EQ(stop_of(chip, "CP_EVENT_WRITE EVENT = LRZ_FLUSH\nCP_EVENT_WRITE EVENT = LABEL\n"),
              "none");
}

class MicrocodeA7 : public Microcode {
  protected:
    static constexpr const char* kBoth = "CP_THREAD_CONTROL THREAD = CP_SET_THREAD_BOTH\n";
    static constexpr const char* kBr = "CP_THREAD_CONTROL THREAD = CP_SET_THREAD_BR\n";
    static constexpr const char* kBv = "CP_THREAD_CONTROL THREAD = CP_SET_THREAD_BV\n";
};
INSTANTIATE_TEST_SUITE_P(Chips, MicrocodeA7, testing::ValuesIn(kA7Chips), chip_name);

TEST_P(MicrocodeA7, StartsThreeProcessors) {
    ASSERT_EQ(chip.engines.size(), 3u);
    for (const auto& engine : chip.engines)
        EXPECT_TRUE(engine->running);
    EXPECT_EQ(chip.engines[0]->control("THREAD_SYNC"), 0u);
    EXPECT_EQ(chip.engines[1]->engine.state().gpr[0x15], 2u);
    EXPECT_EQ(chip.engines[2]->engine.state().gpr[0x15], 4u);
}

TEST_P(MicrocodeA7, RunsThePacketsOfTheThreadsThatAreOn) {
    const auto add = [](uint64_t address) {  // 1 more for each thread that runs it
        return "CP_MEM_TO_MEM DST = " + std::to_string(address) +
               ", SRC_A = " + std::to_string(address) + ", SRC_B = 0x5000\n";
    };
    chip.put(0x5000, {1});
    chip.put(0x6000, {0, 0, 0, 0, 0, 0, 0});
    chip.buffer(0x1'00010000, add(0x6010) + kBv + add(0x6014));
    const std::string sync = "CP_THREAD_CONTROL THREAD = CP_SET_THREAD_BR, SYNC_THREADS = 1\n";
    // Between two threads only a wait makes the sum certain.
    chip.run(add(0x6000) + kBoth + "CP_COND_REG_EXEC MODE = THREAD_MODE, BV = 1, DWORDS = 8\n" +
             add(0x6004) + kBv + add(0x6008) + kBr + add(0x600c) +
             "CP_INDIRECT_BUFFER IB_BASE = 0x100010000, IB_SIZE = 18\n" + add(0x6018) + sync);
    EXPECT_EQ(chip.memory(0x6000, 7), (Words{1, 1, 1, 1, 1, 1, 1}));
    EXPECT_TRUE(chip.taken());
}

TEST_P(MicrocodeA7, AThreadThatIsOffFollowsChains) {
    chip.put(0x6000, {0, 0});
    chip.buffer(0x1'00010000,
                "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
                "CP_INDIRECT_BUFFER_CHAIN IB_BASE = 0x100020000, IB_SIZE = 8\n");
    chip.buffer(0x1'00020000, std::string(kBv) + "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n" + kBr);
    chip.run(
        "CP_INDIRECT_BUFFER IB_BASE = 0x100010000, IB_SIZE = 8\n"
        "CP_THREAD_CONTROL SYNC_THREADS = 1\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 1}));
    EXPECT_TRUE(chip.taken());
}

TEST_P(MicrocodeA7, ThreadsWaitForEachOther) {
    chip.put(0x5000, {0});
    chip.put(0x6000, {0, 0});
    chip.run(
        std::string(kBv) +
        "CP_WAIT_REG_MEM FUNCTION = WRITE_EQ, POLL = POLL_MEMORY, POLL_ADDR = 0x5000, REF = 1, "
        "MASK = 1\nCP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n" +
        kBr + "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n" +
        "CP_THREAD_CONTROL THREAD = CP_SET_THREAD_BOTH, SYNC_THREADS = 1\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [2]\n" +
        "CP_THREAD_CONTROL SYNC_THREADS = 1\nCP_THREAD_CONTROL SYNC_THREADS = 1\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{0, 1}));
    chip.put(0x5000, {1});
    chip.run();
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 2}));
    EXPECT_TRUE(chip.taken());
}

TEST_P(MicrocodeA7, CountsEventsOfBothThreads) {
    chip.put(0x6000, {0, 0});
    chip.run(std::string("CP_BV_BR_COUNT_OPS OP = PIPE_CLEAR_BV_BR\n") +
             "CP_BV_BR_COUNT_OPS OP = PIPE_SET_BR_OFFSET, BR_OFFSET = 2\n" +
             "CP_THREAD_CONTROL THREAD = CP_SET_THREAD_BOTH, SYNC_THREADS = 1\n" + kBr +
             "CP_BV_BR_COUNT_OPS OP = PIPE_BR_WAIT_FOR_BV\n"
             "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 1), (Words{0}));
    chip.run(std::string(kBv) +
             "CP_EVENT_WRITE7 EVENT = DUMMY_EVENT, INC_BV_COUNT = 1\n"
             "CP_EVENT_WRITE7 EVENT = DUMMY_EVENT, INC_BV_COUNT = 1\n"
             "CP_BV_BR_COUNT_OPS OP = PIPE_BV_WAIT_FOR_BR\n"
             "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 0}));
    chip.run(std::string(kBr) + "CP_EVENT_WRITE7 EVENT = DUMMY_EVENT, INC_BR_COUNT = 1\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 1}));
    EXPECT_NE(stop_of(chip, "CP_EVENT_WRITE7 EVENT = DUMMY_EVENT, INC_BV_COUNT = 1\n")
                  .find("no instruction"),
              std::string::npos);
}

TEST_P(MicrocodeA7, WritesOnChipTimestampsAndWaitsForThem) {
    chip.put(0x6000, {0, 0, 0, 0});
    chip.put(0x5000, {0, 0});
    chip.run(
        "CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_DST = EV_DST_ONCHIP, WRITE_SRC = "
        "EV_WRITE_USER_64B, "
        "WRITE_ENABLED = 1, ONCHIP_ADDR_0 = 5, PAYLOAD_0 = 0xfffffff0, PAYLOAD_1 = 2\n"
        "CP_WAIT_TIMESTAMP WAIT_VALUE_SRC = TS_WAIT_GE_64B, WAIT_DST = TS_WAIT_ONCHIP, "
        "ONCHIP_ADDR_0 = 5, SRC_0 = 0xfffffff0, SRC_1 = 2\n"
        "CP_WAIT_TIMESTAMP WAIT_DST = TS_WAIT_ONCHIP, ONCHIP_ADDR_0 = 5, SRC_0 = 0xffffffef\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
        "CP_COND_REG_EXEC MODE = REG_COMPARE_IMM, ONCHIP_MEM = 1, REG0 = 6, IMM = 2, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n"
        "CP_COND_WRITE5 FUNCTION = WRITE_EQ, POLL = POLL_ON_CHIP, POLL_ADDR = 6, REF = 2, MASK = "
        "3, "
        "WRITE_MEMORY = 1, WRITE_ADDR = 0x6008, WRITE_DATA = 1\n"
        "CP_WAIT_TIMESTAMP WAIT_VALUE_SRC = TS_WAIT_GE_64B, ADDR = 0x5000, SRC_0 = 1, SRC_1 = 1\n"
        "CP_MEM_WRITE ADDR = 0x600c, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 4), (Words{1, 1, 1, 0}));
    EXPECT_EQ(chip.engines[1]->control_at(0x206), 2u);
    Chip less(GetParam());
    less.run(
        "CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_DST = EV_DST_ONCHIP, WRITE_SRC = "
        "EV_WRITE_USER_64B, "
        "WRITE_ENABLED = 1, ONCHIP_ADDR_0 = 5, PAYLOAD_0 = 0xfffffff0, PAYLOAD_1 = 2\n"
        "CP_WAIT_TIMESTAMP WAIT_VALUE_SRC = TS_WAIT_GE_64B, WAIT_DST = TS_WAIT_ONCHIP, "
        "ONCHIP_ADDR_0 = 5, SRC_0 = 0xfffffff1, SRC_1 = 2\nCP_NOP\n");
    EXPECT_FALSE(less.taken());
    chip.put(0x5000, {0, 1});
    chip.run();
    EXPECT_EQ(chip.memory(0x600c, 1), (Words{0}));
    chip.put(0x5000, {0, 2});
    chip.run();
    EXPECT_EQ(chip.memory(0x600c, 1), (Words{1}));
    chip.run("CP_RESET_CONTEXT_STATE CLEAR_ON_CHIP_TS = 1, CLEAR_RESOURCE_TABLE = 1\n");
    EXPECT_EQ(chip.engines[1]->control_at(0x206), 0u);
}

TEST_P(MicrocodeA7, AddsUpTimestamps) {
    chip.put(0x5000, {0, 0xFF, 0xFF, 0});
    chip.put(0x6000, {0, 0});
    chip.run(
        "CP_MODIFY_TIMESTAMP OP = MODIFY_TIMESTAMP_ADD_GLOBAL, ADD = 200\n"
        "CP_MODIFY_TIMESTAMP OP = MODIFY_TIMESTAMP_ADD_GLOBAL, ADD = 200\n"
        "CP_MODIFY_TIMESTAMP OP = MODIFY_TIMESTAMP_ADD_LOCAL, ADD = 3\n"
        "CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_SRC = EV_WRITE_TIMESTAMP_SUM, WRITE_ENABLED = "
        "1, "
        "ADDR = 0x5000\n"
        "CP_WAIT_TIMESTAMP WAIT_VALUE_SRC = TS_WAIT_GE_TIMESTAMP_SUM, ADDR = 0x5000\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
        "CP_MODIFY_TIMESTAMP OP = MODIFY_TIMESTAMP_ADD_LOCAL, ADD = 1\n"
        "CP_WAIT_TIMESTAMP WAIT_VALUE_SRC = TS_WAIT_GE_TIMESTAMP_SUM, ADDR = 0x5000\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x5000, 2), (Words{403, 0xFF}));
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 0}));
    Chip other(GetParam());
    other.put(0x5000, {0, 0});
    other.run(
        "CP_MODIFY_TIMESTAMP OP = MODIFY_TIMESTAMP_ADD_LOCAL, ADD = 3\nCP_MODIFY_TIMESTAMP\n"
        "CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_SRC = EV_WRITE_TIMESTAMP_SUM, WRITE_ENABLED = "
        "1, "
        "ADDR = 0x5004\n");
    EXPECT_EQ(other.memory(0x5000, 2), (Words{0, 0}));
}

TEST_P(MicrocodeA7, ResetsWhatAContextSet) {
    chip.put(0x5000, {0, 0xFF});
    chip.put(0x6000, {0, 0});
    chip.run(
        "CP_REG_TEST PRED_UPDATE = 1, PRED_MASK = 1, PRED_VAL = 1\n"
        "CP_SET_MARKER MODE = RM6_COMPUTE\n"
        "CP_MODIFY_TIMESTAMP OP = MODIFY_TIMESTAMP_ADD_LOCAL, ADD = 3\n"
        "CP_RESET_CONTEXT_STATE CLEAR_GLOBAL_LOCAL_TS = 1, RESET_CONTEXT_STATE = 1\n"
        "CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_SRC = EV_WRITE_TIMESTAMP_SUM, WRITE_ENABLED = "
        "1, "
        "IRQ = 1, ADDR = 0x5000\n"
        "CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, IRQ = 1\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
        "CP_COND_REG_EXEC MODE = RENDER_MODE, SYSMEM = 1, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x5000, 2), (Words{0, 0xFF}));
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{0, 1}));
    EXPECT_EQ(chip.machine.interrupts, (std::vector<unsigned>{20, 20}));
    EXPECT_NE(stop_of(chip, "CP_WAIT_TIMESTAMP WAIT_VALUE_SRC = 3\n").find("no instruction"),
              std::string::npos);
}

TEST_P(MicrocodeA7, ComparesRegistersWithNumbers) {
    chip.put(0x6000, {0, 0});
    chip.reg(0x9000) = 0x10;
    chip.run(
        "CP_COND_REG_EXEC MODE = REG_COMPARE_IMM, REG0 = 0x9000, IMM = 0x11, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
        "CP_COND_REG_EXEC MODE = REG_COMPARE_IMM, REG0 = 0x9000, IMM = 0x10, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{0, 1}));
}

TEST_P(MicrocodeA7, TestsScratchMemory) {
    chip.put(0x5000, {1, 0x40, 4});
    chip.put(0x6000, {0, 0});
    chip.run(
        "CP_MEM_TO_SCRATCH_MEM CNT = 3, OFFSET = 45, SRC = 0x5000\n"
        "CP_REG_TEST SOURCE = SOURCE_SCRATCH_MEM, SCRATCH_MEM_OFFSET = 46, BIT = 6, PRED_BIT = 3\n"
        "CP_REG_TEST SOURCE = SOURCE_SCRATCH_MEM, SCRATCH_MEM_OFFSET = 47, BIT = 4, PRED_BIT = 4\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, PRED_BIT = 3, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6000, DATA = [1]\n"
        "CP_COND_REG_EXEC MODE = PRED_TEST, PRED_BIT = 4, DWORDS = 4\n"
        "CP_MEM_WRITE ADDR = 0x6004, DATA = [1]\n");
    EXPECT_EQ(chip.memory(0x6000, 2), (Words{1, 0}));
    EXPECT_NE(stop_of(chip, "CP_MEM_TO_SCRATCH_MEM CNT = 4, OFFSET = 45, SRC = 0x5000\n")
                  .find("no instruction"),
              std::string::npos);
}

TEST_P(MicrocodeA7, ModifiesScratchRegisters) {
    chip.run(
        "CP_SCRATCH_WRITE SCRATCH = 3, DATA = [0xff]\n"
        "CP_REG_RMW DST_REG = 3, DST_SCRATCH = 1, SKIP_WAIT_FOR_ME = 1, SRC0 = 0xf0, SRC1 = 1\n"
        "CP_SCRATCH_TO_REG REG = 0x9000, SCRATCH = 3\n"
        "CP_CONTEXT_REG_BUNCH2 DATA = [1, 2, 0x9001, 5]\n");
    EXPECT_EQ(chip.reg(0x9000), 0xF1u);
    EXPECT_EQ(chip.reg(0x9001), 5u);
}

TEST_P(MicrocodeA7, StopsAtEventsOfThePipeline) {
    for (const char* event :
         {"EVENT = ZPASS_DONE", "EVENT = CCU_RESOLVE", "EVENT = LRZ_CLEAR",
          "EVENT = LRZ_FLIP_BUFFER", "EVENT = WRITE_PRIMITIVE_COUNTS", "EVENT = BLIT_OP_FILL_2D",
          "EVENT = UNK_40", "EVENT = BLIT_OP_SCALE_2D", "EVENT = FLUSH_SO_2",
          "EVENT = CACHE_CLEAN, CLEAR_LRZ_RESOURCE = 1",
          "EVENT = CACHE_CLEAN, CLEAR_RENDER_RESOURCE = 1",
          "EVENT = CACHE_CLEAN, WRITE_SAMPLE_COUNT = 1",
          "EVENT = CACHE_CLEAN, WRITE_SRC = EV_WRITE_REGS_CONTENT, "
          "WRITE_ENABLED = 1, ADDR = 0x4"}) {
        Chip fresh(GetParam());
        EXPECT_NE(
            stop_of(fresh, std::string("CP_EVENT_WRITE7 ") + event + "\n").find("no instruction"),
            std::string::npos)
            << event;
    }
}

}  // namespace
}  // namespace archipelago::afuc::test
