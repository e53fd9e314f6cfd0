// SPDX-License-Identifier: Apache-2.0
// What the files of CuProgram share: operand codes, words, and how an instruction that fits is
// found.
#pragma once

#include <array>
#include <cstdint>

#include "models/cu/isa/effects.h"
#include "rtl-bridge/compare/cu_program.h"

namespace archipelago::rtl {
namespace cu_program {

namespace enc = isa::enc;
using isa::Format;
using isa::Op;
using isa::OpInfo;

// Operand codes.
constexpr unsigned kVcc = isa::kVccLo, kTba = isa::kTbaLo, kTma = isa::kTmaLo;
constexpr unsigned kTtmp = isa::kTtmpFirst, kM0 = isa::kM0, kExec = isa::kExecLo;
constexpr unsigned kZero = isa::kConstZero, kOne = isa::kIntPosFirst;
constexpr unsigned kMinusOne = isa::kIntNegFirst;

// SIMM16 of s_getreg and s_setreg: a field of a hardware register.
constexpr uint32_t kHwMode = 1, kHwStatus = 2, kHwId = 4;
constexpr uint32_t hardware(uint32_t id, uint32_t first, uint32_t width) {
    return id | first << 6 | (width - 1) << 11;
}

inline uint32_t number(Op op) {
    return isa::op_info(op).number;
}
// Number of VOP2's first opcode in VOP3.
constexpr uint32_t kVop2InVop3 = 256;

// Room for a result of two dwords: the pair of VGPRs after it keeps the addresses of the lanes.
constexpr unsigned kRoom = 4;

constexpr uint32_t low(uint64_t bits) {
    return static_cast<uint32_t>(bits);
}
constexpr uint32_t high(uint64_t bits) {
    return static_cast<uint32_t>(bits >> 32);
}

// Of the instructions of a format that are in the table.
Op any_of(Random& random, Format format);

// A wave in which only `resources`, s8 and following, are known.
struct Probe {
    alignas(64) std::array<isa::VReg, 260> rows{};
    isa::WaveState wave;
    isa::VectorMemOp op;
    Probe() {
        wave.v = rows.data();
        wave.num_vgprs = 256;
        wave.num_sgprs = isa::kSgprLast + 1;
    }
};
Probe& probe();

}  // namespace cu_program

template <class Make>
bool CuProgram::try_emit(const Block& b, const Make& make) {
    for (unsigned n = 0; n < 12; ++n) {
        const Pair words = make();
        const isa::Inst inst = isa::decode(words.words, 2);
        if (!fits(inst, b))
            continue;
        if (inst.dwords == 2)
            emit(words.words[0], words.words[1]);
        else
            emit(words.words[0]);
        return true;
    }
    return false;
}

}  // namespace archipelago::rtl
