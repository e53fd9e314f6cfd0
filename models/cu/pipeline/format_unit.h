// SPDX-License-Identifier: Apache-2.0
// Converts data of buffer instructions between registers and dwords of memory in place of the
// compute unit's own semantics: Verilog, or an observer. Returns false to leave it to the caller.
#pragma once

#include "models/cu/isa/isa.h"

namespace archipelago::cu {

class FormatUnit {
  public:
    virtual ~FormatUnit() = default;
    // As isa::buffer_operands().
    virtual bool store(const isa::Inst& inst, const isa::WaveState& wave, isa::VectorMemOp& op) = 0;
    // As isa::vector_mem_complete().
    virtual bool load(const isa::VectorMemOp& op, isa::WaveState& wave) = 0;
};

}  // namespace archipelago::cu
