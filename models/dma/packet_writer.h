// SPDX-License-Identifier: Apache-2.0
// Packets written by the names of a generation's table.
//
//   PacketWriter w(table);
//   w.packet("COPY_LINEAR").set("COUNT", 16).address("SRC", 0x1000).address("DST", 0x2000);
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "models/dma/packet_table.h"
#include "models/front/packet_writer.h"

namespace archipelago::dma {

class PacketWriter : public front::PacketWriter<PacketWriter> {
  public:
    explicit PacketWriter(const PacketTable& table)
        : front::PacketWriter<PacketWriter>("dwords"), table_(&table) {}

    // Starts a packet without payload, all zeros but for what tells it from others.
    PacketWriter& packet(const std::string& name) {
        const PacketInfo* info = table_->find_by_name(name);
        if (info == nullptr)
            throw std::invalid_argument(std::string("generation ") + table_->generation() +
                                        " has no packet " + name);
        start(*info, 0);
        dword(1) = info->header;
        return *this;
    }

  private:
    void resized(uint32_t) override {}

    const PacketTable* table_;
};

}  // namespace archipelago::dma
