// SPDX-License-Identifier: Apache-2.0
// Southern Islands chips as `describe` and `list` show them, and the way from there to the chip.
#include <fmt/format.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/gcn/chip.h"
#include "models/asic/gcn/chip_config.h"
#include "models/asic/gcn/microcode_cost.h"
#include "models/common/ring_name.h"
#include "models/cp/pm4/text.h"
#include "models/dma/packet_text.h"
#include "models/gcn/interrupt_source.h"
#include "registers/si_register_table.h"

namespace archipelago::gcn {
namespace {

std::string bytes(uint64_t n) {
    if (n >= (1u << 30) && n % (1u << 30) == 0)
        return fmt::format("{} GiB", n >> 30);
    if (n >= (1u << 20) && n % (1u << 20) == 0)
        return fmt::format("{} MiB", n >> 20);
    if (n >= 1024 && n % 1024 == 0)
        return fmt::format("{} KiB", n >> 10);
    return fmt::format("{} B", n);
}

std::string megahertz(uint64_t hz) {
    return fmt::format("{:g} MHz", static_cast<double>(hz) / 1e6);
}

std::string front_end(const ChipConfig& c) {
    return fmt::format(
        "  host\n"
        "   |  registers                                     interrupts ^\n"
        "   v                                                           |\n"
        " SRBM ---> async DMA x {}, rings dma0 dma1, memory hub          |\n"
        "   |                                                           |\n"
        "   v                                                           |\n"
        " GRBM ---------------+                                         |\n"
        "   |                 |                                         |\n"
        "   v                 v                                         |\n"
        " CP  rings gfx, compute0, compute1                             |\n"
        "     fetch -> ROQ ({} dwords a ring: {} ring, {} IB1, {} IB2)\n"
        "     PFP -> MEQ ({} dwords: {}, {}, {}) -> ME -> EOP, DMA, coherency\n"
        "   |                             |\n"
        "   v dispatches, events          | memory hub, L2\n",
        c.async_dma.engines.size(), c.cp.roq_units * c.cp.roq_unit_dwords, c.cp.roq_lines(0) * 16,
        c.cp.roq_lines(1) * 16, c.cp.roq_lines(2) * 16, c.cp.meq_dwords, c.cp.meq_size(0),
        c.cp.meq_size(1), c.cp.meq_size(2));
}

std::string compute(const ChipConfig& c) {
    std::string text = fmt::format(" SPI {} SE x {} SH x {} CU = {} CUs\n   |\n", c.shader_engines,
                                   c.sh_per_se, c.cu_per_sh, c.cus());
    for (unsigned se = 0; se < c.shader_engines; ++se)
        for (unsigned sh = 0; sh < c.sh_per_se; ++sh) {
            text += fmt::format("   +- SE{} SH{}: CU", se, sh);
            for (unsigned cu = 0; cu < c.cu_per_sh; ++cu)
                text += fmt::format(" {}", cu);
            text +=
                fmt::format("  ({} x instruction cache {}, scalar cache {})\n", c.sqcs_per_sh(),
                            bytes(c.sqc_inst.geometry.bytes()), bytes(c.sqc_data.geometry.bytes()));
        }
    text += fmt::format(
        "   |\n"
        " CU  {} SIMDs x {} waves, {} VGPRs x 64 lanes and {} SGPRs a SIMD, LDS {}\n"
        "     vector L1 {}, {} ways\n",
        c.cu.simds, c.cu.wave_slots, c.cu.vgprs, c.cu.sgprs, bytes(c.cu.lds_bytes),
        bytes(c.tcp.geometry.bytes()), c.tcp.geometry.ways);
    return text;
}

std::string memory(const ChipConfig& c) {
    const unsigned channels = c.channel_map.channels;
    const double l2 = static_cast<double>(c.identity.clock_hz) * channels * kLineBytes / 1e9;
    return fmt::format(
        "   |\n"
        " fabric {} clients x {} L2 channels, {} B per cycle and link\n"
        "   |\n"
        " L2  {} channels x {} = {}, {} ways, {:.0f} GB/s, interleave {}\n"
        "   |                             | hub\n"
        " MC  {}, rows of {}\n"
        "   |\n"
        " memory socket (board: {}; registers report a {}-bit bus)\n",
        c.fabric.sources, c.fabric.destinations, c.fabric.response_bytes, channels,
        bytes(c.tcc.geometry.bytes()), bytes(uint64_t{c.tcc.geometry.bytes()} * channels),
        c.tcc.geometry.ways, l2, bytes(c.channel_map.interleave_bytes), asic::channels_text(c),
        bytes(c.mc.geometry.row_bytes), bytes(c.vram_bytes), c.bus_bits);
}

// A word after others, on lines of up to 100 columns that begin with `indent` spaces.
void append_wrapped(std::string& text, const std::string& word, size_t indent) {
    constexpr size_t kColumns = 100;
    if (text.size() - (text.rfind('\n') + 1) + 1 + word.size() > kColumns)
        text += "\n" + std::string(indent, ' ') + word;
    else
        text += " " + word;
}

// The packets that the engines have routines for, by the word of the image where one begins.
std::string routines(const EngineMicrocode& code, const cp::PacketTable& packets) {
    constexpr size_t kIndent = 10;
    std::map<uint32_t, std::vector<std::string>> by_pc;
    std::vector<std::string> none;
    const auto look_up = [&](const cp::PacketInfo& info, bool type0) {
        const std::string label = routine_label(info, type0);
        const auto found = code.routines.find(label);
        (found != code.routines.end() ? by_pc[found->second] : none).push_back(label);
    };
    look_up(packets.type0(), true);
    for (const cp::PacketInfo& info : packets)
        if (info.implemented() && info.engine != cp::PacketEngine::Ce)
            look_up(info, false);
    std::string text;
    const auto add = [&](const std::string& title, const std::vector<std::string>& names) {
        text += fmt::format("{:>{}}", title, kIndent - 1);
        for (const std::string& name : names)
            append_wrapped(text, name, kIndent);
        text += "\n";
    };
    for (const auto& [pc, names] : by_pc)
        add(fmt::format("pc {:3}", pc), names);
    if (!none.empty())
        add("none", none);
    return text;
}

std::string microcode(const ChipConfig& c) {
    std::string text;
    for (const EngineMicrocode& code : c.microcode)
        text +=
            fmt::format("\nmicrocode of {}: {} ({}, {} words, (xmovN) of at most {}); routines:\n",
                        code.engine, code.file.substr(code.file.rfind('/') + 1), code.generation,
                        code.words, code.moves) +
            routines(code, *c.cp.packets);
    return text;
}

// What the chip is without.
std::string absent(const OptionalBlocks& blocks) {
    std::string text;
    for (const OptionalBlock& block : kOptionalBlocks)
        if (!(blocks.*block.there))
            text += (text.empty() ? "without " : ", ") + std::string(block.title);
    return text.empty() ? text : text + "\n";
}

class Description : public asic::ChipDescription {
  public:
    Description(config::Node tree, config::Diagnostics& diagnostics)
        : ChipDescription(std::move(tree)), config_(read_chip(tree_, diagnostics, records_)) {
        for (const dma::Spec& spec : config_.async_dma.engines)
            dma_.emplace_back(*spec.packets, regs::si::database());
    }

    const asic::Identity& identity() const override { return config_.identity; }
    std::unique_ptr<asic::Asic> build(const char* name,
                                      const asic::ChipOptions& options) const override {
        return std::make_unique<Chip>(name, *this, config_, options);
    }
    std::vector<asic::Ring> rings() const override {
        std::vector<asic::Ring> rings;
        for (const char* ring : kRingNames)
            rings.push_back({ring, "radeon_cp", &pm4_, false, true});
        for (size_t i = 0; i < dma_.size(); ++i)
            rings.push_back(asic::dma_ring(config_.async_dma.engines[i], dma_[i]));
        return rings;
    }
    std::vector<asic::InterruptSource> interrupts() const override {
        using namespace interrupt_source;
        std::vector<asic::InterruptSource> sources = {{"eop", kEndOfPipe},
                                                      {"shader", kShader},
                                                      {"gui_idle", kEngineIdle},
                                                      {"cp0", kCommandProcessor},
                                                      {"cp1", kCommandProcessor + 1},
                                                      {"cp2", kCommandProcessor + 2},
                                                      {"priv_reg", kPrivilegedRegister},
                                                      {"grbm_read_error", kGraphicsReadError},
                                                      {"srbm_read_error", kSystemReadError}};
        for (const dma::Spec& spec : config_.async_dma.engines)
            sources.push_back({spec.name(), spec.trap_source, spec.interrupt_ring()});
        return sources;
    }
    std::string diagram() const override {
        const asic::Identity& id = identity();
        return fmt::format("{} ({}), generation {}, configuration {}\n", id.name, id.product,
                           id.generation, id.hash) +
               fmt::format("clocks: engine {}, memory {}\n\n", megahertz(id.clock_hz),
                           megahertz(config_.memory_hz)) +
               front_end(config_) + compute(config_) + memory(config_) + absent(config_.blocks) +
               microcode(config_);
    }
    std::string summary() const override {
        return fmt::format("{:10} {:2} CUs, {:2} L2 channels, {}", identity().product,
                           config_.cus(), config_.channel_map.channels,
                           megahertz(identity().clock_hz));
    }

  private:
    const void* find_spec(const std::type_info& type) const override {
        if (type == typeid(ChipConfig))
            return &config_;
        if (type == typeid(regs::RegisterDatabase))
            return &regs::si::database();
        if (type == typeid(cp::Pm4Language))
            return &pm4_;
        if (type == typeid(front::PacketLanguage))
            return static_cast<const front::PacketLanguage*>(&pm4_);
        if (type == typeid(asic::AsyncDma))
            return &config_.async_dma;
        if (type == typeid(surface::ChipTiling))
            return &tiling_;
        if (type == typeid(mc::ChannelMapSpec))
            return &config_.channel_map;
        if (type == typeid(mc::DramGeometry))
            return &config_.mc.geometry;
        if (type == typeid(db::RegisterMap))
            return &config_.db;
        if (type == typeid(cb::RegisterMap))
            return &config_.cb;
        if (type == typeid(cu::CuSpec))
            return &config_.cu;
        if (type == typeid(cp::CeSpec) && config_.blocks.ce)
            return &config_.cp.ce;
        if (type == typeid(gds::GdsSpec) && config_.blocks.gds)
            return &config_.gds;
        if (type == typeid(ih::IhSpec) && config_.blocks.ih)
            return &config_.ih;
        const void* found = nullptr;
        RegisterBlocks::each([&](auto row) {
            using Block = BlockOf<decltype(row)>;
            if (type == typeid(typename Block::Spec))
                found = &config_.spec<Block>();
        });
        return found;
    }

    const ChipConfig config_;
    const cp::Pm4Language pm4_{*config_.cp.packets, regs::si::database()};
    std::deque<dma::TextLanguage> dma_;  // of each async DMA ring
    const surface::ChipTiling tiling_{surface::Generation::Si,
                                      config_.spec<gb::GbBlock>().gb_addr_config,
                                      config_.spec<gb::GbBlock>().tile_modes};
};

}  // namespace

std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics) {
    return std::make_unique<Description>(std::move(tree), diagnostics);
}

}  // namespace archipelago::gcn
