// SPDX-License-Identifier: Apache-2.0
// YAML text to tree. One document of YAML 1.2 without explicit tags, merge keys (`<<`), non-scalar
// keys and duplicate keys; each of those is an error with its position. Safe on any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/config/diagnostics.h"
#include "models/config/node.h"

namespace archipelago::config {

// Bounds on what one input may cost.
struct Limits {
    std::size_t max_bytes = std::size_t{16} << 20;
    unsigned max_depth = 64;              // nested maps and lists
    std::uint64_t max_nodes = 1'000'000;  // with aliases expanded
};

// The tree of `text`; text without content is a null node. Nothing is returned when the text
// cannot be parsed (the reason is in `diag`). Faults that leave a usable tree (duplicate key: the
// first one counts; tag: ignored) are reported too and the tree is returned, so that reading it
// can find the rest of the errors.
std::optional<Node> parse_text(std::string_view text, const std::string& filename,
                               Diagnostics& diag, const Limits& limits = {});

// One value as given on the command line ("5", "{cycles: 4, source: guess}"): every node gets the
// origin `name` without position.
std::optional<Node> parse_value(std::string_view text, const std::string& name,
                                std::string_view path, Diagnostics& diag,
                                const Limits& limits = {});

}  // namespace archipelago::config
