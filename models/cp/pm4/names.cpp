// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4/names.h"

namespace archipelago::cp {

FieldMeaning meaning_of(const PacketInfo& info, const PacketField& field) {
    if (field.meaning == nullptr)
        return {};
    if (field.meaning->kind == FieldKind::WindowRegister)
        return register_from(info.window->start);
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

}  // namespace archipelago::cp
