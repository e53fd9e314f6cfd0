// SPDX-License-Identifier: Apache-2.0
// Lines of the mem log.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "models/common/memory_message.h"
#include "models/common/trace_sink.h"

namespace archipelago {

// The log, when it takes category `mem`; else null.
inline LogSink* memory_log(const Observers& observers) {
    return observers.log != nullptr && observers.log->enabled(LogCategory::Mem) ? observers.log
                                                                                : nullptr;
}

// Logs a request as "tcp 3 vmid 0 read 0x1010, 16 bytes": requester, command, first byte and number
// of bytes; with the byte mask when the bytes are not contiguous. `from`: the link that brought it.
inline void log_request(LogSink& log, Cycle now, std::string_view unit, const char* from,
                        const MemRequest& r) {
    static const char* const kCommands[] = {"read", "write", "atomic"};
    const uint64_t mask = r.byte_mask;
    const auto first = mask == 0 ? 0u : static_cast<unsigned>(__builtin_ctzll(mask));
    const auto bytes = static_cast<unsigned>(__builtin_popcountll(mask));
    const uint64_t run = mask >> first;
    std::string text = fmt::format(
        "{}: {} {} vmid {} {} 0x{:x}, {} bytes", from, to_string(r.client), r.source,
        unsigned{r.vmid}, kCommands[static_cast<unsigned>(r.command)], r.line + first, bytes);
    if ((run & (run + 1)) != 0)
        text += fmt::format(", mask 0x{:016x}", mask);
    log.line(LogCategory::Mem, now, unit, text);
}

}  // namespace archipelago
