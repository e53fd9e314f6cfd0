// SPDX-License-Identifier: Apache-2.0
// Lists of fields made of others that several packets share.
#pragma once

#include <array>

#include "models/dma/packet.h"

namespace archipelago::dma {

template <size_t A, size_t B>
constexpr std::array<PacketField, A + B> join(const std::array<PacketField, A>& first,
                                              const std::array<PacketField, B>& second) {
    std::array<PacketField, A + B> list{};
    for (size_t i = 0; i < A; ++i)
        list[i] = first[i];
    for (size_t i = 0; i < B; ++i)
        list[A + i] = second[i];
    return list;
}

}  // namespace archipelago::dma
