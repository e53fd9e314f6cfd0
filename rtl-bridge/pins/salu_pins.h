// SPDX-License-Identifier: Apache-2.0
// Pins of the scalar ALU of a compute unit; documented in rtl-bridge/rtl/salu/salu.sv.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct SaluPins {
    static constexpr const char* kName = "salu";
    static constexpr Elastic kElastic{"in", "out"};

    enum Encoding : uint8_t { kSop2, kSopk, kSop1, kSopc, kSopp, kEncodings };
    static constexpr unsigned kOpcodes = 256;  // of an encoding

    // An instruction of a wave, with what it reads.
    struct Operation {
        uint8_t enc = 0;  // Encoding
        uint8_t op = 0;
        uint64_t s0 = 0, s1 = 0;
        uint16_t k = 0;
        uint8_t sdst = 0;
        uint8_t scc = 0;
        uint64_t exec = 0, vcc = 0, pc = 0;
        uint32_t m0 = 0;
        uint8_t sgprs = 0;
        uint32_t hwreg = 0;
        uint8_t csp = 0;
        uint64_t mask = 0, entry = 0;
        uint8_t vskip = 0, priv = 0;
    };
    struct In {
        uint8_t rst = 0;
        uint8_t in_valid = 0;
        uint8_t out_ready = 0;
        Operation in;
    };
    // What it makes of the wave.
    struct Result {
        uint8_t write = 0, wide = 0;
        uint8_t sdst = 0;
        uint64_t data = 0;
        uint8_t scc = 0;
        uint8_t exec_write = 0;
        uint64_t exec = 0;
        uint8_t jump = 0;
        uint64_t pc = 0;
        uint8_t hwreg_write = 0;
        uint32_t hwreg = 0;
        uint8_t csp = 0;
        uint8_t push = 0;
        uint64_t mask = 0, entry = 0;
        uint8_t vskip = 0, priv = 0;
        uint8_t illegal = 0;
    };
    struct Out {
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        Result out;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "an instruction is there");
        ARCHIPELAGO_PIN(in, enc, in.enc, 3, "its encoding: SOP2, SOPK, SOP1, SOPC, SOPP from 0");
        ARCHIPELAGO_PIN(in, op, in.op, 8, "opcode number of Southern Islands in the encoding");
        ARCHIPELAGO_PIN(in, s0, in.s0, 64,
                        "what SSRC0 names; of SOPK what SDST names, or the literal constant");
        ARCHIPELAGO_PIN(in, s1, in.s1, 64, "what SSRC1 names; of s_bitset what SDST names");
        ARCHIPELAGO_PIN(in, k, in.k, 16, "SIMM16");
        ARCHIPELAGO_PIN(in, sdst, in.sdst, 7, "SDST");
        ARCHIPELAGO_PIN(in, scc, in.scc, 1, "SCC of the wave");
        ARCHIPELAGO_PIN(in, exec, in.exec, 64, "EXEC of the wave");
        ARCHIPELAGO_PIN(in, vcc, in.vcc, 64, "VCC of the wave");
        ARCHIPELAGO_PIN(in, pc, in.pc, 64, "byte address of the next instruction");
        ARCHIPELAGO_PIN(in, m0, in.m0, 32, "M0 of the wave, for s_movreld");
        ARCHIPELAGO_PIN(in, sgprs, in.sgprs, 7, "SGPRs that s_movreld may write, at most 104");
        ARCHIPELAGO_PIN(in, hwreg, in.hwreg, 32, "the hardware register that SIMM16 names");
        ARCHIPELAGO_PIN(in, csp, in.csp, 3, "MODE.CSP of the wave");
        ARCHIPELAGO_PIN(in, mask, in.mask, 64, "lanes of the branch stack's top entry");
        ARCHIPELAGO_PIN(in, entry, in.entry, 64, "program counter of the top entry");
        ARCHIPELAGO_PIN(in, vskip, in.vskip, 1, "MODE.VSKIP of the wave");
        ARCHIPELAGO_PIN(in, priv, in.priv, 1, "STATUS.PRIV of the wave");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the result is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the instruction is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "a result, in the order of the instructions");
        ARCHIPELAGO_PIN(out, write, out.write, 1, "the destination is written");
        ARCHIPELAGO_PIN(out, wide, out.wide, 1, "two registers of it");
        ARCHIPELAGO_PIN(out, sdst, out.sdst, 7, "the first register written");
        ARCHIPELAGO_PIN(out, data, out.data, 64, "what is written there");
        ARCHIPELAGO_PIN(out, scc, out.scc, 1, "SCC afterwards");
        ARCHIPELAGO_PIN(out, exec_write, out.exec_write, 1,
                        "EXEC is written besides the destination, behind it");
        ARCHIPELAGO_PIN(out, exec, out.exec, 64, "what is written there");
        ARCHIPELAGO_PIN(out, jump, out.jump, 1, "the wave goes on at out_pc");
        ARCHIPELAGO_PIN(out, pc, out.pc, 64, "byte address");
        ARCHIPELAGO_PIN(out, hwreg_write, out.hwreg_write, 1, "the hardware register is written");
        ARCHIPELAGO_PIN(out, hwreg, out.hwreg, 32, "what is written there, where it is writable");
        ARCHIPELAGO_PIN(out, csp, out.csp, 3, "MODE.CSP afterwards");
        ARCHIPELAGO_PIN(out, push, out.push, 1, "an entry goes to the branch stack, at in_csp");
        ARCHIPELAGO_PIN(out, mask, out.mask, 64, "its lanes");
        ARCHIPELAGO_PIN(out, entry, out.entry, 64, "its program counter");
        ARCHIPELAGO_PIN(out, vskip, out.vskip, 1, "MODE.VSKIP afterwards");
        ARCHIPELAGO_PIN(out, priv, out.priv, 1, "STATUS.PRIV afterwards");
        ARCHIPELAGO_PIN(out, illegal, out.illegal, 1, "the ALU does not have this opcode");
    }
};

}  // namespace archipelago::rtl
