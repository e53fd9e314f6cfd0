// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <vector>

#include "models/common/memory_message.h"
#include "models/tc/tc_l1_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl::tc_l1_pin_test {
namespace {

using Pins = TcL1Pins;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kAll = ~uint64_t{0};
constexpr unsigned kHit = 5, kFill = 3, kAck = 2, kInvalidate = 4;
constexpr uint32_t kSlot = tc::kTcpSlotTag;

LineData filled(uint32_t word) {
    LineData data;
    data.fill(word);
    return data;
}

// A cache of one set of four lines; messages are kept as they come, L2 answers by hand.
class L1PinsTest : public OnPins<TcL1Pins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        in_.cfg.set_mask = 0;
        in_.cfg.hit = kHit;
        in_.cfg.fill = kFill;
        in_.cfg.ack = kAck;
        in_.cfg.invalidate = kInvalidate;
        restart();
    }
    void restart() {
        in_.rst = 1;
        step();
        in_.rst = 0;
        in_.answer_ready.fill(1);
        in_.down_ready = in_.done_ready = 1;
    }
    // One cycle; what left is kept with its cycle.
    const Pins::Out& cycle() {
        step();
        ++now_;
        for (unsigned lane = 0; lane < Pins::kLanes; ++lane)
            if (out_.answer_valid[lane] != 0)
                answers_.push_back({now_, out_.answer[lane].tag, out_.answer[lane].status,
                                    out_.answer[lane].data});
        if (out_.down_valid != 0)
            downs_.push_back(out_.down);
        if (out_.done_valid != 0)
            dones_.push_back(out_.done_tag);
        return out_;
    }
    void run(unsigned cycles) {
        for (; cycles > 0; --cycles)
            cycle();
    }
    Pins::Request request(MemCommand command, uint64_t line, uint64_t mask, uint32_t word = 0) {
        Pins::Request r;
        r.command = static_cast<uint8_t>(command);
        r.line = line;
        r.mask = mask;
        r.atomic = static_cast<uint8_t>(AtomicOp::None);
        r.bytes = 4;
        r.returns = 1;
        r.tag = ++tag_;
        r.data = filled(word);
        return r;
    }
    Pins::Request read(uint64_t line) { return request(MemCommand::Read, line, 0xf); }
    Pins::Request write(uint64_t line, uint64_t mask, uint32_t word) {
        return request(MemCommand::Write, line, mask, word);
    }

    // Puts requests on the lanes for one cycle; how many were taken.
    unsigned offer(const std::vector<Pins::Request>& requests) {
        for (unsigned lane = 0; lane < requests.size(); ++lane) {
            in_.cu[lane] = requests[lane];
            in_.cu_valid[lane] = 1;
        }
        cycle();
        in_.cu_valid.fill(0);
        unsigned taken = 0;
        for (const uint8_t ready : out_.cu_ready)
            taken += ready;
        return taken;
    }
    void send(const Pins::Request& r) { EXPECT_EQ(offer({r}), 1u) << "not taken"; }
    void l2(uint32_t tag, uint32_t word = 0, MemStatus status = MemStatus::Ok) {
        in_.l2_tag = tag;
        in_.l2_status = static_cast<uint8_t>(status);
        in_.l2_data = filled(word);
        in_.l2_valid = 1;
        cycle();
        in_.l2_valid = 0;
    }
    // A line that L2 has brought.
    void fetch(uint64_t line, uint32_t word) {
        send(read(line));
        ASSERT_FALSE(downs_.empty());
        l2(downs_.back().tag, word);
        settle();
    }
    void settle() {
        run(10);
        answers_.clear();
        downs_.clear();
    }
    bool is_here(uint64_t line) {
        send(read(line));
        const bool hit = out_.event.read_hits != 0;
        if (!hit)
            l2(out_.down.tag);
        settle();
        return hit;
    }
    void act(uint64_t base, uint64_t size, bool invalidate = true) {
        in_.action.invalidate = invalidate ? 1 : 0;
        in_.action.base = base;
        in_.action.size = size;
        in_.action.tag = 99;
        in_.action_valid = 1;
        EXPECT_EQ(cycle().action_ready, 1);
        in_.action_valid = 0;
    }

    struct Answer {
        uint64_t at;
        uint32_t tag;
        uint8_t status;
        LineData data;
    };
    uint64_t now_ = 0;
    uint32_t tag_ = 100;
    std::vector<Answer> answers_;
    std::vector<Pins::Request> downs_;
    std::vector<uint32_t> dones_;
};

TEST_P(L1PinsTest, MissSendsForTheWholeLineAndAnswersTheFillLatencyBehindIt) {
    Pins::Request r = read(0x1234);
    r.vmid = 5;
    send(r);
    EXPECT_EQ(out_.event.read_misses, 1);
    ASSERT_EQ(downs_.size(), 1u);
    EXPECT_EQ(downs_[0].line, 0x1234u);
    EXPECT_EQ(downs_[0].vmid, 5);
    EXPECT_EQ(downs_[0].mask, kAll);
    EXPECT_EQ(downs_[0].tag, 0u) << "the first MSHR";
    run(20);
    EXPECT_THAT(answers_, IsEmpty());
    EXPECT_EQ(out_.waits, 1);
    l2(0, 0xabcd);
    EXPECT_EQ(out_.event.fills, 1);
    EXPECT_EQ(out_.event.released, 1);
    EXPECT_EQ(out_.waits, 0);
    const uint64_t came = now_;
    run(10);
    ASSERT_EQ(answers_.size(), 1u);
    EXPECT_EQ(answers_[0].at, came + kFill);
    EXPECT_EQ(answers_[0].tag, r.tag);
    EXPECT_EQ(answers_[0].data, filled(0xabcd));
    EXPECT_EQ(out_.idle, 1);
}

TEST_P(L1PinsTest, FourHitsOfACycleAreAnsweredInOneTheHitLatencyBehind) {
    fetch(3, 17);
    EXPECT_EQ(offer({read(3), read(3), read(3), read(3)}), 4u);
    EXPECT_EQ(out_.event.read_hits, 4);
    const uint64_t at = now_;
    run(10);
    ASSERT_EQ(answers_.size(), 4u);
    for (unsigned n = 0; n < 4; ++n) {
        EXPECT_EQ(answers_[n].at, at + kHit);
        EXPECT_EQ(answers_[n].tag, tag_ - 3 + n);
        EXPECT_EQ(answers_[n].data, filled(17));
    }
}

TEST_P(L1PinsTest, TakesNoMoreThanItsLookupsAndNothingBehindAHole) {
    in_.cfg.lookups = 2;
    restart();
    fetch(1, 1);
    EXPECT_EQ(offer({read(1), read(1), read(1), read(1)}), 2u);
    in_.cu_valid = {0, 1, 1, 1};
    cycle();
    EXPECT_THAT(out_.cu_ready, ElementsAre(0, 0, 0, 0));
    in_.cu_valid.fill(0);
    run(kHit - 1);
    EXPECT_THAT(out_.answer_valid, ElementsAre(1, 1, 0, 0));
}

TEST_P(L1PinsTest, AnswersLeaveInTheOrderOfTheRequestsInTheRoomThereIs) {
    fetch(1, 7);
    const Pins::Request miss = read(2), hit = read(1);
    send(miss);
    send(hit);
    send(read(1));
    run(20);
    EXPECT_THAT(answers_, IsEmpty()) << "the oldest is not answered";
    EXPECT_EQ(out_.waits, 1) << "those behind it have been ready for long";
    in_.answer_ready = {1, 1, 0, 1};
    l2(downs_.back().tag, 9);
    run(kFill);
    EXPECT_THAT(out_.answer_valid, ElementsAre(1, 1, 0, 0));
    ASSERT_EQ(answers_.size(), 2u);
    EXPECT_EQ(answers_[0].tag, miss.tag);
    EXPECT_EQ(answers_[1].tag, hit.tag);
    EXPECT_EQ(answers_[1].data, filled(7));
    run(1);
    EXPECT_EQ(answers_.size(), 3u);
}

TEST_P(L1PinsTest, MshrFreedLastIsTakenFirstAndNoneIsTakenTwice) {
    in_.cfg.mshrs = 2;
    restart();
    send(read(0));
    send(read(1));
    EXPECT_EQ(offer({read(2)}), 0u);
    EXPECT_EQ(out_.stall, static_cast<uint8_t>(tc::TcpStall::Mshr));
    in_.cu[0] = read(2);
    in_.cu_valid[0] = 1;
    l2(0);
    EXPECT_EQ(out_.cu_ready[0], 1) << "in the cycle in which one is freed";
    EXPECT_EQ(out_.down.tag, 0u);
    EXPECT_EQ(out_.stall, static_cast<uint8_t>(tc::TcpStall::kCount));
}

TEST_P(L1PinsTest, WaitsForAPlaceInTheOrderAndForRoomTowardsL2) {
    in_.cfg.order = 3;
    restart();
    fetch(1, 1);
    EXPECT_EQ(offer({read(1), read(1), read(1), read(1)}), 3u);
    EXPECT_EQ(out_.stall, static_cast<uint8_t>(tc::TcpStall::Order));
    settle();
    in_.down_ready = 0;
    EXPECT_EQ(offer({read(1), read(2)}), 1u);
    EXPECT_EQ(out_.stall, static_cast<uint8_t>(tc::TcpStall::Downstream));
    EXPECT_THAT(downs_, IsEmpty());
}

TEST_P(L1PinsTest, InvalidationDropsTheLinesOfItsRangeAtOnceAndEndsLater) {
    for (uint64_t line = 0; line < 4; ++line)
        fetch(line, 1);
    in_.cu[0] = read(1);
    in_.cu_valid[0] = 1;
    act(64 * 1 + 63, 2);  // the last byte of line 1, the first of line 2
    in_.cu_valid[0] = 0;
    EXPECT_EQ(out_.event.invalidated_lines, 2);
    EXPECT_EQ(out_.event.read_misses, 1) << "for requests of the same cycle as well";
    const uint32_t miss = out_.down.tag;
    run(kInvalidate - 1);
    EXPECT_THAT(dones_, IsEmpty());
    run(1);
    EXPECT_THAT(dones_, ElementsAre(99u)) << "though a younger fill is on its way";
    l2(miss);
    settle();
    EXPECT_TRUE(is_here(0));
    EXPECT_FALSE(is_here(2));
}

TEST_P(L1PinsTest, AnswersThatNothingAskedForAreErrors) {
    const auto error_of = [&](uint32_t tag) {
        restart();
        send(read(1));
        send(write(2, 1, 1));
        l2(tag);
        return out_.error;
    };
    EXPECT_EQ(error_of(0), Pins::kNoError);
    EXPECT_EQ(error_of(1), Pins::kUnknownFill);
    EXPECT_EQ(error_of(0x40000000), Pins::kUnknownFill);
    EXPECT_EQ(error_of(kSlot | 1), Pins::kNoError);
    EXPECT_EQ(error_of(kSlot), Pins::kUnknownAnswer) << "the slot of the read";
    EXPECT_EQ(error_of(kSlot | 2), Pins::kUnknownAnswer);
    EXPECT_EQ(error_of(~0u), Pins::kUnknownAnswer);
}

TEST_P(L1PinsTest, PauseTakesNothingNewAndLetsAnswersPass) {
    send(read(1));
    in_.pause = 1;
    EXPECT_EQ(offer({read(2)}), 0u);
    in_.action_valid = 1;
    l2(0, 3);
    EXPECT_EQ(out_.action_ready, 0);
    in_.action_valid = 0;
    run(kFill);
    EXPECT_EQ(answers_.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(On, L1PinsTest, testing::ValuesIn(core_and_rtl<TcL1Pins, tc::TcL1Core>()),
                         kName);

}  // namespace
}  // namespace archipelago::rtl::tc_l1_pin_test
