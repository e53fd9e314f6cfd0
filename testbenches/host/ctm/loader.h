// SPDX-License-Identifier: Apache-2.0
// A loader's part: command buffers that name whole executables in memory become ones that name
// their code. Libraries of the time copied the file into memory and gave its address.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/common/memory_image.h"
#include "testbenches/host/ctm/executable.h"

namespace archipelago::host {

// The executable that begins at `address`; none when no ELF file does. Throws CodeObjectError that
// begins with `name` for an ELF file that is no executable, or is not all in memory.
std::optional<CtmExecutable> executable_at(const MemoryImage& memory, uint64_t address,
                                           const std::string& name);

// A command buffer, or a part of one, with what PROGINFO is for it.
struct LoadedBuffer {
    std::vector<uint32_t> words;
    ProgramInfo info;
};

// Where the loader puts code: returns its address, aligned to 2 KiB.
using PlaceCode = std::function<uint32_t(const std::vector<uint32_t>& words)>;

// What PROGINFO of the programs that start from now on is.
struct LoaderState {
    ProgramInfo given;     // of programs that are no executables
    ProgramInfo in_force;  // of the program that set_inst_fmt named last
};

// The buffer in as many parts as it has runs of programs with the same PROGINFO, in order. A buffer
// that cannot be read as commands is left as it is from there on: the machine says what is wrong.
// `where` names the buffer. Throws MachineStop(BadInput) for an executable that cannot be loaded.
std::vector<LoadedBuffer> load_programs(const std::vector<uint32_t>& words,
                                        const MemoryImage& memory, const std::string& where,
                                        LoaderState& state, const PlaceCode& place);

}  // namespace archipelago::host
