// SPDX-License-Identifier: Apache-2.0
// Pins of valu_lane to and from its Verilated class `T`; for the .cpp files of this folder.
#pragma once

#include "rtl-bridge/pins/valu_lane_pins.h"

namespace archipelago::rtl {

template <class T>
struct ValuLaneModel {
    using Pins = ValuLanePins;
    using Top = T;

    static void drive(Top& top, const ValuLanePins::In& p) {
        top.rst = p.rst;
        top.in_valid = p.in_valid;
        top.out_ready = p.out_ready;
        top.in_op = p.in.op;
        top.in_a = p.in.a;
        top.in_b = p.in.b;
        top.in_c = p.in.c;
        top.in_carry = p.in.carry;
        top.in_neg = p.in.neg;
        top.in_abs = p.in.abs;
        top.in_omod = p.in.omod;
        top.in_clamp = p.in.clamp;
        top.in_round = p.in.round;
        top.in_denorm = p.in.denorm;
        top.in_dx10 = p.in.dx10;
        top.in_ieee = p.in.ieee;
    }
    static void sample(const Top& top, ValuLanePins::Out& p) {
        p.in_ready = top.in_ready;
        p.out_valid = top.out_valid;
        p.out_result = top.out_result;
        p.out_flag = top.out_flag;
        p.out_illegal = top.out_illegal;
    }
};

}  // namespace archipelago::rtl
