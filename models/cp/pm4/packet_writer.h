// SPDX-License-Identifier: Apache-2.0
// PM4 packets written by the names of a table: opcodes, places of fields and sizes of bodies are
// those of the rows (models/front/packet_writer.h).
//
//   PacketWriter w(table);
//   w.packet("WRITE_DATA").set("DST_SEL", "MEMORY").address("DST_ADDR", 0x1000).data({1, 2});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/cp/pm4/packet_table.h"
#include "models/front/packet_writer.h"

namespace archipelago::cp {

class PacketWriter : public front::PacketWriter<PacketWriter> {
  public:
    explicit PacketWriter(const PacketTable& table)
        : front::PacketWriter<PacketWriter>("body dwords"), table_(&table) {}

    // Starts a packet whose body is the least its row allows, all zeros. Fields and data beyond it
    // make it longer. What follows is said of this packet.
    PacketWriter& packet(const std::string& name);
    // SHADER_TYPE of the header.
    PacketWriter& compute();
    // Of a packet that sets registers: the first one's byte offset, and values of it and those
    // after it.
    PacketWriter& registers(uint32_t first, const std::vector<uint32_t>& values);

  private:
    void resized(uint32_t dwords) override;

    const PacketTable* table_;
    const PacketInfo* info_ = nullptr;
    bool compute_ = false;
};

}  // namespace archipelago::cp
