// SPDX-License-Identifier: Apache-2.0
// Random registers and random primitives: the scan stops by name, or stays inside its scissors.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "models/common/error.h"
#include "scan_bench.h"

namespace archipelago::sc {
namespace {

using Random = std::mt19937;

constexpr uint32_t kRegisters[] = {si::PA_SC_SCREEN_SCISSOR_TL,  si::PA_SC_SCREEN_SCISSOR_BR,
                                   si::PA_SC_WINDOW_OFFSET,      si::PA_SC_WINDOW_SCISSOR_TL,
                                   si::PA_SC_WINDOW_SCISSOR_BR,  si::PA_SC_CLIPRECT_RULE,
                                   si::PA_SC_CLIPRECT_0_TL,      si::PA_SC_CLIPRECT_0_BR,
                                   si::PA_SC_CLIPRECT_3_TL,      si::PA_SC_CLIPRECT_3_BR,
                                   si::PA_SC_EDGERULE,           si::PA_SC_GENERIC_SCISSOR_TL,
                                   si::PA_SC_GENERIC_SCISSOR_BR, si::PA_SC_VPORT_SCISSOR_0_TL,
                                   si::PA_SC_VPORT_SCISSOR_0_BR, si::PA_SC_RASTER_CONFIG,
                                   si::PA_SC_LINE_STIPPLE,       si::PA_SC_MODE_CNTL_0,
                                   si::PA_SC_MODE_CNTL_1,        si::PA_SC_CENTROID_PRIORITY_0,
                                   si::PA_SC_LINE_CNTL,          si::PA_SC_AA_CONFIG,
                                   si::PA_SC_AA_MASK_X0Y0_X1Y0,  si::PA_SC_AA_MASK_X0Y1_X1Y1};

// Any word, or a rectangle's corner near the origin.
uint32_t random_word(Random& random) {
    switch (random() % 4) {
        case 0:
            return static_cast<uint32_t>(random());
        case 1:
            return static_cast<uint32_t>(random() & 0x003F003F);
        case 2:
            return static_cast<uint32_t>(random() & 0x801F801F);
        default:
            return 0x00400040;
    }
}

Primitive random_primitive(Random& random) {
    const auto coordinate = [&] {
        const int reach = random() % 3 == 0 ? 1 << 29 : random() % 2 == 0 ? 40 << 12 : 2 << 12;
        return static_cast<int32_t>(random() % (2u * static_cast<unsigned>(reach))) - reach;
    };
    Primitive p;
    p.shape = static_cast<Primitive::Shape>(random() % 4);
    p.corners = p.shape == Primitive::Shape::Triangle ? 3 : 4;
    for (Point& corner : p.corner)
        corner = {coordinate(), coordinate()};
    // A parallelogram, as PA makes them.
    if (p.corners == 4) {
        for (Point& corner : p.corner)
            corner = {corner.x / 4, corner.y / 4};
        p.corner[3] = {p.corner[0].x + p.corner[2].x - p.corner[1].x,
                       p.corner[0].y + p.corner[2].y - p.corner[1].y};
    }
    p.viewport = static_cast<uint8_t>(random() % 256);
    p.x_major = random() % 2 != 0;
    p.descending = random() % 2 != 0;
    p.stipple_start = static_cast<uint32_t>(random());
    return p;
}

TEST(ScanFuzz, RandomStateStopsByNameOrStaysInsideItsScissors) {
    Random random(21);
    unsigned scanned = 0, stopped = 0, covered = 0;
    for (int i = 0; i < 6000; ++i) {
        ScanBench bench;
        bench.set(si::PA_SC_WINDOW_SCISSOR_BR, 0x00400040);  // most runs: a small window
        for (unsigned n = random() % 6; n != 0; --n)
            bench.set(kRegisters[random() % std::size(kRegisters)], random_word(random));
        const Primitive p = random_primitive(random);
        try {
            const PixelRect& scissor = bench.state().scissor[p.viewport & 15];
            if (int64_t{scissor.x1 - scissor.x0} * (scissor.y1 - scissor.y0) > 1 << 20)
                continue;  // millions of pixels in a map
            const Pixels pixels = bench.scan(p);
            ++scanned;
            covered += pixels.empty() ? 0 : 1;
            for (const auto& [at, coverage] : pixels) {
                ASSERT_TRUE(at.first >= scissor.x0 && at.first < scissor.x1 &&
                            at.second >= scissor.y0 && at.second < scissor.y1);
                ASSERT_EQ(coverage & ~bench.state().samples.all(), 0);
            }
        } catch (const MachineStop& stop) {
            ++stopped;
            EXPECT_NE(stop.kind(), StopKind::Internal) << stop.what();
            EXPECT_NE(std::string(stop.what()).find("PA_SC_"), std::string::npos) << stop.what();
        }
    }
    EXPECT_GT(scanned, 4000u);
    EXPECT_GT(covered, 500u);
    EXPECT_GT(stopped, 50u);
}

}  // namespace
}  // namespace archipelago::sc
