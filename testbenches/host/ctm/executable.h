// SPDX-License-Identifier: Apache-2.0
// Executables of CTM chips: ELF files with the instructions of a program and notes on what it uses.
// ATI CTM Guide 1.01, chapter 4. What of it is lost, and what we chose: DECISIONS.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/ctm/isa/instruction.h"
#include "testbenches/host/code_object/code_object_error.h"
#include "testbenches/host/ctm/program_info.h"

namespace archipelago::host {

constexpr uint32_t kCtmOsAbi = 98, kCtmAbiVersion = 1, kCtmMachine = 122, kCtmFlags = 1;
constexpr uint64_t kMaxExecutableBytes = 1 << 20;

enum class CtmNoteType : uint32_t {
    ProgramInfo = 1,
    Inputs,
    Outputs,
    ConditionalOutput,
    FloatConstants,
    IntegerConstants,
    EarlyExit,
};
// "program information", "inputs", ...; null: not one of the guide's.
const char* to_string(CtmNoteType type);

// A note that is not one of the guide's seven; kept, and written again.
struct CtmNote {
    std::string owner;  // without the terminating zero
    uint32_t type = 0;
    std::vector<uint8_t> contents;
};

struct CtmSymbol {
    std::string name;
    uint32_t instruction = 0;  // it stands before this one, or after the last
};

// As the section header table has them, if there is one.
struct CtmSection {
    std::string name;  // printable
    uint32_t type = 0, offset = 0, bytes = 0;
};

struct CtmExecutable {
    std::vector<ctm::isa::Words> code;
    uint32_t address = 0;  // p_vaddr of the code; no loader needs it
    ProgramInfo info;
    // dpp_proginfo word by word. One of another form than write_executable() makes says nothing
    // that is known of the registers, and `info` is as after reset.
    std::vector<uint32_t> program_info;
    bool known_program_info = true;
    // By index, rising.
    std::vector<uint32_t> inputs, outputs, float_constants, integer_constants;
    bool conditional_output = false;
    bool early_exit = false;
    std::vector<CtmNote> other_notes;  // in order of the file
    std::vector<CtmSymbol> symbols;    // within the code; what others a file has is left out
    std::vector<CtmSection> sections;  // read only
};

// What the program uses, from its instructions.
CtmExecutable describe_program(std::vector<ctm::isa::Words> code, const ProgramInfo& info);

// Throws CodeObjectError that begins with `name` and says where and why: for any file that is not
// a whole executable as chapter 4 has it.
CtmExecutable read_executable(const std::vector<uint8_t>& file, const std::string& name);

// A file that read_executable() takes. Throws CodeObjectError for a program without instructions
// or with more than there is room for.
std::vector<uint8_t> write_executable(const CtmExecutable& executable);

// How many bytes the file has that begins here, by its header and tables, section contents
// included. `read` gives bytes of the file by offset; false: there are none, and the file is said
// to end there.
uint64_t executable_bytes(
    const std::function<bool(uint64_t offset, uint8_t* to, size_t bytes)>& read,
    const std::string& name);

}  // namespace archipelago::host
