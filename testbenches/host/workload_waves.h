// SPDX-License-Identifier: Apache-2.0
// Reads an item of `waves` of a workload file: a sequence of instructions with registers.
#pragma once

#include <optional>

#include "models/config/reader.h"
#include "testbenches/host/workload_program.h"

namespace archipelago::host {

// Nothing when there is a fault, which has been reported.
std::optional<WaveSpec> read_wave(config::Reader r, WorkloadParts& parts);

}  // namespace archipelago::host
