// SPDX-License-Identifier: Apache-2.0
// Instructions and constants come from the memory controller.
#include "models/ctm/dpp/dpp_core.h"

namespace archipelago::ctm::dpp {
namespace {

// WordsRequest::tag of an instruction: slot, and the thread's generation.
constexpr unsigned kGenerationShift = 16;

}  // namespace

void DppCore::request(Words kind, uint16_t index, uint32_t tag) {
    state_.words[kind].push_back({kWordsClient[kind], index, tag});
    state_.words_unsent |= 1u << kind;
    ++state_.words_left;
}

bool DppCore::send_words(Cycle now) {
    bool moved = false;
    for (unsigned kind = 0; kind < kWordsKinds; ++kind) {
        auto& queue = state_.words[kind];
        if (queue.empty() || !to_words[kind]->can_push(now))
            continue;
        to_words[kind]->push(now, queue.front());
        queue.pop_front();
        if (queue.empty())
            state_.words_unsent &= ~(1u << kind);
        moved = true;
    }
    return moved;
}

bool DppCore::take_words(Cycle now) {
    bool moved = false;
    for (unsigned kind = 0; kind < kWordsKinds; ++kind) {
        Channel<WordsResponse>& in = words_in[kind];
        if (!has(kWordsIn + kind) || !in.can_pop(now))
            continue;
        const WordsResponse response = in.pop(now);
        --state_.words_left;
        if (kind == kInstructionWords)
            take_instruction(response, now);
        else
            take_constant(static_cast<Words>(kind), response, now);
        moved = true;
    }
    return moved;
}

// ---- instructions -------------------------------------------------------------------------------

// Asks for the instruction after those of the buffer. Nothing is asked for that the program might
// not have: memory need not be mapped after its end.
void DppCore::fetch(unsigned slot) {
    Slot& t = state_.slots[slot];
    const unsigned pc = t.buffer_pc + t.buffered;
    const bool may_follow = t.buffered == 0 || t.buffer[t.buffered - 1u]->falls_through;
    if (t.fetching || t.buffered == spec_.instruction_buffer || !may_follow ||
        pc >= isa::kMaxInstructions)
        return;
    t.fetching = true;
    ++state_.counters.fetches;
    request(kInstructionWords, static_cast<uint16_t>(pc),
            slot | uint32_t{t.generation} << kGenerationShift);
}

void DppCore::take_instruction(const WordsResponse& response, Cycle now) {
    const unsigned slot = response.tag & ((1u << kGenerationShift) - 1);
    Slot& t = state_.slots[slot];
    if (t.phase == Phase::Free || t.generation != response.tag >> kGenerationShift) {
        ++state_.counters.fetches_dropped;
        return;
    }
    t.fetching = false;
    t.buffer[t.buffered++] = &decode_->get(response.words);
    fetch(slot);
    if (waits(slot, ThreadTime::Fetch))
        prepare(slot, now);
}

// After the program counter has moved.
void DppCore::advance(unsigned slot) {
    Slot& t = state_.slots[slot];
    const unsigned pc = state_.regs[slot].pc;
    invariant(pc < isa::kMaxInstructions, name_, "a thread past the last instruction of a program");
    const unsigned skipped = pc - t.buffer_pc;  // more than there are: also of a jump backwards
    if (skipped < t.buffered || (skipped == t.buffered && t.fetching)) {
        t.buffered = static_cast<uint8_t>(t.buffered - skipped);
        for (unsigned i = 0; i < t.buffered; ++i)
            t.buffer[i] = t.buffer[i + skipped];
    } else {
        t.buffered = 0;
        t.fetching = false;
        ++t.generation;
    }
    t.buffer_pc = static_cast<uint16_t>(pc);
    t.constants_known = false;
    fetch(slot);
}

// ---- constants ----------------------------------------------------------------------------------

// Whether the array has all that the instruction needs; asks for what it has not.
bool DppCore::constants_there(unsigned slot, const Decoded& d) {
    Slot& t = state_.slots[slot];
    if (!t.constants_known) {
        t.constants_known = true;
        t.needs = needs_of(d, state_.regs[slot]);
        t.constants_left = static_cast<uint8_t>((1u << t.needs.float_count) - 1u);
        t.constants_left |= t.needs.integer ? kIntegerLeft : 0;
        t.constants_left |= t.needs.boolean ? kBooleanLeft : 0;
    }
    if (t.constants_left == 0)
        return true;
    unsigned left = 0;
    for (unsigned i = 0; i < t.needs.float_count; ++i)
        if ((t.constants_left >> i & 1) != 0) {
            const Constant* c = find_constant(slot, kFloatWords, t.needs.floats[i]);
            if (c == nullptr)
                left |= 1u << i;
            else
                set_float(c->words.data(), t.values.floats[i]);
        }
    if ((t.constants_left & kIntegerLeft) != 0) {
        const Constant* c = find_constant(slot, kIntegerWords, t.needs.integer_index);
        if (c == nullptr)
            left |= kIntegerLeft;
        else
            set_integer(c->words.data(), t.values.integer);
    }
    if ((t.constants_left & kBooleanLeft) != 0) {
        const Constant* c = find_constant(slot, kBooleanWords, t.needs.boolean_index);
        if (c == nullptr)
            left |= kBooleanLeft;
        else
            t.values.boolean = boolean_of(c->words.data());
    }
    t.constants_left = static_cast<uint8_t>(left);
    return left == 0;
}

// Null when it is not there: then the thread is looked at again when it has come.
const Constant* DppCore::find_constant(unsigned slot, Words kind, unsigned index) {
    Constant& c = state_.constants[kind][index % state_.constants[kind].size()];
    const uint32_t program = state_.slots[slot].program;
    if (c.status == Constant::Status::There && c.program == program)
        return &c;
    c.waiting.add(slot);
    if (c.status != Constant::Status::Requested) {
        c.status = Constant::Status::Requested;
        c.program = program;
        ++state_.counters.constants_read;
        request(kind, static_cast<uint16_t>(index), index);
    }
    return nullptr;
}

void DppCore::take_constant(Words kind, const WordsResponse& response, Cycle now) {
    Constant& c = state_.constants[kind][response.tag];
    c.status = Constant::Status::There;
    for (unsigned i = 0; i < c.words.size(); ++i)
        c.words[i] = response.words[i];
    SlotSet waiting = c.waiting;
    c.waiting = {};
    waiting.take_all([&](unsigned slot) {
        if (waits(slot, ThreadTime::Constant))
            prepare(slot, now);
    });
}

}  // namespace archipelago::ctm::dpp
