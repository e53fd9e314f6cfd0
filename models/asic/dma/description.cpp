// SPDX-License-Identifier: Apache-2.0
// Chips of async DMA engines as `describe` and `list` show them, and the way to the chip.
#include "models/asic/description.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "models/asic/dma/chip.h"
#include "models/asic/dma/chip_config.h"
#include "models/dma/packet_text.h"

namespace archipelago::dma_chip {
namespace {

class Description : public asic::ChipDescription {
  public:
    Description(config::Node tree, config::Diagnostics& diagnostics)
        : ChipDescription(std::move(tree)), config_(read_chip(tree_, diagnostics, records_)) {
        for (const dma::Spec& spec : config_.async_dma.engines)
            text_.emplace_back(*spec.packets, *spec.database);
    }

    const asic::Identity& identity() const override { return config_.identity; }
    std::unique_ptr<asic::Asic> build(const char* name,
                                      const asic::ChipOptions& options) const override {
        return std::make_unique<Chip>(name, *this, config_, options);
    }
    std::vector<asic::Ring> rings() const override {
        std::vector<asic::Ring> rings;
        for (size_t i = 0; i < text_.size(); ++i)
            rings.push_back(asic::dma_ring(config_.async_dma.engines[i], text_[i]));
        return rings;
    }
    std::vector<asic::InterruptSource> interrupts() const override {
        std::vector<asic::InterruptSource> sources;
        for (const dma::Spec& spec : config_.async_dma.engines)
            sources.push_back({spec.name(), spec.trap_source, spec.interrupt_ring()});
        return sources;
    }
    std::string summary() const override {
        return fmt::format("{:10} {} async DMA engine{} ({}), {} memory channels",
                           identity().product, text_.size(), text_.size() == 1 ? "" : "s",
                           config_.async_dma.engines.empty()
                               ? "none"
                               : config_.async_dma.engines[0].generation->name,
                           config_.channel_map.channels);
    }
    std::string diagram() const override {
        const asic::Identity& id = identity();
        return fmt::format(
            "{} ({}), generation {}, configuration {}\n\n"
            "  host\n"
            "   |  registers                        interrupts ^\n"
            "   v                                              |\n"
            " SRBM <----> {} x async DMA engine, {} -----------> IH\n"
            "               |                                  |\n"
            "               v hub                              v hub: interrupt ring\n"
            " MC  {}\n"
            "   |\n"
            " memory socket\n\n"
            "not modelled: graphics and compute; registers of other blocks keep what is written "
            "to them\n",
            id.name, id.product, id.generation, id.hash, text_.size(),
            config_.async_dma.engines.empty() ? "none"
                                              : config_.async_dma.engines[0].generation->title,
            asic::channels_text(config_));
    }

  private:
    const void* find_spec(const std::type_info& type) const override {
        if (type == typeid(ChipConfig))
            return &config_;
        if (type == typeid(asic::AsyncDma))
            return &config_.async_dma;
        if (type == typeid(ih::IhSpec))
            return &config_.ih;
        if (type == typeid(regs::RegisterDatabase) && !config_.async_dma.engines.empty())
            return config_.async_dma.engines[0].database;
        if (type == typeid(surface::ChipTiling))
            return &tiling_;
        if (type == typeid(mc::ChannelMapSpec))
            return &config_.channel_map;
        if (type == typeid(mc::DramGeometry))
            return &config_.mc.geometry;
        return nullptr;
    }

    const ChipConfig config_;
    const surface::ChipTiling tiling_{config_.surfaces, config_.tiling, config_.tile_modes,
                                      config_.macro_modes};
    std::deque<dma::TextLanguage> text_;  // of each ring
};

}  // namespace

std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics) {
    return std::make_unique<Description>(std::move(tree), diagnostics);
}

}  // namespace archipelago::dma_chip
