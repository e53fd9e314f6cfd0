// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/index_dma_decode.h"

#include <algorithm>

#include "models/common/address_spaces.h"
#include "models/common/error.h"
#include "models/common/text.h"

namespace archipelago::vgt {

uint32_t index_at(const LineWords& line, unsigned at, unsigned type, IndexSwap swap) {
    uint32_t dword = line[at / 4];
    if (swap == IndexSwap::In16 || swap == IndexSwap::In32)
        dword = (dword & 0x00FF00FF) << 8 | (dword >> 8 & 0x00FF00FF);
    if (swap == IndexSwap::Words || swap == IndexSwap::In32)
        dword = dword << 16 | dword >> 16;
    return type != 0 ? dword : dword >> 8 * (at % 4) & 0xFFFF;
}

IndexStop check(const IndexCommand& command) {
    if (command.type > 1)
        return IndexStop::Type;
    return command.base % index_bytes(command.type) != 0 ? IndexStop::Alignment : IndexStop::None;
}

void stop(IndexStop code, const std::string& where, uint32_t draw, uint64_t address, uint8_t vmid) {
    const std::string at = hex(address);
    std::string what = "memory at " + at + " failed when indices were read";
    StopKind kind = StopKind::Fault;
    switch (code) {
        case IndexStop::Type:
            kind = StopKind::BadInput;
            what = "index buffer at " + at +
                   " has a reserved INDEX_TYPE, expected 0 (16 bits) or 1 (32 bits)";
            break;
        case IndexStop::Alignment:
            kind = StopKind::BadInput;
            what = "index buffer at " + at + " is not aligned to the size of its indices";
            break;
        case IndexStop::Unmapped:
            what = "indices read from unmapped address " + at + of_space(vmid);
            break;
        case IndexStop::Response:
            throw MachineStop(StopKind::Protocol, where,
                              "unsolicited memory response (tag " + std::to_string(address) + ")");
        case IndexStop::None:
        case IndexStop::Error:
            break;
    }
    throw MachineStop(kind, where, "draw " + std::to_string(draw) + ": " + what);
}

LineShare line_share(uint64_t address, uint32_t left, unsigned type) {
    const auto at = static_cast<uint32_t>(address % kLineBytes);
    const uint32_t bytes = index_bytes(type);
    const uint32_t count = std::min(left, (kLineBytes - at) / bytes);
    const uint32_t first = at / 4;
    const uint32_t end = (at + count * bytes + 3) / 4;
    return {line_of(address), count, static_cast<uint16_t>((1u << end) - (1u << first))};
}

IndexWalk::IndexWalk(const IndexCommand& command)
    : address(command.base & kAddressMask),
      fetched(std::min(command.count, command.max_size)),
      zeros(command.count - fetched),
      type(command.type),
      swap(static_cast<IndexSwap>(command.swap & 3)),
      draw(command.draw) {}

IndexGroup IndexWalk::next(const LineWords& line, unsigned most, bool& leaves_line) {
    IndexGroup group;
    group.draw = draw;
    leaves_line = false;
    if (fetched != 0) {
        const unsigned bytes = index_bytes(type);
        const auto at = static_cast<unsigned>(address % kLineBytes);
        const uint32_t count = std::min(line_share(address, fetched, type).count, most);
        for (unsigned i = 0; i < count; ++i)
            group.index[i] = index_at(line, at + i * bytes, type, swap);
        group.count = static_cast<uint8_t>(count);
        address = (address + uint64_t{count} * bytes) & kAddressMask;
        fetched -= count;
        leaves_line = fetched == 0 || address % kLineBytes == 0;
    } else {
        group.beyond = zeros != 0;
        group.count = static_cast<uint8_t>(std::min(zeros, most));
        zeros -= group.count;
    }
    group.last = fetched == 0 && zeros == 0;
    return group;
}

}  // namespace archipelago::vgt
