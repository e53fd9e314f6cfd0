// SPDX-License-Identifier: Apache-2.0
// What buffer and image instructions have in common when they fill a VectorMemOp.
#pragma once

#include "models/cu/isa/isa.h"

namespace archipelago::isa {

// A load of nothing: `op` may hold what an earlier instruction left. Addresses, data and
// dword_lanes keep their values; an instruction that uses them writes them first.
inline void start_vector_mem(const Inst& inst, VectorMemOp& op) {
    op.kind = VectorMemOp::Kind::Load;
    op.atomic = AtomicOp::None;
    op.bytes = 0;
    op.dwords = 0;
    op.sign_extend = false;
    op.returns = false;
    op.glc = inst.glc;
    op.slc = inst.slc;
    op.contiguous = true;
    op.to_lds = false;
    op.tfe = false;
    op.failed = 0;
    op.image = false;
    op.vdst = inst.vdst;
    op.lanes = 0;
    op.zero_lanes = 0;
    op.lds_addr = 0;
    op.typed = false;
    op.dfmt = 0;
    op.nfmt = 0;
    op.dst_sel = 0;
    op.unsupported = nullptr;
}

}  // namespace archipelago::isa
