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

}  // namespace

const ByteTable kUnit8 = [] {
    ByteTable table;
    for (uint32_t n = 0; n < table.size(); ++n)
        table[n] = from_fixed(n, 255);
    return table;
}();

uint32_t from_fixed(uint32_t value, uint32_t most) {
    return bits_of(static_cast<float>(value) / static_cast<float>(most));
}

uint32_t unpack_first(Format format, const uint8_t* element) {
    switch (format) {
        case Format::Uint16x1:
            return from_fixed(load<uint16_t>(element), 0xffff);
        case Format::Uint8x4:
        case Format::OneByte:
            return kUnit8[*element];
        default:
            return load<uint32_t>(element);
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
