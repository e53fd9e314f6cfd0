// SPDX-License-Identifier: Apache-2.0
#include "models/front/location.h"

#include "models/common/text.h"

namespace archipelago::front {

std::string to_string(const Location& location, const RingNames& names) {
    std::string text = "ring " + names.ring(location.ring);
    if (location.level != 0)
        text += ", " + names.level(location.level) + " " + hex(location.base);
    return text + " dword " + std::to_string(location.dword);
}

}  // namespace archipelago::front
