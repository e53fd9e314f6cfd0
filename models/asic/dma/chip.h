// SPDX-License-Identifier: Apache-2.0
// A chip of async DMA engines and memory.
#pragma once

#include <memory>

#include "models/asic/clocked_chip.h"
#include "models/asic/dma/chip_config.h"

namespace archipelago::dma_chip {

class Chip : public asic::ClockedChip {
  public:
    // `description` and `config` must outlive the chip.
    Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
         const ChipConfig& config, const asic::ChipOptions& options);
    ~Chip() override;

    asic::WorkDone work() const override { return {}; }

  private:
    void take_over(Archive& a) override;
    bool background_idle() const override;

    struct Parts;

    std::unique_ptr<Parts> parts_;
};

}  // namespace archipelago::dma_chip
