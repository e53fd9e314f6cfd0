// SPDX-License-Identifier: Apache-2.0
#include "models/cp/eop_core.h"

#include <fmt/core.h>

#include <cstring>

#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/transaction_id.h"

namespace archipelago::cp {

EopCore::EopCore(const Spec& spec)
    : command(spec.command, "cp.eop.command"),
      trigger(spec.done, "cp.eop.trigger"),
      samples(spec.done, "cp.eop.samples"),
      depth_counts(spec.done, "cp.eop.depth_counts"),
      memory_response(spec.memory_return, "cp.eop.memory_response"),
      cache_done(spec.done, "cp.eop.cache_done"),
      gds_stored(spec.done, "cp.eop.gds_stored"),
      spec_(spec) {
    add_inputs(command, trigger, samples, depth_counts, memory_response, cache_done, gds_stored);
    EopCore::reset();
}

void EopCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, busy);
}

void EopCore::reset() {
    state_ = {};
    state_.entries.reserve(spec_.eop_depth);
    state_.triggers.resize(spec_.rings);
    clear_inputs();
    busy.reset();
    run_ = RunState::Running;
}

// The command that is served waits for the interrupt handler.
bool EopCore::held(Cycle now) const {
    return interrupt_hold_ != nullptr && state_.serving.command.interrupt != EopInterrupt::None &&
           interrupt_hold_->get(now);
}

void EopCore::trace_entry(const Entry& entry, Cycle end) const {
    observers_.trace->slice(track_, entry.accepted, end,
                            spec_.registers->events.name(entry.command.event_type),
                            entry.command.flow);
}

void EopCore::trace_serving(Cycle end) const {
    static const char* const kInterrupts[] = {"", "; interrupt", "; interrupt when written"};
    const EopCommand& c = state_.serving.command;
    std::string what;
    if (c.data_sel != EopData::None)
        what = fmt::format("; {} writes from 0x{:x}{}",
                           c.gds_dwords != 0 ? c.gds_dwords : state_.image.count, c.address,
                           c.posted ? ", posted" : "");
    trace_entry(state_.serving, end);
    observers_.trace->slice(
        serving_track_, state_.chosen, end, spec_.registers->events.name(c.event_type), 0,
        to_string(c.location) + what + kInterrupts[static_cast<size_t>(c.interrupt)]);
}

void EopCore::finish_trace(Cycle now) const {
    if (state_.serving_valid)
        trace_serving(now);
    for (const Entry& entry : state_.entries)
        trace_entry(entry, now);
}

bool EopCore::complete(Cycle now) {
    if (held(now))
        return false;
    const EopCommand& c = state_.serving.command;
    const bool interrupt = c.interrupt != EopInterrupt::None;
    to_registers->send(now, {c.location.ring, c.location.vmid, is_fence(c.data_sel), interrupt,
                             state_.image.values[0]});
    if (interrupt)
        ++state_.interrupts;
    if (log_ != nullptr)
        log_->push_back({state_.chosen, now});
    if (observers_.trace != nullptr)
        trace_serving(now);
    state_.serving_valid = false;
    state_.phase = Phase::Choose;
    return true;
}

bool EopCore::serve(Cycle now) {
    switch (state_.phase) {
        case Phase::Choose: {
            size_t best = state_.entries.size();
            for (size_t i = 0; i < state_.entries.size(); ++i) {
                const uint64_t order = state_.entries[i].order;
                if (order != 0 &&
                    (best == state_.entries.size() || order < state_.entries[best].order))
                    best = i;
            }
            if (best == state_.entries.size())
                return false;
            state_.serving = state_.entries[best];
            state_.serving_valid = true;
            state_.chosen = now;
            state_.entries.erase(state_.entries.begin() + static_cast<long>(best));
            state_.wait_cycles += now - state_.serving.accepted;
            state_.phase = state_.serving.command.invalidate_l2 ? Phase::Cache : Phase::Data;
            return true;
        }
        case Phase::Cache: {
            if (!to_coherency->can_push(now))
                return false;
            CacheAction action;
            action.writeback_l2 = action.invalidate_l2 = true;
            to_coherency->push(now, action);
            ++state_.cache_actions;
            state_.phase = Phase::CacheWait;
            return true;
        }
        case Phase::CacheWait:
            if (!cache_done.can_pop(now))
                return false;
            cache_done.pop(now);
            state_.phase = Phase::Data;
            return true;
        case Phase::Data:
            if (state_.serving.command.gds_dwords != 0)
                return store_gds(now);
            if (Channel<SampleCounts>* const from = counters();
                from != nullptr && !from->can_pop(now))
                return false;
            make_image(now);
            state_.written = 0;
            state_.phase = Phase::Write;
            [[fallthrough]];
        case Phase::Write:
            if (state_.written == state_.image.count)
                return complete(now);
            if (state_.flights == kFlights || !to_l2->can_push(now))
                return false;
            write(now);
            if (state_.written == state_.image.count && !state_.serving.command.posted)
                state_.phase = Phase::WriteWait;
            return true;
        case Phase::WriteWait:
            return state_.awaited == 0 && complete(now);
        case Phase::GdsWait:
            if (!gds_stored.can_pop(now) || !complete(now))
                return false;
            gds_stored.pop(now);
            return true;
    }
    return false;
}

bool EopCore::store_gds(Cycle now) {
    if (!to_gds_store->can_push(now))
        return false;
    const EopCommand& c = state_.serving.command;
    to_gds_store->push(now, {c.location, c.gds_from, c.gds_dwords, c.address});
    state_.phase = Phase::GdsWait;
    return true;
}

Channel<SampleCounts>* EopCore::counters() {
    const EopCommand& c = state_.serving.command;
    if (c.data_sel != EopData::Counters || c.location.ring != 0)
        return nullptr;
    if (c.event_type == spec_.registers->events.zpass_done)
        return depth_counts_come_ ? &depth_counts : nullptr;
    return samples_come_ ? &samples : nullptr;
}

void EopCore::make_image(Cycle now) {
    const EopCommand& c = state_.serving.command;
    SampleCounts counts;
    counts.event_type = c.event_type;
    if (Channel<SampleCounts>* const from = counters()) {
        counts = from->pop(now);
        if (counts.event_type != c.event_type)
            throw MachineStop(StopKind::Protocol, to_string(c.location),
                              "counters of " + spec_.registers->events.name(counts.event_type) +
                                  " come when " + spec_.registers->events.name(c.event_type) +
                                  " is next");
        if (c.event_type == spec_.registers->events.sample_pipelinestat) {
            counts.counts[SampleCounts::kCsInvocations] = state_.serving.cs_invocations;
            counts.counts[SampleCounts::kPsInvocations] = state_.serving.ps_invocations;
        }
    }
    state_.image = eop_image(c, now * spec_.gpu_clock_mul / spec_.gpu_clock_div, perfcounter_,
                             counts, spec_.depth_blocks, spec_.registers->events);
}

// The values that lie in the line of the next one, in one request.
void EopCore::write(Cycle now) {
    const EopCommand& c = state_.serving.command;
    const EopImage& image = state_.image;
    const auto place = [&](unsigned i) { return c.address + uint64_t{i} * image.stride; };
    MemRequest request;
    request.line = line_of(place(state_.written));
    request.command = MemCommand::Write;
    request.client = Client::CpEop;
    request.vmid = c.location.vmid;
    request.source = c.location.ring;
    request.write_through = true;
    Flight flight{c.location, place(state_.written), c.event_type, !c.posted};
    while (state_.written < image.count && line_of(place(state_.written)) == request.line) {
        const auto offset = static_cast<unsigned>(place(state_.written) % kLineBytes);
        request.byte_mask |= ((uint64_t{1} << image.bytes) - 1) << offset;
        std::memcpy(&request.data[offset], &image.values[state_.written], image.bytes);
        ++state_.written;
    }
    if (is_semaphore(c.data_sel)) {
        request.port = front::kSemaphorePort;
        request.command = MemCommand::Atomic;
        request.atomic = c.data_sel == EopData::One ? AtomicOp::Swap : AtomicOp::Add;
        request.atomic_bytes = 8;
        request.write_through = false;
    }
    // A place of an older write that is still on its way is not taken: there are fewer of them
    // than places, and they are acknowledged in any order.
    do
        request.tag = ++state_.uid % kFlights;
    while (state_.in_flight >> request.tag & 1);
    request.uid = transaction_id(TransactionUnit::CpEop, state_.uid);
    state_.in_flight |= 1u << request.tag;
    state_.flight[request.tag] = flight;
    ++state_.flights;
    state_.awaited += flight.awaited ? 1 : 0;
    to_l2->push(now, request);
    ++state_.writes;
}

void EopCore::take(const MemResponse& response) {
    const Flight& flight = state_.flight[response.tag % kFlights];
    if (response.status != MemStatus::Ok)
        throw MachineStop(
            StopKind::Fault, to_string(flight.location),
            spec_.registers->events.name(flight.event_type) + " write to " +
                refused_address(response.status, flight.address, flight.location.vmid));
    state_.in_flight &= ~(1u << response.tag % kFlights);
    --state_.flights;
    state_.awaited -= flight.awaited ? 1 : 0;
}

bool EopCore::tick(Cycle now) {
    bool progress = false;
    if (memory_response.can_pop(now)) {
        take(memory_response.pop(now));
        progress = true;
    }
    if (trigger.can_pop(now)) {
        const EopTrigger t = trigger.pop(now);
        state_.triggers[t.ring].push_back(t);
        progress = true;
    }
    if (state_.entries.size() < spec_.eop_depth && command.can_pop(now)) {
        state_.entries.push_back({command.pop(now), now, 0, 0});
        ++state_.commands;
        progress = true;
    }
    for (Entry& entry : state_.entries) {
        std::deque<EopTrigger>& pending = state_.triggers[entry.command.location.ring];
        if (entry.order == 0 && !pending.empty()) {
            entry.cs_invocations = pending.front().cs_invocations;
            entry.ps_invocations = pending.front().ps_invocations;
            pending.pop_front();
            entry.order = ++state_.next_order;
            progress = true;
        }
    }
    if (run_ != RunState::Paused)
        progress |= serve(now);
    busy.set(now, !idle());
    return progress;
}

bool EopCore::idle() const {
    return state_.entries.empty() && !state_.serving_valid && state_.flights == 0 &&
           command.empty() && trigger.empty() && samples.empty() && depth_counts.empty();
}

std::string EopCore::waiting_for() const {
    if (state_.serving_valid) {
        const EopCommand& c = state_.serving.command;
        const bool cache = state_.phase == Phase::Cache || state_.phase == Phase::CacheWait;
        return std::string("ring ") + ring_name(c.location.ring) + ": end-of-pipe unit waits for " +
               (cache                            ? "the caches"
                : state_.phase == Phase::GdsWait ? "the GDS data"
                : state_.phase == Phase::Data    ? "the counters"
                                                 : "its write") +
               " of " + spec_.registers->events.name(c.event_type) + " at " + to_string(c.location);
    }
    if (state_.entries.empty())
        return "";
    const EopCommand& c = state_.entries.front().command;
    return std::string("ring ") + ring_name(c.location.ring) +
           ": end-of-pipe unit waits for the pipe to complete " +
           spec_.registers->events.name(c.event_type) + " at " + to_string(c.location);
}

void EopCore::report(unsigned ring, RingReport& report) const {
    const auto add = [&](const EopCommand& c) {
        if (c.location.ring == ring)
            report.end_of_pipe.push_back(spec_.registers->events.name(c.event_type) + " at " +
                                         to_string(c.location));
    };
    if (state_.serving_valid)
        add(state_.serving.command);
    for (const Entry& entry : state_.entries)
        add(entry.command);
}

void EopCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("events", "transactions", "end-of-pipe commands accepted", &state_.commands);
    add("writes", "transactions", "fences and timestamps written", &state_.writes);
    add("interrupts", "transactions", "interrupts requested", &state_.interrupts);
    add("cache_actions", "transactions", "L2 write-back and invalidate", &state_.cache_actions);
    add("wait", "cycles", "commands waited for their events, summed", &state_.wait_cycles);
}

void EopCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    track_ = observers.track(path);
    serving_track_ = observers.track(path + ".serving");
}

}  // namespace archipelago::cp
