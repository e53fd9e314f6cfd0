// SPDX-License-Identifier: Apache-2.0
#include "models/front/field_names.h"

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

}  // namespace archipelago::front
