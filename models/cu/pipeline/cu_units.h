// SPDX-License-Identifier: Apache-2.0
// The parts of a compute unit that Verilog, or an observer, may take over: vector and scalar ALU,
// issue arbiter, local data share, buffer addressing, format conversion and coalescer. Each is a
// virtual unit. If none is attached, or it declines an instruction, the rules of models/cu/isa,
// issue_arbiter.h and coalescer.h apply; the core cannot see the difference.
#pragma once

#include <vector>

#include "models/cu/isa/isa.h"
#include "models/cu/isa/special.h"
#include "models/cu/lane/valu_unit.h"
#include "models/cu/pipeline/buffer_unit.h"
#include "models/cu/pipeline/cu_issue_core.h"
#include "models/cu/pipeline/cu_spec.h"
#include "models/cu/pipeline/format_unit.h"
#include "models/cu/pipeline/lds_core.h"
#include "models/cu/pipeline/salu_unit.h"
#include "models/cu/pipeline/ta_coalescer_core.h"

namespace archipelago::cu {

class CuUnits {
  public:
    // `spec` must outlive this.
    explicit CuUnits(const CuSpec& spec) : spec_(spec) {}

    // Each must outlive this; null: none.
    void use(ValuUnit* unit) { valu_.use(unit); }
    void use(WaveValuUnit* unit) { valu_.use(unit); }
    void use(SaluUnit* unit) { salu_ = unit; }
    void use(IssueUnit* unit) { issue_ = unit; }
    // Throws MachineStop(BadInput) when the unit's pins have another number of banks than the Spec.
    void use(LdsUnit* unit);
    void use(BufferUnit* unit) { buffer_ = unit; }
    void use(FormatUnit* unit) { format_ = unit; }
    void use(CoalesceUnit* unit) { coalescer_ = unit; }
    // There is none of them.
    bool empty() const {
        return valu_.empty() && salu_ == nullptr && issue_ == nullptr && lds_ == nullptr &&
               buffer_ == nullptr && format_ == nullptr && coalescer_ == nullptr;
    }

    void vector(const isa::Inst& inst, isa::WaveState& wave) {
        if (!valu_.execute(inst, wave))
            inst.exec(inst, wave);
    }
    void scalar(const isa::Inst& inst, isa::WaveState& wave) {
        if (salu_ == nullptr || !salu_->execute(inst, wave))
            inst.exec(inst, wave);
    }
    void control(const isa::Inst& inst, isa::WaveState& wave) {
        if (salu_ == nullptr || !salu_->execute(inst, wave))
            isa::execute_control(inst, wave);
    }

    // The decision for the waves of `view` (issue_arbiter.h). query(): the same on pins.
    template <class View, class Query>
    IssueDecision issue(const View& view, const Query& query) {
        return issue_ == nullptr ? arbitrate(view) : issue_->decide(query());
    }
    // An arbiter on pins is shown all ready waves; arbitrate() is spared those that a full queue
    // refuses anyway.
    bool shows_all_ready() const { return issue_ != nullptr; }

    // As isa::execute_lds(); false when the unit does not know the instruction.
    bool lds(const isa::Inst& inst, isa::WaveState& wave, uint8_t* data, unsigned& banks);

    // As isa::vector_mem(), vector_mem_complete() and vector_mem_to_lds().
    void vector_mem(const isa::Inst& inst, const isa::WaveState& wave, isa::VectorMemOp& op);
    void complete_load(const isa::VectorMemOp& op, isa::WaveState& wave);
    void load_to_lds(const isa::VectorMemOp& op, const isa::WaveState& wave, uint8_t* lds);
    // As cu::coalesce().
    unsigned coalesce(const isa::VectorMemOp& op, const CoalesceRates& rates,
                      std::vector<LineAccess>& out, bool& aligned) {
        return coalescer_ == nullptr ? cu::coalesce(op, rates, out, aligned)
                                     : coalescer_->coalesce(op, rates, out, aligned);
    }

  private:
    const CuSpec& spec_;
    ValuUnits valu_;
    SaluUnit* salu_ = nullptr;
    IssueUnit* issue_ = nullptr;
    LdsUnit* lds_ = nullptr;
    BufferUnit* buffer_ = nullptr;
    FormatUnit* format_ = nullptr;
    CoalesceUnit* coalescer_ = nullptr;
};

}  // namespace archipelago::cu
