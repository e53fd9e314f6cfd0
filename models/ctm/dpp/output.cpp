// SPDX-License-Identifier: Apache-2.0
// The end of a program: the conditional operation unit decides, then outputs are written. And the
// writes past the cache that OUT instructions do at once.
#include <algorithm>

#include "models/ctm/dpp/dpp_core.h"
#include "models/ctm/dpp/thread_rules.h"

namespace archipelago::ctm::dpp {

// The thread has ended; goes on when all that it started has come to an end.
void DppCore::finish(unsigned slot, Cycle now) {
    Slot& t = state_.slots[slot];
    account(t, now, ThreadTime::Drain);
    if (t.phase != Phase::Drain) {
        t.phase = Phase::Drain;
        t.ready_at = std::max(t.ready_at, t.alu_done);
        if (t.ready_at > now)
            state_.timed.push(t.ready_at, slot);
    }
    if (t.ready_at > now || t.lookups_landed != t.lookups_issued || t.sending || t.writes_left != 0)
        return;
    t.writing = isa::writing_lanes(state_.regs[slot]);
    if (!t.conditional_output || t.writing == 0)
        return write_outputs(slot, now);
    t.phase = Phase::Test;
    account(t, now, ThreadTime::Test);
    for (unsigned left = quads_of(t.writing); left != 0; left &= left - 1) {
        state_.tests.emplace_back(static_cast<uint16_t>(slot),
                                  static_cast<uint8_t>(__builtin_ctz(left)));
        ++t.tests_left;
    }
}

// A quad a cycle.
bool DppCore::send_tests(Cycle now) {
    if (!to_condition->can_push(now))
        return false;
    const auto [slot, quad] = state_.tests.front();
    state_.tests.pop_front();
    ConditionRequest request;
    fill_test(state_.regs[slot], state_.slots[slot].writing, quad, request);
    request.tag = uint32_t{slot} << kQuadBits | quad;
    to_condition->push(now, request);
    ++state_.counters.tests;
    return true;
}

bool DppCore::take_results(Cycle now) {
    if (!condition_in.can_pop(now))
        return false;
    const ConditionResult result = condition_in.pop(now);
    const unsigned slot = result.tag >> kQuadBits;
    Slot& t = state_.slots[slot];
    t.writing = without_failed(t.writing, result.tag & ((1u << kQuadBits) - 1), result.lanes);
    if (--t.tests_left == 0)
        write_outputs(slot, now);
    return true;
}

void DppCore::write_outputs(unsigned slot, Cycle now) {
    Slot& t = state_.slots[slot];
    t.phase = Phase::Write;
    account(t, now, ThreadTime::Write);
    Output output;
    output.slot = static_cast<uint16_t>(slot);
    output.at_end = true;
    if (!find_output(state_.regs[slot], t.writing, output.next))
        return end_thread(slot, now);
    t.sending = true;
    state_.outputs.push_back(output);
}

// What an OUT has left in effects_.
void DppCore::write_uncached(unsigned slot, const Decoded& d) {
    Slot& t = state_.slots[slot];
    if (effects_.uncached.empty())
        return;
    t.uncached = effects_.uncached;
    t.uncached_sent = 0;
    t.per_processor = d.per_processor;
    t.sending = true;
    t.holds_for_writes |= effects_.acquires_semaphore;
    Output output;
    output.slot = static_cast<uint16_t>(slot);
    state_.outputs.push_back(output);
}

// A quad a cycle, of uncached ones with PER_PROCESSOR_IDX fewer.
bool DppCore::send_outputs(Cycle now) {
    State& s = state_;
    if (s.output_free > now || !to_output->can_push(now))
        return false;
    Output& output = s.outputs.front();
    const unsigned slot = output.slot;
    Slot& t = s.slots[slot];
    ElementRequest request;
    request.tag = slot;
    unsigned cycles = 1;
    bool more = false;
    if (output.at_end) {
        const isa::Thread& regs = s.regs[slot];
        fill_output(regs, t.writing, output.next, request);
        ++output.next.quad;
        more = find_output(regs, t.writing, output.next);
    } else {
        t.uncached_sent =
            static_cast<uint16_t>(fill_uncached(t.uncached, t.uncached_sent, request));
        more = t.uncached_sent < t.uncached.size();
        cycles = t.per_processor ? spec_.per_processor_cycles : 1;
    }
    s.output_free = now + cycles;
    ++s.counters.output_quads;
    s.counters.output_elements += static_cast<unsigned>(__builtin_popcount(request.lanes));
    ++t.writes_left;
    to_output->push(now, request);
    if (more)
        return true;
    t.sending = false;
    s.outputs.pop_front();
    if (waits(slot, ThreadTime::OutputQueue))
        prepare(slot, now);
    return true;
}

bool DppCore::take_written(Cycle now) {
    if (!output_in.can_pop(now))
        return false;
    const unsigned slot = output_in.front().tag;
    output_in.drop(now);
    Slot& t = state_.slots[slot];
    if (--t.writes_left != 0 || t.sending)
        return true;
    t.holds_for_writes = false;
    if (t.phase == Phase::Write)
        end_thread(slot, now);
    else if (t.phase == Phase::Drain)
        finish(slot, now);
    else if (waits(slot, ThreadTime::Semaphore))
        prepare(slot, now);
    return true;
}

}  // namespace archipelago::ctm::dpp
