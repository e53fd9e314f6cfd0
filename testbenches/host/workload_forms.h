// SPDX-License-Identifier: Apache-2.0
// Forms in which a workload file writes data, numbers and tolerances. Readers report what they
// cannot read, and then return nothing or a value of no meaning: ask Reader::ok().
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "models/config/reader.h"
#include "testbenches/host/workload.h"

namespace archipelago::front {
class PacketLanguage;
}

namespace archipelago::host {

// The names of all types, which are keys of data, arguments and fields of structures.
inline const std::initializer_list<std::string_view> kElementTypeKeys = {
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"};

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
// `type:`
std::optional<ElementType> read_element_type(const config::Value& value);
// The type that a key names; none: it is another key.
std::optional<ElementType> type_named(std::string_view key);
// A list of numbers of this type.
ListData read_list_of(const config::Value& value, ElementType type);
// `range:`
std::optional<RangeData> read_range(config::Reader& outer);
// `formula:`, without the names that it may have.
struct FormulaUse {
    bool of_buffers = false;               // in an expectation
    std::optional<ElementType> type = {};  // unless it says another
};
// `bytes`: of the elements, where that is known.
std::optional<FormulaData> read_formula(config::Reader& r, std::optional<uint64_t> bytes,
                                        const FormulaUse& use);
// A structure: a list of numbers, of arrays, and of vectors, with their types. Each stands at the
// next multiple of its element's size, a vector at one of its own, as OpenCL C has it.
ListData read_structure(const config::Value& value);
// `type:`, `rel:` and `abs:` beside expected data; no data: they have been reported. Data of a type
// need no `type:`.
CompareSpec read_compare_spec(config::Reader& r, const std::optional<DataSource>& data);
// A number of this type, a list of them (a vector of OpenCL C), or {first, step} of a number that
// grows each time that its step is repeated.
ScalarSpec read_scalar_of(const config::Value& value, ElementType type);

// `options:` of a kernel's `code`, a list or one text; folders are relative to `folder`.
BuildOptions read_build_options(config::Reader& r, const std::string& code,
                                const std::string& folder);

// `{register, value, mask}` and `{interrupt, count}`.
RegisterExpectation read_register_expectation(config::Reader& r);
InterruptExpectation read_interrupt_expectation(config::Reader& r);
// `interrupts: {ring: {address, size}}`
InterruptRing read_interrupt_ring(config::Reader& r);
// Whether the text ends as the names of images do; reported.
bool names_image(const config::Value& value);

// A list of one to three sizes, 1 where none is given; `listed`: how many are.
std::array<uint32_t, 3> read_sizes(config::Reader& r, std::string_view key, uint32_t& listed);
// A list of one to three numbers of work-items, 0 where none is given.
std::array<uint32_t, 3> read_offsets(config::Reader& r, std::string_view key);

}  // namespace archipelago::host
