// SPDX-License-Identifier: Apache-2.0
// Addresses buffer instructions in place of the compute unit's own semantics: Verilog, or an
// observer. When they issue and what they bring is the compute unit's.
#pragma once

#include "models/cu/isa/isa.h"

namespace archipelago::cu {

class BufferUnit {
  public:
    virtual ~BufferUnit() = default;
    // Fills `op` for MUBUF or MTBUF as isa::buffer_addresses() does; false when it leaves that to
    // the caller, `op` is untouched in that case.
    virtual bool address(const isa::Inst& inst, const isa::WaveState& wave, bool offset_in_lds,
                         isa::VectorMemOp& op) = 0;
};

}  // namespace archipelago::cu
