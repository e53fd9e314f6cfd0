// SPDX-License-Identifier: Apache-2.0
// Kernels of GCN chips: from amdhsa code objects and Catalyst's binaries, with arguments in user
// SGPRs and a kernarg segment.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "testbenches/host/kernel_launch.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

class Machine;

struct GcnLaunch : KernelLaunch {
    uint32_t rsrc1 = 0, rsrc2 = 0;  // COMPUTE_PGM_RSRC1 and 2
    std::vector<uint32_t> user_sgprs;
    std::array<uint32_t, 3> partial_size{};  // work-items of the last group; 0: it is full
    uint32_t scratch_waves = 0;
    uint32_t scratch_bytes_per_wave = 0;
};

// Reads or compiles the kernel, or takes the code that another kernel has. Throws CodeObjectError.
std::unique_ptr<HostKernel> load_gcn_kernel(Machine& machine, const KernelSpec& spec,
                                            const HostKernel* same_code = nullptr);
// One wave with all registers that it may have and no arguments, of code in memory.
GcnLaunch gcn_wave_launch(const WaveSpec& spec, uint64_t code);

}  // namespace archipelago::host
