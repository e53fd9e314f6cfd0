// SPDX-License-Identifier: Apache-2.0
// Render contexts, and the packets of 2.2 and 2.4 of "Radeon Southern Islands Acceleration", in
// both engines.
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_registers.h"
#include "registers/si_names.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::state_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;

constexpr uint32_t kRegA = 0x28A40, kRegB = 0x28A44;  // context registers
constexpr uint8_t kContextDone = 5;

class State : public PacketsTest {
  protected:
    virtual Spec spec() const { return si_spec(); }
    void SetUp() override { start(spec()); }
    // How a new machine stops at the packets.
    std::string fresh(const Words& words, unsigned ring = 0) {
        SetUp();
        return stop(words, ring);
    }
    std::string stop(const Words& words, unsigned ring = 0, StopKind kind = StopKind::BadInput) {
        try {
            m().submit(words, ring);
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), kind) << e.what();
            return e.what();
        }
        return "no stop";
    }
    uint32_t in_context(uint32_t offset, unsigned context) {
        return seen().context_registers.get(offset, context);
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, State, all_modes(), mode_name);

Words draw() {
    return set_context(0x287F0, {2});  // VGT_DRAW_INITIATOR
}
Words initialize(uint32_t max_context, uint32_t reset = 1, uint32_t device_swap = 0x10000,
                 uint32_t dump = 0, uint32_t dump_size = 0) {
    return packet("ME_INITIALIZE", {reset, 0, max_context, device_swap, dump, dump_size});
}
Words context_control(uint32_t load, uint32_t shadow) {
    return packet("CONTEXT_CONTROL", {load, shadow});
}
Words load(uint8_t opcode, uint64_t base, const Words& pairs, bool compute = false) {
    return packet(opcode, Words{lo(base), hi(base)} + pairs, compute);
}
uint64_t counter(TimedMachine& m, const std::string& name) {
    StatsRegistry stats;
    m.core().register_stats(stats, "cp");
    for (const Counter& c : stats.counters())
        if (c.unit_path == "cp.me" && c.name == name)
            return *c.value;
    ADD_FAILURE() << "no counter " << name;
    return 0;
}
constexpr uint8_t kLoadConfig = 0x5F, kLoadContext = 0x60, kLoadSh = 0x61;
constexpr uint32_t kUpdate = 0x80000000, kConfig = 1, kContext = 2, kGfxSh = 1 << 16,
                   kComputeSh = 1 << 24;

// ---- contexts ----------------------------------------------------------------------------------

TEST_P(State, ContextRegistersStayInOneContextUntilADrawUsesIt) {
    ASSERT_TRUE(m().submit(set_context(kRegA, {1}) + set_context(kRegB, {2}) + draw() + draw()));
    EXPECT_THAT(seen().contexts, ElementsAre(1, 1, 1, 1));
    EXPECT_TRUE(seen().events.empty());
}

TEST_P(State, AWriteAfterADrawTakesTheNextContextAsACopy) {
    ASSERT_TRUE(m().submit(set_context(kRegA, {1, 2}) + draw() + set_context(kRegA, {3})));
    EXPECT_THAT(seen().regs,
                ElementsAre(RegWrite{kRegA, 1, 0}, RegWrite{kRegB, 2, 0}, RegWrite{0x287F0, 2, 0},
                            RegWrite{regs::si::GFX_COPY_STATE, 1, 0}, RegWrite{kRegA, 3, 0}));
    EXPECT_THAT(seen().contexts, ElementsAre(1, 1, 1, 2, 2));
    EXPECT_EQ(in_context(kRegA, 1), 1u);
    EXPECT_EQ(in_context(kRegA, 2), 3u);
    EXPECT_EQ(in_context(kRegB, 2), 2u) << "what was not written is as in the context before";
    EXPECT_THAT(seen().events, ElementsAre(std::pair<uint8_t, uint8_t>{0, kContextDone}));
}

TEST_P(State, WhatDescribesADrawAndOtherRegistersDoNotTakeAContext) {
    ASSERT_TRUE(m().submit(draw() + set_context(0x28A74, {1, 2, 3}) + set_context(0x287E4, {4, 5}) +
                           set_config(0x8970, {6}) + set_sh(0xB130, {7}) + draw()));
    for (const uint8_t context : seen().contexts)
        EXPECT_EQ(context, 1u);
    EXPECT_TRUE(seen().events.empty());
}

TEST_P(State, ContextsAreTakenInTurnUpToMaxContext) {
    Words words = initialize(3);
    for (uint32_t i = 0; i < 7; ++i)
        words = words + set_context(kRegA, {i}) + draw();
    ASSERT_TRUE(m().submit(words));
    std::vector<unsigned> drawn;
    for (size_t i = 0; i < seen().regs.size(); ++i)
        if (seen().regs[i].offset == 0x287F0)
            drawn.push_back(seen().contexts[i]);
    EXPECT_THAT(drawn, ElementsAre(1, 2, 3, 1, 2, 3, 1));
    EXPECT_EQ(seen().events.size(), 6u);
}

TEST_P(State, WithOneContextAWriteWaitsForTheDrawsBeforeIt) {
    ASSERT_TRUE(m().submit(initialize(1) + set_context(kRegA, {1}) + draw() +
                           set_context(kRegA, {2}) + draw()));
    EXPECT_EQ(seen().contexts.back(), 1u);
    EXPECT_THAT(seen().events, ElementsAre(std::pair<uint8_t, uint8_t>{0, kContextDone}));
    EXPECT_EQ(in_context(kRegA, 1), 2u);
}

TEST_P(State, EveryPacketThatWritesAContextRegisterAfterADrawTakesAContext) {
    m().poke(kData, 42u);
    m().poke(kData + 0x100 + 4 * (kRegA - 0x28000) / 4, 43u);
    const std::vector<Words> writers = {
        {make_type0_header(kRegA, 1), 5},
        packet("ONE_REG_WRITE", {kRegA / 4, 5}),                 // ONE_REG_WRITE
        packet("WRITE_DATA", {0u << 8, kRegA / 4, 0, 5}),        // WRITE_DATA
        packet("COPY_DATA", {5 | 0u << 8, 5, 0, kRegA / 4, 0}),  // COPY_DATA immediate
        packet("COND_WRITE",
               {0 | 1u << 4, lo(kData), hi(kData), 0, 0, kRegA / 4, 0, 5}),  // COND_WRITE
        packet("SET_BASE", {0, lo(kData), hi(kData)}) +
            packet("SET_CONTEXT_REG_INDIRECT", {(kRegA - 0x28000) / 4, 0}),
        context_control(kUpdate | kContext, 0) +
            load(kLoadContext, kData + 0x100, {(kRegA - 0x28000) / 4, 1}),
    };
    unsigned context = 1;
    for (const Words& writer : writers) {
        ASSERT_TRUE(m().submit(draw() + writer));
        context = context % 7 + 1;
        EXPECT_EQ(seen().regs.back().offset, kRegA);
        EXPECT_EQ(seen().contexts.back(), context) << std::hex << writer[0];
        EXPECT_EQ(seen().events.size(), &writer - writers.data() + 1u);
    }
    EXPECT_EQ(in_context(kRegA, 7), 42u);
    EXPECT_EQ(in_context(kRegA, 1), 43u);
}

TEST_P(State, ComputeRingsShareTheContextsAndTheGraphicsRingEndsThem) {
    ASSERT_TRUE(m().submit(draw()));
    ASSERT_TRUE(m().submit(set_context(kRegA, {9}), 2));
    EXPECT_THAT(seen().regs,
                ElementsAre(RegWrite{0x287F0, 2, 0}, RegWrite{regs::si::GFX_COPY_STATE, 1, 2},
                            RegWrite{kRegA, 9, 2}));
    EXPECT_THAT(seen().events, ElementsAre(std::pair<uint8_t, uint8_t>{0, kContextDone}));
    ASSERT_TRUE(m().submit(draw()));
    EXPECT_EQ(seen().contexts.back(), 2u);
}

TEST_P(State, PreambleWritesTheClearStateAndClearStateGoesBackToIt) {
    ASSERT_TRUE(m().submit(set_context(kRegB, {7}) + packet("PREAMBLE_CNTL", {2u << 28}) +
                           set_context(kRegA, {10, 20}) + packet("PREAMBLE_CNTL", {3u << 28})));
    EXPECT_THAT(seen().contexts, ElementsAre(1, 0, 0));
    EXPECT_EQ(seen().reg(kRegB), 7u);
    ASSERT_TRUE(m().submit(set_context(0x28A48, {5}) + draw() + packet("CLEAR_STATE", {0})));
    // The clear state becomes a context of its own: what is drawn keeps the old one.
    EXPECT_EQ(seen().newest_context, 2u);
    EXPECT_EQ(seen().reg(kRegA), 10u);
    EXPECT_EQ(seen().reg(kRegB), 20u);
    EXPECT_EQ(seen().reg(0x28A48), 0u) << "registers the preamble does not name are 0";
    EXPECT_EQ(in_context(0x28A48, 1), 5u);
    EXPECT_THAT(seen().events, ElementsAre(std::pair<uint8_t, uint8_t>{0, kContextDone}));
}

TEST_P(State, ClearStateWithoutADrawClearsTheContextInPlace) {
    ASSERT_TRUE(m().submit(set_context(kRegA, {1}) + packet("CLEAR_STATE", {0})));
    EXPECT_THAT(seen().contexts, ElementsAre(1, 1));
    EXPECT_EQ(seen().reg(kRegA), 0u);
}

TEST_P(State, PreambleCommandsThatOnlyFramePreamblesDoNothing) {
    ASSERT_TRUE(m().submit(packet("PREAMBLE_CNTL", {0}) + set_context(kRegA, {1}) +
                           packet("PREAMBLE_CNTL", {1u << 28})));
    EXPECT_THAT(seen().contexts, ElementsAre(1));
}

TEST_P(State, PreambleControlThatMakesNoSenseStops) {
    EXPECT_THAT(fresh(packet("PREAMBLE_CNTL", {4u << 28})), HasSubstr("reserved COMMAND 4"));
    EXPECT_THAT(fresh(packet("PREAMBLE_CNTL", {1}), 1),
                HasSubstr("reserved bits beside COMMAND in 0x1"));
    EXPECT_THAT(fresh(packet("PREAMBLE_CNTL", {3u << 28}), 2), HasSubstr("that has not begun"));
}

TEST_P(State, ClearStateBegunTwiceStops) {
    EXPECT_THAT(stop(packet("PREAMBLE_CNTL", {2u << 28}) + packet("PREAMBLE_CNTL", {2u << 28})),
                HasSubstr("inside a clear state"));
}

TEST_P(State, PacketsDoNotWriteTheRegisterThatCopiesContexts) {
    EXPECT_THAT(fresh(set_context(0x287D0, {1})), HasSubstr("writes register 0x287d0"));
    EXPECT_THAT(fresh({make_type0_header(0x287CC, 1), 1}, 1), HasSubstr("0x287cc"));
}

TEST_P(State, ADrawOnAComputeRingOrAtThePrefetchParserStops) {
    EXPECT_THAT(fresh(draw(), 1), HasSubstr("starts a draw on a compute ring"));
    EXPECT_THAT(fresh(packet("WRITE_DATA", {1u << 30, 0x287F0 / 4, 0, 2})),
                HasSubstr("starts a draw at the prefetch parser"));
}

TEST_P(State, ThePrefetchParserDoesNotWriteContextRegisters) {
    EXPECT_THAT(stop(packet("WRITE_DATA", {1u << 30, kRegA / 4, 0, 2})),
                HasSubstr("context register 0x28a40 at the prefetch parser"));
}

TEST(StateTiming, ARollWaitsWhileAllContextsAreInThePipe) {
    BenchOptions options;
    options.event_latency = 3000;
    TimedMachine m(options);
    m.setup_rings();
    ASSERT_TRUE(m.submit(initialize(2)));
    m.seen = {};
    m.reg_cycles.clear();
    const Cycle begin = m.now();
    Words words;
    for (uint32_t i = 0; i < 3; ++i)
        words = words + set_context(kRegA, {i}) + draw();
    ASSERT_TRUE(m.submit(words));
    // Context 1, 2, then 1 again once its CONTEXT_DONE has come back.
    ASSERT_EQ(m.seen.regs.size(), 8u);
    EXPECT_THAT(m.seen.contexts, ElementsAre(1, 1, 2, 2, 2, 1, 1, 1));
    EXPECT_LT(m.reg_cycles[4] - begin, 500u);
    EXPECT_GT(m.reg_cycles[5] - m.reg_cycles[4], 2800u);
    EXPECT_GT(counter(m, "stall_context"), 2800u);
    EXPECT_EQ(counter(m, "context_rolls"), 2u);
}

TEST(StateTiming, WithEnoughContextsTheSameDrawsDoNotWait) {
    BenchOptions options;
    options.event_latency = 3000;
    TimedMachine m(options);
    m.setup_rings();
    Words words;
    for (uint32_t i = 0; i < 7; ++i)
        words = words + set_context(kRegA, {i}) + draw();
    const Cycle begin = m.now();
    ASSERT_TRUE(m.submit(words));
    EXPECT_LT(m.reg_cycles.back() - begin, 1000u);
    EXPECT_EQ(counter(m, "stall_context"), 0u);
}

TEST(StateTiming, AHangInARollNamesTheContexts) {
    BenchOptions options;
    options.event_latency = 3000;
    TimedMachine m(options);
    m.setup_rings();
    m.put(initialize(1) + draw() + set_context(kRegA, {1}));
    m.limit(400);
    m.doorbell();
    EXPECT_THAT(m.waiting_for(), HasSubstr("SET_CONTEXT_REG: context"));
}

class Slices : public TraceSink {
  public:
    TrackId track(const std::string& path, uint64_t) override {
        paths_.push_back(path);
        return static_cast<TrackId>(paths_.size() - 1);
    }
    void slice(TrackId track, Cycle begin, Cycle end, std::string_view name, uint64_t,
               std::string_view) override {
        rows[paths_[track]].push_back({begin, end, std::string(name)});
    }
    void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
    struct Slice {
        Cycle begin, end;
        std::string name;
    };
    std::map<std::string, std::vector<Slice>> rows;

  private:
    std::vector<std::string> paths_;
};

TEST(StateTrace, ARowForEachContextShowsHowLongItIsInUse) {
    BenchOptions options;
    options.event_latency = 500;
    TimedMachine m(options);
    Slices slices;
    m.core().observe({&slices, nullptr, 1'000'000}, "cp");
    m.setup_rings();
    ASSERT_TRUE(m.submit(set_context(kRegA, {1}) + draw() + set_context(kRegA, {2}) + draw() +
                         set_context(kRegA, {3})));
    const std::vector<Slices::Slice>& first = slices.rows["cp.me.context1"];
    const std::vector<Slices::Slice>& second = slices.rows["cp.me.context2"];
    ASSERT_EQ(first.size(), 1u);
    ASSERT_EQ(second.size(), 1u);
    EXPECT_LT(second[0].begin, first[0].end) << "both are in the pipe together";
    EXPECT_GT(second[0].end - second[0].begin, 500u);
    EXPECT_TRUE(slices.rows["cp.me.context3"].empty()) << "it has not been given back";
}

TEST(StateTrace, ARowShowsByHowMuchTheConstantEngineIsAhead) {
    TimedMachine m;
    Slices slices;
    m.core().observe({&slices, nullptr, 1'000'000}, "cp");
    m.setup_rings();
    const Words constants = packet("INCREMENT_CE_COUNTER", {0}) +
                            packet("INCREMENT_CE_COUNTER", {0}) +
                            packet("INCREMENT_CE_COUNTER", {0});
    m.poke(kIb, constants);
    Words words = indirect(kIb, static_cast<uint32_t>(constants.size()), 0, 0x31);
    for (unsigned i = 0; i < 3; ++i)
        words = words + packet("WAIT_ON_CE_COUNTER", {0}) + packet("INCREMENT_DE_COUNTER", {0});
    ASSERT_TRUE(m.submit(words));
    std::vector<std::string> names;
    for (const Slices::Slice& slice : slices.rows["cp.ce.ahead_gfx"]) {
        EXPECT_LE(slice.begin, slice.end);
        names.push_back(slice.name);
    }
    ASSERT_FALSE(names.empty());
    EXPECT_EQ(names.front(), "1 ahead");
    EXPECT_EQ(names.back(), "1 ahead");
    EXPECT_EQ(names.size(), 5u) << "three up and three down, the last to 0";
}

// ---- ME_INITIALIZE -----------------------------------------------------------------------------

TEST_P(State, InitializeChecksEveryField) {
    EXPECT_THAT(stop(initialize(0)), HasSubstr("MAX_CONTEXT 0"));
}
TEST_P(State, InitializeWithReservedBitsStops) {
    const std::vector<Words> bodies = {
        {3, 0, 7, 0, 0, 0}, {1, 1, 7, 0, 0, 0}, {1, 0, 8, 0, 0, 0},       {1, 0, 7, 1u << 24, 0, 0},
        {1, 0, 7, 4, 0, 0}, {1, 0, 7, 0, 4, 0}, {1, 0, 7, 0, 0, 1u << 30}};
    for (const Words& body : bodies) {
        SetUp();
        EXPECT_THAT(stop(packet("ME_INITIALIZE", body)), HasSubstr("reserved bits")) << body[0];
    }
    SetUp();
    EXPECT_THAT(stop(initialize(7, 1, 0x10003)), HasSubstr("reserved swap code 3"));
    SetUp();
    EXPECT_THAT(stop(initialize(7, 1, 0x10000, 3)), HasSubstr("reserved swap code 3"));
    SetUp();
    EXPECT_THAT(stop(initialize(7, 1, 3u << 16)), HasSubstr("DEVICE_ID 0x3 is not one-hot"));
    SetUp();
    EXPECT_THAT(stop(initialize(7, 1, 0x10000, 0, 1u << 31)), HasSubstr("HEADER_DUMP_SIZE 0"));
}

TEST_P(State, InitializeWithResetStartsOverFromTheClearState) {
    ASSERT_TRUE(m().submit(set_context(kRegA, {1}) + draw() + set_context(kRegA, {2}) +
                           packet("SET_BASE", {0, lo(kData), hi(kData)})));
    ASSERT_TRUE(m().submit(initialize(7)));
    EXPECT_EQ(seen().newest_context, 1u);
    EXPECT_EQ(seen().reg(kRegA), 0u);
    EXPECT_THAT(stop(packet("SET_CONTEXT_REG_INDIRECT", {0, 0})), HasSubstr("no SET_BASE"))
        << "bases are forgotten";
}

TEST_P(State, InitializeWithoutResetKeepsStateAndContexts) {
    ASSERT_TRUE(m().submit(set_context(kRegA, {1}) + draw() + set_context(kRegA, {2}) +
                           packet("SET_BASE", {0, lo(kData), hi(kData)}) + initialize(7, 0)));
    EXPECT_EQ(seen().newest_context, 2u);
    m().poke(kData, 9u);
    ASSERT_TRUE(m().submit(packet("SET_CONTEXT_REG_INDIRECT", {(kRegB - 0x28000) / 4, 0})));
    EXPECT_EQ(in_context(kRegB, 2), 9u);
}

TEST_P(State, FewerContextsMoveTheCurrentOneIntoRange) {
    ASSERT_TRUE(m().submit(set_context(kRegA, {1}) + draw() + set_context(kRegA, {2}) + draw() +
                           set_context(kRegA, {3}) + initialize(2, 0)));
    EXPECT_EQ(seen().newest_context, 1u);
    EXPECT_EQ(seen().reg(kRegA), 3u);
}

TEST(StateTiming, InitializeWaitsForTheContextsInThePipe) {
    BenchOptions options;
    options.event_latency = 3000;
    TimedMachine m(options);
    m.setup_rings();
    const Cycle begin = m.now();
    ASSERT_TRUE(m.submit(draw() + initialize(7)));
    EXPECT_EQ(m.seen.regs.back().offset, regs::si::GFX_COPY_STATE);
    EXPECT_GT(m.reg_cycles.back() - begin, 2900u);
}

TEST_P(State, HeadersAreDumpedIntoTheirRing) {
    const Words nop = packet("NOP", {0});
    ASSERT_TRUE(
        m().submit(initialize(7, 1, 0x10000, static_cast<uint32_t>(kData >> 8) | 1, 1u << 31 | 3) +
                   set_config(0x8A14, {1}) + nop + set_config(0x8A14, {1, 2}) +
                   packet("CLEAR_STATE", {0}) + packet("CLEAR_STATE", {0}, true)));
    // The prefetch parser keeps NOPs to itself. A ring of 3: the fourth goes to the first place.
    EXPECT_EQ(m().peek(kData), swap_dword(make_header(si_opcode("CLEAR_STATE"), 1, true), 1));
    EXPECT_EQ(m().peek(kData + 4), swap_dword(make_header(si_opcode("SET_CONFIG_REG"), 3), 1));
    EXPECT_EQ(m().peek(kData + 8), swap_dword(make_header(si_opcode("CLEAR_STATE"), 1), 1));
    EXPECT_EQ(m().peek(kData + 12), 0u);
}

TEST_P(State, DumpedHeadersTakeTheExternalSwapWhenTheyHaveNone) {
    ASSERT_TRUE(
        m().submit(initialize(7, 1, 0x10002, static_cast<uint32_t>(kData >> 8), 1u << 31 | 16) +
                   set_config(0x8A14, {1})));
    EXPECT_EQ(m().peek(kData), swap_dword(make_header(si_opcode("SET_CONFIG_REG"), 2), 2));
}

// ---- SET_*_REG ---------------------------------------------------------------------------------

TEST_P(State, SetPacketsEndAtTheirWindow) {
    ASSERT_TRUE(
        m().submit(set_config(0xAFFC, {1}) + set_context(0x2FFFC, {2}) + set_sh(0xBFFC, {3})));
    EXPECT_EQ(seen().regs.size(), 3u);
    EXPECT_THAT(fresh(set_config(0xAFFC, {1, 2})), HasSubstr("outside the window 0x8000..0xafff"));
    EXPECT_THAT(fresh(set_context(0x2FFFC, {1, 2}), 1), HasSubstr("outside the window 0x28000"));
    EXPECT_THAT(fresh(set_sh(0xBFFC, {1, 2}), 2), HasSubstr("outside the window 0xb000..0xbfff"));
}

TEST_P(State, SetConfigRegWithReservedBitsStops) {
    EXPECT_THAT(stop(packet("SET_CONFIG_REG", {0x10285, 1})), HasSubstr("reserved bits 0x10000"));
}

TEST_P(State, IndirectSetTakesItsValueFromThePatchTable) {
    m().poke(kData + 0x80, {1, 2, 3, 0xABCD});
    ASSERT_TRUE(m().submit(packet("SET_BASE", {0, lo(kData + 0x80), hi(kData)}) +
                           packet("SET_CONTEXT_REG_INDIRECT", {(kRegA - 0x28000) / 4, 3})));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{kRegA, 0xABCD, 0}));
    EXPECT_THAT(stop(packet("SET_CONTEXT_REG_INDIRECT", {0x2000, 0})),
                HasSubstr("outside the window 0x28000"));
}

TEST_P(State, BasesBelongToTheirRing) {
    ASSERT_TRUE(m().submit(packet("SET_BASE", {0, lo(kData), hi(kData)})));
    EXPECT_THAT(stop(packet("SET_CONTEXT_REG_INDIRECT", {0, 0}), 1),
                HasSubstr("no SET_BASE has said where"));
}

TEST_P(State, SetBaseChecksItsFields) {
    const std::vector<std::pair<Words, std::string>> cases = {
        {{4, 0, 0}, "reserved BASE_INDEX 4"},
        {{0x10, 0, 0}, "reserved bits beside BASE_INDEX"},
        {{0, 4, 0}, "address 0x4 is not qword aligned"},
        {{1, 4, 1}, "address 0x100000004 is not qword aligned"},
        {{0, 0, 0x10000}, "reserved bits of ADDRESS1"},
        {{2, 0x10000, 0}, "reserved bits of ADDRESS0"},
        {{2, 0x20, 0x40}, "not a multiple of 64"},
        {{3, 0x40, 0x60}, "not a multiple of 64"},
        {{2, 0x80, 0x40}, "partitions of the GDS are not in order"},
        {{3, 0x80, 0x40}, "partitions of the constant engine are not in order"},
    };
    for (const auto& c : cases) {
        SetUp();
        EXPECT_THAT(stop(packet("SET_BASE", c.first)), HasSubstr(c.second));
    }
}

// ---- shadowing ---------------------------------------------------------------------------------

TEST_P(State, ContextControlWithReservedBitsStops) {
    EXPECT_THAT(stop(context_control(kUpdate | 4, 0)), HasSubstr("0x4 of LOAD_CONTROL"));
    EXPECT_THAT(fresh(context_control(0, 0x2000000), 1), HasSubstr("0x2000000 of SHADOW_ENABLE"));
}

// What SET packets write is in memory at the base that the LOAD of their kind has left.
TEST_P(State, EnabledSetsAreShadowedWhereTheLoadsSay) {
    ASSERT_TRUE(m().submit(
        context_control(kUpdate | kConfig | kContext | kGfxSh | kComputeSh,
                        kUpdate | kConfig | kContext | kGfxSh | kComputeSh) +
        load(kLoadConfig, kData, {0, 0}) + load(kLoadContext, kData + 0x4000, {0, 0}) +
        load(kLoadSh, kData + 0x8000, {0, 0}) + load(kLoadSh, kData + 0xC000, {0, 0}, true)));
    EXPECT_TRUE(seen().regs.empty()) << "0 dwords load nothing";
    Words many;
    for (uint32_t i = 0; i < 40; ++i)
        many.push_back(100 + i);
    const auto compute = [](Words words) {
        words[0] |= 2;
        return words;
    };
    ASSERT_TRUE(m().submit(set_config(0x8A14, {1}) + set_context(0x28A38, many) +
                           set_sh(0xB130, {2, 3}) + compute(set_sh(0xB900, {4}))));
    EXPECT_EQ(m().peek(kData + 0xA14), 1u);
    for (uint32_t i = 0; i < 40; ++i)
        EXPECT_EQ(m().peek(kData + 0x4000 + 0xA38 + 4 * i), 100 + i);
    EXPECT_EQ(m().peek(kData + 0x4000 + 0xA38 + 160), 0u);
    EXPECT_EQ(m().peek(kData + 0x8000 + 0x130), 2u);
    EXPECT_EQ(m().peek(kData + 0x8000 + 0x134), 3u);
    EXPECT_EQ(m().peek(kData + 0xC000 + 0x900), 4u);
    EXPECT_EQ(m().peek(kData + 0x8000 + 0x900), 0u);
}

TEST_P(State, EachShadowBitGovernsItsKindAlone) {
    constexpr uint32_t kBits[] = {kConfig, kContext, kGfxSh, kComputeSh};
    for (unsigned on = 0; on < 4; ++on) {
        SetUp();
        const uint32_t all = kUpdate | kConfig | kContext | kGfxSh | kComputeSh;
        Words sh_compute = set_sh(0xB900, {4});
        sh_compute[0] |= 2;
        ASSERT_TRUE(m().submit(
            context_control(all, kUpdate | kBits[on]) + load(kLoadConfig, kData, {0, 0}) +
            load(kLoadContext, kData + 0x4000, {0, 0}) + load(kLoadSh, kData + 0x8000, {0, 0}) +
            load(kLoadSh, kData + 0xC000, {0, 0}, true) + set_config(0x8A14, {1}) +
            set_context(kRegA, {2}) + set_sh(0xB130, {3}) + sh_compute));
        EXPECT_EQ(m().peek(kData + 0xA14), on == 0 ? 1u : 0u);
        EXPECT_EQ(m().peek(kData + 0x4A40), on == 1 ? 2u : 0u);
        EXPECT_EQ(m().peek(kData + 0x8130), on == 2 ? 3u : 0u);
        EXPECT_EQ(m().peek(kData + 0xC900), on == 3 ? 4u : 0u);
    }
}

TEST_P(State, EachLoadBitGovernsItsKindAlone) {
    constexpr uint32_t kBits[] = {kConfig, kContext, kGfxSh, kComputeSh};
    constexpr uint32_t kRegs[] = {0x8A14, kRegA, 0xB130, 0xB900};
    for (unsigned on = 0; on < 4; ++on) {
        SetUp();
        ASSERT_TRUE(m().submit(
            context_control(kUpdate | kBits[on], 0) + load(kLoadConfig, kData, {0xA14 / 4, 1}) +
            load(kLoadContext, kData, {0xA40 / 4, 1}) + load(kLoadSh, kData, {0x130 / 4, 1}) +
            load(kLoadSh, kData, {0x900 / 4, 1}, true)));
        ASSERT_EQ(seen().regs.size(), 1u) << on;
        EXPECT_EQ(seen().regs[0].offset, kRegs[on]);
    }
}

TEST_P(State, ContextControlUpdatesOnlyTheEnabledDword) {
    ASSERT_TRUE(m().submit(context_control(kUpdate | kConfig, kUpdate) +
                           context_control(0, kUpdate | kConfig) +
                           load(kLoadConfig, kData, {0xA14 / 4, 1}) + context_control(kUpdate, 0) +
                           set_config(0x8A18, {5}) + load(kLoadConfig, kData, {0xA14 / 4, 1})));
    EXPECT_EQ(seen().regs.size(), 2u) << "one load, one set";
    EXPECT_EQ(m().peek(kData + 0xA18), 5u);
}

TEST_P(State, EnablesAndBasesBelongToTheirRing) {
    ASSERT_TRUE(m().submit(context_control(kUpdate | kContext, kUpdate | kContext) +
                           load(kLoadContext, kData, {0, 0})));
    ASSERT_TRUE(m().submit(set_context(kRegA, {1}), 1));
    EXPECT_EQ(m().peek(kData + 0xA40), 0u);
    ASSERT_TRUE(m().submit(context_control(kUpdate | kContext, kUpdate | kContext) +
                               load(kLoadContext, kData + 0x4000, {0, 0}) + set_context(kRegA, {2}),
                           1));
    EXPECT_EQ(m().peek(kData + 0x4A40), 2u);
    ASSERT_TRUE(m().submit(set_context(kRegA, {3})));
    EXPECT_EQ(m().peek(kData + 0xA40), 3u);
    EXPECT_EQ(m().peek(kData + 0x4A40), 2u);
}

TEST_P(State, ShadowingWithoutABaseStops) {
    EXPECT_THAT(stop(context_control(0, kUpdate | kConfig) + set_config(0x8A14, {1})),
                HasSubstr("no LOAD packet has said where"));
}

// The address of dword 6 of the buffer, and 16 bits of the driver's above it.
TEST_P(State, SetShRegOffsetPointsIntoItsOwnBuffer) {
    constexpr uint32_t kUserData = (0xB130 - 0xB000) / 4;
    const Words inner = packet("SET_SH_REG_OFFSET", {kUserData + 2, 24, 0x12340000});
    const Words outer = packet("SET_SH_REG_OFFSET", {kUserData, 8, 0x56780000}) +
                        indirect(kIb + 0x1000, static_cast<uint32_t>(inner.size()));
    m().poke(kIb, outer);
    m().poke(kIb + 0x1000, inner);
    ASSERT_TRUE(m().submit(indirect(kIb, static_cast<uint32_t>(outer.size()))));
    EXPECT_THAT(
        seen().regs,
        ElementsAre(RegWrite{0xB130, lo(kIb + 8), 0}, RegWrite{0xB134, 0x56780000, 0},
                    RegWrite{0xB138, lo(kIb + 0x1000 + 24), 0}, RegWrite{0xB13C, 0x12340000, 0}));
    EXPECT_THAT(fresh(packet("SET_SH_REG_OFFSET", {kUserData, 8, 0})),
                HasSubstr("is in no indirect buffer"));
}

TEST_P(State, SetShRegOffsetIsShadowedAcrossALine) {
    constexpr uint32_t kUserData = 0x4F;  // its shadow is the last dword of a line
    const Words buffer = context_control(kUpdate | kGfxSh, kUpdate | kGfxSh) +
                         load(kLoadSh, kData, {0, 0}) +
                         packet("SET_SH_REG_OFFSET", {kUserData, 4, 0xABCD0000});
    m().poke(kIb, buffer);
    ASSERT_TRUE(m().submit(indirect(kIb, static_cast<uint32_t>(buffer.size()))));
    EXPECT_EQ(m().peek(kData + 4 * kUserData), lo(kIb + 4));
    EXPECT_EQ(m().peek(kData + 4 * kUserData + 4), 0xABCD0000u);
}

TEST_P(State, IndirectSetsAreShadowedToo) {
    m().poke(kData + 0x8000, 77u);
    ASSERT_TRUE(m().submit(context_control(kUpdate | kContext, kUpdate | kContext) +
                           load(kLoadContext, kData, {0, 0}) +
                           packet("SET_BASE", {0, lo(kData + 0x8000), hi(kData)}) +
                           packet("SET_CONTEXT_REG_INDIRECT", {(kRegA - 0x28000) / 4, 0})));
    EXPECT_EQ(m().peek(kData + 0xA40), 77u);
}

TEST_P(State, LoadsTakeSeveralRangesAcrossLines) {
    for (uint32_t i = 0; i < 0x400; ++i)
        m().poke(kData + 4 * i, 0x1000 + i);
    ASSERT_TRUE(m().submit(context_control(kUpdate | kContext, 0) +
                           load(kLoadContext, kData, {5, 40, 0, 0, 0x100, 1, 0x2A0, 3})));
    Recorded expected;
    for (const auto& [first, count] :
         std::vector<std::pair<uint32_t, uint32_t>>{{5, 40}, {0x100, 1}, {0x2A0, 3}})
        for (uint32_t i = first; i < first + count; ++i)
            expected.regs.push_back({0x28000 + 4 * i, 0x1000 + i, 0});
    EXPECT_EQ(seen().regs, expected.regs);
}

TEST_P(State, LoadsWithBadFieldsStop) {
    const Words on = context_control(kUpdate | kConfig | kContext | kGfxSh, 0);
    const std::vector<std::pair<Words, std::string>> cases = {
        {load(kLoadContext, kData, {0, 1, 2}), "5 body dwords"},
        {load(kLoadContext, kData + 2, {0, 1}), "not dword aligned"},
        {load(kLoadContext, kData | uint64_t{1} << 63, {0, 1}), "reserved bits 0x80000000"},
        {load(kLoadConfig, kData | uint64_t{1} << 48, {0, 1}), "reserved bits 0x10000"},
        {load(kLoadContext, kData, {0x10000, 1}), "reserved bits in REG_OFFSET 0x10000"},
        {load(kLoadContext, kData, {0, 0x4000}), "NUM_DWORDS 0x4000"},
        {load(kLoadContext, kData, {0x1FFF, 2}), "outside the window"},
        {load(kLoadSh, kData, {0x3FF, 2}), "outside the window"},
    };
    for (const auto& c : cases) {
        SetUp();
        EXPECT_THAT(stop(on + c.first), HasSubstr(c.second));
    }
}

TEST_P(State, GraphicsShRegistersAreNotLoadedOnAComputeRing) {
    EXPECT_THAT(
        stop(context_control(kUpdate | kComputeSh, 0) + load(kLoadSh, kData, {0x130 / 4, 1}, true),
             1),
        HasSubstr("graphics stage on a compute ring"));
}

TEST_P(State, LoadConfigRegCanWaitForThePipe) {
    ASSERT_TRUE(m().submit(context_control(kUpdate | kConfig, 0) +
                           load(kLoadConfig, kData | uint64_t{1} << 63, {0xA14 / 4, 1})));
    EXPECT_THAT(seen().events, ElementsAre(std::pair<uint8_t, uint8_t>{0, 16}));
    EXPECT_EQ(seen().regs.size(), 1u);
}

TEST(StateTiming, WaitForIdleHoldsTheLoadUntilThePipeIsIdle) {
    BenchOptions options;
    options.event_latency = 3000;
    TimedMachine m(options);
    m.setup_rings();
    const Cycle begin = m.now();
    ASSERT_TRUE(m.submit(context_control(kUpdate | kConfig, 0) +
                         load(kLoadConfig, kData | uint64_t{1} << 63, {0xA14 / 4, 1})));
    EXPECT_GT(m.reg_cycles.back() - begin, 2900u);
}

TEST_P(State, ShadowsAndLoadsAreSwappedByTheExternalSwap) {
    for (const uint32_t swap : {1u, 2u}) {
        SetUp();
        ASSERT_TRUE(m().submit(initialize(7, 1, 0x10000 | swap) +
                               context_control(kUpdate | kConfig, kUpdate | kConfig) +
                               load(kLoadConfig, kData, {0, 0}) +
                               set_config(0x8A14, {0x11223344})));
        EXPECT_EQ(m().peek(kData + 0xA14), swap_dword(0x11223344, swap));
        ASSERT_TRUE(m().submit(load(kLoadConfig, kData, {0xA14 / 4, 1})));
        EXPECT_EQ(seen().regs.back().value, 0x11223344u);
    }
}

// A LOAD sees what the SETs before it have shadowed, however late writes reach memory.
void load_after_sets(Machine& m) {
    Words words =
        context_control(kUpdate | kContext, kUpdate | kContext) + load(kLoadContext, kData, {0, 0});
    for (uint32_t i = 1; i <= 6; ++i)
        words = words + set_context(kRegA, {i, 10 * i}) +
                load(kLoadContext, kData, {(kRegA - 0x28000) / 4, 2});
    ASSERT_TRUE(m.submit(words));
    ASSERT_EQ(m.seen.regs.size(), 24u);
    for (uint32_t i = 1; i <= 6; ++i)
        EXPECT_THAT(
            std::vector<RegWrite>(m.seen.regs.begin() + 4 * i - 4, m.seen.regs.begin() + 4 * i),
            ElementsAre(RegWrite{kRegA, i, 0}, RegWrite{kRegB, 10 * i, 0}, RegWrite{kRegA, i, 0},
                        RegWrite{kRegB, 10 * i, 0}));
}
TEST_P(State, LoadsSeeWhatWasShadowedBefore) {
    load_after_sets(m());
}
TEST(StateTiming, LoadsSeeWhatWasShadowedBeforeEvenIfMemoryTakesWritesLate) {
    BenchOptions options;
    options.memory_latency = 400;
    options.late_writes = true;
    TimedMachine m(options);
    m.setup_rings();
    load_after_sets(m);
    EXPECT_GT(counter(m, "stall_mem_write"), 6u * 300u);
}

// ---- privileged registers ----------------------------------------------------------------------

constexpr uint32_t kPrivileged = 0x8A14, kUser = 0x8A18;
constexpr uint32_t kPrivInt = 1u << 23;  // PRIV_REG_INT_ENABLE and _STAT

class Privilege : public State {
  protected:
    Spec spec() const override {
        Spec s = si_spec();
        s.user_registers.allow(kUser, kUser);
        s.user_registers.allow(0x28000, 0x2FFFC);
        return s;
    }
    // Submits packets in a buffer of address space 3.
    void user(const Words& words, unsigned ring = 0) {
        m().poke(kIb, words);
        m().submit(indirect(kIb, static_cast<uint32_t>(words.size()), 3), ring);
    }
    std::string user_stop(const Words& words, unsigned ring = 0) {
        try {
            user(words, ring);
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), StopKind::BadInput);
            return e.what();
        }
        return "no stop";
    }
    // CP_DMA of a dword to kPrivileged.
    static Words dma_to_register(uint32_t source, uint32_t control, uint32_t command = 0) {
        return packet("CP_DMA", {source, control, kPrivileged / 4, 0, 4 | 1u << 27 | command});
    }
    // Packets that name kPrivileged, each in its way.
    std::vector<Words> writers() {
        m().poke(kData, 5u);
        return {
            set_config(kPrivileged, {5}),
            {make_type0_header(kPrivileged, 1), 5},
            packet("ONE_REG_WRITE", {kPrivileged / 4, 5}),
            packet("WRITE_DATA", {0, kPrivileged / 4, 0, 5}),
            packet("WRITE_DATA", {1u << 30, kPrivileged / 4, 0, 5}),  // at the prefetch parser
            packet("COPY_DATA", {5, 5, 0, kPrivileged / 4, 0}),
            packet("COND_WRITE", {0 | 1u << 4, lo(kData), hi(kData), 0, 0, kPrivileged / 4, 0, 5}),
            packet("COPY_DW", {1, lo(kData), hi(kData), kPrivileged / 4, 0}),
            packet("REG_RMW", {kPrivileged / 4, 0, 5}),
            dma_to_register(5, 2u << 29),
            dma_to_register(lo(kData), hi(kData)),
            dma_to_register(lo(kData), hi(kData) | 1u << 27),  // at the prefetch parser
            dma_to_register(kUser / 4, 0, 1u << 26),           // from a register
            context_control(kUpdate | kConfig, 0) +
                load(kLoadConfig, kData, {(kPrivileged - 0x8000) / 4, 1})};
    }
};
INSTANTIATE_TEST_SUITE_P(Engines, Privilege,
                         ::testing::Values(Mode::Timed, Mode::Functional, Mode::Stalled),
                         [](const auto& info) {
                             return info.param == Mode::Timed        ? "Timed"
                                    : info.param == Mode::Functional ? "Functional"
                                                                     : "Stalled";
                         });

TEST_P(Privilege, AUserWriteOfAPrivilegedRegisterStopsByName) {
    for (const Words& words : writers()) {
        SetUp();
        const std::string text = user_stop(words);
        EXPECT_THAT(text, HasSubstr("ring gfx, IB1 0x300000 dword"));
        EXPECT_THAT(text, HasSubstr("writes privileged register 0x08a14 = 0x"));
        EXPECT_THAT(text, HasSubstr("from address space 3"));
        EXPECT_TRUE(seen().regs.empty());
    }
}

TEST_P(Privilege, WithItsInterruptEnabledTheWriteIsDroppedAndReported) {
    for (const Words& words : writers()) {
        SetUp();
        m().host_write(si::CP_INT_CNTL_RING0, kPrivInt);
        user(words + set_config(kUser, {7}));
        EXPECT_THAT(seen().regs, ElementsAre(RegWrite{kUser, 7, 0}));
        EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0) & kPrivInt, kPrivInt);
        ASSERT_EQ(seen().interrupts.size(), 1u);
        EXPECT_EQ(seen().interrupts[0].source_id, 184u);
        EXPECT_EQ(seen().interrupts[0].ring, 0u);
        EXPECT_EQ(seen().interrupts[0].vmid, 3u);
    }
}

TEST_P(Privilege, OfADmaToRegistersThoseThatAreAllowedAreWritten) {
    m().host_write(si::CP_INT_CNTL_RING0, kPrivInt);
    user(packet("CP_DMA", {9, 2u << 29, kPrivileged / 4, 0, 12 | 1u << 27}));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{kUser, 9, 0}));
    EXPECT_EQ(seen().interrupts.size(), 2u);
}

TEST_P(Privilege, AUserBufferDoesNotMoveTheWritePointer) {
    EXPECT_THAT(user_stop(packet("CP_DMA", {9, 2u << 29, si::CP_RB0_WPTR / 4, 0, 4 | 1u << 27})),
                HasSubstr("writes privileged register 0x0c114"));
}

// It would have the headers of packets written to the kernel's memory.
TEST_P(Privilege, MeInitializeIsTheKernels) {
    EXPECT_THAT(user_stop(packet("ME_INITIALIZE", {0, 0, 7, 1u << 16, kData, 1u << 31 | 16})),
                HasSubstr("packet ME_INITIALIZE: is the kernel's"));
}

TEST_P(Privilege, MemoryIsWrittenInTheBuffersAddressSpace) {
    m().poke(kIb + 0x800, packet("WRITE_CONST_RAM", {0, 7}) +
                              packet("DUMP_CONST_RAM", {0, 1, lo(kData + 0x40), 0}) +
                              packet("CE_WRITE", {lo(kData + 0x80), 0, 7}));
    Words words =
        packet("INDIRECT_BUFFER_CONST", {lo(kIb + 0x800), 0, 12}) +
        packet("DISPATCH_DIRECT", {1, 1, 1, 1}, true) +
        packet("EVENT_WRITE_EOS", {47 | 6u << 8, lo(kData + 0xC0), 1u << 29, 1u << 16}, true) +
        packet("EVENT_WRITE_EOS", {47 | 6u << 8, lo(kData + 0x100), 2u << 29, 5}, true);
    uint64_t to = kData + 0x140;
    const auto next = [&to] { return to += 0x40; };
    for (const uint32_t destination : {1u, 2u, 5u})
        words = words + write_data(next(), {1}, destination);
    words = words + write_data(next(), {1}, 1, false, 1) + eop(next(), 1, 0, 5) +
            packet("EVENT_WRITE", {30 | 2u << 8, lo(next()), 0}) + cp_fill(5, to += 0x80, 64) +
            cp_fill(5, next(), 8, true, 1u << 29) + cp_dma(kData, next(), 64) +
            packet("COPY_DATA", {5 | 5u << 8, 9, 0, lo(next()), 0}) +
            packet("COPY_DW", {3, lo(kData), 0, lo(next()), 0}) +
            packet("MEM_WRITE", {lo(next()), 1u << 18, 9, 0}) +
            packet("ME_WRITE", {lo(next()), 0, 9}) +
            packet("COND_WRITE", {0 | 1u << 4 | 1u << 8, lo(kData), 0, 0, 0, lo(next()), 0, 5}) +
            packet("ATOMIC", {0x0F, lo(next()), 0, 1, 0, 0, 0, 0}) +
            context_control(0, kUpdate | kContext) + context_control(kUpdate | kContext, 0) +
            load(kLoadContext, next(), {0, 0}) + set_context(kRegA, {3});
    user(words);
    EXPECT_TRUE(m().run());
    EXPECT_GT(seen().write_spaces.size(), 20u);
    for (const auto& [line, vmid] : seen().write_spaces)
        EXPECT_EQ(vmid, line < kMirror || line >= kMirror + 0x1000 ? 3 : 0)
            << std::hex << "address 0x" << line;
}

TEST_P(Privilege, TheInterruptIsThatOfTheRing) {
    m().host_write(si::CP_INT_CNTL_RING1, kPrivInt);
    user(set_config(kPrivileged, {1}), 1);
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING1) & kPrivInt, kPrivInt);
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0) & kPrivInt, 0u);
    ASSERT_EQ(seen().interrupts.size(), 1u);
    EXPECT_EQ(seen().interrupts[0].ring, 1u);
    EXPECT_THAT(user_stop(set_config(kPrivileged, {1}), 2), HasSubstr("ring compute1"));
}

TEST_P(Privilege, TheKernelsPacketsAndAllowedRegistersPass) {
    ASSERT_TRUE(m().submit(set_config(kPrivileged, {1})));
    user(set_config(kUser, {2}) + set_context(kRegA, {3}) + set_config(kUser, {4}));
    EXPECT_EQ(seen().regs.size(), 4u);
}

TEST_P(Privilege, WhatPacketsWriteForThemselvesIsNotPrivileged) {
    user(
        packet("DISPATCH_DIRECT", {1, 1, 1, 1}, true));  // COMPUTE_DIM_X.. are not on the list here
    EXPECT_EQ(seen().regs.size(), 4u);
}

// ---- the packet's own ring ---------------------------------------------------------------------

TEST_P(State, APacketDoesNotSayHowItsOwnRingIsRead) {
    for (const uint32_t offset :
         {si::CP_RB0_BASE, si::CP_RB0_CNTL, si::CP_RB0_WPTR, si::CP_RB_VMID}) {
        for (const uint32_t engine : {0u, 1u}) {  // ME, PFP
            SetUp();
            char text[40];
            std::snprintf(text, sizeof text, "writes register 0x%x, which says", offset);
            EXPECT_THAT(stop(packet("WRITE_DATA", {engine << 30, offset / 4, 0, 40}) +
                             packet("NOP", {0, 0, 0})),
                        HasSubstr(text));
        }
    }
}

TEST_P(State, APacketMovesTheWritePointerOfAnotherRing) {
    const struct {
        unsigned by, of;
        uint32_t write_pointer, read_pointer;
    } cases[] = {{0, 1, si::CP_RB1_WPTR, si::CP_RB1_RPTR},
                 {2, 0, si::CP_RB0_WPTR, si::CP_RB0_RPTR}};
    for (const auto& c : cases) {
        SetUp();
        m().put(set_config(0x9508, {7}), c.of);
        EXPECT_TRUE(m().submit(packet("WRITE_DATA", {0, c.write_pointer / 4, 0, 3}), c.by));
        EXPECT_EQ(m().host_read(c.read_pointer), 3u);
        EXPECT_EQ(seen().reg(0x9508), 7u);
    }
}

}  // namespace
}  // namespace archipelago::cp::test::state_test
