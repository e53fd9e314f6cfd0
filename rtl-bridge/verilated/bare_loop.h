// SPDX-License-Identifier: Apache-2.0
// For the benchmark of the bridge: the same inputs through a twin's pins, and straight into its
// Verilated model as a hand-written loop would put them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace archipelago::rtl {

struct BareLoop {
    const char* block;
    // Host time of so many cycles.
    std::function<double(uint64_t cycles)> bare_seconds, bridge_seconds;
};

std::vector<BareLoop> bare_loops();

}  // namespace archipelago::rtl
