// SPDX-License-Identifier: Apache-2.0
// Carries cache actions (SURFACE_SYNC, end-of-pipe events) from CP to every cache they concern and
// gathers the answers; also merges a compute unit's own L1 invalidations (buffer_wbinvl1). Caches
// of render back ends come first: the others write back or forget when these have written to
// memory. SI document 2.8.3, 2.8.10.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/raster/back_end_done.h"

namespace archipelago::tc {

struct CacheActionBroadcasterSpec {
    unsigned cus = 1;   // vector L1 caches
    unsigned sqcs = 1;  // instruction and scalar caches, one of each per group
    unsigned l2_channels = 1;
    ChannelSpec from_cp{2, 1};
    ChannelSpec from_cu{2, 1};  // a compute unit's own invalidations of its L1
    ChannelSpec done{2, 1};     // answers of a cache
    // L2's lines have addresses in memory, which the ranges of actions are not: its actions are of
    // all lines.
    bool whole_l2 = false;
};

struct CacheActionBroadcasterState {
    struct Target {
        bool pending = false;  // the action in progress is not sent yet
        bool waiting = false;  // sent, answer outstanding
        bool own = false;      // the outstanding answer belongs to the CU, not to CP
        uint32_t own_tag = 0;
    };
    std::vector<Target> targets;  // L1s, instruction caches, scalar caches, L2 channels
    bool active = false;          // an action of CP is being executed
    bool flushing = false;        // ... in the render back ends, which come first
    unsigned flushes = 0;         // back ends that have not answered it
    CacheAction action;
    unsigned open = 0;  // caches that have not answered it
    uint64_t actions = 0;
    uint64_t own_actions = 0;
    uint64_t busy_cycles = 0;
    uint64_t busy_since = 0;
};

// The same action, on every line where it is on any.
inline CacheAction of_all_lines(CacheAction action) {
    if (action.size != 0)
        action.size = ~uint64_t{0};
    return action;
}

class CacheActionBroadcaster final : public Unit {
  public:
    explicit CacheActionBroadcaster(const CacheActionBroadcasterSpec& spec);

    Channel<CacheAction> from_cp;
    Channel<CacheAction>& from_cu(unsigned cu) { return *from_cu_[cu]; }
    Channel<CacheActionDone>& l1_done(unsigned cu) { return *done_[cu]; }
    Channel<CacheActionDone>& inst_done(unsigned i) { return *done_[spec_.cus + i]; }
    Channel<CacheActionDone>& data_done(unsigned i) { return *done_[spec_.cus + spec_.sqcs + i]; }
    Channel<CacheActionDone>& l2_done(unsigned i) { return *done_[spec_.cus + 2 * spec_.sqcs + i]; }
    OutputChannel<CacheActionDone> to_cp{this};
    // A depth or colour block of a render back end. `empty`: whether its caches hold no line, and
    // so have nothing to do.
    enum class BackEnd : uint8_t { Depth, Colour };
    void add_back_end(BackEnd kind, Channel<raster::FlushAction>& flushes, const Wire<bool>& empty);
    EventLink<raster::FlushDone> flush_done;  // of all of them
    std::vector<OutputChannel<CacheActionDone>> to_cu;
    OutputChannel<CacheAction>& to_l1(unsigned cu) { return out_[cu]; }
    OutputChannel<CacheAction>& to_inst(unsigned i) { return out_[spec_.cus + i]; }
    OutputChannel<CacheAction>& to_data(unsigned i) { return out_[spec_.cus + spec_.sqcs + i]; }
    OutputChannel<CacheAction>& to_l2(unsigned i) { return out_[spec_.cus + 2 * spec_.sqcs + i]; }

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

  private:
    struct Flushed {
        BackEnd kind;
        OutputChannel<raster::FlushAction> to;
        const Wire<bool>* empty;
    };
    bool begin_flush(Cycle now);
    void begin_caches();
    bool is_l2(unsigned target) const { return target >= spec_.cus + 2 * spec_.sqcs; }
    bool concerns(unsigned target, const CacheAction& action) const;
    const char* kind_of(unsigned target, unsigned& index) const;

    const CacheActionBroadcasterSpec spec_;
    CacheActionBroadcasterState state_;
    std::vector<std::unique_ptr<Channel<CacheAction>>> from_cu_;
    std::vector<std::unique_ptr<Channel<CacheActionDone>>> done_;
    std::vector<OutputChannel<CacheAction>> out_;  // by target
    std::vector<Flushed> back_ends_;
};

}  // namespace archipelago::tc
