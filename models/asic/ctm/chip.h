// SPDX-License-Identifier: Apache-2.0
// A chip as ATI's CTM Guide shows it: processor execution unit, conditional operation unit, memory
// controller, arrays of processors, and memory.
#pragma once

#include <memory>

#include "models/asic/asic.h"
#include "models/asic/ctm/chip_config.h"

namespace archipelago::ctm {

class Chip : public asic::Asic {
  public:
    // `description` and `config` must outlive the chip.
    Chip(const sc_core::sc_module_name& name, const asic::ChipDescription& description,
         const ChipConfig& config, const asic::ChipOptions& options);
    ~Chip() override;

    uint64_t cycles() const override;
    bool idle() const override;
    void archive(Archive& a) override;
    asic::HangReport hang_report() const override;
    uint64_t progress() const override;
    asic::WorkDone work() const override;
    const StatsRegistry& stats() const override;
    std::optional<asic::Attribution> attribution() const override;
    uint64_t steps() const override;
    uint64_t ticks() const override;

  private:
    struct Parts;

    std::unique_ptr<Parts> parts_;
};

}  // namespace archipelago::ctm
