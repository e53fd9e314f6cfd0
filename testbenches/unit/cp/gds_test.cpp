// SPDX-License-Identifier: Apache-2.0
// Packets that reach the global data share, in both engines, against what the document says they
// do: 2.2.3, 2.8.2, 2.8.5, 2.9.1 to 2.9.4, and CP_DMA.
#include <algorithm>
#include <memory>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/gcn/gds_atom.h"
#include "registers/si_cp.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::gds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint8_t kCsDone = 47;

std::vector<uint32_t> set_partitions(uint32_t cs1, uint32_t cs2) {
    return packet("SET_BASE", {2, cs1, cs2});
}
std::vector<uint32_t> alloc_gds(uint32_t size) {
    return packet("ALLOC_GDS", {size});
}
std::vector<uint32_t> write_gds(uint32_t index, const std::vector<uint32_t>& data,
                                bool compute = false) {
    return packet("WRITE_GDS_RAM", std::vector<uint32_t>{index} + data, compute);
}
std::vector<uint32_t> copy_data(uint32_t source, uint64_t from, uint32_t destination, uint64_t to,
                                bool wide = false, bool confirm = true) {
    return packet("COPY_DATA",
                  {source | destination << 8 | (wide ? 1u << 16 : 0) | (confirm ? 1u << 20 : 0),
                   lo(from), hi(from), lo(to), hi(to)});
}
// What an end of shader event must follow.
std::vector<uint32_t> dispatch() {
    return packet("DISPATCH_DIRECT", {1, 1, 1, 1}, true);
}
// With the dispatch in front of it.
std::vector<uint32_t> eos_store(uint64_t to, uint32_t index, uint32_t dwords,
                                uint8_t type = kCsDone) {
    return dispatch() + packet("EVENT_WRITE_EOS",
                               {type | 6u << 8, lo(to), hi(to) | 1u << 29, index | dwords << 16},
                               type == kCsDone);
}
std::vector<uint32_t> eos_fence(uint64_t to, uint32_t data) {
    return packet("EVENT_WRITE_EOS", {kCsDone | 6u << 8, lo(to), hi(to) | 2u << 29, data}, true);
}

struct Atomic {
    uint32_t op = 0;
    bool loop = false, complete = false, read = false;
    uint32_t read_control = 0;
    uint32_t cntl = 0, base = 0, size = 0xFFFF, offset0 = 0, offset1 = 0, dst = 0;
    uint64_t src0 = 0, src1 = 0;
    std::vector<uint32_t> words() const {
        return packet("ATOMIC_GDS", {op | (loop ? 1u << 16 : 0) | (complete ? 1u << 17 : 0) |
                                         (read ? 1u << 18 : 0) | read_control << 19,
                                     cntl, base, size, offset0 | offset1 << 16, dst, lo(src0),
                                     hi(src0), lo(src1), hi(src1)});
    }
};

class GdsPackets : public PacketsTest {
  protected:
    void gds_poke(unsigned at, uint32_t value) {
        std::memcpy(m().gds_contents().memory.data() + at, &value, 4);
    }
    // CP_GDS_ATOMIC0_PREOP_LO, HI, 1_LO, HI.
    std::array<uint32_t, 4> found() {
        std::array<uint32_t, 4> words{};
        for (unsigned i = 0; i < 4; ++i)
            words[i] = m().host_read(si::CP_GDS_ATOMIC0_PREOP_LO + 4 * i);
        return words;
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, GdsPackets, all_modes(), mode_name);

// ---- partitions ---------------------------------------------------------------------------------

TEST_P(GdsPackets, PartitionsBelongToTheRingsWhicheverSetThem) {
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000), 1));
    EXPECT_TRUE(m().submit(write_gds(8, {0x10}), 0));
    EXPECT_TRUE(m().submit(write_gds(8, {0x11}), 1));
    EXPECT_TRUE(m().submit(write_gds(8, {0x12}), 2));
    EXPECT_EQ(m().gds_word(8), 0x10u);
    EXPECT_EQ(m().gds_word(0x408), 0x11u);
    EXPECT_EQ(m().gds_word(0x1008), 0x12u);
}

TEST_P(GdsPackets, WithoutPartitionsEveryRingHasAllOfIt) {
    for (unsigned ring = 0; ring < kSiRings; ++ring)
        EXPECT_TRUE(m().submit(write_gds(0xFFF0 + 4 * ring, {ring + 1}), ring));
    EXPECT_EQ(m().gds_word(0xFFF0), 1u);
    EXPECT_EQ(m().gds_word(0xFFF8), 3u);
}

TEST_P(GdsPackets, PartitionsOutOfOrderOrOffTheGridStop) {
    EXPECT_EQ(stop(set_partitions(0x1000, 0x400)),
              "ring gfx dword 0: packet SET_BASE: partitions of the GDS are not in order");
}
TEST_P(GdsPackets, PartitionsOffTheGridStop) {
    EXPECT_EQ(stop(set_partitions(0x20, 0x400)),
              "ring gfx dword 0: packet SET_BASE: partition index is not a multiple of 64");
}

// ---- ALLOC_GDS ----------------------------------------------------------------------------------

constexpr uint32_t kErrorBit =
    regs::si::typed::CP_INT_STATUS_RING0{}.set_RESERVED_BIT_ERROR_INT_STAT(1).raw;

TEST_P(GdsPackets, ASegmentThatFitsIsAllocated) {
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000) + alloc_gds(0x400)));
    EXPECT_TRUE(seen().interrupts.empty());
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0), 0u);
}

TEST_P(GdsPackets, ASegmentBeyondThePartitionInterrupts) {
    for (unsigned ring = 0; ring < kSiRings; ++ring)
        m().host_write(si::CP_INT_CNTL_RING0 + 4 * ring, kErrorBit);
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000) + alloc_gds(0x401)));
    EXPECT_TRUE(m().submit(alloc_gds(0xC00), 1));
    EXPECT_TRUE(m().submit(alloc_gds(0xF001), 2));
    ASSERT_EQ(seen().interrupts.size(), 2u);
    EXPECT_EQ(seen().interrupts[0].source_id, 176);
    EXPECT_EQ(seen().interrupts[0].ring, 0);
    EXPECT_EQ(seen().interrupts[1].source_id, 178);
    EXPECT_EQ(seen().interrupts[1].ring, 2);
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0), kErrorBit);
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0 + 4), 0u);
    m().host_write(si::CP_INT_STATUS_RING0, kErrorBit);
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0), 0u);
}

TEST_P(GdsPackets, TheErrorIsSeenInTheStatusWhenItsInterruptIsOff) {
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000) + alloc_gds(0x800)));
    EXPECT_TRUE(seen().interrupts.empty());
    EXPECT_EQ(m().host_read(si::CP_INT_STATUS_RING0), kErrorBit);
}

TEST_P(GdsPackets, AllocationWaitsForDataOnTheirWayToMemory) {
    std::vector<uint32_t> data(64);
    for (unsigned i = 0; i < data.size(); ++i)
        data[i] = 0x100 + i;
    // What comes after the allocation overwrites what is still to be stored.
    EXPECT_TRUE(m().submit(write_gds(0, data) + eos_store(kData, 0, 64) + alloc_gds(256) +
                           write_gds(0, std::vector<uint32_t>(64, 7))));
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(m().peek(kData + 4 * i), 0x100u + i);
    EXPECT_EQ(m().gds_word(0), 7u);
}

// ---- WRITE_GDS_RAM ------------------------------------------------------------------------------

TEST_P(GdsPackets, WriteGdsRamWritesFromTheIndexOn) {
    std::vector<uint32_t> data(40);
    for (unsigned i = 0; i < data.size(); ++i)
        data[i] = i * i;
    EXPECT_TRUE(m().submit(write_gds(0x1234, data)));
    for (unsigned i = 0; i < data.size(); ++i)
        EXPECT_EQ(m().gds_word(0x1234 + 4 * i), i * i);
    EXPECT_EQ(m().gds_word(0x1230), 0u);
    EXPECT_EQ(m().gds_word(0x1234 + 160), 0u);
}

TEST_P(GdsPackets, TheShaderTypeOfTheGraphicsRingLeavesItsPartition) {
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000) + write_gds(4, {9}, true)));
    EXPECT_EQ(m().gds_word(4), 9u);
}

TEST_P(GdsPackets, WriteGdsRamBeyondThePartitionStops) {
    EXPECT_EQ(
        stop(set_partitions(0x40, 0x80) + write_gds(0x3C, {1, 2})),
        "ring gfx dword 4: packet WRITE_GDS_RAM: GDS offset 0x3c and 8 bytes reach beyond the "
        "ring's partition of 64 bytes");
}
TEST_P(GdsPackets, WriteGdsRamOffADwordStops) {
    EXPECT_EQ(stop(write_gds(2, {1})),
              "ring gfx dword 0: packet WRITE_GDS_RAM: GDS offset 0x2 is not dword aligned");
}

// ---- COPY_DATA, WRITE_DATA ----------------------------------------------------------------------

TEST_P(GdsPackets, CopyDataTakesFromTheGds) {
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000)));
    gds_poke(0x420, 0xAAAA);
    gds_poke(0x424, 0xBBBB);
    EXPECT_TRUE(m().submit(copy_data(3, 0x20, 1, kData) + copy_data(3, 0x20, 5, kData + 8, true) +
                               copy_data(3, 0x24, 2, kData + 16),
                           1));
    EXPECT_EQ(m().peek64(kData), 0xAAAAu);
    EXPECT_EQ(m().peek64(kData + 8), 0xBBBB0000AAAAu);
    EXPECT_EQ(m().peek(kData + 16), 0xBBBBu);
    EXPECT_TRUE(m().submit(copy_data(3, 0x20, 0, si::SCRATCH_REG0 / 4, true), 1));
    EXPECT_EQ(m().host_read(si::SCRATCH_REG0), 0xAAAAu);
    EXPECT_EQ(m().host_read(si::SCRATCH_REG0 + 4), 0xBBBBu);
}

TEST_P(GdsPackets, CopyDataPutsIntoTheGds) {
    m().poke(kData, {0x11, 0x22});
    m().host_write(si::SCRATCH_REG2, 0x33);
    m().host_write(si::SCRATCH_REG3, 0x44);
    gds_poke(0x100, 0x55);
    gds_poke(0x104, 0x66);
    for (const bool confirm : {false, true}) {
        const uint32_t at = confirm ? 0x80 : 0;
        EXPECT_TRUE(m().submit(copy_data(5, 0x1234567887654321, 3, at, true, confirm) +
                               copy_data(5, 0x99, 3, at + 8, false, confirm) +
                               copy_data(1, kData, 3, at + 12, true, confirm) +
                               copy_data(2, kData, 3, at + 20, false, confirm) +
                               copy_data(0, si::SCRATCH_REG2 / 4, 3, at + 24, true, confirm) +
                               copy_data(3, 0x100, 3, at + 32, true, confirm)));
        const uint32_t expected[] = {0x87654321, 0x12345678, 0x99, 0x11, 0x22,
                                     0x11,       0x33,       0x44, 0x55, 0x66};
        for (unsigned i = 0; i < 10; ++i)
            EXPECT_EQ(m().gds_word(at + 4 * i), expected[i]) << i;
    }
}

TEST_P(GdsPackets, CopyDataOffADwordOrBeyondThePartitionStops) {
    EXPECT_EQ(stop(copy_data(3, 0x21, 1, kData)),
              "ring gfx dword 0: packet COPY_DATA: GDS offset 0x21 is not dword aligned");
}
TEST_P(GdsPackets, CopyDataBeyondThePartitionStops) {
    EXPECT_EQ(stop(copy_data(5, 1, 3, 0xFFFC, true)),
              "ring gfx dword 0: packet COPY_DATA: GDS offset 0xfffc and 8 bytes reach beyond the "
              "ring's partition of 65536 bytes");
}

TEST_P(GdsPackets, WriteDataReachesTheGds) {
    std::vector<uint32_t> data(33);
    for (unsigned i = 0; i < data.size(); ++i)
        data[i] = 5 * i;
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000)));
    EXPECT_TRUE(m().submit(write_data(0x10, data, 3), 2));
    for (unsigned i = 0; i < data.size(); ++i)
        EXPECT_EQ(m().gds_word(0x1010 + 4 * i), 5 * i);
    // One address: the last one stays; no confirmation asked for.
    EXPECT_TRUE(m().submit(write_data(0x200, {1, 2, 3}, 3, false, 0, true), 2));
    EXPECT_EQ(m().gds_word(0x1200), 3u);
    EXPECT_EQ(m().gds_word(0x1204), 0u);
}

TEST_P(GdsPackets, WriteDataOfPfpToTheGdsStops) {
    EXPECT_EQ(stop(write_data(0, {1}, 3, true, 1)),
              "ring gfx dword 0: packet WRITE_DATA: ENGINE_SEL PFP writes registers and memory "
              "only, not DST_SEL 3");
}
TEST_P(GdsPackets, WriteDataOffADwordStops) {
    EXPECT_EQ(stop(write_data(0x13, {1}, 3)),
              "ring gfx dword 0: packet WRITE_DATA: GDS offset 0x13 is not dword aligned");
}

// ---- ATOMIC_GDS ---------------------------------------------------------------------------------

TEST_P(GdsPackets, AtomicsActAndReturnWhatTheyFound) {
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000)));
    gds_poke(0x450, 100);
    Atomic a;
    a.op = 32;  // add_rtn_u32
    a.read = true;
    a.base = 0x40;
    a.dst = 8;
    a.offset0 = 8;
    a.src0 = 11;
    EXPECT_TRUE(m().submit(a.words(), 1));
    EXPECT_EQ(m().gds_word(0x450), 111u);
    EXPECT_THAT(found(), ElementsAre(100, 0, 0, 0));
    // COPY_DATA takes the value from there.
    EXPECT_TRUE(m().submit(copy_data(7, 0, 1, kData), 1));
    EXPECT_EQ(m().peek(kData), 100u);
}

TEST_P(GdsPackets, TheReadControlSaysWhatIsRead) {
    for (uint32_t control = 0; control < 4; ++control) {
        gds_poke(8, 0xA0);
        gds_poke(12, 0xA1);
        gds_poke(16, 0xB0);
        gds_poke(20, 0xB1);
        for (unsigned i = 0; i < 4; ++i)
            m().host_write(si::CP_GDS_ATOMIC0_PREOP_LO + 4 * i, 0xEE);
        Atomic a;
        a.op = 110;  // wrxchg2_rtn_b64
        a.read = true;
        a.read_control = control;
        a.offset0 = 1;
        a.offset1 = 2;
        a.src0 = 0x200000001;
        a.src1 = 0x400000003;
        EXPECT_TRUE(m().submit(a.words()));
        EXPECT_EQ(m().gds_word(8), 1u);
        EXPECT_EQ(m().gds_word(12), 2u);
        EXPECT_EQ(m().gds_word(16), 3u);
        EXPECT_EQ(m().gds_word(20), 4u);
        const bool two = (control & 1) != 0, wide = (control & 2) != 0;
        EXPECT_THAT(found(), ElementsAre(0xA0, wide ? 0xA1 : 0xEE, two ? 0xB0 : 0xEE,
                                         two && wide ? 0xB1 : 0xEE))
            << control;
        EXPECT_TRUE(m().submit(copy_data(7, 0, 1, kData, true) +
                               copy_data(8, 0, 5, kData + 8, true) + copy_data(8, 0, 3, 0x100) +
                               copy_data(7, 0, 0, si::SCRATCH_REG0 / 4)));
        EXPECT_EQ(m().peek(kData), 0xA0u);
        EXPECT_EQ(m().peek(kData + 4), wide ? 0xA1u : 0xEEu);
        EXPECT_EQ(m().peek(kData + 8), two ? 0xB0u : 0xEEu);
        EXPECT_EQ(m().peek(kData + 12), two && wide ? 0xB1u : 0xEEu);
        EXPECT_EQ(m().gds_word(0x100), two ? 0xB0u : 0xEEu);
        EXPECT_EQ(m().host_read(si::SCRATCH_REG0), 0xA0u);
    }
}

TEST_P(GdsPackets, WithoutReadNothingIsReturned) {
    m().host_write(si::CP_GDS_ATOMIC0_PREOP_LO, 0xEE);
    for (const bool complete : {false, true}) {
        Atomic a;
        a.op = complete ? 0 : 32;
        a.complete = complete;
        a.dst = 4;
        a.src0 = 5;
        EXPECT_TRUE(m().submit(a.words()));
    }
    EXPECT_EQ(m().gds_word(4), 10u);
    EXPECT_THAT(found(), ElementsAre(0xEE, 0, 0, 0));
}

TEST_P(GdsPackets, SizeClampsAndTheLeastOfItIsThePartition) {
    gds_poke(0x1C, 1);
    gds_poke(0x40, 1);
    Atomic a;
    a.op = 32;
    a.read = true;
    a.src0 = 5;
    a.base = 0x10;
    a.size = 0xC;
    a.dst = 0xC;
    EXPECT_TRUE(m().submit(set_partitions(0x40, 0x80) + a.words()));
    EXPECT_EQ(m().gds_word(0x1C), 1u);
    EXPECT_THAT(found(), ElementsAre(0, 0, 0, 0));
    a.size = 0x10;
    EXPECT_TRUE(m().submit(a.words()));
    EXPECT_EQ(m().gds_word(0x1C), 6u);
    a.size = 0xFFFF;
    a.dst = 0x30;
    EXPECT_TRUE(m().submit(a.words()));
    EXPECT_EQ(m().gds_word(0x40), 1u) << "another ring's";
}

TEST_P(GdsPackets, ControlFlushesDenormalsAndMovesTheDestinationRegister) {
    gds_poke(0, 0x3F800000);
    Atomic a;
    a.op = 50;  // min_rtn_f32
    a.cntl = 0x100 | 12;
    a.src0 = 1;
    a.complete = true;
    EXPECT_TRUE(m().submit(a.words()));
    EXPECT_EQ(m().gds_word(0), 0u);
    EXPECT_EQ(m().gds_contents().registers[(si::GDS_ATOM_DST - 0x9700) / 4], 12u);
    gds_poke(0, 0x3F800000);
    a.cntl = 0;
    EXPECT_TRUE(m().submit(a.words()));
    EXPECT_EQ(m().gds_word(0), 1u);
}

TEST_P(GdsPackets, ALoopRepeatsUntilTheComparisonPasses) {
    gds_poke(64, 3);
    Atomic loop;
    loop.op = 48;  // cmpst_rtn_b32
    loop.loop = loop.read = true;
    loop.dst = 64;
    loop.src0 = 5;
    loop.src1 = 9;
    Atomic add;
    add.op = 0;
    add.dst = 64;
    add.src0 = 1;
    m().put(loop.words() + write_data(kData, {0x600D}), 1);
    // Two more are needed; another ring brings them.
    if (GetParam() == Mode::Functional) {
        m().doorbell(1);
        EXPECT_FALSE(m().run());
        EXPECT_THAT(m().waiting_for(), HasSubstr("ATOMIC_GDS until 0x5 is at GDS 0x40 (last 0x3)"));
        EXPECT_EQ(m().peek(kData), 0u);
        m().submit(add.words() + add.words());
    } else {
        auto& timed = dynamic_cast<TimedMachine&>(m());
        timed.queue_write(Machine::wptr(1), m().tail[1]);
        m().put(packet("NOP", std::vector<uint32_t>(600)) + add.words() + add.words());
        timed.queue_write(Machine::wptr(0), m().tail[0]);
    }
    EXPECT_TRUE(m().run());
    EXPECT_EQ(m().gds_word(64), 9u);
    EXPECT_EQ(m().peek(kData), 0x600Du);
    EXPECT_THAT(found(), ElementsAre(5, 0, 0, 0));
}

TEST_P(GdsPackets, ALoopOf64BitsComparesThemAll) {
    gds_poke(64, 5);
    gds_poke(68, 1);
    Atomic loop;
    loop.op = 112;
    loop.loop = loop.read = true;
    loop.read_control = 2;
    loop.dst = 64;
    loop.src0 = 0x100000005;
    loop.src1 = 0x700000006;
    EXPECT_TRUE(m().submit(loop.words()));
    EXPECT_EQ(m().gds_word(64), 6u);
    EXPECT_EQ(m().gds_word(68), 7u);
    EXPECT_THAT(found(), ElementsAre(5, 1, 0, 0));
}

TEST_P(GdsPackets, WithoutTheLoopACompareAndSwapMayFail) {
    gds_poke(0, 3);
    Atomic a;
    a.op = 48;
    a.read = true;
    a.src0 = 4;
    a.src1 = 9;
    EXPECT_TRUE(m().submit(a.words()));
    EXPECT_EQ(m().gds_word(0), 3u);
    EXPECT_THAT(found(), ElementsAre(3, 0, 0, 0));
}

struct BadAtomic {
    const char* name;
    Atomic atomic;
    const char* reason;
};

TEST_P(GdsPackets, AtomicsThatCannotBeStop) {
    std::vector<BadAtomic> cases;
    const auto add = [&](const char* name, const char* reason, auto change) {
        Atomic a;
        a.op = 48;
        a.read = true;
        change(a);
        cases.push_back({name, a, reason});
    };
    add("op of a wave", "ATOM_OP 29 is not an operation of one lane on memory",
        [](Atomic& a) { a.op = 29; });
    add("both", "ATOM_COMPLETE and ATOM_READ are both set", [](Atomic& a) { a.complete = true; });
    add("loop of an add",
        "ATOM_CMP_SWAP with ATOM_OP 32, which is not a compare-and-swap that returns",
        [](Atomic& a) {
            a.op = 32;
            a.loop = true;
        });
    add("loop without return",
        "ATOM_CMP_SWAP with ATOM_OP 16, which is not a compare-and-swap that returns",
        [](Atomic& a) {
            a.op = 16;
            a.loop = true;
        });
    add("loop without read", "ATOM_CMP_SWAP without ATOM_READ", [](Atomic& a) {
        a.loop = true;
        a.read = false;
    });
    for (const uint32_t control : {1u, 2u, 3u})
        add("loop of two values or the wrong width", "ATOM_CMP_SWAP with ATOM_RD_CNTL",
            [=](Atomic& a) {
                a.loop = true;
                a.read_control = control;
            });
    add("read of nothing", "ATOM_READ with ATOM_OP 0, which returns nothing",
        [](Atomic& a) { a.op = 0; });
    add("reserved", "reserved bits of ATOM_CNTL", [](Atomic& a) { a.cntl = 0x40; });
    add("base", "GDS offset 0xffff0 and 0 bytes", [](Atomic& a) { a.base = 0xFFFF0; });
    cases.pop_back();  // BASE has 16 bits
    for (const BadAtomic& bad : cases) {
        SetUp();
        EXPECT_THAT(stop(bad.atomic.words()),
                    HasSubstr(std::string("packet ATOMIC_GDS: ") + bad.reason))
            << bad.name;
    }
    SetUp();
    Atomic beyond;
    beyond.base = 0x80;
    EXPECT_THAT(stop(set_partitions(0x40, 0x80) + beyond.words()),
                HasSubstr("packet ATOMIC_GDS: GDS offset 0x80"));
}

// ---- EVENT_WRITE_EOS ----------------------------------------------------------------------------

TEST_P(GdsPackets, EndOfShaderStoresAPartOfTheGds) {
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x1000)));
    for (unsigned i = 0; i < 100; ++i)
        gds_poke(0x1000 + 8 + 4 * i, 0x5000 + i);
    m().poke(kData + 36, 0xEEEE);
    m().poke(kData + 40 + 400, 0xEEEE);
    EXPECT_TRUE(m().submit(eos_store(kData + 40, 2, 100) + eos_fence(kData + 4096, 0xF00D), 2));
    for (unsigned i = 0; i < 100; ++i)
        EXPECT_EQ(m().peek(kData + 40 + 4 * i), 0x5000u + i);
    EXPECT_EQ(m().peek(kData + 36), 0xEEEEu);
    EXPECT_EQ(m().peek(kData + 440), 0xEEEEu);
    EXPECT_EQ(m().peek(kData + 4096), 0xF00Du);
    EXPECT_THAT(seen().events, ElementsAre(std::pair<uint8_t, uint8_t>{2, kCsDone},
                                           std::pair<uint8_t, uint8_t>{2, kCsDone}));
    // It is no fence.
    EXPECT_EQ(m().host_read(si::CP_EOP_LAST_FENCE_LO), 0xF00Du);
    EXPECT_TRUE(seen().interrupts.empty());
}

// As its SIZE: 0 and 3 are four dwords apart.
TEST_P(GdsPackets, TheIndexOfAStoreCountsDwords) {
    for (unsigned i = 0; i < 4; ++i)
        gds_poke(4 * i, 0x6000 + i);
    EXPECT_TRUE(m().submit(eos_store(kData, 3, 1) + eos_store(kData + 4, 1, 2)));
    EXPECT_EQ(m().peek(kData), 0x6003u);
    EXPECT_EQ(m().peek64(kData + 4), 0x600200006001u);
}

TEST_P(GdsPackets, AllOfTheGdsCanBeStored) {
    for (unsigned i = 0; i < 0x4000; ++i)
        gds_poke(4 * i, i ^ 0x5A5A);
    EXPECT_TRUE(m().submit(eos_store(kData, 0, 0x4000)));
    for (unsigned i = 0; i < 0x4000; i += 97)
        ASSERT_EQ(m().peek(kData + 4 * i), i ^ 0x5A5A);
    EXPECT_EQ(m().peek(kData + 0xFFFC), 0x3FFFu ^ 0x5A5A);
}

TEST_P(GdsPackets, StoresThatCannotBeStop) {
    EXPECT_EQ(stop(eos_store(kData, 0, 0)),
              "ring gfx dword 5: packet EVENT_WRITE_EOS: SIZE 0 with CMD 1");
    SetUp();
    EXPECT_EQ(stop(eos_store(kData, 0xFFFF, 1)),
              "ring gfx dword 5: packet EVENT_WRITE_EOS: GDS offset 0x3fffc and 4 bytes reach "
              "beyond the ring's partition of 65536 bytes");
    SetUp();
    EXPECT_EQ(stop(eos_store(kData, 1, 0x4000)),
              "ring gfx dword 5: packet EVENT_WRITE_EOS: GDS offset 0x4 and 65536 bytes reach "
              "beyond the ring's partition of 65536 bytes");
    SetUp();
    EXPECT_EQ(stop(eos_store(kData + 2, 0, 1)),
              "ring gfx dword 5: packet EVENT_WRITE_EOS: address 0x200002 is not dword aligned");
    SetUp();
    EXPECT_EQ(stop(eos_store(kUnmapped + 4, 0, 1), StopKind::Fault),
              "ring gfx dword 5: EVENT_WRITE_EOS write to unmapped address 0x900000");
}

// ---- CP_DMA -------------------------------------------------------------------------------------

constexpr uint32_t kFromGds = 1u << 29, kToGds = 1u << 20, kSync = 1u << 31;

std::vector<uint32_t> dma(uint32_t select, uint64_t from, uint64_t to, uint32_t bytes,
                          uint32_t command = 0) {
    return packet("CP_DMA", {lo(from), hi(from) | select | kSync, lo(to), hi(to), bytes | command});
}

TEST_P(GdsPackets, DmaCopiesFromAndToTheGds) {
    EXPECT_TRUE(m().submit(set_partitions(0x400, 0x4000)));
    std::vector<uint32_t> data(300);
    for (unsigned i = 0; i < data.size(); ++i)
        data[i] = 0x01010101 * i + 7;
    m().poke(kData, data);
    // Bytes of any alignment; the drivers set SAS and DAS.
    EXPECT_TRUE(m().submit(dma(kToGds, kData + 1, 0x103, 1111, 1u << 27), 1));
    for (unsigned i = 0; i < 1111; ++i) {
        const uint8_t byte = static_cast<uint8_t>(data[(i + 1) / 4] >> 8 * ((i + 1) % 4));
        ASSERT_EQ(m().gds_contents().memory[0x503 + i], byte) << i;
    }
    EXPECT_EQ(m().gds_contents().memory[0x502], 0);
    EXPECT_EQ(m().gds_contents().memory[0x503 + 1111], 0);
    EXPECT_TRUE(m().submit(dma(kFromGds, 0x103, kData + 0x2000, 1111, 1u << 26), 1));
    EXPECT_TRUE(m().submit(dma(kFromGds | kToGds, 0x103, 0x2000, 64, 3u << 26), 1));
    for (unsigned i = 0; i < 1108; i += 4)
        ASSERT_EQ(m().peek(kData + 0x2000 + i), data[i / 4] >> 8 | data[i / 4 + 1] << 24) << i;
    EXPECT_EQ(m().gds_word(0x2400), data[0] >> 8 | data[1] << 24);
    // A fill.
    EXPECT_TRUE(m().submit(dma(2u << 29 | kToGds, 0xABCD1234, 0x3000, 70), 1));
    EXPECT_EQ(m().gds_word(0x3400), 0xABCD1234u);
    EXPECT_EQ(m().gds_word(0x3444), 0x1234u);
}

TEST_P(GdsPackets, DmaBeyondThePartitionStops) {
    EXPECT_EQ(stop(set_partitions(0x40, 0x80) + dma(kFromGds, 0x30, kData, 17)),
              "ring gfx dword 4: packet CP_DMA: GDS offset 0x30 and 17 bytes reach beyond the "
              "ring's partition of 64 bytes");
}

// ---- together -----------------------------------------------------------------------------------

// Random packets of all three rings, each within its partition, against a copy of what they do.
TEST_P(GdsPackets, RandomPacketsLeaveWhatAReferenceLeaves) {
    std::mt19937 random(77);
    EXPECT_TRUE(m().submit(set_partitions(0x1000, 0x4000)));
    const uint32_t start[] = {0, 0x1000, 0x4000}, size[] = {0x1000, 0x3000, 0xC000};
    gds::Contents reference;
    reference.memory.resize(0x10000);
    const auto store = [&](uint32_t at, uint32_t value) {
        std::memcpy(&reference.memory[at], &value, 4);
    };
    const auto load = [&](uint32_t at) {
        uint32_t value = 0;
        std::memcpy(&value, &reference.memory[at], 4);
        return value;
    };
    for (unsigned round = 0; round < 600; ++round) {
        const unsigned ring = random() % kSiRings;
        std::vector<uint32_t> words;
        std::vector<std::pair<uint64_t, uint32_t>> expected;
        for (unsigned n = 1 + random() % 4; n > 0; --n) {
            const uint32_t dwords = 1 + random() % 40;
            const uint32_t at = random() % (size[ring] / 4 - 64) * 4;
            const uint32_t place = start[ring] + at;
            const uint64_t memory = kData + random() % 64 * 4 + 0x1000 * n;
            switch (random() % 5) {
                case 0: {
                    std::vector<uint32_t> data(dwords);
                    for (unsigned i = 0; i < dwords; ++i)
                        store(place + 4 * i, data[i] = random());
                    words = words + (random() % 2 ? write_gds(at, data) : write_data(at, data, 3));
                    break;
                }
                case 1:
                    words = words + eos_store(memory, at / 4, dwords) + alloc_gds(4);
                    for (unsigned i = 0; i < dwords; ++i)
                        expected.emplace_back(memory + 4 * i, load(place + 4 * i));
                    break;
                case 2:
                    words = words + copy_data(3, at, 1, memory);
                    expected.emplace_back(memory, load(place));
                    break;
                case 3: {
                    Atomic a;
                    const uint32_t ops[] = {32, 33, 34, 37, 38, 39, 40, 41, 42, 43, 45};
                    a.op = ops[random() % 11];
                    a.read = true;
                    a.base = at;
                    a.dst = 4 * (random() % 8);
                    a.src0 = random();
                    words = words + a.words() + copy_data(7, 0, 5, memory);
                    GdsOpcode opcode;
                    gds_opcode(a.op, opcode);
                    const uint32_t old = load(place + a.dst);
                    expected.emplace_back(memory, old);
                    store(place + a.dst, atomic32(opcode.atomic, old, lo(a.src0), 0));
                    break;
                }
                default:
                    words = words + dma(kFromGds, at, memory, 4 * dwords);
                    for (unsigned i = 0; i < dwords; ++i)
                        expected.emplace_back(memory + 4 * i, load(place + 4 * i));
                    break;
            }
        }
        ASSERT_TRUE(m().submit(words, ring));
        for (const auto& [address, value] : expected)
            ASSERT_EQ(m().peek(address), value) << "round " << round;
    }
    EXPECT_EQ(m().gds_contents().memory, reference.memory);
}

// ---- time ---------------------------------------------------------------------------------------

TEST(GdsTime, TheFenceBehindAStoreComesAfterItsLastLine) {
    TimedMachine m;
    m.setup_rings();
    m.requests.clear();
    EXPECT_TRUE(m.submit(eos_store(kData, 0, 256) + eos_fence(kData + 0x8000, 1)));
    Cycle last = 0, fence = 0;
    for (const auto& [cycle, request] : m.requests) {
        if (request.command != MemCommand::Write)
            continue;
        if (request.line == kData + 0x8000)
            fence = cycle;
        else if (request.line >= kData && request.line < kData + 1024)
            last = std::max(last, cycle);
    }
    ASSERT_NE(last, 0u);
    EXPECT_GT(fence, last + BenchOptions{}.memory_latency);
}

TEST(GdsTime, WritesArePostedAndConfirmationsWait) {
    const auto cycles = [](bool confirm) {
        TimedMachine m;
        m.setup_rings();
        const Cycle before = m.now();
        EXPECT_TRUE(
            m.submit(write_data(0, {1, 2, 3}, 3, confirm) + set_config(si::SCRATCH_REG0, {1})));
        for (size_t i = 0; i < m.seen.regs.size(); ++i)
            if (m.seen.regs[i].offset == si::SCRATCH_REG0)
                return m.reg_cycles[i] - before;
        return Cycle{0};
    };
    const gds::GdsSpec spec;
    EXPECT_GE(cycles(true), cycles(false) + spec.request_cycles + spec.latency);
}

TEST(GdsTime, CompleteWaitsForOperationsOfTheRing) {
    const auto cycles = [](bool complete) {
        TimedMachine m;
        m.setup_rings();
        Atomic a;
        a.complete = complete;
        const Cycle before = m.now();
        EXPECT_TRUE(m.submit(a.words() + set_config(si::SCRATCH_REG0, {1})));
        for (size_t i = 0; i < m.seen.regs.size(); ++i)
            if (m.seen.regs[i].offset == si::SCRATCH_REG0)
                return m.reg_cycles[i] - before;
        return Cycle{0};
    };
    EXPECT_GE(cycles(true), cycles(false) + gds::GdsSpec{}.latency);
}

TEST(GdsTime, AMachineWithoutAGdsStopsByName) {
    struct NoGds : FunctionalMachine {
        GdsPort* gds_port() override { return nullptr; }
    };
    for (const auto& words : {write_gds(0, {1}), eos_store(kData, 0, 1), dma(kFromGds, 0, kData, 4),
                              Atomic{}.words()}) {
        NoGds m;
        m.setup_rings();
        try {
            m.submit(words);
            FAIL();
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
            EXPECT_THAT(stop.what(), ::testing::EndsWith(": no global data share is attached"));
        }
    }
}

}  // namespace
}  // namespace archipelago::cp::test::gds_test
