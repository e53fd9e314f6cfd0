// SPDX-License-Identifier: Apache-2.0
// CTM's conditional operation unit in cycle mode: a test a cycle is taken from the PE or an array
// of the DPP, values of the conditional buffer come from the MC, results leave in order. ATI CTM
// Guide 1.01, section 2.1.3.
#pragma once

#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/ctm/co/co_spec.h"
#include "models/ctm/co/co_state.h"

namespace archipelago::ctm {

class CoCore final : public Unit {
  public:
    // Throws std::invalid_argument for a Spec that is out of range.
    explicit CoCore(const CoSpec& spec, const std::string& name = "ctm.co");

    Channel<UnitCommand> commands;
    OutputEvent<UnitCommandDone> to_commands_done{this};

    std::vector<Channel<ConditionRequest>> from_array;
    std::vector<OutputChannel<ConditionResult>> to_array;
    Channel<ConditionRequest> from_pe;
    OutputChannel<ConditionResult> to_pe{this};

    OutputChannel<ElementRequest> to_memory{this};
    Channel<ElementResponse> from_memory;

    // A result leaves when the MC has taken what the test writes. A command is taken when no test
    // is inside, and holds up those after it.
    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;

    // What a machine in functional mode has, before anything is done.
    void take_over(const ConditionSettings& settings) { state_.settings = settings; }
    const CoState& state() const { return state_; }
    const CoSpec& spec() const { return spec_; }

  private:
    using Test = CoState::Test;

    Channel<ConditionRequest>& requests_of(unsigned client) {
        return client == spec_.arrays ? from_pe : from_array[client];
    }
    OutputChannel<ConditionResult>& results_of(unsigned client) {
        return client == spec_.arrays ? to_pe : to_array[client];
    }
    ConditionLocation location_of(unsigned client) const {
        return client == spec_.arrays ? ConditionLocation::ProcessorExecution
                                      : ConditionLocation::Processors;
    }
    bool answer(Cycle now);
    bool take_values(Cycle now);
    bool access(Cycle now);
    bool take_command(Cycle now);
    bool take_test(Cycle now);
    void decide(Cycle now, Test& test, const ElementResponse& buffer);

    const CoSpec spec_;
    const std::string name_;
    CoState state_;
};

}  // namespace archipelago::ctm
