// SPDX-License-Identifier: Apache-2.0
// The places of memory transactions in the timeline: the time under the rows is the ledger's.
#include "models/asic/place_trace.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <string>

namespace archipelago::asic::place_trace_test {
namespace {

constexpr uint64_t kEngine = 1'081'081;  // fs
constexpr uint64_t kMemory = 727'273;

// Values of each row, in the order they are told.
struct Rows : TraceSink {
    TrackId track(const std::string&, uint64_t) override {
        ADD_FAILURE() << "a row of slices";
        return 0;
    }
    void slice(TrackId, Cycle, Cycle, std::string_view, uint64_t, std::string_view) override {}
    void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
    TrackId counter_track(const std::string& path, uint64_t period_fs, std::string_view) override {
        EXPECT_EQ(period_fs, 1u);
        paths.push_back(path);
        return static_cast<TrackId>(paths.size() - 1);
    }
    void counter(TrackId row, Cycle at, uint64_t value) override {
        auto& told = values[paths[row]];
        EXPECT_TRUE(told.empty() || at >= told.back().first) << paths[row];
        told.emplace_back(at, value);
    }
    uint64_t area(const std::string& path, uint64_t end) const {
        const auto found = values.find(path);
        if (found == values.end())
            return 0;
        uint64_t sum = 0;
        for (size_t i = 0; i < found->second.size(); ++i) {
            const auto [at, value] = found->second[i];
            sum += value * ((i + 1 < found->second.size() ? found->second[i + 1].first : end) - at);
        }
        return sum;
    }
    std::vector<std::string> paths;
    std::map<std::string, std::vector<std::pair<uint64_t, uint64_t>>> values;
};

// What a block does to its taps in a cycle, and in which cycles.
struct Passer : Clocked {
    std::function<Cycle(Cycle)> pass;  // returns the next cycle, kNever: none
    bool tick(Cycle now) override {
        const Cycle next = pass(now);
        if (next != kNever)
            wake_at(next);
        return false;
    }
};

// Requests of a cache go to a memory in another clock and come back; some are hits.
struct Bench {
    tlm_shell::RunControl control;
    tlm_shell::ClockDomain engine{"engine", kEngine, control};
    tlm_shell::ClockDomain memory{"memory", kMemory, control};
    Passer cache, dram;
    CycleTap request, sent, command, returned, answer;
    TransactionLedger ledger;
    Rows rows;
    std::mt19937 random{7};
    uint64_t in_cache = 0, to_dram = 0, in_dram = 0, left = 400;

    Bench() {
        ledger.begin("vector", Place::L1, request, kEngine);
        ledger.move(Place::L1, Place::DramQueue, sent, kEngine);
        ledger.move(Place::DramQueue, Place::Dram, command, kMemory);
        ledger.move(Place::Dram, Place::L1, returned, kMemory);
        ledger.end("vector", Place::L1, answer, kEngine);
        cache.pass = [this](Cycle now) { return tick_cache(now); };
        dram.pass = [this](Cycle now) { return tick_dram(now); };
        engine.add(cache);
        memory.add(dram);
    }
    // Up to `most` of those of `from` pass the tap.
    uint64_t move(uint64_t& from, CycleTap& tap, Cycle now, uint64_t most) {
        const uint64_t count = std::min<uint64_t>(from, random() % (most + 1));
        for (uint64_t i = 0; i < count; ++i)
            tap.pass(now);
        from -= count;
        return count;
    }
    Cycle tick_cache(Cycle now) {
        to_dram += move(in_cache, sent, now, 2);
        move(in_cache, answer, now, 2);
        in_cache += move(left, request, now, 4);
        return left + in_cache + to_dram + in_dram != 0 ? now + 1 + random() % 3 : kNever;
    }
    Cycle tick_dram(Cycle now) {
        in_cache += move(in_dram, returned, now, 2);
        in_dram += move(to_dram, command, now, 3);
        return left + in_cache + to_dram + in_dram != 0 ? now + 1 + random() % 5 : kNever;
    }
    void run(uint64_t cycles) { sc_core::sc_start(sc_core::sc_time::from_value(cycles * kEngine)); }
    void expect_areas(uint64_t now) {
        const TransactionTimes times = ledger.times(now);
        EXPECT_GT(times.total, 0u);
        for (size_t i = 0; i < kPlaces; ++i)
            EXPECT_EQ(rows.area(std::string("transactions.") + kPlaceRows[i].name, now),
                      times.places[i])
                << kPlaceRows[i].name;
    }
};

TEST(PlaceTrace, TheTimeUnderEachRowIsThatOfThePlace) {
    Bench bench;
    PlaceTrace trace(bench.ledger, bench.rows, {&bench.engine, &bench.memory});
    bench.cache.wake_at(3);
    bench.dram.wake_at(2);
    bench.run(5000);
    trace.finish(bench.control.time());
    EXPECT_EQ(bench.left + bench.in_cache + bench.to_dram + bench.in_dram, 0u);
    bench.expect_areas(bench.control.time());
    for (const auto& [path, values] : bench.rows.values)
        EXPECT_EQ(values.back().second, 0u) << path;
    EXPECT_EQ(bench.rows.paths.size(), kPlaces);
    EXPECT_EQ(bench.rows.values.size(), 3u) << "places nothing came to";
}

TEST(PlaceTrace, WhatIsUnderWayWhenTheRunEndsIsShownUntilThen) {
    Bench bench;
    PlaceTrace trace(bench.ledger, bench.rows, {&bench.engine, &bench.memory});
    bench.cache.wake_at(3);
    bench.dram.wake_at(2);
    bench.run(40);
    const uint64_t now = bench.control.time();
    trace.finish(now);
    EXPECT_GT(bench.ledger.times(now).open, 0u);
    bench.expect_areas(now);
    uint64_t shown = 0;
    for (const auto& [path, values] : bench.rows.values) {
        shown += values.back().second;
        if (values.back().second != 0) {
            EXPECT_EQ(values.back().first, now) << path;
        }
    }
    EXPECT_EQ(shown, bench.in_cache + bench.to_dram + bench.in_dram);
}

TEST(PlaceTrace, AfterACheckpointItGoesOnWithWhatTheTapsHold) {
    Bench bench;
    PlaceTrace trace(bench.ledger, bench.rows, {&bench.engine, &bench.memory});
    for (const Cycle at : {1, 2, 4})
        bench.request.pass(at);
    bench.answer.pass(6);
    trace.restored(10 * kEngine);
    trace.finish(12 * kEngine);
    using Values = std::vector<std::pair<uint64_t, uint64_t>>;
    EXPECT_EQ(bench.rows.values.at("transactions.l1"),
              (Values{{10 * kEngine, 2}, {12 * kEngine, 2}}));
}

}  // namespace
}  // namespace archipelago::asic::place_trace_test
