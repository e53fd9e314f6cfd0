// SPDX-License-Identifier: Apache-2.0
#include "models/asic/dma/chip_config.h"

#include <algorithm>
#include <array>
#include <string>

#include "models/config/reader.h"
#include "models/ih/ih_block.h"

namespace archipelago::dma_chip {
namespace {

using config::range;
using config::Reader;

surface::Generation surfaces_of(const std::string& generation) {
    if (generation == "r600" || generation == "r700")
        return surface::Generation::R6xx;
    return generation == "cik" ? surface::Generation::Cik : surface::Generation::Evergreen;
}

// `values.size()` values; any other number is reported.
template <size_t kSize>
void read_table(Reader& r, const char* key, std::array<uint32_t, kSize>& values, const char* doc) {
    const auto read = r.sequence<uint32_t>(key, config::exactly(kSize), doc);
    if (read.size() == kSize)
        std::copy(read.begin(), read.end(), values.begin());
}

void read_tiling(Reader& root, ChipConfig& c) {
    c.surfaces = surfaces_of(c.identity.generation);
    c.tiling = root.required<uint32_t>("tiling_config", "pipes and groups, after reset");
    if (c.surfaces != surface::Generation::Cik)
        return;
    Reader r = root.map("tiling");
    read_table(r, "tile_modes", c.tile_modes, "GB_TILE_MODE0..31 after reset");
    read_table(r, "macrotile_modes", c.macro_modes, "GB_MACROTILE_MODE0..15 after reset");
}

// Registers of blocks that are not modelled keep what is written to them. Linux radeon
// evergreen.c and cik.c wait for the rows of the rules; they are the same from Evergreen on.
void read_srbm(Reader& root, ChipConfig& c) {
    Reader r = root.map("srbm");
    srbm::Spec& s = c.srbm;
    s.requests_per_cycle =
        r.required("requests_per_cycle", range(1u, 16u), "requests accepted per cycle");
    s.reads_in_flight =
        r.required("reads_in_flight", range(1u, 64u), "reads of each source in flight");
    s.request = asic::read_channel(r, "request", "requests of the host and of an engine");
    s.response = asic::read_channel(r, "response", "answers of each engine");
    s.ranges = {{"other blocks", 0x00000, 0x03DFF, srbm::kSelf},
                {"ih", 0x03E00, 0x03E3F, srbm::kIh},
                {"other blocks", 0x03E40, 0x05467, srbm::kSelf},
                {"ih", 0x05468, 0x0546F, srbm::kIh},  // INTERRUPT_CNTL, INTERRUPT_CNTL2
                {"other blocks", 0x05470, 0x0CFFF, srbm::kSelf},
                {"dma0", 0x0D000, 0x0D7FF, srbm::kDma0},
                {"dma1", 0x0D800, 0x0DFFF, srbm::kDma1},
                {"other blocks", 0x0E000, 0x3FFFF, srbm::kSelf}};
    constexpr uint32_t kVmInvalidateRequest = 0x1478, kVmInvalidateResponse = 0x147C,
                       kHdpFlush = 0x5480, kSoftReset = 0x0E60, kStatus = 0x0E50,
                       kGpuHdpFlushRequest = 0x54DC, kGpuHdpFlushDone = 0x54E0;
    s.rules = {{kStatus, srbm::Answer::Levels, 0, kStatus},
               {kSoftReset, srbm::Answer::SoftReset},
               {kVmInvalidateRequest, srbm::Answer::AtOnce, 0, kVmInvalidateResponse},
               {kHdpFlush, srbm::Answer::AtOnce},
               {kGpuHdpFlushRequest, srbm::Answer::AtOnce, 0, kGpuHdpFlushDone}};
}

}  // namespace

ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records) {
    ChipConfig c;
    Reader root(tree, diagnostics, "", &records);
    c.identity = asic::read_identity(root);
    {
        Reader clocks = root.map("clocks");
        asic::read_clocks(clocks, "clock of the engines and the hub", c.identity, c);
    }
    root.set_clock(c.identity.clock_hz);
    read_tiling(root, c);
    read_srbm(root, c);
    asic::read_board_memory(root, c);
    {
        Reader links = asic::read_links(root);
        asic::read_hub_links(links, c);
        c.link_register = asic::read_link(links, "registers");
        c.link_host = asic::read_link(links, "host_registers");
    }
    c.async_dma = asic::read_async_dma(root, c.tiling, registers_of(c.identity.generation));
    c.sem = asic::read_semaphores(
        root, std::max<unsigned>(1, static_cast<unsigned>(c.async_dma.engines.size())));
    c.ih.map = ih::RegisterMap{&registers_of(c.identity.generation), {}, {}};
    ih::IhBlock::read(root, c.ih);
    root.finish();
    c.hub.destinations = c.channel_map.channels;
    return c;
}

}  // namespace archipelago::dma_chip
