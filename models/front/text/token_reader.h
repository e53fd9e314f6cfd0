// SPDX-License-Identifier: Apache-2.0
// Reads the tokens of a text one after another. What does not fit ends the statement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/register_info.h"
#include "models/front/text/lexer.h"
#include "models/front/text/packet_language.h"

namespace archipelago::front {

// An error that ends a statement.
struct Refused {
    TextError error;
};

[[noreturn]] void refuse(const Token& at, std::string message, std::string unknown = {},
                         std::vector<std::string> known = {});
std::string quoted(const Token& token);
// `value`, if it is no more than `most`.
uint32_t fitting(const Token& at, uint32_t value, uint32_t most, std::string_view name);

class TokenReader {
  public:
    explicit TokenReader(const regs::RegisterDatabase& registers, const TextRules& rules = {})
        : db_(registers), rules_(rules) {}

  protected:
    void open(std::string_view text, std::vector<TextError>& errors) {
        tokens_ = lex(text, errors);
        at_ = 0;
    }
    bool more() const { return at_ + 1 < tokens_.size(); }
    const Token& peek() const { return tokens_[at_]; }
    const Token& last() const { return tokens_[at_ - 1]; }
    const Token& take() { return tokens_[more() ? at_++ : at_]; }
    bool at_mark(char mark) const { return peek().kind == TokenKind::Mark && peek().mark == mark; }
    bool at_item() const {
        return peek().kind == TokenKind::Name || peek().kind == TokenKind::Number;
    }
    bool take_mark(char mark);
    void expect(char mark);
    void skip();  // the rest of the statement
    uint64_t number(const char* what);
    uint32_t word(const char* what);

    // The register whose name begins with `at`; of an array, NAME[n].
    const regs::RegisterInfo& named_register(const Token& at);
    // The byte offset of the register that a name, or a number as the rules have it, stands for.
    uint32_t register_offset(const Token& at);
    // A number, or {FIELD: value, ...} of register `info` (null: one without a name).
    uint32_t register_value(const regs::RegisterInfo* info, std::string_view name);

    const regs::RegisterDatabase& db_;
    const TextRules rules_;

  private:
    // One `FIELD: value` of a register, in its place; `given`: bits of the fields so far.
    uint32_t register_part(const regs::RegisterInfo& info, std::string_view name, uint32_t& given);
    uint32_t field_value(const regs::FieldInfo& field);

    std::vector<Token> tokens_;
    size_t at_ = 0;
};

}  // namespace archipelago::front
