// SPDX-License-Identifier: Apache-2.0
#include "models/cp/dma_core.h"

#include <algorithm>
#include <cstring>

#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/transaction_id.h"
#include "models/cp/pm4/packet_log.h"

namespace archipelago::cp {

namespace {
// Tags: read slot in the low byte, or write with the place of its command.
constexpr uint32_t kTagWrite = 0x100;

// The first byte of the copy in a line that memory refuses.
[[noreturn]] void fault(const DmaCommand& c, MemStatus status, uint64_t line, bool write) {
    const uint64_t address = std::max(line, write ? c.destination : c.source);
    throw MachineStop(StopKind::Fault, to_string(c.location),
                      std::string(write ? "CP_DMA write to " : "CP_DMA read of ") +
                          refused_address(status, address, c.location.vmid));
}
}  // namespace

DmaCore::DmaCore(const Spec& spec)
    : command(spec.command, "cp.dma.command"),
      pfp_command(spec.command, "cp.dma.pfp_command"),
      memory_response(spec.memory_return, "cp.dma.memory_response"),
      gds_response(spec.gds_return, "cp.dma.gds_response"),
      spec_(spec) {
    add_inputs(command, pfp_command, memory_response, gds_response);
    DmaCore::reset();
}

void DmaCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, busy);
}

void DmaCore::reset() {
    state_ = {};
    state_.slots.resize(spec_.dma_read_lines);
    clear_inputs();
    busy.reset();
    run_ = RunState::Running;
}

// The engines' commands in turns; null: there is none.
Channel<DmaCommand>* DmaCore::next_command(Cycle now) {
    Channel<DmaCommand>* first = state_.pfp_next ? &pfp_command : &command;
    Channel<DmaCommand>* second = state_.pfp_next ? &command : &pfp_command;
    if (first->can_pop(now))
        return first;
    return second->can_pop(now) ? second : nullptr;
}

void DmaCore::begin(Cycle now, const DmaCommand& c) {
    ++state_.count;
    Pending& p = newest();
    p = {};
    p.command = c;
    p.began = now;
    state_.active = true;
    state_.waiting_for_writes = c.raw_wait;
    state_.done_bytes = 0;
    state_.slot_head = state_.slots_used = 0;
    state_.first_line = state_.read_line = line_of(c.source);
    state_.read_end = c.fill ? state_.read_line : line_of(c.source + c.bytes - 1) + kLineBytes;
    ++state_.commands;
    log_dma(observers_, path_, now, c);
}

void DmaCore::take(const MemResponse& r) {
    if ((r.tag & kTagWrite) != 0) {
        Pending& p = state_.pending[r.tag & 0xFF];
        if (r.status != MemStatus::Ok) {
            state_.write_refused = true;
            if (p.refused == MemStatus::Ok || r.line < p.refused_line) {
                p.refused = r.status;
                p.refused_line = r.line;
            }
        }
        --p.writes;
        --state_.writes_in_flight;
        return;
    }
    Slot& slot = state_.slots[r.tag & 0xFF];
    slot.line = r.data;
    slot.status = r.status;
    slot.arrived = r.status == MemStatus::Ok;
}

void DmaCore::take(const GdsResponse& r) {
    if ((r.tag & kTagWrite) != 0) {
        --state_.pending[r.tag & 0xFF].writes;
        --state_.writes_in_flight;
        return;
    }
    Slot& slot = state_.slots[r.tag & 0xFF];
    std::memcpy(slot.line.data(), r.data[0].data(), kLineBytes);
    slot.arrived = true;
}

// The slot of a source line from first_line on that has been requested; null: has not.
DmaCore::Slot* DmaCore::slot_of(uint64_t line) {
    const uint64_t distance = (line - state_.first_line) / kLineBytes;
    return distance < state_.slots_used
               ? &state_.slots[(state_.slot_head + distance) % state_.slots.size()]
               : nullptr;
}

// Whether the source is there up to the line of byte `last`.
bool DmaCore::arrived(uint64_t last) {
    for (uint64_t line = state_.first_line; line <= line_of(last); line += kLineBytes) {
        const Slot* slot = slot_of(line);
        if (slot == nullptr || !slot->arrived)
            return false;
    }
    return true;
}

// Lines may be refused in any order, and later ones than are needed: the first that the copy cannot
// do without is named, once all before it is written.
void DmaCore::stop_at_refused_read(uint64_t last) {
    if (state_.writes_in_flight != 0)
        return;
    for (uint64_t line = state_.first_line; line <= line_of(last); line += kLineBytes) {
        const Slot* slot = slot_of(line);
        if (slot != nullptr && slot->status != MemStatus::Ok)
            fault(newest().command, slot->status, line, false);
        if (slot == nullptr || !slot->arrived)
            return;
    }
}

// The first of those issued, once all of them are answered.
void DmaCore::stop_at_refused_write() const {
    if (!state_.write_refused || state_.writes_in_flight != 0)
        return;
    for (unsigned i = 0; i < state_.count; ++i) {
        const Pending& p = state_.pending[(state_.head + i) % kPendings];
        if (p.refused != MemStatus::Ok)
            fault(p.command, p.refused, p.refused_line, true);
    }
}

// `bytes` more are on their way: frees the slots of source lines that are used up, and ends the
// reading and writing of a command that has all.
void DmaCore::count_written(Pending& p, uint32_t bytes) {
    const DmaCommand& c = p.command;
    ++p.writes;
    ++state_.writes_in_flight;
    ++state_.writes;
    state_.bytes += bytes;
    state_.done_bytes += bytes;
    if (!c.fill) {
        const uint64_t next = line_of(c.source + state_.done_bytes);
        while (state_.first_line < next && state_.slots_used != 0) {
            state_.slots[state_.slot_head].arrived = false;
            state_.slot_head = (state_.slot_head + 1) % state_.slots.size();
            --state_.slots_used;
            state_.first_line += kLineBytes;
        }
    }
    if (state_.done_bytes == c.bytes) {
        for (Slot& slot : state_.slots)
            slot.arrived = false;
        state_.slots_used = 0;
        p.written = true;
        state_.active = false;
    }
}

// Issues the next destination line when all its bytes are there.
bool DmaCore::write(Cycle now) {
    if (!state_.active || state_.write_refused ||
        state_.writes_in_flight >= spec_.dma_outstanding_writes)
        return false;
    Pending& p = newest();
    const DmaCommand& c = p.command;
    const uint64_t destination = c.destination + state_.done_bytes;
    const auto offset = static_cast<unsigned>(destination % kLineBytes);
    const uint32_t bytes = std::min(c.bytes - state_.done_bytes, kLineBytes - offset);
    const uint64_t last = c.source + state_.done_bytes + bytes - 1;
    if (!c.fill && !arrived(last)) {
        stop_at_refused_read(last);
        return false;
    }
    if (c.to_gds ? !to_gds->can_push(now) : !to_hub->can_push(now))
        return false;
    MemRequest request;
    request.line = line_of(destination);
    request.byte_mask = bytes_in_line(destination, bytes);
    request.command = MemCommand::Write;
    request.client = Client::CpDma;
    request.vmid = c.location.vmid;
    request.source = c.location.ring;
    request.tag = kTagWrite | (state_.head + state_.count - 1) % kPendings;
    request.uid = transaction_id(TransactionUnit::CpDma, ++state_.uid);
    const auto source_byte = [&](uint32_t n) {
        const uint64_t address = c.source + n;
        return slot_of(line_of(address))->line[address % kLineBytes];
    };
    for (uint32_t i = 0; i < bytes; ++i)
        request.data[offset + i] = dma_byte(c, state_.done_bytes + i, source_byte);
    if (c.to_gds) {
        GdsRequest gds = gds_write_line(static_cast<uint32_t>(request.line), request.byte_mask,
                                        request.data.data(), request.vmid);
        gds.tag = request.tag;
        to_gds->push(now, gds);
    } else {
        to_hub->push(now, request);
    }
    count_written(p, bytes);
    return true;
}

bool DmaCore::read(Cycle now) {
    if (!state_.active || state_.waiting_for_writes || state_.read_line == state_.read_end ||
        state_.slots_used == state_.slots.size())
        return false;
    const DmaCommand& c = newest().command;
    if (c.from_gds ? !to_gds->can_push(now) : !to_hub->can_push(now))
        return false;
    const unsigned place = (state_.slot_head + state_.slots_used) % state_.slots.size();
    state_.slots[place].arrived = false;
    state_.slots[place].status = MemStatus::Ok;
    ++state_.slots_used;
    MemRequest request;
    request.line = state_.read_line;
    const uint64_t from = std::max(c.source, state_.read_line);
    const uint64_t to = std::min(c.source + c.bytes, state_.read_line + kLineBytes);
    request.byte_mask = bytes_in_line(from, to - from);
    request.client = Client::CpDma;
    request.vmid = c.location.vmid;
    request.source = c.location.ring;
    request.tag = place;
    request.uid = transaction_id(TransactionUnit::CpDma, ++state_.uid);
    if (c.from_gds) {
        GdsRequest from_gds =
            gds_read(static_cast<uint32_t>(request.line), kLineBytes / 4, request.vmid);
        from_gds.tag = request.tag;
        to_gds->push(now, from_gds);
    } else {
        to_hub->push(now, request);
    }
    state_.read_line += kLineBytes;
    ++state_.reads;
    return true;
}

// Commands end in order: `done` when the last write is acknowledged; of posted ones `written`
// before that, when it is issued.
bool DmaCore::finish(Cycle now) {
    bool progress = false;
    for (unsigned i = 0; i < state_.count; ++i) {
        Pending& p = state_.pending[(state_.head + i) % kPendings];
        if (p.reported)
            continue;
        OutputChannel<DmaDone>& done = p.command.pfp ? to_pfp : to_me;
        if (!p.command.posted || !p.written || !done->can_push(now))
            break;
        done->push(now, {p.command.location.ring, true, false});
        p.reported = progress = true;
    }
    while (state_.count != 0) {
        const Pending& p = state_.pending[state_.head];
        OutputChannel<DmaDone>& done = p.command.pfp ? to_pfp : to_me;
        if (!p.written || p.writes != 0 || p.reported != p.command.posted || !done->can_push(now))
            break;
        done->push(now, {p.command.location.ring, !p.command.posted, true});
        state_.busy_cycles += now - p.began;
        if (observers_.trace != nullptr)
            trace_copy(p, now);
        state_.head = (state_.head + 1) % kPendings;
        --state_.count;
        progress = true;
    }
    return progress;
}

bool DmaCore::tick(Cycle now) {
    bool progress = false;
    if (memory_response.can_pop(now)) {
        take(memory_response.pop(now));
        progress = true;
    }
    if (gds_response.can_pop(now)) {
        take(gds_response.pop(now));
        progress = true;
    }
    stop_at_refused_write();
    progress |= finish(now);
    if (run_ != RunState::Paused && !state_.active && state_.count < kPendings) {
        if (Channel<DmaCommand>* from = next_command(now)) {
            const DmaCommand next = from->pop(now);
            state_.pfp_next = !next.pfp;
            begin(now, next);
            progress = true;
        }
    }
    if (state_.waiting_for_writes && state_.writes_in_flight == 0) {
        state_.waiting_for_writes = false;
        progress = true;
    }
    // A fill writes at once; RAW_WAIT holds back only reads, and copies write what they read.
    if (run_ != RunState::Paused && write(now))
        progress = true;
    if (run_ != RunState::Paused && read(now))
        progress = true;
    busy.set(now, !idle());
    return progress;
}

bool DmaCore::idle() const {
    return state_.count == 0 && command.empty() && pfp_command.empty();
}

std::string DmaCore::waiting_for() const {
    if (state_.count == 0)
        return "";
    const Pending& p = state_.pending[state_.head];
    return "CP_DMA waits for memory at " + to_string(p.command.location) + " (" +
           std::to_string(p.writes) + " writes in flight)";
}

void DmaCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("commands", "packets", "copies and fills", &state_.commands);
    add("bytes", "bytes", "written", &state_.bytes);
    add("reads", "transactions", "lines read", &state_.reads);
    add("writes", "transactions", "lines written", &state_.writes);
    add("busy", "cycles", "from start to last acknowledgement, summed over commands",
        &state_.busy_cycles);
}

void DmaCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    track_ = observers.track(path);
}

void DmaCore::trace_copy(const Pending& p, Cycle end) const {
    observers_.trace->slice(track_, p.began, end, p.command.fill ? "fill" : "copy");
}

void DmaCore::finish_trace(Cycle now) const {
    for (unsigned i = 0; i < state_.count; ++i)
        trace_copy(state_.pending[(state_.head + i) % kPendings], now);
}

}  // namespace archipelago::cp
