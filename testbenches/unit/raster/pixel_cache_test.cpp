// SPDX-License-Identifier: Apache-2.0
#include "models/raster/pixel_cache.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "models/common/error.h"

namespace archipelago::raster {
namespace {

// Memory that answers in order after some cycles.
struct Memory {
    std::map<uint64_t, Line> lines;
    Channel<MemRequest> requests{{4, 1}, "requests"};
    std::deque<std::pair<Cycle, MemResponse>> answers;
    unsigned reads = 0;

    void tick(Cycle now, PixelCache& cache) {
        if (!answers.empty() && answers.front().first <= now) {
            EXPECT_TRUE(cache.take(answers.front().second));
            answers.pop_front();
        }
        if (!requests.can_pop(now))
            return;
        const MemRequest request = requests.pop(now);
        MemResponse answer;
        answer.tag = request.tag;
        answer.line = request.line;
        answer.command = request.command;
        Line& line = lines[request.line];
        if (request.command == MemCommand::Write) {
            merge_bytes(line, request.data, request.byte_mask);
        } else {
            answer.data = line;
            ++reads;
        }
        answers.emplace_back(now + 20, answer);
    }
};

class PixelCacheTest : public ::testing::Test {
  protected:
    void cycle() {
        ++now_;
        memory_.tick(now_, cache_);
        cache_.send(now_, memory_.requests);
    }
    // Cycles until the lines are resident.
    unsigned make_resident(const std::vector<PixelTouch>& footprint) {
        unsigned cycles = 0;
        while (!cache_.prepare(footprint)) {
            cycle();
            if (++cycles == 10000) {
                ADD_FAILURE() << "the lines never come";
                break;
            }
        }
        return cycles;
    }
    void flush(bool invalidate) {
        cache_.flush(invalidate);
        while (!cache_.flushed())
            cycle();
    }

    Memory memory_;
    PixelCache cache_{{8, 4}, {"db0.z", Client::Host, TransactionUnit::Cu, 0, 3}};
    Cycle now_ = 0;
};

TEST_F(PixelCacheTest, HoldsWhatIsWrittenAndWritesItBackWhenItIsReplacedOrFlushed) {
    std::mt19937 random(7);
    std::map<uint64_t, Line> expected;
    for (int step = 0; step < 3000; ++step) {
        std::vector<PixelTouch> footprint;
        for (unsigned n = random() % 6 + 1; n != 0; --n)
            footprint.push_back({random() % 24 * kLineBytes, random() % 2 == 0});
        make_resident(footprint);
        for (const PixelTouch& touch : footprint) {
            const auto value = static_cast<uint8_t>(random());
            const unsigned at = random() % kLineBytes;
            if (touch.reads) {
                const uint8_t* const bytes = cache_.line(touch.line, false);
                ASSERT_EQ(Line(expected[touch.line]), *reinterpret_cast<const Line*>(bytes));
                cache_.line(touch.line, true)[at] = value;
            } else {
                Line line{};
                line[at] = value;
                cache_.merge(touch.line, line.data(), uint64_t{1} << at);
            }
            expected[touch.line][at] = value;
        }
        cache_.release();
        if (random() % 50 == 0)
            flush(random() % 2 == 0);
    }
    flush(true);
    EXPECT_TRUE(cache_.clean());
    EXPECT_TRUE(cache_.idle());
    for (const auto& [line, bytes] : expected)
        EXPECT_EQ(memory_.lines[line], bytes);
}

TEST_F(PixelCacheTest, FetchesNoLineThatIsOnlyOverwritten) {
    EXPECT_EQ(make_resident({{0, false}, {64, false}}), 0u);
    Line line;
    line.fill(5);
    cache_.merge(0, line.data(), ~uint64_t{0});
    cache_.release();
    flush(true);
    EXPECT_EQ(memory_.reads, 0u);
    EXPECT_EQ(memory_.lines[0], line);
}

TEST_F(PixelCacheTest, KeepsItsLinesUnlessItIsInvalidated) {
    make_resident({{0, true}});
    cache_.release();
    flush(false);
    EXPECT_EQ(make_resident({{0, true}}), 0u);
    cache_.release();
    flush(true);
    EXPECT_GT(make_resident({{0, true}}), 0u);
    cache_.release();
}

TEST_F(PixelCacheTest, SeesNoChangeOfMemoryUntilItIsInvalidated) {
    make_resident({{0, true}});
    cache_.release();
    memory_.lines[0][0] = 9;
    make_resident({{0, true}});
    EXPECT_EQ(cache_.line(0, false)[0], 0);
    cache_.release();
    flush(true);
    make_resident({{0, true}});
    EXPECT_EQ(cache_.line(0, false)[0], 9);
}

TEST_F(PixelCacheTest, FetchesAheadWithoutKeepingWhatItFetches) {
    memory_.lines[0][3] = 9;
    EXPECT_TRUE(cache_.fetch({{0, true}, {64, true}, {128, false}}));
    for (unsigned i = 0; i < 40; ++i)
        cycle();
    EXPECT_EQ(memory_.reads, 2u);
    EXPECT_EQ(make_resident({{0, true}, {64, true}}), 0u);
    EXPECT_EQ(cache_.line(0, false)[3], 9);
    cache_.release();
    std::vector<PixelTouch> others;
    for (uint64_t n = 2; n < 10; ++n)
        others.push_back({n * kLineBytes, true});
    make_resident(others);
    EXPECT_EQ(cache_.resident(0), nullptr);
}

TEST_F(PixelCacheTest, KeepsAddressSpacesApart) {
    cache_.set_vmid(5);
    make_resident({{0x40, true}});
    cache_.line(0x40, true)[0] = 7;
    cache_.release();
    cache_.set_vmid(0);
    EXPECT_EQ(cache_.resident(0x40), nullptr);
    make_resident({{0x40, true}});
    EXPECT_EQ(cache_.line(0x40, false)[0], 0);
    cache_.release();
    cache_.flush(false);
    cycle();
    ASSERT_FALSE(memory_.requests.empty());
    EXPECT_EQ(memory_.requests.front().vmid, 5);
}

TEST_F(PixelCacheTest, RefusesABatchThatIsLargerThanIt) {
    std::vector<PixelTouch> footprint;
    for (uint64_t n = 0; n < 9; ++n)
        footprint.push_back({n * kLineBytes, true});
    EXPECT_THROW(cache_.prepare(footprint), MachineStop);
}

TEST_F(PixelCacheTest, NamesAnAddressThatIsNotMapped) {
    cache_.prepare({{0x40, true}});
    cycle();
    MemResponse answer;
    answer.tag = 3;
    answer.line = 0x40;
    answer.status = MemStatus::Unmapped;
    try {
        cache_.take(answer);
        FAIL();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Fault);
        EXPECT_STREQ(stop.what(), "db0.z: unmapped address 0x40");
    }
}

TEST(PixelProbe, NotesLinesOnceAndChangesNothing) {
    PixelCache cache({8, 4}, {"db0.z"});
    PixelProbe probe({&cache});
    const uint32_t value = 7;
    probe.merge(64, reinterpret_cast<const uint8_t*>(&value), 0xF);
    probe.store<uint32_t>(0, 7);
    EXPECT_EQ(probe.load<uint32_t>(0), 0u);
    probe.merge(0, reinterpret_cast<const uint8_t*>(&value), 0xF);
    ASSERT_EQ(probe.lines().size(), 2u);
    EXPECT_FALSE(probe.lines()[0].reads);
    EXPECT_TRUE(probe.lines()[1].reads);
}

}  // namespace
}  // namespace archipelago::raster
