// SPDX-License-Identifier: Apache-2.0
// Where an engine's $data comes from: the ring, the buffers nested in it, draw states. Document,
// "Reading Memory and Registers".
#pragma once

#include <array>
#include <cstdint>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

inline constexpr unsigned kMaxLevels = 5;

constexpr unsigned levels_of(Names names) {
    return names == Names::A5xx ? 3 : names == Names::A6xx ? 4 : 5;
}
// That of draw states; a5xx has none.
constexpr unsigned draw_state_level(Names names) {
    return names == Names::A5xx ? kMaxLevels : levels_of(names) - 1;
}
// "RB", "IB1", "SDS"
inline const char* level_name(Names names, unsigned level) {
    constexpr const char* kBuffers[] = {"RB", "IB1", "IB2", "IB3"};
    return level == draw_state_level(names) ? "SDS" : kBuffers[level];
}

}  // namespace archipelago::afuc
