// SPDX-License-Identifier: Apache-2.0
// The pins of a block as data: for reports, comparisons, documentation, and what is generated
// around a user's Verilog. Only what runs in every cycle of every twin (signals.h) visits the lists
// of the Pins structs instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/pins/pin_block.h"

namespace archipelago::rtl {

struct PinRow {
    std::string_view port, field, meaning;
    bool input = false;
    uint32_t offset = 0;        // bytes, in the struct In or Out
    uint32_t elements = 1;      // of an array, one behind the other
    uint8_t element_bytes = 1;  // 1, 2, 4 or 8, as the struct has it
    uint8_t bits = 1;           // of an element, as the Verilog has it

    std::string name() const;  // in the Verilog: port_field
    // The field of an element: of an array with its index.
    std::string element_name(size_t element) const;
    size_t width() const { return size_t{bits} * elements; }

    // Of the block's In, or of its Out for outputs.
    uint64_t get(const void* pins, size_t element = 0) const;
    void set(void* pins, uint64_t value, size_t element = 0) const;
    // All elements.
    void copy(void* to, const void* from) const;
    bool equal(const void* a, const void* b) const;

  private:
    size_t at(size_t element) const { return offset + element * element_bytes; }
    size_t bytes() const { return size_t{elements} * element_bytes; }
};

// When a chip stops the clock of a block between two inputs; all empty: it never does. Lists of
// ports are separated by blanks.
struct ClockRule {
    const char* stops = "";     // output that lets the clock stop until an input is valid
    bool stops_when = true;     // its level then
    const char* wakes = "";     // outputs whose `ready`, when it rises, lets the clock run as well
    const char* resident = "";  // two ports: the clock runs while more has passed the first
    const char* empty = "";     // output that is high when nothing is inside
};

struct PinTable {
    std::string_view block;  // and its Verilog module
    std::string_view title, about;
    std::string_view enums;  // a line for each enumeration of the Pins struct: its values
    Elastic elastic;
    ClockRule clock;
    bool has_twin = true;
    size_t in_bytes = 0, out_bytes = 0;  // of the structs In and Out
    uint64_t stamp = 0;                  // pins_stamp()
    PinRow reset;                        // rst, the first of the inputs
    std::vector<PinRow> pins;            // the other inputs, then the outputs

    // Null when there is none.
    const PinRow* find(std::string_view port, std::string_view field, bool input) const;
};

// The table of a block's Pins.
template <class Pins>
const PinTable& table_of();

// What the table has from configs/pins/<block>.yaml: generated, pins/pin_data.cpp.
struct PinData {
    std::string_view title, about, enums;
    const PinRow* begin = nullptr;  // rst first
    const PinRow* end = nullptr;
    ClockRule clock;
};
template <class Pins>
PinData pin_data();
// What holds for the pins of every block: configs/pins/RULES.md.
const char* pin_rules();

// The first output that differs, in the order of the table.
struct PinDifference {
    const PinRow* pin = nullptr;  // null: none does
    size_t element = 0;
    uint64_t model = 0, rtl = 0;
};
PinDifference first_difference(const PinTable& table, const void* model, const void* rtl);

}  // namespace archipelago::rtl
