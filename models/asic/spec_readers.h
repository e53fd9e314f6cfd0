// SPDX-License-Identifier: Apache-2.0
// What the chip descriptions of every family share: links, files; and of every block
// (block_reader.h).
#pragma once

#include <string>

#include "models/config/block_reader.h"

namespace archipelago::asic {

// A crossing between two blocks through TLM-2.0 sockets: queue entries on each side, and the
// annotated latency each way.
struct LinkSpec {
    unsigned depth = 4;
    unsigned latency = 1;
};

using config::kAtLeastOne;
using config::read_bytes;
using config::read_channel;

// `links` of the root. Its delays are in cycles alone, because some links join two clocks.
config::Reader read_links(config::Reader& root);
// `{depth: N, latency: <timing>}`.
LinkSpec read_link(config::Reader& parent, const char* key);

// A file that a value names: relative to the YAML file that it stands in, of --set to the working
// directory.
std::string file_beside(const config::Value& value, const std::string& name);

}  // namespace archipelago::asic
