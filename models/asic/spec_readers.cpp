// SPDX-License-Identifier: Apache-2.0
#include "models/asic/spec_readers.h"

#include <filesystem>

namespace archipelago::asic {

using config::range;
using config::Reader;

unsigned read_bytes(config::Reader& parent, const char* key,
                    const config::RangeOf<unsigned, unsigned>& bounds, const char* doc) {
    return static_cast<unsigned>(parent.required_quantity(key, config::Unit::Byte, bounds, doc));
}

ChannelSpec read_channel(Reader& parent, const char* key, const char* doc) {
    Reader r = parent.map(key);
    ChannelSpec spec;
    spec.capacity = r.required("capacity", range(1u, 4096u), doc);
    spec.latency = r.timing("latency", kAtLeastOne, doc);
    return spec;
}

LinkSpec read_link(Reader& parent, const char* key) {
    Reader r = parent.map(key);
    LinkSpec spec;
    spec.depth = r.required("depth", range(1u, 1024u), "queue entries each way");
    spec.latency = r.timing("latency", kAtLeastOne, "latency annotated on each TLM transaction");
    return spec;
}

std::string file_beside(const config::Value& value, const std::string& name) {
    const std::filesystem::path from =
        std::filesystem::path(value.node().origin().file_name()).parent_path();
    return (from / name).lexically_normal().string();
}

}  // namespace archipelago::asic
