// SPDX-License-Identifier: Apache-2.0
#include "models/cp/eop_core.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "models/common/error.h"

namespace archipelago::cp {

EopCore::EopCore(const Spec& spec)
    : command(spec.command, "cp.eop.command"),
      trigger(spec.done, "cp.eop.trigger"),
      memory_response(spec.memory_return, "cp.eop.memory_response"),
      cache_done(spec.done, "cp.eop.cache_done"),
      gds_stored(spec.done, "cp.eop.gds_stored"),
      spec_(spec) {
    command.set_consumer(this);
    trigger.set_consumer(this);
    memory_response.set_consumer(this);
    cache_done.set_consumer(this);
    gds_stored.set_consumer(this);
    reset();
}

void EopCore::connect_memory(Channel<MemRequest>* out) {
    memory_ = out;
    out->set_producer(this);
}
void EopCore::connect_coherency(Channel<CacheAction>* out) {
    coherency_ = out;
    out->set_producer(this);
}

void EopCore::connect_gds_store(Channel<GdsStore>* out) {
    gds_store_ = out;
    out->set_producer(this);
}

void EopCore::reset() {
    state_ = {};
    state_.entries.reserve(spec_.eop_depth);
    command.clear();
    trigger.clear();
    memory_response.clear();
    cache_done.clear();
    gds_stored.clear();
    busy = Wire<bool>();
    run_ = RunState::Running;
}

void EopCore::complete(Cycle now) {
    const EopCommand& c = state_.serving.command;
    const bool wrote = c.data_sel != EopData::None;
    const bool interrupt = c.interrupt != EopInterrupt::None;
    notice_->send(now, {c.location.ring, c.location.vmid, wrote, interrupt, state_.data});
    if (interrupt)
        ++state_.interrupts;
    if (observers_.trace != nullptr)
        observers_.trace->slice(track_, state_.serving.accepted, now, event_name(c.event_type),
                                c.flow);
    state_.serving_valid = false;
    state_.phase = Phase::Choose;
}

bool EopCore::serve(Cycle now) {
    switch (state_.phase) {
        case Phase::Choose: {
            size_t best = state_.entries.size();
            for (size_t i = 0; i < state_.entries.size(); ++i) {
                const uint64_t order = state_.entries[i].order;
                if (order != 0 &&
                    (best == state_.entries.size() || order < state_.entries[best].order))
                    best = i;
            }
            if (best == state_.entries.size())
                return false;
            state_.serving = state_.entries[best];
            state_.serving_valid = true;
            state_.entries.erase(state_.entries.begin() + static_cast<long>(best));
            state_.wait_cycles += now - state_.serving.accepted;
            state_.phase = state_.serving.command.invalidate_l2 ? Phase::Cache : Phase::Write;
            return true;
        }
        case Phase::Cache: {
            if (!coherency_->can_push(now))
                return false;
            CacheAction action;
            action.writeback_l2 = action.invalidate_l2 = true;
            coherency_->push(now, action);
            ++state_.cache_actions;
            state_.phase = Phase::CacheWait;
            return true;
        }
        case Phase::CacheWait:
            if (!cache_done.can_pop(now))
                return false;
            cache_done.pop(now);
            state_.phase = Phase::Write;
            return true;
        case Phase::Write: {
            const EopCommand& c = state_.serving.command;
            if (c.gds_dwords != 0)
                return store_gds(now);
            if (c.data_sel == EopData::None) {
                complete(now);
                return true;
            }
            if (!memory_->can_push(now))
                return false;
            state_.data = c.data_sel == EopData::Clock
                              ? now * spec_.gpu_clock_mul / spec_.gpu_clock_div
                              : c.data;
            const unsigned bytes = c.data_sel == EopData::Low32 ? 4 : 8;
            if (bytes == 4)
                state_.data &= 0xFFFFFFFF;
            MemRequest request;
            request.line = line_of(c.address);
            request.byte_mask = ((uint64_t{1} << bytes) - 1) << (c.address % kLineBytes);
            request.command = MemCommand::Write;
            request.client = Client::CpEop;
            request.vmid = c.location.vmid;
            request.write_through = true;
            request.uid = ++state_.uid;
            std::memcpy(&request.data[c.address % kLineBytes], &state_.data, bytes);
            memory_->push(now, request);
            ++state_.writes;
            state_.phase = Phase::WriteWait;
            return true;
        }
        case Phase::WriteWait: {
            if (!memory_response.can_pop(now))
                return false;
            const MemResponse r = memory_response.pop(now);
            const EopCommand& c = state_.serving.command;
            if (r.status != MemStatus::Ok) {
                char text[96];
                std::snprintf(text, sizeof text, "write to %s address 0x%" PRIx64,
                              r.status == MemStatus::Unmapped ? "unmapped" : "faulty", c.address);
                throw MachineStop(StopKind::Fault, to_string(c.location),
                                  event_name(c.event_type) + " " + text);
            }
            complete(now);
            return true;
        }
        case Phase::GdsWait:
            if (!gds_stored.can_pop(now))
                return false;
            gds_stored.pop(now);
            complete(now);
            return true;
    }
    return false;
}

bool EopCore::store_gds(Cycle now) {
    if (!gds_store_->can_push(now))
        return false;
    const EopCommand& c = state_.serving.command;
    gds_store_->push(now, {c.location, c.gds_from, c.gds_dwords, c.address});
    state_.phase = Phase::GdsWait;
    return true;
}

bool EopCore::tick(Cycle now) {
    bool progress = false;
    if (trigger.can_pop(now)) {
        ++state_.triggers[trigger.pop(now).ring];
        progress = true;
    }
    if (state_.entries.size() < spec_.eop_depth && command.can_pop(now)) {
        state_.entries.push_back({command.pop(now), now, 0});
        ++state_.commands;
        progress = true;
    }
    for (Entry& entry : state_.entries) {
        uint32_t& pending = state_.triggers[entry.command.location.ring];
        if (entry.order == 0 && pending != 0) {
            --pending;
            entry.order = ++state_.next_order;
            progress = true;
        }
    }
    if (run_ != RunState::Paused)
        progress |= serve(now);
    busy.set(now, !idle());
    return progress;
}

bool EopCore::idle() const {
    return state_.entries.empty() && !state_.serving_valid && command.empty() && trigger.empty();
}

std::string EopCore::waiting_for() const {
    if (state_.serving_valid) {
        const EopCommand& c = state_.serving.command;
        const bool cache = state_.phase == Phase::Cache || state_.phase == Phase::CacheWait;
        return std::string("ring ") + ring_name(c.location.ring) + ": end-of-pipe unit waits for " +
               (cache                            ? "the caches"
                : state_.phase == Phase::GdsWait ? "the GDS data"
                                                 : "its write") +
               " of " + event_name(c.event_type) + " at " + to_string(c.location);
    }
    if (state_.entries.empty())
        return "";
    const EopCommand& c = state_.entries.front().command;
    return std::string("ring ") + ring_name(c.location.ring) +
           ": end-of-pipe unit waits for the pipe to complete " + event_name(c.event_type) +
           " at " + to_string(c.location);
}

void EopCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "events", "transactions", "end-of-pipe commands accepted", &state_.commands);
    stats.add(path, "writes", "transactions", "fences and timestamps written", &state_.writes);
    stats.add(path, "interrupts", "transactions", "interrupts asked for", &state_.interrupts);
    stats.add(path, "cache_actions", "transactions", "L2 write-back and invalidate",
              &state_.cache_actions);
    stats.add(path, "wait", "cycles", "commands waited for their events, summed",
              &state_.wait_cycles);
}

void EopCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    if (observers_.trace != nullptr)
        track_ = observers_.trace->track(path, observers_.period_fs);
}

}  // namespace archipelago::cp
