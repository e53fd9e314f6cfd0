// SPDX-License-Identifier: Apache-2.0
// The index DMA unit at its pins, cycle by cycle.
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/vgt/index_dma_core.h"
#include "models/vgt/index_dma_unit.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

using vgt::FetchReason;
using vgt::GiveReason;
using vgt::IndexStop;
using Command = VgtIndexDmaPins::Command;

class VgtIndexDmaPinsTest : public OnPins<VgtIndexDmaPins> {
  protected:
    void SetUp() override {
        OnPins::SetUp();
        in_.config = {4, 3, 2, 2, 2};  // indices, lines, in flight, commands, setup
        restart();
        in_.req_ready = in_.grp_ready = 1;
    }
    void restart() {
        in_.rst = 1;
        step();
        in_.rst = 0;
    }
    void configure(const VgtIndexDmaPins::Config& config) {
        in_.config = config;
        restart();
    }
    // One cycle with it at the port; whether it was taken.
    bool command(const Command& c) {
        in_.cmd_valid = 1;
        in_.cmd = c;
        const bool taken = step().cmd_ready != 0;
        in_.cmd_valid = 0;
        return taken;
    }
    // One cycle with an answer whose dwords count from `first` on.
    void answer(uint32_t tag, uint32_t first = 0, uint8_t status = 0) {
        in_.rsp_valid = 1;
        in_.rsp.tag = tag;
        in_.rsp.status = status;
        for (unsigned i = 0; i < 16; ++i)
            in_.rsp.data[i] = first + i;
        step();
        in_.rsp_valid = 0;
    }
    // Steps until a request or a group leaves, or a stop; the cycles that took.
    template <class F>
    unsigned until(F&& seen) {
        unsigned cycles = 1;
        for (step(); !seen() && cycles < 100; ++cycles)
            step();
        return cycles;
    }
    unsigned until_request() {
        return until([&] { return out_.req_valid != 0; });
    }
    unsigned until_group() {
        return until([&] { return out_.grp_valid != 0; });
    }
    std::vector<uint32_t> indices() const {
        EXPECT_EQ(out_.grp_valid, 1);
        return {out_.grp.index.begin(), out_.grp.index.begin() + out_.grp.count};
    }
    FetchReason fetch() const { return static_cast<FetchReason>(out_.fetch_reason); }
    GiveReason give() const { return static_cast<GiveReason>(out_.give_reason); }
    IndexStop stop() const {
        EXPECT_EQ(out_.stop_valid, out_.stop_code != 0 ? 1 : 0);
        return static_cast<IndexStop>(out_.stop_code);
    }
};
using Indices = std::vector<uint32_t>;

Command wide(uint64_t base, uint32_t count, uint32_t draw = 1) {
    return {base, count, ~0u, 1, 0, 5, draw};
}

TEST_P(VgtIndexDmaPinsTest, RequestsLeaveWhenTheCommandIsSetUp) {
    for (const uint8_t setup : {uint8_t{1}, uint8_t{4}, uint8_t{255}}) {
        configure({4, 3, 2, 2, setup});
        EXPECT_TRUE(command(wide(0x1038, 3)));
        for (unsigned i = 1; i < setup; ++i) {
            EXPECT_EQ(step().req_valid, 0);
            EXPECT_EQ(fetch(), FetchReason::Setup);
            EXPECT_EQ(give(), GiveReason::Setup);
            EXPECT_EQ(out_.active, 1);
        }
        EXPECT_EQ(step().req_valid, 1);
        EXPECT_EQ(out_.req.line, 0x1000u / 64);
        EXPECT_EQ(out_.req.mask, 0xC000);
        EXPECT_EQ(out_.req.vmid, 5);
        EXPECT_EQ(out_.req.tag, 0);
        EXPECT_EQ(step().req_valid, 1);
        EXPECT_EQ(out_.req.line, 0x1040u / 64);
        EXPECT_EQ(out_.req.mask, 0x0001);
        EXPECT_EQ(out_.req.tag, 1);
        EXPECT_EQ(step().active, 0);
        EXPECT_EQ(give(), GiveReason::Data);
    }
}

TEST_P(VgtIndexDmaPinsTest, IndicesLeaveFromTheCycleBehindTheirLine) {
    command(wide(0x1028, 7, 42));
    until_request();
    step();
    answer(0, 100);
    EXPECT_EQ(out_.rsp_ready, 1);
    EXPECT_EQ(out_.grp_valid, 0);
    step();
    EXPECT_EQ(indices(), (Indices{110, 111, 112, 113}));
    EXPECT_EQ(out_.grp.draw, 42u);
    EXPECT_EQ(out_.grp.last, 0);
    step();
    EXPECT_EQ(indices(), (Indices{114, 115}));  // the line ends
    answer(1, 200);
    step();
    EXPECT_EQ(indices(), Indices{200});
    EXPECT_EQ(out_.grp.last, 1);
    EXPECT_EQ(out_.grp.beyond, 0);
    EXPECT_EQ(step().active, 0);
    EXPECT_EQ(give(), GiveReason::None);
}

TEST_P(VgtIndexDmaPinsTest, BytesAreExchangedWithinDwordsOfMemory) {
    struct Row {
        uint8_t swap;
        Indices wide, narrow;
    };
    const Row rows[] = {{0, {0x33221100}, {0x1100, 0x3322}},
                        {1, {0x22330011}, {0x0011, 0x2233}},
                        {2, {0x00112233}, {0x2233, 0x0011}},
                        {3, {0x11003322}, {0x3322, 0x1100}}};
    for (const Row& row : rows) {
        for (const uint8_t type : {uint8_t{1}, uint8_t{0}}) {
            restart();
            command({0x2000, type == 0 ? 2u : 1u, ~0u, type, row.swap, 0, 1});
            until_request();
            answer(0, 0x33221100);
            step();
            EXPECT_EQ(indices(), type == 0 ? row.narrow : row.wide) << unsigned{row.swap};
        }
    }
}

TEST_P(VgtIndexDmaPinsTest, FromTheBoundOnIndicesAreZeroAndNotRead) {
    command({0x100C, 12, 3, 0, 0, 0, 9});  // three halves, nine zeros
    EXPECT_EQ(until_request(), 2u);
    EXPECT_EQ(out_.req.mask, 0x0018);
    step();
    EXPECT_EQ(out_.req_valid, 0);
    answer(0, 0x50005);
    step();
    EXPECT_EQ(indices(), (Indices{0x0008, 0x0005, 0x0009}));
    EXPECT_EQ(out_.grp.last, 0);
    EXPECT_EQ(out_.grp.beyond, 0);
    for (const unsigned n : {4u, 4u, 1u}) {
        step();
        EXPECT_EQ(indices(), Indices(n, 0));
        EXPECT_EQ(out_.grp.beyond, 1);
        EXPECT_EQ(out_.grp.last, n == 1 ? 1 : 0);
    }
}

TEST_P(VgtIndexDmaPinsTest, ADrawWithoutIndicesIsOneEmptyGroup) {
    EXPECT_TRUE(command({0x1000, 0, 7, 1, 0, 0, 3}));
    EXPECT_EQ(until_group(), 2u);
    EXPECT_EQ(out_.grp.count, 0);
    EXPECT_EQ(out_.grp.last, 1);
    EXPECT_EQ(out_.grp.beyond, 0);
    EXPECT_EQ(out_.grp.draw, 3u);
    EXPECT_EQ(step().grp_valid, 0);
}

TEST_P(VgtIndexDmaPinsTest, LinesComeInAnyOrderAndLeaveInTheirs) {
    configure({8, 3, 3, 2, 1});
    command(wide(0x1000, 48));
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(step().req_valid, 1);
    answer(2, 300);
    answer(1, 200);
    EXPECT_EQ(step().grp_valid, 0);
    EXPECT_EQ(give(), GiveReason::Data);
    answer(0, 100);
    for (const uint32_t first : {100u, 108u, 200u, 208u, 300u, 308u}) {
        step();
        EXPECT_EQ(indices().front(), first);
    }
    EXPECT_EQ(out_.grp.last, 1);
}

TEST_P(VgtIndexDmaPinsTest, LinesAheadAndInFlightAreBounded) {
    command(wide(0x1000, 80));
    EXPECT_EQ(until_request(), 2u);
    EXPECT_EQ(step().req_valid, 1);
    EXPECT_EQ(step().req_valid, 0);
    EXPECT_EQ(fetch(), FetchReason::InFlight);
    in_.grp_ready = 0;
    answer(1);
    EXPECT_EQ(step().req_valid, 1);  // after the answer
    EXPECT_EQ(out_.req.tag, 2);
    answer(0);
    EXPECT_EQ(step().req_valid, 0);
    EXPECT_EQ(fetch(), FetchReason::Lines);
    EXPECT_EQ(give(), GiveReason::Consumer);
    in_.grp_ready = 1;
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(step().req_valid, 0);
    EXPECT_EQ(step().req_valid, 1);  // after the last group of the line
    EXPECT_EQ(out_.req.tag, 0);
}

TEST_P(VgtIndexDmaPinsTest, ABusyPortHoldsTheRequestBack) {
    in_.req_ready = 0;
    command(wide(0x1000, 4));
    step();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(step().req_valid, 0);
        EXPECT_EQ(fetch(), FetchReason::Port);
        EXPECT_EQ(out_.active, 0);
    }
    in_.req_ready = 1;
    EXPECT_EQ(step().req_valid, 1);
}

TEST_P(VgtIndexDmaPinsTest, CommandsAreTakenWhileOneIsHandedOnUpToTheirNumber) {
    command(wide(0x1000, 4, 1));
    EXPECT_FALSE(command(wide(0x2000, 4, 2)));  // the first has not asked yet
    EXPECT_FALSE(command(wide(0x2000, 4, 2)));
    EXPECT_EQ(out_.req_valid, 1);
    EXPECT_TRUE(command(wide(0x2000, 4, 2)));
    until_request();
    EXPECT_FALSE(command(wide(0x3000, 4, 3)));
    EXPECT_EQ(fetch(), FetchReason::Commands);
    answer(1, 20);
    answer(0, 10);
    EXPECT_FALSE(command(wide(0x3000, 4, 3)));
    EXPECT_EQ(out_.grp.draw, 1u);
    EXPECT_EQ(out_.grp.last, 1);
    EXPECT_TRUE(command(wide(0x3000, 4, 3)));
    EXPECT_EQ(out_.grp.draw, 2u);
}

TEST_P(VgtIndexDmaPinsTest, AddressesWrapAt48Bits) {
    command(wide(0xFFFFFFFFFFFC, 2));
    until_request();
    EXPECT_EQ(out_.req.line, 0x3FFFFFFFFFFu);
    step();
    EXPECT_EQ(out_.req.line, 0u);
    EXPECT_EQ(out_.req.mask, 0x0001);
}

TEST_P(VgtIndexDmaPinsTest, ABadCommandStopsWhenNoOtherIsBegun) {
    struct Row {
        Command command;
        IndexStop stop;
    };
    const Row rows[] = {{{0x1000, 1, 1, 2, 0, 0, 8}, IndexStop::Type},
                        {{0x1001, 1, 1, 3, 0, 0, 8}, IndexStop::Type},
                        {{0x1001, 1, 1, 0, 0, 0, 8}, IndexStop::Alignment},
                        {{0x1001, 1, 1, 1, 0, 0, 8}, IndexStop::Alignment},
                        {{0x1002, 0, 0, 1, 0, 0, 8}, IndexStop::Alignment}};
    for (const Row& row : rows) {
        restart();
        EXPECT_TRUE(command({0x1002, 5, 0, 0, 0, 0, 7}));  // zeros only
        EXPECT_FALSE(command(row.command));
        EXPECT_FALSE(command(row.command));
        EXPECT_EQ(fetch(), FetchReason::Commands);
        EXPECT_EQ(stop(), IndexStop::None);
        EXPECT_FALSE(command(row.command));
        EXPECT_EQ(out_.grp.last, 1);
        EXPECT_FALSE(command(row.command));
        EXPECT_EQ(stop(), row.stop);
        EXPECT_EQ(out_.stop_draw, 8u);
        EXPECT_EQ(out_.stop_address, row.command.base);
        EXPECT_FALSE(command(row.command));
        EXPECT_EQ(stop(), IndexStop::None);
    }
}

TEST_P(VgtIndexDmaPinsTest, ALineThatMemoryRefusedStopsAtItsTurn) {
    for (const uint8_t status : {uint8_t{1}, uint8_t{2}, uint8_t{3}}) {
        restart();
        command(wide(0x1038, 4, 77));
        until_request();
        step();
        answer(1, 0, status);
        EXPECT_EQ(step().stop_valid, 0);
        answer(0, 50);
        in_.grp_ready = 0;
        EXPECT_EQ(step().stop_valid, 0);
        in_.grp_ready = 1;
        step();
        EXPECT_EQ(indices(), (Indices{64, 65}));
        in_.grp_ready = 0;
        step();
        EXPECT_EQ(stop(), status == 1 ? IndexStop::Unmapped : IndexStop::Error);
        EXPECT_EQ(out_.stop_draw, 77u);
        EXPECT_EQ(out_.stop_address, 0x1040u);
        EXPECT_EQ(out_.active, 0);
        in_.grp_ready = 1;
    }
}

TEST_P(VgtIndexDmaPinsTest, AnUnsolicitedAnswerStops) {
    for (const uint32_t tag : {1u, 3u, 16u, 0x80000000u}) {
        restart();
        command(wide(0x1000, 4));
        until_request();
        answer(tag);
        EXPECT_EQ(stop(), IndexStop::Response) << tag;
        EXPECT_EQ(out_.stop_address, tag);
        EXPECT_EQ(out_.rsp_ready, 0);
    }
    restart();
    in_.grp_ready = 0;
    command(wide(0x1000, 4));
    until_request();
    answer(0);
    EXPECT_EQ(stop(), IndexStop::None);
    answer(0);
    EXPECT_EQ(stop(), IndexStop::Response);
    // Silent until reset.
    in_.grp_ready = 1;
    EXPECT_EQ(step().grp_valid, 0);
    EXPECT_EQ(out_.active, 0);
    restart();
    EXPECT_EQ(step().grp_valid, 0);
    EXPECT_TRUE(command(wide(0x1000, 4)));
}

// What leaves a unit, and when, with a memory that answers in a drawn order.
struct Traffic {
    std::vector<std::string> events;
    std::vector<uint64_t> counters;
    uint64_t ticks = 0;
};
Traffic pass_through(vgt::IndexDmaUnit& unit, uint64_t seed) {
    std::mt19937_64 random(seed);
    Traffic traffic;
    Channel<MemRequest> memory({2, 1});
    Channel<vgt::IndexGroup> groups({2, 1});
    unit.to_memory.connect(memory);
    unit.to_group.connect(groups);
    unit.command.random_stall(seed, 20);
    memory.random_stall(seed + 1, 30);
    groups.random_stall(seed + 2, 30);
    Scheduler scheduler;
    scheduler.add(unit);
    std::deque<vgt::IndexCommand> commands(40);
    for (vgt::IndexCommand& c : commands) {
        c.type = static_cast<uint8_t>(random() % 2);
        c.base = random() & vgt::kAddressMask & ~uint64_t{3};
        c.count = static_cast<uint32_t>(random() % 90);
        c.max_size = random() % 3 == 0 ? static_cast<uint32_t>(random() % 90) : ~0u;
        c.swap = static_cast<uint8_t>(random() % 4);
        c.draw = static_cast<uint32_t>(random());
    }
    std::vector<MemRequest> pending;
    size_t ended = 0;
    for (Cycle now = 1; ended < 40 && now < 20000; ++now) {
        scheduler.step(now);
        if (!commands.empty() && unit.command.can_push(now) && random() % 4 != 0) {
            unit.command.push(now, commands.front());
            commands.pop_front();
        }
        if (memory.can_pop(now)) {
            pending.push_back(memory.pop(now));
            traffic.events.push_back(std::to_string(now) + " asks " +
                                     std::to_string(pending.back().line) + " " +
                                     std::to_string(pending.back().byte_mask));
        }
        if (!pending.empty() && random() % 3 == 0 && unit.response.can_push(now)) {
            const size_t which = random() % pending.size();
            MemResponse r;
            r.tag = pending[which].tag;
            for (uint8_t& byte : r.data)
                byte = static_cast<uint8_t>(random());
            pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(which));
            unit.response.push(now, r);
        }
        if (groups.can_pop(now)) {
            const vgt::IndexGroup g = groups.pop(now);
            std::string text = std::to_string(now) + " gives";
            for (unsigned i = 0; i < g.count; ++i)
                text += " " + std::to_string(g.index[i]);
            traffic.events.push_back(text + (g.beyond ? " beyond" : "") + (g.last ? " last" : ""));
            ended += g.last ? 1 : 0;
        }
    }
    EXPECT_EQ(ended, 40u);
    StatsRegistry stats;
    unit.register_stats(stats, "dma");
    for (const Counter& c : stats.counters())
        traffic.counters.push_back(*c.value);
    traffic.ticks = scheduler.ticks();
    return traffic;
}

TEST_P(VgtIndexDmaPinsTest, InAUnitItGivesTheCyclesAndCountersOfTheCore) {
    for (const uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
        vgt::IndexDmaSpec spec;
        spec.lines_ahead = 4;
        spec.lines_in_flight = seed % 2 == 0 ? 3 : 8;
        vgt::IndexDmaUnit here(spec, block_.get());
        vgt::IndexDmaUnit core(spec);
        const Traffic got = pass_through(here, seed);
        const Traffic expected = pass_through(core, seed);
        EXPECT_GT(expected.events.size(), 400u);
        EXPECT_EQ(got.events, expected.events);
        EXPECT_EQ(got.counters, expected.counters);
        EXPECT_EQ(got.ticks, expected.ticks);
    }
}

INSTANTIATE_TEST_SUITE_P(VgtIndexDma, VgtIndexDmaPinsTest,
                         testing::ValuesIn(core_and_rtl<VgtIndexDmaPins, vgt::IndexDmaCore>()),
                         kName);

}  // namespace
}  // namespace archipelago::rtl
