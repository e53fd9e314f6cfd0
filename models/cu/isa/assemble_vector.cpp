// SPDX-License-Identifier: Apache-2.0
// Vector ALU and interpolation.
#include "models/cu/isa/assemble_encoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace archipelago::isa {

void Encoder::vector_alu() {
    const bool has_e32 = info_->format != Format::Vop3;
    const bool has_e64 = !info_->has(kOpNoVop3);
    SyntaxError shorter{0, ""};
    if (has_e32 && suffix_ != Suffix::E64) {
        SyntaxError without{0, ""};
        if (try_e32(true, shorter) || (may_leave_out_vcc() && try_e32(false, without))) {
            return;
        }
        if (suffix_ == Suffix::E32 || !has_e64) {
            throw shorter;
        }
    }
    try {
        vop_e64();
    } catch (const SyntaxError& error) {
        // The encoding that got further is the one that was meant.
        if (shorter.column > error.column) {
            throw shorter;
        }
        throw;
    }
}

void Encoder::vcc_operand(const char* what) {
    const Operand operand = next();
    if (operand.kind != Operand::Kind::Scalar || operand.code != kVccLo || operand.dwords != 2) {
        fail(operand, std::string("the 32-bit encoding has vcc as ") + what);
    }
    no_modifiers(operand);
}

bool Encoder::may_leave_out_vcc() const {
    return info_->format == Format::Vopc || op_ == Op::V_CNDMASK_B32;
}

// False: the cursor is where it was.
bool Encoder::try_e32(bool names_vcc, SyntaxError& error) {
    const Cursor begin = cursor_;
    try {
        vop_e32(names_vcc);
        end_operands();
        return true;
    } catch (const SyntaxError& refused) {
        error = refused;
        cursor_ = begin;
        return false;
    }
}

// VGPR or scalar register of the result, 0 without one. `names_vcc`: VCC, where it is a result that
// may be left out, is named.
uint32_t Encoder::e32_destination(bool names_vcc) {
    if (info_->format == Format::Vopc) {
        if (names_vcc) {
            vcc_operand("its destination");
        }
        return 0;
    }
    uint32_t vdst = 0;
    if (info_->dst_dwords > 0) {
        vdst = info_->has(kOpSgprDst) ? scalar_register(1) : vgpr(info_->dst_dwords);
    }
    if (info_->has(kOpMaskOut)) {
        vcc_operand("its mask result");
    }
    return vdst;
}

// What the field of a source holds.
uint32_t Encoder::e32_source(const Operand& operand, unsigned slot) {
    no_modifiers(operand);
    const unsigned dwords = info_->src_dwords[slot];
    if (info_->has(kOpLaneSel)) {
        const bool value_of_lane = slot == 0 && info_->has(kOpSgprDst);
        return value_of_lane ? kVgprFirst + vgpr(operand, dwords)
                             : source_code(operand, dwords, false, slot == 0);
    }
    return slot == 0 ? source_code(operand, dwords, true, true) : vgpr(operand, dwords);
}

// Besides what the fields of the sources name, VCC and M0 that the opcode reads.
void Encoder::check_e32_constant_bus(const Token (&where)[3], const uint32_t (&src)[2]) const {
    uint32_t codes[3] = {info_->num_src > 0 ? src[0] : uint32_t{kConstZero},
                         info_->has(kOpLaneSel) ? src[1] : uint32_t{kConstZero}, kConstZero};
    unsigned widths[3] = {info_->src_dwords[0], info_->src_dwords[1], 2};
    if (info_->has(kOpMaskIn)) {
        codes[2] = kVccLo;
    }
    if (op_ == Op::V_MOVRELD_B32) {
        codes[1] = kM0;
        widths[1] = 1;
    }
    check_constant_bus(where, codes, widths, 3);
}

void Encoder::put_e32(uint32_t vdst, const uint32_t (&src)[2]) {
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

void Encoder::vop_e32(bool names_vcc) {
    Token where[3];
    std::fill(std::begin(where), std::end(where), cursor_.peek());
    uint32_t src[2] = {0, 0};
    start(enc::vop1::kId, 0);
    const uint32_t vdst = e32_destination(names_vcc);
    for (unsigned i = 0; i < info_->num_src; ++i) {
        if (op_ == Op::V_MADMK_F32 && i == 1) {
            literal_operand();
        }
        // LLVM takes no sign in front of a statement's first operand.
        const bool first = first_;
        const Operand given = next();
        const Operand operand = first ? given : with_sign(given, i);
        where[i].column = operand.column;
        src[i] = e32_source(operand, i);
    }
    if (op_ == Op::V_MADAK_F32) {
        literal_operand();
    }
    if (info_->has(kOpMaskIn) && names_vcc) {
        vcc_operand("its mask operand");
    }
    check_e32_constant_bus(where, src);
    put_e32(vdst, src);
}

void Encoder::vop_e64() {
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
        check_modifiers(operand, i);
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
    vop3_modifiers();
}

Operand Encoder::with_sign(const Operand& operand, unsigned slot) const {
    const bool constant =
        operand.kind == Operand::Kind::Integer || operand.kind == Operand::Kind::Real;
    if (!constant || operand.value.relative || (info_->modifiers >> slot & 1) == 0) {
        return operand;
    }
    Operand result = operand;
    result.neg = result.abs = false;
    if (operand.kind == Operand::Kind::Real) {
        const double size = operand.abs ? std::fabs(operand.real) : operand.real;
        result.real = operand.neg ? -size : size;
        return result;
    }
    // An integer is the bits of the operand's type, of which one is the sign. That of a double is
    // not among the 32 bits of a literal.
    if (info_->src_dwords[slot] == 2) {
        return operand;
    }
    const uint64_t sign = op_ == Op::V_CVT_F32_F16 ? 0x8000 : 0x80000000;
    auto bits = static_cast<uint64_t>(operand.value.number);
    bits = operand.abs ? bits & ~sign : bits;
    bits = operand.neg ? bits ^ sign : bits;
    result.value.number = static_cast<int64_t>(bits);
    return result;
}

void Encoder::check_modifiers(const Operand& operand, unsigned slot) const {
    // The mask result takes the place of the bits.
    if (operand.abs && info_->has(kOpMaskOut) && info_->format != Format::Vopc) {
        fail(operand, "the encoding has no room for an absolute value beside the mask");
    }
    if ((operand.neg || operand.abs) && (info_->modifiers >> slot & 1) == 0) {
        fail(operand, std::string(info_->name) + " takes no negation or absolute value here");
    }
}

bool Encoder::unread_source() {
    static const char* const kNames[3] = {"src0", "src1", "src2"};
    static const enc::Field kFields[3] = {enc::vop3::kSrc0, enc::vop3::kSrc1, enc::vop3::kSrc2};
    for (unsigned i = 0; i < 3; ++i) {
        const Token token = cursor_.peek();
        uint32_t code = 0;
        if (!number(kNames[i], kFields[i].mask(), code, unread_given_[i])) {
            continue;
        }
        if (!is_unread_source(*info_, i)) {
            cursor_.fail(token, std::string(kNames[i]) + " is an operand of " + info_->name);
        }
        put(kFields[i], code);
        return true;
    }
    return false;
}

void Encoder::vop3_modifiers() {
    bool clamp = false;
    bool omod = false;
    while (more()) {
        const Token token = cursor_.peek();
        const bool mul = token.is_name("mul");
        if (flag("clamp", clamp)) {
            if (info_->has(kOpMaskOut) && info_->format != Format::Vopc) {
                cursor_.fail(token, "the encoding has no room for clamp beside the mask");
            }
            if ((info_->modifiers & kModifierClamp) == 0) {
                cursor_.fail(token, std::string(info_->name) + " takes no clamp");
            }
            put(enc::vop3::kClamp, 1);
        } else if (mul || token.is_name("div")) {
            cursor_.take();
            if (std::exchange(omod, true)) {
                cursor_.fail(token, "the output modifier is given twice");
            }
            if ((info_->modifiers & kModifierOmod) == 0) {
                cursor_.fail(token, std::string(info_->name) + " takes no output modifier");
            }
            cursor_.expect(":");
            const int64_t factor = cursor_.number("the factor", 1, 4);
            if (factor == 3 || (!mul && factor == 4)) {
                cursor_.fail(token, "output modifiers are mul:2, mul:4 and div:2");
            }
            put(enc::vop3::kOmod, factor == 1 ? 0 : !mul ? 3 : factor == 2 ? 1 : 2);
        } else if (!unread_source()) {
            unknown_modifier({"clamp", "mul", "div", "src0", "src1", "src2"});
        }
    }
}

void Encoder::vintrp() {
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

}  // namespace archipelago::isa
