// SPDX-License-Identifier: Apache-2.0
// Random traffic through a cache between two neighbours, with everything that shows whether another
// cache stands in its place as well: every message with its cycle, counters, timeline.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"

namespace archipelago::test {

struct Timeline : TraceSink {
    TrackId track(const std::string& path, uint64_t) override {
        rows.push_back(path);
        return static_cast<TrackId>(rows.size() - 1);
    }
    void slice(TrackId row, Cycle begin, Cycle end, std::string_view name, uint64_t flow,
               std::string_view) override {
        slices.push_back(rows[row] + " " + std::to_string(begin) + " " + std::to_string(end) + " " +
                         std::string(name) + " " + std::to_string(flow));
    }
    void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
    std::vector<std::string> rows, slices;
};

struct Passage {
    std::vector<std::string> passed;  // every message with its cycle
    std::vector<std::string> slices;
    std::vector<uint64_t> counters;
};

// What both kinds of neighbours are made of.
class Traffic {
  public:
    explicit Traffic(uint64_t seed) : random_(seed) {}
    std::vector<std::string> passed;

  protected:
    uint64_t below(uint64_t n) { return random_() % n; }
    uint64_t bits() { return random_(); }
    void fill(Line& data) {
        for (uint8_t& byte : data)
            byte = static_cast<uint8_t>(random_());
    }
    void log(Cycle now, const char* port, uint64_t a, uint64_t b, const Line& data) {
        uint64_t sum = 0;
        for (const uint8_t byte : data)
            sum = sum * 31 + byte;
        passed.push_back(std::to_string(now) + " " + port + " " + std::to_string(a) + " " +
                         std::to_string(b) + " " + std::to_string(sum));
    }
    void log_idle(Cycle now, bool idle) {
        if (idle == idle_seen_)
            return;
        idle_seen_ = idle;
        log(now, idle ? "idle" : "busy", 0, 0, {});
    }

  private:
    std::mt19937_64 random_;
    bool idle_seen_ = false;
};

// Random traffic through a cache that is paused and resumed on the way, and drained at the end.
// Neighbours has send(now, busy) and receive(now).
template <class Neighbours, class Cache>
Passage pass_through(Cache& cache, uint64_t seed, unsigned stall_percent) {
    Neighbours neighbours(cache, seed, stall_percent);
    StatsRegistry registry;
    cache.register_stats(registry, "cache");
    Timeline timeline;
    cache.observe({&timeline, nullptr, 1000}, "cache");
    Scheduler scheduler;
    scheduler.add(cache);

    constexpr Cycle kTraffic = 20'000;
    for (Cycle now = 1; now < kTraffic + 2000; ++now) {
        // Calm and busy times; in calm ones the cache falls asleep.
        neighbours.send(now, now / 700 % 4 != 3 && now < kTraffic);
        if (now == 9'000)
            cache.pause();
        if (now == 9'200)
            cache.resume();
        if (now == 15'000)
            cache.drain();
        scheduler.step(now);
        neighbours.receive(now);
    }
    EXPECT_TRUE(cache.idle()) << cache.waiting_for();
    Passage run;
    run.passed = neighbours.passed;
    for (const Counter& counter : registry.counters())
        run.counters.push_back(*counter.value);
    run.slices = timeline.slices;
    return run;
}

inline void expect_same(const Passage& a, const Passage& b) {
    ASSERT_GT(a.passed.size(), 1000u);
    ASSERT_GT(a.slices.size(), 100u);
    EXPECT_EQ(a.counters, b.counters);
    EXPECT_EQ(a.slices, b.slices);
    ASSERT_EQ(a.passed.size(), b.passed.size());
    for (size_t i = 0; i < a.passed.size(); ++i)
        ASSERT_EQ(a.passed[i], b.passed[i]);
}

}  // namespace archipelago::test
