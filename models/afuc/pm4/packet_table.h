// SPDX-License-Identifier: Apache-2.0
// The packets of type 7 of a generation: rows with their opcodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/isa/generation.h"
#include "models/afuc/pm4/packet_row.h"
#include "models/front/packet_table.h"

namespace archipelago::afuc {

struct Packet : front::PacketShape {
    uint8_t opcode = 0;
    bool described = false;  // false: no row has it, and DATA is all it holds
};

class PacketTable : public front::PacketTable<Packet> {
  public:
    // All packets that configs/isa/afuc.yaml has for the generation.
    explicit PacketTable(Names names);

    // Of several names of an opcode, the first. Null: no packet has it.
    const Packet* find(unsigned opcode) const {
        return find_if([&](const Packet& packet) { return packet.opcode == opcode; });
    }
};

// A packet of any opcode, as its dwords.
const front::PacketShape& raw_packet();

// The row that a generation's packet of this name has, or null.
const PacketRow* find_row(Names names, const std::string& name);
// All rows: of control, memory, draws.
std::vector<Rows> all_rows();

}  // namespace archipelago::afuc
