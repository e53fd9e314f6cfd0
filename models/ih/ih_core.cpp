// SPDX-License-Identifier: Apache-2.0
#include "models/ih/ih_core.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/register_service.h"
#include "models/common/transaction_id.h"

namespace archipelago::ih {

namespace {

constexpr unsigned kMaxRingLog2 = 16;  // dwords: the pointers have bits 17:2
constexpr unsigned kMinRingLog2 = 3;   // two entries: one place of a ring stays free

// Source id 7:0; source data 27:0; ring id 7:0 and VMID 15:8 (Linux radeon si_irq_process; the VMID
// as its fault handler reads it). The last dword is not used.
void entry_words(const Interrupt& i, uint32_t (&words)[4]) {
    words[0] = i.source_id;
    words[1] = i.data & 0x0FFFFFFF;
    words[2] = i.ring | uint32_t{i.vmid} << 8;
    words[3] = 0;
}

}  // namespace

IhCore::IhCore(const IhSpec& spec)
    : registers(spec.registers, "ih.registers"),
      in(spec.latency),
      from_dma{EventLink<Interrupt>(spec.latency), EventLink<Interrupt>(spec.latency)},
      read_errors(spec.latency),
      system_read_errors(spec.latency),
      from_memory(spec.memory_return, "ih.from_memory"),
      spec_(spec) {
    if (!m_.IH_RB_CNTL.exists())
        throw std::invalid_argument("ih: expected the registers of a family");
    add_inputs(registers, in, from_dma[0], from_dma[1], read_errors, system_read_errors,
               from_memory);
}

void IhCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_);
}

void IhCore::reset() {
    Unit::reset();
    state_ = {};
    hold_end_of_pipe.reset();
    hold_shaders.reset();
    listen();
}

// ---- registers ---------------------------------------------------------------------------------

uint32_t* IhCore::slot(uint32_t offset) {
    if (offset % 4 != 0)
        return nullptr;
    if (const uint32_t n = (offset - m_.IH_RB_CNTL) / 4; n < state_.registers.size())
        return &state_.registers[n];
    if (offset == m_.INTERRUPT_CNTL)
        return &state_.bus[0];
    if (offset == m_.INTERRUPT_CNTL2)
        return &state_.bus[1];
    if (offset == m_.GRBM_INT_CNTL)
        return &state_.grbm_control;
    if (offset == m_.GRBM_READ_ERROR)
        return &state_.read_error;
    if (offset == m_.SRBM_READ_ERROR)
        return &state_.system_error;
    if (offset == m_.SRBM_INT_CNTL)
        return &state_.system_control;
    if (offset == m_.SRBM_INT_STATUS || offset == m_.SRBM_INT_ACK)
        return &state_.system_status;
    return nullptr;
}

uint32_t IhCore::reg(uint32_t offset) const {
    const uint32_t n = (offset - m_.IH_RB_CNTL) / 4;
    return n < state_.registers.size() ? state_.registers[n] : 0;
}

uint32_t IhCore::reg(const regs::NamedField& field) const {
    return field(reg(field.offset()));
}

bool IhCore::ring_enabled() const {
    return reg(m_.IH_RB_CNTL.RB_ENABLE) != 0;
}

uint32_t IhCore::ring_bytes() const {
    return 4u << reg(m_.IH_RB_CNTL.RB_SIZE);
}

bool IhCore::full() const {
    const uint32_t mask = ring_bytes() - 1;
    return ((state_.write_pointer + kEntryBytes) & mask) == (reg(m_.IH_RB_RPTR) & mask);
}

// The ring is used, or was changed while it is.
void IhCore::check_setup() const {
    if (reg(m_.IH_RB_CNTL.RB_ENABLE) == 0)
        return;
    if (reg(m_.IH_RB_CNTL.RB_SIZE) < kMinRingLog2 || reg(m_.IH_RB_CNTL.RB_SIZE) > kMaxRingLog2)
        throw MachineStop(StopKind::BadInput, "ih",
                          "IH_RB_CNTL: a ring of 2^" + std::to_string(reg(m_.IH_RB_CNTL.RB_SIZE)) +
                              " dwords, expected 2^" + std::to_string(kMinRingLog2) + " to 2^" +
                              std::to_string(kMaxRingLog2));
    if (reg(m_.IH_RB_CNTL.RB_FULL_DRAIN_ENABLE) != 0)
        throw MachineStop(StopKind::Unimplemented, "ih",
                          "IH_RB_CNTL with RB_FULL_DRAIN_ENABLE is not implemented");
    if (reg(m_.IH_RB_CNTL.RB_GPU_TS_ENABLE) != 0)
        throw MachineStop(StopKind::Unimplemented, "ih",
                          "IH_RB_CNTL with RB_GPU_TS_ENABLE is not implemented");
    if (reg(m_.IH_RB_CNTL.WPTR_WRITEBACK_ENABLE) != 0 && reg(m_.IH_CNTL.MC_SWAP) == 3)
        throw MachineStop(StopKind::Unimplemented, "ih",
                          "a write-back of the write pointer with MC_SWAP 8IN64 is not "
                          "implemented");
}

bool IhCore::write_register(const RegRequest& request) {
    uint32_t* word = slot(request.offset);
    if (word == nullptr)
        return false;
    ++state_.register_writes;
    const uint32_t offset = request.offset;
    if (offset == m_.IH_STATUS || offset == m_.IH_LEVEL_STATUS || offset == m_.SRBM_INT_STATUS)
        return true;  // read only
    if (offset == m_.SRBM_INT_ACK) {
        state_.system_status &= ~request.value;
        return true;
    }
    if (offset == m_.IH_RB_WPTR) {
        state_.write_pointer = m_.IH_RB_WPTR.OFFSET(request.value) * 4;
        state_.overflow = m_.IH_RB_WPTR.RB_OVERFLOW(request.value) != 0;
        return true;
    }
    if (offset == m_.IH_PERFMON_CNTL) {
        if (request.value != 0)
            throw MachineStop(StopKind::Unimplemented, "ih",
                              "counters of IH_PERFMON_CNTL are not implemented");
        return true;
    }
    *word = request.value;
    if (offset == m_.GRBM_INT_CNTL) {
        listen();
        wake_at(0);
        return true;
    }
    if (offset == m_.IH_RB_CNTL) {
        if (m_.IH_RB_CNTL.WPTR_OVERFLOW_CLEAR(request.value) != 0)
            state_.overflow = false;
        *word = m_.IH_RB_CNTL.WPTR_OVERFLOW_CLEAR.set(request.value, 0);  // clears, is not kept
    } else if (offset == m_.IH_RB_RPTR) {
        *word = m_.IH_RB_RPTR.OFFSET.set(0, m_.IH_RB_RPTR.OFFSET(request.value));
        state_.line_armed = true;
    }
    check_setup();
    if (memory_ != nullptr)
        pump();
    return true;
}

bool IhCore::read_register(const RegRequest& request, uint32_t& value) {
    const uint32_t* word = slot(request.offset);
    if (word == nullptr)
        return false;
    value = *word;
    if (request.offset == m_.IH_RB_WPTR) {
        value = write_pointer();
    } else if (request.offset == m_.IH_STATUS) {
        const bool writes = state_.writing != Writing::Nothing;
        const auto& status = m_.IH_STATUS;
        value = regs::word({{status.IDLE, state_.waiting.empty() && !writes},
                            {status.INPUT_IDLE, in.empty()},
                            {status.RB_IDLE, state_.waiting.empty()},
                            {status.RB_FULL, ring_enabled() && full()},
                            {status.RB_OVERFLOW, state_.overflow},
                            {status.MC_WR_IDLE, !writes},
                            {status.BIF_INTERRUPT_LINE, !state_.line_armed}});
    }
    return true;
}

// IH_RB_WPTR, as it is read and mirrored to memory.
uint32_t IhCore::write_pointer() const {
    return regs::word({{m_.IH_RB_WPTR.OFFSET, state_.write_pointer / 4},
                       {m_.IH_RB_WPTR.RB_OVERFLOW, state_.overflow}});
}

// ---- the ring ----------------------------------------------------------------------------------

void IhCore::swap(Write& write) const {
    const unsigned mask = (1u << reg(m_.IH_CNTL.MC_SWAP)) - 1;
    if (mask == 0)
        return;
    Line swapped{};
    for (unsigned i = 0; i < write.bytes; ++i)
        swapped[i] = write.data[i ^ mask];
    write.data = swapped;
}

IhCore::Write IhCore::entry_write() {
    Write write;
    write.address =
        (uint64_t{reg(m_.IH_RB_BASE)} << 8) + (state_.write_pointer & (ring_bytes() - 1));
    write.bytes = kEntryBytes;
    uint32_t words[4];
    entry_words(state_.waiting.front(), words);
    std::memcpy(write.data.data(), words, sizeof words);
    swap(write);
    return write;
}

IhCore::Write IhCore::pointer_write() {
    Write write;
    const uint32_t low = reg(m_.IH_RB_WPTR_ADDR_LO.ADDR) << 2;
    const uint32_t high = reg(m_.IH_RB_WPTR_ADDR_HI.ADDR);
    write.address = uint64_t{high} << 32 | low;
    write.bytes = 4;
    const uint32_t value = write_pointer();
    std::memcpy(write.data.data(), &value, 4);
    swap(write);
    return write;
}

void IhCore::entry_written(Cycle now) {
    // With overflow enabled the oldest entry gives way; the host finds the first that is whole
    // after the write pointer.
    if (full()) {
        state_.overflow = true;
        ++state_.overwritten;
    }
    state_.write_pointer = (state_.write_pointer + kEntryBytes) & (ring_bytes() - 1);
    ++state_.entries;
    // What the ring does not hold any more raises nothing.
    if (state_.unnoticed.size() == ring_bytes() / kEntryBytes - 1)
        state_.unnoticed.pop_front();
    state_.unnoticed.push_back(state_.waiting.front());
    state_.waiting.pop_front();
    if (reg(m_.IH_RB_CNTL.WPTR_WRITEBACK_ENABLE) == 0) {
        tell_host(now);
    } else if (!state_.pointer_old) {
        state_.pointer_old = true;
        const unsigned timer = reg(m_.IH_RB_CNTL.WPTR_WRITEBACK_TIMER);
        state_.pointer_due = timer == 0 ? now : now + (Cycle{spec_.timer_unit} << timer);
        wake_at(state_.pointer_due);
    }
}

void IhCore::pointer_written(Cycle now) {
    ++state_.pointer_writes;
    tell_host(now);
}

// All entries the host has not heard of. With RPTR_REARM the line goes up once, and again only when
// the host has moved its read pointer.
void IhCore::tell_host(Cycle now) {
    while (!state_.unnoticed.empty()) {
        const Interrupt interrupt = state_.unnoticed.front();
        state_.unnoticed.pop_front();
        if (reg(m_.IH_CNTL.ENABLE_INTR) == 0 ||
            (reg(m_.IH_CNTL.RPTR_REARM) != 0 && !state_.line_armed))
            continue;
        state_.line_armed = false;
        ++state_.raised;
        raise(now, interrupt);
    }
}

void IhCore::raise(Cycle now, const Interrupt& interrupt) {
    mark(now, "raised", interrupt);
    if (line_ != nullptr)
        line_->raise(interrupt);
}

// A point of the timeline; there is none in functional mode.
void IhCore::mark(Cycle now, const char* what, const Interrupt& interrupt) {
    if (observers_.trace != nullptr && memory_ == nullptr)
        observers_.trace->instant(track_, now,
                                  std::string(what) + " source " +
                                      std::to_string(interrupt.source_id) + " ring " +
                                      std::to_string(interrupt.ring));
}

void IhCore::fault(uint64_t address, MemStatus status) const {
    throw MachineStop(
        StopKind::Fault, "ih",
        "write of the interrupt ring to " +
            refused_address(status, address, static_cast<uint8_t>(reg(m_.IH_CNTL.MC_VMID))));
}

// ---- the graphics engine -----------------------------------------------------------------------

// Busy wires wake the handler only while GUI_IDLE_INT_ENABLE is set.
void IhCore::listen() {
    const bool watched = m_.GRBM_INT_CNTL.GUI_IDLE_INT_ENABLE(state_.grbm_control) != 0;
    for (const Wire<bool>* wire : busy_)
        wire->listen(watched ? this : nullptr);
    state_.engine_active = false;
    state_.idle_at = kNever;
}

bool IhCore::check_engine(Cycle now) {
    if (m_.GRBM_INT_CNTL.GUI_IDLE_INT_ENABLE(state_.grbm_control) == 0)
        return false;
    if (std::any_of(busy_.begin(), busy_.end(),
                    [&](const Wire<bool>* wire) { return wire->get(now); })) {
        state_.engine_active = true;
        state_.idle_at = kNever;
        return false;
    }
    if (!state_.engine_active)
        return false;
    if (state_.idle_at == kNever)
        state_.idle_at = now + idle_delay_;
    if (now < state_.idle_at) {
        wake_at(state_.idle_at);
        return false;
    }
    state_.engine_active = false;
    state_.idle_at = kNever;
    Interrupt interrupt;
    interrupt.source_id = m_.sources.engine_idle;
    enter(now, interrupt);
    return true;
}

void IhCore::note_read_error(Cycle now, const ReadError& error) {
    const uint32_t address = error.offset >> 2 & 0xFFFF;
    Interrupt interrupt;
    if (m_.graphics[0].has(error.offset) || m_.graphics[1].has(error.offset)) {
        state_.read_error = regs::word(
            {{m_.GRBM_READ_ERROR.READ_ADDRESS, address}, {m_.GRBM_READ_ERROR.READ_ERROR, 1}});
        if (m_.GRBM_INT_CNTL.RDERR_INT_ENABLE(state_.grbm_control) == 0)
            return;
        interrupt.source_id = m_.sources.graphics_read_error;
    } else {
        const auto& system = m_.SRBM_READ_ERROR;
        state_.system_error = regs::word({{system.READ_ADDRESS, address},
                                          {system.READ_REQUESTER_HI, error.source == kRegFromHost},
                                          {system.READ_REQUESTER_GRBM, error.source == kRegFromCp},
                                          {system.READ_ERROR, 1}});
        // Once until it is acknowledged.
        const uint32_t before = state_.system_status;
        state_.system_status = m_.SRBM_INT_STATUS.RDERR_INT_STAT.set(0, 1);
        if (before != 0 || m_.SRBM_INT_CNTL.RDERR_INT_MASK(state_.system_control) == 0)
            return;
        interrupt.source_id = m_.sources.system_read_error;
    }
    enter(now, interrupt);
}

// Into the ring, or without one to the host as it is.
void IhCore::enter(Cycle now, const Interrupt& interrupt) {
    mark(now, "came", interrupt);
    if (ring_enabled()) {
        if (state_.waiting.size() < spec_.fifo) {
            state_.waiting.push_back(interrupt);
            return;
        }
        if (memory_ != nullptr)
            throw MachineStop(StopKind::Hang, "ih",
                              std::to_string(spec_.fifo) +
                                  " interrupts wait for the host to move IH_RB_RPTR, which it "
                                  "cannot while a register access is carried out");
        ++state_.lost;
        mark(now, "lost", interrupt);
        return;
    }
    ++state_.passed;
    raise(now, interrupt);
}

// Only senders that can wait observe it; errors of packets and reads that find no room are lost.
void IhCore::hold_senders(Cycle now) {
    const bool hold = state_.waiting.size() >= spec_.high_water;
    if (hold == hold_shaders.latest())
        return;
    hold_end_of_pipe.set(now, hold);
    hold_shaders.set(now, hold);
}

// ---- functional mode ---------------------------------------------------------------------------

void IhCore::engine_idle() {
    if (m_.GRBM_INT_CNTL.GUI_IDLE_INT_ENABLE(state_.grbm_control) == 0)
        return;
    Interrupt interrupt;
    interrupt.source_id = m_.sources.engine_idle;
    take(interrupt);
}

void IhCore::read_error(const ReadError& error) {
    note_read_error(0, error);
    pump();
}

void IhCore::take(const Interrupt& interrupt) {
    enter(0, interrupt);
    pump();
}

void IhCore::pump() {
    const auto vmid = static_cast<uint8_t>(reg(m_.IH_CNTL.MC_VMID));
    while (reg(m_.IH_RB_CNTL.RB_ENABLE) != 0 && !state_.waiting.empty() &&
           (!full() || reg(m_.IH_RB_CNTL.WPTR_OVERFLOW_ENABLE) != 0)) {
        const Write entry = entry_write();
        if (!memory_->write(entry.address, entry.data.data(), entry.bytes, vmid))
            fault(entry.address, MemStatus::Unmapped);
        entry_written(0);
        if (!state_.pointer_old)
            continue;
        state_.pointer_old = false;
        const Write pointer = pointer_write();
        if (!memory_->write(pointer.address, pointer.data.data(), pointer.bytes, vmid))
            fault(pointer.address, MemStatus::Unmapped);
        pointer_written(0);
    }
}

// ---- cycle mode --------------------------------------------------------------------------------

// Whether something has to be written now, were there a way.
bool IhCore::write_due(Cycle now) const {
    if (state_.writing != Writing::Nothing || !ring_enabled())
        return false;
    if (state_.pointer_old && now >= state_.pointer_due)
        return true;
    return !state_.waiting.empty() && (!full() || reg(m_.IH_RB_CNTL.WPTR_OVERFLOW_ENABLE) != 0);
}

bool IhCore::send(Cycle now) {
    if (!write_due(now) || !to_memory->can_push(now))
        return false;
    // The pointer first: the host may be waiting for it.
    const bool pointer = state_.pointer_old && now >= state_.pointer_due;
    const Write write = pointer ? pointer_write() : entry_write();
    MemRequest request;
    request.line = line_of(write.address);
    const unsigned place = static_cast<unsigned>(write.address % kLineBytes);
    request.byte_mask = bytes_in_line(write.address, write.bytes);
    request.command = MemCommand::Write;
    request.client = Client::Ih;
    request.vmid = static_cast<uint8_t>(reg(m_.IH_CNTL.MC_VMID));
    request.uid = transaction_id(TransactionUnit::Ih, ++state_.uid);
    std::memcpy(&request.data[place], write.data.data(), write.bytes);
    to_memory->push(now, request);
    state_.writing = pointer ? Writing::Pointer : Writing::Entry;
    if (pointer)
        state_.pointer_old = false;
    return true;
}

bool IhCore::tick(Cycle now) {
    bool progress = false;
    if (from_memory.can_pop(now)) {
        const MemResponse& answer = from_memory.front();
        if (answer.status != MemStatus::Ok)
            fault(answer.line, answer.status);
        from_memory.drop(now);
        const Writing written = state_.writing;
        state_.writing = Writing::Nothing;
        if (written == Writing::Entry)
            entry_written(now);
        else
            pointer_written(now);
        progress = true;
    }
    for (EventLink<Interrupt>* interrupts : {&in, &from_dma[0], &from_dma[1]})
        while (run_ == RunState::Running && interrupts->ready(now)) {
            enter(now, interrupts->take());
            progress = true;
        }
    for (EventLink<ReadError>* errors : {&read_errors, &system_read_errors})
        while (run_ == RunState::Running && errors->ready(now)) {
            note_read_error(now, errors->take());
            progress = true;
        }
    if (run_ == RunState::Running)
        progress |= check_engine(now);
    if (run_ == RunState::Running)
        progress |= serve_register(now, registers, to_registers.get(), *this);
    if (run_ != RunState::Paused)
        progress |= send(now);
    hold_senders(now);
    return progress;
}

// ---- the rest ----------------------------------------------------------------------------------

bool IhCore::idle() const {
    if (run_ == RunState::Running &&
        (!registers.empty() || !in.empty() || !from_dma[0].empty() || !from_dma[1].empty() ||
         !read_errors.empty() || !system_read_errors.empty()))
        return false;
    // Entries that wait for room in the ring wait for the host.
    const bool stuck = ring_enabled() && full() && reg(m_.IH_RB_CNTL.WPTR_OVERFLOW_ENABLE) == 0;
    return state_.writing == Writing::Nothing && !state_.pointer_old &&
           (state_.waiting.empty() || stuck || !ring_enabled());
}

std::string IhCore::waiting_for() const {
    std::string text;
    if (state_.writing != Writing::Nothing)
        text = state_.writing == Writing::Entry
                   ? "interrupt ring: waits for memory to take an entry"
                   : "interrupt ring: waits for memory to take the write pointer";
    else if (!state_.waiting.empty() && ring_enabled() && full())
        text = "interrupt ring: " + std::to_string(state_.waiting.size()) +
               " entries wait for the host to move IH_RB_RPTR";
    else if (state_.pointer_old)
        text = "interrupt ring: the write pointer waits for its timer";
    else if (!idle())
        text = "interrupt ring: interrupts are on their way";
    return text;
}

void IhCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("passed", "interrupts", "given to the host without a ring", &state_.passed);
    add("entries", "entries", "written into the ring", &state_.entries);
    add("overwritten", "entries", "lost to a ring that was full", &state_.overwritten);
    add("lost", "interrupts", "found the FIFO before the ring full", &state_.lost);
    add("pointer_writes", "transactions", "write pointers mirrored to memory",
        &state_.pointer_writes);
    add("raised", "interrupts", "given to the host for entries of the ring", &state_.raised);
    add("register_writes", "transactions", "registers written", &state_.register_writes);
}

void IhCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    track_ = observers.track(path);
}

}  // namespace archipelago::ih
