// SPDX-License-Identifier: Apache-2.0
// Much traffic: how much of the peak it reaches, that no line is mixed up, that looking more often
// changes nothing.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "testbenches/unit/mc/mc_bench.h"

namespace archipelago::mc {
namespace {

double streaming_efficiency(const McSpec& s, bool writes_too) {
    Bench b(s);
    constexpr uint32_t kLines = 20000;
    for (uint32_t i = 0; i < kLines; ++i) {
        if (writes_too && i % 2 == 1)
            b.l2.send(write_of(8 * 1024 * 1024 + i / 2 * 64, {1}, i));
        else
            b.l2.send(read_of(uint64_t{writes_too ? i / 2 : i} * 64, i));
    }
    b.run();
    EXPECT_EQ(b.l2.answers.size(), kLines);
    const Cycle cycles = b.l2.answers.back().at - b.l2.answers.front().at;
    return static_cast<double>(kLines) * s.timing.burst / static_cast<double>(cycles);
}

TEST(McCore, StreamingReadsReachEightySevenPercentOfPeak) {
    DramTiming t = gddr5();
    t.refi = 2612;  // 1.9 us at 1375 MHz
    const double efficiency = streaming_efficiency(spec_of(t), false);
    EXPECT_GE(efficiency, 0.87);
    EXPECT_LE(efficiency, 1.0);
}

TEST(McCore, AStreamThatIsReadAndWrittenKeepsAboutTwoThirdsOfPeak) {
    DramTiming t = gddr5();
    t.refi = 2612;
    const double efficiency = streaming_efficiency(spec_of(t), true);
    EXPECT_GE(efficiency, 0.60);
    EXPECT_LE(efficiency, 0.95);
}

struct RandomRun {
    std::vector<Cycle> answers;
    Cycle end = 0;
};

// Both clients read and write a few lines of their own; every read must see the client's last
// write to the line, regardless of what the scheduler did in between.
RandomRun random_run(uint64_t seed, unsigned stall_percent, uint64_t shuffle) {
    DramTiming t = gddr5();
    t.refi = 700;
    t.rfc = 60;
    McSpec s = spec_of(t);
    s.read_entries = 8;
    s.write_entries = 8;
    s.write_high = 6;
    s.write_low = 2;
    s.lookahead = 5;
    s.starvation_cycles = 300;
    s.store_entries = 4;
    Bench b(s);
    if (shuffle != 0)
        b.scheduler.shuffle(shuffle);
    if (stall_percent != 0) {
        b.mc.from_l2.random_stall(seed + 1, stall_percent);
        b.mc.from_hub.random_stall(seed + 2, stall_percent);
        b.mc.from_store.random_stall(seed + 3, stall_percent);
        b.store.requests.random_stall(seed + 4, stall_percent);
        b.l2.answers_in.random_stall(seed + 5, stall_percent);
        b.hub.answers_in.random_stall(seed + 6, stall_percent);
    }
    Random random(seed);
    std::vector<uint8_t> expected(1000, 0);
    std::vector<MemRequest> sent[2];
    for (unsigned n = 0; n < 2000; ++n) {
        const unsigned who = static_cast<unsigned>(random.below(2));
        // 24 lines spread over banks and rows; odd ones belong to the hub.
        const uint64_t which = random.below(12) * 2 + who;
        const uint64_t line = at(which % 3, which / 6, 0) + 64 * (which % 4);
        const auto tag = static_cast<uint32_t>(sent[who].size());
        MemRequest r = read_of(line, tag);
        if (random.below(2) == 0)
            r = write_of(line + random.below(64), {static_cast<uint8_t>(random.next())}, tag);
        (who == 0 ? b.l2 : b.hub).send(r, n * 2);
        sent[who].push_back(r);
    }
    b.run();
    EXPECT_TRUE(b.mc.idle()) << b.mc.waiting_for();
    RandomRun result;
    for (unsigned who = 0; who < 2; ++who) {
        const MemClient& client = who == 0 ? b.l2 : b.hub;
        EXPECT_EQ(client.answers.size(), sent[who].size());
        std::map<uint32_t, const MemResponse*> by_tag;
        for (const auto& a : client.answers) {
            by_tag[a.response.tag] = &a.response;
            result.answers.push_back(a.at);
        }
        std::map<uint64_t, Line> lines;
        for (uint32_t i = 0; i < sent[who].size(); ++i) {
            const MemRequest& r = sent[who][i];
            Line& line = lines.try_emplace(r.line, Line{}).first->second;
            if (r.command == MemCommand::Write) {
                for (unsigned k = 0; k < 64; ++k)
                    if ((r.byte_mask >> k & 1) != 0)
                        line[k] = r.data[k];
            } else {
                EXPECT_EQ(by_tag.at(i)->data, line) << "read " << i << " of client " << who;
            }
        }
    }
    result.end = b.scheduler.now();
    return result;
}

TEST(McCore, RandomTrafficKeepsEveryLineInOrder) {
    for (uint64_t seed = 1; seed <= 8; ++seed)
        random_run(seed, 0, 0);
}

TEST(McCore, RandomStallsLeaveTheDataIntact) {
    for (uint64_t seed = 1; seed <= 8; ++seed)
        random_run(seed, 30, seed);
}

TEST(McCore, TheOrderOfTicksDoesNotMatter) {
    const RandomRun plain = random_run(3, 10, 0);
    for (uint64_t shuffle = 1; shuffle <= 5; ++shuffle) {
        const RandomRun other = random_run(3, 10, shuffle);
        EXPECT_EQ(other.answers, plain.answers);
        EXPECT_EQ(other.end, plain.end);
    }
}

TEST(McCore, ExtraTicksChangeNothing) {
    const auto run = [](bool every_cycle) {
        DramTiming t = gddr5();
        t.refi = 500;
        McSpec s = spec_of(t);
        s.starvation_cycles = 60;
        Bench b(s);
        Random random(9);
        for (uint32_t i = 0; i < 300; ++i)
            b.l2.send(random.below(3) == 0 ? write_of(random.below(64) * 1024 * 8, {1}, i)
                                           : read_of(random.below(64) * 1024 * 8, i),
                      i * 20);
        if (every_cycle) {
            for (Cycle c = 0; c < 12000; ++c) {
                b.mc.wake_at(c + 1);
                b.scheduler.step(c);
            }
        }
        b.run();
        std::vector<Cycle> times;
        for (const auto& a : b.l2.answers)
            times.push_back(a.at);
        const McCounters& c = b.mc.state().count;
        times.push_back(c.refreshes);
        times.push_back(c.l2_blocked_cycles);
        times.push_back(c.write_drains);
        return times;
    };
    EXPECT_EQ(run(false), run(true));
}

// The scheduler inspects the queues when it expects to find a command. One that is made to forget
// what it expects looks in every cycle, as one on pins does: with the same commands in the same
// cycles.
TEST(McCore, QuietTimesHideNoCommand) {
    enum Look { kWhenDue, kForgets, kOnPins };
    const auto run = [](uint64_t seed, Look look) {
        Random random(seed);
        DramTiming t = gddr5();
        t.refi = 400 + static_cast<unsigned>(random.below(600));
        t.rp = 2 + static_cast<unsigned>(random.below(50));
        t.rcd_read = 2 + static_cast<unsigned>(random.below(50));
        t.rcd_write = 2 + static_cast<unsigned>(random.below(50));
        McSpec s = spec_of(t);
        s.read_entries = 4 + static_cast<unsigned>(random.below(28));
        s.write_entries = 4 + static_cast<unsigned>(random.below(28));
        s.write_high = 3 + static_cast<unsigned>(random.below(s.write_entries - 3));
        s.write_low = static_cast<unsigned>(random.below(s.write_high));
        s.lookahead = 1 + static_cast<unsigned>(random.below(40));
        s.starvation_cycles = 40 + static_cast<unsigned>(random.below(400));
        s.store_entries = 2 + static_cast<unsigned>(random.below(14));
        s.l2_write_cycles = 1 + static_cast<unsigned>(random.below(12));
        McScheduleCore block;
        Bench b(s, look == kOnPins ? &block : nullptr);
        const uint64_t pace = 1 + random.below(12);
        const uint64_t writes = random.below(11);  // tenths
        const uint64_t for_hub = random.below(11);
        for (uint32_t i = 0; i < 600;) {
            // Some lines of one row, as streams have them.
            const uint64_t row = random.below(4);
            const uint64_t bank = random.below(16);
            const bool write = random.below(10) < writes;
            for (uint64_t run = 1 + random.below(12); run != 0; --run, ++i) {
                const uint64_t line = at(bank, row, 64 * random.below(8));
                (random.below(10) < for_hub ? b.hub : b.l2)
                    .send(write ? write_of(line, {1}, i) : read_of(line, i), i * pace);
            }
        }
        auto& state = const_cast<McState&>(b.mc.state());
        std::vector<uint64_t> seen;
        for (Cycle c = 0; c < 60000; ++c) {
            if (look == kForgets) {
                const_cast<ScheduleState&>(b.waiting()).skip_until = 0;
                state.l2_blocked = false;
                b.mc.wake_at(c);
            }
            b.scheduler.step(c);
        }
        EXPECT_TRUE(b.mc.idle());
        for (const MemClient* client : {&b.l2, &b.hub})
            for (const auto& a : client->answers)
                seen.insert(seen.end(), {a.response.tag, a.at});
        const McCounters& c = state.count;
        seen.insert(seen.end(), {c.activates, c.precharges, c.refreshes, c.turnarounds,
                                 c.write_drains, c.starved, c.queue_cycles, c.l2_blocked_cycles,
                                 c.hub_blocked_cycles, c.order_waits});
        return seen;
    };
    for (uint64_t seed = 1; seed <= 250; ++seed) {
        const std::vector<uint64_t> seen = run(seed, kWhenDue);
        ASSERT_EQ(seen, run(seed, kForgets)) << "seed " << seed;
        if (seed <= 60) {
            ASSERT_EQ(seen, run(seed, kOnPins)) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace archipelago::mc
