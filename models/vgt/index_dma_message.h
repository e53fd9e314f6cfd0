// SPDX-License-Identifier: Apache-2.0
// What the vertex grouper (VGT) tells its index DMA unit, and what it gets.
// "Radeon Southern Islands Acceleration" 2.5.1, 2.5.11.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::vgt {

// Fetches the indices of one draw. Fields of registers as they are there.
struct IndexCommand {
    uint64_t base = 0;      // VGT_DMA_BASE_HI, VGT_DMA_BASE: byte address, 48 bits
    uint32_t count = 0;     // VGT_DMA_SIZE: indices
    uint32_t max_size = 0;  // VGT_DMA_MAX_SIZE: indices from this number on read as 0
    uint8_t type = 0;       // VGT_DMA_INDEX_TYPE.INDEX_TYPE: 0 16 bits, 1 32 bits
    uint8_t swap = 0;       // VGT_DMA_INDEX_TYPE.SWAP_MODE: IndexSwap
    uint8_t vmid = 0;
    uint32_t draw = 0;   // number of the draw; returned with its indices and in stops
    uint16_t place = 0;  // RegRequest::place of the draw's initiator
};

// VGT_DMA_SWAP_MODE. Bytes change places within the aligned dwords of memory, regardless of the
// size of the indices.
enum class IndexSwap : uint8_t {
    None,
    In16,   // VGT_DMA_SWAP_16_BIT: the bytes of each half
    In32,   // VGT_DMA_SWAP_32_BIT: all four
    Words,  // VGT_DMA_SWAP_WORD: the halves
};

// Indices of one draw, in order. A group ends where a line of memory, max_size or the draw does.
struct IndexGroup {
    static constexpr unsigned kMax = 8;
    std::array<uint32_t, kMax> index{};  // from element 0 on; the others are 0
    uint8_t count = 0;                   // 0: the draw has none
    bool last = false;                   // of the draw: one group of each draw is
    bool beyond = false;                 // all lie at or beyond max_size
    uint32_t draw = 0;
};

}  // namespace archipelago::vgt
