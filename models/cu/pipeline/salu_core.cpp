// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/salu_core.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/cu/isa/effects.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/scalar.h"

namespace archipelago::cu {
namespace {

using isa::Format;
using isa::Inst;
using isa::Op;
using isa::OpInfo;
using isa::WaveState;
using rtl::SaluPins;

constexpr Format kFormats[SaluPins::kEncodings] = {Format::Sop2, Format::Sopk, Format::Sop1,
                                                   Format::Sopc, Format::Sopp};

// By encoding and number.
struct Instructions {
    Op op[SaluPins::kEncodings][SaluPins::kOpcodes];
    Instructions() {
        for (unsigned e = 0; e < SaluPins::kEncodings; ++e)
            for (unsigned n = 0; n < SaluPins::kOpcodes; ++n) {
                const Op found = isa::op_from_number(kFormats[e], n);
                op[e][n] = isa::find_scalar(found) != nullptr ? found : Op::Illegal;
            }
    }
};

bool is_bitset(Op op) {
    return op == Op::S_BITSET0_B32 || op == Op::S_BITSET0_B64 || op == Op::S_BITSET1_B32 ||
           op == Op::S_BITSET1_B64;
}

bool is_conditional_move(Op op) {
    return op == Op::S_CMOV_B32 || op == Op::S_CMOV_B64 || op == Op::S_CMOVK_I32;
}

bool sets_hardware_register(Op op) {
    return op == Op::S_SETREG_B32 || op == Op::S_SETREG_IMM32_B32;
}

bool moves_from_relative(Op op) {
    return op == Op::S_MOVRELS_B32 || op == Op::S_MOVRELS_B64;
}

bool moves_to_relative(Op op) {
    return op == Op::S_MOVRELD_B32 || op == Op::S_MOVRELD_B64;
}

// Where the core keeps what the pins bring: registers outside the branch stack.
constexpr unsigned kS0 = 96, kS1 = 98, kDestination = 100;
// A hardware register all of whose bits are kept stands for any.
constexpr uint32_t kHwRegTrapSts = 3;

unsigned stack_register(unsigned csp) {
    return csp % 8u * 4u;
}

// The instruction on the core's registers.
Inst instruction(Op op, const SaluPins::Operation& o) {
    const OpInfo& info = isa::op_info(op);
    Inst inst;
    inst.op = op;
    inst.format = info.format;
    inst.cls = info.cls;
    inst.num_src = info.num_src;
    inst.src[0] = kS0;
    inst.src[1] = kS1;
    inst.sdst = moves_to_relative(op) ? o.sdst : info.format == Format::Sopk ? kS0 : kDestination;
    inst.literal = static_cast<uint32_t>(o.s0);
    inst.simm16 = static_cast<int16_t>(o.k);
    if (sets_hardware_register(op) || op == Op::S_GETREG_B32 || op == Op::S_GETREG_REGRD_B32)
        inst.simm16 = static_cast<int16_t>((o.k & ~63u) | kHwRegTrapSts);
    return inst;
}

WaveState wave_of(Op op, const SaluPins::Operation& o) {
    WaveState w;
    w.pc = o.pc;
    w.scc = o.scc != 0;
    w.num_sgprs = o.sgprs;
    w.csp = o.csp;
    w.vskip = o.vskip != 0;
    w.privileged = o.priv != 0;
    w.trapsts = o.hwreg;
    w.set_s64(stack_register(o.csp + 7u), o.mask);
    w.set_s64(stack_register(o.csp + 7u) + 2, o.entry);
    w.set_s64(kS0, o.s0);
    w.set_s64(kS1, o.s1);
    w.set_s64(kDestination, is_bitset(op) ? o.s1 : 0);
    w.set_exec(o.exec);
    w.set_vcc(o.vcc);
    // Of s_movrels the pins bring the register that M0 selects.
    w.s[isa::kM0] = moves_to_relative(op) ? o.m0 : 0;
    if (moves_from_relative(op))
        w.num_sgprs = isa::kSgprLast + 1;
    return w;
}

uint64_t contents(const WaveState& w, unsigned number, unsigned dwords) {
    return dwords == 2 ? w.s64(number) : w.s[number];
}

void read_sources(const Inst& inst, const WaveState& w, SaluPins::Operation& o) {
    const OpInfo& info = isa::op_info(inst.op);
    const auto source = [&](unsigned slot) {
        return info.src_dwords[slot] == 2 ? isa::read_scalar64(inst, w, inst.src[slot])
                                          : isa::read_scalar(inst, w, inst.src[slot]);
    };
    if (moves_from_relative(inst.op))
        o.s0 = contents(w, isa::relative_source(inst, w), info.dst_dwords);
    else if (info.has(isa::kOpConstant))
        o.s0 = inst.literal;
    else if (inst.num_src > 0)
        o.s0 = source(0);
    if (is_bitset(inst.op))
        o.s1 = contents(w, inst.sdst, info.dst_dwords);
    else if (inst.num_src > 1)
        o.s1 = source(1);
}

// A move whose condition does not hold leaves the destination alone, regardless of what it was.
bool writes(const Inst& inst, const WaveState& before, const isa::Destinations& to,
            uint32_t result) {
    if (!is_conditional_move(inst.op))
        return to.sgprs != 0;
    WaveState w = before;
    w.s[to.sgpr] = ~before.s[to.sgpr];
    const uint32_t other = w.s[to.sgpr];
    isa::find_scalar(inst.op)(inst, w);
    return result != before.s[to.sgpr] || w.s[to.sgpr] != other;
}

void put_destination(const Inst& inst, const WaveState& before, const WaveState& after,
                     const SaluPins::Operation& o, SaluPins::Result& r) {
    const isa::Destinations to = isa::destinations(inst, before);
    if (!writes(inst, before, to, after.s[to.sgpr]))
        return;
    r.write = 1;
    r.wide = to.sgprs == 2 ? 1 : 0;
    r.sdst = moves_to_relative(inst.op) ? static_cast<uint8_t>(to.sgpr) : o.sdst;
    r.data = contents(after, to.sgpr, to.sgprs);
}

void put_stack(const WaveState& before, const WaveState& after, SaluPins::Result& r) {
    r.csp = after.csp;
    if (after.csp != ((before.csp + 1u) & 7u))
        return;
    r.push = 1;
    r.mask = after.s64(stack_register(before.csp));
    r.entry = after.s64(stack_register(before.csp) + 2);
}

constexpr unsigned kStuckCycles =
    10'000;  // cycles without a transfer before the ALU counts as stuck

}  // namespace

Op salu_op(unsigned encoding, unsigned number) {
    static const Instructions table;
    return encoding < SaluPins::kEncodings && number < SaluPins::kOpcodes
               ? table.op[encoding][number]
               : Op::Illegal;
}

bool salu_operation(const Inst& inst, const WaveState& wave, SaluPins::Operation& to) {
    const OpInfo& info = isa::op_info(inst.op);
    const auto encoding = static_cast<uint8_t>(
        std::find(std::begin(kFormats), std::end(kFormats), info.format) - std::begin(kFormats));
    if (salu_op(encoding, info.number) == Op::Illegal)
        return false;
    SaluPins::Operation o;
    o.enc = encoding;
    o.op = static_cast<uint8_t>(info.number);
    read_sources(inst, wave, o);
    o.k = static_cast<uint16_t>(inst.simm16);
    o.sdst = inst.sdst & 127u;
    o.scc = wave.scc ? 1 : 0;
    o.exec = wave.exec();
    o.vcc = wave.vcc();
    o.pc = wave.pc;
    o.m0 = wave.s[isa::kM0];
    o.sgprs = static_cast<uint8_t>(std::min<unsigned>(wave.num_sgprs, isa::kSgprLast + 1));
    o.hwreg = isa::hardware_register(inst, wave);
    o.csp = wave.csp;
    o.mask = wave.s64(stack_register(wave.csp + 7u));
    o.entry = wave.s64(stack_register(wave.csp + 7u) + 2);
    o.vskip = wave.vskip ? 1 : 0;
    o.priv = wave.privileged ? 1 : 0;
    to = o;
    return true;
}

SaluPins::Result SaluCore::evaluate(const SaluPins::Operation& o) {
    SaluPins::Result r;
    const Op op = salu_op(o.enc, o.op);
    if (op == Op::Illegal) {
        r.illegal = 1;
        return r;
    }
    const Inst inst = instruction(op, o);
    const WaveState before = wave_of(op, o);
    WaveState w = before;
    isa::find_scalar(op)(inst, w);

    put_destination(inst, before, w, o, r);
    put_stack(before, w, r);
    r.scc = w.scc ? 1 : 0;
    if (isa::op_info(op).has(isa::kOpExecOut) || w.csp != before.csp) {
        r.exec_write = 1;
        r.exec = w.exec();
    }
    if (w.pc != before.pc || isa::takes_branch(inst, before)) {
        r.jump = 1;
        r.pc = w.pc;
    }
    if (sets_hardware_register(op)) {
        r.hwreg_write = 1;
        r.hwreg = w.trapsts;
    }
    r.vskip = w.vskip ? 1 : 0;
    r.priv = w.privileged ? 1 : 0;
    return r;
}

void SaluCore::step(const In& in, Out& out) {
    auto& pipe = state_.pipe;
    const bool taken = in.out_ready != 0;
    out = Out{};
    out.in_ready = pipe.ready(taken);
    if (const SaluPins::Result* result = pipe.at_output()) {
        out.out_valid = 1;
        out.out = *result;
    }
    if (in.rst != 0) {
        pipe = {};
        return;
    }
    pipe.advance(taken);
    if (out.in_ready != 0 && in.in_valid != 0)
        pipe.enter(evaluate(in.in));
}

PinSaluUnit::PinSaluUnit(rtl::PinBlock<SaluPins>& alu) : alu_(alu) {
    reset_block(alu_);
    in_.out_ready = 1;
}

// The destination first: EXEC may be it.
void PinSaluUnit::put_back(const Inst& inst, WaveState& wave) const {
    const SaluPins::Result& r = out_.out;
    wave.scc = r.scc != 0;
    wave.vskip = r.vskip != 0;
    wave.privileged = r.priv != 0;
    if (r.push != 0) {
        wave.set_s64(stack_register(wave.csp), r.mask);
        wave.set_s64(stack_register(wave.csp) + 2, r.entry);
    }
    wave.csp = r.csp;
    if (r.write != 0 && r.wide != 0)
        wave.set_s64(r.sdst & 126u, r.data);
    else if (r.write != 0)
        wave.s[r.sdst & 127u] = static_cast<uint32_t>(r.data);
    if (r.exec_write != 0)
        wave.set_exec(r.exec);
    if (r.jump != 0)
        wave.pc = r.pc;
    if (r.hwreg_write != 0)
        isa::set_hardware_register(inst, wave, r.hwreg);
}

bool PinSaluUnit::execute(const Inst& inst, WaveState& wave) {
    if (!salu_operation(inst, wave, in_.in))
        return false;
    in_.in_valid = 1;
    if (!rtl::step_until(alu_, in_, out_, &SaluPins::Out::in_ready, kStuckCycles))
        throw MachineStop(StopKind::Hang, SaluPins::kName, "the ALU takes no instruction");
    in_.in_valid = 0;
    if (!rtl::step_until(alu_, in_, out_, &SaluPins::Out::out_valid, kStuckCycles))
        throw MachineStop(StopKind::Hang, SaluPins::kName, "the ALU gives no result");
    if (out_.out.illegal != 0)
        throw MachineStop(StopKind::Protocol, SaluPins::kName,
                          std::string("the ALU does not know ") + isa::mnemonic(inst));
    put_back(inst, wave);
    return true;
}

}  // namespace archipelago::cu
