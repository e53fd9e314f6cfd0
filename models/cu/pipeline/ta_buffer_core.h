// SPDX-License-Identifier: Apache-2.0
// Buffer addressing pin by pin: isa::buffer_addresses() after a register. Its Verilog twin is
// rtl-bridge/rtl/ta_buffer.
#pragma once

#include "models/cu/isa/isa.h"
#include "models/cu/pipeline/buffer_unit.h"
#include "pins/ta_buffer_pins.h"

namespace archipelago::cu {

// The pins of a buffer instruction of a wave. Rows of registers that it does not read are left as
// they are.
void buffer_query(const isa::Inst& inst, const isa::WaveState& wave, bool offset_in_lds,
                  rtl::TaBufferPins::Query& query);

// The instruction of the pins; Op::Illegal when they have none.
isa::Inst buffer_instruction(const rtl::TaBufferPins::Query& query);

// Plain and serialisable.
struct TaBufferState {
    bool valid = false;
    rtl::TaBufferPins::Access access;  // in the output register
};

class TaBufferCore : public rtl::PinBlock<rtl::TaBufferPins> {
  public:
    void step(const In& in, Out& out) override;
    const TaBufferState& state() const { return state_; }

    // What the block makes of an instruction.
    static void evaluate(const rtl::TaBufferPins::Query& query, rtl::TaBufferPins::Access& access);

  private:
    TaBufferState state_;
};

// Addresses the buffer instructions of waves by a block on pins.
class PinBufferUnit : public BufferUnit {
  public:
    // Resets the block, which must outlive this.
    explicit PinBufferUnit(rtl::PinBlock<rtl::TaBufferPins>& block);
    bool address(const isa::Inst& inst, const isa::WaveState& wave, bool offset_in_lds,
                 isa::VectorMemOp& op) override;

  private:
    rtl::PinBlock<rtl::TaBufferPins>& block_;
    rtl::TaBufferPins::In in_;
    rtl::TaBufferPins::Out out_;
};

}  // namespace archipelago::cu
