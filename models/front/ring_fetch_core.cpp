// SPDX-License-Identifier: Apache-2.0
#include "models/front/ring_fetch_core.h"

#include <utility>

#include "models/common/archive.h"
#include "models/common/invariant.h"
#include "models/common/text.h"

namespace archipelago::front {

namespace {
// Tags: stream above, slot in the low byte.
constexpr unsigned kTagStreamShift = 8;
}  // namespace

RingFetchCore::RingFetchCore(FetchSpec spec)
    : update(spec.strobe_latency),
      credit(spec.strobe_latency),
      command(spec.command, spec.path + ".command"),
      response(spec.response, spec.path + ".response"),
      to_roq(spec.shape.streams(), OutputChannel<RoqLine>(this)),
      spec_(std::move(spec)),
      turn_(spec_.shape.streams()) {
    invariant(spec_.shape.streams() <= 64 && spec_.roq_lines.size() == spec_.shape.levels,
              spec_.path, "made for other rings or levels than there are");
    add_inputs(update, credit, command, response);
    RingFetchCore::reset();
}

void RingFetchCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, turn_, busy);
}

void RingFetchCore::reset() {
    state_ = {};
    for (unsigned i = 0; i < spec_.shape.streams(); ++i) {
        const unsigned lines = spec_.roq_lines[i % spec_.shape.levels];
        state_.streams.emplace_back(lines);
        state_.streams[i].credits = lines;
    }
    turn_.reset();
    clear_inputs();
    busy.reset();
    run_ = RunState::Running;
}

void RingFetchCore::note_wants(unsigned index) {
    const FetchState::Stream& s = state_.streams[index];
    const uint64_t bit = uint64_t{1} << index;
    const bool unrequested = s.enabled && s.next != s.end;
    state_.unrequested = unrequested ? state_.unrequested | bit : state_.unrequested & ~bit;
    state_.wants = unrequested && s.credits > 0 ? state_.wants | bit : state_.wants & ~bit;
}

void RingFetchCore::apply(const RingUpdate& u) {
    const unsigned index = spec_.shape.stream_of(u.ring, 0);
    FetchState::Stream& s = state_.streams[index];
    if (u.reset)
        s.next = u.read_pointer;
    s.base = u.config.base;
    s.size = u.config.dwords;
    s.vmid = u.config.vmid;
    s.swap = u.config.swap;
    s.enabled = u.config.enabled;
    s.end = u.write_pointer;
    note_wants(index);
}

void RingFetchCore::accept(const FetchCommand& c) {
    const unsigned index = spec_.shape.stream_of(c.ring, c.level);
    FetchState::Stream& s = state_.streams[index];
    s.begin(c.base, c.dwords, c.vmid, c.swap);
    s.enabled = true;
    note_wants(index);
}

void RingFetchCore::arrive(const MemResponse& r) {
    const unsigned index = r.tag >> kTagStreamShift;
    FetchState::Stream& s = state_.streams[index];
    const unsigned slot = r.tag & 0xFF;
    Location location;
    location.ring = static_cast<uint8_t>(index / spec_.shape.levels);
    location.level = static_cast<uint8_t>(index % spec_.shape.levels);
    location.base = s.base;
    s.arrive(r, slot, location, spec_.names,
             r.status != MemStatus::Ok && context_of_faults ? context_of_faults(index) + ", " : "");
    if (slot == s.head)
        state_.arrived |= uint64_t{1} << index;
    --state_.in_flight;
}

void RingFetchCore::account(Cycle now, bool stalled, bool on_port) {
    if (state_.stalled_since != kNever && (!stalled || on_port != state_.stalled_on_port)) {
        (state_.stalled_on_port ? state_.stall_memory : state_.stall_outstanding) +=
            now - state_.stalled_since;
        state_.stalled_since = kNever;
    }
    if (stalled && state_.stalled_since == kNever) {
        state_.stalled_since = now;
        state_.stalled_on_port = on_port;
    }
}

bool RingFetchCore::issue(Cycle now) {
    const uint64_t wants = state_.wants;
    if (now > state_.dry_since && now - state_.dry_since > 1)
        state_.burst_left = 0;  // a cycle without wishes ends a burst
    state_.dry_since = kNever;
    if (wants == 0) {
        state_.burst_left = 0;
        account(now, false, false);
        return false;
    }
    if (state_.in_flight >= spec_.outstanding) {
        account(now, true, false);
        return false;
    }
    if (!to_memory->can_push(now)) {
        account(now, true, true);
        return false;
    }
    account(now, false, false);
    if (state_.burst_left == 0 || (wants >> state_.burst_stream & 1) == 0) {
        state_.burst_stream = turn_.pick_and_grant(wants);
        state_.burst_left = spec_.burst_lines;
    }
    --state_.burst_left;
    const auto index = static_cast<unsigned>(state_.burst_stream);
    FetchState::Stream& s = state_.streams[index];
    const unsigned slot = s.free_slot();
    to_memory->emplace(now, [&](MemRequest& request) {
        request = {};
        s.request_next(request);
        request.client = spec_.client;
        request.tag = index << kTagStreamShift | slot;
        request.uid = transaction_id(spec_.unit, ++state_.uid);
    });
    state_.used |= uint64_t{1} << index;
    --s.credits;
    note_wants(index);
    if (state_.wants == 0)
        state_.dry_since = now;
    ++state_.in_flight;
    ++state_.requests;
    state_.bytes += 4u * s.slots[slot].line.count;
    return true;
}

// Lines to the parser, one of each stream; `again`: another could go in the next cycle.
bool RingFetchCore::deliver(Cycle now, bool& again) {
    bool progress = false;
    for (uint64_t left = state_.arrived; left != 0; left &= left - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(left));
        if (!to_roq[i]->can_push(now))
            continue;
        FetchState::Stream& s = state_.streams[i];
        to_roq[i]->push(now, s.line());
        s.pop();
        if (s.used == 0)
            state_.used &= ~(uint64_t{1} << i);
        if (s.has_line())
            again = true;
        else
            state_.arrived &= ~(uint64_t{1} << i);
        progress = true;
    }
    return progress;
}

bool RingFetchCore::tick(Cycle now) {
    bool progress = false;
    while (run_ == RunState::Running && update.ready(now)) {
        apply(update.take());
        progress = true;
    }
    while (credit.ready(now)) {
        const RoqCredit c = credit.take();
        const unsigned index = spec_.shape.stream_of(c.ring, c.level);
        ++state_.streams[index].credits;
        note_wants(index);
        progress = true;
    }
    if (command.can_pop(now)) {
        accept(command.front());
        command.drop(now);
        progress = true;
    }
    if (response.can_pop(now)) {
        arrive(response.front());
        response.drop(now);
        progress = true;
    }
    bool again = false;
    progress |= deliver(now, again);
    if (run_ != RunState::Paused && issue(now)) {
        progress = true;
        again = again || state_.wants != 0;
    }
    const bool working = !idle();
    busy.set(now, working);
    // With lines on their way, what comes next wakes us.
    return progress && (again || !working);
}

bool RingFetchCore::idle() const {
    return !holds_lines() && state_.in_flight == 0 && command.empty() && response.empty() &&
           (run_ == RunState::Draining || update.empty());
}

std::string RingFetchCore::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < state_.streams.size(); ++i) {
        const FetchState::Stream& s = state_.streams[i];
        if (s.used == 0 || s.has_line())
            continue;
        text += (text.empty() ? "ring " : "; ring ") + spec_.names.ring(i / spec_.shape.levels) +
                ": fetch waits for memory " + hex(s.slots[s.head].address);
    }
    return text;
}

void RingFetchCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("requests", "transactions", "lines requested", &state_.requests);
    add("bytes", "bytes", "ring and indirect buffer bytes requested", &state_.bytes);
    add("stall_memory", "cycles", "a line was wanted and the memory port was busy",
        &state_.stall_memory);
    add("stall_outstanding", "cycles", "a line was wanted and as many as allowed were in flight",
        &state_.stall_outstanding);
}

}  // namespace archipelago::front
