// SPDX-License-Identifier: Apache-2.0
// Checks of packets as they are parsed, and how logs show them; the same in both modes.
#include "models/common/error.h"
#include "models/dma/engine_core.h"
#include "models/front/field_names.h"

namespace archipelago::dma {

const PacketInfo& check_header(const PacketTable& table, uint32_t header, uint32_t dwords_left,
                               const front::Location& location, const front::RingNames& names) {
    const PacketInfo* info = table.find(header);
    const auto bad = [&](const std::string& reason) {
        throw MachineStop(StopKind::BadInput, to_string(location, names), reason);
    };
    if (info == nullptr)
        bad("no packet of generation " + std::string(table.generation()) + " has header " +
            hex(header));
    if (info->fixed > dwords_left)
        bad(std::string("packet ") + info->name + " of " + std::to_string(info->fixed) +
            " dwords, but " + std::to_string(dwords_left) + " are left");
    return *info;
}

void check_size(const PacketInfo& info, const uint32_t* dwords, uint32_t dwords_left,
                const front::Location& location, const front::RingNames& names) {
    if (info.dwords_of(dwords) > dwords_left)
        throw MachineStop(StopKind::BadInput, to_string(location, names),
                          std::string("packet ") + info.name + " of " +
                              std::to_string(info.dwords_of(dwords)) + " dwords, but " +
                              std::to_string(dwords_left) + " are left");
}

std::string describe_packet(const PacketInfo& info, const uint32_t* dwords) {
    std::string text = info.name;
    for (const PacketField& field : info.fields) {
        if (field.repeat != 0 || !field.applies(dwords, info.fixed))
            continue;
        const uint32_t value = field.in(dwords);
        const char* name = front::value_name(front::meaning_of(info, field), value);
        text += std::string(" ") + field.name + "=" +
                (name != nullptr ? name
                 : field.msb - field.lsb >= 15
                     ? hex(field.meaning != nullptr ? value << field.lsb : value)
                     : std::to_string(value));
    }
    return text;
}

}  // namespace archipelago::dma
