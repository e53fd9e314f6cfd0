// SPDX-License-Identifier: Apache-2.0
// An L2 channel on pins stands in a chip as the core does: same messages in the same cycles,
// same counters, same timeline.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/tc/tc_l2_bank_core.h"
#include "testbenches/unit/tc/passage.h"

namespace archipelago::tc::l2_on_pins_test {
namespace {

using test::Passage;

struct SomePages : PageCheck {
    bool is_mapped(uint64_t address) const override { return address / kPageBytes % 8 != 7; }
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
class Neighbours : public test::Traffic {
  public:
    Neighbours(L2Channel& l2, uint64_t seed, unsigned stall_percent) : Traffic(seed), l2_(l2) {
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
        log_idle(now, l2_.idle());
    }

  private:
    MemRequest request(Cycle now) {
        MemRequest r;
        r.line = (below(2) == 0 ? below(6) : below(60)) * 5 * kLineBytes;
        r.byte_mask = below(2) == 0 ? ~uint64_t{0} : uint64_t{0xf} << 4 * below(16);
        r.command = static_cast<MemCommand>(below(3));
        r.atomic = AtomicOp::Add;
        r.write_through = below(6) == 0;
        r.slc = below(4) == 0;
        r.tag = static_cast<uint32_t>(bits());
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

    L2Channel& l2_;
    Channel<MemResponse> to_fabric_{{2, 1}};
    Channel<MemRequest> to_memory_{{2, 1}};
    Channel<CacheActionDone> done_{{1, 1}};
    std::vector<MemRequest> inside_memory_;
};

Passage run_through(L2Channel& l2, uint64_t seed, unsigned stall_percent) {
    return test::pass_through<Neighbours>(l2, seed, stall_percent);
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
            EXPECT_EQ(on_pins.idle(), on_pins.waiting_for().empty());
            test::expect_same(a, b);
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

// Verilog that loses what it was asked and says that it holds nothing.
class SilentBank : public TcL2BankCore {
  public:
    void step(const In& in, Out& out) override {
        TcL2BankCore::step(in, out);
        out.answer_valid = 0;
        out.idle = 1;
    }
};

TEST(L2OnPins, SaysWhatItHasNotAnsweredAsVerilog) {
    SilentBank block;
    L2OnPins on_pins(block, spec_of(), {}, nullptr, 4, "l2");
    Channel<MemResponse> to_fabric{{2, 1}};
    Channel<MemRequest> to_memory{{2, 1}};
    on_pins.to_fabric.connect(to_fabric);
    on_pins.to_memory.connect(to_memory);
    EXPECT_EQ(on_pins.waiting_for(), "");
    for (Cycle now = 1; now < 40; ++now) {
        if (now <= 3) {
            MemRequest read;
            read.line = 0x1000;
            read.byte_mask = ~uint64_t{0};
            on_pins.from_fabric.push(now, read);
        }
        on_pins.tick(now);
        if (to_memory.can_pop(now)) {
            MemResponse fill;
            fill.tag = to_memory.pop(now).tag;
            on_pins.from_memory.push(now, fill);
        }
    }
    EXPECT_EQ(on_pins.waiting_for(),
              "Verilog: 3 requests not answered, and it says that it holds nothing; it has let its "
              "clock stop with work inside (state_waits)");
    on_pins.reset();
    EXPECT_EQ(on_pins.waiting_for(), "");
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
