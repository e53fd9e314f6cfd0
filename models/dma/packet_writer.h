// SPDX-License-Identifier: Apache-2.0
// Packets of async DMA engines written by the names of a table (models/front/packet_writer.h). The
// field that counts data follows the data.
//
//   PacketWriter w(table);
//   w.packet("WRITE_LINEAR").address("DST", 0x1000).data({1, 2});
#pragma once

#include <string>

#include "models/dma/packet_table.h"
#include "models/front/packet_writer.h"

namespace archipelago::dma {

class PacketWriter : public front::PacketWriter<PacketWriter> {
  public:
    explicit PacketWriter(const PacketTable& table)
        : front::PacketWriter<PacketWriter>("dwords"), table_(&table) {}

    // Starts a packet without data, all but its header zeros. What follows is said of this packet.
    PacketWriter& packet(const std::string& name);

  private:
    void resized(uint32_t dwords) override;

    const PacketTable* table_;
    const PacketInfo* info_ = nullptr;
};

}  // namespace archipelago::dma
