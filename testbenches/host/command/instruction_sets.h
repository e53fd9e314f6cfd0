// SPDX-License-Identifier: Apache-2.0
// What `asm` and `disasm` know: one row per instruction set or command stream.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "testbenches/host/code_object/elf_code.h"
#include "testbenches/host/packet_text.h"

namespace archipelago::host {

struct InstructionSet {
    std::string name;  // of --isa
    std::string meaning;
    std::function<AssembledText(std::string_view text)> assemble;
    // One line per instruction, each of which assemble() takes back to the same bytes; labels and
    // addresses as comments.
    std::function<std::string(const CodeSection& code)> list;
    // The same of an ELF file, or null when there is only raw code. Throws CodeObjectError.
    std::string (*list_elf)(const std::vector<uint8_t>& file, const std::string& name) = nullptr;
    // `asm --elf`: an executable, or null when this makes none.
    AssembledText (*assemble_elf)(std::string_view text) = nullptr;
    // assemble() of a text that may include files, which stand in relation to its path; or null.
    std::function<AssembledText(std::string_view text, const std::string& path)> assemble_file{};
};

const std::vector<InstructionSet>& instruction_sets();

// The row called `name`. Throws std::runtime_error that lists the known ones.
const InstructionSet& find_instruction_set(const std::string& name);

}  // namespace archipelago::host
