// SPDX-License-Identifier: Apache-2.0
// Which instructions the model executes; the others stop the machine by name.
#include "models/cu/isa/isa.h"
#include "models/cu/isa/opcodes.h"

namespace archipelago::isa {
namespace {

// Whether the compute unit's pipeline executes this Internal or Message instruction.
bool pipeline_implements(const Inst& inst) {
    switch (inst.op) {
        case Op::S_NOP:
        case Op::S_ENDPGM:
        case Op::S_BARRIER:
        case Op::S_WAITCNT:
        case Op::S_SLEEP:
        case Op::S_SETPRIO:
        case Op::S_ICACHE_INV:
        case Op::S_INCPERFLEVEL:
        case Op::S_DECPERFLEVEL:
        case Op::S_TTRACEDATA:
        case Op::S_SETHALT:
        case Op::S_SETKILL:
        case Op::S_TRAP:
        case Op::S_SENDMSG:
        case Op::S_SENDMSGHALT:
            return true;
        default:
            return false;
    }
}

bool vector_memory_implemented(const Inst& inst, const OpInfo& info) {
    switch (info.mem) {
        case MemKind::CacheInvalidate:
            return true;
        case MemKind::Load:
        case MemKind::LoadFormat:
            // The path to LDS moves one dword per lane and has no status.
            return !inst.lds || (info.dst_dwords == 1 && !inst.tfe);
        case MemKind::Store:
        case MemKind::StoreFormat:
        case MemKind::Atomic:
            return !inst.lds;
        case MemKind::ImageLoad:
        case MemKind::ImageStore:
        case MemKind::ImageAtomic:
        case MemKind::ImageSample:
        case MemKind::ImageQuery:
            return true;
        default:
            return false;
    }
}

bool lds_implemented(MemKind kind) {
    return kind >= MemKind::LdsRead && kind <= MemKind::LdsConsume;
}

bool gds_implemented(MemKind kind) {
    return lds_implemented(kind) || kind == MemKind::OrderedCount || kind == MemKind::Gws;
}

}  // namespace

bool is_implemented(const Inst& inst) {
    if (inst.format == Format::Illegal) {
        return false;
    }
    const OpInfo& info = op_info(inst.op);
    switch (inst.cls) {
        case Class::Valu:
        case Class::Salu:
        case Class::Branch:
            return inst.exec != nullptr;
        case Class::Smem:
            return true;
        case Class::Vmem:
            return vector_memory_implemented(inst, info);
        case Class::Lds:
            return inst.format == Format::Vintrp || lds_implemented(info.mem);
        case Class::Gds:
            return gds_implemented(info.mem);
        case Class::Export:
            return true;
        case Class::Internal:
        case Class::Message:
            return pipeline_implements(inst);
        default:
            return false;
    }
}

}  // namespace archipelago::isa
