// SPDX-License-Identifier: Apache-2.0
// When Verilog stands in a unit's place, the unit's waiting_for() begins with this mark, so that
// the report of a chip that hangs always lists it.
#pragma once

#include <string_view>

namespace archipelago {

constexpr std::string_view kVerilogMark = "Verilog: ";

}  // namespace archipelago
