// SPDX-License-Identifier: Apache-2.0
// The Verilog twins by their pins. Defined for the blocks of CMakeLists.txt's list; without
// Verilator there is none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

// The Verilog of rtl-bridge/rtl/<block>.
template <class Pins>
std::unique_ptr<Twin<Pins>> make_twin(const TwinOptions& options);

// Names of rtl-bridge/mutations/<block>.yaml in its order.
template <class Pins>
std::vector<std::string> twin_faults();

}  // namespace archipelago::rtl
