// SPDX-License-Identifier: Apache-2.0
// Words of the text that assembler and disassembler share; private to text_*.cpp.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/afuc/isa/instruction.h"

namespace archipelago::afuc {

using RegisterWords = std::array<const char*, kRegisters>;
constexpr RegisterWords register_words(const char* w1d, const char* w1e, const char* w1f) {
    RegisterWords words{};
    words[kSp] = "sp";
    words[kLr] = "lr";
    words[kRem] = "rem";
    words[kMemData] = w1d;
    words[kRegData] = w1e;
    words[kDataIn] = w1f;
    return words;
}
// Null: two hexadecimal digits.
inline constexpr RegisterWords kSourceNames = register_words("memdata", "regdata", "data");
inline constexpr RegisterWords kDestinationNames = register_words("addr", "usraddr", "data");

inline std::vector<std::string> register_words() {
    return {"sp", "lr", "rem", "memdata", "regdata", "addr", "usraddr", "data"};
}

// "add $dst, $src, immediate": what an error expects.
std::string form_text(const Row& row);

}  // namespace archipelago::afuc
