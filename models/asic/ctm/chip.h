// SPDX-License-Identifier: Apache-2.0
// A chip as ATI's CTM Guide shows it: processor execution unit, conditional operation unit, memory
// controller, arrays of processors, and memory.
#pragma once

#include <memory>

#include "models/asic/clocked_chip.h"
#include "models/asic/ctm/chip_config.h"

namespace archipelago::ctm {

class Chip : public asic::ClockedChip {
  public:
    // `description` and `config` must outlive the chip.
    Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
         const ChipConfig& config, const asic::ChipOptions& options);
    ~Chip() override;

    asic::WorkDone work() const override;

  private:
    void copy_state_to_blocks() override;

    struct Parts;

    std::unique_ptr<Parts> parts_;
};

}  // namespace archipelago::ctm
