// SPDX-License-Identifier: Apache-2.0
// A program of a micro engine alone, as JSON: what it begins with, and what it has written and
// left. README.md has the keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace archipelago::host {

// Both throw std::invalid_argument for what is wrong with the program: "image[2]: reason".
nlohmann::ordered_json run_engine_program(const nlohmann::json& program);
nlohmann::ordered_json run_engine_text(const std::string& line);

}  // namespace archipelago::host
