// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/nearest_argument.h"

#include <fmt/format.h>

#include <algorithm>

namespace archipelago::host {
namespace {

// Bytes between the address and the buffer.
uint64_t distance(uint64_t address, const BufferPlace& buffer) {
    if (address < buffer.address)
        return buffer.address - address;
    const uint64_t offset = address - buffer.address;
    return offset < buffer.bytes ? 0 : offset - buffer.bytes;
}

}  // namespace

std::string nearest_argument(uint64_t address, const std::vector<BufferPlace>& buffers) {
    const auto nearest = std::min_element(buffers.begin(), buffers.end(),
                                          [address](const BufferPlace& a, const BufferPlace& b) {
                                              return distance(address, a) < distance(address, b);
                                          });
    if (nearest == buffers.end())
        return "";
    const bool before = address < nearest->address;
    const bool inside = !before && address - nearest->address < nearest->bytes;
    return fmt::format("{:#x} is {} argument {}{} ({:#x}, {} bytes)", address,
                       inside ? "inside"
                              : fmt::format("{} bytes {}", distance(address, *nearest),
                                            before ? "before" : "after"),
                       nearest->number, nearest->name.empty() ? "" : " `" + nearest->name + "`",
                       nearest->address, nearest->bytes);
}

}  // namespace archipelago::host
