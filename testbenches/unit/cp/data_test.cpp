// SPDX-License-Identifier: Apache-2.0
// Moving data: section 2.9 of the SI document without GDS, COPY_DW, ME_WRITE, REG_RMW, MEM_WRITE,
// and the forms of CP_DMA that the DMA engine does not do.
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::data_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;

constexpr uint64_t kValue = 0x11223344'55667788;
constexpr uint32_t kRegister = 0x9508;  // plain storage on the bus

class Data : public PacketsTest {};

INSTANTIATE_TEST_SUITE_P(Engines, Data, all_modes(), mode_name);

// ---- COPY_DATA, 2.9.2

struct Copy {
    uint32_t source = 1;
    uint32_t destination = 5;
    bool wide = false;
    bool confirm = true;
    uint32_t engine = 0;
};
Words copy(const Copy& c, uint64_t from, uint64_t to) {
    return packet("COPY_DATA", {c.source | c.destination << 8 | (c.wide ? 1u << 16 : 0) |
                                    (c.confirm ? 1u << 20 : 0) | c.engine << 30,
                                lo(from), hi(from), lo(to), hi(to)});
}

TEST_P(Data, CopyDataOfEverySourceToEveryDestination) {
    const uint64_t from = kData + 0x100;
    for (const uint32_t source : {0u, 1u, 2u, 5u, 6u}) {
        for (const uint32_t destination : {0u, 1u, 2u, 5u}) {
            for (const bool wide : {false, true}) {
                for (const bool confirm : {false, true}) {
                    start();
                    m().poke(from, {lo(kValue), hi(kValue)});
                    m().poke(kData, {0xAAAAAAAA, 0xAAAAAAAA});
                    ASSERT_TRUE(m().submit(
                        set_config(kRegister + 0x100, {lo(kValue), hi(kValue)}) +
                        set_config(kRegister, {0xAAAAAAAA, 0xAAAAAAAA}) +
                        packet("ATOMIC", {0x36, lo(from), hi(from), 0, 0, 0, 0, 0}) +  // or 0
                        copy({source, destination, wide, confirm},
                             source == 0   ? (kRegister + 0x100) / 4
                             : source == 5 ? kValue
                                           : from,
                             destination == 0 ? kRegister / 4 : kData)));
                    const uint64_t got =
                        destination == 0
                            ? seen().reg(kRegister) | uint64_t{seen().reg(kRegister + 4)} << 32
                            : m().peek64(kData);
                    const uint64_t want = wide ? kValue : 0xAAAAAAAA'00000000 | lo(kValue);
                    EXPECT_EQ(got, want) << source << " " << destination << " " << wide;
                }
            }
        }
    }
}
TEST_P(Data, CopyDataReservedEncodingsStop) {
    for (uint32_t destination = 0; destination < 16; ++destination) {
        const std::string text =
            reason(copy({5, destination}, 1, kData),
                   destination == 3 ? StopKind::Unimplemented : StopKind::BadInput);
        if (destination == 4 || destination > 5) {
            EXPECT_EQ(text, "packet COPY_DATA: reserved DST_SEL " + std::to_string(destination));
        } else if (destination != 3 && destination != 0) {
            EXPECT_EQ(text, "no stop");
        }
    }
    for (const uint32_t source : {4u, 10u, 11u, 12u, 13u, 14u, 15u})
        EXPECT_EQ(reason(copy({source}, kData, kData)),
                  "packet COPY_DATA: reserved SRC_SEL " + std::to_string(source));
    EXPECT_EQ(reason(copy({1, 5, false, true, 1}, kData, kData)),
              "COPY_DATA with ENGINE_SEL 1, only ME and CE copy");
    EXPECT_EQ(reason(copy({1, 5, false, true, 3}, kData, kData)),
              "COPY_DATA with ENGINE_SEL 3, only ME and CE copy");
}
TEST_P(Data, CopyDataAddressesAreAlignedByTheirWidth) {
    EXPECT_EQ(reason(copy({1, 5, false}, kData + 4, kData + 12)), "no stop");
    EXPECT_THAT(reason(copy({1, 5, false}, kData + 2, kData)), HasSubstr("not dword aligned"));
    EXPECT_THAT(reason(copy({1, 5, false}, kData, kData + 2)), HasSubstr("not dword aligned"));
    EXPECT_THAT(reason(copy({1, 5, true}, kData + 4, kData)), HasSubstr("not qword aligned"));
    EXPECT_THAT(reason(copy({1, 5, true}, kData, kData + 4)), HasSubstr("not qword aligned"));
    EXPECT_THAT(reason(copy({5, 0, true}, 1, 0xFFFF)), HasSubstr("beyond the register space"));
    EXPECT_THAT(reason(copy({0, 5, true}, 0xFFFF, kData)), HasSubstr("beyond the register space"));
}

// ---- WRITE_DATA, 2.9.4

// And, of PFP, to memory (async), which RADV writes so.
TEST_P(Data, WriteDataOfEveryEngineToEveryDestinationOfItsTable) {
    const auto allowed = [](uint32_t engine, uint32_t destination) {
        const bool known = destination <= 2 || destination == 5;
        return known && (engine != 1 || destination != 2);
    };
    for (const uint32_t engine : {0u, 1u, 3u}) {
        for (uint32_t destination = 0; destination < 16; ++destination) {
            if (destination == 3 && engine != 1)
                continue;  // GDS
            for (const bool one : {false, true}) {
                for (const bool confirm : {false, true}) {
                    start();
                    m().poke(kData, {0xAA, 0xAA});
                    const uint64_t to = destination == 0 ? kRegister / 4 : kData;
                    const Words words = write_data(to, {7, 8}, destination, confirm, engine, one);
                    if (!allowed(engine, destination)) {
                        EXPECT_THAT(stop(words), HasSubstr("DST_SEL")) << engine << destination;
                        continue;
                    }
                    ASSERT_TRUE(m().submit(words)) << engine << " " << destination;
                    const uint32_t first =
                        destination == 0 ? seen().reg(kRegister) : m().peek(kData);
                    const uint32_t second =
                        destination == 0 ? seen().reg(kRegister + 4) : m().peek(kData + 4);
                    EXPECT_EQ(first, one ? 8u : 7u);
                    EXPECT_EQ(second, one ? (destination == 0 ? 0u : 0xAAu) : 8u);
                }
            }
        }
    }
}
TEST_P(Data, WriteDataOfCeIsForItsOwnBuffers) {
    EXPECT_EQ(reason(write_data(kData, {1}, 5, true, 2)),
              "WRITE_DATA with ENGINE_SEL CE belongs into a buffer of INDIRECT_BUFFER_CONST");
}
TEST_P(Data, ConfirmedWritesAreThereBeforeTheNextPacketReads) {
    ASSERT_TRUE(m().submit(write_data(kData, {5}, 5, true) +
                           packet("COPY_DW", {1, lo(kData), 0, kRegister / 4, 0})));
    EXPECT_EQ(seen().reg(kRegister), 5u);
}

// ---- COPY_DW, ME_WRITE, REG_RMW, MEM_WRITE

Words copy_dw(bool from_memory, bool to_memory, uint64_t from, uint64_t to) {
    return packet(
        0x3B, {(from_memory ? 1u : 0) | (to_memory ? 2u : 0), lo(from), hi(from), lo(to), hi(to)});
}
TEST_P(Data, CopyDwCopiesBetweenAllSpaces) {
    m().poke(kData, 0x1234);
    ASSERT_TRUE(m().submit(copy_dw(true, false, kData, kRegister / 4) + sync_pfp() +
                           copy_dw(false, true, kRegister / 4, kData + 4) +
                           copy_dw(false, false, kRegister / 4, kRegister / 4 + 1)));
    ASSERT_TRUE(m().submit(copy_dw(true, true, kData + 4, kData + 8)));
    EXPECT_EQ(seen().reg(kRegister), 0x1234u);
    EXPECT_EQ(seen().reg(kRegister + 4), 0x1234u);
    EXPECT_EQ(m().peek(kData + 8), 0x1234u);
}
TEST_P(Data, CopyDwMisalignedStops) {
    EXPECT_EQ(reason(copy_dw(true, false, kData + 1, 0x2142)),
              "packet COPY_DW: address 0x200001 is not dword aligned");
    EXPECT_EQ(reason(copy_dw(false, true, 0x2142, kData + 2)),
              "packet COPY_DW: address 0x200002 is not dword aligned");
    EXPECT_THAT(reason(copy_dw(true, true, kUnmapped, kData), StopKind::Fault),
                HasSubstr("read of unmapped address 0x900000"));
}
TEST_P(Data, MeWriteWritesMemoryOverLines) {
    Words data;
    for (uint32_t i = 0; i < 40; ++i)
        data.push_back(i + 1);
    ASSERT_TRUE(m().submit(packet("ME_WRITE", Words{lo(kData + 0x34), hi(kData)} + data)));
    for (uint32_t i = 0; i < 40; ++i)
        EXPECT_EQ(m().peek(kData + 0x34 + 4 * i), i + 1);
    EXPECT_NE(m().peek(kData + 0x34 + 160), 41u);
    EXPECT_EQ(reason(packet("ME_WRITE", {lo(kData) + 1, 0, 5})),
              "packet ME_WRITE: address 0x200001 is not dword aligned");
}
TEST_P(Data, RegRmwCombinesARegisterWithMasksOfBothKinds) {
    const uint32_t number = kRegister / 4;
    const uint32_t sources[] = {0, 1u << 30, 1u << 31, 3u << 30};
    for (const uint32_t source : sources) {
        start();
        ASSERT_TRUE(m().submit(set_config(kRegister, {0xFFFF0F0F, 0x0FFFFFF0, 0x00001000})));
        const bool or_register = (source >> 30 & 1) != 0;
        const bool and_register = (source >> 31 & 1) != 0;
        ASSERT_TRUE(
            m().submit(packet("REG_RMW", {number | source, and_register ? number + 1 : 0x0FFFFFF0,
                                          or_register ? number + 2 : 0x00001000})));
        EXPECT_EQ(seen().reg(kRegister), (0xFFFF0F0Fu & 0x0FFFFFF0u) | 0x1000u) << source;
    }
}
Words mem_write(uint64_t address, uint32_t swap, uint32_t flags, uint64_t value = kValue) {
    return packet("MEM_WRITE",
                  {lo(address) | swap, hi(address) | flags << 16, lo(value), hi(value)});
}
TEST_P(Data, MemWriteWritesAQwordWithEverySwap) {
    const uint64_t swapped[] = {kValue, 0x22114433'66558877, 0x44332211'88776655,
                                0x88776655'44332211};
    for (uint32_t swap = 0; swap < 4; ++swap) {
        ASSERT_TRUE(m().submit(mem_write(kData + 8 * swap, swap, 2)));
        EXPECT_EQ(m().peek64(kData + 8 * swap), swapped[swap]) << swap;
    }
}
TEST_P(Data, MemWriteWritesADwordWithEverySwapOfDwords) {
    const uint32_t swapped[] = {0x55667788, 0x66558877, 0x88776655};
    for (uint32_t swap = 0; swap < 3; ++swap) {
        m().poke(kData + 0x100 + 12 * swap, {0, 0xAA});
        ASSERT_TRUE(m().submit(mem_write(kData + 0x100 + 12 * swap, swap, 4)));
        EXPECT_EQ(m().peek(kData + 0x100 + 12 * swap), swapped[swap]);
        EXPECT_EQ(m().peek(kData + 0x104 + 12 * swap), 0xAAu);
    }
    EXPECT_EQ(reason(mem_write(kData, 3, 4)), "packet MEM_WRITE: swap code 3 (8-in-64) of a dword");
    EXPECT_EQ(reason(mem_write(kData + 4, 0, 0)),
              "packet MEM_WRITE: address 0x200004 is not qword aligned");
}

// ---- CP_DMA

constexpr uint32_t kNoConfirm = 1u << 21, kSas = 1u << 26, kDas = 1u << 27, kSaic = 1u << 28,
                   kDaic = 1u << 29, kRawWait = 1u << 30;
constexpr uint64_t kPfp = uint64_t{1} << 59;  // ENGINE, beside the upper source address

TEST_P(Data, DmaOfPfpCopiesAndFills) {
    for (uint32_t i = 0; i < 64; ++i)
        m().poke(kData + 4 * i, i * 5);
    ASSERT_TRUE(
        m().submit(cp_dma(kData | kPfp, kData + 0x404, 256) +
                   packet("CP_DMA", {0x99, 2u << 29 | 1u << 27, lo(kData + 0x800), 0, 64})));
    for (uint32_t i = 0; i < 64; ++i)
        EXPECT_EQ(m().peek(kData + 0x404 + 4 * i), i * 5);
    for (uint32_t i = 0; i < 16; ++i)
        EXPECT_EQ(m().peek(kData + 0x800 + 4 * i), 0x99u);
}
TEST_P(Data, SynchronisedDmaOfPfpIsDoneBeforePfpGoesOn) {
    // The copied Boolean decides: COND_EXEC reads it at PFP.
    m().poke(kData, 0);
    m().poke(kData + 0x400, 1);
    ASSERT_TRUE(m().submit(cp_dma(kData | kPfp, kData + 0x400, 4) + cond_exec(kData + 0x400, 3) +
                           set_config(0x8A14, {1}) + set_config(0x8A14, {2})));
    EXPECT_THAT(seen().regs, ElementsAre(RegWrite{0x8A14, 2, 0}));
}
TEST_P(Data, BothEnginesAndAllRingsShareTheDmaEngine) {
    for (uint32_t i = 0; i < 256; ++i)
        m().poke(kData + 4 * i, i + 1);
    for (unsigned ring = 0; ring < 3; ++ring) {
        for (unsigned i = 0; i < 6; ++i)
            m().put(cp_dma(kData | (i % 2 != 0 ? kPfp : 0),
                           kData + 0x1000 * (1 + 6 * ring % 8) + 0x400 * (i % 4) + 0x4000 * ring,
                           0x400, i % 3 == 0),
                    ring);
        m().doorbell(ring);
    }
    ASSERT_TRUE(m().run());
    for (unsigned ring = 0; ring < 3; ++ring)
        for (uint32_t i = 0; i < 1024; ++i)
            ASSERT_EQ(m().peek(kData + 0x1000 * (1 + 6 * ring % 8) + 0x4000 * ring + 4 * i),
                      i % 256 + 1);
}
TEST_P(Data, DmaReadsAndWritesRegisters) {
    for (const uint64_t engine : {uint64_t{0}, kPfp}) {
        start();
        m().poke(kData, {1, 2, 3});
        ASSERT_TRUE(m().submit(cp_dma(kData | engine, kRegister / 4, 12, true, kDas)));
        ASSERT_TRUE(m().submit(cp_dma(kRegister / 4 | engine, kData + 0x100, 12, true, kSas)));
        ASSERT_TRUE(
            m().submit(cp_dma(kRegister / 4 | engine, kRegister / 4 + 8, 12, true, kSas | kDas)));
        for (uint32_t i = 0; i < 3; ++i) {
            EXPECT_EQ(seen().reg(kRegister + 4 * i), i + 1);
            EXPECT_EQ(m().peek(kData + 0x100 + 4 * i), i + 1);
            EXPECT_EQ(seen().reg(kRegister + 32 + 4 * i), i + 1);
        }
    }
}
TEST_P(Data, DmaWithFixedAddresses) {
    m().poke(kData, {1, 2, 3, 4});
    m().poke(kData + 0x100, {9, 9, 9, 9});
    ASSERT_TRUE(m().submit(cp_dma(kData + 4, kData + 0x100, 12, true, kSaic) +
                           cp_dma(kData, kData + 0x200, 16, true, kDaic) +
                           cp_dma(kData, kRegister / 4, 16, true, kDas | kDaic)));
    EXPECT_EQ(m().peek64(kData + 0x100), 0x2'00000002u);
    EXPECT_EQ(m().peek64(kData + 0x108), 0x9'00000002u);
    EXPECT_EQ(m().peek(kData + 0x200), 4u);
    EXPECT_EQ(seen().reg(kRegister), 4u);
    EXPECT_EQ(seen().regs.size(), 4u);
    ASSERT_TRUE(m().submit(cp_dma(kRegister / 4, kData + 0x300, 8, true, kSas | kSaic)));
    EXPECT_EQ(m().peek64(kData + 0x300), 0x4'00000004u);
}
TEST_P(Data, FillsOfRegistersAndFixedAddresses) {
    ASSERT_TRUE(m().submit(cp_fill(0x77, kRegister / 4, 12, true, kDas) +
                           cp_fill(0x88, kData, 12, true, kDaic | kRawWait)));
    for (uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(seen().reg(kRegister + 4 * i), 0x77u);
    EXPECT_EQ(m().peek(kData), 0x88u);
    EXPECT_NE(m().peek(kData + 4), 0x88u);
}
TEST_P(Data, DmaOfDwordsSwapsThem) {
    m().poke(kData, 0x11223344);
    ASSERT_TRUE(m().submit(cp_dma(kData, kRegister / 4, 4, true, kDas | 2u << 22) +
                           cp_dma(kData, kRegister / 4 + 1, 4, true, kDas | 1u << 24)));
    EXPECT_EQ(seen().reg(kRegister), 0x44332211u);
    EXPECT_EQ(seen().reg(kRegister + 4), 0x22114433u);
}
// With DISABLE_WR_CONFIRM, CP_SYNC waits for the writes to be on their way; else for them to be
// there.
TEST(DataTiming, DmaWaitsForAcknowledgementsUnlessItsWritesAreNotConfirmed) {
    constexpr unsigned kLatency = 400;
    for (const uint32_t how : {0u, kDaic}) {  // by the DMA engine, and dword by dword
        for (const uint64_t engine : {uint64_t{0}, kPfp}) {
            for (const bool confirmed : {true, false}) {
                BenchOptions options;
                options.memory_latency = kLatency;
                TimedMachine m(options);
                m.setup_rings();
                m.poke(kData, {1, 2, 3, 4});
                ASSERT_TRUE(m.submit(cp_dma(kData | engine, kData + 0x100, 16, true,
                                            how | (confirmed ? 0 : kNoConfirm)) +
                                     set_config(0x9508, {1})));
                Cycle written = 0;
                for (const auto& [at, request] : m.requests)
                    if (request.command == MemCommand::Write && request.line == kData + 0x100)
                        written = at;
                ASSERT_NE(written, 0u);
                ASSERT_EQ(m.seen.regs.size(), 1u);
                if (confirmed)
                    EXPECT_GT(m.reg_cycles[0], written + kLatency) << how << " " << engine;
                else
                    EXPECT_LT(m.reg_cycles[0], written + kLatency) << how << " " << engine;
                EXPECT_EQ(m.peek(kData + 0x100), how != 0 ? 4u : 1u);
            }
        }
    }
}
TEST(DataTiming, RawWaitOfDmaWaitsForWritesThatAreNotConfirmedToo) {
    BenchOptions options;
    options.memory_latency = 400;
    options.late_writes = true;
    for (const bool by_dwords : {false, true}) {
        TimedMachine m(options);
        m.setup_rings();
        m.poke(kData, {0x11, 0x22});
        ASSERT_TRUE(
            m.submit(cp_dma(kData, kData + 0x100, 8, true, kNoConfirm) +
                     (by_dwords ? cp_dma(kData + 0x100, kRegister / 4, 8, true, kDas | kRawWait)
                                : cp_dma(kData + 0x100, kData + 0x200, 8, true, kRawWait))));
        if (by_dwords)
            EXPECT_EQ(m.seen.reg(kRegister + 4), 0x22u);
        else
            EXPECT_EQ(m.peek(kData + 0x204), 0x22u);
    }
}
TEST(DataTiming, DmaWithAndWithoutConfirmationShareTheEngineInOrder) {
    BenchOptions options;
    options.memory_latency = 100;
    TimedMachine m(options);
    m.setup_rings();
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < 24; ++i) {
        m.poke(kData + 4 * i, i + 1);
        words = words + cp_dma((kData + 4 * i) | (i % 5 == 0 ? kPfp : 0), kData + 0x1000 + 4 * i, 4,
                               i % 3 == 0, i % 2 != 0 ? kNoConfirm : 0);
    }
    ASSERT_TRUE(m.submit(words));
    for (uint32_t i = 0; i < 24; ++i)
        EXPECT_EQ(m.peek(kData + 0x1000 + 4 * i), i + 1);
}
TEST_P(Data, DmaOfNothingMovesNothing) {
    ASSERT_TRUE(m().submit(cp_dma(kData, kRegister / 4, 0, true, kDas) +
                           cp_dma(kData | kPfp, kData + 64, 0)));
    EXPECT_TRUE(seen().regs.empty());
}
TEST_P(Data, DmaRestrictionsStop) {
    EXPECT_EQ(reason(cp_dma(kData, kRegister / 4, 6, true, kDas)),
              "packet CP_DMA: BYTE_COUNT 6 with register space or a fixed address is not a "
              "multiple of 4");
    EXPECT_EQ(reason(cp_dma(kData, kRegister / 4, 4, true, kDas | 3u << 22)),
              "packet CP_DMA: swap code 3 (8-in-64) with register space or a fixed address");
    EXPECT_EQ(reason(cp_dma(kData + 2, kRegister / 4, 4, true, kDas)),
              "packet CP_DMA: address 0x200002 is not dword aligned");
    EXPECT_EQ(reason(cp_dma(kData, kData + 1, 4, true, kDaic)),
              "packet CP_DMA: address 0x200001 is not dword aligned");
    EXPECT_THAT(reason(cp_dma(kData, 0xFFFF, 8, true, kDas)),
                HasSubstr("beyond the register space"));
    EXPECT_THAT(reason(cp_dma(0xFFFF, kData, 8, true, kSas)),
                HasSubstr("beyond the register space"));
    EXPECT_EQ(reason(cp_dma(kData | kPfp, si::VGT_EVENT_INITIATOR / 4, 4, true, kDas)),
              "packet CP_DMA: events are posted by ME, not by ENGINE PFP");
    EXPECT_EQ(reason(packet("CP_DMA", {0, 3u << 29, 0, 0, 4})),
              "packet CP_DMA: reserved SRC_SEL 3");
    EXPECT_EQ(reason(packet("CP_DMA", {0, 2u << 20, 0, 0, 4})),
              "packet CP_DMA: reserved DST_SEL 2");
    EXPECT_THAT(reason(cp_dma(kUnmapped | kPfp, kData, 64), StopKind::Fault),
                HasSubstr("CP_DMA read of unmapped address 0x900000"));
}

TEST_P(Data, CpDmaStopsAtTheFirstByteThatIsNotMapped) {
    const uint32_t end = lo(kData) + 0x10000, bad = lo(kUnmapped);
    const struct {
        uint32_t source, destination, bytes;
        const char* stop;
    } cases[] = {
        {end - 197, lo(kData), 5000, "read of unmapped address 0x210000"},
        {lo(kData), end - 197, 9000, "write to unmapped address 0x210000"},
        {end - 300, end - 1000, 4000, "read of unmapped address 0x210000"},
        {end - 1000, end - 300, 4000, "write to unmapped address 0x210000"},
        {end - 4500, end - 4500, 9000, "read of unmapped address 0x210000"},
        {bad + 5, lo(kData), 3000, "read of unmapped address 0x900005"},
        {lo(kData), bad + 5, 3000, "write to unmapped address 0x900005"},
        {bad + 5, bad + 7, 3000, "read of unmapped address 0x900005"},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.stop);
        EXPECT_THAT(reason(cp_dma(c.source, c.destination, c.bytes), StopKind::Fault),
                    ::testing::EndsWith(std::string("CP_DMA ") + c.stop));
    }
}

}  // namespace
}  // namespace archipelago::cp::test::data_test
