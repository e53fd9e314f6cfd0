// SPDX-License-Identifier: Apache-2.0
#include "models/front/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <utility>

#include "models/front/text/syntax.h"

namespace archipelago::front {

namespace {

// Decimal, 0x, 0b, with a minus as 32-bit two's complement, or a floating-point number as its
// single-precision bits. Empty: none of them.
bool parse_number(std::string_view text, uint64_t& value) {
    const bool negative = text[0] == '-';
    std::string_view digits = text.substr(negative ? 1 : 0);
    unsigned base = 10;
    if (digits.size() > 2 && digits[0] == '0') {
        const char mark = digits[1];
        base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 10;
        if (base != 10)
            digits.remove_prefix(2);
    }
    if (base == 10 && digits.find_first_of(".eE") != std::string_view::npos) {
        char copy[64];
        if (text.size() >= sizeof copy)
            return false;
        std::memcpy(copy, text.data(), text.size());
        copy[text.size()] = 0;
        char* end = nullptr;
        const float number = std::strtof(copy, &end);
        uint32_t bits = 0;
        std::memcpy(&bits, &number, sizeof bits);
        value = bits;
        return end == copy + text.size();
    }
    if (digits.empty())
        return false;
    value = 0;
    for (const char c : digits) {
        if (c == '_')
            continue;
        const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                               : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                      : 99;
        if (digit >= base || value > (~uint64_t{0} - digit) / base)
            return false;
        value = value * base + digit;
    }
    if (!negative)
        return true;
    if (value > 0x80000000)
        return false;
    value = static_cast<uint32_t>(-static_cast<int64_t>(value));
    return true;
}

class Lexer {
  public:
    Lexer(std::string_view text, std::vector<TextError>& errors) : text_(text), errors_(errors) {}

    std::vector<Token> run() {
        while (at_ < text_.size() && errors_.size() < kMaxTextErrors)
            if (!skip())
                read();
        line_start_ = std::min(line_start_, text_.size());
        at_ = text_.size();
        tokens_.push_back(here());
        return std::move(tokens_);
    }

  private:
    // An EndOfLine where the lexer is.
    Token here() const {
        Token token;
        token.line = line_;
        token.column = static_cast<unsigned>(at_ - line_start_) + 1;
        return token;
    }
    bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
    void refuse(const Token& at, std::string what) {
        errors_.push_back({at.line, at.column, std::move(what), {}, {}});
    }

    // Blanks, comments and ends of lines. False: something else is here.
    bool skip();
    void end_line();
    void read();
    // After the name or the number that starts here.
    size_t name_end() const;
    size_t number_end() const;
    void mark(Token& token);

    std::string_view text_;
    std::vector<TextError>& errors_;
    std::vector<Token> tokens_;
    size_t at_ = 0;  // in the text, as line_start_
    unsigned line_ = 1;
    size_t line_start_ = 0;
    unsigned depth_ = 0;  // of brackets
};

bool Lexer::skip() {
    const char c = text_[at_];
    if (c == '\n')
        end_line();
    else if (std::isspace(static_cast<unsigned char>(c)) != 0)
        ++at_;
    else if (c == '#' || c == ';' || starts("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
    else
        return false;
    return true;
}

void Lexer::end_line() {
    const bool continues = depth_ != 0 || (!tokens_.empty() && tokens_.back().mark == ',');
    if (!continues && !tokens_.empty() && tokens_.back().kind != TokenKind::EndOfLine)
        tokens_.push_back(here());
    ++line_;
    line_start_ = ++at_;
}

size_t Lexer::name_end() const {
    size_t end = at_ + 1;
    while (end < text_.size() && is_name_char(text_[end]))
        ++end;
    return end;
}

// A sign belongs to a number after the e of its exponent; hexadecimal ones have none.
size_t Lexer::number_end() const {
    const bool hexadecimal = starts("0x") || starts("0X");
    size_t end = at_ + 1;
    for (; end < text_.size(); ++end) {
        const bool sign = text_[end] == '-' || text_[end] == '+';
        const bool exponent = text_[end - 1] == 'e' || text_[end - 1] == 'E';
        if (!is_name_char(text_[end]) && !(sign && exponent && !hexadecimal))
            break;
    }
    return end;
}

void Lexer::mark(Token& token) {
    token.kind = TokenKind::Mark;
    token.mark = text_[at_];
    if (token.mark == '[' || token.mark == '{')
        ++depth_;
    if ((token.mark == ']' || token.mark == '}') && depth_ != 0)
        --depth_;
}

// The token that starts here, or the error of a byte that starts none.
void Lexer::read() {
    const char c = text_[at_];
    const auto byte = static_cast<unsigned char>(c);
    Token token = here();
    size_t end = at_ + 1;
    if (is_name_start(c)) {
        token.kind = TokenKind::Name;
        end = name_end();
    } else if (c == '-' || std::isdigit(byte) != 0) {
        token.kind = TokenKind::Number;
        end = number_end();
    } else if (std::strchr("=,[]{}:", c) != nullptr && c != 0) {
        mark(token);
    } else {
        refuse(token, std::isprint(byte) != 0 ? fmt::format("unexpected '{}'", c)
                                              : fmt::format("unexpected byte 0x{:02x}", byte));
        ++at_;
        return;
    }
    token.text = text_.substr(at_, end - at_);
    if (token.kind == TokenKind::Number && !parse_number(token.text, token.value))
        refuse(token, fmt::format("\"{}\" is not a number", token.text.substr(0, 40)));
    tokens_.push_back(token);
    at_ = end;
}

}  // namespace

std::vector<Token> lex(std::string_view text, std::vector<TextError>& errors) {
    return Lexer(text, errors).run();
}

}  // namespace archipelago::front
