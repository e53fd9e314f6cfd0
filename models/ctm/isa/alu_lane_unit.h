// SPDX-License-Identifier: Apache-2.0
// Runs the ALU and OUT instructions of threads through the pins of one processor's ALU, lane after
// lane.
#pragma once

#include <cstdint>
#include <vector>

#include "models/ctm/isa/alu_unit.h"
#include "pins/ctm_dpp_alu_pins.h"

namespace archipelago::ctm::isa {

// What the lanes that `instruction` may write in put on the input port, in their order. Gives the
// thread the registers that the instruction names. Throws MachineStop as execute() does.
void alu_operations(const Instruction& instruction, const ConstantValues& constants, Thread& thread,
                    std::vector<rtl::CtmDppAluPins::Operation>& to);

class AluLaneUnit : public AluUnit {
  public:
    // Resets the ALU before the first instruction. It must outlive this.
    explicit AluLaneUnit(rtl::PinBlock<rtl::CtmDppAluPins>& alu);
    void execute(const Instruction& instruction, const ProgramMode& mode,
                 const ConstantValues& constants, Thread& thread, Effects& effects) override;

  private:
    // What all lanes write.
    struct Written {
        Register result{};
        std::array<LaneMask, kChannels> registers{}, outputs{}, predicates{}, predicate{};
        LaneMask flags = 0, flag = 0, conditional = 0;
    };
    void run();
    Written collect(const Instruction& instruction, const Thread& thread) const;
    static void write(const Instruction& instruction, const Written& w, Thread& thread);
    static void write_outputs(const Instruction& instruction, const ProgramMode& mode,
                              const Written& w, Thread& thread, Effects& effects);

    rtl::PinBlock<rtl::CtmDppAluPins>& alu_;
    bool was_reset_ = false;
    std::vector<rtl::CtmDppAluPins::Operation> pending_;
    std::vector<rtl::CtmDppAluPins::Out> results_;
};

}  // namespace archipelago::ctm::isa
