// SPDX-License-Identifier: Apache-2.0
// Coherency unit: passes cache actions of PFP, ME, the end-of-pipe unit and the registers to the
// caches, one at a time (there is one set of CP_COHER_* registers).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/arbiter.h"
#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/wire.h"
#include "models/cp/cp_spec.h"

namespace archipelago::cp {

class CoherencyCore : public Clocked {
  public:
    enum Client : unsigned { kPfp, kMe, kEop, kRegisters, kClients };
    explicit CoherencyCore(const Spec& spec);

    std::array<Channel<CacheAction>, kClients> request;
    Channel<CacheActionDone> done;  // from the caches
    Wire<bool> busy;

    void connect_caches(Channel<CacheAction>* out);
    void connect_client(unsigned client, Channel<CacheActionDone>* out);

    bool tick(Cycle now) override;
    bool idle() const;
    void reset();
    std::string waiting_for() const;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

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
    Channel<CacheAction>* caches_ = nullptr;
    std::array<Channel<CacheActionDone>*, kClients> client_{};
};

}  // namespace archipelago::cp
