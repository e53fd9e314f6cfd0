// SPDX-License-Identifier: Apache-2.0
// The engine at its pins: what it sees in a cycle, and what follows from what it does.
#include <algorithm>
#include <cstring>

#include "models/afuc/cp/engine_core.h"

namespace archipelago::afuc {
namespace {

// The next words, as many as the pins have.
template <size_t kWords>
uint8_t window(const WordBuffer& from, std::array<uint32_t, kWords>& to) {
    static_assert(kWords <= WordBuffer::kWindow);
    std::memcpy(to.data(), from.next(), sizeof to);
    return static_cast<uint8_t>(std::min<uint32_t>(from.count, kWords));
}

}  // namespace

// The inputs of this cycle; true: instructions or counters move.
bool EngineCore::drive() {
    in_.room = has_room() ? 1 : 0;
    drive_data();
    drive_memory();
    in_.register_count = 0;
    if (state_.registers.count != 0)
        in_.register_count = window(state_.registers, in_.register_words);
    const bool counts = state_.done != 0;
    // In most cycles nothing is asked of others.
    if (answered_ || counts || state_.loading || state_.live || preempt_ ||
        state_.secure != Switch::None)
        drive_answers();
    const bool writes = in_.start_valid == 0 && !loaded_ && drive_instructions();
    return counts || writes || in_.start_valid != 0;
}

// What has been asked for: dwords, control registers, secure mode; preemption; counters.
void EngineCore::drive_answers() {
    in_.load_valid = 0;
    if (state_.loading) {
        const LineReader::Slot* slot = state_.load.valid(line_of(state_.load_address));
        in_.load_valid = slot != nullptr ? 1 : 0;
        if (slot != nullptr)
            in_.load_word = word_in(slot->data, state_.load_address);
    }
    in_.live_valid = state_.live ? 1 : 0;
    if (state_.live)
        in_.live_word = read_live_control(state_.live_index);
    in_.secure_valid = state_.secure >= Switch::Done ? 1 : 0;
    in_.secure_done = state_.secure == Switch::Done ? 1 : 0;
    in_.preempt = preempt_ ? 1 : 0;
    in_.wfi_done = state_.done & 1;
    in_.query_done = state_.done >> 1 & 1;
    in_.cache_done = state_.done >> 2 & 1;
    answered_ =
        (in_.load_valid | in_.live_valid | in_.secure_valid | in_.preempt | state_.done) != 0;
    state_.done = 0;
}

// The next words of the level, and after a buffer's last its end.
inline void EngineCore::drive_data() {
    if (state_.table_next < kTableWords) {  // a5xx: no packet before its handlers are known
        in_.data_count = 0;
        return;
    }
    if (!spec_.fetches_ring) {
        in_.data_count = window(state_.from_meq, in_.data_words);
        return;
    }
    const unsigned at = level();
    const LevelWords& l = state_.levels[at];
    in_.data_count = l.skip != 0 || l.unsent ? 0 : window(l.words, in_.data_words);
    const LevelsState::Level& buffer = levels_.level[at];
    if (at != 0 && buffer.ends && in_.data_count < Pins::kWords && words_there(at) == buffer.left())
        in_.data_words[in_.data_count++] = kBufferEnd;
}

uint64_t EngineCore::memory_address() const {
    if (spec_.engine.reads_nrt)
        return nrt_.address();
    const uint64_t high =
        reads_privileged() ? state_.memory_privileged & INT32_MAX : state_.memory_address >> 32;
    return high << 32 | static_cast<uint32_t>(dword_at(state_.memory_address));
}

// Words of $memdata; when none are asked for any more, the same place again and again.
void EngineCore::drive_memory() {
    in_.memory_count = 0;
    if (state_.memory.used == 0)
        return;
    const uint64_t first = memory_address();
    NrtAddress nrt = nrt_;
    unsigned count = 0;
    for (; count < Pins::kWords; ++count) {
        const uint64_t address = spec_.engine.reads_nrt ? nrt.next()
                                                        : memory_place(first, state_.memory_dwords,
                                                                       reads_privileged(), count);
        const LineReader::Slot* slot = state_.memory.valid(line_of(address));
        if (slot == nullptr)
            break;
        in_.memory_words[count] = word_in(slot->data, address);
    }
    in_.memory_count = static_cast<uint8_t>(count);
}

// Instructions that have come, and entries of the packet table of a5xx.
bool EngineCore::drive_instructions() {
    in_.line_valid = 0;
    in_.table_valid = 0;
    loaded_ = state_.instruction_written >= spec_.words && state_.table_next == kTableWords;
    if (state_.table_next < kTableWords) {
        in_.table_valid = 1;
        in_.table_entry = static_cast<uint8_t>(state_.table_next);
        in_.table_value = cp_.images[spec_.image].words[spec_.table + state_.table_next++];
    }
    if (state_.instruction_written >= spec_.words)
        return in_.table_valid != 0;
    const uint64_t address = base_ + 4 * uint64_t{state_.instruction_written};
    const LineReader::Slot* slot = state_.instructions.valid(line_of(address));
    if (slot == nullptr)
        return in_.table_valid != 0;
    in_.line_valid = 1;
    in_.line_address = state_.instruction_written;
    std::memcpy(in_.line_words.data(), slot->data.data() + address % kLineBytes, 4 * kFetchWords);
    state_.instruction_written += kFetchWords;
    if ((address + 4 * kFetchWords) % kLineBytes == 0)
        state_.instructions.free(line_of(address));
    return true;
}

// ---- what the engine does ----------------------------------------------------------------------

void EngineCore::follow() {
    // A header that is there, or the end in its place, is not all that this issue cycle takes.
    if (out_.wait == Pins::kData && (out_.data_header == 0 || in_.data_count != 0))
        check_cut_off();
    if (out_.wait != Pins::kNothing)
        return want_reads();
    if (out_.issue == 0)
        return;
    ++state_.instructions_done;
    state_.packets += out_.packet;
    state_.words_taken += out_.data_taken;
    if (out_.data_taken != 0) {
        if (!spec_.fetches_ring || level() == 0)
            note_ring_word();
        next_words(out_.data_taken, true, out_.data_header != 0);
    }
    follow_reads();
    follow_writes();
    if (state_.instructions_done - state_.watched_from >= instruction_limit_)
        check_limit();
}

// Words of the queue to the ME are its own matter: an endless buffer of the PFP's has them, too.
void EngineCore::note_ring_word() {
    state_.watched_from = state_.instructions_done;
    state_.watched_since = now_;
    if (spec_.fetches_ring)
        ring_moved.set(now_, now_);
}

void EngineCore::check_limit() {
    Cycle moved = 0;
    for (const Wire<Cycle>* other : others_moved)
        moved = std::max(moved, other->get(now_));
    if (moved <= state_.watched_since)
        stop_as_endless(instruction_limit_);
    state_.watched_from = state_.instructions_done;
    state_.watched_since = now_;
}

void EngineCore::check_cut_off() {
    if (!spec_.fetches_ring || level() == 0)
        return;
    const LevelsState::Level& l = levels_.level[level()];
    if (l.ends && words_there(level()) == l.left())
        stop("the packet is cut off by the end of the buffer");
}

inline void EngineCore::follow_reads() {
    for (unsigned i = 0; i < out_.memory_taken; ++i)
        take_memory_word();
    for (unsigned i = 0; i < out_.register_taken; ++i)
        take_register_word();
    if (in_.load_valid != 0 && state_.loading) {
        state_.loading = false;
        state_.load.drop();
    }
    if (state_.live && in_.live_valid != 0)
        state_.live = false;
    if (in_.secure_valid != 0) {
        tell_secure(state_.secure_on, in_.secure_done != 0);
        state_.secure = Switch::None;
    }
}

void EngineCore::take_memory_word() {
    const uint64_t address = memory_address();
    bool last = (address + 4) % kLineBytes == 0;
    if (spec_.engine.reads_nrt) {
        nrt_.next();
        last = true;  // small reads: nothing is kept
    } else if (state_.memory_dwords == 0) {
        last = true;
    } else {
        last |= --state_.memory_dwords == 0;
        state_.memory_address = memory_place(state_.memory_address, 1, reads_privileged(), 1);
    }
    if (last)
        state_.memory.free(line_of(address));
}

void EngineCore::take_register_word() {
    state_.registers.pop(1);
    if (state_.register_dwords == 0)
        return;
    --state_.register_dwords;
    ++state_.register_address;
}

inline void EngineCore::follow_writes() {
    if (out_.control_valid != 0)
        follow_control(out_.control_index, out_.control_value);
    if (out_.arm_valid != 0) {
        arm_level(out_.arm_level, out_.arm_base, out_.arm_dwords);
        armed_[out_.arm_level] = {0, out_.pc, packet()};
        LevelWords& l = state_.levels[out_.arm_level];
        l.skip = l.expected - l.words.count;
        l.expected -= l.words.count;
        l.words.clear();
        l.unsent = state_.unsent = true;
    }
    if (out_.store_valid != 0)
        store(out_.store_address, out_.store_value);
    if (out_.direct_valid != 0)
        write_register(out_.direct_index, out_.direct_value, RegisterPath::Direct);
    if (out_.boot_valid != 0)
        if (auto& to = to_start[static_cast<size_t>(out_.boot_bv != 0 ? Role::Bv : Role::Lpac)])
            to->send(now_, {out_.boot_base});
    for (unsigned i = 0; i < out_.write_count; ++i)
        follow_port(out_.write_kind[i], out_.write_index[i], out_.write_value[i]);
}

inline void EngineCore::follow_port(uint8_t kind, uint32_t index, uint32_t value) {
    const uint64_t nrt = nrt_.address();
    switch (kind) {
        case Pins::kPipe:
            write_pipe(index, value);
            break;
        case Pins::kQueue:
            ++activity_;
            state_.to_meq.push(value);
            break;
        default:
            write_register(index, value,
                           kind == Pins::kPacket ? RegisterPath::Packet : RegisterPath::Internal);
    }
    if (spec_.engine.reads_nrt && nrt_.address() != nrt)
        state_.memory.drop();
}

void EngineCore::follow_control(uint32_t index, uint32_t value) {
    const uint32_t memory_at = map_.index_of(ControlRegister::MemoryReadAddress);
    write_control(index, value);
    switch (map_.at(index)) {
        case ControlRegister::MemoryReadDwords:
            state_.memory_dwords = value;
            state_.memory.drop();
            state_.memory_next = line_of(memory_address());
            state_.memory_end = memory_address() + 4 * uint64_t{value};
            return;
        case ControlRegister::MemoryReadHighPrivileged:
            state_.memory_privileged = value;
            return forget_memory();
        case ControlRegister::RegisterReadAddress:
            state_.register_address = value;
            return read_registers();
        case ControlRegister::RegisterReadDwords:
            state_.register_dwords = value;
            return read_registers();
        default:
            break;
    }
    if (memory_at == ControlMap::kNowhere || index - memory_at > 1)
        return;
    const unsigned shift = index == memory_at ? 0 : 32;
    state_.memory_address &= ~(uint64_t{UINT32_MAX} << shift);
    state_.memory_address |= uint64_t{value} << shift;
    forget_memory();
}

void EngineCore::forget_memory() {
    state_.memory.drop();
    state_.memory_next = state_.memory_end = 0;
}

// Registers that have been read for another address, or before a write of theirs, are forgotten.
void EngineCore::read_registers() {
    state_.registers.clear();
    ++state_.register_tag;
    state_.register_next = state_.register_address;
    state_.register_left = state_.register_dwords;
}

// The register after those that have been read. Of a5xx, which has no REG_READ, they follow each
// other, unless $addr keeps them all at one.
uint32_t EngineCore::next_register() const {
    const bool counted =
        map_.index_of(ControlRegister::RegisterReadAddress) != ControlMap::kNowhere;
    const uint32_t own = (out_.register_index & Pins::kStays) != 0 ? 0 : UINT32_MAX;
    return word_place(out_.register_index, counted ? state_.register_dwords : own,
                      state_.registers.count, 1);
}

// Reads that the engine waits for and that have not been requested yet.
void EngineCore::want_reads() {
    switch (out_.wait) {
        case Pins::kMemory: {
            const uint64_t first = line_of(memory_address());
            const uint64_t line =
                state_.memory.valid(first) != nullptr ? first + kLineBytes : first;
            if (state_.memory.find(line) < 0)
                state_.memory.queue(line);
            return;
        }
        case Pins::kRegisters:
            if (state_.register_left == 0 && state_.registers_asked == 0) {
                state_.register_next = next_register();
                state_.register_left = 1;
            }
            return;
        case Pins::kLoad:
            if (!state_.loading) {
                state_.loading = true;
                state_.load_address = out_.load_address;
                state_.load.queue(line_of(out_.load_address));
            }
            return;
        case Pins::kSecure:
            if (state_.secure == Switch::None)
                state_.secure = Switch::Wanted;
            state_.secure_on = out_.secure_on != 0;
            return;
        default:
            return;
    }
}

uint32_t EngineCore::words_there(unsigned level) const {
    if (!spec_.fetches_ring)
        return state_.from_meq.count;
    const LevelWords& l = state_.levels[level];
    return l.skip != 0 || l.unsent ? 0 : l.words.count;
}

const uint32_t* EngineCore::words_of(unsigned level, unsigned words, bool take) {
    WordBuffer& from = spec_.fetches_ring ? state_.levels[level].words : state_.from_meq;
    if (!take)
        return from.next();
    if (spec_.fetches_ring && level != 0)
        state_.levels[level].expected -= words;
    return from.pop(words);
}

void EngineCore::carry_out(const Action& action) {
    ++state_.actions;
    // No word of the ring is taken while another is put in its place.
    if (action.kind == Action::Kind::Register && action.index == read_pointer_index_ &&
        number_ == 0 && !action.checked)
        state_.levels[0].unsent = true;
    Action& queued = (action.direct ? state_.direct : state_.queue).extend();
    queued = action;
    queued.pc = out_.pc;
    if (cp_.ordered_reads && action.kind == Action::Kind::Register &&
        action.index - state_.register_address < state_.register_dwords)
        read_registers();
    const bool writes =
        action.kind == Action::Kind::Memory || action.kind == Action::Kind::Timestamp;
    if (!writes || action.direct)
        return;
    written_[next_written_] = {line_of(action.address), queued.pc, queued.packet};
    next_written_ = (next_written_ + 1) % written_.size();
    if (cp_.ordered_reads && state_.memory.used != 0)
        read_again(action.address, action.kind == Action::Kind::Memory ? 4 : 8);
}

// A write of what $memdata is still to read, with the place after the last word: lines that were
// read ahead are read again after it. All of them, for the one at hand needs a slot.
void EngineCore::read_again(uint64_t address, unsigned bytes) {
    const uint64_t first = memory_address();
    const uint64_t end = first + 4 * (uint64_t{state_.memory_dwords} + 1);
    if (address >= end || address + bytes <= first || state_.memory.find(line_of(address)) < 0)
        return;
    state_.memory.drop();
    if (state_.memory_dwords != 0)
        state_.memory_next = std::min(state_.memory_next, line_of(first));
}

}  // namespace archipelago::afuc
