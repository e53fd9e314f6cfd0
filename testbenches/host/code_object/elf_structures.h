// SPDX-License-Identifier: Apache-2.0
// The headers and symbols of ELF files of either class, translated by libelf. All are given in the
// 64-bit form. The callers have checked that the bytes are in the file, which is little-endian.
#pragma once

#include <gelf.h>

#include <cstddef>
#include <cstdint>

namespace archipelago::host {

// Bytes of each structure in a file; `wide`: ELFCLASS64.
constexpr size_t header_bytes(bool wide) {
    return wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}
constexpr size_t program_header_bytes(bool wide) {
    return wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}
constexpr size_t section_header_bytes(bool wide) {
    return wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}
constexpr size_t symbol_bytes(bool wide) {
    return wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

GElf_Ehdr read_header(const uint8_t* bytes, bool wide);
GElf_Phdr read_program_header(const uint8_t* bytes, bool wide);
GElf_Shdr read_section_header(const uint8_t* bytes, bool wide);
GElf_Sym read_symbol(const uint8_t* bytes, bool wide);

}  // namespace archipelago::host
