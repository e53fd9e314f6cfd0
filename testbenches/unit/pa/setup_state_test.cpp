// SPDX-License-Identifier: Apache-2.0
// What registers that drivers send mean, and what is refused by name.
#include "testbenches/unit/pa/pa_bench.h"

namespace archipelago::pa {
namespace {

TEST(PaState, IsWhatADriversRegistersSay) {
    PaBench b;
    b.set(si::PA_SU_VTX_CNTL, 0x3D);
    b.set(si::PA_SU_HARDWARE_SCREEN_OFFSET, 0x20003c);
    b.set(si::PA_SU_SC_MODE_CNTL, 0x81a44);
    b.set(si::PA_SU_POLY_OFFSET_DB_FMT_CNTL, 0x1e9);
    b.set(si::PA_SU_POLY_OFFSET_FRONT_SCALE, 32.0f);
    b.set(si::PA_CL_CLIP_CNTL, 0x1080000);
    b.viewport(15, {-7, 8, 0.25f}, {1, 2, 3});
    const SetupState s = b.state();
    EXPECT_TRUE(s.clip.enabled);
    EXPECT_TRUE(s.clip.zero_to_one);
    EXPECT_TRUE(s.clip.linear_in_window);
    EXPECT_TRUE(s.clip.near_plane);
    EXPECT_EQ(s.clip.clip_x, 100);
    EXPECT_EQ(s.snap.step, 1);
    EXPECT_EQ(s.snap.range, 2048 * 4096);
    EXPECT_EQ(s.snap.origin_x, 60 * 16);
    EXPECT_EQ(s.snap.origin_y, 32 * 16);
    EXPECT_EQ(s.snap.centre, 0);
    EXPECT_TRUE(s.positive_front);
    EXPECT_TRUE(s.provoking_last);
    EXPECT_TRUE(s.front_offset.enabled && s.back_offset.enabled && !s.line_offset.enabled);
    EXPECT_EQ(s.front_offset.scale, 32);
    EXPECT_EQ(s.offset_exponent, -23);
    EXPECT_TRUE(s.float_depth);
    EXPECT_EQ(s.front_mode, SetupState::PolygonMode::Fill);
    EXPECT_EQ(s.viewport[15].scale[0], -7);
    EXPECT_EQ(s.viewport[15].offset[2], 3);
    EXPECT_FALSE(s.w_inverted || s.xy_divided || s.z_divided);
}

TEST(PaState, VectorsFollowOneAnotherInTheSlotsThatHaveAFormat) {
    PaBench b;
    b.set(si::SPI_SHADER_POS_FORMAT, 0x444);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x00C0'0503);  // CCDIST0, CCDIST1; clip 0 and 1, cull 0 and 2
    SetupState s = b.state();
    EXPECT_EQ(s.exports.misc, ExportLayout::kAbsent);
    EXPECT_EQ(s.exports.distances[0], 1);
    EXPECT_EQ(s.exports.distances[1], 2);
    EXPECT_EQ(s.clip.distances, 3);
    EXPECT_EQ(s.clip.cull_distances, 5);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x012C'0000);  // misc: layer and viewport
    s = b.state();
    EXPECT_EQ(s.exports.misc, 1);
    EXPECT_TRUE(s.exports.layer && s.exports.viewport && !s.exports.point_size);
}

TEST(PaState, RefusesByNameWhatItHasNot) {
    const auto refused = [](uint32_t offset, uint32_t value, const std::string& name) {
        PaBench b;
        b.set(offset, value);
        EXPECT_NE(b.refusal().find(name), std::string::npos) << name << ": " << b.refusal();
    };
    refused(si::SPI_SHADER_POS_FORMAT, 0, "SPI_SHADER_POS_FORMAT has no format for POS0");
    refused(si::PA_CL_VS_OUT_CNTL, 1u << 21, "PA_CL_VS_OUT_CNTL enables 1 vectors");
    refused(si::PA_CL_VS_OUT_CNTL, 1u << 5,
            "CLIP_DIST_ENA_5 is set, VS_OUT_CCDIST1_VEC_ENA is not");
    refused(si::PA_CL_VS_OUT_CNTL, 1u << 8,
            "CULL_DIST_ENA_0 is set, VS_OUT_CCDIST0_VEC_ENA is not");
    refused(si::PA_CL_CLIP_CNTL, 1u | 2u << 14, "PA_CL_CLIP_CNTL.PS_UCP_MODE 2");
    refused(si::PA_SU_SC_MODE_CNTL, 2u << 3, "PA_SU_SC_MODE_CNTL.POLY_MODE has the reserved value");
    refused(si::PA_SU_SC_MODE_CNTL, 1u << 3 | 7u << 5, "POLYMODE_FRONT_PTYPE has the reserved");
    PaBench b;
    b.set(si::SPI_SHADER_POS_FORMAT, 0x44);
    b.set(si::PA_CL_VS_OUT_CNTL, 0x0030'0000);
    EXPECT_NE(b.refusal().find("USE_VTX_KILL_FLAG is not implemented"), std::string::npos);
}

TEST(PaState, NothingIsRefusedOfADrawWithoutRasterisation) {
    PaBench b;
    b.set(si::PA_CL_CLIP_CNTL, 1u << 22);
    b.set(si::SPI_SHADER_POS_FORMAT, 0u);
    EXPECT_EQ(b.refusal(), "");
    EXPECT_TRUE(b.state().clip.kill);
}

}  // namespace
}  // namespace archipelago::pa
