// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/engine_core.h"

#include <algorithm>
#include <cstring>

#include "models/afuc/engine/pm4_header.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/common/transaction_id.h"

namespace archipelago::afuc {
namespace {

// What a beat may add to the queue: an event with its timestamp, which is more than four writes.
constexpr size_t kMostActions = 8;
constexpr size_t kMostDirect = 2;
constexpr size_t kMostToQueue = 8;  // words of a PFP on their way to the MEQ

constexpr uint64_t kWordInputs = (1u << kMaxLevels) - 1;  // levels have the first bits of inputs_

// MemRequest::tag.
enum Tag : uint32_t { kWrite, kMemory, kLoad, kInstruction };

constexpr uint64_t bytes_mask(uint64_t address, unsigned bytes) {
    return ((uint64_t{1} << bytes) - 1) << address % kLineBytes;
}

uint32_t word_in(const Line& line, uint64_t address) {
    uint32_t word = 0;
    std::memcpy(&word, line.data() + dword_at(address) % kLineBytes, sizeof word);
    return word;
}

// The next words, as many as the pins have.
template <size_t kWords>
uint8_t window(const WordBuffer& from, std::array<uint32_t, kWords>& to) {
    static_assert(kWords <= WordBuffer::kWindow);
    std::memcpy(to.data(), from.next(), sizeof to);
    return static_cast<uint8_t>(std::min<uint32_t>(from.count, kWords));
}

uint8_t role_at_pins(Role role) {
    return role == Role::Bv ? 1 : role == Role::Lpac ? 2 : 0;
}

}  // namespace

EngineCore::EngineCore(const CpSpec& cp, unsigned number, SharedControl& shared,
                       rtl::PinBlock<rtl::AfucEnginePins>* unit)
    : Processor(cp, number, shared),
      memory(cp.memory_response, spec_.engine.path + ".memory"),
      register_answer(cp.register_response, spec_.engine.path + ".register_answer"),
      queue_in(cp.meq, spec_.engine.path + ".meq"),
      start_in(cp.strobe_latency),
      ring_in(cp.strobe_latency),
      trust_in(cp.strobe_latency),
      preempt_in(cp.strobe_latency),
      to_start{OutputEvent<StartEngine>(this), OutputEvent<StartEngine>(this),
               OutputEvent<StartEngine>(this), OutputEvent<StartEngine>(this),
               OutputEvent<StartEngine>(this)},
      own_(unit == nullptr ? std::make_unique<EngineUnit>(spec_.engine) : nullptr),
      unit_(unit != nullptr ? *unit : *own_),
      read_pointer_index_(CpRegisterMap(names_).index_of(CpRegister::ReadPointer)),
      log_(*this) {
    for (unsigned level = 0; level < levels_of(names_); ++level)
        roq.emplace_back(cp.roq, spec_.engine.path + "." + level_name(names_, level));
    unsigned bit = 0;
    for (auto& channel : roq)
        add_input(channel, inputs_, bit++);
    bit = kMaxLevels;
    add_input(memory, inputs_, bit++);
    add_input(register_answer, inputs_, bit++);
    add_input(queue_in, inputs_, bit++);
    add_input(start_in, inputs_, bit++);
    add_input(ring_in, inputs_, bit++);
    add_input(trust_in, inputs_, bit++);
    add_input(preempt_in, inputs_, bit++);
    if (own_ != nullptr)
        own_->context_of_errors = [this] { return context_of_place(); };
    EngineCore::reset();
}

void EngineCore::reset() {
    Unit::reset();
    Processor::reset();
    state_ = {};
    state_.queue = Ring<Action>(cp_.queue_entries);
    state_.memory.slots.resize(cp_.read_lines);
    state_.load.slots.resize(1);
    state_.instructions.slots.resize(cp_.instruction_lines);
    in_ = {};
    out_ = {};
    in_.generation = static_cast<uint8_t>(cp_.generation - &kGenerations[0]);
    in_.to_queue = spec_.engine.data_out == DataOut::Queue ? 1 : 0;
    in_.reads_nrt = spec_.engine.reads_nrt ? 1 : 0;
    Pins::In reset = in_;
    reset.rst = 1;
    unit_.step(reset, out_);
    shown.reset();
}

void EngineCore::archive(Archive& a) {
    Unit::archive(a);
    archive_rules(a);
    a(state_, shown, in_, out_);
    a.at_rest(own_ != nullptr, spec_.engine.path + " is a Verilog twin");
    own_->archive(a);
}

void EngineCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    add("instructions", "instructions", "executed; of (rep) each time", &state_.instructions_done);
    add("packets", "packets", "begun", &state_.packets);
    add("words", "dwords", "taken of $data", &state_.words_taken);
    add("actions", "writes", "of registers and memory, waits and events", &state_.actions);
    add("memory_reads", "transactions", "lines read", &state_.memory_reads);
    add("memory_writes", "transactions", "lines written", &state_.memory_writes);
    const auto stall = [&](const char* name, const char* meaning, EngineStall why) {
        add(name, "cycles", meaning, state_.stalls.counter(why));
    };
    stall("stall_data", "waits for words of its stream", EngineStall::Data);
    stall("stall_memory", "waits for memory: $memdata, load", EngineStall::Memory);
    stall("stall_registers", "waits for registers: $regdata", EngineStall::Registers);
    stall("stall_instruction", "waits for instructions", EngineStall::Instruction);
    stall("stall_queue", "waits for room in the queue of its writes", EngineStall::Queue);
}

std::string EngineCore::where_in_program() const {
    if (own_ != nullptr)
        return own_->engine().where();
    return spec_.engine.path + ": pc " + std::to_string(out_.pc) + ", packet " +
           packet_text(names_, out_.header);
}

void EngineCore::start(uint64_t base) {
    Processor::start(base);
    in_.start_valid = 1;
    in_.start = {spec_.words, base, role_at_pins(spec_.role)};
    state_.instruction_next = state_.instruction_written = 0;
    state_.table_next = spec_.table != 0 ? 0 : kTableWords;
}

void EngineCore::take_over(const Processor& other, const Trust& trust) {
    state_.trust = trust;
    if (!other.running())
        return;
    if (own_ == nullptr)
        throw MachineStop(StopKind::Unimplemented, spec_.engine.path,
                          "a twin that goes on where an engine without time has stopped");
    take_over_rules(other);
    own_->take_over(*other.engine());
    const EngineState& s = other.engine()->state();
    const auto control = [&](ControlRegister c) {
        const uint32_t at = map_.index_of(c);
        return at == ControlMap::kNowhere ? 0 : s.control[at];
    };
    state_.memory_address =
        s.control[map_.index_of(ControlRegister::MemoryReadAddress)] |
        uint64_t{s.control[map_.index_of(ControlRegister::MemoryReadAddress) + 1]} << 32;
    state_.memory_dwords = control(ControlRegister::MemoryReadDwords);
    state_.memory_privileged = control(ControlRegister::MemoryReadHighPrivileged);
    state_.register_address = control(ControlRegister::RegisterReadAddress);
    state_.register_dwords = control(ControlRegister::RegisterReadDwords);
    state_.instructions_done = s.instructions;
    state_.packets = s.packets;
    state_.shown_read_pointer = read_pointer();
    state_.instruction_written = spec_.words;
    // Where it waits for its next packet, it is at rest.
    const bool waits = s.leads == Leads::Packet && !s.repeating;
    out_.wait = waits ? Pins::kData : Pins::kNothing;
    out_.data_header = waits ? 1 : 0;
    out_.pc = s.pc;
    out_.header = s.header;
}

// ---- a cycle -----------------------------------------------------------------------------------

bool EngineCore::tick(Cycle now) {
    now_ = now;
    bool moved = inputs_ > kWordInputs && take_inputs(now);
    moved |= take_words(now);
    moved |= state_.next_ring.moves && move_ring(now);
    if (run_ != RunState::Paused) {
        moved |= drain(now);
        moved |= running_ && beat(now);
        moved |= state_.secure == Switch::Wanted && send_secure(now);
        moved |= (state_.unsent || !state_.to_meq.empty()) && send_commands(now);
    }
    moved |= send_reads(now);
    show(now);
    return moved;
}

bool EngineCore::take_inputs(Cycle now) {
    bool moved = false;
    while (ring_in.ready(now)) {
        take_ring(now, ring_in.take());
        moved = true;
    }
    for (; preempt_in.ready(now); moved = true)
        preempt_ = preempt_in.take().on;
    for (; trust_in.ready(now); moved = true)
        take_trust(trust_in.take());
    while (start_in.ready(now)) {
        const StartEngine s = start_in.take();
        moved = true;
        if (running_)
            continue;
        start(s.base);
        send_ring(now, true);
    }
    for (; memory.can_pop(now); memory.drop(now), moved = true)
        arrive(memory.front());
    for (; register_answer.can_pop(now); register_answer.drop(now), moved = true) {
        const RegisterAnswer& answer = register_answer.front();
        if (answer.barrier) {
            state_.barrier = Barrier::Passed;
            continue;
        }
        --state_.registers_asked;
        if (answer.tag == state_.register_tag)
            state_.registers.push(answer.value);
    }
    for (; state_.from_meq.wants_more() && queue_in.can_pop(now); queue_in.drop(now), moved = true)
        state_.from_meq.push(queue_in.front());
    return moved;
}

void EngineCore::take_ring(Cycle now, const RingSettings& ring) {
    const bool moving = state_.next_ring.moves;
    if (!ring.moves && !moving) {
        set_ring(ring);
        return send_ring(now, false);
    }
    state_.next_ring = ring;
    state_.next_ring.moves = true;
    if (moving)
        return;
    LevelWords& l = state_.levels[0];
    l.unsent = true;
    l.skip = ring_.dwords == 0
                 ? 0
                 : ((ring_.write_pointer - read_pointer()) & (ring_.dwords - 1)) - l.words.count;
    l.expected = l.skip;
    l.words.clear();
}

// What is on its way from the ring at hand cannot be told from the next one's words. Its shadow in
// memory gets its last value.
bool EngineCore::move_ring(Cycle now) {
    LevelWords& l = state_.levels[0];
    if (l.skip != 0 || !shown_pointer_is_right())
        return false;
    set_ring(state_.next_ring);
    ring_.moves = false;
    state_.next_ring = {};
    l.unsent = false;
    levels_.level[0].taken =
        ring_.dwords != 0 ? ring_.read_pointer & (ring_.dwords - 1) : ring_.read_pointer;
    state_.shown_read_pointer = read_pointer();
    send_ring(now, true);
    return true;
}

void EngineCore::take_trust(const TrustUpdate& update) {
    state_.trust = update.trust;
    if (update.answers)
        state_.secure = update.done ? Switch::Done : Switch::Refused;
}

void EngineCore::send_ring(Cycle now, bool reset) {
    if (!spec_.fetches_ring)
        return;
    front::RingUpdate u;
    u.reset = reset;
    u.read_pointer = read_pointer();
    u.write_pointer = ring_.write_pointer;
    u.config.base = ring_.base;
    u.config.dwords = ring_.dwords;
    u.config.enabled = running_ && ring_.dwords != 0;
    to_fetch->send(now, u);
}

void EngineCore::arrive(const MemResponse& r) {
    if (r.status != MemStatus::Ok) {
        const char* const kWhat[] = {"write to ", "read of ", "load from ",
                                     "fetch of instructions from "};
        throw MachineStop(StopKind::Fault, where(),
                          kWhat[r.tag] + refused_address(r.status, r.line));
    }
    if (r.tag == kWrite) {
        --state_.writes_in_flight;
        count_write(r.line, -1);
        return;
    }
    LineReader& reader = r.tag == kMemory ? state_.memory
                         : r.tag == kLoad ? state_.load
                                          : state_.instructions;
    reader.arrive(r.line, r.data);
}

// Lines of the reorder queue, into the words that the engine sees.
bool EngineCore::take_words(Cycle now) {
    bool moved = false;
    for (uint64_t left = inputs_ & kWordInputs; left != 0; left &= left - 1) {
        const auto level = static_cast<unsigned>(__builtin_ctzll(left));
        LevelWords& l = state_.levels[level];
        if (!l.words.wants_more() || !roq[level].can_pop(now))
            continue;
        const front::RoqLine& line = roq[level].front();
        const auto skipped = static_cast<uint32_t>(std::min<uint64_t>(l.skip, line.count));
        l.skip -= skipped;
        l.expected -= skipped;
        l.words.push(&line.dwords[line.first + skipped], line.count - skipped);
        roq[level].drop(now);
        to_credit->send(now, {0, static_cast<uint8_t>(level)});
        moved = true;
    }
    return moved;
}

// ---- the engine --------------------------------------------------------------------------------

bool EngineCore::has_room() const {
    return state_.queue.space() >= kMostActions && state_.direct.size() < kMostDirect &&
           state_.to_meq.size() < kMostToQueue;
}

bool EngineCore::beat(Cycle now) {
    const bool loads = drive();
    const bool logged = log_.enabled();
    if (logged)
        log_.before_step();
    if (hook_ != nullptr)
        hook_->before_beat(*this, now);
    unit_.step(in_, out_);
    in_.start_valid = 0;
    if (out_.fault != 0)
        raise_fault();
    const bool asks = out_.live_valid != 0 && !state_.live;
    state_.live = out_.live_valid != 0;
    state_.live_index = out_.live_index;
    follow();
    if (logged && out_.beat != 0)
        log_.after_step(now, out_.packet != 0);
    if (hook_ != nullptr && out_.beat != 0)
        hook_->after_beat(*this, now, out_.packet != 0);
    if (profile_.on && out_.beat != 0)
        count_profile(now);
    state_.stalls.note(now, stall_of());
    if (out_.preempted != 0)
        preempt_ = false;
    return out_.beat != 0 || out_.preempted != 0 || loads || asks;
}

void EngineCore::profile() {
    profile_.on = true;
    profile_.lines.resize(spec_.words);
    profile_.packets.resize(kTableWords);
}

void EngineCore::count_profile(Cycle now) {
    EngineProfile::Line& line = profile_.lines[out_.pc];
    ++line.beats;
    line.cycles += now + 1 - profile_.counted;
    profile_.counted = now + 1;
    if (out_.packet == 0)
        return;
    EngineProfile::Packet& packet = profile_.packets[profile_.packet];
    const uint64_t cycles = now + 1 - profile_.packet_began;
    ++packet.count;
    packet.cycles += cycles;
    packet.most = std::max(packet.most, cycles);
    profile_.packet = take_header(out_.header).entry;
    profile_.packet_began = now + 1;
}

void EngineCore::raise_fault() {
    if (own_ != nullptr)
        std::rethrow_exception(own_->error());
    throw MachineStop(
        out_.fault == Pins::kUnimplemented ? StopKind::Unimplemented : StopKind::BadInput, where(),
        "the engine has stopped with fault " + std::to_string(out_.fault));
}

EngineStall EngineCore::stall_of() const {
    switch (out_.wait) {
        case Pins::kData:
            return EngineStall::Data;
        case Pins::kMemory:
        case Pins::kLoad:
            return EngineStall::Memory;
        case Pins::kRegisters:
        case Pins::kLive:
        case Pins::kSecure:
            return EngineStall::Registers;
        case Pins::kInstruction:
            return EngineStall::Instruction;
        case Pins::kRoom:
            return EngineStall::Queue;
        default:
            return EngineStall::None;
    }
}

// The inputs of this cycle; true: instructions or counters move.
bool EngineCore::drive() {
    in_.room = has_room() ? 1 : 0;
    drive_data();
    drive_memory();
    in_.register_count = window(state_.registers, in_.register_words);
    in_.load_valid = 0;
    if (state_.loading) {
        const LineReader::Slot* slot = state_.load.there(line_of(state_.load_address));
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
    in_.wfi_done = state_.done[0] ? 1 : 0;
    in_.query_done = state_.done[1] ? 1 : 0;
    in_.cache_done = state_.done[2] ? 1 : 0;
    const bool counts = state_.done[0] || state_.done[1] || state_.done[2];
    state_.done = {};
    const bool loaded = state_.instruction_written >= spec_.words && in_.line_valid == 0 &&
                        state_.table_next == kTableWords && in_.table_valid == 0;
    const bool writes = in_.start_valid == 0 && !loaded && drive_instructions();
    return counts || writes || in_.start_valid != 0;
}

// The next words of the level, and behind a buffer's last its end.
void EngineCore::drive_data() {
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
    const bool privileged = (state_.memory_privileged >> 31) != 0;
    const uint64_t high =
        privileged ? state_.memory_privileged & INT32_MAX : state_.memory_address >> 32;
    return high << 32 | static_cast<uint32_t>(dword_at(state_.memory_address));
}

// Words of $memdata; when none are asked for any more, the same place again and again.
void EngineCore::drive_memory() {
    in_.memory_count = 0;
    if (state_.memory.used == 0)
        return;
    uint64_t address = memory_address();
    const bool stays = !spec_.engine.reads_nrt && state_.memory_dwords == 0;
    unsigned count = 0;
    for (; count < Pins::kWords; ++count) {
        const LineReader::Slot* slot = state_.memory.there(line_of(address));
        if (slot == nullptr || (!stays && !spec_.engine.reads_nrt && count >= state_.memory_dwords))
            break;
        in_.memory_words[count] = word_in(slot->data, address);
        address += stays ? 0 : 4;
    }
    in_.memory_count = static_cast<uint8_t>(count);
}

// Instructions that have come, and entries of the packet table of a5xx.
bool EngineCore::drive_instructions() {
    in_.line_valid = 0;
    in_.table_valid = 0;
    if (state_.table_next < kTableWords) {
        in_.table_valid = 1;
        in_.table_entry = static_cast<uint8_t>(state_.table_next);
        in_.table_value = cp_.images[spec_.image].words[spec_.table + state_.table_next++];
    }
    if (state_.instruction_written >= spec_.words)
        return in_.table_valid != 0;
    const uint64_t address = base_ + 4 * uint64_t{state_.instruction_written};
    const LineReader::Slot* slot = state_.instructions.there(line_of(address));
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
    if (out_.wait == Pins::kData && out_.data_header == 0)
        check_cut_off();
    if (out_.wait != Pins::kNothing)
        return want_reads();
    if (out_.beat == 0)
        return;
    ++state_.instructions_done;
    state_.packets += out_.packet;
    state_.words_taken += out_.data_taken;
    if (out_.data_taken != 0)
        next_words(out_.data_taken, true, out_.data_header != 0);
    follow_reads();
    follow_writes();
}

void EngineCore::check_cut_off() {
    if (!spec_.fetches_ring || level() == 0)
        return;
    const LevelsState::Level& l = levels_.level[level()];
    if (l.ends && words_there(level()) == l.left())
        stop("the packet is cut off by the end of the buffer");
}

void EngineCore::follow_reads() {
    for (unsigned i = 0; i < out_.memory_taken; ++i)
        take_memory_word();
    for (unsigned i = 0; i < out_.register_taken; ++i)
        state_.registers.pop(1);
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
        const bool privileged = (state_.memory_privileged >> 31) != 0;
        const uint64_t next = state_.memory_address + 4;
        state_.memory_address =
            privileged ? (state_.memory_address & ~uint64_t{UINT32_MAX}) | (next & UINT32_MAX)
                       : next;
    }
    if (last)
        state_.memory.free(line_of(address));
}

void EngineCore::follow_writes() {
    if (out_.control_valid != 0)
        follow_control(out_.control_index, out_.control_value);
    if (out_.arm_valid != 0) {
        arm_level(out_.arm_level, out_.arm_base, out_.arm_dwords);
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

void EngineCore::follow_port(uint8_t kind, uint32_t index, uint32_t value) {
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

// Registers that have been read for another address are forgotten.
void EngineCore::read_registers() {
    state_.registers.clear();
    ++state_.register_tag;
    state_.register_next = state_.register_address;
    state_.register_left = state_.register_dwords;
}

// What the engine waits for and nobody has asked for yet.
void EngineCore::want_reads() {
    switch (out_.wait) {
        case Pins::kMemory: {
            const uint64_t first = line_of(memory_address());
            const uint64_t line =
                state_.memory.there(first) != nullptr ? first + kLineBytes : first;
            if (state_.memory.find(line) < 0)
                state_.memory.want(line);
            return;
        }
        case Pins::kRegisters:
            if (state_.register_left == 0 && state_.registers_asked == 0) {
                state_.register_next = out_.register_index + state_.registers.count;
                state_.register_left = 1;
            }
            return;
        case Pins::kLoad:
            if (!state_.loading) {
                state_.loading = true;
                state_.load_address = out_.load_address;
                state_.load.want(line_of(out_.load_address));
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

uint32_t EngineCore::words_there(unsigned level) {
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
    if (action.direct) {
        state_.direct.push(action);
        return;
    }
    state_.queue.push(action);
    if (action.kind == Action::Kind::Memory || action.kind == Action::Kind::Timestamp)
        count_write(line_of(action.address), 1);
}

bool EngineCore::has_write(uint64_t line) const {
    return std::any_of(state_.writes.begin(), state_.writes.end(),
                       [&](const PendingWrite& w) { return w.line == line; });
}

void EngineCore::count_write(uint64_t line, int by) {
    const auto found = std::find_if(state_.writes.begin(), state_.writes.end(),
                                    [&](const PendingWrite& w) { return w.line == line; });
    if (found == state_.writes.end())
        state_.writes.push_back({line, by});
    else if ((found->count += by) == 0)
        state_.writes.erase(found);
}

void EngineCore::show(Cycle now) {
    if (out_.packet != 0)
        shown.set(now, view(true));
    else if (out_.wait != Pins::kNothing)
        shown.set(now, view(!idle()));
}

bool EngineCore::idle() const {
    const bool waits = !running_ || (out_.wait == Pins::kData && out_.data_header != 0 &&
                                     in_.start_valid == 0 && level() == 0);
    const bool loaded = !running_ || state_.instruction_written >= spec_.words;
    return waits && loaded && inputs_empty() && state_.queue.empty() && state_.direct.empty() &&
           state_.to_meq.empty() && state_.from_meq.empty() && state_.levels[0].words.empty() &&
           !state_.levels[0].unsent && state_.write.byte_mask == 0 &&
           state_.writes_in_flight == 0 && !state_.memory.on_the_way() &&
           state_.registers_asked == 0 && shown_pointer_is_right();
}

std::string EngineCore::waiting_for() const {
    if (idle())
        return "";
    const char* const kWhat[] = {"executes",
                                 "does not run",
                                 "waits for room in its queue of writes",
                                 "waits for instructions",
                                 "waits for words",
                                 "waits for memory",
                                 "waits for registers",
                                 "waits for a load",
                                 "waits for a control register",
                                 "waits for secure mode"};
    return where() + ": " + kWhat[out_.wait];
}

// ---- to the outside ----------------------------------------------------------------------------

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
        const LevelsState::Level& buffer = levels_.level[level];
        if (buffer.dwords != 0)
            to_command->push(now,
                             {0, static_cast<uint8_t>(level), 0, 0, buffer.base, buffer.dwords});
        l.expected = buffer.dwords;
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
        moved |= show_read_pointer(now);
    else if (waits || bytes == before || bytes == ~uint64_t{0})
        moved |= send_write(now);
    return moved;
}

bool EngineCore::send_direct(Cycle now) {
    if (!to_registers->can_push(now))
        return false;
    const Action& a = state_.direct.front();
    to_registers->push(now, {RegisterAccess::Kind::Write, a.checked, 0, a.index, a.value, a.pc});
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
            to_registers->push(now, {kind, a.checked, 0, a.index, a.value, a.pc});
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
            bool& done =
                state_.done[a.index - static_cast<uint32_t>(ControlRegister::WfiPendCounter)];
            const bool free = !done;
            done = true;
            return free;
        }
        case Action::Kind::WaitWrites:
            return state_.writes_in_flight == 0 && state_.write.byte_mask == 0;
        case Action::Kind::WaitIdle:
            return pass_barrier(now);
    }
    return false;
}

// All register writes before it are done when a barrier among them comes back.
bool EngineCore::pass_barrier(Cycle now) {
    if (state_.writes_in_flight != 0 || state_.write.byte_mask != 0)
        return false;
    if (state_.barrier == Barrier::Passed) {
        state_.barrier = Barrier::None;
        return true;
    }
    if (state_.barrier == Barrier::None && to_registers->can_push(now)) {
        to_registers->push(now, {RegisterAccess::Kind::Barrier, false, 0, 0, 0, 0});
        state_.barrier = Barrier::Sent;
    }
    return false;
}

// The write is dropped, as memory had acknowledged it.
bool EngineCore::report_untrusted(Cycle now, const Action& a, uint64_t address) {
    if (!to_registers->can_push(now))
        return false;
    to_registers->push(
        now, {RegisterAccess::Kind::Untrusted, false, 0, static_cast<uint32_t>(address >> 32),
              static_cast<uint32_t>(address), a.pc});
    count_write(line_of(address), -1);
    return true;
}

bool EngineCore::add_write(uint64_t address, uint64_t value, unsigned bytes) {
    const bool first = state_.write.byte_mask == 0;
    if (!first && state_.write.line != line_of(address))
        return false;
    // A request acknowledges as one: what shares it is counted once.
    if (!first)
        count_write(line_of(address), -1);
    state_.write.line = line_of(address);
    state_.write.byte_mask |= bytes_mask(address, bytes);
    std::memcpy(state_.write.data.data() + address % kLineBytes, &value, bytes);
    return true;
}

bool EngineCore::send_write(Cycle now) {
    if (!to_memory->can_push(now) || state_.writes_in_flight >= cp_.memory_writes)
        return false;
    state_.write.command = MemCommand::Write;
    state_.write.client = Client::AfucEngine;
    state_.write.tag = kWrite;
    state_.write.uid =
        transaction_id(TransactionUnit::AfucEngine, uint64_t{number_} << 48 | ++state_.uid);
    to_memory->push(now, state_.write);
    state_.write = {};
    ++state_.writes_in_flight;
    ++state_.memory_writes;
    return true;
}

// The read pointer in memory, a line of the ring at a time and when the ring is empty.
bool EngineCore::shown_pointer_is_right() const {
    return shadow_address() == 0 || read_pointer() == state_.shown_read_pointer;
}

bool EngineCore::show_read_pointer(Cycle now) {
    if (shown_pointer_is_right() || !running_)
        return false;
    const bool due =
        (read_pointer() ^ state_.shown_read_pointer) / 16 != 0 || state_.levels[0].words.empty();
    if (!due || !to_memory->can_push(now) || state_.writes_in_flight >= cp_.memory_writes)
        return false;
    count_write(line_of(shadow_address()), 1);
    add_write(shadow_address(), read_pointer(), 4);
    send_write(now);
    state_.shown_read_pointer = read_pointer();
    return true;
}

// One line a cycle: a load first, then what $memdata reads, then instructions.
bool EngineCore::send_reads(Cycle now) {
    for (; state_.memory_next < state_.memory_end; state_.memory_next += kLineBytes)
        if (state_.memory.find(state_.memory_next) < 0 && !state_.memory.want(state_.memory_next))
            break;
    const uint64_t end = base_ + 4 * uint64_t{spec_.words};
    while (running_ && state_.instruction_written < spec_.words &&
           base_ + state_.instruction_next < end &&
           state_.instructions.want(line_of(base_ + state_.instruction_next)))
        state_.instruction_next += kLineBytes - (base_ + state_.instruction_next) % kLineBytes;
    const bool moved = send_register_reads(now);
    if ((state_.load.wanted | state_.memory.wanted | state_.instructions.wanted) == 0)
        return moved;
    return send_read(now, state_.load, kLoad) || send_read(now, state_.memory, kMemory) ||
           send_read(now, state_.instructions, kInstruction) || moved;
}

bool EngineCore::send_read(Cycle now, LineReader& reader, uint32_t tag) {
    LineReader::Slot* slot = reader.wanted != 0 ? reader.first_wanted() : nullptr;
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
    reader.ask(*slot);
    ++state_.memory_reads;
    return true;
}

// When all before it is done.
bool EngineCore::send_secure(Cycle now) {
    if (!state_.queue.empty() || !state_.direct.empty() || state_.write.byte_mask != 0 ||
        state_.writes_in_flight != 0 || !to_registers->can_push(now))
        return false;
    to_registers->push(
        now, {RegisterAccess::Kind::Secure, false, 0, 0, state_.secure_on ? 1u : 0u, out_.pc});
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
                             state_.register_next & (kGpuRegisters - 1), 0, 0});
    ++state_.register_next;
    --state_.register_left;
    ++state_.registers_asked;
    return true;
}

}  // namespace archipelago::afuc
