// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/mc/mc_schedule_pins.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using testing::ElementsAre;
using Kind = mc::DramCommand::Kind;

constexpr Kind kActivate = Kind::Activate, kRead = Kind::Read, kWrite = Kind::Write;

class McSchedulePinsTest : public OnPins<McSchedulePins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        Pins::Config& c = in_.cfg;
        c.burst = c.ccd_long = 4;
        c.cl = 10;
        c.wl = 6;
        c.rcd_read = 12;
        c.rcd_write = 8;
        c.rp = 11;
        c.ras = 25;
        c.rc = 40;
        c.rrd = 5;
        c.rtp = 3;
        c.wr = 13;
        c.wtr = 7;
        c.rtw = 2;
        c.rfc = 50;
        reset();
    }
    using Pins = McSchedulePins;
    void reset() {
        in_.rst = 1;
        step();
        in_.rst = 0;
    }
    // A request whose row and place in it make its line.
    Pins::Request request(uint8_t id, uint8_t bank, uint64_t row, uint64_t column = 0,
                          bool write = false) {
        Pins::Request r;
        r.id = id;
        r.bank = bank;
        r.row = row;
        r.line = row << 8 | column << 4 | bank;
        r.write = write ? 1 : 0;
        return r;
    }
    Pins::Request write_of(uint8_t id, uint8_t bank, uint64_t row, uint64_t column = 0) {
        return request(id, bank, row, column, true);
    }
    // A cycle with what is at the ports, which take it.
    void cycle() {
        ++in_.now;
        step();
        if (out_.cmd_valid != 0)
            commands_.push_back({in_.now, static_cast<Kind>(out_.cmd_kind)});
        if (out_.cmd_valid != 0 && out_.cmd_kind == static_cast<uint8_t>(kRead))
            order_.push_back(out_.cmd_id);
        if (out_.cmd_valid != 0 && out_.cmd_kind == static_cast<uint8_t>(kWrite))
            order_.push_back(out_.cmd_id);
    }
    void ask(const Pins::Request& r) {
        in_.l2 = r;
        in_.l2_valid = 1;
        cycle();
        EXPECT_EQ(out_.l2_ready, 1);
        in_.l2_valid = 0;
    }
    // Until nothing waits.
    void run(unsigned most = 2'000) {
        while (out_.reads + out_.writes != 0 && most-- != 0)
            cycle();
        EXPECT_EQ(out_.reads + out_.writes, 0);
    }
    // Commands so far with their cycles since `from`.
    using Command = std::pair<uint64_t, Kind>;
    std::vector<Command> since(uint64_t from) const {
        std::vector<Command> r = commands_;
        for (Command& c : r)
            c.first -= from;
        return r;
    }
    std::vector<Command> commands_;
    std::vector<int> order_;  // of column commands
};

TEST_P(McSchedulePinsTest, ClosedBankIsOpenedAndReadBehindItsActivateTime) {
    ask(request(7, 3, 0x155));
    EXPECT_EQ(out_.cmd_row, 0x155u);
    EXPECT_EQ(out_.cmd_bank, 3);
    EXPECT_EQ(out_.event.activates, 1);
    const uint64_t at = in_.now;
    run();
    EXPECT_THAT(since(at), ElementsAre(Command{0, kActivate}, Command{12, kRead}));
    EXPECT_EQ(out_.cmd_id, 7);
    EXPECT_EQ(out_.event.row_misses, 1);
    EXPECT_EQ(out_.event.queue_cycles, 12u);
}

TEST_P(McSchedulePinsTest, AccessesToOneLineKeepTheirOrderOverBothPorts) {
    in_.l2 = write_of(1, 2, 9);
    in_.hub = request(2, 2, 9);
    in_.l2_valid = in_.hub_valid = 1;
    cycle();
    EXPECT_EQ(out_.l2_ready + out_.hub_ready, 2);
    EXPECT_EQ(out_.event.order_waits, 1);
    in_.l2_valid = in_.hub_valid = 0;
    run();
    EXPECT_THAT(order_, ElementsAre(1, 2));
}

TEST_P(McSchedulePinsTest, PortsAlternateForTheLastEntry) {
    in_.cfg.reads = 1;
    in_.cfg.room = 255;
    reset();
    std::string taken;
    in_.l2_valid = in_.hub_valid = 1;
    for (unsigned i = 0; i < 100; ++i) {
        in_.l2 = request(1, 0, 5, i % 16);
        in_.hub = request(2, 0, 5, i % 16);
        cycle();
        EXPECT_LE(out_.l2_ready + out_.hub_ready, 1);
        taken += out_.l2_ready != 0 ? "l" : out_.hub_ready != 0 ? "h" : "";
    }
    ASSERT_GT(taken.size(), 10u);
    EXPECT_EQ(taken.substr(0, 6), "lhlhlh");
}

TEST_P(McSchedulePinsTest, WithoutRoomBehindItNoColumnCommandIsGiven) {
    in_.cfg.room = 1;
    reset();
    ask(request(1, 0, 5));
    ask(request(2, 0, 5, 1));
    for (unsigned i = 0; i < 200; ++i)
        cycle();
    EXPECT_THAT(order_, ElementsAre(1));
    in_.done_valid = 1;
    cycle();
    EXPECT_THAT(order_, ElementsAre(1, 2));
}

TEST_P(McSchedulePinsTest, PausedItTakesAndCommandsNothing) {
    ask(request(1, 0, 5));
    in_.pause = 1;
    in_.hub = request(2, 1, 5);
    in_.hub_valid = 1;
    for (unsigned i = 0; i < 50; ++i) {
        cycle();
        EXPECT_EQ(out_.hub_ready, 0);
        EXPECT_EQ(out_.cmd_valid, 0);
    }
    in_.pause = 0;
    cycle();
    EXPECT_EQ(out_.hub_ready, 1);
    EXPECT_THAT(order_, ElementsAre(1));
}

INSTANTIATE_TEST_SUITE_P(On, McSchedulePinsTest,
                         testing::ValuesIn(core_and_rtl<McSchedulePins, mc::McScheduleCore>()),
                         kName);

TEST(McScheduleSpec, WhatThePinsHaveNoRoomForIsNamed) {
    const auto refused = [](auto change) -> std::string {
        mc::McSpec s;
        change(s);
        try {
            mc::config_to_pins(s);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return {};
    };
    EXPECT_EQ(refused([](mc::McSpec&) {}), "");
    EXPECT_EQ(refused([](mc::McSpec& s) { s.geometry.banks = 32; }),
              "memory.dram.banks 32: the Verilog twin mc_schedule takes 1 to 16");
    EXPECT_EQ(refused([](mc::McSpec& s) { s.read_entries = 200; }),
              "memory.dram.read_entries 200: the Verilog twin mc_schedule takes 1 to 128");
    EXPECT_EQ(refused([](mc::McSpec& s) { s.timing.ras = s.timing.rc = 5'000; }),
              "memory.dram.timing.ras 5000: the Verilog twin mc_schedule takes 0 to 4095");
}

}  // namespace
}  // namespace archipelago::rtl
