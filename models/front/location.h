// SPDX-License-Identifier: Apache-2.0
// Where in a command stream a dword stands: what errors and logs name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace archipelago::front {

struct Location {
    uint8_t ring = 0;
    uint8_t level = 0;  // 0: the ring, above: buffers called from the level below
    uint8_t vmid = 0;
    uint32_t dword = 0;  // from the start of the ring or buffer
    uint64_t base = 0;   // bytes; of the buffer, for levels above 0
};

// What messages call the rings of an engine and their levels.
struct RingNames {
    std::vector<std::string> rings;
    std::vector<std::string> levels;  // [0] is not used

    std::string ring(unsigned i) const { return i < rings.size() ? rings[i] : "?"; }
    std::string level(unsigned i) const { return i < levels.size() ? levels[i] : "?"; }
};

// "ring gfx dword 18", "ring gfx, IB1 0x208000 dword 13".
std::string to_string(const Location& location, const RingNames& names);

// After the number of dwords that a packet has or leaves out and that its ring or buffer has not:
// ", 3 are left before the end of the indirect buffer"; "fewer", where nobody says how many. Of a
// ring, where what is after the write pointer is waited for: ", more than the ring ever holds".
std::string too_few_left(const Location& location, std::optional<uint32_t> left);

// "packet COPY_DATA: SRC_ADDR: ", for faults of a packet's access to memory; null: it has none. The
// field is where the address begins.
std::string access_of(const char* packet, const char* field);

}  // namespace archipelago::front
