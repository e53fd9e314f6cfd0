// SPDX-License-Identifier: Apache-2.0
// A Southern Islands chip: its blocks and the links between them.
#pragma once

#include <memory>

#include "models/asic/clocked_chip.h"
#include "models/asic/gcn/chip_config.h"

namespace archipelago::gcn {

class Chip : public asic::ClockedChip {
  public:
    // `description` and `config` must outlive the chip.
    Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
         const ChipConfig& config, const asic::ChipOptions& options);
    ~Chip() override;

    void choose_groups(const GroupSelection& groups) override;
    bool background_idle() const override;
    asic::HangReport hang_report() const override;
    std::vector<std::string> warnings() const override;
    asic::WorkDone work() const override;

  private:
    void archive_functional(Archive& a) override;
    void take_over(Archive& a) override;
    void archive_attribution(Archive& a) override;
    void attribute(asic::Attribution& a) const override;

    struct Parts;

    std::unique_ptr<Parts> parts_;
};

}  // namespace archipelago::gcn
