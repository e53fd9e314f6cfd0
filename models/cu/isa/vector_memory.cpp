// SPDX-License-Identifier: Apache-2.0
// MUBUF and MTBUF: buffer addressing, range checks, and what goes into and comes out of registers.
//
// Addressing on GFX6 (record index, byte offset within the record):
//   index  = (IDXEN ? VGPR : 0) + (ADD_TID_ENABLE ? lane : 0)
//   offset = instruction offset + (OFFEN ? VGPR : 0)                                   (32 bits)
//   linear    BASE + SOFFSET + index * STRIDE + offset
//   swizzled  the records of a group of INDEX_STRIDE are interleaved in pieces of ELEMENT_SIZE
//   ADDR64    BASE + SOFFSET + instruction offset + 64-bit VGPR pair, never range checked nor
//             swizzled: STRIDE and what stands beside it are ignored
// Range: with STRIDE == 0 a dword is out when its offset + SOFFSET >= NUM_RECORDS (bytes); with
// STRIDE != 0 and an index, a record is out when index >= NUM_RECORDS or offset >= STRIDE. Plain
// loads and stores are checked dword by dword, typed accesses and atomics as a whole.
// Accesses of a dword and more ignore address bits 1:0, those of 16 bits bit 0.
#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/buffer_resource.h"
#include "models/cu/isa/lane_mask.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"
#include "models/cu/isa/valu_env.h"
#include "models/cu/isa/vector_mem_start.h"

namespace archipelago::isa {
namespace {

constexpr uint64_t kAllLanes = ~uint64_t{0};
// BASE has 48 bits and sums wrap there: compilers give ADDR64 accesses negative bases.
constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;

unsigned dwords_of(unsigned bytes) {
    return (bytes + 3) / 4;
}

uint64_t alignment_mask(unsigned bytes) {
    return bytes >= 4 ? ~uint64_t{3} : bytes == 2 ? ~uint64_t{1} : ~uint64_t{0};
}

// The addresses of one instruction, lane by lane.
struct Addressing {
    const Inst& inst;
    const WaveState& w;
    BufferResource r;
    uint64_t soffset;
    bool whole;  // range checked as a whole, not by dword

    Addressing(const Inst& i, const WaveState& wave, bool all_or_nothing)
        : inst(i),
          w(wave),
          r(BufferResource::decode(&wave.s[i.srsrc])),
          soffset(scalar_operand(i, wave, i.soffset)),
          whole(all_or_nothing) {}

    void addr64(VectorMemOp& op) const {
        const uint64_t base = r.base + soffset + inst.offset;
        const uint64_t align = alignment_mask(op.bytes);
        const uint32_t* low = w.v[inst.vaddr];
        const uint32_t* high = w.v[inst.vaddr + 1];
        for (unsigned l = 0; l < kLanes; ++l) {
            op.addr[0][l] =
                (base + (low[l] | static_cast<uint64_t>(high[l]) << 32)) & kAddressMask & align;
        }
        op.lanes = w.exec();
    }

    // STRIDE == 0: the index does not matter.
    void raw(VectorMemOp& op) const {
        const uint64_t base = r.base + soffset;
        const uint64_t align = alignment_mask(op.bytes);
        alignas(64) uint32_t offset[kLanes];
        if (inst.offen) {
            const uint32_t* v = w.v[inst.vaddr + (inst.idxen ? 1 : 0)];
            for (unsigned l = 0; l < kLanes; ++l) {
                offset[l] = v[l] + inst.offset;
            }
        } else {
            for (unsigned l = 0; l < kLanes; ++l) {
                offset[l] = inst.offset;
            }
        }
        for (unsigned l = 0; l < kLanes; ++l) {
            op.addr[0][l] = (base + offset[l]) & align;
        }
        const unsigned count = dwords_of(op.bytes);
        const uint64_t last = whole ? op.bytes - 1u : 4 * (count - 1);
        op.lanes = below(offset, last) & w.exec();
        if (whole || count == 1 || op.lanes == w.exec()) {
            return;
        }
        // Some lanes reach over the end: dwords one by one.
        uint64_t any = 0;
        for (unsigned k = 0; k < count; ++k) {
            op.dword_lanes[k] = below(offset, 4 * k) & w.exec();
            any |= op.dword_lanes[k];
            for (unsigned l = 0; l < kLanes; ++l) {
                op.addr[k][l] = op.addr[0][l] + 4 * k;
            }
        }
        op.lanes = any;
        op.contiguous = false;
    }

    // Lanes whose offset + extra lies below NUM_RECORDS - SOFFSET.
    uint64_t below(const uint32_t offset[kLanes], uint64_t extra) const {
        if (soffset + extra >= r.num_records) {
            return 0;
        }
        const auto limit = static_cast<uint32_t>(r.num_records - soffset - extra);
        uint32_t biggest = 0;
        for (unsigned l = 0; l < kLanes; ++l) {
            biggest = offset[l] > biggest ? offset[l] : biggest;
        }
        if (biggest < limit) {
            return kAllLanes;
        }
        uint8_t inside[kLanes];
        for (unsigned l = 0; l < kLanes; ++l) {
            inside[l] = offset[l] < limit;
        }
        return pack_flags(inside);
    }

    // STRIDE != 0, or swizzled (scratch descriptors may leave STRIDE 0: no lane reaches the second
    // group of records).
    void structured(VectorMemOp& op) const {
        const uint64_t base = r.base + soffset;
        const uint64_t align = alignment_mask(op.bytes);
        const uint32_t* index_reg = inst.idxen ? w.v[inst.vaddr] : nullptr;
        const uint32_t* offset_reg = inst.offen ? w.v[inst.vaddr + (inst.idxen ? 1 : 0)] : nullptr;
        const bool checked = inst.idxen || r.add_tid;
        const unsigned count = dwords_of(op.bytes);
        // Swizzled, an access that crosses the interleaving's pieces falls apart into dwords.
        bool split = false;
        uint64_t inside[4] = {};
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint32_t index = (index_reg != nullptr ? index_reg[l] : 0) + (r.add_tid ? l : 0);
            const uint32_t offset = (offset_reg != nullptr ? offset_reg[l] : 0) + inst.offset;
            for (unsigned k = 0; k < count; ++k) {
                const uint32_t at = offset + 4 * k;
                const uint64_t bit = uint64_t{1} << l;
                if (r.stride == 0 ? soffset + at < r.num_records
                                  : !checked || (index < r.num_records && at < r.stride)) {
                    inside[k] |= bit;
                }
                op.addr[k][l] = (base + relative(index, at)) & align;
                split = split || op.addr[k][l] != op.addr[0][l] + 4 * k;
            }
        }
        uint64_t all = kAllLanes;
        uint64_t any = 0;
        for (unsigned k = 0; k < count; ++k) {
            all &= inside[k];
            any |= inside[k];
        }
        op.lanes = (whole ? all : any) & w.exec();
        op.contiguous = !split && (whole || ((all ^ any) & w.exec()) == 0);
        for (unsigned k = 0; k < count; ++k) {
            op.dword_lanes[k] = whole ? op.lanes : inside[k] & w.exec();
        }
    }

    uint64_t relative(uint32_t index, uint32_t offset) const {
        if (!r.swizzle) {
            return static_cast<uint32_t>(index * r.stride) + uint64_t{offset};
        }
        const uint32_t group = index / r.index_stride;
        const uint32_t member = index % r.index_stride;
        const uint32_t piece = offset / r.element_size;
        const uint32_t rest = offset % r.element_size;
        return (uint64_t{group} * r.stride + uint64_t{piece} * r.element_size) * r.index_stride +
               uint64_t{member} * r.element_size + rest;
    }

    void run(VectorMemOp& op) const {
        if (inst.addr64) {
            addr64(op);
        } else if (r.stride == 0 && !r.swizzle) {
            raw(op);
        } else {
            structured(op);
        }
        op.zero_lanes = op.kind == VectorMemOp::Kind::Store ? 0 : w.exec() & ~op.lanes;
    }
};

void copy_data(const Inst& inst, const WaveState& w, VectorMemOp& op, unsigned dwords) {
    for (unsigned k = 0; k < dwords; ++k) {
        std::memcpy(op.data[k], w.v[inst.vdst + k], sizeof(VReg));
    }
}

TypedElements elements(const VectorMemOp& op) {
    return {&buffer_lane_format(op.dfmt, op.nfmt), op.dst_sel, op.dwords};
}

// Why an access that decodes cannot be executed.
BufferRefusal unsupported_access(const Inst& inst, const BufferResource& r, const VectorMemOp& op) {
    if (r.type != 0) {
        return BufferRefusal::ResourceType;
    }
    if (inst.addr64 && (inst.offen || inst.idxen)) {
        return BufferRefusal::Addr64WithVgprOffset;
    }
    if (inst.lds && (op.kind != VectorMemOp::Kind::Load || op.dwords != 1 || inst.tfe)) {
        return BufferRefusal::LdsBit;
    }
    if (!inst.addr64 && r.swizzle && r.element_size < op.bytes && r.element_size < 4) {
        return BufferRefusal::NarrowSwizzle;
    }
    if (op.typed && reserved_select(op.dst_sel)) {
        return BufferRefusal::ReservedSelect;
    }
    return BufferRefusal::None;
}

// Kind, sizes and flags from the opcode; returns whether the range check is all or nothing.
bool describe(const Inst& inst, const OpInfo& info, const BufferResource& r, VectorMemOp& op) {
    op.bytes = info.mem_bytes;
    op.dwords = info.dst_dwords;
    op.sign_extend = info.mem_signed;
    switch (info.mem) {
        case MemKind::Store:
            op.kind = VectorMemOp::Kind::Store;
            op.dwords = info.src_dwords[1];
            return false;
        case MemKind::LoadFormat:
        case MemKind::StoreFormat:
            op.typed = true;
            op.dfmt = inst.format == Format::Mtbuf ? inst.dfmt : r.dfmt;
            op.nfmt = inst.format == Format::Mtbuf ? inst.nfmt : r.nfmt;
            op.dst_sel = inst.format == Format::Mtbuf ? kIdentitySelect : r.dst_sel;
            op.bytes = data_format(op.dfmt).bytes;
            if (info.mem == MemKind::StoreFormat) {
                op.kind = VectorMemOp::Kind::Store;
                op.dwords = info.src_dwords[1];
                op.unsupported = unsupported_store(op.dfmt, op.nfmt);
            } else {
                op.returns = !inst.lds;
                op.to_lds = inst.lds;
                op.unsupported = unsupported_load(op.dfmt, op.nfmt);
            }
            return true;
        case MemKind::Atomic:
            op.kind = VectorMemOp::Kind::Atomic;
            op.atomic = info.atomic;
            op.returns = inst.glc;
            return true;
        default:
            op.kind = VectorMemOp::Kind::Load;
            op.returns = !inst.lds;
            op.to_lds = inst.lds;
            return false;
    }
}

}  // namespace

BufferRefusal refusal_of(const char* text) {
    for (unsigned i = 1; text != nullptr && i < kBufferRefusals; ++i) {
        const auto refusal = static_cast<BufferRefusal>(i);
        if (std::strcmp(text, refusal_text(refusal)) == 0) {
            return refusal;
        }
    }
    return BufferRefusal::None;
}

void buffer_addresses(const Inst& inst, const WaveState& w, VectorMemOp& op, bool offset_in_lds) {
    const OpInfo& info = op_info(inst.op);
    start_vector_mem(inst, op);
    if (inst.format != Format::Mubuf && inst.format != Format::Mtbuf) {
        op.unsupported = refusal_text(BufferRefusal::NoBufferInstruction);
        return;
    }
    if (info.mem == MemKind::CacheInvalidate) {
        op.kind = VectorMemOp::Kind::CacheInvalidate;
        return;
    }
    const BufferResource r = BufferResource::decode(&w.s[inst.srsrc]);
    const bool whole = describe(inst, info, r, op);
    if (op.unsupported == nullptr) {
        op.unsupported = refusal_text(unsupported_access(inst, r, op));
    }
    if (op.unsupported != nullptr) {
        return;
    }
    op.tfe = inst.tfe && op.returns;
    if (op.to_lds) {
        op.lds_addr = w.lds_base + (w.s[kM0] & 0xffff) + (offset_in_lds ? inst.offset : 0);
    }
    if (op.typed && op.bytes == 0) {
        // No format, no resource: reads give 0, writes are dropped.
        op.zero_lanes = op.kind == VectorMemOp::Kind::Store ? 0 : w.exec();
        op.bytes = 4;
        return;
    }
    Addressing(inst, w, whole).run(op);
}

unsigned operand_dwords(const VectorMemOp& op) {
    switch (op.kind) {
        case VectorMemOp::Kind::Store:
            return op.dwords;
        case VectorMemOp::Kind::Atomic:
            return op.bytes / 4u * (compares(op.atomic) ? 2 : 1);
        default:
            return 0;
    }
}

void buffer_operands(const Inst& inst, const WaveState& w, VectorMemOp& op) {
    if (op.lanes == 0) {
        return;
    }
    if (op.typed && op.kind == VectorMemOp::Kind::Store) {
        elements(op).store(format_lanes(), &w.v[inst.vdst], op.data);
    } else {
        copy_data(inst, w, op, operand_dwords(op));
    }
}

void vector_mem(const Inst& inst, const WaveState& w, VectorMemOp& op, bool offset_in_lds) {
    buffer_addresses(inst, w, op, offset_in_lds);
    buffer_operands(inst, w, op);
}

namespace {

// Data below a dword arrives zero extended.
void extend(uint32_t data[kLanes], unsigned bytes) {
    if (bytes == 1) {
        for (unsigned l = 0; l < kLanes; ++l) {
            data[l] = static_cast<uint32_t>(int32_t{static_cast<int8_t>(data[l])});
        }
    } else if (bytes == 2) {
        for (unsigned l = 0; l < kLanes; ++l) {
            data[l] = static_cast<uint32_t>(int32_t{static_cast<int16_t>(data[l])});
        }
    }
}

}  // namespace

void write_status(const VectorMemOp& op, WaveState& w) {
    if (!op.tfe) {
        return;
    }
    for (uint64_t rest = op.lanes | op.zero_lanes; rest != 0; rest &= rest - 1) {
        const unsigned l = static_cast<unsigned>(__builtin_ctzll(rest));
        w.v[op.vdst + op.dwords][l] = op.failed >> l & 1;
    }
}

void vector_mem_complete(const VectorMemOp& op, WaveState& w) {
    if (!op.returns || op.unsupported != nullptr) {
        return;
    }
    write_status(op, w);
    const uint64_t written = op.lanes | op.zero_lanes;
    if (op.typed) {
        elements(op).load(format_lanes(), op.data, op.lanes, op.zero_lanes, &w.v[op.vdst]);
        return;
    }
    for (unsigned k = 0; k < op.dwords; ++k) {
        const uint64_t inside = op.contiguous ? op.lanes : op.dword_lanes[k];
        if (inside == written && !op.sign_extend) {
            blend(w.v[op.vdst + k], op.data[k], written);
            continue;
        }
        alignas(64) uint32_t value[kLanes];
        std::memcpy(value, op.data[k], sizeof value);
        if (op.sign_extend) {
            extend(value, op.bytes);
        }
        clear(value, ~inside);
        blend(w.v[op.vdst + k], value, written);
    }
}

void vector_mem_failed(VectorMemOp& op, uint64_t lanes) {
    op.failed |= lanes;
    op.zero_lanes |= lanes;
    op.lanes &= ~lanes;
    for (uint64_t& dword : op.dword_lanes) {
        dword &= ~lanes;
    }
}

uint64_t lanes_to_lds(const VectorMemOp& op, const WaveState& w) {
    const uint64_t end = uint64_t{w.lds_base} + w.lds_size;
    uint64_t lanes = 0;
    for (uint64_t rest = op.lanes | op.zero_lanes; rest != 0; rest &= rest - 1) {
        const unsigned l = static_cast<unsigned>(__builtin_ctzll(rest));
        const uint64_t at = uint64_t{op.lds_addr} + 4 * l;
        if (at >= w.lds_base && at + 4 <= end) {
            lanes |= uint64_t{1} << l;
        }
    }
    return lanes;
}

VectorMemOp load_for_lds(const VectorMemOp& op) {
    VectorMemOp to_register = op;
    to_register.returns = true;
    to_register.sign_extend = false;
    to_register.vdst = 0;
    return to_register;
}

void put_to_lds(const VectorMemOp& op, const WaveState& w, const VReg& dwords, uint8_t* lds) {
    for (uint64_t rest = lanes_to_lds(op, w); rest != 0; rest &= rest - 1) {
        const unsigned l = static_cast<unsigned>(__builtin_ctzll(rest));
        std::memcpy(lds + size_t{op.lds_addr} + 4 * l, &dwords[l], 4);
    }
}

void vector_mem_to_lds(const VectorMemOp& op, const WaveState& w, uint8_t* lds) {
    alignas(64) VReg dwords[1] = {};
    WaveState converted;
    converted.v = dwords;
    vector_mem_complete(load_for_lds(op), converted);
    put_to_lds(op, w, dwords[0], lds);
}

}  // namespace archipelago::isa
