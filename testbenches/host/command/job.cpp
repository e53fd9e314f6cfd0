// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/job.h"

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "testbenches/host/runner.h"

namespace archipelago::host {

Job load_job(const std::string& file, const std::string& asic,
             const std::vector<std::string>& set) {
    config::Diagnostics diagnostics;
    std::unique_ptr<asic::ChipDescription> chip;
    const auto load_chip = [&](const std::optional<std::string>& own) {
        std::string warnings;
        chip = asic::load_chip(!asic.empty() ? asic : own.value_or("tahiti"), set,
                               asic::config_folder(), asic::families(), &warnings);
        std::fputs(warnings.c_str(), stderr);
        return workload_chip(*chip);
    };
    std::optional<Workload> workload = load_workload(file, load_chip, diagnostics);
    diagnostics.throw_if_errors();
    return {std::move(*workload), std::move(chip)};
}

}  // namespace archipelago::host
