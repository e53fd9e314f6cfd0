// SPDX-License-Identifier: Apache-2.0
// The Verilog twins by their pins, for the blocks of CMakeLists.txt's list. A program links them as
// they are (archipelago_pinned_twins), or with their mutants (archipelago_pinned_mutants).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/pins/pin_block.h"

namespace archipelago::rtl {

// Whether the block has Verilog of the project's.
template <class Pins>
bool has_twin();

// The Verilog of rtl-bridge/rtl/<block>. Throws std::invalid_argument for an unknown mutant, and
// for a block that has none.
template <class Pins>
std::unique_ptr<Twin<Pins>> make_twin(const TwinOptions& options);

// The names of rtl-bridge/mutations/<block>.yaml in its order; none where the twins are linked.
template <class Pins>
std::vector<std::string> twin_mutants();

}  // namespace archipelago::rtl
