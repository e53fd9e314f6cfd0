// SPDX-License-Identifier: Apache-2.0
// The global data share in cycle mode: one request at a time, from each compute unit in turn.
#pragma once

#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/control.h"
#include "models/common/gds_message.h"
#include "models/common/stats.h"
#include "models/gds/gds_spec.h"
#include "models/gds/gds_state.h"

namespace archipelago::gds {

class GdsCore final : public Clocked, public Control {
  public:
    explicit GdsCore(const GdsSpec& spec, const std::string& name = "gds");

    Channel<GdsRequest>& from_unit(unsigned unit) { return from_unit_[unit]; }
    void connect_unit(unsigned unit, Channel<GdsResponse>& to_unit);

    // A request occupies the unit for max(request_cycles, accesses / lanes_per_cycle) cycles; its
    // answer leaves `latency` cycles later, or when what it waits for has happened.
    bool tick(Cycle now) override;

    void reset() override;
    bool idle() const override;
    void pause() override { state_.run = RunState::Paused; }
    void resume() override;
    void drain() override { state_.run = RunState::Draining; }
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;

    // Partitions and contents, for whoever sets them up (registers, CP) and for tests.
    Contents& contents() { return state_.contents; }
    const State& state() const { return state_; }
    const GdsSpec& spec() const { return spec_; }

  private:
    void init_state();
    bool take(Cycle now);
    bool send(Cycle now);

    const GdsSpec spec_;
    const std::string name_;
    State state_;
    std::vector<Channel<GdsRequest>> from_unit_;
    std::vector<Channel<GdsResponse>*> to_unit_;
    std::vector<GdsResponse> done_;  // scratch
};

}  // namespace archipelago::gds
