// SPDX-License-Identifier: Apache-2.0
// Images of micro engines as text, in both forms of document "Adreno Five Microcode". README.md has
// the syntax.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/afuc/isa/generation.h"
#include "models/common/text_error.h"

namespace archipelago::afuc {

// A line of the text or of a file that it includes.
struct SourcePlace {
    uint32_t file = 0;  // of Assembly::files
    uint32_t line = 0;  // from 1; 0: nothing of the text made it
};

struct Assembly {
    std::vector<uint32_t> words;
    std::vector<TextError> errors;           // every refused place, by file and line
    std::vector<SourcePlace> places;         // where each word comes from
    std::vector<std::string> files;          // the text's path, then what it includes
    std::map<std::string, uint32_t> labels;  // of the first section, words from its beginning
    std::map<uint32_t, std::string> names;   // the first label of a word, by its place in `words`
    std::vector<TextError> warnings;  // what is taken, but hardly meant; in order of sections
};

// The text after a path that `.include` names; nothing: it cannot be read.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;
// Of regular files only: others may have no end.
std::optional<std::string> read_text_file(const std::string& path);

// Assembles any text; never fails otherwise than by `errors`. What begins with an ID word is a
// file: a zero dword comes before it, unless the text has `.image`. `path`: where the text comes
// from, for what it includes.
Assembly assemble(const Generation& generation, std::string_view text, const std::string& path = "",
                  const ReadText& read = read_text_file);

// Text that assembles to exactly these words: a file, an image without its zero dword, or bare
// instructions. Names of packets come from the packet table that the second word points to.
std::string disassemble(const Generation& generation, const std::vector<uint32_t>& words);

// The label of a word of a section; "": it has none.
using LabelOf = std::function<std::string(uint32_t index)>;
// One instruction, at `index` of its section; where it leads to is "#label", else "#l12".
std::string instruction_text(const Generation& generation, uint32_t word, uint32_t index,
                             const LabelOf& label_of = {});

// "$05", "$rem": a register of instructions, 0 to 31, as where they write to.
std::string destination_text(uint32_t number);

}  // namespace archipelago::afuc
