// SPDX-License-Identifier: Apache-2.0
// DS instructions on the global data share.
//
// M0 for memory: base in bits 31:16, size in bits 15:0, bytes (Mesa's GDS counters put a size of
// 0x100 and base 0 there). ds_append, ds_consume: counter at base + offset. ds_ordered_count: base
// in 31:16, number of the wave in 15:0; offset0 is four times the counter, offset1 holds release
// (bit 0), done (1), shader stage (3:2), add or swap (5:4) (LLVM, SIISelLowering). Synchronisation
// resource: M0[21:16] + offset (LLVM, AMDGPUISelDAGToDAG). Values of a whole wave are those of the
// first active lane.
#include <algorithm>

#include "models/cu/isa/lane_mask.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/special.h"

namespace archipelago::isa {
namespace {

uint32_t first_lane(const WaveState& w, unsigned vgpr) {
    const uint64_t exec = w.exec();
    return exec == 0 ? 0 : w.v[vgpr][__builtin_ctzll(exec)];
}

GdsCommand memory_command(MemKind kind) {
    switch (kind) {
        case MemKind::LdsWrite:
            return GdsCommand::Write;
        case MemKind::LdsAtomic:
            return GdsCommand::Atomic;
        case MemKind::LdsMskOr:
            return GdsCommand::MaskOr;
        case MemKind::LdsExchange2:
            return GdsCommand::Exchange;
        case MemKind::LdsSrc2:
        case MemKind::LdsWriteSrc2:
            return GdsCommand::FromMemory;
        case MemKind::LdsAppend:
            return GdsCommand::Append;
        case MemKind::LdsConsume:
            return GdsCommand::Consume;
        case MemKind::OrderedCount:
            return GdsCommand::OrderedCount;
        default:
            return GdsCommand::Read;
    }
}

GdsCommand sync_command(Op op) {
    switch (op) {
        case Op::DS_GWS_INIT:
            return GdsCommand::SyncInit;
        case Op::DS_GWS_SEMA_V:
        case Op::DS_GWS_SEMA_BR:
            return GdsCommand::SemaphoreUp;
        case Op::DS_GWS_SEMA_P:
            return GdsCommand::SemaphoreDown;
        default:
            return GdsCommand::SynchronisePass;
    }
}

struct Window {
    uint32_t base, size;
    explicit Window(uint32_t m0) : base(m0 >> 16), size(m0 & 0xffff) {}
};

// Address of one lane's element; false when it is out of range.
bool place(const Window& window, uint64_t offset, unsigned bytes, uint32_t& address) {
    const uint64_t aligned = offset & ~uint64_t{bytes - 1};
    address = static_cast<uint32_t>(window.base + aligned) & ~(bytes - 1);
    return aligned < window.size;
}

void element(const Inst& inst, const WaveState& w, const OpInfo& info, unsigned which,
             uint32_t offset, GdsRequest& request) {
    const Window window(w.s[kM0]);
    request.lanes[which] = 0;
    for (uint64_t m = w.exec(); m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        if (place(window, uint64_t{w.v[inst.vaddr][lane]} + offset, info.mem_bytes,
                  request.address[which][lane])) {
            request.lanes[which] |= uint64_t{1} << lane;
        }
    }
}

// The second element lies a signed 15-bit number of dwords from the first; see source2() in
// lds.cpp.
void two_places(const Inst& inst, const WaveState& w, const OpInfo& info, GdsRequest& request) {
    const Window window(w.s[kM0]);
    const bool in_register = (inst.offset & 0x8000) != 0;
    request.lanes = {};
    for (uint64_t m = w.exec(); m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        const uint32_t v = w.v[inst.vaddr][lane];
        const uint32_t a = v & (in_register ? 0x1ffffu : 0xffffffffu);
        const uint32_t field = in_register ? v >> 17 : inst.offset & 0x7fffu;
        const int32_t distance = static_cast<int32_t>(field << 17) >> 17;
        const int64_t b = (int64_t{a} & ~int64_t{info.mem_bytes - 1}) + 4 * int64_t{distance};
        const uint64_t bit = uint64_t{1} << lane;
        if (place(window, a, info.mem_bytes, request.address[0][lane])) {
            request.lanes[0] |= bit;
        }
        if (b >= 0 &&
            place(window, static_cast<uint64_t>(b), info.mem_bytes, request.address[1][lane])) {
            request.lanes[1] |= bit;
        }
    }
}

void copy_operand(const WaveState& w, unsigned vgpr, unsigned dwords, unsigned first,
                  GdsRequest& request) {
    for (unsigned k = 0; k < dwords; ++k) {
        std::copy_n(w.v[vgpr + k], kLanes, request.data[first + k].begin());
    }
}

void counter(const Inst& inst, const WaveState& w, GdsRequest& request) {
    const uint32_t m0 = w.s[kM0];
    uint32_t offset = inst.offset;
    bool inside = true;
    if (request.command == GdsCommand::OrderedCount) {
        request.order = static_cast<uint16_t>(m0);
        request.counter = inst.offset >> 2 & 63;
        const unsigned flags = inst.offset >> 8;
        request.release = (flags & 1) != 0;
        request.done = (flags >> 1 & 1) != 0;
        request.stage = flags >> 2 & 3;
        request.swap = (flags >> 4 & 3) == 1;
        request.value = first_lane(w, inst.vaddr);
        offset = inst.offset & 0xfcu;
    } else {
        request.value = static_cast<uint32_t>(__builtin_popcountll(w.exec()));
        inside = offset < (m0 & 0xffff) && request.value != 0;
    }
    request.address[0][0] = ((m0 >> 16) + offset) & ~3u;
    request.lanes = {inside ? 1u : 0u, 0};
}

}  // namespace

void gds_request(const Inst& inst, const WaveState& w, GdsRequest& request) {
    const OpInfo& info = op_info(inst.op);
    request.returns = info.dst_dwords != 0;
    request.lanes = {};
    request.value = 0;
    request.bytes = 4;
    request.elements = 1;
    request.sign_extend = false;
    request.atomic = AtomicOp::None;
    request.release = request.done = request.swap = false;
    if (info.mem == MemKind::Gws) {
        request.command = sync_command(inst.op);
        request.resource =
            static_cast<uint8_t>(((w.s[kM0] >> 16 & 63) + (inst.offset & 0xffu)) & 63);
        request.value = inst.op == Op::DS_GWS_SEMA_V ? 1
                        : info.src_dwords[0] != 0    ? first_lane(w, inst.vaddr)
                                                     : 0;
        return;
    }
    request.command = memory_command(info.mem);
    request.bytes = info.mem_bytes;
    request.sign_extend = info.mem_signed;
    request.atomic = info.atomic;
    switch (info.mem) {
        case MemKind::LdsAppend:
        case MemKind::LdsConsume:
        case MemKind::OrderedCount:
            counter(inst, w, request);
            return;
        case MemKind::LdsSrc2:
        case MemKind::LdsWriteSrc2:
            two_places(inst, w, info, request);
            return;
        default:
            break;
    }
    if (info.mem_pair != 0) {
        const uint32_t unit = info.mem_pair * uint32_t{info.mem_bytes};
        request.elements = 2;
        element(inst, w, info, 0, (inst.offset & 0xffu) * unit, request);
        element(inst, w, info, 1, (inst.offset >> 8) * unit, request);
    } else {
        element(inst, w, info, 0, inst.offset, request);
    }
    copy_operand(w, inst.data0, info.src_dwords[1], 0, request);
    copy_operand(w, inst.data1, info.src_dwords[2], info.src_dwords[1], request);
}

void gds_complete(const Inst& inst, uint64_t lanes, const GdsResponse& response, WaveState& w) {
    for (unsigned k = 0; k < op_info(inst.op).dst_dwords; ++k) {
        blend(w.v[inst.vdst + k], response.data[k].data(), lanes);
    }
}

}  // namespace archipelago::isa
