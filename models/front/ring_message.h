// SPDX-License-Identifier: Apache-2.0
// What the registers, the fetch and the parser of an engine that reads rings say to each other.
// `swap` is a code of swap.h, `level` 0 the ring, 1 and above the buffers nested in it; pointers
// count dwords from the start of the ring.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::front {

// A ring as its registers describe it.
struct RingConfig {
    uint64_t base = 0;    // bytes
    uint32_t dwords = 0;  // size; 0 while never set up
    uint8_t vmid = 0;
    uint8_t swap = 0;
    bool enabled = false;  // off while the host sets its read pointer
};

// Registers -> fetch and parser: a ring was set up, reset, or has a new write pointer.
struct RingUpdate {
    uint8_t ring = 0;
    bool reset = false;  // read pointer back to `read_pointer`
    uint32_t read_pointer = 0;
    uint32_t write_pointer = 0;
    RingConfig config;
};

// Parser -> fetch: read this indirect buffer.
struct FetchCommand {
    uint8_t ring = 0;
    uint8_t level = 1;
    uint8_t vmid = 0;
    uint8_t swap = 0;
    uint64_t base = 0;  // bytes, dword aligned
    uint32_t dwords = 0;
};

// Fetch -> parser: one entry of the reorder queue, in stream order.
struct RoqLine {
    uint8_t first = 0;  // dwords first..first + count - 1 of the line are the stream's
    uint8_t count = 0;
    std::array<uint32_t, 16> dwords{};
};

// Parser -> fetch: an entry of this stream was taken.
struct RoqCredit {
    uint8_t ring = 0;
    uint8_t level = 0;
};

// Parser -> registers: the ring is read up to here.
struct ReadPointer {
    uint8_t ring = 0;
    uint32_t dword = 0;
};

}  // namespace archipelago::front
