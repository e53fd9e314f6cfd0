// SPDX-License-Identifier: Apache-2.0
// Pins of one lane of the vector ALU; meanings stand in rtl-bridge/rtl/valu_lane/valu_lane.sv.
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
        visit(
            "reset", "rst", [](auto& p) -> auto& { return p.rst; }, 1);
        visit(
            "in", "valid", [](auto& p) -> auto& { return p.in_valid; }, 1);
        visit(
            "in", "op", [](auto& p) -> auto& { return p.in.op; }, 9);
        visit(
            "in", "a", [](auto& p) -> auto& { return p.in.a; }, 32);
        visit(
            "in", "b", [](auto& p) -> auto& { return p.in.b; }, 32);
        visit(
            "in", "c", [](auto& p) -> auto& { return p.in.c; }, 32);
        visit(
            "in", "carry", [](auto& p) -> auto& { return p.in.carry; }, 1);
        visit(
            "in", "neg", [](auto& p) -> auto& { return p.in.neg; }, 3);
        visit(
            "in", "abs", [](auto& p) -> auto& { return p.in.abs; }, 3);
        visit(
            "in", "omod", [](auto& p) -> auto& { return p.in.omod; }, 2);
        visit(
            "in", "clamp", [](auto& p) -> auto& { return p.in.clamp; }, 1);
        visit(
            "in", "round", [](auto& p) -> auto& { return p.in.round; }, 2);
        visit(
            "in", "denorm", [](auto& p) -> auto& { return p.in.denorm; }, 2);
        visit(
            "in", "dx10", [](auto& p) -> auto& { return p.in.dx10; }, 1);
        visit(
            "in", "ieee", [](auto& p) -> auto& { return p.in.ieee; }, 1);
        visit(
            "out", "ready", [](auto& p) -> auto& { return p.out_ready; }, 1);
    }
    template <class V>
    static void outputs(V&& visit) {
        visit(
            "in", "ready", [](auto& p) -> auto& { return p.in_ready; }, 1);
        visit(
            "out", "valid", [](auto& p) -> auto& { return p.out_valid; }, 1);
        visit(
            "out", "result", [](auto& p) -> auto& { return p.out_result; }, 32);
        visit(
            "out", "flag", [](auto& p) -> auto& { return p.out_flag; }, 1);
        visit(
            "out", "illegal", [](auto& p) -> auto& { return p.out_illegal; }, 1);
    }
    template <class V>
    static void transfers(const In& in, const Out& out, V&& visit) {
        visit("reset", in.rst != 0);
        visit("in", in.in_valid != 0 && out.in_ready != 0);
        visit("out", out.out_valid != 0 && in.out_ready != 0);
    }
};

}  // namespace archipelago::rtl
