// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/elf_image.h"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/code_object_error.h"

namespace archipelago::host {
namespace {

// LLVM AMDGPUUsage, "ELF Code Object". Newer than some <elf.h>.
constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint8_t kOsAbiAmdhsa = 64;
constexpr uint32_t kMachMask = 0xff;
constexpr uint32_t kNoteMetadata = 32;
constexpr size_t kMaxSymbols = 1u << 18;
constexpr size_t kMaxRelocations = 1u << 20;
constexpr size_t kMaxSegments = 1024;
constexpr size_t kElfHeaderBytes = 64;
constexpr size_t kSymbolBytes = 24;
constexpr size_t kRelaBytes = 24;
constexpr size_t kDynamicBytes = 16;

bool is_gfx6(uint32_t machine) {
    return machine == 0x20 || machine == 0x21 || machine == 0x3a;  // gfx600, gfx601, gfx602
}

struct ElfCloser {
    void operator()(Elf* elf) const { elf_end(elf); }
};

class Reader {
  public:
    Reader(const std::vector<uint8_t>& file, const std::string& name) : file_(file), name_(name) {}

    ElfImage read() {
        check_ident();
        // libelf wants a writable buffer although it does not change it here.
        copy_.assign(file_.begin(), file_.end());
        if (elf_version(EV_CURRENT) == EV_NONE)
            fail("libelf", "the installed libelf does not know ELF version 1");
        elf_.reset(elf_memory(copy_.data(), copy_.size()));
        if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF)
            fail("ELF header", libelf_reason());
        read_header();
        read_program_headers();
        load_segments();
        read_symbols();
        read_dynamic();
        read_notes();
        return std::move(image_);
    }

  private:
    [[noreturn]] void fail(const std::string& where, const std::string& reason) const {
        throw CodeObjectError(name_, where + ": " + reason);
    }

    static std::string libelf_reason() {
        const char* text = elf_errmsg(-1);
        return text ? text : "not readable";
    }

    void check_ident() const {
        if (file_.size() < kElfHeaderBytes)
            fail("ELF header", fmt::format("the file has {} bytes, an ELF64 header has {}",
                                           file_.size(), kElfHeaderBytes));
        if (file_[0] != 0x7f || file_[1] != 'E' || file_[2] != 'L' || file_[3] != 'F')
            fail("ELF header at 0x0", "not an ELF file (no 7f 45 4c 46 at the start)");
        if (file_[EI_CLASS] != ELFCLASS64)
            fail("ELF header at 0x4", "not a 64-bit ELF file");
        if (file_[EI_DATA] != ELFDATA2LSB)
            fail("ELF header at 0x5", "not little-endian");
        if (file_[EI_VERSION] != EV_CURRENT)
            fail("ELF header at 0x6", fmt::format("ELF version {} is not 1", file_[EI_VERSION]));
    }

    void read_header() {
        GElf_Ehdr header;
        if (!gelf_getehdr(elf_.get(), &header))
            fail("ELF header", libelf_reason());
        if (header.e_machine != kMachineAmdgpu)
            fail("ELF header at 0x12",
                 fmt::format("machine {} is not AMDGPU ({})", header.e_machine, kMachineAmdgpu));
        const unsigned os_abi = header.e_ident[EI_OSABI];
        if (os_abi != kOsAbiAmdhsa)
            fail("ELF header at 0x7",
                 fmt::format("OS/ABI {} is not amdhsa ({}); compile for amdgcn-amd-amdhsa", os_abi,
                             kOsAbiAmdhsa));
        image_.abi_version = header.e_ident[EI_ABIVERSION];
        if (image_.abi_version == 0)
            fail("ELF header at 0x8",
                 "code object version 2 is not supported; compile with -mcode-object-version=4");
        if (image_.abi_version > 3)
            fail("ELF header at 0x8",
                 fmt::format("ABI version {} (code object version {}) is not supported",
                             image_.abi_version, image_.abi_version + 2));
        if (header.e_type == ET_REL)
            fail("ELF header at 0x10",
                 "a relocatable object; link it first (ld.lld -shared file.o -o file.hsaco)");
        if (header.e_type != ET_DYN)
            fail("ELF header at 0x10",
                 fmt::format("type {} is not a shared object (3)", header.e_type));
        image_.machine = header.e_flags & kMachMask;
        if (!is_gfx6(image_.machine))
            fail("ELF header at 0x30", fmt::format("made for machine 0x{:02x}, not for gfx600 "
                                                   "(0x20), gfx601 (0x21) or gfx602 (0x3a)",
                                                   image_.machine));
    }

    void read_program_headers() {
        size_t count = 0;
        if (elf_getphdrnum(elf_.get(), &count) != 0)
            fail("program headers", libelf_reason());
        if (count > kMaxSegments)
            fail("program headers",
                 fmt::format("{} of them, at most {} are accepted", count, kMaxSegments));
        for (size_t i = 0; i < count; ++i) {
            GElf_Phdr header;
            if (!gelf_getphdr(elf_.get(), static_cast<int>(i), &header))
                fail(fmt::format("program header {}", i), libelf_reason());
            program_headers_.push_back(header);
        }
    }

    void check_in_file(const std::string& where, uint64_t offset, uint64_t size) const {
        if (offset > file_.size() || size > file_.size() - offset)
            fail(where, fmt::format("bytes 0x{:x} to 0x{:x}+0x{:x} are outside the file of 0x{:x}",
                                    offset, offset, size, file_.size()));
    }

    void load_segments() {
        uint64_t low = UINT64_MAX;
        uint64_t high = 0;
        for (size_t i = 0; i < program_headers_.size(); ++i) {
            const GElf_Phdr& header = program_headers_[i];
            if (header.p_type != PT_LOAD || header.p_memsz == 0)
                continue;
            const std::string where = fmt::format("program header {} (PT_LOAD)", i);
            if (header.p_filesz > header.p_memsz)
                fail(where, fmt::format("file size 0x{:x} exceeds memory size 0x{:x}",
                                        header.p_filesz, header.p_memsz));
            check_in_file(where, header.p_offset, header.p_filesz);
            if (header.p_vaddr > UINT64_MAX - header.p_memsz)
                fail(where, fmt::format("address 0x{:x} + 0x{:x} overflows", header.p_vaddr,
                                        header.p_memsz));
            low = std::min<uint64_t>(low, header.p_vaddr);
            high = std::max<uint64_t>(high, header.p_vaddr + header.p_memsz);
        }
        if (high == 0)
            fail("program headers", "no segment to load (PT_LOAD)");
        image_.link_base = low / kImageAlign * kImageAlign;
        const uint64_t size = high - image_.link_base;
        if (size > kMaxImageBytes)
            fail("program headers", fmt::format("segments span 0x{:x} bytes, at most 0x{:x} load",
                                                size, kMaxImageBytes));
        image_.bytes.assign(size, 0);
        for (size_t i = 0; i < program_headers_.size(); ++i) {
            const GElf_Phdr& header = program_headers_[i];
            if (header.p_type != PT_LOAD || header.p_memsz == 0)
                continue;
            ElfSegment segment;
            segment.offset = header.p_vaddr - image_.link_base;
            segment.size = header.p_memsz;
            segment.executable = (header.p_flags & PF_X) != 0;
            segment.writable = (header.p_flags & PF_W) != 0;
            for (const ElfSegment& other : image_.segments)
                if (segment.offset < other.offset + other.size &&
                    other.offset < segment.offset + segment.size)
                    fail(fmt::format("program header {} (PT_LOAD)", i),
                         fmt::format("address 0x{:x} overlaps another segment", header.p_vaddr));
            std::copy_n(file_.begin() + static_cast<ptrdiff_t>(header.p_offset), header.p_filesz,
                        image_.bytes.begin() + static_cast<ptrdiff_t>(segment.offset));
            image_.segments.push_back(segment);
        }
    }

    // Kernel descriptors are protected globals and so in .dynsym; .symtab serves when a tool has
    // dropped the dynamic table.
    void read_symbols() {
        Elf_Scn* chosen = nullptr;
        GElf_Shdr chosen_header{};
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section));) {
            GElf_Shdr header;
            if (!gelf_getshdr(section, &header))
                fail("section headers", libelf_reason());
            const bool dynamic = header.sh_type == SHT_DYNSYM;
            if (!dynamic && (header.sh_type != SHT_SYMTAB || chosen))
                continue;
            chosen = section;
            chosen_header = header;
            if (dynamic)
                break;
        }
        if (!chosen)
            fail("section headers", "no symbol table (.dynsym or .symtab)");
        const std::string where =
            fmt::format("symbol table (section {}, at 0x{:x})", elf_ndxscn(chosen),
                        static_cast<uint64_t>(chosen_header.sh_offset));
        if (chosen_header.sh_entsize != kSymbolBytes)
            fail(where,
                 fmt::format("entry size {} is not {}", chosen_header.sh_entsize, kSymbolBytes));
        check_in_file(where, chosen_header.sh_offset, chosen_header.sh_size);
        Elf_Data* data = elf_getdata(chosen, nullptr);
        if (!data || data->d_type != ELF_T_SYM)
            fail(where, libelf_reason());
        const size_t count = data->d_size / kSymbolBytes;
        if (count > kMaxSymbols)
            fail(where, fmt::format("{} symbols, at most {} are accepted", count, kMaxSymbols));
        for (size_t i = 1; i < count; ++i) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, static_cast<int>(i), &symbol))
                fail(fmt::format("{} entry {}", where, i), libelf_reason());
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_name == 0)
                continue;
            const char* text = elf_strptr(elf_.get(), chosen_header.sh_link, symbol.st_name);
            if (!text)
                fail(fmt::format("{} entry {}", where, i),
                     fmt::format("name offset 0x{:x}: {}", symbol.st_name, libelf_reason()));
            ElfSymbol entry;
            entry.name = text;
            entry.address = symbol.st_value;
            entry.size = symbol.st_size;
            entry.type = GELF_ST_TYPE(symbol.st_info);
            image_.symbols.push_back(std::move(entry));
        }
    }

    // Offset in the image of [address, address + size), which must be loaded.
    uint64_t image_offset(const std::string& where, uint64_t address, uint64_t size) const {
        const uint64_t offset = address - image_.link_base;
        if (address < image_.link_base || !image_.loaded(offset, size))
            fail(where,
                 fmt::format("addresses 0x{:x}+0x{:x} are in no loaded segment", address, size));
        return offset;
    }

    uint64_t word(uint64_t image_offset) const {
        return load_le(image_.bytes.data() + image_offset, 8);
    }

    void read_dynamic() {
        std::optional<uint64_t> rela, symbol_table, string_table;
        uint64_t rela_bytes = 0;
        uint64_t rela_entry = kRelaBytes;
        uint64_t symbol_entry = kSymbolBytes;
        uint64_t string_bytes = 0;
        for (const GElf_Phdr& header : program_headers_) {
            if (header.p_type != PT_DYNAMIC)
                continue;
            const std::string where =
                fmt::format("dynamic section (at 0x{:x})", static_cast<uint64_t>(header.p_offset));
            const uint64_t at = image_offset(where, header.p_vaddr, header.p_memsz);
            for (uint64_t i = 0; i + kDynamicBytes <= header.p_memsz; i += kDynamicBytes) {
                const uint64_t tag = word(at + i);
                const uint64_t value = word(at + i + 8);
                if (tag == DT_NULL)
                    break;
                switch (tag) {
                    case DT_RELA:
                        rela = value;
                        break;
                    case DT_RELASZ:
                        rela_bytes = value;
                        break;
                    case DT_RELAENT:
                        rela_entry = value;
                        break;
                    case DT_SYMTAB:
                        symbol_table = value;
                        break;
                    case DT_SYMENT:
                        symbol_entry = value;
                        break;
                    case DT_STRTAB:
                        string_table = value;
                        break;
                    case DT_STRSZ:
                        string_bytes = value;
                        break;
                    case DT_REL:
                    case DT_JMPREL:
                    case 36:  // DT_RELR
                        fail(where, fmt::format("relocation table of kind {} (DT_REL, DT_JMPREL "
                                                "or DT_RELR) is not supported",
                                                tag));
                    case DT_NEEDED:
                        fail(where, "needs another shared library, which a GPU cannot load");
                    default:
                        break;
                }
            }
        }
        if (!rela || rela_bytes == 0)
            return;
        const std::string where = fmt::format("relocation table (address 0x{:x})", *rela);
        if (rela_entry != kRelaBytes || symbol_entry != kSymbolBytes)
            fail(where, fmt::format("entry sizes {} (relocation) and {} (symbol) are not {} and {}",
                                    rela_entry, symbol_entry, kRelaBytes, kSymbolBytes));
        if (rela_bytes % kRelaBytes != 0 || rela_bytes / kRelaBytes > kMaxRelocations)
            fail(where, fmt::format("size 0x{:x} is not up to {} entries of {} bytes", rela_bytes,
                                    kMaxRelocations, kRelaBytes));
        const uint64_t table = image_offset(where, *rela, rela_bytes);
        for (uint64_t i = 0; i < rela_bytes / kRelaBytes; ++i)
            read_relocation(fmt::format("relocation {}", i), table + i * kRelaBytes, symbol_table,
                            string_table, string_bytes);
    }

    static unsigned written_bytes(RelocationType type) {
        switch (type) {
            case RelocationType::None:
                return 0;
            case RelocationType::Abs64:
            case RelocationType::Rel64:
            case RelocationType::Relative64:
                return 8;
            default:
                return 4;
        }
    }

    static bool known(uint32_t type) { return type <= 6 || type == 10 || type == 11 || type == 13; }

    void read_relocation(const std::string& where, uint64_t at,
                         const std::optional<uint64_t>& symbol_table,
                         const std::optional<uint64_t>& string_table, uint64_t string_bytes) {
        const uint64_t place = word(at);
        const uint64_t info = word(at + 8);
        const auto type = static_cast<uint32_t>(info);
        const uint64_t index = info >> 32;
        if (!known(type))
            fail(where, fmt::format("type {} at address 0x{:x} is unknown", type, place));
        ElfRelocation relocation;
        relocation.type = static_cast<RelocationType>(type);
        if (relocation.type == RelocationType::None)
            return;
        relocation.addend = static_cast<int64_t>(word(at + 16));
        relocation.offset = image_offset(where, place, written_bytes(relocation.type));
        if (index != 0) {
            if (!symbol_table)
                fail(where, "names a symbol but the object has no DT_SYMTAB");
            if (index > kMaxSymbols)
                fail(where, fmt::format("symbol number {} is out of range", index));
            const uint64_t entry =
                image_offset(where, *symbol_table + index * kSymbolBytes, kSymbolBytes);
            const uint8_t* bytes = image_.bytes.data() + entry;
            const uint64_t section = load_le(bytes + 6, 2);
            const bool weak = (bytes[4] >> 4) == STB_WEAK;
            relocation.symbol = load_le(bytes + 8, 8);
            if (section == SHN_UNDEF) {
                if (!weak)
                    fail(where, fmt::format("symbol '{}' is undefined",
                                            dynamic_name(where, load_le(bytes, 4), string_table,
                                                         string_bytes)));
                relocation.symbol = 0;
            } else {
                relocation.symbol_moves = section != SHN_ABS;
            }
        }
        image_.relocations.push_back(relocation);
    }

    std::string dynamic_name(const std::string& where, uint64_t offset,
                             const std::optional<uint64_t>& string_table,
                             uint64_t string_bytes) const {
        if (!string_table || offset >= string_bytes)
            return "?";
        const uint64_t begin = image_offset(where, *string_table, string_bytes);
        std::string text;
        for (uint64_t i = begin + offset; i < begin + string_bytes && image_.bytes[i] != 0; ++i)
            text.push_back(static_cast<char>(image_.bytes[i]));
        return text;
    }

    void read_notes() {
        for (size_t i = 0; i < program_headers_.size(); ++i) {
            const GElf_Phdr& header = program_headers_[i];
            if (header.p_type != PT_NOTE)
                continue;
            check_in_file(fmt::format("program header {} (PT_NOTE)", i), header.p_offset,
                          header.p_filesz);
            read_note_segment(header.p_offset, header.p_filesz);
        }
    }

    void read_note_segment(uint64_t begin, uint64_t size) {
        constexpr uint64_t kNoteHeader = 12;
        const auto padded = [](uint64_t n) { return (n + 3) / 4 * 4; };
        uint64_t at = 0;
        while (size - at >= kNoteHeader) {
            const uint8_t* note = file_.data() + begin + at;
            const std::string where = fmt::format("note at 0x{:x}", begin + at);
            const uint64_t name_size = load_le(note, 4);
            const uint64_t content_size = load_le(note + 4, 4);
            const uint64_t type = load_le(note + 8, 4);
            const uint64_t content = at + kNoteHeader + padded(name_size);
            if (content > size || content_size > size - content)
                fail(where, fmt::format("name of 0x{:x} and contents of 0x{:x} bytes go beyond the "
                                        "note segment, which ends at 0x{:x}",
                                        name_size, content_size, begin + size));
            std::string owner(reinterpret_cast<const char*>(note) + kNoteHeader, name_size);
            owner = owner.c_str();  // the size counts the terminating zero
            if (owner == "AMDGPU" && type == kNoteMetadata) {
                if (image_.has_metadata)
                    fail(where, "a second NT_AMDGPU_METADATA note");
                image_.has_metadata = true;
                image_.metadata_offset = begin + content;
                const auto first = file_.begin() + static_cast<ptrdiff_t>(begin + content);
                image_.metadata.assign(first, first + static_cast<ptrdiff_t>(content_size));
            }
            at = std::min(size, content + padded(content_size));
        }
    }

    const std::vector<uint8_t>& file_;
    const std::string& name_;
    std::vector<char> copy_;
    std::unique_ptr<Elf, ElfCloser> elf_;
    std::vector<GElf_Phdr> program_headers_;
    ElfImage image_;
};

}  // namespace

bool ElfImage::loaded(uint64_t offset, uint64_t size) const {
    return std::any_of(segments.begin(), segments.end(), [&](const ElfSegment& s) {
        return offset >= s.offset && offset - s.offset <= s.size &&
               size <= s.size - (offset - s.offset);
    });
}

bool ElfImage::executable(uint64_t offset, uint64_t size) const {
    return std::any_of(segments.begin(), segments.end(), [&](const ElfSegment& s) {
        return s.executable && offset >= s.offset && offset - s.offset <= s.size &&
               size <= s.size - (offset - s.offset);
    });
}

ElfImage read_elf_image(const std::vector<uint8_t>& file, const std::string& name) {
    return Reader(file, name).read();
}

std::vector<uint8_t> relocate_image(const ElfImage& image, uint64_t base, const std::string& name) {
    if (base % kImageAlign != 0)
        throw CodeObjectError(name, fmt::format("load address 0x{:x} is not a multiple of 0x{:x}",
                                                base, kImageAlign));
    if (base > UINT64_MAX - image.bytes.size())
        throw CodeObjectError(name, fmt::format("load address 0x{:x} leaves no room for 0x{:x} "
                                                "bytes",
                                                base, image.bytes.size()));
    std::vector<uint8_t> out = image.bytes;
    const uint64_t bias = base - image.link_base;
    for (const ElfRelocation& r : image.relocations) {
        const uint64_t target =
            r.symbol + (r.symbol_moves ? bias : 0) + static_cast<uint64_t>(r.addend);
        const uint64_t relative = target - (base + r.offset);
        uint8_t* place = out.data() + r.offset;
        switch (r.type) {
            case RelocationType::None:
                break;
            case RelocationType::Abs32Lo:
                store_le(place, target, 4);
                break;
            case RelocationType::Abs32Hi:
                store_le(place, target >> 32, 4);
                break;
            case RelocationType::Abs64:
                store_le(place, target, 8);
                break;
            case RelocationType::Abs32:
                if (target >> 32 != 0)
                    throw CodeObjectError(
                        name, fmt::format("relocation at image offset 0x{:x}: 0x{:x} does not fit "
                                          "in 32 bits",
                                          r.offset, target));
                store_le(place, target, 4);
                break;
            case RelocationType::Rel32:
                if (static_cast<int64_t>(relative) != static_cast<int32_t>(relative))
                    throw CodeObjectError(
                        name, fmt::format("relocation at image offset 0x{:x}: distance 0x{:x} "
                                          "does not fit in 32 bits",
                                          r.offset, relative));
                store_le(place, relative, 4);
                break;
            case RelocationType::Rel32Lo:
                store_le(place, relative, 4);
                break;
            case RelocationType::Rel32Hi:
                store_le(place, relative >> 32, 4);
                break;
            case RelocationType::Rel64:
                store_le(place, relative, 8);
                break;
            case RelocationType::Relative64:
                store_le(place, bias + static_cast<uint64_t>(r.addend), 8);
                break;
        }
    }
    return out;
}

}  // namespace archipelago::host
