// SPDX-License-Identifier: Apache-2.0
#include "models/dma/packet_table.h"

#include <algorithm>
#include <utility>

namespace archipelago::dma {

PacketTable::PacketTable(const char* generation, std::vector<PacketInfo> rows)
    : front::PacketTable<PacketInfo>(generation, std::move(rows)) {
    check_headers([](const PacketInfo& a, const PacketInfo& b) {
        return ((a.header ^ b.header) & a.header_mask & b.header_mask) == 0;
    });
}

const PacketInfo* PacketTable::find(uint32_t header) const {
    return find_if([&](const PacketInfo& row) { return row.is(header); });
}

std::shared_ptr<const PacketTable> document_forms(const Generation& generation,
                                                  const std::vector<std::string>& names,
                                                  std::string& unknown) {
    std::vector<PacketInfo> rows(generation.packets.begin(), generation.packets.end());
    for (const std::string& name : names) {
        const auto form = std::find_if(generation.document.begin(), generation.document.end(),
                                       [&](const PacketInfo& p) { return name == p.name; });
        if (form == generation.document.end()) {
            unknown = name;
            return nullptr;
        }
        *std::find_if(rows.begin(), rows.end(),
                      [&](const PacketInfo& p) { return name == p.name; }) = *form;
    }
    return std::make_shared<PacketTable>(generation.packets.generation(), std::move(rows));
}

}  // namespace archipelago::dma
