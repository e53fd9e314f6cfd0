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

// The build options in the texts of a command's option, paths relative to `folder`. Throws
// std::invalid_argument for those that are refused.
BuildOptions read_build_options(const char* option, SourceKind kind,
                                const std::vector<std::string>& texts,
                                const std::string& folder = {});

// What the kernels of a workload are compiled from, in the order in which it names them, each once.
struct KernelCode {
    std::string file;
    BuildOptions build;
};
std::vector<KernelCode> codes_of(const Workload& workload);

// Every file that a run of it reads: those of the workload and of the chip, and what the sources
// of its kernels include.
std::vector<std::string> files_read(const Job& job);

}  // namespace archipelago::host
