// SPDX-License-Identifier: Apache-2.0
// What assemblers and disassemblers of packets agree on.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>

#include "models/common/register_info.h"
#include "models/front/packet_field.h"

namespace archipelago::front {

// Bits of a register that none of its fields names.
constexpr std::string_view kOtherBits = "OTHER_BITS";

inline bool is_name_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}
inline bool is_name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}
inline bool is_text_name(std::string_view name) {
    return !name.empty() && is_name_start(name[0]) &&
           std::all_of(name.begin(), name.end(), is_name_char);
}

// Of an array, NAME[0x2].
inline bool is_register_name(std::string_view name) {
    const size_t index = name.find("[0x");
    return is_text_name(name.substr(0, index)) &&
           (index == std::string_view::npos || name.back() == ']');
}

inline bool enumerator(const regs::EnumInfo& list, std::string_view name, uint32_t& value) {
    for (const regs::EnumValueInfo& entry : list.values) {
        if (entry.name == name) {
            value = entry.value;
            return true;
        }
    }
    return false;
}

// X_LO and X_HI may be written as X, a number of up to 64 bits: the other half of `low`, or null.
// Of several, the one that is there when `low` is.
inline const PacketField* pair_of(const PacketShape& packet, const PacketField& low,
                                  bool repeated = false) {
    const size_t length = std::strlen(low.name);
    if (length <= 3 || std::strcmp(low.name + length - 3, "_LO") != 0 || low.msb != 31 ||
        (low.repeat != 0) != repeated)
        return nullptr;
    const PacketField* first = nullptr;
    for (const PacketField& high : packet.fields) {
        if (std::strlen(high.name) != length || high.repeat != low.repeat ||
            std::strncmp(high.name, low.name, length - 3) != 0 ||
            std::strcmp(high.name + length - 3, "_HI") != 0)
            continue;
        if (high.condition == low.condition)
            return &high;
        if (first == nullptr)
            first = &high;
    }
    return first;
}
inline std::string pair_name(const PacketField& low) {
    return std::string(low.name, std::strlen(low.name) - 3);
}

// The dwords of a packet where no field says otherwise.
inline uint32_t default_dwords(const PacketShape& packet) {
    for (const PacketField& field : packet.fields)
        if (field.condition != nullptr && field.condition->dword == 0)
            return field.condition->values;
    return packet.min_dwords;
}

}  // namespace archipelago::front
