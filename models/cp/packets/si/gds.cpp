// SPDX-License-Identifier: Apache-2.0
#include "models/cp/packets/si/gds.h"

#include <algorithm>

namespace archipelago::cp::si {

uint32_t gds_address(const ProgramState& p, uint64_t offset, uint64_t bytes) {
    const GdsPartition partition = p.de->gds_partition(p.location.ring);
    if (offset + bytes > partition.bytes)
        p.bad("GDS offset " + hex(offset) + " and " + std::to_string(bytes) +
              " bytes reach beyond the ring's partition of " + std::to_string(partition.bytes) +
              " bytes");
    return partition.start + static_cast<uint32_t>(offset);
}

uint32_t gds_dwords(const ProgramState& p, uint32_t offset, uint64_t dwords) {
    if (offset % 4 != 0)
        p.bad("GDS offset " + hex(offset) + " is not dword aligned");
    return gds_address(p, offset, 4 * dwords);
}

bool write_gds_stream(ProgramState& p, MicroOp& op, bool one_address) {
    if (p.index == p.count)
        return false;
    op.kind = OpKind::GdsWrite;
    op.stream = true;
    op.address = p.address + (one_address ? 0 : 4 * uint64_t{p.index});
    op.dwords = static_cast<uint8_t>(
        one_address ? 1
                    : std::min<uint32_t>(p.count - p.index, static_cast<uint32_t>(op.data.size())));
    p.index += op.dwords;
    return true;
}

void confirm_gds(MicroOp& op, uint64_t address) {
    op.kind = OpKind::GdsRead;
    op.address = address;
    op.dwords = 1;
}

}  // namespace archipelago::cp::si
