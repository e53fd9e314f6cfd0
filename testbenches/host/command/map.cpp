// SPDX-License-Identifier: Apache-2.0
// `archipelago map`: byte addresses of the points of a surface, the points of addresses, and
// pictures of where a surface lies.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/asic/families.h"
#include "models/common/files.h"
#include "models/config/load.h"
#include "models/config/suggest.h"
#include "models/ctm/mc/mc_address_pins.h"
#include "models/mc/tile_address/tile_address_unit.h"
#include "rtl-bridge/compare/cosim.h"
#include "rtl-bridge/compare/ctm_mc_address.h"
#include "rtl-bridge/compare/tile_address.h"
#include "rtl-bridge/pins/place_module.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/map/picture.h"
#include "testbenches/host/map/points.h"
#include "testbenches/host/map/surface.h"
#include "testbenches/host/output_files.h"

namespace archipelago::host {
namespace {

SurfaceChip find_chip(const std::string& name, std::vector<std::string>& files) {
    const auto chip = asic::load_chip(name, {});
    files = chip->files();
    SurfaceChip found;
    found.name = chip->identity().name;
    if (const auto* address = chip->spec<ctm::AddressSpec>())
        found.ctm = *address;
    if (const auto* tiling = chip->spec<surface::ChipTiling>())
        found.tiling = *tiling;
    if (const auto* channels = chip->spec<mc::ChannelMapSpec>())
        found.channels = *channels;
    if (const auto* dram = chip->spec<mc::DramGeometry>())
        found.dram = *dram;
    return found;
}

// Verilog of si_tile_address on pins.
class TwinRadeonMapper final : public RadeonMapper {
  public:
    TwinRadeonMapper(const RadeonSurface& surface, const std::string& place)
        : RadeonMapper(surface), twin_(rtl::make_si_tile_address({1, 0, place})), unit_(*twin_) {}

    char* answer(const uint64_t* numbers, size_t lines, char* text) override {
        return put_lines(numbers, lines, text,
                         [this](uint32_t x, uint32_t y, uint32_t slice, uint32_t sample) {
                             return unit_.address(surface().mapped(), x >> surface().packed_shift,
                                                  y, slice, sample);
                         });
    }

  private:
    std::unique_ptr<rtl::Twin<rtl::SiTileAddressPins>> twin_;
    tile_address::PinAddressUnit unit_;
};

// Verilog of ctm_mc_address likewise.
class TwinMapper : public CtmMapper {
  public:
    TwinMapper(const CtmSurface& surface, const std::string& place)
        : CtmMapper(surface),
          twin_(rtl::make_ctm_mc_address({1, 0, place})),
          unit_(*twin_, surface.surface) {}

  private:
    void map(const ctm::Point* points, size_t count, uint32_t* addresses) override {
        unit_.map(points, count, addresses);
    }

    std::unique_ptr<rtl::Twin<rtl::CtmMcAddressPins>> twin_;
    ctm::PinAddressUnit unit_;
};

bool is_elastic(const RtlChoice& choice) {
    return !choice.file.empty() &&
           std::string(rtl::find_cosim_bench(choice.block)->place(choice.file).contract) ==
               "elastic";
}

// Options that surfaces of this chip do not have, and a twin that this chip does not fit.
void check_options(const MapArguments& a, const SurfaceFile& file) {
    const auto refuse = [&](bool given, const char* option) {
        if (given)
            throw std::invalid_argument(
                fmt::format("{}: not for surfaces of {}", option, file.chip.name));
    };
    const auto refuse_metadata = [&](bool given, const char* option) {
        if (given && file.metadata)
            throw std::invalid_argument(fmt::format("{}: not for HTILE and CMASK", option));
    };
    refuse(file.ctm && a.inverse, "--inverse");
    refuse(file.ctm && !a.picture.empty(), "--picture");
    refuse_metadata(a.inverse, "--inverse");
    refuse_metadata(!a.picture.empty(), "--picture");
    refuse_metadata(!a.rtl.empty(), "--rtl");
    if (a.rtl.empty())
        return;
    const RtlChoice choice = rtl_choice(a.rtl[0]);
    const char* const fits = file.ctm ? rtl::CtmMcAddressPins::kName
                             : file.chip.tiling->address.generation == surface::Generation::Si
                                 ? rtl::SiTileAddressPins::kName
                                 : "";
    if (choice.block != fits)
        throw std::invalid_argument(
            fmt::format("--rtl {}: not for surfaces of {}{}", a.rtl[0], file.chip.name,
                        *fits == '\0' ? "" : fmt::format(", whose block is {}", fits)));
    if (a.inverse || !a.picture.empty())
        throw std::invalid_argument(
            fmt::format("--rtl {}: the Verilog maps points only, not with {}", a.rtl[0],
                        a.inverse ? "--inverse" : "--picture"));
    if (!file.ctm || is_elastic(choice))
        return;
    const unsigned latency = file.chip.ctm->latency;
    if (latency != rtl::CtmMcAddressPins::kLatency)
        throw std::invalid_argument(
            fmt::format("--rtl {}: the Verilog is built with a latency of {} cycles, {} has {}",
                        a.rtl[0], rtl::CtmMcAddressPins::kLatency, file.chip.name, latency));
}

std::unique_ptr<LineMapper> make_mapper(const MapArguments& a, const SurfaceFile& file) {
    if (file.radeon && !a.rtl.empty())
        return std::make_unique<TwinRadeonMapper>(*file.radeon, rtl_choice(a.rtl[0]).file);
    if (file.radeon && a.inverse)
        return std::make_unique<RadeonFinder>(*file.radeon);
    if (file.radeon)
        return std::make_unique<RadeonMapper>(*file.radeon);
    if (file.metadata)
        return std::make_unique<MetadataMapper>(*file.metadata);
    if (a.rtl.empty())
        return make_table_mapper(*file.ctm);
    return std::make_unique<TwinMapper>(*file.ctm, rtl_choice(a.rtl[0]).file);
}

// The surface, and in `files` what was read for it.
SurfaceFile load_surface(const std::string& path, std::vector<std::string>& files) {
    config::Diagnostics diagnostics;
    const std::optional<config::Node> tree = config::load_file(path, diagnostics);
    diagnostics.throw_if_errors();
    const auto find = [&](const std::string& name) { return find_chip(name, files); };
    SurfaceFile file = read_surface(*tree, find, diagnostics);
    diagnostics.throw_if_errors();
    fmt::print(stderr, "{}", diagnostics.format());
    files.insert(files.end(), diagnostics.files().begin(), diagnostics.files().end());
    return file;
}

int draw(const MapArguments& a, const SurfaceFile& file) {
    const Picture picture =
        draw_surface(*file.radeon, file.chip, read_region(a.region, *file.radeon));
    OutputFile out(a.picture);
    out.write(picture.svg);
    out.complete();
    fmt::print("{}", picture.conflicts);
    return kDone;
}

}  // namespace

int map_command(const MapArguments& a) {
    for (const std::string& text : a.rtl) {
        const std::string block = rtl_choice(text).block;
        const std::vector<std::string> known = {rtl::CtmMcAddressPins::kName,
                                                rtl::SiTileAddressPins::kName};
        if (std::find(known.begin(), known.end(), block) == known.end())
            throw std::invalid_argument(
                fmt::format("--rtl {}: that block maps no points, expected one of: {}{}", block,
                            config::join_names(known), config::did_you_mean(block, known)));
    }
    if (a.rtl.size() > 1)
        throw std::invalid_argument("--rtl " + a.rtl[0] + ": given more than once");
    std::vector<std::string> inputs;
    const SurfaceFile file = load_surface(a.surface, inputs);
    check_options(a, file);
    check_outputs({{"--picture", a.picture}}, inputs);
    if (!a.picture.empty())
        return draw(a, file);
    const std::unique_ptr<LineMapper> mapper = make_mapper(a, file);
    const std::vector<std::string> errors = map_lines(STDIN_FILENO, STDOUT_FILENO, *mapper);
    for (const std::string& error : errors)
        fmt::print(stderr, "{}\n", error);
    return errors.empty() ? kDone : kBadUsage;
}

}  // namespace archipelago::host
