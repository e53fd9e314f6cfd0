// SPDX-License-Identifier: Apache-2.0
// The generator of `random:` buffers. The vectors were computed by scripts/reference.
#include "testbenches/host/random_data.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace archipelago::host {
namespace {

using ::testing::ElementsAre;

TEST(RandomData, GivesThePublishedSequence) {
    RandomData one(1);
    EXPECT_EQ(one.next(), 0x806132229cb46b5du);
    EXPECT_EQ(one.next(), 0x060f1487c439fe10u);
    EXPECT_EQ(one.next(), 0xbfff144d8a4f7aecu);
    RandomData beef(0xdeadbeef);
    EXPECT_EQ(beef.next(), 0x2aec896bb91b6e42u);
    EXPECT_EQ(beef.next(), 0xf6800279f64ee9eeu);
}

TEST(RandomData, SeedThatWouldMakeTheStateZeroUsesOne) {
    RandomData zero(0);
    RandomData unlucky(0x0e217c1e66c88cc3);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(zero.next(), unlucky.next());
    EXPECT_EQ(RandomData(0).next(), 0x47e4ce4b896cdd1du);
}

TEST(RandomData, EachTypeTakesTheTopBits) {
    EXPECT_THAT(fill_random("u8", 2, 1), ElementsAre(0x80, 0x06));
    EXPECT_THAT(fill_random("i8", 2, 1), ElementsAre(0x80, 0x06));
    EXPECT_THAT(fill_random("u16", 2, 1), ElementsAre(0x61, 0x80, 0x0f, 0x06));
    EXPECT_THAT(fill_random("i32", 1, 1), ElementsAre(0x22, 0x32, 0x61, 0x80));
    EXPECT_THAT(fill_random("u64", 1, 1),
                ElementsAre(0x5d, 0x6b, 0xb4, 0x9c, 0x22, 0x32, 0x61, 0x80));
    EXPECT_THAT(fill_random("f16", 2, 1), ElementsAre(0x03, 0x38, 0x00, 0x26));
    EXPECT_THAT(fill_random("f32", 2, 1),
                ElementsAre(0x32, 0x61, 0x00, 0x3f, 0x80, 0xe2, 0xc1, 0x3c));
    EXPECT_THAT(fill_random("f64", 1, 1),
                ElementsAre(0x8d, 0x96, 0x53, 0x44, 0x26, 0x0c, 0xe0, 0x3f));
    EXPECT_TRUE(fill_random("f64", 0, 1).empty());
}

TEST(RandomData, RefusesUnknownTypesAndAbsurdSizes) {
    EXPECT_THROW(fill_random("f8", 1, 1), std::invalid_argument);
    EXPECT_THROW(fill_random("", 1, 1), std::invalid_argument);
    EXPECT_THROW(fill_random("u64", uint64_t{1} << 61, 1), std::invalid_argument);
}

}  // namespace
}  // namespace archipelago::host
