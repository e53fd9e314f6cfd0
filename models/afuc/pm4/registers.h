// SPDX-License-Identifier: Apache-2.0
// The GPU registers of configs/isa/afuc.yaml as a register database, for packets as text.
#pragma once

#include "models/afuc/isa/generation.h"
#include "models/common/register_info.h"

namespace archipelago::afuc {

// NAME[0x2] of an array; the upper dword of a register of 64 bits is NAME_HI. Registers have no
// fields.
const regs::RegisterDatabase& gpu_registers(Names names);

}  // namespace archipelago::afuc
