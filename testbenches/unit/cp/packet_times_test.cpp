// SPDX-License-Identifier: Apache-2.0
#include "models/cp/packet_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "models/cp/packets/si/si_packets.h"

namespace archipelago::cp {
namespace {

using testing::ElementsAre;

TEST(PacketTimes, AreByRingAndKindOfPacketWithTheLongest) {
    PacketTimes times;
    times.kinds.resize(2 * PacketTimes::kKinds);
    const uint32_t nop = 0xC0001000, type0 = 0x00000100, type2 = 0x80000000;
    times.add(0, nop, 5);
    times.add(0, nop, 9);
    times.add(1, nop, 2);
    times.add(1, type0, 3);
    times.add(1, type2, 1);
    std::vector<PacketUse> uses;
    add_packet_uses(si_packet_table(), "me", times, uses);
    std::vector<std::tuple<unsigned, std::string, uint64_t, uint64_t, uint64_t>> found;
    for (const PacketUse& use : uses)
        found.emplace_back(use.ring, use.packet, use.time.count, use.time.cycles, use.time.most);
    EXPECT_THAT(found, ElementsAre(std::make_tuple(0u, "NOP", 2u, 14u, 9u),
                                   std::make_tuple(1u, "NOP", 1u, 2u, 2u),
                                   std::make_tuple(1u, si_packet_table().type0().name, 1u, 3u, 3u),
                                   std::make_tuple(1u, "type-2", 1u, 1u, 1u)));
}

}  // namespace
}  // namespace archipelago::cp
