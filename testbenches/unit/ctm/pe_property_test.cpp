// SPDX-License-Identifier: Apache-2.0
// Random command buffers: in cycle mode the PE asks for the same, in the same order, as without;
// regardless of what stalls and in any order in which units are ticked.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "testbenches/unit/ctm/pe_bench.h"

namespace archipelago::ctm::pe_bench {
namespace {

using Words = std::vector<uint32_t>;

// Commands as they come; `legal`: none is undefined.
Words random_commands(std::mt19937& random, bool legal) {
    Words words;
    bool started = false;
    const unsigned count = 4 + random() % 30;
    for (unsigned n = 0; n < count; ++n) {
        const CommandInfo& info = commands().begin()[random() % 27];
        if (!info.pipelined && started && legal)
            words.insert(words.end(), {0xC0000900, 0});
        words.push_back(info.header);
        for (unsigned i = 0; i < info.parameters; ++i)
            words.push_back(random());
        uint32_t* p = &words[words.size() - info.parameters];
        switch (info.opcode) {
            case Opcode::SetDomain: {
                const uint32_t x = random() % 30, y = random() % 30;
                p[0] = x, p[1] = y, p[2] = x + random() % 30 - 1, p[3] = y + random() % 12 - 1;
                break;
            }
            case Opcode::SetCondVal:
                p[0] = random() % 50;
                break;
            case Opcode::SetCondOutFmt:
                p[1] = 2u << 24;
                break;
            case Opcode::ReadPerfCounters:
                p[0] = 0x8000;
                break;
            case Opcode::StartProgram:
                started = true;
                break;
            case Opcode::WaitForIdle:
                started = false;
                break;
            default:
                break;
        }
    }
    return words;
}

PeSpec random_spec(std::mt19937& random) {
    PeSpec spec;
    spec.arrays = 1 + random() % 4;
    spec.walk.order = static_cast<WalkOrder>(random() % 3);
    spec.walk.quads = 1 + random() % 12;
    spec.distribution = static_cast<Distribution>(random() % 2);
    spec.command_cycles = random() % 6;
    spec.fetch_lines = 1 + random() % 4;
    spec.quads_per_cycle = 1 + random() % 4;
    spec.tests_in_flight = 1 + random() % 20;
    spec.allow_undefined = random() % 2 != 0;
    return spec;
}

struct Case {
    PeSpec spec;
    std::vector<Words> buffers;
};
Case random_case(unsigned seed) {
    std::mt19937 random(seed);
    Case c;
    c.spec = random_spec(random);
    const unsigned buffers = 1 + random() % 4;
    for (unsigned n = 0; n < buffers; ++n) {
        c.buffers.push_back(random_commands(random, random() % 8 != 0));
        // So that those of the next one are defined.
        c.buffers.back().insert(c.buffers.back().end(), {0xC0000900, 0});
    }
    if (random() % 6 == 0)
        c.buffers.back().push_back(random() % 2 != 0 ? random() : 0xC0030700);
    return c;
}
template <class Bench>
void run(const Case& c, Bench& bench) {
    uint32_t address = kBuffers;
    for (const Words& words : c.buffers) {
        submit(bench, address, words);
        address += static_cast<uint32_t>(4 * words.size() + 36) & ~3u;
    }
    bench.run();
}

// Commands of the MC and the CO are seen in each unit alone; threads in the arrays.
std::vector<std::string> of(const char* unit, const Outcome& outcome) {
    std::vector<std::string> lines;
    for (const std::string& line : outcome.log)
        if (line.rfind(unit, 0) == 0)
            lines.push_back(line);
    return lines;
}

void compare(const Case& c, const Outcome& functional, const CycleBench& bench, unsigned seed) {
    const Outcome& timed = bench.outcome;
    ASSERT_EQ(timed.stop, functional.stop) << seed;
    // A command on its way when the machine stops is not taken.
    std::vector<std::string> commands = of("mc", functional);
    if (!functional.stop.empty() && commands.size() == of("mc", timed).size() + 1)
        commands.pop_back();
    EXPECT_EQ(of("mc", timed), commands) << seed;
    std::vector<std::string> threads;
    std::vector<std::pair<std::pair<uint32_t, uint32_t>, std::string>> taken;
    for (const auto& array : bench.arrays)
        for (const auto& [at, t] : array->taken)
            taken.push_back({{t.program, t.number}, thread_name(t)});
    std::sort(taken.begin(), taken.end());
    threads.reserve(taken.size());
    for (const auto& [number, name] : taken)
        threads.push_back(name);
    if (functional.stop.empty()) {
        EXPECT_EQ(threads, of("thread", functional)) << seed;
        EXPECT_EQ(timed.conditional.value, functional.conditional.value) << seed;
        EXPECT_EQ(timed.consumed, functional.consumed) << seed;
        EXPECT_EQ(timed.consumed.size(), c.buffers.size()) << seed;
        auto a = timed.written, b = functional.written;
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        EXPECT_EQ(a, b) << seed;
        EXPECT_TRUE(bench.pe.idle()) << seed << bench.pe.waiting_for();
        EXPECT_TRUE(bench.co.idle()) << seed << bench.co.waiting_for();
    }
}

TEST(CtmPeProperty, InTimeItAsksForTheSameAsWithout) {
    unsigned stopped = 0, tested = 0, conditional = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        const Case c = random_case(seed);
        FunctionalBench functional(c.spec);
        run(c, functional);
        Disturbance disturb;
        disturb.seed = seed;
        disturb.shuffle = seed % 2 != 0;
        disturb.stall_percent = seed % 3 * 30;
        CycleBench bench(c.spec, disturb);
        run(c, bench);
        compare(c, functional.outcome, bench, seed);
        if (testing::Test::HasFatalFailure())
            return;
        stopped += functional.outcome.stop.empty() ? 0 : 1;
        tested += bench.pe.state().counters.tests != 0 ? 1 : 0;
        conditional += bench.co.state().counters.writes != 0 ? 1 : 0;
    }
    // All of it has been reached.
    EXPECT_GT(stopped, 20u);
    EXPECT_GT(tested, 20u);
    EXPECT_GT(conditional, 20u);
}

TEST(CtmPeProperty, TickOrderChangesNoCycle) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        const Case c = random_case(seed);
        std::vector<Cycle> ends;
        std::vector<std::vector<Cycle>> launches;
        for (const bool shuffle : {false, true, true}) {
            Disturbance disturb;
            disturb.shuffle = shuffle;
            disturb.seed = seed + ends.size();
            CycleBench bench(c.spec, disturb);
            run(c, bench);
            ends.push_back(bench.now());
            launches.emplace_back();
            for (const auto& array : bench.arrays)
                for (const auto& [at, t] : array->taken)
                    launches.back().push_back(at);
        }
        EXPECT_EQ(ends[1], ends[0]) << seed;
        EXPECT_EQ(ends[2], ends[0]) << seed;
        EXPECT_EQ(launches[1], launches[0]) << seed;
        EXPECT_EQ(launches[2], launches[0]) << seed;
    }
}

}  // namespace
}  // namespace archipelago::ctm::pe_bench
