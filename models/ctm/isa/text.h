// SPDX-License-Identifier: Apache-2.0
// Programs of the DPP array as text: one instruction per line, `name:` before one is a label, `//`
// begins a comment. README.md shows the syntax. What it has no word for is FIELD=NUMBER by the
// names of fields.h, and `.words` takes six numbers as they are. `.byte` is what is left of a file
// after its last instruction. `.proginfo` and words of `full partial cached uncached
// temporaries=NUMBER` is what an executable's program information note says of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/text_error.h"
#include "models/ctm/isa/instruction.h"

namespace archipelago::ctm::isa {

struct TextLabel {
    std::string name;
    uint32_t instruction = 0;  // it stands before this one
};

// What `.proginfo` says; what it leaves out is as after reset.
struct TextProgramInfo {
    bool full_flow_control = true;
    bool uncached_outputs = false;
    uint8_t temporaries = 0;  // 0: all
};

struct Assembly {
    std::vector<Words> program;     // refused lines left out
    std::vector<uint8_t> tail;      // `.byte`s after it
    std::vector<TextLabel> labels;  // in the order of the text
    std::optional<TextProgramInfo> info;
    std::vector<TextError> errors;  // every refused line, in order
};

// Assembles any text; never fails otherwise than by `errors`.
Assembly assemble(std::string_view text);

// What may stand in front of a colon.
bool is_label(std::string_view name);

// A line that assembles to exactly these words. Reserved encodings and bits without a field are
// `.words`.
std::string disassemble(const Words& words);

}  // namespace archipelago::ctm::isa
