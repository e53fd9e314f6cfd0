// SPDX-License-Identifier: Apache-2.0
#include "models/tc/sqc_inst_core.h"

#include <cstring>

#include "models/common/error.h"
#include "models/tc/sqc_common.h"

namespace archipelago::tc {
namespace {

constexpr unsigned kFetchBytes = sizeof(FetchResponse::words);

void check(const SqcInstSpec& s, const std::string& name) {
    const auto require = [&](bool ok, const char* what) {
        if (!ok)
            throw MachineStop(StopKind::BadInput, name, what);
    };
    require(s.cus >= 1 && s.cus <= kMaxSqcCus, "cus must be between 1 and 16");
    require(s.mshrs >= 1, "mshrs must be at least 1");
    require(s.outstanding >= 1, "outstanding must be at least 1");
    require(s.lookups_per_cycle >= 1, "lookups_per_cycle must be at least 1");
    require(s.hit_latency >= 1, "hit_latency must be at least 1 cycle");
}

}  // namespace

SqcInstCore::SqcInstCore(const SqcInstSpec& spec, unsigned group, const std::string& name)
    : from_l2(spec.from_l2, name + ".from_l2"),
      actions(spec.actions, name + ".actions"),
      spec_((check(spec, name), spec)),
      group_(static_cast<uint16_t>(group)),
      name_(name),
      state_(spec),
      to_cu_(spec.cus, nullptr) {
    from_cu_.reserve(spec.cus);
    for (unsigned i = 0; i < spec.cus; ++i) {
        from_cu_.emplace_back(spec.from_cu, name + ".from_cu" + std::to_string(i));
        from_cu_.back().set_consumer(this, state_.agenda.asking, i);
        from_cu_.back().set_consumer(this, state_.agenda.from_cu[i]);
    }
    from_l2.set_consumer(this, state_.agenda.from_l2);
    actions.set_consumer(this, state_.agenda.actions);
}

void SqcInstCore::connect_cu(unsigned cu, Channel<FetchResponse>& to_cu) {
    to_cu_.at(cu) = &to_cu;
    to_cu.set_producer(this);
}
void SqcInstCore::connect_l2(Channel<MemRequest>& to_l2) {
    to_l2_ = &to_l2;
    to_l2.set_producer(this);
}
void SqcInstCore::connect_action_done(Channel<CacheActionDone>& done) {
    action_done_ = &done;
    done.set_producer(this);
}

bool SqcInstCore::tick(Cycle now) {
    const SqcAgenda& agenda = state_.agenda;
    bool progress = agenda.from_l2 <= now && take_fill(now);
    if (state_.run != RunState::Paused) {
        if (agenda.actions <= now)
            progress |= start_action(now);
        progress |= sqc_look_up(state_.turn, spec_.lookups_per_cycle, agenda.requests(now),
                                [&](unsigned cu) { return look_up(now, cu); });
    }
    if (state_.store.action.active)
        progress |= finish_action(now);
    if (agenda.first_answer <= now)
        progress |= respond(now);
    else if (agenda.first_answer != kNever)
        wake_at(agenda.first_answer);
    return progress && due(now + 1);
}

// After progress in the cycle before: whether anything may move in cycle `at`. What is known to
// move later has asked for its tick.
bool SqcInstCore::due(Cycle at) const {
    return state_.agenda.due(at) || state_.store.action.active;
}

bool SqcInstCore::take_fill(Cycle now) {
    if (!from_l2.can_pop(now))
        return false;
    const MemResponse fill = from_l2.pop(now);
    auto& misses = state_.store.misses;
    if (fill.tag >= misses.capacity() || !misses.in_use(fill.tag))
        throw MachineStop(StopKind::Protocol, name_, "L2 answered a fill that was not asked for");
    while (misses.has_waiter(fill.tag)) {
        answer(now + spec_.fill_latency, misses.first_waiter(fill.tag), fill.data,
               fill.status != MemStatus::Ok);
        misses.drop_first_waiter(fill.tag);
    }
    sqc_install(state_.store, fill.tag, fill, state_.count);
    if (trace_ != nullptr)
        trace_->slice(tracks_[fill.tag], state_.store.miss_since[fill.tag], now, "miss");
    if (misses.release(fill.tag))
        --state_.store.action.old_fills;
    return true;
}

bool SqcInstCore::look_up(Cycle now, unsigned cu) {
    if (!from_cu_[cu].can_pop(now))
        return false;
    FetchRequest request = from_cu_[cu].front();
    if (request.address % kFetchBytes != 0)
        throw MachineStop(StopKind::Protocol, name_,
                          "fetch from address " + std::to_string(request.address) +
                              ", not a multiple of 32 bytes");
    request.cu = static_cast<uint16_t>(cu);
    SqcInstState::Cu& client = state_.cus[cu];
    if (client.open == spec_.outstanding) {
        client.stall.stalled(now, SqcStall::Outstanding);
        return false;
    }
    const uint64_t line = line_of(request.address);
    const uint64_t key = sqc_key(line, request.vmid);
    CacheArray& array = state_.store.array;
    auto& misses = state_.store.misses;
    const uint32_t entry = array.find(array.set_of(line / kLineBytes), key);
    if (entry != CacheArray::kNone) {
        array.touch(entry);
        ++state_.count.hits;
        answer(now + spec_.hit_latency, request, array.data(entry), false);
    } else if (const uint32_t joined = misses.find(key); joined != CacheArray::kNone) {
        misses.add_waiter(joined, request);
        ++state_.count.merged;
    } else {
        if (misses.full()) {
            client.stall.stalled(now, SqcStall::Mshr);
            return false;
        }
        if (!to_l2_->can_push(now)) {
            client.stall.stalled(now, SqcStall::Downstream);
            return false;
        }
        const uint32_t miss = misses.allocate(key, true);
        misses.add_waiter(miss, request);
        state_.store.miss_since[miss] = now;
        to_l2_->push(now, sqc_fill_request(line, request.vmid, Client::Instruction, group_, miss));
        ++state_.count.misses;
    }
    client.stall.moved(now);
    ++client.open;
    ++state_.count.requests;
    ++state_.count.lookups;
    from_cu_[cu].drop(now);
    return true;
}

void SqcInstCore::answer(Cycle ready, const FetchRequest& request, const Line& line, bool fault) {
    SqcInstState::Cu& cu = state_.cus[request.cu];
    if (cu.answers.empty())
        state_.agenda.add_answer(request.cu, ready);
    SqcInstState::Answer& a = cu.answers.extend();
    a.ready = ready;
    a.response = FetchResponse{};
    a.response.address = request.address;
    a.response.wave = request.wave;
    a.response.generation = request.generation;
    a.response.fault = fault;
    if (fault)
        ++state_.count.faults;
    else
        std::memcpy(a.response.words.data(), line.data() + request.address % kLineBytes,
                    kFetchBytes);
}

bool SqcInstCore::respond(Cycle now) {
    Cycle later = kNever;
    const bool progress =
        state_.agenda.send_answers(now, later, [&](unsigned cu) { return send_answer(now, cu); });
    if (later != kNever)
        wake_at(later);
    return progress;
}

// The CU's first answer, when the way is free.
bool SqcInstCore::send_answer(Cycle now, unsigned i) {
    SqcInstState::Cu& cu = state_.cus[i];
    if (!to_cu_[i]->can_push(now))
        return false;
    to_cu_[i]->push(now, cu.answers.front().response);
    cu.answers.drop();
    state_.agenda.answer_left(i);
    if (!cu.answers.empty())
        state_.agenda.add_answer(i, cu.answers.front().ready);
    --cu.open;
    state_.count.bytes_returned += kFetchBytes;
    return true;
}

bool SqcInstCore::start_action(Cycle now) {
    return start_invalidation(state_.store.action, now, actions, &CacheAction::invalidate_inst,
                              spec_.invalidate_cycles, state_.store.array, state_.store.misses,
                              state_.count);
}

bool SqcInstCore::finish_action(Cycle now) {
    return finish_invalidation(state_.store.action, now, *this, action_done_, name_);
}

void SqcInstCore::reset() {
    for (auto& channel : from_cu_)
        channel.clear();
    from_l2.clear();
    actions.clear();
    state_ = SqcInstState(spec_);
}

bool SqcInstCore::idle() const {
    for (unsigned i = 0; i < spec_.cus; ++i)
        if (!from_cu_[i].empty() || state_.cus[i].open != 0)
            return false;
    return from_l2.empty() && actions.empty() && state_.store.misses.used() == 0 &&
           !state_.store.action.active;
}

std::string SqcInstCore::waiting_for() const {
    if (idle())
        return {};
    if (state_.run == RunState::Paused)
        return "paused";
    if (state_.store.misses.used() != 0)
        return std::to_string(state_.store.misses.used()) + " fills from L2";
    for (unsigned i = 0; i < spec_.cus; ++i)
        if (!state_.cus[i].answers.empty())
            return "CU " + std::to_string(i) + " of the group to take a fetch";
    if (state_.store.action.active)
        return "the end of a cache action";
    return "a fetch to be looked up";
}

void SqcInstCore::register_stats(StatsRegistry& registry, const std::string& path) const {
    sqc_register_stats(registry, path, state_.count);
    for (unsigned i = 0; i < spec_.cus; ++i)
        sqc_register_stalls(registry, path + ".port" + std::to_string(i), state_.cus[i].stall);
}

void SqcInstCore::observe(const Observers& observers, const std::string& path) {
    trace_ = observers.trace;
    tracks_.clear();
    if (trace_ == nullptr)
        return;
    for (unsigned i = 0; i < spec_.mshrs; ++i)
        tracks_.push_back(trace_->track(path + ".miss" + std::to_string(i), observers.period_fs));
}

}  // namespace archipelago::tc
