// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_spec.h"

#include "models/cp/ce_state.h"

namespace archipelago::cp {

std::vector<std::string> CeSpec::problems() const {
    std::vector<std::string> list;
    const auto need = [&](bool holds, const char* text) {
        if (!holds)
            list.emplace_back(text);
    };
    need(packet_cycles >= 1 && packet_cycles <= 255, "ce.packet_cycles: 1 to 255");
    need(loads_in_flight >= 1 && loads_in_flight <= 255, "ce.loads_in_flight: 1 to 255");
    need(dumps_in_flight >= 1 && dumps_in_flight <= 255, "ce.dumps_in_flight: 1 to 255");
    need(sets_in_flight >= 2 && sets_in_flight <= kCeMaxSets, "ce.sets_in_flight: 2 to 8");
    need(cs1_base % 64 == 0 && cs2_base % 64 == 0 && cs1_base <= cs2_base && cs2_base < kCeRamBytes,
         "ce.cs1_base, ce.cs2_base: multiples of 64 in order, below 64 KiB");
    need(fetch_lines >= 1 && fetch_lines <= 255, "ce.fetch_lines: 1 to 255");
    for (const ChannelSpec* channel : {&command, &stream, &message, &grant})
        need(channel->capacity >= 1 && channel->latency >= 1,
             "ce: a channel needs capacity and latency of at least 1");
    return list;
}

}  // namespace archipelago::cp
