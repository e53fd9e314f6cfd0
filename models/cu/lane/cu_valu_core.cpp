// SPDX-License-Identifier: Apache-2.0
#include "models/cu/lane/cu_valu_core.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "models/cu/isa/effects.h"
#include "models/cu/isa/lane_exec.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/lane/valu_lane_core.h"
#include "models/cu/lane/wave_operands.h"

namespace archipelago::cu {
namespace {

using isa::Format;
using isa::Inst;
using isa::Op;
using isa::OpInfo;
using isa::WaveState;
using rtl::CuValuPins;

// What a lane by itself does not have.
constexpr Op kOfWaves[] = {Op::V_READLANE_B32, Op::V_WRITELANE_B32,     Op::V_MADMK_F32,
                           Op::V_MADAK_F32,    Op::V_MBCNT_LO_U32_B32,  Op::V_MBCNT_HI_U32_B32,
                           Op::V_NOP,          Op::V_READFIRSTLANE_B32, Op::V_MOV_FED_B32,
                           Op::V_CLREXCP,      Op::V_MOVRELD_B32,       Op::V_MOVRELS_B32,
                           Op::V_MOVRELSD_B32};

struct Tables {
    std::vector<uint16_t> opcodes = valu_lane_opcodes();
    std::array<Op, CuValuPins::kOpcodes> ops;

    Tables() {
        ops.fill(Op::Illegal);
        for (const uint16_t n : opcodes)
            ops[n] = isa::op_from_number(Format::Vop3, n);
        for (const Op op : kOfWaves) {
            const auto n = static_cast<uint16_t>(vop3_number(op));
            ops[n] = op;
            opcodes.push_back(n);
        }
        std::sort(opcodes.begin(), opcodes.end());
    }
};
const Tables& tables() {
    static const Tables t;
    return t;
}

// Where the core keeps what the pins bring: vector registers, and scalar ones in sequence.
constexpr unsigned kSources = 3, kDestination = 3, kRegisters = 4;
constexpr unsigned kScalars = 0, kMaskIn = 8, kMaskOut = 10, kScalarOut = 12;

bool is_row(unsigned code) {
    return code >= isa::kVgprFirst;
}
bool has_literal(Op op) {
    return op == Op::V_MADMK_F32 || op == Op::V_MADAK_F32;
}
bool is_relative_source(Op op) {
    return op == Op::V_MOVRELS_B32 || op == Op::V_MOVRELSD_B32;
}

// The instruction as the pins name it; its registers are the wave's.
Inst named(Op op, const CuValuPins::Operation& o) {
    const OpInfo& info = isa::op_info(op);
    Inst inst;
    inst.op = op;
    inst.format = isa::op_from_number(Format::Vop3, o.op) == op ? Format::Vop3 : info.format;
    inst.num_src = info.num_src;
    inst.src[0] = o.src0;
    inst.src[1] = o.src1;
    inst.src[2] = o.src2;
    inst.vdst = o.vdst;
    inst.sdst = info.has(isa::kOpSgprDst) ? kScalarOut : kMaskOut;
    inst.literal = o.literal;
    inst.neg = o.neg;
    inst.abs = o.abs;
    inst.omod = o.omod;
    inst.clamp = o.clamp != 0;
    return inst;
}

// The same on the registers of the core.
Inst placed(const Inst& from) {
    Inst inst = from;
    for (unsigned k = 0; k < kSources; ++k)
        inst.src[k] =
            static_cast<uint16_t>(is_row(from.src[k]) ? isa::kVgprFirst + k : kScalars + k);
    if (isa::op_info(inst.op).has(isa::kOpMaskIn))
        inst.src[2] = kMaskIn;
    if (has_literal(inst.op))  // which has no third field
        inst.src[2] = kScalars;
    inst.vdst = isa::op_info(inst.op).has(isa::kOpSgprDst) ? 0 : kDestination;
    return inst;
}

// The vector register that source 0 is: the instruction itself says which, each register holding
// its number.
uint8_t relative_source(const Inst& inst, uint32_t m0, unsigned vgprs) {
    struct alignas(64) Register {
        isa::VReg lanes;
    };
    std::vector<Register> numbers(CuValuPins::kMaxVgprs);
    for (unsigned n = 0; n < numbers.size(); ++n)
        numbers[n].lanes[0] = n;
    WaveState w;
    w.v = &numbers[0].lanes;
    w.num_vgprs = static_cast<uint16_t>(vgprs);
    w.s[isa::kM0] = m0;
    w.set_exec(1);
    Inst move = inst;
    move.op = Op::V_MOVRELS_B32;
    move.vdst = 0;
    isa::find_valu(move.op)(move, w);
    return static_cast<uint8_t>(numbers[0].lanes[0]);
}

uint8_t source_register(const Inst& inst, uint32_t m0, unsigned vgprs) {
    if (!is_row(inst.src[0]))
        return 0;
    return is_relative_source(inst.op) ? relative_source(inst, m0, vgprs)
                                       : static_cast<uint8_t>(inst.src[0] & 255u);
}

void put_source(const Inst& inst, const WaveState& wave, unsigned code, unsigned number,
                uint32_t& scalar, CuValuPins::Row& row) {
    if (is_row(code))
        std::memcpy(row.data(), wave.v[number], sizeof row);
    else
        scalar = isa::read_scalar(inst, wave, code);
}

}  // namespace

const std::vector<uint16_t>& cu_valu_opcodes() {
    return tables().opcodes;
}

Op cu_valu_op(unsigned number) {
    return number < CuValuPins::kOpcodes ? tables().ops[number] : Op::Illegal;
}

bool cu_valu_operation(const Inst& inst, const WaveState& wave, CuValuPins::Operation& to) {
    const int number = vop3_number(inst.op);
    if (number < 0 || cu_valu_op(static_cast<unsigned>(number)) != inst.op)
        return false;
    CuValuPins::Operation o;
    o.op = static_cast<uint16_t>(number);
    const OpInfo& info = isa::op_info(inst.op);
    o.m0 = wave.s[isa::kM0];
    o.vgprs = wave.num_vgprs;
    uint16_t* const codes[kSources] = {&o.src0, &o.src1, &o.src2};
    uint32_t* const scalars[kSources] = {&o.s0, &o.s1, &o.s2};
    CuValuPins::Row* const rows[kSources] = {&o.v0, &o.v1, &o.v2};
    for (unsigned k = 0; k < kSources && k < info.num_src; ++k) {
        *codes[k] = inst.src[k];
        const unsigned vgpr =
            k == 0 ? source_register(inst, o.m0, wave.num_vgprs) : inst.src[k] & 255u;
        put_source(inst, wave, inst.src[k], vgpr, *scalars[k], *rows[k]);
    }
    const isa::Destinations destination = isa::destinations(inst, wave);
    o.vdst = static_cast<uint8_t>(inst.vdst);
    if (destination.vgprs != 0)
        std::memcpy(o.old.data(), wave.v[destination.vgpr], sizeof o.old);
    o.literal = inst.literal;
    o.neg = inst.neg & 7u;
    o.abs = inst.abs & 7u;
    o.omod = inst.omod & 3u;
    o.clamp = inst.clamp ? 1 : 0;
    o.mask = read_lane_mask(inst, wave);
    o.exec = wave.exec();
    o.round = wave.mode.fp_round_32 & 3u;
    o.denorm = wave.mode.fp_denorm_32 & 3u;
    o.dx10 = wave.mode.dx10_clamp ? 1 : 0;
    o.ieee = wave.mode.ieee ? 1 : 0;
    to = o;
    return true;
}

CuValuCore::CuValuCore() : registers_(kRegisters) {
    wave_.v = &registers_[0].lanes;
    wave_.num_sgprs = isa::kSgprLast + 1;
}

void CuValuCore::put_operands(const CuValuPins::Operation& o) {
    const CuValuPins::Row* const rows[kRegisters] = {&o.v0, &o.v1, &o.v2, &o.old};
    for (unsigned k = 0; k < kRegisters; ++k)
        std::memcpy(registers_[k].lanes, rows[k]->data(), sizeof *rows[k]);
    wave_.s[kScalars] = o.s0;
    wave_.s[kScalars + 1] = o.s1;
    wave_.s[kScalars + 2] = o.s2;
    wave_.set_s64(kMaskIn, o.mask);
    wave_.set_exec(o.exec);
    wave_.mode.fp_round_32 = o.round;
    wave_.mode.fp_denorm_32 = o.denorm;
    wave_.mode.dx10_clamp = o.dx10 != 0;
    wave_.mode.ieee = o.ieee != 0;
    // Its registers are those that M0 has selected already.
    wave_.s[isa::kM0] = 0;
    wave_.num_vgprs = kRegisters;
}

CuValuPins::Result CuValuCore::evaluate(const CuValuPins::Operation& o) {
    CuValuPins::Result r;
    const Op op = cu_valu_op(o.op);
    if (op == Op::Illegal)
        return r;
    const Inst inst = named(op, o);
    const unsigned vgprs = std::min<unsigned>(o.vgprs, CuValuPins::kMaxVgprs);
    r.known = 1;
    r.source = source_register(inst, o.m0, vgprs);

    wave_.s[isa::kM0] = o.m0;
    wave_.num_vgprs = static_cast<uint16_t>(vgprs);
    const isa::Destinations to = isa::destinations(inst, wave_);
    put_operands(o);
    isa::find_valu(op)(placed(inst), wave_);

    if (to.vgprs != 0) {
        r.row_write = 1;
        r.vdst = static_cast<uint8_t>(to.vgpr);
        std::memcpy(r.row.data(), registers_[kDestination].lanes, sizeof r.row);
    }
    if (to.sgprs == 2) {
        r.mask_write = 1;
        r.exec_write = isa::op_info(op).has(isa::kOpExecOut) ? 1 : 0;
        r.mask = r.exec_write != 0 ? wave_.exec() : wave_.s64(kMaskOut);
    } else if (to.sgprs == 1) {
        r.scalar_write = 1;
        r.scalar = wave_.s[kScalarOut];
    }
    return r;
}

void CuValuCore::step(const In& in, Out& out) {
    const bool go = !state_.valid || in.out_ready != 0;
    out = Out{};
    out.in_ready = go ? 1 : 0;
    if (state_.valid) {
        out.out_valid = 1;
        out.out = state_.result;
    }
    if (in.rst != 0) {
        state_.valid = false;
    } else if (go) {
        state_.valid = in.in_valid != 0;
        if (state_.valid)
            state_.result = evaluate(in.in);
    }
}

}  // namespace archipelago::cu
