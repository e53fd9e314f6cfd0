// SPDX-License-Identifier: Apache-2.0
// Registers of a CTM chip that the loader of a program sets, by what its PROGINFO note says.
#pragma once

namespace archipelago::host {

// As they are until a workload says otherwise.
struct ProgramInfo {
    bool full_flow_control = true;
    bool uncached_outputs = false;
};

}  // namespace archipelago::host
