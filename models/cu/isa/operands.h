// SPDX-License-Identifier: Apache-2.0
// Reading and writing scalar operands by operand code; private to models/cu/isa.
#pragma once

#include "models/cu/isa/isa.h"
#include "models/cu/isa/opcodes.h"

namespace archipelago::isa {

// Inline constants, codes 128..255. Codes without a constant (VCCZ and the like) hold 0.
struct InlineConstants {
    uint32_t bits32[128] = {};
    uint64_t bits64[128] = {};

    constexpr InlineConstants() {
        for (unsigned i = 0; i <= 64; ++i) {
            bits32[i] = i;
            bits64[i] = i;
        }
        for (unsigned i = 1; i <= 16; ++i) {
            bits32[64 + i] = 0u - i;
            bits64[64 + i] = 0ull - i;
        }
        // 0.5, 1, 2 and 4, each followed by its negative
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned slot = kFloatFirst - kConstZero + 2 * i;
            bits32[slot] = 0x3f000000u + i * 0x00800000u;
            bits32[slot + 1] = bits32[slot] | 1u << 31;
            bits64[slot] = 0x3fe0000000000000ull + i * 0x0010000000000000ull;
            bits64[slot + 1] = bits64[slot] | 1ull << 63;
        }
    }
};
inline constexpr InlineConstants kInlineConstants{};

// 32-bit value of a source that is no VGPR.
inline uint32_t scalar_operand(const Inst& inst, const WaveState& w, unsigned code) {
    if (code < 128) {
        return w.s[code];
    }
    switch (code) {
        case kLiteral:
            return inst.literal;
        case kVccz:
            return w.vcc() == 0;
        case kExecz:
            return w.exec() == 0;
        case kScc:
            return w.scc;
        default:
            return kInlineConstants.bits32[code & 127];
    }
}

// 64-bit value; a register code names the low half. Integer constants are sign extended, float
// constants are doubles, a literal is zero extended (the meaning for 64-bit integer operands;
// f64 operands of the VALU place it in the high half).
inline uint64_t scalar_operand64(const Inst& inst, const WaveState& w, unsigned code) {
    if (code < 127) {
        return w.s64(code);
    }
    if (code >= kConstZero && code <= kFloatLast) {
        return kInlineConstants.bits64[code & 127];
    }
    return scalar_operand(inst, w, code);
}

// Whether VOP3's field of source `slot` is left over by an opcode.
inline bool is_unread_source(const OpInfo& info, unsigned slot) {
    return slot >= info.num_src && !(slot == 2 && info.has(kOpMaskIn));
}

// True when `dwords` registers from destination code `code` on are all writable.
inline bool valid_scalar_range(unsigned code, unsigned dwords) {
    // Pairs start at even numbers, longer ranges at multiples of four.
    const unsigned align = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
    const unsigned end = code + dwords;
    if (code % align != 0) {
        return false;
    }
    if (code <= kSgprLast) {
        return end <= kSgprLast + 1u;
    }
    if (code >= kTtmpFirst && code <= kTtmpLast) {
        return end <= kTtmpLast + 1u;
    }
    if (dwords > 2) {
        return false;
    }
    return (code >= kVccLo && code < kTtmpFirst) || code == kExecLo || code == kExecHi ||
           (code == kM0 && dwords == 1);
}

// True when `code` is a scalar source of this width: a register, a constant, or the literal.
inline bool valid_scalar_source(unsigned code, unsigned dwords) {
    if (code < 128) {
        return valid_scalar_range(code, dwords);
    }
    return (code >= kConstZero && code <= kIntNegLast) ||
           (code >= kFloatFirst && code <= kFloatLast) || (code >= kVccz && code <= kScc) ||
           code == kLiteral;
}

}  // namespace archipelago::isa
