// SPDX-License-Identifier: Apache-2.0
#include "models/front/field_names.h"

#include <fmt/core.h>

#include <string>

#include "models/common/text.h"

namespace archipelago::front {

FieldMeaning meaning_of(const PacketShape& packet, const PacketField& field) {
    if (field.meaning == nullptr)
        return {};
    if (field.meaning->kind == FieldKind::WindowRegister)
        return register_from(packet.register_window);
    return *field.meaning;
}

const char* value_name(const FieldMeaning& meaning, uint32_t value) {
    for (const ValueName& entry : meaning.names)
        if (entry.value == value)
            return entry.name;
    return nullptr;
}

bool value_of_name(const FieldMeaning& meaning, std::string_view name, uint32_t& value) {
    for (const ValueName& entry : meaning.names) {
        if (name == entry.name) {
            value = entry.value;
            return true;
        }
    }
    return false;
}

std::string describe_fields(const PacketShape& packet, const uint32_t* dwords, uint32_t available,
                            const regs::RegisterDatabase* registers) {
    std::string text;
    for (const PacketField& field : packet.fields) {
        if (!field.applies(dwords, available))
            continue;
        const FieldMeaning meaning = meaning_of(packet, field);
        const uint32_t value = field.in(dwords);
        const uint32_t shown = meaning.kind == FieldKind::Address ? value << field.lsb : value;
        text += fmt::format(" {}=", field.name);
        text += field.msb - field.lsb >= 15 ? hex(shown) : std::to_string(shown);
        if (const char* name = value_name(meaning, value))
            text += std::string(" (") + name + ")";
        else if (registers != nullptr && meaning.kind == FieldKind::Register)
            text += " (" + registers->name_of(meaning.window + 4 * value) + ")";
    }
    return text;
}

}  // namespace archipelago::front
