// SPDX-License-Identifier: Apache-2.0
// Atomic operations of the GDS without a wave: the GDS_ATOM_* registers and the packet
// ATOMIC_GDS name them by DS opcodes (SI document 2.8.2; the numbers are those of the SI ISA).
#pragma once

#include <cstdint>

#include "models/common/gds_message.h"

namespace archipelago {

struct GdsOpcode {
    GdsCommand command = GdsCommand::Read;
    AtomicOp atomic = AtomicOp::None;
    uint8_t bytes = 4;     // of an element
    uint8_t elements = 1;  // 2: OFFSET0 and OFFSET1 place one each
    uint16_t unit = 1;     // bytes of one step of the offsets
    bool sign_extend = false;
    bool returns = false;
};

// Decodes a DS opcode. False when it is no access of one lane to memory: wave synchronisation,
// ordered counts, swizzles, operands from memory, and numbers without an instruction.
bool gds_opcode(uint32_t op, GdsOpcode& opcode);

// Makes the request of an atom. Element i is at BASE + DST + OFFSETi, in bytes, rounded down to its
// size. An element at or beyond BASE + SIZE is clamped: no lane of the request accesses it. False
// where gds_opcode() is false.
bool gds_atom_request(const GdsAtom& atom, GdsRequest& request);

// Whether a compare-and-swap of `atom` that found `old` has stored its operand.
bool gds_compare_passed(const GdsAtom& atom, const GdsOpcode& opcode, uint64_t old);

}  // namespace archipelago
