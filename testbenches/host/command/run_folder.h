// SPDX-License-Identifier: Apache-2.0
// `run --out DIR`: one folder with all of a run. The chip and the workloads as they were, so that
// the folder repeats it; command line and versions; statistics, timeline, log and summary.
#pragma once

#include "testbenches/host/command/command.h"

namespace archipelago::host {

// Runs `a` into the folder a.out, which must be new or empty unless a.force. Throws
// std::invalid_argument when it is not, as run does for what is wrong with the rest; then there is
// no folder.
int run_into_folder(const RunArguments& a, int (*run)(const RunArguments&));

// The options that the workload of the run brings along (key `run`), without those that `words`,
// the command line, has itself.
std::vector<std::string> options_of_workload(const std::string& workload,
                                             const std::vector<std::string>& words);

}  // namespace archipelago::host
