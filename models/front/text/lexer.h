// SPDX-License-Identifier: Apache-2.0
// Tokens of packets as text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/front/text/packet_language.h"

namespace archipelago::front {

enum class TokenKind : uint8_t { Name, Number, Mark, EndOfLine };

struct Token {
    TokenKind kind = TokenKind::EndOfLine;
    char mark = 0;  // of Mark: = , [ ] { } :
    unsigned line = 0, column = 0;
    uint64_t value = 0;     // of Number
    std::string_view text;  // of the source
};

// The tokens of `text`; the last one is an EndOfLine. Ends of lines inside brackets and after a
// comma are left out.
std::vector<Token> lex(std::string_view text, std::vector<TextError>& errors);

}  // namespace archipelago::front
