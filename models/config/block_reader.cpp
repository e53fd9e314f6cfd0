// SPDX-License-Identifier: Apache-2.0
#include "models/config/block_reader.h"

namespace archipelago::config {

unsigned read_bytes(Reader& parent, const char* key, const RangeOf<unsigned, unsigned>& bounds,
                    const char* doc) {
    return static_cast<unsigned>(parent.required_quantity(key, Unit::Byte, bounds, doc));
}

ChannelSpec read_channel(Reader& parent, const char* key, const char* doc) {
    Reader r = parent.map(key);
    ChannelSpec spec;
    spec.capacity = r.required("capacity", range(1u, 4096u), doc);
    spec.latency = r.timing("latency", kAtLeastOne, doc);
    return spec;
}

}  // namespace archipelago::config
