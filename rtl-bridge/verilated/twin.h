// SPDX-License-Identifier: Apache-2.0
// The Verilog twins by their pins, for the blocks of CMakeLists.txt's list. A program links them as
// they are (archipelago_pinned_twins), or with faults in them (archipelago_pinned_mutants).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

// The Verilog of rtl-bridge/rtl/<block>. Throws std::invalid_argument for a fault it does not have.
template <class Pins>
std::unique_ptr<Twin<Pins>> make_twin(const TwinOptions& options);

// Of mutants, the names of rtl-bridge/mutations/<block>.yaml in its order; of twins none.
template <class Pins>
std::vector<std::string> twin_faults();

}  // namespace archipelago::rtl
