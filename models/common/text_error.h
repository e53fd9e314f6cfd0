// SPDX-License-Identifier: Apache-2.0
// What assemblers refuse.
#pragma once

#include <string>
#include <vector>

namespace archipelago {

// One refused place. Lines and columns count from 1, columns in bytes.
struct TextError {
    unsigned line = 0, column = 0;
    std::string message;
    // When a name is unknown: the name, and what may stand in its place.
    std::string unknown;
    std::vector<std::string> known;
    // A file that the text includes; empty: the text itself.
    std::string file{};
};

}  // namespace archipelago
