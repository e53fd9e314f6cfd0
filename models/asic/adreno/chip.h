// SPDX-License-Identifier: Apache-2.0
// The command processor of an Adreno and its memory.
#pragma once

#include <memory>

#include "models/asic/adreno/chip_config.h"
#include "models/asic/clocked_chip.h"

namespace archipelago::adreno {

class Chip : public asic::ClockedChip {
  public:
    // `description` and `config` must outlive the chip.
    Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
         const ChipConfig& config, const asic::ChipOptions& options);
    ~Chip() override;

    asic::WorkDone work() const override;

  private:
    void copy_state_to_blocks() override;
    void take_over(Archive& a) override;
    void attribute(asic::Attribution& a) const override;

    struct Parts;

    std::unique_ptr<Parts> parts_;
};

}  // namespace archipelago::adreno
