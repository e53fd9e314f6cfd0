// SPDX-License-Identifier: Apache-2.0
// The bytes of a render target as the depth and the colour block access them: in functional mode
// those of memory, in cycle mode those of the block's cache.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/common/memory_message.h"

namespace archipelago::raster {

class PixelMemory {
  public:
    virtual ~PixelMemory() = default;
    // The 64 bytes of the line, until the next call. `write`: they will be changed. Throws
    // MachineStop(Fault) for an address that is not mapped.
    virtual uint8_t* line(uint64_t line_address, bool write) = 0;

    // Changes the bytes of the line that `mask` names, bit n for byte n; the others are not read,
    // so that a cache need not fetch the line.
    virtual void merge(uint64_t line_address, const uint8_t* bytes, uint64_t mask) {
        merge_bytes(line(line_address, true), bytes, mask);
    }

    // An element of 1, 2, 4, 8 or 16 bytes, which never crosses a line.
    template <class T>
    T load(uint64_t address) {
        T value;
        std::memcpy(&value, line(line_of(address), false) + address % kLineBytes, sizeof value);
        return value;
    }
    template <class T>
    void store(uint64_t address, T value) {
        std::memcpy(line(line_of(address), true) + address % kLineBytes, &value, sizeof value);
    }
};

}  // namespace archipelago::raster
