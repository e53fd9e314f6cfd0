// SPDX-License-Identifier: Apache-2.0
// Registers of a CTM chip that the loader of a program sets, by what its PROGINFO note says.
#pragma once

#include <cstdint>

namespace archipelago::host {

// As they are until a workload or an executable says otherwise.
struct ProgramInfo {
    bool full_flow_control = true;
    bool uncached_outputs = false;
    uint8_t temporaries = 0;  // that programs use, of each thread; 0: all

    bool operator==(const ProgramInfo& o) const {
        return full_flow_control == o.full_flow_control && uncached_outputs == o.uncached_outputs &&
               temporaries == o.temporaries;
    }
    bool operator!=(const ProgramInfo& o) const { return !(*this == o); }
};

}  // namespace archipelago::host
