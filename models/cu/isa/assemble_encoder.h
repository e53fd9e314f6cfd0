// SPDX-License-Identifier: Apache-2.0
// From the operands of an instruction to the fields of its encoding; private to models/cu/isa.
#pragma once

#include <string>
#include <vector>

#include "models/cu/isa/assemble_encode.h"
#include "models/cu/isa/encoding.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"

namespace archipelago::isa {

// Encodes one instruction. The methods throw SyntaxError.
class Encoder {
  public:
    Encoder(Cursor& cursor, int64_t pc) : cursor_(cursor), pc_(pc) {}
    Encoded run();

  private:
    void lookup(const Token& token);
    void start(enc::Field id, uint32_t value, unsigned dwords = 1);
    void put(enc::Field field, uint64_t value) { bits_ |= field.put(static_cast<uint32_t>(value)); }
    Encoded finish(const Token& name);

    // ---- operands -----------------------------------------------------------------------------
    // The comma between operands, which may be missing as in LLVM.
    void separate();
    // The end of a statement without modifiers: one comma may stand after the operands (LLVM).
    void end_operands();
    Operand next();
    [[noreturn]] void fail(const Operand& operand, const std::string& message) const;
    void no_modifiers(const Operand& operand) const;
    void check_width(const Operand& operand, unsigned dwords, bool vector) const;
    uint32_t vgpr(const Operand& operand, unsigned dwords) const;
    uint32_t vgpr(unsigned dwords) { return vgpr(next(), dwords); }
    // A register of `dwords` dwords that can be written.
    uint32_t scalar_register(const Operand& operand, unsigned dwords) const;
    uint32_t scalar_register(unsigned dwords) { return scalar_register(next(), dwords); }
    uint32_t scalar_destination();
    uint32_t scalar_source(unsigned slot);
    uint32_t use_literal(const Operand& operand, uint32_t value, bool allowed);
    // The 32 bits an integer or floating-point number has as a 32-bit constant.
    uint32_t bits_of(const Operand& operand) const;
    uint32_t constant_code(const Operand& operand, unsigned dwords, bool allow_literal);
    // Operand code of any source.
    uint32_t source_code(const Operand& operand, unsigned dwords, bool allow_vgpr,
                         bool allow_literal);
    // Not more than one scalar register, or a literal, per vector instruction (LLVM's rule). Slots
    // without one hold a VGPR or a constant.
    void check_constant_bus(const Token* where, const uint32_t* codes, const unsigned* dwords,
                            unsigned count) const;

    // ---- modifiers ----------------------------------------------------------------------------
    // Takes `name` or `name:`; true once for each name.
    bool flag(const char* name, bool& value);
    bool number(const char* name, int64_t high, uint32_t& value, bool& seen);
    [[noreturn]] void unknown_modifier(std::vector<std::string> known);
    // Whether a modifier follows. A comma may stand in front of each, none after the last, and
    // they stand in one order (LLVM).
    bool more();
    void check_order(const Token& modifier);

    // ---- scalar formats -----------------------------------------------------------------------
    uint32_t branch_target();
    uint32_t field16();
    void literal_operand();
    void sopk();
    void sopp();
    void smrd();

    // ---- vector ALU ---------------------------------------------------------------------------
    void vector_alu();
    void vcc_operand(const char* what);
    // LLVM takes comparisons without their vcc, and v_cndmask_b32 without its mask.
    bool may_leave_out_vcc() const;
    void vop_e32(bool names_vcc);
    uint32_t e32_destination(bool names_vcc);
    uint32_t e32_source(const Operand& operand, unsigned slot);
    void check_e32_constant_bus(const Token (&where)[3], const uint32_t (&src)[2]) const;
    void put_e32(uint32_t vdst, const uint32_t (&src)[2]);
    bool try_e32(bool names_vcc, SyntaxError& error);
    void vop_e64();
    void check_modifiers(const Operand& operand, unsigned slot) const;
    // Of the 32-bit encoding: negation and absolute value of a constant are taken into it (LLVM).
    Operand with_sign(const Operand& operand, unsigned slot) const;
    void vop3_modifiers();
    // src0, src1 and src2 name fields the instruction does not read: AMD's compilers leave the code
    // of constant 0 (128) there, LLVM 0.
    bool unread_source();
    void vintrp();

    // ---- memory -------------------------------------------------------------------------------
    void ds();
    // `off` or address registers; the width is checked against the modifiers later.
    bool address(Operand& operand);
    // The fields of MUBUF and MTBUF that both have, at the same places. `typed`: MTBUF.
    struct BufferModifiers {
        bool offen = false, idxen = false, addr64 = false;
        bool glc = false, slc = false, tfe = false;
        bool lds = false;  // MUBUF
        bool has_offset = false;
        uint32_t offset = 0;  // bytes
        bool has_format = false;
        uint32_t format = 1;  // MTBUF: DFMT in bits 3:0, NFMT above; 8, UNORM unless given
    };
    void buffer();
    bool at_half_format(size_t ahead) const;
    void buffer_modifiers(BufferModifiers& m, bool typed);
    void put_modifiers(const BufferModifiers& m, bool typed);
    void image();
    void exp();

    enum class Suffix : uint8_t { None, E32, E64 };

    Cursor& cursor_;
    int64_t pc_;
    Op op_{};
    const OpInfo* info_ = nullptr;
    Suffix suffix_ = Suffix::None;
    uint64_t bits_ = 0;
    Encoded encoded_;
    bool literal_ = false;
    uint32_t literal_value_ = 0;
    bool first_ = true;          // no operand has been read
    bool modified_ = false;      // a modifier has
    size_t order_ = 0;           // place of the last modifier among all
    bool cache_policy_ = false;  // glc or slc has been read
    bool unread_given_[3] = {};  // src0 to src2 as modifiers
};

}  // namespace archipelago::isa
