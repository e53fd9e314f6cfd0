// SPDX-License-Identifier: Apache-2.0
// A vector L1 on pins stands in a chip as the core does: same messages in the same cycles, same
// counters, same timeline.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/tc/tc_l1_core.h"
#include "testbenches/unit/tc/passage.h"

namespace archipelago::tc::l1_on_pins_test {
namespace {

using test::Passage;

TcpSpec spec_of(unsigned lookups) {
    TcpSpec s;
    s.geometry = {2, 4};
    s.mshrs = 5;
    s.order_entries = 21;
    s.lookups_per_cycle = lookups;
    s.hit_latency = 9;
    s.fill_latency = 3;
    s.ack_latency = 2;
    s.invalidate_cycles = 4;
    s.from_cu = {16, 3};
    s.from_l2 = {8, 4};
    return s;
}

// The neighbours of a cache: bursts of requests, cache actions, an L2 that answers late and out of
// order, and a log of every message with its cycle.
class Neighbours : public test::Traffic {
  public:
    Neighbours(VectorL1& l1, uint64_t seed, unsigned stall_percent) : Traffic(seed), l1_(l1) {
        l1.to_cu.connect(to_cu_);
        l1.to_l2.connect(to_l2_);
        l1.to_action_done.connect(done_);
        if (stall_percent != 0) {
            l1.from_cu.random_stall(seed + 1, stall_percent);
            l1.from_l2.random_stall(seed + 2, stall_percent);
            l1.actions.random_stall(seed + 3, stall_percent);
            to_cu_.random_stall(seed + 4, stall_percent);
            to_l2_.random_stall(seed + 5, stall_percent);
            done_.random_stall(seed + 6, stall_percent);
        }
    }

    void send(Cycle now, bool busy) {
        for (uint64_t n = busy ? below(5) : 0; n != 0 && l1_.from_cu.can_push(now); --n)
            l1_.from_cu.push(now, request(now));
        if (busy && below(300) == 0 && l1_.actions.can_push(now))
            l1_.actions.push(now, action(now));
        if (!inside_l2_.empty() && below(4) == 0 && l1_.from_l2.can_push(now))
            l1_.from_l2.push(now, answer());
    }
    void receive(Cycle now) {
        const bool eager = now < 5'000;
        for (unsigned n = 0; n < 4 && to_cu_.can_pop(now) && (eager || below(3) != 0); ++n) {
            const MemResponse r = to_cu_.pop(now);
            log(now, "answer", r.tag, static_cast<uint64_t>(r.status) << 60 ^ r.line ^ r.uid,
                r.command == MemCommand::Write ? Line{} : r.data);
        }
        if (to_l2_.can_pop(now) && (eager || below(3) != 0)) {
            const MemRequest r = to_l2_.pop(now);
            log(now, "down", r.tag, r.line ^ r.byte_mask ^ r.uid ^ r.vmid, r.data);
            inside_l2_.push_back(r);
        }
        if (done_.can_pop(now))
            log(now, "done", done_.pop(now).tag, 0, {});
        log_idle(now, l1_.idle());
    }

  private:
    MemRequest request(Cycle now) {
        MemRequest r;
        r.line = (below(4) != 0 ? below(8) : below(60)) * kLineBytes;
        r.vmid = static_cast<uint8_t>(below(8) == 0 ? 1 : 0);
        r.byte_mask = below(2) == 0 ? ~uint64_t{0} : uint64_t{0xf} << 4 * below(16);
        r.command = below(3) != 0 ? MemCommand::Read : static_cast<MemCommand>(below(3));
        r.atomic = AtomicOp::Add;
        r.glc = below(8) == 0;
        r.slc = below(4) == 0;
        r.tag = static_cast<uint32_t>(bits());
        r.uid = now;
        fill(r.data);
        return r;
    }
    CacheAction action(Cycle now) {
        CacheAction a;
        a.invalidate_l1 = below(4) != 0;
        a.base = below(30) * kLineBytes;
        a.size = below(2) == 0 ? ~uint64_t{0} : below(30) * kLineBytes;
        a.tag = static_cast<uint32_t>(now);
        return a;
    }
    // To any of the requests inside L2, which leaves it.
    MemResponse answer() {
        const auto at = inside_l2_.begin() + static_cast<std::ptrdiff_t>(below(inside_l2_.size()));
        MemResponse r;
        r.tag = at->tag;
        r.line = at->line;
        r.uid = at->uid;
        r.status = below(10) == 0 ? MemStatus::Unmapped : MemStatus::Ok;
        fill(r.data);
        inside_l2_.erase(at);
        return r;
    }

    VectorL1& l1_;
    Channel<MemResponse> to_cu_{{6, 1}};
    Channel<MemRequest> to_l2_{{2, 1}};
    Channel<CacheActionDone> done_{{1, 1}};
    std::vector<MemRequest> inside_l2_;
};

Passage run_through(VectorL1& l1, uint64_t seed, unsigned stall_percent) {
    Passage run = test::pass_through<Neighbours>(l1, seed, stall_percent);
    for (const CycleTap& tap : {l1.waits().in, l1.waits().out})
        run.counters.insert(run.counters.end(), {tap.count, tap.sum});
    return run;
}

TEST(L1OnPins, PassesTheSameMessagesInTheSameCyclesAsTheCore) {
    for (const unsigned lookups : {1u, 4u}) {
        for (const unsigned stall : {0u, 30u}) {
            for (const uint64_t seed : {1u, 2u}) {
                TcpCore core(spec_of(lookups), "l1");
                TcL1Core block;
                L1OnPins on_pins(block, spec_of(lookups), "l1");
                const Passage a = run_through(core, seed, stall);
                const Passage b = run_through(on_pins, seed, stall);
                test::expect_same(a, b);
            }
        }
    }
}

TEST(L1OnPins, ResetBringsItBackToTheBeginning) {
    TcL1Core block;
    L1OnPins on_pins(block, spec_of(4), "l1");
    const Passage first = test::pass_through<Neighbours>(on_pins, 5, 0);
    on_pins.reset();
    EXPECT_TRUE(on_pins.idle());
    const Passage second = test::pass_through<Neighbours>(on_pins, 5, 0);
    EXPECT_EQ(first.passed, second.passed);
    EXPECT_EQ(first.counters, second.counters);
}

std::string message_of(VectorL1& l1, uint32_t tag) {
    Channel<MemResponse> to_cu{{4, 1}};
    Channel<MemRequest> to_l2{{2, 1}};
    l1.to_cu.connect(to_cu);
    l1.to_l2.connect(to_l2);
    MemResponse r;
    r.tag = tag;
    l1.from_l2.push(1, r);
    try {
        for (Cycle now = 2; now < 10; ++now)
            l1.tick(now);
    } catch (const MachineStop& stop) {
        return std::string(to_string(stop.kind())) + " " + stop.what();
    }
    return "went on";
}

TEST(L1OnPins, StopsAtAnAnswerThatCannotBeAsTheCoreDoes) {
    for (const uint32_t tag :
         {0u, 5u, 0x7fffffffu, kTcpSlotTag, kTcpSlotTag + 20, kTcpSlotTag + 21, ~0u}) {
        TcpCore core(spec_of(4), "l1");
        TcL1Core block;
        L1OnPins on_pins(block, spec_of(4), "l1");
        const std::string told = message_of(core, tag);
        EXPECT_NE(told, "went on");
        EXPECT_EQ(message_of(on_pins, tag), told);
    }
}

}  // namespace
}  // namespace archipelago::tc::l1_on_pins_test
