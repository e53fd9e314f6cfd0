// SPDX-License-Identifier: Apache-2.0
// One lane of the vector ALU, pin by pin: a pipeline of six stages around the instruction
// semantics of models/cu/isa. Its Verilog twin is rtl-bridge/rtl/valu_lane.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/pipe_stages.h"
#include "models/cu/isa/isa.h"
#include "models/cu/isa/lane_exec.h"
#include "pins/valu_lane_pins.h"

namespace archipelago::cu {

// Opcode numbers (VOP3) the lane executes, ascending.
const std::vector<uint16_t>& valu_lane_opcodes();
bool valu_lane_has(unsigned op);
// Number under which the lane executes an instruction; -1 when it does not.
int valu_lane_opcode(isa::Op op);

// Plain and serialisable.
struct ValuLaneState {
    // Stages between operand and output register; a property of the pipeline,
    // rtl-bridge/rtl/valu_lane/valu_lane.sv says what each does.
    static constexpr unsigned kStages = 6;
    struct Result {
        uint32_t value = 0;
        bool flag = false;
        bool illegal = false;
    };
    PipeStages<Result, kStages> pipe;
};

class ValuLaneCore : public rtl::PinBlock<rtl::ValuLanePins> {
  public:
    ValuLaneCore();
    void step(const In& in, Out& out) override;
    const ValuLaneState& state() const { return state_; }

    // The result of the pipeline for one operation.
    ValuLaneState::Result evaluate(const rtl::ValuLanePins::Operation& operation);

  private:
    struct alignas(64) Register {
        isa::VReg lanes;
    };
    ValuLaneState state_;
    std::array<Register, 4> registers_{};  // a, b, c, destination; only lane 0 is active
    isa::WaveState wave_;
};

}  // namespace archipelago::cu
