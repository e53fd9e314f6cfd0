// SPDX-License-Identifier: Apache-2.0
// Predication, section 2.7 of the SI document, and OCCLUSION_QUERY, 2.8.7.
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::predication_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;

constexpr uint64_t kValid = uint64_t{1} << 63;

class Predication : public PacketsTest {
  protected:
    // Values of the register that set(n) writes.
    std::vector<uint32_t> values() {
        std::vector<uint32_t> list;
        for (const RegWrite& w : seen().regs)
            if (w.offset == 0x8A14)
                list.push_back(w.value);
        return list;
    }
    static Words set(uint32_t value) { return set_config(0x8A14, {value}); }
    void pair(unsigned block, uint64_t begin, uint64_t end, uint64_t base = kData) {
        m().poke(base + 16 * block, {lo(begin), hi(begin), lo(end), hi(end)});
    }
    // Counters of all eight depth blocks are there; block 5 has counted `passed`.
    void zpass(uint64_t passed, uint64_t base = kData) {
        for (unsigned i = 0; i < 8; ++i)
            pair(i, kValid | 100 * i, kValid | (100 * i + (i == 5 ? passed : 0)), base);
    }
    // Whether a packet with the PREDICATE bit is executed after the packets.
    bool draws(const Words& packets, unsigned ring = 0) {
        const size_t before = values().size();
        EXPECT_TRUE(m().submit(packets + predicated(set(1)) + set(2), ring));
        const size_t after = values().size();
        EXPECT_GE(after, before + 1);
        return after == before + 2;
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, Predication, all_modes(), mode_name);

// ---- COND_EXEC

TEST_P(Predication, CondExecLeavesOutItsCountWhenTheBooleanIs0) {
    m().poke(kData, 0);
    ASSERT_TRUE(m().submit(set(1) + cond_exec(kData, 6) + set(2) + set(3) + set(4)));
    EXPECT_THAT(values(), ElementsAre(1, 4));
}
TEST_P(Predication, CondExecContinuesWhenTheBooleanIsNot0) {
    m().poke(kData + 4, {1, 0x80000000});
    ASSERT_TRUE(m().submit(cond_exec(kData + 4, 3) + set(1) + cond_exec(kData + 8, 3) + set(2)));
    EXPECT_THAT(values(), ElementsAre(1, 2));
}
TEST_P(Predication, CondExecOfNothingLeavesOutNothing) {
    m().poke(kData, 0);
    ASSERT_TRUE(m().submit(cond_exec(kData, 0) + set(1)));
    EXPECT_THAT(values(), ElementsAre(1));
}
TEST_P(Predication, CondExecReachesToTheEndOfItsBuffer) {
    m().poke(kData, 0);
    m().poke(kIb, set(1) + cond_exec(kData, 3) + set(2));
    ASSERT_TRUE(m().submit(indirect(kIb, 11) + set(3)));
    EXPECT_THAT(values(), ElementsAre(1, 3));
}
TEST_P(Predication, CondExecLeavesOutFillersAndType0AndItsOwnKind) {
    m().poke(kData, 0);
    const Words inner = Words{0x80000000} + Words{make_type0_header(0x8A14, 2), 5, 6} +
                        cond_exec(kData + 0x800000, 9) + packet("NOP", {1, 2, 3});
    ASSERT_TRUE(m().submit(cond_exec(kData, static_cast<uint32_t>(inner.size())) + inner + set(1)));
    EXPECT_THAT(values(), ElementsAre(1));
}
TEST_P(Predication, CondExecWrapsWithItsRing) {
    m().poke(kData, 0);
    while (m().tail[1] < kRingDwords - 8)
        ASSERT_TRUE(m().submit({0x80000000}, 1));
    ASSERT_TRUE(m().submit(cond_exec(kData, 6) + set(1) + set(2) + set(3), 1));
    EXPECT_THAT(values(), ElementsAre(3));
    EXPECT_EQ(m().host_read(si::CP_RB1_RPTR), m().tail[1]);
}
TEST_P(Predication, CondExecReadsTheBooleanWhenMeHasWrittenItAndPfpHasWaited) {
    m().poke(kData, 1);
    ASSERT_TRUE(m().submit(write_data(kData, {0}) + sync_pfp() + cond_exec(kData, 3) + set(1) +
                           write_data(kData, {1}) + sync_pfp() + cond_exec(kData, 3) + set(2)));
    EXPECT_THAT(values(), ElementsAre(2));
}
TEST_P(Predication, CondExecHasA48BitAddress) {
    EXPECT_EQ(reason(cond_exec(0xABCD00000000, 0), StopKind::Fault),
              "packet COND_EXEC: BOOL_ADDR: read of unmapped address 0xabcd00000000");
}
TEST_P(Predication, CondExecTakesADriversThreeDwords) {
    m().poke(kData, 0);
    ASSERT_TRUE(m().submit(packet("COND_EXEC", {lo(kData), 0, 3}) + set(1) + set(2)));
    EXPECT_THAT(values(), ElementsAre(2));
}
TEST_P(Predication, CondExecThatEndsInsideAPacketStops) {
    EXPECT_EQ(stop(set(1) + cond_exec(kData, 4) + set(2) + set(3)),
              "ring gfx dword 3: packet COND_EXEC: EXEC_COUNT ends inside packet SET_CONFIG_REG, "
              "which has 2 dwords behind it");
    EXPECT_EQ(reason(cond_exec(kData, 1) + Words{make_type0_header(0x8A14, 1), 5}),
              "packet COND_EXEC: EXEC_COUNT ends inside packet type-0, which has 1 dwords behind "
              "it");
    EXPECT_EQ(reason(cond_exec(kData, 2) + packet(0xEE, {0, 0})),
              "packet COND_EXEC: EXEC_COUNT ends inside packet of unknown opcode, which has 1 "
              "dwords behind it");
    m().poke(kData, 1);  // taken, nothing ends anywhere
    start();
    m().poke(kData, 1);
    ASSERT_TRUE(m().submit(cond_exec(kData, 4) + set(2) + set(3)));
}
TEST_P(Predication, WhatCondExecSkipsGoesOnBehindTheWritePointer) {
    const Words all = set(1) + set(2) + set(3) + set(4);
    for (size_t cut = 0; cut < 9; ++cut) {
        SCOPED_TRACE(cut);
        start();
        m().poke(kData, 0);
        const auto at = all.begin() + static_cast<std::ptrdiff_t>(cut);
        EXPECT_FALSE(m().submit(cond_exec(kData, 9) + Words(all.begin(), at)));
        EXPECT_THAT(m().waiting_for(),
                    ::testing::HasSubstr(
                        "PFP waits for dwords beyond the write pointer at ring gfx dword 0"));
        EXPECT_TRUE(m().submit(Words(at, all.end())));
        EXPECT_THAT(values(), ElementsAre(4));
    }
}
TEST_P(Predication, WhatCondExecSkipsBehindTheWritePointerIsCheckedToo) {
    EXPECT_FALSE(m().submit(cond_exec(kData, 4) + set(2)));
    EXPECT_EQ(stop(set(3)),
              "ring gfx dword 0: packet COND_EXEC: EXEC_COUNT ends inside packet "
              "SET_CONFIG_REG, which has 2 dwords behind it");
}
TEST_P(Predication, CondExecBeyondItsBufferStops) {
    m().poke(kIb, cond_exec(kData, 4) + set(2));
    EXPECT_EQ(stop(indirect(kIb, 8) + set(3) + set(4)),
              "ring gfx, IB1 0x300000 dword 0: packet COND_EXEC skips 4 dwords, 3 are left before "
              "the end of the indirect buffer");
}
TEST_P(Predication, CondExecKnowsOneCommand) {
    for (uint32_t command = 1; command < 16; ++command)
        EXPECT_EQ(reason(cond_exec(kData, 0, command)),
                  "packet COND_EXEC: reserved COMMAND " + std::to_string(command));
}
TEST_P(Predication, CondExecMisalignedStops) {
    EXPECT_EQ(reason(cond_exec(kData + 2, 0)),
              "packet COND_EXEC: address 0x200002 is not dword aligned");
}

// ---- PRED_EXEC

TEST_P(Predication, PredExecSelectsDevicesByTheBitOfMeInitialize) {
    const auto initialize = [](uint32_t device) {
        return packet("ME_INITIALIZE", {1, 0, 7, device << 16, 0, 0});
    };
    ASSERT_TRUE(m().submit(initialize(0x04) + pred_exec(0x04, 3) + set(1) + pred_exec(0xFB, 3) +
                           set(2) + pred_exec(0xFF, 3) + set(3) + pred_exec(0, 3) + set(4) +
                           set(5)));
    EXPECT_THAT(values(), ElementsAre(1, 3, 5));
    ASSERT_TRUE(m().submit(initialize(0x01) + pred_exec(0x04, 3) + set(6) + initialize(0x04) +
                           pred_exec(0x04, 3) + set(7)));
    EXPECT_THAT(values(), ElementsAre(1, 3, 5, 7));
}
TEST_P(Predication, PredExecBeforeMeInitializeSelectsNoDevice) {
    ASSERT_TRUE(m().submit(pred_exec(0xFF, 3) + set(1) + set(2), 1));
    EXPECT_THAT(values(), ElementsAre(2));
}
TEST_P(Predication, PredExecThatEndsInsideAPacketStops) {
    EXPECT_EQ(stop(pred_exec(0, 2) + set(2)),
              "ring gfx dword 0: packet PRED_EXEC: EXEC_COUNT ends inside packet SET_CONFIG_REG, "
              "which has 1 dwords behind it");
}
TEST_P(Predication, PredExecThatSkipsMoreThanARingHoldsStops) {
    EXPECT_EQ(stop(pred_exec(0, 0x3FFF) + set(2)),
              "ring gfx dword 0: packet PRED_EXEC skips 16383 dwords, more than the ring ever "
              "holds");
}

// ---- the PREDICATE bit

TEST_P(Predication, WithoutAPredicateTheBitDoesNothing) {
    EXPECT_TRUE(draws({}));
}
TEST_P(Predication, ZpassDrawsByTheBoolean) {
    zpass(1);
    EXPECT_TRUE(draws(set_predication(kData, {1, true})));
    EXPECT_FALSE(draws(set_predication(kData, {1, false})));
    zpass(0);
    EXPECT_FALSE(draws(set_predication(kData, {1, true})));
    EXPECT_TRUE(draws(set_predication(kData, {1, false})));
}
TEST_P(Predication, EveryDepthBlockCounts) {
    for (unsigned block = 0; block < 8; ++block) {
        zpass(0);
        pair(block, kValid | 7, kValid | 8);
        EXPECT_TRUE(draws(set_predication(kData, {1, true}))) << block;
    }
    zpass(0);
    pair(8, kValid, kValid | 5);  // not one of them
    EXPECT_FALSE(draws(set_predication(kData, {1, true})));
}
TEST_P(Predication, ClearEndsPredication) {
    zpass(0);
    EXPECT_FALSE(draws(set_predication(kData, {1, true})));
    EXPECT_TRUE(draws(set_predication(0, {0, true})));
}
TEST_P(Predication, RingsHaveTheirOwnPredicates) {
    zpass(0);
    EXPECT_FALSE(draws(set_predication(kData, {1, true}), 1));
    EXPECT_TRUE(draws({}, 0));
    EXPECT_TRUE(draws({}, 2));
    EXPECT_FALSE(draws({}, 1));
}
TEST_P(Predication, EveryKindOfPacketMayCarryTheBit) {
    zpass(0);
    m().poke(kIb, set(9));
    const uint64_t to = kData + 0x800;
    m().poke(to, 5);
    ASSERT_TRUE(m().submit(
        set_predication(kData, {1, true}) + predicated(indirect(kIb, 3)) +
        predicated(packet("DISPATCH_DIRECT", {1, 1, 1, 1}, true)) +
        predicated(write_data(to, {1})) + predicated(write_data(to, {1}, 1, true, 1)) +
        predicated(wait_memory(to, 3, 77)) + predicated(wait_memory(to, 5, 77, ~0u, 4, true)) +
        predicated(surface_sync(1u << 23)) + predicated(eop(to, 1, 0, 3)) + predicated(sync_pfp()) +
        predicated(cond_exec(0, 2)) + predicated(set_predication(0, {0})) +
        predicated(packet(0x3F, {0, 0, 0})) + set(1)));
    EXPECT_THAT(values(), ElementsAre(1));
    EXPECT_EQ(seen().regs.size(), 1u);
    EXPECT_TRUE(seen().events.empty());
    EXPECT_TRUE(seen().actions.empty());
    EXPECT_EQ(m().peek(to), 5u);
    ASSERT_TRUE(m().submit(set_predication(0, {0}) + predicated(indirect(kIb, 3))));
    EXPECT_THAT(values(), ElementsAre(1, 9));
}
TEST_P(Predication, Type0HasNoPredicateBit) {
    zpass(0);
    ASSERT_TRUE(m().submit(set_predication(kData, {1, true}) +
                           Words{make_type0_header(0x9514, 1), 4}));  // odd register number
    EXPECT_EQ(seen().reg(0x9514), 4u);
}
TEST_P(Predication, PredicatesWaitForTheLastCounter) {
    zpass(1);
    pair(7, kValid, 3);  // end not written
    stop_early(5000);
    m().put(set_predication(kData, {1, true}) + predicated(set(1)) + set(2));
    m().doorbell();
    EXPECT_FALSE(m().run());
    EXPECT_TRUE(values().empty());
    EXPECT_THAT(m().waiting_for(),
                HasSubstr("ring gfx: PFP waits for SET_PREDICATION: counters from " + hex(kData) +
                          " on to be written at ring gfx dword 0"));
    pair(7, kValid, kValid);
    stop_early(5000);
    EXPECT_TRUE(m().run());
    EXPECT_THAT(values(), ElementsAre(1, 2));
}
TEST_P(Predication, WithTheHintAMissingCounterDraws) {
    zpass(0);
    pair(2, 0, kValid | 3);
    EXPECT_TRUE(draws(set_predication(kData, {1, true, true})));
    pair(2, kValid, kValid);
    EXPECT_FALSE(draws(set_predication(kData, {1, true, true})));
    pair(2, 0, kValid | 3);
    EXPECT_TRUE(draws(set_predication(kData, {1, false, true})));
}
TEST_P(Predication, ZpassAccumulatesOverContinuingPackets) {
    zpass(0, kData);
    zpass(3, kData + 0x100);
    zpass(0, kData + 0x200);
    const Words first = set_predication(kData, {1, true});
    const Words second = set_predication(kData + 0x100, {1, true, false, true});
    const Words third = set_predication(kData + 0x200, {1, true, false, true});
    EXPECT_TRUE(draws(first + second + third));
    EXPECT_FALSE(draws(first + third));
    EXPECT_FALSE(draws(first + second + first));  // a unique packet begins again
}
TEST_P(Predication, PrimcountDrawsUnlessStreamoutOverflowed) {
    const auto streamout = [&](uint64_t base, uint64_t needed, uint64_t written) {
        pair(0, kValid | 10, kValid | 20, base);  // at the begin: needed, written
        pair(1, kValid | (10 + needed), kValid | (20 + written), base);
    };
    streamout(kData, 6, 6);
    streamout(kData + 0x40, 6, 5);
    EXPECT_TRUE(draws(set_predication(kData, {2, true})));
    EXPECT_FALSE(draws(set_predication(kData, {2, false})));
    EXPECT_FALSE(draws(set_predication(kData + 0x40, {2, true})));
    EXPECT_TRUE(draws(set_predication(kData + 0x40, {2, false})));
    EXPECT_FALSE(draws(set_predication(kData + 0x40, {2, true}) +
                       set_predication(kData, {2, true, false, true})));
}
TEST_P(Predication, PrimcountWaitsForItsCountersWithTheHintToo) {
    pair(0, kValid, kValid);
    pair(1, kValid, 0);
    stop_early(5000);
    m().put(set_predication(kData, {2, true, true}) + set(1));
    m().doorbell();
    EXPECT_FALSE(m().run());
    EXPECT_TRUE(values().empty());
}
TEST_P(Predication, ReservedOperationsStop) {
    for (uint32_t operation = 3; operation < 8; ++operation)
        EXPECT_EQ(reason(set_predication(kData, {operation})),
                  "packet SET_PREDICATION: reserved PRED_OP " + std::to_string(operation));
}
TEST_P(Predication, PredicatesMisalignedStop) {
    EXPECT_EQ(reason(set_predication(kData + 8, {1})),
              "packet SET_PREDICATION: address 0x200008 is not a multiple of 16");
}
TEST_P(Predication, ContinuingAnotherOperationStops) {
    EXPECT_EQ(reason(set_predication(kData, {1, true, false, true})),
              "packet SET_PREDICATION: CONTINUE, but no SET_PREDICATION of PRED_OP 1 is before it");
    start();
    zpass(0);
    EXPECT_THAT(stop(set_predication(kData, {1}) + set_predication(kData, {2, true, false, true})),
                HasSubstr("no SET_PREDICATION of PRED_OP 2"));
}
TEST_P(Predication, PredicatesReadOtherAddressSpacesByTheirUpperBits) {
    EXPECT_EQ(reason(set_predication(0xFE00000000, {1}), StopKind::Fault),
              "packet SET_PREDICATION: START_ADDR: read of unmapped address 0xfe00000000");
}

// ---- OCCLUSION_QUERY

Words occlusion_query(uint64_t start, uint64_t query) {
    return packet("OCCLUSION_QUERY", {lo(start), hi(start), lo(query), hi(query)});
}

TEST_P(Predication, OcclusionQueryAddsAllPairsToTheSum) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const bool exists = i < 6;
        pair(i, kValid | (exists ? 1000 * i : 0), kValid | (exists ? 1003 * i : 0));
        sum += exists ? 3 * i : 0;
    }
    const uint64_t query = kData + 0x80 + 60;  // in two lines
    m().poke(query, {0xFFFFFFFE, 7});
    ASSERT_TRUE(m().submit(occlusion_query(kData, query) + set(1)));
    EXPECT_EQ(m().peek64(query), 0x7FFFFFFFEu + sum);
    EXPECT_THAT(values(), ElementsAre(1));
}
TEST_P(Predication, OcclusionQueryIsWrittenBeforeTheNextPacket) {
    zpass(41);
    m().poke(kData + 0x100, {0, 0});
    ASSERT_TRUE(
        m().submit(occlusion_query(kData, kData + 0x100) +
                   packet("COPY_DATA", {1u << 8 | 1, lo(kData + 0x100), 0, lo(kData + 0x200), 0})));
    EXPECT_EQ(m().peek(kData + 0x200), 41u);
}
TEST_P(Predication, OcclusionQueryWaitsUntilAllAreValid) {
    zpass(4);
    pair(0, kValid, 0);
    m().poke(kData + 0x100, {0, 0});
    stop_early(5000);
    m().put(occlusion_query(kData, kData + 0x100) + set(1));
    m().doorbell();
    EXPECT_FALSE(m().run());
    EXPECT_TRUE(values().empty());
    EXPECT_EQ(m().peek64(kData + 0x100), 0u);
    EXPECT_THAT(m().waiting_for(),
                HasSubstr("ring gfx: ME waits for OCCLUSION_QUERY: counters from " + hex(kData) +
                          " on to be written at ring gfx dword 0"));
    pair(0, kValid, kValid | 2);
    stop_early(5000);
    EXPECT_TRUE(m().run());
    EXPECT_EQ(m().peek64(kData + 0x100), 6u);
}
TEST_P(Predication, OcclusionQueryMisalignedStops) {
    EXPECT_EQ(reason(occlusion_query(kData + 4, kData)),
              "packet OCCLUSION_QUERY: START_ADDR 0x200004 is not a multiple of 16");
    EXPECT_EQ(reason(occlusion_query(kData, kData + 1)),
              "packet OCCLUSION_QUERY: address 0x200001 is not dword aligned");
}
TEST_P(Predication, ZpassDoneFeedsPredicatesAndQueries) {
    const auto zpass_done = [](uint64_t address) {
        return packet("EVENT_WRITE", {21 | 1u << 8, lo(address), hi(address)});
    };
    m().poke(kData + 0x100, {0, 0});
    // Begin and end of a query during which nothing is drawn.
    ASSERT_TRUE(m().submit(zpass_done(kData) + zpass_done(kData + 8) +
                           occlusion_query(kData, kData + 0x100) +
                           set_predication(kData, {1, true}) + predicated(set(1)) + set(2)));
    EXPECT_THAT(values(), ElementsAre(2));
    EXPECT_EQ(m().peek64(kData + 0x100), 0u);
    for (unsigned i = 0; i < 16; ++i)
        EXPECT_EQ(m().peek64(kData + 8 * i), kValid) << i;
}

// ---- COND_WRITE

struct CondWriteCase {
    uint32_t function;
    bool less, equal, greater;
};
constexpr CondWriteCase kCondWrites[] = {
    {0, true, true, true},   {1, true, false, false}, {2, true, true, false},
    {3, false, true, false}, {4, true, false, true},  {5, false, true, true},
    {6, false, false, true},
};

TEST_P(Predication, CondWriteComparesByAllFunctionsInAllSpaces) {
    for (const CondWriteCase& c : kCondWrites) {
        for (unsigned spaces = 0; spaces < 4; ++spaces) {
            const bool poll_memory = (spaces & 1) != 0;
            const bool write_memory = (spaces & 2) != 0;
            const auto passes = [&](uint32_t value) {
                start();
                m().poke(kData, value);
                m().poke(kData + 4, 0x11);
                const uint32_t poll = poll_memory ? lo(kData) : si::SCRATCH_REG0 / 4;
                const uint32_t write = write_memory ? lo(kData + 4) : 0x9508 / 4;
                EXPECT_TRUE(m().submit(
                    set_config(si::SCRATCH_REG0, {value}) +
                    packet("COND_WRITE",
                           {c.function | (poll_memory ? 1u << 4 : 0) | (write_memory ? 1u << 8 : 0),
                            poll, 0, 0x1234, 0xFFFF, write, 0, 0x99})));
                EXPECT_EQ(m().peek(kData + 4) == 0x99,
                          seen().reg(0x9508) != 0x99 && m().peek(kData + 4) == 0x99);
                return write_memory ? m().peek(kData + 4) == 0x99 : seen().reg(0x9508) == 0x99;
            };
            EXPECT_EQ(passes(0x70001233), c.less) << c.function << " " << spaces;
            EXPECT_EQ(passes(0x70001234), c.equal) << c.function << " " << spaces;
            EXPECT_EQ(passes(0x00001235), c.greater) << c.function << " " << spaces;
        }
    }
}
TEST_P(Predication, CondWriteSwapsWhatItReadsAndWrites) {
    m().poke(kData, 0x78563412);
    ASSERT_TRUE(
        m().submit(packet("COND_WRITE", {3 | 1u << 4 | 1u << 8, lo(kData) | 2, 0, 0x12345678, ~0u,
                                         lo(kData + 8) | 1, 0, 0xA1B2C3D4})));
    EXPECT_EQ(m().peek(kData + 8), 0xB2A1D4C3u);
}
TEST_P(Predication, CondWriteReservedEncodingsStop) {
    EXPECT_EQ(reason(packet("COND_WRITE", {7, 0, 0, 0, 0, 0, 0, 0})),
              "packet COND_WRITE: reserved FUNCTION 7");
    EXPECT_EQ(reason(packet("COND_WRITE", {1u << 4, lo(kData) | 3, 0, 0, 0, 0, 0, 0})),
              "packet COND_WRITE: reserved swap code 3");
    EXPECT_EQ(reason(packet("COND_WRITE", {1u << 8, 0x2145, 0, 0, 0, lo(kData) | 3, 0, 0})),
              "packet COND_WRITE: reserved swap code 3");
}

}  // namespace
}  // namespace archipelago::cp::test::predication_test
