// SPDX-License-Identifier: Apache-2.0
// Where an address lies that no memory has, as seen from the buffers of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::host {

struct BufferPlace {
    size_t number = 0;  // of the argument, from 0
    std::string name;   // may be empty
    uint64_t address = 0, bytes = 0;
};

// "0x101000 is 0 bytes after argument 2 `y` (0x100000, 4096 bytes)", of the nearest buffer, the
// first of two; empty when there is none.
std::string nearest_argument(uint64_t address, const std::vector<BufferPlace>& buffers);

}  // namespace archipelago::host
