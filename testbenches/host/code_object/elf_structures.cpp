// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/elf_structures.h"

#include <libelf.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace archipelago::host {
namespace {

// The structure of `type` that `bytes` hold.
template <class Structure>
Structure translate(Elf_Type type, const uint8_t* bytes, bool wide) {
    Structure result{};
    Elf_Data from{};
    from.d_buf = const_cast<uint8_t*>(bytes);  // libelf reads it only
    from.d_type = type;
    from.d_version = EV_CURRENT;
    from.d_size = sizeof(Structure);
    Elf_Data to = from;
    to.d_buf = &result;
    const auto translator = wide ? elf64_xlatetom : elf32_xlatetom;
    if (elf_version(EV_CURRENT) == EV_NONE || translator(&to, &from, ELFDATA2LSB) == nullptr)
        throw std::runtime_error(elf_errmsg(-1));
    return result;
}

}  // namespace

GElf_Ehdr read_header(const uint8_t* bytes, bool wide) {
    if (wide)
        return translate<Elf64_Ehdr>(ELF_T_EHDR, bytes, wide);
    const auto from = translate<Elf32_Ehdr>(ELF_T_EHDR, bytes, wide);
    GElf_Ehdr to{};
    std::copy(std::begin(from.e_ident), std::end(from.e_ident), to.e_ident);
    to.e_type = from.e_type;
    to.e_machine = from.e_machine;
    to.e_version = from.e_version;
    to.e_entry = from.e_entry;
    to.e_phoff = from.e_phoff;
    to.e_shoff = from.e_shoff;
    to.e_flags = from.e_flags;
    to.e_ehsize = from.e_ehsize;
    to.e_phentsize = from.e_phentsize;
    to.e_phnum = from.e_phnum;
    to.e_shentsize = from.e_shentsize;
    to.e_shnum = from.e_shnum;
    to.e_shstrndx = from.e_shstrndx;
    return to;
}

GElf_Phdr read_program_header(const uint8_t* bytes, bool wide) {
    if (wide)
        return translate<Elf64_Phdr>(ELF_T_PHDR, bytes, wide);
    const auto from = translate<Elf32_Phdr>(ELF_T_PHDR, bytes, wide);
    GElf_Phdr to{};
    to.p_type = from.p_type;
    to.p_flags = from.p_flags;
    to.p_offset = from.p_offset;
    to.p_vaddr = from.p_vaddr;
    to.p_paddr = from.p_paddr;
    to.p_filesz = from.p_filesz;
    to.p_memsz = from.p_memsz;
    to.p_align = from.p_align;
    return to;
}

GElf_Shdr read_section_header(const uint8_t* bytes, bool wide) {
    if (wide)
        return translate<Elf64_Shdr>(ELF_T_SHDR, bytes, wide);
    const auto from = translate<Elf32_Shdr>(ELF_T_SHDR, bytes, wide);
    GElf_Shdr to{};
    to.sh_name = from.sh_name;
    to.sh_type = from.sh_type;
    to.sh_flags = from.sh_flags;
    to.sh_addr = from.sh_addr;
    to.sh_offset = from.sh_offset;
    to.sh_size = from.sh_size;
    to.sh_link = from.sh_link;
    to.sh_info = from.sh_info;
    to.sh_addralign = from.sh_addralign;
    to.sh_entsize = from.sh_entsize;
    return to;
}

GElf_Sym read_symbol(const uint8_t* bytes, bool wide) {
    if (wide)
        return translate<Elf64_Sym>(ELF_T_SYM, bytes, wide);
    const auto from = translate<Elf32_Sym>(ELF_T_SYM, bytes, wide);
    GElf_Sym to{};
    to.st_name = from.st_name;
    to.st_info = from.st_info;
    to.st_other = from.st_other;
    to.st_shndx = from.st_shndx;
    to.st_value = from.st_value;
    to.st_size = from.st_size;
    return to;
}

}  // namespace archipelago::host
