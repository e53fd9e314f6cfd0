// SPDX-License-Identifier: Apache-2.0
#include "models/dma/engine_core.h"

#include <algorithm>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/register_service.h"
#include "models/common/transaction_id.h"
#include "models/front/swap.h"

namespace archipelago::dma {

using front::OpStep;
using Phase = EngineState::Phase;

EngineCore::EngineCore(const Spec& spec)
    : registers(spec.registers, spec.name() + ".registers"),
      register_response(spec.register_in, spec.name() + ".register_response"),
      memory_response(spec.memory_return, spec.name() + ".memory_response"),
      mirror_response(spec.memory_return, spec.name() + ".mirror_response"),
      semaphore_response(spec.memory_in, spec.name() + ".semaphore_response"),
      roq{Channel<front::RoqLine>({spec.ring_lines, 1}, spec.name() + ".roq.ring"),
          Channel<front::RoqLine>({spec.buffer_lines, 1}, spec.name() + ".roq.buffer")},
      transfer_done(spec.strobe_latency),
      engine_(spec, *this),
      spec_(spec),
      names_(spec.names()),
      settings_{spec.poll_unit, spec.register_base, &names_},
      file_(*spec.generation, spec.tiling_reset) {
    add_inputs(registers, register_response, memory_response, mirror_response, semaphore_response,
               roq[0], roq[1], transfer_done);
    EngineCore::reset();
}

void EngineCore::archive(Archive& a) {
    Unit::archive(a);
    a(engine_, file_, state_, changed_, busy);
}

void EngineCore::reset() {
    state_ = {};
    file_.reset();
    engine_.reset();
    engine_.add_ring(state_.op);
    Unit::reset();
    busy.reset();
}

// ---- registers ---------------------------------------------------------------------------------

bool EngineCore::write_register(const RegRequest& request) {
    const uint32_t offset = request.offset - spec_.register_base;
    if (offset >= kRegisterBytes)
        return false;
    ++state_.register_writes;
    if (request.source == spec_.source() && state_.op.own_writes != 0)
        --state_.op.own_writes;
    const RegisterChange change = file_.write(offset, request.value);
    if (change != RegisterChange::None)
        changed_ = change;
    return true;
}

bool EngineCore::read_register(const RegRequest& request, uint32_t& value) {
    const uint32_t offset = request.offset - spec_.register_base;
    if (offset >= kRegisterBytes)
        return false;
    value = file_.read(offset);
    return true;
}

bool EngineCore::serve_registers(Cycle now) {
    changed_ = RegisterChange::None;
    if (!serve_register(now, registers, to_registers.get(), *this))
        return false;
    if (changed_ != RegisterChange::None)
        change_ring(now, changed_);
    return true;
}

void EngineCore::change_ring(Cycle now, RegisterChange change) {
    const front::RingConfig ring = file_.ring();
    front::StreamReader& stream = state_.stream;
    front::StreamLevel& top = stream.levels[0];
    const bool moved = ring.base != stream.ring.base || ring.dwords != stream.ring.dwords;
    if (moved && stream.ring.enabled && !top.at_end())
        throw MachineStop(StopKind::BadInput, "ring " + spec_.name(), rewritten_unread(top));
    const bool reset = change == RegisterChange::ReadPointer;
    stream.follow(ring, file_.write_pointer());
    stream.ring.enabled = ring.enabled && !file_.halted();
    if (reset)
        top.position = file_.read_pointer();
    to_fetch->send(now, {0, reset, file_.read_pointer(), top.end, stream.ring});
}

// ---- the stream --------------------------------------------------------------------------------

bool EngineCore::take_dword(Cycle now, uint32_t& dword) {
    if (!state_.stream.take(now, 0, roq.data(), to_credit, dword))
        return false;
    if (!state_.stream.in_ring())  // the ring's are swapped where they are fetched
        dword = front::swap_dword(dword, file_.buffer_swap());
    ++state_.dwords_taken;
    return true;
}

// ---- packets -----------------------------------------------------------------------------------

// False: for `reason`, or there is nothing to do.
bool EngineCore::run_header(Cycle now, Stall& reason) {
    front::StreamReader& stream = state_.stream;
    stream.leave_finished();
    if (stream.top().at_end() || (stream.in_ring() && !stream.ring.enabled))
        return false;
    const front::Location location = stream.location(0);
    const uint32_t left = stream.most_left(0);
    uint32_t header = 0;
    if (!take_dword(now, header)) {
        reason = Stall::Queue;
        return false;
    }
    if (state_.skip != 0) {
        --state_.skip;
        publish_pointers();
        return true;
    }
    state_.location = location;
    state_.began = now;
    state_.info = &check_header(*spec_.packets, header, left, location, names_);
    state_.dwords[0] = header;
    state_.have = 1;
    state_.payload = 0;
    state_.phase = Phase::Collect;
    return true;
}

bool EngineCore::run(Cycle now, Stall& reason) {
    switch (state_.phase) {
        case Phase::Header:
            return run_header(now, reason);
        case Phase::Collect:
            if (state_.have < state_.info->fixed) {
                if (!take_dword(now, state_.dwords[state_.have])) {
                    reason = Stall::Queue;
                    return false;
                }
                ++state_.have;
            }
            if (state_.have == state_.info->fixed) {
                check_size(
                    *state_.info, state_.dwords.data(),
                    state_.stream.most_left(0) + (state_.stream.in_ring() ? 0 : state_.info->fixed),
                    state_.location, names_);
                state_.phase = Phase::Microcode;
                state_.ready_at = now + spec_.packet_cycles;
                wake_at(state_.ready_at);
            }
            return true;
        case Phase::Microcode:
            if (now < state_.ready_at) {
                reason = Stall::Microcode;
                return false;
            }
            log_packet(observers_, path_, now, to_string(state_.location, names_), *state_.info,
                       state_.dwords.data(), spec_.database);
            state_.op.program.start(*state_.info, state_.dwords.data(), state_.location,
                                    *spec_.generation, file_.control(), settings_);
            state_.op.semaphore_since = 0;
            state_.op.semaphore_told = false;
            state_.payload = state_.info->dwords_of(state_.dwords.data()) - state_.info->fixed;
            state_.phase = Phase::Execute;
            return run_execute(now, reason);
        case Phase::Execute:
            return run_execute(now, reason);
    }
    return false;
}

bool EngineCore::run_execute(Cycle now, Stall& reason) {
    if (!to_command->can_push(now)) {
        reason = Stall::Queue;
        return false;
    }
    engine_.semaphore_interrupt = file_.semaphore_wait_interrupt();
    switch (engine_.step(now, state_.op, reason)) {
        case OpStep::Advanced:
            return true;
        case OpStep::Finished:
            after_program(now);
            return true;
        case OpStep::NeedDword: {
            uint32_t dword = 0;
            if (!take_dword(now, dword)) {
                reason = Stall::Queue;
                return false;
            }
            --state_.payload;
            OpEngine::give(state_.op, dword);
            return true;
        }
        case OpStep::Blocked:
        case OpStep::Waiting:
            return false;
    }
    return false;
}

void EngineCore::after_program(Cycle now) {
    finish(now);
    state_.skip = engine_.calls.skip;
    check_skip(*state_.info, state_.skip, state_.stream.most_left(0), state_.location, names_);
    if (engine_.calls.call) {
        if (!file_.buffers_enabled())
            throw MachineStop(StopKind::BadInput, to_string(state_.location, names_),
                              "an indirect buffer, but IB_ENABLE is 0");
        const IndirectBuffer& b = engine_.calls.buffer;
        file_.note_vmid(b.vmid);
        to_command->push(now, {0, 1, b.vmid, 0, b.base, b.dwords});
        state_.stream.call(1, b.base, b.dwords, b.vmid, 0);
        ++state_.buffers;
    }
    engine_.calls = {};
}

void EngineCore::finish(Cycle now) {
    ++state_.packets;
    state_.phase = Phase::Header;
    publish_pointers();
    if (observers_.trace != nullptr)
        trace_packet(now + 1);
}

void EngineCore::trace_packet(Cycle end) const {
    std::string detail = to_string(state_.location, names_);
    if (state_.phase != Phase::Collect)  // else its dwords are not all here
        detail += ": " + describe_packet(*state_.info, state_.dwords.data(), spec_.database);
    observers_.trace->slice(track_, state_.began, end, state_.info->name, 0, detail);
}

void EngineCore::finish_trace(Cycle now) const {
    if (state_.phase != Phase::Header)
        trace_packet(now);
}

// The pointers the host sees.
void EngineCore::publish_pointers() {
    const uint32_t position = state_.stream.top().position;
    if (state_.stream.in_ring()) {
        file_.set_read_pointer(position);
        state_.mirror_old = file_.mirror() != 0;
    } else {
        file_.set_buffer_pointer(position);
    }
}

// The read pointer to memory, at most once a period of its timer.
bool EngineCore::mirror(Cycle now) {
    if (!state_.mirror_old || state_.mirror_in_flight)
        return false;
    if (now < state_.mirror_due) {
        wake_at(state_.mirror_due);
        return false;
    }
    if (!to_mirror->can_push(now))
        return false;
    const uint64_t address = file_.mirror();
    const uint32_t value = file_.mirror_value();
    MemRequest request;
    request.line = line_of(address);
    request.byte_mask = bytes_in_line(address, 4);
    request.command = MemCommand::Write;
    request.client = Client::Dma;
    request.uid = transaction_id(
        spec_.instance == 0 ? TransactionUnit::Dma0 : TransactionUnit::Dma1, ++state_.uid << 32);
    std::memcpy(&request.data[address % kLineBytes], &value, 4);
    to_mirror->push(now, request);
    state_.mirror_old = false;
    state_.mirror_in_flight = true;
    state_.mirror_due = now + (uint64_t{spec_.timer_unit} << file_.mirror_timer());
    return true;
}

bool EngineCore::take_inputs(Cycle now) {
    bool progress = false;
    const auto take = [&](auto& channel) {
        if (!channel.can_pop(now))
            return;
        engine_.take(channel.pop(now));
        progress = true;
    };
    take(register_response);
    take(memory_response);
    take(semaphore_response);
    if (mirror_response.can_pop(now)) {
        const MemResponse r = mirror_response.pop(now);
        if (r.status != MemStatus::Ok)
            throw MachineStop(StopKind::Fault, "ring " + spec_.name(),
                              "read pointer: write to " + refused_address(r.status, r.line));
        state_.mirror_in_flight = false;
        progress = true;
    }
    while (transfer_done.ready(now)) {
        transfer_done.take();
        --state_.op.transfers;
        progress = true;
    }
    return progress;
}

bool EngineCore::tick(Cycle now) {
    bool progress = take_inputs(now);
    Stall reason = Stall::None;
    if (run_ != RunState::Paused && run(now, reason))
        progress = true;
    else
        state_.stalls.note(now, reason);
    if (progress)
        state_.stalls.note(now, Stall::None);
    progress |= mirror(now);
    const bool working = state_.phase != Phase::Header || state_.stream.unread() != 0 ||
                         !state_.stream.in_ring() || state_.skip != 0 ||
                         !OpEngine::idle(state_.op) || state_.op.transfers != 0;
    file_.set_idle(!working);
    if (run_ != RunState::Paused)
        progress |= serve_registers(now);
    busy.set(now, working);
    return progress;
}

bool EngineCore::idle() const {
    const front::StreamReader& stream = state_.stream;
    return state_.phase == Phase::Header && (stream.unread() == 0 || !stream.ring.enabled) &&
           stream.in_ring() && state_.skip == 0 && OpEngine::idle(state_.op) &&
           state_.op.transfers == 0 && mirrored() && registers.empty();
}

// There is a part of a packet, or of what one leaves out.
bool EngineCore::at_write_pointer() const {
    const bool wants_more = state_.skip != 0 || state_.phase == Phase::Collect ||
                            (state_.phase == Phase::Execute && state_.payload != 0);
    return wants_more && state_.stream.in_ring() && state_.stream.unread() == 0;
}

std::string EngineCore::waiting_for() const {
    if (at_write_pointer() && state_.op.transfers == 0)
        return beyond_write_pointer(state_.location, names_);
    if (state_.phase == Phase::Header)
        return state_.stream.ring.enabled || state_.stream.unread() == 0
                   ? ""
                   : spec_.name() + ": the ring has " + std::to_string(state_.stream.unread()) +
                         " dwords and is not enabled";
    return to_string(state_.location, names_) + ": " +
           state_.info->wait_text(state_.dwords.data(),
                                  static_cast<uint32_t>(state_.op.last_read)) +
           " (" + to_string(state_.stalls.reason()) + ")";
}

void EngineCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("packets", "packets", "executed", &state_.packets);
    add("dwords", "dwords", "of packets", &state_.dwords_taken);
    add("buffers", "buffers", "indirect buffers called", &state_.buffers);
    add("register_writes", "transactions", "of its own registers", &state_.register_writes);
    add("reg_writes", "transactions", "register writes of packets", &engine_.counters.reg_writes);
    add("reg_reads", "transactions", "register reads of packets", &engine_.counters.reg_reads);
    add("atomics", "transactions", "semaphore operations", &engine_.counters.atomics);
    add("polls", "polls", "that failed", &engine_.counters.polls);
    for (unsigned i = 1; i < static_cast<unsigned>(Stall::kCount); ++i) {
        static const std::array<std::string, static_cast<size_t>(Stall::kCount)> names = [] {
            std::array<std::string, static_cast<size_t>(Stall::kCount)> made;
            for (unsigned k = 0; k < made.size(); ++k)
                made[k] = std::string("stall_") + to_string(static_cast<Stall>(k));
            return made;
        }();
        add(names[i].c_str(), "cycles", "the packet at hand could not go on",
            state_.stalls.counter(static_cast<Stall>(i)));
    }
}

void EngineCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    track_ = observers.track(path);
}

}  // namespace archipelago::dma
