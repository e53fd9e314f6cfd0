// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/cu_units.h"

#include "models/common/invariant.h"
#include "models/cu/isa/buffer_access.h"

namespace archipelago::cu {

void CuUnits::use(LdsUnit* unit) {
    if (unit != nullptr)
        check_lds_pins(spec_);
    lds_ = unit;
}

bool CuUnits::lds(const isa::Inst& inst, isa::WaveState& wave, uint8_t* data, unsigned& banks) {
    if (lds_ != nullptr)
        return lds_->execute(inst, wave, data, spec_.lds_bytes, &banks);
    invariant(isa::execute_lds(inst, wave, data, spec_.lds_bytes, &banks, spec_.lds_banks),
              "local data share", "a DS instruction said to be implemented is not");
    return true;
}

void CuUnits::vector_mem(const isa::Inst& inst, const isa::WaveState& wave, isa::VectorMemOp& op) {
    if (buffer_ == nullptr && format_ == nullptr)
        return isa::vector_mem(inst, wave, op, spec_.lds_load_offset);
    if (buffer_ == nullptr || !buffer_->address(inst, wave, spec_.lds_load_offset, op))
        isa::buffer_addresses(inst, wave, op, spec_.lds_load_offset);
    if (format_ == nullptr || !format_->store(inst, wave, op))
        isa::buffer_operands(inst, wave, op);
}

void CuUnits::complete_load(const isa::VectorMemOp& op, isa::WaveState& wave) {
    if (format_ == nullptr || !format_->load(op, wave))
        isa::vector_mem_complete(op, wave);
}

void CuUnits::load_to_lds(const isa::VectorMemOp& op, const isa::WaveState& wave, uint8_t* lds) {
    if (format_ == nullptr)
        return isa::vector_mem_to_lds(op, wave, lds);
    alignas(64) isa::VReg dwords[1] = {};
    isa::WaveState converted;
    converted.v = dwords;
    complete_load(isa::load_for_lds(op), converted);
    isa::put_to_lds(op, wave, dwords[0], lds);
}

}  // namespace archipelago::cu
