// SPDX-License-Identifier: Apache-2.0
// Which instructions go into a retire trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace archipelago::host {

// An empty list takes all. Names may have * for any text and ? for any character.
struct RetireFilter {
    std::vector<std::string> units;    // compute units, "se0.sh1.cu3"
    std::vector<std::string> waves;    // "cs1.g7.w0"
    std::vector<std::string> kernels;  // names of functions, or "0x..." of their first instruction
    std::vector<std::pair<uint64_t, uint64_t>> pcs;  // ranges, both ends included

    bool takes_pc(uint64_t pc) const {
        return pcs.empty() || std::any_of(pcs.begin(), pcs.end(), [&](const auto& range) {
                   return pc >= range.first && pc <= range.second;
               });
    }
};

// "0x101000-0x101040", both ends included, or one address. Throws std::invalid_argument.
std::pair<uint64_t, uint64_t> parse_pc_range(const std::string& text);

// Whether one of `patterns` matches, or there is none.
bool matches(const std::vector<std::string>& patterns, const std::string& name);

}  // namespace archipelago::host
