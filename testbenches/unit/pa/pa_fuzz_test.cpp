// SPDX-License-Identifier: Apache-2.0
// Any positions and any registers: nothing crashes, and what comes out is what the scan converter
// may rely on.
#include <cmath>
#include <limits>
#include <random>

#include "testbenches/unit/pa/pa_bench.h"

namespace archipelago::pa {
namespace {

class Fuzz {
  public:
    explicit Fuzz(unsigned seed) : random_(seed) {}
    uint32_t bits() { return static_cast<uint32_t>(random_()); }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

    float number() {
        using Limits = std::numeric_limits<float>;
        static const float kSpecial[] = {0.0f,
                                         -0.0f,
                                         1.0f,
                                         -1.0f,
                                         Limits::infinity(),
                                         -Limits::infinity(),
                                         Limits::quiet_NaN(),
                                         Limits::max(),
                                         Limits::lowest(),
                                         Limits::min(),
                                         Limits::denorm_min(),
                                         65536.0f,
                                         -32768.5f,
                                         1e-20f,
                                         1e20f};
        switch (below(4)) {
            case 0:
                return kSpecial[below(sizeof kSpecial / sizeof *kSpecial)];
            case 1: {
                const uint32_t any = bits();
                float value = 0;
                std::memcpy(&value, &any, sizeof value);
                return value;
            }
            default:
                return static_cast<float>(int(below(4001)) - 2000) / 1000;
        }
    }

    void registers(PaBench& b) {
        b.set(si::PA_CL_CLIP_CNTL, bits() & (below(2) != 0 ? 0x0D0F003F : 0x0D0E0000));
        b.set(si::PA_SU_SC_MODE_CNTL,
              (bits() & 0x00193807) | below(2) << 3 | below(3) << 5 | below(3) << 8);
        b.set(si::PA_CL_VTE_CNTL, below(2) != 0 ? bits() & 0x73F : 0x43F);
        b.set(si::PA_CL_NANINF_CNTL, bits());
        b.set(si::PA_SU_VTX_CNTL, bits() & 0x3F);
        b.set(si::PA_SU_HARDWARE_SCREEN_OFFSET, bits());
        b.set(si::PA_SC_WINDOW_OFFSET, bits());
        b.set(si::PA_SU_POINT_SIZE, bits());
        b.set(si::PA_SU_POINT_MINMAX, bits());
        b.set(si::PA_SU_LINE_CNTL, bits());
        b.set(si::PA_SC_LINE_CNTL, bits());
        b.set(si::PA_SC_MODE_CNTL_0, bits());
        b.set(si::PA_SC_LINE_STIPPLE, below(3) << 29);
        b.set(si::PA_SU_POLY_OFFSET_DB_FMT_CNTL, bits());
        for (const uint32_t reg :
             {si::PA_SU_POLY_OFFSET_CLAMP, si::PA_SU_POLY_OFFSET_FRONT_SCALE,
              si::PA_SU_POLY_OFFSET_FRONT_OFFSET, si::PA_SU_POLY_OFFSET_BACK_SCALE,
              si::PA_SU_POLY_OFFSET_BACK_OFFSET, si::PA_CL_GB_HORZ_CLIP_ADJ,
              si::PA_CL_GB_VERT_CLIP_ADJ, si::PA_CL_GB_HORZ_DISC_ADJ, si::PA_CL_GB_VERT_DISC_ADJ})
            b.set(reg, below(3) != 0 ? number() : 1.5f);
        for (uint32_t n = 0; n < 24; ++n)
            b.set(si::PA_CL_UCP_0_X + 4 * n, number());
        for (unsigned n = 0; n < 16; ++n)
            b.viewport(n, {number(), number(), number()}, {number(), number(), number()});
        if (below(2) != 0)
            for (unsigned n = 0; n < 16; ++n)
                b.viewport(n, {32, 32, 0.5f}, {32, 32, 0.5f});
        // Misc vector and distances, all or none.
        vectors_ = below(2) != 0 ? 3 : 0;
        b.set(si::SPI_SHADER_POS_FORMAT, vectors_ != 0 ? 0x4444u : 4u);
        b.set(si::PA_CL_VS_OUT_CNTL, vectors_ != 0 ? 0x00EF0000 | (bits() & 0xffff) : 0);
    }

    std::vector<Vertex> vertices() {
        std::vector<Vertex> out(1 + below(3));
        for (Vertex& v : out) {
            for (float& c : v.position)
                c = number();
            if (below(2) != 0)
                v.position[3] = 1;
            for (unsigned n = 0; n < vectors_; ++n)
                v.more.push_back({bits_of(number()), bits_of(number()), bits_of(number()),
                                  below(2) != 0 ? below(20) : bits()});
        }
        return out;
    }

  private:
    std::mt19937_64 random_;
    unsigned vectors_ = 0;
};

void check(const raster::Primitive& p) {
    ASSERT_TRUE(p.corners == 3 || p.corners == 4);
    int64_t area = 0;
    for (unsigned k = 2; k < p.corners; ++k) {
        const int64_t piece = area_of(p.corner[0], p.corner[k - 1], p.corner[k]);
        ASSERT_TRUE(area == 0 || piece == 0 || (piece > 0) == (area > 0));  // convex
        area += piece;
    }
    ASSERT_NE(area, 0);
    ASSERT_NE(area_of(p.plane[0].at, p.plane[1].at, p.plane[2].at), 0);
    ASSERT_LT(p.viewport, 16);
    ASSERT_LT(p.layer, 0x800);
    ASSERT_TRUE(std::isfinite(p.depth.z) && !std::isnan(p.depth.dz_dx) &&
                !std::isnan(p.depth.dz_dy));
    for (const raster::PlaneVertex& v : p.plane)
        ASSERT_TRUE(std::isfinite(v.inverse_w) && std::isfinite(v.i) && std::isfinite(v.j) &&
                    std::isfinite(v.linear_i) && std::isfinite(v.linear_j));
    for (const raster::Point& c : p.corner) {
        ASSERT_LT(std::abs(int64_t{c.x}), int64_t{1} << 29);
        ASSERT_LT(std::abs(int64_t{c.y}), int64_t{1} << 29);
    }
}

TEST(PaFuzz, AnyPositionsAndRegistersGiveSoundPrimitives) {
    Fuzz fuzz(99);
    unsigned out = 0;
    for (unsigned round = 0; round < 5000; ++round) {
        PaBench b;
        fuzz.registers(b);
        for (unsigned k = 0; k < 20; ++k) {
            PrimitiveMessage message;
            message.inner_edges = static_cast<uint8_t>(fuzz.below(8));
            message.first = fuzz.below(2) != 0;
            const std::vector<Vertex> vertices = fuzz.vertices();
            message.rectangle = vertices.size() == 3 && fuzz.below(4) == 0;
            for (const raster::Primitive& p : b.run(vertices, message)) {
                check(p);
                ++out;
                if (::testing::Test::HasFatalFailure())
                    FAIL() << "round " << round << " primitive " << k;
            }
        }
    }
    EXPECT_GT(out, 5000u);
}

}  // namespace
}  // namespace archipelago::pa
