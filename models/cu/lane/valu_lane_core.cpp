// SPDX-License-Identifier: Apache-2.0
#include "models/cu/lane/valu_lane_core.h"

#include "models/cu/isa/opcodes.h"

namespace archipelago::cu {
namespace {

using isa::Op;

// VOP3 opcode numbers, first to last.
struct Range {
    uint16_t first, last;
};
constexpr Range kRanges[] = {
    {0, 31},                 // v_cmp, v_cmpx _f32
    {64, 95},                // v_cmps, v_cmpsx _f32
    {128, 136}, {144, 152},  // compares _i32, class_f32
    {192, 199}, {208, 215},  // compares _u32
    {256, 256},              // cndmask
    {259, 287},              // VOP2 from add_f32 to mac_f32
    {290, 290},              // bcnt
    {293, 298},              // sums with carry
    {320, 323},              // mad
    {328, 330},              // bit fields
    {333, 335},              // lerp, align
    {337, 349},              // min3 .. sad_u32
    {361, 364},              // mul_lo, mul_hi
    {369, 369},              // msad_u8
    {385, 385},              // mov
    {439, 443},              // not .. ffbh_i32
};
constexpr unsigned kNumbers = 512;

struct LaneTables {
    std::vector<uint16_t> opcodes;
    std::array<bool, kNumbers> has{};
    std::array<Op, kNumbers> ops{};
    std::array<isa::ExecFn, kNumbers> exec{};
    std::vector<int16_t> number;  // by Op

    LaneTables() : number(static_cast<size_t>(Op::Illegal) + 1, -1) {
        for (const Range& range : kRanges) {
            for (unsigned n = range.first; n <= range.last; ++n) {
                const Op op = isa::op_from_number(isa::Format::Vop3, n);
                opcodes.push_back(static_cast<uint16_t>(n));
                has[n] = true;
                ops[n] = op;
                exec[n] = isa::find_valu(op);
                number[static_cast<size_t>(op)] = static_cast<int16_t>(n);
            }
        }
        // The forms with a literal are the same operation to a lane.
        number[static_cast<size_t>(Op::V_MADMK_F32)] = number[static_cast<size_t>(Op::V_MAC_F32)];
        number[static_cast<size_t>(Op::V_MADAK_F32)] = number[static_cast<size_t>(Op::V_MAC_F32)];
    }
};

const LaneTables& lane_tables() {
    static const LaneTables t;
    return t;
}

constexpr unsigned kCarryIn = 8, kCarryOut = 10;  // scalar register pairs

}  // namespace

const std::vector<uint16_t>& valu_lane_opcodes() {
    return lane_tables().opcodes;
}

bool valu_lane_has(unsigned op) {
    return op < kNumbers && lane_tables().has[op];
}

int valu_lane_opcode(isa::Op op) {
    return op <= Op::Illegal ? lane_tables().number[static_cast<size_t>(op)] : -1;
}

ValuLaneCore::ValuLaneCore() {
    wave_.v = &registers_[0].lanes;
    wave_.num_vgprs = static_cast<uint16_t>(registers_.size());
    wave_.num_sgprs = isa::kSgprLast + 1;
}

ValuLaneState::Result ValuLaneCore::evaluate(const rtl::ValuLanePins::Operation& o) {
    ValuLaneState::Result r;
    if (!valu_lane_has(o.op)) {
        r.illegal = true;
        return r;
    }
    isa::Inst inst;
    inst.op = lane_tables().ops[o.op];
    inst.format = isa::Format::Vop3;
    inst.num_src = 3;
    inst.src[0] = isa::kVgprFirst;
    inst.src[1] = isa::kVgprFirst + 1;
    inst.src[2] = isa::kVgprFirst + 2;
    inst.vdst = 3;
    inst.neg = o.neg;
    inst.abs = o.abs;
    inst.omod = o.omod;
    inst.clamp = o.clamp != 0;
    inst.sdst = kCarryOut;
    // Carries and conditions come in a scalar register, accumulators in the destination.
    const isa::OpInfo& info = isa::op_info(inst.op);
    if (info.has(isa::kOpMaskIn))
        inst.src[2] = kCarryIn;
    wave_.set_s64(kCarryIn, o.carry & 1u);
    wave_.set_s64(kCarryOut, 0);
    wave_.set_exec(1);
    wave_.mode.fp_round_32 = o.round;
    wave_.mode.fp_denorm_32 = o.denorm;
    wave_.mode.dx10_clamp = o.dx10 != 0;
    wave_.mode.ieee = o.ieee != 0;
    registers_[0].lanes[0] = o.a;
    registers_[1].lanes[0] = o.b;
    registers_[2].lanes[0] = o.c;
    registers_[3].lanes[0] = info.has(isa::kOpDstIn) ? o.c : 0;
    lane_tables().exec[o.op](inst, wave_);
    r.value = registers_[3].lanes[0];
    r.flag = (wave_.s64(kCarryOut) & 1) != 0;
    return r;
}

void ValuLaneCore::step(const In& in, Out& out) {
    auto& pipe = state_.pipe;
    const bool taken = in.out_ready != 0;
    out = Out{};
    out.in_ready = pipe.ready(taken);
    if (const ValuLaneState::Result* result = pipe.at_output()) {
        out.out_valid = 1;
        out.out_result = result->value;
        out.out_flag = result->flag;
        out.out_illegal = result->illegal;
    }
    if (in.rst != 0) {
        pipe = {};
        return;
    }
    pipe.advance(taken);
    if (out.in_ready != 0 && in.in_valid != 0)
        pipe.enter(evaluate(in.in));
}

}  // namespace archipelago::cu
