// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/workload_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "models/config/suggest.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/host/packet_text.h"
#include "testbenches/host/repeated_packets.h"

namespace archipelago::host {
namespace {

using config::BareNumber;
using config::range;
using config::Reader;
using config::Unit;
using config::Value;

constexpr double kMaxTolerance = 1e300;

void add_packets(const Value& item, const front::PacketLanguage& packets, const std::string& text,
                 WordData& to) {
    if (to.words.size() * 4 > kMaxRingBytes)
        return;  // reported
    const AssembledText assembled = assemble_packets(packets, text);
    for (const SourceError& e : assembled.errors)
        item.error(fmt::format("line {}, column {} of the text: {}", e.line, e.column, e.message));
    const std::vector<uint8_t>& bytes = assembled.bytes;
    if (bytes.size() % 4 != 0) {
        item.error(fmt::format("{} bytes are no whole number of dwords", bytes.size()));
        return;
    }
    const std::vector<uint32_t> words = load_words(bytes);
    to.words.insert(to.words.end(), words.begin(), words.end());
    if (to.words.size() * 4 > kMaxRingBytes)
        item.error(fmt::format("the packets make more than {}", text_of_bytes(kMaxRingBytes)));
}

template <class T>
void put_number(const Value& value, std::vector<uint8_t>& to) {
    const std::vector<uint8_t> bytes = scalar_arg(value.as<T>().value_or(T{})).bytes;
    to.insert(to.end(), bytes.begin(), bytes.end());
}

void put_half(const Value& value, std::vector<uint8_t>& to) {
    const auto number = static_cast<double>(value.as<float>().value_or(0));
    uint8_t half[2];
    store_real(ElementType::F16, number, half);
    if (std::isinf(load_real(ElementType::F16, half)) && !std::isinf(number))
        value.error(
            fmt::format("{} is out of range, expected a number that fits 16-bit floating "
                        "point",
                        number));
    to.insert(to.end(), half, half + sizeof half);
}

// Appends the element; one that the type does not have is reported.
void put_element(const Value& value, ElementType type, std::vector<uint8_t>& to) {
    constexpr void (*kPut[])(const Value&, std::vector<uint8_t>&) = {
        put_number<int8_t>,   put_number<uint8_t>,  put_number<int16_t>,
        put_number<uint16_t>, put_number<int32_t>,  put_number<uint32_t>,
        put_number<int64_t>,  put_number<uint64_t>, put_half,
        put_number<float>,    put_number<double>};
    kPut[static_cast<size_t>(type)](value, to);
}

// `first` and `step`, which have these values when they are not there.
void read_first_and_step(Reader& r, ElementType type, std::vector<uint8_t>& first,
                         std::vector<uint8_t>& step) {
    first.assign(bytes_of(type), 0);
    step.assign(bytes_of(type), 0);
    if (is_real(type))
        store_real(type, 1, step.data());
    else
        step[0] = 1;
    for (const auto& [key, to] : {std::pair("first", &first), std::pair("step", &step)})
        if (const std::optional<Value> value = r.find(key)) {
            to->clear();
            put_element(*value, type, *to);
        }
}

// The only key of a map.
std::optional<ElementType> type_key(Reader& r) {
    return type_named(r.one_of(kElementTypeKeys));
}

constexpr size_t kMaxStructureItems = 4096;

void align(std::vector<uint8_t>& bytes, size_t to) {
    bytes.resize((bytes.size() + to - 1) / to * to);
}

// A vector of OpenCL C.
std::vector<uint8_t> read_vector_of(const Value& value, ElementType type) {
    std::vector<uint8_t> bytes = read_list_of(value, type).bytes;
    const size_t count = bytes.size() / bytes_of(type);
    if (count > 16 || ((count & (count - 1)) != 0 && count != 3))
        value.error(fmt::format("{} components, expected 1, 2, 3, 4, 8 or 16", count));
    if (count == 3)  // which have the size of four
        bytes.resize(4 * bytes_of(type));
    return bytes;
}

}  // namespace

std::optional<ElementType> read_element_type(const Value& value) {
    const std::optional<size_t> index = value.one_of_names(element_type_names());
    return index ? std::optional<ElementType>(static_cast<ElementType>(*index)) : std::nullopt;
}

std::optional<ElementType> type_named(std::string_view key) {
    const std::vector<std::string>& names = element_type_names();
    const auto found = std::find(names.begin(), names.end(), key);
    return found != names.end() ? std::optional(static_cast<ElementType>(found - names.begin()))
                                : std::nullopt;
}

std::vector<uint8_t> ScalarSpec::in_run(uint64_t run) const {
    std::vector<uint8_t> out = bytes;
    if (!step.empty())
        store_term(type, bytes.data(), step.data(), run, out.data());
    return out;
}

uint64_t required_bytes(Reader& r, std::string_view key, const config::Bounds<uint64_t>& bounds) {
    return r.required_quantity(key, Unit::Byte, bounds, {}, BareNumber::Allowed);
}

std::optional<uint64_t> maybe_bytes(Reader& r, std::string_view key, uint64_t most) {
    return r.maybe_quantity(key, Unit::Byte, range(1, most), {}, BareNumber::Allowed);
}

std::string text_of_bytes(uint64_t bytes) {
    return config::quantity_to_string(bytes, Unit::Byte);
}

// Packets in text form: an item is a text of one or several, or a text that is repeated.
WordData read_packets(Reader& r, const front::PacketLanguage& packets) {
    WordData data;
    for (const Value& item : r.items("packets", config::count(1, kMaxRingBytes / 4))) {
        if (item.kind() == config::Node::Kind::Map) {
            Reader repeated = item.map();
            const RepeatedPackets text = read_repeated_packets(repeated, kMaxRingBytes / 4);
            repeated.finish();
            for (uint64_t n = 0; repeated.ok() && n < text.count; ++n)
                add_packets(item, packets, text.at(n), data);
        } else if (const std::optional<std::string> text = item.as<std::string>()) {
            add_packets(item, packets, *text, data);
        }
    }
    return data;
}

WordData read_words(Reader& r) {
    // Negative numbers are a convenience: -1 is 0xffffffff.
    const std::vector<int64_t> numbers =
        r.sequence<int64_t>("words", range(-(int64_t{1} << 31), (int64_t{1} << 32) - 1),
                            config::count(1, kMaxDataBytes / 4));
    WordData out;
    out.words.reserve(numbers.size());
    for (const int64_t number : numbers)
        out.words.push_back(static_cast<uint32_t>(number));
    return out;
}

WordData read_series_words(Reader& outer) {
    Reader r = outer.map("series");
    WordData out;
    out.words.resize(r.required<uint64_t>("count", range(1, kMaxRingBytes / 4)));
    const Series series = read_series(r);
    for (size_t i = 0; i < out.words.size(); ++i)
        out.words[i] = series.at(i);
    r.finish();
    return out;
}

std::optional<FillData> read_fill(Reader& r, std::optional<uint64_t> fill_size) {
    const uint32_t pattern = r.optional<uint32_t>("fill", 0);
    const std::optional<uint64_t> given = maybe_bytes(r, "size", kMaxWorkloadBytes);
    if (!given && !fill_size) {
        if (!r.has("size"))
            r.need("size", "the number of bytes to fill");
        return std::nullopt;
    }
    FillData out{{}, given.value_or(fill_size.value_or(0))};
    const unsigned bytes = pattern <= 0xff ? 1 : 4;
    out.pattern.resize(bytes);
    store_le(out.pattern.data(), pattern, bytes);
    if (!r.check(out.size % bytes == 0, "size",
                 fmt::format("{} bytes are no whole number of the 32-bit words that fill them",
                             out.size)))
        return std::nullopt;
    return out;
}

std::optional<RandomSpec> read_random(Reader& outer) {
    Reader r = outer.map("random");
    RandomSpec out;
    const std::optional<Value> name =
        r.need("type", "one of: " + config::join_names(element_type_names()));
    const std::optional<ElementType> type = name ? read_element_type(*name) : std::nullopt;
    out.type = type.value_or(ElementType::I8);
    out.count = r.required<uint64_t>("count", range(1, kMaxDataBytes));
    out.seed = r.optional<uint64_t>("seed", 1);
    if (type && r.ok())
        r.check(out.count <= kMaxDataBytes / bytes_of(out.type), "count",
                fmt::format("{} elements of {} bytes are too many, expected at most {} together",
                            out.count, bytes_of(out.type), text_of_bytes(kMaxDataBytes)));
    r.finish();
    return type && r.ok() ? std::optional<RandomSpec>(out) : std::nullopt;
}

CompareSpec read_compare_spec(Reader& r, const std::optional<DataSource>& data) {
    CompareSpec out;
    const std::optional<Value> type = r.find("type");
    if (type)
        out.type = read_element_type(*type);
    else if (data)
        out.type = data->type();
    out.rel = r.maybe<double>("rel", range(0.0, kMaxTolerance)).value_or(0);
    out.abs = r.maybe<double>("abs", range(0.0, kMaxTolerance)).value_or(0);
    for (const char* key : {"rel", "abs"}) {
        if (!type && data && !out.type && r.has(key))
            r.error(key,
                    "a tolerance needs the type of the elements, expected type: with one of: " +
                        config::join_names(element_type_names()));
    }
    if (data && out.type)
        r.check(
            data->size() % bytes_of(*out.type) == 0, "type",
            fmt::format("{} bytes are no whole number of {}", data->size(), to_string(*out.type)));
    return out;
}

ListData read_list_of(const Value& value, ElementType type) {
    ListData out{type, {}};
    for (const Value& item : value.items(config::count(1, kMaxDataBytes / bytes_of(type))))
        put_element(item, type, out.bytes);
    return out;
}

std::optional<RangeData> read_range(Reader& outer) {
    Reader r = outer.map("range");
    const std::optional<Value> name =
        r.need("type", "one of: " + config::join_names(element_type_names()));
    const std::optional<ElementType> type = name ? read_element_type(*name) : std::nullopt;
    RangeData out;
    out.type = type.value_or(ElementType::U64);
    out.count = r.required<uint64_t>("count", range(1, kMaxDataBytes / bytes_of(out.type)));
    read_first_and_step(r, out.type, out.first, out.step);
    r.finish();
    return type && r.ok() ? std::optional<RangeData>(std::move(out)) : std::nullopt;
}

// The type of an expectation is read, and reported, with its tolerance.
std::optional<FormulaData> read_formula(Reader& r, std::optional<uint64_t> bytes,
                                        const FormulaUse& use) {
    FormulaData out;
    out.text = r.required<std::string>("formula");
    const std::optional<Value> given = r.find("type");
    const std::optional<ElementType> type = !given           ? use.type
                                            : use.of_buffers ? type_named(given->node().text())
                                                             : read_element_type(*given);
    if (!given && !type)
        r.need("type",
               "the type of the elements, one of: " + config::join_names(element_type_names()));
    out.type = type.value_or(ElementType::U8);
    const uint64_t most = kMaxDataBytes / bytes_of(out.type);
    out.count = r.has("count") || !bytes ? r.required<uint64_t>("count", range(1, most))
                                         : *bytes / bytes_of(out.type);
    if (!type || !r.ok() || !r.check(out.count <= most, "formula", "more than 4 GiB"))
        return std::nullopt;
    return out;
}

ListData read_structure(const Value& value) {
    ListData out{ElementType::U8, {}};
    size_t most = 1;  // alignment of the whole
    for (const Value& item : value.items(config::count(1, kMaxStructureItems))) {
        Reader r = item.map();
        const std::optional<ElementType> type = type_key(r);
        if (!type)
            continue;
        const Value field = *r.find(to_string(*type));
        const bool is_vector = r.optional<bool>("vector", false);
        std::vector<uint8_t> bytes;
        if (is_vector)
            bytes = read_vector_of(field, *type);
        else if (field.kind() == config::Node::Kind::Sequence)
            bytes = read_list_of(field, *type).bytes;
        else
            put_element(field, *type, bytes);
        const size_t alignment = is_vector ? std::max<size_t>(bytes.size(), 1) : bytes_of(*type);
        align(out.bytes, alignment);
        most = std::max(most, alignment);
        out.bytes.insert(out.bytes.end(), bytes.begin(), bytes.end());
        r.finish();
    }
    align(out.bytes, most);
    return out;
}

ScalarSpec read_scalar_of(const Value& value, ElementType type) {
    ScalarSpec out{type, {}, {}};
    if (value.kind() == config::Node::Kind::Map) {
        Reader r = value.map();
        read_first_and_step(r, type, out.bytes, out.step);
        if (!r.has("first"))
            r.need("first", "the number of the first run");
        r.finish();
    } else if (value.kind() == config::Node::Kind::Sequence) {
        out.bytes = read_vector_of(value, type);
    } else {
        put_element(value, type, out.bytes);
    }
    return out;
}

BuildOptions read_build_options(Reader& r, const std::string& code, const std::string& folder) {
    const std::optional<Value> value = r.find("options");
    if (!value || code.empty())  // no code: it has been reported
        return {};
    BuildOptionReader options(source_kind(code), folder);
    const std::vector<Value> items =
        value->node().is_scalar() ? std::vector<Value>{*value} : value->items();
    for (const Value& item : items)
        if (const std::optional<std::string> text = item.as<std::string>())
            if (const std::optional<std::string> fault = options.add(*text))
                item.error(*fault);
    if (const std::optional<std::string> fault = options.finish())
        items.back().error(*fault);
    return options.options();
}

std::array<uint32_t, 3> read_sizes(Reader& r, std::string_view key, uint32_t& listed) {
    std::array<uint32_t, 3> out{1, 1, 1};
    const std::vector<uint32_t> given =
        r.sequence<uint32_t>(key, range(1, ~uint32_t{0}), config::count(1, 3));
    std::copy(given.begin(), given.end(), out.begin());
    listed = static_cast<uint32_t>(given.size());
    return out;
}

std::array<uint32_t, 3> read_offsets(Reader& r, std::string_view key) {
    std::array<uint32_t, 3> out{};
    const std::vector<uint32_t> given =
        r.sequence<uint32_t>(key, range(0, ~uint32_t{0}), config::count(1, 3));
    std::copy(given.begin(), given.end(), out.begin());
    return out;
}

RegisterExpectation read_register_expectation(Reader& r) {
    RegisterExpectation out;
    out.name = r.required<std::string>("register");
    out.value = r.required<uint32_t>("value");
    out.mask = r.optional<uint32_t>("mask", ~uint32_t{0});
    if (r.ok()) {
        r.check(!out.name.empty(), "register", "got empty text, expected a register's name");
        r.check((out.value & ~out.mask) == 0, "value",
                fmt::format("{:#x} has bits outside the mask {:#x} and can never match", out.value,
                            out.mask));
    }
    return out;
}

InterruptExpectation read_interrupt_expectation(Reader& r) {
    InterruptExpectation out;
    out.name = r.required<std::string>("interrupt");
    out.count = r.optional<uint64_t>("count", 1, range(0, uint64_t{1} << 32));
    if (r.ok())
        r.check(!out.name.empty(), "interrupt", "got empty text, expected an interrupt's name");
    return out;
}

InterruptRing read_interrupt_ring(Reader& r) {
    InterruptRing out;
    out.source = source_of(r);
    out.address = r.required<uint64_t>("address");
    out.size = required_bytes(r, "size", range(32, 256 * 1024));
    r.finish();
    if (r.ok()) {
        r.check((out.size & (out.size - 1)) == 0, "size",
                fmt::format("{} bytes, expected a power of two", out.size));
        r.check(out.address % 256 == 0, "address",
                fmt::format("{:#x}, expected a multiple of 256", out.address));
    }
    return out;
}

bool names_image(const Value& value) {
    const bool is_text = value.kind() == config::Node::Kind::Scalar;
    const bool fits = is_text && is_image_name(value.node().text());
    if (is_text && !fits)
        value.error("got " + config::in_quotes(value.node().text()) +
                    ", expected a name that ends in .png or .pam");
    return !is_text || fits;
}

}  // namespace archipelago::host
