// SPDX-License-Identifier: Apache-2.0
#include "models/tc/sqc_inst_core.h"

#include <array>
#include <cstring>

namespace archipelago::tc {
namespace {

constexpr unsigned kFetchBytes = sizeof(FetchResponse::words);
constexpr unsigned kMaxBanks = 16;

const SqcInstSpec& checked(const SqcInstSpec& spec, const std::string& name) {
    if (spec.banks < 1 || spec.banks > kMaxBanks)
        throw MachineStop(StopKind::BadInput, name, "banks must be between 1 and 16");
    return spec;
}

}  // namespace

SqcInstCore::SqcInstCore(const SqcInstSpec& spec, unsigned group, const std::string& name)
    : SqcCore(checked(spec, name), {Client::Instruction, &CacheAction::invalidate_inst, "a fetch"},
              group, name) {}

bool SqcInstCore::tick(Cycle now) {
    const SqcAgenda& agenda = state_.agenda;
    bool progress = false;
    if (agenda.from_l2 <= now)
        progress = take_fill(
            now,
            [&](const FetchRequest& waiter, uint64_t, const MemResponse& fill) {
                waits_.out.pass(now);
                answer(now + spec_.fill_latency, waiter, fill.data, fill.status != MemStatus::Ok);
            },
            [] { return std::string(); });
    if (run_ != RunState::Paused) {
        if (agenda.actions <= now)
            progress |= start_action(now);
        progress |= look_up_banks(now);
    }
    if (state_.store.action.active)
        progress |= finish_action(now);
    progress |= respond(now, [&](unsigned cu) { return send_answer(now, cu); });
    return progress && due(now + 1);
}

// After progress in the cycle before: whether anything may move in cycle `at`. What is known to
// move later has scheduled its tick.
bool SqcInstCore::due(Cycle at) const {
    return state_.agenda.due(at) || state_.store.action.active;
}

bool SqcInstCore::look_up_banks(Cycle now) {
    bool progress = false;
    // A CU asks for one block a cycle: what it asks for next waits, in any bank.
    std::array<uint64_t, kMaxBanks> asking{};
    uint64_t banks = 0;
    for (uint64_t m = state_.agenda.requests(now); m != 0; m &= m - 1) {
        const auto cu = static_cast<unsigned>(__builtin_ctzll(m));
        const uint64_t bank = from_cu_[cu].front().address / kLineBytes % spec_.banks;
        asking[bank] |= m & (0 - m);
        banks |= uint64_t{1} << bank;
    }
    for (; banks != 0; banks &= banks - 1) {
        const auto bank = static_cast<unsigned>(__builtin_ctzll(banks));
        progress |= look_up_in_turn(state_.turns[bank], 1, asking[bank],
                                    [&](unsigned cu) { return look_up(now, cu); });
    }
    return progress;
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
    const uint64_t key = key_of(line, request.vmid);
    CacheArray& array = state_.store.array;
    auto& misses = state_.store.misses;
    const uint32_t entry = array.find(array.set_of(line / kLineBytes), key);
    if (entry != CacheArray::kNone) {
        array.touch(entry);
        ++state_.count.hits;
        answer(now + spec_.hit_latency, request, array.data(entry), false);
    } else if (const uint32_t joined = misses.find(key); joined != CacheArray::kNone) {
        misses.add_waiter(joined, request);
        waits_.in.pass(now);
        ++state_.count.merged;
    } else {
        if (!can_fetch(now, client.stall))
            return false;
        misses.add_waiter(fetch(now, line, request.vmid), request);
        waits_.in.pass(now);
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

// The CU's first answer, when the way is free.
bool SqcInstCore::send_answer(Cycle now, unsigned i) {
    SqcInstState::Cu& cu = state_.cus[i];
    if (!to_cu[i]->can_push(now))
        return false;
    to_cu[i]->push(now, cu.answers.front().response);
    cu.answers.drop();
    state_.agenda.answer_left(i);
    if (!cu.answers.empty())
        state_.agenda.add_answer(i, cu.answers.front().ready);
    --cu.open;
    state_.count.bytes_returned += kFetchBytes;
    return true;
}

}  // namespace archipelago::tc
