// SPDX-License-Identifier: Apache-2.0
// Carries out ALU and OUT instructions in place of the semantics' own lanes: Verilog, or an
// observer. Results only; when instructions issue and how long they take is the array's.
#pragma once

#include "models/ctm/isa/semantics.h"

namespace archipelago::ctm::isa {

class AluUnit {
  public:
    virtual ~AluUnit() = default;
    // As isa::execute() of an ALU or OUT instruction.
    virtual void execute(const Instruction& instruction, const ProgramMode& mode,
                         const ConstantValues& constants, Thread& thread, Effects& effects) = 0;
};

}  // namespace archipelago::ctm::isa
