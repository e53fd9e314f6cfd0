// SPDX-License-Identifier: Apache-2.0
// The Verilog of ctm_mc_address outside a chip, for `archipelago map --rtl`: the twin, or what
// options name in its place, under its contract.
#pragma once

#include <memory>

#include "pins/ctm_mc_address_pins.h"

namespace archipelago::rtl {

// Throws std::invalid_argument when the twins are not built, and as open_place() does.
std::unique_ptr<Twin<CtmMcAddressPins>> make_ctm_mc_address(const TwinOptions& options);

}  // namespace archipelago::rtl
