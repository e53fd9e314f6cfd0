// SPDX-License-Identifier: Apache-2.0
#include "models/cu/lane/wave_unit.h"

#include <cstring>
#include <string>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/lane/cu_valu_core.h"
#include "models/cu/lane/wave_operands.h"

namespace archipelago::cu {
namespace {

using isa::Inst;
using isa::WaveState;
using rtl::CuValuPins;

constexpr unsigned kStuckCycles =
    10'000;  // cycles without a transfer before the ALU counts as stuck

[[noreturn]] void refuse(const std::string& what, const Inst& inst) {
    throw MachineStop(StopKind::Protocol, CuValuPins::kName, what + isa::mnemonic(inst));
}

}  // namespace

PinWaveValuUnit::PinWaveValuUnit(rtl::PinBlock<CuValuPins>& alu) : alu_(alu) {
    reset_block(alu_);
    in_.out_ready = 1;
}

void PinWaveValuUnit::put_back(const Inst& inst, WaveState& wave) const {
    const CuValuPins::Result& r = out_.out;
    if (r.row_write != 0) {
        if (r.vdst >= wave.num_vgprs)
            refuse("the vector ALU writes no register of the wave, v" + std::to_string(r.vdst) +
                       ", by ",
                   inst);
        std::memcpy(wave.v[r.vdst], r.row.data(), sizeof r.row);
    }
    if (r.mask_write != 0)
        write_lane_mask(inst, wave, r.mask);
    if (r.exec_write != 0)
        wave.set_exec(r.mask);
    if (r.scalar_write != 0)
        wave.s[inst.sdst & 127u] = r.scalar;
}

bool PinWaveValuUnit::execute(const Inst& inst, WaveState& wave) {
    if (!cu_valu_operation(inst, wave, in_.in))
        return false;
    in_.in_valid = 1;
    if (!rtl::step_until(alu_, in_, out_, &CuValuPins::Out::in_ready, kStuckCycles))
        throw MachineStop(StopKind::Hang, CuValuPins::kName, "the vector ALU takes no instruction");
    in_.in_valid = 0;
    if (!rtl::step_until(alu_, in_, out_, &CuValuPins::Out::out_valid, kStuckCycles))
        throw MachineStop(StopKind::Hang, CuValuPins::kName, "the vector ALU gives no result");
    if (out_.out.known == 0)
        refuse("the vector ALU does not know ", inst);
    put_back(inst, wave);
    return true;
}

}  // namespace archipelago::cu
