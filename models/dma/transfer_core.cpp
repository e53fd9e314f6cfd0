// SPDX-License-Identifier: Apache-2.0
#include "models/dma/transfer_core.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/stall_cycles.h"
#include "models/common/transaction_id.h"

namespace archipelago::dma {
namespace {

// Tags: read slot in the low bits, or write with the place of its transfer.
constexpr uint32_t kTagWrite = 0x10000;

constexpr uint64_t bytes_mask(unsigned first, unsigned count) {
    return (count >= kLineBytes ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
}

}  // namespace

TransferCore::TransferCore(const Spec& spec, const Units& units)
    : command({spec.transfers, spec.command.latency}, spec.name() + ".copy.command"),
      response(spec.memory_return, spec.name() + ".copy.response"),
      spec_(spec),
      units_(units) {
    if (units_.addresses != nullptr)
        units_.addresses->check(spec_.generation->surfaces, "async_dma.generation",
                                spec_.generation->name);
    add_inputs(command, response);
    TransferCore::reset();
}

void TransferCore::reset() {
    state_ = {};
    state_.slots.resize(spec_.read_lines);
    for (unsigned i = spec_.read_lines; i-- != 0;)
        state_.free_slots.push_back(static_cast<uint16_t>(i));
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
    state_.reads = SpanWalk(SpanWalk::kSource, units_.addresses);
    state_.first_byte = state_.end_byte = 0;
    state_.target_count = transfer.targets == Targets::Both ? 2 : 1;
    for (unsigned i = 0; i < state_.target_count; ++i)
        state_.targets[i] = {SpanWalk(i, units_.addresses), 0};
    ++state_.transfers;
}

void TransferCore::take(const MemResponse& r) {
    const bool write = (r.tag & kTagWrite) != 0;
    TransferState::Pending& p = write ? state_.pending[r.tag & 0xFF] : newest();
    if (r.status != MemStatus::Ok)
        throw MachineStop(StopKind::Fault, to_string(p.location, spec_.names()),
                          front::access_of(p.packet, nullptr) + (write ? "write to " : "read of ") +
                              refused_address(r.status, r.line));
    if (write) {
        --p.writes;
        --state_.writes_in_flight;
        return;
    }
    TransferState::Slot& slot = state_.slots[r.tag];
    slot.data = r.data;
    slot.arrived = true;
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
            observers_.trace->slice(track_, p.began, now, p.packet);
        state_.head = (state_.head + 1) % state_.pending.size();
        --state_.count;
        progress = true;
    }
    return progress;
}

// ---- the port ----------------------------------------------------------------------------------

MemRequest TransferCore::request(uint64_t line) {
    MemRequest request;
    request.line = line;
    request.client = Client::Dma;
    request.vmid = state_.transfer.location.vmid;
    request.source = static_cast<uint16_t>(spec_.instance);
    request.uid = transaction_id(
        spec_.instance == 0 ? TransactionUnit::Dma0Copy : TransactionUnit::Dma1Copy, ++state_.uid);
    return request;
}

// One message a cycle. The direction that had the last one keeps its turn for a burst.
void TransferCore::send(Cycle now, const MemRequest& request) {
    const bool write = request.command == MemCommand::Write;
    to_memory->push(now, request);
    sent_ = true;
    if (state_.writing != write || state_.burst_left == 0)
        state_.burst_left = spec_.burst_lines;
    state_.writing = write;
    if (--state_.burst_left == 0)
        state_.writing = !write;
    ++(write ? state_.writes_sent : state_.reads_sent);
}

// ---- the source --------------------------------------------------------------------------------

// A line that was requested lately and has pieces left.
int TransferCore::find_slot(uint64_t line) const {
    for (auto it = state_.recent.rbegin(); it != state_.recent.rend(); ++it)
        if (state_.slots[*it].pieces != 0 && state_.slots[*it].line == line)
            return *it;
    return -1;
}

bool TransferCore::read_piece(Cycle now) {
    const Transfer& t = state_.transfer;
    const Span span = state_.reads.front(t);
    const uint64_t line = line_of(span.address);
    const auto offset = static_cast<unsigned>(span.address % kLineBytes);
    const uint32_t bytes = std::min(span.bytes, kLineBytes - offset);
    int slot = find_slot(line);
    if (slot < 0) {
        if (state_.free_slots.empty() || !may_send(now))
            return false;
        slot = state_.free_slots.back();
        state_.free_slots.pop_back();
        state_.slots[static_cast<size_t>(slot)] = {line, {}, false, 0};
        state_.recent.push_back(static_cast<uint16_t>(slot));
        if (state_.recent.size() > spec_.open_lines)
            state_.recent.pop_front();
        MemRequest r = request(line);
        r.byte_mask = ~uint64_t{0};
        r.tag = static_cast<uint32_t>(slot);
        send(now, r);
    }
    ++state_.slots[static_cast<size_t>(slot)].pieces;
    state_.pieces.push_back(
        {static_cast<uint16_t>(slot), static_cast<uint8_t>(offset), static_cast<uint8_t>(bytes)});
    state_.bytes_read += bytes;
    state_.reads.take(t, bytes);
    return true;
}

bool TransferCore::read(Cycle now) {
    if (!state_.active || state_.transfer.source != Source::Memory)
        return false;
    bool progress = false;
    for (unsigned i = 0; i < spec_.addresses_per_cycle && !state_.reads.done(state_.transfer);
         ++i) {
        if (!read_piece(now))
            break;
        progress = true;
    }
    const bool stalled =
        state_.free_slots.empty() && !progress && !state_.reads.done(state_.transfer);
    note_stall(stalled, now, state_.stalled_since, state_.stall_reads);
    return progress;
}

// What has arrived goes into the buffer, in the source's order.
bool TransferCore::gather() {
    bool progress = false;
    for (unsigned i = 0; i < spec_.addresses_per_cycle && !state_.pieces.empty(); ++i) {
        const TransferState::Piece piece = state_.pieces.front();
        TransferState::Slot& slot = state_.slots[piece.slot];
        if (!slot.arrived ||
            state_.end_byte + piece.bytes - state_.first_byte > TransferState::kBuffer)
            break;
        for (unsigned k = 0; k < piece.bytes; ++k)
            state_.buffer[(state_.end_byte + k) % TransferState::kBuffer] =
                slot.data[piece.offset + k];
        state_.end_byte += piece.bytes;
        if (--slot.pieces == 0)
            state_.free_slots.push_back(piece.slot);
        state_.pieces.pop_front();
        progress = true;
    }
    return progress;
}

// The same for a source that is not in memory: a line a cycle.
bool TransferCore::fill_buffer() {
    if (!state_.active || state_.transfer.source == Source::Memory)
        return gather();
    const Transfer& t = state_.transfer;
    const uint64_t room = TransferState::kBuffer - (state_.end_byte - state_.first_byte);
    const uint64_t bytes = std::min<uint64_t>({room, kLineBytes, t.bytes() - state_.end_byte});
    for (uint64_t i = 0; i < bytes; ++i, ++state_.end_byte)
        state_.buffer[state_.end_byte % TransferState::kBuffer] = t.made_byte(state_.end_byte);
    return bytes != 0;
}

// ---- the targets -------------------------------------------------------------------------------

void TransferCore::send_line(Cycle now, size_t index) {
    TransferState::OpenLine& open = state_.open[index];
    MemRequest r = request(open.line);
    r.command = MemCommand::Write;
    r.byte_mask = open.mask;
    r.data = open.data;
    r.tag =
        kTagWrite | static_cast<uint32_t>((state_.head + state_.count - 1) % state_.pending.size());
    send(now, r);
    ++newest().writes;
    ++state_.writes_in_flight;
    state_.bytes_written += static_cast<unsigned>(__builtin_popcountll(open.mask));
    state_.open.erase(state_.open.begin() + static_cast<std::ptrdiff_t>(index));
}

// The next piece of a target into its line, once all its bytes are there.
bool TransferCore::put(Cycle now, unsigned which) {
    const Transfer& t = state_.transfer;
    TransferState::Target& target = state_.targets[which];
    const Span span = target.walk.front(t);
    const uint64_t line = line_of(span.address);
    const auto offset = static_cast<unsigned>(span.address % kLineBytes);
    const uint32_t bytes = std::min(span.bytes, kLineBytes - offset);
    const uint8_t swap = t.swap_mask[span.target];
    const uint64_t unit = swap_unit(swap);
    if (((target.position + bytes + unit - 1) & ~(unit - 1)) > state_.end_byte)
        return false;
    size_t index = 0;
    while (index < state_.open.size() && state_.open[index].line != line)
        ++index;
    const bool may_write = may_send(now) && state_.writes_in_flight < spec_.write_lines;
    if (index == state_.open.size()) {
        if (state_.open.size() == spec_.open_lines) {
            if (!may_write)
                return false;
            send_line(now, 0);
            --index;
        }
        state_.open.push_back({line, 0, {}});
    }
    TransferState::OpenLine& open = state_.open[index];
    for (uint32_t i = 0; i < bytes; ++i)
        open.data[offset + i] =
            state_.buffer[((target.position + i) ^ swap) % TransferState::kBuffer];
    open.mask |= bytes_mask(offset, bytes);
    target.position += bytes;
    target.walk.take(t, bytes);
    if (open.mask == ~uint64_t{0} && !sent_ && may_write)
        send_line(now, index);
    return true;
}

// All is put: the lines that are open go, the oldest first.
bool TransferCore::flush(Cycle now) {
    if (!state_.open.empty()) {
        if (!may_send(now) || state_.writes_in_flight >= spec_.write_lines)
            return false;
        send_line(now, 0);
    }
    if (state_.open.empty()) {
        newest().written = true;
        state_.active = false;
    }
    return true;
}

bool TransferCore::write(Cycle now) {
    if (!state_.active)
        return false;
    const Transfer& t = state_.transfer;
    bool progress = false;
    for (unsigned i = 0; i < spec_.addresses_per_cycle; ++i) {
        // The target that is behind.
        const unsigned which =
            state_.target_count == 2 && state_.targets[1].position < state_.targets[0].position ? 1
                                                                                                : 0;
        if (state_.targets[which].walk.done(t))
            return flush(now) || progress;
        if (!put(now, which))
            break;
        progress = true;
    }
    uint64_t least = state_.targets[0].position;
    if (state_.target_count == 2)
        least = std::min(least, state_.targets[1].position);
    state_.first_byte = least & ~uint64_t{7};
    return progress;
}

bool TransferCore::tick(Cycle now) {
    bool progress = false;
    sent_ = false;
    if (response.can_pop(now)) {
        take(response.front());
        response.drop(now);
        progress = true;
    }
    progress |= finish(now);
    if (run_ != RunState::Paused) {
        if (!state_.active && state_.count < spec_.transfers && command.can_pop(now)) {
            begin(now, command.pop(now));
            progress = true;
        }
        progress |= fill_buffer();
        const bool writing = state_.writing;
        progress |= writing ? write(now) : read(now);
        progress |= writing ? read(now) : write(now);
    }
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
