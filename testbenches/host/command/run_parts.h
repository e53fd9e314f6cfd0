// SPDX-License-Identifier: Apache-2.0
// Of `run`: the parts that one workload and several have in common.
#pragma once

#include <string>
#include <vector>

#include "models/report/statistics.h"
#include "testbenches/host/command/attached.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/loaded_kernels.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/runner.h"

namespace archipelago::host {

// The workload `a.workload` and its chip. Throws std::invalid_argument for what does not go
// together, config::ConfigError for the files.
Job load_run(const RunArguments& a);
// Refuses options that would overwrite a file that the run of these jobs reads, or write one twice.
void check_files(const RunArguments& a, const std::vector<const Job*>& jobs);
MachineOptions machine_options(const RunArguments& a);
// What the statistics say besides what the machine's chip knows, of the workload of this name. The
// rest outlives the notes.
report::RunNotes run_notes(const RunArguments& a, const std::string& workload,
                           const std::vector<report::Place>& places, Machine& machine,
                           const StatsRegistry& counters, const LoadedKernels& kernels);

void print_failures(const RunOutcome& outcome);
// `stopped`: why nothing was checked; empty: it was.
void print_checks(const RunOutcome& outcome, const std::string& stopped = {});
// Files written and Verilog that ran. `executed`: instructions of waves.
void print_files(const RunArguments& a, Machine& machine, const Attached& attached,
                 uint64_t executed);

int run_several(const RunArguments& a);

}  // namespace archipelago::host
