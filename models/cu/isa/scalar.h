// SPDX-License-Identifier: Apache-2.0
// Scalar ALU and branch semantics, for models/cu/isa and for a scalar ALU on pins.
#pragma once

#include "models/cu/isa/lane_exec.h"

namespace archipelago::isa {

// Implementation of a SOP1, SOP2, SOPC, SOPK or SOPP opcode; null for opcodes the pipeline carries
// out itself (s_waitcnt, s_barrier, ...) and for those not implemented. When it is called,
// WaveState::pc is the address of the next instruction.
ExecFn find_scalar(Op op);

// Part of find_scalar: instructions that change the program counter or hardware registers.
ExecFn find_scalar_control(Op op);

// The register s_movrels_* reads: S0's number and M0, or 0 outside the wave's allocation.
unsigned relative_source(const Inst& inst, const WaveState& w);

// The whole hardware register that s_getreg and s_setreg name, of the wave after the instruction.
uint32_t hardware_register(const Inst& inst, const WaveState& w);
// Writes what of it is writable.
void set_hardware_register(const Inst& inst, WaveState& w, uint32_t value);

}  // namespace archipelago::isa
