// SPDX-License-Identifier: Apache-2.0
#include "models/sem/sem_core.h"

#include "models/common/archive.h"

#include <cstring>

namespace archipelago::sem {

using Phase = SemState::Phase;

SemCore::SemCore(const SemSpec& spec)
    : from_memory(spec.response, "sem.from_memory"),
      to_client(spec.clients, OutputChannel<MemResponse>(this)),
      turn_(spec.clients) {
    for (unsigned i = 0; i < spec.clients; ++i)
        request.emplace_back(spec.request, "sem.request" + std::to_string(i));
    for (unsigned i = 0; i < spec.clients; ++i)
        add_input(request[i], asked_, i);
    add_input(from_memory);
}

void SemCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, turn_, busy);
}

void SemCore::reset() {
    state_ = {};
    turn_.reset();
    busy.reset();
    Unit::reset();
}

void SemCore::send(Cycle now, const MemRequest& r) {
    MemRequest out = r;
    out.tag = 0;
    out.atomic = AtomicOp::None;
    to_memory->push(now, out);
}

bool SemCore::begin(Cycle now) {
    if (run_ == RunState::Paused || asked_ == 0 || !to_memory->can_push(now))
        return false;
    uint64_t ready = asked_;
    for (uint64_t left = ready; left != 0; left &= left - 1)
        if (!request[static_cast<unsigned>(__builtin_ctzll(left))].can_pop(now))
            ready &= ~(left & -left);
    if (ready == 0)
        return false;
    state_.client = static_cast<unsigned>(turn_.pick_and_grant(ready));
    state_.request = request[state_.client].pop(now);
    MemRequest read = state_.request;
    read.command = MemCommand::Read;
    send(now, read);
    ++(state_.request.command == MemCommand::Read ? state_.reads : state_.atomics);
    state_.phase = Phase::Reading;
    return true;
}

bool SemCore::take_read(Cycle now) {
    const bool atomic = state_.request.command == MemCommand::Atomic;
    if (!from_memory.can_pop(now) || (atomic && !to_memory->can_push(now)))
        return false;
    state_.response = from_memory.pop(now);
    state_.phase = Phase::Answering;
    if (!atomic || state_.response.status != MemStatus::Ok)
        return true;
    const auto at = static_cast<unsigned>(__builtin_ctzll(state_.request.byte_mask));
    uint64_t old = 0, operand = 0;
    std::memcpy(&old, &state_.response.data[at], sizeof old);
    std::memcpy(&operand, &state_.request.data[at], sizeof operand);
    const uint64_t changed = atomic64(state_.request.atomic, old, operand, state_.request.compare);
    MemRequest write = state_.request;
    write.command = MemCommand::Write;
    std::memcpy(&write.data[at], &changed, sizeof changed);
    send(now, write);
    state_.phase = Phase::Writing;
    return true;
}

bool SemCore::take_written(Cycle now) {
    if (!from_memory.can_pop(now))
        return false;
    state_.response.status = from_memory.pop(now).status;
    state_.phase = Phase::Answering;
    return true;
}

bool SemCore::answer(Cycle now) {
    OutputChannel<MemResponse>& to = to_client[state_.client];
    if (!to->can_push(now))
        return false;
    MemResponse& r = state_.response;
    r.command = state_.request.command;
    r.tag = state_.request.tag;
    r.port = state_.request.port;
    to->push(now, r);
    state_.phase = Phase::Idle;
    return true;
}

bool SemCore::tick(Cycle now) {
    const bool progress = step(now);
    busy.set(now, !idle());
    return progress;
}

bool SemCore::step(Cycle now) {
    switch (state_.phase) {
        case Phase::Idle:
            return begin(now);
        case Phase::Reading:
            return take_read(now);
        case Phase::Writing:
            return take_written(now);
        case Phase::Answering:
            return answer(now);
    }
    return false;
}

bool SemCore::idle() const {
    return state_.phase == Phase::Idle && inputs_empty();
}

std::string SemCore::waiting_for() const {
    if (state_.phase != Phase::Reading && state_.phase != Phase::Writing)
        return "";
    return "semaphore of client " + std::to_string(state_.client) + " waits for memory";
}

void SemCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("reads", "requests", "semaphores read", &state_.reads);
    add("atomics", "requests", "semaphores changed", &state_.atomics);
}

}  // namespace archipelago::sem
