// SPDX-License-Identifier: Apache-2.0
// Elements of a quad: as memory has them, one after the other, and as registers do, by channel.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/ctm/isa/thread.h"

namespace archipelago::ctm {

// c0 to c3 of an element in a register of the host, and those of each lane of a quad.
using FourChannels = uint32_t __attribute__((vector_size(16)));
using QuadElements = std::array<FourChannels, 4>;

// To lanes from `first` on.
inline void put_quad(const QuadElements& v, unsigned first, isa::Register& to) {
    const FourChannels low01 = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const FourChannels low23 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const FourChannels high01 = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const FourChannels high23 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    const QuadElements channel = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                                  __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                                  __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                                  __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (unsigned c = 0; c < isa::kChannels; ++c)
        std::memcpy(&to[c].lane[first], &channel[c], sizeof channel[c]);
}
// Of lanes as channels of messages have them.
inline void put_quad(const std::array<std::array<uint32_t, 4>, 4>& value, unsigned first,
                     isa::Register& to) {
    QuadElements v;
    static_assert(sizeof v == sizeof value);
    std::memcpy(v.data(), value.data(), sizeof v);
    put_quad(v, first, to);
}

}  // namespace archipelago::ctm
