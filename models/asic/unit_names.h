// SPDX-License-Identifier: Apache-2.0
// Kinds of units by the names under which they count.
#pragma once

#include <string>

namespace archipelago::asic {

inline bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// "mc3" is a number of "mc".
inline bool numbered(const std::string& path, const std::string& kind) {
    return path.size() > kind.size() && path.compare(0, kind.size(), kind) == 0 &&
           path.find_first_not_of("0123456789", kind.size()) == std::string::npos;
}

inline bool is_compute_unit(const std::string& path) {
    return numbered(path.substr(path.rfind('.') + 1), "cu");
}

}  // namespace archipelago::asic
