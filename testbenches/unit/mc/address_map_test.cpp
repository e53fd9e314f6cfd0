// SPDX-License-Identifier: Apache-2.0
#include "models/mc/address_map.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/common/error.h"
#include "testbenches/unit/mc/memory_parts.h"

namespace archipelago::mc {
namespace {

ChannelMapSpec bits(unsigned channels) {
    ChannelMapSpec s;
    s.channels = channels;
    return s;
}
ChannelMapSpec tahiti() {
    ChannelMapSpec s;
    s.kind = ChannelMapKind::Tahiti;
    s.channels = 12;
    return s;
}

TEST(ChannelMap, PitcairnChannelIsAddressBits10To8) {
    const ChannelMap map(bits(8));
    test::Random random(1);
    for (int i = 0; i < 10000; ++i) {
        const uint64_t a = random.next();
        EXPECT_EQ(map.channel(a), a >> 8 & 7);
    }
}

TEST(ChannelMap, VerdeChannelIsAddressBits9To8) {
    const ChannelMap map(bits(4));
    for (uint64_t a = 0; a < 8192; a += 64)
        EXPECT_EQ(map.channel(a), a >> 8 & 3);
}

TEST(ChannelMap, TahitiWithAPowerOfTwoOfChannelsTakesAddressBits) {
    for (const unsigned channels : {4u, 8u, 16u}) {
        ChannelMapSpec s = tahiti();
        s.channels = channels;
        const ChannelMap map(s);
        const ChannelMap plain(bits(channels));
        test::Random random(2);
        for (int i = 0; i < 10000; ++i) {
            const uint64_t a = random.next() >> 20;
            const unsigned channel = map.channel(a);
            ASSERT_EQ(channel, plain.channel(a));
            ASSERT_EQ(map.global_address(channel, map.local_address(a)), a);
        }
    }
}

TEST(ChannelMap, TahitiFollowsThePublishedRule) {
    const ChannelMap map(tahiti());
    test::Random random(2);
    for (int i = 0; i < 100000; ++i) {
        const uint64_t a = random.next() >> 20;
        const unsigned quadrant = a >> 9 & 3;
        const unsigned in_quadrant = (a >> 11) % 3 == 1 ? 1 : 2 * (a >> 8 & 1);
        ASSERT_EQ(map.channel(a), quadrant * 3 + in_quadrant);
    }
}

double same_channel(const ChannelMap& map, uint64_t step) {
    test::Random random(3);
    unsigned same = 0;
    constexpr unsigned kTries = 200000;
    for (unsigned i = 0; i < kTries; ++i) {
        const uint64_t a = random.next() >> 24;
        same += map.channel(a) == map.channel(a + step) ? 1 : 0;
    }
    return static_cast<double>(same) / kTries;
}

TEST(ChannelMap, TahitiAddresses2048ApartShareAChannelInOneThirdOfCases) {
    EXPECT_NEAR(same_channel(ChannelMap(tahiti()), 2048), 1.0 / 3, 0.03);
}

TEST(ChannelMap, TahitiAddresses256ApartShareAChannelInOneSixthOfCases) {
    EXPECT_NEAR(same_channel(ChannelMap(tahiti()), 256), 1.0 / 6, 0.03);
}

TEST(ChannelMap, PitcairnAddresses2048ApartAlwaysShareAChannel) {
    EXPECT_EQ(same_channel(ChannelMap(bits(8)), 2048), 1.0);
}

TEST(ChannelMap, ChannelsShareARangeEvenly) {
    for (const ChannelMapSpec& spec : {bits(8), bits(4), tahiti()}) {
        const ChannelMap map(spec);
        std::vector<unsigned> lines(spec.channels, 0);
        const uint64_t range = uint64_t{spec.channels} * 3 * 4096;
        for (uint64_t a = 0; a < range; a += 64)
            ++lines[map.channel(a)];
        for (const unsigned n : lines)
            EXPECT_EQ(n, range / 64 / spec.channels);
    }
}

TEST(ChannelMap, LocalAddressesAreDenseAndInvertible) {
    for (const ChannelMapSpec& spec : {bits(1), bits(2), bits(16), tahiti()}) {
        const ChannelMap map(spec);
        const uint64_t range = uint64_t{spec.channels} * 3 * 8192;
        std::vector<std::vector<bool>> seen(spec.channels,
                                            std::vector<bool>(range / spec.channels / 64));
        for (uint64_t a = 0; a < range; a += 64) {
            const unsigned c = map.channel(a);
            const uint64_t local = map.local_address(a);
            ASSERT_LT(local, range / spec.channels);
            ASSERT_FALSE(seen[c][local / 64]) << "two lines share a local address";
            seen[c][local / 64] = true;
            ASSERT_EQ(map.global_address(c, local), a);
        }
        test::Random random(4);
        for (int i = 0; i < 10000; ++i) {
            const uint64_t a = random.next() >> 16;
            ASSERT_EQ(map.global_address(map.channel(a), map.local_address(a)), a);
        }
    }
}

TEST(ChannelMap, ImpossibleParametersAreRefused) {
    ChannelMapSpec three = bits(3);
    EXPECT_THROW(ChannelMap{three}, MachineStop);
    ChannelMapSpec narrow = bits(4);
    narrow.interleave_bytes = 32;
    EXPECT_THROW(ChannelMap{narrow}, MachineStop);
    ChannelMapSpec odd = bits(4);
    odd.interleave_bytes = 384;
    EXPECT_THROW(ChannelMap{odd}, MachineStop);
    ChannelMapSpec ten = tahiti();
    ten.channels = 10;
    EXPECT_THROW(ChannelMap{ten}, MachineStop);
}

TEST(DramMap, NeighbouringBlocksLieInDifferentBanksOfDifferentGroups) {
    const DramMap map(DramGeometry{16, 4, 2048, 256});
    for (uint64_t block = 0; block < 64; ++block) {
        const DramAddress a = map.decode(block * 256 + 64);
        const DramAddress b = map.decode((block + 1) * 256);
        EXPECT_EQ(a.bank, block % 16);
        EXPECT_NE(a.bank, b.bank);
        EXPECT_NE(map.group_of(a.bank), map.group_of(b.bank));
    }
}

TEST(DramMap, ARowHoldsRowBytesOfABank) {
    const DramMap map(DramGeometry{16, 4, 2048, 256});
    // 16 banks x 2048 bytes lie in row 0, each byte at its own place.
    std::vector<bool> seen(16 * 2048);
    for (uint64_t a = 0; a < 16 * 2048; ++a) {
        const DramAddress d = map.decode(a);
        ASSERT_EQ(d.row, 0u);
        ASSERT_LT(d.column, 2048u);
        ASSERT_FALSE(seen[d.bank * 2048 + d.column]);
        seen[d.bank * 2048 + d.column] = true;
    }
    EXPECT_EQ(map.decode(16 * 2048).row, 1u);
    EXPECT_EQ(map.decode(16 * 2048).bank, 0u);
}

TEST(DramMap, ImpossibleParametersAreRefused) {
    EXPECT_THROW(DramMap(DramGeometry{12, 4, 2048, 256}), MachineStop);
    EXPECT_THROW(DramMap(DramGeometry{16, 32, 2048, 256}), MachineStop);
    EXPECT_THROW(DramMap(DramGeometry{16, 4, 128, 256}), MachineStop);
    EXPECT_THROW(DramMap(DramGeometry{16, 4, 2048, 32}), MachineStop);
}

}  // namespace
}  // namespace archipelago::mc
