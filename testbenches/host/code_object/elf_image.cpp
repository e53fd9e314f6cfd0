// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/elf_image.h"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/elf_file.h"

namespace archipelago::host {
namespace {

constexpr uint8_t kOsAbiAmdhsa = 64;
constexpr uint32_t kMachMask = 0xff;
constexpr uint32_t kNoteMetadata = 32;
constexpr size_t kMaxSymbols = 1u << 18;
constexpr size_t kMaxRelocations = 1u << 20;
constexpr size_t kMaxSegments = 1024;
constexpr size_t kSymbolBytes = 24;
constexpr size_t kRelaBytes = 24;
constexpr size_t kDynamicBytes = 16;
constexpr uint64_t kDynamicRelr = 36;  // DT_RELR

// What a relocation writes: S + A, less the place where `relative`, `shift` bits to the right.
struct RelocationForm {
    RelocationType type;
    unsigned bytes;
    unsigned shift;
    bool relative;
    const char* must_fit;  // what the value is called when it does not fit; null: it is cut
};
constexpr RelocationForm kForms[] = {
    {RelocationType::None, 0, 0, false, nullptr},
    {RelocationType::Abs32Lo, 4, 0, false, nullptr},
    {RelocationType::Abs32Hi, 4, 32, false, nullptr},
    {RelocationType::Abs64, 8, 0, false, nullptr},
    {RelocationType::Rel32, 4, 0, true, "distance "},
    {RelocationType::Rel64, 8, 0, true, nullptr},
    {RelocationType::Abs32, 4, 0, false, ""},
    {RelocationType::Rel32Lo, 4, 0, true, nullptr},
    {RelocationType::Rel32Hi, 4, 32, true, nullptr},
    {RelocationType::Relative64, 8, 0, false, nullptr},  // B + A
};

const RelocationForm* find_form(RelocationType type) {
    const auto* form = std::find_if(std::begin(kForms), std::end(kForms),
                                    [&](const RelocationForm& f) { return f.type == type; });
    return form == std::end(kForms) ? nullptr : form;
}

struct ElfCloser {
    void operator()(Elf* elf) const { elf_end(elf); }
};

class ImageReader : private ElfFile {
  public:
    ImageReader(const std::vector<uint8_t>& file, const std::string& name) : ElfFile(file, name) {}

    ElfImage read() {
        check_ident();
        // libelf wants a writable buffer although it does not change it here.
        copy_.assign(file_.begin(), file_.end());
        if (elf_version(EV_CURRENT) == EV_NONE)
            fail("libelf", "the installed libelf does not know ELF version 1");
        elf_.reset(elf_memory(copy_.data(), copy_.size()));
        if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF)
            fail("ELF header", "{}", libelf_reason());
        read_header();
        read_program_headers();
        load_segments();
        read_symbols();
        read_dynamic();
        read_notes();
        return std::move(image_);
    }

  private:
    static std::string libelf_reason() {
        const char* text = elf_errmsg(-1);
        return text ? text : "not readable";
    }

    void check_ident() const {
        check_size();
        if (file_[0] != 0x7f || file_[1] != 'E' || file_[2] != 'L' || file_[3] != 'F')
            fail("ELF header at 0x0", "not an ELF file (no 7f 45 4c 46 at the start)");
        check_class();
        if (file_[EI_VERSION] != EV_CURRENT)
            fail("ELF header at 0x6", "ELF version {} is not 1", file_[EI_VERSION]);
    }

    void read_header() {
        GElf_Ehdr header;
        if (!gelf_getehdr(elf_.get(), &header))
            fail("ELF header", "{}", libelf_reason());
        check_machine(header.e_machine);
        const unsigned os_abi = header.e_ident[EI_OSABI];
        if (os_abi != kOsAbiAmdhsa)
            fail("ELF header at 0x7", "OS/ABI {} is not amdhsa ({}); compile for amdgcn-amd-amdhsa",
                 os_abi, kOsAbiAmdhsa);
        image_.abi_version = header.e_ident[EI_ABIVERSION];
        if (image_.abi_version == 0)
            fail("ELF header at 0x8",
                 "code object version 2 is not supported; compile with -mcode-object-version=4");
        if (image_.abi_version > 3)
            fail("ELF header at 0x8", "ABI version {} (code object version {}) is not supported",
                 image_.abi_version, image_.abi_version + 2);
        if (header.e_type == ET_REL)
            fail("ELF header at 0x10",
                 "a relocatable object; link it first (ld.lld -shared file.o -o file.hsaco)");
        if (header.e_type != ET_DYN)
            fail("ELF header at 0x10", "type {} is not a shared object (3)", header.e_type);
        image_.machine = header.e_flags & kMachMask;
        check_generation(image_.machine);
    }

    void read_program_headers() {
        size_t count = 0;
        if (elf_getphdrnum(elf_.get(), &count) != 0)
            fail("program headers", "{}", libelf_reason());
        if (count > kMaxSegments)
            fail("program headers", "{} of them, at most {} are accepted", count, kMaxSegments);
        for (size_t i = 0; i < count; ++i) {
            GElf_Phdr header;
            if (!gelf_getphdr(elf_.get(), static_cast<int>(i), &header))
                fail(fmt::format("program header {}", i), "{}", libelf_reason());
            program_headers_.push_back(header);
        }
    }

    void check_in_file(const std::string& where, uint64_t offset, uint64_t size) const {
        if (offset > file_.size() || size > file_.size() - offset)
            fail(where, "bytes 0x{:x} to 0x{:x}+0x{:x} are outside the file of 0x{:x}", offset,
                 offset, size, file_.size());
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
                fail(where, "file size 0x{:x} exceeds memory size 0x{:x}", header.p_filesz,
                     header.p_memsz);
            check_in_file(where, header.p_offset, header.p_filesz);
            if (header.p_vaddr > UINT64_MAX - header.p_memsz)
                fail(where, "address 0x{:x} + 0x{:x} overflows", header.p_vaddr, header.p_memsz);
            low = std::min<uint64_t>(low, header.p_vaddr);
            high = std::max<uint64_t>(high, header.p_vaddr + header.p_memsz);
        }
        if (high == 0)
            fail("program headers", "no segment to load (PT_LOAD)");
        image_.link_base = low / kImageAlign * kImageAlign;
        const uint64_t size = high - image_.link_base;
        if (size > kMaxImageBytes)
            fail("program headers", "segments span 0x{:x} bytes, at most 0x{:x} load", size,
                 kMaxImageBytes);
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
                         "address 0x{:x} overlaps another segment", header.p_vaddr);
            std::copy_n(file_.begin() + static_cast<ptrdiff_t>(header.p_offset), header.p_filesz,
                        image_.bytes.begin() + static_cast<ptrdiff_t>(segment.offset));
            image_.segments.push_back(segment);
        }
    }

    // Kernel descriptors are protected globals and so in .dynsym; .symtab serves when a tool has
    // dropped the dynamic table.
    std::pair<Elf_Scn*, GElf_Shdr> find_symbols() const {
        std::pair<Elf_Scn*, GElf_Shdr> chosen{};
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section));) {
            GElf_Shdr header;
            if (!gelf_getshdr(section, &header))
                fail("section headers", "{}", libelf_reason());
            const bool dynamic = header.sh_type == SHT_DYNSYM;
            if (dynamic || (header.sh_type == SHT_SYMTAB && !chosen.first))
                chosen = {section, header};
            if (dynamic)
                break;
        }
        if (!chosen.first)
            fail("section headers", "no symbol table (.dynsym or .symtab)");
        return chosen;
    }

    void read_symbols() {
        const auto [section, header] = find_symbols();
        const std::string where =
            fmt::format("symbol table (section {}, at 0x{:x})", elf_ndxscn(section),
                        static_cast<uint64_t>(header.sh_offset));
        if (header.sh_entsize != kSymbolBytes)
            fail(where, "entry size {} is not {}", header.sh_entsize, kSymbolBytes);
        check_in_file(where, header.sh_offset, header.sh_size);
        Elf_Data* data = elf_getdata(section, nullptr);
        if (!data || data->d_type != ELF_T_SYM)
            fail(where, "{}", libelf_reason());
        const size_t count = data->d_size / kSymbolBytes;
        if (count > kMaxSymbols)
            fail(where, "{} symbols, at most {} are accepted", count, kMaxSymbols);
        for (size_t i = 1; i < count; ++i) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, static_cast<int>(i), &symbol))
                fail(fmt::format("{} entry {}", where, i), "{}", libelf_reason());
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_name == 0)
                continue;
            const char* text = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
            if (!text)
                fail(fmt::format("{} entry {}", where, i), "name offset 0x{:x}: {}", symbol.st_name,
                     libelf_reason());
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
            fail(where, "addresses 0x{:x}+0x{:x} are in no loaded segment", address, size);
        return offset;
    }

    uint64_t word(uint64_t image_offset) const {
        return load_le(image_.bytes.data() + image_offset, 8);
    }

    // The last value of each tag.
    void read_dynamic_tags() {
        for (const GElf_Phdr& header : program_headers_) {
            if (header.p_type != PT_DYNAMIC)
                continue;
            const std::string where =
                fmt::format("dynamic section (at 0x{:x})", static_cast<uint64_t>(header.p_offset));
            const uint64_t at = image_offset(where, header.p_vaddr, header.p_memsz);
            for (uint64_t i = 0; i + kDynamicBytes <= header.p_memsz; i += kDynamicBytes) {
                const uint64_t tag = word(at + i);
                if (tag == DT_NULL)
                    break;
                if (tag == DT_REL || tag == DT_JMPREL || tag == kDynamicRelr)
                    fail(where,
                         "relocation table of kind {} (DT_REL, DT_JMPREL or DT_RELR) is not "
                         "supported",
                         tag);
                if (tag == DT_NEEDED)
                    fail(where, "needs another shared library, which a GPU cannot load");
                dynamic_[tag] = word(at + i + 8);
            }
        }
    }

    uint64_t dynamic(uint64_t tag, uint64_t otherwise) const {
        const auto found = dynamic_.find(tag);
        return found == dynamic_.end() ? otherwise : found->second;
    }

    void read_dynamic() {
        read_dynamic_tags();
        const uint64_t rela_bytes = dynamic(DT_RELASZ, 0);
        if (dynamic_.count(DT_RELA) == 0 || rela_bytes == 0)
            return;
        const uint64_t rela = dynamic_[DT_RELA];
        const uint64_t rela_entry = dynamic(DT_RELAENT, kRelaBytes);
        const uint64_t symbol_entry = dynamic(DT_SYMENT, kSymbolBytes);
        const std::string where = fmt::format("relocation table (address 0x{:x})", rela);
        if (rela_entry != kRelaBytes || symbol_entry != kSymbolBytes)
            fail(where, "entry sizes {} (relocation) and {} (symbol) are not {} and {}", rela_entry,
                 symbol_entry, kRelaBytes, kSymbolBytes);
        if (rela_bytes % kRelaBytes != 0 || rela_bytes / kRelaBytes > kMaxRelocations)
            fail(where, "size 0x{:x} is not up to {} entries of {} bytes", rela_bytes,
                 kMaxRelocations, kRelaBytes);
        const uint64_t table = image_offset(where, rela, rela_bytes);
        for (uint64_t i = 0; i < rela_bytes / kRelaBytes; ++i)
            read_relocation(fmt::format("relocation {}", i), table + i * kRelaBytes);
    }

    void read_relocation(const std::string& where, uint64_t at) {
        const uint64_t place = word(at);
        const uint64_t info = word(at + 8);
        const auto type = static_cast<uint32_t>(info);
        const RelocationForm* form = find_form(static_cast<RelocationType>(type));
        if (form == nullptr)
            fail(where, "type {} at address 0x{:x} is unknown", type, place);
        ElfRelocation relocation;
        relocation.type = form->type;
        if (relocation.type == RelocationType::None)
            return;
        relocation.addend = static_cast<int64_t>(word(at + 16));
        relocation.offset = image_offset(where, place, form->bytes);
        if (info >> 32 != 0)
            read_symbol_of(where, relocation, info >> 32);
        image_.relocations.push_back(relocation);
    }

    void read_symbol_of(const std::string& where, ElfRelocation& relocation, uint64_t index) {
        if (dynamic_.count(DT_SYMTAB) == 0)
            fail(where, "names a symbol but the object has no DT_SYMTAB");
        if (index > kMaxSymbols)
            fail(where, "symbol number {} is out of range", index);
        const uint8_t* symbol =
            image_.bytes.data() +
            image_offset(where, dynamic_[DT_SYMTAB] + index * kSymbolBytes, kSymbolBytes);
        const uint64_t section = load_le(symbol + 6, 2);
        const bool weak = (symbol[4] >> 4) == STB_WEAK;
        if (section == SHN_UNDEF) {
            if (!weak)
                fail(where, "symbol '{}' is undefined", dynamic_name(where, load_le(symbol, 4)));
            return;
        }
        relocation.symbol = load_le(symbol + 8, 8);
        relocation.symbol_moves = section != SHN_ABS;
    }

    std::string dynamic_name(const std::string& where, uint64_t offset) const {
        const auto table = dynamic_.find(DT_STRTAB);
        const uint64_t size = dynamic(DT_STRSZ, 0);
        if (table == dynamic_.end() || offset >= size)
            return "?";
        const char* text = reinterpret_cast<const char*>(image_.bytes.data()) +
                           image_offset(where, table->second, size);
        return {text + offset, strnlen(text + offset, size - offset)};
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
                fail(where,
                     "name of 0x{:x} and contents of 0x{:x} bytes go beyond the note segment, "
                     "which ends at 0x{:x}",
                     name_size, content_size, begin + size);
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

    std::vector<char> copy_;
    std::unique_ptr<Elf, ElfCloser> elf_;
    std::vector<GElf_Phdr> program_headers_;
    std::map<uint64_t, uint64_t> dynamic_;  // entries of the dynamic section by tag
    ElfImage image_;
};

}  // namespace

bool ElfSegment::holds(uint64_t begin, uint64_t bytes) const {
    return begin >= offset && begin - offset <= size && bytes <= size - (begin - offset);
}

bool ElfImage::loaded(uint64_t offset, uint64_t size) const {
    return std::any_of(segments.begin(), segments.end(),
                       [&](const ElfSegment& s) { return s.holds(offset, size); });
}

bool ElfImage::executable(uint64_t offset, uint64_t size) const {
    return std::any_of(segments.begin(), segments.end(),
                       [&](const ElfSegment& s) { return s.executable && s.holds(offset, size); });
}

ElfImage read_elf_image(const std::vector<uint8_t>& file, const std::string& name) {
    return ImageReader(file, name).read();
}

std::vector<uint8_t> relocate_image(const ElfImage& image, uint64_t base, const std::string& name) {
    if (base % kImageAlign != 0)
        refuse(name, "load address 0x{:x} is not a multiple of 0x{:x}", base, kImageAlign);
    if (base > UINT64_MAX - image.bytes.size())
        refuse(name, "load address 0x{:x} leaves no room for 0x{:x} bytes", base,
               image.bytes.size());
    std::vector<uint8_t> out = image.bytes;
    const uint64_t bias = base - image.link_base;
    for (const ElfRelocation& r : image.relocations) {
        const RelocationForm& form = *find_form(r.type);
        uint64_t value = static_cast<uint64_t>(r.addend);
        if (r.type == RelocationType::Relative64)
            value += bias;
        else
            value += r.symbol + (r.symbol_moves ? bias : 0);
        if (form.relative)
            value -= base + r.offset;
        const bool fits = form.relative ? static_cast<int64_t>(value) == static_cast<int32_t>(value)
                                        : value >> 32 == 0;
        if (form.must_fit != nullptr && !fits)
            refuse(name, "relocation at image offset 0x{:x}: {}0x{:x} does not fit in 32 bits",
                   r.offset, form.must_fit, value);
        store_le(out.data() + r.offset, value >> form.shift, form.bytes);
    }
    return out;
}

}  // namespace archipelago::host
