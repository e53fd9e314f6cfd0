// SPDX-License-Identifier: Apache-2.0
// Parameters that the description of every block has: channels, sizes, delays.
#pragma once

#include "models/common/channel.h"
#include "models/config/reader.h"

namespace archipelago::config {

const auto kAtLeastOne = range(1u, Reader::kMaxCycles);

// A size that an unsigned holds.
unsigned read_bytes(Reader& parent, const char* key, const RangeOf<unsigned, unsigned>& bounds,
                    const char* doc);
// `{capacity: N, latency: <timing>}`, the capacity counting what is in flight.
ChannelSpec read_channel(Reader& parent, const char* key, const char* doc);

}  // namespace archipelago::config
