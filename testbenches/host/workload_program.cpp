// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/workload_program.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <variant>

#include "models/ctm/isa/instruction.h"
#include "models/ctm/isa/thread.h"
#include "models/ctm/mc/address_message.h"
#include "testbenches/host/code_object/code_object_error.h"
#include "testbenches/host/workload_forms.h"

namespace archipelago::host {
namespace {

using config::in_quotes;
using config::range;
using config::Reader;
using config::Value;

constexpr uint32_t kMaxElements = ctm::kMaxIndex + 1;  // a row, a column
constexpr size_t kIntegerConstants = 32, kBooleanConstants = 32;
constexpr size_t kIntegerParts = 3;  // KR, KG, KB

uint32_t bits_of(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// As the hardware counts: whole granules of the pitch, rounded up.
uint32_t default_pitch(const SurfaceSpec& s) {
    const uint32_t granule =
        std::max(4u, ctm::pitch_granule(s.log2_bytes(), ctm::is_tiled(s.surface.tiling)));
    return (s.width + granule - 1) / granule * granule;
}

void read_layout(Reader& r, SurfaceSpec& s) {
    s.width = r.required<uint32_t>("width", range(1u, kMaxElements));
    s.height = r.optional<uint32_t>("height", 1, range(1u, kMaxElements));
    s.surface.format =
        r.enumeration<ctm::Format>("format", {{"uint16_1", ctm::Format::Uint16x1},
                                              {"uint8_4", ctm::Format::Uint8x4},
                                              {"float32_1", ctm::Format::Float32x1},
                                              {"float32_2", ctm::Format::Float32x2},
                                              {"float32_4", ctm::Format::Float32x4}});
    s.surface.tiling = r.enumeration<ctm::Tiling>("tiling",
                                                  {{"linear", ctm::Tiling::Linear},
                                                   {"tiled", ctm::Tiling::Tiled},
                                                   {"linear_inp_2x2", ctm::Tiling::LinearInp2x2},
                                                   {"tiled_inp_2x2", ctm::Tiling::TiledInp2x2}},
                                                  ctm::Tiling::Linear);
    const uint32_t least = default_pitch(s);
    const auto pitch = r.optional<uint32_t>("pitch", least, range(0u, ctm::kMaxPitch));
    s.surface.pitch = static_cast<uint16_t>(pitch);
    if (!r.ok())
        return;
    const uint32_t granule =
        std::max(4u, ctm::pitch_granule(s.log2_bytes(), ctm::is_tiled(s.surface.tiling)));
    r.check(pitch % granule == 0, "pitch",
            fmt::format("got {}, expected a multiple of {} for this format and tiling", pitch,
                        granule));
    r.check(pitch >= s.width, "pitch", fmt::format("got {} for rows of {}", pitch, s.width));
}

std::array<uint32_t, 4> float_constant(const Value& item) {
    std::array<uint32_t, 4> out{};
    const std::vector<float> parts = item.list<float>(config::exactly(ctm::isa::kChannels));
    for (size_t i = 0; i < out.size() && i < parts.size(); ++i)
        out[i] = bits_of(parts[i]);
    return out;
}

// KR iterations, KG start of aL, KB its signed step.
uint32_t integer_constant(const Value& item) {
    const std::vector<int> parts = item.list<int>(range(-128, 255), config::exactly(kIntegerParts));
    uint32_t out = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        const bool is_signed = i == kIntegerParts - 1;
        if (is_signed ? parts[i] > 127 : parts[i] < 0)
            item.error(
                fmt::format("got {}, expected KR and KG in 0..255 and KB in -128..127", parts[i]));
        out |= (static_cast<uint32_t>(parts[i]) & 0xff) << (8 * i);
    }
    return out;
}

// Regardless of the form of the data.
ProgramCode code_of(const DataSource& data) {
    const auto* file = std::get_if<FileData>(&data.data);
    const std::string name = file != nullptr ? file->path : "words";
    if (data.size() > kMaxExecutableBytes)
        throw CodeObjectError(
            name, fmt::format("{} bytes, at most {} are read", data.size(), kMaxExecutableBytes));
    const std::vector<uint8_t> bytes = read_bytes(data);
    return read_program_code(bytes, name,
                             file != nullptr ? form_of(bytes, name) : CodeForm::Instructions);
}

// A refusal of `read` is an error of what stands at `place`.
template <class Place, class Read>
void refused_at(Place&& place, const Read& read) {
    try {
        read();
    } catch (const std::runtime_error& error) {
        place.error(error.what());
    }
}

uint32_t output_mask(Reader& r) {
    const auto text = r.optional<std::string>("out_mask", "rgba", "channels that reach memory");
    const std::string channels = "rgba";
    uint32_t mask = 0;
    for (const char c : text) {
        const size_t at = channels.find(c);
        if (at == std::string::npos || (mask >> at & 1) != 0) {
            r.error("out_mask", "got " + in_quotes(text) + ", expected letters of rgba");
            return mask;
        }
        mask |= 1u << at;
    }
    return mask;
}

}  // namespace

uint64_t SurfaceSpec::memory_bytes() const {
    const unsigned log2 = log2_bytes();
    if (!ctm::is_tiled(surface.tiling))
        return (uint64_t{surface.pitch} * height) << log2;
    constexpr uint64_t kTileBytes = 2048;
    const uint64_t width_of_tile = ctm::pitch_granule(log2, true);
    const uint64_t height_of_tile = (kTileBytes >> log2) / width_of_tile;
    return surface.pitch / width_of_tile * ((height + height_of_tile - 1) / height_of_tile) *
           kTileBytes;
}

ProgramInfo read_program_info(Reader r, ProgramInfo info) {
    info.full_flow_control = r.optional("full_flow_control", info.full_flow_control);
    info.uncached_outputs = r.optional("uncached_outputs", info.uncached_outputs);
    info.temporaries = static_cast<uint8_t>(r.optional<uint32_t>(
        "temporaries", info.temporaries, range(0u, uint32_t{ctm::isa::kTemporaries})));
    return info;
}

std::optional<unsigned> ProgramReader::declare(Reader& r) {
    SurfaceSpec s;
    s.source = source_of(r);
    s.name = r.optional<std::string>("name", "");
    read_layout(r, s);
    const uint64_t bytes = r.ok() ? s.rows_bytes() : 0;
    if (r.has("data")) {
        Reader d = r.map("data");
        s.data = parts_.sized_data(d, bytes);
        if (s.data && bytes != 0 && s.data->size() != bytes)
            d.error(fmt::format("{} bytes for {} x {} elements, which are {}", s.data->size(),
                                s.width, s.height, bytes));
        d.finish();
    }
    if (!s.name.empty() && names_.count(s.name) != 0)
        r.error("name", "there is a surface " + in_quotes(s.name) + " already");
    if (!r.ok())
        return std::nullopt;
    const auto number = static_cast<unsigned>(surfaces_.size());
    if (!s.name.empty())
        names_[s.name] = number;
    parts_.count_buffer(s.source, s.memory_bytes());
    surfaces_.push_back(std::move(s));
    return number;
}

std::optional<unsigned> ProgramReader::named(Reader& r) const {
    std::vector<std::string> known;
    for (const auto& [name, number] : names_)
        known.push_back(name);
    const std::string name = r.reference("surface", "surface", known);
    const auto found = names_.find(name);
    return found != names_.end() ? std::optional<unsigned>(found->second) : std::nullopt;
}

std::optional<SurfaceUse> ProgramReader::use(Reader& r) {
    SurfaceUse out;
    out.source = source_of(r);
    const std::optional<unsigned> number = r.has("surface") ? named(r) : declare(r);
    const uint64_t bytes = number ? surfaces_[*number].rows_bytes() : 0;
    if (r.has("expect"))
        out.expect = parts_.buffer_expectation(r.map("expect"), bytes, std::nullopt);
    if (const std::optional<Value> file = r.find("dump"))
        out.dump = parts_.dump_file(*file);
    out.surface = number.value_or(0);
    return number ? std::optional<SurfaceUse>(std::move(out)) : std::nullopt;
}

std::vector<SurfaceUse> ProgramReader::uses(Reader& r, const char* key, size_t most) {
    std::vector<SurfaceUse> out;
    for (Reader& item : r.optional_maps(key, config::count(0, most))) {
        if (std::optional<SurfaceUse> one = use(item))
            out.push_back(std::move(*one));
        item.finish();
    }
    return out;
}

std::optional<ConditionSpec> ProgramReader::condition(Reader r) {
    ConditionSpec out;
    std::optional<SurfaceUse> buffer = use(r);
    out.test = r.enumeration<uint32_t>("test", {{"never", 0},
                                                {"less", 1},
                                                {"less_or_equal", 2},
                                                {"equal", 3},
                                                {"greater_or_equal", 4},
                                                {"greater", 5},
                                                {"not_equal", 6},
                                                {"always", 7}});
    out.of_processors = r.enumeration<bool>("asked_by", {{"pe", false}, {"dpp", true}});
    out.value = bits_of(r.optional<float>("value", 0));
    out.writes = r.optional("writes", true);
    r.finish();
    if (!buffer)
        return std::nullopt;
    out.use = std::move(*buffer);
    return out;
}

void ProgramReader::constants(Reader r, ProgramSpec& to) {
    for (const Value& item : r.optional_items("float", config::count(0, ctm::isa::kFloatConstants)))
        to.floats.push_back(float_constant(item));
    for (const Value& item : r.optional_items("int", config::count(0, kIntegerConstants)))
        to.integers.push_back(integer_constant(item));
    for (const Value& item : r.optional_items("bool", config::count(0, kBooleanConstants)))
        to.booleans.push_back(item.as<bool>().value_or(false) ? 1 : 0);
    r.finish();
}

// What the host does not say the first output does.
void ProgramReader::domain(Reader& r, ProgramSpec& to) const {
    if (const auto ends =
            r.maybe_sequence<uint32_t>("domain", range(0u, ctm::kMaxIndex), config::exactly(4))) {
        std::copy_n(ends->begin(), std::min<size_t>(ends->size(), 4), to.domain.begin());
        return;
    }
    if (to.outputs.empty()) {
        if (!r.has("outputs"))
            r.need("domain", "i0, j0, i1, j1 of a program without outputs");
        return;
    }
    const SurfaceSpec& first = surfaces_[to.outputs[0].surface];
    to.domain = {0, 0, first.width - 1, first.height - 1};
}

std::optional<ProgramCode> ProgramReader::code(Reader& r) {
    const std::optional<Value> value =
        r.need("code", "the name of a file, or a map of file, text or words");
    if (!value)
        return std::nullopt;
    return value->kind() == config::Node::Kind::Scalar ? code_of_file(*value)
                                                       : code_of_map(value->map());
}

std::optional<ProgramCode> ProgramReader::code_of_file(const Value& value) {
    const std::optional<std::string> path = parts_.input_file(value);
    if (!path)
        return std::nullopt;
    std::error_code fault;
    const uint64_t bytes = std::filesystem::file_size(*path, fault);
    if (fault) {
        value.error(in_quotes(*path) + ": " + fault.message());
        return std::nullopt;
    }
    std::optional<ProgramCode> out;
    refused_at(value, [&] {
        out = code_of(DataSource{source_of(value), FileData{*path, 0, bytes}});
    });
    return out;
}

std::optional<ProgramCode> ProgramReader::code_of_map(Reader c) {
    std::optional<ProgramCode> out;
    if (c.has("text")) {
        c.one_of({"file", "text", "words"});
        const auto text = c.required<std::string>("text", "a program as text");
        if (c.ok())
            refused_at(c, [&] { out = assemble_program(text, "text"); });
    } else if (const std::optional<DataSource> data = parts_.file_or_words(c)) {
        refused_at(c, [&] { out = code_of(*data); });
    }
    c.finish();
    return out;
}

void ProgramReader::check_uses(Reader& r, const CtmExecutable& executable,
                               const ProgramSpec& spec) {
    const auto check = [&](const char* what, const std::vector<uint32_t>& used, size_t given) {
        if (!used.empty() && used.back() >= given)
            r.error(fmt::format("the notes of its executable name {0} {1}, there are {2} {0}s",
                                what, used.back(), given));
    };
    check("input", executable.inputs, spec.inputs.size());
    check("output", executable.outputs, spec.outputs.size());
}

std::optional<ProgramSpec> ProgramReader::read(Reader& r) {
    ProgramSpec out;
    out.source = source_of(r);
    std::optional<ProgramCode> program = code(r);
    if (program && program->info)
        out.info = *program->info;
    if (r.has("proginfo"))
        out.info = read_program_info(r.map("proginfo"), out.info);
    out.inputs = uses(r, "inputs", ctm::kInputs);
    out.outputs = uses(r, "outputs", ctm::kOutputs);
    if (r.has("condition"))
        out.condition = condition(r.map("condition"));
    if (r.has("constants"))
        constants(r.map("constants"), out);
    out.output_mask = output_mask(r);
    domain(r, out);
    if (program && program->executable)
        check_uses(r, *program->executable, out);
    r.finish();
    if (!program || !r.ok())
        return std::nullopt;
    out.code = std::move(program->code);
    return out;
}

}  // namespace archipelago::host
