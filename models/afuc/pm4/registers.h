// SPDX-License-Identifier: Apache-2.0
// Registers as a register database, for packets as text: those of the command processor of
// configs/isa/afuc.yaml and those of the pipeline of configs/isa/adreno_registers.yaml.
#pragma once

#include "models/afuc/isa/generation.h"
#include "models/common/register_info.h"

namespace archipelago::afuc {

// NAME[0x2] of an array; the upper dword of a register of 64 bits is NAME_HI. Registers have no
// fields.
const regs::RegisterDatabase& gpu_registers(Names names);

}  // namespace archipelago::afuc
