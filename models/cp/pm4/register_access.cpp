// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4/register_access.h"

#include <algorithm>

namespace archipelago::cp {

uint32_t register_start(const ProgramState& p, uint32_t offset, uint32_t count) {
    const RegisterWindow& window = *p.info->window;
    uint32_t start = 0;
    switch (find_registers(window, p.location.ring, offset, count, start)) {
        case RegisterRangeError::None:
            break;
        case RegisterRangeError::Outside:
            p.bad("registers " + hex(start) + ".." + hex(start + 4 * (uint64_t{count} - 1)) +
                  " are outside the window " + hex(window.start) + ".." + hex(window.end - 1));
        case RegisterRangeError::GraphicsStage:
            p.bad("register " + hex(start) + " of a graphics stage on a compute ring");
    }
    return start;
}

bool begin_shadow(ProgramState& p, uint32_t offset) {
    const RegisterSpace space = space_of(*p.info, p.header);
    const DeState::Ring& ring = p.ring();
    p.line_have = 0;
    if (!shadows(ring, space))
        return false;
    if (!ring.register_base_set[space])
        p.bad("is to be shadowed, but no LOAD packet has said where");
    p.memory = ring.register_base[space] + 4 * uint64_t{offset};
    return true;
}

bool shadow(ProgramState& p, MicroOp& op, uint32_t value, bool last) {
    p.line[p.line_have++] = value;
    p.memory += 4;
    if (!last && p.memory % kLineBytes != 0)
        return false;
    op.kind = OpKind::MemWrite;
    op.address = p.memory - 4 * uint64_t{p.line_have};
    op.dwords = static_cast<uint8_t>(p.line_have);
    op.swap = p.de->external_swap;
    std::copy_n(p.line.begin(), p.line_have, op.data.begin());
    p.line_have = 0;
    return true;
}

}  // namespace archipelago::cp
