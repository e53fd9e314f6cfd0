// SPDX-License-Identifier: Apache-2.0
// Lists of fields made of others that several packets share.
#pragma once

#include <array>
#include <cstddef>

#include "models/front/packet_field.h"

namespace archipelago::front {

template <std::size_t A, std::size_t B>
constexpr std::array<PacketField, A + B> join(const std::array<PacketField, A>& first,
                                              const std::array<PacketField, B>& second) {
    std::array<PacketField, A + B> list{};
    for (std::size_t i = 0; i < A; ++i)
        list[i] = first[i];
    for (std::size_t i = 0; i < B; ++i)
        list[A + i] = second[i];
    return list;
}

}  // namespace archipelago::front
