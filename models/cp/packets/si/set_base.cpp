// SPDX-License-Identifier: Apache-2.0
// SET_BASE: bases of tables in memory, partitions of the GDS and of the constant engine's RAM.
// "Radeon Southern Islands Acceleration" 2.2.3.
#include <string>

#include "models/cp/ce_instruction.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp::si {

constexpr ValueName kBasesNames[] = {
    {0, "DISPLAY_LIST"}, {1, "DRAW_INDIRECT"}, {2, "GDS_PARTITIONS"}, {3, "CE_PARTITIONS"}};
constexpr FieldMeaning kBases = value_names(kBasesNames);
namespace set_base {
enum f : uint8_t { kBaseIndex, kAddressLo, kAddressHi, kCs1Index, kCs2Index, kAddress0, kAddress1 };
constexpr FieldCondition kBase = when({"BASE_INDEX", 1, 0, 3}, {0, 1});
constexpr FieldCondition kPartition = when({"BASE_INDEX", 1, 0, 3}, {2, 3});
constexpr PacketField kFields[] = {
    {"BASE_INDEX", 1, 0, 3, &kBases},
    PacketField{"ADDRESS_LO", 2, 3, 31, &kAddress}.when(kBase),
    PacketField{"ADDRESS_HI", 3, 0, 15}.when(kBase),
    PacketField{"CS1_INDEX", 2, 0, 15}.when(kPartition),
    PacketField{"CS2_INDEX", 3, 0, 15}.when(kPartition),
    {"ADDRESS0", 2, 0, 31},
    {"ADDRESS1", 3, 0, 15},
};
constexpr size_t kShown = 5;  // after them: whole dwords, for the program

bool run(ProgramState& p, MicroOp&) {
    DeState::Ring& ring = p.ring();
    if (p.body[0] >> 4 != 0)
        p.bad("reserved bits beside BASE_INDEX in " + hex(p.body[0]));
    const uint32_t index = p[f::kBaseIndex];
    const uint32_t word0 = p[f::kAddress0];
    const uint32_t word1 = p[f::kAddress1];
    if (index > 3)
        p.bad("reserved BASE_INDEX " + std::to_string(index));
    if (p.body[2] >> 16 != 0)
        p.bad("reserved bits of ADDRESS1 " + hex(p.body[2]));
    if (index < 2) {
        const uint64_t address = uint64_t{word1} << 32 | word0;
        if (word0 % 8 != 0)
            p.bad("address " + hex(address) + " is not qword aligned");
        ring.base[index] = address;
        ring.base_set[index] = true;
        return false;
    }
    if (word0 >> 16 != 0)
        p.bad("reserved bits of ADDRESS0 " + hex(word0));
    if (word0 % 64 != 0 || word1 % 64 != 0)
        p.bad("partition index is not a multiple of 64");
    if (word0 > word1)
        p.bad("partitions of the " +
              std::string(index == kGdsPartitions ? "GDS" : "constant engine") +
              " are not in order");
    if (index == kGdsPartitions) {
        p.de->gds_partitioned = true;
        p.de->gds_start = {word0, word1};
    } else {
        ring.ce_partition = {word0, word1};
    }
    return false;
}

// The constant engine knows the partitions of its RAM and those of the GDS; what ME refuses does
// not reach it.
bool in_order(uint32_t cs1, uint32_t cs2) {
    return cs1 % 64 == 0 && cs2 % 64 == 0 && cs1 <= cs2;
}
bool ce_command(const PacketInfo& info, const uint32_t* body, CeCommand& command) {
    command.partition = static_cast<uint8_t>(info.fields[f::kBaseIndex].in(body));
    command.cs1 = info.fields[f::kCs1Index].in(body);
    command.cs2 = info.fields[f::kCs2Index].in(body);
    return in_order(command.cs1, command.cs2);
}

void start(CeStep& s) {
    const uint32_t cs1 = s[f::kCs1Index], cs2 = s[f::kCs2Index];
    if (!kPartition.holds(s.was().body.data(), 1))
        s.stop(CeStop::BaseIndex, s[f::kBaseIndex]);
    else if (!in_order(cs1, cs2))
        s.stop(CeStop::Partition, cs2 << 16 | cs1);
}
bool execute(CeStep& s) {
    const bool gds = s[f::kBaseIndex] == kGdsPartitions;
    (gds ? s.next.gds_cs1 : s.next.cs1) = s[f::kCs1Index];
    (gds ? s.next.gds_cs2 : s.next.cs2) = s[f::kCs2Index];
    return true;
}
constexpr CeInstruction kInCe{CePacket::SetBase, nullptr, start, execute};
}  // namespace set_base
constexpr PacketInfo kSetBase = packet("SET_BASE", 0x11, PacketClass::State)
                                    .engine(PacketEngine::Both)
                                    .body(3)
                                    .routed({kRuleSetBase, Route::Me})
                                    .fields(set_base::kFields, set_base::kShown)
                                    .commands_ce(set_base::kPartition, set_base::ce_command)
                                    .in_ce(set_base::kInCe)
                                    .runs(set_base::run);

}  // namespace archipelago::cp::si
