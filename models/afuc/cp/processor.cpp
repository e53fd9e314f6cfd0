// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/processor.h"

#include <algorithm>

#include "models/afuc/cp/gpu_registers.h"
#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/text.h"
#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

// Pipe registers; adreno_pipe_regs.xml.
enum Pipe : uint8_t {
    kWaitForIdleA6xx = 0x80,
    kWfiDecrement = 0x81,
    kQueryDecrement = 0x82,
    kWaitMemWrites = 0x84,
    kWaitForIdleA7xx = 0x87,
    kWaitMemWritesA5xx = 0xC4,
    kEventCommand = 0xE7,
    kEventAddress = 0xE8,
    kEventControl = 0xEA,
    kEventData = 0xEB
};

// EVENT_CMD and EVENT_TS_CTRL of a6xx.
namespace a6 {
constexpr uint32_t kTypeMask = 3, kTimestampWrite = 1u << 2, kCacheDecrement = 1u << 3;
constexpr uint32_t kCounter = 1u << 1, kInterrupt = 1u << 2;
// Bits of RBBM_INT_0_STATUS, by EVENT of EVENT_TS_CTRL.
constexpr uint32_t kInterruptOf[] = {kInterruptCacheFlush, kInterruptCacheFlush, 18, 17, 10, 11, 12,
                                     kInterruptCacheFlush};
}  // namespace a6

// The same of a7xx.
namespace a7 {
constexpr uint32_t kTypeMask = 7, kCacheDecrement = 1u << 13;
constexpr uint32_t kCounts = 1u << 11 | 1u << 12 | 1u << 17;
constexpr uint32_t kInterrupt = 1u << 6;
enum Space : uint8_t { kNoMemory, kExternal, kOnChip };
enum Value : uint8_t { kNoValue, k32Bits, k64Bits, kAlwaysOn };
}  // namespace a7

// Of the ME of a5xx: CP_ME_NRT_ADDR_LO, _HI; CP_ME_NRT_DATA.
constexpr uint32_t kMeNrtAddress = 0x80D, kMeNrtData = 0x810;

constexpr uint32_t kEvent = 1;  // EVENT_TYPE; above: draws, dispatches, blits

}  // namespace

const uint32_t kBufferEnd = make_type7_header(0x0A, 0);

Processor::Processor(const CpSpec& cp, unsigned number, SharedControl& shared)
    : cp_(cp),
      spec_(cp.processors[number]),
      number_(number),
      names_(cp.generation->names),
      map_(*cp.generation),
      wait_register_(index_by_name(names_, "RBBM_WAIT_FOR_GPU_IDLE_CMD")),
      shared_(shared),
      roq_(cp) {}

void Processor::start(uint64_t base) {
    if (base % (4 * kFetchWords) != 0)
        throw MachineStop(StopKind::BadInput, spec_.engine.path,
                          "instructions at " + hex(base) + ", which is not a multiple of 32");
    levels_ = {};
    level_ = 0;
    base_ = base;
    running_ = true;
}

uint64_t Processor::shadow_address() const {
    if (!spec_.fetches_ring)
        return 0;
    return spec_.role == Role::Bv ? ring_.bv_read_pointer_address : ring_.read_pointer_address;
}

void Processor::reset() {
    levels_ = {};
    nrt_ = {};
    ring_ = {};
    pipe_ = {};
    level_ = 0;
    activity_ = base_ = 0;
    packet_ = 0;
    running_ = preempt_ = false;
}

void Processor::take_over_rules(const Processor& other) {
    levels_ = other.levels_;
    level_ = other.level_;
    nrt_ = other.nrt_;
    pipe_ = other.pipe_;
    ring_ = other.ring_;
    activity_ = other.activity_;
    base_ = other.base_;
    running_ = other.running_;
    preempt_ = other.preempt_;
}

void Processor::archive_rules(Archive& a) {
    a(levels_, level_, nrt_, pipe_, ring_, activity_, base_, running_, preempt_);
}

std::string Processor::source_of(uint32_t pc) const {
    const std::vector<std::string>& places = cp_.images[spec_.image].places;
    const uint32_t word = spec_.first_word + pc;
    return word < places.size() ? places[word] : std::string();
}

void Processor::stop(const std::string& reason) const {
    throw MachineStop(StopKind::BadInput, where(), reason);
}

void Processor::stop_as_endless(uint64_t instructions) const {
    throw MachineStop(StopKind::Hang, where(),
                      std::to_string(instructions) +
                          " instructions while no engine has taken a word of the ring");
}

std::string Processor::source_text(uint32_t pc) const {
    const std::string source = source_of(pc);
    std::string text = source.empty() ? "" : " (" + source + ")";
    const auto& labels = cp_.images[spec_.image].labels;
    auto label = labels.upper_bound(spec_.first_word + pc);
    if (pc < spec_.words && label != labels.begin() && (--label)->first >= spec_.first_word)
        text += " in " + label->second;
    return text;
}

std::string Processor::label_at(uint32_t pc) const {
    const auto& labels = cp_.images[spec_.image].labels;
    const auto label = pc < spec_.words ? labels.find(spec_.first_word + pc) : labels.end();
    return label != labels.end() ? label->second : std::string();
}

std::string Processor::instruction(uint32_t pc) const {
    if (engine() == nullptr)
        return {};
    return instruction_text(*spec_.engine.generation, engine()->word_at(pc), pc,
                            [this](uint32_t index) { return label_at(index); });
}

std::string Processor::context_of_place(uint32_t back) const {
    return source_text(pc()) + ", " + place_in_stream(back);
}

// ---- packets, for what fails after them -------------------------------------------------------

void Processor::note_packet(uint32_t header, unsigned level, uint32_t dword) {
    PacketPlace& p = packets_[++packet_ % kPacketsKept];
    p.header = header;
    p.level = level;
    p.dword = dword;
    p.base = levels_.level[level].base;
}

const Processor::PacketPlace* Processor::find_packet(uint32_t packet) const {
    return packet != 0 && packet_ - packet < kPacketsKept ? &packets_[packet % kPacketsKept]
                                                          : nullptr;
}

std::string Processor::instruction_at(uint32_t pc, uint32_t packet) const {
    std::string text = spec_.engine.path + ": " +
                       (engine() != nullptr ? engine()->text_of(pc) : "pc " + std::to_string(pc));
    if (const PacketPlace* p = find_packet(packet))
        text += ", packet " + packet_text(names_, p->header);
    return text + source_text(pc);
}

std::string Processor::where_at(uint32_t pc, uint32_t packet) const {
    const PacketPlace* p = find_packet(packet);
    return instruction_at(pc, packet) +
           (p != nullptr ? ", " + stream_text(p->level, p->base, p->dword) : "");
}

// ---- $data -------------------------------------------------------------------------------------

unsigned Processor::level() const {
    if (map_.index_of(ControlRegister::IbLevel) != ControlMap::kNowhere)
        return level_;
    // a5xx: the deepest that is not at its end.
    unsigned level = levels_of(names_) - 1;
    while (level > 0 && !levels_.level[level].ends)
        --level;
    return level;
}

std::string Processor::place_in_stream(uint32_t back) const {
    if (!spec_.fetches_ring)
        return "its queue";
    const LevelsState::Level& l = levels_.level[level()];
    return stream_text(level(), l.base, l.position - std::min(back, l.position));
}

std::string Processor::stream_text(unsigned level, uint64_t base, uint32_t dword) const {
    if (!spec_.fetches_ring)
        return "its queue";
    return "ring cp" +
           (level == 0 ? "" : std::string(", ") + level_name(names_, level) + " " + hex(base)) +
           " dword " + std::to_string(dword);
}

bool Processor::has_data(unsigned words) {
    if (!spec_.fetches_ring)
        return words_there(0) >= words;
    const unsigned at = level();
    const LevelsState::Level& l = levels_.level[at];
    if (at == 0)
        return words_there(0) >= words;
    const unsigned left = l.left() + (l.ends ? 1 : 0);
    if (l.ends && words > left)
        stop("the packet is cut off by the end of the buffer");
    const uint32_t there = words_there(at);
    return there + (l.ends && there == l.left() ? 1 : 0) >= words;
}

inline const uint32_t* Processor::words_of_level(unsigned words, bool take, bool header) {
    if (!spec_.fetches_ring)
        return words_of(0, words, take);
    const unsigned at = level();
    LevelsState::Level& l = levels_.level[at];
    if (at != 0 && l.left() < words) {
        // The end takes the place of a header, and not of a word after one.
        if (!header || l.left() != 0) {
            l.position = l.end;  // what is missing is after them
            stop("the packet is cut off by the end of the buffer");
        }
        if (take)
            l.ends = false;
        return &kBufferEnd;
    }
    const uint32_t* const first = words_of(at, words, take);
    l.position += take ? words : 0;
    if (at == 0 && l.position >= ring_.dwords)
        l.position -= ring_.dwords;
    return first;
}

const uint32_t* Processor::next_words(unsigned words, bool take, bool header) {
    const uint32_t at = header ? levels_.level[level()].position : 0;
    const uint32_t* const first = words_of_level(words, take, header);
    if (!take)
        return first;
    if (header)
        note_packet(*first, level(), at);
    activity_ += words;
    for (ProcessorListener* listener : listeners_)
        for (unsigned i = 0; i < words; ++i)
            listener->took(first[i]);
    return first;
}

void Processor::arm_level(unsigned level, uint64_t base, uint32_t dwords) {
    ++activity_;
    levels_.level[level] = {{base, 0, dwords}, true};
}

// ---- writes ------------------------------------------------------------------------------------

inline void Processor::submit(const Action& a) {
    ++activity_;
    for (ProcessorListener* listener : listeners_)
        listener->does(a);
    carry_out(a);
}

void Processor::act(Action::Kind kind, uint32_t index, uint32_t value, uint64_t address) {
    Action a;
    a.kind = kind;
    a.processor = static_cast<uint8_t>(number_);
    a.index = index;
    a.value = value;
    a.address = address;
    a.packet = packet_;
    submit(a);
}

void Processor::write_register(uint32_t index, uint32_t value, RegisterPath path) {
    if (spec_.engine.reads_nrt && index - kMeNrtAddress < 2)
        return nrt_.set(index - kMeNrtAddress, value);
    if (spec_.engine.reads_nrt && index == kMeNrtData)
        return store(nrt_.next(), value);
    if (index == wait_register_)
        return act(Action::Kind::WaitIdle);
    Action a;
    a.processor = static_cast<uint8_t>(number_);
    a.checked = path == RegisterPath::Packet;
    a.direct = path == RegisterPath::Direct;
    a.index = index;
    a.value = value;
    a.packet = packet_;
    submit(a);
}

void Processor::write_pipe(uint32_t index, uint32_t value) {
    pipe_[index] = value;
    switch (index) {
        case kPipeNrtAddress:
        case kPipeNrtAddress + 1:
            return nrt_.set(index - kPipeNrtAddress, value);
        case kPipeNrtData:
            return store(nrt_.next(), value);
        case kWaitForIdleA6xx:
        case kWaitForIdleA7xx:
            return act(Action::Kind::WaitIdle);
        case kWfiDecrement:
            return act(Action::Kind::Decrement,
                       static_cast<uint32_t>(ControlRegister::WfiPendCounter));
        case kQueryDecrement:
            return act(Action::Kind::Decrement,
                       static_cast<uint32_t>(ControlRegister::QueryPendCounter));
        case kWaitMemWrites:
        case kWaitMemWritesA5xx:
            return act(Action::Kind::WaitWrites);
        case kEventCommand:
            return finish_event(value);
        default:
            return;
    }
}

// An event: what it writes and raises, once all before it is done.
void Processor::finish_event(uint32_t command) {
    const bool a7xx = names_ == Names::A7xx || names_ == Names::A750;
    if ((command & (a7xx ? a7::kTypeMask : a6::kTypeMask)) > kEvent)
        throw MachineStop(StopKind::Unimplemented, where(),
                          "EVENT_CMD " + hex(command) +
                              ": no pipeline for draws and dispatches stands behind this CP");
    act(Action::Kind::WaitIdle);
    const uint64_t address = uint64_t{pipe_[kEventAddress + 1]} << 32 | pipe_[kEventAddress];
    const uint32_t control = pipe_[kEventControl];
    if (!a7xx) {
        if ((command & a6::kTimestampWrite) != 0)
            write_timestamp_a6xx(address, control);
        if ((command & a6::kCacheDecrement) != 0)
            act(Action::Kind::Decrement, static_cast<uint32_t>(ControlRegister::CachePendCounter));
        return;
    }
    const uint32_t tuples = command >> 3 & 3;
    if (tuples > 1 || (command & a7::kCounts) != 0)
        throw MachineStop(StopKind::Unimplemented, where(),
                          "EVENT_CMD " + hex(command) + ": several timestamps, BR and BV counts");
    if (tuples == 1)
        write_timestamp_a7xx(address, control);
    if ((command & a7::kCacheDecrement) != 0)
        act(Action::Kind::Decrement, static_cast<uint32_t>(ControlRegister::CachePendCounter));
}

// One write, so it lies in one line of memory.
void Processor::store_timestamp(uint64_t address) {
    if (address % kLineBytes + sizeof(uint64_t) > kLineBytes)
        stop("a timestamp at " + hex(address) + ", which is not a multiple of 8");
    act(Action::Kind::Timestamp, 0, 0, address);
}

void Processor::write_timestamp_a6xx(uint64_t address, uint32_t control) {
    if ((control & a6::kCounter) != 0)
        store_timestamp(address & ~uint64_t{3});
    else
        act(Action::Kind::Memory, 0, pipe_[kEventData], address & ~uint64_t{3});
    if ((control & a6::kInterrupt) == 0)
        return;
    act(Action::Kind::WaitWrites);
    act(Action::Kind::Interrupt, a6::kInterruptOf[control >> 8 & 7]);
}

void Processor::write_timestamp_a7xx(uint64_t address, uint32_t control) {
    const uint32_t space = control & 7, value = control >> 3 & 7;
    if (space > a7::kOnChip || value > a7::kAlwaysOn)
        throw MachineStop(StopKind::Unimplemented, where(),
                          "EVENT_TS_CTRL " + hex(control) + ": cleared resources, registers");
    const uint64_t to = address & ~uint64_t{3};
    if (space == a7::kOnChip && value == a7::kAlwaysOn)
        throw MachineStop(StopKind::Unimplemented, where(),
                          "the always-on counter in a control register");
    if (space == a7::kOnChip)
        for (uint32_t i = 0; i < value; ++i)
            act(Action::Kind::Shared,
                kSharedControl + (static_cast<uint32_t>(address) + i) % kSharedControls,
                pipe_[kEventData + i]);
    else if (space == a7::kExternal && value == a7::kAlwaysOn)
        store_timestamp(to);
    else if (space == a7::kExternal && value != a7::kNoValue)
        for (uint32_t i = 0; i < value; ++i)
            act(Action::Kind::Memory, 0, pipe_[kEventData + i], to + 4 * i);
    if ((control & a7::kInterrupt) == 0)
        return;
    act(Action::Kind::WaitWrites);
    act(Action::Kind::Interrupt, control >> 7 & 0x1F);
}

void Processor::tell_secure(bool on, bool done) {
    ++activity_;
    for (ProcessorListener* listener : listeners_)
        listener->set_secure(on, done);
}

// ---- control registers -------------------------------------------------------------------------

uint32_t Processor::read_live_control(uint32_t index) {
    switch (map_.at(index)) {
        case ControlRegister::RingReadPointer:
            return levels_.level[0].position;
        case ControlRegister::CoprocessorLock:
            return shared_.read_lock(now(), number_);
        case ControlRegister::GlobalTimestamp:
        case ControlRegister::LocalTimestamp:
            return static_cast<uint32_t>(always_on());
        default:
            return shared_.read(now(), number_, index);
    }
}

void Processor::write_control(uint32_t index, uint32_t value) {
    for (ProcessorListener* listener : listeners_)
        listener->wrote_control(index, value);
    switch (map_.at(index)) {
        case ControlRegister::IbLevel:
            if (value >= levels_of(names_))
                stop("IB_LEVEL " + std::to_string(value) + " of " +
                     std::to_string(levels_of(names_)) + " levels");
            level_ = value;
            return;
        case ControlRegister::CoprocessorLock:
            ++activity_;
            return shared_.write_lock(now(), number_, value);
        case ControlRegister::ThreadSync:
        case ControlRegister::Shared:
            ++activity_;
            if (index - kSharedControl < kSharedControls)
                shared_.write(now(), number_, index, value);
            return;
        default:
            return;
    }
}

}  // namespace archipelago::afuc
