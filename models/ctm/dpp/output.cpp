// SPDX-License-Identifier: Apache-2.0
// The end of a program: the conditional operation unit decides, then outputs are written. And the
// writes past the cache that OUT instructions do at once.
#include <algorithm>
#include <cstring>

#include "models/ctm/dpp/dpp_core.h"

namespace archipelago::ctm::dpp {
namespace {

constexpr unsigned kQuadBits = 4;  // ConditionRequest::tag: slot, and the quad

}  // namespace

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
    const isa::Thread& regs = state_.regs[slot];
    t.writing = isa::writing_lanes(regs);
    if (!t.conditional_output || t.writing == 0)
        return write_outputs(slot, now);
    t.phase = Phase::Test;
    account(t, now, ThreadTime::Test);
    for (unsigned q = 0; q < regs.quads; ++q) {
        if ((t.writing >> 4 * q & 0xf) == 0)
            continue;
        state_.tests.emplace_back(static_cast<uint16_t>(slot), static_cast<uint8_t>(q));
        ++t.tests_left;
    }
}

// A quad a cycle.
bool DppCore::send_tests(Cycle now) {
    if (!to_condition->can_push(now))
        return false;
    const auto [slot, quad] = state_.tests.front();
    state_.tests.pop_front();
    const isa::Thread& regs = state_.regs[slot];
    ConditionRequest request;
    request.origin = regs.origin[quad];
    request.lanes = static_cast<uint8_t>(state_.slots[slot].writing >> 4 * quad & 0xf);
    for (unsigned l = 0; l < 4; ++l)
        request.value[l] = regs.conditional[4 * quad + l];
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
    const unsigned first = 4 * (result.tag & ((1u << kQuadBits) - 1));
    Slot& t = state_.slots[slot];
    t.writing &= ~(isa::LaneMask{0xf} << first) | isa::LaneMask{result.lanes} << first;
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
    if (!find_output(output))
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
    request.write = true;
    request.tag = slot;
    unsigned cycles = 1;
    bool more = false;
    if (output.at_end) {
        fill_output(output, request);
        ++output.quad;
        more = find_output(output);
    } else {
        fill_uncached(t, request);
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

// The elements of the next quad.
void DppCore::fill_uncached(Slot& t, ElementRequest& request) {
    request.client = kOutput0;
    request.uncached = true;
    const unsigned quad = t.uncached[t.uncached_sent].lane / 4u;
    for (; t.uncached_sent < t.uncached.size() && t.uncached[t.uncached_sent].lane / 4u == quad;
         ++t.uncached_sent) {
        const isa::UncachedWrite& write = t.uncached[t.uncached_sent];
        const unsigned l = write.lane % 4;
        request.lanes |= static_cast<uint8_t>(1u << l);
        request.index[l] = write.index;
        request.value[l][0] = write.value;
        request.channels[l] = 1;
    }
}

// Moves on to the first quad with something to be written from where it stands; false: none.
bool DppCore::find_output(Output& output) const {
    const isa::Thread& regs = state_.regs[output.slot];
    const isa::LaneMask writing = state_.slots[output.slot].writing;
    for (; output.target < isa::kOutputTargets; ++output.target, output.quad = 0) {
        isa::LaneMask lanes = 0;
        for (const isa::LaneMask written : regs.output_written[output.target])
            lanes |= written & writing;
        for (; output.quad < regs.quads; ++output.quad)
            if ((lanes >> 4 * output.quad & 0xf) != 0)
                return true;
    }
    return false;
}

void DppCore::fill_output(const Output& output, ElementRequest& request) const {
    const isa::Thread& regs = state_.regs[output.slot];
    const isa::LaneMask writing = state_.slots[output.slot].writing;
    request.client = static_cast<uint8_t>(kOutput0 + output.target);
    for (unsigned l = 0; l < 4; ++l) {
        const unsigned lane = 4 * output.quad + l;
        request.index[l] = regs.index_of(lane);
        for (unsigned c = 0; c < isa::kChannels; ++c) {
            if ((regs.output_written[output.target][c] & writing & isa::LaneMask{1} << lane) == 0)
                continue;
            request.channels[l] |= static_cast<uint8_t>(1u << c);
            std::memcpy(&request.value[l][c], &regs.output[output.target][c].lane[lane],
                        sizeof(float));
        }
        if (request.channels[l] != 0)
            request.lanes |= static_cast<uint8_t>(1u << l);
    }
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
