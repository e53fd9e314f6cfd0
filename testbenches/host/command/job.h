// SPDX-License-Identifier: Apache-2.0
// What `run` and `cosim` begin with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/asic/families.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

struct Job {
    Workload workload;
    std::unique_ptr<asic::ChipDescription> chip;
};

// The workload of the file, and the chip called `asic`, if that is empty the workload's own, else
// tahiti, with the values of `set` (PATH=VALUE). Throws config::ConfigError for what is wrong with
// either file.
Job load_job(const std::string& file, const std::string& asic, const std::vector<std::string>& set);

// Every file that a run of it reads: those of the workload and of the chip, and what the source of
// its kernel includes.
std::vector<std::string> files_read(const Job& job);

}  // namespace archipelago::host
