// SPDX-License-Identifier: Apache-2.0
// How vector ALU implementations are found: one table per instruction-set level of the host,
// chosen at run time; every table gives the same bits.
#pragma once

#include "models/cu/isa/isa.h"

namespace archipelago::isa {

using ExecFn = void (*)(const Inst&, WaveState&);

// Implementation of a VALU opcode (VOP1, VOP2, VOPC, VOP3) or null when it is not implemented.
ExecFn find_valu(Op op);

// "avx2" or "portable"; the best the host has unless the environment variable
// ARCHIPELAGO_LANES=portable selects the other.
const char* lane_backend();

}  // namespace archipelago::isa
