// SPDX-License-Identifier: Apache-2.0
// `archipelago map`: byte addresses of the points of a surface.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "models/asic/families.h"
#include "models/config/load.h"
#include "models/config/suggest.h"
#include "models/ctm/mc/address.h"
#include "models/ctm/mc/mc_address_pins.h"
#include "rtl-bridge/compare/ctm_mc_address.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/map/points.h"
#include "testbenches/host/map/surface.h"

namespace archipelago::host {
namespace {

std::optional<CtmChip> find_chip(const std::string& name) {
    const auto chip = asic::load_chip(name, {});
    const auto* address = chip->spec<ctm::AddressSpec>();
    if (address == nullptr)
        return std::nullopt;
    return CtmChip{chip->identity().name, *address};
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
        constexpr Row (*kRows[])(bool, bool) = {row<0>, row<1>, row<2>, row<3>, row<4>};
        return kRows[file.log2_bytes](tiled, file.superfine);
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
    config::Diagnostics diagnostics;
    const std::optional<config::Node> tree = config::load_file(a.surface, diagnostics);
    diagnostics.throw_if_errors();
    const SurfaceFile file = read_surface(*tree, find_chip, diagnostics);
    diagnostics.throw_if_errors();
    fmt::print(stderr, "{}", diagnostics.format());
    const std::unique_ptr<PointMapper> mapper = make_mapper(a, file);
    const std::vector<std::string> errors = map_points(STDIN_FILENO, STDOUT_FILENO, *mapper);
    for (const std::string& error : errors)
        fmt::print(stderr, "{}\n", error);
    return errors.empty() ? kDone : kBadUsage;
}

}  // namespace archipelago::host
