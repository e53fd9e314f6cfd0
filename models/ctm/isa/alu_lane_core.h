// SPDX-License-Identifier: Apache-2.0
// The ALU of one processor, pin by pin: a pipeline of eight stages around the semantics. Its
// Verilog twin is rtl-bridge/rtl/ctm_dpp_alu.
#pragma once

#include "models/common/pipe_stages.h"
#include "models/ctm/isa/semantics.h"
#include "pins/ctm_dpp_alu_pins.h"

namespace archipelago::ctm::isa {

// Plain and serialisable.
struct AluLaneState {
    // The pins of results, but for the handshakes.
    PipeStages<rtl::CtmDppAluPins::Out, rtl::CtmDppAluPins::kStages> pipe;
};

class AluLaneCore : public rtl::PinBlock<rtl::CtmDppAluPins> {
  public:
    AluLaneCore();
    void step(const In& in, Out& out) override;
    const AluLaneState& state() const { return state_; }

    // What the pipeline gives for one instruction: the pins of the result.
    Out evaluate(const rtl::CtmDppAluPins::Operation& operation);

  private:
    void bring(const rtl::CtmDppAluPins::Operation& operation);

    AluLaneState state_;
    Thread thread_;  // of one quad, whose bottom right processor this one is
    Effects effects_;
};

}  // namespace archipelago::ctm::isa
