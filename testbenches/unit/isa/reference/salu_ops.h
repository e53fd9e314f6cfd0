// SPDX-License-Identifier: Apache-2.0
// What each scalar ALU opcode computes, from CLRX's GcnInstrsSop*.md and AMD's GCN3 guide.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

namespace archipelago::isa::reference {

// The registers a scalar instruction may change besides its destination.
struct Scalar {
    bool scc = false;
    uint64_t exec = 0;
    bool write = true;  // false: the destination keeps its value
};

// `types`: destination=sources; u 32 bits, U 64 bits, - none; a leading k: the 16-bit constant,
// sign-extended, follows the sources. `old` is the destination's former value.
struct SaluOp {
    const char* name;
    const char* types;
    uint64_t (*fn)(Scalar& s, uint64_t a, uint64_t b, uint64_t old);
};

inline void PrintTo(const SaluOp& op, std::ostream* out) {
    *out << op.name;
}

const std::vector<SaluOp>& salu_ops();

}  // namespace archipelago::isa::reference
