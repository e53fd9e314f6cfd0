// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/image/picture_spec.h"

#include <fmt/format.h>

#include <vector>

#include "testbenches/host/map/radeon_surface.h"

namespace archipelago::host {
namespace {

using config::range;
using config::Reader;
using config::Value;

// ---- of registers -------------------------------------------------------------------------------

constexpr unsigned kColourTargets = 8;

std::vector<std::string> target_names() {
    std::vector<std::string> names;
    for (unsigned i = 0; i < kColourTargets; ++i)
        names.push_back("cb" + std::to_string(i));
    names.insert(names.end(), {"depth", "stencil"});
    return names;
}

std::optional<BoundSurface> read_target(const Value& value, const SurfaceFacts& chip) {
    if (!chip.render_targets) {
        value.error("the chip has no colour and depth blocks, expected the surface's description");
        return std::nullopt;
    }
    const std::vector<std::string> names = target_names();
    const std::optional<size_t> index =
        value.one_of_names(names, "cb0 to cb7, depth, stencil, or a map");
    if (!index)
        return std::nullopt;
    BoundSurface out;
    out.name = names[*index];
    if (*index < kColourTargets)
        out.index = static_cast<unsigned>(*index);
    else
        out.kind =
            *index == kColourTargets ? BoundSurface::Kind::Depth : BoundSurface::Kind::Stencil;
    return out;
}

// ---- by description -----------------------------------------------------------------------------

struct DepthFormatName {
    const char* name;
    PixelKind kind;
    unsigned bits;
};
constexpr DepthFormatName kDepthFormats[] = {{"z16", PixelKind::Z16, 16},
                                             {"z24", PixelKind::Z24, 32},
                                             {"z32_float", PixelKind::Z32Float, 32},
                                             {"stencil8", PixelKind::Stencil, 8}};

// CB_COLORn_INFO.FORMAT, or a format of depth.
void read_format(const Value& value, PixelKind& kind, cb::FormatFields& fields) {
    std::vector<std::string> names;
    std::vector<uint32_t> codes;
    for (uint32_t code = 0; code < cb::kFormats; ++code)
        if (const char* const name = cb::format_name(code)) {
            names.emplace_back(name);
            codes.push_back(code);
        }
    for (const DepthFormatName& depth : kDepthFormats)
        names.emplace_back(depth.name);
    const std::optional<size_t> index = value.one_of_names(names);
    if (!index)
        return;
    if (*index < codes.size())
        fields.format = codes[*index];
    else
        kind = kDepthFormats[*index - codes.size()].kind;
}

// The code of a field by its name; without the key the first.
uint32_t read_code(Reader& r, const char* key,
                   const std::vector<std::pair<std::string, uint32_t>>& codes) {
    std::vector<std::string> names;
    names.reserve(codes.size());
    for (const auto& [name, code] : codes)
        names.push_back(name);
    const std::optional<Value> value = r.find(key);
    const std::optional<size_t> index = value ? value->one_of_names(names) : std::nullopt;
    return codes[index.value_or(0)].second;
}

// Fields of CB_COLORn_INFO.
void read_fields(Reader& r, cb::FormatFields& fields) {
    fields.number_type = read_code(
        r, "number_type",
        {{"unorm", 0}, {"snorm", 1}, {"uint", 4}, {"sint", 5}, {"srgb", 6}, {"float", 7}});
    fields.comp_swap =
        read_code(r, "comp_swap", {{"std", 0}, {"alt", 1}, {"std_rev", 2}, {"alt_rev", 3}});
    fields.endian = read_code(r, "endian", {{"none", 0}, {"8in16", 1}, {"8in32", 2}, {"8in64", 3}});
}

unsigned bits_of(PixelKind kind) {
    for (const DepthFormatName& depth : kDepthFormats)
        if (depth.kind == kind)
            return depth.bits;
    return 0;
}

std::optional<PictureSurface> read_description(Reader& r, PictureChoice& choice,
                                               const SurfaceFacts& chip) {
    if (chip.tiling == nullptr) {
        r.error("the chip has no surfaces of Radeon chips from R6xx to CIK");
        for (const std::string& key : r.keys())
            r.ignore(key);
        return std::nullopt;
    }
    PictureSurface out;
    cb::FormatFields fields;
    if (const auto format = r.need("format", "one as 8_8_8_8 or z32_float"))
        read_format(*format, out.kind, fields);
    read_fields(r, fields);
    for (const char* key : {"number_type", "comp_swap", "endian"})
        if (out.kind != PixelKind::Colour && r.has(key))
            r.error(key, "is of formats of colour");
    std::string fault;
    if (r.ok() && out.kind == PixelKind::Colour && !cb::make_format(fields, out.format, fault))
        r.error("format", fault);
    const unsigned bits = out.kind == PixelKind::Colour ? out.format.bytes * 8 : bits_of(out.kind);
    const RadeonSurface surface = read_radeon_surface(r, *chip.tiling, bits);
    if (!r.ok())
        return std::nullopt;
    out.level = surface.mapped();
    out.slices = out.level.depth;
    out.samples = out.level.layout.samples;
    out.width = out.level.width;
    out.height = out.level.height;
    choice.slice = surface.slice;
    return out;
}

// ---- both ---------------------------------------------------------------------------------------

void read_choice(Reader& r, PictureChoice& choice) {
    choice.sample = r.optional<unsigned>("sample", 0, range(0u, 15u), "of each pixel");
    choice.vmid = r.optional<uint8_t>("vmid", 0, range(0, 15), "whose addresses it has");
    choice.bits = r.optional<unsigned>("bits", 0, range(0u, 16u), "of a sample of the picture");
    r.check(choice.bits == 0 || choice.bits == 8 || choice.bits == 16, "bits",
            fmt::format("got {}, expected 8 or 16", choice.bits));
    const std::vector<std::string> channels = {"rgba", "rgb", "r", "g", "b", "a"};
    if (const auto value = r.find("channels"))
        if (const auto index = value->one_of_names(channels))
            choice.channels = channels[*index];
}

}  // namespace

std::optional<PictureSpec> read_picture_spec(const Value& value, const SurfaceFacts& chip) {
    PictureSpec out;
    if (value.kind() == config::Node::Kind::Scalar) {
        std::optional<BoundSurface> target = read_target(value, chip);
        if (!target)
            return std::nullopt;
        out.what = std::move(*target);
        return out;
    }
    Reader r = value.map();
    read_choice(r, out.choice);
    bool known = false;
    if (const auto name = r.find("target")) {
        if (std::optional<BoundSurface> target = read_target(*name, chip)) {
            out.what = std::move(*target);
            known = true;
        }
        const auto side = range(1u, kMaxPictureSide);
        out.choice.width = r.maybe<uint32_t>("width", side).value_or(0);
        out.choice.height = r.maybe<uint32_t>("height", side).value_or(0);
        out.choice.slice = r.maybe<uint32_t>("slice", range(0u, 2047u));
    } else if (std::optional<PictureSurface> surface = read_description(r, out.choice, chip)) {
        r.check(out.choice.sample < surface->samples, "sample",
                fmt::format("the surface has {} a pixel", surface->samples));
        r.check(out.choice.channels.empty() || surface->kind == PixelKind::Colour, "channels",
                "are of colour, depth and stencil have one");
        out.what = std::move(*surface);
        known = true;
    }
    r.finish();
    return known && r.ok() ? std::optional<PictureSpec>(std::move(out)) : std::nullopt;
}

}  // namespace archipelago::host
