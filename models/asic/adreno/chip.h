// SPDX-License-Identifier: Apache-2.0
// The command processor of an Adreno and its memory.
#pragma once

#include <memory>

#include "models/asic/adreno/chip_config.h"
#include "models/asic/asic.h"

namespace archipelago::adreno {

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
    void finish_trace() override;
    uint64_t steps() const override;
    uint64_t ticks() const override;

  private:
    struct Parts;

    std::unique_ptr<Parts> parts_;
};

}  // namespace archipelago::adreno
