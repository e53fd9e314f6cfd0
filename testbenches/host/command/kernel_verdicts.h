// SPDX-License-Identifier: Apache-2.0
// What the summary of a run says of each kernel: its cycles, what bounds it, how near it came to
// the chip's peaks, its waves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/asic/attribution.h"
#include "models/common/programs.h"

namespace archipelago::host {

// Of the dispatches from `first` on; `cycles`: of the run. Nothing when there are none.
void print_verdicts(const asic::Attribution& a, const Programs& programs, uint64_t cycles,
                    size_t first);

}  // namespace archipelago::host
