// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/elf_code.h"

#include <algorithm>

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/catalyst.h"
#include "testbenches/host/code_object/elf_file.h"

namespace archipelago::host {
namespace {

constexpr uint8_t kTypeHsaKernel = 10;        // STT_AMDGPU_HSA_KERNEL
constexpr uint64_t kKernelHeaderBytes = 256;  // amd_kernel_code_t in front of such a kernel
constexpr uint64_t kMaxLabels = 1u << 18;
constexpr size_t kMaxNameBytes = 1024;

class Reader : private ElfFile {
  public:
    Reader(const std::vector<uint8_t>& file, const std::string& name) : ElfFile(file, name) {}

    std::vector<CodeSection> read() {
        check_header();
        if (section_count_ > 0)
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

    uint64_t get(uint64_t offset, unsigned bytes) const {
        check_range("ELF structures", offset, bytes);
        return load_le(file_.data() + offset, bytes);
    }

    void check_header() {
        check_size();
        check_class();
        check_machine(static_cast<unsigned>(get(0x12, 2)));
        const auto generation = static_cast<unsigned>(get(0x30, 4) & 0xff);
        if (generation != 0)  // 0: not said
            check_generation(generation);
        relocatable_ = get(0x10, 2) == ET_REL;
        section_offset_ = get(0x28, 8);
        section_count_ = get(0x3c, 2);
        if (section_count_ > 0 && get(0x3a, 2) != sizeof(Elf64_Shdr))
            fail("ELF header at 0x3a", "section headers of {} bytes are not of {}", get(0x3a, 2),
                 sizeof(Elf64_Shdr));
        check_range("section headers", section_offset_, section_count_ * sizeof(Elf64_Shdr));
    }

    uint64_t section(uint64_t index, uint64_t field, unsigned bytes) const {
        return get(section_offset_ + index * sizeof(Elf64_Shdr) + field, bytes);
    }

    // The string at `offset` of string table `table`; what cannot be printed becomes '?'.
    std::string text(uint64_t table, uint64_t offset) const {
        if (table >= section_count_)
            fail("section headers", "there is no section {}", table);
        const uint64_t begin = section(table, 0x18, 8);
        const uint64_t size = section(table, 0x20, 8);
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
        const uint64_t names = get(0x3e, 2);
        for (uint64_t i = 0; i < section_count_; ++i) {
            const uint64_t flags = section(i, 0x8, 8);
            if (section(i, 0x4, 4) != SHT_PROGBITS || (flags & SHF_EXECINSTR) == 0)
                continue;
            const uint64_t offset = section(i, 0x18, 8);
            const uint64_t size = section(i, 0x20, 8);
            check_range(fmt::format("section {}", i), offset, size);
            if (size == 0)
                continue;
            CodeSection code;
            code.name = text(names, section(i, 0, 4));
            code.address = section(i, 0x10, 8);
            take(i, std::move(code), offset, size);
        }
        // .symtab has the local labels too; .dynsym serves when it has been stripped.
        for (const uint64_t type : {uint64_t{SHT_SYMTAB}, uint64_t{SHT_DYNSYM}}) {
            bool found = false;
            for (uint64_t i = 0; i < section_count_; ++i)
                if (section(i, 0x4, 4) == type) {
                    read_symbols(i);
                    found = true;
                }
            if (found)
                break;
        }
    }

    void read_segments() {
        const uint64_t offset = get(0x20, 8);
        const uint64_t count = get(0x38, 2);
        for (uint64_t i = 0; i < count; ++i) {
            const uint64_t header = offset + i * sizeof(Elf64_Phdr);
            if (offset > file_.size() || get(header, 4) != PT_LOAD ||
                (get(header + 4, 4) & PF_X) == 0)
                continue;
            const uint64_t begin = get(header + 0x8, 8);
            const uint64_t size = get(header + 0x20, 8);
            check_range(fmt::format("program header {}", i), begin, size);
            if (size == 0)
                continue;
            CodeSection code;
            code.name = fmt::format("segment{}", i);
            code.address = get(header + 0x10, 8);
            take(i, std::move(code), begin, size);
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
        const uint64_t offset = section(table, 0x18, 8);
        const uint64_t size = section(table, 0x20, 8);
        const std::string where = fmt::format("symbol table (section {})", table);
        check_range(where, offset, size);
        const uint64_t count = size / sizeof(Elf64_Sym);
        if (count > kMaxLabels)
            fail(where, "{} symbols, at most {} are accepted", count, kMaxLabels);
        for (uint64_t i = 1; i < count; ++i) {
            const uint64_t symbol = offset + i * sizeof(Elf64_Sym);
            const uint64_t type = get(symbol + 4, 1) & 0xf;
            const uint64_t index = get(symbol + 6, 2);
            const uint64_t value = get(symbol + 8, 8);
            if (type == STT_SECTION || type == STT_FILE)
                continue;
            const auto part = std::find_if(code_.begin(), code_.end(),
                                           [index](const Part& p) { return p.index == index; });
            if (part == code_.end())
                continue;
            CodeSection& code = part->section;
            const uint64_t at = relocatable_ ? value : value - code.address;
            if (at >= code.bytes.size())
                continue;
            CodeLabel label;
            label.address = code.address + at;
            label.name = text(section(table, 0x28, 4), get(symbol, 4));
            label.data_bytes = type == kTypeHsaKernel
                                   ? std::min<uint64_t>(kKernelHeaderBytes, code.bytes.size() - at)
                                   : 0;
            if (!label.name.empty())
                code.labels.push_back(std::move(label));
        }
    }

    bool relocatable_ = false;
    uint64_t section_offset_ = 0;
    uint64_t section_count_ = 0;
    uint64_t total_ = 0;
    std::vector<Part> code_;
};

}  // namespace

bool is_elf(const std::vector<uint8_t>& file) {
    return file.size() >= SELFMAG && std::equal(file.begin(), file.begin() + SELFMAG, ELFMAG);
}

std::vector<CodeSection> read_elf_code(const std::vector<uint8_t>& file, const std::string& name) {
    return is_catalyst_binary(file) ? read_catalyst_code(file, name) : Reader(file, name).read();
}

}  // namespace archipelago::host
