// SPDX-License-Identifier: Apache-2.0
// What the chip descriptions of every family share: channels, links, delays.
#pragma once

#include <string>

#include "models/common/channel.h"
#include "models/config/reader.h"

namespace archipelago::asic {

// A crossing between two blocks through TLM-2.0 sockets: queue entries on each side, and the
// annotated latency each way.
struct LinkSpec {
    unsigned depth = 4;
    unsigned latency = 1;
};

const auto kAtLeastOne = config::range(1u, config::Reader::kMaxCycles);

// A size that an unsigned holds.
unsigned read_bytes(config::Reader& parent, const char* key,
                    const config::RangeOf<unsigned, unsigned>& bounds, const char* doc);
// `{capacity: N, latency: <timing>}`, the capacity counting what is in flight.
ChannelSpec read_channel(config::Reader& parent, const char* key, const char* doc);
// `{depth: N, latency: <timing>}`.
LinkSpec read_link(config::Reader& parent, const char* key);

// A file that a value names: relative to the YAML file that it stands in, of --set to the working
// directory.
std::string file_beside(const config::Value& value, const std::string& name);

}  // namespace archipelago::asic
