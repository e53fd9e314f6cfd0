// SPDX-License-Identifier: Apache-2.0
// What `archipelago run` prints of a run: cycles, kernels, waves, instructions, hit rates, host
// speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/asic/asic.h"
#include "models/common/programs.h"
#include "models/common/stats.h"
#include "testbenches/host/runner.h"

namespace archipelago::host {

// What a machine did: up to a moment, or in between two.
struct Totals {
    asic::WorkDone work;
    std::vector<uint64_t> counters;  // in the order of their registry

    Totals& operator+=(const Totals& other);
    Totals& operator-=(const Totals& other);
};
Totals totals(const asic::Asic& chip, const StatsRegistry& counters);
// The counters of `names` with these values.
StatsRegistry with_values(const StatsRegistry& names, const std::vector<uint64_t>& values);

// `programs` names the kernels.
void print_summary(const asic::Asic& chip, const RunOutcome& outcome, const Programs& programs);

// One of several workloads, or all of them.
struct PartDone {
    std::string title;
    const asic::WorkDone& work;
    const StatsRegistry& counters;  // with what it counted
    const Programs& programs;
    size_t first_dispatch = 0;  // of it, in the order of asic::Attribution
};
void print_summary(const asic::Asic& chip, const RunOutcome& outcome, const PartDone& part);

void print_warnings(const asic::Asic& chip);

}  // namespace archipelago::host
