// SPDX-License-Identifier: Apache-2.0
// CTM chips as `describe` and `list` show them, and the way to the chip.
#include "models/asic/description.h"

#include <fmt/format.h>

#include <utility>

#include "models/asic/ctm/chip.h"
#include "models/asic/ctm/chip_config.h"
#include "models/config/scalar.h"

namespace archipelago::ctm {
namespace {

// Command buffers and programs of the host's own: an address of a command has 32 bits, and all
// below 256 MiB is local memory.
constexpr uint64_t kHostFirst = 0x0800'0000;
constexpr uint64_t kHostEnd = 0x1000'0000;

class Description : public asic::ChipDescription {
  public:
    Description(config::Node tree, config::Diagnostics& diagnostics)
        : ChipDescription(std::move(tree)), config_(read_chip(tree_, diagnostics, records_)) {}

    const asic::Identity& identity() const override { return config_.identity; }
    std::unique_ptr<asic::Asic> build(const char* name,
                                      const asic::ChipOptions& options) const override {
        return std::make_unique<Chip>(name, *this, config_, options);
    }
    std::vector<asic::Ring> rings() const override { return {{"ctm", "ctm", nullptr, true}}; }
    std::vector<asic::InterruptSource> interrupts() const override {
        return {{"ctm_cb", kInterruptConsumed}};
    }
    asic::HostMemory host_memory() const override { return {kHostFirst, kHostEnd}; }
    std::string summary() const override {
        return fmt::format("{:10} CTM: {} arrays of {} processors, {} memory channels",
                           identity().product, config_.controller.arrays, config_.dpp.processors,
                           config_.channel_map.channels);
    }
    std::string diagram() const override {
        const asic::Identity& id = identity();
        const auto cache = [&](CacheId of) {
            return config::quantity_to_string(
                config_.controller.caches[number_of(of)].geometry.bytes(), config::Unit::Byte);
        };
        return fmt::format(
            "{} ({}), generation {}, configuration {}\n\n"
            "  host\n"
            "   |  command buffers                    interrupts ^\n"
            "   v                                                |\n"
            "  PE -----------------------------------------------+\n"
            "   |  threads of {:2} quads          \\\n"
            "   v                               +--> CO\n"
            "  DPP  {} arrays x {:2} processors  /     |\n"
            "   |                                    |\n"
            "   v  instructions, constants, inputs,  v  conditional buffer\n"
            "      outputs\n"
            "  MC   caches: input {}, output {}, instructions {}\n"
            "   |                                |\n"
            "   v hub                            v {} B/cycle\n"
            "  {:33}  host's memory from {:#x}\n"
            "   |                                |\n"
            "   +----------- memory socket ------+\n",
            id.name, id.product, id.generation, id.hash, config_.dpp.quads,
            config_.controller.arrays, config_.dpp.processors, cache(CacheId::Input),
            cache(CacheId::Output), cache(CacheId::Instruction),
            config_.controller.system.bytes_per_cycle, asic::channels_text(config_),
            config_.controller.system.base);
    }

  private:
    const void* find_spec(const std::type_info& type) const override {
        if (type == typeid(ChipConfig))
            return &config_;
        if (type == typeid(McSpec))
            return &config_.controller;
        if (type == typeid(asic::BoardMemory))
            return static_cast<const asic::BoardMemory*>(&config_);
        if (type == typeid(AddressSpec))
            return &config_.controller.address;
        if (type == typeid(mc::ChannelMapSpec))
            return &config_.channel_map;
        if (type == typeid(mc::DramGeometry))
            return &config_.mc.geometry;
        return nullptr;
    }

    const ChipConfig config_;
};

}  // namespace

std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics) {
    return std::make_unique<Description>(std::move(tree), diagnostics);
}

}  // namespace archipelago::ctm
