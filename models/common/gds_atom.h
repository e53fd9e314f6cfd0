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

// False for opcodes that are not one lane's access to memory: wave synchronisation, ordered counts,
// swizzles, operands from memory, holes.
bool gds_opcode(uint32_t op, GdsOpcode& opcode);

// The request of an atom: element i at BASE + DST + OFFSETi, aligned to its size; from SIZE on,
// relative to BASE, elements are clamped, that is without a lane. False as gds_opcode().
bool gds_atom_request(const GdsAtom& atom, GdsRequest& request);

// Whether a compare-and-swap of `atom` that found `old` has stored its operand.
bool gds_compare_passed(const GdsAtom& atom, const GdsOpcode& opcode, uint64_t old);

}  // namespace archipelago
