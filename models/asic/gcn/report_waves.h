// SPDX-License-Identifier: Apache-2.0
// The waves of a compute unit in the report of a chip that does not move.
#pragma once

#include <string>

#include "models/asic/hang_report.h"
#include "models/cu/pipeline/compute_unit.h"

namespace archipelago::gcn {

// Adds the waves of a compute unit, in order of issue.
void report_waves(const std::string& name, const cu::ComputeUnit& cu, asic::HangReport& report);

}  // namespace archipelago::gcn
