// SPDX-License-Identifier: Apache-2.0
// Registers and interrupts of a chip by the names that workloads give them.
#pragma once

#include <string>

#include "models/asic/description.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

// Throws std::runtime_error with the place.
[[noreturn]] void fail(const Source& source, const std::string& what);

// Both fail() for a name that the chip does not have.
uint32_t register_offset(const asic::ChipDescription& chip, const RegisterExpectation& e,
                         const Source& source);
asic::InterruptSource interrupt_source(const asic::ChipDescription& chip, const std::string& name,
                                       const Source& source);

}  // namespace archipelago::host
