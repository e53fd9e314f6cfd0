// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/wave_init.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/cu/pipeline/cu_state.h"

namespace archipelago::cu {
namespace {

class WaveInit : public ::testing::Test {
  protected:
    WaveInit() : registers(8) {
        for (VectorRegister& r : registers)
            for (uint32_t& lane : r.lanes)
                lane = 0xDEADBEEF;
        launch.vgpr_count = 4;
        launch.sgpr_count = 16;
        launch.group_dim = {8, 4, 4};
        launch.id_components = 3;
        launch.exec = ~uint64_t{0};
    }
    void init() { init_wave(launch, {1, 1, 5}, &registers[0].lanes, wave); }
    std::vector<VectorRegister> registers;
    WaveLaunch launch;
    isa::WaveState wave;
};

TEST_F(WaveInit, LocalIdsCountXFastest) {
    launch.first_thread = 64;
    init();
    for (unsigned lane = 0; lane < 64; ++lane) {
        const unsigned thread = 64 + lane;
        EXPECT_EQ(registers[0].lanes[lane], thread % 8);
        EXPECT_EQ(registers[1].lanes[lane], thread / 8 % 4);
        EXPECT_EQ(registers[2].lanes[lane], thread / 32);
    }
}

TEST_F(WaveInit, LocalIdsMayStartInTheMiddleOfARow) {
    launch.group_dim = {5, 3, 100};
    launch.first_thread = 7;
    init();
    for (unsigned lane = 0; lane < 64; ++lane) {
        EXPECT_EQ(registers[0].lanes[lane], (7 + lane) % 5);
        EXPECT_EQ(registers[1].lanes[lane], (7 + lane) / 5 % 3);
        EXPECT_EQ(registers[2].lanes[lane], (7 + lane) / 15);
    }
}

TEST_F(WaveInit, OnlyTheEnabledComponentsAreWrittenTheRestIsZero) {
    launch.id_components = 1;
    init();
    EXPECT_EQ(registers[0].lanes[9], 1u);
    EXPECT_EQ(registers[1].lanes[9], 0u);
    EXPECT_EQ(registers[3].lanes[9], 0u);
    EXPECT_EQ(registers[4].lanes[9], 0xDEADBEEF);  // not this wave's
}

TEST_F(WaveInit, ScalarStateComesFromTheLaunch) {
    launch.sgpr_init_count = 3;
    launch.sgpr_init = {11, 22, 33, 44};
    launch.exec = 0xFFFF;
    launch.pc = 0x1234500;
    launch.vmid = 5;
    launch.priority = 2;
    launch.float_mode = 0x1 | 0x2 << 2 | 0x1 << 4 | 0x2 << 6;
    launch.ieee = false;
    launch.dx10_clamp = true;
    launch.lds_base = 512;
    launch.lds_bytes = 1024;
    launch.simd = 2;
    launch.slot = 9;
    launch.group_slot = 6;
    init();
    EXPECT_EQ(wave.s[0], 11u);
    EXPECT_EQ(wave.s[2], 33u);
    EXPECT_EQ(wave.s[3], 0u);
    EXPECT_EQ(wave.exec(), 0xFFFFu);
    EXPECT_EQ(wave.vcc(), 0u);
    EXPECT_EQ(wave.pc, 0x1234500u);
    EXPECT_EQ(wave.mode.fp_round_32, 1);
    EXPECT_EQ(wave.mode.fp_round_64, 2);
    EXPECT_EQ(wave.mode.fp_denorm_32, 1);
    EXPECT_EQ(wave.mode.fp_denorm_64, 2);
    EXPECT_FALSE(wave.mode.ieee);
    EXPECT_TRUE(wave.mode.dx10_clamp);
    EXPECT_EQ(wave.lds_base, 512u);
    EXPECT_EQ(wave.lds_size, 1024u);
    EXPECT_EQ(wave.s[isa::kM0], 1024u);
    EXPECT_EQ(wave.num_vgprs, 4);
    EXPECT_EQ(wave.num_sgprs, 16);
    EXPECT_EQ(wave.hw_id, 9u | 2u << 4 | 5u << 8 | 1u << 12 | 1u << 13 | 6u << 16 | 5u << 20);
}

TEST_F(WaveInit, AGroupDimensionOfZeroDoesNotDivideByZero) {
    launch.group_dim = {0, 0, 0};
    init();
    EXPECT_EQ(registers[0].lanes[5], 0u);
}

}  // namespace
}  // namespace archipelago::cu
