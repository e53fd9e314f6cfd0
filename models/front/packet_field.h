// SPDX-License-Identifier: Apache-2.0
// The fields of a packet and when they are there, regardless of the engine that reads it. A
// family's row of a packet derives from PacketShape and says what its dwords are: a PM4 packet's
// are its body's, with dword 1 after the header; an async DMA packet's are all it has, and dword 1
// is its header. A number of a dword is the same in rows, in text and in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace archipelago::front {

// When a field is there: bits msb..lsb of dword `dword`, five at most, have one of the `values`
// (bit n is n), or, with `dword` 0, the packet has `values` dwords.
struct FieldCondition {
    uint8_t dword, lsb, msb;
    uint32_t values;

    // `count` dwords are known; what depends on a dword beyond them is not there.
    constexpr bool holds(const uint32_t* dwords, uint32_t count) const {
        if (dword == 0)
            return count == values;
        if (dword > count)
            return false;
        const uint32_t value = dwords[dword - 1] >> lsb & ((2u << (msb - lsb)) - 1);
        return (values >> value & 1) != 0;
    }
};

struct FieldMeaning;  // field_names.h

// Bits msb..lsb of dword `dword` of a packet, the first of which is 1; 0 is a header before them.
struct PacketField {
    const char* name;
    uint8_t dword;
    uint8_t lsb;
    uint8_t msb;
    const FieldMeaning* meaning = nullptr;  // null: a number
    const FieldCondition* condition = nullptr;
    uint8_t repeat = 0;  // not 0: again every so many dwords, up to the end

    // The same field, there only when `c` holds; again every `dwords` dwords.
    constexpr PacketField when(const FieldCondition& c) const {
        PacketField field = *this;
        field.condition = &c;
        return field;
    }
    constexpr PacketField every(uint8_t dwords) const {
        PacketField field = *this;
        field.repeat = dwords;
        return field;
    }

    constexpr uint32_t mask() const { return 0xFFFFFFFFu >> (31 - (msb - lsb)) << lsb; }
    constexpr uint32_t of(uint32_t word) const {
        return (word >> lsb) & (0xFFFFFFFFu >> (31 - (msb - lsb)));
    }
    // The field of a packet, given its first dword.
    constexpr uint32_t in(const uint32_t* dwords) const { return of(dwords[dword - 1]); }
    // Whether a packet of `count` dwords has it.
    constexpr bool applies(const uint32_t* dwords, uint32_t count) const {
        return dword <= count && (condition == nullptr || condition->holds(dwords, count));
    }
};

constexpr FieldCondition when(const PacketField& field, std::initializer_list<unsigned> values) {
    FieldCondition condition{field.dword, field.lsb, field.msb, 0};
    for (const unsigned value : values)
        condition.values |= 1u << value;
    return condition;
}
constexpr FieldCondition unless(const PacketField& field, std::initializer_list<unsigned> values) {
    FieldCondition condition = when(field, values);
    condition.values = ~condition.values;
    return condition;
}
constexpr FieldCondition when_body(uint32_t dwords) {
    return {0, 0, 0, dwords};
}

// The fields of a packet, in the order logs and text show them. After the `shown` ones, programs
// find views of dwords that several of those divide. A family that lays a packet out differently
// gives it another list with the same fields in the same order.
struct FieldList {
    const PacketField* first = nullptr;
    uint8_t shown = 0;
    uint8_t all = 0;

    constexpr const PacketField& operator[](size_t i) const { return first[i]; }
    constexpr const PacketField* begin() const { return first; }
    constexpr const PacketField* end() const { return first + shown; }
    constexpr size_t size() const { return shown; }
};

// `list`: an array, of which logs and text show the first `shown`.
template <class List>
constexpr FieldList field_list(const List& list, size_t shown) {
    return {std::data(list), static_cast<uint8_t>(shown), static_cast<uint8_t>(std::size(list))};
}
template <class List>
constexpr FieldList field_list(const List& list) {
    return field_list(list, std::size(list));
}

// What text, logs and hosts must know of a packet.
struct PacketShape {
    const char* name = nullptr;
    uint32_t min_dwords = 1, max_dwords = 1;
    FieldList fields;
    uint32_t register_window = 0;  // bytes; where the registers of its WindowRegister fields begin

    // The field of this name, or null; of several, the view of the whole dword.
    const PacketField* field(const char* field_name) const;
};

}  // namespace archipelago::front
