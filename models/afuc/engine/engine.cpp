// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/engine/engine.h"

#include <algorithm>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/names.h"
#include "models/common/error.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

// Results of cmp: bits that branches test.
constexpr uint32_t kGreater = 0x00, kEqual = 0x2B, kLess = 0x1E;
constexpr uint32_t kSqePreempt = 4, kSqeStackPointer = 5, kSqeStack = 8;
constexpr uint32_t kNoIncrement = 1u << 18;  // of $addr
constexpr uint32_t kGpuIndexMask = 0x3FFFF;
constexpr uint32_t kPipeShift = 24;
// By the ABI of handlers $01 has the header; of type 4 without its type (DECISIONS.md).
constexpr unsigned kHeaderRegister = 1;
constexpr uint32_t kWithoutType = 0x0FFFFFFF;
constexpr uint64_t kNoOther = UINT64_MAX;

bool is_port(uint8_t destination) {
    return destination == kAddr || destination == kUsrAddr || destination == kDataOut;
}

uint32_t rotate_left(uint32_t a, uint32_t by) {
    by %= 32;
    return by == 0 ? a : a << by | a >> (32 - by);
}

uint32_t mask_of(uint32_t bits) {
    return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

}  // namespace

Engine::Engine(const EngineSpec& spec, EnginePorts& ports)
    : spec_(spec), map_(*spec.generation), ports_(ports) {
    for (uint32_t pipe = 0; pipe < kPipeRegisters; ++pipe)
        if (const Named named = name_of(spec.generation->names, Space::Pipe, pipe))
            fires_[pipe] = named.reg->fires;
    // Public lists have none of a5xx; these are of the document and of DECISIONS.md.
    if (spec.generation->names == Names::A5xx)
        fires_[0x80] = fires_[0xC4] = true;
}

void Engine::reset() {
    words_.clear();
    program_.clear();
    present_.clear();
    state_ = {};
    fault_ = EngineFault::None;
    branch_ = 0;
    data_ = nullptr;
}

void Engine::begin(uint32_t section_words) {
    words_.assign(section_words, 0);
    program_.assign(section_words, {});
    present_.assign((section_words + kFetchWords - 1) / kFetchWords, 0);
}

void Engine::place(uint32_t first, const uint32_t* words, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        words_[first + i] = words[i];
        program_[first + i] = decoded(words[i]);
        present_[(first + i) / kFetchWords] = 1;
    }
}

void Engine::take_over(const Engine& other) {
    state_ = other.state_;
    words_ = other.words_;
    program_ = other.program_;
    present_ = other.present_;
}

void Engine::decode_again() {
    program_.assign(words_.size(), {});
    for (uint32_t i = 0; i < section_words(); ++i)
        if (has(i))
            program_[i] = decoded(words_[i]);
}

Decoded Engine::decoded(uint32_t word) const {
    Decoded d = decode_word(spec_.generation->encoding, word);
    d.extra_moves = std::min(d.extra_moves, spec_.most_extra_moves);
    return d;
}

std::string Engine::text_of(uint32_t pc) const {
    std::string text = "pc " + std::to_string(pc);
    if (pc < program_.size() && program_[pc].row != nullptr)
        text += std::string(", ") + program_[pc].row->name;
    return text;
}

std::string Engine::where(uint32_t pc) const {
    std::string text = spec_.path + ": " + text_of(pc);
    if (state_.packets != 0)
        text += ", packet " + packet_text(spec_.generation->names, state_.header);
    return text;
}

void Engine::bad(const std::string& reason, EngineFault fault) {
    fault_ = fault;
    throw MachineStop(StopKind::BadInput, where_and_context(), reason);
}

// Who has led there: the entry of the packet at work, else the branch before the delay slot.
void Engine::leave_image() {
    std::string text = "outside of the image of " + std::to_string(section_words()) + " words";
    const bool handler =
        state_.packets != 0 && state_.packet_table[take_header(state_.header).entry] == state_.pc;
    if (handler)
        text += ", where the packet table leads";
    else if (state_.pc == state_.target)
        text += ", where " + text_of(branch_) + ports_.source(branch_) + " leads";
    bad(text);
}

// ---- an issue cycle -----------------------------------------------------------------------------

// One function for the compiler: an issue cycle is a few nanoseconds.
[[gnu::flatten]] bool Engine::step() {
    if (state_.leads == Leads::Packet && is_preempted()) {
        preempt();
        return true;
    }
    if (state_.pc >= section_words())
        leave_image();
    const Decoded& d = program_[state_.pc];
    if (d.row == nullptr && !fetch())
        return false;
    leads_ = Leads::On;  // what an issue cycle that has stopped left
    advance_ = 1;
    moves_ = moves_of(d);
    const bool skipped = d.repeats && !state_.repeating && state_.gpr[kRem] == 0;
    const bool looks = state_.leads == Leads::Packet && !state_.repeating;
    if (looks || d.takes) {
        Needs needs = skipped ? Needs{} : needs_of(d);
        const bool takes = needs.data != 0 && !d.peeks;
        if (looks)
            needs.data = std::max<uint8_t>(needs.data, 1);
        if (needs.any() && !ports_.ready(needs))
            return false;
        if (needs.data != 0)
            data_ = ports_.data(needs.data, takes);
        if (looks)
            state_.header = *data_;
        if ((needs.memory | needs.registers) != 0)
            read_ahead(needs);
    }
    if (!skipped)
        execute(d);
    state_.repeating = !skipped && d.repeats && state_.gpr[kRem] != 0;
    if (!state_.repeating)
        go_on();
    return true;
}

// The instruction at hand, which is not there; false: the engine waits for it.
bool Engine::fetch() {
    if (!has(state_.pc) && !ports_.fetch(state_.pc / kFetchWords * kFetchWords))
        return false;
    if (program_[state_.pc].row == nullptr)
        bad(hex(words_[state_.pc]) + " is no instruction", EngineFault::IllegalInstruction);
    return true;
}

// Extra moves: as many as words are left when the instruction itself has read its own, or when
// (rep) has counted it.
unsigned Engine::moves_of(const Decoded& d) const {
    if (d.extra_moves == 0)
        return 0;
    const unsigned reads = d.peeks ? 0 : d.data;
    const unsigned own = reads == 0 && d.repeats ? 1 : reads;
    return std::min<uint32_t>(d.extra_moves, state_.gpr[kRem] - own);
}

// What cread and load ask for must be known before words are taken.
void Engine::stop_if_place_is_read(const Decoded& d) {
    if (d.second < kMemData)
        return;
    fault_ = EngineFault::Unimplemented;
    throw MachineStop(StopKind::Unimplemented, where_and_context(),
                      std::string(d.row->name) + " of a place that it reads itself");
}

Needs Engine::needs_of(const Decoded& d) {
    Needs needs;
    const auto with_moves = [&](uint8_t own, uint8_t stream) {
        return static_cast<uint8_t>(own + (d.second == stream ? moves_ : 0));
    };
    needs.data = with_moves(d.data, kDataIn);
    if (d.peeks)  // the same word each time
        needs.data = std::min<uint8_t>(needs.data, 1);
    needs.memory = with_moves(d.memory, kMemData);
    needs.registers = with_moves(d.registers, kRegData);
    if (needs.registers != 0)
        needs.index = register_asked_for();
    if (d.asks)
        ask(d, needs);
    return needs;
}

// What is no word of a stream.
[[gnu::noinline]] void Engine::ask(const Decoded& d, Needs& needs) {
    if (d.op == Op::CRead) {
        stop_if_place_is_read(d);
        const uint32_t index = state_.gpr[d.second] + d.value;
        needs.live = index < kControlRegisters && map_.live(index);
        needs.address = index;
    }
    if (d.op == Op::Load) {
        stop_if_place_is_read(d);
        needs.load = true;
        needs.address = uint64_t{state_.control[map_.index_of(ControlRegister::LoadStoreHigh)]}
                            << 32 |
                        uint32_t(state_.gpr[d.second] + d.value);
    }
    if (d.op == Op::SetSecure) {
        needs.secure = true;
        needs.address = state_.gpr[d.first] & 1;
    }
}

void Engine::execute(const Decoded& d) {
    took_data_ = false;
    peeks_ = d.peeks;
    if (d.op >= Op::Add && d.op <= Op::Bfi)
        compute(d);
    else if (d.op >= Op::CRead && d.op <= Op::Store)
        place_access(d);
    else if (d.op != Op::Nop)
        flow(d);
    if (d.repeats && !took_data_)
        --state_.gpr[kRem];
}

void Engine::go_on() {
    ++state_.instructions;
    const Leads leads = state_.leads;
    const uint32_t target = state_.target;
    state_.leads = leads_;
    state_.target = target_;
    if (leads != Leads::On && (leads_ != Leads::On || advance_ != 1))
        bad("a branch in the delay slot of one that is taken is taken, too");
    if (leads == Leads::Branch)
        branch_ = state_.pc - 1;
    if (leads == Leads::Packet)
        begin_packet();
    else
        state_.pc = leads == Leads::Branch ? target : state_.pc + advance_;
}

// A handler that leaves words of its packet, or takes some of the next, brings what is no header
// before waitin. The delay slot has taken a word since.
std::string Engine::words_left_before() const {
    const auto left = static_cast<int32_t>(state_.gpr[kRem] + 1);
    if (!took_data_ || left == 0)
        return {};
    return "; $rem was " + std::to_string(left) + " in front of it";
}

void Engine::begin_packet() {
    const Pm4Header header = take_header(state_.header);
    ++state_.packets;
    if (header.error != nullptr)
        bad(header.error + words_left_before(), EngineFault::Opcode);
    const uint32_t handler = state_.packet_table[header.entry];
    if (handler == 0)
        bad("the packet table has no handler", EngineFault::Opcode);
    state_.gpr[kRem] = header.words;
    if (header.entry == kType4Entry)
        state_.gpr[kHeaderRegister] &= kWithoutType;
    state_.pc = handler;
}

// ---- registers ---------------------------------------------------------------------------------

uint32_t Engine::read(uint8_t source) {
    switch (source) {
        case kDataIn: {
            if (peeks_)
                return *data_;
            --state_.gpr[kRem];
            took_data_ = true;
            return *data_++;
        }
        case kMemData:
            return memory_word();
        case kRegData:
            return register_word();
        default:
            return state_.gpr[source];
    }
}

void Engine::write(uint8_t destination, uint32_t value) {
    switch (destination) {
        case 0:
            return;
        case kDataOut:
            return write_port(value);
        case kAddr:
        case kUsrAddr: {
            state_.gpr[destination] = value;
            if (spec_.data_out == DataOut::Queue)
                return;
            state_.port = destination;
            const uint32_t pipe = value >> kPipeShift;
            if (fires_[pipe])
                ports_.wrote_pipe(pipe, 0);
            return;
        }
        default:
            state_.gpr[destination] = value;
    }
}

// $data as a destination: the register that $addr or $usraddr names, whichever was written last.
void Engine::write_port(uint32_t value) {
    if (spec_.data_out == DataOut::Queue)
        return ports_.push(value);
    uint32_t& address = state_.gpr[state_.port];
    const uint32_t pipe = address >> kPipeShift;
    const bool increment = (address & kNoIncrement) == 0;
    const uint32_t index = address & kGpuIndexMask;
    if (increment)
        address += pipe != 0 ? 1u << kPipeShift : 1;
    if (pipe != 0)
        ports_.wrote_pipe(pipe, value);
    else
        ports_.write_gpu_register(
            index, value, state_.port == kUsrAddr ? RegisterPath::Packet : RegisterPath::Internal);
}

// The upper half of addresses of MEM_READ that a750 may take from another register; kNoOther.
uint64_t Engine::privileged_high() const {
    const uint32_t at = map_.index_of(ControlRegister::MemoryReadHighPrivileged);
    if (at == ControlMap::kNowhere || state_.control[at] >> 31 == 0)
        return kNoOther;
    return state_.control[at] & INT32_MAX;
}

uint64_t Engine::memory_address() const {
    const uint32_t at = map_.index_of(ControlRegister::MemoryReadAddress);
    const uint64_t other = privileged_high();
    const uint64_t high = other != kNoOther ? other : state_.control[at + 1];
    return high << 32 | state_.control[at];
}

uint64_t Engine::memory_place(unsigned word) const {
    return afuc::memory_place(memory_address(),
                              state_.control[map_.index_of(ControlRegister::MemoryReadDwords)],
                              privileged_high() != kNoOther, word);
}

// The next word of MEM_READ; when no more are asked for, the last place again.
uint32_t Engine::memory_word() {
    const uint32_t value = *memory_next_++;
    if (spec_.reads_nrt)
        return value;
    const uint32_t at = map_.index_of(ControlRegister::MemoryReadAddress);
    if (uint32_t& dwords = control(ControlRegister::MemoryReadDwords); dwords > 0) {
        --dwords;
        uint32_t& low = state_.control[at];
        low += 4;
        if (low < 4 && privileged_high() == kNoOther)
            ++state_.control[at + 1];
    }
    return value;
}

// Of a5xx, whose ME reads the register that $addr names, there is no REG_READ.
uint32_t Engine::register_index() const {
    const uint32_t at = map_.index_of(ControlRegister::RegisterReadAddress);
    return (at == ControlMap::kNowhere ? state_.gpr[kAddr] : state_.control[at]) & kGpuIndexMask;
}

[[gnu::noinline]] uint32_t Engine::register_asked_for() const {
    return register_index() | (register_stays() ? kNoIncrement : 0);
}

bool Engine::register_stays() const {
    return map_.index_of(ControlRegister::RegisterReadAddress) == ControlMap::kNowhere &&
           (state_.gpr[kAddr] & kNoIncrement) != 0;
}

uint32_t Engine::register_place(unsigned word) const {
    const uint32_t at = map_.index_of(ControlRegister::RegisterReadDwords);
    const uint32_t own = register_stays() ? 0 : UINT32_MAX;
    const uint32_t left = at == ControlMap::kNowhere ? own : state_.control[at];
    return word_place(register_index(), left, word, 1) & kGpuIndexMask;
}

// An issue cycle reads what stood there before it, regardless of where it writes.
void Engine::read_ahead(const Needs& needs) {
    memory_next_ = memory_words_.data();
    register_next_ = register_words_.data();
    for (unsigned i = 0; i < needs.memory; ++i)
        memory_words_[i] = ports_.memory(spec_.reads_nrt ? 0 : memory_place(i));
    for (unsigned i = 0; i < needs.registers; ++i)
        register_words_[i] = ports_.gpu_register(register_place(i));
}

// Likewise of registers.
uint32_t Engine::register_word() {
    const uint32_t value = *register_next_++;
    if (map_.index_of(ControlRegister::RegisterReadAddress) == ControlMap::kNowhere) {
        uint32_t& address = state_.gpr[kAddr];
        address += (address & kNoIncrement) == 0 ? 1 : 0;
    } else if (uint32_t& dwords = control(ControlRegister::RegisterReadDwords); dwords > 0) {
        --dwords;
        ++control(ControlRegister::RegisterReadAddress);
    }
    return value;
}

// ---- ALU ---------------------------------------------------------------------------------------

uint32_t Engine::result_of(const Decoded& d, uint32_t a, uint32_t b) {
    switch (d.op) {
        case Op::Add:
            state_.carry = a + b < a ? 1 : 0;
            return a + b;
        case Op::AddHi:
        case Op::SubHi:
            return (d.op == Op::AddHi ? a + b : a - b) + state_.carry;
        case Op::Sub:
            state_.carry = a < b ? UINT32_MAX : 0;
            return a - b;
        case Op::And:
            return a & b;
        case Op::Or:
            return a | b;
        case Op::Xor:
            return a ^ b;
        case Op::Not:
            return ~b;
        case Op::Shl:
            return b < 32 ? a << b : 0;
        case Op::Ushr:
            return b < 32 ? a >> b : 0;
        case Op::Ishr:
            return static_cast<uint32_t>(static_cast<int32_t>(a) >> std::min(b, 31u));
        case Op::Rot:
            return rotate_left(a, b);
        case Op::Mul8:
            return (a & 0xFF) * (b & 0xFF);
        case Op::Min:
            return std::min(a, b);
        case Op::Max:
            return std::max(a, b);
        case Op::Cmp:
            return a > b ? kGreater : a == b ? kEqual : kLess;
        case Op::Bic:
            return a & ~b;
        case Op::Msb:
            return b == 0 ? 0 : 31 - static_cast<uint32_t>(__builtin_clz(b));
        case Op::Mov:
            return b;
        case Op::SetBit: {
            const uint32_t bit = 1u << (d.bit ? d.low : b >> 1 & 31);
            return d.bit || (b & 1) != 0 ? a | bit : a & ~bit;
        }
        case Op::ClrBit:
            return a & ~(1u << d.low);
        case Op::Ubfx:
            return a >> d.low & mask_of(d.high - d.low + 1u);
        default: {  // Bfi
            const uint32_t field = mask_of(d.high - d.low + 1u);
            return state_.gpr[d.destination] | (a & field) << d.low;
        }
    }
}

void Engine::compute(const Decoded& d) {
    const uint32_t a = read(d.first);
    const uint32_t b = d.immediate ? d.value : read(d.second);
    write(d.destination, result_of(d, a, b));
    if (moves_ != 0)
        extra_moves(d);
}

// The second source again, to the port; the second of three to the destination. To nowhere when the
// destination is not one of the port's registers. Each counts $rem down, as a read of $data does.
void Engine::extra_moves(const Decoded& d) {
    const bool counts = d.second != kDataIn || d.peeks;
    for (unsigned i = 0; i < moves_; ++i) {
        state_.gpr[kRem] -= counts ? 1 : 0;
        const uint32_t value = read(d.second);
        if (is_port(d.destination))
            write(moves_ == 3 && i == 1 ? d.destination : static_cast<uint8_t>(kDataOut), value);
    }
}

// ---- flow --------------------------------------------------------------------------------------

void Engine::take(Leads leads, uint32_t target) {
    leads_ = leads;
    target_ = target;
}

// Between packets, where handlers' registers are free: a packet is waited for, and its header has
// not been looked at.
bool Engine::is_preempted() {
    if (map_.index_of(ControlRegister::PreemptEnable) == ControlMap::kNowhere ||
        (control(ControlRegister::PreemptEnable) & 1) == 0 || state_.preempting ||
        state_.repeating || state_.sqe[kSqeStackPointer] >= kStackDepth)
        return false;
    return (control(ControlRegister::PreemptTrigger) & 1) != 0 || ports_.preempts();
}

// iret comes back to the waitin before this delay slot.
void Engine::preempt() {
    call(state_.pc - 1);
    state_.leads = Leads::On;
    state_.pc = state_.sqe[kSqePreempt];
    state_.preempting = true;
    ports_.preempted();
}

void Engine::call(uint32_t returns_to) {
    uint32_t& entries = state_.sqe[kSqeStackPointer];
    if (entries >= kStackDepth)
        bad("more than 8 calls within each other");
    state_.sqe[kSqeStack + entries++] = returns_to;
}

uint32_t Engine::pop_return() {
    uint32_t& entries = state_.sqe[kSqeStackPointer];
    if (entries == 0 || entries > kStackDepth)
        bad("returns with " + std::to_string(entries) + " return addresses");
    return state_.sqe[kSqeStack + --entries];
}

void Engine::end_preemption() {
    if (!state_.preempting)
        bad("nothing has been preempted");
    take(Leads::Branch, pop_return());
    state_.preempting = false;
}

// Without a delay slot: the two instructions after it are for what has been refused.
void Engine::set_secure(bool on) {
    if (!ports_.set_secure(on))
        return;
    advance_ = 3;
    if (map_.index_of(ControlRegister::SecureMode) != ControlMap::kNowhere)
        control(ControlRegister::SecureMode) = on ? 1 : 0;
}

void Engine::flow(const Decoded& d) {
    switch (d.op) {
        case Op::BrNe:
        case Op::BrEq: {
            const uint32_t value = read(d.first);
            const bool equal = d.bit ? (value >> d.low & 1) != 0 : value == d.value;
            if (equal == (d.op == Op::BrEq))
                take(Leads::Branch, target_of(d));
            return;
        }
        case Op::Jump:
            return take(Leads::Branch, d.row->operands[0].kind == Operand::Kind::Source
                                           ? read(d.first)
                                           : target_of(d));
        case Op::Call:
            call(state_.pc + 2);
            return take(Leads::Branch, target_of(d));
        case Op::BranchLink:
            state_.gpr[kLr] = state_.pc + 2;
            return take(Leads::Branch, target_of(d));
        case Op::Ret:
            return take(Leads::Branch, pop_return());
        case Op::SRet:
            return take(Leads::Branch, state_.gpr[kLr]);
        case Op::IRet:
            return end_preemption();
        case Op::SetSecure:
            return set_secure((read(d.first) & 1) != 0);
        default:  // WaitIn
            return take(Leads::Packet, 0);
    }
}

}  // namespace archipelago::afuc
