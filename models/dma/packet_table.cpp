// SPDX-License-Identifier: Apache-2.0
#include "models/dma/packet_table.h"

#include <algorithm>
#include <utility>

#include "models/common/invariant.h"

namespace archipelago::dma {

PacketTable::PacketTable(const char* generation, std::vector<PacketInfo> packets)
    : generation_(generation), packets_(std::move(packets)) {
    for (size_t i = 0; i < packets_.size(); ++i)
        for (size_t k = i + 1; k < packets_.size(); ++k) {
            const uint32_t both = packets_[i].header_mask & packets_[k].header_mask;
            invariant(((packets_[i].header ^ packets_[k].header) & both) != 0,
                      std::string(packets_[i].name) + " and " + packets_[k].name,
                      "have headers that fit both");
        }
}

const PacketInfo* PacketTable::find(uint32_t header) const {
    const auto found = std::find_if(packets_.begin(), packets_.end(),
                                    [&](const PacketInfo& p) { return p.is(header); });
    return found != packets_.end() ? &*found : nullptr;
}

const PacketInfo* PacketTable::find_by_name(const std::string& name) const {
    const auto found = std::find_if(packets_.begin(), packets_.end(),
                                    [&](const PacketInfo& p) { return name == p.name; });
    return found != packets_.end() ? &*found : nullptr;
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
