// SPDX-License-Identifier: Apache-2.0
// Lines of packets in a log, which cost nothing while nobody reads it.
#pragma once

#include <string>

#include "models/common/trace_sink.h"

namespace archipelago::front {

inline bool logs(const Observers& observers, LogCategory category) {
    return observers.log != nullptr && observers.log->enabled(category);
}

// "ring gfx dword 18: FENCE DATA=1"; `text` makes what follows the place of the packet.
template <class Text>
void log_packet(const Observers& observers, LogCategory category, Cycle now,
                const std::string& path, const std::string& place, const Text& text) {
    if (logs(observers, category))
        observers.log->line(category, now, path, place + ": " + text());
}

}  // namespace archipelago::front
