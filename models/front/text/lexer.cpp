// SPDX-License-Identifier: Apache-2.0
#include "models/front/text/lexer.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>

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

}  // namespace

std::vector<Token> lex(std::string_view text, std::vector<TextError>& errors) {
    std::vector<Token> tokens;
    unsigned line = 1;
    size_t line_start = 0;
    unsigned depth = 0;
    const auto continues = [&] {
        return depth != 0 || (!tokens.empty() && tokens.back().mark == ',');
    };
    for (size_t at = 0; at < text.size() && errors.size() < kMaxTextErrors;) {
        const char c = text[at];
        Token token;
        token.line = line;
        token.column = static_cast<unsigned>(at - line_start) + 1;
        if (c == '\n') {
            if (!continues() && !tokens.empty() && tokens.back().kind != TokenKind::EndOfLine)
                tokens.push_back(token);
            ++line;
            line_start = ++at;
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++at;
            continue;
        }
        if (c == '#' || c == ';' || (c == '/' && text.substr(at, 2) == "//")) {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        size_t end = at + 1;
        if (is_name_start(c)) {
            while (end < text.size() && is_name_char(text[end]))
                ++end;
            token.kind = TokenKind::Name;
        } else if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) {
            while (end < text.size() &&
                   (is_name_char(text[end]) ||
                    ((text[end] == '-' || text[end] == '+') &&
                     (text[end - 1] == 'e' || text[end - 1] == 'E') && text.substr(at, 2) != "0x" &&
                     text.substr(at, 2) != "0X")))
                ++end;
            token.kind = TokenKind::Number;
        } else if (std::strchr("=,[]{}:", c) != nullptr && c != 0) {
            token.kind = TokenKind::Mark;
            token.mark = c;
            if (c == '[' || c == '{')
                ++depth;
            if ((c == ']' || c == '}') && depth != 0)
                --depth;
        } else {
            errors.push_back(
                {token.line,
                 token.column,
                 std::isprint(static_cast<unsigned char>(c)) != 0
                     ? fmt::format("unexpected '{}'", c)
                     : fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned char>(c)),
                 {},
                 {}});
            ++at;
            continue;
        }
        token.text = text.substr(at, end - at);
        if (token.kind == TokenKind::Number && !parse_number(token.text, token.value))
            errors.push_back({token.line,
                              token.column,
                              fmt::format("\"{}\" is not a number", token.text.substr(0, 40)),
                              {},
                              {}});
        tokens.push_back(token);
        at = end;
    }
    Token last;
    last.line = line;
    last.column = static_cast<unsigned>(text.size() - std::min(line_start, text.size())) + 1;
    tokens.push_back(last);
    return tokens;
}

}  // namespace archipelago::front
