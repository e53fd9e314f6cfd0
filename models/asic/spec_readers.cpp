// SPDX-License-Identifier: Apache-2.0
#include "models/asic/spec_readers.h"

namespace archipelago::asic {

using config::range;
using config::Reader;

ChannelSpec read_channel(Reader& parent, const char* key, const char* doc) {
    Reader r = parent.map(key);
    ChannelSpec spec;
    spec.capacity = r.required<unsigned>("capacity", range(1u, 4096u), doc);
    spec.latency = r.timing("latency", kAtLeastOne, doc);
    return spec;
}

LinkSpec read_link(Reader& parent, const char* key) {
    Reader r = parent.map(key);
    LinkSpec spec;
    spec.depth = r.required<unsigned>("depth", range(1u, 1024u), "queue entries each way");
    spec.latency = r.timing("latency", kAtLeastOne, "annotated on each transaction");
    return spec;
}

}  // namespace archipelago::asic
