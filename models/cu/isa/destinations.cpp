// SPDX-License-Identifier: Apache-2.0
// Destination registers, from the fields of the decoded instruction and the opcode table.
#include "models/cu/isa/effects.h"
#include "models/cu/isa/opcodes.h"

namespace archipelago::isa {
namespace {

// M0 is added to the number of the register. See scalar.cpp, relative_sgpr().
void relative_scalar(const Inst& inst, const WaveState& w, unsigned dwords, Destinations& d) {
    const uint64_t index = uint64_t{inst.sdst} + w.s[kM0];
    const unsigned limit = w.num_sgprs < kSgprLast + 1u ? w.num_sgprs : kSgprLast + 1u;
    if (inst.sdst > kSgprLast || index + dwords > limit) {
        return;
    }
    d.sgpr = static_cast<uint16_t>(index & ~uint64_t{dwords - 1});
    d.sgprs = static_cast<uint8_t>(dwords);
}

void scalar(const Inst& inst, const WaveState& w, const OpInfo& info, Destinations& d) {
    if (inst.op == Op::S_MOVRELD_B32 || inst.op == Op::S_MOVRELD_B64) {
        relative_scalar(inst, w, info.dst_dwords, d);
        return;
    }
    d.sgpr = inst.sdst;
    d.sgprs = info.dst_dwords;
}

void vector(const Inst& inst, const WaveState& w, const OpInfo& info, Destinations& d) {
    if (info.has(kOpSgprDst)) {
        d.sgpr = inst.sdst;
        d.sgprs = 1;
        return;
    }
    if (info.has(kOpMaskOut) || info.format == Format::Vopc) {
        d.sgpr = inst.sdst;
        d.sgprs = 2;
    }
    if (info.format == Format::Vopc) {
        return;
    }
    uint64_t number = inst.vdst;
    d.lanes = w.exec();
    if (inst.op == Op::V_MOVRELD_B32 || inst.op == Op::V_MOVRELSD_B32) {
        number = (number + w.s[kM0]) & 0xffffffffu;
        if (number >= w.num_vgprs) {
            return;
        }
    } else if (inst.op == Op::V_WRITELANE_B32) {
        d.lanes = uint64_t{1} << (read_scalar(inst, w, inst.src[1]) & 63u);
    }
    d.vgpr = static_cast<uint16_t>(number);
    d.vgprs = info.dst_dwords;
}

}  // namespace

Destinations destinations(const Inst& inst, const WaveState& w) {
    Destinations d;
    const OpInfo& info = op_info(inst.op);
    switch (inst.format) {
        case Format::Sop2:
        case Format::Sopk:
        case Format::Sop1:
        case Format::Smrd:
            scalar(inst, w, info, d);
            break;
        case Format::Vop2:
        case Format::Vop1:
        case Format::Vopc:
        case Format::Vop3:
            vector(inst, w, info, d);
            break;
        case Format::Vintrp:
        case Format::Ds:
            d.vgpr = inst.vdst;
            d.vgprs = info.dst_dwords;
            d.lanes = w.exec();
            break;
        default:
            break;
    }
    return d;
}

}  // namespace archipelago::isa
