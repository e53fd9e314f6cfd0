// SPDX-License-Identifier: Apache-2.0
// Streams and strobes: source and sink back to back, and the checker's rules.
#include "rtl-bridge/adapters/ready_valid_core.h"

#include <gtest/gtest.h>

#include <set>

#include "models/common/error.h"

namespace archipelago::adapters {
namespace {

DataLanes word_of(uint8_t n) {
    DataLanes word{};
    word[0] = n;
    return word;
}

struct StreamBench {
    ReadyValidSourceCore source;
    ReadyValidSinkCore sink;
    ReadyValidCheckerCore checker;
    unsigned violations = 0;
    explicit StreamBench(const ReadyValidSpec& spec) : source(spec), sink(spec), checker(spec) {}
    void step(bool in_reset = false) {
        const ReadyValidPins pins = source.pins();
        const bool ready = sink.ready();
        violations += static_cast<unsigned>(checker.edge(pins, ready, in_reset).size());
        source.edge(ready, in_reset);
        sink.edge(pins, in_reset);
    }
};

TEST(ReadyValid, EveryWordArrivesOnceAndInOrderUnderRandomBackPressure) {
    for (const unsigned percent : {0u, 30u, 80u}) {
        ReadyValidSpec spec;
        spec.stall_percent = percent;
        spec.depth = 4;
        StreamBench bench(spec);
        AdapterRandom random(percent + 1);
        bench.step(true);
        uint8_t sent = 0, got = 0;
        unsigned total = 0;
        for (unsigned n = 0; n < 40000 && total < 2000; ++n) {
            if (bench.source.can_push() && random.below(2) == 0)
                bench.source.push(word_of(sent++));
            bench.step();
            if (bench.sink.has_word() && random.below(2) == 0) {
                EXPECT_EQ(bench.sink.pop(), word_of(got++));
                ++total;
            }
        }
        EXPECT_EQ(total, 2000u);
        EXPECT_EQ(bench.violations, 0u);
    }
}

TEST(ReadyValid, StreamingMovesAWordPerCycle) {
    ReadyValidSpec spec;
    StreamBench bench(spec);
    bench.step();
    for (unsigned n = 0; n < 100; ++n) {
        bench.source.push(word_of(1));
        bench.step();
        if (bench.sink.has_word())
            bench.sink.pop();
    }
    EXPECT_GE(bench.sink.moved(), 98u);
}

TEST(Strobe, EachPushIsOneCycleAndTheGapIsKept) {
    for (const unsigned gap : {0u, 1u, 5u}) {
        ReadyValidSpec spec;
        spec.strobe = true;
        spec.gap = gap;
        spec.data_bits = 8;
        StreamBench bench(spec);
        unsigned high = 0, since = 100;
        for (unsigned n = 0; n < 10; ++n)
            bench.source.push(word_of(static_cast<uint8_t>(n)));
        for (unsigned n = 0; n < 100; ++n) {
            bench.step();
            if (bench.source.pins().valid) {
                ++high;
                EXPECT_GE(since, gap);
                since = 0;
            } else {
                ++since;
            }
        }
        EXPECT_EQ(high, 10u);
        EXPECT_EQ(bench.sink.moved(), 10u);
        EXPECT_EQ(bench.violations, 0u);
    }
}

TEST(Strobe, OneThatCannotBeKeptStopsTheMachine) {
    ReadyValidSpec spec;
    spec.strobe = true;
    spec.depth = 2;
    ReadyValidSinkCore sink(spec);
    ReadyValidPins pins;
    pins.valid = true;
    sink.edge(pins);
    sink.edge(pins);
    EXPECT_THROW(sink.edge(pins), MachineStop);
}

TEST(ReadyValid, ResetEmptiesBothEnds) {
    ReadyValidSpec spec;
    StreamBench bench(spec);
    bench.step();
    for (unsigned n = 0; n < 5; ++n)
        bench.source.push(word_of(7));
    bench.step();
    bench.step();
    bench.source.edge(false, true);
    bench.sink.edge({}, true);
    EXPECT_TRUE(bench.source.idle());
    EXPECT_FALSE(bench.sink.has_word());
    EXPECT_FALSE(bench.sink.ready());
}

// One test per rule: the pins that break it, and what the checker says.
std::set<StreamRule> rules_of(const ReadyValidSpec& spec, const std::vector<ReadyValidPins>& trace,
                              bool ready, size_t reset_from = ~size_t{0}) {
    ReadyValidCheckerCore checker(spec);
    std::set<StreamRule> fired;
    for (size_t n = 0; n < trace.size(); ++n)
        for (const StreamViolation& v : checker.edge(trace[n], ready, n >= reset_from))
            fired.insert(v.rule);
    return fired;
}
ReadyValidPins high(uint8_t n) {
    return {true, word_of(n)};
}
using Rules = std::set<StreamRule>;

TEST(StreamChecker, ValidThatFallsBeforeReadyIsFound) {
    EXPECT_EQ(rules_of({}, {high(1), {}}, false), Rules{StreamRule::Dropped});
    EXPECT_EQ(rules_of({}, {high(1), {}}, true), Rules{});
}
TEST(StreamChecker, AWordThatChangesWhileItWaitsIsFound) {
    EXPECT_EQ(rules_of({}, {high(1), high(2)}, false), Rules{StreamRule::Changed});
    EXPECT_EQ(rules_of({}, {high(1), high(2)}, true), Rules{});
}
TEST(StreamChecker, ValidInResetIsFound) {
    EXPECT_EQ(rules_of({}, {high(1), high(1), high(1)}, false, 1), Rules{StreamRule::InReset});
    EXPECT_EQ(rules_of({}, {high(1), high(1), {}}, false, 1), Rules{});
}
TEST(StreamChecker, AWordThatIsNotTakenIsFound) {
    ReadyValidSpec spec;
    spec.timeout = 3;
    EXPECT_EQ(rules_of(spec, {high(1), high(1), high(1), high(1)}, false),
              Rules{StreamRule::NotTaken});
    EXPECT_EQ(rules_of(spec, {high(1), high(1), high(1)}, false), Rules{});
}
TEST(StreamChecker, BitsBeyondTheWordAreFound) {
    ReadyValidSpec spec;
    spec.data_bits = 5;
    EXPECT_EQ(rules_of(spec, {high(0x20)}, true), Rules{StreamRule::TooWide});
    EXPECT_EQ(rules_of(spec, {high(0x1F)}, true), Rules{});
}
TEST(StreamChecker, AStrobeOfTwoCyclesIsFoundWhereGapsAreAgreed) {
    ReadyValidSpec spec;
    spec.strobe = true;
    EXPECT_EQ(rules_of(spec, {high(1), high(2)}, false), Rules{});
    spec.gap = 1;
    EXPECT_EQ(rules_of(spec, {high(1), high(2)}, false), Rules{StreamRule::TooLong});
}

TEST(ReadyValidSpecs, WhatCannotBeIsRefused) {
    ReadyValidSpec spec;
    EXPECT_EQ(spec.problem(), "");
    spec.gap = 1;
    EXPECT_NE(spec.problem(), "");
    spec = {};
    spec.data_bits = 1025;
    EXPECT_NE(spec.problem(), "");
    EXPECT_THROW(ReadyValidSourceCore{spec}, std::invalid_argument);
}

}  // namespace
}  // namespace archipelago::adapters
