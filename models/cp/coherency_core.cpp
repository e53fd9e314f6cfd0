// SPDX-License-Identifier: Apache-2.0
#include "models/cp/coherency_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::cp {

CoherencyCore::CoherencyCore(const Spec& spec)
    : done(spec.done, "cp.coherency.done"),
      to_client(kClients, OutputChannel<CacheActionDone>(this)) {
    for (unsigned i = 0; i < kClients; ++i) {
        request[i] = Channel<CacheAction>(spec.command, "cp.coherency.request" + std::to_string(i));
        add_input(request[i]);
    }
    add_input(done);
}

void CoherencyCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, turn_, busy);
}

void CoherencyCore::reset() {
    state_ = {};
    turn_.reset();
    clear_inputs();
    busy.reset();
}

bool CoherencyCore::tick(Cycle now) {
    bool progress = false;
    if (state_.waiting && done.can_pop(now)) {
        if (done.front().tag != state_.sequence)
            throw MachineStop(StopKind::Protocol, "cp.coherency",
                              "caches completed action " + std::to_string(done.front().tag) +
                                  ", expected " + std::to_string(state_.sequence));
        if (to_client[state_.client]->can_push(now)) {
            done.pop(now);
            to_client[state_.client]->push(now, {state_.client_tag});
            state_.waiting = false;
            state_.busy_cycles += now - state_.began;
            if (log_ != nullptr)
                log_->push_back({state_.began, now});
            progress = true;
        }
    }
    if (!state_.waiting) {
        uint64_t ready = 0;
        for (unsigned i = 0; i < kClients; ++i)
            if (request[i].can_pop(now))
                ready |= uint64_t{1} << i;
        if (ready != 0 && to_caches->can_push(now)) {
            state_.client = static_cast<unsigned>(turn_.pick_and_grant(ready));
            CacheAction action = request[state_.client].pop(now);
            state_.client_tag = action.tag;
            action.tag = ++state_.sequence;
            to_caches->push(now, action);
            state_.waiting = true;
            state_.began = now;
            ++state_.actions;
            progress = true;
        }
    }
    busy.set(now, !idle());
    return progress;
}

bool CoherencyCore::idle() const {
    for (const auto& channel : request)
        if (!channel.empty())
            return false;
    return !state_.waiting;
}

std::string CoherencyCore::waiting_for() const {
    return state_.waiting ? "coherency unit waits for the caches" : "";
}

void CoherencyCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "actions", "transactions", "cache actions sent", &state_.actions);
    stats.add(path, "busy", "cycles", "an action was under way", &state_.busy_cycles);
}

}  // namespace archipelago::cp
