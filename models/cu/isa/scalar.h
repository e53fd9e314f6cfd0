// SPDX-License-Identifier: Apache-2.0
// Scalar ALU and branch semantics; private to models/cu/isa.
#pragma once

#include "models/cu/isa/lane_exec.h"

namespace archipelago::isa {

// Implementation of a SOP1, SOP2, SOPC, SOPK or SOPP opcode; null for opcodes the pipeline carries
// out itself (s_waitcnt, s_barrier, ...) and for those not implemented. When it is called,
// WaveState::pc is the address of the next instruction.
ExecFn find_scalar(Op op);

// Part of find_scalar: instructions that change the program counter or hardware registers.
ExecFn find_scalar_control(Op op);

}  // namespace archipelago::isa
