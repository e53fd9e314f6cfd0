// SPDX-License-Identifier: Apache-2.0
// The draw packets of section 2.5 of "Radeon Southern Islands Acceleration", in both engines: every
// field in the register it belongs to, every value the document forbids.
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "registers/si_names.h"
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test::draw_test {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;
// Not hidden by that of Writes. NOLINTNEXTLINE(misc-unused-using-decls): it is used.
using archipelago::cp::test::operator+;

constexpr uint32_t kFetched = 0, kImmediate = 1, kAutomatic = 2;
constexpr uint64_t kIndices = 0x123400056780;
constexpr uint32_t kVs4 = (0xB130 + 16 - 0xB000) / 4;  // user data 4 of VS

class DrawPackets : public PacketsTest {
  protected:
    // The register writes the packets come to, contexts' copies left out.
    std::vector<std::pair<uint32_t, uint32_t>> writes(const Words& words) {
        const size_t before = m().seen.regs.size();
        EXPECT_TRUE(m().submit(words)) << m().waiting_for();
        std::vector<std::pair<uint32_t, uint32_t>> found;
        for (size_t i = before; i < m().seen.regs.size(); ++i)
            if (m().seen.regs[i].offset != regs::si::GFX_COPY_STATE)
                found.emplace_back(m().seen.regs[i].offset, m().seen.regs[i].value);
        return found;
    }
    // How a new machine stops at the packets.
    std::string stop(const Words& words, unsigned ring = 0, StopKind kind = StopKind::BadInput) {
        SetUp();
        try {
            m().submit(words, ring);
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), kind) << e.what();
            return e.what();
        }
        return "no stop";
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, DrawPackets, all_modes(), mode_name);

using Writes = std::vector<std::pair<uint32_t, uint32_t>>;

Words index_base(uint64_t base) {
    return packet("INDEX_BASE", {lo(base), hi(base)});
}
Words index_size(uint32_t size) {
    return packet("INDEX_BUFFER_SIZE", {size});
}
Words index_type(uint32_t value) {
    return packet("INDEX_TYPE", {value});
}
Words arguments_at(uint64_t base) {
    return packet("SET_BASE", {1, lo(base), hi(base)});
}
Writes fetch(uint64_t base, uint32_t max, uint32_t count) {
    return {{si::VGT_DMA_MAX_SIZE, max},
            {si::VGT_DMA_BASE, lo(base)},
            {si::VGT_DMA_BASE_HI, hi(base)},
            {si::VGT_DMA_SIZE, count},
            {si::VGT_NUM_INDICES, count}};
}
Writes operator+(Writes a, const Writes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
Writes initiator(uint32_t value) {
    return {{si::VGT_DRAW_INITIATOR, value}};
}

TEST_P(DrawPackets, DrawIndex2WritesItsBufferCountAndInitiator) {
    EXPECT_EQ(
        writes(packet("DRAW_INDEX_2", {50, lo(kIndices), hi(kIndices), 36, kFetched | 1 << 5})),
        fetch(kIndices, 50, 36) + initiator(kFetched | 1 << 5));
}

TEST_P(DrawPackets, DrawIndexHasNoEndOfItsBuffer) {
    EXPECT_EQ(writes(packet("DRAW_INDEX", {lo(kIndices), hi(kIndices), 36, kFetched})),
              fetch(kIndices, ~0u, 36) + initiator(kFetched));
}

TEST_P(DrawPackets, DrawIndexAutoWritesItsCountAndInitiator) {
    EXPECT_EQ(writes(packet("DRAW_INDEX_AUTO", {1000, kAutomatic})),
              (Writes{{si::VGT_NUM_INDICES, 1000}} + initiator(kAutomatic)));
}

TEST_P(DrawPackets, IndexTypeSetsBothRegistersAndTheSwap) {
    EXPECT_EQ(writes(index_type(1 | 2 << 2)),
              (Writes{{si::VGT_INDEX_TYPE, 1}, {si::VGT_DMA_INDEX_TYPE, 1 | 2 << 2}}));
    EXPECT_EQ(writes(index_type(0)),
              (Writes{{si::VGT_INDEX_TYPE, 0}, {si::VGT_DMA_INDEX_TYPE, 0}}));
    EXPECT_THAT(stop(index_type(2)), HasSubstr("INDEX_TYPE: reserved bits in 0x2"));
    EXPECT_THAT(stop(index_type(0x10)), HasSubstr("reserved bits"));
}

TEST_P(DrawPackets, NumInstancesTakesZeroForOne) {
    EXPECT_EQ(writes(packet("NUM_INSTANCES", {7})),
              (Writes{{si::VGT_NUM_INSTANCES, 7}, {si::VGT_DMA_NUM_INSTANCES, 7}}));
    EXPECT_EQ(writes(packet("NUM_INSTANCES", {0})),
              (Writes{{si::VGT_NUM_INSTANCES, 1}, {si::VGT_DMA_NUM_INSTANCES, 1}}));
}

TEST_P(DrawPackets, DrawIndexOffset2CountsFromTheBaseInIndicesOfTheType) {
    writes(index_base(kIndices) + index_type(0));
    EXPECT_EQ(writes(packet("DRAW_INDEX_OFFSET_2", {90, 10, 36, kFetched})),
              fetch(kIndices + 20, 90, 36) + initiator(kFetched));
    writes(index_type(1));
    EXPECT_EQ(writes(packet("DRAW_INDEX_OFFSET_2", {90, 10, 36, kFetched})),
              fetch(kIndices + 40, 90, 36) + initiator(kFetched));
}

TEST_P(DrawPackets, DrawIndexOffsetEndsWhereIndexBufferSizeSays) {
    writes(index_base(kIndices) + index_type(1));
    EXPECT_EQ(writes(packet("DRAW_INDEX_OFFSET", {10, 36, kFetched})),
              fetch(kIndices + 40, ~0u, 36) + initiator(kFetched));
    writes(index_size(30));
    EXPECT_EQ(writes(packet("DRAW_INDEX_OFFSET", {10, 36, kFetched})),
              fetch(kIndices + 40, 20, 36) + initiator(kFetched));
    EXPECT_EQ(writes(packet("DRAW_INDEX_OFFSET", {31, 36, kFetched})),
              fetch(kIndices + 124, 0, 36) + initiator(kFetched));
}

TEST_P(DrawPackets, AnOffsetWithoutABaseStops) {
    for (const Words& words : {packet("DRAW_INDEX_OFFSET", {0, 3, kFetched}),
                               packet("DRAW_INDEX_OFFSET_2", {9, 0, 3, kFetched})})
        EXPECT_THAT(stop(words), HasSubstr("no INDEX_BASE packet before it"));
    EXPECT_THAT(stop(arguments_at(kData) + packet("DRAW_INDEX_INDIRECT", {0, kVs4, kFetched})),
                HasSubstr("no INDEX_BASE packet before it"));
}

TEST_P(DrawPackets, AnIndexBufferAtAnOddByteStops) {
    EXPECT_THAT(stop(index_base(0x1001)), HasSubstr("not aligned to 2 bytes"));
    EXPECT_THAT(stop(packet("DRAW_INDEX_2", {1, 0x1001, 0, 1, kFetched})),
                HasSubstr("not aligned"));
    EXPECT_THAT(stop(packet("DRAW_INDEX", {0x1001, 0, 1, kFetched})), HasSubstr("not aligned"));
}

TEST_P(DrawPackets, DrawIndexImmedSendsItsIndicesBehindTheInitiator) {
    writes(index_type(0));
    EXPECT_EQ(writes(packet("DRAW_INDEX_IMMD", {3, kImmediate, 0x00020001, 0x3})),
              (Writes{{si::VGT_NUM_INDICES, 3}} + initiator(kImmediate) +
               Writes{{si::VGT_IMMED_DATA, 0x00020001}, {si::VGT_IMMED_DATA, 3}}));
    writes(index_type(1));
    EXPECT_EQ(writes(packet("DRAW_INDEX_IMMD", {2, kImmediate, 70000, 5})),
              (Writes{{si::VGT_NUM_INDICES, 2}} + initiator(kImmediate) +
               Writes{{si::VGT_IMMED_DATA, 70000}, {si::VGT_IMMED_DATA, 5}}));
}

TEST_P(DrawPackets, DrawIndexImmedWithMoreOrFewerIndicesThanItHasStops) {
    EXPECT_THAT(stop(packet("DRAW_INDEX_IMMD", {3, kImmediate, 0})),
                HasSubstr("3 indices of 16 bits in 1 dw"));
    EXPECT_THAT(stop(packet("DRAW_INDEX_IMMD", {2, kImmediate, 0, 0})),
                HasSubstr("2 indices of 16 bits in 2"));
    EXPECT_THAT(stop(index_type(1) + packet("DRAW_INDEX_IMMD", {2, kImmediate, 0})),
                HasSubstr("2 indices of 32 bits in 1"));
    EXPECT_THAT(stop(packet("DRAW_INDEX_IMMD", {0, kImmediate, 0})), HasSubstr("INDEX_COUNT is 0"));
}

TEST_P(DrawPackets, MpegIndexMakesThreeIndicesOfEach) {
    writes(index_type(1));
    EXPECT_EQ(writes(packet("MPEG_INDEX", {6, kImmediate, 40, 0xFFFFFFFF})),
              (Writes{{si::VGT_NUM_INDICES, 6}} + initiator(kImmediate) +
               Writes{{si::VGT_IMMED_DATA, 40},
                      {si::VGT_IMMED_DATA, 41},
                      {si::VGT_IMMED_DATA, 42},
                      {si::VGT_IMMED_DATA, 0xFFFFFFFF},
                      {si::VGT_IMMED_DATA, 0},
                      {si::VGT_IMMED_DATA, 1}}));
}

TEST_P(DrawPackets, MpegIndexRefusesCountsOutOfRangeAndOtherThanThreeForEach) {
    const Words wide = index_type(1);
    EXPECT_THAT(stop(wide + packet("MPEG_INDEX", {2, kImmediate, 1})),
                HasSubstr("of 0x3 to 0x3fff"));
    EXPECT_THAT(stop(wide + packet("MPEG_INDEX", {0x4000, kImmediate, 1})), HasSubstr("0x4000"));
    EXPECT_THAT(stop(wide + packet("MPEG_INDEX", {6, kImmediate, 1})), HasSubstr("6 with 1 first"));
    EXPECT_THAT(stop(packet("MPEG_INDEX", {3, kImmediate, 1})), HasSubstr("32 bits"));
}

TEST_P(DrawPackets, DrawIndexMultiAutoDrawsEachOfItsPrimitives) {
    const uint32_t first = 100 | 4u << 16 | 36u << 21, second = 0xFFFF | 6u << 16 | 2047u << 21;
    EXPECT_EQ(writes(packet("DRAW_INDEX_MULTI_AUTO", {2, kAutomatic, first, second})),
              (Writes{{si::VGT_PRIMITIVE_TYPE, 4},
                      {si::VGT_INDX_OFFSET, 100},
                      {si::VGT_NUM_INDICES, 36},
                      {si::VGT_DRAW_INITIATOR, kAutomatic},
                      {si::VGT_PRIMITIVE_TYPE, 6},
                      {si::VGT_INDX_OFFSET, 0xFFFF},
                      {si::VGT_NUM_INDICES, 2047},
                      {si::VGT_DRAW_INITIATOR, kAutomatic}}));
    EXPECT_THAT(stop(packet("DRAW_INDEX_MULTI_AUTO", {3, kAutomatic, first, second})),
                HasSubstr("PRIMCOUNT 3 with 2 dwords"));
    EXPECT_THAT(stop(packet("DRAW_INDEX_MULTI_AUTO", {0, kAutomatic, first})),
                HasSubstr("PRIMCOUNT 0"));
}

TEST_P(DrawPackets, DrawIndirectTakesItsArgumentsFromMemoryAndPatchesUserData) {
    m().poke(kData + 64, Words{600, 3, 77, 88});
    EXPECT_EQ(
        writes(arguments_at(kData) + packet("DRAW_INDIRECT", {64, kVs4, kVs4 + 5, kAutomatic})),
        (Writes{{0xB140, 77},
                {0xB154, 88},
                {si::VGT_NUM_INSTANCES, 3},
                {si::VGT_DMA_NUM_INSTANCES, 3},
                {si::VGT_NUM_INDICES, 600}} +
         initiator(kAutomatic)));
}

TEST_P(DrawPackets, DrawIndexIndirectTakesItsArgumentsFromMemory) {
    writes(arguments_at(kData) + index_base(kIndices) + index_type(0) + index_size(100));
    m().poke(kData + 60, Words{600, 3, 40, 0xFFFFFFF0, 88});  // over the end of a line
    const Writes want = Writes{{0xB140, 0xFFFFFFF0},
                               {0xB144, 88},
                               {si::VGT_NUM_INSTANCES, 3},
                               {si::VGT_DMA_NUM_INSTANCES, 3}} +
                        fetch(kIndices + 80, 60, 600) + initiator(kFetched);
    EXPECT_EQ(writes(packet("DRAW_INDEX_INDIRECT", {60, kVs4, kFetched})),
              want);  // as the document's table
    EXPECT_EQ(writes(packet("DRAW_INDEX_INDIRECT", {60, kVs4, kVs4 + 1, kFetched})),
              want);  // as drivers send it
}

TEST_P(DrawPackets, AnIndirectDrawOfNoInstancesDrawsNothing) {
    m().poke(kData, Words{600, 0, 77, 88, 99});
    EXPECT_EQ(
        writes(arguments_at(kData) + packet("DRAW_INDIRECT", {0, kVs4, kVs4 + 1, kAutomatic})),
        (Writes{{0xB140, 77}, {0xB144, 88}}));
}

TEST_P(DrawPackets, IndirectDrawsRefuseWhatTheDocumentForbids) {
    EXPECT_THAT(
        stop(arguments_at(kData) + packet("DRAW_INDIRECT", {2, kVs4, kVs4 + 1, kAutomatic})),
        HasSubstr("DATA_OFFSET 0x2 is not dword aligned"));
    EXPECT_THAT(stop(packet("DRAW_INDIRECT", {0, kVs4, kVs4 + 1, kAutomatic})),
                HasSubstr("no SET_BASE"));
    EXPECT_THAT(stop(arguments_at(kData) + packet("DRAW_INDIRECT", {0, 0, kVs4, kAutomatic})),
                HasSubstr("BASE_VTX_LOC 0x0 is register 0xb000, no user data"));
    EXPECT_THAT(stop(arguments_at(kData) + index_base(0) +
                     packet("DRAW_INDEX_INDIRECT", {0, kVs4, kFetched})),
                HasSubstr("no INDEX_BUFFER_SIZE packet before it"));
    // The register after the last of user data.
    EXPECT_THAT(stop(arguments_at(kData) + index_base(0) + index_size(9) +
                     packet("DRAW_INDEX_INDIRECT", {0, kVs4 + 11, kFetched})),
                HasSubstr("START_INST_LOC"));
    EXPECT_THAT(
        stop(arguments_at(kUnmapped) + packet("DRAW_INDIRECT", {0, kVs4, kVs4 + 1, kAutomatic}), 0,
             StopKind::Fault),
        HasSubstr("0x900000"));
}

TEST_P(DrawPackets, DrawIndirectMultiDrawsEachStructureOfTheStride) {
    m().poke(kData, Words{600, 3, 77, 88});
    m().poke(kData + 32, Words{6, 1, 7, 8});
    const Writes first = Writes{{0xB140, 77}, {0xB154, 88}},
                 second = Writes{{0xB140, 7}, {0xB154, 8}};
    const auto draw = [](uint32_t instances, uint32_t count) {
        return Writes{{si::VGT_NUM_INSTANCES, instances},
                      {si::VGT_DMA_NUM_INSTANCES, instances},
                      {si::VGT_NUM_INDICES, count}} +
               initiator(kAutomatic);
    };
    EXPECT_EQ(writes(arguments_at(kData) + packet("DRAW_INDIRECT_MULTI",
                                                  {0, kVs4, kVs4 + 5, 0, 2, 0, 0, 32, kAutomatic})),
              first + draw(3, 600) + second + draw(1, 6));
    // With the number of the draw, at the offset.
    const auto numbered = [](uint32_t offset, uint32_t count) {
        return packet("DRAW_INDIRECT_MULTI",
                      {offset, kVs4, kVs4 + 5, 1u << 31 | (kVs4 + 6), count, 0, 0, 32, kAutomatic});
    };
    const Writes zeroth = Writes{{0xB158, 0}}, next = Writes{{0xB158, 1}};
    EXPECT_EQ(writes(numbered(32, 1)), second + zeroth + draw(1, 6));
    EXPECT_EQ(writes(numbered(0, 2)), first + zeroth + draw(3, 600) + second + next + draw(1, 6));
    EXPECT_EQ(
        writes(packet("DRAW_INDIRECT_MULTI", {0, kVs4, kVs4 + 5, 0, 0, 0, 0, 32, kAutomatic})),
        Writes{});
}

TEST_P(DrawPackets, DrawIndirectMultiTakesTheLesserOfItsCountAndTheOneInMemory) {
    m().poke(kData, Words{600, 1, 77, 88});
    m().poke(kData + 0x100, Words{2, 9});
    writes(arguments_at(kData));
    const auto drawn = [&](uint32_t count, uint64_t address) {
        size_t draws = 0;
        for (const auto& w :
             writes(packet("DRAW_INDIRECT_MULTI", {0, kVs4, kVs4 + 1, 1u << 30, count, lo(address),
                                                   hi(address), 0, kAutomatic})))
            draws += w.first == si::VGT_DRAW_INITIATOR ? 1 : 0;
        return draws;
    };
    EXPECT_EQ(drawn(5, kData + 0x100), 2u);
    EXPECT_EQ(drawn(5, kData + 0x104), 5u);
    EXPECT_EQ(drawn(1, kData + 0x100), 1u);
    EXPECT_EQ(drawn(5, kData + 0x108), 0u);
}

TEST_P(DrawPackets, DrawIndexIndirectMultiFetchesOfTheIndexBuffer) {
    writes(arguments_at(kData) + index_base(kIndices) + index_type(1) + index_size(100));
    m().poke(kData + 56, Words{600, 3, 40, 5, 88});  // over the end of a line
    m().poke(kData + 76, Words{9, 0, 50, 6, 89});    // draws nothing
    EXPECT_EQ(
        writes(packet("DRAW_INDEX_INDIRECT_MULTI", {56, kVs4, kVs4 + 1, 0, 2, 0, 0, 20, kFetched})),
        (Writes{{0xB140, 5},
                {0xB144, 88},
                {si::VGT_NUM_INSTANCES, 3},
                {si::VGT_DMA_NUM_INSTANCES, 3}} +
         fetch(kIndices + 160, 60, 600) + initiator(kFetched) + Writes{{0xB140, 6}, {0xB144, 89}}));
}

TEST_P(DrawPackets, MultiDrawsRefuseWhatSingleOnesDo) {
    const auto multi = [](uint32_t offset, uint32_t count_at, uint32_t stride, uint32_t location) {
        return packet("DRAW_INDIRECT_MULTI", {offset, kVs4, kVs4 + 1, 3u << 30 | location, 1,
                                              count_at, 0, stride, kAutomatic});
    };
    m().poke(kData, 1);
    EXPECT_THAT(stop(multi(0, lo(kData), 16, kVs4)), HasSubstr("no SET_BASE"));
    const Words at = arguments_at(kData);
    EXPECT_THAT(stop(at + multi(2, lo(kData), 16, kVs4)), HasSubstr("DATA_OFFSET 0x2"));
    EXPECT_THAT(stop(at + multi(0, lo(kData), 6, kVs4)), HasSubstr("STRIDE 0x6"));
    EXPECT_THAT(stop(at + multi(0, lo(kData) + 2, 16, kVs4)), HasSubstr("not dword aligned"));
    EXPECT_THAT(stop(at + packet("DRAW_INDEX_INDIRECT_MULTI",
                                 {0, kVs4, kVs4 + 1, 0, 1, 0, 0, 0, kFetched})),
                HasSubstr("no INDEX_BASE"));
    EXPECT_THAT(stop(at + packet("DRAW_INDIRECT_MULTI",
                                 {0, kVs4, kVs4 + 1, 1u << 31, 1, 0, 0, 0, kAutomatic})),
                HasSubstr("DRAW_INDEX_LOC 0x0 is register 0xb000"));
}

TEST_P(DrawPackets, AnInitiatorThatNamesAnotherSourceOfIndicesStops) {
    EXPECT_THAT(stop(packet("DRAW_INDEX_AUTO", {3, kFetched})), HasSubstr("SOURCE_SELECT is 0"));
    EXPECT_THAT(stop(packet("DRAW_INDEX_2", {3, 0, 0, 3, kAutomatic})),
                HasSubstr("SOURCE_SELECT is 2"));
    EXPECT_THAT(stop(packet("DRAW_INDEX_IMMD", {1, kAutomatic, 0})),
                HasSubstr("SOURCE_SELECT is 2"));
    EXPECT_THAT(stop(packet("DRAW_INDEX_AUTO", {3, 3})), HasSubstr("SOURCE_SELECT is 3"));
}

TEST_P(DrawPackets, ComputeRingsRefuseEveryDrawPacket) {
    const std::vector<Words> packets = {
        packet("INDEX_BUFFER_SIZE", {0}),
        packet("DRAW_INDIRECT", {0, 0, 0, 2}),
        packet("DRAW_INDEX_INDIRECT", {0, 0, 0}),
        packet("INDEX_BASE", {0, 0}),
        packet("DRAW_INDEX_2", {0, 0, 0, 0, 0}),
        packet("DRAW_INDEX_OFFSET", {0, 0, 0}),
        packet("INDEX_TYPE", {0}),
        packet("DRAW_INDEX", {0, 0, 0, 0}),
        packet("DRAW_INDEX_AUTO", {0, 2}),
        packet("DRAW_INDIRECT_MULTI", {0, 0, 0, 0, 0, 0, 0, 0, 2}),
        packet("DRAW_INDEX_INDIRECT_MULTI", {0, 0, 0, 0, 0, 0, 0, 0, 0}),
        packet("DRAW_INDEX_IMMD", {1, 1, 0}),
        packet("NUM_INSTANCES", {1}),
        packet("DRAW_INDEX_MULTI_AUTO", {1, 2, 0}),
        packet("DRAW_INDEX_OFFSET_2", {0, 0, 0, 0}),
        packet("MPEG_INDEX", {3, 1, 0})};
    for (const Words& words : packets)
        for (const unsigned ring : {1u, 2u})
            EXPECT_THAT(stop(words, ring), HasSubstr("ring")) << std::hex << words[0];
}

}  // namespace
}  // namespace archipelago::cp::test::draw_test
