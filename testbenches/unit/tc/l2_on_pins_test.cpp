// SPDX-License-Identifier: Apache-2.0
// An L2 channel behind pins stands in a chip as the core does: same messages in the same cycles,
// same counters, same timeline.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/tc/tc_l2_bank_core.h"

namespace archipelago::tc::l2_on_pins_test {
namespace {

struct SomePages : PageCheck {
    bool is_mapped(uint64_t address) const override { return address / kPageBytes % 8 != 7; }
};

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
    uint64_t ticks = 0;
};

TccSpec spec_of() {
    TccSpec s;
    s.geometry = {2, 16};
    s.mshrs = 5;
    s.waiting_requests = 7;
    s.response_entries = 9;
    s.memory_entries = 6;
    s.write_through_entries = 2;
    s.hit_latency = 6;
    s.fill_latency = 3;
    s.ack_latency = 2;
    s.atomic_cycles = 2;
    s.walk_lines_per_cycle = 5;
    s.from_fabric = {8, 3};
    s.from_memory = {8, 4};
    return s;
}

// The neighbours of a channel: random requests and cache actions, memory that answers late and out
// of order, and a log of every message with its cycle.
class Neighbours {
  public:
    Neighbours(L2Channel& l2, uint64_t seed, unsigned stall_percent) : l2_(l2), random_(seed) {
        l2.to_fabric.connect(to_fabric_);
        l2.to_memory.connect(to_memory_);
        l2.to_action_done.connect(done_);
        if (stall_percent != 0) {
            l2.from_fabric.random_stall(seed + 1, stall_percent);
            l2.from_memory.random_stall(seed + 2, stall_percent);
            l2.actions.random_stall(seed + 3, stall_percent);
            to_fabric_.random_stall(seed + 4, stall_percent);
            to_memory_.random_stall(seed + 5, stall_percent);
            done_.random_stall(seed + 6, stall_percent);
        }
    }

    void send(Cycle now, bool busy) {
        if (busy && below(3) != 0 && l2_.from_fabric.can_push(now))
            l2_.from_fabric.push(now, request(now));
        if (busy && below(300) == 0 && l2_.actions.can_push(now))
            l2_.actions.push(now, action(now));
        if (!inside_memory_.empty() && below(12) == 0 && l2_.from_memory.can_push(now))
            l2_.from_memory.push(now, answer());
    }
    void receive(Cycle now) {
        if (to_fabric_.can_pop(now) && (now < 5'000 || below(3) != 0)) {
            const MemResponse r = to_fabric_.pop(now);
            log(now, "answer", r.tag, static_cast<uint64_t>(r.status) << 60 ^ r.line ^ r.uid,
                r.data);
        }
        if (to_memory_.can_pop(now) && (now < 5'000 || below(3) != 0)) {
            const MemRequest r = to_memory_.pop(now);
            log(now, "down", r.tag, r.line ^ r.byte_mask ^ r.uid ^ r.vmid, r.data);
            inside_memory_.push_back(r);
        }
        if (done_.can_pop(now))
            log(now, "done", done_.pop(now).tag, 0, {});
        if (l2_.idle() != idle_seen_) {
            idle_seen_ = !idle_seen_;
            log(now, idle_seen_ ? "idle" : "busy", 0, 0, {});
        }
    }

    std::vector<std::string> passed;

  private:
    uint64_t below(uint64_t n) { return random_() % n; }
    void fill(Line& data) {
        for (uint8_t& byte : data)
            byte = static_cast<uint8_t>(random_());
    }
    MemRequest request(Cycle now) {
        MemRequest r;
        r.line = (below(2) == 0 ? below(6) : below(60)) * 5 * kLineBytes;
        r.byte_mask = below(2) == 0 ? ~uint64_t{0} : uint64_t{0xf} << 4 * below(16);
        r.command = static_cast<MemCommand>(below(3));
        r.atomic = AtomicOp::Add;
        r.write_through = below(6) == 0;
        r.slc = below(4) == 0;
        r.tag = static_cast<uint32_t>(random_());
        r.uid = now;
        fill(r.data);
        return r;
    }
    CacheAction action(Cycle now) {
        CacheAction a;
        a.writeback_l2 = below(4) != 0;
        a.invalidate_l2 = below(2) == 0;
        a.base = below(100) * kLineBytes;
        a.size = below(2) == 0 ? ~uint64_t{0} : below(100) * kLineBytes;
        a.tag = static_cast<uint32_t>(now);
        return a;
    }
    // To any of the requests inside memory, which leaves it.
    MemResponse answer() {
        const auto at =
            inside_memory_.begin() + static_cast<std::ptrdiff_t>(below(inside_memory_.size()));
        MemResponse r;
        r.tag = at->tag;
        r.line = at->line;
        r.uid = at->uid;
        const bool writes_back = at->client == Client::L2 && at->command == MemCommand::Write;
        r.status = !writes_back && below(10) == 0 ? MemStatus::Unmapped : MemStatus::Ok;
        fill(r.data);
        inside_memory_.erase(at);
        return r;
    }
    void log(Cycle now, const char* port, uint64_t a, uint64_t b, const Line& data) {
        uint64_t sum = 0;
        for (const uint8_t byte : data)
            sum = sum * 31 + byte;
        passed.push_back(std::to_string(now) + " " + port + " " + std::to_string(a) + " " +
                         std::to_string(b) + " " + std::to_string(sum));
    }

    L2Channel& l2_;
    std::mt19937_64 random_;
    Channel<MemResponse> to_fabric_{{2, 1}};
    Channel<MemRequest> to_memory_{{2, 1}};
    Channel<CacheActionDone> done_{{1, 1}};
    std::vector<MemRequest> inside_memory_;
    bool idle_seen_ = false;
};

// Random traffic through a channel that is paused and resumed on the way, and drained at the end.
Passage run_through(L2Channel& l2, uint64_t seed, unsigned stall_percent) {
    Neighbours neighbours(l2, seed, stall_percent);
    StatsRegistry registry;
    l2.register_stats(registry, "l2");
    Timeline timeline;
    l2.observe({&timeline, nullptr, 1000}, "l2");
    Scheduler scheduler;
    scheduler.add(l2);

    constexpr Cycle kTraffic = 20'000;
    for (Cycle now = 1; now < kTraffic + 2000; ++now) {
        // Calm and busy times; in calm ones the channel falls asleep.
        neighbours.send(now, now / 700 % 4 != 3 && now < kTraffic);
        if (now == 9'000)
            l2.pause();
        if (now == 9'200)
            l2.resume();
        if (now == 15'000)
            l2.drain();
        scheduler.step(now);
        neighbours.receive(now);
    }
    EXPECT_TRUE(l2.idle()) << l2.waiting_for();
    Passage run;
    run.passed = neighbours.passed;
    for (const Counter& counter : registry.counters())
        run.counters.push_back(*counter.value);
    run.slices = timeline.slices;
    run.ticks = scheduler.ticks();
    return run;
}

TEST(L2OnPins, PassesTheSameMessagesInTheSameCyclesAsTheCore) {
    const mc::ChannelMapSpec map{mc::ChannelMapKind::Tahiti, 12, 256};
    const SomePages pages;
    for (const unsigned stall : {0u, 30u}) {
        for (const uint64_t seed : {1u, 2u, 3u}) {
            TccCore core(spec_of(), mc::ChannelMap(map), &pages, 4, "l2");
            TcL2BankCore block;
            L2OnPins on_pins(block, spec_of(), map, &pages, 4, "l2");
            const Passage a = run_through(core, seed, stall);
            const Passage b = run_through(on_pins, seed, stall);
            ASSERT_GT(a.passed.size(), 1000u);
            ASSERT_GT(a.slices.size(), 100u);
            EXPECT_EQ(a.counters, b.counters);
            EXPECT_EQ(a.slices, b.slices);
            ASSERT_EQ(a.passed.size(), b.passed.size());
            for (size_t i = 0; i < a.passed.size(); ++i)
                ASSERT_EQ(a.passed[i], b.passed[i]);
        }
    }
}

TEST(L2OnPins, ResetBringsItBackToTheBeginning) {
    const mc::ChannelMapSpec map{mc::ChannelMapKind::Bits, 4, 256};
    TcL2BankCore block;
    L2OnPins on_pins(block, spec_of(), map, nullptr, 0, "l2");
    const Passage first = run_through(on_pins, 5, 0);
    on_pins.reset();
    EXPECT_TRUE(on_pins.idle());
    const Passage second = run_through(on_pins, 5, 0);
    EXPECT_EQ(first.passed, second.passed);
    EXPECT_EQ(first.counters, second.counters);
}

TEST(L2OnPins, StopsAtAnAnswerThatCannotBeAsTheCoreDoes) {
    const auto message = [](L2Channel& l2, uint32_t tag, MemStatus status) -> std::string {
        Channel<MemResponse> to_fabric{{2, 1}};
        Channel<MemRequest> to_memory{{2, 1}};
        l2.to_fabric.connect(to_fabric);
        l2.to_memory.connect(to_memory);
        MemResponse r;
        r.tag = tag;
        r.line = 0x1240;
        r.status = status;
        l2.from_memory.push(1, r);
        try {
            for (Cycle now = 2; now < 10; ++now)
                l2.tick(now);
        } catch (const MachineStop& stop) {
            return std::string(to_string(stop.kind())) + " " + stop.what();
        }
        return "went on";
    };
    for (const uint32_t tag : {kTccFillTag, kTccWriteBackTag, kTccWriteThroughTag, kTccTagKind}) {
        for (const MemStatus status : {MemStatus::Ok, MemStatus::Error}) {
            TccCore core(spec_of(), mc::ChannelMap{}, nullptr, 4, "l2");
            TcL2BankCore block;
            L2OnPins on_pins(block, spec_of(), {}, nullptr, 4, "l2");
            const std::string told = message(core, tag, status);
            EXPECT_NE(told, "went on");
            EXPECT_EQ(message(on_pins, tag, status), told);
        }
    }
}

}  // namespace
}  // namespace archipelago::tc::l2_on_pins_test
