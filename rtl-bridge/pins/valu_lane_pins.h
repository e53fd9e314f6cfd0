// SPDX-License-Identifier: Apache-2.0
// Pins of one lane of the vector ALU; documented in rtl-bridge/rtl/valu_lane/valu_lane.sv.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct ValuLanePins {
    static constexpr const char* kName = "valu_lane";
    static constexpr Elastic kElastic{"in", "out"};

    // The operation on the lane's input port.
    struct Operation {
        uint16_t op = 0;  // VOP3 opcode number, 9 bits
        uint32_t a = 0, b = 0, c = 0;
        uint8_t carry = 0;
        uint8_t neg = 0, abs = 0;  // bit k: source k
        uint8_t omod = 0, clamp = 0;
        uint8_t round = 0, denorm = 0, dx10 = 0, ieee = 0;  // MODE
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
        uint32_t out_result = 0;
        uint8_t out_flag = 0;
        uint8_t out_illegal = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "an operation is there");
        ARCHIPELAGO_PIN(in, op, in.op, 9, "VOP3 opcode number of Southern Islands");
        ARCHIPELAGO_PIN(in, a, in.a, 32, "source 0");
        ARCHIPELAGO_PIN(in, b, in.b, 32, "source 1");
        ARCHIPELAGO_PIN(in, c, in.c, 32, "source 2");
        ARCHIPELAGO_PIN(in, carry, in.carry, 1, "carry, or the condition of v_cndmask");
        ARCHIPELAGO_PIN(in, neg, in.neg, 3, "sources that are negated, by bit");
        ARCHIPELAGO_PIN(in, abs, in.abs, 3, "sources taken as absolute values, by bit");
        ARCHIPELAGO_PIN(in, omod, in.omod, 2, "output modifier");
        ARCHIPELAGO_PIN(in, clamp, in.clamp, 1, "output is clamped");
        ARCHIPELAGO_PIN(in, round, in.round, 2, "MODE.FP_ROUND of single precision");
        ARCHIPELAGO_PIN(in, denorm, in.denorm, 2,
                        "MODE.FP_DENORM: bit 0 denormals of inputs, 1 of outputs are kept");
        ARCHIPELAGO_PIN(in, dx10, in.dx10, 1, "MODE.DX10_CLAMP");
        ARCHIPELAGO_PIN(in, ieee, in.ieee, 1, "MODE.IEEE");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the result is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the operation is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "a result, in the order of the operations");
        ARCHIPELAGO_PIN(out, result, out_result, 32, "32 bits");
        ARCHIPELAGO_PIN(out, flag, out_flag, 1, "carry, borrow, or outcome of a compare");
        ARCHIPELAGO_PIN(out, illegal, out_illegal, 1, "the lane does not have this opcode");
    }
};

}  // namespace archipelago::rtl
