// SPDX-License-Identifier: Apache-2.0
// Runs the vector instructions of whole waves through the pins of a SIMD's vector ALU.
#pragma once

#include "models/cu/lane/valu_unit.h"
#include "pins/cu_valu_pins.h"

namespace archipelago::cu {

class PinWaveValuUnit : public WaveValuUnit {
  public:
    // Resets the vector ALU, which must outlive this.
    explicit PinWaveValuUnit(rtl::PinBlock<rtl::CuValuPins>& alu);
    // Throws MachineStop when the ALU hangs, does not know an opcode of its own, or names a
    // register that is not the instruction's.
    bool execute(const isa::Inst& inst, isa::WaveState& wave) override;

  private:
    void put_back(const isa::Inst& inst, isa::WaveState& wave) const;

    rtl::PinBlock<rtl::CuValuPins>& alu_;
    rtl::CuValuPins::In in_;
    rtl::CuValuPins::Out out_;
};

}  // namespace archipelago::cu
