// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/co/co_core.h"

#include <algorithm>

#include "models/common/archive.h"
#include "models/common/invariant.h"
#include "models/common/stall_cycles.h"

namespace archipelago::ctm {

using Phase = CoState::Test::Phase;

CoCore::CoCore(const CoSpec& spec, const std::string& name)
    : commands(spec.commands, name + ".commands"),
      from_pe(spec.requests, name + ".from_pe"),
      from_memory(spec.values, name + ".from_memory"),
      spec_(spec),
      name_(name) {
    spec_.validate();
    add_inputs(commands, from_pe, from_memory);
    to_array.resize(spec_.arrays, OutputChannel<ConditionResult>(this));
    from_array.reserve(spec_.arrays);
    for (unsigned i = 0; i < spec_.arrays; ++i) {
        from_array.emplace_back(spec_.requests, name + ".from_array" + std::to_string(i));
        add_input(from_array.back());
    }
    state_.turn = RoundRobin(spec_.arrays + 1);
}

bool CoCore::tick(Cycle now) {
    bool moved = take_values(now);
    if (run_ == RunState::Paused)
        return moved;
    moved |= answer(now);
    moved |= access(now);
    if (run_ == RunState::Running) {
        moved |= take_command(now);
        moved |= take_test(now);
    }
    if (!moved && !state_.tests.empty() && state_.tests.front().phase == Phase::Done &&
        state_.tests.front().ready > now)
        wake_at(state_.tests.front().ready);
    return moved;
}

bool CoCore::answer(Cycle now) {
    if (state_.tests.empty())
        return false;
    const Test& oldest = state_.tests.front();
    OutputChannel<ConditionResult>& to = results_of(oldest.client);
    if (oldest.phase != Phase::Done || oldest.ready > now || !to->can_push(now))
        return false;
    to->push(now, {oldest.passed, oldest.request.tag});
    state_.tests.pop_front();
    ++state_.first;
    return true;
}

bool CoCore::take_values(Cycle now) {
    bool moved = false;
    while (from_memory.can_pop(now)) {
        const ElementResponse response = from_memory.pop(now);
        const uint32_t place = response.tag - state_.first;
        invariant(place < state_.tests.size(), name_, "an answer of the MC to no request", now);
        Test& test = state_.tests[place];
        if (test.phase == Phase::Reading) {
            decide(now, test, response);
        } else {
            invariant(test.phase == Phase::Writing, name_, "an answer that is not asked for", now);
            test.phase = Phase::Done;
            test.ready = now + spec_.latency;
        }
        moved = true;
    }
    return moved;
}

// Which lanes pass, once the buffer's values are there.
void CoCore::decide(Cycle now, Test& test, const ElementResponse& buffer) {
    const ConditionLocation client = location_of(test.client);
    test.passed = passing_lanes(state_.settings, client, test.request, buffer);
    state_.counters.passed += static_cast<unsigned>(__builtin_popcount(test.passed));
    test.phase = needs_write(state_.settings, client, test.passed) ? Phase::ToWrite : Phase::Done;
    test.ready = now + spec_.latency;
}

// One access a cycle, of the oldest test that has one.
bool CoCore::access(Cycle now) {
    const auto wants = [](const Test& t) {
        return t.phase == Phase::ToRead || t.phase == Phase::ToWrite;
    };
    const auto found = std::find_if(state_.tests.begin(), state_.tests.end(), wants);
    const bool any = found != state_.tests.end();
    const bool sent = any && to_memory->can_push(now);
    note_stall(any && !sent, now, state_.memory_since, state_.counters.stall_memory);
    if (!sent)
        return false;
    const bool reads = found->phase == Phase::ToRead;
    ElementRequest request =
        reads ? read_request(found->request) : write_request(found->request, found->passed);
    request.tag = state_.first + static_cast<uint32_t>(found - state_.tests.begin());
    to_memory->push(now, request);
    found->phase = reads ? Phase::Reading : Phase::Writing;
    ++(reads ? state_.counters.reads : state_.counters.writes);
    return true;
}

bool CoCore::take_command(Cycle now) {
    if (!state_.tests.empty() || !commands.can_pop(now))
        return false;
    const UnitCommand command = commands.pop(now);
    apply(command, state_.settings);
    ++state_.counters.commands;
    to_commands_done->send(now, {command.opcode});
    return true;
}

bool CoCore::take_test(Cycle now) {
    if (state_.tests.size() >= spec_.in_flight || commands.can_pop(now))
        return false;
    uint64_t ready = 0;
    for (unsigned client = 0; client <= spec_.arrays; ++client)
        if (requests_of(client).can_pop(now))
            ready |= uint64_t{1} << client;
    const int granted = state_.turn.pick_and_grant(ready);
    if (granted < 0)
        return false;
    Test test;
    test.client = static_cast<uint8_t>(granted);
    test.request = requests_of(test.client).pop(now);
    ++state_.counters.tests;
    state_.counters.lanes += static_cast<unsigned>(__builtin_popcount(test.request.lanes));
    if (!needs_read(state_.settings, location_of(test.client)))
        decide(now, test, {});
    state_.tests.push_back(test);
    return true;
}

void CoCore::reset() {
    Unit::reset();
    state_ = CoState();
    state_.turn = RoundRobin(spec_.arrays + 1);
}

void CoCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_);
}

bool CoCore::idle() const {
    const bool takes = run_ != RunState::Draining;
    return state_.tests.empty() && !(takes && !inputs_empty());
}

std::string CoCore::waiting_for() const {
    if (idle())
        return {};
    if (run_ == RunState::Paused)
        return name_ + ": paused with work";
    static const char* const kPhases[] = {"has to read", "reads", "has to write", "writes",
                                          "has its result"};
    std::string text = name_ + ": " + std::to_string(state_.tests.size()) + " tests inside";
    if (!state_.tests.empty()) {
        const Test& oldest = state_.tests.front();
        text += ", that of (" + std::to_string(oldest.request.origin.x) + ", " +
                std::to_string(oldest.request.origin.y) + ") " +
                kPhases[static_cast<unsigned>(oldest.phase)];
    }
    return text;
}

void CoCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const CoState::Counters& c = state_.counters;
    add("tests", "quads", "tested", &c.tests);
    add("lanes", "lanes", "of them", &c.lanes);
    add("passed", "lanes", "that passed", &c.passed);
    add("reads", "requests", "of the conditional buffer", &c.reads);
    add("writes", "requests", "of values that passed", &c.writes);
    add("commands", "commands", "taken", &c.commands);
    add("stall_memory", "cycles", "the MC did not take an access", &c.stall_memory);
}

}  // namespace archipelago::ctm
