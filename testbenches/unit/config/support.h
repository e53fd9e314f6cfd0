// SPDX-License-Identifier: Apache-2.0
// What the configuration tests share: read a text as "chip.yaml", and see the messages it causes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "models/config/load.h"
#include "models/config/reader.h"

namespace archipelago::config::test {

// A tree that must parse without a message.
inline Node tree(std::string_view text, const std::string& file = "chip.yaml") {
    Diagnostics diag;
    const std::optional<Node> node = parse_text(text, file, diag);
    EXPECT_EQ(diag.format(), "");
    return node ? *node : Node();
}

// All messages of parsing `text`.
inline std::string parse_errors(std::string_view text, const Limits& limits = {}) {
    Diagnostics diag;
    parse_text(text, "chip.yaml", diag, limits);
    return diag.format();
}

// All messages of parsing `text` and reading it with `body`.
inline std::string read_errors(std::string_view text, const std::function<void(Reader&)>& body,
                               Records* records = nullptr) {
    Diagnostics diag;
    const std::optional<Node> node = parse_text(text, "chip.yaml", diag);
    if (node) {
        Reader reader(*node, diag, "", records);
        body(reader);
        reader.finish();
    }
    return diag.format();
}

// The message a value causes under key "v" (column 4), without its place; empty when it is taken.
inline std::string value_error(const std::string& value, const std::function<void(Reader&)>& body) {
    std::string out = read_errors("v: " + value + "\n", body);
    const std::string place = "chip.yaml:1:4: v: ";
    if (out.empty()) {
        return out;
    }
    EXPECT_EQ(out.substr(0, place.size()), place);
    EXPECT_EQ(out.back(), '\n');
    out = out.substr(place.size());
    out.pop_back();
    return out;
}

}  // namespace archipelago::config::test
