// SPDX-License-Identifier: Apache-2.0
// What the fields of packets mean to a reader: names of their values, registers they name or hold.
// Logs, disassembler and assembler read them from the field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/common/register_info.h"
#include "models/front/packet_field.h"

namespace archipelago::front {

// How a field is written.
enum class FieldKind : uint8_t {
    Number,          // decimal, 16 bits and wider hexadecimal
    Address,         // bytes: the low bits that the field lacks are zero
    Register,        // a dword offset from `window`, written as the name of a register
    WindowRegister,  // the same, from PacketShape::register_window
    RegisterValue,   // the value of register `value_of`
};

struct FieldMeaning {
    FieldKind kind = FieldKind::Number;
    uint32_t window = 0;             // bytes
    const char* value_of = nullptr;  // name of a register
    regs::TableSpan<ValueName> names;
};

template <size_t N>
constexpr FieldMeaning value_names(const ValueName (&list)[N]) {
    return {FieldKind::Number, 0, nullptr, {list, N}};
}
constexpr FieldMeaning register_from(uint32_t window) {
    return {FieldKind::Register, window, nullptr, {}};
}
constexpr FieldMeaning value_of_register(const char* name) {
    return {FieldKind::RegisterValue, 0, name, {}};
}

// What the field of a packet means; never a WindowRegister.
FieldMeaning meaning_of(const PacketShape& packet, const PacketField& field);

// The name of a value of a field, or null.
const char* value_name(const FieldMeaning& meaning, uint32_t value);
// The value called `name`; false when there is none.
bool value_of_name(const FieldMeaning& meaning, std::string_view name, uint32_t& value);

// Fields for logs, on one line: " SRC_SEL=1 (MEMORY) COUNT=4". `available` dwords of the packet are
// there, which may be fewer than it has. Registers have their names of the database, if there is
// one.
std::string describe_fields(const PacketShape& packet, const uint32_t* dwords, uint32_t available,
                            const regs::RegisterDatabase* registers = nullptr);

}  // namespace archipelago::front
