// SPDX-License-Identifier: Apache-2.0
#include "models/front/location.h"

#include <algorithm>

#include "models/common/text.h"

namespace archipelago::front {

std::string to_string(const Location& location, const RingNames& names) {
    std::string text = "ring " + names.ring(location.ring);
    if (location.level != 0)
        text += ", " + names.level(location.level) + " " + hex(location.base);
    return text + " dword " + std::to_string(location.dword);
}

std::string too_few_left(const Location& location, std::optional<uint32_t> left) {
    if (location.level == 0)
        return ", more than the ring ever holds";
    return ", " + (left ? std::to_string(*left) : "fewer") +
           " are left before the end of the indirect buffer";
}

std::string access_of(const char* packet, const char* field) {
    std::string text = packet != nullptr ? std::string("packet ") + packet + ": " : "";
    if (field == nullptr)
        return text;
    const std::string name = field;
    const size_t low = name.size() - std::min<size_t>(name.size(), 3);
    return text + (name.compare(low, 3, "_LO") == 0 ? name.substr(0, low) : name) + ": ";
}

}  // namespace archipelago::front
