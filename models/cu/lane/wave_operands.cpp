// SPDX-License-Identifier: Apache-2.0
#include "models/cu/lane/wave_operands.h"

#include "models/cu/isa/opcodes.h"

namespace archipelago::cu {

using isa::Format;

int vop3_number(isa::Op op) {
    constexpr int kFirstOfVop2 = 256, kFirstOfVop1 = 384;
    const isa::OpInfo& info = isa::op_info(op);
    switch (info.format) {
        case Format::Vopc:
        case Format::Vop3:
            return info.number;
        case Format::Vop2:
            return kFirstOfVop2 + info.number;
        case Format::Vop1:
            return kFirstOfVop1 + info.number;
        default:
            return -1;
    }
}

uint64_t read_lane_mask(const isa::Inst& inst, const isa::WaveState& wave) {
    if (!isa::op_info(inst.op).has(isa::kOpMaskIn))
        return 0;
    return inst.format == Format::Vop3 ? isa::read_scalar64(inst, wave, inst.src[2]) : wave.vcc();
}

void write_lane_mask(const isa::Inst& inst, isa::WaveState& wave, uint64_t mask) {
    const unsigned code = inst.format == Format::Vop3 ? inst.sdst : unsigned{isa::kVccLo};
    if (code < isa::kExecHi)
        wave.set_s64(code, mask);
    else if (code == isa::kExecHi)
        wave.s[code] = static_cast<uint32_t>(mask);
}

}  // namespace archipelago::cu
