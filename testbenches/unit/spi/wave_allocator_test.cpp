// SPDX-License-Identifier: Apache-2.0
#include "models/spi/wave_allocator.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace archipelago::spi::wave_allocator_test {
namespace {

// An allocator with its state, and the position of CUs by engine, array and number.
struct Bench {
    explicit Bench(const AllocatorShape& shape) : allocator(shape) { allocator.reset(state); }
    const AllocatorGrant& ask(const AllocatorQuery& query) {
        allocator.allocate(state, query, grant);
        return grant;
    }
    AllocatorFreed free(unsigned wave) {
        return allocator.free(state, grant.cu, grant.waves[wave].simd, grant.waves[wave].slot);
    }
    WaveAllocator allocator;
    AllocatorState state;
    AllocatorGrant grant;
};

AllocatorShape one_cu() {
    AllocatorShape s;
    s.shader_engines = s.sh_per_se = s.cu_per_sh = 1;
    return s;
}

AllocatorQuery group(unsigned waves, unsigned vgprs = 1, unsigned sgprs = 1, unsigned lds = 0) {
    AllocatorQuery q;
    q.waves = waves;
    q.vgprs = vgprs;
    q.sgprs = sgprs;
    q.lds = lds;
    q.enabled = {~0u, ~0u};
    return q;
}

TEST(WaveAllocator, TakesEnginesArraysAndUnitsInTurn) {
    Bench b({});
    // 16 CUs an engine, 8 an array.
    for (const unsigned cu : {0u, 16u, 8u, 24u, 1u, 17u, 9u, 25u, 2u}) {
        ASSERT_TRUE(b.ask(group(1)).placed);
        EXPECT_EQ(b.grant.cu, cu);
    }
}

TEST(WaveAllocator, PassesOverLaunchingEnginesFullArraysAndDisabledUnits) {
    Bench b({});
    AllocatorQuery q = group(1);
    q.launching = 1;
    EXPECT_EQ(b.ask(q).cu, 16u);
    EXPECT_EQ(b.grant.attempts, 2u + 1 + 1);  // two arrays, a CU, a wave
    q.launching = 0;
    q.enabled = {1u << 20, 0};
    EXPECT_EQ(b.ask(q).cu, 12u);
    q.waves_per_sh = 1;
    EXPECT_FALSE(b.ask(q).placed);
    q.launching = 3;
    EXPECT_FALSE(b.ask(q).placed);
    EXPECT_EQ(b.grant.attempts, 4u);
}

TEST(WaveAllocator, SpreadsTheWavesOfAGroupOverTheSimds) {
    Bench b(one_cu());
    ASSERT_TRUE(b.ask(group(6, 4, 2)).placed);
    for (unsigned w = 0; w < 6; ++w) {
        EXPECT_EQ(b.grant.waves[w].simd, w % 4);
        EXPECT_EQ(b.grant.waves[w].slot, w / 4);
        EXPECT_EQ(b.grant.waves[w].vgpr, 4 * (w / 4));
        EXPECT_EQ(b.grant.waves[w].sgpr, 2 * (w / 4));
    }
    ASSERT_TRUE(b.ask(group(1)).placed);
    EXPECT_EQ(b.grant.waves[0].simd, 2u);
}

TEST(WaveAllocator, EachResourceAloneRefusesAGroup) {
    const struct {
        const char* what;
        AllocatorQuery first, second;
    } cases[] = {{"vgprs", group(4, 33), group(1, 32)},
                 {"sgprs", group(4, 1, 33), group(1, 1, 32)},
                 {"lds", group(1, 1, 1, 200), group(1, 1, 1, 57)}};
    for (const auto& c : cases) {
        Bench b(one_cu());
        ASSERT_TRUE(b.ask(c.first).placed) << c.what;
        EXPECT_FALSE(b.ask(c.second).placed) << c.what;
        AllocatorQuery less = c.second;
        less.vgprs -= less.vgprs > 1;
        less.sgprs -= less.sgprs > 1;
        less.lds -= less.lds > 1;
        EXPECT_TRUE(b.ask(less).placed) << c.what;
    }
    AllocatorShape shape = one_cu();
    shape.barriers = 1;
    Bench b(shape);
    ASSERT_TRUE(b.ask(group(2)).placed);
    EXPECT_FALSE(b.ask(group(2)).placed) << "no barrier left";
    EXPECT_TRUE(b.ask(group(1)).placed) << "needs none";
    AllocatorQuery limited = group(1);
    limited.groups_per_cu = 2;
    EXPECT_FALSE(b.ask(limited).placed);
    for (unsigned n = 3; n < 40; ++n)
        ASSERT_TRUE(b.ask(group(1)).placed) << n;
    EXPECT_FALSE(b.ask(group(1)).placed) << "all slots taken";
}

TEST(WaveAllocator, HoleThatIsTooSmallIsLeftAndRefillsFromBelow) {
    AllocatorShape shape = one_cu();
    shape.simds = 1;
    Bench b(shape);
    std::vector<AllocatorGrant> held;
    for (const unsigned vgprs : {10u, 20u, 30u})
        held.push_back(b.ask(group(1, vgprs)));
    EXPECT_EQ(held[2].waves[0].vgpr, 30u);
    ASSERT_TRUE(b.allocator.free(b.state, 0, 0, held[0].waves[0].slot).known);
    // 10 free below, 4 above: no run of 11 though 14 are free.
    EXPECT_FALSE(b.ask(group(1, 11)).placed);
    EXPECT_EQ(b.ask(group(1, 3)).waves[0].vgpr, 0u);
    EXPECT_EQ(b.ask(group(1, 7)).waves[0].vgpr, 3u);
    EXPECT_EQ(b.ask(group(1, 4)).waves[0].vgpr, 60u);
    EXPECT_FALSE(b.ask(group(1, 1)).placed);
}

TEST(WaveAllocator, GroupHoldsItsLdsAndBarrierUntilItsLastWaveEnds) {
    AllocatorShape shape = one_cu();
    shape.barriers = 1;
    Bench b(shape);
    ASSERT_TRUE(b.ask(group(3, 1, 1, 256)).placed);
    const AllocatorGrant held = b.grant;
    EXPECT_FALSE(b.free(2).last);
    EXPECT_FALSE(b.free(0).last);
    EXPECT_FALSE(b.ask(group(1, 1, 1, 1)).placed);
    b.grant = held;
    const AllocatorFreed last = b.free(1);
    EXPECT_TRUE(last.last);
    EXPECT_EQ(last.group_slot, held.group_slot);
    EXPECT_FALSE(b.free(1).known) << "it has ended";
    EXPECT_TRUE(b.ask(group(2, 1, 1, 256)).placed);
}

TEST(WaveAllocator, WaveThatDoesNotRunIsNotFreed) {
    Bench b(one_cu());
    EXPECT_FALSE(b.allocator.free(b.state, 0, 0, 0).known);
    EXPECT_FALSE(b.allocator.free(b.state, 1, 0, 0).known);
    EXPECT_FALSE(b.allocator.free(b.state, 0, 4, 0).known);
    EXPECT_FALSE(b.allocator.free(b.state, 0, 0, 10).known);
    EXPECT_FALSE(b.ask(group(0)).placed);
    EXPECT_FALSE(b.ask(group(AllocatorQuery::kMaxWaves + 1)).placed);
}

TEST(WaveAllocator, RememberedRefusalsDecideTheSame) {
    AllocatorShape shape;
    shape.cu_per_sh = 2;
    Bench plain(shape);
    Bench tagged(shape);
    std::mt19937 random(5);
    std::vector<AllocatorQuery> kinds;
    for (uint32_t tag = 1; tag <= 6; ++tag) {
        AllocatorQuery q =
            group(1 + random() % 9, 1 + random() % 30, 1 + random() % 12, random() % 90);
        q.tag = tag;
        kinds.push_back(q);
    }
    std::vector<AllocatorGrant> held;
    std::vector<unsigned> waves;
    unsigned placed = 0;
    unsigned refused = 0;
    for (unsigned n = 0; n < 4000; ++n) {
        if (random() % 3 != 0 || held.empty()) {
            AllocatorQuery q = kinds[random() % kinds.size()];
            tagged.ask(q);
            q.tag = 0;
            plain.ask(q);
            ASSERT_EQ(plain.grant.placed, tagged.grant.placed) << n;
            if (!plain.grant.placed) {
                ++refused;
                continue;
            }
            ++placed;
            ASSERT_EQ(plain.grant.cu, tagged.grant.cu);
            for (unsigned w = 0; w < q.waves; ++w) {
                ASSERT_EQ(plain.grant.waves[w].simd, tagged.grant.waves[w].simd);
                ASSERT_EQ(plain.grant.waves[w].vgpr, tagged.grant.waves[w].vgpr);
            }
            held.push_back(plain.grant);
            waves.push_back(q.waves);
        } else {
            const size_t i = random() % held.size();
            for (unsigned w = 0; w < waves[i]; ++w) {
                const auto& at = held[i].waves[w];
                const bool last = w + 1 == waves[i];
                ASSERT_EQ(plain.allocator.free(plain.state, held[i].cu, at.simd, at.slot).last,
                          last);
                ASSERT_EQ(tagged.allocator.free(tagged.state, held[i].cu, at.simd, at.slot).last,
                          last);
            }
            held.erase(held.begin() + static_cast<long>(i));
            waves.erase(waves.begin() + static_cast<long>(i));
        }
    }
    EXPECT_GT(placed, 500u);
    EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace archipelago::spi::wave_allocator_test
