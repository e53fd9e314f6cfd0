// SPDX-License-Identifier: Apache-2.0
// Sample positions and centroid priority as registers give them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/gcn/si/windows.h"
#include "models/raster/sample_positions.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::raster {
namespace {

namespace si = regs::si;

struct Bench {
    SampleRegisters map{&si::database()};
    RegisterSets sets{gcn::si::context_window(), si::GFX_COPY_STATE};

    void set(uint32_t offset, uint32_t value) {
        RegRequest request;
        request.offset = offset;
        request.value = value;
        request.write = true;
        request.context = 3;
        ASSERT_TRUE(sets.write(request));
    }
    SamplePositions decode() const { return decode_sample_positions(map, RegisterView{sets, 3}); }
};

TEST(SamplePositions, AreThoseOfTheDriversRegisters) {
    Bench bench;
    bench.set(si::PA_SC_AA_CONFIG, 0x20C002);
    bench.set(si::PA_SC_MODE_CNTL_0, 3);
    for (const uint32_t r :
         {si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0,
          si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0})
        bench.set(r, 0x622AE6AE);
    bench.set(si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0, 0x00007F88);
    bench.set(si::PA_SC_CENTROID_PRIORITY_0, 0x32103210);
    bench.set(si::PA_SC_CENTROID_PRIORITY_1, 0x32103210);
    const SamplePositions s = bench.decode();
    ASSERT_EQ(s.count, 4);
    EXPECT_EQ(s.all(), 0xF);
    const std::vector<std::pair<int, int>> expected = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};
    for (unsigned pixel = 0; pixel < 3; ++pixel)
        for (unsigned i = 0; i < 4; ++i) {
            EXPECT_EQ(s.at[pixel][i].x, expected[i].first);
            EXPECT_EQ(s.at[pixel][i].y, expected[i].second);
        }
    EXPECT_EQ(s.at[3][0].x, -8);
    EXPECT_EQ(s.at[3][0].y, -8);
    EXPECT_EQ(s.at[3][1].x, -1);
    EXPECT_EQ(s.at[3][1].y, 7);
}

TEST(SamplePositions, CentroidIsTheFirstCoveredSampleInThePriorityOrAtTheCentre) {
    Bench bench;
    bench.set(si::PA_SC_AA_CONFIG, 3);
    bench.set(si::PA_SC_MODE_CNTL_0, 1);
    bench.set(si::PA_SC_CENTROID_PRIORITY_0, 0x35460127);
    bench.set(si::PA_SC_CENTROID_PRIORITY_1, 0x35460127);
    const SamplePositions s = bench.decode();
    EXPECT_EQ(s.centroid(0xFF), SamplePositions::kCentre);
    EXPECT_EQ(s.centroid(0x00), SamplePositions::kCentre);
    EXPECT_EQ(s.centroid(0xFE), 7);
    EXPECT_EQ(s.centroid(0x7F), 2);
    EXPECT_EQ(s.centroid(0x29), 0);
    EXPECT_EQ(s.centroid(0x28), 5);
    EXPECT_EQ(s.centroid(0x08), 3);
}

TEST(SamplePositions, LieAtTheCentreWithoutMultisamplingAndOfASingleSample) {
    Bench bench;
    bench.set(si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, 0x622AE6AE);
    bench.set(si::PA_SC_AA_CONFIG, 2);
    EXPECT_EQ(bench.decode().count, 4);
    EXPECT_FALSE(bench.decode().apart);
    EXPECT_EQ(bench.decode().at[0][0].x, 0);
    EXPECT_EQ(bench.decode().centroid(1), SamplePositions::kCentre);
    bench.set(si::PA_SC_MODE_CNTL_0, 1);
    EXPECT_TRUE(bench.decode().apart);
    bench.set(si::PA_SC_AA_CONFIG, 0);
    EXPECT_EQ(bench.decode().count, 1);
    EXPECT_EQ(bench.decode().at[0][0].x, 0);
}

TEST(SamplePositions, MoreThanSixteenAreRefusedByName) {
    Bench bench;
    bench.set(si::PA_SC_AA_CONFIG, 5);
    try {
        bench.decode();
        FAIL() << "32 samples were taken";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_NE(std::string(stop.what()).find("PA_SC_AA_CONFIG.MSAA_NUM_SAMPLES"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace archipelago::raster
