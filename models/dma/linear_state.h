// SPDX-License-Identifier: Apache-2.0
// All that the linear datapath of an async DMA engine keeps.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/common/memory_message.h"
#include "models/dma/transfer.h"

namespace archipelago::dma {

struct LinearState {
    static constexpr unsigned kBuffer = 256;      // bytes
    static constexpr unsigned kMaxPieces = 4096;  // of the source, that wait for their lines

    struct Slot {  // a line that is read
        uint64_t line = 0;
        Line data{};
        bool arrived = false;
        uint16_t pieces = 0;  // not taken yet
    };
    struct Piece {  // of the source, in its order
        uint16_t slot = 0;
        uint8_t offset = 0;
        uint8_t bytes = 0;
    };
    struct OpenLine {  // of a target
        uint64_t line = 0;
        uint64_t mask = 0;
        Line data{};
    };
    bool active = false;
    // The transfer at work.
    MadeBytes made;
    uint64_t bytes = 0;  // of a source that is made
    unsigned target_count = 1;
    std::vector<Slot> slots;
    std::vector<uint16_t> free_slots;
    std::deque<uint16_t> recent;  // slots requested last, which further pieces may be in
    std::deque<Piece> pieces;
    // What is read and not written by every target: bytes first_byte..end_byte of the transfer.
    std::array<uint8_t, kBuffer> buffer{};
    uint64_t first_byte = 0, end_byte = 0;
    std::array<uint64_t, 2> position{};  // bytes put, by target
    std::deque<OpenLine> open;           // oldest first
    uint32_t writes_in_flight = 0;
    bool writing = false;     // whose burst it is
    unsigned burst_left = 0;  // messages
};

}  // namespace archipelago::dma
