// SPDX-License-Identifier: Apache-2.0
// What the bridge costs: cycles of a twin stepped through its pins, and of the same Verilated model
// in a bare loop with the same inputs. Prints nanoseconds per cycle and the ratio for each block;
// both are measured in turns in one run.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "rtl-bridge/verilated/bare_loop.h"

int main() {
    using archipelago::rtl::BareLoop;
    constexpr unsigned kTurns = 15;
    constexpr uint64_t kCycles = 200'000;
    std::printf("%-12s %14s %14s %8s\n", "block", "bare ns/cycle", "bridge ns/cycle", "ratio");
    for (const BareLoop& block : archipelago::rtl::bare_loops()) {
        double bare = std::numeric_limits<double>::max();
        double bridge = bare;
        for (unsigned turn = 0; turn < kTurns; ++turn) {
            bare = std::min(bare, block.bare_seconds(kCycles));
            bridge = std::min(bridge, block.bridge_seconds(kCycles));
        }
        std::printf("%-12s %14.1f %14.1f %8.3f\n", block.block, bare / kCycles * 1e9,
                    bridge / kCycles * 1e9, bridge / bare);
    }
    return 0;
}
