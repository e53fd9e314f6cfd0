// SPDX-License-Identifier: Apache-2.0
// Packets of constant buffers that move data: WRITE_DATA and COPY_DATA with ENGINE_SEL CE by the
// tables of "Radeon Southern Islands Acceleration" 2.9.2 and 2.9.4, CE_WRITE; and what the constant
// engine accepts without effect. In both engines.
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/cp/registers/si/si_registers.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::ce_data_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;

class CeData : public PacketsTest {
  protected:
    void SetUp() override {
        Spec spec = si_spec();
        spec.user_registers.allow(0x8A18, 0x8A18);
        start(spec);
    }
    // Runs packets in a constant buffer.
    bool constant(const Words& words, unsigned ring = 0, uint8_t vmid = 0) {
        m().poke(kIb, words);
        return m().submit(indirect(kIb, static_cast<uint32_t>(words.size()), vmid, 0x31), ring);
    }
    // How a new machine stops at them.
    std::string stop(const Words& words, unsigned ring = 0, uint8_t vmid = 0) {
        SetUp();
        try {
            constant(words, ring, vmid);
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), StopKind::BadInput) << e.what();
            return e.what();
        }
        return "no stop";
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, CeData, all_modes(), mode_name);

Words ce_write_data(uint64_t address, const Words& values, uint32_t destination,
                    bool confirm = false, bool one_address = false) {
    return write_data(address, values, destination, confirm, 2, one_address);
}
Words copy(uint32_t control, uint64_t source, uint64_t destination) {
    return packet("COPY_DATA",
                  {2u << 30 | control, lo(source), hi(source), lo(destination), hi(destination)});
}
constexpr uint32_t kConfirm = 1 << 20, kWide = 1 << 16;
Words write_ram(uint32_t offset, const Words& values) {
    return packet("WRITE_CONST_RAM", Words{offset} + values);
}
Words dump(uint32_t offset, uint32_t dwords, uint64_t address) {
    return packet("DUMP_CONST_RAM", {offset, dwords, lo(address), hi(address)});
}

TEST_P(CeData, WriteDataReachesRegistersAndMemory) {
    for (const bool confirm : {false, true}) {
        SetUp();
        ASSERT_TRUE(constant(ce_write_data(0x8A14 / 4, {1, 2}, 0, confirm) +
                             ce_write_data(kData, {3, 4}, 1, confirm) +
                             ce_write_data(kData + 0x38, {5, 6, 7, 8}, 5, confirm) +
                             ce_write_data(kData + 0x80, {9, 10}, 5, confirm, true)));
        EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x8A14, 1, 0}, RegWrite{0x8A18, 2, 0}));
        EXPECT_EQ(m().peek(kData), 3u);
        EXPECT_EQ(m().peek(kData + 4), 4u);
        for (uint32_t i = 0; i < 4; ++i)
            EXPECT_EQ(m().peek(kData + 0x38 + 4 * i), 5 + i);
        EXPECT_EQ(m().peek(kData + 0x80), 10u);
        EXPECT_EQ(m().peek(kData + 0x84), 0u);
    }
}

TEST_P(CeData, CopyDataTakesFromRegistersMemoryAndItself) {
    m().poke(kData + 0x100, {0x11, 0x22});
    ASSERT_TRUE(m().submit(set_config(0x8A14, {0x33, 0x44})));
    ASSERT_TRUE(constant(copy(0 | 1 << 8, 0x8A14 / 4, kData) +
                         copy(0 | 2 << 8 | kWide | kConfirm, 0x8A14 / 4, kData + 8) +
                         copy(1 | 1 << 8 | kWide, kData + 0x100, kData + 16) +
                         copy(2 | 2 << 8, kData + 0x104, kData + 24) +
                         copy(5 | 2 << 8 | kWide, 0x1122334455667788, kData + 32) +
                         copy(5 | 0 << 8 | kConfirm, 7, 0x8A1C / 4)));
    EXPECT_EQ(m().peek(kData), 0x33u);
    EXPECT_EQ(m().peek64(kData + 8), 0x4400000033u);
    EXPECT_EQ(m().peek64(kData + 16), 0x2200000011u);
    EXPECT_EQ(m().peek(kData + 24), 0x22u);
    EXPECT_EQ(m().peek64(kData + 32), 0x1122334455667788u);
    EXPECT_EQ(seen().reg(0x8A1C), 7u);
}

// Buffers queue up after one that waits for DE: setting a base that is not the engine's must not
// keep DE from moving on.
TEST_P(CeData, OnlyASetBaseOfItsPartitionsWaitsForTheConstantEngine) {
    constexpr unsigned kMax = 160;
    unsigned ended = 0;
    for (unsigned buffers = 1; buffers <= kMax; ++buffers) {
        bool done[2] = {};
        for (const bool base : {false, true}) {
            SetUp();
            if (auto* timed = dynamic_cast<TimedMachine*>(&m()))
                timed->limit(20'000);
            m().poke(kIb, packet("WAIT_ON_DE_COUNTER", {1, 0}));  // WAIT_ON_DE_COUNTER
            Words words;
            for (unsigned i = 0; i < buffers; ++i)
                words = words + indirect(kIb, 3, 0, 0x31);
            if (base)
                words = words + packet("SET_BASE", {1, 0, 0});
            done[base ? 1 : 0] = m().submit(words + packet("INCREMENT_DE_COUNTER", {0}));
        }
        EXPECT_EQ(done[1], done[0]) << buffers << " buffers";
        ended += done[0] ? 1 : 0;
    }
    EXPECT_GT(ended, 0u);
    if (GetParam() != Mode::Functional) {
        EXPECT_LT(ended, kMax) << "the queue of the constant engine never filled";
    }
}

TEST_P(CeData, CeWriteWritesItsDwordsToMemory) {
    Words values;
    for (uint32_t i = 0; i < 40; ++i)
        values.push_back(i + 1);
    ASSERT_TRUE(constant(packet("CE_WRITE", Words{lo(kData + 0x2C), hi(kData)} + values)));
    for (uint32_t i = 0; i < 40; ++i)
        EXPECT_EQ(m().peek(kData + 0x2C + 4 * i), i + 1);
    EXPECT_EQ(m().peek(kData + 0x28), 0u);
    EXPECT_THAT(stop(packet("CE_WRITE", {2, 0, 1})), HasSubstr("address 0x2 is not dword aligned"));
    EXPECT_THAT(stop(packet("CE_WRITE", {0, 0x10000, 1})), HasSubstr("reserved bits of ADDR_HI"));
    EXPECT_THAT(stop(packet("CE_WRITE", {0, 0})), HasSubstr("must have at least 3"));
}

TEST_P(CeData, TheyComeBehindThePacketsBeforeThemAndBeforeThoseBehind) {
    // Two dumps to one place with a read of it between: each sees what was before it alone.
    ASSERT_TRUE(constant(write_ram(0, {1}) + dump(0, 1, kData) +
                         packet("INCREMENT_CE_COUNTER", {0}) + copy(5 | 2 << 8, 2, kData + 4) +
                         write_ram(0, {3}) + ce_write_data(kData + 8, {4}, 1, true) +
                         dump(0, 1, kData + 12)));
    EXPECT_EQ(m().peek(kData), 1u);
    EXPECT_EQ(m().peek(kData + 4), 2u);
    EXPECT_EQ(m().peek(kData + 8), 4u);
    EXPECT_EQ(m().peek(kData + 12), 3u);
}

TEST_P(CeData, EachRingCarriesOutItsOwn) {
    for (unsigned ring = 0; ring < kSiRings; ++ring) {
        ASSERT_TRUE(constant(
            ce_write_data(0x8A14 / 4, {ring}, 0) + ce_write_data(kData + 4 * ring, {ring + 1}, 1),
            ring));
        EXPECT_EQ(seen().regs.back(), (RegWrite{0x8A14, ring, static_cast<uint8_t>(ring)}));
        EXPECT_EQ(m().peek(kData + 4 * ring), ring + 1);
    }
}

TEST_P(CeData, CombinationsOutsideTheTablesStop) {
    const std::vector<std::pair<Words, std::string>> cases = {
        {write_data(kData, {1}, 1, false, 0), "ENGINE_SEL 0 in a constant buffer, must be CE"},
        {write_data(kData, {1}, 1, false, 1), "ENGINE_SEL 1 in a constant buffer"},
        {ce_write_data(kData, {1}, 2), "DST_SEL 2 is not for the constant engine"},
        {ce_write_data(0, {1}, 3), "DST_SEL 3 is not for the constant engine"},
        {ce_write_data(0, {1}, 4), "reserved DST_SEL 4"},
        {ce_write_data(0, {1}, 6), "reserved DST_SEL 6"},
        {packet("COPY_DATA", {5 | 1 << 8, 0, 0, lo(kData), 0}),
         "ENGINE_SEL 0 in a constant buffer"},
        {copy(5 | 3 << 8, 0, 0), "DST_SEL 3 is not for the constant engine"},
        {copy(5 | 5 << 8, 0, kData), "DST_SEL 5 is not for the constant engine"},
        {copy(5 | 4 << 8, 0, kData), "reserved DST_SEL 4"},
        {copy(5 | 1 << 8 | kConfirm, 0, kData), "WR_CONFIRM does not go with DST_SEL 1"},
        {copy(3 | 1 << 8, 0, kData), "SRC_SEL 3 is not for the constant engine"},
        {copy(6 | 1 << 8, 0, kData), "SRC_SEL 6 is not for the constant engine"},
        {copy(7 | 1 << 8, 0, kData), "SRC_SEL 7 is not for the constant engine"},
        {copy(8 | 1 << 8, 0, kData), "SRC_SEL 8 is not for the constant engine"},
        {copy(4 | 1 << 8, 0, kData), "reserved SRC_SEL 4"},
        {ce_write_data(kData + 2, {1}, 1), "not dword aligned"},
        {ce_write_data(0x28A40 / 4, {1}, 0), "context register 0x28a40 at the constant engine"},
        {ce_write_data(0x28A90 / 4, {1}, 0), "starts an event at the constant engine"},
        {ce_write_data(0x287F0 / 4, {1}, 0), "starts a draw at the constant engine"},
    };
    for (const auto& c : cases) {
        const std::string text = stop(c.first);
        EXPECT_THAT(text, HasSubstr(c.second));
        EXPECT_THAT(text, HasSubstr("ring gfx, constant IB 0x300000 dword 0"));
    }
}

TEST_P(CeData, ThePacketsOfTheConstantEngineDoNotRunOnARing) {
    const auto ring_stop = [&](const Words& words) -> std::string {
        SetUp();
        try {
            m().submit(words);
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), StopKind::BadInput);
            return e.what();
        }
        return "no stop";
    };
    EXPECT_THAT(ring_stop(ce_write_data(kData, {1}, 1)),
                HasSubstr("ENGINE_SEL CE belongs into a buffer of INDIRECT_BUFFER_CONST"));
    EXPECT_THAT(ring_stop(copy(5 | 1 << 8, 0, kData)), HasSubstr("ENGINE_SEL CE belongs"));
    EXPECT_THAT(ring_stop(packet("CE_WRITE", {0, 0, 0})), HasSubstr("is for the constant engine"));
}

// ---- calls, 2.1.6: INDIRECT_BUFFER_CONST in a constant buffer

constexpr uint64_t kCalled = kIb + 0x800;
Words call(uint32_t dwords, uint64_t address = kCalled, uint8_t vmid = 0) {
    return indirect(address, dwords, vmid, 0x31);
}

TEST_P(CeData, AConstantBufferCallsOthersAndContinuesAfterThem) {
    for (unsigned ring = 0; ring < kSiRings; ++ring) {
        SetUp();
        const Words called = write_ram(8, {3, 4}), last = write_ram(20, {6}) + dump(0, 6, kData);
        m().poke(kCalled, called);
        m().poke(kCalled + 0x100, last);
        const auto size = [](const Words& words) { return static_cast<uint32_t>(words.size()); };
        ASSERT_TRUE(constant(write_ram(0, {1, 2}) + call(size(called)) + write_ram(16, {5}) +
                                 call(size(last), kCalled + 0x100),
                             ring));
        for (uint32_t i = 0; i < 6; ++i)
            EXPECT_EQ(m().peek(kData + 4 * i), i + 1) << "ring " << ring;
    }
}

TEST_P(CeData, WhatAConstantBufferCallsRunsAfterTheDataPacketsBeforeIt) {
    const Words called = dump(0, 1, kData + 0x40) + ce_write_data(kData, {8}, 5, true);
    m().poke(kCalled, called);
    ASSERT_TRUE(constant(write_ram(0, {1}) + ce_write_data(kData, {7}, 5, true) +
                         call(static_cast<uint32_t>(called.size()))));
    EXPECT_EQ(m().peek(kData), 8u);
    EXPECT_EQ(m().peek(kData + 0x40), 1u);
}

TEST_P(CeData, CalledConstantBuffersStopWithTheirPlace) {
    const auto stop_in = [&](uint64_t address, const Words& called) {
        SetUp();
        m().poke(kCalled, called);
        try {
            constant(call(static_cast<uint32_t>(called.size()), address));
        } catch (const MachineStop& e) {
            return std::string(e.what());
        }
        return std::string("no stop");
    };
    EXPECT_THAT(stop_in(kCalled, packet("NOP", {0}) + call(2)),
                HasSubstr("ring gfx, constant IB2 " + hex(kCalled) +
                          " dword 2: packet INDIRECT_BUFFER_CONST inside constant IB2: constant "
                          "buffers nest two deep"));
    EXPECT_THAT(stop_in(kCalled, {write_ram(0, {1})[0], 0}), HasSubstr("is cut off"));
    EXPECT_THAT(stop(call(0)), HasSubstr("of 0 dwords"));
    EXPECT_THAT(stop_in(0x7F000000, {0, 0}),
                HasSubstr("constant IB2 0x7f000000 dword 0: fetch from unmapped address"));
}

TEST_P(CeData, UserBuffersWriteNoPrivilegedRegister) {
    ASSERT_TRUE(constant(ce_write_data(0x8A18 / 4, {1}, 0), 0, 3));
    EXPECT_EQ(seen().regs.size(), 1u);
    m().host_write(si::CP_INT_CNTL_RING0, 1u << 23);
    ASSERT_TRUE(constant(ce_write_data(0x8A14 / 4, {1}, 0), 0, 3));
    EXPECT_EQ(seen().regs.size(), 1u);
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0), 1u << 23);
    EXPECT_THAT(stop(ce_write_data(0x8A14 / 4, {1}, 0), 0, 3),
                HasSubstr("writes privileged register 0x08a14"));
}

TEST_P(CeData, SwitchBufferAndInitializationAreAcceptedInBothStreams) {
    ASSERT_TRUE(m().submit(packet("SWITCH_BUFFER", {0})));
    ASSERT_TRUE(constant(packet("SWITCH_BUFFER", {0}) +
                         packet("ME_INITIALIZE", {1, 0, 7, 0, 0, 0}) +
                         ce_write_data(kData, {1}, 1)));
    EXPECT_TRUE(seen().regs.empty());
    EXPECT_EQ(m().peek(kData), 1u);
}

TEST(CeDataTiming, ADataPacketWaitsForTheDumpsOfItsRingOnlyUntilTheyAreSent) {
    BenchOptions options;
    options.memory_latency = 2000;
    TimedMachine m(options);
    m.setup_rings();
    const Words words = write_ram(0, {1}) + dump(0, 1, kData) + ce_write_data(0x8A14 / 4, {1}, 0);
    m.poke(kIb, words);
    ASSERT_TRUE(m.submit(indirect(kIb, static_cast<uint32_t>(words.size()), 0, 0x31)));
    // Ring, buffer, and not a third time for the dump.
    EXPECT_LT(m.reg_cycles.back(), 3u * 2000u);
    EXPECT_GT(m.now(), m.reg_cycles.back());
}

}  // namespace
}  // namespace archipelago::cp::test::ce_data_test
