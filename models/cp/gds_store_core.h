// SPDX-License-Identifier: Apache-2.0
// Copies parts of the global data share to memory, through L2: EVENT_WRITE_EOS with CMD 1 of
// "Radeon Southern Islands Acceleration" 2.8.5. One command at a time; pieces end with the lines of
// memory, several are read ahead.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/cp/cp_spec.h"
#include "models/cp/gds_access.h"

namespace archipelago::cp {

class GdsStoreCore : public Unit {
  public:
    explicit GdsStoreCore(const Spec& spec);

    Channel<GdsStore> command;  // from the end-of-pipe unit
    Channel<GdsResponse> gds_response;
    Channel<MemResponse> memory_response;
    Wire<bool> busy;

    OutputChannel<GdsRequest> to_gds{this};
    OutputChannel<MemRequest> to_l2{this};
    // The end of a command: the end-of-pipe unit goes on, ME counts.
    OutputChannel<GdsStored> to_eop{this}, to_me{this};

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    struct State {
        bool active = false;
        GdsStore store;
        Cycle began = 0;
        uint32_t requested = 0;  // dwords
        uint32_t written = 0;    // dwords
        uint32_t reads_in_flight = 0;
        uint32_t writes_in_flight = 0;
        uint64_t uid = 0;
        uint64_t commands = 0, dwords = 0;  // counters
    };
    // Dwords from `done` on that one piece takes.
    uint32_t piece(uint32_t done) const;
    bool finish(Cycle now);
    void trace_store(Cycle end) const;
    bool write(Cycle now);
    bool read(Cycle now);

    const Spec spec_;
    State state_;
    Observers observers_;
    TrackId track_ = 0;
};

}  // namespace archipelago::cp
