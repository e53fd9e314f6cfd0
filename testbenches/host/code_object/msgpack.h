// SPDX-License-Identifier: Apache-2.0
// MessagePack of code-object metadata, read by nlohmann-json: strict and bounded.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace archipelago::host {

// Reads exactly one value that fills `bytes`. Maps must have distinct string keys; nesting, and so
// stack use, is bounded; extension and binary types are refused. Throws CodeObjectError naming
// `where` and the byte offset, counted from `origin`.
nlohmann::json read_msgpack(const std::vector<uint8_t>& bytes, const std::string& where,
                            uint64_t origin = 0);

}  // namespace archipelago::host
