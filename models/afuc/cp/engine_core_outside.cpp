// SPDX-License-Identifier: Apache-2.0
// What an engine does to the rest of the machine: commands of its levels, writes in order, reads.
#include <algorithm>
#include <cstring>

#include "models/afuc/cp/engine_core.h"
#include "models/common/transaction_id.h"

namespace archipelago::afuc {

// A write of the line that memory has not acknowledged, or one in the queue.
bool EngineCore::has_write(uint64_t line) const {
    if (state_.write.byte_mask != 0 && state_.write.line == line)
        return true;
    for (size_t i = 0; i < state_.queue.size(); ++i) {
        const Action& a = state_.queue[i];
        if ((a.kind == Action::Kind::Memory || a.kind == Action::Kind::Timestamp) &&
            line_of(a.address) == line)
            return true;
    }
    return std::find(state_.writes.begin(), state_.writes.end(), line) != state_.writes.end();
}

void EngineCore::acknowledge(uint64_t line) {
    *std::find(state_.writes.begin(), state_.writes.end(), line) = state_.writes.back();
    state_.writes.pop_back();
}

bool EngineCore::send_commands(Cycle now) {
    bool moved = false;
    const bool unsent = state_.unsent;
    state_.unsent = false;
    for (unsigned level = 1; unsent && level < roq.size(); ++level) {
        LevelWords& l = state_.levels[level];
        if (!l.unsent)
            continue;
        if (l.skip != 0 || !to_command->can_push(now)) {
            state_.unsent = true;
            continue;
        }
        const front::StreamLevel& buffer = levels_.level[level];
        if (buffer.end != 0)
            to_command->push(now, {0, static_cast<uint8_t>(level), 0, 0, buffer.base, buffer.end});
        l.expected = buffer.end;
        l.unsent = false;
        moved = true;
    }
    while (!state_.to_meq.empty() && to_meq->can_push(now)) {
        to_meq->push(now, state_.to_meq.front());
        state_.to_meq.drop();
        moved = true;
    }
    return moved;
}

// Writes, in order: as many as pass in a cycle. Those of memory share a request while they follow
// each other on one line: it leaves when it is full, or when a cycle has nothing more for it.
bool EngineCore::drain(Cycle now) {
    bool moved = !state_.direct.empty() && send_direct(now);
    const uint64_t before = state_.write.byte_mask;
    bool waits = false;
    for (unsigned i = 0; i < cp_.writes_per_cycle && !state_.queue.empty(); ++i) {
        waits = !drain_one(now, state_.queue.front());
        if (waits)
            break;
        state_.queue.drop();
        moved = true;
    }
    const uint64_t bytes = state_.write.byte_mask;
    if (bytes == 0)
        moved |= pointer_is_due() && publish_read_pointer(now);
    else if (waits || bytes == before || bytes == ~uint64_t{0})
        moved |= send_write(now);
    return moved;
}

bool EngineCore::send_direct(Cycle now) {
    if (!to_registers->can_push(now))
        return false;
    const Action& a = state_.direct.front();
    to_registers->push(
        now, {RegisterAccess::Kind::Write, a.checked, 0, a.index, a.value, a.pc, a.packet});
    state_.direct.drop();
    return true;
}

// False: it waits.
bool EngineCore::drain_one(Cycle now, const Action& a) {
    using Kind = RegisterAccess::Kind;
    switch (a.kind) {
        case Action::Kind::Register:
        case Action::Kind::Interrupt: {
            if (!to_registers->can_push(now))
                return false;
            const Kind kind = a.kind == Action::Kind::Register ? Kind::Write : Kind::Interrupt;
            to_registers->emplace(now, [&](RegisterAccess& access) {
                access = {kind, a.checked, 0, a.index, a.value, a.pc, a.packet};
            });
            return true;
        }
        case Action::Kind::Memory:
            if (!state_.trust.may_write(a.address, 4))
                return report_untrusted(now, a, a.address);
            return add_write(a.address, a.value, 4);
        case Action::Kind::Timestamp:
            if (!state_.trust.may_write(a.address, 8))
                return report_untrusted(now, a, a.address);
            return add_write(a.address, always_on_at(cp_, now), 8);
        case Action::Kind::Shared:
            shared_.write(now, number_, a.index, a.value);
            return true;
        case Action::Kind::Decrement: {
            const unsigned counter =
                a.index - static_cast<uint32_t>(ControlRegister::WfiPendCounter);
            const bool free = (state_.done >> counter & 1) == 0;
            state_.done = static_cast<uint8_t>(state_.done | 1u << counter);
            return free;
        }
        case Action::Kind::WaitWrites:
            return state_.writes.empty() && state_.write.byte_mask == 0;
        case Action::Kind::WaitIdle:
            return pass_barrier(now);
    }
    return false;
}

// All register writes before it are done when a barrier among them comes back.
bool EngineCore::pass_barrier(Cycle now) {
    if (!state_.writes.empty() || state_.write.byte_mask != 0)
        return false;
    if (state_.barrier == Barrier::Passed) {
        state_.barrier = Barrier::None;
        return true;
    }
    if (state_.barrier == Barrier::None && to_registers->can_push(now)) {
        to_registers->push(now, {RegisterAccess::Kind::Barrier, false, 0, 0, 0, 0, 0});
        state_.barrier = Barrier::Sent;
    }
    return false;
}

// The write is dropped, as if memory had acknowledged it.
bool EngineCore::report_untrusted(Cycle now, const Action& a, uint64_t address) {
    if (!to_registers->can_push(now))
        return false;
    to_registers->push(
        now, {RegisterAccess::Kind::Untrusted, false, 0, static_cast<uint32_t>(address >> 32),
              static_cast<uint32_t>(address), a.pc, a.packet});
    return true;
}

bool EngineCore::add_write(uint64_t address, uint64_t value, unsigned bytes) {
    if (state_.write.byte_mask != 0 && state_.write.line != line_of(address))
        return false;
    state_.write.line = line_of(address);
    state_.write.byte_mask |= bytes_in_line(address, bytes);
    std::memcpy(state_.write.data.data() + address % kLineBytes, &value, bytes);
    return true;
}

bool EngineCore::send_write(Cycle now) {
    if (!to_memory->can_push(now) || state_.writes.size() >= cp_.memory_writes)
        return false;
    state_.write.command = MemCommand::Write;
    state_.write.client = Client::AfucEngine;
    state_.write.tag = kWrite;
    state_.write.uid =
        transaction_id(TransactionUnit::AfucEngine, uint64_t{number_} << 48 | ++state_.uid);
    to_memory->push(now, state_.write);
    state_.writes.push_back(state_.write.line);
    state_.write.byte_mask = 0;
    ++state_.memory_writes;
    return true;
}

bool EngineCore::publish_read_pointer(Cycle now) {
    if (!running_ || pointer_is_published() || !to_memory->can_push(now) ||
        state_.writes.size() >= cp_.memory_writes)
        return false;
    add_write(shadow_address(), read_pointer(), 4);
    send_write(now);
    state_.published_read_pointer = read_pointer();
    return true;
}

// One line a cycle: a load first, then what $memdata reads, then instructions.
bool EngineCore::send_reads(Cycle now) {
    for (; state_.memory_next < state_.memory_end; state_.memory_next += kLineBytes)
        if (state_.memory.find(state_.memory_next) < 0 && !state_.memory.queue(state_.memory_next))
            break;
    const uint64_t end = base_ + 4 * uint64_t{spec_.words};
    while (running_ && state_.instruction_written < spec_.words &&
           base_ + state_.instruction_next < end &&
           state_.instructions.queue(line_of(base_ + state_.instruction_next)))
        state_.instruction_next += kLineBytes - (base_ + state_.instruction_next) % kLineBytes;
    const bool moved = send_register_reads(now);
    if ((state_.load.queued | state_.memory.queued | state_.instructions.queued) == 0)
        return moved;
    return send_read(now, state_.load, kLoad) || send_read(now, state_.memory, kMemory) ||
           send_read(now, state_.instructions, kInstruction) || moved;
}

bool EngineCore::send_read(Cycle now, LineReader& reader, uint32_t tag) {
    LineReader::Slot* slot = reader.queued != 0 ? reader.first_queued() : nullptr;
    if (slot == nullptr || !to_memory->can_push(now))
        return false;
    if (cp_.ordered_reads && tag != kInstruction && has_write(slot->line))
        return false;
    MemRequest r;
    r.line = slot->line;
    r.byte_mask = ~uint64_t{0};
    r.client = Client::AfucEngine;
    r.tag = tag;
    r.uid = transaction_id(TransactionUnit::AfucEngine, uint64_t{number_} << 48 | ++state_.uid);
    to_memory->push(now, r);
    reader.requested(*slot);
    ++state_.memory_reads;
    return true;
}

// When all before it is done.
bool EngineCore::send_secure(Cycle now) {
    if (!state_.queue.empty() || !state_.direct.empty() || state_.write.byte_mask != 0 ||
        !state_.writes.empty() || !to_registers->can_push(now))
        return false;
    to_registers->push(
        now, {RegisterAccess::Kind::Secure, false, 0, 0, state_.secure_on ? 1u : 0u, out_.pc, 0});
    state_.secure = Switch::Asked;
    return true;
}

bool EngineCore::send_register_reads(Cycle now) {
    if (state_.register_left == 0 || !to_registers->can_push(now) ||
        state_.registers.count + state_.registers_asked >= cp_.read_registers)
        return false;
    if (cp_.ordered_reads && !(state_.queue.empty() && state_.direct.empty()))
        return false;
    to_registers->push(now, {RegisterAccess::Kind::Read, false, state_.register_tag,
                             state_.register_next & (kGpuRegisters - 1), 0, out_.pc, packet()});
    ++state_.register_next;
    --state_.register_left;
    ++state_.registers_asked;
    return true;
}

}  // namespace archipelago::afuc
