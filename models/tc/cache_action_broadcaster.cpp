// SPDX-License-Identifier: Apache-2.0
#include "models/tc/cache_action_broadcaster.h"

#include "models/common/archive.h"

#include <algorithm>

namespace archipelago::tc {

CacheActionBroadcaster::CacheActionBroadcaster(const CacheActionBroadcasterSpec& spec)
    : from_cp(spec.from_cp, "action.cp"),
      to_cu(spec.cus, OutputChannel<CacheActionDone>(this)),
      spec_(spec),
      out_(spec.cus + 2 * spec.sqcs + spec.l2_channels, OutputChannel<CacheAction>(this)) {
    add_input(from_cp);
    flush_done.set_consumer(this);
    for (unsigned i = 0; i < spec_.cus; ++i) {
        from_cu_.push_back(std::make_unique<Channel<CacheAction>>(spec.from_cu));
        add_input(*from_cu_.back());
    }
    for (unsigned i = 0; i < out_.size(); ++i) {
        done_.push_back(std::make_unique<Channel<CacheActionDone>>(spec.done));
        add_input(*done_.back());
    }
    CacheActionBroadcaster::reset();
}

void CacheActionBroadcaster::archive(Archive& a) {
    Unit::archive(a);
    a(state_, flush_done);
}

void CacheActionBroadcaster::reset() {
    Unit::reset();
    flush_done.clear();
    state_ = CacheActionBroadcasterState{};
    state_.targets.resize(out_.size());
}

bool CacheActionBroadcaster::concerns(unsigned target, const CacheAction& a) const {
    if (target < spec_.cus)
        return a.invalidate_l1;
    if (target < spec_.cus + spec_.sqcs)
        return a.invalidate_inst;
    if (target < spec_.cus + 2 * spec_.sqcs)
        return a.invalidate_scalar;
    return a.writeback_l2 || a.invalidate_l2;
}

void CacheActionBroadcaster::add_back_end(BackEnd kind, Channel<raster::FlushAction>& flushes,
                                          const Wire<bool>& empty) {
    back_ends_.push_back({kind, OutputChannel<raster::FlushAction>(this), &empty});
    back_ends_.back().to.connect(flushes);
}

// The action begins: false when a render back end has no room for it yet.
bool CacheActionBroadcaster::begin_flush(Cycle now) {
    const CacheAction& action = from_cp.front();
    const auto concerned = [&](const Flushed& b) {
        return (b.kind == BackEnd::Depth ? action.flush_depth : action.flush_colour) &&
               !b.empty->get(now);
    };
    for (Flushed& b : back_ends_)
        if (concerned(b) && !b.to->can_push(now))
            return false;
    for (Flushed& b : back_ends_)
        if (concerned(b)) {
            b.to->push(now, {});
            ++state_.flushes;
        }
    state_.flushing = state_.flushes != 0;
    return true;
}

void CacheActionBroadcaster::begin_caches() {
    state_.flushing = false;
    for (unsigned t = 0; t < out_.size(); ++t)
        if (concerns(t, state_.action)) {
            state_.targets[t].pending = true;
            ++state_.open;
        }
}

bool CacheActionBroadcaster::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    bool progress = false;
    for (unsigned t = 0; t < done_.size(); ++t) {
        CacheActionBroadcasterState::Target& target = state_.targets[t];
        if (!done_[t]->can_pop(now))
            continue;
        if (target.own) {
            if (!to_cu[t]->can_push(now))
                continue;
            done_[t]->pop(now);
            to_cu[t]->push(now, CacheActionDone{target.own_tag});
            target.own = false;
        } else {
            done_[t]->pop(now);
            --state_.open;
        }
        target.waiting = false;
        progress = true;
    }
    if (!state_.active && run_ == RunState::Running && from_cp.can_pop(now) && begin_flush(now)) {
        state_.active = true;
        state_.action = from_cp.pop(now);
        state_.busy_since = now;
        ++state_.actions;
        if (!state_.flushing)
            begin_caches();
        progress = true;
    }
    while (flush_done.ready(now)) {
        flush_done.take();
        if (--state_.flushes == 0)
            begin_caches();
        progress = true;
    }
    for (unsigned t = 0; t < out_.size(); ++t) {
        CacheActionBroadcasterState::Target& target = state_.targets[t];
        if (target.waiting)
            continue;
        if (target.pending) {
            if (!out_[t]->can_push(now))
                continue;
            out_[t]->push(now,
                          spec_.whole_l2 && is_l2(t) ? of_all_lines(state_.action) : state_.action);
            target.pending = false;
            target.waiting = true;
            progress = true;
        } else if (t < spec_.cus && from_cu_[t]->can_pop(now) && out_[t]->can_push(now)) {
            const CacheAction own = from_cu_[t]->pop(now);
            out_[t]->push(now, own);
            target.waiting = target.own = true;
            target.own_tag = own.tag;
            ++state_.own_actions;
            progress = true;
        }
    }
    if (state_.active && !state_.flushing && state_.open == 0 && to_cp->can_push(now)) {
        to_cp->push(now, CacheActionDone{state_.action.tag});
        state_.active = false;
        state_.busy_cycles += now - state_.busy_since;
        progress = true;
    }
    return progress;
}

bool CacheActionBroadcaster::idle() const {
    return !state_.active && inputs_empty() &&
           std::none_of(state_.targets.begin(), state_.targets.end(),
                        [](const CacheActionBroadcasterState::Target& t) { return t.waiting; });
}

const char* CacheActionBroadcaster::kind_of(unsigned target, unsigned& index) const {
    index = target;
    if (index < spec_.cus)
        return "L1 of CU ";
    index -= spec_.cus;
    if (index < spec_.sqcs)
        return "instruction cache ";
    index -= spec_.sqcs;
    if (index < spec_.sqcs)
        return "scalar cache ";
    index -= spec_.sqcs;
    return "L2 channel ";
}

std::string CacheActionBroadcaster::waiting_for() const {
    if (idle())
        return {};
    if (state_.flushing)
        return "a cache action waits for the flush of " + std::to_string(state_.flushes) +
               " caches of render back ends";
    for (unsigned t = 0; t < state_.targets.size(); ++t)
        if (state_.targets[t].waiting || state_.targets[t].pending) {
            unsigned index = 0;
            const char* kind = kind_of(t, index);
            return "a cache action waits for " + (kind + std::to_string(index));
        }
    return "a cache action waits to be taken";
}

void CacheActionBroadcaster::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "actions", "actions", "cache actions of CP carried out", &state_.actions);
    stats.add(path, "l1_actions_of_cus", "actions", "L1 invalidations requested by waves",
              &state_.own_actions);
    stats.add(path, "busy_cycles", "cycles", "a cache action of CP was in progress",
              &state_.busy_cycles);
}

}  // namespace archipelago::tc
