// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/atomic_op.h"
#include "models/common/memory_message.h"
#include "models/common/stall_cycles.h"

namespace archipelago::small_parts_test {
namespace {

TEST(RoundRobin, EveryRequesterIsServedInTurn) {
    RoundRobin rr(5);
    std::vector<int> order;
    for (int i = 0; i < 10; ++i)
        order.push_back(rr.pick_and_grant(0b10110));
    EXPECT_EQ(order, (std::vector<int>{1, 2, 4, 1, 2, 4, 1, 2, 4, 1}));
    EXPECT_EQ(rr.pick_and_grant(0), -1);
}

TEST(RoundRobin, WrapsAtSixtyFour) {
    RoundRobin rr(64);
    EXPECT_EQ(rr.pick_and_grant(uint64_t{1} << 63 | 1), 0);
    EXPECT_EQ(rr.pick_and_grant(uint64_t{1} << 63 | 1), 63);
    EXPECT_EQ(rr.pick_and_grant(uint64_t{1} << 63 | 1), 0);
}

TEST(ByteMasks, NameBytesOfALine) {
    EXPECT_EQ(bytes_in_line(0x1000, 64), ~uint64_t{0});
    EXPECT_EQ(bytes_in_line(0x103C, 4), 0xF000000000000000u);
    EXPECT_EQ(bytes_in_line(0x1001, 1), 0x2u);
    EXPECT_EQ(bytes_in_line(0x1001, 63), ~uint64_t{1});
    EXPECT_EQ(bytes_in_line(0x1010, 0), 0u);
    EXPECT_EQ(bytes_of_dwords(0x8001), 0xF00000000000000Fu);
    EXPECT_EQ(bytes_of_dwords(0xFFFF), ~uint64_t{0});
    EXPECT_EQ(bytes_of_dwords(0), 0u);
}

// Runs of every length at every place, and masks of several.
TEST(MergeBytes, CopiesTheBytesOfTheMaskAlone) {
    Line from;
    for (unsigned i = 0; i < kLineBytes; ++i)
        from[i] = static_cast<uint8_t>(i + 1);
    const auto check = [&](uint64_t mask) {
        Line to, want;
        to.fill(0xee);
        for (unsigned i = 0; i < kLineBytes; ++i)
            want[i] = (mask >> i & 1) != 0 ? from[i] : 0xee;
        merge_bytes(to, from, mask);
        ASSERT_EQ(to, want) << std::hex << mask;
    };
    for (unsigned first = 0; first < kLineBytes; ++first)
        for (unsigned count = 1; first + count <= kLineBytes; ++count)
            check(~uint64_t{0} >> (kLineBytes - count) << first);
    check(0);
    std::mt19937_64 random(1);
    for (unsigned i = 0; i < 10000; ++i)
        check(random() & (i % 2 == 0 ? ~uint64_t{0} : random() | random()));
}

enum class Why : uint8_t { None, Full, Data, kCount };

TEST(StallCycles, CountsByReasonWhatIsOver) {
    StallCycles<Why> stalls;
    const uint64_t* const full = stalls.counter(Why::Full);
    const uint64_t* const data = stalls.counter(Why::Data);
    stalls.note(10, Why::Full);
    stalls.note(12, Why::Full);
    EXPECT_EQ(*full, 0u) << "still going on";
    EXPECT_EQ(stalls.reason(), Why::Full);
    EXPECT_EQ(stalls.since(), 10u) << "the same reason goes on";
    stalls.note(15, Why::Data);
    stalls.note(16, Why::None);
    stalls.note(30, Why::Full);
    stalls.note(30, Why::None);
    EXPECT_EQ(*full, 5u);
    EXPECT_EQ(*data, 1u);
    EXPECT_EQ(*stalls.counter(Why::None), 0u) << "moving is no stall";
}

TEST(NoteStall, AddsTheLengthWhenItEnds) {
    Cycle since = kNever;
    uint64_t cycles = 0;
    note_stall(false, 3, since, cycles);
    note_stall(true, 5, since, cycles);
    note_stall(true, 6, since, cycles);
    EXPECT_EQ(cycles, 0u);
    note_stall(false, 9, since, cycles);
    note_stall(false, 11, since, cycles);
    EXPECT_EQ(cycles, 4u);
    EXPECT_EQ(since, kNever);
}

struct AtomicCase {
    AtomicOp op;
    uint32_t old, src, cmp, want;
};
TEST(Atomic, EveryOperationGivesItsDefinedValue) {
    const auto f = [](float x) {
        uint32_t u;
        std::memcpy(&u, &x, 4);
        return u;
    };
    const AtomicCase cases[] = {
        {AtomicOp::Swap, 1, 2, 0, 2},
        {AtomicOp::CmpSwap, 5, 9, 5, 9},
        {AtomicOp::CmpSwap, 5, 9, 6, 5},
        {AtomicOp::Add, 0xffffffff, 2, 0, 1},
        {AtomicOp::Sub, 1, 2, 0, 0xffffffff},
        {AtomicOp::RSub, 1, 2, 0, 1},
        {AtomicOp::SMin, 1, 0xffffffff, 0, 0xffffffff},
        {AtomicOp::UMin, 1, 0xffffffff, 0, 1},
        {AtomicOp::SMax, 1, 0xffffffff, 0, 1},
        {AtomicOp::UMax, 1, 0xffffffff, 0, 0xffffffff},
        {AtomicOp::And, 0b1100, 0b1010, 0, 0b1000},
        {AtomicOp::Or, 0b1100, 0b1010, 0, 0b1110},
        {AtomicOp::Xor, 0b1100, 0b1010, 0, 0b0110},
        {AtomicOp::Inc, 3, 4, 0, 4},
        {AtomicOp::Inc, 4, 4, 0, 0},
        {AtomicOp::Inc, 5, 4, 0, 0},
        {AtomicOp::Dec, 3, 4, 0, 2},
        {AtomicOp::Dec, 0, 4, 0, 4},
        {AtomicOp::Dec, 5, 4, 0, 4},
        {AtomicOp::FMin, f(1.0F), f(-2.0F), 0, f(-2.0F)},
        {AtomicOp::FMax, f(1.0F), f(-2.0F), 0, f(1.0F)},
        {AtomicOp::FCmpSwap, f(0.0F), 7, f(-0.0F), 7},
    };
    for (const AtomicCase& c : cases)
        EXPECT_EQ(atomic32(c.op, c.old, c.src, c.cmp), c.want) << static_cast<int>(c.op);
    EXPECT_EQ(atomic32(AtomicOp::FMin, 2, 1, 0), 1u) << "denormals compare by value";
    EXPECT_EQ(atomic32(AtomicOp::FMin, 0x7fc00000, f(1.0F), 0), 0x7fc00000u) << "NaN stays";
    EXPECT_EQ(atomic64(AtomicOp::FMax, 0xbff0000000000000, 0x3ff0000000000000, 0),
              0x3ff0000000000000u);
    EXPECT_EQ(atomic64(AtomicOp::Add, ~uint64_t{0}, 1, 0), 0u);
    EXPECT_EQ(atomic64(AtomicOp::SMin, 1, ~uint64_t{0}, 0), ~uint64_t{0});
}

}  // namespace
}  // namespace archipelago::small_parts_test
