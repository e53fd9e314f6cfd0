// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/job.h"

#include <optional>
#include <utility>

namespace archipelago::host {

Job load_job(const std::string& file, const std::string& asic,
             const std::vector<std::string>& set) {
    config::Diagnostics diagnostics;
    std::optional<Workload> workload = load_workload(file, diagnostics);
    diagnostics.throw_if_errors();
    const std::string name = !asic.empty() ? asic : workload->asic ? *workload->asic : "tahiti";
    return {std::move(*workload), asic::load_chip(name, set)};
}

}  // namespace archipelago::host
