// SPDX-License-Identifier: Apache-2.0
// Kinds of unit: what counters are called where units of a kind are one.
#pragma once

#include <map>
#include <string>

#include "models/common/stats.h"

namespace archipelago::report {

// Of each unit its path without numbers: "se0.sh1.cu3.l1" is of kind "se.sh.cu.l1". What is
// numbered begins at 0; the 1 of an L1 is part of its name.
std::map<std::string, std::string> kinds_of(const StatsRegistry& registry);

}  // namespace archipelago::report
