// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ring_fetch_core.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "models/common/error.h"
#include "models/common/transaction_id.h"
#include "models/cp/micro_op.h"

namespace archipelago::cp {

namespace {
// Tags: stream above, slot in the low byte.
constexpr unsigned kTagStreamShift = 8;
}  // namespace

RingFetchCore::RingFetchCore(const Spec& spec)
    : update(spec.strobe_latency),
      credit(spec.strobe_latency),
      command(spec.command, "cp.fetch.command"),
      response(spec.memory_return, "cp.fetch.response"),
      spec_(spec) {
    update.set_consumer(this);
    credit.set_consumer(this);
    command.set_consumer(this);
    response.set_consumer(this);
    reset();
}

void RingFetchCore::connect_memory(Channel<MemRequest>* out) {
    memory_ = out;
    out->set_producer(this);
}
void RingFetchCore::connect_roq(unsigned ring, unsigned level, Channel<RoqLine>* out) {
    roq_[stream_of(ring, level)] = out;
    out->set_producer(this);
}

void RingFetchCore::reset() {
    state_ = {};
    for (unsigned i = 0; i < kStreams; ++i) {
        const unsigned lines = spec_.roq_lines(i % kLevels);
        state_.streams[i].slots.resize(lines);
        state_.streams[i].credits = lines;
    }
    turn_.reset();
    update.clear();
    credit.clear();
    command.clear();
    response.clear();
    busy.reset();
    run_ = RunState::Running;
}

void RingFetchCore::note_wants(unsigned index) {
    const FetchState::Stream& s = state_.streams[index];
    const uint32_t bit = 1u << index;
    const bool unasked = s.enabled && s.next != s.end;
    state_.unasked = unasked ? state_.unasked | bit : state_.unasked & ~bit;
    state_.wants = unasked && s.credits > 0 ? state_.wants | bit : state_.wants & ~bit;
}

void RingFetchCore::apply(const RingUpdate& u) {
    FetchState::Stream& s = state_.streams[stream_of(u.ring, 0)];
    if (u.reset)
        s.next = u.read_pointer;
    s.base = u.config.base;
    s.size = u.config.dwords;
    s.vmid = u.config.vmid;
    s.swap = u.config.swap;
    s.enabled = u.config.enabled;
    s.end = u.write_pointer;
    note_wants(stream_of(u.ring, 0));
}

void RingFetchCore::accept(const FetchCommand& c) {
    FetchState::Stream& s = state_.streams[stream_of(c.ring, c.level)];
    s.base = c.base;
    s.next = 0;
    s.end = s.size = c.dwords;
    s.vmid = c.vmid;
    s.swap = c.swap;
    s.enabled = true;
    note_wants(stream_of(c.ring, c.level));
}

void RingFetchCore::arrive(const MemResponse& r) {
    const unsigned index = r.tag >> kTagStreamShift;
    FetchState::Stream& s = state_.streams[index];
    FetchState::Slot& slot = s.slots[r.tag & 0xFF];
    if (r.status != MemStatus::Ok) {
        Location place;
        place.ring = static_cast<uint8_t>(index / kLevels);
        place.level = static_cast<uint8_t>(index % kLevels);
        place.base = s.base;
        place.dword = slot.dword;
        char text[64];
        std::snprintf(text, sizeof text, "fetch from %s address 0x%" PRIx64,
                      r.status == MemStatus::Unmapped ? "unmapped" : "faulty",
                      slot.address + 4u * slot.line.first);
        throw MachineStop(StopKind::Fault, to_string(place), text);
    }
    std::memcpy(slot.line.dwords.data(), r.data.data(), kLineBytes);
    if (s.swap != 0)
        for (uint32_t& dword : slot.line.dwords)
            dword = swap_dword(dword, s.swap);
    slot.arrived = true;
    if ((r.tag & 0xFF) == s.head)
        state_.arrived |= 1u << index;
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
    const uint32_t wants = state_.wants;
    if (now > state_.dry_since && now - state_.dry_since > 1)
        state_.burst_left = 0;  // a cycle without wishes ends a burst
    state_.dry_since = kNever;
    if (wants == 0) {
        state_.burst_left = 0;
        account(now, false, false);
        return false;
    }
    if (state_.in_flight >= spec_.fetch_outstanding) {
        account(now, true, false);
        return false;
    }
    if (!memory_->can_push(now)) {
        account(now, true, true);
        return false;
    }
    account(now, false, false);
    if (state_.burst_left == 0 || (wants >> state_.burst_stream & 1) == 0) {
        state_.burst_stream = turn_.pick_and_grant(wants);
        state_.burst_left = spec_.fetch_burst_lines;
    }
    --state_.burst_left;
    const auto index = static_cast<unsigned>(state_.burst_stream);
    FetchState::Stream& s = state_.streams[index];
    const uint64_t address = s.base + 4 * uint64_t{s.next};
    const auto first = static_cast<uint32_t>(address % kLineBytes / 4);
    const uint32_t limit = s.end > s.next ? s.end : s.size;  // a ring goes on at its start
    const uint32_t count = std::min(16 - first, limit - s.next);
    unsigned place = s.head + s.used;
    if (place >= s.slots.size())
        place -= static_cast<unsigned>(s.slots.size());
    FetchState::Slot& slot = s.slots[place];
    slot.arrived = false;
    slot.address = line_of(address);
    slot.dword = s.next;
    slot.line.first = static_cast<uint8_t>(first);
    slot.line.count = static_cast<uint8_t>(count);
    ++s.used;
    state_.used |= 1u << index;
    --s.credits;
    s.next += count;
    if (s.next == s.size && s.end < s.size)
        s.next = 0;
    note_wants(index);
    if (state_.wants == 0)
        state_.dry_since = now;

    memory_->emplace(now, [&](MemRequest& request) {
        request = {};
        request.line = slot.address;
        const uint64_t ones = count == 16 ? ~uint64_t{0} : (uint64_t{1} << 4 * count) - 1;
        request.byte_mask = ones << (4 * first);
        request.client = Client::CpFetch;
        request.vmid = s.vmid;
        request.tag = index << kTagStreamShift | place;
        request.uid = transaction_id(TransactionUnit::CpFetch, ++state_.uid);
    });
    ++state_.in_flight;
    ++state_.requests;
    state_.bytes += 4u * count;
    return true;
}

bool RingFetchCore::tick(Cycle now) {
    bool progress = false;
    while (run_ == RunState::Running && update.ready(now)) {
        apply(update.take());
        progress = true;
    }
    while (credit.ready(now)) {
        const RoqCredit c = credit.take();
        const unsigned index = stream_of(c.ring, c.level);
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
    for (uint32_t left = state_.arrived; left != 0; left &= left - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctz(left));
        if (!roq_[i]->can_push(now))
            continue;
        FetchState::Stream& s = state_.streams[i];
        roq_[i]->push(now, s.slots[s.head].line);
        if (++s.head == s.slots.size())
            s.head = 0;
        if (--s.used == 0)
            state_.used &= ~(1u << i);
        if (s.used == 0 || !s.slots[s.head].arrived)
            state_.arrived &= ~(1u << i);
        else
            again = true;
        progress = true;
    }
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
    for (unsigned i = 0; i < kStreams; ++i) {
        const FetchState::Stream& s = state_.streams[i];
        if (s.used == 0 || s.slots[s.head].arrived)
            continue;
        char line[96];
        std::snprintf(line, sizeof line, "%sring %s: fetch waits for memory 0x%" PRIx64,
                      text.empty() ? "" : "; ", ring_name(i / kLevels), s.slots[s.head].address);
        text += line;
    }
    return text;
}

void RingFetchCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "requests", "transactions", "lines asked for", &state_.requests);
    stats.add(path, "bytes", "bytes", "ring and indirect buffer bytes asked for", &state_.bytes);
    stats.add(path, "stall_memory", "cycles", "a line was wanted and the memory port was busy",
              &state_.stall_memory);
    stats.add(path, "stall_outstanding", "cycles",
              "a line was wanted and as many as allowed were in flight", &state_.stall_outstanding);
}

}  // namespace archipelago::cp
