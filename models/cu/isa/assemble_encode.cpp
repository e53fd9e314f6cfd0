// SPDX-License-Identifier: Apache-2.0
// Mnemonics, operands and the scalar formats.
#include "models/cu/isa/assemble_encoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace archipelago::isa {
namespace {

const OpName* find_name(std::string_view text) {
    const OpName* const end = kOpNames + kOpNameCount;
    const OpName* const found = std::lower_bound(
        kOpNames, end, text, [](const OpName& name, std::string_view t) { return name.text < t; });
    return found != end && found->text == text ? found : nullptr;
}

// Operand code of the inline constant with these bits; 0: there is none.
template <class Bits>
uint32_t inline_code(const Bits* constants, Bits bits) {
    for (unsigned i = kConstZero; i <= kFloatLast; ++i) {
        if ((i <= kIntNegLast || i >= kFloatFirst) && constants[i - kConstZero] == bits) {
            return i;
        }
    }
    return 0;
}

}  // namespace

Encoded Encoder::run() {
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
    end_operands();
    return finish(name);
}

void Encoder::lookup(const Token& token) {
    const std::string lower = lower_case(token.text);
    std::string_view name = lower;
    const OpName* found = find_name(name);
    if (found == nullptr && name.size() > 4) {
        const std::string_view ending = name.substr(name.size() - 4);
        suffix_ = ending == "_e32" ? Suffix::E32 : ending == "_e64" ? Suffix::E64 : Suffix::None;
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
    // As in LLVM: "_e32" is the shorter encoding of what has one only.
    const bool has_e32 = info_->format != Format::Vop3;
    const bool has_e64 = vector && !info_->has(kOpNoVop3);
    if ((suffix_ == Suffix::E32 && !has_e32) || (suffix_ == Suffix::E64 && !has_e64)) {
        cursor_.fail(token, std::string(info_->name) + " has no " +
                                (suffix_ == Suffix::E32 ? "32-bit" : "64-bit vector") +
                                " encoding");
    }
}

void Encoder::start(enc::Field id, uint32_t value, unsigned dwords) {
    bits_ = id.put(value);
    encoded_ = {};
    encoded_.dwords = dwords;
    literal_ = false;
    first_ = true;
    modified_ = false;
    order_ = 0;
    cache_policy_ = false;
}

Encoded Encoder::finish(const Token& name) {
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

void Encoder::separate() {
    if (!first_) {
        cursor_.accept(",");
    }
    first_ = false;
}

void Encoder::end_operands() {
    if (!first_ && !modified_) {
        cursor_.accept(",");
    }
    cursor_.end();
}

Operand Encoder::next() {
    separate();
    return cursor_.operand();
}

void Encoder::fail(const Operand& operand, const std::string& message) const {
    throw SyntaxError{operand.column, message};
}

void Encoder::no_modifiers(const Operand& operand) const {
    if (operand.neg || operand.abs) {
        fail(operand, "negation and absolute value exist in the 64-bit vector encoding only");
    }
}

void Encoder::check_width(const Operand& operand, unsigned dwords, bool vector) const {
    if (operand.dwords != dwords && operand.dwords != 0) {
        fail(operand, "expected " + std::to_string(dwords) +
                          (dwords == 1 ? " register" : " registers") + " (" +
                          register_example(vector, dwords) + "), got " +
                          std::to_string(operand.dwords));
    }
}

uint32_t Encoder::vgpr(const Operand& operand, unsigned dwords) const {
    if (operand.kind != Operand::Kind::Vgpr) {
        fail(operand, "expected a vector register (" + register_example(true, dwords) + ")");
    }
    no_modifiers(operand);
    check_width(operand, dwords, true);
    return operand.code;
}

uint32_t Encoder::scalar_register(const Operand& operand, unsigned dwords) const {
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

uint32_t Encoder::scalar_destination() {
    return info_->dst_dwords > 0 ? scalar_register(info_->dst_dwords) : 0;
}

uint32_t Encoder::scalar_source(unsigned slot) {
    if (slot >= info_->num_src) {
        return 0;
    }
    const Operand operand = next();
    no_modifiers(operand);
    return source_code(operand, info_->src_dwords[slot], false, true);
}

uint32_t Encoder::use_literal(const Operand& operand, uint32_t value, bool allowed) {
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

uint32_t Encoder::bits_of(const Operand& operand) const {
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

uint32_t Encoder::constant_code(const Operand& operand, unsigned dwords, bool allow_literal) {
    const bool real = operand.kind == Operand::Kind::Real;
    if (operand.value.relative) {
        // Its size must not depend on its value.
        return use_literal(operand, bits_of(operand), allow_literal);
    }
    if (dwords == 1) {
        const uint32_t bits = bits_of(operand);
        const uint32_t code = operand.literal ? 0 : inline_code(kInlineConstants.bits32, bits);
        return code != 0 ? code : use_literal(operand, bits, allow_literal);
    }
    uint64_t bits = static_cast<uint64_t>(operand.value.number);
    if (real) {
        std::memcpy(&bits, &operand.real, sizeof bits);
    }
    const uint32_t code = operand.literal ? 0 : inline_code(kInlineConstants.bits64, bits);
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

uint32_t Encoder::source_code(const Operand& operand, unsigned dwords, bool allow_vgpr,
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
                if (operand.code == kLdsDirect && (!allow_vgpr || dwords != 1)) {
                    fail(operand, "LDS-direct is for 32-bit operands of vector instructions");
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

void Encoder::check_constant_bus(const Token* where, const uint32_t* codes, const unsigned* dwords,
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

bool Encoder::flag(const char* name, bool& value) {
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

bool Encoder::number(const char* name, int64_t high, uint32_t& value, bool& seen) {
    if (!cursor_.peek().is_name(name)) {
        return false;
    }
    flag(name, seen);
    cursor_.expect(":");
    value = static_cast<uint32_t>(cursor_.number(name, 0, high));
    return true;
}

void Encoder::unknown_modifier(std::vector<std::string> known) {
    const Token& token = cursor_.peek();
    if (token.kind != Token::Kind::Name) {
        cursor_.end();
    }
    const std::string name(token.text);
    throw SyntaxError{token.column,
                      "unknown modifier \"" + name + "\" of " + std::string(info_->name), name,
                      std::make_shared<const std::vector<std::string>>(std::move(known))};
}

void Encoder::check_order(const Token& modifier) {
    // Of each format some. glc and slc are one to LLVM: the first of them has the place.
    static constexpr std::string_view kOrder[] = {
        "done",   "compr", "vm",    "clamp",  "mul",     "div",     "src0",   "src1", "src2",
        "format", "idxen", "offen", "addr64", "offset0", "offset1", "offset", "gds",  "dmask",
        "unorm",  "glc",   "r128",  "tfe",    "lwe",     "da",      "lds"};
    const bool policy = modifier.is_name("glc") || modifier.is_name("slc");
    if (policy && std::exchange(cache_policy_, true)) {
        return;
    }
    const std::string_view name = policy ? "glc" : modifier.text;
    const auto* const found = std::find(std::begin(kOrder), std::end(kOrder), name);
    if (modifier.kind != Token::Kind::Name || found == std::end(kOrder)) {
        return;
    }
    const auto place = static_cast<size_t>(found - std::begin(kOrder));
    if (place < order_) {
        cursor_.fail(modifier, std::string(modifier.text) + " stands in front of " +
                                   std::string(kOrder[order_]));
    }
    order_ = place;
}

bool Encoder::more() {
    const Token comma = cursor_.peek();
    const bool separated = cursor_.accept(",");
    if (cursor_.peek().kind != Token::Kind::End) {
        check_order(cursor_.peek());
        modified_ = true;
        return true;
    }
    if (separated && (modified_ || first_)) {
        cursor_.fail(comma, modified_ ? "a comma behind the last modifier" : "unexpected \",\"");
    }
    return false;
}

uint32_t Encoder::branch_target() {
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
    const int64_t bytes =
        static_cast<int64_t>(static_cast<uint64_t>(value.number) - static_cast<uint64_t>(pc_) - 4);
    if (bytes % 4 != 0) {
        cursor_.fail(token, "the target is not at a multiple of 4 bytes");
    }
    if (bytes / 4 < -32768 || bytes / 4 > 32767) {
        cursor_.fail(token, "the target is " + std::to_string(bytes) +
                                " bytes away, a branch reaches 131068 forward and 131072 back");
    }
    return static_cast<uint32_t>(bytes / 4) & 0xffff;
}

uint32_t Encoder::field16() {
    separate();
    const bool is_unsigned = op_ >= Op::S_CMPK_EQ_U32 && op_ <= Op::S_CMPK_LE_U32;
    return static_cast<uint32_t>(cursor_.number("the constant", is_unsigned ? 0 : -32768, 65535)) &
           0xffff;
}

void Encoder::literal_operand() {
    const Operand operand = next();
    no_modifiers(operand);
    use_literal(operand, bits_of(operand), true);
}

void Encoder::sopk() {
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

void Encoder::sopp() {
    start(enc::sopp::kId, enc::sopp::kIdValue);
    put(enc::sopp::kOp, info_->number);
    switch (op_) {
        case Op::S_BARRIER:
        case Op::S_ICACHE_INV:
        case Op::S_TTRACEDATA:
            return;
        case Op::S_ENDPGM:
            if (const Token comma = cursor_.peek(); cursor_.accept(",")) {
                cursor_.fail(comma, cursor_.peek().kind == Token::Kind::End ? "trailing comma"
                                                                            : "unexpected \",\"");
            }
            if (cursor_.peek().kind != Token::Kind::End) {
                put(enc::sopp::kSimm16, field16());
            }
            return;
        case Op::S_WAITCNT:
            first_ = cursor_.peek().kind == Token::Kind::Name;
            put(enc::sopp::kSimm16, parse_waitcnt(cursor_));
            return;
        case Op::S_SENDMSG:
        case Op::S_SENDMSGHALT:
            first_ = false;
            put(enc::sopp::kSimm16, parse_message(cursor_));
            return;
        default:
            put(enc::sopp::kSimm16, info_->cls == Class::Branch ? branch_target() : field16());
            return;
    }
}

void Encoder::smrd() {
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
        if (offset.literal) {
            fail(offset, "the offset is a field of 8 bits, no literal constant");
        }
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
