// SPDX-License-Identifier: Apache-2.0
// Variants of image loads and stores: _MIP, _PCK and _SGN in the names of their opcodes.
#pragma once

#include "models/cu/isa/opcodes.h"

namespace archipelago::isa {

// _MIP: an address register gives the mip level.
constexpr bool names_level(Op op) {
    switch (op) {
        case Op::IMAGE_LOAD_MIP:
        case Op::IMAGE_LOAD_MIP_PCK:
        case Op::IMAGE_LOAD_MIP_PCK_SGN:
        case Op::IMAGE_STORE_MIP:
        case Op::IMAGE_STORE_MIP_PCK:
            return true;
        default:
            return false;
    }
}

// _PCK: the data registers hold texels as they are in memory, without format conversion.
constexpr bool moves_raw_bits(Op op) {
    switch (op) {
        case Op::IMAGE_LOAD_PCK:
        case Op::IMAGE_LOAD_PCK_SGN:
        case Op::IMAGE_LOAD_MIP_PCK:
        case Op::IMAGE_LOAD_MIP_PCK_SGN:
        case Op::IMAGE_STORE_PCK:
        case Op::IMAGE_STORE_MIP_PCK:
            return true;
        default:
            return false;
    }
}

// _SGN: data narrower than a 32-bit register is sign-extended.
constexpr bool extends_sign(Op op) {
    return op == Op::IMAGE_LOAD_PCK_SGN || op == Op::IMAGE_LOAD_MIP_PCK_SGN;
}

}  // namespace archipelago::isa
