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
// Dispatches have four fixed dwords, SET_SH_REG one, NOP none.
constexpr uint8_t kMeNop = 0x10, kMeDispatch = 0x15, kSetShReg = 0x76;
constexpr uint32_t kConfigRegister = 0x8040, kContextRegister = 0x28000;

class CpMePinsTest : public OnPins<CpMePins> {
  protected:
    using Pins = CpMePins;
    struct Op {
        OpKind kind = OpKind::RegWrite;
        uint32_t offset = kConfigRegister;
        uint32_t value = 0;
        uint64_t address = 0;
        uint8_t dwords = 1;
        bool stream = false, wait = false, l2 = false;
        uint8_t event_type = 0, limit = 0, swap = 0;
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
            found_data_ = out_.ask_data;
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
        to.address[r] = op.address;
        to.dwords[r] = op.dwords;
        to.stream[r] = op.stream ? 1 : 0;
        to.wait[r] = op.wait ? 1 : 0;
        to.path[r] = op.l2 ? 1 : 0;
        to.event_type[r] = op.event_type;
        to.limit[r] = op.limit;
        to.cycles[r] = op.cycles;
        to.swap[r] = op.swap;
        to.of_context[r] = cp::si_register_map().of_context(op.offset) ? 1 : 0;
        for (unsigned i = 0; i < Pins::kWords; ++i)
            to.data[r * Pins::kWords + i] = 0x100 + i;
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
    Pins::Words found_data_{};
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

TEST_P(CpMePinsTest, ProgramTakesItsOperandsADwordACycleAndTheRestIsPassedOver) {
    Op streamed = write(kConfigRegister);
    streamed.stream = true;
    packet(0, kSetShReg, {0, 11, 12, 13, 14}, {streamed, streamed});
    act();
    EXPECT_EQ(out_.bus_value, 11u);
    EXPECT_EQ(out_.take_kind, 2);
    EXPECT_EQ(act(), 1u);
    EXPECT_EQ(out_.bus_value, 12u);
    EXPECT_EQ(cycle().take_kind, 3);
    EXPECT_EQ(out_.done_valid, 0);
    EXPECT_EQ(cycle().done_valid, 1);
    EXPECT_EQ(found_, 12u);
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

TEST_P(CpMePinsTest, RingsTakeTurnsAtPacketsAndOneThatWaitsGivesItsTurnAway) {
    for (unsigned r = 0; r < 3; ++r)
        for (unsigned i = 0; i < 2; ++i)
            packet(r, kMeNop, {0}, {write(kConfigRegister)});
    run(40);
    EXPECT_THAT(acts_, ElementsAre(0, 1, 2, 0, 1, 2));
    packet(0, kMeNop, {0}, {of(OpKind::RegRead), write(kConfigRegister)});
    packet(1, kMeNop, {0}, {write(kConfigRegister)});
    acts_.clear();
    run(12);
    EXPECT_THAT(acts_, ElementsAre(0, 1));
    EXPECT_EQ(stall(), StallReason::RegRead);
    in_.read_valid = 1;
    in_.read_value = 0xabc;
    act();
    EXPECT_EQ(found_, 0xabcu);
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

TEST_P(CpMePinsTest, ReadOfTwoLinesIsTwoRequestsAndWaitsForBoth) {
    Op read = of(OpKind::MemRead);
    read.address = 0x1038;
    read.dwords = 4;
    read.swap = 2;
    packet(2, kMeNop, {0}, {read});
    while (cycle().hub_valid == 0) {
    }
    EXPECT_EQ(out_.mem_line, 0x40u);
    EXPECT_EQ(out_.mem_mask, uint64_t{0xff} << 0x38);
    EXPECT_EQ(out_.act_valid, 0);
    const uint16_t tag = out_.mem_tag;
    EXPECT_EQ(act(), 1u);
    EXPECT_EQ(out_.mem_line, 0x41u);
    EXPECT_EQ(out_.mem_mask, 0xffu);
    in_.hub.tag = static_cast<uint8_t>(tag);
    in_.hub.valid = 1;
    in_.hub.line = 0x41;
    in_.hub.data = {0x01020304, 0x05060708};
    cycle();
    EXPECT_EQ(out_.wait[2], static_cast<uint8_t>(StallReason::MemData));
    in_.hub.valid = 1;
    in_.hub.line = 0x40;
    in_.hub.data[14] = 0x11121314;
    cycle();
    EXPECT_EQ(out_.done_valid, 1);
    EXPECT_EQ(found_data_[0], 0x14131211u);
    EXPECT_EQ(found_data_[2], 0x04030201u);
    EXPECT_EQ(found_data_[3], 0x08070605u);
}

TEST_P(CpMePinsTest, WritesAreNumberedAndWaitedFor) {
    Op store = of(OpKind::MemWrite);
    store.address = 0x2008;
    store.dwords = 2;
    store.l2 = true;
    packet(1, kMeNop, {0}, {store, store, of(OpKind::WaitWrites)});
    act();
    EXPECT_EQ(out_.l2_valid, 1);
    EXPECT_EQ(out_.mem_command, 1);
    EXPECT_EQ(out_.mem_tag, 0x41);
    EXPECT_EQ(out_.mem_mask, uint64_t{0xff} << 8);
    EXPECT_EQ(out_.mem_data[2], 0x100u);
    EXPECT_EQ(out_.mem_data[3], 0x101u);
    act();
    EXPECT_EQ(out_.mem_tag, 0xc1);
    act();
    for (unsigned i = 0; i < 2; ++i) {
        cycle();
        EXPECT_EQ(stall(), StallReason::MemWrite);
        in_.l2.valid = 1;
        in_.l2.tag = 0x41;
    }
    EXPECT_EQ(cycle().done_valid, 1);
}

TEST_P(CpMePinsTest, RegisterOfAContextThatWasDrawnWithIsWrittenInTheNext) {
    const cp::RegisterMap& map = cp::si_register_map();
    packet(0, kMeNop, {0},
           {write(kContextRegister, 1), write(map.draw_initiator), write(kContextRegister, 2)});
    act();
    EXPECT_EQ(out_.bus_context, 1);
    act();
    EXPECT_EQ(out_.ctx_drawn, 1);
    EXPECT_EQ(cycle().bus_offset, map.event_initiator);
    EXPECT_EQ(out_.bus_value, map.events.context_done);
    EXPECT_EQ(out_.ctx_in_pipe, 1 << 1);
    EXPECT_EQ(cycle().bus_offset, map.copy_state);
    EXPECT_EQ(out_.bus_value, 1u);
    EXPECT_EQ(out_.bus_context, 2);
    EXPECT_EQ(act(), 1u);
    EXPECT_EQ(out_.bus_context, 2);
    in_.pipe_valid = 1;
    in_.pipe_ring = 0;
    cycle();
    EXPECT_EQ(out_.pipe_buffer, 1);
    EXPECT_EQ(out_.ctx_in_pipe, 0);
}

TEST_P(CpMePinsTest, LastContextIsFollowedByTheFirstWhenItHasLeftThePipe) {
    in_.cfg.max_context = 1;
    reset();
    packet(0, kMeNop, {0},
           {write(cp::si_register_map().draw_initiator), write(kContextRegister, 2)});
    act();
    cycle();
    cycle();
    EXPECT_EQ(stall(), StallReason::Context);
    EXPECT_EQ(out_.no_context[0], 1);
    in_.pipe_valid = 1;
    EXPECT_EQ(act(), 1u);  // no copy of a context to itself
    EXPECT_EQ(out_.bus_context, 1);
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

TEST_P(CpMePinsTest, NoMoreEventsThanThePipeMayHold) {
    in_.cfg.events = 2;
    reset();
    const Op event = of(OpKind::Event);
    packet(0, kMeNop, {0}, {event, event, event});
    run(10);
    EXPECT_EQ(acts_.size(), 2u);
    EXPECT_EQ(stall(), StallReason::Event);
    in_.pipe_valid = 1;
    cycle();
    EXPECT_EQ(acts_.size(), 3u);
}

TEST_P(CpMePinsTest, PollBeyondItsLimitIsToldOnce) {
    in_.limit_valid = 1;
    in_.limit_wait_reg_mem = 10;
    Op poll = of(OpKind::Delay);
    poll.cycles = 4;
    poll.limit = 1;
    packet(0, kMeNop, {0}, {poll, poll, poll, poll, poll, poll});
    unsigned told = 0, first = 0;
    for (unsigned i = 0; i < 40; ++i) {
        told += cycle().event_timeout;
        if (told == 0)
            ++first;
        in_.limit_valid = 0;
    }
    EXPECT_EQ(told, 1u);
    EXPECT_EQ(first, 1 + 3 * 4u);  // the fourth failure, the first after ten cycles
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
