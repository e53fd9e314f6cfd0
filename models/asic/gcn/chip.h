// SPDX-License-Identifier: Apache-2.0
// A Southern Islands chip: its blocks and the links between them.
#pragma once

#include <memory>

#include "models/asic/asic.h"
#include "models/asic/gcn/chip_config.h"

namespace archipelago::gcn {

class Chip : public asic::Asic {
  public:
    // `description` and `config` must outlive the chip.
    Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
         const ChipConfig& config, const asic::ChipOptions& options);
    ~Chip() override;

    uint64_t cycles() const override;
    bool idle() const override;
    void archive(Archive& a) override;
    void choose_groups(const GroupSelection& groups) override;
    bool background_idle() const override;
    asic::HangReport hang_report() const override;
    std::vector<std::string> warnings() const override;
    uint64_t progress() const override;
    asic::WorkDone work() const override;
    const StatsRegistry& stats() const override;
    std::optional<asic::Attribution> attribution() const override;
    void finish_trace() override;
    uint64_t steps() const override;
    uint64_t ticks() const override;

  private:
    struct Parts;

    std::unique_ptr<Parts> parts_;
};

}  // namespace archipelago::gcn
