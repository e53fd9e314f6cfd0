// SPDX-License-Identifier: Apache-2.0
// The index DMA unit between its channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/vgt/index_dma_reader.h"
#include "models/vgt/index_dma_unit.h"

namespace archipelago::vgt {
namespace {

uint8_t byte_at(uint64_t address) {
    uint64_t x = address * 0x9e3779b97f4a7c15u;
    x ^= x >> 31;
    return static_cast<uint8_t>(x * 0xbf58476d1ce4e5b9u >> 56);
}
uint32_t index_of(const IndexCommand& c, uint32_t number) {
    if (number >= c.max_size)
        return 0;
    static constexpr unsigned kInverted[] = {0, 1, 3, 2};
    const unsigned bytes = c.type == 0 ? 2 : 4;
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
        value |= uint32_t{byte_at(((c.base + uint64_t{number} * bytes + i) & kAddressMask) ^
                                  kInverted[c.swap])}
                 << 8 * i;
    return value;
}

// Memory that answers `latency` cycles after it has taken a request, or in any order.
class Memory : public Clocked {
  public:
    explicit Memory(unsigned latency) : latency_(latency) { in.set_consumer(this); }
    Channel<MemRequest> in{{2, 1}, "memory"};
    void connect(Channel<MemResponse>* out) {
        out_ = out;
        out->set_producer(this);
    }
    void shuffle(uint64_t seed) {
        random_.seed(seed);
        any_order_ = true;
    }
    bool tick(Cycle now) override {
        bool moved = false;
        if (in.can_pop(now)) {
            requests.emplace_back(now, in.pop(now));
            pending_.emplace_back(now + latency_, requests.back().second);
            most_pending = std::max(most_pending, pending_.size());
            moved = true;
        }
        if (!holds && !pending_.empty() && out_->can_push(now)) {
            size_t which = any_order_ ? random_() % pending_.size() : 0;
            if (pending_[which].first <= now && !(any_order_ && random_() % 3 == 0)) {
                const MemRequest q = pending_[which].second;
                pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(which));
                MemResponse r;
                r.tag = q.tag;
                r.line = q.line;
                r.status = unmapped.count(q.line) != 0 ? MemStatus::Unmapped : MemStatus::Ok;
                for (unsigned i = 0; i < kLineBytes; ++i)
                    r.data[i] = (q.byte_mask >> i & 1) != 0 ? byte_at(q.line + i)
                                                            : static_cast<uint8_t>(0xEE);
                out_->push(now, r);
                answers.emplace_back(now, q.line);
            }
            moved = true;
        }
        return moved;
    }
    bool holds = false;
    std::set<uint64_t> unmapped;
    std::vector<std::pair<Cycle, MemRequest>> requests;
    std::vector<std::pair<Cycle, uint64_t>> answers;
    size_t most_pending = 0;

  private:
    unsigned latency_;
    bool any_order_ = false;
    std::mt19937_64 random_;
    std::deque<std::pair<Cycle, MemRequest>> pending_;
    Channel<MemResponse>* out_ = nullptr;
};

struct Bench {
    explicit Bench(const IndexDmaSpec& s = {}, unsigned latency = 10)
        : spec(s), unit(s), memory(latency), group(s.group, "group") {
        unit.to_memory.connect(memory.in);
        unit.to_group.connect(group);
        memory.connect(&unit.response);
        scheduler.add(unit);
        scheduler.add(memory);
    }
    // One cycle: commands go in and groups out as they can.
    void cycle() {
        scheduler.step(now);
        if (!commands.empty() && unit.command.can_push(now)) {
            unit.command.push(now, commands.front());
            commands.pop_front();
        }
        if (takes && group.can_pop(now))
            groups.emplace_back(now, group.pop(now));
        ++now;
    }
    void run(unsigned cycles) {
        for (unsigned i = 0; i < cycles; ++i)
            cycle();
    }
    // Until `ends` draws are handed on; false when that takes too long.
    bool until_draws(size_t ends, unsigned limit = 20000) {
        for (unsigned i = 0; i < limit; ++i) {
            if (static_cast<size_t>(std::count_if(groups.begin(), groups.end(), [](const auto& g) {
                    return g.second.last;
                })) >= ends)
                return true;
            cycle();
        }
        return false;
    }
    std::vector<uint32_t> indices_of(uint32_t draw) const {
        std::vector<uint32_t> r;
        for (const auto& [at, g] : groups)
            if (g.draw == draw)
                r.insert(r.end(), g.index.begin(), g.index.begin() + g.count);
        return r;
    }
    std::string run_to_stop(StopKind kind) {
        try {
            for (int i = 0; i < 3000; ++i)
                cycle();
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), kind);
            return stop.what();
        }
        return "no stop";
    }
    // What had left before a stop.
    void take_the_rest() {
        for (++now; group.can_pop(now);)
            groups.emplace_back(now, group.pop(now));
    }
    uint64_t counter(const std::string& name) const {
        StatsRegistry stats;
        unit.register_stats(stats, "dma");
        for (const Counter& c : stats.counters())
            if (c.name == name)
                return *c.value;
        ADD_FAILURE() << "no counter " << name;
        return 0;
    }

    IndexDmaSpec spec;
    IndexDmaUnit unit;
    Memory memory;
    Channel<IndexGroup> group;
    Scheduler scheduler;
    Cycle now = 1;
    bool takes = true;
    std::deque<IndexCommand> commands;
    std::vector<std::pair<Cycle, IndexGroup>> groups;
};

IndexCommand wide(uint64_t base, uint32_t count, uint32_t draw = 1) {
    return {base, count, ~0u, 1, 0, 0, draw};
}

// ---- time --------------------------------------------------------------------------------------

TEST(IndexDma, LatencyIsTheSumOfItsParts) {
    for (const unsigned setup : {1u, 2u, 7u}) {
        for (const unsigned link : {1u, 3u}) {
            IndexDmaSpec spec;
            spec.setup_cycles = setup;
            spec.command.latency = spec.group.latency = spec.response.latency = link;
            Bench b(spec, 20);
            b.commands.push_back(wide(0x1000, 4));
            b.run(200);
            ASSERT_EQ(b.groups.size(), 1u);
            // Pushed in cycle 1; the memory's own channel takes a cycle.
            const Cycle asked = 1 + link + setup + 1;
            EXPECT_EQ(b.memory.requests[0].first, asked);
            const Cycle answered = b.memory.answers[0].first;
            EXPECT_EQ(answered, asked + 20);
            EXPECT_EQ(b.groups[0].first, answered + link + 1 + link);
        }
    }
}

TEST(IndexDma, WithoutMemoryTheLatencyIsThatOfSetup) {
    for (const unsigned setup : {1u, 2u, 7u}) {
        IndexDmaSpec spec;
        spec.setup_cycles = setup;
        Bench b(spec);
        b.commands.push_back({0x1000, 3, 0, 1, 0, 0, 1});
        b.run(50);
        ASSERT_EQ(b.groups.size(), 1u);
        EXPECT_EQ(b.groups[0].first, 1u + 1 + setup + 1);
    }
}

TEST(IndexDma, AGroupLeavesInEveryCycleWhileMemoryKeepsUp) {
    for (const unsigned size : {0u, 1u}) {
        for (const unsigned most : {8u, 4u, 2u}) {
            IndexDmaSpec spec;
            spec.indices_per_cycle = most;
            spec.lines_ahead = spec.lines_in_flight = 16;
            Bench b(spec, 20);
            IndexCommand c = wide(0x4000, 4096);
            c.type = static_cast<uint8_t>(size);
            b.commands.push_back(c);
            ASSERT_TRUE(b.until_draws(1));
            ASSERT_EQ(b.groups.size(), 4096 / most);
            EXPECT_EQ(b.groups.back().first - b.groups.front().first, b.groups.size() - 1);
        }
    }
}

TEST(IndexDma, ShortDrawsFollowOneAnotherAtTheRateOfTheirSetup) {
    IndexDmaSpec spec;
    spec.setup_cycles = 3;
    spec.commands_begun = 4;
    spec.lines_ahead = spec.lines_in_flight = 16;
    Bench b(spec, 4);
    for (uint32_t i = 0; i < 40; ++i)
        b.commands.push_back(wide(0x1000 + 64 * i, 4, i + 1));
    ASSERT_TRUE(b.until_draws(40));
    // One command in setup_cycles and the cycle of its only request, once the links are full.
    EXPECT_EQ(b.memory.requests[39].first - b.memory.requests[9].first, 30u * (3 + 1));
}

TEST(IndexDma, ZerosLeaveAGroupInEveryCycle) {
    Bench b;
    b.commands.push_back({0x1000, 600, 0, 0, 0, 0, 1});
    ASSERT_TRUE(b.until_draws(1));
    EXPECT_EQ(b.groups.size(), 100u);
    EXPECT_EQ(b.groups.back().first - b.groups.front().first, 99u);
    EXPECT_TRUE(b.memory.requests.empty());
}

TEST(IndexDma, ItIsNotTickedWhileMemoryWorks) {
    Bench b({}, 5000);
    b.commands.push_back(wide(0x1000, 4));
    b.run(10);
    const uint64_t before = b.scheduler.ticks();
    b.memory.holds = true;
    b.run(1000);
    EXPECT_LE(b.scheduler.ticks() - before, 20u);
}

// ---- limits ------------------------------------------------------------------------------------

TEST(IndexDma, NoMoreLinesAreAheadThanMayBe) {
    for (const unsigned lines : {1u, 3u, 16u}) {
        IndexDmaSpec spec;
        spec.lines_ahead = lines;
        spec.lines_in_flight = 16;
        Bench b(spec, 2);
        b.takes = false;
        b.commands.push_back(wide(0x1000, 1000));
        b.run(300);
        // As many groups as the link holds have left: two lines of three groups, one begun.
        EXPECT_EQ(b.memory.requests.size(), lines + 1);
        EXPECT_GT(b.counter("requests"), 0u);
        b.takes = true;
        ASSERT_TRUE(b.until_draws(1));
        EXPECT_GT(b.counter("stall_ahead"), 100u);
    }
}

TEST(IndexDma, NoMoreLinesAreAtMemoryThanMayBe) {
    for (const unsigned lines : {1u, 2u, 5u}) {
        IndexDmaSpec spec;
        spec.lines_ahead = 16;
        spec.lines_in_flight = lines;
        Bench b(spec, 40);
        b.commands.push_back(wide(0x1000, 500));
        ASSERT_TRUE(b.until_draws(1));
        EXPECT_EQ(b.memory.most_pending, lines);
        EXPECT_GT(b.counter("stall_in_flight"), 100u);
    }
}

TEST(IndexDma, TheNextDrawsAreFetchedWhileOneIsHandedOn) {
    for (const unsigned most : {1u, 2u, 4u}) {
        IndexDmaSpec spec;
        spec.commands_begun = most;
        spec.lines_ahead = spec.lines_in_flight = 16;
        Bench b(spec, 2);
        b.takes = false;
        for (uint32_t i = 0; i < 8; ++i)
            b.commands.push_back(wide(0x1000 + 0x1000 * i, 48, i + 1));
        b.run(100);
        EXPECT_EQ(b.counter("commands"), most);
        EXPECT_EQ(b.memory.requests.size(), 3 * most);
        b.takes = true;
        ASSERT_TRUE(b.until_draws(8));
        EXPECT_GT(b.counter("stall_commands"), 0u);
    }
}

TEST(IndexDma, SpecsThatCannotBeBuiltAreNamed) {
    EXPECT_TRUE(IndexDmaSpec{}.problems().empty());
    const auto names = [](auto&& change, const char* field) {
        IndexDmaSpec spec;
        change(spec);
        ASSERT_EQ(spec.problems().size(), 1u) << field;
        EXPECT_NE(spec.problems()[0].find(field), std::string::npos) << spec.problems()[0];
        EXPECT_THROW(IndexDmaUnit{spec}, std::invalid_argument);
    };
    for (const unsigned bad : {0u, 9u})
        names([&](IndexDmaSpec& s) { s.indices_per_cycle = bad; }, "indices_per_cycle");
    for (const unsigned bad : {0u, 17u}) {
        names([&](IndexDmaSpec& s) { s.lines_ahead = bad; }, "lines_ahead");
        names([&](IndexDmaSpec& s) { s.lines_in_flight = bad; }, "lines_in_flight");
    }
    for (const unsigned bad : {0u, 5u})
        names([&](IndexDmaSpec& s) { s.commands_begun = bad; }, "commands_begun");
    for (const unsigned bad : {0u, 256u})
        names([&](IndexDmaSpec& s) { s.setup_cycles = bad; }, "setup_cycles");
}

// ---- what it does ------------------------------------------------------------------------------

TEST(IndexDma, AnyTrafficGivesTheIndicesOfMemoryInOrder) {
    std::mt19937_64 random(20);
    for (int round = 0; round < 60; ++round) {
        IndexDmaSpec spec;
        spec.indices_per_cycle = static_cast<unsigned>(1 + random() % 8);
        spec.lines_ahead = static_cast<unsigned>(1 + random() % 16);
        spec.lines_in_flight = static_cast<unsigned>(1 + random() % 16);
        spec.commands_begun = static_cast<unsigned>(1 + random() % 4);
        spec.setup_cycles = static_cast<unsigned>(1 + random() % 4);
        Bench b(spec, static_cast<unsigned>(1 + random() % 12));
        if (round % 3 != 0)
            b.memory.shuffle(random());
        if (round % 2 != 0) {
            b.unit.command.random_stall(random(), 30);
            b.unit.response.random_stall(random(), 40);
            b.memory.in.random_stall(random(), 40);
            b.group.random_stall(random(), 40);
            b.scheduler.shuffle(random());
        }
        std::vector<IndexCommand> commands(12);
        uint64_t lines = 0;
        std::vector<IndexGroup> expected;
        for (size_t i = 0; i < commands.size(); ++i) {
            IndexCommand& c = commands[i];
            c.type = static_cast<uint8_t>(random() % 2);
            c.base = random() & kAddressMask & ~uint64_t{c.type == 0 ? 1u : 3u};
            if (random() % 8 == 0)
                c.base |= kAddressMask & ~uint64_t{63};
            c.count = static_cast<uint32_t>(random() % (random() % 3 == 0 ? 4 : 120));
            c.max_size = random() % 3 == 0 ? static_cast<uint32_t>(random() % 120) : ~0u;
            c.swap = static_cast<uint8_t>(random() % 4);
            c.vmid = static_cast<uint8_t>(random());
            c.draw = static_cast<uint32_t>(i + 1);
            b.commands.push_back(c);
            // The functional form gives the very same groups and requests the same lines.
            IndexReader reader(c, spec.indices_per_cycle,
                               [&](uint64_t line, uint64_t, uint8_t vmid, Line& data) {
                                   ++lines;
                                   EXPECT_EQ(vmid, c.vmid);
                                   for (unsigned k = 0; k < kLineBytes; ++k)
                                       data[k] = byte_at(line + k);
                                   return MemStatus::Ok;
                               });
            IndexGroup group;
            while (reader.next(group))
                expected.push_back(group);
        }
        ASSERT_TRUE(b.until_draws(commands.size())) << "round " << round;
        for (const IndexCommand& c : commands) {
            const std::vector<uint32_t> got = b.indices_of(c.draw);
            ASSERT_EQ(got.size(), c.count);
            for (uint32_t i = 0; i < c.count; ++i)
                ASSERT_EQ(got[i], index_of(c, i)) << "draw " << c.draw << " index " << i;
        }
        ASSERT_EQ(b.groups.size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
            const IndexGroup& g = b.groups[i].second;
            ASSERT_EQ(g.draw, expected[i].draw);
            ASSERT_EQ(g.index, expected[i].index);
            ASSERT_EQ(g.count, expected[i].count);
            ASSERT_EQ(g.last, expected[i].last);
            ASSERT_EQ(g.beyond, expected[i].beyond);
        }
        ASSERT_EQ(b.memory.requests.size(), lines);
        ASSERT_EQ(b.counter("requests"), lines);
        for (const auto& [at, q] : b.memory.requests) {
            ASSERT_EQ(q.client, Client::VgtIndex);
            ASSERT_EQ(q.command, MemCommand::Read);
        }
        b.run(3);
        ASSERT_TRUE(b.unit.idle());
        ASSERT_FALSE(b.unit.busy.latest());
    }
}

TEST(IndexDma, CountersTellWhatPassed) {
    Bench b;
    b.commands.push_back({0x1004, 40, 30, 1, 0, 0, 1});
    b.commands.push_back({0x2002, 5, 9, 0, 0, 0, 2});
    ASSERT_TRUE(b.until_draws(2));
    EXPECT_EQ(b.counter("commands"), 2u);
    EXPECT_EQ(b.counter("indices"), 45u);
    EXPECT_EQ(b.counter("indices_beyond"), 10u);
    EXPECT_EQ(b.counter("requests"), 3u);
    EXPECT_EQ(b.counter("bytes"), 30u * 4 + 12);
    EXPECT_EQ(b.counter("groups"), b.groups.size());
    EXPECT_GT(b.counter("stall_data"), 5u);
    EXPECT_GT(b.counter("stall_setup"), 0u);
    EXPECT_EQ(b.counter("stall_mem_port"), 0u);
}

TEST(IndexDma, StallsAreCountedWhereTheyAre) {
    Bench b({}, 2);
    b.takes = false;
    b.memory.in.random_stall(5, 90);
    b.commands.push_back(wide(0x1000, 200));
    b.run(400);
    EXPECT_GT(b.counter("stall_mem_port"), 20u);
    b.takes = true;
    ASSERT_TRUE(b.until_draws(1));
    EXPECT_GT(b.counter("stall_consumer"), 50u);
}

TEST(IndexDma, AFaultStopsWhenItIsTheFaultsTurn) {
    Bench b({}, 5);
    b.memory.shuffle(3);
    b.memory.unmapped.insert(0x2040);
    b.commands.push_back(wide(0x1000, 64, 1));
    b.commands.push_back(wide(0x2010, 64, 2));
    EXPECT_EQ(b.run_to_stop(StopKind::Fault),
              "vgt.index_dma: draw 2: indices read from unmapped address 0x2040");
    b.take_the_rest();
    EXPECT_EQ(b.indices_of(1).size(), 64u);
    EXPECT_EQ(b.indices_of(2).size(), 12u);
}

TEST(IndexDma, AFaultThatIsNotReachedIsNone) {
    Bench b({}, 5);
    b.memory.unmapped.insert(0x1040);
    b.commands.push_back({0x1000, 64, 16, 1, 0, 0, 1});
    EXPECT_TRUE(b.until_draws(1));
    EXPECT_EQ(b.indices_of(1).size(), 64u);
}

TEST(IndexDma, ABadCommandStopsBehindTheDrawsBeforeIt) {
    Bench b({}, 50);
    b.commands.push_back(wide(0x1000, 30, 1));
    b.commands.push_back(wide(0x2002, 30, 2));
    b.unit.observe({}, "chip.vgt.dma");
    EXPECT_EQ(b.run_to_stop(StopKind::BadInput),
              "chip.vgt.dma: draw 2: index buffer at 0x2002 is not aligned to the size of its "
              "indices");
    b.take_the_rest();
    EXPECT_EQ(b.indices_of(1).size(), 30u);

    Bench c;
    c.commands.push_back({0x2000, 3, 3, 2, 0, 0, 6});
    EXPECT_NE(c.run_to_stop(StopKind::BadInput).find("draw 6"), std::string::npos);
}

TEST(IndexDma, StopsNameThePacketOfTheirDraw) {
    struct Places : PacketPlaces {
        std::string place(uint16_t number) const override {
            return number == 0 ? "" : "ring gfx dword " + std::to_string(number);
        }
    } places;
    const auto first_stop = [&](IndexCommand bad, StopKind kind) {
        Bench b({}, 5);
        b.unit.name_packets(places);
        b.memory.unmapped.insert(0x2000);
        b.commands.push_back(wide(0x1000, 64, 1));
        b.commands.back().place = 10;
        b.commands.push_back(bad);
        b.commands.back().place = 20;
        b.commands.push_back(wide(0x1000, 64, 3));
        b.commands.back().place = 30;
        return b.run_to_stop(kind);
    };
    EXPECT_EQ(
        first_stop(wide(0x2000, 30, 2), StopKind::Fault),
        "ring gfx dword 20: vgt.index_dma: draw 2: indices read from unmapped address 0x2000");
    EXPECT_EQ(first_stop(wide(0x3002, 30, 2), StopKind::BadInput),
              "ring gfx dword 20: vgt.index_dma: draw 2: index buffer at 0x3002 is not aligned to "
              "the size of its indices");
}

TEST(IndexDma, AnUnsolicitedAnswerStops) {
    for (const uint32_t tag : {0u, 3u, 8u, 0x10000u}) {
        Bench b({}, 5000);
        b.commands.push_back(wide(0x1000, 20));  // lines 0 and 1
        b.run(10);
        MemResponse r;
        r.tag = tag;
        b.unit.response.push(b.now, r);
        if (tag == 0) {  // once it is the answer, twice it is not
            b.run(1);
            b.takes = false;
            b.unit.response.push(b.now, r);
        }
        EXPECT_EQ(b.run_to_stop(StopKind::Protocol),
                  "vgt.index_dma: unsolicited memory response (tag " + std::to_string(tag) + ")");
    }
}

TEST(IndexDma, PausedNothingLeavesAndAnswersAreStillTaken) {
    Bench b({}, 30);
    b.commands.push_back(wide(0x1000, 64, 1));
    b.commands.push_back(wide(0x2000, 64, 2));
    b.run(20);
    const size_t asked = b.memory.requests.size();
    ASSERT_GT(asked, 0u);
    b.unit.pause();
    b.run(200);
    EXPECT_LE(b.memory.requests.size(), asked + 2);  // what was on the way
    EXPECT_TRUE(b.groups.empty());
    EXPECT_TRUE(b.unit.response.empty());
    EXPECT_NE(b.unit.waiting_for().find("resume"), std::string::npos);
    b.unit.resume();
    EXPECT_TRUE(b.until_draws(2));
}

TEST(IndexDma, DrainingItFinishesWhatItHasBegun) {
    Bench b({}, 30);
    b.commands.push_back(wide(0x1000, 64, 1));
    b.run(8);
    b.unit.drain();
    b.commands.push_back(wide(0x2000, 64, 2));
    EXPECT_FALSE(b.unit.idle());
    b.run(500);
    EXPECT_EQ(b.indices_of(1).size(), 64u);
    EXPECT_TRUE(b.indices_of(2).empty());
    EXPECT_TRUE(b.unit.idle());
    b.unit.resume();
    EXPECT_TRUE(b.until_draws(2));
}

TEST(IndexDma, ItSaysWhatItWaitsFor) {
    Bench b({}, 5000);
    EXPECT_EQ(b.unit.waiting_for(), "");
    b.commands.push_back(wide(0x1000, 4, 31));
    b.run(20);
    EXPECT_EQ(b.unit.waiting_for(), "vgt.index_dma: draw 31 waits for indices from memory");
    Bench c({}, 2);
    c.takes = false;
    c.commands.push_back(wide(0x1000, 400, 32));
    c.run(100);
    EXPECT_EQ(c.unit.waiting_for(), "vgt.index_dma: draw 32 waits for VGT to take indices");
}

TEST(IndexDma, AResetForgetsEverything) {
    Bench b({}, 3);
    b.takes = false;
    b.commands.push_back(wide(0x1000, 500, 1));
    b.run(60);
    b.unit.reset();
    b.memory.in.clear();
    b.group.clear();
    EXPECT_TRUE(b.unit.idle());
    EXPECT_EQ(b.counter("indices"), 0u);
    b.takes = true;
    b.run(10);
    EXPECT_TRUE(b.groups.empty());
    b.commands.push_back(wide(0x3000, 20, 2));
    ASSERT_TRUE(b.until_draws(1));
    EXPECT_EQ(b.indices_of(2).size(), 20u);
}

// ---- what others see ---------------------------------------------------------------------------

struct Slices : TraceSink {
    TrackId track(const std::string& path, uint64_t) override {
        paths.push_back(path);
        return 3;
    }
    void slice(TrackId track, Cycle begin, Cycle end, std::string_view name, uint64_t,
               std::string_view detail) override {
        EXPECT_EQ(track, 3u);
        slices.emplace_back(begin, end, std::string(name) + ": " + std::string(detail));
    }
    void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
    std::vector<std::string> paths;
    std::vector<std::tuple<Cycle, Cycle, std::string>> slices;
};
struct Lines : LogSink {
    Lines() { mask_ = 1u << static_cast<unsigned>(LogCategory::Dma); }
    void line(LogCategory, Cycle, std::string_view unit, std::string_view text) override {
        lines.push_back(std::string(unit) + ": " + std::string(text));
    }
    std::vector<std::string> lines;
};

TEST(IndexDma, DrawsAreOnTheTimelineAndInTheLog) {
    Bench b({}, 12);
    Slices slices;
    Lines lines;
    b.unit.observe({&slices, &lines, 1000}, "vgt.dma");
    b.commands.push_back({0x1234, 7, 9, 0, 1, 0, 5});
    ASSERT_TRUE(b.until_draws(1));
    EXPECT_EQ(slices.paths, std::vector<std::string>{"vgt.dma"});
    ASSERT_EQ(slices.slices.size(), 1u);
    const auto& [begin, end, text] = slices.slices[0];
    EXPECT_EQ(begin, 2u);
    EXPECT_EQ(end, b.groups.back().first);
    EXPECT_EQ(text, "indices: draw 5, 7 indices");
    EXPECT_EQ(lines.lines,
              std::vector<std::string>{
                  "vgt.dma: draw 5: 7 indices of 16 bits at 0x1234, 9 at most, swap 1"});
}

}  // namespace
}  // namespace archipelago::vgt
