// SPDX-License-Identifier: Apache-2.0
// Rules of the model itself, which no input can break: a block that breaks one has a mistake, and
// the machine stops with the rule's name and the cycle, in every build.
#pragma once

#include <string>

#include "models/common/clocked.h"

namespace archipelago {

// Throws MachineStop(StopKind::Internal). Out of line: callers are hot. `where`: the channel, the
// block; `now`: kNever where there is no time.
[[noreturn, gnu::cold]] void stop_broken(const std::string& where, const char* rule, Cycle now);
[[noreturn, gnu::cold]] void stop_broken(const char* where, const char* rule);

inline void invariant(bool holds, const std::string& where, const char* rule, Cycle now = kNever) {
    if (__builtin_expect(static_cast<long>(holds), 1) == 0)
        stop_broken(where, rule, now);
}
inline void invariant(bool holds, const char* where, const char* rule) {
    if (__builtin_expect(static_cast<long>(holds), 1) == 0)
        stop_broken(where, rule);
}

}  // namespace archipelago
