// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/pins/pin_table.h"

#include <algorithm>
#include <cstring>

namespace archipelago::rtl {
namespace {

// Calls f with a value of the unsigned integer that has so many bytes.
template <class F>
void with_integer(unsigned bytes, F&& f) {
    switch (bytes) {
        case 1:
            return f(uint8_t{});
        case 2:
            return f(uint16_t{});
        case 4:
            return f(uint32_t{});
        default:
            return f(uint64_t{});
    }
}

}  // namespace

std::string PinRow::name() const {
    return std::string(port) + "_" + std::string(field);
}

uint64_t PinRow::get(const void* pins, size_t element) const {
    uint64_t value = 0;
    with_integer(element_bytes, [&](auto integer) {
        std::memcpy(&integer, static_cast<const char*>(pins) + at(element), sizeof integer);
        value = integer;
    });
    return value;
}

void PinRow::set(void* pins, uint64_t value, size_t element) const {
    with_integer(element_bytes, [&](auto integer) {
        integer = static_cast<decltype(integer)>(value);
        std::memcpy(static_cast<char*>(pins) + at(element), &integer, sizeof integer);
    });
}

void PinRow::copy(void* to, const void* from) const {
    std::memcpy(static_cast<char*>(to) + offset, static_cast<const char*>(from) + offset, bytes());
}

bool PinRow::equal(const void* a, const void* b) const {
    return std::memcmp(static_cast<const char*>(a) + offset, static_cast<const char*>(b) + offset,
                       bytes()) == 0;
}

std::string PinRow::element_name(size_t element) const {
    return std::string(field) + (elements > 1 ? "[" + std::to_string(element) + "]" : "");
}

const PinRow* PinTable::find(std::string_view port, std::string_view field, bool input) const {
    const auto found = std::find_if(pins.begin(), pins.end(), [&](const PinRow& pin) {
        return pin.port == port && pin.field == field && pin.input == input;
    });
    return found == pins.end() ? nullptr : &*found;
}

PinDifference first_difference(const PinTable& table, const void* model, const void* rtl) {
    for (const PinRow& pin : table.pins)
        if (!pin.input && !pin.equal(model, rtl))
            for (size_t i = 0; i < pin.elements; ++i)
                if (pin.get(model, i) != pin.get(rtl, i))
                    return {&pin, i, pin.get(model, i), pin.get(rtl, i)};
    return {};
}

}  // namespace archipelago::rtl
