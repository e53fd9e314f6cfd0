// SPDX-License-Identifier: Apache-2.0
// One memory controller channel: McUnit with the scheduler of schedule_core.h.
#pragma once

#include <string>

#include "models/mc/mc_unit.h"

namespace archipelago::mc {

class McCore final : public McUnit {
  public:
    McCore(const McSpec& spec, const ChannelMap& map, const std::string& name = "mc");

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override { return McUnit::idle() && schedule_.empty(); }
    void observe(const Observers& observers, const std::string& path) override;
    void finish_trace(Cycle now) const override { schedule_.finish_trace(now); }

    const ScheduleState& waiting() const { return schedule_.state(); }

  private:
    Waiting waiting_requests() const override {
        return {waiting().reads.size(), waiting().writes.size()};
    }
    bool accept(Cycle now);
    bool schedule(Cycle now);

    ScheduleCore schedule_{spec_, spec_.entries(), *this, state_.count};
};

}  // namespace archipelago::mc
