// SPDX-License-Identifier: Apache-2.0
#include "models/cu/lane/lane_unit.h"

#include "models/common/error.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/lane/valu_lane_core.h"
#include "models/cu/lane/wave_operands.h"

namespace archipelago::cu {
namespace {

using isa::Inst;
using isa::Op;
using isa::WaveState;
using rtl::ValuLanePins;

// A 32-bit source of all lanes.
struct Source {
    const uint32_t* lanes = nullptr;  // null: `value` everywhere
    uint32_t value = 0;
    uint32_t operator[](unsigned lane) const { return lanes != nullptr ? lanes[lane] : value; }
};

Source source(const Inst& inst, const WaveState& wave, unsigned code) {
    if (code >= isa::kVgprFirst)
        return {wave.v[code & 255u], 0};
    return {nullptr, isa::read_scalar(inst, wave, code)};
}

constexpr unsigned kTimeout = 10'000;  // cycles without a transfer before the lane counts as stuck

}  // namespace

bool lane_operations(const Inst& inst, const WaveState& wave,
                     std::vector<ValuLanePins::Operation>& to) {
    const int number = valu_lane_opcode(inst.op);
    if (number < 0)
        return false;
    const isa::OpInfo& info = isa::op_info(inst.op);
    Source src[3];
    for (unsigned k = 0; k < inst.num_src && k < 3; ++k)
        src[k] = source(inst, wave, inst.src[k]);
    if (inst.op == Op::V_MADMK_F32 || inst.op == Op::V_MADAK_F32) {
        // The vector source is the second field of the word whichever position it is listed at.
        const bool third = inst.src[2] >= isa::kVgprFirst && inst.src[1] < isa::kVgprFirst;
        const Source vector = source(inst, wave, inst.src[third ? 2 : 1]);
        const Source literal{nullptr, inst.literal};
        src[1] = inst.op == Op::V_MADMK_F32 ? literal : vector;
        src[2] = inst.op == Op::V_MADMK_F32 ? vector : literal;
    } else if (info.has(isa::kOpDstIn)) {
        src[2] = source(inst, wave, isa::kVgprFirst + (inst.vdst & 255u));
    }
    const uint64_t carries = read_lane_mask(inst, wave);
    ValuLanePins::Operation o;
    o.op = static_cast<uint16_t>(number);
    o.neg = inst.neg & 7u;
    o.abs = inst.abs & 7u;
    o.omod = inst.omod & 3u;
    o.clamp = inst.clamp ? 1 : 0;
    o.round = wave.mode.fp_round_32 & 3u;
    o.denorm = wave.mode.fp_denorm_32 & 3u;
    o.dx10 = wave.mode.dx10_clamp ? 1 : 0;
    o.ieee = wave.mode.ieee ? 1 : 0;
    for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
        o.a = src[0][lane];
        o.b = src[1][lane];
        o.c = src[2][lane];
        o.carry = static_cast<uint8_t>(carries >> lane & 1);
        to.push_back(o);
    }
    return true;
}

LaneUnit::LaneUnit(rtl::PinBlock<ValuLanePins>& lane) : lane_(lane) {
    rtl::reset_block(lane_);
}

bool LaneUnit::execute(const Inst& inst, WaveState& wave) {
    pending_.clear();
    if (!lane_operations(inst, wave, pending_))
        return false;
    results_.clear();
    ValuLanePins::In in;
    ValuLanePins::Out out;
    in.out_ready = 1;
    unsigned waited = 0;
    for (size_t sent = 0; results_.size() < pending_.size();) {
        in.in_valid = sent < pending_.size() ? 1 : 0;
        if (in.in_valid != 0)
            in.in = pending_[sent];
        lane_.step(in, out);
        const bool taken = in.in_valid != 0 && out.in_ready != 0;
        sent += taken ? 1 : 0;
        if (out.out_valid != 0)
            results_.push_back(out);
        waited = taken || out.out_valid != 0 ? 0 : waited + 1;
        if (waited == kTimeout)
            throw MachineStop(StopKind::Hang, ValuLanePins::kName,
                              "the lane neither takes operations nor gives results");
    }
    operations_ += results_.size();

    const isa::OpInfo& info = isa::op_info(inst.op);
    const bool compares = info.format == isa::Format::Vopc;
    uint64_t mask = 0;
    size_t next = 0;
    for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
        const ValuLanePins::Out& r = results_[next++];
        if (r.out_illegal != 0)
            throw MachineStop(StopKind::Protocol, ValuLanePins::kName,
                              std::string("the lane does not know ") + isa::mnemonic(inst));
        mask |= uint64_t{r.out_flag} << lane;
        if (!compares)
            wave.v[inst.vdst & 255u][lane] = r.out_result;
    }
    if (info.has(isa::kOpMaskOut))
        write_lane_mask(inst, wave, mask);
    if (info.has(isa::kOpExecOut))
        wave.set_exec(mask);
    return true;
}

}  // namespace archipelago::cu
