// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/programs.h"

namespace archipelago::cu::test {
namespace {

class Functional : public ::testing::Test {
  protected:
    Functional() : view(memory), cu({}, view, CuBench::identity()) {
        memory.map(kData, kDataBytes);
        memory.map(kCode, 0x2000);
    }
    void load(const std::vector<uint32_t>& program, uint64_t at = kCode) {
        memory.write(at, program.data(), program.size() * 4);
    }
    void run(const std::vector<uint32_t>& program, WaveLaunch launch = make_launch()) {
        load(program, launch.pc);
        cu.run_group(&launch, 1, stats);
    }
    uint32_t word(uint64_t offset) const {
        uint32_t value = 0;
        memory.read(kData + offset, &value, 4);
        return value;
    }
    void set_word(uint64_t offset, uint32_t value) { memory.write(kData + offset, &value, 4); }
    MemoryImage memory;
    ImageMemory view;
    FunctionalCu cu;
    FunctionalStats stats;
};

TEST_F(Functional, LoadsAndStoresAcrossAPageBoundary) {
    for (unsigned i = 0; i < 64; ++i)
        set_word(4096 - 100 + 4 * i, i + 7);
    WaveLaunch l = make_launch();
    set_descriptor(l, kData + 4096 - 100, 0x2000);
    run(kLoadAddStore, l);
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(word(4096 - 100 + 1024 + 4 * i), i + 12);
    cu.new_dispatch();
    run(kLoadWide, l);
    EXPECT_EQ(word(4096 - 100 + 2048), 12u);
}

TEST_F(Functional, AChangedProgramIsSeenAfterANewDispatch) {
    run({0xbe840381, 0xbf810000});  // s_mov_b32 s4, 1
    EXPECT_EQ(cu.wave(0)->s[4], 1u);
    load({0xbe840385, 0xbf810000});  // s_mov_b32 s4, 5
    cu.new_dispatch();
    WaveLaunch l = make_launch();
    cu.run_group(&l, 1, stats);
    EXPECT_EQ(cu.wave(0)->s[4], 5u);
}

TEST_F(Functional, ATwoDwordInstructionMayCrossAPage) {
    WaveLaunch l = make_launch();
    l.pc = kCode + 0xFFC;
    run({0xbe8403ff, 0x12345678, 0xbf810000}, l);  // s_mov_b32 s4, 0x12345678
    EXPECT_EQ(cu.wave(0)->s[4], 0x12345678u);
    const uint32_t other = 0x87654321;
    memory.write(kCode + 0x1000, &other, 4);
    cu.new_dispatch();
    cu.run_group(&l, 1, stats);
    EXPECT_EQ(cu.wave(0)->s[4], 0x87654321u);
}

TEST_F(Functional, WavesOfAGroupMeetAtBarriers) {
    load(kExchange);
    std::vector<WaveLaunch> group;
    for (unsigned i = 0; i < 4; ++i)
        group.push_back(make_launch(4, i));
    cu.run_group(group.data(), 4, stats);
    for (unsigned i = 0; i < 256; ++i)
        EXPECT_EQ(word(4 * i), 3 * (i ^ 64));
    EXPECT_EQ(stats.work.barriers, 4u);
    EXPECT_EQ(stats.work.waves, 4u);
}

TEST_F(Functional, CountsAreByClass) {
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = 10;
    run(kLoop, l);
    const auto count = [&](isa::Class c) {
        return stats.work.instructions[static_cast<unsigned>(c)];
    };
    EXPECT_EQ(count(isa::Class::Salu), 20u);
    EXPECT_EQ(count(isa::Class::Branch), 10u);
    EXPECT_EQ(count(isa::Class::Internal), 1u);
    EXPECT_EQ(stats.work.branches_taken, 9u);
}

TEST_F(Functional, AStoreThatReachesAnUnmappedPageWritesTheLanesBeforeIt) {
    WaveLaunch l = make_launch();
    set_descriptor(l, kData + kDataBytes - 128, 0x1000);
    EXPECT_THROW(run(kDivergence, l), MachineStop);
    EXPECT_EQ(word(kDataBytes - 4), 1u);
}

TEST_F(Functional, TimeGoesOn) {
    run(kTimed64);
    EXPECT_EQ(cu.wave(0)->s[4], 3u);  // instructions from one s_memtime to the next
}

}  // namespace
}  // namespace archipelago::cu::test
