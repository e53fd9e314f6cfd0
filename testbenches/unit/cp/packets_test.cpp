// SPDX-License-Identifier: Apache-2.0
// Every implemented packet, in both engines, against what the document says it does.
#include <algorithm>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::packets_test {
namespace {

using ::testing::ElementsAre;

class Packets : public PacketsTest {
  protected:
};

INSTANTIATE_TEST_SUITE_P(Engines, Packets, all_modes(), mode_name);

// ---- registers ----------------------------------------------------------------------------------

TEST_P(Packets, SetPacketsWriteConsecutiveRegistersOfTheirWindow) {
    ASSERT_TRUE(m().submit(set_config(0x8A14, {7}) + set_context(0x28350, {1, 2, 3}) +
                           set_sh(0xB848, {0xAF0040, 0x90})));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x8A14, 7, 0}, RegWrite{0x28350, 1, 0},
                                         RegWrite{0x28354, 2, 0}, RegWrite{0x28358, 3, 0},
                                         RegWrite{0xB848, 0xAF0040, 0}, RegWrite{0xB84C, 0x90, 0}));
}

TEST_P(Packets, Type0WritesTheRegistersOfItsHeader) {
    ASSERT_TRUE(m().submit({make_type0_header(0x9508, 2), 11, 22}));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x9508, 11, 0}, RegWrite{0x950C, 22, 0}));
}

TEST_P(Packets, OneRegWriteWritesOneRegister) {
    ASSERT_TRUE(m().submit(packet("ONE_REG_WRITE", {0x9508 / 4, 99})));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x9508, 99, 0}));
}

TEST_P(Packets, RegisterWritesCarryTheRing) {
    ASSERT_TRUE(m().submit(set_sh(0xB900, {5}), 2));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0xB900, 5, 2}));
}

TEST_P(Packets, NopAndType2AreSkippedWhateverTheyHold) {
    ASSERT_TRUE(m().submit(packet("NOP", {0xFFFFFFFF, 0x40000000, 0}) +
                           std::vector<uint32_t>{0x80000000, 0xBFFFFFFF} +
                           set_config(0x8A14, {1})));
    EXPECT_EQ(seen().regs.size(), 1u);
}

TEST_P(Packets, ClearStateRestoresWhatThePreambleDefined) {
    ASSERT_TRUE(m().submit(packet("PREAMBLE_CNTL", {2u << 28}) + set_context(0x28350, {10, 20}) +
                           packet("PREAMBLE_CNTL", {3u << 28}) + set_context(0x28350, {1, 2})));
    ASSERT_TRUE(m().submit(packet("CLEAR_STATE", {0})));
    EXPECT_EQ(seen().reg(0x28350), 10u);
    EXPECT_EQ(seen().reg(0x28354), 20u);
    EXPECT_EQ(seen().regs.size(), 5u);
    ASSERT_TRUE(m().submit(packet("CLEAR_STATE", {0}, true), 1));  // compute: no hardware context
    EXPECT_EQ(seen().regs.size(), 5u);
}

TEST_P(Packets, StatePacketsOfABringUpAreAccepted) {
    ASSERT_TRUE(m().submit(packet("ME_INITIALIZE", {1, 0, 7, 0x10000, 0, 0}) +
                           packet("SET_BASE", {3, 0xC000, 0xE000}) +
                           packet("CONTEXT_CONTROL", {0x80000000, 0x80000000}) +
                           packet("SET_PREDICATION", {0, 0})));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x287D0, 0, 0}));  // context 1 is clear
}

TEST_P(Packets, LoadPacketsAreDiscardedUnlessEnabled) {
    ASSERT_TRUE(
        m().submit(packet("LOAD_SH_REG", {0, 0, 0, 4}) + packet("LOAD_CONTEXT_REG", {0, 0, 0, 4}) +
                   packet("LOAD_CONFIG_REG", {0, 0, 0, 4, 0, 0}) + set_config(0x8A14, {1})));
    EXPECT_EQ(seen().regs.size(), 1u);
}

TEST_P(Packets, ScratchRegistersAreMirroredWhenUnmasked) {
    m().host_write(si::SCRATCH_ADDR, kMirror >> 8);
    m().host_write(si::SCRATCH_UMSK, 2);
    ASSERT_TRUE(m().submit(set_config(si::SCRATCH_REG0, {0x111, 0x222})));
    EXPECT_EQ(m().host_read(si::SCRATCH_REG0), 0x111u);
    EXPECT_EQ(m().host_read(si::SCRATCH_REG1), 0x222u);
    EXPECT_EQ(m().peek(kMirror + 4), 0x222u);
    EXPECT_NE(m().peek(kMirror), 0x111u);
}

// ---- dispatch -----------------------------------------------------------------------------------

TEST_P(Packets, DispatchDirectWritesDimensionsThenTheInitiator) {
    ASSERT_TRUE(m().submit(packet("DISPATCH_DIRECT", {4, 5, 6, 0x5}, true), 1));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0xB804, 4, 1}, RegWrite{0xB808, 5, 1},
                                         RegWrite{0xB80C, 6, 1}, RegWrite{0xB800, 5, 1}));
}

TEST_P(Packets, DispatchIndirectReadsTheDimensions) {
    m().poke(kData + 0x78, {7, 8, 9});  // 0x78: the third dword is in the next line
    ASSERT_TRUE(m().submit(packet("SET_BASE", {1, lo(kData), hi(kData)}) +
                           packet("DISPATCH_INDIRECT", {0x78, 0x21}, true)));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0xB804, 7, 0}, RegWrite{0xB808, 8, 0},
                                         RegWrite{0xB80C, 9, 0}, RegWrite{0xB800, 0x21, 0}));
}

// ---- buffers ------------------------------------------------------------------------------------

TEST_P(Packets, IndirectBuffersNestTwoDeepAndReturn) {
    m().poke(kIb, set_config(0x8A14, {1}) + indirect(kIb + 0x1004, 3, 0, 0x3F) +
                      set_config(0x8A14, {3}));
    m().poke(kIb + 0x1004, set_config(0x8A14, {2}));
    ASSERT_TRUE(m().submit(indirect(kIb, 10) + set_config(0x8A14, {4}) + indirect(kIb, 3)));
    EXPECT_THAT(seen().regs,
                ElementsAre(RegWrite{0x8A14, 1, 0}, RegWrite{0x8A14, 2, 0}, RegWrite{0x8A14, 3, 0},
                            RegWrite{0x8A14, 4, 0}, RegWrite{0x8A14, 1, 0}));
}

TEST_P(Packets, LongIndirectBuffersStreamThrough) {
    std::vector<uint32_t> ib;
    std::vector<uint32_t> values;
    for (uint32_t i = 0; i < 600; ++i)
        values.push_back(i * 3);
    ib = set_context(0x29000, values) + set_sh(0xB900, {1});
    m().poke(kIb + 8, ib);
    ASSERT_TRUE(m().submit(indirect(kIb + 8, static_cast<uint32_t>(ib.size()))));
    ASSERT_EQ(seen().regs.size(), 601u);
    for (uint32_t i = 0; i < 600; ++i)
        ASSERT_EQ(seen().regs[i], (RegWrite{0x29000 + 4 * i, i * 3, 0}));
}

TEST_P(Packets, SwappedIndirectBuffersAreReadSwapped) {
    std::vector<uint32_t> ib = set_config(0x8A14, {0x12345678});
    for (uint32_t& word : ib)
        word = swap_dword(word, 2);
    m().poke(kIb, ib);
    ASSERT_TRUE(m().submit(indirect(kIb + 2, 3)));
    EXPECT_EQ(seen().reg(0x8A14), 0x12345678u);
}

TEST_P(Packets, RingsWrap) {
    for (unsigned round = 0; round < 7; ++round) {
        std::vector<uint32_t> words;
        for (uint32_t i = 0; i < 90; ++i)
            words = words + set_config(0x8A14, {round * 90 + i});
        ASSERT_TRUE(m().submit(words + std::vector<uint32_t>{0x80000000}));
    }
    ASSERT_EQ(seen().regs.size(), 630u);
    for (uint32_t i = 0; i < 630; ++i)
        ASSERT_EQ(seen().regs[i].value, i);
    EXPECT_EQ(m().host_read(si::CP_RB0_RPTR), m().tail[0]);
    EXPECT_EQ(m().peek(kMirror), m().tail[0]);
}

// ---- data ---------------------------------------------------------------------------------------

TEST_P(Packets, WriteDataWritesMemoryOverLines) {
    std::vector<uint32_t> values;
    for (uint32_t i = 0; i < 40; ++i)
        values.push_back(0x1000 + i);
    for (const uint32_t destination : {1u, 2u, 5u}) {
        const uint64_t at = kData + 0x1000 * destination + 0x34;
        ASSERT_TRUE(m().submit(write_data(at, values, destination, destination != 5)));
        for (uint32_t i = 0; i < 40; ++i)
            ASSERT_EQ(m().peek(at + 4 * i), 0x1000 + i) << destination;
        EXPECT_EQ(m().peek(at - 4), 0u);
        EXPECT_EQ(m().peek(at + 160), 0u);
    }
}

TEST_P(Packets, WriteDataToOneAddressLeavesTheLast) {
    ASSERT_TRUE(m().submit(write_data(kData, {1, 2, 3}, 5, true, 0, true)));
    EXPECT_EQ(m().peek(kData), 3u);
    EXPECT_EQ(m().peek(kData + 4), 0u);
}

TEST_P(Packets, WriteDataWritesRegistersFromBothEngines) {
    ASSERT_TRUE(m().submit(write_data(0x9508 / 4, {1, 2}, 0) +
                           packet("PFP_SYNC_ME", {0}) +  // PFP does not overtake ME
                           write_data(0x9600 / 4, {3, 4}, 0, true, 1) +
                           write_data(kData, {5}, 1, true, 1) +
                           write_data(0x9508 / 4, {6, 7}, 0, true, 0, true)));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x9508, 1, 0}, RegWrite{0x950C, 2, 0},
                                         RegWrite{0x9600, 3, 0}, RegWrite{0x9604, 4, 0},
                                         RegWrite{0x9508, 6, 0}, RegWrite{0x9508, 7, 0}));
    EXPECT_EQ(m().peek(kData), 5u);
}

TEST_P(Packets, MemWriteWritesOneOrTwoDwordsSwapped) {
    ASSERT_TRUE(m().submit(
        packet("MEM_WRITE", {lo(kData), hi(kData) | 1u << 17, 0x11223344, 0x55667788}) +
        packet("MEM_WRITE", {lo(kData + 20) | 2, hi(kData) | 1u << 18, 0x11223344, 0xFFFFFFFF})));
    EXPECT_EQ(m().peek64(kData), 0x5566778811223344u);
    EXPECT_EQ(m().peek(kData + 20), 0x44332211u);
    EXPECT_EQ(m().peek(kData + 24), 0u);
}

TEST_P(Packets, CopyDataMovesBetweenRegistersMemoryAndImmediates) {
    m().poke(kData, {0xAAAA0001, 0xAAAA0002});
    const auto copy = [](uint32_t control, uint64_t from, uint64_t to) {
        return packet("COPY_DATA", {control, lo(from), hi(from), lo(to), hi(to)});
    };
    constexpr uint32_t kWide = 1u << 16, kConfirm = 1u << 20;
    ASSERT_TRUE(m().submit(set_config(0x9508, {0x51, 0x52})));
    ASSERT_TRUE(m().submit(
        copy(0 | 5u << 8 | kConfirm, 0x9508 / 4, kData + 0x10) +          // register -> memory
        copy(0 | 1u << 8 | kWide | kConfirm, 0x9508 / 4, kData + 0x18) +  // two registers
        copy(1 | 2u << 8 | kWide | kConfirm, kData, kData + 0x20) +       // memory -> L2
        copy(2 | 0u << 8 | kConfirm, kData + 4, 0x9600 / 4) +             // L2 -> register
        copy(1 | 0u << 8 | kWide, kData, 0x9610 / 4) +                    // two registers
        copy(5 | 5u << 8 | kWide, 0x1122334455667788, kData + 0x28)));    // immediate
    EXPECT_EQ(m().peek(kData + 0x10), 0x51u);
    EXPECT_EQ(m().peek64(kData + 0x18), 0x5200000051u);
    EXPECT_EQ(m().peek64(kData + 0x20), 0xAAAA0002AAAA0001u);
    EXPECT_EQ(seen().reg(0x9600), 0xAAAA0002u);
    EXPECT_EQ(seen().reg(0x9610), 0xAAAA0001u);
    EXPECT_EQ(seen().reg(0x9614), 0xAAAA0002u);
    EXPECT_EQ(m().peek64(kData + 0x28), 0x1122334455667788u);
}

TEST_P(Packets, ClockSourcesDeliverTheCounter) {
    ASSERT_TRUE(m().submit(packet("COPY_DATA", {9 | 5u << 8 | 1u << 16, 0, 0, lo(kData), 0}) +
                           packet("MEM_WRITE", {lo(kData + 8), 1u << 16, 0, 0}) +
                           eop(kData + 16, 3, 0, 0)));
    const uint64_t a = m().peek64(kData), b = m().peek64(kData + 8), c = m().peek64(kData + 16);
    if (functional()) {
        EXPECT_EQ(a, 0x123456789Au);
        EXPECT_EQ(b, a);
        EXPECT_EQ(c, a);
    } else {
        EXPECT_GT(a, 0u);
        EXPECT_GT(b, a);
        EXPECT_GT(c, b);
    }
}

TEST_P(Packets, CpDmaCopiesAnyAlignmentAndSize) {
    for (uint32_t i = 0; i < 4096; ++i) {
        const auto byte = static_cast<uint8_t>(i * 7 + i / 256);
        m().memory.write(kData + i, &byte, 1);
    }
    const struct {
        uint32_t from, to, bytes;
    } kCases[] = {{0, 0, 64}, {1, 3, 1},     {5, 0, 200},   {0, 61, 130},
                  {63, 1, 2}, {64, 0, 4000}, {17, 17, 333}, {2, 1, 65}};
    uint64_t at = kData + 0x4000;
    for (const auto& c : kCases) {
        ASSERT_TRUE(m().submit(cp_dma(kData + c.from, at + c.to, c.bytes)));
        for (uint32_t i = 0; i < c.bytes; ++i) {
            uint8_t want = 0, got = 1;
            m().memory.read(kData + c.from + i, &want, 1);
            m().memory.read(at + c.to + i, &got, 1);
            ASSERT_EQ(got, want) << c.from << " " << c.to << " " << c.bytes << " byte " << i;
        }
        uint8_t beyond = 1;
        m().memory.read(at + c.to + c.bytes, &beyond, 1);
        EXPECT_EQ(beyond, 0);
        at += 0x1080;
    }
}

TEST_P(Packets, CpDmaFillsWithAPattern) {
    ASSERT_TRUE(m().submit(cp_fill(0xDEADBEEF, kData + 4, 1022)));
    EXPECT_EQ(m().peek(kData), 0u);
    for (uint32_t i = 0; i < 255; ++i)
        ASSERT_EQ(m().peek(kData + 4 + 4 * i), 0xDEADBEEFu);
    EXPECT_EQ(m().peek(kData + 4 + 1020), 0x0000BEEFu);
}

TEST_P(Packets, CpDmaSwaps) {
    m().poke(kData, {0x11223344, 0x55667788});
    ASSERT_TRUE(m().submit(cp_dma(kData, kData + 0x100, 8, true, 1u << 22) +
                           cp_dma(kData, kData + 0x200, 8, true, 2u << 24) +
                           cp_dma(kData, kData + 0x300, 8, true, 3u << 22) +
                           cp_dma(kData, kData + 0x400, 8, true, 2u << 22 | 2u << 24) +
                           cp_fill(0x11223344, kData + 0x500, 8, true, 1u << 24)));
    EXPECT_EQ(m().peek64(kData + 0x100), 0x6655887722114433u);
    EXPECT_EQ(m().peek64(kData + 0x200), 0x8877665544332211u);
    EXPECT_EQ(m().peek64(kData + 0x300), 0x4433221188776655u);
    EXPECT_EQ(m().peek64(kData + 0x400), 0x5566778811223344u);
    EXPECT_EQ(m().peek64(kData + 0x500), 0x2211443322114433u);
}

TEST_P(Packets, CpDmaInARowSeesEarlierWritesWithRawWait) {
    m().poke(kData, {1, 2, 3, 4});
    ASSERT_TRUE(m().submit(cp_dma(kData, kData + 0x1000, 16, false) +
                           cp_dma(kData + 0x1000, kData + 0x2000, 16, false, 1u << 30) +
                           cp_dma(kData + 0x2000, kData + 0x3000, 16, true, 1u << 30) +
                           packet("CP_DMA", {0, 0x80000000u, 0, 0, 0})));
    EXPECT_EQ(m().peek64(kData + 0x3008), 0x400000003u);
}

// ---- synchronisation ----------------------------------------------------------------------------

TEST_P(Packets, WaitRegMemKnowsEveryFunction) {
    m().poke(kData, 0x50);
    ASSERT_TRUE(m().submit(set_config(0x9508, {0x50})));
    const uint32_t kReference[] = {0, 0x51, 0x50, 0x50, 0x51, 0x50, 0x4F};
    for (uint32_t function = 0; function < 7; ++function) {
        for (const bool pfp : {false, true})
            ASSERT_TRUE(
                m().submit(wait_memory(kData, function, kReference[function], ~0u, 4, pfp)));
        ASSERT_TRUE(m().submit(
            packet("WAIT_REG_MEM", {function, 0x9508 / 4, 0, kReference[function], ~0u, 4})));
    }
    m().poke(kData, 0x12345650);
    ASSERT_TRUE(m().submit(wait_memory(kData, 3, 0x50, 0xFF)));
    ASSERT_TRUE(m().submit(wait_memory(kData + 2, 3, 0x50563412)));  // swap code 2
    ASSERT_TRUE(m().submit(wait_memory(kData, 5, 0x1000, ~0u, 4, true)));
}

TEST_P(Packets, WaitRegMemThatFailsNamesWhatItWaitsFor) {
    if (!functional())
        static_cast<TimedMachine&>(m()).limit(20000);
    EXPECT_FALSE(m().submit(wait_memory(kData, 3, 1) + set_config(0x8A14, {1})));
    EXPECT_EQ(
        m().waiting_for().substr(0, 100),
        std::string("ring gfx: ME waits for WAIT_REG_MEM memory 0x200000 == 0x1 (last 0x0) at "
                    "ring gfx dword 0")
            .substr(0, 100));
    EXPECT_TRUE(seen().regs.empty());
    m().poke(kData, 1);
    if (!functional())
        static_cast<TimedMachine&>(m()).limit(40000);
    EXPECT_TRUE(m().run());
    EXPECT_EQ(seen().regs.size(), 1u);
    EXPECT_EQ(m().waiting_for(), "");
}

TEST_P(Packets, ARingThatWaitsDoesNotStopTheOthers) {
    m().put(wait_memory(kData, 3, 7) + set_config(0x8A14, {2}), 0);
    m().put(set_config(0x8A14, {1}) + write_data(kData, {7}), 1);
    if (!functional())
        static_cast<TimedMachine&>(m()).limit(3000);
    m().doorbell(0);
    m().run();
    if (!functional())
        static_cast<TimedMachine&>(m()).limit(20000);
    m().doorbell(1);
    EXPECT_TRUE(m().run());
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x8A14, 1, 1}, RegWrite{0x8A14, 2, 0}));
}

TEST_P(Packets, CondWriteWritesOnlyWhenTheTestPasses) {
    m().poke(kData, 5);
    const auto cond = [](uint32_t control, uint32_t reference, uint32_t to, uint32_t value) {
        return packet("COND_WRITE", {control, lo(kData), 0, reference, ~0u, to, 0, value});
    };
    ASSERT_TRUE(m().submit(cond(3 | 1u << 4 | 1u << 8, 5, lo(kData + 0x10), 0x77) +
                           cond(3 | 1u << 4 | 1u << 8, 6, lo(kData + 0x20), 0x77) +
                           cond(4 | 1u << 4, 6, 0x9508 / 4, 0x88)));
    EXPECT_EQ(m().peek(kData + 0x10), 0x77u);
    EXPECT_EQ(m().peek(kData + 0x20), 0u);
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x9508, 0x88, 0}));
}

TEST_P(Packets, PfpSyncMeLetsEverythingBeforeItFinishFirst) {
    // PFP's poll would never see the value if it ran ahead of nothing; it passes once ME has
    // written.
    ASSERT_TRUE(m().submit(write_data(kData, {9}) + packet("PFP_SYNC_ME", {0}) +
                           wait_memory(kData, 5, 9, ~0u, 4, true) + set_config(0x8A14, {1})));
    EXPECT_EQ(seen().regs.size(), 1u);
}

TEST_P(Packets, SurfaceSyncSendsTheCacheActionsOfItsBits) {
    ASSERT_TRUE(m().submit(surface_sync(1u << 22) + surface_sync(1u << 23, 4, 2) +
                           surface_sync(1u << 27 | 1u << 29, ~0u, 0, false) +
                           surface_sync(1u << 18) + surface_sync(0x06007FC0)));
    ASSERT_EQ(seen().actions.size(), 5u);
    std::vector<CacheAction> a = seen().actions;
    std::sort(a.begin(), a.end(), [](const CacheAction& x, const CacheAction& y) {
        return x.invalidate_scalar > y.invalidate_scalar;
    });  // PFP's may come before or after ME's
    EXPECT_TRUE(a[0].invalidate_scalar && a[0].invalidate_inst && !a[0].invalidate_l1 &&
                !a[0].writeback_l2);
    EXPECT_TRUE(a[1].invalidate_l1 && !a[1].invalidate_l2 && !a[1].writeback_l2);
    EXPECT_EQ(a[1].size, ~uint64_t{0});
    EXPECT_TRUE(a[2].invalidate_l2 && a[2].writeback_l2 && !a[2].invalidate_l1);
    EXPECT_EQ(a[2].base, 0x200u);
    EXPECT_EQ(a[2].size, 0x400u);
    EXPECT_TRUE(a[3].writeback_l2 && !a[3].invalidate_l2);
    EXPECT_FALSE(a[3].flush_colour || a[3].flush_depth);
    EXPECT_TRUE(a[4].flush_colour && a[4].flush_depth && !a[4].writeback_l2);
}

TEST_P(Packets, CoherencyRegistersStartAnActionToo) {
    ASSERT_TRUE(m().submit(
        set_config(si::CP_COHER_SIZE, {~0u, 0}) + set_config(si::CP_COHER_CNTL, {1u << 23}) +
        packet("WAIT_REG_MEM", {3, si::CP_COHER_STATUS / 4, 0, 0, 0x80000000u, 4})));
    ASSERT_EQ(seen().actions.size(), 1u);
    EXPECT_TRUE(seen().actions[0].invalidate_l2);
}

// ---- events -------------------------------------------------------------------------------------

TEST_P(Packets, EventWritePostsEvents) {
    ASSERT_TRUE(m().submit(packet("EVENT_WRITE", {25}) + packet("EVENT_WRITE", {46}) +
                           packet("EVENT_WRITE", {0x407}) + packet("EVENT_WRITE", {0x40F}) +
                           packet("EVENT_WRITE", {0x410}) +
                           set_context(si::VGT_EVENT_INITIATOR, {36})));
    std::vector<std::pair<uint8_t, uint8_t>> want = {{0, 25}, {0, 46}, {0, 7},
                                                     {0, 15}, {0, 16}, {0, 36}};
    EXPECT_EQ(seen().events, want);
    EXPECT_TRUE(seen().actions.empty());
}

TEST_P(Packets, EventWriteWithInvL2FlushesL2) {
    ASSERT_TRUE(m().submit(packet("EVENT_WRITE", {22 | 7u << 8 | 1u << 20}) +
                           packet("EVENT_WRITE", {22 | 7u << 8})));
    ASSERT_EQ(seen().actions.size(), 1u);
    EXPECT_TRUE(seen().actions[0].writeback_l2 && seen().actions[0].invalidate_l2);
}

TEST_P(Packets, EndOfPipeWritesFencesAndRaisesInterrupts) {
    ASSERT_TRUE(m().submit(eop(kData + 4, 1, 2, 0xFFFFFFFF00000042) +
                           eop(kData + 8, 2, 0, 0x1122334455667788, 40) + eop(0, 0, 1, 0, 4) +
                           eop(kData + 0x10, 1, 0, 5, 20, true)));
    EXPECT_EQ(m().peek(kData), 0u);
    EXPECT_EQ(m().peek(kData + 4), 0x42u);
    EXPECT_EQ(m().peek64(kData + 8), 0x1122334455667788u);
    EXPECT_EQ(m().peek(kData + 0x10), 5u);
    EXPECT_EQ(m().peek(kData + 0x14), 0u);
    ASSERT_EQ(seen().interrupts.size(), 2u);
    EXPECT_EQ(seen().interrupts[0].source_id, 181);
    EXPECT_EQ(seen().interrupts[0].ring, 0);
    ASSERT_EQ(seen().actions.size(), 1u);
    EXPECT_TRUE(seen().actions[0].invalidate_l2);
    EXPECT_EQ(m().host_read(si::CP_EOP_LAST_FENCE_LO), 5u);
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0), 1u << 26);
    m().host_write(si::CP_INT_STATUS_RING0, 1u << 26);
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0), 0u);
}

TEST_P(Packets, InterruptsThatAreNotEnabledOnlySetTheStatus) {
    m().host_write(si::CP_INT_CNTL_RING0 + 4, 0);
    ASSERT_TRUE(m().submit(eop(kData, 1, 2, 1), 1));
    EXPECT_TRUE(seen().interrupts.empty());
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0 + 4), 1u << 26);
}

TEST_P(Packets, EndOfShaderWritesItsFence) {
    ASSERT_TRUE(
        m().submit(packet("DISPATCH_DIRECT", {1, 1, 1, 1}, true) +
                       packet("EVENT_WRITE_EOS", {47 | 6u << 8, lo(kData), 2u << 29, 0x99}, true),
                   1));
    EXPECT_EQ(m().peek(kData), 0x99u);
    EXPECT_EQ(seen().events.at(0), (std::pair<uint8_t, uint8_t>{1, 47}));
}

TEST_P(Packets, AKernelFenceArrivesAfterItsFlush) {
    ASSERT_TRUE(m().submit(set_config(si::CP_COHER_CNTL2, {0}) +
                           surface_sync(1u << 22 | 1u << 23 | 1u << 27 | 1u << 29) +
                           eop(kData, 1, 2, 77)));
    EXPECT_EQ(m().peek(kData), 77u);
    EXPECT_EQ(seen().actions.size(), 1u);
    EXPECT_EQ(seen().interrupts.size(), 1u);
}

// ---- errors -------------------------------------------------------------------------------------

TEST_P(Packets, StopsNamePlaceAndReason) {
    const std::vector<uint32_t> pad(5, 0x80000000);
    EXPECT_EQ(stop(pad + std::vector<uint32_t>{0x40001000, 0}),
              "ring gfx dword 5: type-1 packet header 0x40001000 where a packet must start");
}
TEST_P(Packets, UnknownOpcodesStop) {
    EXPECT_EQ(stop({0xC0009900, 0}),
              "ring gfx dword 0: unknown packet opcode 0x99 (header 0xc0009900)");
}
TEST_P(Packets, UnimplementedPacketsStopByName) {
    const std::vector<std::pair<uint8_t, const char*>> packets = {
        {0x36, "DRAW_INDEX_MULTI_ELEMENT"},
        {0x74, "SET_RESOURCE_INDIRECT"},
        {0x7E, "SCRATCH_RAM_READ"}};
    for (const auto& [opcode, name] : packets)
        EXPECT_EQ(reason(packet(opcode, {0}), StopKind::Unimplemented),
                  std::string("packet ") + name + " is not implemented");
}
// ---- constant engine and DE ---------------------------------------------------------------------

std::vector<uint32_t> constants(uint64_t address, uint32_t dwords,
                                uint8_t opcode = si_opcode("INDIRECT_BUFFER_CONST")) {
    return packet(opcode, {lo(address), hi(address), dwords | 5u << 24});
}
std::vector<uint32_t> write_ram(uint32_t offset, std::vector<uint32_t> data) {
    data.insert(data.begin(), offset);
    return packet("WRITE_CONST_RAM", data);
}
std::vector<uint32_t> dump_ram(uint32_t offset, uint32_t dwords, uint64_t address) {
    return packet("DUMP_CONST_RAM", {offset, dwords, lo(address), hi(address)});
}
std::vector<uint32_t> copy_dword(uint64_t from, uint64_t to) {
    return packet("COPY_DATA", {1 | 1u << 8, lo(from), hi(from), lo(to), hi(to)});
}
uint32_t size_of(const std::vector<uint32_t>& words) {
    return static_cast<uint32_t>(words.size());
}

TEST_P(Packets, RingWaitsForConstantsThatItsConstantBufferDumps) {
    const std::vector<uint32_t> ib = write_ram(0x20, {7, 8, 9}) + dump_ram(0x24, 2, kData) +
                                     packet("INCREMENT_CE_COUNTER", {0}) + write_ram(0x24, {10}) +
                                     dump_ram(0x24, 1, kData + 0x40) +
                                     packet("INCREMENT_CE_COUNTER", {0});
    m().poke(kIb + 4, ib);
    for (const uint8_t opcode : {0x31, 0x33}) {
        const uint64_t to = kData + 0x100 + 0x100u * (opcode & 2);
        ASSERT_TRUE(
            m().submit(constants(kIb + 4, size_of(ib), opcode) + packet("WAIT_ON_CE_COUNTER", {0}) +
                       copy_dword(kData + 4, to) + packet("INCREMENT_DE_COUNTER", {0}) +
                       packet("WAIT_ON_CE_COUNTER", {0}) + copy_dword(kData + 0x40, to + 4) +
                       packet("INCREMENT_DE_COUNTER", {0})));
        EXPECT_EQ(m().peek(to), 9u);
        EXPECT_EQ(m().peek(to + 4), 10u);
    }
    for (const auto& [ring, type] : seen().events)
        EXPECT_EQ(type, 11);  // END_OF_PIPE_INCR_DE
}
TEST_P(Packets, RingsHaveConstantBuffersAndCountersOfTheirOwn) {
    for (unsigned ring = 0; ring < kSiRings; ++ring) {
        const std::vector<uint32_t> ib = write_ram(0, {100 + ring}) +
                                         dump_ram(0, 1, kData + 4 * ring) +
                                         packet("INCREMENT_CE_COUNTER", {0});
        m().poke(kIb + 0x100 * ring, ib);
        m().put(constants(kIb + 0x100 * ring, size_of(ib)) + packet("WAIT_ON_CE_COUNTER", {0}) +
                    copy_dword(kData + 4 * ring, kData + 0x40 + 4 * ring) +
                    packet("INCREMENT_DE_COUNTER", {0}),
                ring);
    }
    for (unsigned ring = 0; ring < kSiRings; ++ring)
        m().doorbell(ring);
    ASSERT_TRUE(m().run());
    for (unsigned ring = 0; ring < kSiRings; ++ring)
        EXPECT_EQ(m().peek(kData + 0x40 + 4 * ring), 100 + ring);
}
TEST_P(Packets, RingThatWaitsForMissingConstantsSaysSo) {
    EXPECT_FALSE(m().submit(packet("WAIT_ON_CE_COUNTER", {0}) + set_config(0x8A14, {1})));
    EXPECT_TRUE(seen().regs.empty());
    EXPECT_THAT(m().waiting_for(), ::testing::HasSubstr("ME waits for WAIT_ON_CE_COUNTER"));
}
TEST_P(Packets, ConstantEngineWaitsForTheEndOfThePipe) {
    const std::vector<uint32_t> ib =
        packet("WAIT_ON_DE_COUNTER", {2, 0}) + write_ram(0, {1}) + dump_ram(0, 1, kData);
    m().poke(kIb, ib);
    EXPECT_FALSE(m().submit(constants(kIb, size_of(ib)) + packet("INCREMENT_DE_COUNTER", {0})));
    EXPECT_EQ(m().peek(kData), 0u);
    EXPECT_THAT(m().waiting_for(),
                ::testing::HasSubstr("CE waits for the DE counter in WAIT_ON_DE_COUNTER at ring "
                                     "gfx, constant IB 0x300000 dword 0"));
    EXPECT_TRUE(m().submit(packet("INCREMENT_DE_COUNTER", {0})));
    EXPECT_EQ(m().peek(kData), 1u);
}
TEST_P(Packets, BuffersOfCountersAreTakenInTurnAndLeftWithTheirLastIncrement) {
    // Three starts: the third needs buffer 0 again, which DE has left when its increment is out.
    std::vector<uint32_t> ib;
    for (uint32_t i = 0; i < 3; ++i)
        ib = ib + packet("SET_CE_DE_COUNTERS", {10 * i, 0}) + write_ram(0, {i}) +
             dump_ram(0, 1, kData + 4 * i) + packet("INCREMENT_CE_COUNTER", {0}) +
             packet("WAIT_ON_DE_COUNTER_DIFF", {1});
    m().poke(kIb, ib);
    std::vector<uint32_t> ring = constants(kIb, size_of(ib));
    for (uint32_t i = 0; i < 3; ++i)
        ring = ring + packet("WAIT_ON_AVAIL_BUFFER", {0}) + packet("WAIT_ON_CE_COUNTER", {0}) +
               copy_dword(kData + 4 * i, kData + 0x40 + 4 * i) +
               packet("INCREMENT_DE_COUNTER", {0});
    ASSERT_TRUE(m().submit(ring));
    for (uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(m().peek(kData + 0x40 + 4 * i), i);
    // And once more, without an increment in the pipe of the buffer that is left.
    const std::vector<uint32_t> two =
        packet("SET_CE_DE_COUNTERS", {0, 0}) + packet("SET_CE_DE_COUNTERS", {0, 0});
    m().poke(kIb, two);
    EXPECT_TRUE(m().submit(constants(kIb, 6) + packet("WAIT_ON_AVAIL_BUFFER", {0}) +
                           packet("WAIT_ON_AVAIL_BUFFER", {0})));
}
TEST_P(Packets, AvailableBufferIsWaitedFor) {
    EXPECT_FALSE(m().submit(packet("WAIT_ON_AVAIL_BUFFER", {0})));
    EXPECT_THAT(m().waiting_for(), ::testing::HasSubstr("WAIT_ON_AVAIL_BUFFER"));
}
TEST_P(Packets, SetBaseOnTheRingMovesThePartitionsOfTheConstantEngine) {
    const std::vector<uint32_t> ib = write_ram(0x3C, {3}) + dump_ram(0x3C, 1, kData);
    m().poke(kIb, ib);
    ASSERT_TRUE(m().submit(packet("SET_BASE", {3, 0x40, 0x80}) + constants(kIb, size_of(ib))));
    EXPECT_EQ(m().peek(kData), 3u);
    m().poke(kIb, write_ram(0x40, {3}));
    EXPECT_EQ(stop(constants(kIb, 3)),
              "ring gfx, constant IB 0x300000 dword 0: packet WRITE_CONST_RAM reaches to 0x44, "
              "beyond the ring's partition of CE RAM");
}
TEST_P(Packets, SetBaseOnARingTellsTheConstantEngineWhereTheGdsOfTheRingBegins) {
    const std::vector<uint32_t> ib =
        packet("WRITE_CONST_RAM_OFFSET", {0, 0x10}) + dump_ram(0, 1, kData);
    m().poke(kIb, ib);
    ASSERT_TRUE(m().submit(packet("SET_BASE", {2, 0x400, 0x1000})));
    for (unsigned ring = 0; ring < kSiRings; ++ring) {
        ASSERT_TRUE(m().submit(constants(kIb, size_of(ib)), ring));
        EXPECT_EQ(m().peek(kData), 0x10 + (ring == 0 ? 0 : ring == 1 ? 0x400u : 0x1000u));
    }
}
TEST_P(Packets, PartitionsOutOfOrderStop) {
    EXPECT_EQ(stop(packet("SET_BASE", {3, 0x80, 0x40})),
              "ring gfx dword 0: packet SET_BASE: partitions of the constant engine are not in "
              "order");
}
TEST_P(Packets, ConstantBuffersAreSwapped) {
    std::vector<uint32_t> ib = write_ram(0, {0x01020304}) + dump_ram(0, 1, kData);
    for (uint32_t& word : ib)
        word = swap_dword(word, 2);
    m().poke(kIb, ib);
    ASSERT_TRUE(m().submit(constants(kIb | 2, size_of(ib))));
    EXPECT_EQ(m().peek(kData), 0x01020304u);
}
TEST_P(Packets, PlacesInConstantBuffersAreNamed) {
    m().poke(kIb, packet("NOP", {0}) + set_config(0x8A14, {1}));
    EXPECT_EQ(stop(constants(kIb, 5)),
              "ring gfx, constant IB 0x300000 dword 2: packet SET_CONFIG_REG is not for the "
              "constant engine");
}
TEST_P(Packets, ConstantPacketsCutOffStop) {
    m().poke(kIb, packet("DUMP_CONST_RAM", {0, 0, 0, 0}));
    EXPECT_EQ(stop(constants(kIb, 4)),
              "ring gfx, constant IB 0x300000 dword 0: packet DUMP_CONST_RAM (opcode 0x83) is cut "
              "off: its body has 4 dwords, 3 are left before the end of the indirect buffer");
}
TEST_P(Packets, ConstantBuffersAreCalledFromAnyLevel) {
    const std::vector<uint32_t> one = write_ram(0, {1}) + dump_ram(0, 1, kData);
    const std::vector<uint32_t> two = write_ram(0, {2}) + dump_ram(0, 1, kData + 4);
    m().poke(kIb + 0x100, one);
    m().poke(kIb + 0x200, two);
    const auto size = [](const std::vector<uint32_t>& words) {
        return static_cast<uint32_t>(words.size());
    };
    const std::vector<uint32_t> inner = constants(kIb + 0x200, size(two));
    m().poke(kIb + 0x80, inner);
    const std::vector<uint32_t> outer =
        constants(kIb + 0x100, size(one)) + indirect(kIb + 0x80, size(inner));
    m().poke(kIb, outer);
    ASSERT_TRUE(m().submit(indirect(kIb, size(outer))));
    EXPECT_EQ(m().peek(kData), 1u);
    EXPECT_EQ(m().peek(kData + 4), 2u);
}
TEST_P(Packets, AHaltedConstantEngineWaitsUntilItIsReleased) {
    m().poke(kIb, write_ram(0, {1}) + dump_ram(0, 1, kData));
    m().host_write(si::CP_ME_CNTL, 1u << 24);  // CE_HALT
    EXPECT_FALSE(m().submit(constants(kIb, 8)));
    EXPECT_EQ(m().peek(kData), 0u);
    EXPECT_NE(m().waiting_for().find("CE is halted"), std::string::npos) << m().waiting_for();
    m().host_write(si::CP_ME_CNTL, 0);
    EXPECT_TRUE(m().run());
    EXPECT_EQ(m().peek(kData), 1u);
}
TEST_P(Packets, FetchOfConstantsFromNowhereFaults) {
    EXPECT_EQ(
        stop(constants(kUnmapped, 4), StopKind::Fault),
        "ring gfx, constant IB 0x900000 dword 0: fetch from unmapped address 0x900000 of VMID 5");
}
TEST_P(Packets, FaultsOfTheConstantEngineNameThePacket) {
    m().poke(kIb, write_ram(0, {1}) + dump_ram(0, 1, kUnmapped));
    EXPECT_EQ(stop(constants(kIb, 8), StopKind::Fault),
              "ring gfx, constant IB 0x300000 dword 3: DUMP_CONST_RAM to unmapped address "
              "0x900000 of VMID 5");
}

TEST_P(Packets, ConstantEnginePacketsStopOnARing) {
    EXPECT_EQ(stop(packet("WRITE_CONST_RAM", {0, 0})),
              "ring gfx dword 0: packet WRITE_CONST_RAM is for the constant engine, whose packets "
              "are in buffers of INDIRECT_BUFFER_CONST");
}
TEST_P(Packets, PacketsOfAnotherRingStop) {
    EXPECT_EQ(stop(packet("ME_INITIALIZE", {1, 0, 7, 0, 0, 0}), StopKind::BadInput, 1),
              "ring compute0 dword 0: packet ME_INITIALIZE is not allowed on this ring");
}
TEST_P(Packets, WrongSizesStop) {
    EXPECT_EQ(stop(packet("WAIT_REG_MEM", {0, 0, 0})),
              "ring gfx dword 0: packet WAIT_REG_MEM has 3 body dwords, must have 6");
}
TEST_P(Packets, TooSmallSizesStop) {
    EXPECT_EQ(stop(packet("WRITE_DATA", {0, 0, 0})),
              "ring gfx dword 0: packet WRITE_DATA has 3 body dwords, must have at least 4");
}
TEST_P(Packets, PacketsGoOnBehindTheWritePointer) {
    // Up to where the first wraps in the ring.
    ASSERT_TRUE(m().submit(packet("NOP", std::vector<uint32_t>(kRingDwords - 5))));
    const std::vector<uint32_t> all = write_data(kData, {1, 2, 3});
    for (size_t cut = 1; cut < all.size(); ++cut) {
        SCOPED_TRACE(cut);
        m().poke(kData, std::vector<uint32_t>{0, 0, 0});
        const auto at = all.begin() + static_cast<std::ptrdiff_t>(cut);
        EXPECT_FALSE(m().submit(std::vector<uint32_t>(all.begin(), at)));
        EXPECT_NE(m().waiting_for().find("dwords beyond the write pointer"), std::string::npos)
            << m().waiting_for();
        EXPECT_EQ(m().peek(kData + 8), 0u);
        EXPECT_TRUE(m().submit(std::vector<uint32_t>(at, all.end())));
        EXPECT_EQ(m().peek(kData), 1u);
        EXPECT_EQ(m().peek(kData + 8), 3u);
    }
}
TEST_P(Packets, PacketsThatNoRingHoldsStop) {
    EXPECT_EQ(stop({make_header(si_opcode("NOP"), 1023), 0, 0}),
              "ring gfx dword 0: packet NOP (opcode 0x10) is cut off: its body has 1023 dwords, "
              "more than the ring ever holds");
}
TEST_P(Packets, PacketsThatFillTheirRingAreWaitedFor) {
    EXPECT_FALSE(m().submit({make_header(si_opcode("NOP"), 1022)}));
    EXPECT_TRUE(m().submit(std::vector<uint32_t>(1022)));
}
TEST_P(Packets, PacketsCutOffByTheBufferEndStop) {
    m().poke(kIb, std::vector<uint32_t>{0x80000000, make_header(si_opcode("SET_SH_REG"), 4), 0x240,
                                        1, 2, 3});
    EXPECT_EQ(stop(indirect(kIb, 4)),
              "ring gfx, IB1 0x300000 dword 1: packet SET_SH_REG (opcode 0x76) is cut off: its "
              "body has 4 dwords, 2 are left before the end of the indirect buffer");
}
TEST_P(Packets, NestingDeeperThanIb2Stops) {
    m().poke(kIb, indirect(kIb + 0x100, 4));
    m().poke(kIb + 0x100, indirect(kIb, 4));
    EXPECT_EQ(stop(indirect(kIb, 4)),
              "ring gfx, IB2 0x300100 dword 0: packet INDIRECT_BUFFER inside IB2: indirect buffers "
              "nest two deep");
}
TEST_P(Packets, RegistersOutsideTheWindowStop) {
    EXPECT_EQ(stop(packet("SET_CONFIG_REG", {0xBFF, 1, 2})),
              "ring gfx dword 0: packet SET_CONFIG_REG: registers 0xaffc..0xb000 are outside the "
              "window 0x8000..0xafff");
}
TEST_P(Packets, GraphicsStagesOnAComputeRingStop) {
    EXPECT_EQ(stop(set_sh(0xB020, {1}), StopKind::BadInput, 2),
              "ring compute1 dword 0: packet SET_SH_REG: register 0xb020 of a graphics stage on a "
              "compute ring");
}
TEST_P(Packets, MisalignedAddressesStop) {
    EXPECT_EQ(stop(eop(kData + 4, 2, 0, 0)),
              "ring gfx dword 0: packet EVENT_WRITE_EOP: address 0x200004 is not qword aligned");
}
TEST_P(Packets, ReservedEncodingsStop) {
    EXPECT_EQ(stop(eop(kData, 1, 3, 0)),
              "ring gfx dword 0: packet EVENT_WRITE_EOP: reserved INT_SEL 3");
}
TEST_P(Packets, UnimplementedDataSourcesStopByName) {
    EXPECT_EQ(stop(eop(kData, 4, 0, 0), StopKind::Unimplemented),
              "ring gfx dword 0: packet EVENT_WRITE_EOP with DATA_SEL 4 (CP_PERFCOUNTER) is not "
              "implemented");
}
TEST_P(Packets, EventsWithAForeignIndexStop) {
    EXPECT_EQ(stop(packet("EVENT_WRITE", {25 | 4u << 8})),
              "ring gfx dword 0: packet EVENT_WRITE: EVENT_INDEX 4 does not go with "
              "PIPELINESTAT_START");
}
TEST_P(Packets, PfpPollsMemoryOnly) {
    EXPECT_EQ(stop(packet("WAIT_REG_MEM", {5 | 1u << 8, 0x2145, 0, 0, ~0u, 4})),
              "ring gfx dword 0: packet WAIT_REG_MEM: ENGINE PFP polls memory only");
}
TEST_P(Packets, UnmappedReadsAreFaults) {
    EXPECT_EQ(stop(wait_memory(kUnmapped + 8, 3, 1), StopKind::Fault),
              "ring gfx dword 0: packet WAIT_REG_MEM: POLL_ADDRESS: read of unmapped address "
              "0x900008");
}
TEST_P(Packets, UnmappedWritesAreFaults) {
    EXPECT_EQ(stop(packet("NOP", {0}) + write_data(kUnmapped + 8, {1}), StopKind::Fault),
              "ring gfx dword 2: packet WRITE_DATA: DST_ADDR: write to unmapped address 0x900000");
}
TEST_P(Packets, FaultsNamePacketAndField) {
    const uint32_t bad = lo(kUnmapped), good = lo(kData);
    const std::vector<uint32_t> loads = packet("CONTEXT_CONTROL", {0x81010003, 0x80000000});
    const uint32_t memory = 1 | 5u << 8;  // COPY_DATA
    m().poke(kData + 4, 0x80000000);
    m().poke(kData + 12, 0x80000000);
    const struct {
        std::vector<uint32_t> words;
        const char* what;
    } kRows[] = {
        {packet("COPY_DATA", {memory, bad, 0, good, 0}), "COPY_DATA: SRC_ADDR: read of"},
        {packet("COPY_DATA", {memory | 1u << 20, good, 0, bad, 0}),
         "COPY_DATA: DST_ADDR: write to"},
        {packet("COPY_DW", {3, bad, 0, good, 0}), "COPY_DW: SRC_ADDR: read of"},
        {packet("COPY_DW", {3, good, 0, bad, 0}), "COPY_DW: DST_ADDR: write to"},
        {write_data(kUnmapped, {1, 2, 3}, 2), "WRITE_DATA: DST_ADDR: write to"},
        {write_data(kUnmapped, {1}, 1, true, 1), "WRITE_DATA: DST_ADDR: write to"},
        {cond_exec(kUnmapped, 0), "COND_EXEC: BOOL_ADDR: read of"},
        {set_predication(kUnmapped, {1}), "SET_PREDICATION: START_ADDR: read of"},
        {loads + packet("LOAD_CONFIG_REG", {bad, 0, 0, 1}), "LOAD_CONFIG_REG: BASE_ADDR: read of"},
        {loads + packet("LOAD_CONTEXT_REG", {bad, 0, 0, 1}),
         "LOAD_CONTEXT_REG: BASE_ADDR: read of"},
        {loads + packet("LOAD_SH_REG", {bad, 0, 0, 1}), "LOAD_SH_REG: BASE_ADDR: read of"},
        {packet("OCCLUSION_QUERY", {bad, 0, good, 0}), "OCCLUSION_QUERY: START_ADDR: read of"},
        {packet("STRMOUT_BUFFER_UPDATE", {1 | 3u << 1, bad, 0, 0, 0}),
         "STRMOUT_BUFFER_UPDATE: DST_ADDRESS: write to"},
        {packet("STRMOUT_BUFFER_UPDATE", {2u << 1, 0, 0, bad, 0}),
         "STRMOUT_BUFFER_UPDATE: SRC_ADDRESS: read of"},
        {packet("MEM_WRITE", {bad, 1u << 18, 1, 0}), "MEM_WRITE: ADDRESS: write to"},
        {packet("ME_WRITE", {bad, 0, 1}), "ME_WRITE: ADDR: write to"},
        {packet("MEM_SEMAPHORE", {bad, 7u << 29}), "MEM_SEMAPHORE: ADDRESS: read of"},
        {packet("ATOMIC", {0x0F, bad, 0, 1, 0, 0, 0, 0}), "ATOMIC: ADDR: "},
    };
    for (const auto& row : kRows) {
        const std::string text = reason(row.words, StopKind::Fault);
        EXPECT_EQ(text.find(std::string("packet ") + row.what), 0u) << text;
        EXPECT_THAT(text, ::testing::HasSubstr("unmapped address 0x900000"));
    }
}
TEST_P(Packets, UnmappedIndirectBuffersAreFaults) {
    EXPECT_EQ(stop(indirect(kUnmapped, 4), StopKind::Fault),
              "ring gfx, IB1 0x900000 dword 0: fetch from unmapped address 0x900000");
}
TEST_P(Packets, UnmappedDmaIsAFault) {
    EXPECT_EQ(stop(cp_dma(kUnmapped, kData, 64), StopKind::Fault),
              "ring gfx dword 0: CP_DMA read of unmapped address 0x900000");
}
TEST_P(Packets, WritePointersBeyondTheRingStop) {
    try {
        m().host_write(si::CP_RB0_WPTR, 1024);
        FAIL();
    } catch (const MachineStop& e) {
        EXPECT_STREQ(e.what(), "ring gfx: write pointer 1024 is beyond the ring of 1024 dwords");
    }
}

}  // namespace
}  // namespace archipelago::cp::test::packets_test
