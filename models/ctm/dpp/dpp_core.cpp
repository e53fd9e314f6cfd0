// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/dpp/dpp_core.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/common/archive.h"
#include "models/common/stall_cycles.h"

namespace archipelago::ctm::dpp {

DppCore::DppCore(const Spec& spec, std::string name, std::shared_ptr<DecodeCache> decode_cache)
    : commands(spec.commands, name + ".commands"),
      launch_in(spec.launch_in, name + ".launch_in"),
      texture_in(spec.texture_in, name + ".texture_in"),
      output_in(spec.output_in, name + ".output_in"),
      condition_in(spec.condition_in, name + ".condition_in"),
      words_in{{Channel<WordsResponse>(spec.words_in, name + ".instructions_in"),
                Channel<WordsResponse>(spec.words_in, name + ".float_constants_in"),
                Channel<WordsResponse>(spec.words_in, name + ".integer_constants_in"),
                Channel<WordsResponse>(spec.words_in, name + ".boolean_constants_in")}},
      spec_(spec),
      name_(std::move(name)),
      decode_(std::move(decode_cache)) {
    spec_.validate();
    if (decode_ == nullptr)
        decode_ = std::make_shared<DecodeCache>();
    add_input(commands, inputs_, kCommandIn);
    add_input(launch_in, inputs_, kLaunchIn);
    add_input(texture_in, inputs_, kTextureIn);
    add_input(output_in, inputs_, kOutputIn);
    add_input(condition_in, inputs_, kConditionIn);
    for (unsigned kind = 0; kind < kWordsKinds; ++kind)
        add_input(words_in[kind], inputs_, kWordsIn + kind);
    init_state();
}

void DppCore::init_state() {
    state_.registers_free = spec_.registers;
    state_.output_space = spec_.output_threads;
    state_.constants[kFloatWords].resize(isa::kFloatConstants);
    state_.constants[kIntegerWords].resize(kFlowConstants);
    state_.constants[kBooleanWords].resize(kFlowConstants);
}

// What only threads use, most of the array's memory; with the first launch, for short runs use few
// arrays.
void DppCore::allocate_threads() {
    state_.slots.resize(spec_.threads);
    state_.regs.resize(spec_.threads);
    for (unsigned slot = 0; slot < spec_.threads; ++slot)
        state_.free_slots.push(slot, slot);
    state_.lookups.resize(spec_.lookups);
    for (unsigned i = spec_.lookups; i-- > 0;)
        state_.free_lookups.push_back(static_cast<uint16_t>(i));
}

bool DppCore::tick(Cycle now) {
    try {
        return run(now);
    } catch (const MachineStop& stop) {
        if (stop.kind() != StopKind::BadInput && stop.kind() != StopKind::Hang)
            throw;
        throw MachineStop(stop.kind(), name_, stop.what());  // the place was the thread's
    }
}

bool DppCore::run(Cycle now) {
    const bool running = run_ != RunState::Paused;
    State& s = state_;
    bool moved = false;
    if (inputs_ >> kWordsIn != 0)
        moved |= take_words(now);
    if (has(kTextureIn))
        moved |= take_texels(now);
    if (s.lookups_sent != 0)
        moved |= land_lookups(now);
    if (has(kConditionIn))
        moved |= take_results(now);
    if (has(kOutputIn))
        moved |= take_written(now);
    if (running) {
        if (!s.timed.empty() && s.timed.top().first <= now)
            wake_timed(now);
        moved |= issue(now);
    }
    if (s.lookups_unsent != 0)
        moved |= send_lookups(now);
    if (!s.tests.empty())
        moved |= send_tests(now);
    if (!s.outputs.empty())
        moved |= send_outputs(now);
    if (has(kCommandIn) && run_ == RunState::Running)
        moved |= take_commands(now);
    if (has(kLaunchIn) && !s.launch_waits && run_ == RunState::Running)
        moved |= accept_launches(now);
    if (s.words_unsent != 0)
        moved |= send_words(now);
    if (!s.done.empty())
        moved |= send_done(now);
    if (!moved)
        sleep(now);
    return moved;
}

// Schedules a tick for the next cycle in which something is due. What is due already and has not
// moved waits for a channel, which wakes by itself.
void DppCore::sleep(Cycle now) {
    const State& s = state_;
    Cycle at = kNever;
    const auto due = [&](Cycle cycle) {
        if (cycle > now)
            at = std::min(at, cycle);
    };
    if (run_ != RunState::Paused) {
        if (!s.timed.empty())
            due(s.timed.top().first);
        if (!s.ready_alu.empty())
            due(s.alu_free);
        if (!s.ready_flow.empty())
            due(s.flow_free);
    }
    if (s.lookups_unsent != 0)
        due(s.lookups[s.lookup_order[s.lookups_sent]].send_from);
    if (s.lookups_sent != 0)
        due(s.lookups[s.lookup_order.front()].lands);
    if (!s.outputs.empty())
        due(s.output_free);
    if (at != kNever)
        wake_at(at);
}

// ---- commands -----------------------------------------------------------------------------------

bool DppCore::take_commands(Cycle now) {
    if (!commands.can_pop(now))
        return false;
    const UnitCommand command = commands.pop(now);
    set_extent(command, state_.extents);
    if (to_command_done)
        to_command_done->send(now, {command.opcode});
    return true;
}

// ---- threads come and go ------------------------------------------------------------------------

bool DppCore::accept_launches(Cycle now) {
    // Commands come before the threads that are started after them.
    if (!launch_in.can_pop(now) || has(kCommandIn))
        return false;
    if (state_.slots.empty())
        allocate_threads();
    const ThreadLaunch& next = launch_in.front();
    const bool room = !state_.free_slots.empty() && state_.registers_free >= temporaries_of(next);
    note_stall(!room, now, state_.launch_stalled_since, state_.counters.launch_stall_cycles);
    state_.launch_waits = !room;
    if (!room)
        return false;
    launch(next, now);
    launch_in.drop(now);
    return true;
}

void DppCore::check_launch(const ThreadLaunch& launch) const {
    const auto refuse = [&](const char* why) {
        throw MachineStop(StopKind::Protocol,
                          name_ + ": launch of thread " + std::to_string(launch.number), why);
    };
    bool connected = to_done && to_texture && to_output && to_condition;
    for (const auto& to : to_words)
        connected = connected && to;
    if (!connected)
        refuse("the array is not connected to the PE, the CO and the MC");
    if (launch.quads == 0 || launch.quads > spec_.quads)
        refuse("more quads than a thread of the array has, or none");
    if (launch.temporaries > isa::kTemporaries)
        refuse("more temporaries than there are");
    for (unsigned q = 0; q < launch.quads; ++q)
        if ((launch.origin[q].x | launch.origin[q].y) & 1)
            refuse("a quad begins at an odd index");
}

void DppCore::launch(const ThreadLaunch& launch, Cycle now) {
    check_launch(launch);
    State& s = state_;
    const unsigned slot = s.free_slots.pop();
    Slot& t = s.slots[slot];
    const uint8_t generation = t.generation;
    t = Slot{};
    t.generation = generation;
    t.phase = Phase::Blocked;
    t.since = t.launched = now;
    t.ready_at = now + spec_.launch_cycles;
    t.sequence = s.next_sequence++;
    t.number = launch.number;
    t.program = launch.program;
    t.temporaries = temporaries_of(launch);
    t.conditional_output = launch.conditional_output;
    t.mode = launch.mode;
    s.registers_free -= t.temporaries;

    start(launch, s.regs[slot]);

    if (s.resident++ == 0)
        s.busy_since = now;
    ++s.counters.threads;
    fetch(slot);
}

void DppCore::end_thread(unsigned slot, Cycle now) {
    State& s = state_;
    Slot& t = s.slots[slot];
    account(t, now, t.waits_for);
    t.phase = Phase::Free;
    s.registers_free += t.temporaries;
    s.launch_waits = false;
    s.free_slots.push(slot, slot);
    ++s.counters.threads_ended;
    s.counters.thread_life += now - t.launched;
    if (--s.resident == 0)
        s.counters.busy_cycles += now - s.busy_since;
    s.done.push_back({t.number});
    if (observers_.trace != nullptr)
        trace_thread(slot, now);
    if (!t.has_output)
        return;
    t.has_output = false;
    ++s.output_space;
    if (!s.no_output.empty())
        prepare(s.no_output.pop(), now);
}

void DppCore::trace_thread(unsigned slot, Cycle end) const {
    const Slot& t = state_.slots[slot];
    const Point& at = state_.regs[slot].origin[0];
    observers_.trace->slice(tracks_[slot], t.launched, end, "thread " + std::to_string(t.number), 0,
                            fmt::format("from ({}, {}), {} instructions", at.x, at.y, t.executed));
}

void DppCore::finish_trace(Cycle now) const {
    for (unsigned slot = 0; slot < state_.slots.size(); ++slot)
        if (state_.slots[slot].phase != Phase::Free)
            trace_thread(slot, now);
}

bool DppCore::send_done(Cycle now) {
    if (!to_done->can_push(now))
        return false;
    to_done->push(now, state_.done.front());
    state_.done.pop_front();
    return true;
}

void DppCore::account(Slot& t, Cycle now, ThreadTime why) {
    if (now > t.since) {
        auto& cycles = state_.counters.thread_cycles;
        const Cycle executed = std::min(std::max(t.ready_at, t.since), now);
        cycles[static_cast<unsigned>(ThreadTime::Execute)] += executed - t.since;
        cycles[static_cast<unsigned>(t.waits_for)] += now - executed;
        t.since = now;
    }
    t.waits_for = why;
}

// ---- control ------------------------------------------------------------------------------------

void DppCore::reset() {
    Unit::reset();
    state_ = State();
    init_state();
}

void DppCore::archive(Archive& a) {
    Unit::archive(a);
    State& s = state_;
    static_assert(field_count<State>() == 32, "say here what the new member comes to");
    // Without threads their slots, queues and lookups hold nothing; constants are read again by
    // threads that come later, and free places have no order that anything could tell.
    a(s.extents, s.next_sequence, s.busy_since, s.launch_stalled_since, s.alu_free, s.flow_free,
      s.output_free, s.counters);
}

bool DppCore::idle() const {
    const State& s = state_;
    const bool takes = run_ != RunState::Draining;
    return s.resident == 0 && s.done.empty() && s.words_left == 0 && !(takes && !inputs_empty());
}

std::string DppCore::waiting_for() const {
    if (idle())
        return {};
    if (run_ == RunState::Paused)
        return name_ + ": paused with work";
    const State& s = state_;
    std::string text = name_ + ": " + std::to_string(s.resident) + " threads";
    const Slot* oldest = nullptr;
    for (const Slot& t : s.slots)
        if (t.phase != Phase::Free && (oldest == nullptr || t.sequence < oldest->sequence))
            oldest = &t;
    if (oldest == nullptr)
        return text + ", " + std::to_string(launch_in.size()) + " to be launched, " +
               std::to_string(s.words_left) + " words and " + std::to_string(s.done.size()) +
               " reports to the PE on their way";
    const auto slot = static_cast<unsigned>(oldest - s.slots.data());
    return text + ", the oldest " +
           fmt::format("at ({}, {}), pc {}, ", s.regs[slot].origin[0].x, s.regs[slot].origin[0].y,
                       s.regs[slot].pc) +
           kThreadTimeRows[static_cast<unsigned>(oldest->waits_for)].meaning;
}

}  // namespace archipelago::ctm::dpp
