// SPDX-License-Identifier: Apache-2.0
// The scalar ALU of a compute unit, pin by pin: a pipeline of three stages around the instruction
// semantics of models/cu/isa. Operands come read, results leave to be written. Its Verilog twin is
// rtl-bridge/rtl/salu.
#pragma once

#include "models/common/pipe_stages.h"
#include "models/cu/isa/isa.h"
#include "models/cu/pipeline/salu_unit.h"
#include "pins/salu_pins.h"

namespace archipelago::cu {

// The instruction of these pins; Op::Illegal when the scalar ALU has none.
isa::Op salu_op(unsigned encoding, unsigned number);

// The pins of an instruction of a wave, whose pc is after it; false, and `to` untouched, when the
// scalar ALU does not execute it.
bool salu_operation(const isa::Inst& inst, const isa::WaveState& wave,
                    rtl::SaluPins::Operation& to);

// Plain and serialisable.
struct SaluState {
    // Stages between operand and output register; a property of the pipeline,
    // rtl-bridge/rtl/salu/salu.sv says what each does.
    static constexpr unsigned kStages = 3;
    PipeStages<rtl::SaluPins::Result, kStages> pipe;
};

class SaluCore : public rtl::PinBlock<rtl::SaluPins> {
  public:
    void step(const In& in, Out& out) override;
    const SaluState& state() const { return state_; }

    // The result of the pipeline for one instruction.
    static rtl::SaluPins::Result evaluate(const rtl::SaluPins::Operation& operation);

  private:
    SaluState state_;
};

// Executes the scalar instructions of waves by a scalar ALU on pins.
class PinSaluUnit : public SaluUnit {
  public:
    // Resets the scalar ALU, which must outlive this.
    explicit PinSaluUnit(rtl::PinBlock<rtl::SaluPins>& alu);
    bool execute(const isa::Inst& inst, isa::WaveState& wave) override;

  private:
    void put_back(const isa::Inst& inst, isa::WaveState& wave) const;

    rtl::PinBlock<rtl::SaluPins>& alu_;
    rtl::SaluPins::In in_;
    rtl::SaluPins::Out out_;
};

}  // namespace archipelago::cu
