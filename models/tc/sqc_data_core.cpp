// SPDX-License-Identifier: Apache-2.0
#include "models/tc/sqc_data_core.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "models/common/error.h"
#include "models/tc/sqc_common.h"

namespace archipelago::tc {
namespace {

void check(const SqcDataSpec& s, const std::string& name) {
    const auto require = [&](bool ok, const char* what) {
        if (!ok)
            throw MachineStop(StopKind::BadInput, name, what);
    };
    require(s.cus >= 1 && s.cus <= kMaxSqcCus, "cus must be between 1 and 16");
    require(s.mshrs >= 1, "mshrs must be at least 1");
    require(s.outstanding >= 1, "outstanding must be at least 1");
    require(s.lookups_per_cycle >= 1, "lookups_per_cycle must be at least 1");
    require(s.return_bytes >= 1, "return_bytes must be at least 1");
    require(s.hit_latency >= 1, "hit_latency must be at least 1 cycle");
}

std::string hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

unsigned open_loads(const SqcDataState::Cu& cu) {
    unsigned open = 0;
    for (const SqcDataState::Load& load : cu.loads)
        open += load.in_use ? 1 : 0;
    return open;
}

}  // namespace

SqcDataCore::SqcDataCore(const SqcDataSpec& spec, unsigned group, const std::string& name)
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

void SqcDataCore::connect_cu(unsigned cu, Channel<ScalarResponse>& to_cu) {
    to_cu_.at(cu) = &to_cu;
    to_cu.set_producer(this);
}
void SqcDataCore::connect_l2(Channel<MemRequest>& to_l2) {
    to_l2_ = &to_l2;
    to_l2.set_producer(this);
}
void SqcDataCore::connect_action_done(Channel<CacheActionDone>& done) {
    action_done_ = &done;
    done.set_producer(this);
}

bool SqcDataCore::tick(Cycle now) {
    const SqcAgenda& agenda = state_.agenda;
    bool progress = agenda.from_l2 <= now && take_fill(now);
    if (state_.run != RunState::Paused) {
        if (agenda.actions <= now)
            progress |= start_action(now);
        progress |=
            sqc_look_up(state_.turn, spec_.lookups_per_cycle, state_.looking | agenda.requests(now),
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
bool SqcDataCore::due(Cycle at) const {
    return state_.agenda.due(at) || state_.looking != 0 || state_.store.action.active;
}

bool SqcDataCore::take_fill(Cycle now) {
    if (!from_l2.can_pop(now))
        return false;
    const MemResponse fill = from_l2.pop(now);
    auto& misses = state_.store.misses;
    if (fill.tag >= misses.capacity() || !misses.in_use(fill.tag))
        throw MachineStop(StopKind::Protocol, name_, "L2 answered a fill that was not asked for");
    const uint64_t line = line_of(misses.key(fill.tag));
    std::string waves;  // timeline: who asks
    while (misses.has_waiter(fill.tag)) {
        const SqcDataState::Waiter waiter = misses.first_waiter(fill.tag);
        if (trace_ != nullptr) {
            const unsigned wave = state_.cus[waiter.cu].loads[waiter.load].request.wave;
            waves += " cu" + std::to_string(waiter.cu) + ".simd" + std::to_string(wave / 16) +
                     ".slot" + std::to_string(wave % 16);
        }
        misses.drop_first_waiter(fill.tag);
        deliver(waiter.cu, waiter.load, line, fill.data, fill.status, now + spec_.fill_latency);
    }
    sqc_install(state_.store, fill.tag, fill, state_.count);
    if (trace_ != nullptr)
        trace_->slice(tracks_[fill.tag], state_.store.miss_since[fill.tag], now, "miss", 0,
                      "line " + hex(line) + " for" + waves);
    if (misses.release(fill.tag))
        --state_.store.action.old_fills;
    return true;
}

// Takes the CU's next request into a free place. s_dcache_inv needs no lookup.
bool SqcDataCore::open_load(Cycle now, unsigned cu) {
    if (!from_cu_[cu].can_pop(now))
        return false;
    SqcDataState::Cu& client = state_.cus[cu];
    const auto place = std::find_if(client.loads.begin(), client.loads.end(),
                                    [](const SqcDataState::Load& l) { return !l.in_use; });
    if (place == client.loads.end()) {
        client.stall.stalled(now, SqcStall::Outstanding);
        return false;
    }
    const ScalarRequest& request = from_cu_[cu].front();
    if (!request.invalidate &&
        (request.dwords < 1 || request.dwords > 16 || request.address % 4 != 0))
        throw MachineStop(StopKind::Protocol, name_,
                          "scalar load of " + std::to_string(request.dwords) +
                              " dwords from address " + std::to_string(request.address));
    SqcDataState::Load& load = *place;
    load = SqcDataState::Load{};
    load.in_use = true;
    load.request = from_cu_[cu].pop(now);
    load.response.wave = load.request.wave;
    load.response.tag = load.request.tag;
    ++state_.count.requests;
    const auto index = static_cast<uint16_t>(place - client.loads.begin());
    if (load.request.invalidate) {
        sqc_detach_all(state_.store, state_.count);
        load.ready = now + spec_.invalidate_cycles;
        complete(cu, index);
        return true;
    }
    const uint64_t last = load.request.address + (load.request.dwords * 4u - 1);
    if (last < load.request.address) {  // beyond the end of the address space
        load.response.fault = true;
        load.response.fault_address = load.request.address;
        load.ready = now + spec_.hit_latency;
        complete(cu, index);
        return true;
    }
    load.next_line = line_of(load.request.address);
    load.lookups_left = line_of(last) == load.next_line ? 1 : 2;
    load.lines_left = load.lookups_left;
    client.looking = index;
    state_.looking |= uint64_t{1} << cu;
    return true;
}

bool SqcDataCore::look_up(Cycle now, unsigned cu) {
    SqcDataState::Cu& client = state_.cus[cu];
    if (client.looking < 0) {
        if (!open_load(now, cu))
            return false;
        if (client.looking < 0) {
            client.stall.moved(now);
            return true;
        }
        // Taking the request is progress even when its first lookup must wait.
        look_up(now, cu);
        return true;
    }
    const auto index = static_cast<uint16_t>(client.looking);
    SqcDataState::Load& load = client.loads[index];
    const uint64_t line = load.next_line;
    const uint8_t vmid = load.request.vmid;
    const uint64_t key = sqc_key(line, vmid);
    CacheArray& array = state_.store.array;
    auto& misses = state_.store.misses;
    const uint32_t entry = array.find(array.set_of(line / kLineBytes), key);
    const uint32_t joined = entry == CacheArray::kNone ? misses.find(key) : CacheArray::kNone;
    if (entry == CacheArray::kNone && joined == CacheArray::kNone) {
        if (misses.full()) {
            client.stall.stalled(now, SqcStall::Mshr);
            return false;
        }
        if (!to_l2_->can_push(now)) {
            client.stall.stalled(now, SqcStall::Downstream);
            return false;
        }
    }
    client.stall.moved(now);
    load.next_line = line + kLineBytes;
    if (--load.lookups_left == 0) {
        client.looking = -1;
        state_.looking &= ~(uint64_t{1} << cu);
    }
    ++state_.count.lookups;
    if (entry != CacheArray::kNone) {
        array.touch(entry);
        ++state_.count.hits;
        deliver(cu, index, line, array.data(entry), MemStatus::Ok, now + spec_.hit_latency);
        return true;
    }
    uint32_t miss = joined;
    if (miss == CacheArray::kNone) {
        miss = misses.allocate(key, true);
        state_.store.miss_since[miss] = now;
        to_l2_->push(now, sqc_fill_request(line, vmid, Client::Scalar, group_, miss));
        ++state_.count.misses;
    } else {
        ++state_.count.merged;
    }
    misses.add_waiter(miss, {static_cast<uint16_t>(cu), index});
    return true;
}

// Copies the part of the load that lies in the line; the last one completes the load.
void SqcDataCore::deliver(unsigned cu, unsigned index, uint64_t line, const Line& data,
                          MemStatus status, Cycle ready) {
    SqcDataState::Cu& client = state_.cus[cu];
    SqcDataState::Load& load = client.loads[index];
    const uint64_t first = std::max(line, load.request.address);
    if (status != MemStatus::Ok) {
        if (!load.response.fault || first < load.response.fault_address)
            load.response.fault_address = first;
        load.response.fault = true;
    } else {
        const uint64_t begin = first - load.request.address;
        const uint64_t bytes =
            std::min<uint64_t>(line + kLineBytes - first, load.request.dwords * 4u - begin);
        std::memcpy(reinterpret_cast<uint8_t*>(load.response.data.data()) + begin,
                    data.data() + (first - line), bytes);
    }
    load.ready = std::max(load.ready, ready);
    if (--load.lines_left == 0)
        complete(cu, index);
}

// The load has its data, those of its last line from its cycle `ready` on.
void SqcDataCore::complete(unsigned cu, unsigned index) {
    SqcDataState::Cu& client = state_.cus[cu];
    if (client.answers.empty())
        state_.agenda.add_answer(cu, client.loads[index].ready);
    client.answers.push(static_cast<uint16_t>(index));
}

bool SqcDataCore::respond(Cycle now) {
    Cycle later = kNever;
    const bool progress =
        state_.agenda.send_answers(now, later, [&](unsigned cu) { return send_answer(now, cu); });
    if (later != kNever)
        wake_at(later);
    return progress;
}

// The CU's first answer, when the way is free.
bool SqcDataCore::send_answer(Cycle now, unsigned i) {
    SqcDataState::Cu& cu = state_.cus[i];
    SqcDataState::Load& load = cu.loads[cu.answers.front()];
    const unsigned bytes = load.request.invalidate ? 0 : load.request.dwords * 4u;
    if (!cu.sending) {
        cu.sending = true;
        const unsigned cycles = (bytes + spec_.return_bytes - 1) / spec_.return_bytes;
        if (cycles > 1) {
            state_.agenda.answer[i] = now + cycles - 1;
            return false;
        }
    }
    if (!to_cu_[i]->can_push(now))
        return false;
    if (load.response.fault)
        ++state_.count.faults;
    to_cu_[i]->push(now, load.response);
    state_.count.bytes_returned += bytes;
    load.in_use = false;
    cu.sending = false;
    cu.answers.drop();
    state_.agenda.answer_left(i);
    if (!cu.answers.empty())
        state_.agenda.add_answer(i, cu.loads[cu.answers.front()].ready);
    return true;
}

bool SqcDataCore::start_action(Cycle now) {
    return start_invalidation(state_.store.action, now, actions, &CacheAction::invalidate_scalar,
                              spec_.invalidate_cycles, state_.store.array, state_.store.misses,
                              state_.count);
}

bool SqcDataCore::finish_action(Cycle now) {
    return finish_invalidation(state_.store.action, now, *this, action_done_, name_);
}

void SqcDataCore::reset() {
    for (auto& channel : from_cu_)
        channel.clear();
    from_l2.clear();
    actions.clear();
    state_ = SqcDataState(spec_);
}

bool SqcDataCore::idle() const {
    for (unsigned i = 0; i < spec_.cus; ++i)
        if (!from_cu_[i].empty() || open_loads(state_.cus[i]) != 0)
            return false;
    return from_l2.empty() && actions.empty() && state_.store.misses.used() == 0 &&
           !state_.store.action.active;
}

std::string SqcDataCore::waiting_for() const {
    if (idle())
        return {};
    if (state_.run == RunState::Paused)
        return "paused";
    if (state_.store.misses.used() != 0)
        return std::to_string(state_.store.misses.used()) + " fills from L2";
    for (unsigned i = 0; i < spec_.cus; ++i)
        if (!state_.cus[i].answers.empty())
            return "CU " + std::to_string(i) + " of the group to take a scalar load";
    if (state_.store.action.active)
        return "the end of a cache action";
    return "a scalar load to be looked up";
}

void SqcDataCore::register_stats(StatsRegistry& registry, const std::string& path) const {
    sqc_register_stats(registry, path, state_.count);
    for (unsigned i = 0; i < spec_.cus; ++i)
        sqc_register_stalls(registry, path + ".port" + std::to_string(i), state_.cus[i].stall);
}

void SqcDataCore::observe(const Observers& observers, const std::string& path) {
    trace_ = observers.trace;
    tracks_.clear();
    if (trace_ == nullptr)
        return;
    for (unsigned i = 0; i < spec_.mshrs; ++i)
        tracks_.push_back(trace_->track(path + ".miss" + std::to_string(i), observers.period_fs));
}

}  // namespace archipelago::tc
