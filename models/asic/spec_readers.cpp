// SPDX-License-Identifier: Apache-2.0
#include "models/asic/spec_readers.h"

#include <filesystem>

namespace archipelago::asic {

using config::range;
using config::Reader;

Reader read_links(Reader& root) {
    Reader links = root.map("links");
    links.set_clock(0);
    return links;
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
