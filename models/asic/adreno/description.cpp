// SPDX-License-Identifier: Apache-2.0
// Adreno's command processors as `describe` and `list` show them, and the way to the chip.
#include "models/asic/description.h"

#include <fmt/format.h>

#include <utility>

#include "models/afuc/cp/gpu_registers.h"
#include "models/afuc/engine/levels.h"
#include "models/afuc/pm4/text.h"
#include "models/asic/adreno/chip.h"
#include "models/asic/adreno/chip_config.h"

namespace archipelago::adreno {
namespace {

class Description : public asic::ChipDescription {
  public:
    Description(config::Node tree, config::Diagnostics& diagnostics)
        : ChipDescription(std::move(tree)),
          config_(read_chip(tree_, diagnostics, records_)),
          packets_(config_.cp.generation->names) {}

    const asic::Identity& identity() const override { return config_.identity; }
    std::unique_ptr<asic::Asic> build(const char* name,
                                      const asic::ChipOptions& options) const override {
        return std::make_unique<Chip>(name, *this, config_, options);
    }
    std::vector<asic::Ring> rings() const override { return {{"cp", "adreno_cp", &packets_}}; }
    std::vector<asic::InterruptSource> interrupts() const override {
        return {{"cp_sw", afuc::kInterruptSoftware},
                {"cp_hw_error", afuc::kInterruptCpError},
                {"cache_flush_ts", afuc::kInterruptCacheFlush},
                {"tsb_write_error", afuc::kInterruptTrust}};
    }
    std::string summary() const override {
        return fmt::format("{:10} Adreno CP: {}, {} memory channels", identity().product, engines(),
                           config_.channel_map.channels);
    }
    std::string diagram() const override {
        const asic::Identity& id = identity();
        std::string levels;
        for (unsigned i = 0; i < config_.cp.roq_lines.size(); ++i)
            levels += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                                  afuc::level_name(config_.cp.generation->names, i),
                                  16 * config_.cp.roq_lines[i]);
        return fmt::format(
            "{} ({}), generation {}, configuration {}\n\n"
            "  host\n"
            "   |  registers                                 interrupts ^\n"
            "   v                                                       |\n"
            "  GPU registers, CP_PROTECT -------------------------------+\n"
            "   |  ring                     ^ register writes, {}\n"
            "   v                           |\n"
            "  ROQ  {} dwords\n"
            "   |  $data                    |\n"
            "   v                           |\n"
            "  {}\n"
            "   |  $memdata, NRT            microcode {}\n"
            "   v hub\n"
            "  {}\n"
            "   |\n"
            "  memory socket\n\n"
            "not modelled: the pipeline downstream of the CP; its registers keep what is written "
            "to "
            "them\n",
            id.name, id.product, id.generation, id.hash, writes(), levels, engines(), files(),
            asic::channels_text(config_));
    }

  private:
    std::string engines() const {
        std::string text;
        for (const afuc::ProcessorSpec& p : config_.cp.processors)
            text += (text.empty() ? "" : ", ") + p.engine.path;
        return text;
    }
    std::string writes() const {
        const afuc::WritePoolSpec& pool = config_.cp.pool;
        if (pool.blocks == 0)
            return "in order";
        std::string text = fmt::format("from a pool of {} blocks by", pool.blocks);
        for (const afuc::ClusterSpec& cluster : pool.clusters)
            text += " " + cluster.name;
        return text;
    }
    std::string files() const {
        std::string text;
        for (const afuc::Microcode& m : config_.cp.images)
            text += (text.empty() ? "" : ", ") + m.file.substr(m.file.rfind('/') + 1) +
                    fmt::format(" ({} words)", m.words.size());
        return text;
    }
    const void* find_spec(const std::type_info& type) const override {
        if (type == typeid(ChipConfig))
            return &config_;
        if (type == typeid(afuc::CpSpec))
            return &config_.cp;
        if (type == typeid(asic::BoardMemory))
            return static_cast<const asic::BoardMemory*>(&config_);
        if (type == typeid(regs::RegisterDatabase))
            return &packets_.registers();
        if (type == typeid(mc::ChannelMapSpec))
            return &config_.channel_map;
        if (type == typeid(mc::DramGeometry))
            return &config_.mc.geometry;
        return nullptr;
    }

    const ChipConfig config_;
    const afuc::Pm4Language packets_;
};

}  // namespace

std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics) {
    return std::make_unique<Description>(std::move(tree), diagnostics);
}

}  // namespace archipelago::adreno
