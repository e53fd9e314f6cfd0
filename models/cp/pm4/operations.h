// SPDX-License-Identifier: Apache-2.0
// The operations that programs of PM4 packets emit most. Each function fills in `op` and returns
// true, which the program returns in turn.
#pragma once

#include "models/cp/pm4/packet_program.h"
#include "models/front/operations.h"

namespace archipelago::cp {

using front::delay;
using front::dwords_in_line;
using front::issue;
using front::read_memory;
using front::read_register;
using front::take;
using front::write_register;

// Writes the register with the next dword of the packet.
inline bool stream_register(MicroOp& op, uint32_t offset) {
    op.stream = true;
    op.offset = offset;
    return issue(op, OpKind::RegWrite);
}
inline bool write_dword(MicroOp& op, uint64_t address, uint32_t value) {
    op.address = address;
    op.data[0] = value;
    return issue(op, OpKind::MemWrite);
}
// The next dwords of the packet to memory from p.address on, p.count in all, up to the end of a
// line; `one_address`: each to the same. False: no more.
inline bool stream_memory(ProgramState& p, MicroOp& op, bool one_address = false) {
    if (p.index == p.count)
        return false;
    op.stream = true;
    op.address = p.address + (one_address ? 0 : 4 * uint64_t{p.index});
    op.dwords = one_address ? uint8_t{1} : dwords_in_line(op.address, p.count - p.index);
    p.index += op.dwords;
    return issue(op, OpKind::MemWrite);
}

}  // namespace archipelago::cp
