// SPDX-License-Identifier: Apache-2.0
// Branches, calls, the SGPR branch stack, and the hardware registers of s_getreg/s_setreg.
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"
#include "models/cu/isa/scalar.h"

namespace archipelago::isa {
namespace {

// ---- branches -----------------------------------------------------------------------------------

uint64_t relative_target(const Inst& i, const WaveState& w) {
    return w.pc + static_cast<uint64_t>(int64_t{i.simm16} * 4);
}

template <bool (*Condition)(const WaveState&)>
void branch(const Inst& i, WaveState& w) {
    if (Condition(w)) {
        w.pc = relative_target(i, w);
    }
}

bool always(const WaveState&) {
    return true;
}
bool scc0(const WaveState& w) {
    return !w.scc;
}
bool scc1(const WaveState& w) {
    return w.scc;
}
bool vccz(const WaveState& w) {
    return w.vcc() == 0;
}
bool vccnz(const WaveState& w) {
    return w.vcc() != 0;
}
bool execz(const WaveState& w) {
    return w.exec() == 0;
}
bool execnz(const WaveState& w) {
    return w.exec() != 0;
}

void getpc(const Inst& i, WaveState& w) {
    w.set_s64(i.sdst, w.pc);
}
void setpc(const Inst& i, WaveState& w) {
    w.pc = scalar_operand64(i, w, i.src[0]);
}
void swappc(const Inst& i, WaveState& w) {
    const uint64_t target = scalar_operand64(i, w, i.src[0]);
    w.set_s64(i.sdst, w.pc);
    w.pc = target;
}
void rfe(const Inst& i, WaveState& w) {
    w.pc = scalar_operand64(i, w, i.src[0]);
    w.privileged = false;
}

// ---- SGPR branch stack --------------------------------------------------------------------------
// Entry n is s[4n..4n+3]: the waiting lanes' mask, then their program counter. CSP has 3 bits.

void push(WaveState& w, uint64_t mask, uint64_t pc) {
    w.set_s64(w.csp * 4u, mask);
    w.set_s64(w.csp * 4u + 2, pc);
    w.csp = (w.csp + 1) & 7;
}

void fork(WaveState& w, uint64_t lanes, uint64_t target) {
    const uint64_t taken = lanes & w.exec();
    const uint64_t rest = ~lanes & w.exec();
    if (taken == w.exec()) {
        w.pc = target;
    } else if (rest == w.exec()) {
        // no lane branches: continue with the next instruction
    } else if (__builtin_popcountll(rest) < __builtin_popcountll(taken)) {
        push(w, taken, target);
        w.set_exec(rest);
    } else {
        push(w, rest, w.pc);
        w.set_exec(taken);
        w.pc = target;
    }
}

void g_fork(const Inst& i, WaveState& w) {
    fork(w, scalar_operand64(i, w, i.src[0]), scalar_operand64(i, w, i.src[1]));
}
void i_fork(const Inst& i, WaveState& w) {
    fork(w, w.s64(i.sdst), relative_target(i, w));
}
void join(const Inst& i, WaveState& w) {
    if (w.csp == scalar_operand(i, w, i.src[0])) {
        return;
    }
    w.csp = (w.csp - 1) & 7;
    w.set_exec(w.s64(w.csp * 4u));
    w.pc = w.s64(w.csp * 4u + 2);
}

// ---- hardware registers -------------------------------------------------------------------------

enum HwReg : uint32_t {
    kMode = 1,
    kStatus = 2,
    kTrapSts = 3,
    kHwId = 4,
    kGprAlloc = 5,
    kLdsAlloc = 6,
    kIbSts = 7,
    kPcLo = 8,
    kPcHi = 9,
    kInstDw0 = 10,
    kInstDw1 = 11,
    kIbDbg0 = 12,
};

// SQ_WAVE_MODE: FP_ROUND 3:0, FP_DENORM 7:4, DX10_CLAMP 8, IEEE 9, LOD_CLAMPED 10, DEBUG_EN 11,
// EXCP_EN 18:12, VSKIP 28, CSP 31:29.
uint32_t mode_register(const WaveState& w) {
    return w.mode.float_mode() | uint32_t{w.mode.dx10_clamp} << 8 | uint32_t{w.mode.ieee} << 9 |
           (w.mode.others & 3u) << 10 | (w.mode.excp_en & 0x7fu) << 12 | uint32_t{w.vskip} << 28 |
           (w.csp & 7u) << 29;
}

void set_mode_register(WaveState& w, uint32_t value) {
    w.mode = Mode::from_float_mode(static_cast<uint8_t>(value & 0xff), (value >> 8 & 1) != 0,
                                   (value >> 9 & 1) != 0);
    w.mode.others = value >> 10 & 3;
    w.mode.excp_en = value >> 12 & 0x7f;
    w.vskip = (value >> 28 & 1) != 0;
    w.csp = value >> 29;
}

// SQ_WAVE_STATUS: SCC 0, SPI_PRIO 2:1, WAVE_PRIO 4:3, PRIV 5, TRAP_EN 6, EXECZ 9, VCCZ 10, IN_TG
// 11, HALT 13, VALID 16. IN_BARRIER and TRAP are never seen by the wave itself; thread trace,
// performance counters, ECC, the conditional debug bits and the cache control read 0.
uint32_t status_register(const WaveState& w) {
    return uint32_t{w.scc} | (w.spi_priority & 3u) << 1 | (w.priority & 3u) << 3 |
           uint32_t{w.privileged} << 5 | uint32_t{w.trap_en} << 6 | uint32_t{w.exec() == 0} << 9 |
           uint32_t{w.vcc() == 0} << 10 | uint32_t{w.in_group} << 11 | uint32_t{w.halt} << 13 |
           1u << 16;
}

// SQ_WAVE_GPR_ALLOC: VGPR_BASE 5:0 and VGPR_SIZE 13:8 in units of 4, SGPR_BASE 21:16 and SGPR_SIZE
// 27:24 in units of 8; sizes less one.
uint32_t gpr_alloc_register(const WaveState& w) {
    const uint32_t vgprs = w.num_vgprs == 0 ? 0 : (w.num_vgprs - 1u) / 4;
    const uint32_t sgprs = w.num_sgprs == 0 ? 0 : (w.num_sgprs - 1u) / 8;
    return (w.vgpr_base / 4u & 0x3f) | (vgprs & 0x3f) << 8 | (w.sgpr_base / 8u & 0x3f) << 16 |
           (sgprs & 0xf) << 24;
}

// SQ_WAVE_LDS_ALLOC: LDS_BASE 7:0, LDS_SIZE 20:12, both in units of 64 dwords.
uint32_t lds_alloc_register(const WaveState& w) {
    return (w.lds_base / 256 & 0xff) | (((w.lds_size + 255) / 256 & 0x1ff) << 12);
}

uint32_t read_hwreg(const Inst& i, const WaveState& w, uint32_t id) {
    switch (id) {
        case kMode:
            return mode_register(w);
        case kStatus:
            return status_register(w);
        case kTrapSts:
            return w.trapsts;
        case kHwId:
            return w.hw_id;
        case kGprAlloc:
            return gpr_alloc_register(w);
        case kLdsAlloc:
            return lds_alloc_register(w);
        case kIbSts:
            return w.ib_sts;
        case kPcLo:
            return static_cast<uint32_t>(w.pc);
        case kPcHi:
            return static_cast<uint32_t>(w.pc >> 32) & 0xff;
        case kInstDw0:
            return i.words[0];
        case kInstDw1:
            return i.words[1];
        case kIbDbg0:  // KILL; the state of the instruction buffer reads 0
            return uint32_t{w.killed} << 27;
        default:
            return 0;
    }
}

// MODE is writable by anyone; TRAPSTS (exception flags) too. Of STATUS, SCC, the priority and HALT
// are writable in privileged mode. The rest is read-only.
void write_hwreg(WaveState& w, uint32_t id, uint32_t value) {
    switch (id) {
        case kMode:
            set_mode_register(w, value);
            break;
        case kStatus:
            if (w.privileged) {
                w.scc = (value & 1) != 0;
                w.priority = value >> 3 & 3;
                w.halt = (value >> 13 & 1) != 0;
            }
            break;
        case kTrapSts:
            w.trapsts = value;
            break;
        default:
            break;
    }
}

struct HwField {
    uint32_t id, offset, mask;

    explicit HwField(int32_t simm16)
        : id(static_cast<uint32_t>(simm16) & 0x3f),
          offset(static_cast<uint32_t>(simm16) >> 6 & 0x1f),
          mask((2u << (static_cast<uint32_t>(simm16) >> 11 & 0x1f)) - 1) {}
};

void set_field(const Inst& i, WaveState& w, uint32_t value) {
    const HwField f(i.simm16);
    const uint32_t mask = f.mask << f.offset;
    const uint32_t old = hardware_register(i, w);
    set_hardware_register(i, w, (old & ~mask) | (value << f.offset & mask));
}

void getreg(const Inst& i, WaveState& w) {
    const HwField f(i.simm16);
    w.s[i.sdst] = hardware_register(i, w) >> f.offset & f.mask;
}
void setreg(const Inst& i, WaveState& w) {
    set_field(i, w, w.s[i.sdst]);
}
void setvskip(const Inst& i, WaveState& w) {
    w.vskip = (scalar_operand(i, w, i.src[0]) >> (scalar_operand(i, w, i.src[1]) & 31) & 1) != 0;
}
void setreg_imm32(const Inst& i, WaveState& w) {
    set_field(i, w, i.literal);
}

}  // namespace

uint32_t hardware_register(const Inst& inst, const WaveState& w) {
    return read_hwreg(inst, w, HwField(inst.simm16).id);
}

void set_hardware_register(const Inst& inst, WaveState& w, uint32_t value) {
    write_hwreg(w, HwField(inst.simm16).id, value);
}

bool takes_branch(const Inst& inst, const WaveState& w) {
    switch (inst.op) {
        case Op::S_BRANCH:
        case Op::S_SETPC_B64:
        case Op::S_SWAPPC_B64:
            return true;
        case Op::S_CBRANCH_SCC0:
            return scc0(w);
        case Op::S_CBRANCH_SCC1:
            return scc1(w);
        case Op::S_CBRANCH_VCCZ:
            return vccz(w);
        case Op::S_CBRANCH_VCCNZ:
            return vccnz(w);
        case Op::S_CBRANCH_EXECZ:
            return execz(w);
        case Op::S_CBRANCH_EXECNZ:
            return execnz(w);
        default:
            return false;
    }
}

// clang-format off
ExecFn find_scalar_control(Op op) {
    switch (op) {
        case Op::S_BRANCH: return branch<always>;
        case Op::S_CBRANCH_SCC0: return branch<scc0>;
        case Op::S_CBRANCH_SCC1: return branch<scc1>;
        case Op::S_CBRANCH_VCCZ: return branch<vccz>;
        case Op::S_CBRANCH_VCCNZ: return branch<vccnz>;
        case Op::S_CBRANCH_EXECZ: return branch<execz>;
        case Op::S_CBRANCH_EXECNZ: return branch<execnz>;
        case Op::S_GETPC_B64: return getpc;
        case Op::S_SETPC_B64: return setpc;
        case Op::S_SWAPPC_B64: return swappc;
        case Op::S_RFE_B64: return rfe;
        case Op::S_CBRANCH_G_FORK: return g_fork;
        case Op::S_CBRANCH_I_FORK: return i_fork;
        case Op::S_CBRANCH_JOIN: return join;
        case Op::S_SETVSKIP: return setvskip;
        case Op::S_GETREG_B32: case Op::S_GETREG_REGRD_B32: return getreg;
        case Op::S_SETREG_B32: return setreg;
        case Op::S_SETREG_IMM32_B32: return setreg_imm32;
        default: return nullptr;
    }
}
// clang-format on

}  // namespace archipelago::isa
