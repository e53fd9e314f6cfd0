// SPDX-License-Identifier: Apache-2.0
#include "models/dma/transfer_core.h"

#include <algorithm>
#include <cstring>

#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/stall_cycles.h"
#include "models/common/transaction_id.h"

namespace archipelago::dma {
namespace {

using Pins = rtl::DmaLinearPins;

// Tags: read slot in the low bits, or write with the place of its transfer.
constexpr uint32_t kTagWrite = 0x10000;

void present(const SpanQueue& queue, Pins::Spans& spans) {
    spans.count = static_cast<uint8_t>(queue.size());
    for (unsigned i = 0; i < queue.size(); ++i) {
        spans.address[i] = queue[i].address;
        spans.bytes[i] = queue[i].bytes;
    }
}

}  // namespace

void SpanQueue::take(uint32_t bytes) {
    unsigned used = 0;
    for (; used < count_ && bytes != 0 && bytes >= spans_[used].bytes; ++used)
        bytes -= spans_[used].bytes;
    if (used == count_ && bytes != 0)
        throw MachineStop(StopKind::Protocol, Pins::kName, "takes bytes that it was not given");
    std::copy(spans_.begin() + used, spans_.begin() + count_, spans_.begin());
    count_ -= used;
    spans_[0].address += bytes;
    spans_[0].bytes -= bytes;
}

TransferCore::TransferCore(const Spec& spec, const Units& units)
    : command({spec.transfers, spec.command.latency}, spec.name() + ".copy.command"),
      response(spec.memory_return, spec.name() + ".copy.response"),
      spec_(spec),
      units_(units),
      pins_(units.linear != nullptr ? &units.linear->datapath(spec) : &core_) {
    if (units_.addresses != nullptr)
        units_.addresses->check(spec_.generation->surfaces, "async_dma.generation",
                                spec_.generation->name);
    add_inputs(command, response);
    TransferCore::reset();
}

void TransferCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(pins_ == &core_, "its datapath is a Verilog twin");
    a.at_rest(units_.addresses == nullptr, "its addresses are a Verilog twin's");
    a(state_, core_, busy);
}

void TransferCore::reset() {
    state_ = {};
    in_ = {};
    in_.config = config_pins(spec_);
    in_.rst = 1;
    pins_->step(in_, out_);
    in_.rst = 0;
    Unit::reset();
    busy.reset();
}

void TransferCore::begin(Cycle now, const Transfer& transfer) {
    ++state_.count;
    TransferState::Pending& p = newest();
    p = {};
    p.location = transfer.location;
    p.packet = transfer.packet;
    p.began = now;
    state_.active = true;
    state_.transfer = transfer;
    state_.source = {};
    if (transfer.source == Source::Memory)
        state_.source = SpanQueue(SpanWalk(SpanWalk::kSource, units_.addresses));
    state_.target_count = transfer.targets == Targets::Both ? 2 : 1;
    state_.targets = {};
    for (unsigned i = 0; i < state_.target_count; ++i)
        state_.targets[i] = SpanQueue(SpanWalk(i, units_.addresses));
    ++state_.transfers;
    in_.begin_valid = 1;
    in_.begin = transfer_pins(transfer);
}

void TransferCore::take(const MemResponse& r) {
    const bool write = (r.tag & kTagWrite) != 0;
    TransferState::Pending& p = write ? state_.pending[r.tag & 0xFF] : newest();
    if (r.status != MemStatus::Ok)
        throw MachineStop(StopKind::Fault, to_string(p.location, spec_.names()),
                          front::access_of(p.packet, nullptr) + (write ? "write to " : "read of ") +
                              refused_address(r.status, r.line, p.location.vmid));
    if (write) {
        --p.writes;
        in_.ack_valid = 1;
        return;
    }
    in_.rsp_valid = 1;
    in_.rsp.tag = static_cast<uint16_t>(r.tag);
    std::memcpy(in_.rsp.data.data(), r.data.data(), kLineBytes);
}

// Transfers end in order, when their last write is acknowledged.
bool TransferCore::finish(Cycle now) {
    bool progress = false;
    while (state_.count != 0) {
        const TransferState::Pending& p = state_.pending[state_.head];
        if (!p.written || p.writes != 0)
            break;
        to_engine->send(now, {});
        state_.busy_cycles += now - p.began;
        if (observers_.trace != nullptr)
            trace_transfer(p, now);
        state_.head = (state_.head + 1) % state_.pending.size();
        --state_.count;
        progress = true;
    }
    return progress;
}

void TransferCore::trace_transfer(const TransferState::Pending& p, Cycle end) const {
    observers_.trace->slice(track_, p.began, end, p.packet);
}

void TransferCore::finish_trace(Cycle now) const {
    for (size_t i = 0; i < state_.count; ++i)
        trace_transfer(state_.pending[(state_.head + i) % state_.pending.size()], now);
}

// ---- the datapath ------------------------------------------------------------------------------

void TransferCore::present_spans() {
    const Transfer& t = state_.transfer;
    if (t.source == Source::Memory)
        state_.source.fill(t, spec_.addresses_per_cycle);
    present(state_.source, in_.src);
    for (unsigned i = 0; i < state_.target_count; ++i) {
        SpanQueue& queue = state_.targets[i];
        queue.fill(t, spec_.addresses_per_cycle);
        present(queue, in_.dst[i]);
        for (unsigned k = 0; k < queue.size(); ++k)
            in_.dst[i].swap[k] = t.swap_mask[queue[k].target];
    }
}

// One message a cycle: what the datapath asks of memory.
void TransferCore::send(Cycle now) {
    const Pins::Request& asked = out_.req;
    MemRequest request;
    request.line = asked.line * kLineBytes;
    request.byte_mask = asked.mask;
    request.client = Client::Dma;
    request.vmid = state_.transfer.location.vmid;
    request.source = static_cast<uint16_t>(spec_.instance);
    request.uid = transaction_id(
        spec_.instance == 0 ? TransactionUnit::Dma0Copy : TransactionUnit::Dma1Copy, ++state_.uid);
    request.tag = asked.tag;
    if (asked.write != 0) {
        request.command = MemCommand::Write;
        request.tag = kTagWrite | static_cast<uint32_t>((state_.head + state_.count - 1) %
                                                        state_.pending.size());
        std::memcpy(request.data.data(), asked.data.data(), kLineBytes);
        ++newest().writes;
        state_.bytes_written += static_cast<unsigned>(__builtin_popcountll(asked.mask));
    }
    ++(asked.write != 0 ? state_.writes_sent : state_.reads_sent);
    to_memory->push(now, request);
}

// A cycle of the datapath. Nothing is in it and nothing comes: it stands.
bool TransferCore::move(Cycle now) {
    if (!state_.active && in_.ack_valid == 0)
        return false;
    const bool paused = run_ == RunState::Paused;
    in_.hold = paused ? 1 : 0;
    in_.req_ready = !paused && to_memory->can_push(now) ? 1 : 0;
    if (state_.active && !paused)
        present_spans();
    pins_->step(in_, out_);
    in_.begin_valid = in_.rsp_valid = in_.ack_valid = 0;
    if (paused || !state_.active)
        return false;
    if (out_.req_valid != 0)
        send(now);
    state_.bytes_read += out_.src_taken;
    state_.source.take(out_.src_taken);
    for (unsigned i = 0; i < state_.target_count; ++i)
        state_.targets[i].take(out_.dst_taken[i]);
    if (state_.transfer.source == Source::Memory)
        note_stall(out_.stalled != 0, now, state_.stalled_since, state_.stall_reads);
    if (out_.written != 0) {
        newest().written = true;
        state_.active = false;
    }
    return out_.active != 0;
}

bool TransferCore::tick(Cycle now) {
    bool progress = false;
    if (response.can_pop(now)) {
        take(response.front());
        response.drop(now);
        progress = true;
    }
    progress |= finish(now);
    if (run_ != RunState::Paused && !state_.active && state_.count < spec_.transfers &&
        command.can_pop(now)) {
        begin(now, command.pop(now));
        progress = true;
    }
    progress |= move(now);
    busy.set(now, !idle());
    return progress;
}

bool TransferCore::idle() const {
    return state_.count == 0 && command.empty();
}

std::string TransferCore::waiting_for() const {
    if (state_.count == 0)
        return "";
    const TransferState::Pending& p = state_.pending[state_.head];
    return spec_.name() + " waits for memory at " + to_string(p.location, spec_.names()) + ", " +
           p.packet + " (" + std::to_string(p.writes) + " writes in flight)";
}

void TransferCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("transfers", "transfers", "copies, fills and writes", &state_.transfers);
    add("bytes_read", "bytes", "of sources", &state_.bytes_read);
    add("bytes_written", "bytes", "of targets", &state_.bytes_written);
    add("reads", "transactions", "lines read", &state_.reads_sent);
    add("writes", "transactions", "lines written, whole or in part", &state_.writes_sent);
    add("busy", "cycles", "from start to last acknowledgement, summed over transfers",
        &state_.busy_cycles);
    add("stall_reads", "cycles", "a line was wanted and as many as allowed were on their way",
        &state_.stall_reads);
}

void TransferCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    track_ = observers.track(path);
}

}  // namespace archipelago::dma
