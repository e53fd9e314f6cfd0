// SPDX-License-Identifier: Apache-2.0
// How waiting_for() of a unit begins in whose place Verilog stands, so that a report of a chip that
// does not move always lists it.
#pragma once

#include <string_view>

namespace archipelago {

constexpr std::string_view kVerilogMark = "Verilog: ";

}  // namespace archipelago
