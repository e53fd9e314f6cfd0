// SPDX-License-Identifier: Apache-2.0
#include "models/front/location.h"

#include <cinttypes>
#include <cstdio>

namespace archipelago::front {

std::string to_string(const Location& location, const RingNames& names) {
    std::string text = "ring " + names.ring(location.ring);
    char place[48];
    if (location.level == 0)
        std::snprintf(place, sizeof place, " dword %" PRIu32, location.dword);
    else
        std::snprintf(place, sizeof place, " 0x%" PRIx64 " dword %" PRIu32, location.base,
                      location.dword);
    if (location.level != 0)
        text += ", " + names.level(location.level);
    return text + place;
}

}  // namespace archipelago::front
