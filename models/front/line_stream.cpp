// SPDX-License-Identifier: Apache-2.0
#include "models/front/line_stream.h"

#include <algorithm>
#include <cstring>

#include "models/common/address_spaces.h"
#include "models/common/error.h"
#include "models/front/swap.h"

namespace archipelago::front {

const LineStream::Slot& LineStream::request_next(MemRequest& request) {
    const uint64_t address = base + 4 * uint64_t{next};
    const auto first = static_cast<uint32_t>(address % kLineBytes / 4);
    const uint32_t limit = end > next ? end : size;  // a ring goes on at its start
    const uint32_t count = std::min(16 - first, limit - next);
    Slot& slot = slots[free_slot()];
    slot.arrived = false;
    slot.address = line_of(address);
    slot.dword = next;
    slot.line.first = static_cast<uint8_t>(first);
    slot.line.count = static_cast<uint8_t>(count);
    ++used;
    next += count;
    if (next == size && end < size)
        next = 0;
    request.line = slot.address;
    request.byte_mask = bytes_in_line(4 * first, 4 * count);
    request.vmid = vmid;
    return slot;
}

void LineStream::arrive(const MemResponse& response, unsigned place, Location location,
                        const RingNames& names, const std::string& context) {
    Slot& slot = slots[place];
    if (response.status != MemStatus::Ok) {
        location.dword = slot.dword;
        throw MachineStop(
            StopKind::Fault, context + to_string(location, names),
            "fetch from " +
                refused_address(response.status, slot.address + 4u * slot.line.first, vmid));
    }
    std::memcpy(slot.line.dwords.data(), response.data.data(), kLineBytes);
    if (swap != 0)
        for (uint32_t& dword : slot.line.dwords)
            dword = swap_dword(dword, swap);
    slot.arrived = true;
}

}  // namespace archipelago::front
