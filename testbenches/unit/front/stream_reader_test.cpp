// SPDX-License-Identifier: Apache-2.0
// How far a ring and its buffers are read, and rows of packets that must differ.
#include "models/front/stream_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "models/common/error.h"
#include "models/front/packet_table.h"

namespace archipelago::front {
namespace {

StreamStack<> ring_of(uint32_t dwords, uint32_t read, uint32_t write) {
    StreamStack<> stream(3);
    stream.follow({0x1000, dwords, 2, 1, true}, write, read);
    return stream;
}

TEST(StreamStack, ARingEndsAtItsWritePointerAndWraps) {
    StreamStack<> stream = ring_of(16, 14, 3);
    EXPECT_EQ(stream.unread(), 5u);
    EXPECT_EQ(stream.top().address(), 0x1000u + 4 * 14);
    stream.advance(4);
    EXPECT_EQ(stream.top().position, 2u);
    EXPECT_FALSE(stream.at_write_pointer());
    stream.advance(1);
    EXPECT_TRUE(stream.at_write_pointer());
    EXPECT_EQ(stream.unread(), 0u);
}

TEST(StreamStack, APacketOfARingWaitsForWhatTheRingCanHold) {
    const StreamStack<> stream = ring_of(16, 14, 15);
    EXPECT_EQ(stream.most_left(0), 15u);
    EXPECT_EQ(stream.most_left(1), 14u);
}

TEST(StreamStack, BuffersNestAndReturnAtTheirEnd) {
    StreamStack<> stream = ring_of(16, 0, 4);
    stream.call(1, 0x2000, 5, 7, 2);
    stream.advance(5);
    stream.call(2, 0x3000, 3, 7, 0);
    stream.advance(1);
    EXPECT_EQ(stream.most_left(0), 2u);
    const Location at = stream.location(1);
    EXPECT_EQ(at.ring, 1u);
    EXPECT_EQ(at.level, 2u);
    EXPECT_EQ(at.vmid, 7u);
    EXPECT_EQ(at.dword, 1u);
    EXPECT_EQ(at.base, 0x3000u);
    stream.leave_finished();
    EXPECT_EQ(stream.level, 2u) << "two dwords are unread";
    stream.advance(2);
    stream.leave_finished();
    EXPECT_TRUE(stream.in_ring()) << "the buffer below has ended too";
    EXPECT_EQ(stream.location(1).vmid, 2u);
}

struct Row {
    const char* name;
    uint32_t bits, mask;
};
class Table : public PacketTable<Row> {
  public:
    explicit Table(std::vector<Row> rows) : PacketTable<Row>("toy", std::move(rows)) {
        check_headers(
            [](const Row& a, const Row& b) { return ((a.bits ^ b.bits) & a.mask & b.mask) == 0; });
    }
};

TEST(PacketTable, RefusesTwoRowsThatOneHeaderFits) {
    EXPECT_EQ(Table({{"A", 0x10, 0xF0}, {"B", 0x20, 0xF0}}).size(), 2u);
    try {
        const Table table({{"A", 0x10, 0xF0}, {"B", 0x20, 0xF0}, {"C", 0x11, 0x3F}});
        ADD_FAILURE() << "A and C fit 0x11";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("A and C"), std::string::npos) << stop.what();
    }
}

TEST(PacketTable, FindsRowsByName) {
    const Table table({{"A", 0x10, 0xF0}, {"B", 0x20, 0xF0}});
    ASSERT_NE(table.find_by_name("B"), nullptr);
    EXPECT_EQ(table.find_by_name("B")->bits, 0x20u);
    EXPECT_EQ(table.find_by_name("C"), nullptr);
}

}  // namespace
}  // namespace archipelago::front
