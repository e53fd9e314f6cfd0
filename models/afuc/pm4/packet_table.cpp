// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/pm4/packet_table.h"

#include "models/afuc/isa/names.h"

namespace archipelago::afuc {
namespace {

constexpr front::PacketField kData[] = {front::PacketField{"DATA", 1, 0, 31}.every(1)};
constexpr PacketRow kRaw = row("PKT7", 0, kMaxBodyDwords, kData);

uint8_t mask_of(Names names) {
    return names == Names::A5xx ? kA5 : names == Names::A6xx ? kA6 : kA7;
}

// Other entries of a microcode's packet table are no packets of type 7.
bool is_packet(const std::string& name) {
    return name.compare(0, 3, "CP_") == 0;
}

std::vector<Packet> packets_of(Names names) {
    std::vector<Packet> packets;
    for (const PacketName& known : packet_list(names)) {
        if (!is_packet(known.name))
            continue;
        const PacketRow* row = find_row(names, known.name);
        Packet packet;
        static_cast<front::PacketShape&>(packet) = row != nullptr ? *row : kRaw;
        packet.name = known.name;
        packet.opcode = known.opcode;
        packet.described = row != nullptr;
        packets.push_back(packet);
    }
    return packets;
}

}  // namespace

std::vector<Rows> all_rows() {
    return {control_packets(), memory_packets(), draw_packets()};
}

const PacketRow* find_row(Names names, const std::string& name) {
    for (const Rows& rows : all_rows())
        for (const PacketRow& row : rows)
            if (name == row.name && (row.of & mask_of(names)) != 0)
                return &row;
    return nullptr;
}

const front::PacketShape& raw_packet() {
    return kRaw;
}

PacketTable::PacketTable(Names names)
    : front::PacketTable<Packet>(names == Names::A5xx   ? "a5xx"
                                 : names == Names::A6xx ? "a6xx"
                                                        : "a7xx",
                                 packets_of(names)) {}

}  // namespace archipelago::afuc
