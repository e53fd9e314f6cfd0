// SPDX-License-Identifier: Apache-2.0
#include "models/spi/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace archipelago::spi::occupancy_test {
namespace {

using testing::ElementsAre;

// 4 SIMDs of 10 slots, 256 VGPRs in fours and 512 SGPRs in eights; 64 KiB of LDS, 16 barriers.
Occupancy of(const GroupSize& group) {
    return occupancy(SpiSpec(), group);
}

TEST(Occupancy, IsAllWaveSlotsForAProgramThatAsksForLittle) {
    const Occupancy found = of({1, 24, 48, 0});
    EXPECT_EQ(found.waves, 40u);
    EXPECT_THAT(found.limits, ElementsAre("wave slots"));
}

TEST(Occupancy, NamesTheResourceThatAllowsFewest) {
    const std::tuple<GroupSize, unsigned, const char*> cases[] = {
        {{1, 64, 8, 0}, 16, "VGPRs"},      // four waves a SIMD
        {{1, 65, 8, 0}, 12, "VGPRs"},      // 68 after rounding up
        {{1, 4, 104, 0}, 16, "SGPRs"},     //
        {{4, 4, 8, 32768}, 8, "LDS"},      // two groups
        {{2, 4, 8, 0}, 32, "barriers"},    // 16 groups of two waves
        {{4, 4, 8, 0}, 40, "wave slots"},  // ten groups need ten barriers
        {{16, 84, 8, 0}, 0, "VGPRs"},      // 12 waves have room, not 16
        {{3, 4, 8, 0}, 39, "wave slots"},  // a slot is left
        {{1, 4, 8, 65536 + 1}, 0, "LDS"},
    };
    for (const auto& [group, waves, limit] : cases) {
        const Occupancy found = of(group);
        EXPECT_EQ(found.waves, waves) << limit << " " << group.vgprs << " " << group.waves;
        EXPECT_THAT(found.limits, ElementsAre(limit)) << group.vgprs << " " << group.waves;
    }
}

TEST(Occupancy, NamesAllThatAllowEquallyFew) {
    EXPECT_THAT(of({1, 64, 104, 0}).limits, ElementsAre("VGPRs", "SGPRs"));
}

TEST(Occupancy, NeverFallsWhenAProgramAsksForLess) {
    rc::check([] {
        GroupSize group{*rc::gen::inRange(1u, 17u), *rc::gen::inRange(1u, 257u),
                        *rc::gen::inRange(1u, 105u), *rc::gen::inRange(0u, 65537u)};
        const unsigned waves = of(group).waves;
        RC_ASSERT(waves % group.waves == 0);
        group.vgprs = (group.vgprs + 1) / 2;
        group.lds_bytes /= 2;
        RC_ASSERT(of(group).waves >= waves);
    });
}

}  // namespace
}  // namespace archipelago::spi::occupancy_test
