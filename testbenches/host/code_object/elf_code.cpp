// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/elf_code.h"

#include <algorithm>

#include "testbenches/host/code_object/catalyst.h"
#include "testbenches/host/code_object/elf_file.h"
#include "testbenches/host/code_object/elf_structures.h"

namespace archipelago::host {
namespace {

constexpr uint8_t kTypeHsaKernel = 10;        // STT_AMDGPU_HSA_KERNEL
constexpr uint64_t kKernelHeaderBytes = 256;  // amd_kernel_code_t in front of such a kernel
constexpr uint64_t kMaxLabels = 1u << 18;
constexpr size_t kMaxNameBytes = 1024;

class CodeReader : private ElfFile {
  public:
    CodeReader(const std::vector<uint8_t>& file, const std::string& name) : ElfFile(file, name) {}

    std::vector<CodeSection> read() {
        check_header();
        if (header_.e_shnum > 0)
            read_sections();
        if (code_.empty())
            read_segments();
        if (code_.empty())
            fail("the file", "no executable code in it");
        std::vector<CodeSection> result;
        for (Part& part : code_) {
            std::stable_sort(part.section.labels.begin(), part.section.labels.end(),
                             [](const CodeLabel& a, const CodeLabel& b) {
                                 return a.address != b.address ? a.address < b.address
                                                               : a.name < b.name;
                             });
            result.push_back(std::move(part.section));
        }
        return result;
    }

  private:
    struct Part {
        uint64_t index;  // of the section
        CodeSection section;
    };

    void check_range(const std::string& where, uint64_t offset, uint64_t size) const {
        if (offset > file_.size() || size > file_.size() - offset)
            fail(where, "bytes 0x{:x}+0x{:x} are outside the file of 0x{:x}", offset, size,
                 file_.size());
    }

    // The `bytes` of a structure at `offset`.
    const uint8_t* structure(uint64_t offset, uint64_t bytes) const {
        check_range("ELF structures", offset, bytes);
        return file_.data() + offset;
    }

    void check_header() {
        check_size();
        check_class();
        header_ = read_header(file_.data(), true);
        check_machine(header_.e_machine);
        const unsigned generation = header_.e_flags & 0xff;
        if (generation != 0)  // 0: not said
            check_generation(generation);
        if (header_.e_shnum > 0 && header_.e_shentsize != sizeof(Elf64_Shdr))
            fail("ELF header at 0x3a", "section headers of {} bytes are not of {}",
                 header_.e_shentsize, sizeof(Elf64_Shdr));
        check_range("section headers", header_.e_shoff, header_.e_shnum * sizeof(Elf64_Shdr));
        for (uint64_t i = 0; i < header_.e_shnum; ++i)
            sections_.push_back(
                read_section_header(file_.data() + header_.e_shoff + i * sizeof(Elf64_Shdr), true));
    }

    // The string at `offset` of string table `table`; what cannot be printed becomes '?'.
    std::string text(uint64_t table, uint64_t offset) const {
        if (table >= sections_.size())
            fail("section headers", "there is no section {}", table);
        const uint64_t begin = sections_[table].sh_offset;
        const uint64_t size = sections_[table].sh_size;
        check_range(fmt::format("string table (section {})", table), begin, size);
        std::string result;
        for (uint64_t i = offset; i < size && result.size() < kMaxNameBytes; ++i) {
            const auto c = static_cast<char>(file_[begin + i]);
            if (c == 0)
                break;
            result.push_back(c > ' ' && c < 0x7f ? c : '?');
        }
        return result;
    }

    void read_sections() {
        for (uint64_t i = 0; i < sections_.size(); ++i) {
            const GElf_Shdr& section = sections_[i];
            if (section.sh_type != SHT_PROGBITS || (section.sh_flags & SHF_EXECINSTR) == 0)
                continue;
            check_range(fmt::format("section {}", i), section.sh_offset, section.sh_size);
            if (section.sh_size == 0)
                continue;
            CodeSection code;
            code.name = text(header_.e_shstrndx, section.sh_name);
            code.address = section.sh_addr;
            take(i, std::move(code), section.sh_offset, section.sh_size);
        }
        // .symtab has the local labels too; .dynsym serves when it has been stripped.
        for (const uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
            bool found = false;
            for (uint64_t i = 0; i < sections_.size(); ++i)
                if (sections_[i].sh_type == type) {
                    read_symbols(i);
                    found = true;
                }
            if (found)
                break;
        }
    }

    void read_segments() {
        for (uint64_t i = 0; i < header_.e_phnum && header_.e_phoff <= file_.size(); ++i) {
            const GElf_Phdr segment = read_program_header(
                structure(header_.e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr)), true);
            if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0)
                continue;
            check_range(fmt::format("program header {}", i), segment.p_offset, segment.p_filesz);
            if (segment.p_filesz == 0)
                continue;
            CodeSection code;
            code.name = fmt::format("segment{}", i);
            code.address = segment.p_vaddr;
            take(i, std::move(code), segment.p_offset, segment.p_filesz);
        }
    }

    void take(uint64_t index, CodeSection code, uint64_t offset, uint64_t size) {
        total_ += size;
        // Sections may lie over each other; the file's size bounds what they need at most.
        if (total_ > file_.size())
            fail(fmt::format("section {}", index), "lies over other code");
        code.bytes.assign(file_.begin() + static_cast<ptrdiff_t>(offset),
                          file_.begin() + static_cast<ptrdiff_t>(offset + size));
        code_.push_back({index, std::move(code)});
    }

    void read_symbols(uint64_t table) {
        const GElf_Shdr& section = sections_[table];
        const std::string where = fmt::format("symbol table (section {})", table);
        check_range(where, section.sh_offset, section.sh_size);
        const uint64_t count = section.sh_size / sizeof(Elf64_Sym);
        if (count > kMaxLabels)
            fail(where, "{} symbols, at most {} are accepted", count, kMaxLabels);
        for (uint64_t i = 1; i < count; ++i)
            take_symbol(read_symbol(file_.data() + section.sh_offset + i * sizeof(Elf64_Sym), true),
                        section.sh_link);
    }

    void take_symbol(const GElf_Sym& symbol, uint64_t names) {
        const unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (type == STT_SECTION || type == STT_FILE)
            return;
        const auto part = std::find_if(code_.begin(), code_.end(),
                                       [&](const Part& p) { return p.index == symbol.st_shndx; });
        if (part == code_.end())
            return;
        CodeSection& code = part->section;
        const bool relocatable = header_.e_type == ET_REL;
        const uint64_t at = relocatable ? symbol.st_value : symbol.st_value - code.address;
        if (at >= code.bytes.size())
            return;
        CodeLabel label;
        label.address = code.address + at;
        label.name = text(names, symbol.st_name);
        label.data_bytes = type == kTypeHsaKernel
                               ? std::min<uint64_t>(kKernelHeaderBytes, code.bytes.size() - at)
                               : 0;
        if (!label.name.empty())
            code.labels.push_back(std::move(label));
    }

    GElf_Ehdr header_{};
    std::vector<GElf_Shdr> sections_;
    uint64_t total_ = 0;
    std::vector<Part> code_;
};

}  // namespace

bool is_elf(const std::vector<uint8_t>& file) {
    return file.size() >= SELFMAG && std::equal(file.begin(), file.begin() + SELFMAG, ELFMAG);
}

std::vector<CodeSection> read_elf_code(const std::vector<uint8_t>& file, const std::string& name) {
    return is_catalyst_binary(file) ? read_catalyst_code(file, name)
                                    : CodeReader(file, name).read();
}

}  // namespace archipelago::host
