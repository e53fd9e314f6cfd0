// SPDX-License-Identifier: Apache-2.0
// The code of a CTM program as users have it: text, an executable, or bare instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/ctm/isa/text.h"
#include "testbenches/host/ctm/executable.h"

namespace archipelago::host {

enum class CodeForm { Instructions, Text, Executable };

// By what the file begins with, and how its name ends: `.ctm` and `.s` are text.
CodeForm form_of(const std::vector<uint8_t>& file, const std::string& path);

struct ProgramCode {
    std::vector<ctm::isa::Words> code;
    std::optional<ProgramInfo> info;          // what an executable or `.proginfo` says of it
    std::optional<CtmExecutable> executable;  // where it came from
};

// Throws CodeObjectError that names the place in `name`, text with a line for each refused line.
ProgramCode read_program_code(const std::vector<uint8_t>& file, const std::string& name,
                              CodeForm form);
ProgramCode assemble_program(std::string_view text, const std::string& name);

// A refused line as users see it: the unknown word's nearest known ones after the message, for as
// many errors as that is worth the time.
std::string message_of(const TextError& error, bool suggest);

// What text makes: symbols for its labels, notes from its instructions, `.proginfo`.
CtmExecutable executable_of(const ctm::isa::Assembly& assembly);

// Text that assembles to what was read: labels, notes as comments, `.proginfo`, instructions.
std::string list_executable(const CtmExecutable& executable);

}  // namespace archipelago::host
