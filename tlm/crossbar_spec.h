// SPDX-License-Identifier: Apache-2.0
// Parameters of a crossbar. Its latency is that of the channels after it.
#pragma once

#include <cstdint>
#include <map>

#include "models/common/address_spaces.h"
#include "models/common/channel.h"

namespace archipelago::crossbar {

struct CrossbarSpec {
    static constexpr unsigned kMaxPorts = 64;
    unsigned sources = 1;          // 1..kMaxPorts
    unsigned destinations = 1;     // 1..kMaxPorts
    unsigned request_bytes = 64;   // per cycle and link, towards the destinations
    unsigned response_bytes = 64;  // per cycle and link, back
    unsigned queue_depth = 1;      // messages from one input for one output
    ChannelSpec request_in{4, 1};  // one per source
    // Sources whose requests come in through a queue of their own size.
    std::map<unsigned, ChannelSpec> own_request_in;
    ChannelSpec response_in{4, 1};  // one per destination
};

// Which destination serves an address: a plain function, called once per message.
struct Route {
    unsigned (*destination)(const void* context, uint64_t line) = nullptr;
    const void* context = nullptr;
    // Where requests get their addresses in memory, which the function is asked for; null: they
    // come with them.
    const AddressSpaces* spaces = nullptr;
};

}  // namespace archipelago::crossbar
