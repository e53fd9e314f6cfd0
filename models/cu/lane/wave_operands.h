// SPDX-License-Identifier: Apache-2.0
// What a vector instruction reads and writes beside its vector registers.
#pragma once

#include <cstdint>

#include "models/cu/isa/isa.h"

namespace archipelago::cu {

// Number of a VOP1, VOP2, VOPC or VOP3 opcode in VOP3's opcode field, whether VOP3 has it or not;
// -1: none of these.
int vop3_number(isa::Op op);

// The lane mask it reads, VCC or the pair VOP3's third source names; 0: it reads none.
uint64_t read_lane_mask(const isa::Inst& inst, const isa::WaveState& wave);
// Writes the mask to VCC or to the pair VOP3 names.
void write_lane_mask(const isa::Inst& inst, isa::WaveState& wave, uint64_t mask);

}  // namespace archipelago::cu
