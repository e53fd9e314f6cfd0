// SPDX-License-Identifier: Apache-2.0
// What the micro engine does at its pins.
#include <gmock/gmock.h>

#include <array>
#include <deque>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/cp/me_pins.h"
#include "models/cp/registers/si/si_pin_cores.h"
#include "models/cp/registers/si/si_registers.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using cp::make_header;
using cp::OpKind;
using cp::StallReason;
using testing::ElementsAre;
// Dispatches have four fixed dwords, NOP none.
constexpr uint8_t kMeNop = 0x10, kMeDispatch = 0x15;
constexpr uint32_t kConfigRegister = 0x8040;

class CpMePinsTest : public OnPins<CpMePins> {
  protected:
    using Pins = CpMePins;
    struct Op {
        OpKind kind = OpKind::RegWrite;
        uint32_t offset = kConfigRegister;
        uint32_t value = 0;
        bool wait = false;
        uint8_t event_type = 0, limit = 0;
        uint32_t cycles = 0;
        bool end = false;
    };
    void SetUp() override {
        OnPins::SetUp();
        const cp::Spec spec = cp::si_spec();
        cp::load_packet_table(*block_, spec);
        in_.cfg = cp::me_config_pins(spec);
        in_.now = 1'000;
        in_.run = 1;
        in_.hub_ready = in_.l2_ready = in_.bus_ready = in_.cache_ready = in_.dma_ready =
            in_.eop_ready = in_.trigger_ready = in_.gds_ready = 1;
        in_.ce_room = 2;
    }
    void reset() {
        in_.rst = 1;
        step();
        in_.rst = 0;
    }
    void packet(unsigned ring, uint8_t opcode, std::initializer_list<uint32_t> body,
                std::initializer_list<Op> ops) {
        queue_[ring].push_back(make_header(opcode, static_cast<uint32_t>(body.size())));
        queue_[ring].insert(queue_[ring].end(), body);
        program_[ring].insert(program_[ring].end(), ops);
        Op end;
        end.end = true;
        program_[ring].push_back(end);
    }
    // A cycle that takes place; programs are asked as often as needed.
    const Pins::Out& cycle() {
        ++in_.now;
        for (unsigned r = 0; r < Pins::kRings; ++r) {
            in_.meq_valid[r] = queue_[r].empty() ? 0 : 1;
            in_.meq_dword[r] = queue_[r].empty() ? 0 : queue_[r].front();
        }
        in_.op = {};
        while (step().ask_valid != 0) {
            found_ = out_.ask_value;
            if (program_[out_.ask_ring].empty())
                throw std::logic_error("a program is asked behind its end");
            put(out_.ask_ring);
        }
        for (unsigned r = 0; r < Pins::kRings; ++r)
            if (out_.meq_ready[r] != 0)
                queue_[r].pop_front();
        if (out_.act_valid != 0)
            acts_.push_back(out_.act_ring);
        if (out_.done_valid != 0)
            ends_.push_back(out_.done_ring);
        in_.hub.valid = in_.l2.valid = in_.read_valid = in_.pipe_valid = in_.ctx_valid = 0;
        return out_;
    }
    // Until an operation is executed; the cycles it took.
    unsigned act(unsigned most = 50) {
        unsigned cycles = 1;
        while (cycle().act_valid == 0 && cycles < most)
            ++cycles;
        EXPECT_EQ(out_.act_valid, 1);
        return cycles;
    }
    void run(unsigned cycles) {
        for (unsigned i = 0; i < cycles; ++i)
            cycle();
    }
    void put(unsigned r) {
        const Op op = program_[r].front();
        program_[r].pop_front();
        Pins::Operations& to = in_.op;
        to.valid[r] = 1;
        to.end[r] = op.end ? 1 : 0;
        to.kind[r] = static_cast<uint8_t>(op.kind);
        to.offset[r] = op.offset;
        to.value[r] = op.value;
        to.dwords[r] = 1;
        to.wait[r] = op.wait ? 1 : 0;
        to.event_type[r] = op.event_type;
        to.limit[r] = op.limit;
        to.cycles[r] = op.cycles;
        to.of_context[r] = cp::si_register_map().of_context(op.offset) ? 1 : 0;
    }
    StallReason stall() const { return static_cast<StallReason>(out_.stall); }
    static Op write(uint32_t offset, uint32_t value = 0) {
        Op op;
        op.offset = offset;
        op.value = value;
        return op;
    }
    static Op of(OpKind kind) {
        Op op;
        op.kind = kind;
        return op;
    }

    std::array<std::deque<uint32_t>, Pins::kRings> queue_;
    std::array<std::deque<Op>, Pins::kRings> program_;
    uint64_t found_ = 0;
    std::vector<int> acts_, ends_;
};

TEST_P(CpMePinsTest, ProgramStartsBehindTheFixedDwordsAndItsMicrocode) {
    in_.cfg.packet_cycles = 3;
    reset();
    packet(0, kMeDispatch, {1, 2, 3, 4}, {write(kConfigRegister, 7)});
    EXPECT_EQ(cycle().take_kind, 0);
    run(3);
    EXPECT_EQ(cycle().rest, 1);  // the last of them
    EXPECT_EQ(out_.take_kind, 1);
    EXPECT_EQ(cycle().meq_ready[0], 0);
    EXPECT_EQ(stall(), StallReason::Microcode);
    EXPECT_EQ(act(), 2u);
    EXPECT_EQ(out_.bus_offset, kConfigRegister);
    EXPECT_EQ(out_.bus_value, 7u);
    cycle();
    EXPECT_THAT(ends_, ElementsAre(0));
    EXPECT_EQ(out_.busy, 0);
}

TEST_P(CpMePinsTest, CycleWithoutAnOperationDoesNotTakePlace) {
    queue_[1] = {make_header(kMeNop, 1), 5};
    cycle();
    in_.meq_valid[1] = 1;
    ++in_.now;
    in_.op = {};
    for (unsigned i = 0; i < 3; ++i) {
        step();
        EXPECT_EQ(out_.ask_valid, 1);
        EXPECT_EQ(out_.ask_ring, 1);
        EXPECT_EQ(out_.ask_start, 1);
        EXPECT_EQ(out_.meq_ready[1], 0);
        EXPECT_EQ(out_.busy, 0);
    }
    in_.op.valid[1] = in_.op.end[1] = 1;
    step();
    EXPECT_EQ(out_.op_ready[1], 1);
    EXPECT_EQ(out_.done_valid, 1);
}

TEST_P(CpMePinsTest, RingWhoseBusIsBusyKeepsItsTurn) {
    in_.bus_ready = 0;
    packet(0, kMeNop, {0}, {write(kConfigRegister)});
    packet(1, kMeNop, {0}, {of(OpKind::Clock)});
    run(10);
    EXPECT_TRUE(acts_.empty());
    EXPECT_EQ(stall(), StallReason::RegBus);
    in_.bus_ready = 1;
    run(10);
    EXPECT_THAT(acts_, ElementsAre(0, 1));
    EXPECT_THAT(ends_, ElementsAre(0, 1));
}

TEST_P(CpMePinsTest, EventsPassInOrderAndTheirReceiversMayRefuse) {
    Op eop = of(OpKind::Eop);
    eop.event_type = 0x14;
    Op event = of(OpKind::Event);
    event.event_type = 0xf;
    event.wait = true;
    packet(1, kMeNop, {0}, {eop, event});
    act();
    EXPECT_EQ(out_.eop_valid, 1);
    EXPECT_EQ(out_.bus_value, 0x14u);
    act();
    in_.trigger_ready = 0;
    in_.pipe_valid = 1;
    in_.pipe_ring = 1;
    EXPECT_EQ(cycle().pipe_ready, 0);
    in_.trigger_ready = 1;
    in_.pipe_valid = 1;
    EXPECT_EQ(cycle().pipe_ready, 1);
    EXPECT_EQ(out_.pipe_purpose, static_cast<uint8_t>(cp::EventPurpose::Eop));
    EXPECT_EQ(stall(), StallReason::Event);
    in_.pipe_valid = 1;
    EXPECT_EQ(cycle().done_valid, 1);
    EXPECT_EQ(out_.pipe_purpose, static_cast<uint8_t>(cp::EventPurpose::Wait));
}

TEST_P(CpMePinsTest, SemaphoreThatDoesNotComeStopsTheEngine) {
    in_.limit_valid = 1;
    in_.limit_semaphore = 5;
    Op poll = of(OpKind::Delay);
    poll.cycles = 4;
    poll.limit = 2;
    packet(2, kMeNop, {0}, {poll, poll, poll});
    run(20);
    EXPECT_EQ(out_.stop_valid, 1);
    EXPECT_EQ(out_.stop_ring, 2);
    EXPECT_EQ(acts_.size(), 2u);
    reset();
    EXPECT_EQ(cycle().stop_valid, 0);
}

TEST_P(CpMePinsTest, HaltedItTakesAnswersAndNoTurn) {
    packet(0, kMeNop, {0}, {of(OpKind::RegRead), write(kConfigRegister, 1)});
    act();
    in_.halt_valid = in_.halt_level = 1;
    in_.read_valid = 1;
    in_.read_value = 5;
    cycle();
    in_.halt_valid = 0;
    run(5);
    EXPECT_EQ(acts_.size(), 1u);
    in_.halt_valid = 1;
    in_.halt_level = 0;
    EXPECT_EQ(act(), 1u);
    EXPECT_EQ(found_, 5u);
}

INSTANTIATE_TEST_SUITE_P(On, CpMePinsTest,
                         testing::ValuesIn(core_and_rtl<CpMePins, cp::SiMePinCore>()), kName);

TEST(CpMeSpec, WhatThePinsHaveNoRoomForIsNamed) {
    const auto refused = [](auto change) -> std::string {
        cp::Spec s = cp::si_spec();
        change(s);
        try {
            cp::me_config_pins(s);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return {};
    };
    EXPECT_EQ(refused([](cp::Spec&) {}), "");
    EXPECT_EQ(refused([](cp::Spec& s) { s.me_packet_cycles = 0; }),
              "cp.me_packet_cycles 0: the Verilog twin cp_me takes 1 to 65535");
    EXPECT_EQ(refused([](cp::Spec& s) { s.events_in_flight = 40; }),
              "cp.events_in_flight 40: the Verilog twin cp_me takes 1 to 32");
}

}  // namespace
}  // namespace archipelago::rtl
