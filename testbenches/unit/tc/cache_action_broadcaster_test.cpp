// SPDX-License-Identifier: Apache-2.0
// Cache actions on their way to the caches and back: each latency of the Spec, in its place.
#include "models/tc/cache_action_broadcaster.h"

#include <gtest/gtest.h>

namespace archipelago::tc {
namespace {

constexpr Cycle kPushed = 10;

// One cache of each kind; the test answers for them.
struct Bench {
    CacheActionBroadcaster core;
    Channel<CacheAction> l1{{2, 1}}, inst{{2, 1}}, data{{2, 1}}, l2{{2, 1}};
    Channel<CacheActionDone> cp{{2, 1}}, cu{{2, 1}};

    explicit Bench(const CacheActionBroadcasterSpec& spec) : core(spec) {
        core.to_l1(0).connect(l1);
        core.to_inst(0).connect(inst);
        core.to_data(0).connect(data);
        core.to_l2(0).connect(l2);
        core.to_cp.connect(cp);
        core.to_cu[0].connect(cu);
    }
    // The cycle in which the core pushed what `channel` has, one cycle before it can be popped.
    template <class T>
    Cycle pushed(Channel<T>& channel, Cycle from) {
        for (Cycle now = from; now < from + 100; ++now) {
            core.tick(now);
            if (channel.can_pop(now + 1)) {
                channel.pop(now + 1);
                return now;
            }
        }
        ADD_FAILURE() << "nothing came";
        return 0;
    }
};

CacheAction invalidation(uint32_t tag) {
    CacheAction a;
    a.invalidate_l1 = true;
    a.tag = tag;
    return a;
}

TEST(CacheActionBroadcaster, AnActionOfCpTakesItsLatencyToACacheAndItsAnswerTheOtherBack) {
    Bench b({1, 1, 1, {2, 16}, {2, 3}, {2, 5}});
    b.core.from_cp.push(kPushed, invalidation(7));
    EXPECT_EQ(b.pushed(b.l1, kPushed), kPushed + 16);
    b.core.l1_done(0).push(40, CacheActionDone{});
    EXPECT_EQ(b.pushed(b.cp, 40), 40u + 5);
    EXPECT_TRUE(b.core.idle());
}

// Ranges are in addresses of clients; L2's lines have those of memory.
TEST(CacheActionBroadcaster, WithAddressSpacesARangeIsOfAllLinesOfL2) {
    for (const bool whole : {false, true}) {
        CacheActionBroadcasterSpec spec;
        spec.whole_l2 = whole;
        Bench b(spec);
        CacheAction action = invalidation(7);
        action.writeback_l2 = true;
        action.base = 0x1000;
        action.size = 0x100;
        b.core.from_cp.push(kPushed, action);
        for (Cycle now = kPushed; now < kPushed + 10; ++now)
            b.core.tick(now);
        ASSERT_TRUE(b.l1.can_pop(kPushed + 10) && b.l2.can_pop(kPushed + 10));
        EXPECT_EQ(b.l1.pop(kPushed + 10).size, 0x100u);
        EXPECT_EQ(b.l2.pop(kPushed + 10).size, whole ? ~uint64_t{0} : 0x100u);
    }
}

TEST(CacheActionBroadcaster, AComputeUnitsOwnInvalidationHasTheLatencyOfItsOwnChannel) {
    Bench b({1, 1, 1, {2, 16}, {2, 3}, {2, 5}});
    b.core.from_cu(0).push(kPushed, invalidation(7));
    EXPECT_EQ(b.pushed(b.l1, kPushed), kPushed + 3);
    b.core.l1_done(0).push(40, CacheActionDone{});
    EXPECT_EQ(b.pushed(b.cu, 40), 40u + 5);
}

TEST(CacheActionBroadcaster, AnActionOfCpEndsWhenEachCacheThatItConcernsHasAnswered) {
    Bench b({1, 1, 1, {2, 1}, {2, 1}, {2, 1}});
    CacheAction all = invalidation(9);
    all.invalidate_inst = all.invalidate_scalar = all.writeback_l2 = true;
    b.core.from_cp.push(kPushed, all);
    EXPECT_EQ(b.pushed(b.l1, kPushed), kPushed + 1);
    EXPECT_TRUE(b.inst.can_pop(kPushed + 2) && b.data.can_pop(kPushed + 2) &&
                b.l2.can_pop(kPushed + 2));
    b.core.l1_done(0).push(20, CacheActionDone{});
    b.core.inst_done(0).push(20, CacheActionDone{});
    b.core.data_done(0).push(20, CacheActionDone{});
    for (Cycle now = 20; now < 40; ++now)
        b.core.tick(now);
    EXPECT_TRUE(b.cp.empty());
    EXPECT_EQ(b.core.waiting_for(), "a cache action waits for L2 channel 0");
    b.core.l2_done(0).push(40, CacheActionDone{});
    EXPECT_EQ(b.pushed(b.cp, 40), 41u);
}

}  // namespace
}  // namespace archipelago::tc
