// SPDX-License-Identifier: Apache-2.0
// What the bridge costs: cycles of a twin stepped through its pins, and of the same Verilated model
// in a bare loop with the same inputs. Prints nanoseconds per cycle and the ratio for each block,
// or for those that the arguments name; both are measured in turns in one run. Exit status 2: there
// is no such block.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "rtl-bridge/verilated/bare_loop.h"

namespace {

using archipelago::rtl::BareLoop;

void measure(const BareLoop& block) {
    constexpr unsigned kTurns = 15;
    constexpr uint64_t kCycles = 200'000;
    double bare = std::numeric_limits<double>::max();
    double bridge = bare;
    for (unsigned turn = 0; turn < kTurns; ++turn) {
        bare = std::min(bare, block.bare_seconds(kCycles));
        bridge = std::min(bridge, block.bridge_seconds(kCycles));
    }
    std::printf("%-14s %14.1f %14.1f %8.3f\n", block.block, bare / kCycles * 1e9,
                bridge / kCycles * 1e9, bridge / bare);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> wanted(argv + 1, argv + argc);
    const auto& blocks = archipelago::rtl::bare_loops();
    for (const std::string& name : wanted)
        if (std::none_of(blocks.begin(), blocks.end(),
                         [&](const BareLoop& block) { return block.block == name; })) {
            std::fprintf(stderr, "%s: no such block\n", name.c_str());
            return 2;
        }
    std::printf("%-14s %14s %14s %8s\n", "block", "bare ns/cycle", "bridge ns/cycle", "ratio");
    for (const BareLoop& block : blocks)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), block.block) != wanted.end())
            measure(block);
    return 0;
}
