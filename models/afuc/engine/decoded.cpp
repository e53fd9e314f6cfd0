// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/engine/decoded.h"

#include "models/afuc/isa/image.h"

namespace archipelago::afuc {
namespace {

using Kind = Operand::Kind;

void take_operand(const Operand& o, uint32_t word, unsigned& sources, Decoded& d) {
    const auto field = o.in(word);
    switch (o.kind) {
        case Kind::None:
            return;
        case Kind::Secure:
            d.first = kSecureRegister;
            return;
        case Kind::Destination:
            d.destination = static_cast<uint8_t>(field);
            return;
        case Kind::Source:
            (sources++ == 0 ? d.first : d.second) = static_cast<uint8_t>(field);
            return;
        case Kind::Immediate:
            d.immediate = true;
            d.value = field;
            return;
        case Kind::Shift:
            d.value <<= field;
            return;
        case Kind::Bit:
            d.bit = true;
            (o.lsb == 5 ? d.high : d.low) = static_cast<uint8_t>(field);
            return;
        case Kind::ControlPlace:
        case Kind::SqePlace:
        case Kind::MemoryPlace:
            d.value = field;
            d.second = static_cast<uint8_t>(kPlaceRegister.in(word));
            d.pre_increment = (word & kPreIncrementBit) != 0;
            return;
        case Kind::Relative:
            d.target = static_cast<int16_t>(field);
            return;
        case Kind::Absolute:
            d.target = static_cast<int32_t>(field);
            d.absolute = true;
            return;
    }
}

void count_reads(uint8_t source, unsigned times, Decoded& d) {
    if (source < kMemData)
        return;
    uint8_t& count = source == kDataIn ? d.data : source == kMemData ? d.memory : d.registers;
    count = static_cast<uint8_t>(count + times);
}

}  // namespace

Decoded decode_word(Encoding encoding, uint32_t word) {
    Decoded d;
    d.row = decode(encoding, word);
    if (d.row == nullptr) {
        // What has a NOP's high byte does nothing, regardless of its payload.
        if (is_payload(encoding, word))
            d.row = decode(encoding, nop(encoding));
        return d;
    }
    d.op = d.row->op;
    d.repeats = (d.row->modifiers & kRep) != 0 && (word & kRepBit) != 0;
    d.peeks = (d.row->modifiers & kPeek) != 0 && (word & kPeekBit) != 0;
    if ((d.row->modifiers & kXmov) != 0)
        d.extra_moves = static_cast<uint8_t>(kXmovField.in(word));
    if ((d.row->modifiers & kSds) != 0)
        d.extra_reads = static_cast<uint8_t>(kSdsField.in(word));
    unsigned sources = 0;
    for (const Operand& o : d.row->operands)
        take_operand(o, word, sources, d);
    // One source is the second, which extra moves repeat.
    const bool alu = (d.row->modifiers & kXmov) != 0;
    if (alu && sources == 1) {
        d.second = d.first;
        d.first = 0;
    }
    count_reads(d.first, 1 + d.extra_reads, d);
    if (!d.immediate)
        count_reads(d.second, 1, d);
    d.asks = d.op == Op::CRead || d.op == Op::Load || d.op == Op::SetSecure;
    d.takes = d.asks || (d.data | d.memory | d.registers) != 0;
    return d;
}

std::vector<Decoded> decode_words(Encoding encoding, const uint32_t* words, uint32_t count) {
    std::vector<Decoded> all;
    all.reserve(count);
    for (uint32_t i = 0; i < count; ++i)
        all.push_back(decode_word(encoding, words[i]));
    return all;
}

}  // namespace archipelago::afuc
