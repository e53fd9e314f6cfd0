// SPDX-License-Identifier: Apache-2.0
// Runs the vector instructions of whole waves through the pins of one lane, lane after lane.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cu/lane/valu_unit.h"
#include "pins/valu_lane_pins.h"

namespace archipelago::cu {

// Operations of the active lanes of `inst`, in lane order, as the lane's input port takes them;
// false, and `to` untouched, when the lane does not execute the instruction.
bool lane_operations(const isa::Inst& inst, const isa::WaveState& wave,
                     std::vector<rtl::ValuLanePins::Operation>& to);

class LaneUnit : public ValuUnit {
  public:
    // Resets the lane. `lane` must outlive this.
    explicit LaneUnit(rtl::PinBlock<rtl::ValuLanePins>& lane);
    bool execute(const isa::Inst& inst, isa::WaveState& wave) override;
    uint64_t operations() const { return operations_; }  // lanes executed so far

  private:
    rtl::PinBlock<rtl::ValuLanePins>& lane_;
    std::vector<rtl::ValuLanePins::Operation> pending_;
    std::vector<rtl::ValuLanePins::Out> results_;
    uint64_t operations_ = 0;
};

}  // namespace archipelago::cu
