// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/repeated_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace archipelago::host {
namespace {

bool is_name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Calls literal(text) and name(text) for the parts of a text in order.
template <class Literal, class Name>
void split(std::string_view text, const Literal& literal, const Name& name) {
    while (!text.empty()) {
        const size_t dollar = std::min(text.find('$'), text.size());
        literal(text.substr(0, dollar));
        text.remove_prefix(std::min(dollar + 1, text.size()));
        const size_t length = static_cast<size_t>(
            std::find_if_not(text.begin(), text.end(), is_name_char) - text.begin());
        if (length != 0)
            name(text.substr(0, length));
        text.remove_prefix(length);
    }
}

}  // namespace

Series read_series(config::Reader& r) {
    return {r.optional<uint32_t>("first", 0), r.optional<uint32_t>("step", 1)};
}

std::string RepeatedPackets::at(uint64_t n) const {
    std::string result;
    split(
        text, [&](std::string_view literal) { result += literal; },
        [&](std::string_view name) {
            for (const Value& value : values)
                if (value.name == name)
                    result += fmt::format("{:#x}", value.series.at(n));
        });
    return result;
}

RepeatedPackets read_repeated_packets(config::Reader& r, uint64_t max_count) {
    RepeatedPackets out;
    out.count = r.required<uint64_t>("repeat", config::range(1, max_count));
    out.text = r.required<std::string>("text");
    std::vector<std::string> unused;
    if (r.has("values"))
        for (auto& [name, value] : r.named_maps("values")) {
            out.values.push_back({name, read_series(value)});
            unused.push_back(name);
        }
    split(
        out.text, [](std::string_view) {},
        [&](std::string_view name) {
            unused.erase(std::remove(unused.begin(), unused.end(), name), unused.end());
            const bool known = std::any_of(out.values.begin(), out.values.end(),
                                           [&](const auto& v) { return v.name == name; });
            r.check(known, "text", fmt::format("\"values\" has no \"{}\"", name));
        });
    for (const std::string& name : unused)
        r.error("values", fmt::format("the text has no \"${}\"", name));
    return out;
}

}  // namespace archipelago::host
