// SPDX-License-Identifier: Apache-2.0
// Carries cache actions (SURFACE_SYNC, end-of-pipe events) from CP to every cache they concern and
// gathers the answers; also merges a compute unit's own L1 invalidations (buffer_wbinvl1). SI
// document 2.8.3, 2.8.10.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/control.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"

namespace archipelago::tc {

struct ActionHubSpec {
    unsigned cus = 1;   // vector L1 caches
    unsigned sqcs = 1;  // instruction and scalar caches, one of each per group
    unsigned l2_channels = 1;
    unsigned latency = 1;  // each way
};

struct ActionHubState {
    struct Target {
        bool asked = false;    // by the action in progress: not sent yet
        bool waiting = false;  // sent, answer outstanding
        bool own = false;      // the outstanding answer belongs to the CU, not to CP
        uint32_t own_tag = 0;
    };
    std::vector<Target> targets;  // L1s, instruction caches, scalar caches, L2 channels
    bool active = false;          // an action of CP is being carried out
    CacheAction action;
    unsigned open = 0;  // caches that have not answered it
    RunState run = RunState::Running;
    uint64_t actions = 0;
    uint64_t own_actions = 0;
    uint64_t busy_cycles = 0;
    uint64_t busy_since = 0;
};

class ActionHub final : public Clocked, public Control {
  public:
    explicit ActionHub(const ActionHubSpec& spec);

    Channel<CacheAction> from_cp;
    Channel<CacheAction>& from_cu(unsigned cu) { return *from_cu_[cu]; }
    Channel<CacheActionDone>& l1_done(unsigned cu) { return *done_[cu]; }
    Channel<CacheActionDone>& inst_done(unsigned i) { return *done_[spec_.cus + i]; }
    Channel<CacheActionDone>& data_done(unsigned i) { return *done_[spec_.cus + spec_.sqcs + i]; }
    Channel<CacheActionDone>& l2_done(unsigned i) { return *done_[spec_.cus + 2 * spec_.sqcs + i]; }
    void connect_cp(Channel<CacheActionDone>& done);
    void connect_cu(unsigned cu, Channel<CacheActionDone>& done);
    void connect_l1(unsigned cu, Channel<CacheAction>& actions) { connect(cu, actions); }
    void connect_inst(unsigned i, Channel<CacheAction>& actions) {
        connect(spec_.cus + i, actions);
    }
    void connect_data(unsigned i, Channel<CacheAction>& actions) {
        connect(spec_.cus + spec_.sqcs + i, actions);
    }
    void connect_l2(unsigned i, Channel<CacheAction>& actions) {
        connect(spec_.cus + 2 * spec_.sqcs + i, actions);
    }

    bool tick(Cycle now) override;
    void reset() override;
    bool idle() const override;
    void set_run_state(RunState run) override {
        state_.run = run;
        wake_at(0);
    }
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

  private:
    void connect(unsigned target, Channel<CacheAction>& actions);
    bool concerns(unsigned target, const CacheAction& action) const;
    const char* kind_of(unsigned target, unsigned& index) const;

    const ActionHubSpec spec_;
    ActionHubState state_;
    std::vector<std::unique_ptr<Channel<CacheAction>>> from_cu_;
    std::vector<std::unique_ptr<Channel<CacheActionDone>>> done_;
    std::vector<Channel<CacheAction>*> out_;
    std::vector<Channel<CacheActionDone>*> cu_done_;
    Channel<CacheActionDone>* cp_done_ = nullptr;
};

}  // namespace archipelago::tc
