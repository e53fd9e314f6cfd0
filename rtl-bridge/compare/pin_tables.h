// SPDX-License-Identifier: Apache-2.0
// The tables of all blocks with pins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rtl-bridge/pins/pin_table.h"

namespace archipelago::rtl {

// In order of name.
const std::vector<const PinTable*>& pin_tables();
// Null when there is no such block.
const PinTable* find_pin_table(std::string_view block);
std::string pin_tables_json();

}  // namespace archipelago::rtl
