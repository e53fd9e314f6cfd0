// SPDX-License-Identifier: Apache-2.0
// Packets that only set registers, worked out ahead: nobody sees it. Two command processors get the
// same streams and the same disturbances in the same cycles, one of them ticks through all of them.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::cp::test {
namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t kPfpHalt = 1u << 26, kMeHalt = 1u << 28;

class Streams {
  public:
    explicit Streams(uint64_t seed) : random_(seed) {}

    uint32_t draw(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

    Words values(uint32_t n) {
        Words words;
        for (uint32_t i = 0; i < n; ++i)
            words.push_back(static_cast<uint32_t>(random_()));
        return words;
    }

    // What drivers set between draws.
    Words state() {
        const uint32_t kind = draw(20);
        const uint32_t count = kind < 10 ? 1 : kind < 18 ? 1 + draw(8) : 1 + draw(60);
        switch (draw(6)) {
            case 0:
                return set_context(si::CB_COLOR0_BASE + 4 * draw(100), values(count));
            case 1:
                return set_context(0x28000 + 4 * draw(90), values(count));
            case 2:
                return set_context(si::SPI_PS_INPUT_CNTL_0, values(std::min(count, 32u)));
            case 3:
                return set_config(si::SCRATCH_REG0, values(std::min(count, 8u)));
            case 4:
                return set_config(si::VGT_PRIMITIVE_TYPE, values(1));
            default:
                return set_sh(0xB030 + 4 * draw(64), values(count));
        }
    }

    Words other() {
        switch (draw(10)) {
            case 0:
                return packet(0x10, values(1 + draw(5)));  // NOP
            case 1:
                return {0x80000000};  // type-2 filler
            case 2:
                return packet(0x46, {16 | 4 << 8});  // EVENT_WRITE PS_PARTIAL_FLUSH
            case 3:
                return write_data(kData + 64 * draw(100), values(1 + draw(4)), 5, draw(2) != 0);
            case 4:
                return wait_memory(kData + 0x8000, 3, 0);
            case 5:
                return packet(0x42, {0});  // PFP_SYNC_ME
            case 6:
                return packet(0x2D, {3, 2});  // DRAW_INDEX_AUTO
            case 7:
                return surface_sync(1u << 25);
            case 8: {
                Words words = state();
                words[0] |= 1;  // PREDICATE: nothing predicates
                return words;
            }
            default:
                return eop(kData + 0xF000, 1, 0, 5);
        }
    }

    Words buffer(uint32_t dwords, uint32_t others) {
        Words words;
        while (words.size() < dwords) {
            const Words next = draw(1000) < others ? other() : state();
            words.insert(words.end(), next.begin(), next.end());
        }
        return words;
    }

  private:
    std::mt19937_64 random_;
};

std::vector<uint64_t> counters(TimedMachine& machine) {
    StatsRegistry stats;
    machine.core().register_stats(stats, "cp");
    std::vector<uint64_t> found;
    for (const Counter& counter : stats.counters())
        found.push_back(*counter.value);
    return found;
}
std::string difference(TimedMachine& machine, const std::vector<uint64_t>& a,
                       const std::vector<uint64_t>& b) {
    StatsRegistry stats;
    machine.core().register_stats(stats, "cp");
    std::string text;
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i])
            text += stats.counters()[i].unit_path + "." + stats.counters()[i].name + " " +
                    std::to_string(a[i]) + " " + std::to_string(b[i]) + "\n";
    return text;
}

struct Shape {
    const char* name;
    unsigned memory_latency = 20;
    uint64_t shuffle = 0;
    unsigned stall_percent = 0;
    uint32_t others = 30;  // of 1000 packets
    bool disturbed = true;
    unsigned microcode = 2;
};

class StateRunTest : public ::testing::TestWithParam<Shape> {};

TEST_P(StateRunTest, NobodySeesIt) {
    const Shape& shape = GetParam();
    Cycle ahead = 0;
    uint64_t disturbed = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        Streams streams(seed * 977 + shape.others);
        std::array<std::unique_ptr<TimedMachine>, 2> machines;
        BenchOptions options;
        options.spec.pfp_packet_cycles = shape.microcode;
        options.spec.me_packet_cycles = 2 * shape.microcode;
        options.spec.strobe_latency = 1 + static_cast<unsigned>(seed % 2);
        options.memory_latency = shape.memory_latency;
        options.shuffle = shape.shuffle == 0 ? 0 : shape.shuffle + seed;
        options.stall_percent = shape.stall_percent;
        Words first = streams.buffer(2000, shape.others);
        const Words second = streams.buffer(600, shape.others);
        const Words third = streams.buffer(300, 2 * shape.others);
        const Words inner = indirect(kIb + 0x8000, static_cast<uint32_t>(second.size()));
        first.insert(first.end(), inner.begin(), inner.end());
        const Words more = streams.buffer(400, shape.others);
        first.insert(first.end(), more.begin(), more.end());
        const Words compute =
            set_sh(0xB800 + 4 * 0x40, streams.values(3)) + packet(0x46, {7 | 4 << 8}, false);
        for (unsigned i = 0; i < 2; ++i) {
            options.work_ahead = i == 1;
            machines[i] = std::make_unique<TimedMachine>(options);
            TimedMachine& m = *machines[i];
            m.setup_rings();
            m.poke(kIb, first);
            m.poke(kIb + 0x8000, second);
            m.poke(kIb + 0xC000, third);
            m.put(indirect(kIb, static_cast<uint32_t>(first.size())) +
                  set_config(si::SCRATCH_REG0 + 4, {7}) +
                  indirect(kIb + 0xC000, static_cast<uint32_t>(third.size())));
            m.put(compute, 1);
            // The one that ticks less has not come as far.
            m.write_at(10000, Machine::wptr(0), m.tail[0]);
        }
        Cycle at = 10000;
        for (unsigned step = 0; step < 60; ++step) {
            at += 1 + streams.draw(step % 4 == 0 ? 900 : 150);
            const bool look = streams.draw(3) == 0;
            const uint32_t what = shape.disturbed ? streams.draw(12) : 99;
            for (auto& machine : machines) {
                machine->limit(at);
                machine->run();
                if (look)
                    machine->core().settle(at + 1);
                if (what == 0)
                    machine->write_at(at + 1, si::CP_ME_CNTL, kMeHalt);
                else if (what == 1)
                    machine->write_at(at + 1, si::CP_ME_CNTL, kPfpHalt);
                else if (what < 4)
                    machine->write_at(at + 1, si::CP_ME_CNTL, 0);
                else if (what == 4)
                    machine->write_at(at + 1, Machine::wptr(1), machine->tail[1]);
                else if (what == 5)
                    machine->write_at(at + 1, si::SCRATCH_UMSK, 0);
            }
            if (look) {
                ASSERT_EQ(counters(*machines[0]), counters(*machines[1]))
                    << "seed " << seed << " cycle " << at << "\n"
                    << difference(*machines[0], counters(*machines[0]), counters(*machines[1]));
                ASSERT_EQ(machines[0]->waiting_for(), machines[1]->waiting_for());
            }
        }
        for (auto& machine : machines) {
            machine->write_at(at + 1, si::CP_ME_CNTL, 0);
            machine->limit(at + 1000000);
            EXPECT_TRUE(machine->run()) << "seed " << seed << " " << machine->waiting_for();
        }
        const TimedMachine& a = *machines[0];
        const TimedMachine& b = *machines[1];
        ASSERT_EQ(a.seen.regs.size(), b.seen.regs.size()) << "seed " << seed;
        for (size_t i = 0; i < a.seen.regs.size(); ++i) {
            ASSERT_EQ(a.reg_cycles[i], b.reg_cycles[i]) << "seed " << seed << " write " << i;
            ASSERT_TRUE(a.seen.regs[i] == b.seen.regs[i]) << "seed " << seed << " write " << i;
        }
        ASSERT_EQ(a.seen.contexts, b.seen.contexts) << "seed " << seed;
        ASSERT_EQ(a.seen.events, b.seen.events) << "seed " << seed;
        ASSERT_EQ(a.requests.size(), b.requests.size()) << "seed " << seed;
        for (size_t i = 0; i < a.requests.size(); ++i) {
            ASSERT_EQ(a.requests[i].first, b.requests[i].first) << "seed " << seed;
            ASSERT_EQ(a.requests[i].second.line, b.requests[i].second.line) << "seed " << seed;
            ASSERT_EQ(a.requests[i].second.uid, b.requests[i].second.uid) << "seed " << seed;
        }
        ASSERT_EQ(counters(*machines[0]), counters(*machines[1]))
            << "seed " << seed << "\n"
            << difference(*machines[0], counters(*machines[0]), counters(*machines[1]));
        EXPECT_EQ(a.scheduler.now(), b.scheduler.now()) << "seed " << seed;
        ahead += machines[1]->core().state_run().cycles();
        disturbed += machines[1]->core().state_run().disturbed();
        EXPECT_EQ(machines[0]->core().state_run().cycles(), 0u);
    }
    EXPECT_GT(ahead, 20000u) << "hardly anything was worked out ahead";
    EXPECT_GE(disturbed, shape.disturbed ? 20u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, StateRunTest,
                         ::testing::Values(Shape{"plain"},
                                           Shape{"undisturbed", 20, 0, 0, 30, false},
                                           Shape{"nothing_else", 20, 0, 0, 0, true},
                                           Shape{"far_memory", 200}, Shape{"near_memory", 2},
                                           Shape{"shuffled", 20, 4711}, Shape{"stalled", 20, 0, 25},
                                           Shape{"stalled_and_shuffled", 60, 99, 10},
                                           Shape{"many_others", 20, 0, 0, 150},
                                           Shape{"one_cycle", 20, 0, 0, 30, true, 1}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace archipelago::cp::test
