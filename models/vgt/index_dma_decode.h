// SPDX-License-Identifier: Apache-2.0
// Semantics of the index DMA unit, in functional mode: the lines of a command, the indices in them,
// the commands it refuses. The core and functional mode share it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/memory_message.h"
#include "models/vgt/index_dma_message.h"

namespace archipelago::vgt {

constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;  // addresses wrap at 48 bits
using LineWords = std::array<uint32_t, kLineBytes / 4>;

constexpr unsigned index_bytes(unsigned type) {
    return type == 0 ? 2 : 4;
}
// The index at byte `at` of a line.
uint32_t index_at(const LineWords& line, unsigned at, unsigned type, IndexSwap swap);

// Why the unit stops, as its pins number it.
enum class IndexStop : uint8_t {
    None,
    Type,       // reserved INDEX_TYPE; address: the base
    Alignment,  // base not a multiple of the indices' size; address: the base
    Unmapped,   // memory has no such page; address: of the first index that is not there
    Error,      // memory failed; address likewise
    Response,   // unsolicited memory response; address: the tag
};
// Type, Alignment or None.
IndexStop check(const IndexCommand& command);
// Throws the MachineStop for it. `code` is not None.
[[noreturn]] void stop(IndexStop code, const std::string& where, uint32_t draw, uint64_t address,
                       uint8_t vmid);

// The line of the index at `address` when `left` indices are to come from memory.
struct LineShare {
    uint64_t line = 0;    // byte address
    uint32_t count = 0;   // of those indices in it
    uint16_t dwords = 0;  // where they are
};
LineShare line_share(uint64_t address, uint32_t left, unsigned type);

// The way through the indices of a command.
struct IndexWalk {
    uint64_t address = 0;  // of the next index in memory
    uint32_t fetched = 0;  // to come from memory
    uint32_t zeros = 0;    // after them
    uint8_t type = 0;
    IndexSwap swap = IndexSwap::None;
    uint32_t draw = 0;
    static constexpr size_t kFields = 6;

    IndexWalk() = default;
    explicit IndexWalk(const IndexCommand& command);
    bool needs_line() const { return fetched != 0; }
    // The next indices, `most` at most, from `line` when needs_line(). `leaves_line`: the line has
    // no more for this command.
    IndexGroup next(const LineWords& line, unsigned most, bool& leaves_line);
};

}  // namespace archipelago::vgt
