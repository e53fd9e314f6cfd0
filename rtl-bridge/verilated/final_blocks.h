// SPDX-License-Identifier: Apache-2.0
// What `final` blocks of Verilog do when its model goes.
#pragma once

#include <cstdio>
#include <exception>

namespace archipelago::rtl {

// For destructors: a final block that stops, as a failed assertion does, comes too late for the run
// and is named on standard error.
template <class Top>
void run_final_blocks(Top& top) noexcept {
    try {
        top.final();
    } catch (const std::exception& stop) {
        std::fprintf(stderr, "archipelago: behind the run: %s\n", stop.what());
    }
}

}  // namespace archipelago::rtl
