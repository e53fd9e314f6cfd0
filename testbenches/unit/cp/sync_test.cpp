// SPDX-License-Identifier: Apache-2.0
// Events, atomics, semaphores, streamout buffers and waits: section 2.8 of the SI document.
#include "models/cp/registers/si/si_registers.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::sync_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;
using Event = std::pair<uint8_t, uint8_t>;

constexpr uint64_t kValid = uint64_t{1} << 63;

class Sync : public PacketsTest {
  protected:
    // Puts packets on a ring and lets everything run for a while.
    bool submit_for(Cycle cycles, const Words& words, unsigned ring = 0) {
        m().put(words, ring);
        m().doorbell(ring);
        stop_early(cycles);
        return m().run();
    }
    bool run_for(Cycle cycles) {
        stop_early(cycles);
        return m().run();
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, Sync, all_modes(), mode_name);

Words dispatch() {
    return packet("DISPATCH_DIRECT", {1, 1, 1, 1}, true);
}

// ---- ATOMIC, 2.8.1

struct Atomics {
    uint32_t op = 0;
    uint64_t source = 0;
    uint64_t compare = 0;
    uint32_t command = 0;
    uint32_t interval = 0;
};
Words atomic(uint64_t address, const Atomics& a) {
    return packet("ATOMIC", {a.op | a.command << 8, lo(address), hi(address), lo(a.source),
                             hi(a.source), lo(a.compare), hi(a.compare), a.interval});
}

struct AtomicCase {
    uint32_t op;
    uint64_t old, source, result, wide_result;
};
constexpr uint64_t kOld = 0xFFFFFFF0'80000005, kSource = 0x00000001'00000003;
constexpr AtomicCase kAtomics[] = {
    // The 32-bit forms see the lower dwords: 0x80000005 and 3.
    {0x07, kOld, kSource, 0x00000003, kSource},
    {0x0F, kOld, kSource, 0x80000008, 0xFFFFFFF1'80000008},
    {0x10, kOld, kSource, 0x80000002, 0xFFFFFFEF'80000002},
    {0x11, kOld, kSource, 0x80000005, kOld},
    {0x12, kOld, kSource, 0x00000003, kSource},
    {0x13, kOld, kSource, 0x00000003, kSource},
    {0x14, kOld, kSource, 0x80000005, kOld},
    {0x15, kOld, kSource, 0x00000001, 0x00000000'00000001},
    {0x16, kOld, kSource, 0x80000007, 0xFFFFFFF1'80000007},
    {0x17, kOld, kSource, 0x80000006, 0xFFFFFFF1'80000006},
    {0x18, kOld, kSource, 0x00000000, 0},
    {0x19, kOld, kSource, 0x00000003, kSource},
};

TEST_P(Sync, AtomicsOf32BitsChangeMemoryAndReturnWhatWasThere) {
    for (const AtomicCase& c : kAtomics) {
        start();
        m().poke(kData, {lo(c.old), 0x77});
        ASSERT_TRUE(m().submit(atomic(kData, {c.op, c.source})));
        EXPECT_EQ(m().peek(kData), c.result) << c.op;
        EXPECT_EQ(m().peek(kData + 4), 0x77u) << c.op;
        EXPECT_EQ(m().host_read(si::CP_ATOMIC_PREOP_LO), lo(c.old)) << c.op;
        EXPECT_EQ(m().host_read(si::CP_ATOMIC_PREOP_HI), 0u) << c.op;
    }
}
TEST_P(Sync, AtomicsOf64BitsChangeMemoryAndReturnWhatWasThere) {
    for (const AtomicCase& c : kAtomics) {
        start();
        m().poke(kData, {lo(c.old), hi(c.old)});
        ASSERT_TRUE(m().submit(atomic(kData, {c.op | 0x20, c.source})));
        EXPECT_EQ(m().peek64(kData), c.wide_result) << c.op;
        EXPECT_EQ(m().host_read(si::CP_ATOMIC_PREOP_LO), lo(c.old)) << c.op;
        EXPECT_EQ(m().host_read(si::CP_ATOMIC_PREOP_HI), hi(c.old)) << c.op;
    }
}
TEST_P(Sync, FloatAtomicsCompareAsFloats) {
    m().poke(kData, {0xBF800000, 0x3F800000, 0x40000000});  // -1, 1, 2
    ASSERT_TRUE(m().submit(atomic(kData, {0x02, 0x3F000000}) +
                           atomic(kData + 4, {0x03, 0x3F000000}) +
                           atomic(kData + 8, {0x01, 0x40400000, 0x40000000})));
    EXPECT_EQ(m().peek(kData), 0xBF800000u);
    EXPECT_EQ(m().peek(kData + 4), 0x3F800000u);
    EXPECT_EQ(m().peek(kData + 8), 0x40400000u);
}
TEST_P(Sync, CompareAndSwapSwapsOnlyWhatItExpects) {
    m().poke(kData, {5, 0});
    ASSERT_TRUE(m().submit(atomic(kData, {0x08, 9, 4}) + atomic(kData + 8, {0x28, 9, kOld})));
    EXPECT_EQ(m().peek(kData), 5u);
    EXPECT_EQ(m().host_read(si::CP_ATOMIC_PREOP_LO), m().peek(kData + 8));
    m().poke(kData + 8, {lo(kOld), hi(kOld)});
    ASSERT_TRUE(m().submit(atomic(kData, {0x08, 9, 5}) + atomic(kData + 8, {0x28, kSource, kOld})));
    EXPECT_EQ(m().peek(kData), 9u);
    EXPECT_EQ(m().peek64(kData + 8), kSource);
}
TEST_P(Sync, AnAtomicLoopEndsWhenTheCompareIsSatisfied) {
    m().poke(kData, 1);
    EXPECT_FALSE(submit_for(3000, atomic(kData, {0x08, 9, 5, 1, 3}) + write_data(kData + 64, {1})));
    EXPECT_EQ(m().peek(kData), 1u);
    EXPECT_NE(m().peek(kData + 64), 1u);
    EXPECT_THAT(m().waiting_for(), HasSubstr("ATOMIC"));
    EXPECT_EQ(m().host_read(si::CP_ATOMIC_PREOP_LO), 1u);
    m().poke(kData, 5);
    EXPECT_TRUE(run_for(3000));
    EXPECT_EQ(m().peek(kData), 9u);
    EXPECT_EQ(m().peek(kData + 64), 1u);
}
TEST_P(Sync, A64BitLoopComparesBothDwords) {
    m().poke(kData, {5, 0});
    EXPECT_FALSE(submit_for(3000, atomic(kData, {0x28, 9, 0x1'00000005, 1, 1})));
    m().poke(kData, {5, 1});
    EXPECT_TRUE(run_for(3000));
    EXPECT_EQ(m().peek64(kData), 9u);
}
TEST_P(Sync, A32BitLoopComparesTheLowerDword) {
    m().poke(kData, {5, 0});
    EXPECT_TRUE(submit_for(3000, atomic(kData, {0x08, 9, 0x1'00000005, 1, 1})));
}
TEST_P(Sync, TwoRingsPassALockByAtomicLoops) {
    // Each takes the lock, increments a counter only its owner may touch, and releases the lock.
    m().poke(kData, {0, 0});
    for (unsigned ring = 0; ring < 3; ++ring) {
        Words words;
        for (unsigned i = 0; i < 8; ++i)
            words = words + atomic(kData, {0x08, 1 + ring, 0, 1, 1}) +
                    packet("COPY_DW", {1, lo(kData + 4), 0, si::SCRATCH_REG0 / 4, 0}) +
                    packet("REG_RMW", {0x2541, ~0u, 0}) +  // time passes
                    atomic(kData + 4, {0x0F, 1}) + atomic(kData, {0x08, 0, 1 + ring, 0});
        m().put(words, ring);
        m().doorbell(ring);
    }
    EXPECT_TRUE(m().run());
    EXPECT_EQ(m().peek(kData), 0u);
    EXPECT_EQ(m().peek(kData + 4), 24u);
}
TEST_P(Sync, CopyDataGivesTheRingsOwnAtomicReturn) {
    m().poke(kData, {lo(kOld), hi(kOld), 7});
    ASSERT_TRUE(m().submit(atomic(kData, {0x2F, 1})));
    ASSERT_TRUE(m().submit(atomic(kData + 8, {0x0F, 1}), 1));
    const auto copy = [](uint64_t to, bool wide) {
        return packet("COPY_DATA", {6 | 5u << 8 | (wide ? 1u << 16 : 0), 0, 0, lo(to), 0});
    };
    ASSERT_TRUE(m().submit(copy(kData + 0x40, true)));
    ASSERT_TRUE(m().submit(copy(kData + 0x48, false), 1));
    EXPECT_EQ(m().peek64(kData + 0x40), kOld);
    EXPECT_EQ(m().peek(kData + 0x48), 7u);
}
TEST_P(Sync, OpcodesThatAreNoReturningAtomicsStop) {
    const auto is_atomic = [](uint32_t op) {
        const uint32_t low = op & 0x1F;
        return (low >= 1 && low <= 3) || (low >= 7 && low <= 0xB) || (low >= 0xF && low <= 0x19);
    };
    char text[64];
    for (uint32_t op = 0; op < 0x80; ++op) {
        if (op < 0x40 && is_atomic(op))
            continue;
        std::snprintf(text, sizeof text, "packet ATOMIC: OP 0x%x %s", op,
                      op < 0x40 ? "is not an atomic" : "returns no value");
        EXPECT_EQ(reason(atomic(kData, {op})), text);
    }
}
TEST_P(Sync, FlushingFloatAtomicsStopByName) {
    for (const uint32_t op : {0x09u, 0x0Au, 0x0Bu, 0x29u, 0x2Au, 0x2Bu})
        EXPECT_THAT(reason(atomic(kData, {op}), StopKind::Unimplemented),
                    HasSubstr("(denormals flushed) is not implemented"));
}
TEST_P(Sync, AtomicRestrictionsStop) {
    for (uint32_t command = 2; command < 16; ++command)
        EXPECT_EQ(reason(atomic(kData, {0x08, 0, 0, command})),
                  "packet ATOMIC: reserved CMD " + std::to_string(command));
    EXPECT_EQ(reason(atomic(kData, {0x0F, 0, 0, 1})),
              "packet ATOMIC: OP 0xf does not loop, only a compare-and-swap does");
    EXPECT_EQ(reason(atomic(kData + 2, {0x0F})),
              "packet ATOMIC: address 0x200002 is not dword aligned");
    EXPECT_EQ(reason(atomic(kData + 4, {0x2F})),
              "packet ATOMIC: address 0x200004 is not qword aligned");
    EXPECT_THAT(reason(atomic(kUnmapped, {0x0F}), StopKind::Fault), HasSubstr("0x900000"));
}

// ---- EVENT_WRITE, 2.8.3

Words sample(uint8_t type, uint32_t index, uint64_t address) {
    return packet("EVENT_WRITE", {type | index << 8, lo(address), hi(address)});
}

TEST_P(Sync, SamplePipelineStatWritesElevenCounters) {
    m().count_samples();
    for (unsigned i = 0; i < 11; ++i)
        m().counts[i] = 0x1'00000000 * (i + 1) + i;
    const uint64_t at = kData + 0x38;  // over three lines
    ASSERT_TRUE(m().submit(sample(30, 2, at)));
    for (unsigned i = 0; i < 11; ++i)
        EXPECT_EQ(m().peek64(at + 8 * i), 0x1'00000000 * (i + 1) + i) << i;
    EXPECT_NE(m().peek64(at + 88), 0x1'00000000 * 12 + 11);
    EXPECT_THAT(seen().events, ElementsAre(Event{0, 30}));
}
TEST_P(Sync, SampleStreamoutStatsWritesNeededAndWritten) {
    m().count_samples();
    m().counts[0] = 40;
    m().counts[1] = 30;
    const uint8_t types[] = {32, 1, 2, 3};
    for (unsigned stream = 0; stream < 4; ++stream) {
        const uint64_t at = kData + 16 * stream;
        ASSERT_TRUE(m().submit(sample(types[stream], 3, at)));
        EXPECT_EQ(m().peek64(at), kValid | 40);
        EXPECT_EQ(m().peek64(at + 8), kValid | 30);
        EXPECT_EQ(seen().events.back(), (Event{0, types[stream]}));
    }
}
TEST_P(Sync, SamplesComeInTheOrderOfTheirEvents) {
    m().count_samples();
    m().counts[0] = 1;
    ASSERT_TRUE(m().submit(sample(32, 3, kData) + sample(30, 2, kData + 0x40) +
                           sample(21, 1, kData + 0x100) + sample(1, 3, kData + 0x200) +
                           eop(kData + 0x300, 1, 0, 5)));
    EXPECT_EQ(m().peek64(kData), kValid | 1);
    EXPECT_EQ(m().peek64(kData + 0x40), 1u);
    EXPECT_EQ(m().peek64(kData + 0x100), kValid | 1);
    EXPECT_EQ(m().peek64(kData + 0x200), kValid | 1);
    EXPECT_EQ(m().peek(kData + 0x300), 5u);
}
TEST_P(Sync, WithoutACounterSamplesAre0) {
    m().poke(kData, std::vector<uint32_t>(32, 0xAAAAAAAA));
    ASSERT_TRUE(m().submit(sample(30, 2, kData), 1));
    ASSERT_TRUE(m().submit(sample(32, 3, kData + 0x60)));
    for (unsigned i = 0; i < 11; ++i)
        EXPECT_EQ(m().peek64(kData + 8 * i), 0u);
    EXPECT_EQ(m().peek64(kData + 0x60), kValid);
}
TEST_P(Sync, ZpassDoneWritesAsManyPairsAsThereAreDepthBlocks) {
    Spec spec = si_spec();
    spec.depth_blocks = 3;
    start(spec);
    m().poke(kData, std::vector<uint32_t>(64, 0xAAAAAAAA));
    ASSERT_TRUE(m().submit(sample(21, 1, kData + 8)));
    for (unsigned i = 0; i < 16; ++i)
        EXPECT_EQ(m().peek64(kData + 8 * i) == kValid, i % 2 == 1 && i < 6) << i;
}
TEST_P(Sync, ZpassDoneWritesTheCountsOfTheDepthBlocks) {
    m().count_samples();
    for (unsigned i = 0; i < 8; ++i)
        m().counts[i] = 1000 + i;
    ASSERT_TRUE(m().submit(sample(21, 1, kData)));
    for (unsigned i = 0; i < 8; ++i)
        EXPECT_EQ(m().peek64(kData + 16 * i), kValid | (1000 + i)) << i;
}
TEST_P(Sync, SamplesDoNotTouchTheLastFence) {
    ASSERT_TRUE(m().submit(eop(kData, 1, 0, 0x1234) + sample(32, 3, kData + 8)));
    EXPECT_EQ(m().host_read(si::CP_EOP_LAST_FENCE_LO), 0x1234u);
}
TEST_P(Sync, EventIndexMustGoWithTheType) {
    const uint8_t samples[] = {1, 2, 3, 21, 30, 32};
    const auto own = [](uint8_t type) { return type == 21 ? 1u : type == 30 ? 2u : 3u; };
    for (uint32_t index = 0; index < 16; ++index) {
        const bool of_others = index == 5 || index == 6 || index > 7;
        for (const uint8_t type : samples) {
            const std::string text = reason(sample(type, index, kData));
            if (index == own(type))
                EXPECT_EQ(text, "no stop") << index << " " << int{type};
            else
                EXPECT_THAT(text, HasSubstr("EVENT_INDEX")) << index << " " << int{type};
        }
        for (const uint8_t type :
             {uint8_t{7}, uint8_t{15}, uint8_t{16}, uint8_t{6}, uint8_t{22}, uint8_t{25}}) {
            const bool flush = type == 7 || type == 15 || type == 16;
            const bool cache = type == 6 || type == 22;
            const bool fits = index == 0 || (index == 4 && flush) || (index == 7 && cache);
            const std::string text = reason(packet("EVENT_WRITE", {type | index << 8}));
            EXPECT_EQ(text == "no stop", fits) << index << " " << int{type} << text;
            if (of_others) {
                EXPECT_THAT(text, HasSubstr("is not one of EVENT_WRITE"));
            }
        }
    }
}
TEST_P(Sync, EndOfPipeAndEndOfShaderEventsAreForTheirOwnPackets) {
    for (const uint8_t type : {4, 20, 40, 43, 45, 47, 48})
        EXPECT_THAT(reason(packet("EVENT_WRITE", {type})),
                    HasSubstr("is for EVENT_WRITE_EOP or EVENT_WRITE_EOS"));
}
TEST_P(Sync, EventsHaveTheSizeOfTheirCategory) {
    EXPECT_THAT(reason(packet("EVENT_WRITE", {30 | 2u << 8})),
                HasSubstr("has 1 body dwords, must have 3"));
    EXPECT_THAT(reason(packet("EVENT_WRITE", {25, 0, 0})),
                HasSubstr("has 3 body dwords, must have 1"));
    EXPECT_THAT(reason(packet("EVENT_WRITE", {9})), HasSubstr("reserved EVENT_TYPE 9"));
}
TEST_P(Sync, SamplesMisalignedStop) {
    EXPECT_EQ(reason(sample(30, 2, kData + 4)),
              "packet EVENT_WRITE: address 0x200004 is not qword aligned");
}
TEST_P(Sync, SamplesToNowhereAreFaults) {
    EXPECT_THAT(reason(sample(30, 2, kUnmapped), StopKind::Fault),
                HasSubstr("SAMPLE_PIPELINESTAT write to unmapped address 0x900000"));
}
TEST_P(Sync, SampleEventsByRegisterWritesStopByName) {
    EXPECT_EQ(reason(set_context(si::VGT_EVENT_INITIATOR, {30}), StopKind::Unimplemented),
              "packet SET_CONTEXT_REG writes SAMPLE_PIPELINESTAT to the event initiator, which is "
              "not implemented");
}
TEST_P(Sync, CacheFlushesWithInvL2CleanL2) {
    ASSERT_TRUE(m().submit(packet("EVENT_WRITE", {22 | 7u << 8 | 1u << 20}) +
                           packet("EVENT_WRITE", {6 | 7u << 8})));
    ASSERT_EQ(seen().actions.size(), 1u);
    EXPECT_TRUE(seen().actions[0].writeback_l2 && seen().actions[0].invalidate_l2);
    EXPECT_THAT(seen().events, ElementsAre(Event{0, 22}, Event{0, 6}));
}
TEST_P(Sync, AStreamoutFlushSetsOffsetUpdateDone) {
    EXPECT_EQ(m().host_read(si::CP_STRMOUT_CNTL), 0u);
    ASSERT_TRUE(m().submit(packet("EVENT_WRITE", {31}) +
                           packet("WAIT_REG_MEM", {3, si::CP_STRMOUT_CNTL / 4, 0, 1, 1, 4})));
    EXPECT_EQ(m().host_read(si::CP_STRMOUT_CNTL), 1u);
    ASSERT_TRUE(m().submit(set_config(si::CP_STRMOUT_CNTL, {0})));
    EXPECT_EQ(m().host_read(si::CP_STRMOUT_CNTL), 0u);
}

// ---- EVENT_WRITE_EOP, 2.8.4

class FixedPerfCounter : public PerfCounterSource {
  public:
    uint64_t cp_perfcounter() const override { return 0x1234567'89ABCDEF; }
};

TEST_P(Sync, EveryDataSelectionWritesItsData) {
    FixedPerfCounter counter;
    if (functional())
        static_cast<FunctionalMachine&>(m()).cp.use_perfcounter(counter);
    else
        timed()->core().use_perfcounter(counter);
    m().poke(kData, std::vector<uint32_t>(16, 0xAAAAAAAA));
    ASSERT_TRUE(m().submit(eop(kData, 0, 0, kOld) + eop(kData + 8, 1, 0, kOld) +
                           eop(kData + 16, 2, 0, kOld) + eop(kData + 24, 3, 0, kOld) +
                           eop(kData + 32, 4, 0, kOld)));
    EXPECT_EQ(m().peek(kData), 0xAAAAAAAAu);
    EXPECT_EQ(m().peek(kData + 8), lo(kOld));
    EXPECT_EQ(m().peek(kData + 12), 0xAAAAAAAAu);
    EXPECT_EQ(m().peek64(kData + 16), kOld);
    if (functional())
        EXPECT_EQ(m().peek64(kData + 24), 0x123456789Au);
    else
        EXPECT_LT(m().peek64(kData + 24), timed()->now());
    EXPECT_EQ(m().peek64(kData + 32), 0x1234567'89ABCDEFu);
}
TEST_P(Sync, EveryEndOfPipeEventIsPosted) {
    for (const uint8_t type : {4, 20, 40, 43, 45}) {
        start();
        ASSERT_TRUE(m().submit(eop(kData, 1, 0, 7, type)));
        EXPECT_THAT(seen().events, ElementsAre(Event{0, type}));
        EXPECT_EQ(m().peek(kData), 7u);
    }
    for (const uint8_t type : {6, 7, 21, 25, 30, 47})
        EXPECT_THAT(reason(eop(kData, 1, 0, 7, type)), HasSubstr("is not an end-of-pipe event"));
}
TEST_P(Sync, InterruptsComeAsSelected) {
    ASSERT_TRUE(m().submit(eop(kData, 1, 0, 1)));
    EXPECT_TRUE(seen().interrupts.empty());
    ASSERT_TRUE(m().submit(eop(kData, 0, 1, 1)));
    EXPECT_EQ(seen().interrupts.size(), 1u);
    ASSERT_TRUE(m().submit(eop(kData, 1, 2, 9), 2));
    ASSERT_EQ(seen().interrupts.size(), 2u);
    EXPECT_EQ(seen().interrupts[1].ring, 2);
    EXPECT_EQ(seen().interrupts[1].source_id, 181);
    EXPECT_EQ(m().peek(kData), 9u);
}
TEST_P(Sync, EndOfPipeReservedEncodingsStop) {
    for (uint32_t data = 5; data < 8; ++data)
        EXPECT_EQ(reason(eop(kData, data, 0, 0)),
                  "packet EVENT_WRITE_EOP: reserved DATA_SEL " + std::to_string(data));
    for (uint32_t data = 1; data < 5; ++data)
        EXPECT_EQ(reason(eop(kData, data, 1, 0)),
                  "packet EVENT_WRITE_EOP: INT_SEL 1 (interrupt only) with DATA_SEL " +
                      std::to_string(data));
    EXPECT_EQ(reason(eop(kData, 1, 3, 0)), "packet EVENT_WRITE_EOP: reserved INT_SEL 3");
    for (uint32_t index = 0; index < 16; ++index)
        if (index != 5) {
            EXPECT_EQ(
                reason(packet("EVENT_WRITE_EOP", {20 | index << 8, lo(kData), 0, 0, 0})),
                "packet EVENT_WRITE_EOP: EVENT_INDEX " + std::to_string(index) + ", must be 5");
        }
}
TEST_P(Sync, EndOfPipeAddressesAreAlignedByTheirData) {
    EXPECT_EQ(reason(eop(kData + 3, 0, 0, 0)), "no stop");
    EXPECT_EQ(reason(eop(kData + 4, 1, 0, 0)), "no stop");
    EXPECT_THAT(reason(eop(kData + 2, 1, 0, 0)), HasSubstr("not dword aligned"));
    for (uint32_t data = 2; data < 5; ++data)
        EXPECT_THAT(reason(eop(kData + 4, data, 0, 0)), HasSubstr("not qword aligned"));
}

// ---- EVENT_WRITE_EOS, 2.8.5

Words eos(uint8_t type, bool compute, uint32_t command = 2, uint32_t index = 6) {
    return packet("EVENT_WRITE_EOS", {type | index << 8, lo(kData), command << 29, 0x99}, compute);
}

TEST_P(Sync, WhatLiesBetweenAnEndOfShaderFenceAndItsWorkIsCounted) {
    const Words between = set_config(0x8A14, {1});
    ASSERT_TRUE(m().submit(dispatch() + eos(47, true)));
    EXPECT_EQ(de().warnings.count(Warning::EosApart), 0u);
    m().poke(kData, 0);
    ASSERT_TRUE(m().submit(dispatch() + between + eos(47, true)));
    EXPECT_EQ(m().peek(kData), 0x99u);
    EXPECT_EQ(de().warnings.count(Warning::EosApart), 1u);
    m().poke(kData, 0);
    ASSERT_TRUE(
        m().submit(packet("DRAW_INDEX_AUTO", {3, 2}) + between + eos(48, false) + eos(48, false)));
    EXPECT_EQ(m().peek(kData), 0x99u);
    EXPECT_EQ(de().warnings.count(Warning::EosApart), 3u);
}
TEST_P(Sync, StrictEndOfShaderFencesDirectlyFollowADispatch) {
    strict = true;
    EXPECT_EQ(reason(dispatch() + eos(47, true)), "no stop");
    EXPECT_EQ(m().peek(kData), 0x99u);
    EXPECT_EQ(reason(dispatch() + eos(47, true), StopKind::BadInput, 1), "no stop");
    EXPECT_EQ(reason(dispatch() + eos(47, false), StopKind::BadInput, 2), "no stop");
    EXPECT_EQ(reason(dispatch() + eos(47, true) + eos(47, true)), "no stop");
    // NOPs and fillers end in the prefetch parser.
    EXPECT_EQ(reason(dispatch() + packet("NOP", {0}) + Words{0x80000000} + eos(47, true)),
              "no stop");
    EXPECT_EQ(reason(eos(47, true)), "packet EVENT_WRITE_EOS: must directly follow a dispatch");
    EXPECT_EQ(reason(dispatch() + set_config(0x8A14, {1}) + eos(47, true)),
              "packet EVENT_WRITE_EOS: must directly follow a dispatch");
    EXPECT_EQ(reason(dispatch() + Words{make_type0_header(0x9508, 1), 1} + eos(47, true)),
              "packet EVENT_WRITE_EOS: must directly follow a dispatch");
    EXPECT_EQ(reason(dispatch() + eos(48, false)),
              "packet EVENT_WRITE_EOS: must directly follow a draw");
}
TEST_P(Sync, StrictEndOfPixelShaderFencesDirectlyFollowADraw) {
    strict = true;
    const Words draw = packet("DRAW_INDEX_AUTO", {3, 2});
    EXPECT_EQ(reason(draw + eos(48, false)), "no stop");
    EXPECT_EQ(m().peek(kData), 0x99u);
    EXPECT_THAT(seen().events, ::testing::Contains(Event{0, 48}));
    EXPECT_EQ(reason(draw + eos(47, true)),
              "packet EVENT_WRITE_EOS: must directly follow a dispatch");
    EXPECT_EQ(reason(packet("NUM_INSTANCES", {1}) + eos(48, false)),  // NUM_INSTANCES draws nothing
              "packet EVENT_WRITE_EOS: must directly follow a draw");
}
TEST_P(Sync, OtherRingsDoNotComeBetweenADispatchAndItsFence) {
    ASSERT_TRUE(m().submit(dispatch()));
    ASSERT_TRUE(m().submit(set_config(0x8A14, {1}), 1));
    ASSERT_TRUE(m().submit(eos(47, true)));
}
TEST_P(Sync, EndOfShaderReservedEncodingsStop) {
    for (const uint32_t command : {0u, 3u, 4u, 5u, 6u, 7u})
        EXPECT_EQ(reason(dispatch() + eos(47, true, command)),
                  "packet EVENT_WRITE_EOS: reserved CMD " + std::to_string(command));
    for (uint32_t index = 0; index < 16; ++index)
        if (index != 6) {
            EXPECT_EQ(
                reason(dispatch() + eos(47, true, 2, index)),
                "packet EVENT_WRITE_EOS: EVENT_INDEX " + std::to_string(index) + ", must be 6");
        }
    EXPECT_EQ(reason(dispatch() + eos(40, true)),
              "packet EVENT_WRITE_EOS: BOTTOM_OF_PIPE_TS is not an end-of-shader event");
    EXPECT_EQ(reason(dispatch() + eos(47, false)),
              "packet EVENT_WRITE_EOS: CS_DONE does not go with SHADER_TYPE 0");
    EXPECT_EQ(reason(dispatch() + eos(48, true)),
              "packet EVENT_WRITE_EOS: PS_DONE does not go with SHADER_TYPE 1");
    EXPECT_EQ(reason(dispatch() + eos(48, false), StopKind::BadInput, 1),
              "packet EVENT_WRITE_EOS: PS_DONE on a compute ring");
    EXPECT_EQ(reason(dispatch() +
                     packet("EVENT_WRITE_EOS", {47 | 6u << 8, lo(kData) + 2, 2u << 29, 0}, true)),
              "packet EVENT_WRITE_EOS: address 0x200002 is not dword aligned");
}

// ---- MEM_SEMAPHORE, 2.8.6

struct Semaphore {
    bool signal = true;
    bool one = false;
    bool mailbox = false;
    uint32_t client = 0;
};
Words semaphore(uint64_t address, const Semaphore& s) {
    return packet("MEM_SEMAPHORE",
                  {lo(address), hi(address) | (s.signal ? 6u : 7u) << 29 | s.client << 24 |
                                    (s.one ? 1u << 20 : 0) | (s.mailbox ? 1u << 16 : 0)});
}
const Semaphore kSignal{true}, kWait{false};

TEST_P(Sync, SignalsCount) {
    m().poke(kData, {0xFFFFFFFF, 0});
    ASSERT_TRUE(m().submit(semaphore(kData, kSignal) + semaphore(kData, kSignal)));
    EXPECT_EQ(m().peek64(kData), 0x100000001u);
}
TEST_P(Sync, SignalsOfTypeOneWriteOne) {
    m().poke(kData, {7, 7});
    ASSERT_TRUE(m().submit(semaphore(kData, {true, true}) + semaphore(kData, {true, true})));
    EXPECT_EQ(m().peek64(kData), 1u);
}
TEST_P(Sync, AWaitTakesOneFromTheSemaphore) {
    m().poke(kData, {0, 1});
    ASSERT_TRUE(m().submit(semaphore(kData, kWait) + semaphore(kData, kWait)));
    EXPECT_EQ(m().peek64(kData), 0xFFFFFFFEu);
}
TEST_P(Sync, AWaitHoldsItsRingUntilAnotherRingSignals) {
    m().poke(kData, {0, 0});
    EXPECT_FALSE(submit_for(5000, semaphore(kData, kWait) + write_data(kData + 64, {1}), 1));
    EXPECT_NE(m().peek(kData + 64), 1u);
    EXPECT_THAT(m().waiting_for(), HasSubstr("MEM_SEMAPHORE"));
    stop_early(20000);
    EXPECT_TRUE(m().submit(semaphore(kData, kSignal)));
    EXPECT_EQ(m().peek(kData + 64), 1u);
    EXPECT_EQ(m().peek64(kData), 0u);
}
TEST_P(Sync, EveryWaitNeedsASignalOfItsOwn) {
    m().poke(kData, {0, 0});
    EXPECT_FALSE(submit_for(5000, semaphore(kData, kWait) + write_data(kData + 64, {1}), 1));
    EXPECT_FALSE(submit_for(5000, semaphore(kData, kWait) + write_data(kData + 68, {1}), 2));
    EXPECT_FALSE(submit_for(20000, semaphore(kData, kSignal)));
    EXPECT_EQ(m().peek(kData + 64) % 2 + m().peek(kData + 68) % 2, 1u);
    EXPECT_TRUE(submit_for(20000, semaphore(kData, kSignal)));
    EXPECT_EQ(m().peek64(kData), 0u);
    EXPECT_EQ(m().peek(kData + 64) % 2 + m().peek(kData + 68) % 2, 2u);
}
TEST_P(Sync, SignalsPostTheEventOfTheirClient) {
    ASSERT_TRUE(m().submit(semaphore(kData, {true, false, false, 0}) +
                           semaphore(kData, {true, false, true, 1}) +
                           semaphore(kData, {true, true, true, 2})));
    EXPECT_THAT(seen().events, ElementsAre(Event{0, 40}, Event{0, 45}, Event{0, 43}));
}
TEST_P(Sync, SemaphoreRegistersShowTheLastOfEachKind) {
    m().poke(kData, {1, 0});
    ASSERT_TRUE(m().submit(semaphore(kData, kWait) + semaphore(kData + 8, {true, true, true, 2})));
    EXPECT_EQ(m().host_read(si::CP_WAIT_SEM_ADDR_LO), lo(kData));
    EXPECT_EQ(m().host_read(si::CP_WAIT_SEM_ADDR_HI), 7u << 29);
    EXPECT_EQ(m().host_read(si::CP_SIG_SEM_ADDR_LO), lo(kData + 8));
    EXPECT_EQ(m().host_read(si::CP_SIG_SEM_ADDR_HI), 6u << 29 | 2u << 24 | 1u << 20 | 1u << 16);
}
TEST_P(Sync, SemaphoreRestrictionsStop) {
    for (uint32_t select = 0; select < 6; ++select)
        EXPECT_EQ(reason(packet("MEM_SEMAPHORE", {lo(kData), select << 29})),
                  "packet MEM_SEMAPHORE: reserved SEM_SEL " + std::to_string(select));
    for (const bool signal : {true, false})
        EXPECT_EQ(reason(semaphore(kData, {signal, false, false, 3})),
                  "packet MEM_SEMAPHORE: reserved CLIENT_CODE 3");
    EXPECT_EQ(reason(semaphore(kData, {false, true})),
              "packet MEM_SEMAPHORE: SIGNAL_TYPE 1 with SEM_SEL Wait");
    EXPECT_EQ(reason(packet("MEM_SEMAPHORE", {lo(kData), 7u << 29 | 1u << 12})),
              "packet MEM_SEMAPHORE: WAIT_ON_SIGNAL, which is Evergreen's");
    EXPECT_EQ(reason(semaphore(kData + 4, kSignal)),
              "packet MEM_SEMAPHORE: address 0x200004 is not qword aligned");
    EXPECT_THAT(reason(semaphore(kUnmapped, kWait), StopKind::Fault), HasSubstr("0x900000"));
    EXPECT_THAT(reason(semaphore(kUnmapped, kSignal), StopKind::Fault),
                HasSubstr("BOTTOM_OF_PIPE_TS write to unmapped address 0x900000"));
    EXPECT_THAT(reason(semaphore(kUnmapped + (uint64_t{0x80} << 32), kWait), StopKind::Fault),
                HasSubstr("0x8000900000"));
}

// ---- STRMOUT_BUFFER_UPDATE, 2.8.9

constexpr uint32_t kFilled = 0x8960;
uint32_t offset_register(unsigned buffer) {
    return 0x28ADC + 16 * buffer;
}
Words strmout(uint32_t buffer, uint32_t source, bool update, uint64_t to, uint64_t from_or_offset) {
    return packet("STRMOUT_BUFFER_UPDATE", {buffer << 8 | source << 1 | (update ? 1u : 0), lo(to),
                                            hi(to), lo(from_or_offset), hi(from_or_offset)});
}

TEST_P(Sync, StreamoutOffsetsComeFromThePacket) {
    for (unsigned buffer = 0; buffer < 4; ++buffer) {
        start();
        ASSERT_TRUE(m().submit(strmout(buffer, 0, false, 0, 0x80000000 + buffer)));
        EXPECT_THAT(seen().regs,
                    ElementsAre(RegWrite{offset_register(buffer), 0x80000000 + buffer, 0}));
    }
}
TEST_P(Sync, StreamoutOffsetsComeFromTheFilledSize) {
    for (unsigned buffer = 0; buffer < 4; ++buffer) {
        start();
        for (unsigned i = 0; i < 4; ++i)
            ASSERT_TRUE(m().submit(set_config(kFilled + 4 * i, {100 + i})));
        ASSERT_TRUE(m().submit(strmout(buffer, 1, false, 0, 0)));
        EXPECT_EQ(seen().regs.back(), (RegWrite{offset_register(buffer), 100 + buffer, 0}));
    }
}
TEST_P(Sync, StreamoutOffsetsComeFromMemorySwapped) {
    m().poke(kData, 0x78563412);
    ASSERT_TRUE(m().submit(strmout(2, 2, false, 0, kData) + strmout(3, 2, false, 0, kData | 2)));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{offset_register(2), 0x78563412, 0},
                                         RegWrite{offset_register(3), 0x12345678, 0}));
}
TEST_P(Sync, FilledSizesAreStoredSwapped) {
    ASSERT_TRUE(m().submit(set_config(kFilled + 4, {0x12345678})));
    const size_t before = seen().regs.size();
    ASSERT_TRUE(
        m().submit(strmout(1, 3, true, kData, 0) + strmout(1, 3, true, (kData + 4) | 1, 0)));
    EXPECT_EQ(m().peek(kData), 0x12345678u);
    EXPECT_EQ(m().peek(kData + 4), 0x34127856u);
    EXPECT_EQ(seen().regs.size(), before);  // source none writes no offset
    ASSERT_TRUE(m().submit(strmout(1, 3, false, kData + 8, 0)));
    EXPECT_NE(m().peek(kData + 8), 0x12345678u);
}
TEST_P(Sync, StoringAndReloadingInOnePacketStoresFirst) {
    ASSERT_TRUE(m().submit(set_config(kFilled, {55})));
    m().poke(kData + 4, 66);
    ASSERT_TRUE(m().submit(strmout(0, 1, true, kData, 0) + strmout(0, 2, true, kData, kData + 4) +
                           strmout(0, 0, true, kData + 8, 77)));
    EXPECT_EQ(m().peek(kData), 55u);
    EXPECT_EQ(m().peek(kData + 8), 55u);
    ASSERT_EQ(seen().regs.size(), 4u);
    EXPECT_EQ(seen().regs[1].value, 55u);
    EXPECT_EQ(seen().regs[2].value, 66u);
    EXPECT_EQ(seen().regs[3].value, 77u);
}
TEST_P(Sync, StreamoutGoesOnOverTwoCommandBuffers) {
    // The end of the first stores how far the buffer is filled, the begin of the second reloads it.
    ASSERT_TRUE(m().submit(set_config(kFilled + 8, {0x400}) + packet("EVENT_WRITE", {31}) +
                           packet("WAIT_REG_MEM", {3, si::CP_STRMOUT_CNTL / 4, 0, 1, 1, 4}) +
                           strmout(2, 3, true, kData, 0)));
    ASSERT_TRUE(m().submit(sync_pfp() + strmout(2, 2, false, 0, kData)));
    EXPECT_EQ(seen().reg(offset_register(2)), 0x400u);
}
TEST_P(Sync, StreamoutReservedSwapsStop) {
    EXPECT_EQ(reason(strmout(0, 2, false, 0, kData | 3)),
              "packet STRMOUT_BUFFER_UPDATE: reserved swap code 3");
    EXPECT_EQ(reason(strmout(0, 3, true, kData | 3, 0)),
              "packet STRMOUT_BUFFER_UPDATE: reserved swap code 3");
    EXPECT_EQ(reason(strmout(0, 0, false, kData | 3, 3)), "no stop");  // no addresses
}

// ---- WAIT_REG_MEM, 2.8.11

TEST_P(Sync, WaitsCompareByAllFunctionsInBothSpaces) {
    const bool passes[7][3] = {{true, true, true},   {true, false, false}, {true, true, false},
                               {false, true, false}, {true, false, true},  {false, true, true},
                               {false, false, true}};
    const uint32_t values[] = {0x70001233, 0x70001234, 0x00001235};
    for (uint32_t function = 0; function < 7; ++function)
        for (unsigned v = 0; v < 3; ++v)
            for (const bool memory : {false, true}) {
                start();
                m().poke(kData, values[v]);
                const Words words =
                    set_config(si::SCRATCH_REG0, {values[v]}) +
                    packet("WAIT_REG_MEM",
                           {function | (memory ? 1u << 4 : 0),
                            memory ? lo(kData) : si::SCRATCH_REG0 / 4, 0, 0x1234, 0xFFFF, 4});
                EXPECT_EQ(submit_for(3000, words), passes[function][v])
                    << function << " " << v << " " << memory;
            }
    EXPECT_EQ(reason(packet("WAIT_REG_MEM", {7 | 1u << 4, lo(kData), 0, 0, 0, 4})),
              "packet WAIT_REG_MEM: reserved FUNCTION 7");
}
TEST_P(Sync, WaitsOfPfpPollMemoryWithEveryFunctionThatIsNotReserved) {
    for (uint32_t function = 0; function < 8; ++function)
        EXPECT_EQ(
            reason(packet("WAIT_REG_MEM", {function | 1u << 4 | 1u << 8, lo(kData), 0, 0, 0, 4})),
            function != 7 ? "no stop" : "packet WAIT_REG_MEM: reserved FUNCTION 7");
    EXPECT_EQ(reason(packet("WAIT_REG_MEM", {5 | 1u << 8, lo(kData) / 4, 0, 0, 0, 4})),
              "packet WAIT_REG_MEM: ENGINE PFP polls memory only");
}
TEST_P(Sync, WaitsSwapWhatTheyPoll) {
    m().poke(kData, 0x78563412);
    EXPECT_EQ(submit_for(3000, packet("WAIT_REG_MEM",
                                      {3 | 1u << 4, lo(kData) | 2, 0, 0x12345678, ~0u, 4})),
              true);
    EXPECT_EQ(reason(packet("WAIT_REG_MEM", {3 | 1u << 4, lo(kData) | 3, 0, 0, 0, 4})),
              "packet WAIT_REG_MEM: reserved swap code 3");
}

// ---- SURFACE_SYNC, 2.8.10

TEST_P(Sync, SurfaceSyncOfADestinationEndsWhateverItsEngine) {
    const Words draw = packet("DRAW_INDEX_AUTO", {3, 2});
    for (const bool me : {false, true}) {
        start();
        ASSERT_TRUE(m().submit(set_context(0x28C60, {0x5000}) + draw +
                               surface_sync(1u << 6 | 1u << 23, 1, 0x5000, me) +
                               wait_memory(kData + 64, 5, 0, ~0u, 4, true) +
                               set_config(0x8A14, {1})));
        EXPECT_EQ(seen().reg(0x8A14), 1u);
        EXPECT_EQ(seen().actions.size(), 1u);
        EXPECT_THAT(seen().events, ElementsAre(Event{0, 5}));  // the context has ended
    }
}

TEST_P(Sync, SurfaceSyncPassesRangeAndActionsOn) {
    ASSERT_TRUE(m().submit(surface_sync(1u << 23 | 1u << 27, 0x10, 0x2000) +
                           surface_sync(1u << 22, ~0u, 0, false)));
    ASSERT_EQ(seen().actions.size(), 2u);
    const CacheAction& first =
        seen().actions[0].invalidate_l2 ? seen().actions[0] : seen().actions[1];
    EXPECT_EQ(first.base, 0x200000u);
    EXPECT_EQ(first.size, 0x1000u);
    EXPECT_TRUE(first.invalidate_l2 && first.writeback_l2 && first.invalidate_scalar);
    EXPECT_FALSE(first.invalidate_l1 || first.invalidate_inst);
}

}  // namespace
}  // namespace archipelago::cp::test::sync_test
