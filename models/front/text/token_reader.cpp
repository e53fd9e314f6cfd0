// SPDX-License-Identifier: Apache-2.0
#include "models/front/text/token_reader.h"

#include <fmt/format.h>

#include <utility>

#include "models/front/text/syntax.h"

namespace archipelago::front {

void refuse(const Token& at, std::string message, std::string unknown,
            std::vector<std::string> known) {
    throw Refused{{at.line, at.column, std::move(message), std::move(unknown), std::move(known)}};
}

std::string quoted(const Token& token) {
    if (token.kind == TokenKind::EndOfLine)
        return "the end of the line";
    return fmt::format("\"{}\"", token.text.substr(0, 40));
}

uint32_t fitting(const Token& at, uint32_t value, uint32_t most, std::string_view name) {
    if (value > most)
        refuse(at, fmt::format("0x{:x} does not fit {}, at most 0x{:x}", value, name, most));
    return value;
}

bool TokenReader::take_mark(char mark) {
    if (!at_mark(mark))
        return false;
    ++at_;
    return true;
}

void TokenReader::expect(char mark) {
    if (!take_mark(mark))
        refuse(peek(), fmt::format("expected '{}', found {}", mark, quoted(peek())));
}

void TokenReader::skip() {
    while (peek().kind != TokenKind::EndOfLine)
        ++at_;
}

uint64_t TokenReader::number(const char* what) {
    if (peek().kind != TokenKind::Number)
        refuse(peek(), fmt::format("expected {}, found {}", what, quoted(peek())));
    return take().value;
}

uint32_t TokenReader::word(const char* what) {
    const Token& token = peek();
    const uint64_t value = number(what);
    if (value > 0xFFFFFFFF)
        refuse(token, fmt::format("{} does not fit 32 bits", token.text));
    return static_cast<uint32_t>(value);
}

// ---- registers ---------------------------------------------------------------------------------

const regs::RegisterInfo& TokenReader::named_register(const Token& at) {
    std::string name(at.text);
    if (take_mark('[')) {
        name += fmt::format("[0x{:x}]", word("an index"));
        expect(']');
    }
    const regs::RegisterInfo* info = db_.find_by_name(name);
    if (info == nullptr) {
        std::vector<std::string> known;
        for (const regs::NameInfo& entry : db_.names)
            known.emplace_back(entry.name);
        refuse(at, fmt::format("unknown register \"{}\"", name.substr(0, 40)), name,
               std::move(known));
    }
    return *info;
}

uint32_t TokenReader::register_offset(const Token& at) {
    if (at.kind == TokenKind::Number && rules_.register_indices) {
        if (at.value > 0xFFFFFF / 4)
            refuse(at, fmt::format("{} is not the index of a register", at.text));
        return static_cast<uint32_t>(at.value) * 4;
    }
    if (at.kind == TokenKind::Number) {
        if (at.value % 4 != 0 || at.value > 0xFFFFFF)
            refuse(at, fmt::format("{} is not the byte offset of a register", at.text));
        return static_cast<uint32_t>(at.value);
    }
    return named_register(at).offset;
}

uint32_t TokenReader::register_value(const regs::RegisterInfo* info, std::string_view name) {
    if (!at_mark('{'))
        return word("a number or {FIELD: value, ...}");
    const Token& open = take();
    if (info == nullptr)
        refuse(open, fmt::format("{} has no named fields", name));
    uint32_t value = 0, given = 0;
    while (!at_mark('}')) {
        value |= register_part(*info, name, given);
        if (!take_mark(','))
            break;
    }
    expect('}');
    return value;
}

uint32_t TokenReader::register_part(const regs::RegisterInfo& info, std::string_view name,
                                    uint32_t& given) {
    const Token& field_name = take();
    if (field_name.kind != TokenKind::Name)
        refuse(field_name,
               fmt::format("expected a field of {}, found {}", name, quoted(field_name)));
    expect(':');
    if (field_name.text == kOtherBits)
        return word("a number");
    const regs::FieldInfo* field = info.field(field_name.text);
    if (field == nullptr) {
        std::vector<std::string> known;
        for (const regs::FieldInfo& entry : info.fields)
            known.emplace_back(entry.name);
        refuse(field_name, fmt::format("{} has no field {}", name, quoted(field_name)),
               std::string(field_name.text), std::move(known));
    }
    if ((given & field->mask()) != 0)
        refuse(field_name, fmt::format("{} is given twice", field_name.text));
    given |= field->mask();
    return field_value(*field) << field->lsb;
}

uint32_t TokenReader::field_value(const regs::FieldInfo& field) {
    const Token& at = peek();
    if (at.kind == TokenKind::Name) {
        take();
        uint32_t value = 0;
        if (field.values != nullptr && enumerator(*field.values, at.text, value))
            return fitting(at, value, field.get(0xFFFFFFFF), field.name);
        std::vector<std::string> known;
        if (field.values != nullptr)
            for (const regs::EnumValueInfo& entry : field.values->values)
                known.emplace_back(entry.name);
        refuse(at, fmt::format("unknown value {} of {}", quoted(at), field.name),
               std::string(at.text), std::move(known));
    }
    return fitting(at, word("a value"), field.get(0xFFFFFFFF), field.name);
}

}  // namespace archipelago::front
