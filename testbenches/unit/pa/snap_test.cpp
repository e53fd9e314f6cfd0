// SPDX-License-Identifier: Apache-2.0
// Window coordinates on the grid against integer arithmetic.
#include <random>

#include "testbenches/unit/pa/pa_bench.h"

namespace archipelago::pa {
namespace {

// Of `num` / 2^20 pixels, in 1/4096 pixel, as PA_SU_VTX_CNTL says.
int64_t snapped(int64_t num, uint32_t quant, uint32_t round, int64_t screen_offset,
                bool half_centres) {
    static const int kLog[8] = {4, 3, 2, 1, 0, 8, 10, 12};  // grid units in a pixel
    static const int64_t kRange[8] = {32768, 32768, 32768, 32768, 32768, 32768, 8192, 2048};
    const int64_t unit = int64_t{1} << (20 - kLog[quant]);
    const int64_t value = num - (screen_offset * (1 << 20));
    int64_t grid = value / unit - (value % unit < 0 ? 1 : 0);
    const int64_t rest = value - grid * unit;
    const bool odd = (grid & 1) != 0;
    if (round == 1)
        grid += 2 * rest >= unit ? 1 : 0;
    else if (round != 0)
        grid += 2 * rest > unit || (2 * rest == unit && odd == (round == 2)) ? 1 : 0;
    const int64_t most = kRange[quant] << kLog[quant];
    grid = grid < -most ? -most : grid > most - 1 ? most - 1 : grid;
    return grid * (1 << (12 - kLog[quant])) + screen_offset * 4096 + (half_centres ? 0 : 2048);
}

TEST(PaSnap, IsTheGridOfEveryModeByIntegerArithmetic) {
    std::mt19937_64 random(1);
    for (unsigned round_trip = 0; round_trip < 20000; ++round_trip) {
        const uint32_t quant = random() % 8, round = random() % 4;
        const uint32_t offset = random() % 3 == 0 ? random() % 512 : 0;
        const bool half = random() % 2 != 0;
        PaBench b;
        b.field(b.map.PA_SU_VTX_CNTL.QUANT_MODE, quant);
        b.field(b.map.PA_SU_VTX_CNTL.ROUND_MODE, round);
        b.field(b.map.PA_SU_VTX_CNTL.PIX_CENTER, half ? 1 : 0);
        b.field(b.map.PA_SU_HARDWARE_SCREEN_OFFSET.HW_SCREEN_OFFSET_X, offset);
        const SnapState state = b.state().snap;
        ASSERT_EQ(state.origin_x, int32_t(16 * offset));
        for (unsigned k = 0; k < 20; ++k) {
            // From near 0 to beyond the range, with ties of every grid.
            const unsigned size = 12 + random() % 26;
            int64_t num = static_cast<int64_t>(random() % (uint64_t{1} << size));
            if (random() % 2 != 0)
                num &= -(int64_t{1} << (random() % 20));
            num = random() % 2 != 0 ? -num : num;
            const double value = std::ldexp(static_cast<double>(num), -20);
            ASSERT_EQ(snap(state, value, state.origin_x).value,
                      snapped(num, quant, round, 16 * offset, half))
                << value << " quant " << quant << " round " << round << " offset " << offset;
        }
    }
}

TEST(PaSnap, InfinityAndWhatIsBeyondTheRangeSaturate) {
    PaBench b;
    const SnapState state = b.state().snap;
    EXPECT_EQ(snap(state, HUGE_VAL, 0).value, 32768 * 4096 - 16);
    EXPECT_EQ(snap(state, -HUGE_VAL, 0).value, -32768 * 4096);
    EXPECT_EQ(snap(state, 1e300, 0).value, 32768 * 4096 - 16);
}

TEST(PaSnap, ScreenOffsetOnlyMovesTheRange) {
    PaBench b;
    for (uint32_t round = 0; round < 4; ++round) {
        b.set(si::PA_SU_HARDWARE_SCREEN_OFFSET, 0u);
        b.field(b.map.PA_SU_VTX_CNTL.ROUND_MODE, round);
        const SnapState without = b.state().snap;
        b.set(si::PA_SU_HARDWARE_SCREEN_OFFSET, 0x200020);
        const SnapState with = b.state().snap;
        for (int k = -4000; k < 4000; ++k)
            ASSERT_EQ(snap(without, k / 512.0, 0).value, snap(with, k / 512.0, 512).value);
    }
}

TEST(PaSnap, AVertexPassesDivisionAndViewport) {
    PaBench b;
    b.viewport(0, {32, -16, 0.5f}, {40, 20, 0.5f});
    const auto out = b.run(PaBench::clip_space({{0, 0, 0, 2}, {1, 1, 1, 2}, {-1, 1.5f, -1, 2}}));
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].corner[0].x, 40 * 4096);
    EXPECT_EQ(out[0].corner[0].y, 20 * 4096);
    EXPECT_EQ(out[0].corner[1].x, 56 * 4096);
    EXPECT_EQ(out[0].corner[1].y, 12 * 4096);
    EXPECT_EQ(out[0].plane[1].inverse_w, 0.5f);
    EXPECT_EQ(out[0].depth.at_point(40 * 4096, 20 * 4096), 0.5);
    EXPECT_EQ(out[0].depth.at_point(56 * 4096, 12 * 4096), 0.75);
}

TEST(PaSnap, WindowCoordinatesPassAsTheyAre) {
    PaBench b;
    b.window_coordinates();
    b.set(si::PA_SC_WINDOW_OFFSET, 0xFFFE0003);  // x 3, y -2
    const auto vertices = PaBench::window({{1, 2, 0.25f}, {9, 2, 0.25f}, {1, 5, 0.25f}});
    const auto as_is = b.run(vertices);
    ASSERT_EQ(as_is.size(), 1u);
    EXPECT_EQ(as_is[0].corner[0].x, 4096);
    EXPECT_EQ(as_is[0].depth.z, 0.25);
    b.field(b.map.PA_SU_SC_MODE_CNTL.VTX_WINDOW_OFFSET_ENABLE, 1);
    const auto moved = b.run(vertices);
    EXPECT_EQ(moved[0].corner[0].x, 4 * 4096);
    EXPECT_EQ(moved[0].corner[0].y, 0);
}

TEST(PaSnap, WIsInvertedAndScalesAreSkippedAsVteSays) {
    PaBench b;
    b.field(b.map.PA_CL_CLIP_CNTL.CLIP_DISABLE, 1);
    b.set(si::PA_CL_VTE_CNTL, 0u);  // x, y and z to be multiplied by w, which is 1/w
    const auto out =
        b.run(PaBench::clip_space({{8, 8, 1, 0.5f}, {16, 8, 1, 0.5f}, {8, 16, 1, 0.5f}}));
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].corner[1].x, 8 * 4096);
    EXPECT_EQ(out[0].depth.z, 0.5);
    EXPECT_EQ(out[0].plane[0].inverse_w, 0.5f);
}

}  // namespace
}  // namespace archipelago::pa
