// SPDX-License-Identifier: Apache-2.0
// The machine code in an AMDGPU ELF file of any kind: linked or relocatable, amdhsa, mesa or plain,
// or a binary of Catalyst's compiler, whose kernels are a section each. Source: System V ABI
// (ELF-64), LLVM AMDGPUUsage "ELF Code Object".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/host/code_object/code_object_error.h"

namespace archipelago::host {

struct CodeLabel {
    uint64_t address = 0;
    std::string name;         // printable
    uint64_t data_bytes = 0;  // in front of the first instruction (the header of old kernels)
};

struct CodeSection {
    std::string name;  // printable; empty for raw code
    uint64_t address = 0;
    std::vector<uint8_t> bytes;
    std::vector<CodeLabel> labels;  // within the section, by address and then name
};

bool is_elf(const std::vector<uint8_t>& file);

// The executable sections in order of the file, or the executable segments where there are none.
// Throws CodeObjectError for what is malformed, not AMDGPU's, made for another generation than
// GFX6, or holds no code. Relocations are not applied.
std::vector<CodeSection> read_elf_code(const std::vector<uint8_t>& file, const std::string& name);

}  // namespace archipelago::host
