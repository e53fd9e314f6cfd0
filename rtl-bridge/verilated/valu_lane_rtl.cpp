// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/valu_lane_rtl.h"

#include "Vvalu_lane.h"
#include "Vvalu_lane_faults.h"
#include "rtl-bridge/verilated/verilated_twin.h"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace archipelago::rtl {
namespace {

template <class T>
struct Model {
    using Top = T;
    using Context = VerilatedContext;
    using Waveform = VerilatedFstC;

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

}  // namespace

std::unique_ptr<Twin<ValuLanePins>> make_valu_lane_rtl(const TwinOptions& options) {
    if (options.with_faults || options.fault != 0)
        return std::make_unique<VerilatedTwin<ValuLanePins, Model<Vvalu_lane_faults>>>(options);
    return std::make_unique<VerilatedTwin<ValuLanePins, Model<Vvalu_lane>>>(options);
}

}  // namespace archipelago::rtl
