// SPDX-License-Identifier: Apache-2.0
// Images of micro engines as text, in both forms of document "Adreno Five Microcode". README.md has
// the syntax.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/afuc/isa/generation.h"
#include "models/common/text_error.h"

namespace archipelago::afuc {

struct Assembly {
    std::vector<uint32_t> words;
    std::vector<TextError> errors;  // every refused place, in order
};

// Assembles any text; never fails otherwise than by `errors`. What begins with an ID word is a
// file: a zero dword comes before it, unless the text has `.image`.
Assembly assemble(const Generation& generation, std::string_view text);

// Text that assembles to exactly these words: a file, an image without its zero dword, or bare
// instructions. Names of packets come from the packet table that the second word points to.
std::string disassemble(const Generation& generation, const std::vector<uint32_t>& words);

}  // namespace archipelago::afuc
