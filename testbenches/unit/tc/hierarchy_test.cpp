// SPDX-License-Identifier: Apache-2.0
// Several L1 caches, the crossbar, L2 channels, memory controllers and the store together, against
// a flat reference memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "models/mc/mc_core.h"
#include "models/tc/tcc_core.h"
#include "models/tc/tcp_core.h"
#include "testbenches/unit/mc/memory_parts.h"
#include "tlm/crossbar_core.h"

namespace archipelago::tc::hierarchy_test {
namespace {

using test::MemClient;
using test::Random;
using test::Store;
using ActionClient = test::ClientOf<CacheAction, CacheActionDone>;

struct Shape {
    unsigned l1s = 4;
    mc::ChannelMapSpec map;
    TcpSpec tcp;
    TccSpec tcc;
    mc::McSpec mc;
    crossbar::CrossbarSpec xbar;
};

class Hierarchy {
  public:
    explicit Hierarchy(const Shape& shape)
        : map(shape.map), xbar(xbar_spec(shape), {&mc::ChannelMap::route, &map}, "xbar") {
        image.map(0, 1 << 20);
        scheduler.add(xbar);
        for (unsigned i = 0; i < shape.l1s; ++i) {
            l1s.push_back(std::make_unique<TcpCore>(shape.tcp, "l1_" + std::to_string(i)));
            cus.push_back(std::make_unique<MemClient>(l1s[i]->from_cu));
            l1_actions.push_back(std::make_unique<ActionClient>(l1s[i]->actions));
            l1s[i]->to_cu.connect(cus[i]->answers_in);
            l1s[i]->to_l2.connect(xbar.request_in(i));
            l1s[i]->to_action_done.connect(l1_actions[i]->answers_in);
            xbar.response_out[i].connect(l1s[i]->from_l2);
            scheduler.add(*l1s[i]);
            scheduler.add(*cus[i]);
            scheduler.add(*l1_actions[i]);
        }
        for (unsigned i = 0; i < shape.map.channels; ++i) {
            l2s.push_back(std::make_unique<TccCore>(shape.tcc, map, nullptr, i));
            mcs.push_back(std::make_unique<mc::McCore>(shape.mc, map));
            stores.push_back(std::make_unique<Store>(image, 3));
            l2_actions.push_back(std::make_unique<ActionClient>(l2s[i]->actions));
            hubs.push_back(std::make_unique<MemClient>(mcs[i]->from_hub));
            xbar.request_out[i].connect(l2s[i]->from_fabric);
            l2s[i]->to_fabric.connect(xbar.response_in(i));
            l2s[i]->to_memory.connect(mcs[i]->from_l2);
            l2s[i]->to_action_done.connect(l2_actions[i]->answers_in);
            mcs[i]->to_l2.connect(l2s[i]->from_memory);
            mcs[i]->to_hub.connect(hubs[i]->answers_in);
            mcs[i]->to_store.connect(stores[i]->requests);
            stores[i]->connect(mcs[i]->from_store);
            for (Clocked* c :
                 {static_cast<Clocked*>(l2s[i].get()), static_cast<Clocked*>(mcs[i].get()),
                  static_cast<Clocked*>(stores[i].get()),
                  static_cast<Clocked*>(l2_actions[i].get()), static_cast<Clocked*>(hubs[i].get())})
                scheduler.add(*c);
        }
    }
    void run() {
        scheduler.run(50'000'000);
        for (const auto& l1 : l1s)
            EXPECT_TRUE(l1->idle()) << l1->waiting_for();
        for (const auto& l2 : l2s)
            EXPECT_TRUE(l2->idle()) << l2->waiting_for();
        for (const auto& m : mcs)
            EXPECT_TRUE(m->idle()) << m->waiting_for();
        EXPECT_TRUE(xbar.idle()) << xbar.waiting_for();
    }
    void stall(uint64_t seed, unsigned percent) {
        for (unsigned i = 0; i < l1s.size(); ++i) {
            l1s[i]->from_cu.random_stall(seed += 7, percent);
            l1s[i]->from_l2.random_stall(seed += 7, percent);
            cus[i]->answers_in.random_stall(seed += 7, percent);
            xbar.request_in(i).random_stall(seed += 7, percent);
        }
        for (unsigned i = 0; i < l2s.size(); ++i) {
            l2s[i]->from_fabric.random_stall(seed += 7, percent);
            l2s[i]->from_memory.random_stall(seed += 7, percent);
            mcs[i]->from_l2.random_stall(seed += 7, percent);
            mcs[i]->from_store.random_stall(seed += 7, percent);
            stores[i]->requests.random_stall(seed += 7, percent);
            xbar.response_in(i).random_stall(seed += 7, percent);
        }
    }

    static crossbar::CrossbarSpec xbar_spec(const Shape& shape) {
        crossbar::CrossbarSpec s = shape.xbar;
        s.sources = shape.l1s;
        s.destinations = shape.map.channels;
        return s;
    }

    const mc::ChannelMap map;
    MemoryImage image;
    crossbar::CrossbarCore xbar;
    std::vector<std::unique_ptr<TcpCore>> l1s;
    std::vector<std::unique_ptr<TccCore>> l2s;
    std::vector<std::unique_ptr<mc::McCore>> mcs;
    std::vector<std::unique_ptr<Store>> stores;
    std::vector<std::unique_ptr<MemClient>> cus;
    std::vector<std::unique_ptr<MemClient>> hubs;
    std::vector<std::unique_ptr<ActionClient>> l1_actions;
    std::vector<std::unique_ptr<ActionClient>> l2_actions;
    Scheduler scheduler;
};

// Small caches, so that everything is evicted all the time.
Shape tight(bool tahiti) {
    Shape s;
    s.map.kind = tahiti ? mc::ChannelMapKind::Tahiti : mc::ChannelMapKind::Bits;
    s.map.channels = tahiti ? 12 : 2;
    s.tcp.geometry = {2, 2};
    s.tcp.mshrs = 4;
    s.tcp.order_entries = 12;
    s.tcp.hit_latency = 3;
    s.tcc.geometry = {2, 2};
    s.tcc.mshrs = 3;
    s.tcc.waiting_requests = 6;
    s.tcc.response_entries = 4;
    s.tcc.memory_entries = 2;
    s.tcc.write_through_entries = 2;
    s.tcc.hit_latency = 4;
    s.tcc.fill_latency = 2;
    s.tcc.walk_lines_per_cycle = 1;
    s.mc.read_entries = 4;
    s.mc.write_entries = 4;
    s.mc.write_high = 3;
    s.mc.write_low = 1;
    s.mc.store_entries = 4;
    s.mc.starvation_cycles = 100;
    s.mc.timing.refi = 300;
    s.mc.timing.rfc = 20;
    s.mc.timing.rcd_read = 5;
    s.mc.timing.cl = 6;
    s.mc.timing.wl = 2;
    s.xbar.request_bytes = 32;
    return s;
}

struct Outcome {
    std::vector<Cycle> cycles;
};

// In every line each byte has one writer: byte b belongs to L1 b % 4. A read must show the reader
// its own bytes as it last wrote them. Every line's dwords from 16 on are counters that all L1s
// increment: the values the increments return must be 0, 1, 2, … each once.
Outcome random_run(const Shape& shape, uint64_t seed, unsigned stall, uint64_t shuffle,
                   unsigned operations = 1500) {
    Hierarchy h(shape);
    if (stall != 0)
        h.stall(seed, stall);
    if (shuffle != 0)
        h.scheduler.shuffle(shuffle);
    constexpr unsigned kLines = 24;
    constexpr unsigned kOwned = 16;  // bytes before the counters
    // Lines 128 bytes apart: several per set, two per channel block.
    const auto line_at = [](uint64_t i) { return i * 128 + i / 12 * 4096; };
    Random random(seed);
    std::map<uint64_t, Line> reference;
    std::vector<std::vector<Line>> expected(shape.l1s);
    std::map<uint64_t, std::vector<std::pair<unsigned, uint32_t>>> increments;
    uint64_t when = 0;
    for (unsigned n = 0; n < operations; ++n) {
        const auto who = static_cast<unsigned>(random.below(shape.l1s));
        const uint64_t line = line_at(random.below(kLines));
        Line& now = reference.try_emplace(line, Line{}).first->second;
        const auto tag = static_cast<uint32_t>(expected[who].size());
        MemRequest r = test::read_of(line, tag);
        r.uid = n;
        switch (random.below(8)) {
            case 0:
            case 1:
            case 2: {
                r.command = MemCommand::Write;
                r.byte_mask = 0;
                for (unsigned b = who; b < kOwned; b += shape.l1s)
                    if (random.below(2) == 0) {
                        r.byte_mask |= uint64_t{1} << b;
                        r.data[b] = static_cast<uint8_t>(random.next());
                        now[b] = r.data[b];
                    }
                r.write_through = random.below(6) == 0;
                r.slc = random.below(4) == 0;
                break;
            }
            case 3: {
                const unsigned at = kOwned + static_cast<unsigned>(random.below(12)) * 4;
                r = test::atomic_of(line + at, AtomicOp::Add, 1, tag);
                increments[line + at].emplace_back(who, tag);
                break;
            }
            default:
                r.glc = random.below(4) == 0;
                if (random.below(3) == 0) {
                    r.byte_mask = 0;
                    for (unsigned b = who; b < kOwned; b += shape.l1s)
                        r.byte_mask |= uint64_t{1} << b;
                }
                r.slc = random.below(4) == 0;
        }
        expected[who].push_back(now);
        if (random.below(3) == 0)
            when += random.below(30);
        h.cus[who]->send(r, when);
        if (random.below(60) == 0) {
            CacheAction action;
            action.invalidate_l1 = true;
            if (random.below(2) == 0) {
                action.base = line;
                action.size = 256;
            }
            h.l1_actions[random.below(shape.l1s)]->send(action, when);
        }
        if (random.below(100) == 0) {
            CacheAction action;
            action.writeback_l2 = random.below(3) != 0;
            action.invalidate_l2 = random.below(2) != 0;
            if (random.below(2) == 0) {
                action.base = line;
                action.size = 1024;
            }
            for (const auto& l2 : h.l2_actions)
                l2->send(action, when);
        }
    }
    h.run();

    Outcome outcome;
    for (unsigned who = 0; who < shape.l1s; ++who) {
        const auto& answers = h.cus[who]->answers;
        EXPECT_EQ(answers.size(), expected[who].size());
        for (size_t i = 0; i < answers.size(); ++i) {
            outcome.cycles.push_back(answers[i].at);
            const MemResponse& a = answers[i].response;
            EXPECT_EQ(a.tag, i) << "answers keep the order of requests";
            EXPECT_EQ(a.status, MemStatus::Ok);
            if (a.command != MemCommand::Read)
                continue;
            for (unsigned b = who; b < kOwned; b += shape.l1s) {
                EXPECT_EQ(a.data[b], expected[who][i][b])
                    << "seed " << seed << " L1 " << who << " request " << i << " byte " << b;
            }
        }
    }
    for (const auto& [address, who_and_tag] : increments) {
        std::vector<uint32_t> old;
        for (const auto& [who, tag] : who_and_tag)
            old.push_back(test::dword_at(h.cus[who]->answers[tag].response.data, address % 64));
        std::sort(old.begin(), old.end());
        for (uint32_t i = 0; i < old.size(); ++i)
            EXPECT_EQ(old[i], i) << "counter at " << address;
        uint32_t total = static_cast<uint32_t>(old.size());
        std::memcpy(&reference[line_of(address)][address % 64], &total, 4);
    }
    // After a write-back memory holds the reference.
    CacheAction flush;
    flush.writeback_l2 = true;
    const size_t actions_before = h.l2_actions[0]->answers.size();
    for (const auto& l2 : h.l2_actions)
        l2->send(flush);
    h.run();
    for (const auto& l2 : h.l2_actions)
        EXPECT_EQ(l2->answers.size(), actions_before + 1);
    for (const auto& [line, bytes] : reference) {
        Line there;
        h.image.read(line, there.data(), kLineBytes);
        EXPECT_EQ(there, bytes) << "seed " << seed << " line " << line;
    }
    outcome.cycles.push_back(h.scheduler.now());
    return outcome;
}

TEST(Hierarchy, RandomTrafficEndsAsTheReference) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        random_run(tight(false), seed, 0, 0);
        if (HasFailure())
            return;
    }
}

TEST(Hierarchy, RandomTrafficOnTwelveChannelsEndsAsTheReference) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        random_run(tight(true), seed, 0, 0);
        if (HasFailure())
            return;
    }
}

TEST(Hierarchy, RandomStallsLeaveTheResultAlone) {
    for (uint64_t seed = 1; seed <= 15; ++seed) {
        random_run(tight(seed % 3 == 0), seed, 5 + seed * 3 % 40, seed);
        if (HasFailure())
            return;
    }
}

TEST(Hierarchy, TheOrderOfTicksDoesNotMatter) {
    const Outcome plain = random_run(tight(false), 77, 10, 0, 800);
    for (uint64_t shuffle = 1; shuffle <= 4; ++shuffle)
        EXPECT_EQ(random_run(tight(false), 77, 10, shuffle, 800).cycles, plain.cycles);
}

struct SliceCheck : TraceSink {
    TrackId track(const std::string& path, uint64_t) override {
        names.push_back(path);
        ends.push_back(0);
        return static_cast<TrackId>(names.size() - 1);
    }
    void slice(TrackId track, Cycle begin, Cycle end, std::string_view, uint64_t,
               std::string_view) override {
        EXPECT_GE(begin, ends.at(track)) << names[track] << ": slices of a row overlap";
        EXPECT_GT(end, begin) << names[track];
        ends[track] = end;
        ++slices;
    }
    void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
    std::vector<std::string> names;
    std::vector<Cycle> ends;
    unsigned slices = 0;
};

TEST(Hierarchy, TraceRowsNeverOverlapAndTracingCostsNoCycle) {
    const auto run = [](SliceCheck* sink) {
        Hierarchy h(tight(false));
        Observers observers;
        observers.trace = sink;
        if (sink != nullptr) {
            h.xbar.observe(observers, "xbar");
            for (const auto& l1 : h.l1s)
                l1->observe(observers, "l1");
            for (const auto& l2 : h.l2s)
                l2->observe(observers, "l2");
            for (const auto& m : h.mcs)
                m->observe(observers, "mc");
        }
        Random random(5);
        for (unsigned n = 0; n < 1000; ++n)
            h.cus[random.below(4)]->send(random.below(2) == 0
                                             ? test::read_of(random.below(200) * 64)
                                             : test::write_of(random.below(200) * 64, {1}));
        h.run();
        return h.scheduler.now();
    };
    SliceCheck sink;
    const Cycle traced = run(&sink);
    EXPECT_EQ(traced, run(nullptr));
    EXPECT_GT(sink.slices, 2000u);
}

TEST(Hierarchy, CountersHaveUnitsMeaningsAndUniqueNames) {
    const Hierarchy h(tight(false));
    StatsRegistry registry;
    h.xbar.register_stats(registry, "xbar");
    h.l1s[0]->register_stats(registry, "l1");
    h.l2s[0]->register_stats(registry, "l2");
    h.mcs[0]->register_stats(registry, "mc");
    std::vector<std::string> names;
    for (const Counter& c : registry.counters()) {
        names.push_back(c.unit_path + "." + c.name);
        EXPECT_FALSE(c.unit.empty()) << names.back();
        EXPECT_FALSE(c.meaning.empty()) << names.back();
        EXPECT_EQ(*c.value, 0u) << names.back();
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    EXPECT_GT(names.size(), 60u);
}

// Latency of a lone read that misses everywhere, put together from the Specs.
TEST(Hierarchy, UnloadedLatencyIsTheSumOfTheSpecs) {
    Shape s;
    s.l1s = 1;
    s.map.channels = 2;
    s.tcp.hit_latency = 11;
    s.tcp.fill_latency = 5;
    s.tcp.from_cu.latency = 3;
    s.tcp.from_l2.latency = 7;
    s.tcc.hit_latency = 13;
    s.tcc.fill_latency = 6;
    s.tcc.from_fabric.latency = 9;
    s.tcc.from_memory.latency = 4;
    s.xbar.request_in.latency = 2;
    s.xbar.response_in.latency = 3;
    s.mc.from_l2.latency = 8;
    s.mc.from_store.latency = 2;
    s.mc.timing.rcd_read = 17;
    s.mc.timing.cl = 18;
    Hierarchy h(s);
    h.cus[0]->send(test::read_of(0), 100);   // memory
    h.cus[0]->send(test::read_of(0), 1000);  // L1
    CacheAction action;
    action.invalidate_l1 = true;
    h.l1_actions[0]->send(action, 1500);
    h.cus[0]->send(test::read_of(0), 2000);  // L2
    h.run();
    const Cycle to_cu = 1;      // the client's own channel
    const Cycle to_store = 1;   // the store's
    const Cycle store = 3 - 1;  // its latency
    const Cycle l1 = s.tcp.from_cu.latency + s.tcp.hit_latency + to_cu;
    const Cycle to_l2 =
        s.tcp.from_cu.latency + s.xbar.request_in.latency + s.tcc.from_fabric.latency;
    const Cycle from_l2 =
        s.xbar.response_in.latency + s.tcp.from_l2.latency + s.tcp.fill_latency + to_cu;
    const Cycle dram = s.mc.from_l2.latency + s.mc.timing.rcd_read + s.mc.timing.cl +
                       s.mc.timing.burst + to_store + store + s.mc.from_store.latency +
                       s.tcc.from_memory.latency;
    ASSERT_EQ(h.cus[0]->answers.size(), 3u);
    EXPECT_EQ(h.cus[0]->answers[1].at - 1000, l1);
    EXPECT_EQ(h.cus[0]->answers[2].at - 2000, to_l2 + s.tcc.hit_latency + from_l2);
    EXPECT_EQ(h.cus[0]->answers[0].at - 100, to_l2 + dram + s.tcc.fill_latency + from_l2);
}

TEST(Hierarchy, L2HitsStreamAtSixtyFourBytesPerCycleAndChannel) {
    Shape s;
    s.l1s = 16;
    s.map.kind = mc::ChannelMapKind::Tahiti;
    s.map.channels = 12;
    s.tcp.geometry = {1, 1};  // everything misses L1
    s.xbar.request_in.capacity = 8;
    Hierarchy h(s);
    // 12 x 32 KiB, twice: the second round hits L2.
    constexpr uint64_t kBytes = 12 * 32 * 1024;
    for (unsigned i = 0; i < s.l1s; ++i) {
        for (uint64_t a = i * 64; a < kBytes; a += s.l1s * 64)
            h.cus[i]->send(test::read_of(a), 0);
    }
    h.run();
    const Cycle start = h.scheduler.now() + 100;
    for (unsigned i = 0; i < s.l1s; ++i)
        for (uint64_t a = i * 64; a < kBytes; a += s.l1s * 64)
            h.cus[i]->send(test::read_of(a), start);
    h.run();
    const uint64_t lines = kBytes / 64;
    const double cycles = static_cast<double>(h.scheduler.now() - start);
    const double per_channel = static_cast<double>(lines) / cycles / 12;
    EXPECT_GT(per_channel, 0.80) << "of one line per cycle and channel";
    EXPECT_LE(per_channel, 1.0);
}

}  // namespace
}  // namespace archipelago::tc::hierarchy_test
