// SPDX-License-Identifier: Apache-2.0
// Pins of one lane of the vector ALU; documented in rtl-bridge/rtl/valu_lane/valu_lane.sv.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct ValuLanePins {
    static constexpr const char* kName = "valu_lane";

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
        ARCHIPELAGO_PIN(in, valid, in_valid, 1);
        ARCHIPELAGO_PIN(in, op, in.op, 9);
        ARCHIPELAGO_PIN(in, a, in.a, 32);
        ARCHIPELAGO_PIN(in, b, in.b, 32);
        ARCHIPELAGO_PIN(in, c, in.c, 32);
        ARCHIPELAGO_PIN(in, carry, in.carry, 1);
        ARCHIPELAGO_PIN(in, neg, in.neg, 3);
        ARCHIPELAGO_PIN(in, abs, in.abs, 3);
        ARCHIPELAGO_PIN(in, omod, in.omod, 2);
        ARCHIPELAGO_PIN(in, clamp, in.clamp, 1);
        ARCHIPELAGO_PIN(in, round, in.round, 2);
        ARCHIPELAGO_PIN(in, denorm, in.denorm, 2);
        ARCHIPELAGO_PIN(in, dx10, in.dx10, 1);
        ARCHIPELAGO_PIN(in, ieee, in.ieee, 1);
        ARCHIPELAGO_PIN(out, ready, out_ready, 1);
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1);
        ARCHIPELAGO_PIN(out, valid, out_valid, 1);
        ARCHIPELAGO_PIN(out, result, out_result, 32);
        ARCHIPELAGO_PIN(out, flag, out_flag, 1);
        ARCHIPELAGO_PIN(out, illegal, out_illegal, 1);
    }
};

}  // namespace archipelago::rtl
