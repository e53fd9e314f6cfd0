// SPDX-License-Identifier: Apache-2.0
// The coalescer of the address unit pin by pin: coalesce() after a register, with the requests in
// a queue. Its Verilog twin is rtl-bridge/rtl/ta_coalescer.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/cu/isa/isa.h"
#include "models/cu/pipeline/coalescer.h"
#include "pins/ta_coalescer_pins.h"

namespace archipelago::cu {

// Makes the requests of a compute unit's vector memory instructions in place of coalesce(): a
// Verilog coalescer, or an observer. When requests leave is the compute unit's.
class CoalesceUnit {
  public:
    virtual ~CoalesceUnit() = default;
    // Arguments and result are those of coalesce().
    virtual unsigned coalesce(const isa::VectorMemOp& op, const CoalesceRates& rates,
                              std::vector<LineAccess>& out, bool& aligned) = 0;
};

// Plain and serialisable.
struct TaCoalescerState {
    // Of the pipeline; rtl-bridge/rtl/ta_coalescer/ta_coalescer.sv says what they are.
    static constexpr unsigned kSteps = 5;  // of a cycle
    static constexpr unsigned kQueue = 16;

    bool working = false;
    std::vector<rtl::TaCoalescerPins::Request> requests;  // of the instruction
    std::vector<uint16_t> made;  // of these, with step n and those before it
    size_t steps = 0;            // done
    size_t queued = 0;           // of `requests`
    std::deque<rtl::TaCoalescerPins::Request> queue;
};

class TaCoalescerCore : public rtl::PinBlock<rtl::TaCoalescerPins> {
  public:
    void step(const In& in, Out& out) override;
    const TaCoalescerState& state() const { return state_; }

  private:
    void take(const In& in);
    // The steps of a cycle; true: the instruction's last ones.
    bool work();

    TaCoalescerState state_;
    isa::VectorMemOp op_;               // no meaning between calls
    std::vector<LineAccess> accesses_;  // nor this
};

// The pins of an instruction, and of rates: those of any CuSpec fit.
void operation_to_pins(const isa::VectorMemOp& op, rtl::TaCoalescerPins::Operation& pins);
// The instruction of these pins: what coalesce() reads of it.
void operation_of_pins(const rtl::TaCoalescerPins::Operation& pins, isa::VectorMemOp& op);
rtl::TaCoalescerPins::Config rates_to_pins(const CoalesceRates& rates);

// Makes requests by a coalescer on pins, one instruction after the other; so that one serves
// every compute unit.
class PinCoalesceUnit : public CoalesceUnit {
  public:
    // Resets the coalescer, which must outlive this.
    explicit PinCoalesceUnit(rtl::PinBlock<rtl::TaCoalescerPins>& block);
    // Throws MachineStop(Hang) when the coalescer gives nothing, (Protocol) for a request that is
    // not one of the instruction's.
    unsigned coalesce(const isa::VectorMemOp& op, const CoalesceRates& rates,
                      std::vector<LineAccess>& out, bool& aligned) override;

  private:
    rtl::PinBlock<rtl::TaCoalescerPins>& block_;
    rtl::TaCoalescerPins::In in_;
    rtl::TaCoalescerPins::Out out_;
};

}  // namespace archipelago::cu
