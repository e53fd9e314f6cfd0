// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/element_format.h"

#include <cmath>
#include <cstring>

namespace archipelago::ctm {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are little-endian");

uint32_t bits_of(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// value / most, rounded once.
uint32_t from_fixed(uint32_t value, uint32_t most) {
    return bits_of(static_cast<float>(value) / static_cast<float>(most));
}

struct ByteTable {
    std::array<uint32_t, 256> bits{};
    ByteTable() {
        for (uint32_t n = 0; n < 256; ++n)
            bits[n] = from_fixed(n, 255);
    }
};
const ByteTable kBytes;

// The nearest number of `most` steps from 0 to 1, the even one of two; NaN is 0. The product is
// exact: 24 bits by 16.
uint32_t to_fixed(uint32_t bits, uint32_t most) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!(value > 0.0F))
        return 0;
    if (value >= 1.0F)
        return most;
    return static_cast<uint32_t>(std::nearbyint(static_cast<double>(value) * most));
}

uint32_t half_word(const uint8_t* at) {
    return at[0] | static_cast<uint32_t>(at[1]) << 8;
}
uint32_t word(const uint8_t* at) {
    uint32_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return bits;
}

}  // namespace

void unpack(Format format, const uint8_t* element, Channels& value) {
    switch (format) {
        case Format::Float32x4:
            std::memcpy(value.data(), element, sizeof value);
            return;
        case Format::Float32x2:
            value = {word(element), word(element + 4), 0, kFloatOne};
            return;
        case Format::Uint8x4:
            for (unsigned c = 0; c < 4; ++c)
                value[c] = kBytes.bits[element[c]];
            return;
        default:
            value = {unpack_first(format, element), 0, 0, kFloatOne};
    }
}

uint32_t unpack_first(Format format, const uint8_t* element) {
    switch (format) {
        case Format::Uint16x1:
            return from_fixed(half_word(element), 0xffff);
        case Format::Uint8x4:
        case Format::OneByte:
            return kBytes.bits[*element];
        default:
            return word(element);
    }
}

uint32_t pack(Format format, const Channels& value, unsigned which, uint8_t* element) {
    uint32_t written = 0;
    const unsigned count = channels_of(format);
    const unsigned bytes = (1u << format_info(format).log2_bytes) / count;  // of a channel
    for (unsigned c = 0; c < count; ++c) {
        if ((which >> c & 1) == 0)
            continue;
        const uint32_t stored = bytes == 4 ? value[c] : to_fixed(value[c], (1u << 8 * bytes) - 1);
        std::memcpy(element + size_t{c} * bytes, &stored, bytes);
        written |= ((1u << bytes) - 1) << c * bytes;
    }
    return written;
}

}  // namespace archipelago::ctm
