// SPDX-License-Identifier: Apache-2.0
#include "models/cp/gds_store_core.h"

#include <algorithm>
#include <cstring>

#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/transaction_id.h"

namespace archipelago::cp {

GdsStoreCore::GdsStoreCore(const Spec& spec)
    : command(spec.command, "cp.gds_store.command"),
      gds_response(spec.gds_return, "cp.gds_store.gds_response"),
      memory_response(spec.memory_return, "cp.gds_store.memory_response"),
      spec_(spec) {
    add_inputs(command, gds_response, memory_response);
}

void GdsStoreCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, busy);
}

void GdsStoreCore::reset() {
    state_ = {};
    clear_inputs();
    busy.reset();
    run_ = RunState::Running;
}

uint32_t GdsStoreCore::piece(uint32_t done) const {
    const uint64_t to = state_.store.to + 4 * uint64_t{done};
    return std::min(state_.store.dwords - done,
                    static_cast<uint32_t>((kLineBytes - to % kLineBytes) / 4));
}

bool GdsStoreCore::read(Cycle now) {
    if (!state_.active || state_.requested == state_.store.dwords ||
        state_.reads_in_flight == spec_.gds_store_reads || !to_gds->can_push(now))
        return false;
    const uint32_t dwords = piece(state_.requested);
    to_gds->push(now, gds_read(state_.store.from + 4 * state_.requested, dwords,
                               state_.store.location.vmid));
    state_.requested += dwords;
    ++state_.reads_in_flight;
    return true;
}

bool GdsStoreCore::write(Cycle now) {
    if (!gds_response.can_pop(now) || state_.writes_in_flight == spec_.dma_outstanding_writes ||
        !to_l2->can_push(now))
        return false;
    const GdsResponse r = gds_response.pop(now);
    const uint32_t dwords = piece(state_.written);
    const uint64_t to = state_.store.to + 4 * uint64_t{state_.written};
    MemRequest request;
    request.line = line_of(to);
    request.byte_mask = bytes_in_line(to, 4 * dwords);
    request.command = MemCommand::Write;
    request.client = Client::CpEop;
    request.vmid = state_.store.location.vmid;
    request.write_through = true;
    request.uid = transaction_id(TransactionUnit::CpGdsStore, ++state_.uid);
    std::memcpy(&request.data[to % kLineBytes], r.data[0].data(), 4 * size_t{dwords});
    to_l2->push(now, request);
    state_.written += dwords;
    state_.dwords += dwords;
    --state_.reads_in_flight;
    ++state_.writes_in_flight;
    return true;
}

bool GdsStoreCore::finish(Cycle now) {
    if (!state_.active || state_.written != state_.store.dwords || state_.writes_in_flight != 0 ||
        !to_eop->can_push(now) || !to_me->can_push(now))
        return false;
    const uint8_t ring = state_.store.location.ring;
    to_eop->push(now, {ring});
    to_me->push(now, {ring});
    if (observers_.trace != nullptr)
        trace_store(now);
    state_.active = false;
    return true;
}

bool GdsStoreCore::tick(Cycle now) {
    bool progress = false;
    if (memory_response.can_pop(now)) {
        const MemResponse r = memory_response.pop(now);
        if (r.status != MemStatus::Ok)
            throw MachineStop(StopKind::Fault, to_string(state_.store.location),
                              "EVENT_WRITE_EOS write to " +
                                  refused_address(r.status, r.line, state_.store.location.vmid));
        --state_.writes_in_flight;
        progress = true;
    }
    progress |= finish(now);
    if (run_ != RunState::Paused) {
        if (!state_.active && command.can_pop(now)) {
            state_.store = command.pop(now);
            state_.active = true;
            state_.began = now;
            state_.requested = state_.written = 0;
            ++state_.commands;
            progress = true;
        }
        progress |= read(now);
        progress |= write(now);
    }
    busy.set(now, !idle());
    return progress;
}

bool GdsStoreCore::idle() const {
    return !state_.active && command.empty();
}

std::string GdsStoreCore::waiting_for() const {
    if (!state_.active)
        return "";
    return std::string("ring ") + ring_name(state_.store.location.ring) + ": GDS data of " +
           to_string(state_.store.location) +
           (state_.reads_in_flight != 0 ? " wait for the GDS" : " wait for memory");
}

void GdsStoreCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    stats.add(path, "commands", "packets", "parts of the GDS copied to memory", &state_.commands);
    stats.add(path, "dwords", "dwords", "copied", &state_.dwords);
}

void GdsStoreCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    track_ = observers.track(path);
}

void GdsStoreCore::trace_store(Cycle end) const {
    observers_.trace->slice(track_, state_.began, end, "GDS to memory");
}

void GdsStoreCore::finish_trace(Cycle now) const {
    if (state_.active)
        trace_store(now);
}

}  // namespace archipelago::cp
