// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <random>
#include <vector>

#include "models/common/error.h"
#include "models/cu/pipeline/ta_coalescer_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using LineRequest = TaCoalescerPins::Request;
constexpr uint64_t kAllLanes = ~uint64_t{0};

class TaCoalescerPinsTest : public OnPins<TaCoalescerPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        op().lanes = kAllLanes;
        strided(0x1000, 4);
        in_.out_ready.fill(1);
    }
    TaCoalescerPins::Operation& op() { return in_.op; }
    void strided(uint64_t base, uint64_t stride) {
        for (unsigned lane = 0; lane < TaCoalescerPins::kLanes; ++lane)
            op().address[0][lane] = base + stride * lane;
    }
    void give() {
        in_.op_valid = 1;
        while (step().op_ready == 0) {
        }
        in_.op_valid = 0;
    }
};

using testing::Each;

TEST_P(TaCoalescerPinsTest, RequestsAreShownTwoCyclesBehindTheInstructionAndByInstruction) {
    give();
    EXPECT_EQ(step().out_valid[0], 0);
    EXPECT_THAT(step().out_valid, Each(1));
    EXPECT_EQ(out_.out[3].last, 1);
    EXPECT_THAT(step().out_valid, Each(0));
    // One in each cycle.
    op().lanes = 1;
    in_.op_valid = 1;
    for (unsigned n = 0; n < 20; ++n) {
        op().address[0][0] = 64 * n;
        EXPECT_EQ(step().op_ready, 1);
        EXPECT_EQ(out_.out_valid[0], n < 2 ? 0 : 1);
        EXPECT_EQ(out_.out_valid[1], 0) << "that of the next instruction";
        EXPECT_EQ(out_.out[0].line, n < 2 ? 0 : n - 2);
    }
}

TEST_P(TaCoalescerPinsTest, RequestsThatDoNotLeaveHoldTheNextInstructionUntilAReset) {
    strided(0x1000, 64);
    in_.out_ready.fill(0);
    give();
    for (unsigned n = 0; n < 50; ++n)
        EXPECT_EQ(step().op_ready, 0);
    in_.out_ready = {1, 1, 0, 0};
    step();
    EXPECT_EQ(step().out[0].line, 0x42u);
    in_.rst = 1;
    step();
    in_.rst = 0;
    EXPECT_EQ(step().op_ready, 1);
    EXPECT_THAT(out_.out_valid, Each(0));
}

// An instruction whose lanes are beside each other, apart, on few lines, over the ends of lines.
void choose(std::mt19937& random, isa::VectorMemOp& op) {
    const auto below = [&](unsigned n) { return random() % n; };
    op.kind = static_cast<isa::VectorMemOp::Kind>(below(3));
    const bool atomic = op.kind == isa::VectorMemOp::Kind::Atomic;
    constexpr unsigned kSizes[] = {1, 2, 4, 8, 12, 16};
    op.bytes = static_cast<uint8_t>(atomic ? 4 << below(2) : kSizes[below(6)]);
    op.dwords = static_cast<uint8_t>((op.bytes + 3) / 4);
    op.atomic = atomic ? below(4) == 0 ? AtomicOp::CmpSwap : AtomicOp::Add : AtomicOp::None;
    op.contiguous = atomic || below(3) != 0;
    const auto some = [&] { return uint64_t{random()} << 32 | random(); };
    constexpr unsigned kThings = 6;
    op.lanes = below(3) == 0 ? some() : kAllLanes;
    op.lanes = below(kThings) == 0 ? some() & some() & some() & some() : op.lanes;
    const unsigned strides[] = {0, op.bytes, op.bytes, 4, 36, 64};
    for (unsigned k = 0; k < TaCoalescerPins::kDwords; ++k) {
        op.dword_lanes[k] = op.lanes & (below(3) == 0 ? some() : below(3) == 0 ? 0 : kAllLanes);
        const uint64_t base = 0x10000 + below(512);
        const unsigned stride = strides[below(6)];
        const unsigned change = 1 + below(24);
        const unsigned spread = 64 << below(7);
        uint64_t at = base;
        for (unsigned lane = 0; lane < TaCoalescerPins::kLanes; ++lane, at += stride) {
            if (below(change) == 0)
                at = base + below(spread);
            op.addr[k][lane] = atomic ? at / op.bytes * op.bytes : at;
        }
    }
}

// As CuCore::address_unit() lets them leave: each request is there in the cycle in which it may.
class AddressUnit {
  public:
    AddressUnit(PinBlock<TaCoalescerPins>& block, unsigned seed) : block_(block), random_(seed) {
        in_.cfg.load_scattered_triple = 2;
    }
    // False: a request came too late, or another one.
    bool run(unsigned instructions, unsigned percent) {
        for (unsigned done = 0; done < instructions; ++now_) {
            offer(percent);
            start();
            const unsigned due = requests_due();
            for (unsigned n = 0; n < TaCoalescerPins::kRequests; ++n)
                in_.out_ready[n] = n < due ? 1 : 0;
            block_.step(in_, out_);
            for (unsigned n = 0; n < due; ++n)
                if (!is(out_, n))
                    return false;
            finish(due, done);
            if (in_.op_valid != 0 && out_.op_ready != 0)
                hand_over();
        }
        return true;
    }
    unsigned instructions_in_a_row() const { return in_a_row_; }

  private:
    struct Instruction {
        uint64_t taken = 0;
        std::vector<cu::LineAccess> requests;
        unsigned busy = 0;
    };

    void offer(unsigned percent) {
        if (in_.op_valid != 0 || random_() % 100 >= percent)
            return;
        choose(random_, op_);
        cu::operation_to_pins(op_, in_.op);
        in_.op_valid = 1;
    }
    void hand_over() {
        Instruction i;
        bool aligned = true;
        cu::CoalesceRates rates;
        rates.load_scattered_triple = 2;
        i.busy = cu::coalesce(op_, rates, i.requests, aligned);
        i.taken = now_;
        waiting_.push_back(std::move(i));
        in_.op_valid = 0;
    }
    void start() {
        if (active_ || waiting_.empty() || now_ < free_ || now_ < waiting_.front().taken + 2)
            return;
        in_a_row_ += now_ == free_ ? 1 : 0;
        active_ = true;
        start_ = now_;
        next_ = 0;
    }
    unsigned requests_due() const {
        if (!active_)
            return 0;
        const std::vector<cu::LineAccess>& all = waiting_.front().requests;
        unsigned n = 0;
        while (n < TaCoalescerPins::kRequests && next_ + n < all.size() &&
               start_ + all[next_ + n].cycle <= now_)
            ++n;
        return all.empty() ? 1 : n;
    }
    bool is(const TaCoalescerPins::Out& out, unsigned n) const {
        const Instruction& i = waiting_.front();
        const LineRequest& r = out.out[n];
        if (out.out_valid[n] == 0)
            return false;
        if (i.requests.empty())
            return r.last != 0 && r.lanes == 0 && r.busy == i.busy;
        const cu::LineAccess& want = i.requests[next_ + n];
        const bool last = next_ + n + 1 == i.requests.size();
        return r.line * 64 == want.line && r.lanes == want.lanes && r.cycle == want.cycle &&
               (r.last != 0) == last && r.busy == (last ? i.busy : 0);
    }
    void finish(unsigned left, unsigned& done) {
        if (!active_)
            return;
        next_ += left;
        if (next_ < waiting_.front().requests.size())
            return;
        free_ = std::max(start_ + waiting_.front().busy, now_ + 1);
        active_ = false;
        waiting_.pop_front();
        ++done;
    }

    PinBlock<TaCoalescerPins>& block_;
    std::mt19937 random_;
    isa::VectorMemOp op_;
    TaCoalescerPins::In in_;
    TaCoalescerPins::Out out_;
    std::deque<Instruction> waiting_;
    uint64_t now_ = 0, free_ = 0, start_ = 0;
    size_t next_ = 0;
    bool active_ = false;
    unsigned in_a_row_ = 0;
};

TEST_P(TaCoalescerPinsTest, EveryRequestIsThereWhenItMayLeaveTwoCyclesBehindTheInstruction) {
    for (const unsigned percent : {100u, 20u, 4u}) {
        reset_block(*block_);
        AddressUnit unit(*block_, percent);
        EXPECT_TRUE(unit.run(2'000, percent)) << percent;
        if (percent == 100) {
            EXPECT_GT(unit.instructions_in_a_row(), 1'900u);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(On, TaCoalescerPinsTest,
                         testing::ValuesIn(core_and_rtl<TaCoalescerPins, cu::TaCoalescerCore>()),
                         kName);

class CoalesceUnitTest : public OnPins<TaCoalescerPins> {};

TEST_P(CoalesceUnitTest, RequestsAreThoseOfTheModelWhateverTheInstruction) {
    std::mt19937 random(7);
    isa::VectorMemOp op;
    cu::PinCoalesceUnit unit(*block_);
    std::vector<cu::LineAccess> want, got;
    for (unsigned round = 0; round < 2'000; ++round) {
        choose(random, op);
        if (random() % 8 == 0)
            op.addr[0][random() % TaCoalescerPins::kLanes] += 2;
        const cu::CoalesceRates rates{1, 1, 2, static_cast<unsigned>(1 + random() % 3), 2, 2, 16};
        bool aligned = true, theirs = true;
        const unsigned busy = cu::coalesce(op, rates, want, aligned);
        ASSERT_EQ(unit.coalesce(op, rates, got, theirs), busy) << round;
        ASSERT_EQ(theirs, aligned) << round;
        ASSERT_EQ(got.size(), want.size()) << round;
        for (size_t i = 0; i < want.size(); ++i) {
            ASSERT_EQ(got[i].line, want[i].line) << round;
            ASSERT_EQ(got[i].lanes, want[i].lanes) << round;
            ASSERT_EQ(got[i].cycle, want[i].cycle) << round;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(On, CoalesceUnitTest,
                         testing::ValuesIn(core_and_rtl<TaCoalescerPins, cu::TaCoalescerCore>()),
                         kName);

// A coalescer with something wrong.
class WrongCoalescer : public PinBlock<TaCoalescerPins> {
  public:
    explicit WrongCoalescer(std::function<void(Out&)> change) : change_(std::move(change)) {}
    void step(const In& in, Out& out) override {
        core_.step(in, out);
        change_(out);
    }

  private:
    cu::TaCoalescerCore core_;
    std::function<void(Out&)> change_;
};

std::string stop_of(std::function<void(TaCoalescerPins::Out&)> change,
                    isa::VectorMemOp::Kind kind = isa::VectorMemOp::Kind::Load) {
    WrongCoalescer wrong(std::move(change));
    cu::PinCoalesceUnit unit(wrong);
    isa::VectorMemOp op;
    op.kind = kind;
    op.lanes = 0xFF;
    for (unsigned lane = 0; lane < TaCoalescerPins::kLanes; ++lane)
        op.addr[0][lane] = 0x1000 + 4 * lane;
    std::vector<cu::LineAccess> out;
    bool aligned = true;
    try {
        unit.coalesce(op, {}, out, aligned);
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "taken";
}

TEST(CoalesceUnitInAChip, StopsForRequestsThatAreNotTheInstructions) {
    using Out = TaCoalescerPins::Out;
    using Kind = isa::VectorMemOp::Kind;
    EXPECT_EQ(stop_of([](Out&) {}), "taken");
    EXPECT_THAT(stop_of([](Out& out) { out.out[0].line ^= 1; }), testing::HasSubstr("line 0x1040"));
    EXPECT_THAT(stop_of([](Out& out) { out.out[0].line ^= 1; }, Kind::Atomic),
                testing::HasSubstr("line 0x1040"));
    EXPECT_THAT(stop_of([](Out& out) { out.out[0].lanes <<= 1; }),
                testing::HasSubstr("lanes 0x1fe, which do not access it"));
    EXPECT_THAT(stop_of([](Out& out) { out.op_ready = 0; }), testing::HasSubstr("no instruction"));
    EXPECT_THAT(stop_of([](Out& out) { out.out[0].last = 0; }), testing::HasSubstr("no end"));
}

}  // namespace
}  // namespace archipelago::rtl
