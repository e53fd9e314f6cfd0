// SPDX-License-Identifier: Apache-2.0
// What one lane of each vector ALU opcode computes, written down from documents only; the table in
// valu_ops.cpp is the readable place that says which types each opcode takes.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "models/cu/isa/wave_state.h"
#include "testbenches/unit/isa/reference/exact.h"

namespace archipelago::isa::reference {

// What a lane sees besides its operands, and its second result.
struct Lane {
    Mode mode;
    unsigned index = 0;
    bool mask_in = false;   // this lane's bit of VCC or of the mask operand
    uint32_t old_dst = 0;   // v_mac*, v_cvt_pkaccum
    uint32_t constant = 0;  // v_madmk, v_madak
    bool mask_out = false;
};

// `types` is "destination=sources", a letter each:
//   f  f32, source modifiers apply; as destination omod and clamp apply
//   F  f64, likewise
//   h  f16 in the low half (source modifiers on its sign bit); as destination: 16 bits, clamp
//   b  32 bits with source modifiers on bit 31 (v_cndmask_b32)
//   u  32 bits   U  64 bits   i  32 bits, literals sign-extended when 64   I  64 bits, signed
//   m  (destination) lane mask only
//   a  (destination) f32, approximated: the document bounds the error only; A  f64, likewise
// `mask`: o writes a lane mask, i reads one, v reads VCC in every encoding
struct ValuOp {
    std::string name;
    std::string types;
    std::string mask;
    uint64_t (*fn)(Lane& l, uint64_t a, uint64_t b, uint64_t c) = nullptr;
    unsigned compare = 0;  // compares: bit 0 less, 1 equal, 2 greater, 3 unordered
    bool writes_exec = false;

    char dst() const { return types[0]; }
    std::string sources() const { return types.substr(2); }
};
inline void PrintTo(const ValuOp& op, std::ostream* out) {
    *out << op.name;
}

// Every opcode whose lanes are independent of one another; not v_nop, v_clrexcp, v_readlane,
// v_readfirstlane, v_writelane and v_movrel*.
const std::vector<ValuOp>& valu_ops();

// Result of one lane after omod and clamp.
uint64_t evaluate(const ValuOp& op, Lane& lane, const uint64_t (&src)[3], unsigned omod,
                  bool clamp);

}  // namespace archipelago::isa::reference
