// SPDX-License-Identifier: Apache-2.0
// What tests that compare a direct link with its transactions share: pseudo-random acts, and a log
// of all events and their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/clocked.h"

namespace archipelago::tlm_shell {

inline uint64_t draw(uint64_t seed, uint64_t n) {
    uint64_t x = (n + 1) * 0x9e3779b97f4a7c15u ^ seed * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// What an observer saw, with the cycle.
struct Log {
    std::vector<std::string> lines;
    void add(Cycle now, const char* what, uint64_t a, uint64_t b = 0) {
        lines.push_back(std::to_string(now) + " " + what + " " + std::to_string(a) + " " +
                        std::to_string(b));
    }
};

}  // namespace archipelago::tlm_shell
