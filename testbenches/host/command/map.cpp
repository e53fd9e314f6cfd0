// SPDX-License-Identifier: Apache-2.0
// `archipelago map`: byte addresses of the points of a surface. DESIGN section 7.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "models/asic/ctm_config.h"
#include "models/config/load.h"
#include "models/config/reader.h"
#include "models/config/suggest.h"
#include "models/ctm/mc/address.h"
#include "models/ctm/mc/mc_address_pins.h"
#include "rtl-bridge/compare/ctm_mc_address.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/map_points.h"

namespace archipelago::host {
namespace {

using config::Diagnostics;
using config::range;
using config::Reader;
using config::Unit;

struct SurfaceFile {
    asic::CtmConfig chip;
    ctm::Surface surface;
    unsigned log2_bytes = 0;
    bool superfine = false;
};

// The chip of the `asic` key; faults stand at the key.
void read_asic(Reader& r, asic::CtmConfig& chip) {
    const auto name = r.required<std::string>("asic", "chip whose memory controller it is");
    if (!r.ok())
        return;
    try {
        auto any = asic::load_any(name, {});
        if (auto* ctm = std::get_if<asic::LoadedCtm>(&any))
            chip = std::move(ctm->config);
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

SurfaceFile read_surface(const std::string& path, Diagnostics& diagnostics) {
    SurfaceFile s;
    const std::optional<config::Node> tree = config::load_file(path, diagnostics);
    if (!tree)
        return s;
    Reader r(*tree, diagnostics);
    read_asic(r, s.chip);
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
        diagnostics.warning(tree->find(key)->value.origin(), key, message);
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

// The tables themselves, one loop for each row of them.
template <unsigned kLog2Bytes, bool kTiled, bool kSuperfine>
void map_row(const ctm::Surface& surface, const ctm::Point* points, size_t count, uint32_t* to) {
    ctm::Surface s = surface;
    s.tiling = kTiled ? ctm::Tiling::Tiled : ctm::Tiling::Linear;
    for (size_t i = 0; i < count; ++i) {
        if constexpr (kSuperfine) {
            for (const uint32_t a :
                 ctm::superfine_addresses(s, kLog2Bytes, points[i].x, points[i].y))
                *to++ = a;
        } else {
            *to++ = ctm::element_address(s, kLog2Bytes, points[i].x, points[i].y);
        }
    }
}

class TableMapper : public PointMapper {
  public:
    explicit TableMapper(const SurfaceFile& file)
        : surface_(file.surface), superfine_(file.superfine), map_(row_of(file)) {}
    unsigned per_point() const override { return superfine_ ? 4 : 1; }
    void map(const ctm::Point* points, size_t count, uint32_t* addresses) override {
        map_(surface_, points, count, addresses);
    }

  private:
    using Row = void (*)(const ctm::Surface&, const ctm::Point*, size_t, uint32_t*);
    template <unsigned kLog2Bytes>
    static Row row(bool tiled, bool superfine) {
        if (tiled)
            return superfine ? map_row<kLog2Bytes, true, true> : map_row<kLog2Bytes, true, false>;
        return superfine ? map_row<kLog2Bytes, false, true> : map_row<kLog2Bytes, false, false>;
    }
    static Row row_of(const SurfaceFile& file) {
        const bool tiled = ctm::is_tiled(file.surface.tiling);
        switch (file.log2_bytes) {
            case 0:
                return row<0>(tiled, file.superfine);
            case 1:
                return row<1>(tiled, file.superfine);
            case 2:
                return row<2>(tiled, file.superfine);
            case 3:
                return row<3>(tiled, file.superfine);
            default:
                return row<4>(tiled, file.superfine);
        }
    }

    ctm::Surface surface_;
    bool superfine_;
    Row map_;
};

// The Verilog behind pins.
class TwinMapper : public PointMapper {
  public:
    explicit TwinMapper(const SurfaceFile& file)
        : superfine_(file.superfine),
          twin_(rtl::make_ctm_mc_address({})),
          unit_(*twin_, file.surface) {}
    unsigned per_point() const override { return superfine_ ? 4 : 1; }
    void map(const ctm::Point* points, size_t count, uint32_t* addresses) override {
        unit_.map(points, count, addresses);
    }

  private:
    bool superfine_;
    std::unique_ptr<rtl::Twin<rtl::CtmMcAddressPins>> twin_;
    ctm::PinAddressUnit unit_;
};

std::unique_ptr<PointMapper> make_mapper(const MapArguments& a, const SurfaceFile& file) {
    if (a.rtl.empty())
        return std::make_unique<TableMapper>(file);
    const unsigned latency = file.chip.address.latency;
    if (latency != rtl::CtmMcAddressPins::kLatency)
        throw std::invalid_argument(
            fmt::format("--rtl {}: the Verilog is built with a latency of {} cycles, {} has {}",
                        a.rtl[0], rtl::CtmMcAddressPins::kLatency, file.chip.name, latency));
    return std::make_unique<TwinMapper>(file);
}

}  // namespace

int map_command(const MapArguments& a) {
    for (const std::string& block : a.rtl)
        if (block != rtl::CtmMcAddressPins::kName)
            throw std::invalid_argument(
                fmt::format("--rtl {}: that block maps no points, expected {}{}", block,
                            rtl::CtmMcAddressPins::kName,
                            config::did_you_mean(block, {rtl::CtmMcAddressPins::kName})));
    if (a.rtl.size() > 1)
        throw std::invalid_argument("--rtl " + a.rtl[0] + ": given more than once");
    Diagnostics diagnostics;
    const SurfaceFile file = read_surface(a.surface, diagnostics);
    diagnostics.throw_if_errors();
    fmt::print(stderr, "{}", diagnostics.format());
    const std::unique_ptr<PointMapper> mapper = make_mapper(a, file);
    const std::vector<std::string> errors = map_points(STDIN_FILENO, STDOUT_FILENO, *mapper);
    for (const std::string& error : errors)
        fmt::print(stderr, "{}\n", error);
    return errors.empty() ? kDone : kBadUsage;
}

}  // namespace archipelago::host
