// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/workload_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "models/config/suggest.h"
#include "testbenches/host/workload_forms.h"

namespace archipelago::host {
namespace {

using config::in_quotes;
using config::Node;
using config::range;
using config::Reader;
using config::Value;

constexpr uint64_t kMaxGlobalItems = uint64_t{1} << 40;
constexpr uint32_t kMaxRepeat = 1'000'000;
constexpr uint32_t kMaxImageSide = 16384;  // T# WIDTH and HEIGHT have 14 bits

enum class Wrap : uint8_t { Repeat = 0, Mirror = 1, Edge = 2, Border = 6 };  // as S# has them
enum class Filter : uint8_t { Nearest, Linear };
constexpr uint64_t kMaxValueBytes = 65536;

void read_global_size(Reader& r, KernelSpec& to) {
    if (!r.has("global_size"))
        return;
    to.global_size = read_sizes(r, "global_size", to.dimensions);
    uint64_t items = 1;
    for (const uint32_t size : to.global_size) {
        const bool fits = size != 0 && items <= kMaxGlobalItems / size;
        items = fits ? items * size : kMaxGlobalItems + 1;
    }
    if (r.ok())
        r.check(items <= kMaxGlobalItems, "global_size",
                fmt::format("too many work-items, expected at most {}", kMaxGlobalItems));
}

SamplerShape read_sampler(Reader r) {
    SamplerShape out;
    out.normalized = r.optional<bool>("normalized", false);
    out.wrap = static_cast<uint32_t>(r.enumeration<Wrap>("address",
                                                         {{"clamp_to_edge", Wrap::Edge},
                                                          {"clamp", Wrap::Border},
                                                          {"repeat", Wrap::Repeat},
                                                          {"mirrored_repeat", Wrap::Mirror}},
                                                         Wrap::Edge));
    out.linear =
        r.enumeration<Filter>("filter", {{"nearest", Filter::Nearest}, {"linear", Filter::Linear}},
                              Filter::Nearest) == Filter::Linear;
    r.finish();
    return out;
}

bool has_kernel_step(const Node& steps) {
    return std::any_of(steps.items().begin(), steps.items().end(), [](const Node& step) {
        const config::MapEntry* const inner = step.find("steps");
        return step.find("kernel") != nullptr ||
               (inner != nullptr && has_kernel_step(inner->value));
    });
}

}  // namespace

bool names_code_alone(const Node& workload) {
    const config::MapEntry* const kernel = workload.find("kernel");
    const config::MapEntry* const steps = workload.find("steps");
    if (kernel == nullptr || steps == nullptr || !has_kernel_step(steps->value))
        return false;
    const std::vector<std::string> keys = kernel->value.keys();
    return !keys.empty() && std::all_of(keys.begin(), keys.end(), [](const std::string& key) {
        return key == "code" || key == "options";
    });
}

void KernelReader::read_code(Reader& r) {
    const std::optional<Value> code = r.need("code", "the name of a code object, .cl or .s file");
    if (!code)
        return;
    code_source_ = source_of(*code);
    code_ = parts_.input_file(*code).value_or("");
    build_ = read_build_options(r, code_, folder_);
}

std::optional<KernelSpec> KernelReader::read(Reader& r) {
    KernelSpec out;
    out.source = source_of(r);
    const bool has_options = r.has("options");
    const bool has_code = code_.empty() || r.has("code");
    if (has_code)  // and the options of it
        read_code(r);
    out.code_source = code_source_;
    out.code = code_;
    out.build = has_options && !has_code ? read_build_options(r, code_, folder_) : build_;
    out.name = r.optional<std::string>("name", "");
    read_global_size(r, out);
    if (r.has("local_size")) {
        uint32_t listed = 0;
        out.local_size = read_sizes(r, "local_size", listed);
    }
    if (r.has("global_offset"))
        out.global_offset = read_offsets(r, "global_offset");
    for (const Value& item : r.optional_items("args")) {
        Reader arg = item.map();
        if (std::optional<Arg> value = argument(arg))
            out.args.push_back(std::move(*value));
    }
    out.repeat = r.optional<uint32_t>("repeat", 1, range(1, kMaxRepeat));
    out.sync = r.enumeration<KernelSync>("sync",
                                         {{"all", KernelSync::All},
                                          {"first_level", KernelSync::FirstLevel},
                                          {"none", KernelSync::None}},
                                         KernelSync::All);
    r.finish();
    return r.ok() ? std::optional<KernelSpec>(std::move(out)) : std::nullopt;
}

std::optional<Arg> KernelReader::argument(Reader& r) {
    Arg out;
    out.source = source_of(r);
    const std::string form =
        r.one_of({"buffer", "image", "sampler", "local", "value", "i8", "u8", "i16", "u16", "i32",
                  "u32", "i64", "u64", "f16", "f32", "f64"});
    const std::optional<Value> value = form.empty() ? std::nullopt : r.find(form);
    const bool is_null = form == "buffer" && value->kind() == Node::Kind::Null;
    const bool in_memory = form == "buffer" || form == "image";
    if (is_null || (!form.empty() && !in_memory)) {
        for (const char* key : {"expect", "dump"})
            if (r.has(key))
                r.error(key, fmt::format("does not go with \"{}{}\", expected this with a buffer",
                                         form, is_null ? ": null" : ""));
    }
    if (form.empty()) {  // reported
        for (const char* key : {"expect", "dump"})
            r.ignore(key);
    } else if (is_null) {
        out.value = NullBuffer{};
    } else if (form == "sampler") {
        out.value = read_sampler(value->map());
    } else if (in_memory) {
        const std::optional<unsigned> number = form == "image" ? image(*value) : buffer(*value);
        BufferUse use;
        use.buffer = number.value_or(0);
        if (r.has("expect"))
            use.expect =
                parts_.buffer_expectation(r.map("expect"), size_of(number), type_of(number));
        if (const std::optional<Value> file = r.find("dump"))
            use.dump = parts_.dump_file(*file);
        out.value = std::move(use);
    } else if (form == "local") {
        out.value =
            LocalSpec{static_cast<uint32_t>(required_bytes(r, "local", range(1, ~uint32_t{0})))};
    } else if (form == "value") {
        if (std::optional<DataSource> data = by_value(*value))
            out.value = ValueSpec{std::move(*data)};
    } else {
        out.value = read_scalar_of(*value, *type_named(form));
    }
    r.finish();
    return r.ok() ? std::optional<Arg>(std::move(out)) : std::nullopt;
}

// DATA, or a list of the fields of a structure.
std::optional<DataSource> KernelReader::by_value(const Value& value) {
    std::optional<DataSource> data;
    if (value.kind() == Node::Kind::Sequence) {
        data = DataSource{source_of(value), read_structure(value)};
    } else {
        Reader r = value.map();
        data = parts_.sized_data(r, std::nullopt);
    }
    if (data && data->size() > kMaxValueBytes)
        value.error(fmt::format("{} bytes, expected at most {}", data->size(), kMaxValueBytes));
    return data;
}

// {DATA}, {name: NAME, DATA}, {buffer: NAME} or NAME alone.
std::optional<unsigned> KernelReader::buffer(const Value& value) {
    if (value.kind() == Node::Kind::Scalar)
        return named(value);
    Reader r = value.map();
    return r.has("buffer") ? named(*r.find("buffer")) : declare(r);
}

std::optional<unsigned> KernelReader::named(const Value& value) const {
    std::vector<std::string> known;
    for (const auto& [name, number] : names_)
        known.push_back(name);
    if (known.empty()) {
        value.error("got " + config::describe(value.node()) +
                    ", expected a map, or the name of a buffer: no kernel before this has one with "
                    "name: NAME");
        return std::nullopt;
    }
    const std::optional<size_t> index = value.one_of_names(known);
    return index ? std::optional<unsigned>(names_.at(known[*index])) : std::nullopt;
}

// {width, height, format, DATA}, with a name or that of an earlier one.
std::optional<unsigned> KernelReader::image(const Value& value) {
    if (value.kind() == Node::Kind::Scalar || value.node().find("buffer") != nullptr) {
        const std::optional<unsigned> number = buffer(value);
        if (number && !buffers_[*number].image) {
            value.error("is a buffer, expected the name of an image");
            return std::nullopt;
        }
        return number;
    }
    Reader r = value.map();
    ImageShape shape;
    shape.width = r.required<uint32_t>("width", range(1, kMaxImageSide));
    shape.dimensions = r.has("height") ? 2 : 1;
    shape.height = r.optional<uint32_t>("height", 1, range(1, kMaxImageSide));
    std::vector<std::string> names;
    for (const ImageFormat& format : image_formats())
        names.push_back(format.name);
    if (const std::optional<Value> format = r.need("format", "the channels of a texel"))
        shape.format = static_cast<unsigned>(format->one_of_names(names).value_or(0));
    if (r.ok())
        r.check(shape.width % shape.row_multiple() == 0, "width",
                fmt::format("{}, expected a multiple of {}: rows have no padding here", shape.width,
                            shape.row_multiple()));
    return declare(r, shape);
}

std::optional<unsigned> KernelReader::declare(Reader& r, const std::optional<ImageShape>& image) {
    BufferSpec out;
    out.source = source_of(r);
    const auto name = r.maybe<std::string>("name");
    std::optional<DataSource> contents =
        parts_.sized_data(r, image ? std::optional<uint64_t>(image->bytes()) : std::nullopt);
    if (contents && image && contents->size() != image->bytes())
        r.error(fmt::format("{} bytes, expected {}: {} by {} texels of {}", contents->size(),
                            image->bytes(), image->width, image->height,
                            image_formats()[image->format].texel_bytes));
    out.image = image;
    if (name) {
        out.name = *name;
        r.check(!name->empty(), "name", "got empty text, expected a name for later kernels");
        const auto known = names_.find(*name);
        if (known != names_.end())
            r.error("name", fmt::format("there is a buffer {} already ({}), expected another name, "
                                        "or {{buffer: {}}} for that one",
                                        in_quotes(*name),
                                        buffers_[known->second].source.to_string(), *name));
    }
    if (!contents || !r.ok())
        return std::nullopt;
    parts_.count_buffer(out.source, contents->size());
    out.data = std::move(*contents);
    const auto number = static_cast<unsigned>(buffers_.size());
    if (!out.name.empty())
        names_[out.name] = number;
    buffers_.push_back(std::move(out));
    return number;
}

void set_repeated_arguments(std::vector<Step>& steps) {
    std::map<std::string, uint64_t> runs;  // of a step so far, by its place
    for (Step& step : steps) {
        auto* const kernel = std::get_if<KernelSpec>(&step.what);
        if (kernel == nullptr)
            continue;
        const uint64_t run = runs[kernel->source.key_path]++;
        for (Arg& arg : kernel->args)
            if (auto* const scalar = std::get_if<ScalarSpec>(&arg.value))
                scalar->bytes = scalar->in_run(run);
    }
}

}  // namespace archipelago::host
