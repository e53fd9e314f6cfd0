// SPDX-License-Identifier: Apache-2.0
#include "models/cp/packet_times.h"

namespace archipelago::cp {
namespace {

const char* name_of(const PacketTable& table, size_t kind) {
    if (kind == PacketTimes::kOpcodes)
        return table.type0().name;
    return kind < PacketTimes::kOpcodes ? table.find(static_cast<uint8_t>(kind))->name : "type-2";
}

}  // namespace

void add_packet_uses(const PacketTable& table, const char* engine, const PacketTimes& times,
                     std::vector<PacketUse>& uses) {
    for (size_t i = 0; i < times.kinds.size(); ++i)
        if (times.kinds[i].count != 0)
            uses.push_back({engine, static_cast<unsigned>(i / PacketTimes::kKinds),
                            name_of(table, i % PacketTimes::kKinds), times.kinds[i]});
}

}  // namespace archipelago::cp
