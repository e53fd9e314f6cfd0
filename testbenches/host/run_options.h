// SPDX-License-Identifier: Apache-2.0
// Options of `run` that a workload may bring along (key `run`): those that change cycles or results
// and are neither of the chip nor of the workload.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace archipelago::host {

inline constexpr std::array<std::string_view, 13> kRunOptions = {
    "--mode=",         "--code=",         "--options=",    "--rtl=",     "--verilog=",
    "--seed=",         "--random-stall=", "--max-cycles=", "--restore=", "--max-instructions=",
    "--fast-forward=", "--caches=",       "--groups="};

inline bool is_run_option(std::string_view text) {
    return std::any_of(kRunOptions.begin(), kRunOptions.end(), [&](std::string_view name) {
        return text.size() > name.size() && text.substr(0, name.size()) == name;
    });
}

inline std::string run_option_names() {
    std::string names;
    for (const std::string_view name : kRunOptions)
        names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}

}  // namespace archipelago::host
