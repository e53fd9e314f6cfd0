// SPDX-License-Identifier: Apache-2.0
// Tokens of PM4 text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/cp/pm4/text.h"

namespace archipelago::cp {

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
std::vector<Token> lex_pm4(std::string_view text, std::vector<Pm4Error>& errors);

}  // namespace archipelago::cp
