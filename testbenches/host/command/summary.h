// SPDX-License-Identifier: Apache-2.0
// What `archipelago run` prints of a run: cycles, waves, instructions, hit rates, host speed.
#pragma once

#include "testbenches/host/runner.h"

namespace archipelago::asic {
class Asic;
}

namespace archipelago::host {

void print_summary(const asic::Asic& chip, const RunOutcome& outcome);

}  // namespace archipelago::host
