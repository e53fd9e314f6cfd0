// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <random>

#include "models/common/error.h"
#include "models/common/ring.h"
#include "models/tc/cache_array.h"
#include "models/tc/miss_table.h"
#include "models/tc/stall_clock.h"
#include "testbenches/unit/mc/memory_parts.h"

namespace archipelago::tc::cache_parts_test {
namespace {

TEST(CacheArray, TheVictimIsEmptyElseOldestElseNone) {
    CacheArray array({2, 3}, "test");
    const uint32_t first = array.victim(1);
    EXPECT_EQ(first, 3u);
    for (uint64_t key = 0; key < 3; ++key) {
        const uint32_t entry = array.victim(1);
        array.replace(entry, 64 * key);
        array.touch(entry);
    }
    EXPECT_EQ(array.key(array.victim(1)), 0u);
    array.touch(array.find(1, 0));
    EXPECT_EQ(array.key(array.victim(1)), 64u);
    array.pin(array.find(1, 64), true);
    EXPECT_EQ(array.key(array.victim(1)), 128u);
    array.pin(array.find(1, 0), true);
    array.pin(array.find(1, 128), true);
    EXPECT_EQ(array.victim(1), CacheArray::kNone);
    EXPECT_EQ(array.find(0, 64), CacheArray::kNone) << "the other set is empty";
}

TEST(CacheArray, ManyWaysAreFoundAsFew) {
    CacheArray array({2, 16}, "test");
    std::map<uint32_t, uint64_t> held;  // entry, key
    uint64_t seed = 12345;
    const auto draw = [&seed](uint64_t range) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        return (seed >> 33) % range;
    };
    unsigned found = 0;
    for (unsigned n = 0; n < 20000; ++n) {
        const auto set = static_cast<uint32_t>(draw(2));
        const uint64_t key = 64 * (set + 2 * draw(200));
        uint32_t expected = CacheArray::kNone;
        for (const auto& [entry, its_key] : held)
            if (entry / 16 == set && its_key == key)
                expected = entry;
        ASSERT_EQ(array.find(set, key), expected) << n;
        if (expected == CacheArray::kNone) {
            const auto entry = static_cast<uint32_t>(16 * set + draw(16));
            array.replace(entry, key);
            held[entry] = key;
        } else if (++found; draw(4) == 0) {
            array.remove(expected);
            held.erase(expected);
        }
    }
    EXPECT_GT(found, 500u);
    array.clear();
    for (const auto& [entry, key] : held)
        EXPECT_EQ(array.find(entry / 16, key), CacheArray::kNone);
}

TEST(CacheArray, TouchingAllCountsTheFirstPlaceOfEach) {
    for (const uint32_t last_time : {9u, 10u, 11u, 12u, 1000u}) {
        CacheArray together({1, 4}, "test", last_time), one_by_one({1, 4}, "test", last_time);
        for (uint32_t e = 0; e < 4; ++e) {
            together.replace(e, e);
            one_by_one.replace(e, e);
        }
        std::mt19937 random(3);
        for (unsigned n = 0; n < 2000; ++n) {
            std::array<uint32_t, 4> entries;
            uint32_t touched = 0;
            for (uint32_t& e : entries) {
                e = static_cast<uint32_t>(random()) % 4;
                if ((touched >> e & 1) == 0)
                    one_by_one.touch(e);
                touched |= 1u << e;
            }
            together.touch_all(entries);
            ASSERT_EQ(together.victim(0), one_by_one.victim(0)) << n;
        }
    }
}

TEST(CacheArray, ANeverTouchedLineGoesFirst) {
    CacheArray array({1, 2}, "test");
    array.replace(array.victim(0), 0);
    array.touch(array.find(0, 0));
    array.replace(array.victim(0), 64);
    EXPECT_EQ(array.key(array.victim(0)), 64u);
}

// Also when the numbers of touches have begun again.
TEST(CacheArray, TheVictimIsTheOldestWhateverTheWays) {
    struct Entry {
        unsigned touched = 0;  // 0: empty, 1: never
        bool pinned = false;
    };
    unsigned none = 0;
    for (const unsigned ways : {1u, 3u, 4u, 6u, 16u}) {
        SCOPED_TRACE(std::to_string(ways) + " ways");
        CacheArray array({2, ways}, "test", 2 * ways + 2);
        std::vector<Entry> entries(2 * ways);
        unsigned time = 1;
        uint64_t seed = ways;
        const auto draw = [&seed](uint64_t range) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            return (seed >> 33) % range;
        };
        for (unsigned n = 0; n < 20000; ++n) {
            const auto set = static_cast<uint32_t>(draw(2));
            uint32_t oldest = CacheArray::kNone;
            for (uint32_t i = set * ways; i < (set + 1) * ways; ++i)
                if (!entries[i].pinned &&
                    (oldest == CacheArray::kNone || entries[i].touched < entries[oldest].touched))
                    oldest = i;
            ASSERT_EQ(array.victim(set), oldest) << n;
            none += oldest == CacheArray::kNone ? 1 : 0;
            const auto other = static_cast<uint32_t>(draw(2 * ways));
            const uint64_t what = draw(16);
            if (what < 4 && oldest != CacheArray::kNone) {
                array.replace(oldest, 64 * n);
                entries[oldest] = {1, false};
            } else if (what == 4) {
                array.remove(other);
                entries[other] = {};
            } else if (what < 8) {
                array.pin(other, what < 7);
                entries[other].pinned = what < 7;
            } else {
                array.touch(other);
                entries[other].touched = ++time;
            }
        }
    }
    EXPECT_GT(none, 100u);
}

TEST(CacheArray, ImpossibleGeometryIsRefused) {
    EXPECT_THROW(CacheArray({0, 4}, "x"), MachineStop);
    EXPECT_THROW(CacheArray({12, 4}, "x"), MachineStop);
    EXPECT_THROW(CacheArray({16, 0}, "x"), MachineStop);
    EXPECT_THROW(CacheArray({16, 65}, "x"), MachineStop);
}

TEST(CacheAction, RangesCoverTheLinesTheyTouch) {
    CacheAction a;
    EXPECT_TRUE(covers(a, 0));
    EXPECT_TRUE(covers(a, ~uint64_t{63}));
    a.base = 100;
    a.size = 28;
    EXPECT_FALSE(covers(a, 0));
    EXPECT_TRUE(covers(a, 64));
    EXPECT_FALSE(covers(a, 128));
    a.size = 29;
    EXPECT_TRUE(covers(a, 128));
    a.size = 0;
    EXPECT_FALSE(covers(a, 64));
    a.base = ~uint64_t{0} - 10;
    a.size = 1000;  // beyond the end of the address space
    EXPECT_TRUE(covers(a, ~uint64_t{63}));
    EXPECT_FALSE(covers(a, 64));
}

TEST(MissTable, BehavesLikeAMapOfQueues) {
    struct Model {
        uint64_t key;
        bool joinable;
        std::deque<int> waiters;
    };
    MissTable<int> table(6, 10);
    std::map<uint32_t, Model> model;
    test::Random random(1);
    size_t waiting = 0;
    for (int step = 0; step < 20000; ++step) {
        const uint64_t key = random.below(8) * 64;
        const uint32_t found = table.find(key);
        uint32_t expected = MissTable<int>::kNone;
        for (const auto& [index, m] : model)
            if (m.joinable && m.key == key)
                expected = index;
        ASSERT_EQ(found, expected);
        ASSERT_EQ(table.full(), model.size() == 6);
        ASSERT_EQ(table.waiters_full(), waiting == 10);
        ASSERT_EQ(table.used(), model.size());
        switch (random.below(4)) {
            case 0:
                if (found == MissTable<int>::kNone && !table.full()) {
                    const bool joinable = random.below(3) != 0;
                    const uint32_t index = table.allocate(key, joinable);
                    ASSERT_EQ(model.count(index), 0u);
                    model[index] = {key, joinable, {}};
                }
                break;
            case 1:
                if (found != MissTable<int>::kNone && !table.waiters_full()) {
                    table.add_waiter(found, step);
                    model[found].waiters.push_back(step);
                    ++waiting;
                }
                break;
            case 2:
                if (found != MissTable<int>::kNone && random.below(3) == 0) {
                    table.detach(found);
                    model[found].joinable = false;
                }
                break;
            default:
                if (!model.empty()) {
                    auto it = model.begin();
                    std::advance(it, random.below(model.size()));
                    for (const int w : it->second.waiters) {
                        ASSERT_TRUE(table.has_waiter(it->first));
                        ASSERT_EQ(table.first_waiter(it->first), w);
                        table.drop_first_waiter(it->first);
                        --waiting;
                    }
                    ASSERT_FALSE(table.has_waiter(it->first));
                    ASSERT_FALSE(table.release(it->first));
                    model.erase(it);
                }
        }
    }
}

TEST(MissTable, AnActionMarksWhatIsInFlightAndDetachesItsRange) {
    MissTable<int> table(4, 4);
    const uint32_t a = table.allocate(64, true);
    const uint32_t b = table.allocate(128, true);
    CacheAction action;
    action.base = 128;
    action.size = 64;
    EXPECT_EQ(table.begin_action(action), 2u);
    const uint32_t c = table.allocate(128, true);
    EXPECT_EQ(table.find(64), a);
    EXPECT_EQ(table.find(128), c);
    EXPECT_TRUE(table.release(a));
    EXPECT_TRUE(table.release(b));
    EXPECT_FALSE(table.release(c));
}

TEST(Ring, KeepsOrderAndSlotNumbers) {
    Ring<int> ring(3);
    for (int i = 0; i < 20; ++i) {
        const uint32_t a = ring.push(i);
        const uint32_t b = ring.push(i + 100);
        EXPECT_EQ(ring.at_slot(a), i);
        EXPECT_EQ(ring.at_slot(b), i + 100);
        EXPECT_EQ(ring.space(), 1u);
        EXPECT_EQ(ring.pop(), i);
        EXPECT_EQ(ring.pop(), i + 100);
        EXPECT_TRUE(ring.empty());
    }
}

TEST(StallClock, BooksCyclesToTheReasonThatHeldThem) {
    enum class Why : uint8_t { A, B, kCount };
    StallClock<Why> clock;
    clock.stalled(10, Why::A);
    clock.stalled(15, Why::A);
    clock.stalled(17, Why::B);
    clock.moved(20);
    clock.moved(30);
    clock.stalled(40, Why::A);
    clock.moved(41);
    EXPECT_EQ(*clock.counter(Why::A), 8u);
    EXPECT_EQ(*clock.counter(Why::B), 3u);
}

}  // namespace
}  // namespace archipelago::tc::cache_parts_test
