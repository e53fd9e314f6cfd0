// SPDX-License-Identifier: Apache-2.0
// Exports, messages, halting and traps: what instructions say to the world outside the wave.
#include <algorithm>

#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"
#include "models/cu/isa/scalar.h"
#include "models/cu/isa/special.h"

namespace archipelago::isa {

void export_message(const Inst& inst, const WaveState& w, ExportMessage& message) {
    message.target = inst.exp_target;
    message.enabled = inst.exp_en;
    message.compressed = inst.exp_compr;
    message.done = inst.exp_done;
    message.valid_mask = inst.exp_vm;
    message.exec = w.exec();
    const unsigned registers[4] = {inst.src[0] - 256u, inst.src[1] - 256u, inst.src[2] - 256u,
                                   inst.data1};
    for (unsigned i = 0; i < 4; ++i) {
        // Compressed, bits 1:0 of the enables go with the first register and 3:2 with the second.
        const bool used = inst.exp_compr ? i < 2 && (inst.exp_en >> (2 * i) & 3) != 0
                                         : (inst.exp_en >> i & 1) != 0;
        if (used) {
            std::copy_n(w.v[registers[i]], kLanes, message.data[i].begin());
        } else {
            message.data[i].fill(0);
        }
    }
}

// SIMM16: kind 3:0, operation 5:4 (System: 6:4), stream 9:8.
const char* shader_message(const Inst& inst, const WaveState& w, ShaderMessage& message) {
    const auto k = static_cast<uint32_t>(inst.simm16) & 0xffff;
    message.kind = ShaderMessage::Kind{static_cast<uint8_t>(k & 15)};
    message.operation = 0;
    message.stream = 0;
    message.m0 = w.s[kM0];
    message.exec = w.exec();
    switch (message.kind) {
        case ShaderMessage::Kind::None:
        case ShaderMessage::Kind::Interrupt:
            return nullptr;
        case ShaderMessage::Kind::Gs:
        case ShaderMessage::Kind::GsDone:
            message.operation = k >> 4 & 3;
            message.stream = k >> 8 & 3;
            return message.kind == ShaderMessage::Kind::Gs && message.operation == 0
                       ? "message GS without an operation"
                       : nullptr;
        case ShaderMessage::Kind::System:
            message.operation = k >> 4 & 7;
            return message.operation < 1 || message.operation > 4
                       ? "message SYSMSG with an operation that does not exist"
                       : nullptr;
        default:
            return "message of a kind that does not exist";
    }
}

namespace {

constexpr uint32_t kHwRegMode = 1;
constexpr uint32_t kHwRegStatus = 2;
constexpr uint32_t kHwRegIbSts = 7;

// The saved program counter is that of s_trap itself: handlers that mean to go on add 4. TTMP1
// above it: trap number 23:16, host trap 24, PC rewind 28:25 (GCN3 guide, S_TRAP; Linux' trap
// handlers). Without a handler the instruction does nothing.
void trap(const Inst& inst, WaveState& w) {
    if (!w.trap_en) {
        return;
    }
    const uint64_t pc = (w.pc - 4) & 0xffffffffffffull;
    w.s[kTtmpFirst] = static_cast<uint32_t>(pc);
    w.s[kTtmpFirst + 1] =
        static_cast<uint32_t>(pc >> 32) | (static_cast<uint32_t>(inst.simm16) & 0xff) << 16;
    w.pc = w.s64(kTbaLo) & 0xffffffffffffull;
    w.privileged = true;
}

}  // namespace

bool is_control(const Inst& inst) {
    switch (inst.op) {
        case Op::S_SETHALT:
        case Op::S_SETKILL:
        case Op::S_SETVSKIP:
        case Op::S_RFE_B64:
        case Op::S_TRAP:
            return true;
        case Op::S_GETREG_B32:
        case Op::S_GETREG_REGRD_B32:
            return (static_cast<uint32_t>(inst.simm16) & 63) == kHwRegIbSts;
        case Op::S_SETREG_B32:
        case Op::S_SETREG_IMM32_B32: {
            const auto k = static_cast<uint32_t>(inst.simm16);
            const uint32_t last = (k >> 6 & 31) + (k >> 11 & 31);
            return (k & 63) == kHwRegStatus || ((k & 63) == kHwRegMode && last >= 28);
        }
        default:
            return false;
    }
}

void execute_control(const Inst& inst, WaveState& w) {
    switch (inst.op) {
        case Op::S_SETHALT:
            w.halt = (inst.simm16 & 1) != 0;
            break;
        case Op::S_SETKILL:
            w.killed = (inst.simm16 & 1) != 0;
            break;
        case Op::S_TRAP:
            trap(inst, w);
            break;
        default:
            inst.exec(inst, w);
            break;
    }
}

}  // namespace archipelago::isa
