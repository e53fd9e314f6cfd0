// SPDX-License-Identifier: Apache-2.0
// CP's requests to the global data share: runs of dwords or bytes, and atomics. Addresses are bytes
// from the start of the GDS.
#pragma once

#include <cstdint>

#include "models/common/gds_message.h"
#include "models/cp/cp_location.h"

namespace archipelago::cp {

// Offsets in packets have 16 bits.
constexpr uint32_t kGdsBytes = 0x10000;

// A run of 1..64 dwords; dword i is data[0][i] of the response.
GdsRequest gds_read(uint32_t address, unsigned dwords, uint8_t vmid);
GdsRequest gds_write(uint32_t address, const uint32_t* data, unsigned dwords, uint8_t vmid);
// Bytes i of a line with bit i of `mask`.
GdsRequest gds_write_line(uint32_t line, uint64_t mask, const uint8_t* data, uint8_t vmid);
GdsRequest gds_atom(const GdsAtom& atom, uint8_t vmid);

// A machine without one.
[[noreturn]] void no_gds(const Location& location);

// Without time: bytes of any alignment.
void gds_read_bytes(GdsPort& port, uint64_t address, uint8_t* to, uint32_t bytes, uint8_t vmid);
void gds_write_bytes(GdsPort& port, uint64_t address, const uint8_t* from, uint32_t bytes,
                     uint8_t vmid);

// A part of the GDS to memory: EVENT_WRITE_EOS with CMD 1.
struct GdsStore {
    Location location;
    uint32_t from = 0;
    uint32_t dwords = 0;
    uint64_t to = 0;
};
// All of it is acknowledged.
struct GdsStored {
    uint8_t ring = 0;
};

}  // namespace archipelago::cp
