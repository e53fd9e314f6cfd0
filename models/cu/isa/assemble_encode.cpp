// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/assemble_encode.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"

namespace archipelago::isa {
namespace {

const OpName* find_name(std::string_view text) {
    const OpName* const end = kOpNames + kOpNameCount;
    const OpName* const found = std::lower_bound(
        kOpNames, end, text, [](const OpName& name, std::string_view t) { return name.text < t; });
    return found != end && found->text == text ? found : nullptr;
}

enum class Suffix : uint8_t { None, E32, E64 };

struct Source {
    uint32_t code = 0;
    bool neg = false, abs = false;
};

class Encoder {
  public:
    Encoder(Cursor& cursor, int64_t pc) : cursor_(cursor), pc_(pc) {}

    Encoded run() {
        const Token name = cursor_.take();
        if (name.kind != Token::Kind::Name) {
            cursor_.fail(name, "expected an instruction, got " + shown(name));
        }
        lookup(name);
        switch (info_->format) {
            case Format::Sop2:
                start(enc::sop2::kId, enc::sop2::kIdValue);
                put(enc::sop2::kOp, info_->number);
                put(enc::sop2::kSdst, scalar_destination());
                put(enc::sop2::kSsrc0, scalar_source(0));
                put(enc::sop2::kSsrc1, scalar_source(1));
                break;
            case Format::Sopk:
                sopk();
                break;
            case Format::Sop1:
                start(enc::sop1::kId, enc::sop1::kIdValue);
                put(enc::sop1::kOp, info_->number);
                put(enc::sop1::kSdst, scalar_destination());
                put(enc::sop1::kSsrc0, scalar_source(0));
                break;
            case Format::Sopc:
                start(enc::sopc::kId, enc::sopc::kIdValue);
                put(enc::sopc::kOp, info_->number);
                put(enc::sopc::kSsrc0, scalar_source(0));
                put(enc::sopc::kSsrc1, scalar_source(1));
                break;
            case Format::Sopp:
                sopp();
                break;
            case Format::Smrd:
                smrd();
                break;
            case Format::Vop2:
            case Format::Vop1:
            case Format::Vopc:
            case Format::Vop3:
                vector_alu();
                break;
            case Format::Vintrp:
                vintrp();
                break;
            case Format::Ds:
                ds();
                break;
            case Format::Mubuf:
            case Format::Mtbuf:
                buffer();
                break;
            case Format::Mimg:
                image();
                break;
            case Format::Exp:
                exp();
                break;
            case Format::Illegal:
                break;
        }
        cursor_.end();
        return finish(name);
    }

  private:
    void lookup(const Token& token) {
        std::string_view name = token.text;
        const OpName* found = find_name(name);
        if (found == nullptr && name.size() > 4) {
            const std::string_view ending = name.substr(name.size() - 4);
            suffix_ = ending == "_e32"   ? Suffix::E32
                      : ending == "_e64" ? Suffix::E64
                                         : Suffix::None;
            if (suffix_ != Suffix::None) {
                name.remove_suffix(4);
                found = find_name(name);
            }
        }
        if (found == nullptr) {
            throw SyntaxError{token.column, "unknown instruction \"" + std::string(name) + "\"",
                              std::string(name), all_mnemonics()};
        }
        op_ = found->op;
        info_ = &op_info(op_);
        const bool vector = info_->format == Format::Vop1 || info_->format == Format::Vop2 ||
                            info_->format == Format::Vopc || info_->format == Format::Vop3;
        const bool has_e32 = vector && info_->format != Format::Vop3;
        const bool has_e64 = vector && !info_->has(kOpNoVop3);
        if ((suffix_ == Suffix::E32 && !has_e32) || (suffix_ == Suffix::E64 && !has_e64)) {
            cursor_.fail(token, std::string(info_->name) + " has no " +
                                    (suffix_ == Suffix::E32 ? "32" : "64") +
                                    "-bit vector encoding");
        }
    }

    void start(enc::Field id, uint32_t value, unsigned dwords = 1) {
        bits_ = id.put(value);
        encoded_ = {};
        encoded_.dwords = dwords;
        literal_ = false;
        first_ = true;
    }
    void put(enc::Field field, uint64_t value) { bits_ |= field.put(static_cast<uint32_t>(value)); }

    Encoded finish(const Token& name) {
        encoded_.words[0] = static_cast<uint32_t>(bits_);
        if (literal_) {
            encoded_.dwords = 2;
            encoded_.words[1] = literal_value_;
        } else if (encoded_.dwords == 2) {
            encoded_.words[1] = static_cast<uint32_t>(bits_ >> 32);
        }
        const Inst inst = decode(encoded_.words, encoded_.dwords);
        if (inst.format == Format::Illegal || inst.op != op_ || inst.dwords != encoded_.dwords) {
            cursor_.fail(name, "no legal encoding has these operands");
        }
        return encoded_;
    }

    // ---- operands -----------------------------------------------------------------------------

    // The comma between operands.
    void separate() {
        if (!first_) {
            cursor_.expect(",");
        }
        first_ = false;
    }

    Operand next() {
        separate();
        return cursor_.operand();
    }

    [[noreturn]] void fail(const Operand& operand, const std::string& message) const {
        throw SyntaxError{operand.column, message};
    }

    void no_modifiers(const Operand& operand) const {
        if (operand.neg || operand.abs) {
            fail(operand, "negation and absolute value exist in the 64-bit vector encoding only");
        }
    }

    void check_width(const Operand& operand, unsigned dwords, bool vector) const {
        if (operand.dwords != dwords && operand.dwords != 0) {
            fail(operand, "expected " + std::to_string(dwords) +
                              (dwords == 1 ? " register" : " registers") + " (" +
                              register_example(vector, dwords) + "), got " +
                              std::to_string(operand.dwords));
        }
    }

    uint32_t vgpr(const Operand& operand, unsigned dwords) const {
        if (operand.kind != Operand::Kind::Vgpr) {
            fail(operand, "expected a vector register (" + register_example(true, dwords) + ")");
        }
        no_modifiers(operand);
        check_width(operand, dwords, true);
        return operand.code;
    }
    uint32_t vgpr(unsigned dwords) { return vgpr(next(), dwords); }

    // A register of `dwords` dwords that can be written.
    uint32_t scalar_register(const Operand& operand, unsigned dwords) const {
        if (operand.kind != Operand::Kind::Scalar || operand.code >= 128) {
            fail(operand, "expected a scalar register (" + register_example(false, dwords) + ")");
        }
        no_modifiers(operand);
        check_width(operand, dwords, false);
        if (!valid_scalar_range(operand.code, dwords)) {
            fail(operand, "a range of " + std::to_string(dwords) + " scalar registers starts at " +
                              (dwords == 2 ? "an even number" : "a multiple of four"));
        }
        return operand.code;
    }
    uint32_t scalar_register(unsigned dwords) { return scalar_register(next(), dwords); }

    uint32_t scalar_destination() {
        return info_->dst_dwords > 0 ? scalar_register(info_->dst_dwords) : 0;
    }

    uint32_t scalar_source(unsigned slot) {
        if (slot >= info_->num_src) {
            return 0;
        }
        const Operand operand = next();
        no_modifiers(operand);
        return source_code(operand, info_->src_dwords[slot], false, true);
    }

    uint32_t use_literal(const Operand& operand, uint32_t value, bool allowed) {
        if (!allowed) {
            fail(operand,
                 "no literal constant fits here, only 0..64, -1..-16, 0.5, 1.0, 2.0, 4.0 "
                 "and their negatives");
        }
        if (literal_ && literal_value_ != value) {
            fail(operand, "an instruction has one literal constant at most");
        }
        literal_ = true;
        literal_value_ = value;
        return kLiteral;
    }

    static uint32_t inline_code32(uint32_t bits) {
        for (unsigned i = kConstZero; i <= kFloatLast; ++i) {
            if ((i <= kIntNegLast || i >= kFloatFirst) &&
                kInlineConstants.bits32[i - kConstZero] == bits) {
                return i;
            }
        }
        return 0;
    }
    static uint32_t inline_code64(uint64_t bits) {
        for (unsigned i = kConstZero; i <= kFloatLast; ++i) {
            if ((i <= kIntNegLast || i >= kFloatFirst) &&
                kInlineConstants.bits64[i - kConstZero] == bits) {
                return i;
            }
        }
        return 0;
    }

    // The 32 bits an integer or floating-point number has as a 32-bit constant.
    uint32_t bits_of(const Operand& operand) const {
        if (operand.kind == Operand::Kind::Real) {
            const auto value = static_cast<float>(operand.real);
            if (std::isinf(value) || (value == 0 && operand.real != 0)) {
                fail(operand, "the number is outside the range of 32-bit floats");
            }
            uint32_t bits = 0;
            std::memcpy(&bits, &value, sizeof bits);
            return bits;
        }
        if (operand.kind != Operand::Kind::Integer) {
            fail(operand, "expected a constant");
        }
        if (operand.value.number < INT32_MIN || operand.value.number > int64_t{UINT32_MAX}) {
            fail(operand, "the constant does not fit 32 bits");
        }
        return static_cast<uint32_t>(operand.value.number);
    }

    uint32_t constant_code(const Operand& operand, unsigned dwords, bool allow_literal) {
        const bool real = operand.kind == Operand::Kind::Real;
        if (operand.value.relative) {
            // Its size must not depend on its value.
            return use_literal(operand, bits_of(operand), allow_literal);
        }
        if (dwords == 1) {
            const uint32_t bits = bits_of(operand);
            const uint32_t code = operand.literal ? 0 : inline_code32(bits);
            return code != 0 ? code : use_literal(operand, bits, allow_literal);
        }
        uint64_t bits = static_cast<uint64_t>(operand.value.number);
        if (real) {
            std::memcpy(&bits, &operand.real, sizeof bits);
        }
        const uint32_t code = operand.literal ? 0 : inline_code64(bits);
        if (code != 0) {
            return code;
        }
        if (!real) {
            return use_literal(operand, bits_of(operand), allow_literal);
        }
        // The literal of an f64 operand is its upper half.
        if (std::strstr(info_->name, "_f64") == nullptr) {
            fail(operand, "a 64-bit integer operand takes no floating-point literal");
        }
        if ((bits & UINT32_MAX) != 0) {
            fail(operand,
                 "only the upper 32 bits of a double fit a literal, and this one needs "
                 "the lower ones");
        }
        return use_literal(operand, static_cast<uint32_t>(bits >> 32), allow_literal);
    }

    // Operand code of any source.
    uint32_t source_code(const Operand& operand, unsigned dwords, bool allow_vgpr,
                         bool allow_literal) {
        switch (operand.kind) {
            case Operand::Kind::Vgpr:
                if (!allow_vgpr) {
                    fail(operand, "a vector register cannot stand here");
                }
                check_width(operand, dwords, true);
                return kVgprFirst + operand.code;
            case Operand::Kind::Scalar:
                if (operand.code >= 128) {
                    if (operand.code == kLdsDirect && !allow_vgpr) {
                        fail(operand, "LDS-direct is for vector instructions");
                    }
                    return operand.code;
                }
                {
                    Operand plain = operand;
                    plain.neg = plain.abs = false;
                    return scalar_register(plain, dwords);
                }
            default:
                return constant_code(operand, dwords, allow_literal);
        }
    }

    // Not more than one scalar register, or a literal, per vector instruction (LLVM's rule). Slots
    // without one hold a VGPR or a constant.
    void check_constant_bus(const Token* where, const uint32_t* codes, const unsigned* dwords,
                            unsigned count) const {
        const auto on_bus = [](uint32_t code) {
            return code < kConstZero || (code >= kVccz && code < kLdsDirect) || code == kLiteral;
        };
        bool used = literal_;
        uint32_t first = kLiteral;
        unsigned width = 1;
        for (unsigned i = 0; i < count; ++i) {
            if (!on_bus(codes[i]) || codes[i] == kLiteral) {
                continue;
            }
            if (used && (codes[i] != first || dwords[i] != width)) {
                cursor_.fail(where[i],
                             "a vector instruction reads one scalar register or one literal "
                             "at most, vcc and m0 it reads anyway included");
            }
            used = true;
            first = codes[i];
            width = dwords[i];
        }
    }

    // ---- modifiers ----------------------------------------------------------------------------

    // Takes `name` or `name:`; true once for each name.
    bool flag(const char* name, bool& value) {
        if (!cursor_.peek().is_name(name)) {
            return false;
        }
        const Token token = cursor_.take();
        if (value) {
            cursor_.fail(token, std::string(name) + " given twice");
        }
        value = true;
        return true;
    }
    bool number(const char* name, int64_t high, uint32_t& value, bool& seen) {
        if (!cursor_.peek().is_name(name)) {
            return false;
        }
        flag(name, seen);
        cursor_.expect(":");
        value = static_cast<uint32_t>(cursor_.number(name, 0, high));
        return true;
    }
    [[noreturn]] void unknown_modifier(std::vector<std::string> known) {
        const Token& token = cursor_.peek();
        if (token.kind != Token::Kind::Name) {
            cursor_.end();
        }
        const std::string name(token.text);
        throw SyntaxError{token.column,
                          "unknown modifier \"" + name + "\" of " + std::string(info_->name), name,
                          std::make_shared<const std::vector<std::string>>(std::move(known))};
    }
    bool more() {
        cursor_.accept(",");
        return cursor_.peek().kind != Token::Kind::End;
    }

    // ---- scalar formats -----------------------------------------------------------------------

    uint32_t branch_target() {
        separate();
        const Token token = cursor_.peek();
        const Value value = cursor_.expression();
        if (!value.relative) {
            if (value.number < -32768 || value.number > 65535) {
                cursor_.fail(token, "the distance does not fit 16 bits");
            }
            return static_cast<uint32_t>(value.number) & 0xffff;
        }
        if (!cursor_.symbols().complete) {
            return 0;
        }
        const int64_t bytes = static_cast<int64_t>(static_cast<uint64_t>(value.number) -
                                                   static_cast<uint64_t>(pc_) - 4);
        if (bytes % 4 != 0) {
            cursor_.fail(token, "the target is not at a multiple of 4 bytes");
        }
        if (bytes / 4 < -32768 || bytes / 4 > 32767) {
            cursor_.fail(token, "the target is " + std::to_string(bytes) +
                                    " bytes away, a branch reaches 131068 forward and 131072 back");
        }
        return static_cast<uint32_t>(bytes / 4) & 0xffff;
    }

    uint32_t field16() {
        separate();
        return static_cast<uint32_t>(cursor_.number("the constant", -32768, 65535)) & 0xffff;
    }

    void literal_operand() {
        const Operand operand = next();
        no_modifiers(operand);
        use_literal(operand, bits_of(operand), true);
    }

    void sopk() {
        start(enc::sopk::kId, enc::sopk::kIdValue);
        put(enc::sopk::kOp, info_->number);
        const unsigned dwords = info_->dst_dwords > 0 ? info_->dst_dwords : info_->src_dwords[0];
        const auto hwreg = [this] {
            separate();
            put(enc::sopk::kSimm16, parse_hwreg(cursor_));
        };
        if (op_ == Op::S_SETREG_IMM32_B32) {
            hwreg();
            literal_operand();
            return;
        }
        if (op_ == Op::S_SETREG_B32) {
            hwreg();
            put(enc::sopk::kSdst, scalar_register(dwords));
            return;
        }
        put(enc::sopk::kSdst, scalar_register(dwords));
        if (op_ == Op::S_GETREG_B32 || op_ == Op::S_GETREG_REGRD_B32) {
            hwreg();
        } else if (op_ == Op::S_CBRANCH_I_FORK) {
            put(enc::sopk::kSimm16, branch_target());
        } else {
            put(enc::sopk::kSimm16, field16());
        }
    }

    void sopp() {
        start(enc::sopp::kId, enc::sopp::kIdValue);
        put(enc::sopp::kOp, info_->number);
        switch (op_) {
            case Op::S_BARRIER:
            case Op::S_ICACHE_INV:
            case Op::S_TTRACEDATA:
                return;
            case Op::S_ENDPGM:
                if (cursor_.peek().kind != Token::Kind::End) {
                    put(enc::sopp::kSimm16, field16());
                }
                return;
            case Op::S_WAITCNT:
                put(enc::sopp::kSimm16, parse_waitcnt(cursor_));
                return;
            case Op::S_SENDMSG:
            case Op::S_SENDMSGHALT:
                put(enc::sopp::kSimm16, parse_message(cursor_));
                return;
            default:
                put(enc::sopp::kSimm16, info_->cls == Class::Branch ? branch_target() : field16());
                return;
        }
    }

    void smrd() {
        start(enc::smrd::kId, enc::smrd::kIdValue);
        put(enc::smrd::kOp, info_->number);
        put(enc::smrd::kSdst, scalar_destination());
        if (info_->num_src == 0) {
            return;
        }
        put(enc::smrd::kSbasePair, scalar_register(info_->src_dwords[0]) / 2);
        separate();
        const Token token = cursor_.peek();
        const Operand offset = cursor_.operand();
        if (offset.kind == Operand::Kind::Integer) {
            no_modifiers(offset);
            const bool pending = offset.value.relative && !cursor_.symbols().complete;
            if (!pending && (offset.value.number < 0 || offset.value.number > 255)) {
                cursor_.fail(token, "the offset is " + std::to_string(offset.value.number) +
                                        ", expected 0 to 255 (dwords)");
            }
            put(enc::smrd::kImm, 1);
            put(enc::smrd::kOffset, static_cast<uint64_t>(offset.value.number));
        } else {
            put(enc::smrd::kOffset, scalar_register(offset, 1));
        }
    }

    // ---- vector ALU ---------------------------------------------------------------------------

    void vector_alu() {
        const Cursor begin = cursor_;
        const bool has_e32 = info_->format != Format::Vop3;
        const bool has_e64 = !info_->has(kOpNoVop3);
        SyntaxError shorter{0, ""};
        if (has_e32 && suffix_ != Suffix::E64) {
            try {
                vop_e32();
                cursor_.end();
                return;
            } catch (const SyntaxError& error) {
                if (suffix_ == Suffix::E32 || !has_e64) {
                    throw;
                }
                shorter = error;
            }
            cursor_ = begin;
        }
        try {
            vop_e64();
            cursor_.end();
        } catch (const SyntaxError& error) {
            // The encoding that got further is the one that was meant.
            if (shorter.column > error.column) {
                throw shorter;
            }
            throw;
        }
    }

    void vcc_operand(const char* what) {
        const Operand operand = next();
        if (operand.kind != Operand::Kind::Scalar || operand.code != kVccLo ||
            operand.dwords != 2) {
            fail(operand, std::string("the 32-bit encoding has vcc as ") + what);
        }
        no_modifiers(operand);
    }

    void vop_e32() {
        Token where[3];
        std::fill(std::begin(where), std::end(where), cursor_.peek());
        uint32_t src[2] = {0, 0};
        start(enc::vop1::kId, 0);
        if (info_->format == Format::Vopc) {
            vcc_operand("its destination");
        }
        uint32_t vdst = 0;
        if (info_->format != Format::Vopc && info_->dst_dwords > 0) {
            vdst = info_->has(kOpSgprDst) ? scalar_register(1) : vgpr(info_->dst_dwords);
        }
        if (info_->has(kOpMaskOut) && info_->format != Format::Vopc) {
            vcc_operand("its mask result");
        }
        for (unsigned i = 0; i < info_->num_src; ++i) {
            if (op_ == Op::V_MADMK_F32 && i == 1) {
                literal_operand();
            }
            const Operand operand = next();
            where[i].column = operand.column;
            no_modifiers(operand);
            const unsigned dwords = info_->src_dwords[i];
            if (info_->has(kOpLaneSel)) {
                const bool value_of_lane = i == 0 && info_->has(kOpSgprDst);
                src[i] = value_of_lane ? kVgprFirst + vgpr(operand, dwords)
                                       : source_code(operand, dwords, false, i == 0);
            } else if (i == 0) {
                src[i] = source_code(operand, dwords, true, true);
            } else {
                src[i] = vgpr(operand, dwords);
            }
        }
        if (op_ == Op::V_MADAK_F32) {
            literal_operand();
        }
        uint32_t codes[3] = {info_->num_src > 0 ? src[0] : uint32_t{kConstZero},
                             info_->has(kOpLaneSel) ? src[1] : uint32_t{kConstZero}, kConstZero};
        unsigned widths[3] = {info_->src_dwords[0], info_->src_dwords[1], 2};
        if (info_->has(kOpMaskIn)) {
            vcc_operand("its mask operand");
            codes[2] = kVccLo;
        }
        if (op_ == Op::V_MOVRELD_B32) {
            codes[1] = kM0;
            widths[1] = 1;
        }
        check_constant_bus(where, codes, widths, 3);
        switch (info_->format) {
            case Format::Vop2:
                bits_ = enc::vop2::kId.put(enc::vop2::kIdValue);
                put(enc::vop2::kOp, info_->number);
                put(enc::vop2::kVdst, vdst);
                put(enc::vop2::kSrc0, src[0]);
                put(enc::vop2::kVsrc1, src[1]);
                break;
            case Format::Vop1:
                bits_ = enc::vop1::kId.put(enc::vop1::kIdValue);
                put(enc::vop1::kOp, info_->number);
                put(enc::vop1::kVdst, vdst);
                put(enc::vop1::kSrc0, src[0]);
                break;
            default:
                bits_ = enc::vopc::kId.put(enc::vopc::kIdValue);
                put(enc::vopc::kOp, info_->number);
                put(enc::vopc::kSrc0, src[0]);
                put(enc::vopc::kVsrc1, src[1]);
                break;
        }
    }

    void vop_e64() {
        Token where[4];
        std::fill(std::begin(where), std::end(where), cursor_.peek());
        start(enc::vop3::kId, enc::vop3::kIdValue, 2);
        const uint32_t base = info_->format == Format::Vop2   ? 256
                              : info_->format == Format::Vop1 ? 384
                                                              : 0;
        put(enc::vop3::kOp, info_->number + base);
        const bool has_sdst = info_->has(kOpMaskOut) && info_->format != Format::Vopc;
        if (info_->format == Format::Vopc) {
            put(enc::vop3::kVdst, scalar_register(2));
        } else if (info_->dst_dwords > 0) {
            put(enc::vop3::kVdst, vgpr(info_->dst_dwords));
        }
        if (has_sdst) {
            put(enc::vop3::kSdst, scalar_register(2));
        }
        static const enc::Field kFields[3] = {enc::vop3::kSrc0, enc::vop3::kSrc1, enc::vop3::kSrc2};
        uint32_t codes[4] = {kConstZero, kConstZero, kConstZero, kConstZero};
        unsigned widths[4] = {1, 1, 1, 2};
        uint32_t neg = 0;
        uint32_t abs = 0;
        for (unsigned i = 0; i < info_->num_src; ++i) {
            const Operand operand = next();
            where[i].column = operand.column;
            if (operand.abs && has_sdst) {
                fail(operand, "the encoding has no room for an absolute value beside the mask");
            }
            codes[i] = source_code(operand, info_->src_dwords[i], true, false);
            if (codes[i] == kLdsDirect) {
                fail(operand, "LDS-direct is for the 32-bit vector encodings");
            }
            widths[i] = info_->src_dwords[i];
            put(kFields[i], codes[i]);
            neg |= operand.neg ? 1u << i : 0;
            abs |= operand.abs ? 1u << i : 0;
        }
        put(enc::vop3::kNeg, neg);
        if (!has_sdst) {
            put(enc::vop3::kAbs, abs);
        }
        if (info_->has(kOpMaskIn)) {
            const Operand operand = next();
            where[2].column = operand.column;
            codes[2] = scalar_register(operand, 2);
            widths[2] = 2;
            put(enc::vop3::kSrc2, codes[2]);
        }
        if (info_->has(kOpVccIn)) {
            codes[3] = kVccLo;
        } else if (op_ == Op::V_MOVRELD_B32) {
            codes[3] = kM0;
            widths[3] = 1;
        }
        check_constant_bus(where, codes, widths, 4);
        bool clamp = false;
        bool omod = false;
        while (cursor_.peek().kind != Token::Kind::End) {
            const Token& token = cursor_.peek();
            if (flag("clamp", clamp)) {
                if (has_sdst) {
                    cursor_.fail(token, "the encoding has no room for clamp beside the mask");
                }
                put(enc::vop3::kClamp, 1);
            } else if (token.is_name("mul") || token.is_name("div")) {
                const bool mul = token.is_name("mul");
                flag(mul ? "mul" : "div", omod);
                cursor_.expect(":");
                const int64_t factor = cursor_.number("the factor", 1, 4);
                if (factor == 3 || (!mul && factor == 4)) {
                    cursor_.fail(token, "output modifiers are mul:2, mul:4 and div:2");
                }
                put(enc::vop3::kOmod, factor == 1 ? 0 : !mul ? 3 : factor == 2 ? 1 : 2);
            } else {
                unknown_modifier({"clamp", "mul", "div"});
            }
        }
    }

    void vintrp() {
        start(enc::vintrp::kId, enc::vintrp::kIdValue);
        put(enc::vintrp::kOp, info_->number);
        put(enc::vintrp::kVdst, vgpr(1));
        if (info_->num_src > 0) {
            put(enc::vintrp::kVsrc, vgpr(1));
        } else {
            separate();
            const Token parameter = cursor_.take();
            const int number = parameter.is_name("p10")   ? 0
                               : parameter.is_name("p20") ? 1
                               : parameter.is_name("p0")  ? 2
                                                          : -1;
            if (number < 0) {
                cursor_.fail(parameter, "expected p10, p20 or p0");
            }
            put(enc::vintrp::kVsrc, static_cast<uint32_t>(number));
        }
        separate();
        const Token attribute = cursor_.take();
        const std::string_view text = attribute.text;
        const size_t dot = text.find('.');
        unsigned number = 0;
        bool valid = attribute.kind == Token::Kind::Name && text.substr(0, 4) == "attr" &&
                     dot != std::string_view::npos && dot > 4 && dot < 7 && dot + 2 == text.size();
        for (size_t i = 4; valid && i < dot; ++i) {
            valid = text[i] >= '0' && text[i] <= '9';
            number = number * 10 + static_cast<unsigned>(text[i] - '0');
        }
        const size_t channel =
            valid ? std::string_view("xyzw").find(text.back()) : std::string_view::npos;
        if (!valid || number > 63 || channel == std::string_view::npos) {
            cursor_.fail(attribute, "expected an attribute channel, attr0.x to attr63.w");
        }
        put(enc::vintrp::kAttr, number);
        put(enc::vintrp::kAttrChan, channel);
    }

    // ---- memory -------------------------------------------------------------------------------

    void ds() {
        start(enc::ds::kId, enc::ds::kIdValue, 2);
        put(enc::ds::kOp, info_->number);
        if (info_->dst_dwords > 0) {
            put(enc::ds::kVdst, vgpr(info_->dst_dwords));
        }
        static const enc::Field kFields[3] = {enc::ds::kAddr, enc::ds::kData0, enc::ds::kData1};
        for (unsigned i = 0; i < info_->num_src; ++i) {
            if (info_->src_dwords[i] > 0) {
                put(kFields[i], vgpr(info_->src_dwords[i]));
            }
        }
        uint32_t offset = 0;
        uint32_t offset0 = 0;
        uint32_t offset1 = 0;
        bool has_offset = false;
        bool has_offset0 = false;
        bool has_offset1 = false;
        // These exist in the global data share only; LLVM leaves the word to the writer.
        const bool global = info_->mem == MemKind::Gws || info_->mem == MemKind::OrderedCount;
        bool gds = false;
        while (more()) {
            const bool pair = info_->mem_pair != 0;
            if (pair && (number("offset0", 255, offset0, has_offset0) ||
                         number("offset1", 255, offset1, has_offset1))) {
                continue;
            }
            if (!pair && cursor_.peek().is_name("offset") && cursor_.peek(1).is(":") &&
                cursor_.peek(2).is_name("swizzle") && op_ == Op::DS_SWIZZLE_B32) {
                flag("offset", has_offset);
                cursor_.take();
                offset = parse_swizzle(cursor_);
                continue;
            }
            if ((!pair && number("offset", 65535, offset, has_offset)) || flag("gds", gds)) {
                continue;
            }
            unknown_modifier(pair ? std::vector<std::string>{"offset0", "offset1", "gds"}
                                  : std::vector<std::string>{"offset", "gds"});
        }
        put(enc::ds::kOffset0, offset0 | (offset & 0xff));
        put(enc::ds::kOffset1, offset1 | offset >> 8);
        put(enc::ds::kGds, gds || global);
    }

    // `off` or address registers; the width is checked against the modifiers later.
    bool address(Operand& operand) {
        separate();
        if (cursor_.accept_name("off")) {
            return false;
        }
        operand = cursor_.operand();
        return true;
    }

    // The fields of MUBUF and MTBUF that both have, at the same places.
    void buffer() {
        const bool typed = info_->format == Format::Mtbuf;
        if (typed) {
            start(enc::mtbuf::kId, enc::mtbuf::kIdValue, 2);
            put(enc::mtbuf::kOp, info_->number);
        } else {
            start(enc::mubuf::kId, enc::mubuf::kIdValue, 2);
            put(enc::mubuf::kOp, info_->number);
        }
        if (info_->mem == MemKind::CacheInvalidate) {
            return;
        }
        bool lds = false;
        Operand data;
        const bool to_lds = !typed && cursor_.mentions("lds");
        if (!to_lds) {
            data = next();
        }
        Operand vaddr;
        const bool has_address = address(vaddr);
        put(enc::mubuf::kSrsrcQuad, scalar_register(4) / 4);
        uint32_t format = 1;  // 8, UNORM
        const auto at_format = [this] {
            const Token& token = cursor_.peek();
            return token.is_name("dfmt") || token.is_name("nfmt") || token.is_name("format");
        };
        // The format may stand in front of SOFFSET as well.
        while (typed && cursor_.peek().is(",") &&
               (cursor_.peek(1).is_name("dfmt") || cursor_.peek(1).is_name("nfmt") ||
                cursor_.peek(1).is_name("format"))) {
            cursor_.take();
            format = parse_buffer_format(cursor_, format);
        }
        const Operand soffset = next();
        no_modifiers(soffset);
        put(enc::mubuf::kSoffset, source_code(soffset, 1, false, false));
        bool offen = false;
        bool idxen = false;
        bool addr64 = false;
        bool glc = false;
        bool slc = false;
        bool tfe = false;
        bool has_offset = false;
        uint32_t offset = 0;
        while (more()) {
            if (typed && at_format()) {
                format = parse_buffer_format(cursor_, format);
            } else if (!flag("offen", offen) && !flag("idxen", idxen) && !flag("addr64", addr64) &&
                       !flag("glc", glc) && !flag("slc", slc) && !flag("tfe", tfe) &&
                       !(!typed && flag("lds", lds)) &&
                       !number("offset", 4095, offset, has_offset)) {
                std::vector<std::string> known = {"offen", "idxen", "addr64", "offset",
                                                  "glc",   "slc",   "tfe"};
                known.emplace_back(typed ? "format" : "lds");
                unknown_modifier(std::move(known));
            }
        }
        const unsigned wanted = addr64 || (offen && idxen) ? 2 : offen || idxen ? 1 : 0;
        if (has_address != (wanted > 0)) {
            fail(vaddr.column != 0 ? vaddr : soffset,
                 wanted > 0 ? "offen, idxen and addr64 need address registers in place of \"off\""
                            : "address registers need offen, idxen or addr64");
        }
        if (has_address) {
            put(enc::mubuf::kVaddr, vgpr(vaddr, wanted));
        }
        if (!to_lds) {
            const unsigned dwords = std::max(info_->dst_dwords, info_->src_dwords[1]);
            // LLVM counts the status dword of TFE in some versions and not in others.
            const bool extended = tfe && data.dwords == dwords + 1;
            put(enc::mubuf::kVdata, vgpr(data, extended ? dwords + 1 : dwords));
        }
        put(enc::mubuf::kOffset, offset);
        put(enc::mubuf::kOffen, offen);
        put(enc::mubuf::kIdxen, idxen);
        put(enc::mubuf::kGlc, glc);
        put(enc::mubuf::kAddr64, addr64);
        put(enc::mubuf::kSlc, slc);
        put(enc::mubuf::kTfe, tfe);
        if (typed) {
            put(enc::mtbuf::kDfmt, format & 15);
            put(enc::mtbuf::kNfmt, format >> 4);
        } else {
            put(enc::mubuf::kLds, lds);
        }
    }

    void image() {
        start(enc::mimg::kId, enc::mimg::kIdValue, 2);
        put(enc::mimg::kOp, info_->number);
        const Operand data = next();
        const Operand vaddr = next();
        const Operand resource = next();
        const bool samples = info_->mem == MemKind::ImageSample || op_ == Op::IMAGE_GET_LOD;
        if (samples) {
            put(enc::mimg::kSsampQuad, scalar_register(4) / 4);
        }
        Inst inst;
        inst.op = op_;
        uint32_t dmask = 0;
        bool has_dmask = false;
        bool glc = false;
        bool slc = false;
        while (more()) {
            if (!number("dmask", 15, dmask, has_dmask) && !flag("unorm", inst.unorm) &&
                !flag("glc", glc) && !flag("slc", slc) && !flag("r128", inst.r128) &&
                !flag("tfe", inst.tfe) && !flag("lwe", inst.lwe) && !flag("da", inst.da)) {
                unknown_modifier({"dmask", "unorm", "glc", "slc", "r128", "tfe", "lwe", "da"});
            }
        }
        inst.dmask = static_cast<uint8_t>(dmask);
        put(enc::mimg::kVdata, vgpr(data, image_data_dwords(inst)));
        // How many address registers are read depends on the resource.
        if (vaddr.kind != Operand::Kind::Vgpr || vaddr.dwords > 16) {
            fail(vaddr, "expected up to 16 vector registers");
        }
        put(enc::mimg::kVaddr, vgpr(vaddr, vaddr.dwords));
        const bool short_resource = inst.r128 && resource.dwords == 4;
        put(enc::mimg::kSrsrcQuad, scalar_register(resource, short_resource ? 4 : 8) / 4);
        put(enc::mimg::kDmask, dmask);
        put(enc::mimg::kUnorm, inst.unorm);
        put(enc::mimg::kGlc, glc);
        put(enc::mimg::kSlc, slc);
        put(enc::mimg::kR128, inst.r128);
        put(enc::mimg::kTfe, inst.tfe);
        put(enc::mimg::kLwe, inst.lwe);
        put(enc::mimg::kDa, inst.da);
    }

    void exp() {
        start(enc::exp::kId, enc::exp::kIdValue, 2);
        put(enc::exp::kTarget, parse_export_target(cursor_));
        Operand operands[4];
        uint32_t enabled = 0;
        cursor_.accept(",");
        for (unsigned i = 0; i < 4; ++i) {
            if (i > 0) {
                cursor_.expect(",");
            }
            operands[i].column = cursor_.peek().column;
            if (!cursor_.accept_name("off")) {
                operands[i] = cursor_.operand();
                enabled |= 1u << i;
            }
        }
        bool done = false;
        bool compr = false;
        bool vm = false;
        while (more()) {
            if (!flag("done", done) && !flag("compr", compr) && !flag("vm", vm)) {
                unknown_modifier({"done", "compr", "vm"});
            }
        }
        static const enc::Field kFields[4] = {enc::exp::kVsrc0, enc::exp::kVsrc1, enc::exp::kVsrc2,
                                              enc::exp::kVsrc3};
        for (unsigned i = 0; i < 4; ++i) {
            const uint32_t reg = (enabled >> i & 1) != 0 ? vgpr(operands[i], 1) : 0;
            if (!compr) {
                put(kFields[i], reg);
                continue;
            }
            // Packed components share a register.
            const Operand& other = operands[i ^ 1];
            if ((enabled >> i & 1) != (enabled >> (i ^ 1) & 1) || other.code != operands[i].code) {
                fail(operands[i | 1], "with compr, two components in a row name the same register");
            }
            if (i % 2 == 0) {
                put(kFields[i / 2], reg);
            }
        }
        put(enc::exp::kEn, enabled);
        put(enc::exp::kDone, done);
        put(enc::exp::kCompr, compr);
        put(enc::exp::kVm, vm);
    }

    Cursor& cursor_;
    int64_t pc_;
    Op op_{};
    const OpInfo* info_ = nullptr;
    Suffix suffix_ = Suffix::None;
    uint64_t bits_ = 0;
    Encoded encoded_;
    bool literal_ = false;
    uint32_t literal_value_ = 0;
    bool first_ = true;
};

// What buffer() relies on.
static_assert(enc::mubuf::kSrsrcQuad.low == enc::mtbuf::kSrsrcQuad.low &&
              enc::mubuf::kSoffset.low == enc::mtbuf::kSoffset.low &&
              enc::mubuf::kVaddr.low == enc::mtbuf::kVaddr.low &&
              enc::mubuf::kVdata.low == enc::mtbuf::kVdata.low &&
              enc::mubuf::kOffset.high == enc::mtbuf::kOffset.high &&
              enc::mubuf::kOffen.low == enc::mtbuf::kOffen.low &&
              enc::mubuf::kIdxen.low == enc::mtbuf::kIdxen.low &&
              enc::mubuf::kGlc.low == enc::mtbuf::kGlc.low &&
              enc::mubuf::kAddr64.low == enc::mtbuf::kAddr64.low &&
              enc::mubuf::kSlc.low == enc::mtbuf::kSlc.low &&
              enc::mubuf::kTfe.low == enc::mtbuf::kTfe.low);

}  // namespace

std::shared_ptr<const std::vector<std::string>> all_mnemonics() {
    static const auto names = [] {
        auto list = std::make_shared<std::vector<std::string>>();
        for (unsigned i = 0; i < kOpNameCount; ++i) {
            list->emplace_back(kOpNames[i].text);
        }
        return list;
    }();
    return names;
}

Encoded encode_statement(Cursor& cursor, int64_t pc) {
    return Encoder(cursor, pc).run();
}

}  // namespace archipelago::isa
