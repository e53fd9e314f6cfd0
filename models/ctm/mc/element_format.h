// SPDX-License-Identifier: Apache-2.0
// Elements in memory and in registers: formats of the ATI CTM Guide 1.01, section 2.2.2, and four
// channels of bits of floats. Pure functions.
//
// Channels lie at rising addresses, little-endian. UINT formats are fixed point numbers of 0 to 1
// as R5xx samples them; FLOAT32 keeps bits either way. DECISIONS.md has what the guide leaves open.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "models/ctm/mc/address.h"
#include "models/ctm/messages.h"

namespace archipelago::ctm {

using Channels = std::array<uint32_t, 4>;  // c0 to c3: bits of floats

constexpr uint32_t kFloatOne = 0x3f800000;
constexpr unsigned kMaxElementBytes = 16;

// How many channels an element has. Not for reserved formats.
constexpr unsigned channels_of(Format format) {
    switch (format) {
        case Format::Uint8x4:
        case Format::Float32x4:
            return 4;
        case Format::Float32x2:
            return 2;
        default:
            return 1;
    }
}

// value / most, rounded once: bits of a float.
uint32_t from_fixed(uint32_t value, uint32_t most);
using ByteTable = std::array<uint32_t, 256>;
extern const ByteTable kUnit8;  // n / 255

template <class Word>
Word load(const uint8_t* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// What a read of an element returns; the channels it does not have are 0, 0, 1.
template <Format F>
FourChannels unpack_as(const uint8_t* element) {
    if constexpr (F == Format::Float32x4)
        return load<FourChannels>(element);
    else if constexpr (F == Format::Uint8x4)
        return FourChannels{kUnit8[element[0]], kUnit8[element[1]], kUnit8[element[2]],
                            kUnit8[element[3]]};
    else if constexpr (F == Format::Float32x2)
        return FourChannels{load<uint32_t>(element), load<uint32_t>(element + 4), 0, kFloatOne};
    else if constexpr (F == Format::Uint16x1)
        return FourChannels{from_fixed(load<uint16_t>(element), 0xffff), 0, 0, kFloatOne};
    else if constexpr (F == Format::OneByte)
        return FourChannels{kUnit8[*element], 0, 0, kFloatOne};
    else
        return FourChannels{load<uint32_t>(element), 0, 0, kFloatOne};
}

// Calls `as` with the format as a type's value; reserved ones as Float32x1.
template <class As>
void with_format(Format format, const As& as) {
    switch (format) {
        case Format::Uint16x1:
            return as(std::integral_constant<Format, Format::Uint16x1>());
        case Format::Uint8x4:
            return as(std::integral_constant<Format, Format::Uint8x4>());
        case Format::Float32x2:
            return as(std::integral_constant<Format, Format::Float32x2>());
        case Format::Float32x4:
            return as(std::integral_constant<Format, Format::Float32x4>());
        case Format::OneByte:
            return as(std::integral_constant<Format, Format::OneByte>());
        default:
            return as(std::integral_constant<Format, Format::Float32x1>());
    }
}

// The first channel, which is all a 2x2 read takes of an element.
uint32_t unpack_first(Format format, const uint8_t* element);
// Writes those channels of `which` (bit c: channel c) that the format has; returns the bytes
// written, bit n: byte n.
uint32_t pack(Format format, const Channels& value, unsigned which, uint8_t* element);

}  // namespace archipelago::ctm
