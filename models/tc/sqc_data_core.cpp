// SPDX-License-Identifier: Apache-2.0
#include "models/tc/sqc_data_core.h"

#include <algorithm>
#include <cstring>

#include "models/common/text.h"

namespace archipelago::tc {
namespace {

const SqcDataSpec& checked(const SqcDataSpec& spec, const std::string& name) {
    if (spec.return_bytes < 1)
        throw MachineStop(StopKind::BadInput, name, "return_bytes must be at least 1");
    if (spec.lookups_per_cycle < 1)
        throw MachineStop(StopKind::BadInput, name, "lookups_per_cycle must be at least 1");
    return spec;
}

}  // namespace

SqcDataCore::SqcDataCore(const SqcDataSpec& spec, unsigned group, const std::string& name)
    : SqcCore(checked(spec, name),
              {Client::Scalar, &CacheAction::invalidate_scalar, "a scalar load"}, group, name) {}

bool SqcDataCore::tick(Cycle now) {
    const SqcAgenda& agenda = state_.agenda;
    bool progress = agenda.from_l2 <= now && take_lines(now);
    if (run_ != RunState::Paused) {
        if (agenda.actions <= now)
            progress |= start_action(now);
        progress |= look_up_in_turn(state_.turn, spec_.lookups_per_cycle,
                                    state_.looking | agenda.requests(now),
                                    [&](unsigned cu) { return look_up(now, cu); });
    }
    if (state_.store.action.active)
        progress |= finish_action(now);
    progress |= respond(now, [&](unsigned cu) { return send_answer(now, cu); });
    return progress && due(now + 1);
}

// After progress in the cycle before: whether anything may move in cycle `at`. What is known to
// move later has scheduled its tick.
bool SqcDataCore::due(Cycle at) const {
    return state_.agenda.due(at) || state_.looking != 0 || state_.store.action.active;
}

bool SqcDataCore::take_lines(Cycle now) {
    std::string waves;  // timeline: the requesters
    return take_fill(
        now,
        [&](const SqcDataState::Waiter& waiter, uint64_t line, const MemResponse& fill) {
            if (rows_.shown()) {
                const unsigned wave = state_.cus[waiter.cu].loads[waiter.load].request.wave;
                waves += " cu" + std::to_string(waiter.cu) + ".simd" + std::to_string(wave / 16) +
                         ".slot" + std::to_string(wave % 16);
            }
            SqcDataState::Load& load = state_.cus[waiter.cu].loads[waiter.load];
            (--load.lines_waiting == 0 ? waits_ : second_line_waits_).out.pass(now);
            deliver(waiter.cu, waiter.load, line, fill.data, fill.status, now + spec_.fill_latency);
        },
        [&] { return ", for" + waves; });
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
        invalidate_at_once();
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

// As an invalidation of everything, without waiting: s_dcache_inv.
void SqcDataCore::invalidate_at_once() {
    CacheArray& array = state_.store.array;
    for (uint32_t i = 0; i < array.entries(); ++i) {
        if (array.in_use(i)) {
            array.remove(i);
            ++state_.count.invalidated_lines;
        }
    }
    auto& misses = state_.store.misses;
    for (uint32_t i = 0; i < misses.capacity(); ++i)
        if (misses.in_use(i))
            misses.detach(i);
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
    const uint64_t key = key_of(line, vmid);
    CacheArray& array = state_.store.array;
    auto& misses = state_.store.misses;
    const uint32_t entry = array.find(array.set_of(line / kLineBytes), key);
    const uint32_t joined = entry == CacheArray::kNone ? misses.find(key) : CacheArray::kNone;
    if (entry == CacheArray::kNone && joined == CacheArray::kNone && !can_fetch(now, client.stall))
        return false;
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
    if (miss == CacheArray::kNone)
        miss = fetch(now, line, vmid);
    else
        ++state_.count.merged;
    (load.lines_waiting++ == 0 ? waits_ : second_line_waits_).in.pass(now);
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
    if (!to_cu[i]->can_push(now))
        return false;
    if (load.response.fault)
        ++state_.count.faults;
    to_cu[i]->push(now, load.response);
    state_.count.bytes_returned += bytes;
    load.in_use = false;
    cu.sending = false;
    cu.answers.drop();
    state_.agenda.answer_left(i);
    if (!cu.answers.empty())
        state_.agenda.add_answer(i, cu.loads[cu.answers.front()].ready);
    return true;
}

}  // namespace archipelago::tc
