// SPDX-License-Identifier: Apache-2.0
// Executes vector instructions in place of the compute unit's own semantics: a Verilog lane, or an
// observer. Results only; when instructions issue and retire is the compute unit's.
#pragma once

#include "models/cu/isa/isa.h"

namespace archipelago::cu {

class ValuUnit {
  public:
    virtual ~ValuUnit() = default;
    // Executes the instruction for every active lane of the wave, as Inst::exec does; false when it
    // leaves that to the caller, who then calls Inst::exec. The wave is untouched in that case.
    virtual bool execute(const isa::Inst& inst, isa::WaveState& wave) = 0;
};

}  // namespace archipelago::cu
