// SPDX-License-Identifier: Apache-2.0
// The walk of a domain: every index pair in one quad of one thread, in the configured order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/ctm/pe/domain_walk.h"

namespace archipelago::ctm {
namespace {

constexpr WalkOrder kOrders[] = {WalkOrder::Rows, WalkOrder::Columns, WalkOrder::Tiles};

std::vector<ThreadLaunch> launches(const ProgramStart& start, const WalkSpec& spec) {
    std::vector<ThreadLaunch> threads;
    distribute(
        start, spec, [](const ConditionRequest&) -> uint8_t { throw std::logic_error("a test"); },
        [&](const ThreadLaunch& t) { threads.push_back(t); });
    return threads;
}
std::vector<std::pair<unsigned, unsigned>> quads_of(const Domain& domain, const WalkSpec& spec) {
    std::vector<std::pair<unsigned, unsigned>> quads;
    DomainWalk walk;
    walk.start(domain);
    while (!walk.ended) {
        const WalkQuad q = walk.next(spec);
        quads.emplace_back(q.origin.x, q.origin.y);
    }
    return quads;
}
using Pairs = std::vector<std::pair<unsigned, unsigned>>;

TEST(CtmDomainWalk, RowsColumnsAndTilesAreInTheirOrder) {
    const Domain domain{1, 0, 6, 3};
    WalkSpec spec;
    spec.order = WalkOrder::Rows;
    EXPECT_EQ(quads_of(domain, spec),
              (Pairs{{0, 0}, {2, 0}, {4, 0}, {6, 0}, {0, 2}, {2, 2}, {4, 2}, {6, 2}}));
    spec.order = WalkOrder::Columns;
    EXPECT_EQ(quads_of(domain, spec),
              (Pairs{{0, 0}, {0, 2}, {2, 0}, {2, 2}, {4, 0}, {4, 2}, {6, 0}, {6, 2}}));
    spec.order = WalkOrder::Tiles;
    spec.tile_columns = 2;
    spec.tile_rows = 2;
    EXPECT_EQ(quads_of(domain, spec),
              (Pairs{{0, 0}, {2, 0}, {0, 2}, {2, 2}, {4, 0}, {6, 0}, {4, 2}, {6, 2}}));
    // Tiles stand at multiples of their size, regardless of where the domain begins.
    EXPECT_EQ(quads_of({2, 2, 7, 5}, spec),
              (Pairs{{2, 2}, {4, 2}, {6, 2}, {2, 4}, {4, 4}, {6, 4}}));
}

TEST(CtmDomainWalk, EveryPairOfTheDomainIsCoveredOnceAndNoOther) {
    std::mt19937 random(1);
    for (unsigned n = 0; n < 300; ++n) {
        ProgramStart start;
        const unsigned i = random() % 4096, j = random() % 4096, w = random() % 40,
                       h = random() % 40;
        start.domain = {static_cast<uint16_t>(i), static_cast<uint16_t>(j),
                        static_cast<uint16_t>(std::min(i + w, 4095u)),
                        static_cast<uint16_t>(std::min(j + h, 4095u))};
        WalkSpec spec;
        spec.order = kOrders[n % 3];
        spec.tile_columns = 1 + random() % 7;
        spec.tile_rows = 1 + random() % 7;
        spec.quads = 1 + random() % 12;
        std::map<std::pair<unsigned, unsigned>, unsigned> seen;
        const std::vector<ThreadLaunch> threads = launches(start, spec);
        for (size_t t = 0; t < threads.size(); ++t) {
            EXPECT_EQ(threads[t].number, t);
            // All but the last are full.
            EXPECT_TRUE(threads[t].quads == spec.quads || t + 1 == threads.size());
            EXPECT_EQ(threads[t].covered >> 4 * threads[t].quads, 0u);
            for (unsigned lane = 0; lane < 4u * threads[t].quads; ++lane) {
                const Point o = threads[t].origin[lane / 4];
                EXPECT_EQ((o.x | o.y) & 1, 0);
                if ((threads[t].covered >> lane & 1) != 0)
                    ++seen[{o.x + (lane & 1), o.y + (lane >> 1 & 1)}];
            }
        }
        const Domain& d = start.domain;
        ASSERT_EQ(seen.size(), size_t{d.i1 - d.i0 + 1u} * (d.j1 - d.j0 + 1u));
        for (const auto& [pair, times] : seen) {
            EXPECT_EQ(times, 1u);
            EXPECT_TRUE(pair.first >= d.i0 && pair.first <= d.i1 && pair.second >= d.j0 &&
                        pair.second <= d.j1);
        }
    }
}

TEST(CtmDomainWalk, WalkToTheEndOfTheIndexSpaceEnds) {
    for (const WalkOrder order : kOrders)
        for (const Domain& d : {Domain{0, 4092, 4095, 4095}, Domain{4092, 0, 4095, 4095}}) {
            WalkSpec spec;
            spec.order = order;
            EXPECT_EQ(quads_of(d, spec).size(), 2048u * 2u);
        }
}

TEST(CtmDomainWalk, InvertedDomainIsEmpty) {
    for (const WalkOrder order : kOrders) {
        WalkSpec spec;
        spec.order = order;
        for (const Domain& d : {Domain{1, 0, 0, 9}, Domain{0, 1, 9, 0}, Domain{5, 5, 4, 4}}) {
            ProgramStart start;
            start.domain = d;
            EXPECT_TRUE(launches(start, spec).empty());
        }
        ProgramStart start;
        start.domain = {5, 7, 5, 7};
        const std::vector<ThreadLaunch> one = launches(start, spec);
        ASSERT_EQ(one.size(), 1u);
        EXPECT_EQ(one[0].quads, 1);
        EXPECT_EQ(one[0].covered, 8u);
        EXPECT_EQ(one[0].origin[0].x, 4);
        EXPECT_EQ(one[0].origin[0].y, 6);
    }
}

TEST(CtmDomainWalk, TestedQuadsWithoutALaneAreLeftOut) {
    ProgramStart start;
    start.domain = {0, 0, 31, 1};
    start.tests = true;
    start.conditional = 77;
    WalkSpec spec;
    spec.order = WalkOrder::Rows;
    spec.quads = 3;
    std::vector<ThreadLaunch> threads;
    unsigned asked = 0;
    distribute(
        start, spec,
        [&](const ConditionRequest& r) -> uint8_t {
            EXPECT_EQ(r.lanes, 15);
            EXPECT_EQ(r.value[3], 77u);
            EXPECT_EQ(r.origin.x, 2 * asked);
            ++asked;
            return r.origin.x % 8 == 0 ? 0 : 6;
        },
        [&](const ThreadLaunch& t) { threads.push_back(t); });
    EXPECT_EQ(asked, 16u);
    ASSERT_EQ(threads.size(), 4u);
    for (const ThreadLaunch& t : threads) {
        EXPECT_EQ(t.quads, 3);
        EXPECT_EQ(t.covered, 0x666u);
        EXPECT_EQ(t.conditional, 77u);
    }
    EXPECT_EQ(threads[1].origin[0].x, 10);
}

}  // namespace
}  // namespace archipelago::ctm
