// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/ctm_surface.h"

#include <fmt/format.h>

namespace archipelago::host {
namespace {

using config::Diagnostics;
using config::range;
using config::Reader;
using config::Unit;

// Formats of so many bytes per element, 1 to 16; of one channel where there is such a one.
constexpr ctm::Format kFormats[] = {ctm::Format::OneByte, ctm::Format::Uint16x1,
                                    ctm::Format::Float32x1, ctm::Format::Float32x2,
                                    ctm::Format::Float32x4};

// The tables, one loop for each row of them.
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

class TableMapper : public CtmMapper {
  public:
    explicit TableMapper(const CtmSurface& surface)
        : CtmMapper(surface), surface_(surface.surface), map_(row_of(surface)) {}

  private:
    void map(const ctm::Point* points, size_t count, uint32_t* addresses) override {
        map_(surface_, points, count, addresses);
    }
    using Row = void (*)(const ctm::Surface&, const ctm::Point*, size_t, uint32_t*);
    template <unsigned kLog2Bytes>
    static Row row(bool tiled, bool superfine) {
        if (tiled)
            return superfine ? map_row<kLog2Bytes, true, true> : map_row<kLog2Bytes, true, false>;
        return superfine ? map_row<kLog2Bytes, false, true> : map_row<kLog2Bytes, false, false>;
    }
    static Row row_of(const CtmSurface& surface) {
        constexpr Row (*kRows[])(bool, bool) = {row<0>, row<1>, row<2>, row<3>, row<4>};
        return kRows[surface.log2_bytes](ctm::is_tiled(surface.surface.tiling), surface.superfine);
    }

    const ctm::Surface surface_;
    const Row map_;
};

}  // namespace

char* CtmMapper::answer(const uint64_t* numbers, size_t lines, char* text) {
    points_.resize(lines);
    addresses_.resize(lines * per_point_);
    for (size_t i = 0; i < lines; ++i)
        points_[i] = {static_cast<uint16_t>(numbers[2 * i]),
                      static_cast<uint16_t>(numbers[2 * i + 1])};
    map(points_.data(), lines, addresses_.data());
    for (size_t i = 0; i < addresses_.size(); ++i) {
        text = put_hex(text, addresses_[i]);
        *text++ = (i + 1) % per_point_ == 0 ? '\n' : ' ';
    }
    return text;
}

std::unique_ptr<CtmMapper> make_table_mapper(const CtmSurface& surface) {
    return std::make_unique<TableMapper>(surface);
}

CtmSurface read_ctm_surface(Reader& r, Diagnostics& diagnostics) {
    CtmSurface s;
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
        diagnostics.warning(r.node().find(key)->value.origin(), key, message);
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
