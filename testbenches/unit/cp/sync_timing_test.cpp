// SPDX-License-Identifier: Apache-2.0
// Order and time of synchronisation: fences come after everything before them, waits end within
// their poll interval, time limits of waits, and SURFACE_SYNC against contexts that draw.
#include "models/cp/registers/si/coherency.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::sync_timing_test {
namespace {

using Words = std::vector<uint32_t>;

Words atomic(uint64_t address, uint32_t op, uint64_t source, uint64_t compare = 0,
             uint32_t command = 0, uint32_t interval = 0) {
    return packet("ATOMIC", {op | command << 8, lo(address), hi(address), lo(source), hi(source),
                             lo(compare), hi(compare), interval});
}
Words semaphore(uint64_t address, bool signal, bool mailbox = false) {
    return packet("MEM_SEMAPHORE",
                  {lo(address), (signal ? 6u : 7u) << 29 | (mailbox ? 1u << 16 : 0)});
}
Words draw() {
    return packet("DRAW_INDEX_AUTO", {3, 2});
}

// When a write reached memory whose line and place hold this; 0: never.
Cycle write_of(const TimedMachine& m, uint64_t address) {
    for (const auto& [at, request] : m.requests)
        if (request.command != MemCommand::Read && request.line == line_of(address) &&
            (request.byte_mask >> (address % kLineBytes) & 1) != 0)
            return at;
    return 0;
}
// Cycles of the requests of ME's polls or atomics of a line.
std::vector<Cycle> tries(const TimedMachine& m, uint64_t address, MemCommand command) {
    std::vector<Cycle> list;
    for (const auto& [at, request] : m.requests)
        if (request.client == Client::CpMe && request.line == line_of(address) &&
            request.command == command)
            list.push_back(at);
    return list;
}

TEST(CpSyncTiming, FencesAreWrittenAfterEverythingBeforeThem) {
    // What is before a fence: writes of both paths, atomics, copies, samples and other fences.
    for (const uint64_t shuffle : {0u, 1u, 2u, 3u}) {
        BenchOptions o;
        o.event_latency = 40;
        o.shuffle = shuffle;
        TimedMachine m(o);
        m.setup_rings();
        const uint64_t places[] = {kData,         kData + 0x100, kData + 0x200,
                                   kData + 0x300, kData + 0x400, kData + 0x500};
        ASSERT_TRUE(m.submit(write_data(places[0], {1}) + write_data(places[1], {1}, 2) +
                             atomic(places[2], 0x0F, 1) + cp_fill(7, places[3], 256) +
                             packet("EVENT_WRITE", {30 | 2u << 8, lo(places[4]), 0}) +
                             eop(places[5], 1, 0, 1) + eop(kData + 0x1000, 1, 0, 1)));
        const Cycle fence = write_of(m, kData + 0x1000);
        ASSERT_NE(fence, 0u);
        for (const uint64_t place : places) {
            EXPECT_NE(write_of(m, place), 0u) << place;
            EXPECT_LT(write_of(m, place), fence) << place << " " << shuffle;
        }
    }
}

TEST(CpSyncTiming, EndOfPipeCommandsOfARingEndInTheirOrder) {
    BenchOptions o;
    TimedMachine m(o);
    m.setup_rings();
    Words words;
    for (unsigned i = 0; i < 12; ++i)
        words =
            words + (i % 3 == 0   ? eop(kData + 0x40 * i, 1, 0, 1)
                     : i % 3 == 1 ? semaphore(kData + 0x40 * i, true, i % 2 == 0)
                                  : packet("EVENT_WRITE", {32 | 3u << 8, lo(kData + 0x40 * i), 0}));
    ASSERT_TRUE(m.submit(words));
    for (unsigned i = 1; i < 12; ++i)
        EXPECT_LT(write_of(m, kData + 0x40 * (i - 1)), write_of(m, kData + 0x40 * i)) << i;
}

TEST(CpSyncTiming, AWaitEndsWithinItsPollIntervalOfTheValue) {
    for (const uint32_t interval : {0u, 4u, 9u, 20u}) {
        BenchOptions o;
        TimedMachine m(o);
        m.setup_rings();
        m.poke(kData, 0);
        m.put(wait_memory(kData, 3, 1, ~0u, interval) + set_config(0x8A14, {1}));
        m.doorbell();
        m.limit(m.now() + 1777);
        m.run();
        ASSERT_TRUE(m.reg_cycles.empty());
        const Cycle changed = m.now();
        m.poke(kData, 1);
        m.limit(m.now() + 5000);
        ASSERT_TRUE(m.run());
        const Cycle round_trip = o.memory_latency + 40;  // of the poll, and on to the register
        EXPECT_LE(m.reg_cycles.at(0), changed + 16 * std::max(interval, 4u) + 2 * round_trip);
    }
}

TEST(CpSyncTiming, AtomicLoopsTrySixtyFourClocksTimesTheIntervalApart) {
    const auto distance = [](uint32_t interval) {
        TimedMachine m;
        m.setup_rings();
        m.limit(m.now() + 9000);
        m.submit(atomic(kData, 0x08, 9, 5, 1, interval));
        const std::vector<Cycle> list = tries(m, kData, MemCommand::Atomic);
        return list.size() > 2 ? list[2] - list[1] : 0;
    };
    const Cycle one = distance(1);
    EXPECT_GT(distance(0), 0u);
    EXPECT_LT(distance(0), one);
    EXPECT_GE(one, 64u);
    EXPECT_EQ(distance(7), one + 64 * 6);
}

TEST(CpSyncTiming, SignalsGoToTheBottomOfThePipe) {
    BenchOptions o;
    o.event_latency = 700;
    TimedMachine m(o);
    m.setup_rings();
    ASSERT_TRUE(m.submit(semaphore(kData, true) + set_config(0x8A14, {1})));
    EXPECT_GT(write_of(m, kData), m.reg_cycles.back() + 500);
}

TEST(CpSyncTiming, OnlyTheMailboxHoldsTheEndOfThePipeUp) {
    const auto second = [](bool mailbox) {
        BenchOptions o;
        o.memory_latency = 400;
        TimedMachine m(o);
        m.setup_rings();
        m.submit(semaphore(kData, true, mailbox) + eop(kData + 0x100, 1, 0, 1));
        return write_of(m, kData + 0x100) - write_of(m, kData);
    };
    EXPECT_LT(second(false), 100u);
    EXPECT_GE(second(true), 400u);
}

TEST(CpSyncTiming, AWaitLongerThanItsTimeoutInterruptsOnceAndGoesOn) {
    for (const bool pfp : {false, true}) {
        TimedMachine m;
        m.setup_rings();
        m.host_write(si::CP_INT_CNTL_RING1, 1u << 17);
        m.poke(kData, 0);
        const Cycle start = m.now();
        m.limit(start + 20000);
        m.put(set_config(si::CP_WAIT_REG_MEM_TIMEOUT, {3000}) + sync_pfp() +
                  wait_memory(kData, 5, 1, ~0u, 4, pfp) + set_config(0x8A14, {1}),
              1);
        m.doorbell(1);
        EXPECT_FALSE(m.run());
        ASSERT_EQ(m.seen.interrupts.size(), 1u) << pfp;
        EXPECT_EQ(m.seen.interrupts[0].source_id, 177);
        EXPECT_EQ(m.seen.interrupts[0].ring, 1);
        EXPECT_EQ(m.host_read(si::CP_INT_STATUS_RING1), 1u << 17);
        m.poke(kData, 1);
        m.limit(m.now() + 5000);
        EXPECT_TRUE(m.run());
        EXPECT_EQ(m.seen.reg(0x8A14), 1u);
        EXPECT_EQ(m.seen.interrupts.size(), 1u);
    }
}
TEST(CpSyncTiming, AShortWaitOrATimeoutOf0DoesNotInterrupt) {
    for (const uint32_t timeout : {0u, 1000000u}) {
        TimedMachine m;
        m.setup_rings();
        m.poke(kData, 0);
        m.limit(m.now() + 20000);
        m.put(set_config(si::CP_WAIT_REG_MEM_TIMEOUT, {timeout}) + wait_memory(kData, 3, 1));
        m.doorbell();
        EXPECT_FALSE(m.run());
        EXPECT_TRUE(m.seen.interrupts.empty());
        EXPECT_EQ(m.host_read(si::CP_INT_STATUS_RING0), 0u);
    }
}
TEST(CpSyncTiming, ASemaphoreWaitLongerThanItsTimerStopsTheMachine) {
    TimedMachine m;
    m.setup_rings();
    m.poke(kData, {0, 0});
    m.limit(m.now() + 30000);
    try {
        m.submit(set_config(si::CP_SEM_WAIT_TIMER, {4000}) + semaphore(kData, false));
        FAIL();
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Hang);
        EXPECT_STREQ(stop.what(),
                     "ring gfx dword 3: packet MEM_SEMAPHORE waits for longer than "
                     "CP_SEM_WAIT_TIMER (4000 clocks)");
    }
}

TEST(CpSyncTiming, CoherencyStatusIsBusyDuringASurfaceSync) {
    BenchOptions o;
    o.cache_latency = 900;
    TimedMachine m(o);
    m.setup_rings();
    m.put(surface_sync(1u << 23));
    m.limit(m.now() + 300);
    m.doorbell();
    EXPECT_FALSE(m.run());
    m.limit(m.now() + 50);
    EXPECT_EQ(m.host_read(si::CP_COHER_STATUS) >> 31, 1u);
    m.limit(m.now() + 3000);
    EXPECT_TRUE(m.run());
    EXPECT_EQ(m.host_read(si::CP_COHER_STATUS) >> 31, 0u);
}

// ---- destination bases

constexpr uint32_t kColor2 = 0x28C60 + 2 * 0x3C, kEnable2 = 1u << 8;

// Cycles between the draw and the register write after the SURFACE_SYNC.
Cycle held(uint32_t control, uint32_t size, uint32_t base, bool me, const Words& between = {}) {
    BenchOptions o;
    o.event_latency = 1000;
    TimedMachine m(o);
    m.setup_rings();
    EXPECT_TRUE(m.submit(set_context(kColor2, {0x5000}) + draw() + between +
                         surface_sync(control, size, base, me) + set_config(0x8A14, {1})));
    Cycle drawn = 0, set = 0;
    for (size_t i = 0; i < m.seen.regs.size(); ++i) {
        drawn = m.seen.regs[i].offset == si::VGT_DRAW_INITIATOR ? m.reg_cycles[i] : drawn;
        set = m.seen.regs[i].offset == 0x8A14 ? m.reg_cycles[i] : set;
    }
    EXPECT_TRUE(drawn != 0 && set > drawn);
    return set - drawn;
}

TEST(CpSyncTiming, ASurfaceThatIsDrawnToIsWaitedFor) {
    for (const bool me : {true, false}) {
        EXPECT_GT(held(kEnable2, 1, 0x5000, me), 1000u);
        EXPECT_GT(held(kEnable2, 0x2000, 0x4000, me), 1000u);
        EXPECT_GT(held(kEnable2, ~0u, 0, me), 1000u);
        EXPECT_LT(held(kEnable2, 0x1000, 0x4000, me), 500u);  // ends before it
        EXPECT_LT(held(kEnable2, 0x1000, 0x5001, me), 500u);  // begins after it
        EXPECT_LT(held(1u << 7, ~0u, 0, me), 500u);           // CB1 is not that base
        EXPECT_LT(held(1u << 23, ~0u, 0, me), 500u);          // no base enabled
    }
}
TEST(CpSyncTiming, AnOlderContextsSurfaceIsWaitedForToo) {
    // The next context draws elsewhere; the one before is still in the pipe.
    const Words roll = set_context(kColor2, {0x9000}) + draw();
    EXPECT_GT(held(kEnable2, 1, 0x5000, true, roll), 700u);
    EXPECT_GT(held(kEnable2, 1, 0x9000, true, roll), 700u);
    EXPECT_LT(held(kEnable2, 1, 0x7000, true, roll), 500u);
}
TEST(CpSyncTiming, EveryDestinationBaseHasItsEnable) {
    struct Base {
        uint32_t offset;
        unsigned bit;
    };
    std::vector<Base> bases = {{0x28248, 0},  {0x2824C, 1},  {0x281F8, 19},
                               {0x281FC, 21}, {0x28050, 14}, {0x28054, 14}};
    for (unsigned i = 0; i < 8; ++i)
        bases.push_back({0x28C60 + 0x3C * i, 6 + i});
    for (const Base& b : bases) {
        const Words other = set_context(b.offset, {0x7700}) + draw();
        EXPECT_GT(held(1u << b.bit, 1, 0x7700, true, other), 700u) << b.offset;
        EXPECT_LT(held(kDestinationEnables & ~(1u << b.bit), 1, 0x7700, true, other), 500u)
            << b.offset;
    }
}

}  // namespace
}  // namespace archipelago::cp::test::sync_timing_test
