// SPDX-License-Identifier: Apache-2.0
// Pins of the vector ALU of a SIMD, 64 lanes wide; documented in rtl-bridge/rtl/cu_valu/cu_valu.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CuValuPins {
    static constexpr const char* kName = "cu_valu";
    static constexpr Elastic kElastic{"in", "out"};
    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kOpcodes = 512;
    static constexpr unsigned kMostVgprs = 256;  // of a wave

    using Row = std::array<uint32_t, kLanes>;  // a vector register
    // A vector instruction of a wave with what it reads.
    struct Operation {
        uint16_t op = 0;                        // VOP3 opcode number, 9 bits
        uint16_t src0 = 0, src1 = 0, src2 = 0;  // operand codes, vector registers from 256 on
        uint8_t vdst = 0;
        uint32_t literal = 0;
        uint8_t neg = 0, abs = 0;  // bit k: source k
        uint8_t omod = 0, clamp = 0;
        uint32_t s0 = 0, s1 = 0, s2 = 0;
        Row v0{}, v1{}, v2{}, old{};
        uint64_t mask = 0, exec = 0;
        uint8_t round = 0, denorm = 0, dx10 = 0, ieee = 0;  // MODE
        uint32_t m0 = 0;
        uint16_t vgprs = 0;  // 0 to kMostVgprs
    };
    // What becomes of the wave; what is not written is 0.
    struct Result {
        uint8_t known = 0;
        uint8_t source = 0;
        uint8_t row_write = 0, vdst = 0;
        Row row{};
        uint8_t mask_write = 0, exec_write = 0;
        uint64_t mask = 0;
        uint8_t scalar_write = 0;
        uint32_t scalar = 0;
    };
    struct In {
        uint8_t rst = 0;
        uint8_t in_valid = 0;
        uint8_t out_ready = 0;
        Operation in;
    };
    struct Out {
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        Result out;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "a vector instruction of a wave is there");
        ARCHIPELAGO_PIN(in, op, in.op, 9,
                        "its VOP3 opcode number, whatever its encoding: VOPC as it is, VOP2 from "
                        "256, VOP1 from 384 on");
        ARCHIPELAGO_PIN(in, src0, in.src0, 9,
                        "operand code of source 0; 256 and above: a vector register");
        ARCHIPELAGO_PIN(in, src1, in.src1, 9, "of source 1");
        ARCHIPELAGO_PIN(in, src2, in.src2, 9, "of source 2");
        ARCHIPELAGO_PIN(in, vdst, in.vdst, 8, "vector register the destination field names");
        ARCHIPELAGO_PIN(in, literal, in.literal, 32, "constant of v_madmk_f32 and v_madak_f32");
        ARCHIPELAGO_PIN(in, neg, in.neg, 3, "sources that are negated, by bit");
        ARCHIPELAGO_PIN(in, abs, in.abs, 3, "sources taken as absolute values, by bit");
        ARCHIPELAGO_PIN(in, omod, in.omod, 2, "output modifier");
        ARCHIPELAGO_PIN(in, clamp, in.clamp, 1, "output is clamped");
        ARCHIPELAGO_PIN(in, s0, in.s0, 32, "value of source 0 that is no vector register");
        ARCHIPELAGO_PIN(in, s1, in.s1, 32, "of source 1");
        ARCHIPELAGO_PIN(in, s2, in.s2, 32, "of source 2");
        ARCHIPELAGO_PIN(in, v0, in.v0, 32, "lane n of source 0 that is a vector register");
        ARCHIPELAGO_PIN(in, v1, in.v1, 32, "of source 1");
        ARCHIPELAGO_PIN(in, v2, in.v2, 32, "of source 2");
        ARCHIPELAGO_PIN(in, old, in.old, 32, "lane n of the destination before the instruction");
        ARCHIPELAGO_PIN(in, mask, in.mask, 64,
                        "VCC, or the SGPR pair source 2 names, of instructions that read a mask");
        ARCHIPELAGO_PIN(in, exec, in.exec, 64, "EXEC");
        ARCHIPELAGO_PIN(in, round, in.round, 2, "MODE.FP_ROUND of single precision");
        ARCHIPELAGO_PIN(in, denorm, in.denorm, 2,
                        "MODE.FP_DENORM: bit 0 denormals of inputs, 1 of outputs are kept");
        ARCHIPELAGO_PIN(in, dx10, in.dx10, 1, "MODE.DX10_CLAMP");
        ARCHIPELAGO_PIN(in, ieee, in.ieee, 1, "MODE.IEEE");
        ARCHIPELAGO_PIN(in, m0, in.m0, 32, "M0, of relative moves");
        ARCHIPELAGO_PIN(in, vgprs, in.vgprs, 9, "vector registers of the wave, up to 256");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the result is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the instruction is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "a result, in the order of the instructions");
        ARCHIPELAGO_PIN(out, known, out.known, 1, "the vector ALU has this opcode");
        ARCHIPELAGO_PIN(out, source, out.source, 8,
                        "vector register that source 0 is: of relative moves the one M0 selects");
        ARCHIPELAGO_PIN(out, row_write, out.row_write, 1, "a vector register is written");
        ARCHIPELAGO_PIN(out, vdst, out.vdst, 8, "which");
        ARCHIPELAGO_PIN(out, row, out.row, 32, "lane n of it, those not written as they were");
        ARCHIPELAGO_PIN(out, mask_write, out.mask_write, 1,
                        "VCC or the pair SDST names is written");
        ARCHIPELAGO_PIN(out, exec_write, out.exec_write, 1, "EXEC is written as well");
        ARCHIPELAGO_PIN(out, mask, out.mask, 64, "with this, 0 for inactive lanes");
        ARCHIPELAGO_PIN(out, scalar_write, out.scalar_write, 1, "an SGPR is written");
        ARCHIPELAGO_PIN(out, scalar, out.scalar, 32, "with this");
    }
};

}  // namespace archipelago::rtl
