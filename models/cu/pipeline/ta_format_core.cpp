// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/ta_format_core.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/lane_mask.h"

namespace archipelago::cu {
namespace {

using isa::Inst;
using isa::kLanes;
using isa::VectorMemOp;
using isa::VReg;
using isa::WaveState;
using rtl::TaFormatPins;

static_assert(kLanes == TaFormatPins::kLanes);

void copy_rows(const VReg* from, unsigned rows, TaFormatPins::Rows& to) {
    std::copy_n(&from[0][0], size_t{rows} * kLanes, to.begin());
}

// Dwords of memory that an access has for each lane.
unsigned memory_dwords(const VectorMemOp& op) {
    return (op.bytes + 3u) / 4;
}

void format_to_pins(const VectorMemOp& op, TaFormatPins::Query& q) {
    q.typed = op.typed ? 1 : 0;
    q.bytes = op.bytes;
    q.sign_extend = op.sign_extend ? 1 : 0;
    q.dfmt = op.dfmt;
    q.nfmt = op.nfmt;
    q.dst_sel = op.dst_sel;
}

void format_from_pins(const TaFormatPins::Query& q, VectorMemOp& op) {
    op.unsupported = nullptr;
    op.typed = q.typed != 0;
    op.bytes = q.bytes;
    op.sign_extend = q.sign_extend != 0;
    op.dwords = std::min<uint8_t>(q.dwords, TaFormatPins::kDwords);
    op.dfmt = q.dfmt;
    op.nfmt = q.nfmt;
    op.dst_sel = q.dst_sel;
}

}  // namespace

void store_query(const Inst& inst, const WaveState& wave, const VectorMemOp& op,
                 TaFormatPins::Query& q) {
    format_to_pins(op, q);
    q.store = 1;
    q.dwords = static_cast<uint8_t>(isa::operand_dwords(op));
    copy_rows(&wave.v[inst.vdst], q.dwords, q.data);
}

void load_query(const VectorMemOp& op, TaFormatPins::Query& q) {
    format_to_pins(op, q);
    q.store = 0;
    q.dwords = op.dwords;
    q.written = op.lanes | op.zero_lanes;
    const unsigned dwords = memory_dwords(op);
    for (unsigned k = 0; k < TaFormatPins::kDwords; ++k)
        q.dword_lanes[k] = k >= dwords ? 0 : op.contiguous ? op.lanes : op.dword_lanes[k];
    copy_rows(op.data, dwords, q.data);
}

TaFormatCore::TaFormatCore() : op_(std::make_unique<VectorMemOp>()) {}

void TaFormatCore::store(const TaFormatPins::Query& q) {
    alignas(64) VReg registers[TaFormatPins::kDwords];
    std::copy(q.data.begin(), q.data.end(), &registers[0][0]);
    WaveState wave;
    wave.v = registers;
    VectorMemOp& op = *op_;
    op.kind = VectorMemOp::Kind::Store;
    op.lanes = ~uint64_t{0};
    std::fill_n(&op.data[0][0], state_.data.size(), 0u);
    isa::buffer_operands(Inst{}, wave, op);
    std::copy_n(&op.data[0][0], state_.data.size(), state_.data.begin());
}

void TaFormatCore::load(const TaFormatPins::Query& q) {
    alignas(64) VReg registers[TaFormatPins::kDwords] = {};
    WaveState wave;
    wave.v = registers;
    VectorMemOp& op = *op_;
    op.kind = VectorMemOp::Kind::Load;
    op.returns = true;
    op.tfe = false;
    op.vdst = 0;
    op.contiguous = false;
    op.lanes = 0;
    for (unsigned k = 0; k < TaFormatPins::kDwords; ++k) {
        op.dword_lanes[k] = q.dword_lanes[k] & q.written;
        op.lanes |= k == 0 || !op.typed ? op.dword_lanes[k] : 0;
    }
    op.zero_lanes = q.written & ~op.lanes;
    std::copy(q.data.begin(), q.data.end(), &op.data[0][0]);
    isa::vector_mem_complete(op, wave);
    std::copy_n(&registers[0][0], state_.data.size(), state_.data.begin());
}

void TaFormatCore::evaluate(const TaFormatPins::Query& q) {
    format_from_pins(q, *op_);
    if (q.store != 0)
        store(q);
    else
        load(q);
}

void TaFormatCore::step(const In& in, Out& out) {
    out = Out{};
    if (state_.valid) {
        out.out_valid = 1;
        out.out_data = state_.data;
    }
    out.in_ready = !state_.valid || in.out_ready != 0 ? 1 : 0;
    if (out.in_ready != 0) {
        state_.valid = in.in_valid != 0;
        if (state_.valid)
            evaluate(in.in);
    }
    if (in.rst != 0)
        state_.valid = false;
}

PinFormatUnit::PinFormatUnit(rtl::PinBlock<TaFormatPins>& block) : block_(block) {
    rtl::reset_block(block_);
    in_.out_ready = 1;
}

void PinFormatUnit::convert() {
    constexpr unsigned kTimeout = 10'000;  // cycles without a transfer
    in_.in_valid = 1;
    if (!rtl::step_until(block_, in_, out_, &TaFormatPins::Out::in_ready, kTimeout))
        throw MachineStop(StopKind::Hang, TaFormatPins::kName, "the block takes no data");
    in_.in_valid = 0;
    if (!rtl::step_until(block_, in_, out_, &TaFormatPins::Out::out_valid, kTimeout))
        throw MachineStop(StopKind::Hang, TaFormatPins::kName, "the block gives no data");
}

bool PinFormatUnit::store(const Inst& inst, const WaveState& wave, VectorMemOp& op) {
    if (op.lanes == 0 || isa::operand_dwords(op) == 0)
        return true;
    store_query(inst, wave, op, in_.in);
    convert();
    std::copy(out_.out_data.begin(), out_.out_data.end(), &op.data[0][0]);
    return true;
}

bool PinFormatUnit::load(const VectorMemOp& op, WaveState& wave) {
    if (!op.returns || op.unsupported != nullptr)
        return true;
    load_query(op, in_.in);
    convert();
    isa::write_status(op, wave);
    for (unsigned k = 0; k < op.dwords; ++k)
        isa::blend(wave.v[op.vdst + k], &out_.out_data[k * kLanes], in_.in.written);
    return true;
}

}  // namespace archipelago::cu
