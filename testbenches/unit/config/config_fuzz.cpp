// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the whole layer: parse, read every way, override, merge, print. Built by the
// preset `fuzz`; run as `config_fuzz -max_len=600 CORPUS`.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "models/config/load.h"
#include "models/config/reader.h"

using namespace archipelago::config;  // NOLINT(google-build-using-namespace)

namespace {

void read_every_way(const Node& node, Diagnostics& diag) {
    Records records;
    {
        Reader r(node, diag, "", &records);
        for (const std::string& key : r.keys()) {
            r.required<int>(key);
            r.required<double>(key);
            r.required<std::string>(key);
            r.required_quantity(key, Unit::Hertz);
            r.timing(key);
            r.sequence<int>(key, range(0, 5));
            r.map(key).one_of({"a", "b"});
            for (Reader& item : r.optional_maps(key)) {
                item.required<bool>("a");
            }
        }
    }
    records.fields.format();
    records.timings.format_table();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    Diagnostics diag;
    const std::optional<Node> node = parse_text(text, "fuzz.yaml", diag);
    if (!node && !diag.has_errors()) {
        std::abort();  // refused without a reason
    }
    if (node) {
        if (canonical(merge(*node, *node)) != canonical(*node)) {
            std::abort();
        }
        dump(*node);
        apply_override(*node, text.substr(0, 40), diag, OverridePath::NewLeaf);
        read_every_way(*node, diag);
    }
    diag.format();
    return 0;
}
