// SPDX-License-Identifier: Apache-2.0
#include "models/gcn/gds_atom.h"

namespace archipelago {
namespace {

// Opcodes 0..11: the same order with and without return, for 32 and 64 bits.
constexpr AtomicOp kIntegers[] = {AtomicOp::Add,  AtomicOp::Sub,  AtomicOp::RSub, AtomicOp::Inc,
                                  AtomicOp::Dec,  AtomicOp::SMin, AtomicOp::SMax, AtomicOp::UMin,
                                  AtomicOp::UMax, AtomicOp::And,  AtomicOp::Or,   AtomicOp::Xor};
constexpr AtomicOp kFloats[] = {AtomicOp::CmpSwap, AtomicOp::FCmpSwap, AtomicOp::FMin,
                                AtomicOp::FMax};  // 16..19
constexpr uint16_t kFar = 64;                     // elements, of the forms called st64

}  // namespace

bool gds_opcode(uint32_t op, GdsOpcode& o) {
    o = {};
    if (op >= 128)
        return false;
    const bool wide = (op & 64) != 0;
    const uint32_t low = op & 31;
    o.bytes = wide ? 8 : 4;
    const auto pair = [&](bool far) {
        o.elements = 2;
        o.unit = static_cast<uint16_t>(o.bytes * (far ? kFar : 1));
    };
    if ((op & 32) != 0) {
        o.returns = true;
        if (low >= 22 && low <= 24) {  // read, read2, read2st64
            o.command = GdsCommand::Read;
            if (low != 22)
                pair(low == 24);
            return true;
        }
        if (!wide && low >= 25 && low <= 28) {  // read_i8, u8, i16, u16
            o.command = GdsCommand::Read;
            o.bytes = low < 27 ? 1 : 2;
            o.sign_extend = low % 2 != 0;
            return true;
        }
        if (!wide && (low == 29 || low == 30)) {
            o.command = low == 29 ? GdsCommand::Consume : GdsCommand::Append;
            return true;
        }
    }
    if (low < 12) {
        o.command = GdsCommand::Atomic;
        o.atomic = kIntegers[low];
        return true;
    }
    if (low == 12) {
        o.command = GdsCommand::MaskOr;
        return true;
    }
    if (low <= 15) {
        const bool exchange = o.returns;
        o.command = low == 13 ? (exchange ? GdsCommand::Atomic : GdsCommand::Write)
                              : (exchange ? GdsCommand::Exchange : GdsCommand::Write);
        if (low == 13 && exchange)
            o.atomic = AtomicOp::Swap;
        if (low != 13)
            pair(low == 15);
        return true;
    }
    if (low < 20) {
        o.command = GdsCommand::Atomic;
        o.atomic = kFloats[low - 16];
        return true;
    }
    if (op == 30 || op == 31) {  // write_b8, write_b16
        o.command = GdsCommand::Write;
        o.bytes = op == 30 ? 1 : 2;
        return true;
    }
    return false;
}

bool gds_atom_request(const GdsAtom& atom, GdsRequest& r) {
    GdsOpcode o;
    if (!gds_opcode(atom.op, o))
        return false;
    r.command = o.command;
    r.atomic = o.atomic;
    r.bytes = o.bytes;
    r.elements = o.elements;
    r.sign_extend = o.sign_extend;
    r.returns = o.returns;
    r.value = 1;  // Append, Consume
    r.flush_denormals = (atom.cntl >> 8 & 1) != 0;
    r.lanes = {};
    const uint32_t offset[2] = {atom.offset0 & 0xFF, atom.offset1 & 0xFF};
    for (unsigned e = 0; e < o.elements; ++e) {
        const uint64_t place =
            (uint64_t{atom.dst} + uint64_t{offset[e]} * o.unit) & ~uint64_t{o.bytes - 1u};
        r.address[e][0] = static_cast<uint32_t>((atom.base & 0xFFFFu) + place) &
                          ~static_cast<uint32_t>(o.bytes - 1);
        r.lanes[e] = place < (atom.size & 0xFFFFu) ? 1 : 0;
    }
    const unsigned words = o.bytes == 8 ? 2 : 1;
    r.data[0][0] = atom.src0;
    if (words == 2)
        r.data[1][0] = atom.src0_u;
    r.data[words][0] = atom.src1;
    if (words == 2)
        r.data[3][0] = atom.src1_u;
    return true;
}

bool gds_compare_passed(const GdsAtom& atom, const GdsOpcode& o, uint64_t old) {
    // Something else than what was found would have been stored.
    if (o.bytes == 8) {
        const uint64_t compare = atom.src0 | uint64_t{atom.src0_u} << 32;
        return atomic64(o.atomic, old, ~old, compare) != old;
    }
    const auto found = static_cast<uint32_t>(old);
    return atomic32(o.atomic, found, ~found, atom.src0) != found;
}

}  // namespace archipelago
