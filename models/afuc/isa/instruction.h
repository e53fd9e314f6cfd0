// SPDX-License-Identifier: Apache-2.0
// The instructions of Adreno's micro engines: a row for each form of each, with its encoding. One
// table serves decoder, assembler, disassembler and engine. Document "Adreno Five Microcode"; an
// instruction is a word of 32 bits, addresses count words from the beginning of the image.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

enum class Op : uint8_t {
    Nop,
    Add,
    AddHi,
    Sub,
    SubHi,
    And,
    Or,
    Xor,
    Not,
    Shl,
    Ushr,
    Ishr,
    Rot,
    Mul8,
    Min,
    Max,
    Cmp,
    Bic,
    Msb,
    Mov,
    SetBit,
    ClrBit,
    Ubfx,
    Bfi,
    CRead,
    CWrite,
    SRead,
    SWrite,
    Load,
    Store,
    BrNe,
    BrEq,
    Jump,
    Call,
    BranchLink,
    Ret,
    IRet,
    SRet,
    WaitIn,
    SetSecure
};

// Registers of instructions. $1d to $1f are others when read and when written.
enum Register : uint8_t {
    kSp = 0x1A,
    kLr = 0x1B,
    kRem = 0x1C,
    kMemData = 0x1D,
    kRegData = 0x1E,
    kDataIn = 0x1F,
    kAddr = 0x1D,
    kUsrAddr = 0x1E,
    kDataOut = 0x1F
};
inline constexpr unsigned kRegisters = 32;

struct Operand {
    enum class Kind : uint8_t {
        None,
        Destination,  // a register, 5 bits
        Source,       // a register, 5 bits
        Immediate,
        Shift,         // of the immediate before it, " << n", left out when it is 0
        Bit,           // b0 to b31
        ControlPlace,  // [$register + place], place of 12 bits; "!" stores the sum back
        SqePlace,
        MemoryPlace,
        Relative,  // a label: words from the instruction itself, signed
        Absolute,  // a label: words from the beginning of the image
        Secure     // "$02, label": in no bits; the label is three words after
    };
    Kind kind = Kind::None;
    uint8_t lsb = 0, bits = 0;
    constexpr uint32_t in(uint32_t word) const { return word >> lsb & ((1u << bits) - 1); }
    constexpr uint32_t mask() const { return ((1u << bits) - 1) << lsb; }
};

// Modifiers, in the order of text; a row says which it takes.
enum Modifier : uint8_t { kRep = 1, kXmov = 2, kPeek = 4, kSds = 8 };
inline constexpr uint32_t kRepBit = 1u << 26;
inline constexpr uint32_t kPeekBit = 1u << 8;
inline constexpr uint32_t kPreIncrementBit = 1u << 14;
inline constexpr Operand kXmovField{Operand::Kind::None, 9, 2};
inline constexpr Operand kSdsField{Operand::Kind::None, 12, 2};
inline constexpr Operand kPlaceRegister{Operand::Kind::Source, 21, 5};
inline constexpr Operand kPlaceBase{Operand::Kind::Immediate, 0, 12};

struct Row {
    const char* name;
    Op op;
    uint32_t word, mask;  // an instruction has `word` in the bits of `mask`
    uint8_t modifiers = 0;
    std::array<Operand, 4> operands{};

    constexpr bool is(uint32_t other) const { return (other & mask) == word; }
    // Bits that mean something.
    uint32_t known() const;
};

// The rows of an encoding: of two that fit a word the first is meant.
const std::vector<Row>& instructions(Encoding encoding);

// Null: no instruction.
const Row* decode(Encoding encoding, uint32_t word);

}  // namespace archipelago::afuc
