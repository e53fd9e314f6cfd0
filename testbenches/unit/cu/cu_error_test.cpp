// SPDX-License-Identifier: Apache-2.0
// Errors name the place and the reason, alike in both modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/programs.h"

namespace archipelago::cu::test {
namespace {

using ::testing::HasSubstr;

struct Stop {
    bool stopped = false;
    StopKind kind{};
    std::string text;
};

template <class Run>
Stop stop_of(Run&& run) {
    Stop stop;
    try {
        run();
    } catch (const MachineStop& s) {
        stop = {true, s.kind(), s.what()};
    }
    return stop;
}

class CuError : public ::testing::Test {
  protected:
    Stop cycle(const std::vector<uint32_t>& program, const WaveLaunch& launch) {
        CuBench bench;
        bench.load(program);
        bench.launch(launch);
        return stop_of([&] { bench.run(); });
    }
    Stop functional(const std::vector<uint32_t>& program, const WaveLaunch& launch) {
        CuBench bench;
        bench.load(program);
        ImageMemory memory(bench.memory);
        FunctionalCu cu({}, memory, CuBench::identity());
        cu.set_instruction_limit(100000);
        FunctionalStats stats;
        return stop_of([&] { cu.run_group(&launch, 1, stats); });
    }
    void expect_both(const std::vector<uint32_t>& program, const WaveLaunch& launch, StopKind kind,
                     std::initializer_list<const char*> parts) {
        for (const Stop& stop : {cycle(program, launch), functional(program, launch)}) {
            ASSERT_TRUE(stop.stopped);
            EXPECT_EQ(stop.kind, kind) << stop.text;
            for (const char* part : parts)
                EXPECT_THAT(stop.text, HasSubstr(part));
        }
    }
};

TEST_F(CuError, AReadOfAnUnmappedAddressNamesWaveInstructionAddressAndLane) {
    WaveLaunch l = make_launch(1, 0, 17);
    l.simd = 2;
    l.slot = 4;
    l.vgpr_base = 0;
    set_descriptor(l, kData + kDataBytes - 40, 0x1000);
    expect_both(kLoadAddStore, l, StopKind::Fault,
                {"se0.sh1.cu3", "cs1.g17.w0 pc 0x10004", "(buffer_load_dword",
                 "read of unmapped address 0x110000, lane 10"});
    EXPECT_THAT(cycle(kLoadAddStore, l).text, HasSubstr("simd2 slot4"));
}

TEST_F(CuError, AWriteToAnUnmappedAddressIsNamed) {
    WaveLaunch l = make_launch();
    set_descriptor(l, 0x500000, 0x1000);
    expect_both(kDivergence, l, StopKind::Fault,
                {"(buffer_store_dword", "write to unmapped address 0x500000, lane 0"});
}

TEST_F(CuError, AnAtomicOnAnUnmappedAddressIsNamed) {
    WaveLaunch l = make_launch();
    set_descriptor(l, 0x500000, 0x1000);
    expect_both(kAtomicSame, l, StopKind::Fault,
                {"(buffer_atomic_add", "atomic on unmapped address 0x500000, lane 0"});
}

TEST_F(CuError, AMisalignedWideAtomicIsNamed) {
    WaveLaunch l = make_launch();
    set_descriptor(l, kData + 4, 0x1000);
    expect_both(kAtomicWide, l, StopKind::Fault, {"atomic on misaligned address 0x100004, lane 0"});
}

TEST_F(CuError, AScalarReadOfAnUnmappedAddressIsNamed) {
    WaveLaunch l = make_launch();
    l.sgpr_init[4] = 0x600000;
    expect_both(kScalarLoads, l, StopKind::Fault,
                {"pc 0x10000 (s_load_dword", "scalar read of unmapped address 0x600000"});
}

TEST_F(CuError, AFetchFromAnUnmappedAddressIsNamed) {
    WaveLaunch l = make_launch();
    l.pc = 0x700000;
    expect_both(kValuChain, l, StopKind::Fault,
                {"pc 0x700000", "instruction fetch from an unmapped address"});
}

TEST_F(CuError, FetchingAheadBeyondTheEndOfMemoryIsNoError) {
    CuBench bench;
    const std::vector<uint32_t> end = {0xbf810000};
    bench.load(end, kCode + 0xFFC);
    WaveLaunch l = make_launch();
    l.pc = kCode + 0xFFC;
    bench.launch(l);
    bench.run();
    EXPECT_EQ(bench.spi.ended.size(), 1u);
}

TEST_F(CuError, AnIllegalInstructionIsNamedWithItsEncoding) {
    expect_both({0xbf800000, 0xffffffff}, make_launch(), StopKind::BadInput,
                {"pc 0x10004", "illegal instruction 0xffffffff: no encoding has these upper bits"});
}

TEST_F(CuError, AnInstructionWhoseUnitIsNotThereIsNamed) {
    expect_both(kExport, make_launch(), StopKind::Unimplemented,
                {"pc 0x10000", "exp", "export needs the graphics export units"});
}

TEST_F(CuError, RegistersBeyondTheAllocationAreNamed) {
    expect_both(kManyRegisters, make_launch(), StopKind::BadInput,
                {"(v_mov_b32", "vector register v40 is used, the wave has 24"});
    expect_both(kManyScalars, make_launch(), StopKind::BadInput,
                {"(s_mov_b32", "scalar register s90 is used, the wave has 48"});
}

TEST_F(CuError, AnEndlessProgramIsStoppedInFunctionalMode) {
    const Stop stop = functional(kEndless, make_launch());
    ASSERT_TRUE(stop.stopped);
    EXPECT_EQ(stop.kind, StopKind::Hang);
    EXPECT_THAT(stop.text, HasSubstr(".g0.w0 pc 0x10000"));
    EXPECT_THAT(stop.text, HasSubstr("100000 instructions"));
}

TEST_F(CuError, LaunchesThatDoNotFitAreRefused) {
    const auto refused = [&](auto change) {
        WaveLaunch l = make_launch();
        change(l);
        const Stop stop = cycle(kValuChain, l);
        EXPECT_TRUE(stop.stopped);
        EXPECT_EQ(stop.kind, StopKind::Protocol);
    };
    refused([](WaveLaunch& l) { l.simd = 4; });
    refused([](WaveLaunch& l) { l.slot = 10; });
    refused([](WaveLaunch& l) { l.group_slot = 200; });
    refused([](WaveLaunch& l) { l.vgpr_base = 250; });
    refused([](WaveLaunch& l) { l.sgpr_base = 500; });
    refused([](WaveLaunch& l) { l.lds_base = 65000; });
    refused([](WaveLaunch& l) { l.pc = 2; });
}

TEST_F(CuError, AUnitThatIsNotConnectedRefusesWaves) {
    CuCore core({}, CuBench::identity());
    core.launch_in.push(0, make_launch());
    EXPECT_THAT(stop_of([&] { core.tick(1); }).text, HasSubstr("not connected"));
}

TEST_F(CuError, AnOccupiedSlotIsRefused) {
    CuBench bench;
    bench.load(kSetPriority);
    bench.launch(make_launch());
    bench.launch(make_launch());
    EXPECT_THAT(stop_of([&] { bench.run(); }).text, HasSubstr("the wave slot is occupied"));
}

TEST_F(CuError, UnsolicitedResponsesAreProtocolErrors) {
    CuBench bench;
    bench.core.mem_in.push(0, MemResponse{});
    EXPECT_EQ(stop_of([&] { bench.run(); }).kind, StopKind::Protocol);
    CuBench other;
    other.core.scalar_in.push(0, ScalarResponse{});
    EXPECT_EQ(stop_of([&] { other.run(); }).kind, StopKind::Protocol);
}

TEST_F(CuError, ASpecOutOfRangeNamesTheField) {
    CuSpec spec;
    spec.simds = 5;
    try {
        spec.validate();
        FAIL();
    } catch (const std::invalid_argument& e) {
        EXPECT_STREQ(e.what(), "cu.simds: 5 not in 1..4");
    }
}

TEST_F(CuError, ASpecWithoutGdsAnswersOrImageCyclesIsRefused) {
    EXPECT_NO_THROW(CuSpec{}.validate());
    CuSpec spec;
    spec.gds_in.latency = 0;
    EXPECT_THROW(spec.validate(), std::invalid_argument);
    for (auto cycles : {&CuSpec::image_load_cycles, &CuSpec::image_scattered_cycles,
                        &CuSpec::image_filter_cycles}) {
        spec = {};
        (spec.*cycles)[2] = 0;
        EXPECT_THROW(spec.validate(), std::invalid_argument);
    }
    spec = {};
    spec.ta_image_quad_cycles = 0;
    EXPECT_THROW(spec.validate(), std::invalid_argument);
}

}  // namespace
}  // namespace archipelago::cu::test
