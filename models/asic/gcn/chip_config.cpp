// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/chip_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "models/asic/gcn/read_blocks.h"
#include "models/cb/cb_block.h"
#include "models/config/reader.h"
#include "models/db/db_block.h"
#include "models/gds/gds_block.h"
#include "models/grbm/grbm_block.h"
#include "models/ih/ih_block.h"
#include "models/pa/pa_block.h"
#include "models/sc/sc_block.h"
#include "models/spi/spi_block.h"
#include "models/srbm/srbm_block.h"
#include "models/vgt/vgt_block.h"
#include "registers/si_register_table.h"

namespace archipelago::gcn {
namespace {

using config::range;
using config::Reader;

void read_optional_blocks(Reader& root, OptionalBlocks& blocks) {
    std::optional<Reader> r = root.optional_map("blocks");
    if (!r)
        return;
    for (const OptionalBlock& block : kOptionalBlocks)
        blocks.*block.there = r->optional<bool>(block.key, true, block.title);
}

// Registers of a block that is not there: a write stops by name, as the driver's mistake it is.
void remove_registers(grbm::Spec& s, const OptionalBlock& block) {
    for (grbm::Range& range : s.ranges) {
        range.also &= ~(1u << block.port);
        if (range.port != block.port)
            continue;
        range.port = grbm::kStore;
        for (const auto& info : s.database->registers)
            if (info.offset >= range.start && info.offset <= range.end)
                s.side_effects.push_back({info.offset, std::string(info.name),
                                          std::string("this chip has no ") + block.title});
    }
}

// A chip that is without the block passes over what a base says of it.
template <class Block, class Spec>
void read_optional(Reader& root, bool has_it, Spec& spec) {
    if (has_it)
        Block::read(root, spec);
    else
        root.find(Block::kKey);
}

void read_topology(Reader& root, ChipConfig& c) {
    Reader r = root.map("topology");
    c.shader_engines = r.required("shader_engines", range(1u, 2u), "shader engines");
    c.sh_per_se = r.required("sh_per_se", range(1u, 2u), "shader arrays per SE");
    c.cu_per_sh = r.required("cu_per_sh", range(1u, 16u), "compute units per array");
    c.cus_per_sqc = r.required("cus_per_sqc", range(1u, 16u),
                               "compute units sharing instruction and scalar cache");
}

// Numbers that several blocks share are stated once, in the topology and in `cu.resources`.
void share_numbers(ChipConfig& c) {
    c.spi.shader_engines = c.shader_engines;
    c.spi.sh_per_se = c.sh_per_se;
    c.vgt.shader_engines = c.shader_engines;
    c.pa.engines = c.spec<raster::RasterBlock>().shader_engines = c.shader_engines;
    c.pa.raster_config = c.sc.raster_config;
    c.spec<raster::RasterBlock>().presets = {{c.pa.map.PA_SC_RASTER_CONFIG, c.sc.raster_config}};
    c.sc.rbs.present = c.spi.render_backends = (1u << c.rbs()) - 1;
    c.spi.cu_per_sh = c.cu_per_sh;
    c.gds.units = std::max(1u, c.cus());
    c.cu.simds = c.spi.cu.simds;
    c.cu.wave_slots = c.spi.cu.slots_per_simd;
    c.cu.vgprs = c.spi.cu.vgprs_per_simd;
    c.cu.sgprs = c.spi.cu.sgprs_per_simd;
    c.cu.lds_bytes = c.spi.cu.lds_bytes;
    c.cu.lds_granule = c.spi.cu.lds_granule;
    c.cu.group_slots = c.spi.cu.simds * c.spi.cu.slots_per_simd;
    c.sqc_inst.cus = c.sqc_data.cus = std::min(c.cus_per_sqc, std::max(1u, c.cu_per_sh));
    c.cache_actions.cus = c.cus();
    c.cache_actions.sqcs = c.sqcs();
    c.cache_actions.l2_channels = c.channel_map.channels;
    c.fabric.sources = c.cus() + 2 * c.sqcs() + 1;
    c.fabric.destinations = c.channel_map.channels;
    c.hub.destinations = c.channel_map.channels;
}

// Limits that only the shared numbers show.
void check_limits(const ChipConfig& c, const config::Node& tree, config::Diagnostics& diagnostics) {
    constexpr unsigned kMaxPorts = crossbar::CrossbarSpec::kMaxPorts;
    if (c.fabric.sources > kMaxPorts) {
        diagnostics.error(
            tree.find("topology")->value.origin(), "topology",
            fmt::format("{} compute units, {} shared caches and the command processor are {} "
                        "clients, more than the {} ports of the fabric",
                        c.cus(), 2 * c.sqcs(), c.fabric.sources, kMaxPorts));
        return;
    }
    try {
        c.cu.validate();
    } catch (const std::invalid_argument& error) {
        diagnostics.error(tree.find("cu")->value.origin(), "cu", error.what());
    }
}

}  // namespace

const regs::RegisterDatabase& family_registers() {
    return regs::si::database();
}

std::string ChipConfig::cu_name(unsigned index) const {
    const unsigned per_se = sh_per_se * cu_per_sh;
    return "se" + std::to_string(index / per_se) + ".sh" +
           std::to_string(index % per_se / cu_per_sh) + ".cu" + std::to_string(index % cu_per_sh);
}

ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records) {
    ChipConfig c;
    Reader root(tree, diagnostics, "", &records);
    c.identity = asic::read_identity(root);
    {
        Reader clocks = root.map("clocks");
        asic::read_clocks(clocks, "shader, cache and command processor clock", c.identity, c);
    }
    root.set_clock(c.identity.clock_hz);
    read_topology(root, c);
    read_optional_blocks(root, c.blocks);
    srbm::SrbmBlock::read(root, c.srbm);
    grbm::GrbmBlock::read(root, c.grbm);
    RegisterBlocks::each([&](auto row) {
        using Block = BlockOf<decltype(row)>;
        Block::read(root, c.spec<Block>());
    });
    read_optional<ih::IhBlock>(root, c.blocks.ih, c.ih);
    read_cp(root, c);
    spi::SpiBlock::read(root, c.spi);
    vgt::VgtBlock::read(root, c.vgt);
    pa::PaBlock::read(root, c.pa);
    sc::ScBlock::read(root, c.sc);
    db::DbBlock::read(root, c.db);
    cb::CbBlock::read(root, c.cb);
    read_cu(root, c);
    read_optional<gds::GdsBlock>(root, c.blocks.gds, c.gds);
    read_caches(root, c);
    asic::read_board_memory(root, c);
    report_memory(c);
    read_links(root, c);
    c.async_dma =
        asic::read_async_dma(root, c.spec<gb::GbBlock>().gb_addr_config, regs::si::database());
    c.sem = asic::read_semaphores(root, 1 + static_cast<unsigned>(c.async_dma.engines.size()));
    root.finish();

    c.identity.compute_units = c.cus();
    for (const OptionalBlock& block : kOptionalBlocks)
        if (!(c.blocks.*block.there) && block.port != grbm::kStore)
            remove_registers(c.grbm, block);
    share_numbers(c);
    if (diagnostics.error_count() == 0)
        check_limits(c, tree, diagnostics);
    return c;
}

}  // namespace archipelago::gcn
