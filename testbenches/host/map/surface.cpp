// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/surface.h"

#include <fmt/format.h>

#include <stdexcept>

#include "models/config/reader.h"

namespace archipelago::host {
namespace {

using config::Diagnostics;
using config::range;
using config::Reader;
using config::Unit;

// The chip of the `asic` key; errors are reported at the key.
void read_asic(Reader& r, const FindCtmChip& find, CtmChip& chip) {
    const auto name = r.required<std::string>("asic", "chip whose memory controller it is");
    if (!r.ok())
        return;
    try {
        if (const std::optional<CtmChip> found = find(name))
            chip = *found;
        else
            r.error("asic", config::in_quotes(name) +
                                " has no surfaces that are mapped here, expected a chip with the "
                                "CTM memory controller: r580");
    } catch (const std::invalid_argument& error) {
        r.error("asic", error.what());
    }
}

// Formats of so many bytes per element, 1 to 16; of one channel where there is such a one.
constexpr ctm::Format kFormats[] = {ctm::Format::OneByte, ctm::Format::Uint16x1,
                                    ctm::Format::Float32x1, ctm::Format::Float32x2,
                                    ctm::Format::Float32x4};

}  // namespace

SurfaceFile read_surface(const config::Node& tree, const FindCtmChip& find,
                         Diagnostics& diagnostics) {
    SurfaceFile s;
    Reader r(tree, diagnostics);
    read_asic(r, find, s.chip);
    s.surface.tiling = r.enumeration<ctm::Tiling>("tiling",
                                                  {{"linear", ctm::Tiling::Linear},
                                                   {"tiled", ctm::Tiling::Tiled},
                                                   {"linear_inp_2x2", ctm::Tiling::LinearInp2x2},
                                                   {"tiled_inp_2x2", ctm::Tiling::TiledInp2x2}},
                                                  "table 1 or 2, 2x2 superfine or not");
    const auto bytes = r.required<unsigned>("bytes", range(1u, 16u), "per element");
    const auto pitch = r.required<unsigned>("pitch", range(0u, ctm::kMaxPitch), "elements a row");
    const uint64_t offset = r.optional_quantity("offset", Unit::Byte, 0, range(0u, 0xffffffffu),
                                                "base address", config::BareNumber::Allowed);
    if (bytes != 0)
        r.check((bytes & (bytes - 1)) == 0, "bytes",
                fmt::format("got {}, expected 1, 2, 4, 8 or 16", bytes));
    r.check(pitch % 4 == 0, "pitch", fmt::format("got {}, expected a multiple of 4", pitch));
    if (!r.ok())
        return s;
    s.log2_bytes = static_cast<unsigned>(__builtin_ctz(bytes));
    s.superfine = ctm::is_superfine(s.surface.tiling);
    s.surface.pitch = static_cast<uint16_t>(pitch);
    s.surface.base = static_cast<uint32_t>(offset) & ctm::kBaseMask;
    s.surface.format = kFormats[s.log2_bytes];

    // What the hardware takes, but hardly as it is meant.
    const auto warn = [&](const char* key, const std::string& message) {
        diagnostics.warning(tree.find(key)->value.origin(), key, message);
    };
    if (s.surface.base != offset)
        warn("offset", fmt::format("bases are aligned to 2 KiB, 0x{:x} is used", s.surface.base));
    const bool tiled = ctm::is_tiled(s.surface.tiling);
    const unsigned granule = ctm::pitch_granule(s.log2_bytes, tiled);
    if (pitch % granule != 0)
        warn("pitch", fmt::format("this table counts {} elements at a time, {} is used", granule,
                                  pitch / granule * granule));
    if (s.superfine && !ctm::format_info(s.surface.format).one_channel)
        warn("tiling", fmt::format("2x2 of {} bytes has several channels, which the CTM Guide "
                                   "leaves undefined; these are the addresses of the four elements",
                                   bytes));
    return s;
}

}  // namespace archipelago::host
