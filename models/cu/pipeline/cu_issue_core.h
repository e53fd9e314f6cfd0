// SPDX-License-Identifier: Apache-2.0
// The issue arbiter pin by pin: arbitrate() after a register. Its Verilog twin is
// rtl-bridge/rtl/cu_issue.
#pragma once

#include "models/cu/pipeline/issue_arbiter.h"
#include "pins/cu_issue_pins.h"

namespace archipelago::cu {

// Takes a SIMD's decision in place of the compute unit: a Verilog arbiter, or an observer.
class IssueUnit {
  public:
    virtual ~IssueUnit() = default;
    virtual IssueDecision decide(const rtl::CuIssuePins::Query& query) = 0;
};

// Rules of issue_arbiter.h on the values of the pins.
IssueDecision decide_on_pins(const rtl::CuIssuePins::Query& query);
// The output pins for a decision, and back. `out.out_released` is computed from the query.
void decision_to_pins(const rtl::CuIssuePins::Query& query, const IssueDecision& decision,
                      rtl::CuIssuePins::Out& out);
IssueDecision decision_from_pins(const rtl::CuIssuePins::Query& query,
                                 const rtl::CuIssuePins::Out& out);

// Plain and serialisable.
struct CuIssueState {
    bool valid = false;
    rtl::CuIssuePins::Out decision;  // in the output register
};

class CuIssueCore : public rtl::PinBlock<rtl::CuIssuePins> {
  public:
    void step(const In& in, Out& out) override;
    const CuIssueState& state() const { return state_; }

  private:
    CuIssueState state_;
};

// Arbitrates by the arbiter on pins.
class PinIssueUnit : public IssueUnit {
  public:
    // Resets the arbiter, which must outlive this.
    explicit PinIssueUnit(rtl::PinBlock<rtl::CuIssuePins>& arbiter);
    IssueDecision decide(const rtl::CuIssuePins::Query& query) override;

  private:
    rtl::PinBlock<rtl::CuIssuePins>& arbiter_;
    rtl::CuIssuePins::In in_;
};

}  // namespace archipelago::cu
