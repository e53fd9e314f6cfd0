// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "models/spi/range_allocator.h"

namespace archipelago::spi::allocator_test {
namespace {

TEST(RangeAllocator, TakesTheLowestRunThatIsLongEnough) {
    RangeAllocator a(64);
    a.take(0, 4);
    a.take(6, 10);
    EXPECT_EQ(a.find(2), 4);
    EXPECT_EQ(a.find(3), 16);
    EXPECT_EQ(a.find(48), 16);
    EXPECT_EQ(a.find(49), -1);
    EXPECT_EQ(a.find(0), 0);
    EXPECT_EQ(a.find(65), -1);
    EXPECT_EQ(a.used(), 14u);
}

TEST(RangeAllocator, AgreesWithAPlainSearchOverRandomTraffic) {
    for (const unsigned granules : {10u, 64u, 100u, 256u}) {
        RangeAllocator a(granules);
        std::vector<bool> used(granules);
        std::vector<std::pair<unsigned, unsigned>> held;
        std::mt19937 rng(granules);
        for (int step = 0; step < 5000; ++step) {
            const unsigned count = 1 + rng() % 17;
            int want = -1;
            for (unsigned i = 0; i + count <= granules && want < 0; ++i) {
                bool free = true;
                for (unsigned k = 0; k < count; ++k)
                    free = free && !used[i + k];
                if (free)
                    want = static_cast<int>(i);
            }
            ASSERT_EQ(a.find(count), want);
            if (want >= 0 && rng() % 3 != 0) {
                a.take(static_cast<unsigned>(want), count);
                for (unsigned k = 0; k < count; ++k)
                    used[static_cast<unsigned>(want) + k] = true;
                held.emplace_back(want, count);
            } else if (!held.empty()) {
                const size_t i = rng() % held.size();
                a.free(held[i].first, held[i].second);
                for (unsigned k = 0; k < held[i].second; ++k)
                    used[held[i].first + k] = false;
                held.erase(held.begin() + static_cast<long>(i));
            }
        }
    }
}

}  // namespace
}  // namespace archipelago::spi::allocator_test
