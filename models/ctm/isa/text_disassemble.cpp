// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "models/ctm/isa/text.h"
#include "models/ctm/isa/text_names.h"

namespace archipelago::ctm::isa {
namespace {

std::string hex(uint32_t value, int digits) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%0*x", digits, value);
    return text;
}

class Printer {
  public:
    explicit Printer(const Words& words)
        : words_(words), type_(static_cast<Type>(get(words, Field::Type))) {}
    std::string print();

  private:
    uint32_t bits(Field field) const { return get(words_, field); }
    std::string source(Field address) const;
    std::string sources(const HalfFields& half) const;
    std::string mask(Field field, const char* letters) const;
    std::string operand(const HalfFields& half, Field select) const;
    bool is_empty(const HalfFields& half) const;
    void add_half(const HalfFields& half);
    void add_math();
    void add_texture();
    void add_flow();
    void add_predicates();
    void add_flags();
    void add(const std::string& word) { text_ += " " + word; }

    const Words& words_;
    const Type type_;
    std::string text_;
};

std::string Printer::source(Field address) const {
    const uint32_t value = bits(address);
    const bool constant = bits(plus(address, 1)) != 0;
    if (!constant && value >= 128) {
        char text[24];
        std::snprintf(text, sizeof text, "%.9g",
                      static_cast<double>(inline_constant(value & 0x7f)));
        return text;
    }
    return (constant ? "c" : "r") + std::to_string(value) +
           (bits(plus(address, 2)) != 0 ? "+aL" : "");
}

// As many as there are up to the last one that says anything.
std::string Printer::sources(const HalfFields& half) const {
    const uint32_t presubtract = bits(half.presubtract);
    unsigned count = presubtract != 0 ? 1 : 0;
    for (unsigned s = 0; s < 3; ++s) {
        for (unsigned part = 0; part < 3; ++part) {
            count = bits(plus(half.address, 3 * s + part)) != 0 && count < s + 1 ? s + 1 : count;
        }
    }
    std::string text;
    for (unsigned s = 0; s < count; ++s) {
        text += (s == 0 ? "" : ", ") + source(plus(half.address, 3 * s));
    }
    return text + (presubtract != 0 ? std::string(", ") + kPresubtractNames[presubtract] : "");
}

std::string Printer::mask(Field field, const char* letters) const {
    std::string text;
    for (unsigned c = 0; letters[c] != 0; ++c) {
        if ((bits(field) >> c & 1) != 0) {
            text += letters[c];
        }
    }
    return text.empty() ? "_" : text;
}

std::string Printer::operand(const HalfFields& half, Field select) const {
    constexpr const char* kSelects[] = {"s0", "s1", "s2", "sp"};
    constexpr const char* kBefore[] = {"", "-", "abs(", "-abs("};
    const uint32_t modifier = bits(plus(select, 1 + half.channels));
    std::string text = std::string(kBefore[modifier]) + kSelects[bits(select)] + ".";
    for (unsigned c = 0; c < half.channels; ++c) {
        text += kSwizzleLetters[bits(plus(select, 1 + c))];
    }
    return text + (modifier >= 2 ? ")" : "");
}

bool Printer::is_empty(const HalfFields& half) const {
    uint32_t any = bits(half.op) | bits(half.modifier) | bits(half.clamp) | bits(half.destination) |
                   bits(plus(half.destination, 1)) | bits(half.write_mask) | bits(half.presubtract);
    for (unsigned i = 0; i < 9; ++i) {
        any |= bits(plus(half.address, i));
    }
    for (const Field select : half.select) {
        for (unsigned i = 0; i < half.channels + 2; ++i) {
            any |= bits(plus(select, i));
        }
    }
    return any == 0;
}

void Printer::add_half(const HalfFields& half) {
    add(std::string(half.name) + "(" + sources(half) + ")");
    add((*half.ops)[bits(half.op)]);
    text_ += kModifierNames[bits(half.modifier)];
    if (bits(half.clamp) != 0) {
        add("sat");
    }
    add("r" + std::to_string(bits(half.destination)) +
        (bits(plus(half.destination, 1)) != 0 ? "+aL." : ".") +
        mask(half.write_mask, half.letters));
    for (const Field select : half.select) {
        text_ += ", " + operand(half, select);
    }
}

void Printer::add_math() {
    bool first = true;
    for (const HalfFields& half : kHalves) {
        if (!is_empty(half)) {
            text_ += first ? "" : " |";
            add_half(half);
            first = false;
        }
    }
    for (const HalfFields& half : kHalves) {
        if (type_ == Type::Out && bits(half.output_mask) != 0) {
            add(std::string(half.name) + "_out=o" + std::to_string(bits(half.target)) + "." +
                mask(half.output_mask, half.letters));
        }
    }
    if (type_ == Type::Alu && bits(Field::StatWe) != 0) {
        add("predicate=" + mask(Field::StatWe, "rgba"));
    }
    if (bits(Field::AluWmask) != 0) {
        add(std::string("alu_result=") + kCompareNames[bits(Field::AluResultOp)] + "." +
            (bits(Field::AluResultSel) != 0 ? "a" : "r"));
    }
}

void Printer::add_texture() {
    const auto swizzle = [&](Field first) {
        std::string text;
        for (unsigned c = 0; c < 4; ++c) {
            text += kSwizzleLetters[bits(plus(first, c))];
        }
        return text;
    };
    const auto address = [&](Field field) {
        return "r" + std::to_string(bits(field)) + (bits(plus(field, 1)) != 0 ? "+aL." : ".");
    };
    add(kTextureOpNames[bits(Field::TexInst)]);
    std::string written;
    for (const HalfFields& half : kHalves) {
        if (bits(half.write_mask) != 0) {
            written += mask(half.write_mask, half.letters);
        }
    }
    add(address(Field::TexDstAddr) + (written.empty() ? "_" : written) + ", i" +
        std::to_string(bits(Field::TexId)) + "." + swizzle(Field::TexDstRSwiz) + ", " +
        address(Field::TexSrcAddr) + swizzle(Field::TexSrcSSwiz));
}

void Printer::add_flow() {
    add(kFlowOpNames[bits(Field::FcOp)]);
    add(std::to_string(bits(Field::FcJumpAddr)));
}

void Printer::add_predicates() {
    for (const HalfFields& half : kHalves) {
        const bool is_there = (info(half.predicate).types >> static_cast<unsigned>(type_) & 1) != 0;
        if (is_there && (bits(half.predicate) | bits(half.inverted)) != 0) {
            add(std::string(half.name) + "_pred=" + (bits(half.inverted) != 0 ? "!" : "") +
                kPredicateNames[bits(half.predicate)]);
        }
    }
}

void Printer::add_flags() {
    for (const Flag& flag : kFlags) {
        const uint32_t value = has_flag(type_, flag) ? bits(flag.field) : 0;
        if (value == 0) {
            continue;
        }
        switch (flag.kind) {
            case Flag::Kind::Bit:
                add(flag.name);
                break;
            case Flag::Kind::Named:
                add(std::string(flag.name) + "=" + (*flag.names)[value]);
                break;
            case Flag::Kind::Decimal:
                add(std::string(flag.name) + "=" + std::to_string(value));
                break;
            case Flag::Kind::Hex:
                add(std::string(flag.name) + "=" + hex(value, 2));
                break;
        }
    }
}

std::string Printer::print() {
    text_ = kTypeNames[static_cast<unsigned>(type_)];
    switch (type_) {
        case Type::Alu:
        case Type::Out:
            add_math();
            break;
        case Type::Texture:
            add_texture();
            break;
        case Type::FlowControl:
            add_flow();
            break;
    }
    add_predicates();
    add_flags();
    return text_;
}

// Bits that are no field's of the instruction's type.
bool has_other_bits(const Words& words) {
    Words left = words;
    for (const FieldInfo& f : kFieldTable) {
        if ((f.types >> get(words, Field::Type) & 1) != 0) {
            set(left, f.field, 0);
        }
    }
    return left != Words{};
}

std::string as_numbers(const Words& words, const std::string& comment) {
    std::string text = ".words";
    for (const uint32_t word : words) {
        text += " " + hex(word, 8);
    }
    return comment.empty() ? text : text + "  // " + comment;
}

}  // namespace

std::string disassemble(const Words& words) {
    const Instruction instruction = decode(words);
    if (!instruction.error.empty() || has_other_bits(words)) {
        return as_numbers(words, instruction.error);
    }
    std::string text = Printer(words).print();
    // What the text does not say: fields that mean nothing here.
    const Assembly said = assemble(text);
    if (said.program.size() != 1) {
        return as_numbers(words, text);
    }
    for (const FieldInfo& f : kFieldTable) {
        if ((f.types >> get(words, Field::Type) & 1) != 0 &&
            get(said.program[0], f.field) != get(words, f.field)) {
            text += std::string(" ") + f.name + "=" + std::to_string(get(words, f.field));
        }
    }
    return text;
}

}  // namespace archipelago::ctm::isa
