// SPDX-License-Identifier: Apache-2.0
// Executes scalar instructions in place of the compute unit's own semantics: a Verilog scalar ALU,
// or an observer. Results only; when instructions issue and retire is the compute unit's.
#pragma once

#include "models/cu/isa/isa.h"

namespace archipelago::cu {

class SaluUnit {
  public:
    virtual ~SaluUnit() = default;
    // Executes the instruction as Inst::exec does, WaveState::pc being after it; false when it
    // leaves that to the caller. The wave is untouched in that case.
    virtual bool execute(const isa::Inst& inst, isa::WaveState& wave) = 0;
};

}  // namespace archipelago::cu
