// SPDX-License-Identifier: Apache-2.0
// The pins of the blocks as data: for documentation, and for what is generated around a user's
// Verilog. The lists themselves are in <block>_pins.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct PinRow {
    std::string port, field, meaning;
    unsigned bits = 0;  // of an element
    size_t elements = 1;
    bool input = false;

    std::string name() const { return port + "_" + field; }  // in the Verilog
    size_t width() const { return bits * elements; }
};

struct PinTable {
    std::string block;
    Elastic elastic;
    bool has_twin = true;
    std::vector<PinRow> pins;  // inputs, then outputs; clk and rst apart
};

// In order of name.
const std::vector<PinTable>& pin_tables();
// Null when there is no such block.
const PinTable* find_pin_table(const std::string& block);
std::string pin_tables_json();

}  // namespace archipelago::rtl
