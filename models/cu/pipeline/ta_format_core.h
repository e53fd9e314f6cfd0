// SPDX-License-Identifier: Apache-2.0
// Format conversion pin by pin: isa::buffer_operands() and isa::vector_mem_complete() after a
// register. Its Verilog twin is rtl-bridge/rtl/ta_format.
#pragma once

#include <memory>

#include "models/cu/isa/isa.h"
#include "models/cu/pipeline/format_unit.h"
#include "pins/ta_format_pins.h"

namespace archipelago::cu {

// The pins of what an instruction stores, and of what it has loaded. Rows that it does not have are
// left as they are.
void store_query(const isa::Inst& inst, const isa::WaveState& wave, const isa::VectorMemOp& op,
                 rtl::TaFormatPins::Query& query);
void load_query(const isa::VectorMemOp& op, rtl::TaFormatPins::Query& query);

// Plain and serialisable.
struct TaFormatState {
    bool valid = false;
    rtl::TaFormatPins::Rows data{};  // in the output register
};

class TaFormatCore : public rtl::PinBlock<rtl::TaFormatPins> {
  public:
    TaFormatCore();
    void step(const In& in, Out& out) override;
    const TaFormatState& state() const { return state_; }

  private:
    void evaluate(const rtl::TaFormatPins::Query& query);
    void store(const rtl::TaFormatPins::Query& query);
    void load(const rtl::TaFormatPins::Query& query);

    TaFormatState state_;
    std::unique_ptr<isa::VectorMemOp> op_;  // no meaning between calls
};

// Converts the data of waves by a block on pins.
class PinFormatUnit : public FormatUnit {
  public:
    // Resets the block, which must outlive this.
    explicit PinFormatUnit(rtl::PinBlock<rtl::TaFormatPins>& block);
    bool store(const isa::Inst& inst, const isa::WaveState& wave, isa::VectorMemOp& op) override;
    bool load(const isa::VectorMemOp& op, isa::WaveState& wave) override;

  private:
    void convert();

    rtl::PinBlock<rtl::TaFormatPins>& block_;
    rtl::TaFormatPins::In in_;
    rtl::TaFormatPins::Out out_;
};

}  // namespace archipelago::cu
