// SPDX-License-Identifier: Apache-2.0
// SMRD: loads into scalar registers through the scalar data cache.
#include "models/cu/isa/buffer_resource.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"

namespace archipelago::isa {

// The immediate offset counts dwords, a register offset bytes; the two low address bits are
// ignored.
ScalarMemOp scalar_mem(const Inst& inst, const WaveState& w) {
    const OpInfo& info = op_info(inst.op);
    ScalarMemOp op;
    op.sdst = inst.sdst;
    op.dwords = info.dst_dwords;
    op.valid = info.dst_dwords;
    const uint64_t offset =
        (inst.imm ? inst.offset * 4u : scalar_operand(inst, w, inst.soffset)) & ~3u;
    switch (info.mem) {
        case MemKind::Time:
            op.kind = ScalarMemOp::Kind::Time;
            break;
        case MemKind::CacheInvalidate:
            op.kind = ScalarMemOp::Kind::CacheInvalidate;
            break;
        case MemKind::ScalarBufferLoad: {
            op.kind = ScalarMemOp::Kind::BufferLoad;
            const BufferResource r = BufferResource::decode(&w.s[inst.srsrc]);
            op.addr = (r.base & ~3ull) + offset;
            const uint64_t size =
                r.stride == 0 ? r.num_records : uint64_t{r.stride} * r.num_records;
            const uint64_t left = size > offset ? (size - offset + 3) / 4 : 0;
            op.valid = static_cast<uint8_t>(left < op.dwords ? left : op.dwords);
            break;
        }
        default:
            op.kind = ScalarMemOp::Kind::Load;
            op.addr = (w.s64(inst.srsrc) & ~3ull) + offset;
            break;
    }
    return op;
}

void scalar_mem_complete(const ScalarMemOp& op, WaveState& w, const uint32_t* data) {
    const unsigned valid = op.valid < op.dwords ? op.valid : op.dwords;
    for (unsigned i = 0; i < valid; ++i) {
        w.s[op.sdst + i] = data[i];
    }
    for (unsigned i = valid; i < op.dwords; ++i) {
        w.s[op.sdst + i] = 0;
    }
}

}  // namespace archipelago::isa
