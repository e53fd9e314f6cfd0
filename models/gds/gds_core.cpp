// SPDX-License-Identifier: Apache-2.0
#include "models/gds/gds_core.h"

#include <algorithm>

#include "models/common/archive.h"
#include "models/common/register_service.h"
#include "models/gds/gds_execute.h"
#include "models/gds/gds_registers.h"

namespace archipelago::gds {

GdsCore::GdsCore(const GdsSpec& spec, const std::string& name)
    : to_unit(spec.units + 1, OutputChannel<GdsResponse>(this)),
      registers(spec.registers, name + ".registers"),
      spec_(spec),
      name_(name) {
    spec_.validate();
    add_input(registers);
    from_unit_.reserve(spec_.units + 1);
    for (unsigned i = 0; i <= spec_.units; ++i) {
        from_unit_.emplace_back(spec_.request_in, i == spec_.units
                                                      ? name + ".from_cp"
                                                      : name + ".from_unit" + std::to_string(i));
        add_input(from_unit_.back());
    }
    init_state();
}

void GdsCore::init_state() {
    state_.contents.memory.assign(spec_.bytes, 0);
    state_.turn = RoundRobin(spec_.units + 1);
    state_.answers.resize(spec_.units + 1);
}

bool GdsCore::tick(Cycle now) {
    bool moved = send(now);
    if (run_ != RunState::Paused) {
        // Registers first: one access cannot hold back more than one request.
        moved |= take_register(now);
        if (state_.free <= now)
            moved |= take(now);
    }
    if (const bool working = !idle(); busy.latest() != working)
        busy.set(now, working);
    if (moved)
        return true;
    Cycle at = kNever;
    for (const auto& queue : state_.answers)
        if (!queue.empty() && queue.front().at > now)
            at = std::min(at, queue.front().at);
    if (!state_.register_answers.empty() && state_.register_answers.front().at > now)
        at = std::min(at, state_.register_answers.front().at);
    if (state_.free > now) {
        if (!registers.empty())
            at = std::min(at, state_.free);
        for (const Channel<GdsRequest>& channel : from_unit_)
            if (!channel.empty())
                at = std::min(at, state_.free);
    }
    if (at != kNever)
        wake_at(at);
    return false;
}

bool GdsCore::take(Cycle now) {
    uint64_t ready = 0;
    for (unsigned i = 0; i < from_unit_.size(); ++i)
        if (!from_unit_[i].empty() && from_unit_[i].can_pop(now))
            ready |= uint64_t{1} << i;
    const int unit = state_.turn.pick_and_grant(ready);
    if (unit < 0)
        return false;
    GdsRequest request = from_unit_[static_cast<unsigned>(unit)].pop(now);
    request.source = static_cast<uint16_t>(unit);
    const Occupancy o = occupancy(spec_, request);
    state_.free = now + o.cycles;
    ++state_.counters.requests;
    state_.counters.lanes += o.accesses;
    state_.counters.busy_cycles += o.cycles;
    state_.counters.bank_conflict_cycles += o.bank_conflicts;
    state_.counters.address_conflict_cycles += o.address_conflicts;
    note(state_.contents, o);
    done_.clear();
    execute(spec_.map, state_.contents, request, done_);
    ++state_.waiting;
    bool own = false;
    for (const GdsResponse& response : done_)
        own = own || (response.source == request.source && response.tag == request.tag);
    state_.counters.waited += own ? 0 : 1;
    answer(state_.free + spec_.latency);
    if (request.command == GdsCommand::RegisterAtomic)
        state_.atom_done = state_.free + spec_.latency;
    return true;
}

// Sends done_ on its way.
void GdsCore::answer(Cycle at) {
    for (GdsResponse& response : done_) {
        state_.answers[response.source].push_back({at, response});
        --state_.waiting;
    }
}

bool GdsCore::take_register(Cycle now) {
    if (!registers.can_pop(now))
        return false;
    const RegRequest& front = registers.front();
    const bool memory = touches_memory(spec_.map, front.offset, front.write);
    if (memory && state_.free > now)
        return false;
    const RegRequest request = registers.pop(now);
    if (memory) {
        state_.free = now + spec_.request_cycles;
        state_.counters.busy_cycles += spec_.request_cycles;
    }
    const Cycle done = memory ? state_.free + spec_.latency : now;
    if (request.write) {  // posted
        ++state_.counters.register_writes;
        done_.clear();
        gds::write_register(spec_.map, state_.contents, request.offset, request.value, done_);
        answer(now + spec_.latency);
        if (request.offset == spec_.map.GDS_ATOM_SRC0)
            state_.atom_done = done;
        else if (memory)
            state_.write_done = done;
        return true;
    }
    RegisterAnswer a;
    a.at = done;
    if (request.offset >= spec_.map.GDS_ATOM_READ0 && request.offset <= spec_.map.GDS_ATOM_READ1_U)
        a.at = std::max(a.at, state_.atom_done);
    if (!state_.register_answers.empty())
        a.at = std::max(a.at, state_.register_answers.back().at);
    a.response = answer_to(request);
    a.response.value = read(now, request, a.response.status);
    state_.register_answers.push_back(a);
    return true;
}

uint32_t GdsCore::read(Cycle now, const RegRequest& request, RegStatus& status) {
    ++state_.counters.register_reads;
    uint32_t value = 0;
    status = gds::read_register(spec_.map, state_.contents, request.offset, value)
                 ? RegStatus::Ok
                 : RegStatus::Unknown;
    if (request.offset == spec_.map.GDS_ATOM_COMPLETE)
        value = state_.atom_done <= now ? 1 : 0;
    else if (request.offset == spec_.map.GDS_WRITE_COMPLETE)
        value = state_.write_done <= now ? 1 : 0;
    else if (request.offset == spec_.map.GDS_CNTL_STATUS)
        value |= regs::word(
            {{spec_.map.GDS_CNTL_STATUS.GDS_BUSY, state_.free > now || state_.waiting != 0},
             {spec_.map.GDS_CNTL_STATUS.GRBM_WBUF_BUSY, !registers.empty()}});
    return value;
}

bool GdsCore::write_register(const RegRequest& request) {
    ++state_.counters.register_writes;
    done_.clear();
    return gds::write_register(spec_.map, state_.contents, request.offset, request.value, done_);
}

bool GdsCore::read_register(const RegRequest& request, uint32_t& value) {
    ++state_.counters.register_reads;
    return gds::read_register(spec_.map, state_.contents, request.offset, value);
}

bool GdsCore::send(Cycle now) {
    bool moved = false;
    for (unsigned i = 0; i < to_unit.size(); ++i) {
        auto& queue = state_.answers[i];
        while (!queue.empty() && queue.front().at <= now && to_unit[i] &&
               to_unit[i]->can_push(now)) {
            to_unit[i]->push(now, queue.front().response);
            queue.pop_front();
            moved = true;
        }
    }
    auto& answers = state_.register_answers;
    while (!answers.empty() && answers.front().at <= now && to_registers &&
           to_registers->can_push(now)) {
        to_registers->push(now, answers.front().response);
        answers.pop_front();
        moved = true;
    }
    return moved;
}

void GdsCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_);
}

void GdsCore::reset() {
    Unit::reset();
    state_ = State{};
    init_state();
    busy.reset();
}

bool GdsCore::idle() const {
    return state_.waiting == 0 && state_.register_answers.empty() &&
           (run_ == RunState::Draining || inputs_empty()) &&
           std::all_of(state_.answers.begin(), state_.answers.end(),
                       [](const auto& queue) { return queue.empty(); });
}

std::string GdsCore::waiting_for() const {
    if (const std::string waiters = waiting(state_.contents); !waiters.empty())
        return name_ + " holds waves: " + waiters;
    return idle() ? std::string() : name_ + " has requests to carry out";
}

void GdsCore::register_stats(StatsRegistry& registry, const std::string& path) const {
    const UnitStats add(registry, path);
    const Counters& c = state_.counters;
    add("requests", "requests", "instructions executed", &c.requests);
    add("lanes", "lanes", "elements accessed", &c.lanes);
    add("busy_cycles", "cycles", "executing an instruction", &c.busy_cycles);
    add("bank_conflict_cycles", "cycles", "lanes accessed different dwords of one bank",
        &c.bank_conflict_cycles);
    add("address_conflict_cycles", "cycles", "lanes changed one dword", &c.address_conflict_cycles);
    add("register_writes", "transactions", "register writes", &c.register_writes);
    add("register_reads", "transactions", "register reads", &c.register_reads);
    add("waited", "requests", "that had to wait for another wave (semaphore, barrier, order)",
        &c.waited);
}

}  // namespace archipelago::gds
