// SPDX-License-Identifier: Apache-2.0
// Coherency unit: passes cache actions of PFP, ME, the end-of-pipe unit and the registers to the
// caches, one at a time (there is one set of CP_COHER_* registers). "Radeon Southern Islands
// Acceleration" 2.8.10.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/cp/cp_spec.h"
#include "models/cp/work_log.h"

namespace archipelago::cp {

class CoherencyCore : public Unit {
  public:
    enum Client : unsigned { kPfp, kMe, kEop, kRegisters, kClients };
    explicit CoherencyCore(const Spec& spec);

    std::array<Channel<CacheAction>, kClients> request;
    Channel<CacheActionDone> done;  // from the caches
    Wire<bool> busy;

    OutputChannel<CacheAction> to_caches{this};
    std::vector<OutputChannel<CacheActionDone>> to_client;

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    // Adds each action to `log`, which outlives it, from now on.
    void keep(std::vector<WorkLog::Span>& log) { log_ = &log; }

  private:
    struct State {
        bool waiting = false;
        unsigned client = 0;
        uint32_t client_tag = 0;
        uint32_t sequence = 0;
        Cycle began = 0;
        uint64_t actions = 0;
        uint64_t busy_cycles = 0;
    };
    State state_;
    RoundRobin turn_{kClients};
    std::vector<WorkLog::Span>* log_ = nullptr;
};

}  // namespace archipelago::cp
