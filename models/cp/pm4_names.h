// SPDX-License-Identifier: Apache-2.0
// What the fields of packets mean to a reader: names of their values, registers they name or hold.
// Logs, disassembler and assembler share these tables.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/common/register_info.h"
#include "models/cp/packet_table.h"

namespace archipelago::cp {

struct ValueName {
    uint32_t value;
    const char* name;
};

// How a field is written.
enum class FieldKind : uint8_t {
    Number,         // decimal, 16 bits and wider hexadecimal
    Address,        // bytes: the low bits that the field lacks are zero
    Register,       // a dword offset from `window`, written as the name of a register
    RegisterValue,  // the value of register `value_of`
    Event,          // VGT_EVENT_TYPE
};

struct FieldMeaning {
    FieldKind kind = FieldKind::Number;
    uint32_t window = 0;             // bytes
    const char* value_of = nullptr;  // name of a register
    regs::TableSpan<ValueName> names;
};

FieldMeaning meaning_of(const PacketInfo& info, const PacketField& field);

// The name of a value of `field`, or null.
const char* value_name(const FieldMeaning& meaning, uint32_t value);
// The value called `name`; false when there is none.
bool value_of_name(const FieldMeaning& meaning, std::string_view name, uint32_t& value);

// Byte offset of the registers a SET_*_REG writes from on; 0 for other packets.
uint32_t set_window(PacketId id);

// Names of VGT_EVENT_TYPE.
regs::TableSpan<ValueName> event_names();

}  // namespace archipelago::cp
