// SPDX-License-Identifier: Apache-2.0
#include "models/gds/gds_core.h"

#include <algorithm>

#include "models/gds/gds_execute.h"

namespace archipelago::gds {

GdsCore::GdsCore(const GdsSpec& spec, const std::string& name) : spec_(spec), name_(name) {
    spec_.validate();
    from_unit_.reserve(spec_.units);
    for (unsigned i = 0; i < spec_.units; ++i) {
        from_unit_.emplace_back(spec_.request_in, name + ".from_unit" + std::to_string(i));
        from_unit_.back().set_consumer(this);
    }
    to_unit_.resize(spec_.units);
    init_state();
}

void GdsCore::init_state() {
    state_.contents.memory.assign(spec_.bytes, 0);
    state_.turn = RoundRobin(spec_.units);
    state_.answers.resize(spec_.units);
}

void GdsCore::connect_unit(unsigned unit, Channel<GdsResponse>& to_unit) {
    to_unit_[unit] = &to_unit;
    to_unit.set_producer(this);
}

bool GdsCore::tick(Cycle now) {
    bool moved = send(now);
    if (state_.run != RunState::Paused && state_.free <= now)
        moved |= take(now);
    if (moved)
        return true;
    Cycle at = kNever;
    for (const auto& queue : state_.answers)
        if (!queue.empty() && queue.front().at > now)
            at = std::min(at, queue.front().at);
    if (state_.free > now)
        for (const Channel<GdsRequest>& channel : from_unit_)
            if (!channel.empty())
                at = std::min(at, state_.free);
    if (at != kNever)
        wake_at(at);
    return false;
}

bool GdsCore::take(Cycle now) {
    uint64_t ready = 0;
    for (unsigned i = 0; i < spec_.units; ++i)
        if (!from_unit_[i].empty() && from_unit_[i].can_pop(now))
            ready |= uint64_t{1} << i;
    const int unit = state_.turn.pick_and_grant(ready);
    if (unit < 0)
        return false;
    GdsRequest request = from_unit_[static_cast<unsigned>(unit)].pop(now);
    request.source = static_cast<uint16_t>(unit);
    unsigned accesses = 0;
    for (const uint64_t lanes : request.lanes)
        accesses += static_cast<unsigned>(__builtin_popcountll(lanes));
    const unsigned cycles = std::max(
        spec_.request_cycles, (accesses + spec_.lanes_per_cycle - 1) / spec_.lanes_per_cycle);
    state_.free = now + cycles;
    ++state_.counters.requests;
    state_.counters.lanes += accesses;
    state_.counters.busy_cycles += cycles;
    done_.clear();
    execute(state_.contents, request, done_);
    ++state_.waiting;
    bool own = false;
    for (GdsResponse& response : done_) {
        own = own || (response.source == request.source && response.tag == request.tag);
        state_.answers[response.source].push_back({state_.free + spec_.latency, response});
        --state_.waiting;
    }
    state_.counters.waited += own ? 0 : 1;
    return true;
}

bool GdsCore::send(Cycle now) {
    bool moved = false;
    for (unsigned i = 0; i < spec_.units; ++i) {
        auto& queue = state_.answers[i];
        while (!queue.empty() && queue.front().at <= now && to_unit_[i] != nullptr &&
               to_unit_[i]->can_push(now)) {
            to_unit_[i]->push(now, queue.front().response);
            queue.pop_front();
            moved = true;
        }
    }
    return moved;
}

void GdsCore::reset() {
    state_ = State{};
    init_state();
    for (Channel<GdsRequest>& channel : from_unit_)
        channel.clear();
}

void GdsCore::resume() {
    state_.run = RunState::Running;
    wake_at(0);
}

bool GdsCore::idle() const {
    if (state_.waiting != 0)
        return false;
    for (const auto& queue : state_.answers)
        if (!queue.empty())
            return false;
    for (const Channel<GdsRequest>& channel : from_unit_)
        if (!channel.empty() && state_.run != RunState::Draining)
            return false;
    return true;
}

std::string GdsCore::waiting_for() const {
    if (const std::string waiters = waiting(state_.contents); !waiters.empty())
        return name_ + " holds waves: " + waiters;
    return idle() ? std::string() : name_ + " has requests to carry out";
}

void GdsCore::register_stats(StatsRegistry& registry, const std::string& path) const {
    const Counters& c = state_.counters;
    registry.add(path, "requests", "requests", "instructions carried out", &c.requests);
    registry.add(path, "lanes", "lanes", "elements accessed", &c.lanes);
    registry.add(path, "busy_cycles", "cycles", "at work", &c.busy_cycles);
    registry.add(path, "waited", "requests",
                 "that had to wait for another wave (semaphore, barrier, order)", &c.waited);
}

}  // namespace archipelago::gds
