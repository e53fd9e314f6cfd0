// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/engine_core.h"

#include <algorithm>

#include "models/afuc/engine/pm4_header.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/common/transaction_id.h"

namespace archipelago::afuc {
namespace {

// What an issue cycle may add to the queue: an event with its timestamp, which is more than four
// writes.
constexpr size_t kMaxActions = 8;
constexpr size_t kMaxDirect = 2;
constexpr size_t kWritesKept = 512;  // of memory, for errors: those of the queue and in flight
constexpr size_t kMaxToQueue = 8;    // words of a PFP on their way to the MEQ

// Bits of inputs_: levels have the first ones.
constexpr uint64_t kWordInputs = (1u << kMaxLevels) - 1;
constexpr unsigned kDebugInputs = 32;  // and above: they give it nothing to do
constexpr uint64_t kWorkInputs = (uint64_t{1} << kDebugInputs) - 1;

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
      debug_in(cp.strobe_latency),
      fetched_in(cp.strobe_latency),
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
    add_input(debug_in, inputs_, kDebugInputs);
    add_input(fetched_in, inputs_, kDebugInputs + 1);
    if (own_ != nullptr) {
        own_->context_of_errors = [this] { return context_of_place(); };
        own_->source_of_errors = [this](uint32_t pc) { return source_text(pc); };
    }
    EngineCore::reset();
}

void EngineCore::reset() {
    Unit::reset();
    Processor::reset();
    state_ = {};
    state_.queue = Ring<Action>(cp_.queue_entries);
    armed_ = {};
    written_.assign(kWritesKept + cp_.queue_entries, {});
    state_.memory.slots.resize(cp_.read_lines);
    state_.load.slots.resize(1);
    state_.instructions.slots.resize(cp_.instruction_lines);
    in_ = {};
    out_ = {};
    answered_ = true;
    loaded_ = false;
    in_.generation = static_cast<uint8_t>(cp_.generation - &kGenerations[0]);
    in_.to_queue = spec_.engine.data_out == DataOut::Queue ? 1 : 0;
    in_.reads_nrt = spec_.engine.reads_nrt ? 1 : 0;
    Pins::In reset = in_;
    reset.rst = 1;
    unit_.step(reset, out_);
    shown.reset();
    idle_time.reset();
    ring_moved.reset();
}

void EngineCore::archive(Archive& a) {
    Unit::archive(a);
    archive_rules(a);
    a(state_, shown, idle_time, ring_moved, in_, out_);
    answered_ = true;
    loaded_ = false;
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
    add("preemptions", "preemptions", "gone to the routine for preemption", &state_.preemptions);
    add("idle", "cycles", "waits for the next packet, and none is on its way", &state_.idle.ended);
    const auto stall = [&](const char* name, const char* meaning, EngineStall why) {
        add(name, "cycles", meaning, state_.stalls.counter(why));
    };
    stall("stall_data", "waits for words of its stream", EngineStall::Data);
    stall("stall_memory", "waits for memory: $memdata, load", EngineStall::Memory);
    stall("stall_registers", "waits for registers: $regdata", EngineStall::Registers);
    stall("stall_instruction", "waits for instructions", EngineStall::Instruction);
    stall("stall_queue", "waits for room in the queue of its writes", EngineStall::Queue);
    stall("stall_pool", "the same, and the pool of register writes is full", EngineStall::Pool);
}

std::string EngineCore::where_in_program() const {
    // Of the issue cycle: what follows from it may stop when the engine stands at the next
    // instruction.
    if (own_ != nullptr)
        return own_->engine().where(out_.pc);
    return spec_.engine.path + ": pc " + std::to_string(out_.pc) + ", packet " +
           packet_text(names_, out_.header);
}

void EngineCore::start(uint64_t base) {
    Processor::start(base);
    in_.start_valid = 1;
    in_.start = {spec_.words, base, role_at_pins(spec_.role)};
    state_.instruction_next = state_.instruction_written = 0;
    state_.table_next = spec_.table != 0 ? 0 : kTableWords;
    loaded_ = false;
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
    state_.instructions_done = state_.watched_from = s.instructions;
    state_.packets = s.packets;
    state_.published_read_pointer = read_pointer();
    state_.instruction_written = spec_.words;
    // Where it waits for its next packet, it is at rest.
    const bool waits = s.leads == Leads::Packet && !s.repeating;
    out_.wait = waits ? Pins::kData : Pins::kNothing;
    out_.data_header = waits ? 1 : 0;
    out_.pc = s.pc;
    out_.header = s.header;
}

// ---- a cycle -----------------------------------------------------------------------------------

// Lines of the reorder queue, into the words that the engine sees.
inline bool EngineCore::take_words(Cycle now) {
    bool moved = false;
    for (uint64_t left = inputs_ & kWordInputs; left != 0; left &= left - 1) {
        const auto level = static_cast<unsigned>(__builtin_ctzll(left));
        moved |= state_.levels[level].words.wants_more() && take_line(now, level);
    }
    return moved;
}

bool EngineCore::take_line(Cycle now, unsigned level) {
    if (!roq[level].can_pop(now))
        return false;
    LevelWords& l = state_.levels[level];
    const front::RoqLine& line = roq[level].front();
    const auto skipped = static_cast<uint32_t>(std::min<uint64_t>(l.skip, line.count));
    l.skip -= skipped;
    l.expected -= skipped;
    l.words.push(&line.dwords[line.first + skipped], line.count - skipped);
    roq[level].drop(now);
    to_credit->send(now, {0, static_cast<uint8_t>(level)});
    return true;
}

bool EngineCore::tick(Cycle now) {
    now_ = now;
    try {
        return advance(now);
    } catch (const MachineStop& stop) {
        throw note_stop(stop, static_cast<EngineFault>(out_.fault));
    }
}

inline bool EngineCore::advance(Cycle now) {
    bool moved = inputs_ > kWordInputs && take_inputs(now);
    moved |= take_words(now);
    moved |= state_.next_ring.moves && move_ring(now);
    if (run_ != RunState::Paused) {
        moved |= drain(now);
        moved |= running_ && issue(now);
        moved |= state_.secure == Switch::Wanted && send_secure(now);
        moved |= (state_.unsent || !state_.to_meq.empty()) && send_commands(now);
    }
    moved |= wants_reads() && send_reads(now);
    if ((out_.packet | out_.wait) != 0)
        publish_view(now);
    return moved;
}

bool EngineCore::take_inputs(Cycle now) {
    bool moved = false;
    if (inputs_ >> kDebugInputs != 0)
        take_debug(now);
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
    if (l.skip != 0 || !pointer_is_published())
        return false;
    set_ring(state_.next_ring);
    ring_.moves = false;
    state_.next_ring = {};
    l.unsent = false;
    levels_.level[0].position =
        ring_.dwords != 0 ? ring_.read_pointer & (ring_.dwords - 1) : ring_.read_pointer;
    state_.published_read_pointer = read_pointer();
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
        throw MachineStop(StopKind::Fault, r.tag == kWrite ? written_by(r.line) : where(),
                          kWhat[r.tag] + refused_address(r.status, r.line));
    }
    if (r.tag == kWrite) {
        return acknowledge(r.line);
    }
    LineReader& reader = r.tag == kMemory ? state_.memory
                         : r.tag == kLoad ? state_.load
                                          : state_.instructions;
    reader.fill(r.line, r.data);
}

// The oldest write of a line: the first that memory refuses stops the machine.
std::string EngineCore::written_by(uint64_t line) const {
    for (size_t i = 0; i < written_.size(); ++i) {
        const Origin& o = written_[(next_written_ + i) % written_.size()];
        if (o.line == line && o.pc != 0)
            return where_at(o.pc, o.packet);
    }
    return where();
}

std::string EngineCore::fetches_for(unsigned level) const {
    return level == 0 ? spec_.engine.path : instruction_at(armed_[level].pc, armed_[level].packet);
}

// ---- the engine --------------------------------------------------------------------------------

bool EngineCore::has_room() const {
    return state_.queue.space() >= kMaxActions && state_.direct.size() < kMaxDirect &&
           state_.to_meq.size() < kMaxToQueue;
}

bool EngineCore::issue(Cycle now) {
    const bool loads = drive();
    const bool logged = log_.enabled();
    if (logged)
        log_.before_step();
    if (hook_ != nullptr)
        hook_->before_issue(*this, now);
    unit_.step(in_, out_);
    in_.start_valid = 0;
    if (out_.fault != 0)
        raise_fault();
    const bool asks = out_.live_valid != 0 && !state_.live;
    state_.live = out_.live_valid != 0;
    state_.live_index = out_.live_index;
    follow();
    if (logged && out_.issue != 0)
        log_.after_step(now, out_.packet != 0);
    if (hook_ != nullptr && out_.issue != 0)
        hook_->after_issue(*this, now, out_.packet != 0);
    if (profile_.on && out_.issue != 0)
        count_profile(now);
    state_.stalls.note(now, stall_of());
    if (out_.preempted != 0) {
        preempt_ = false;
        ++state_.preemptions;
    }
    return out_.issue != 0 || out_.preempted != 0 || loads || asks;
}

void EngineCore::profile() {
    profile_.on = true;
    profile_.lines.resize(spec_.words);
    profile_.packets.resize(kTableWords);
}

void EngineCore::count_profile(Cycle now) {
    EngineProfile::Line& line = profile_.lines[out_.pc];
    ++line.issues;
    line.cycles += now + 1 - profile_.counted;
    profile_.counted = now + 1;
    if (out_.packet == 0)
        return;
    profile_.count_packet(now + 1);
    profile_.packet = take_header(out_.header).entry;
}

void EngineProfile::count_packet(Cycle end) {
    Packet& of = packets[packet];
    const uint64_t cycles = end - packet_began;
    ++of.count;
    of.cycles += cycles;
    of.most = std::max(of.most, cycles);
    packet_began = end;
}

std::vector<EngineProfile::Packet> EngineProfile::all_packets() const {
    EngineProfile all = *this;
    if (counted != 0)
        all.count_packet(counted);
    return all.packets;
}

void EngineCore::raise_fault() {
    const auto fault = static_cast<EngineFault>(out_.fault);
    if (own_ != nullptr)
        std::rethrow_exception(own_->error());
    throw MachineStop(
        fault == EngineFault::Unimplemented ? StopKind::Unimplemented : StopKind::BadInput, where(),
        std::string("the engine has stopped: ") + fault_name(fault));
}

inline EngineStall EngineCore::stall_of() const {
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
            return waits_for_pool() ? EngineStall::Pool : EngineStall::Queue;
        default:
            return EngineStall::None;
    }
}

void EngineCore::rest(Cycle now, bool rests) {
    note_stall(rests, now, state_.idle.since, state_.idle.ended);
    idle_time.set(now, state_.idle);
}

// Where a packet begins, and while it waits: nothing else changes whether it is busy.
void EngineCore::publish_view(Cycle now) {
    const bool rests = out_.packet == 0 && idle();
    if (rests != (state_.idle.since != kNever))
        rest(now, rests);
    shown.set(now, view(!rests));
}

bool EngineCore::idle() const {
    const bool waits = !running_ || (out_.wait == Pins::kData && out_.data_header != 0 &&
                                     in_.start_valid == 0 && level() == 0);
    const bool loaded = !running_ || state_.instruction_written >= spec_.words;
    return waits && loaded && (inputs_ & kWorkInputs) == 0 && state_.queue.empty() &&
           state_.direct.empty() && state_.to_meq.empty() && state_.from_meq.empty() &&
           state_.levels[0].words.empty() && !state_.levels[0].unsent &&
           state_.write.byte_mask == 0 && state_.writes.empty() && !state_.memory.in_flight() &&
           state_.registers_asked == 0 && pointer_is_published();
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

}  // namespace archipelago::afuc
