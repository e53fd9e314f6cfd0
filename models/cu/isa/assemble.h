// SPDX-License-Identifier: Apache-2.0
// Text to machine code of Southern Islands (GFX6), in the syntax of LLVM's AMDGPU assembler.
//
// One statement per line: `label:`, an instruction, or a directive: .long .int .byte .short .quad
// .fill .p2align .balign .set (or NAME = VALUE); what tells a linker something (.text .globl .type
// .size ...) is passed over. Comments: `;`, `//`, `/* */`, and `#` where a statement would begin.
// Numbers: decimal, 0x, 0b, floating point. Expressions of integers, symbols and `.` (the offset of
// the statement) with + - * / % << >> & | ^ ~ and parentheses.
// A label stands for its byte offset from the start of the code; as a branch target the distance
// is taken, a plain number is the 16-bit field itself. A label used as a source becomes a literal.
// Source of the syntax: LLVM's AMDGPU operand and modifier syntax for GFX6.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/cu/isa/isa.h"

namespace archipelago::isa {

// One refused statement. Lines and columns count from 1, columns in bytes.
struct AssemblyError {
    unsigned line = 0;
    unsigned column = 0;
    std::string message;
    // When a name is unknown: the name, and what may stand in its place.
    std::string unknown;
    std::shared_ptr<const std::vector<std::string>> known;
};

struct Assembly {
    std::vector<uint8_t> bytes;                            // refused statements left out
    std::vector<std::pair<std::string, uint64_t>> labels;  // byte offsets, in order of the text
    std::vector<AssemblyError> errors;                     // every refused statement, in order
};

// The most bytes one text may make.
constexpr size_t kMaxAssemblyBytes = size_t{64} << 20;

// Assembles any text; never fails otherwise than by `errors`.
Assembly assemble(std::string_view text);

// A statement that assembles to exactly the words of `inst` when it stands at `pc`: the text of
// disassemble() where that is enough, else another form of it, else `.long` with that text as a
// comment (literals an inline constant could replace, bits the instruction ignores, combinations
// the assembler refuses).
std::string disassemble_exact(const Inst& inst, uint64_t pc);

}  // namespace archipelago::isa
