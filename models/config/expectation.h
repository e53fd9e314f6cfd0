// SPDX-License-Identifier: Apache-2.0
// What messages expect of a value, also of one that is missing. Private to models/config.
#pragma once

#include <string>

#include "models/config/reader.h"

namespace archipelago::config {

// Of a delay, in ns, too, when its clock is known.
std::string timing_expectation(std::uint64_t clock_hz);

inline std::string quantity_expectation(Unit unit, const Bounds<std::uint64_t>& bounds,
                                        BareNumber bare) {
    std::string out = describe(unit);
    if (bare == BareNumber::Allowed) {
        out += " or a bare number of " + unit_names(unit).front();
    }
    if (bounds.given) {
        out += " from " + quantity_to_string(bounds.min, unit) + " to " +
               quantity_to_string(bounds.max, unit);
    }
    return out;
}

}  // namespace archipelago::config
