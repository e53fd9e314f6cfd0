// SPDX-License-Identifier: Apache-2.0
// Executes vector instructions in place of the compute unit's own semantics: Verilog of a lane or
// of a SIMD, or an observer. Results only; when instructions issue and retire is the compute
// unit's.
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

// One that has all lanes. A chip can have one of each kind.
class WaveValuUnit : public ValuUnit {};

// The units a compute unit has, each null or not. Of two each is the first asked for every other
// instruction, so that both are at work.
class ValuUnits : public ValuUnit {
  public:
    void use(ValuUnit* lane) { units_[0] = lane; }
    void use(WaveValuUnit* wave) { units_[1] = wave; }
    bool empty() const { return units_[0] == nullptr && units_[1] == nullptr; }
    bool execute(const isa::Inst& inst, isa::WaveState& wave) override {
        first_ ^= 1u;
        return ask(first_, inst, wave) || ask(first_ ^ 1u, inst, wave);
    }

  private:
    bool ask(unsigned unit, const isa::Inst& inst, isa::WaveState& wave) {
        return units_[unit] != nullptr && units_[unit]->execute(inst, wave);
    }
    ValuUnit* units_[2] = {};
    unsigned first_ = 0;
};

}  // namespace archipelago::cu
