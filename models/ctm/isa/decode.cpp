// SPDX-License-Identifier: Apache-2.0
// Six words to an instruction, and what of it is reserved.
#include "models/ctm/isa/fields.h"
#include "models/ctm/isa/instruction.h"

namespace archipelago::ctm::isa {
namespace {

class Decoder {
  public:
    explicit Decoder(const Words& words) { out_.words = words; }
    Instruction decode();

  private:
    uint32_t bits(Field field) const { return get(out_.words, field); }
    bool flag(Field field) const { return bits(field) != 0; }
    // Value `offset` fields after `field`: fields of a repeated group follow each other.
    static Field plus(Field field, unsigned offset) {
        return static_cast<Field>(static_cast<unsigned>(field) + offset);
    }
    void refuse(const std::string& why) {
        if (out_.error.empty()) {
            out_.error = why;
        }
    }
    template <class Value>
    Value checked(Field field, Value last) {
        const uint32_t value = bits(field);
        if (value > static_cast<uint32_t>(last)) {
            reserved(field);
        }
        return static_cast<Value>(value);
    }
    void reserved(Field field) {
        refuse(std::string("reserved ") + info(field).name + " " + std::to_string(bits(field)));
    }
    void decode_common();
    void decode_math();
    void decode_ops();
    void decode_half(AluHalf& half, bool alpha);
    SourceAddress source(Field address);
    Operand operand(Field select, bool alpha);
    void check_math();
    void decode_texture();
    void decode_flow();

    static constexpr unsigned kAllTemporaries = 128;
    Instruction out_;
};

Instruction Decoder::decode() {
    decode_common();
    switch (out_.type) {
        case Type::Alu:
        case Type::Out:
            decode_math();
            break;
        case Type::Texture:
            decode_texture();
            break;
        case Type::FlowControl:
            decode_flow();
            break;
    }
    return std::move(out_);
}

void Decoder::decode_common() {
    out_.type = static_cast<Type>(bits(Field::Type));
    out_.waits_for_semaphore = flag(Field::TexSemWait);
    out_.waits_for_alu = flag(Field::AluWait);
    out_.nop = flag(Field::Nop);
    out_.last = flag(Field::Last);
    out_.write_inactive = flag(Field::WriteInactive);

    AluHalf& rgb = out_.alu.rgb;
    rgb.predicate = checked(Field::RgbPredSel, PredicateSelect::Aaaa);
    rgb.predicate_inverted = flag(Field::RgbPredInv);
    if (out_.type == Type::FlowControl) {
        return;  // the predicate of the whole instruction is RGB's
    }
    AluHalf& alpha = out_.alu.alpha;
    alpha.predicate = checked(Field::AlphaPredSel, PredicateSelect::Aaaa);
    alpha.predicate_inverted = flag(Field::AlphaPredInv);
}

// ---- ALU and OUT

SourceAddress Decoder::source(Field address) {
    SourceAddress s;
    const uint32_t value = bits(address);
    const bool constant = flag(plus(address, 1));
    s.relative = flag(plus(address, 2));
    s.index = static_cast<uint8_t>(value);
    if (constant) {
        s.kind = SourceAddress::Kind::Constant;
    } else if (value >= kAllTemporaries) {
        s.kind = SourceAddress::Kind::Inline;
        s.index = value & 0x7f;
        s.value = inline_constant(s.index);
        if (s.relative) {
            refuse(std::string("reserved ") + info(address).name +
                   ": an inline constant that aL is added to");
        }
    }
    return s;
}

Operand Decoder::operand(Field select, bool alpha) {
    Operand o;
    o.select = static_cast<SourceSelect>(bits(select));
    const unsigned channels = alpha ? 1 : 3;
    for (unsigned c = 0; c < channels; ++c) {
        o.swizzle[c] = checked(plus(select, 1 + c), Swizzle::One);
    }
    o.modifier = static_cast<InputModifier>(bits(plus(select, 1 + channels)));
    return o;
}

void Decoder::decode_half(AluHalf& half, bool alpha) {
    const Field address = alpha ? Field::AlphaAddr0 : Field::RgbAddr0;
    for (unsigned s = 0; s < 3; ++s) {
        half.source[s] = source(plus(address, 3 * s));
    }
    half.presubtract =
        static_cast<Presubtract>(bits(alpha ? Field::AlphaSrcpOp : Field::RgbSrcpOp));
    half.operand[0] = operand(alpha ? Field::AlphaSelA : Field::RgbSelA, alpha);
    half.operand[1] = operand(alpha ? Field::AlphaSelB : Field::RgbSelB, alpha);
    half.operand[2] = operand(alpha ? Field::AlphaSelC : Field::RgbSelC, alpha);
    half.output_modifier =
        static_cast<OutputModifier>(bits(alpha ? Field::AlphaOmod : Field::RgbOmod));
    half.target = static_cast<uint8_t>(bits(alpha ? Field::AlphaTarget : Field::RgbTarget));
    half.destination = static_cast<uint8_t>(bits(alpha ? Field::AlphaAddrd : Field::RgbAddrd));
    half.destination_relative = flag(alpha ? Field::AlphaAddrdRel : Field::RgbAddrdRel);
    half.write_mask = static_cast<uint8_t>(bits(alpha ? Field::AlphaWmask : Field::RgbWmask));
    half.output_mask = static_cast<uint8_t>(bits(alpha ? Field::AlphaOmask : Field::RgbOmask));
    half.clamp = flag(alpha ? Field::AlphaClamp : Field::RgbClamp);
    if (half.write_mask != 0) {
        out_.names_temporary(half.destination, half.destination_relative);
    }
}

void Decoder::decode_ops() {
    Alu& alu = out_.alu;
    alu.rgb_op = checked(Field::RgbOp, RgbOp::Mdv);
    if (bits(Field::RgbOp) == 6) {
        reserved(Field::RgbOp);
    }
    alu.alpha_op = static_cast<AlphaOp>(bits(Field::AlphaOp));
    if (bits(Field::AlphaOp) == 4) {
        reserved(Field::AlphaOp);
    }
    alu.predicate_write = static_cast<uint8_t>(bits(Field::StatWe));
    alu.writes_alu_result = flag(Field::AluWmask);
    alu.alu_result_of_alpha = flag(Field::AluResultSel);
    alu.alu_result_compare = static_cast<Compare>(bits(Field::AluResultOp));
    alu.writes_conditional = flag(Field::WOmask);
}

void Decoder::decode_math() {
    Alu& alu = out_.alu;
    decode_half(alu.rgb, false);
    decode_half(alu.alpha, true);
    decode_ops();
    if (out_.type == Type::Alu) {  // the other type's writes
        alu.rgb.output_mask = alu.alpha.output_mask = 0;
        alu.writes_conditional = false;
    } else {
        alu.predicate_write = 0;
    }
    check_math();
    if (out_.error.empty()) {
        plan_math(out_);
    }
}

constexpr bool passes_bits(RgbOp op) {
    return op == RgbOp::Min || op == RgbOp::Max || op == RgbOp::Cnd || op == RgbOp::Cmp;
}
constexpr bool passes_bits(AlphaOp op) {
    return op == AlphaOp::Min || op == AlphaOp::Max || op == AlphaOp::Cnd || op == AlphaOp::Cmp;
}

void Decoder::check_math() {
    const Alu& alu = out_.alu;
    if (alu.rgb_op == RgbOp::Sop && !is_transcendental(alu.alpha_op)) {
        refuse("RGB_OP SOP without a transcendental operation in ALPHA_OP");
    }
    if (alu.alpha_op == AlphaOp::Dp && !is_dot(alu.rgb_op)) {
        refuse("ALPHA_OP DP without a dot product in RGB_OP");
    }
    if (alu.rgb.output_modifier == OutputModifier::Disabled && !passes_bits(alu.rgb_op)) {
        refuse("RGB_OMOD DISABLED with another operation than MIN, MAX, CND and CMP");
    }
    if (alu.alpha.output_modifier == OutputModifier::Disabled && !passes_bits(alu.alpha_op)) {
        refuse("ALPHA_OMOD DISABLED with another operation than MIN, MAX, CND and CMP");
    }
}

// ---- TEX and FC

void Decoder::decode_texture() {
    Texture& t = out_.texture;
    // Nothing has levels of detail: with a bias it is the plain lookup, the others have no meaning.
    t.op = static_cast<TextureOp>(bits(Field::TexInst));
    if (t.op == TextureOp::Lod || t.op == TextureOp::Dxdy) {
        refuse(std::string("TEX_INST ") + (t.op == TextureOp::Lod ? "LOD" : "DXDY") +
               ": inputs have no levels of detail");
    } else if (t.op > TextureOp::Dxdy) {
        reserved(Field::TexInst);
    }
    t.input = static_cast<uint8_t>(bits(Field::TexId));
    t.acquires_semaphore = flag(Field::TexSemAcquire);
    t.ignores_uncovered = flag(Field::TexIgnoreUncovered);
    t.unscaled = flag(Field::TexUnscaled);
    t.source = static_cast<uint8_t>(bits(Field::TexSrcAddr));
    t.source_relative = flag(Field::TexSrcAddrRel);
    t.destination = static_cast<uint8_t>(bits(Field::TexDstAddr));
    t.destination_relative = flag(Field::TexDstAddrRel);
    for (unsigned c = 0; c < 4; ++c) {
        t.source_swizzle[c] = static_cast<uint8_t>(bits(plus(Field::TexSrcSSwiz, c)));
        t.destination_swizzle[c] = static_cast<uint8_t>(bits(plus(Field::TexDstRSwiz, c)));
    }
    t.write_mask = static_cast<uint8_t>(bits(Field::RgbWmask) | bits(Field::AlphaWmask) << 3);
    if (t.op != TextureOp::Nop) {
        out_.names_temporary(t.source, t.source_relative);
    }
    if (is_lookup(out_)) {
        out_.names_temporary(t.destination, t.destination_relative);
    }
}

void Decoder::decode_flow() {
    FlowControl& f = out_.flow;
    f.op = static_cast<FlowOp>(bits(Field::FcOp));
    f.branch_else = flag(Field::FcBElse);
    f.jump_any = flag(Field::FcJumpAny);
    f.address_op = checked(Field::FcAOp, AddressStackOp::Push);
    f.jump_function = static_cast<uint8_t>(bits(Field::FcJumpFunc));
    f.branch_pop_count = static_cast<uint8_t>(bits(Field::FcBPopCnt));
    f.if_stay = checked(Field::FcBOp0, BranchOp::Increment);
    f.if_jump = checked(Field::FcBOp1, BranchOp::Increment);
    f.ignores_uncovered = flag(Field::FcIgnoreUncovered);
    f.boolean = static_cast<uint8_t>(bits(Field::FcBoolAddr));
    f.integer = static_cast<uint8_t>(bits(Field::FcIntAddr));
    f.jump_address = static_cast<uint16_t>(bits(Field::FcJumpAddr));
    f.jump_global = flag(Field::FcJumpGlobal);
    if (out_.alu.rgb.predicate == PredicateSelect::Rgba) {
        refuse("RGB_PRED_SEL RGBA in flow control: its predicate is not by channel");
    }
}

}  // namespace

float inline_constant(uint8_t bits) {
    // Seven bits: exponent with a bias of 7 above three bits of mantissa; exponent 0 is denormal.
    const int exponent = bits >> 3 & 0xf;
    const int mantissa = bits & 7;
    const int scaled = exponent == 0 ? mantissa : 8 + mantissa;
    float value = static_cast<float>(scaled) / 512.0F;  // in units of 2^(1 - 7 - 3)
    for (int e = 1; e < exponent; ++e) {
        value *= 2;
    }
    return value;
}

const char* to_string(Type type) {
    constexpr const char* kNames[] = {"ALU", "OUT", "FC", "TEX"};
    return kNames[static_cast<unsigned>(type)];
}

Instruction decode(const Words& words) {
    return Decoder(words).decode();
}

}  // namespace archipelago::ctm::isa
