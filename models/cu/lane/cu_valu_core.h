// SPDX-License-Identifier: Apache-2.0
// The vector ALU of a SIMD, pin by pin: the instruction semantics of models/cu/isa on the 64 lanes
// of a wave, after a register. Operands come read, results leave to be written. Its Verilog twin
// is rtl-bridge/rtl/cu_valu.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cu/isa/isa.h"
#include "pins/cu_valu_pins.h"

namespace archipelago::cu {

// Opcode numbers (VOP3) the vector ALU executes, ascending: those of its lanes, and what is made of
// them.
const std::vector<uint16_t>& cu_valu_opcodes();
// The instruction of an opcode number; Op::Illegal when the vector ALU does not execute it.
isa::Op cu_valu_op(unsigned number);

// The pins of an instruction of a wave; false, and `to` untouched, when the vector ALU does not
// execute it.
bool cu_valu_operation(const isa::Inst& inst, const isa::WaveState& wave,
                       rtl::CuValuPins::Operation& to);

// Plain and serialisable.
struct CuValuState {
    bool valid = false;
    rtl::CuValuPins::Result result;
};

class CuValuCore : public rtl::PinBlock<rtl::CuValuPins> {
  public:
    CuValuCore();
    void step(const In& in, Out& out) override;
    const CuValuState& state() const { return state_; }

    rtl::CuValuPins::Result evaluate(const rtl::CuValuPins::Operation& operation);

  private:
    struct alignas(64) Register {
        isa::VReg lanes;
    };
    void put_operands(const rtl::CuValuPins::Operation& operation);

    CuValuState state_;
    std::vector<Register> registers_;  // three sources, destination
    isa::WaveState wave_;
};

}  // namespace archipelago::cu
