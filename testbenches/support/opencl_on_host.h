// SPDX-License-Identifier: Apache-2.0
// Runs an OpenCL kernel that clang compiled for this very machine: one work-group at a time, each
// work-item on its own stack, barriers as switches between them. Used by check_on_host.py
// and by the generated kernels of testbenches/fuzz.
#pragma once

#include <cstdint>
#include <functional>

namespace opencl_on_host {

// Calls `item` once per work-item of the range.
void run(const uint32_t (&global_size)[3], const uint32_t (&local_size)[3],
         const std::function<void()>& item);

}  // namespace opencl_on_host
