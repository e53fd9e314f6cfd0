// SPDX-License-Identifier: Apache-2.0
// Forms in which a workload file writes data, numbers and tolerances. Readers report what they
// cannot read, and then return nothing or a value of no meaning: ask Reader::ok().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/config/reader.h"
#include "testbenches/host/workload.h"

namespace archipelago::front {
class PacketLanguage;
}

namespace archipelago::host {

constexpr uint64_t kMaxRingBytes = uint64_t{256} << 20;

// Of a config::Value or a config::Reader.
template <class V>
Source source_of(const V& v) {
    return {v.node().origin(), v.path()};
}

// Bytes; the unit may be left out.
uint64_t required_bytes(config::Reader& r, std::string_view key,
                        const config::Bounds<uint64_t>& bounds);
std::optional<uint64_t> maybe_bytes(config::Reader& r, std::string_view key, uint64_t most);
std::string text_of_bytes(uint64_t bytes);

// `words:`
WordData read_words(config::Reader& r);
// `series:`
WordData read_series_words(config::Reader& outer);
// `packets:`
WordData read_packets(config::Reader& r, const front::PacketLanguage& packets);
// `fill:`; `fill_size` in bytes when no `size:` is given.
std::optional<FillData> read_fill(config::Reader& r, std::optional<uint64_t> fill_size);
// `random:`
std::optional<RandomSpec> read_random(config::Reader& outer);
// `type:`, `rel:` and `abs:` beside expected data; no data: they have been reported.
CompareSpec read_compare_spec(config::Reader& r, const std::optional<DataSource>& data);
// A number of this type, a list of them (a vector of OpenCL C), or {first, step} of a number that
// grows each time that its step is repeated.
std::optional<ScalarSpec> read_scalar_of(const config::Value& value, ElementType type);

// `options:` of a kernel's `code`, a list or one text; folders are relative to `folder`.
BuildOptions read_build_options(config::Reader& r, const std::string& code,
                                const std::string& folder);

// A list of one to three sizes, 1 where none is given; `listed`: how many are.
std::array<uint32_t, 3> read_sizes(config::Reader& r, std::string_view key, uint32_t& listed);

}  // namespace archipelago::host
