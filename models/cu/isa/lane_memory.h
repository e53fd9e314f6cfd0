// SPDX-License-Identifier: Apache-2.0
// Memory accesses of 64 lanes at once, for LDS and for global memory seen through one piece of host
// memory. One table per host level, as for the vector ALU; all levels do the same. Every function
// either does the whole access or returns false with nothing done: the caller then goes lane by
// lane, which is where range checks, page crossings and alignment rules are exact.
#pragma once

#include <cstdint>

#include "models/common/atomic_op.h"
#include "models/cu/isa/wave_state.h"

namespace archipelago::isa {

// A piece of address space that lies in one piece of host memory.
struct HostWindow {
    uint64_t first = 0;
    uint64_t bytes = 0;  // 0: not mapped
    uint8_t* host = nullptr;
};

struct LaneAccess {
    uint8_t* base = nullptr;            // host memory
    uint64_t limit = 0;                 // bytes of it that may be touched
    const uint32_t* address = nullptr;  // byte offset of each lane from base
    uint64_t exec = 0;                  // lanes that act
    uint32_t align = 0;                 // addresses with any of these bits set are not done here
    unsigned count = 0;                 // dwords per lane, 1..4
    unsigned element = 1;     // writes: dwords that a lane writes before the next lane's turn
    uint32_t offset[4] = {};  // of dword k, added to the lane's address; ascending or not
    uint32_t* reg[4] = {};    // lanes of dword k: destination, or what is written
};

struct LaneMemory {
    // Dword k of lane l: reg[k][l] from, to base + address[l] + offset[k]. `reg` may be `address`.
    bool (*read)(const LaneAccess&);
    bool (*write)(const LaneAccess&);
    // One element of 1 or 2 bytes, zero or sign extended; offset[0] and reg[0] are used.
    bool (*read_small)(const LaneAccess&, unsigned bytes, bool is_signed);
    bool (*write_small)(const LaneAccess&, unsigned bytes);
    // In ascending lane order; element of `count` (1 or 2) dwords at offset[0]. reg: the operand;
    // compare: the second operand or null; old: receives the value before, or null.
    bool (*atomic)(const LaneAccess&, AtomicOp op, uint32_t* const* compare, uint32_t* const* old);
    // out[l] = ((base + low[l] + (high[l] << 32)) & mask) - first; false when one of the lanes in
    // `exec` is not within 2^31 of `first`.
    bool (*relative)(const uint32_t* low, const uint32_t* high, uint64_t base, uint64_t mask,
                     uint64_t first, uint64_t exec, uint32_t* out);
    // out[l] = a[l] * factor + b[l]; `out` may be `a` or `b`.
    void (*multiply_add)(const uint32_t* a, uint32_t factor, const uint32_t* b, uint32_t* out);
    // Largest a[l] over the lanes in `exec`, 0 when there is none.
    uint32_t (*highest)(const uint32_t* a, uint64_t exec);
    // Lanes with a[l] < limit.
    uint64_t (*below)(const uint32_t* a, uint32_t limit);
    // dst[l] = src[l] for the lanes in `mask`.
    void (*blend)(uint32_t* dst, const uint32_t* src, uint64_t mask);
};

// The level this process uses.
const LaneMemory& lane_memory();
// For tests: "portable" or "avx2"; null when the host does not have it.
const LaneMemory* lane_memory(const char* level);

}  // namespace archipelago::isa
