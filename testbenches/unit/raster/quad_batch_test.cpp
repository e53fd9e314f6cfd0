// SPDX-License-Identifier: Apache-2.0
#include "models/raster/quad_batch.h"

#include <gtest/gtest.h>

#include <random>

namespace archipelago::raster {
namespace {

TEST(QuadBatch, CoveredAreTheLanesOfItsQuadsWithASample) {
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        QuadBatch batch;
        batch.quads = static_cast<uint8_t>(random() % (QuadBatch::kQuads + 1));
        uint64_t expected = 0;
        for (unsigned lane = 0; lane < QuadBatch::kLanes; ++lane) {
            // None, one sample, or any.
            const unsigned samples[] = {0, 1u << random() % 16, static_cast<unsigned>(random())};
            batch.coverage[lane] = static_cast<uint16_t>(samples[random() % 3]);
            if (lane < 4u * batch.quads && batch.coverage[lane] != 0)
                expected |= uint64_t{1} << lane;
        }
        ASSERT_EQ(batch.covered(), expected);
    }
}

}  // namespace
}  // namespace archipelago::raster
