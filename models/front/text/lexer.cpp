// SPDX-License-Identifier: Apache-2.0
#include "models/front/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <utility>

#include "models/common/text_scanner.h"
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
    Lexer(std::string_view text, std::vector<TextError>& errors) : in_(text), errors_(errors) {}

    std::vector<Token> run() {
        while (!in_.at_end() && errors_.size() < kMaxTextErrors)
            if (!skip())
                read();
        in_.take_all();
        tokens_.push_back(here());
        return std::move(tokens_);
    }

  private:
    // An EndOfLine where the lexer is.
    Token here() const {
        Token token;
        token.line = in_.line();
        token.column = in_.column();
        return token;
    }
    void refuse(const Token& at, std::string what) {
        errors_.push_back({at.line, at.column, std::move(what), {}, {}});
    }

    // Blanks, comments and ends of lines. False: something else is next.
    bool skip();
    void end_line();
    void read();
    void take_number();
    void take_mark(Token& token);

    TextScanner in_;
    std::vector<TextError>& errors_;
    std::vector<Token> tokens_;
    unsigned depth_ = 0;  // of brackets
};

bool Lexer::skip() {
    const char c = in_.peek();
    if (c == '\n')
        end_line();
    else if (std::isspace(static_cast<unsigned char>(c)) != 0)
        in_.take(1);
    else if (c == '#' || c == ';' || in_.starts_with("//"))
        in_.take_while([](char next) { return next != '\n'; });
    else
        return false;
    return true;
}

void Lexer::end_line() {
    const bool continues = depth_ != 0 || (!tokens_.empty() && tokens_.back().mark == ',');
    if (!continues && !tokens_.empty() && tokens_.back().kind != TokenKind::EndOfLine)
        tokens_.push_back(here());
    in_.next_line();
}

// A sign belongs to a number after the e of its exponent; hexadecimal ones have none.
void Lexer::take_number() {
    const bool hexadecimal = in_.starts_with("0x") || in_.starts_with("0X");
    char before = in_.take(1)[0];
    in_.take_while([&](char c) {
        const bool sign = c == '-' || c == '+';
        const bool exponent = before == 'e' || before == 'E';
        before = c;
        return is_name_char(c) || (sign && exponent && !hexadecimal);
    });
}

void Lexer::take_mark(Token& token) {
    token.kind = TokenKind::Mark;
    token.mark = in_.take(1)[0];
    if (token.mark == '[' || token.mark == '{')
        ++depth_;
    if ((token.mark == ']' || token.mark == '}') && depth_ != 0)
        --depth_;
}

// The next token, or the error of a byte that starts none.
void Lexer::read() {
    const char c = in_.peek();
    const auto byte = static_cast<unsigned char>(c);
    const size_t begin = in_.mark();
    Token token = here();
    if (is_name_start(c)) {
        token.kind = TokenKind::Name;
        in_.take(1);
        in_.take_while(is_name_char);
    } else if (c == '-' || std::isdigit(byte) != 0) {
        token.kind = TokenKind::Number;
        take_number();
    } else if (std::strchr("=,[]{}:", c) != nullptr && c != 0) {
        take_mark(token);
    } else {
        refuse(token, std::isprint(byte) != 0 ? fmt::format("unexpected '{}'", c)
                                              : fmt::format("unexpected byte 0x{:02x}", byte));
        in_.take(1);
        return;
    }
    token.text = in_.since(begin);
    if (token.kind == TokenKind::Number && !parse_number(token.text, token.value))
        refuse(token, fmt::format("\"{}\" is not a number", token.text.substr(0, 40)));
    tokens_.push_back(token);
}

}  // namespace

std::vector<Token> lex(std::string_view text, std::vector<TextError>& errors) {
    return Lexer(text, errors).run();
}

}  // namespace archipelago::front
