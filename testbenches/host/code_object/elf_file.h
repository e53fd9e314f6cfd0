// SPDX-License-Identifier: Apache-2.0
// What both readers of AMDGPU ELF files check, and how they refuse one. Source: System V ABI
// (ELF-64), LLVM AMDGPUUsage "ELF Code Object".
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {

class ElfFile {
  protected:
    ElfFile(const std::vector<uint8_t>& file, const std::string& name) : file_(file), name_(name) {}

    template <class... Arguments>
    [[noreturn]] void fail(const std::string& where, fmt::format_string<Arguments...> reason,
                           Arguments&&... arguments) const {
        refuse(name_ + ": " + where, reason, std::forward<Arguments>(arguments)...);
    }

    void check_size() const {
        if (file_.size() < sizeof(Elf64_Ehdr))
            fail("ELF header", "the file has {} bytes, an ELF64 header has {}", file_.size(),
                 sizeof(Elf64_Ehdr));
    }

    void check_class() const {
        if (file_[EI_CLASS] != ELFCLASS64)
            fail("ELF header at 0x4", "not a 64-bit ELF file");
        if (file_[EI_DATA] != ELFDATA2LSB)
            fail("ELF header at 0x5", "not little-endian");
    }

    void check_machine(unsigned machine) const {
        constexpr unsigned kAmdgpu = 224;  // newer than some <elf.h>
        if (machine != kAmdgpu)
            fail("ELF header at 0x12", "machine {} is not AMDGPU ({})", machine, kAmdgpu);
    }

    // `generation`: an EF_AMDGPU_MACH number.
    void check_generation(unsigned generation) const {
        if (generation != 0x20 && generation != 0x21 && generation != 0x3a)
            fail("ELF header at 0x30",
                 "made for machine 0x{:02x}, not for gfx600 (0x20), gfx601 (0x21) or gfx602 (0x3a)",
                 generation);
    }

    const std::vector<uint8_t>& file_;
    const std::string& name_;
};

}  // namespace archipelago::host
