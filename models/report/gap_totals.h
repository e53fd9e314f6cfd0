// SPDX-License-Identifier: Apache-2.0
// Cycles in which no wave ran, added up: before the dispatches of each kernel, by reason, and by
// the packet that was at work. With --profile.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/asic/attribution.h"
#include "models/common/programs.h"

namespace archipelago::report {

using GapCycles = std::array<uint64_t, asic::kGapReasons>;

// The gaps before the dispatches of a kernel, but for the first dispatch of the run.
struct KernelGaps {
    std::string name;  // see program_name()
    std::string stage;
    unsigned dispatches = 0;
    Cycle cycles = 0, least = 0, most = 0;
    GapCycles reasons{};
};
struct PacketGaps {
    std::string packet;  // empty: none was at work
    asic::GapReason reason = asic::GapReason::Host;
    Cycle cycles = 0;
};

struct GapTotals {
    Cycle before_first = 0, after_last = 0;  // dispatch of the run
    GapCycles reasons{};                     // of all gaps, those two among them
    std::vector<KernelGaps> kernels;         // those with most cycles first
    std::vector<KernelGaps> intervals;       // the same from first wave to first wave
    std::vector<PacketGaps> packets;         // of all, the same
};

// Of `cycles` cycles from `start` on: before comes the host's preparation, after them what does not
// belong to the workload's work.
GapTotals gap_totals(const asic::Attribution& a, Cycle start, uint64_t cycles,
                     const Programs* programs);

}  // namespace archipelago::report
