// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/asic/chip_options.h"

namespace archipelago::asic {
namespace {

struct Lane {};
struct Cache {};

TEST(Substitutes, HaveAPlaceForWhatAChipHasLookedFor) {
    const ChipOptions options;
    const ChipOptions of_the_chip = options;
    Lane lane;
    Cache cache;
    Substitutes lanes, both;
    lanes.use(lane);
    both.use(lane);
    both.use(cache);
    EXPECT_FALSE(options.substitutes.have_places_for(lanes));
    EXPECT_EQ(of_the_chip.substitutes.find<Lane>(), nullptr);
    EXPECT_TRUE(options.substitutes.have_places_for(lanes));
    EXPECT_FALSE(options.substitutes.have_places_for(both));
    EXPECT_TRUE(options.substitutes.have_places_for({}));
}

}  // namespace
}  // namespace archipelago::asic
