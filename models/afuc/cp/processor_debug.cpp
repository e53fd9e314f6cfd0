// SPDX-License-Identifier: Apache-2.0
// What debug_registers() show of an engine, in both modes.
#include <algorithm>

#include "models/afuc/cp/processor.h"

namespace archipelago::afuc {
namespace {

// Sections of the window of microcode, from a6xx on. What the others have is not public.
enum Section : uint8_t { kInstructions = 0, kPacketTable = 4, kScratch = 5, kControl = 7 };
constexpr uint32_t kSectionShift = 12;
// Control registers that are private scratch.
struct Scratch {
    uint32_t first, words;
};
constexpr Scratch kScratchOfAll = {0x100, 0x80}, kScratchOfA750 = {0x400, 0x200};
// Of a7xx: where drivers look for CP_ROQ_THRESHOLDS_2, which they cannot read themselves.
constexpr uint32_t kThresholds2 = 0x0D3;
constexpr uint32_t kDrawStateWords = 8;

uint32_t half(uint64_t value, uint32_t upper) {
    return static_cast<uint32_t>(value >> 32 * upper);
}

}  // namespace

Processor::BufferView Processor::buffer_to_show(Stream stream) const {
    if (const std::optional<unsigned> level = level_of(names_, stream)) {
        const LevelsState::Level& l = levels_.level[*level];
        return {l.base, l.end, l.position};
    }
    if (engine() == nullptr)
        return {};
    const uint32_t left =
        engine()->state().control[map_.index_of(ControlRegister::MemoryReadDwords)];
    return {engine()->memory_address(), left, 0};
}

// Where the next word of a stream is in its part of the ROQ.
uint32_t Processor::place_in_part(Stream stream) const {
    const uint32_t dwords = roq_.part(stream).dwords;
    if (dwords == 0)
        return 0;
    if (const std::optional<unsigned> level = level_of(names_, stream))
        return levels_.level[*level].position % dwords;
    return engine() != nullptr ? half(engine()->memory_address() / 4, 0) % dwords : 0;
}

uint32_t Processor::roq_word(uint32_t place, const std::vector<uint32_t>& queued) const {
    const std::optional<Stream> stream = roq_.at(place);
    if (!stream)
        return 0;
    const RoqLayout::Part& part = roq_.part(*stream);
    const uint32_t ahead =
        (place - part.first + part.dwords - place_in_part(*stream)) % part.dwords;
    return ahead < queued.size() ? queued[ahead] : 0;
}

uint32_t Processor::microcode_word(uint32_t at, const EngineState& state) const {
    const auto instruction = [this](uint32_t pc) {
        return pc < engine()->section_words() && engine()->has(pc) ? engine()->word_at(pc) : 0;
    };
    if (names_ == Names::A5xx)
        return instruction(at);
    const uint32_t word = at & ((1u << kSectionShift) - 1);
    const Scratch scratch = names_ == Names::A750 ? kScratchOfA750 : kScratchOfAll;
    switch (at >> kSectionShift) {
        case kInstructions:
            return instruction(word);
        case kPacketTable:
            return state.packet_table[word % kTableWords];
        case kScratch:
            return state.control[scratch.first + word % scratch.words];
        case kControl:
            if (names_ == Names::A6xx)
                return 0;
            return word == kThresholds2 ? roq_.thresholds(names_)[1] : state.control[word];
        default:
            return 0;
    }
}

uint32_t Processor::draw_state_word(uint32_t at, const EngineState& state) const {
    if (at / kDrawStateWords >= kDrawStates)
        return 0;
    const uint32_t group = at / kDrawStateWords;
    const DrawState& d = state.draw_states[group];
    const uint32_t words[] = {d.header,      d.base[0],     d.base[1],
                              d.sds_base[0], d.sds_base[1], d.sds_dwords};
    return at % kDrawStateWords < std::size(words) ? words[at % kDrawStateWords] : 0;
}

uint32_t Processor::debug_value(const DebugRead& read, std::vector<uint32_t> queued) const {
    const DebugRegister& reg = *read.reg;
    if (const std::optional<Stream> stream = stream_of(roq_, read);
        stream && reg.shown != Shown::Meq)
        queued.resize(std::min<size_t>(queued.size(), roq_.part(*stream).dwords));
    const auto count = static_cast<uint32_t>(queued.size());
    switch (reg.shown) {
        case Shown::Base:
            return half(buffer_to_show(reg.stream).base, read.at);
        case Shown::Size:
            return buffer_to_show(reg.stream).dwords;
        case Shown::NotTaken:
        case Shown::NotFetched:
            return buffer_to_show(reg.stream).left() - (reg.shown == Shown::NotFetched ? count : 0);
        case Shown::Queued:
            return count << 16;
        case Shown::QueuePointers: {
            const uint32_t next = place_in_part(reg.stream);
            const uint32_t dwords = std::max(roq_.part(reg.stream).dwords, 1u);
            return next | (next + count) % dwords << 16;
        }
        case Shown::Roq:
            return roq_word(read.at, queued);
        case Shown::Meq:
            return read.at < count ? queued[read.at] : 0;
        default:
            return engine() != nullptr ? engine_word(read) : twin_word(read);
    }
}

// $01 has the header, as handlers find it.
uint32_t Processor::twin_word(const DebugRead& read) const {
    if (read.reg->shown != Shown::Status || read.at > 1)
        return 0;
    return read.at == 0 ? pc() : header();
}

uint32_t Processor::engine_word(const DebugRead& read) const {
    const EngineState& state = engine()->state();
    switch (read.reg->shown) {
        case Shown::Status:
            return read.at == 0 ? pc() : read.at < kRegisters ? state.gpr[read.at] : 0;
        case Shown::Microcode:
            return microcode_word(read.at, state);
        case Shown::DrawStates:
            return draw_state_word(read.at, state);
        default:
            return 0;
    }
}

}  // namespace archipelago::afuc
