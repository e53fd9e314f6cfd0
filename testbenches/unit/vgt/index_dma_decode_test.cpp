// SPDX-License-Identifier: Apache-2.0
// The index DMA unit in functional mode: which bytes of memory become which indices.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/vgt/index_dma_reader.h"

namespace archipelago::vgt {
namespace {

constexpr uint64_t kTop = uint64_t{1} << 48;

// Memory whose byte at `address` is a hash of it, with the lines that were read.
struct Memory {
    static uint8_t byte(uint64_t address) {
        uint64_t x = address * 0x9e3779b97f4a7c15u;
        x ^= x >> 29;
        return static_cast<uint8_t>(x * 0xbf58476d1ce4e5b9u >> 56);
    }
    ReadLine reader() {
        return [this](uint64_t line, uint64_t mask, uint8_t vmid, Line& data) {
            if (const auto bad = refused.find(line); bad != refused.end())
                return bad->second;
            reads.emplace_back(line, mask);
            vmids.push_back(vmid);
            for (unsigned i = 0; i < kLineBytes; ++i)
                data[i] = (mask >> i & 1) != 0 ? byte(line + i) : static_cast<uint8_t>(0xEE);
            return MemStatus::Ok;
        };
    }
    std::map<uint64_t, MemStatus> refused;
    std::vector<std::pair<uint64_t, uint64_t>> reads;
    std::vector<uint8_t> vmids;
};

// An index as the document and the register database have it, byte by byte: byte i of swapped
// memory is byte i with some low bits inverted.
uint32_t expected_index(const IndexCommand& c, uint32_t number) {
    if (number >= c.max_size)
        return 0;
    static constexpr unsigned kInverted[] = {0, 1, 3, 2};
    const unsigned bytes = c.type == 0 ? 2 : 4;
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        const uint64_t at = (c.base + uint64_t{number} * bytes + i) % kTop;
        value |= uint32_t{Memory::byte(at ^ kInverted[c.swap])} << 8 * i;
    }
    return value;
}

std::vector<IndexGroup> read_all(const IndexCommand& command, unsigned most, Memory& memory) {
    IndexReader reader(command, most, memory.reader());
    std::vector<IndexGroup> groups;
    IndexGroup group;
    while (reader.next(group))
        groups.push_back(group);
    EXPECT_FALSE(reader.next(group));
    return groups;
}
std::vector<uint32_t> indices(const std::vector<IndexGroup>& groups) {
    std::vector<uint32_t> r;
    for (const IndexGroup& g : groups)
        r.insert(r.end(), g.index.begin(), g.index.begin() + g.count);
    return r;
}
std::string stop_text(const IndexCommand& command, Memory& memory, StopKind kind) {
    try {
        read_all(command, 4, memory);
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), kind);
        return stop.what();
    }
    return "no stop";
}

// Bytes 00 11 22 33 of a dword, lowest address first.
TEST(IndexDecode, EverySwapModeOfEverySize) {
    LineWords line{};
    line[3] = 0x33221100;
    struct Row {
        IndexSwap swap;
        uint32_t wide, low, high;
    };
    const Row rows[] = {{IndexSwap::None, 0x33221100, 0x1100, 0x3322},
                        {IndexSwap::In16, 0x22330011, 0x0011, 0x2233},
                        {IndexSwap::In32, 0x00112233, 0x2233, 0x0011},
                        {IndexSwap::Words, 0x11003322, 0x3322, 0x1100}};
    for (const Row& row : rows) {
        EXPECT_EQ(index_at(line, 12, 1, row.swap), row.wide);
        EXPECT_EQ(index_at(line, 12, 0, row.swap), row.low);
        EXPECT_EQ(index_at(line, 14, 0, row.swap), row.high);
    }
}

TEST(IndexDecode, AShareOfALineEndsWithTheLineOrTheIndices) {
    struct Row {
        uint64_t address;
        uint32_t left, type;
        uint64_t line;
        uint32_t count;
        uint16_t dwords;
    };
    const Row rows[] = {
        {0x1000, 100, 0, 0x1000, 32, 0xFFFF},       {0x1000, 1, 0, 0x1000, 1, 0x0001},
        {0x1002, 1, 0, 0x1000, 1, 0x0001},          {0x1002, 2, 0, 0x1000, 2, 0x0003},
        {0x103E, 9, 0, 0x1000, 1, 0x8000},          {0x103C, 9, 1, 0x1000, 1, 0x8000},
        {0x1010, 3, 1, 0x1000, 3, 0x0070},          {0x1006, 5, 0, 0x1000, 5, 0x000E},
        {0x1040, 0xFFFFFFFF, 1, 0x1040, 16, 0xFFFF}};
    for (const Row& row : rows) {
        const LineShare share = line_share(row.address, row.left, row.type);
        EXPECT_EQ(share.line, row.line) << row.address;
        EXPECT_EQ(share.count, row.count) << row.address;
        EXPECT_EQ(share.dwords, row.dwords) << row.address;
    }
}

TEST(IndexDecode, GroupsEndWithLinesTheBoundAndTheDraw) {
    Memory memory;
    // 16-bit indices from the last two of a line on; 10 in memory, 5 after the bound.
    const std::vector<IndexGroup> groups = read_all({0x107C, 15, 10, 0, 0, 3, 77}, 4, memory);
    struct Row {
        unsigned count;
        bool beyond, last;
    };
    const Row rows[] = {
        {2, false, false}, {4, false, false}, {4, false, false}, {4, true, false}, {1, true, true}};
    ASSERT_EQ(groups.size(), std::size(rows));
    for (size_t i = 0; i < groups.size(); ++i) {
        EXPECT_EQ(groups[i].count, rows[i].count) << i;
        EXPECT_EQ(groups[i].beyond, rows[i].beyond) << i;
        EXPECT_EQ(groups[i].last, rows[i].last) << i;
        EXPECT_EQ(groups[i].draw, 77u);
    }
    const std::vector<std::pair<uint64_t, uint64_t>> reads = {{0x1040, uint64_t{0xF} << 60},
                                                              {0x1080, 0xFFFF}};
    EXPECT_EQ(memory.reads, reads);
    EXPECT_EQ(memory.vmids, (std::vector<uint8_t>{3, 3}));
}

TEST(IndexDecode, ADrawWithoutIndicesIsOneEmptyGroup) {
    Memory memory;
    const std::vector<IndexGroup> groups = read_all({0x1000, 0, 100, 1, 0, 0, 5}, 6, memory);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].count, 0u);
    EXPECT_TRUE(groups[0].last);
    EXPECT_FALSE(groups[0].beyond);
    EXPECT_TRUE(memory.reads.empty());
}

TEST(IndexDecode, NothingIsReadAtOrBeyondMaxSize) {
    Memory memory;
    const auto groups = read_all({0x1000, 40, 0, 1, 0, 0, 1}, 8, memory);
    EXPECT_EQ(indices(groups), std::vector<uint32_t>(40, 0));
    EXPECT_TRUE(memory.reads.empty());
    memory.refused[0x1040] = MemStatus::Unmapped;
    // The 16 of the first line, then the bound.
    EXPECT_EQ(indices(read_all({0x1000, 20, 16, 1, 0, 0, 1}, 8, memory)).size(), 20u);
    EXPECT_EQ(memory.reads.size(), 1u);
}

TEST(IndexDecode, AddressesWrapAt48Bits) {
    Memory memory;
    const IndexCommand c{kTop - 8, 6, 6, 1, 0, 0, 1};
    const std::vector<uint32_t> got = indices(read_all(c, 6, memory));
    ASSERT_EQ(got.size(), 6u);
    for (uint32_t i = 0; i < 6; ++i)
        EXPECT_EQ(got[i], expected_index(c, i));
    EXPECT_EQ(memory.reads[1].first, 0u);
}

TEST(IndexDecode, AMisalignedBaseIsNamed) {
    Memory memory;
    EXPECT_EQ(stop_text({0x1001, 1, 1, 0, 0, 0, 9}, memory, StopKind::BadInput),
              "vgt.index_dma: draw 9: index buffer at 0x1001 is not aligned to the size of its "
              "indices");
    EXPECT_NE(stop_text({0x1002, 0, 0, 1, 0, 0, 9}, memory, StopKind::BadInput).find("0x1002"),
              std::string::npos);
    EXPECT_EQ(stop_text({0x1002, 1, 1, 0, 0, 0, 9}, memory, StopKind::BadInput), "no stop");
}

TEST(IndexDecode, AReservedTypeIsNamed) {
    Memory memory;
    for (const uint8_t type : {uint8_t{2}, uint8_t{3}})
        EXPECT_EQ(stop_text({0x1000, 1, 1, type, 0, 0, 4}, memory, StopKind::BadInput),
                  "vgt.index_dma: draw 4: index buffer at 0x1000 has a reserved INDEX_TYPE, "
                  "expected 0 (16 bits) or 1 (32 bits)");
}

TEST(IndexDecode, AFaultNamesTheFirstIndexThatIsNotThere) {
    Memory memory;
    memory.refused[0x1040] = MemStatus::Unmapped;
    memory.refused[0x2000] = MemStatus::Error;
    EXPECT_EQ(stop_text({0x1030, 32, 32, 0, 0, 0, 7}, memory, StopKind::Fault),
              "vgt.index_dma: draw 7: indices read from unmapped address 0x1040");
    EXPECT_EQ(stop_text({0x2010, 1, 1, 1, 0, 0, 8}, memory, StopKind::Fault),
              "vgt.index_dma: draw 8: memory at 0x2010 failed when indices were read");
}

TEST(IndexDecode, AnyCommandGivesTheBytesOfMemoryThatItNames) {
    std::mt19937_64 random(4711);
    for (int round = 0; round < 3000; ++round) {
        IndexCommand c;
        c.type = static_cast<uint8_t>(random() % 2);
        c.base = random() % kTop;
        if (random() % 4 == 0)
            c.base |= kTop - 64;  // wraps soon
        c.base &= ~uint64_t{c.type == 0 ? 1u : 3u};
        c.count = static_cast<uint32_t>(random() % 150);
        c.max_size = random() % 3 == 0 ? ~0u : static_cast<uint32_t>(random() % 150);
        c.swap = static_cast<uint8_t>(random() % 4);
        const auto most = static_cast<unsigned>(1 + random() % 8);
        Memory memory;
        const std::vector<IndexGroup> groups = read_all(c, most, memory);
        const std::vector<uint32_t> got = indices(groups);
        ASSERT_EQ(got.size(), c.count);
        for (uint32_t i = 0; i < c.count; ++i)
            ASSERT_EQ(got[i], expected_index(c, i)) << "index " << i << " of round " << round;
        // Every line once, and not a byte outside the dwords of the bounded buffer.
        const uint64_t bytes = uint64_t{std::min(c.count, c.max_size)} * (c.type == 0 ? 2 : 4);
        uint64_t asked = 0;
        for (const auto& [line, mask] : memory.reads) {
            asked += static_cast<uint64_t>(__builtin_popcountll(mask));
            ASSERT_EQ(line % kLineBytes, 0u);
        }
        const uint64_t end = (c.base + bytes + 3) & ~uint64_t{3};
        ASSERT_EQ(asked, bytes == 0 ? 0 : end - (c.base & ~uint64_t{3}));
        for (const IndexGroup& g : groups) {
            ASSERT_LE(g.count, most);
            ASSERT_EQ(g.last, &g == &groups.back());
            for (unsigned i = g.count; i < IndexGroup::kMax; ++i)
                ASSERT_EQ(g.index[i], 0u);
        }
    }
}

}  // namespace
}  // namespace archipelago::vgt
