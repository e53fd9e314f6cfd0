// SPDX-License-Identifier: Apache-2.0
// See vector_memory.cpp for the rules of addresses and ranges.
#include "models/cu/isa/buffer_wave.h"

#include <algorithm>

#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"

namespace archipelago::isa {
namespace {

using Kind = VectorMemOp::Kind;

constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;
constexpr uint64_t kUnchecked = uint64_t{1} << 62;
constexpr uint64_t kFarthest =
    1u << 30;  // offset of a buffer in a piece of memory, of a record in it

alignas(64) constexpr VReg kZeros = {};
struct LaneNumbers {
    alignas(64) VReg of = {};

    constexpr LaneNumbers() {
        for (unsigned l = 0; l < kLanes; ++l) {
            of[l] = l;
        }
    }
};
constexpr LaneNumbers kLaneNumbers;

}  // namespace

std::optional<BufferWave::Form> BufferWave::form(const Inst& inst) {
    if ((inst.format != Format::Mubuf && inst.format != Format::Mtbuf) || inst.tfe || inst.lds ||
        (inst.addr64 && (inst.offen || inst.idxen))) {
        return std::nullopt;
    }
    const OpInfo& info = op_info(inst.op);
    Form f;
    f.bytes = info.mem_bytes;
    f.sign_extend = info.mem_signed;
    f.typed = info.mem == MemKind::LoadFormat || info.mem == MemKind::StoreFormat;
    switch (info.mem) {
        case MemKind::Load:
        case MemKind::LoadFormat:
            f.registers = info.dst_dwords;
            return f;
        case MemKind::Store:
        case MemKind::StoreFormat:
            f.kind = Kind::Store;
            f.registers = info.src_dwords[1];
            return f;
        case MemKind::Atomic:
            f.kind = Kind::Atomic;
            f.atomic = info.atomic;
            f.registers = static_cast<uint8_t>(info.mem_bytes / 4);
            return f;
        default:
            return std::nullopt;
    }
}

// ---- places ----------------------------------------------------------------------------------

bool BufferWave::prepare(const Inst& inst, const Form& form, WaveState& w) {
    const BufferResource r = BufferResource::decode(&w.s[inst.srsrc]);
    exec_ = inside_ = w.exec();
    if (r.type != 0 || exec_ == 0) {
        return false;
    }
    inst_ = &inst;
    form_ = &form;
    w_ = &w;
    bytes_ = form.bytes;
    if (form.typed && !find_elements(r)) {
        return false;
    }
    whole_ = form.typed || form.kind == Kind::Atomic;
    dwords_ = (bytes_ + 3) / 4;
    align_ = bytes_ >= 4 ? ~uint64_t{3} : bytes_ == 2 ? ~uint64_t{1} : ~uint64_t{0};
    base_ = r.base + scalar_operand(inst, w, inst.soffset);
    room_ = kUnchecked;
    dword_step_ = 4;
    if (inst.addr64) {
        return flat_places();
    }
    if (r.swizzle) {
        return scratch_places(r);
    }
    const bool records = r.stride != 0 && (inst.idxen || r.add_tid);
    return (records ? record_places(r) : raw_places(r)) && (base_ & ~align_) == 0;
}

bool BufferWave::find_elements(const BufferResource& r) {
    const bool own = inst_->format == Format::Mtbuf;
    const unsigned dfmt = own ? inst_->dfmt : r.dfmt;
    const unsigned nfmt = own ? inst_->nfmt : r.nfmt;
    elements_ = {&buffer_lane_format(dfmt, nfmt), own ? kIdentitySelect : r.dst_sel,
                 form_->registers};
    bytes_ = elements_.format->bytes;
    return elements_.format->usable && !reserved_select(elements_.dst_sel) &&
           (form_->kind == Kind::Load || unsupported_store(dfmt, nfmt) == nullptr);
}

bool BufferWave::flat_places() {
    base_ += inst_->offset;
    const auto lane = static_cast<unsigned>(__builtin_ctzll(exec_));
    const uint32_t* low = w_->v[inst_->vaddr];
    const uint32_t* high = w_->v[inst_->vaddr + 1];
    address_ = (base_ + (low[lane] | uint64_t{high[lane]} << 32)) & kAddressMask & align_;
    return true;
}

bool BufferWave::raw_places(const BufferResource& r) {
    offset_ = inst_->offen ? w_->v[inst_->vaddr + (inst_->idxen ? 1 : 0)] : kZeros;
    if (r.stride == 0) {
        // From the buffer's start to the last byte that the check inspects, of a lane at 0.
        const uint64_t checked =
            base_ - r.base + inst_->offset + (whole_ ? bytes_ - 1 : 4 * (dwords_ - 1));
        if (checked >= r.num_records) {
            return false;
        }
        room_ = r.num_records - 1 - checked + bytes_;
    }
    address_ = base_ += inst_->offset;
    return true;
}

bool BufferWave::record_places(const BufferResource& r) {
    const uint32_t last = 4 * (dwords_ - 1);  // dword of the access
    const uint32_t* index = inst_->idxen ? w_->v[inst_->vaddr] : kZeros;
    const uint32_t* field = inst_->offen ? w_->v[inst_->vaddr + (inst_->idxen ? 1 : 0)] : nullptr;
    if (last >= r.stride || (field == nullptr && inst_->offset >= r.stride - last)) {
        return false;
    }
    alignas(64) VReg numbers;
    if (r.add_tid) {
        memory_.multiply_add(index, 1, kLaneNumbers.of, numbers);
        index = numbers;
    }
    std::fill_n(relative_, kLanes, uint32_t{inst_->offset});
    if (field != nullptr) {
        memory_.multiply_add(field, 1, relative_, relative_);
        inside_ &= memory_.below(relative_, r.stride - last);
        if (!whole_ && last != 0 && inside_ != exec_) {
            return false;  // a part of a lane's dwords may be in range
        }
    }
    inside_ &= memory_.below(index, r.num_records);
    // Products that wrap are not for here.
    if (inside_ == 0 || (uint64_t{r.num_records} * r.stride > kFarthest &&
                         uint64_t{memory_.highest(index, inside_)} * r.stride > kFarthest)) {
        return false;
    }
    memory_.multiply_add(index, r.stride, relative_, relative_);
    offset_ = relative_;
    address_ = base_;
    return true;
}

// Scratch as compilers describe it: the lane is the index, its dwords lie 64 lanes apart.
bool BufferWave::scratch_places(const BufferResource& r) {
    if (whole_ || !r.add_tid || inst_->idxen || r.index_stride != kLanes || r.element_size != 4 ||
        base_ % 4 != 0) {
        return false;
    }
    const uint32_t* v = inst_->offen ? w_->v[inst_->vaddr] : kZeros;
    const uint32_t offset = inst_->offset;
    const uint64_t highest = uint64_t{inst_->offen ? memory_.highest(v, exec_) : 0} + offset;
    const uint64_t last = highest + 4 * (dwords_ - 1);
    if (highest >= 1u << 22 || (r.stride == 0 ? base_ - r.base + last >= r.num_records
                                              : last >= r.stride || r.num_records < kLanes)) {
        return false;
    }
    // Dwords from an address between two go to places of their own.
    for (uint64_t m = dwords_ > 1 ? exec_ : 0; m != 0; m &= m - 1) {
        if ((v[__builtin_ctzll(m)] + offset) % 4 != 0) {
            return false;
        }
    }
    const auto in_dword = static_cast<uint32_t>(align_ & 3);
    for (unsigned l = 0; l < kLanes; ++l) {
        const uint32_t at = v[l] + offset;
        relative_[l] = (at >> 2) * (4 * kLanes) + 4 * l + (at & in_dword);
    }
    offset_ = relative_;
    address_ = base_;
    dword_step_ = 4 * kLanes;
    return true;
}

// Leaves out lanes beyond the end of a raw buffer. False: there is none, or what it does is more
// than to read 0s.
bool BufferWave::trim() {
    if (room_ >= 0xfffffff0u) {
        return false;
    }
    const auto places = static_cast<uint32_t>(room_ - bytes_ + 1);
    inside_ = exec_ & memory_.below(offset_, places);
    const uint64_t outside = exec_ & ~inside_;
    if (inside_ == 0 || outside == 0 ||
        memory_.highest(offset_, outside) > 0xffffffffu - inst_->offset) {
        return false;
    }
    return whole_ || (exec_ & memory_.below(offset_, places + 4 * (dwords_ - 1))) == inside_;
}

// ---- data ------------------------------------------------------------------------------------

bool BufferWave::execute(const HostWindow& memory) {
    return attempt(memory) || (trim() && attempt(memory));
}

bool BufferWave::attempt(const HostWindow& memory) {
    LaneAccess a;
    a.exec = inside_;
    a.base = memory.host;
    a.limit = memory.bytes;
    a.count = a.element = dwords_;
    uint64_t first = 0;
    if (inst_->addr64) {
        if (!memory_.relative(w_->v[inst_->vaddr], w_->v[inst_->vaddr + 1], base_,
                              kAddressMask & align_, memory.first, exec_, relative_)) {
            return false;
        }
        a.address = relative_;
    } else {
        first = base_ - memory.first;
        if (first >= kFarthest) {  // before the piece, too
            return false;
        }
        a.address = offset_;
        a.align = static_cast<uint32_t>(~align_);
        a.limit = std::min(a.limit, first + room_);
    }
    for (unsigned k = 0; k < dwords_; ++k) {
        a.offset[k] = static_cast<uint32_t>(first) + dword_step_ * k;
    }
    for (unsigned k = 0; k < dwords_ && k < form_->registers; ++k) {
        a.reg[k] = w_->v[inst_->vdst + k];
    }
    switch (form_->kind) {
        case Kind::Load:
            return form_->typed ? load_elements(a) : load(a) && clear_outside(a);
        case Kind::Store:
            return form_->typed ? store_elements(a) : store(a);
        case Kind::Atomic:
            return atomic(a);
        default:
            return false;
    }
}

bool BufferWave::load(const LaneAccess& a) {
    return bytes_ < 4 ? memory_.read_small(a, bytes_, form_->sign_extend) : memory_.read(a);
}

bool BufferWave::store(const LaneAccess& a) {
    return bytes_ < 4 ? memory_.write_small(a, bytes_) : memory_.write(a);
}

// Registers of lanes out of range become 0.
bool BufferWave::clear_outside(const LaneAccess& a) {
    const uint64_t outside = exec_ & ~inside_;
    for (unsigned k = 0; outside != 0 && k < a.count; ++k) {
        memory_.blend(a.reg[k], kZeros, outside);
    }
    return true;
}

bool BufferWave::load_elements(LaneAccess& a) {
    if (elements_.moves_dwords(elements_.registers)) {
        // The rest of the element has to be there, too.
        const uint64_t rest = 4 * (dwords_ - uint64_t{elements_.registers});
        if (a.limit < rest) {
            return false;
        }
        a.limit -= rest;
        a.count = elements_.registers;
        return memory_.read(a) && clear_outside(a);
    }
    for (unsigned k = 0; k < dwords_; ++k) {
        a.reg[k] = raw_[k];
    }
    if (!load(a)) {
        return false;
    }
    elements_.load(formats_, raw_, inside_, exec_ & ~inside_, &w_->v[inst_->vdst]);
    return true;
}

bool BufferWave::store_elements(LaneAccess& a) {
    if (!elements_.moves_dwords(elements_.format->components)) {
        elements_.store(formats_, &w_->v[inst_->vdst], raw_);
        for (unsigned k = 0; k < dwords_; ++k) {
            a.reg[k] = raw_[k];
        }
    }
    return store(a);
}

bool BufferWave::atomic(LaneAccess& a) {
    a.align |= bytes_ - 1;
    if ((a.offset[0] & (bytes_ - 1)) != 0) {
        return false;
    }
    VReg* const data = &w_->v[inst_->vdst];
    uint32_t* second[2] = {data[dwords_], data[2 * dwords_ - 1]};
    return memory_.atomic(a, form_->atomic, compares(form_->atomic) ? second : nullptr,
                          inst_->glc ? a.reg : nullptr) &&
           (!inst_->glc || clear_outside(a));
}

}  // namespace archipelago::isa
