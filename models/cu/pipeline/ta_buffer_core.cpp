// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/ta_buffer_core.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/vector_mem_start.h"

namespace archipelago::cu {
namespace {

using isa::Inst;
using isa::VectorMemOp;
using isa::WaveState;
using rtl::TaBufferPins;
using Access = TaBufferPins::Access;

static_assert(static_cast<unsigned>(isa::Format::Mubuf) == TaBufferPins::kMubuf &&
              static_cast<unsigned>(isa::Format::Mtbuf) == TaBufferPins::kMtbuf);
static_assert(isa::kLanes == TaBufferPins::kLanes);

// Where evaluate() keeps what the pins bring: registers of a wave that has no others.
constexpr unsigned kResource = 0, kSoffset = 4;

uint8_t pin_of(bool value) {
    return value ? 1 : 0;
}

unsigned dwords_of(unsigned bytes) {
    return (bytes + 3) / 4;
}

// The lanes that access dword `k` of those there are.
uint64_t lanes_of(const VectorMemOp& op, unsigned k) {
    return op.contiguous ? op.lanes : op.dword_lanes[k];
}

void put_addresses(const VectorMemOp& op, Access& a) {
    const unsigned count = op.lanes == 0 ? 0 : dwords_of(op.bytes);
    for (unsigned k = 0; k < count; ++k) {
        a.dword_lanes[k] = lanes_of(op, k);
        for (uint64_t rest = a.dword_lanes[k]; rest != 0; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
            a.addr[k * isa::kLanes + l] = op.contiguous ? op.addr[0][l] + 4 * k : op.addr[k][l];
        }
    }
}

void to_pins(const VectorMemOp& op, const WaveState& wave, Access& a) {
    a = Access{};
    if (op.unsupported != nullptr) {
        a.unsupported = static_cast<uint8_t>(isa::refusal_of(op.unsupported));
        return;
    }
    a.kind = static_cast<uint8_t>(op.kind);
    a.atomic = static_cast<uint8_t>(op.atomic);
    a.bytes = op.bytes;
    a.dwords = op.dwords;
    a.data_dwords = static_cast<uint8_t>(isa::operand_dwords(op));
    a.sign_extend = pin_of(op.sign_extend);
    a.returns = pin_of(op.returns);
    a.glc = pin_of(op.glc);
    a.slc = pin_of(op.slc);
    a.contiguous = pin_of(op.contiguous);
    a.to_lds = pin_of(op.to_lds);
    a.tfe = pin_of(op.tfe);
    a.typed = pin_of(op.typed);
    a.dfmt = op.dfmt;
    a.nfmt = op.nfmt;
    a.dst_sel = op.dst_sel;
    a.lanes = op.lanes;
    a.zero_lanes = op.zero_lanes;
    if (op.to_lds) {
        a.lds_addr = op.lds_addr;
        a.lds_lanes = isa::lanes_to_lds(op, wave);
    }
    put_addresses(op, a);
}

// What a block on pins must not say, or null.
const char* wrong_access(const Access& a) {
    if (a.unsupported >= isa::kBufferRefusals)
        return "a reason there is not";
    if (a.atomic > static_cast<uint8_t>(isa::AtomicOp::None))
        return "an atomic operation there is not";
    if (a.dwords > TaBufferPins::kDwords || a.bytes > 4 * TaBufferPins::kDwords)
        return "an element of more than four dwords";
    return nullptr;
}

void from_pins(const Access& a, VectorMemOp& op) {
    op.unsupported = isa::refusal_text(static_cast<isa::BufferRefusal>(a.unsupported));
    op.kind = static_cast<VectorMemOp::Kind>(a.kind);
    op.atomic = static_cast<isa::AtomicOp>(a.atomic);
    op.bytes = a.bytes;
    op.dwords = a.dwords;
    op.sign_extend = a.sign_extend != 0;
    op.returns = a.returns != 0;
    op.glc = a.glc != 0;
    op.slc = a.slc != 0;
    op.contiguous = a.contiguous != 0;
    op.to_lds = a.to_lds != 0;
    op.tfe = a.tfe != 0;
    op.typed = a.typed != 0;
    op.dfmt = a.dfmt;
    op.nfmt = a.nfmt;
    op.dst_sel = a.dst_sel;
    op.lanes = a.lanes;
    op.zero_lanes = a.zero_lanes;
    op.lds_addr = a.lds_addr;
    std::copy(a.dword_lanes.begin(), a.dword_lanes.end(), op.dword_lanes);
    std::copy(a.addr.begin(), a.addr.end(), &op.addr[0][0]);
}

}  // namespace

void buffer_query(const Inst& inst, const WaveState& wave, bool offset_in_lds,
                  TaBufferPins::Query& q) {
    q.format = static_cast<uint8_t>(inst.format);
    q.op = static_cast<uint16_t>(isa::op_info(inst.op).number);
    q.offen = pin_of(inst.offen);
    q.idxen = pin_of(inst.idxen);
    q.addr64 = pin_of(inst.addr64);
    q.glc = pin_of(inst.glc);
    q.slc = pin_of(inst.slc);
    q.tfe = pin_of(inst.tfe);
    q.lds = pin_of(inst.lds);
    q.offset = inst.offset;
    q.offset_in_lds = pin_of(offset_in_lds);
    q.dfmt = inst.dfmt;
    q.nfmt = inst.nfmt;
    std::copy_n(&wave.s[inst.srsrc], q.resource.size(), q.resource.begin());
    q.soffset = isa::read_scalar(inst, wave, inst.soffset);
    q.m0 = static_cast<uint16_t>(wave.s[isa::kM0]);
    q.lds_base = wave.lds_base;
    q.lds_size = wave.lds_size;
    q.exec = wave.exec();
    if (inst.addr64 || inst.offen || inst.idxen)
        std::copy_n(wave.v[inst.vaddr], isa::kLanes, q.vaddr.begin());
    if (inst.addr64 || (inst.offen && inst.idxen))
        std::copy_n(wave.v[inst.vaddr + 1], isa::kLanes, q.vaddr_next.begin());
}

Inst buffer_instruction(const TaBufferPins::Query& q) {
    Inst inst;
    inst.format = q.format == TaBufferPins::kMtbuf   ? isa::Format::Mtbuf
                  : q.format == TaBufferPins::kMubuf ? isa::Format::Mubuf
                                                     : isa::Format::Illegal;
    inst.op = isa::op_from_number(inst.format, q.op);
    if (inst.op == isa::Op::Illegal)
        inst.format = isa::Format::Illegal;
    inst.offen = q.offen != 0;
    inst.idxen = q.idxen != 0;
    inst.addr64 = q.addr64 != 0;
    inst.glc = q.glc != 0;
    inst.slc = q.slc != 0;
    inst.tfe = q.tfe != 0;
    inst.lds = q.lds != 0;
    inst.offset = q.offset;
    inst.dfmt = q.dfmt;
    inst.nfmt = q.nfmt;
    inst.srsrc = kResource;
    inst.soffset = kSoffset;
    return inst;
}

void TaBufferCore::evaluate(const TaBufferPins::Query& q, Access& access) {
    alignas(64) isa::VReg rows[2];
    std::copy(q.vaddr.begin(), q.vaddr.end(), rows[0]);
    std::copy(q.vaddr_next.begin(), q.vaddr_next.end(), rows[1]);
    WaveState w;
    w.v = rows;
    w.num_vgprs = 2;
    std::copy(q.resource.begin(), q.resource.end(), &w.s[kResource]);
    w.s[kSoffset] = q.soffset;
    w.s[isa::kM0] = q.m0;
    w.lds_base = q.lds_base;
    w.lds_size = q.lds_size;
    w.set_exec(q.exec);
    VectorMemOp op;
    isa::buffer_addresses(buffer_instruction(q), w, op, q.offset_in_lds != 0);
    to_pins(op, w, access);
}

void TaBufferCore::step(const In& in, Out& out) {
    out = Out{};
    if (state_.valid) {
        out.out_valid = 1;
        out.out = state_.access;
    }
    out.in_ready = !state_.valid || in.out_ready != 0 ? 1 : 0;
    if (out.in_ready != 0) {
        state_.valid = in.in_valid != 0;
        if (state_.valid)
            evaluate(in.in, state_.access);
    }
    if (in.rst != 0)
        state_.valid = false;
}

PinBufferUnit::PinBufferUnit(rtl::PinBlock<TaBufferPins>& block) : block_(block) {
    rtl::reset_block(block_);
    in_.out_ready = 1;
}

bool PinBufferUnit::address(const Inst& inst, const WaveState& wave, bool offset_in_lds,
                            VectorMemOp& op) {
    constexpr unsigned kTimeout = 10'000;  // cycles without a transfer
    buffer_query(inst, wave, offset_in_lds, in_.in);
    in_.in_valid = 1;
    if (!rtl::step_until(block_, in_, out_, &TaBufferPins::Out::in_ready, kTimeout))
        throw MachineStop(StopKind::Hang, TaBufferPins::kName, "the block takes no instruction");
    in_.in_valid = 0;
    if (!rtl::step_until(block_, in_, out_, &TaBufferPins::Out::out_valid, kTimeout))
        throw MachineStop(StopKind::Hang, TaBufferPins::kName, "the block gives no addresses");
    if (const char* wrong = wrong_access(out_.out))
        throw MachineStop(StopKind::Protocol, TaBufferPins::kName,
                          std::string("the block gives ") + wrong);
    isa::start_vector_mem(inst, op);
    from_pins(out_.out, op);
    return true;
}

}  // namespace archipelago::cu
