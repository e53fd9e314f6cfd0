// SPDX-License-Identifier: Apache-2.0
// Memory accesses of a whole wave: every level does what a walk over the lanes would do, or
// nothing.
#include "models/cu/isa/lane_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace archipelago::isa::lane_memory_test {
namespace {

constexpr unsigned kRegisters = 8;
constexpr unsigned kBytes = 4096;

struct Machine {
    alignas(64) uint32_t v[kRegisters][kLanes];
    std::vector<uint8_t> memory = std::vector<uint8_t>(kBytes);

    bool operator==(const Machine& o) const {
        return std::memcmp(v, o.v, sizeof v) == 0 && memory == o.memory;
    }
};

// An access, with registers by number.
struct Case {
    unsigned address = 0;
    unsigned reg[4] = {};
    LaneAccess shape;  // without pointers
    LaneAccess on(Machine& m) const {
        LaneAccess a = shape;
        a.base = m.memory.data();
        a.address = m.v[address];
        for (unsigned k = 0; k < 4; ++k)
            a.reg[k] = m.v[reg[k]];
        return a;
    }
    bool legal(const Machine& m, unsigned bytes) const {
        for (unsigned l = 0; l < kLanes; ++l) {
            if ((shape.exec >> l & 1) == 0)
                continue;
            const uint32_t at = m.v[address][l];
            for (unsigned k = 0; k < shape.count; ++k)
                if (uint64_t{at} + shape.offset[k] + bytes > shape.limit || (at & shape.align) != 0)
                    return false;
        }
        return true;
    }
};

class LaneMemoryLevels : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        table = lane_memory(GetParam());
        if (table == nullptr)
            GTEST_SKIP() << "this host has no " << GetParam();
    }

    // Addresses of every shape that has a path of its own, mostly in range.
    void randomise(Machine& m, Case& c, unsigned align) {
        for (auto& r : m.v)
            for (uint32_t& x : r)
                x = static_cast<uint32_t>(random());
        for (uint8_t& b : m.memory)
            b = static_cast<uint8_t>(random());
        c.address = random() % kRegisters;
        c.shape.limit = random() % 4 == 0 ? random() % kBytes : kBytes;
        const uint32_t strides[] = {0, 1, 2, 4, 8, 12, 16, 20};
        const uint32_t stride = strides[random() % 8];
        const bool blocks = random() % 2 == 0;  // blocks of eight start anywhere
        const unsigned shape = random() % 4;
        for (unsigned b = 0; b < kLanes; b += 8) {
            const auto start = static_cast<uint32_t>(random() % 2048);
            for (unsigned l = b; l < b + 8; ++l) {
                uint32_t a = blocks ? start + stride * (l - b) : 64 + stride * l;
                if (shape == 0)
                    a = static_cast<uint32_t>(random() % 2048);
                m.v[c.address][l] = a & ~(align - 1);
            }
        }
        const uint64_t execs[] = {~0ull, ~0ull, 0, random(), random() & random(), 0xffull << 24};
        c.shape.exec = execs[random() % 6];
        if (random() % 8 == 0)  // one lane far away, or misaligned
            m.v[c.address][random() % kLanes] = static_cast<uint32_t>(random());
        c.shape.align = align - 1;
        c.shape.count = 1 + random() % 4;
        const auto first = static_cast<uint32_t>(random() % 64 * align);
        const bool adjacent = random() % 2 == 0;
        for (unsigned k = 0; k < 4; ++k)
            c.shape.offset[k] =
                adjacent ? first + 4 * k : static_cast<uint32_t>(random() % 128 * align);
        // Registers of an instruction follow each other; they may be those of the address.
        const unsigned data = random() % (kRegisters - 4 + 1);
        for (unsigned k = 0; k < 4; ++k)
            c.reg[k] = data + k;
    }

    const LaneMemory* table = nullptr;
    std::mt19937_64 random{20260711};
};

constexpr int kTimes = 20000;

TEST_P(LaneMemoryLevels, ReadsAreThoseOfTheLanes) {
    int done = 0;
    for (int n = 0; n < kTimes; ++n) {
        Machine m;
        Case c;
        randomise(m, c, 4);
        Machine expected = m;
        const bool legal = c.legal(m, 4);
        for (unsigned l = 0; legal && l < kLanes; ++l)
            for (unsigned k = 0; k < c.shape.count && (c.shape.exec >> l & 1) != 0; ++k)
                std::memcpy(&expected.v[c.reg[k]][l],
                            &m.memory[m.v[c.address][l] + c.shape.offset[k]], 4);
        const bool said = table->read(c.on(m));
        EXPECT_TRUE(m == expected) << n;
        // An access without lanes may be refused; anything else that is legal is done.
        EXPECT_EQ(said, legal && (c.shape.exec != 0 || said)) << n;
        done += said ? 1 : 0;
    }
    EXPECT_GT(done, kTimes / 3);
}

TEST_P(LaneMemoryLevels, WritesHappenInTheOrderOfTheLanes) {
    int done = 0;
    for (int n = 0; n < kTimes; ++n) {
        Machine m;
        Case c;
        randomise(m, c, 4);
        const unsigned elements[] = {1, c.shape.count};
        c.shape.element = elements[random() % 2];
        Machine expected = m;
        const bool legal = c.legal(m, 4);
        for (unsigned first = 0; legal && first < c.shape.count; first += c.shape.element)
            for (unsigned l = 0; l < kLanes; ++l)
                for (unsigned k = first;
                     k < first + c.shape.element && (c.shape.exec >> l & 1) != 0; ++k)
                    std::memcpy(&expected.memory[m.v[c.address][l] + c.shape.offset[k]],
                                &m.v[c.reg[k]][l], 4);
        const bool said = table->write(c.on(m));
        EXPECT_TRUE(m == expected) << n;
        EXPECT_EQ(said, legal && (c.shape.exec != 0 || said)) << n;
        done += said ? 1 : 0;
    }
    EXPECT_GT(done, kTimes / 3);
}

TEST_P(LaneMemoryLevels, SmallElementsAreExtendedAndStored) {
    int done = 0;
    for (int n = 0; n < kTimes; ++n) {
        const unsigned bytes = 1 + random() % 2;
        const bool is_signed = random() % 2 == 0;
        const bool store = random() % 2 == 0;
        Machine m;
        Case c;
        randomise(m, c, bytes);
        c.shape.count = 1;
        Machine expected = m;
        const bool legal = c.legal(m, bytes);
        for (unsigned l = 0; legal && l < kLanes; ++l) {
            if ((c.shape.exec >> l & 1) == 0)
                continue;
            const uint32_t at = m.v[c.address][l] + c.shape.offset[0];
            if (store) {
                std::memcpy(&expected.memory[at], &m.v[c.reg[0]][l], bytes);
                continue;
            }
            uint32_t x = 0;
            std::memcpy(&x, &m.memory[at], bytes);
            const unsigned up = 32 - 8 * bytes;
            if (is_signed)
                x = static_cast<uint32_t>(static_cast<int32_t>(x << up) >> up);
            expected.v[c.reg[0]][l] = x;
        }
        const bool said = store ? table->write_small(c.on(m), bytes)
                                : table->read_small(c.on(m), bytes, is_signed);
        EXPECT_TRUE(m == expected) << n;
        EXPECT_EQ(said, legal && (c.shape.exec != 0 || said)) << n;
        done += said ? 1 : 0;
    }
    EXPECT_GT(done, kTimes / 3);
}

TEST_P(LaneMemoryLevels, AtomicsActLaneAfterLane) {
    int done = 0;
    for (int n = 0; n < kTimes; ++n) {
        const bool wide = random() % 2 == 0;
        const auto op = static_cast<AtomicOp>(random() % static_cast<unsigned>(AtomicOp::None));
        const bool compares = op == AtomicOp::CmpSwap || op == AtomicOp::FCmpSwap;
        const bool returns = random() % 2 == 0;
        Machine m;
        Case c;
        randomise(m, c, wide ? 8 : 4);
        c.shape.count = wide ? 2 : 1;
        c.shape.offset[1] = c.shape.offset[0] + 4;
        const unsigned second = c.reg[2];
        const unsigned result = random() % (kRegisters - 1);
        Machine expected = m;
        const bool legal = c.legal(m, 4);
        for (unsigned l = 0; legal && l < kLanes; ++l) {
            if ((c.shape.exec >> l & 1) == 0)
                continue;
            uint8_t* at = &expected.memory[expected.v[c.address][l] + c.shape.offset[0]];
            const auto value = [&](unsigned r) {
                return expected.v[r][l] | (wide ? uint64_t{expected.v[r + 1][l]} << 32 : 0);
            };
            uint64_t old = 0;
            std::memcpy(&old, at, wide ? 8 : 4);
            const uint64_t cmp = compares ? value(second) : 0;
            const uint64_t next =
                wide ? atomic64(op, old, value(c.reg[0]), cmp)
                     : atomic32(op, static_cast<uint32_t>(old),
                                static_cast<uint32_t>(value(c.reg[0])), static_cast<uint32_t>(cmp));
            std::memcpy(at, &next, wide ? 8 : 4);
            if (returns) {
                expected.v[result][l] = static_cast<uint32_t>(old);
                if (wide)
                    expected.v[result + 1][l] = static_cast<uint32_t>(old >> 32);
            }
        }
        uint32_t* const compare[2] = {m.v[second], m.v[second + 1]};
        uint32_t* const old[2] = {m.v[result], m.v[result + 1]};
        const bool said =
            table->atomic(c.on(m), op, compares ? compare : nullptr, returns ? old : nullptr);
        EXPECT_TRUE(m == expected) << n;
        EXPECT_EQ(said, legal && (c.shape.exec != 0 || said)) << n;
        done += said ? 1 : 0;
    }
    EXPECT_GT(done, kTimes / 3);
}

TEST_P(LaneMemoryLevels, RelativeAddressesAreRefusedWhenAnActiveLaneIsFar) {
    int done = 0;
    for (int n = 0; n < kTimes; ++n) {
        alignas(64) uint32_t low[kLanes];
        alignas(64) uint32_t high[kLanes];
        alignas(64) uint32_t out[kLanes];
        const uint64_t base = random() >> 16;
        const uint64_t first = base & ~uint64_t{0xfffff};
        const uint64_t mask = ((uint64_t{1} << 48) - 1) & ~uint64_t{3};
        for (unsigned l = 0; l < kLanes; ++l) {
            low[l] = static_cast<uint32_t>(random() % 100000);
            high[l] = 0;
        }
        const unsigned odd = random() % kLanes;
        low[odd] = static_cast<uint32_t>(random());
        high[odd] = static_cast<uint32_t>(random() % 2 == 0 ? 0 : random());
        const uint64_t exec = random() % 2 == 0 ? ~uint64_t{0} : random();
        bool near = true;
        const auto at = [&](unsigned l) {
            return ((base + (low[l] | uint64_t{high[l]} << 32)) & mask) - first;
        };
        for (unsigned l = 0; l < kLanes; ++l)
            near = near && ((exec >> l & 1) == 0 || at(l) < 0x80000000u);
        EXPECT_EQ(table->relative(low, high, base, mask, first, exec, out), near) << n;
        done += near ? 1 : 0;
        for (unsigned l = 0; near && l < kLanes; ++l)
            EXPECT_TRUE(out[l] == at(l) || (exec >> l & 1) == 0);
        uint32_t highest = 0;
        for (unsigned l = 0; l < kLanes; ++l)
            if ((exec >> l & 1) != 0 && low[l] > highest)
                highest = low[l];
        EXPECT_EQ(table->highest(low, exec), highest);
        alignas(64) uint32_t blended[kLanes];
        std::memcpy(blended, high, sizeof blended);
        table->blend(blended, low, exec);
        for (unsigned l = 0; l < kLanes; ++l)
            EXPECT_EQ(blended[l], (exec >> l & 1) != 0 ? low[l] : high[l]);
    }
    EXPECT_GT(done, kTimes / 10);
    EXPECT_LT(done, kTimes - kTimes / 10);
}

INSTANTIATE_TEST_SUITE_P(EveryLevel, LaneMemoryLevels, ::testing::Values("portable", "avx2"));

}  // namespace
}  // namespace archipelago::isa::lane_memory_test
