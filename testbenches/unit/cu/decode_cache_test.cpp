// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "models/cu/pipeline/decoded.h"

namespace archipelago::cu {
namespace {

using Words = std::array<uint32_t, kFetchDwords>;

Words words_of(uint32_t number) {
    Words words{};
    for (unsigned i = 0; i < kFetchDwords; ++i)
        words[i] = number * 0x01000193u + i;
    return words;
}

TEST(DecodeCache, ABlockIsFoundAgainByItsWordsHoweverManyThereAre) {
    DecodeCache cache;
    std::vector<DecodedBlock*> blocks;
    for (uint32_t i = 0; i < 5000; ++i) {
        blocks.push_back(&cache.block(words_of(i)));
        EXPECT_EQ(blocks.back()->words, words_of(i));
    }
    for (uint32_t i = 0; i < 5000; ++i)
        EXPECT_EQ(&cache.block(words_of(i)), blocks[i]) << i;
}

TEST(DecodeCache, BlocksThatDifferInOneDwordAreDifferent) {
    DecodeCache cache;
    const DecodedBlock& plain = cache.block(words_of(1));
    for (unsigned i = 0; i < kFetchDwords; ++i) {
        Words words = words_of(1);
        words[i] ^= 0x80000000u;
        EXPECT_NE(&cache.block(words), &plain) << i;
    }
}

}  // namespace
}  // namespace archipelago::cu
