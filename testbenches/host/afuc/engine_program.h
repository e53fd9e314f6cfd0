// SPDX-License-Identifier: Apache-2.0
// A program of a micro engine alone, as JSON: what it begins with, and what it has written and
// left. README.md has the keys.
#pragma once

#include <nlohmann/json.hpp>

namespace archipelago::host {

// Throws nlohmann::json::exception and std::invalid_argument for what is wrong with the program.
nlohmann::ordered_json run_engine_program(const nlohmann::json& program);

}  // namespace archipelago::host
