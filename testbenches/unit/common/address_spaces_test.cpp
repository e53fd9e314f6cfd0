// SPDX-License-Identifier: Apache-2.0
#include "models/common/address_spaces.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace archipelago::address_spaces_test {
namespace {

constexpr uint64_t kTop = ~uint64_t{0};

TEST(RangeMap, OneAddressLeadsElsewhereInEachSpace) {
    RangeMap spaces;
    spaces.map(1, {0x4000, 0x5fff, 0x90000});
    spaces.map(2, {0x4000, 0x4fff, 0xa0000});
    EXPECT_EQ(spaces.translate(1, 0x4000), 0x90000u);
    EXPECT_EQ(spaces.translate(1, 0x5fff), 0x91fffu);
    EXPECT_EQ(spaces.translate(2, 0x4abc), 0xa0abcu);
    EXPECT_EQ(spaces.translate(2, 0x5000), std::nullopt);
    EXPECT_EQ(spaces.translate(1, 0x3fff), std::nullopt);
    EXPECT_EQ(spaces.translate(1, 0x6000), std::nullopt);
}

TEST(RangeMap, AVmidWithoutASpaceIsNotTranslated) {
    RangeMap spaces;
    spaces.map(1, {0x4000, 0x4fff, 0x90000});
    EXPECT_FALSE(spaces.translates(0));
    EXPECT_TRUE(spaces.translates(1));
    EXPECT_EQ(spaces.translate(0, kTop), kTop);
    EXPECT_EQ(spaces.find(0, 0x4000), kUntranslated);
    // A packet can name 8 bits of VMID.
    EXPECT_EQ(spaces.translate(200, 0x4000), 0x4000u);
}

TEST(RangeMap, AnOpenSpaceHasNothingUntilItIsMappedAndNoneOnceItIsClosed) {
    RangeMap spaces;
    spaces.open(3);
    EXPECT_TRUE(spaces.translates(3));
    EXPECT_EQ(spaces.translate(3, 0x1000), std::nullopt);
    spaces.map(3, {0x1000, 0x1fff, 0});
    spaces.open(3);
    EXPECT_EQ(spaces.translate(3, 0x1000), 0u) << "a space that is open stays as it is";
    EXPECT_TRUE(spaces.unmap(3, 0x1000));
    EXPECT_FALSE(spaces.unmap(3, 0x1000));
    EXPECT_EQ(spaces.translate(3, 0x1000), std::nullopt);
    spaces.close(3);
    EXPECT_EQ(spaces.translate(3, 0x1000), 0x1000u);
    EXPECT_FALSE(spaces.unmap(3, 0x1000));
}

TEST(RangeMap, RangesAreFoundByAnyOfTheirAddresses) {
    RangeMap spaces;
    spaces.map(1, {0x4000, 0x5fff, 0x90000});
    spaces.map(1, {0x8000, 0x8fff, 0x80000});
    EXPECT_EQ(spaces.overlap(1, 0, 0x3fff), std::nullopt);
    EXPECT_EQ(spaces.overlap(1, 0, 0x4000)->first, 0x4000u);
    EXPECT_EQ(spaces.overlap(1, 0x5fff, kTop)->first, 0x4000u);
    EXPECT_EQ(spaces.overlap(1, 0x6000, kTop)->first, 0x8000u);
    EXPECT_EQ(spaces.overlap(1, 0x9000, kTop), std::nullopt);
    EXPECT_EQ(spaces.overlap(2, 0, kTop), std::nullopt);
    std::vector<std::pair<unsigned, uint64_t>> seen;
    spaces.for_each([&](uint8_t vmid, const MappedRange& r) { seen.emplace_back(vmid, r.first); });
    EXPECT_EQ(seen, (std::vector<std::pair<unsigned, uint64_t>>{{1, 0x4000}, {1, 0x8000}}));
}

TEST(RangeMap, TheLastPageOfAllAddressesCanBeMapped) {
    RangeMap spaces;
    spaces.map(15, {kTop - 0xfff, kTop, 0x1000});
    EXPECT_EQ(spaces.translate(15, kTop), 0x1fffu);
    EXPECT_THROW(spaces.map(15, {0x2000, 0x3fff, kTop - 0xfff}), std::invalid_argument);
}

TEST(RangeMap, WhatIsNoRangeOfPagesIsRefused) {
    RangeMap spaces;
    spaces.map(1, {0x4000, 0x5fff, 0x90000});
    for (const MappedRange& bad :
         {MappedRange{0x4010, 0x4fff, 0}, MappedRange{0x7000, 0x7ffe, 0},
          MappedRange{0x7000, 0x7fff, 0x40}, MappedRange{0x7000, 0x6fff, 0},
          MappedRange{0x3000, 0x4fff, 0}, MappedRange{0x5000, 0x5fff, 0}})
        EXPECT_THROW(spaces.map(1, bad), std::invalid_argument) << bad.first;
    EXPECT_THROW(spaces.map(16, {0x4000, 0x4fff, 0}), std::invalid_argument);
    EXPECT_THROW(spaces.open(16), std::invalid_argument);
}

TEST(RangeMap, AFaultNamesTheVmidUnlessItIsTheKernels) {
    EXPECT_EQ(refused_address(MemStatus::Unmapped, 0x40, 0), "unmapped address 0x40");
    EXPECT_EQ(refused_address(MemStatus::Unmapped, 0x40, 3), "unmapped address 0x40 of VMID 3");
}

}  // namespace
}  // namespace archipelago::address_spaces_test
