// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/catalyst.h"

#include <algorithm>
#include <array>
#include <map>

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/code_object.h"
#include "testbenches/host/code_object/elf_code.h"
#include "testbenches/host/code_object/elf_structures.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

constexpr uint64_t kMaxCatalystSymbols = 1u << 16;
constexpr size_t kMaxName = 1024;
constexpr uint32_t kMachineCal = 0x7d;                // of inner files
constexpr uint32_t kEncodingDictionary = 0x70000002;  // program header: which chips the code is for
constexpr uint32_t kMaxFlatGroup = 256;               // of kernels without a required size
constexpr uint32_t kMaxScalarRegisters = 104;

// e_machine of outer files and `machine` of the dictionary, for the chips of Southern Islands.
struct Chip {
    const char* name;
    uint32_t outer, inner;
};
constexpr Chip kChips[] = {{"Tahiti", 0x3fd, 0x1a},
                           {"Pitcairn", 0x3fe, 0x1b},
                           {"Cape Verde", 0x3ff, 0x1c},
                           {"Oland", 0x402, 0x20},
                           {"Hainan", 0x407, 0x25}};

// Types of notes that are read.
enum class Note : uint32_t {
    ProgramInfo = 1,
    Inputs = 2,
    InputSamplers = 11,
    ScratchBuffers = 13,
};

// Addresses in the program information, which holds pairs of address and value.
namespace info {
constexpr uint32_t kUserDataCount = 0x80001000;  // four values for each follow
constexpr uint32_t kUserData = 0x80001001;       // class, slot, first SGPR, SGPRs
constexpr uint32_t kVectorRegisters = 0x80001041;
constexpr uint32_t kScalarRegisters = 0x80001042;
constexpr uint32_t kFloatMode = 0x80001043;
constexpr uint32_t kIeeeMode = 0x80001044;
constexpr uint32_t kScratchBytes = 0x80001045;
constexpr uint32_t kResource2 = 0x2e13;  // COMPUTE_PGM_RSRC2, its register's number in dwords
}  // namespace info

constexpr const char* kClassNames[] = {"IMM_RESOURCE",
                                       "IMM_SAMPLER",
                                       "IMM_CONST_BUFFER",
                                       "IMM_VERTEX_BUFFER",
                                       "IMM_UAV",
                                       "IMM_ALU_FLOAT_CONST",
                                       "IMM_ALU_BOOL32_CONST",
                                       "IMM_GDS_COUNTER_RANGE",
                                       "IMM_GDS_MEMORY_RANGE",
                                       "IMM_GWS_BASE",
                                       "IMM_WORK_ITEM_RANGE",
                                       "IMM_WORK_GROUP_RANGE",
                                       "IMM_DISPATCH_ID",
                                       "IMM_SCRATCH_BUFFER",
                                       "IMM_HEAP_BUFFER",
                                       "IMM_KERNEL_ARG",
                                       "SUB_PTR_FETCH_SHADER",
                                       "PTR_RESOURCE_TABLE",
                                       "PTR_INTERNAL_RESOURCE_TABLE",
                                       "PTR_SAMPLER_TABLE",
                                       "PTR_CONST_BUFFER_TABLE",
                                       "PTR_VERTEX_BUFFER_TABLE",
                                       "PTR_SO_BUFFER_TABLE",
                                       "PTR_UAV_TABLE",
                                       "PTR_INTERNAL_GLOBAL_TABLE",
                                       "PTR_EXTENDED_USER_DATA",
                                       "PTR_INDIRECT_RESOURCE",
                                       "PTR_INDIRECT_INTERNAL_RESOURCE",
                                       "PTR_INDIRECT_UAV",
                                       "IMM_CONTEXT_BASE",
                                       "IMM_LDS_ESGS_SIZE",
                                       "IMM_GLOBAL_OFFSET",
                                       "IMM_GENERIC_USER_DATA"};

// A part of the file, and what messages call it.
struct Part {
    const uint8_t* data = nullptr;
    uint64_t size = 0;
    std::string name;

    Part part(uint64_t offset, uint64_t bytes, const std::string& what) const {
        if (offset > size || bytes > size - offset)
            refuse(name + ": " + what, "bytes 0x{:x}+0x{:x} are outside the 0x{:x} there are",
                   offset, bytes, size);
        return {data + offset, bytes, name};
    }
    uint64_t get(uint64_t offset, unsigned bytes, const char* what) const {
        return load_le(part(offset, bytes, what).data, bytes);
    }
};

// Headers of either class of ELF: 32-bit outer files are for 32-bit pointers.
class ElfSections {
  public:
    ElfSections(Part file, bool wide) : file_(std::move(file)) {
        const GElf_Ehdr header =
            read_header(file_.part(0, header_bytes(wide), "ELF header").data, wide);
        const size_t bytes = section_header_bytes(wide);
        if (header.e_shnum > 0 && header.e_shentsize != bytes)
            refuse(file_.name + ": ELF header", "section headers of {} bytes are not of {}",
                   header.e_shentsize, bytes);
        const Part headers = file_.part(header.e_shoff, header.e_shnum * bytes, "section headers");
        for (uint64_t i = 0; i < header.e_shnum; ++i)
            headers_.push_back(read_section_header(headers.data + i * bytes, wide));
        names_ = header.e_shstrndx;
    }

    uint64_t sections() const { return headers_.size(); }
    const GElf_Shdr& header(uint64_t i) const { return headers_[i]; }
    Part contents(uint64_t i) const {
        return file_.part(headers_[i].sh_offset, headers_[i].sh_size, fmt::format("section {}", i));
    }
    // The string of a table; what cannot be printed becomes '?'.
    std::string text(uint64_t table, uint64_t offset) const {
        if (table >= sections())
            refuse(file_.name + ": section headers", "there is no section {}", table);
        const Part strings = contents(table);
        std::string result;
        for (uint64_t i = offset; i < strings.size && result.size() < kMaxName; ++i) {
            const auto c = static_cast<char>(strings.data[i]);
            if (c == 0)
                break;
            result.push_back(c > ' ' && c < 0x7f ? c : '?');
        }
        return result;
    }
    std::string section_name(uint64_t i) const { return text(names_, headers_[i].sh_name); }

  private:
    Part file_;
    std::vector<GElf_Shdr> headers_;
    uint64_t names_ = 0;
};

// ---- the outer file ---------------------------------------------------------------------------

struct OuterKernel {
    Part metadata, code;
    bool has_metadata = false, has_code = false;
};

struct Outer {
    bool wide = false;
    std::map<std::string, OuterKernel> kernels;
    Part constants;
};

uint32_t machine_of(const std::vector<uint8_t>& file) {
    return static_cast<uint32_t>(load_le(&file[0x12], 2));
}

// "k" of "__OpenCL_k_kernel"; empty: it is another symbol.
std::string kernel_of(const std::string& symbol, const std::string& ending) {
    const std::string start = "__OpenCL_";
    if (symbol.size() <= start.size() + ending.size() ||
        symbol.compare(0, start.size(), start) != 0 ||
        symbol.compare(symbol.size() - ending.size(), ending.size(), ending) != 0)
        return "";
    return symbol.substr(start.size(), symbol.size() - start.size() - ending.size());
}

void take_symbol(Outer& outer, const std::string& symbol, const Part& contents) {
    if (const std::string metadata = kernel_of(symbol, "_metadata"); !metadata.empty()) {
        outer.kernels[metadata].metadata = contents;
        outer.kernels[metadata].has_metadata = true;
    } else if (const std::string code = kernel_of(symbol, "_kernel"); !code.empty()) {
        outer.kernels[code].code = contents;
        outer.kernels[code].has_code = true;
    } else if (!kernel_of(symbol, "_global").empty()) {
        if (outer.constants.data != nullptr)
            refuse(contents.name + ": symbol '" + symbol + "'", "constants are given twice");
        outer.constants = contents;
    }
}

void read_symbols(Outer& outer, const ElfSections& elf, uint64_t table) {
    const Part symbols = elf.contents(table);
    const uint64_t entry = symbol_bytes(outer.wide);
    const uint64_t count = symbols.size / entry;
    if (count > kMaxCatalystSymbols)
        refuse(symbols.name + ": symbol table", "{} symbols, at most {} are accepted", count,
               kMaxCatalystSymbols);
    for (uint64_t i = 1; i < count; ++i) {
        const GElf_Sym symbol = read_symbol(symbols.data + i * entry, outer.wide);
        const std::string name = elf.text(elf.header(table).sh_link, symbol.st_name);
        if (name.compare(0, 9, "__OpenCL_") != 0 || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_shndx >= elf.sections())
            continue;
        Part contents = elf.contents(symbol.st_shndx)
                            .part(symbol.st_value, symbol.st_size, "symbol '" + name + "'");
        take_symbol(outer, name, contents);
    }
}

Outer read_outer(const std::vector<uint8_t>& file, const std::string& name) {
    Outer outer;
    const uint32_t machine = machine_of(file);
    const bool known = std::any_of(std::begin(kChips), std::end(kChips),
                                   [machine](const Chip& chip) { return chip.outer == machine; });
    if (!known)
        refuse(
            name + ": ELF header at 0x12",
            "machine 0x{:x} of Catalyst's numbers is not a chip of Southern Islands (0x3fd Tahiti, "
            "0x3fe Pitcairn, 0x3ff Cape Verde, 0x402 Oland, 0x407 Hainan)",
            machine);
    outer.wide = file[EI_CLASS] == ELFCLASS64;
    const ElfSections elf({file.data(), file.size(), name}, outer.wide);
    for (uint64_t i = 0; i < elf.sections(); ++i)
        if (elf.header(i).sh_type == SHT_SYMTAB)
            read_symbols(outer, elf, i);
    for (const auto& [kernel, parts] : outer.kernels)
        if (!parts.has_code || !parts.has_metadata)
            refuse(fmt::format("{}: kernel '{}'", name, kernel),
                   "the symbol __OpenCL_{}_{} is missing", kernel,
                   parts.has_code ? "metadata" : "kernel");
    uint64_t total = outer.constants.size;
    for (const auto& [kernel, parts] : outer.kernels)
        total += parts.metadata.size + parts.code.size;
    if (total > file.size())
        refuse(name + ": symbol table", "kernels lie over each other");
    if (outer.kernels.empty())
        refuse(name + ": symbol table", "no kernel (symbols __OpenCL_<name>_kernel and _metadata)");
    return outer;
}

// ---- the inner file ---------------------------------------------------------------------------

struct Inner {
    Part code;
    std::map<uint32_t, uint32_t> info;  // of the note ProgramInfo
};

class InnerReader {
  public:
    explicit InnerReader(Part file) : file_(std::move(file)) {}

    // Of a kernel to launch: refuses what the notes say and a launch does not support.
    Inner read() {
        result_.code = code();
        for (const GElf_Phdr& segment : segments_)
            if (segment.p_type == PT_NOTE && in_encoding(segment.p_offset))
                read_notes(file_.part(segment.p_offset, segment.p_filesz, "notes"));
        if (result_.info.empty())
            fail("notes", "no program information for a chip of Southern Islands");
        return std::move(result_);
    }

    // Of any kernel, for listings.
    Part code() {
        check_header();
        find_encoding();
        return find_code();
    }

  private:
    template <class... Arguments>
    [[noreturn]] void fail(const std::string& where, fmt::format_string<Arguments...> reason,
                           Arguments&&... arguments) const {
        refuse(file_.name + ": inner file: " + where, reason,
               std::forward<Arguments>(arguments)...);
    }

    void check_header() {
        if (file_.size < sizeof(Elf32_Ehdr) || !std::equal(ELFMAG, &ELFMAG[SELFMAG], file_.data))
            fail("ELF header", "not an ELF file");
        if (file_.data[EI_CLASS] != ELFCLASS32 || file_.data[EI_DATA] != ELFDATA2LSB)
            fail("ELF header at 0x4", "not a 32-bit little-endian ELF file");
        const GElf_Ehdr header = read_header(file_.data, false);
        if (header.e_machine != kMachineCal)
            fail("ELF header at 0x12", "machine {} is not CAL ({})", header.e_machine, kMachineCal);
        if (header.e_phnum > 0 && header.e_phentsize != sizeof(Elf32_Phdr))
            fail("ELF header at 0x2a", "program headers are not of {} bytes", sizeof(Elf32_Phdr));
        const Part table =
            file_.part(header.e_phoff, header.e_phnum * sizeof(Elf32_Phdr), "program headers");
        for (uint64_t i = 0; i < header.e_phnum; ++i)
            segments_.push_back(read_program_header(table.data + i * sizeof(Elf32_Phdr), false));
    }

    bool in_encoding(uint64_t offset) const { return offset >= begin_ && offset < end_; }

    // The part of the file that is for a chip of this generation.
    void find_encoding() {
        constexpr uint64_t kEntry = 20;  // machine, type, offset, size, flags
        for (const GElf_Phdr& segment : segments_) {
            if (segment.p_type != kEncodingDictionary)
                continue;
            const Part entries =
                file_.part(segment.p_offset, segment.p_filesz, "encoding dictionary");
            for (uint64_t at = 0; at + kEntry <= entries.size; at += kEntry) {
                const auto machine =
                    static_cast<uint32_t>(entries.get(at, 4, "encoding dictionary"));
                for (const Chip& chip : kChips)
                    if (chip.inner == machine && end_ == 0) {
                        begin_ = entries.get(at + 8, 4, "encoding dictionary");
                        end_ = begin_ + entries.get(at + 12, 4, "encoding dictionary");
                    }
            }
        }
        if (end_ == 0)
            fail("encoding dictionary", "no code for a chip of Southern Islands");
    }

    void read_notes(const Part& notes) {
        constexpr uint64_t kHeader = 20;  // name and contents in bytes, type, name
        static constexpr char kName[8] = "ATI CAL";
        for (uint64_t at = 0; at < notes.size;) {
            const Part header = notes.part(at, kHeader, "note");
            if (header.get(0, 4, "note") != sizeof kName ||
                !std::equal(std::begin(kName), std::end(kName), header.data + 12))
                fail("notes", "the note at 0x{:x} is not of \"ATI CAL\"", at);
            const uint64_t bytes = header.get(4, 4, "note");
            const Part contents = notes.part(at + kHeader, bytes, "note");
            note(static_cast<Note>(header.get(8, 4, "note")), contents);
            at += kHeader + bytes;
        }
    }

    void note(Note type, const Part& contents) {
        switch (type) {
            case Note::ProgramInfo:
                for (uint64_t at = 0; at + 8 <= contents.size; at += 8)
                    result_.info[static_cast<uint32_t>(contents.get(at, 4, "note"))] =
                        static_cast<uint32_t>(contents.get(at + 4, 4, "note"));
                break;
            case Note::Inputs:
                if (contents.size != 0)
                    fail("notes", "the kernel reads images, which are not supported");
                break;
            case Note::InputSamplers:
                if (contents.size != 0)
                    fail("notes", "the kernel has samplers, which are not supported");
                break;
            case Note::ScratchBuffers:
                if (contents.size >= 4 && contents.get(0, 4, "note") != 0)
                    fail("notes",
                         "the kernel has {} bytes of scratch memory, which is not supported",
                         contents.get(0, 4, "note"));
                break;
            default:
                break;
        }
    }

    Part find_code() const {
        Part code;
        const ElfSections elf(file_, false);
        for (uint64_t i = 0; i < elf.sections(); ++i)
            if (elf.header(i).sh_type == SHT_PROGBITS && elf.section_name(i) == ".text" &&
                in_encoding(elf.header(i).sh_offset))
                code = elf.contents(i);
        if (code.size < 4)
            fail("section headers", "no code (.text) for a chip of Southern Islands");
        return code;
    }

    Part file_;
    std::vector<GElf_Phdr> segments_;
    uint64_t begin_ = 0, end_ = 0;
    Inner result_;
};

// ---- kernels ----------------------------------------------------------------------------------

class KernelReader {
  public:
    KernelReader(const Inner& inner, std::string where, Kernel& kernel)
        : inner_(inner), where_(std::move(where)), kernel_(kernel) {}

    void read(bool has_constants) {
        read_user_data();
        check_buffers(has_constants);
        registers();
    }

  private:
    uint32_t value(uint32_t address, const char* what) const {
        const auto found = inner_.info.find(address);
        if (found == inner_.info.end())
            refuse(where_, "the program information has no {} (0x{:x})", what, address);
        return found->second;
    }

    void read_user_data() {
        const uint32_t count = value(info::kUserDataCount, "number of user data");
        if (count > kMaxUserSgprs)
            refuse(where_, "{} user data, at most {} exist", count, kMaxUserSgprs);
        uint32_t used = 0;  // a bit for each SGPR
        for (uint32_t i = 0; i < count; ++i) {
            const auto field = [&](uint32_t k) {
                return value(info::kUserData + 4 * i + k, "user data");
            };
            const CatalystUserData data{static_cast<CatalystClass>(field(0)), field(1), field(2),
                                        field(3)};
            const uint32_t wanted = registers_of(data);
            if (data.count != wanted)
                refuse(where_, "user data {} ({}) has {} registers, expected {}", i,
                       kClassNames[field(0)], data.count, wanted);
            if (data.first > kMaxUserSgprs - data.count)
                refuse(where_, "user data {} ({}) begins at s{}, beyond the {} user registers", i,
                       kClassNames[field(0)], data.first, kMaxUserSgprs);
            const uint32_t mask = ((1u << data.count) - 1) << data.first;
            if ((used & mask) != 0)
                refuse(where_, "user data {} ({}) lies over other user data", i,
                       kClassNames[field(0)]);
            used |= mask;
            kernel_.catalyst->user_data.push_back(data);
        }
    }

    uint32_t registers_of(const CatalystUserData& data) const {
        switch (data.what) {
            case CatalystClass::ImmConstBuffer:
            case CatalystClass::ImmUav:
                return 4;
            case CatalystClass::PtrConstBufferTable:
            case CatalystClass::PtrUavTable:
                return 2;
        }
        const auto number = static_cast<uint32_t>(data.what);
        if (number < std::size(kClassNames))
            refuse(where_, "user data of class {} is not supported", kClassNames[number]);
        refuse(where_, "user data of the unknown class {}", number);
    }

    bool has_argument(const char* kind, uint32_t buffer) const {
        const std::vector<KernelArg>& args = kernel_.metadata.args;
        return std::any_of(args.begin(), args.end(), [&](const KernelArg& arg) {
            return arg.value_kind == kind && arg.buffer == buffer;
        });
    }

    // Every buffer in user registers is one there is.
    void check_buffers(bool has_constants) const {
        const CatalystKernel& c = *kernel_.catalyst;
        for (const CatalystUserData& data : c.user_data) {
            const bool constants = has_constants && data.slot == 2;
            if (data.what == CatalystClass::ImmConstBuffer && data.slot > 1 && !constants &&
                !has_argument("constant_buffer", data.slot))
                refuse(where_, "IMM_CONST_BUFFER {} is no argument and not the program's constants",
                       data.slot);
            if (data.what == CatalystClass::ImmUav &&
                !(has_constants && c.constants_uav == data.slot) &&
                !has_argument("uav_buffer", data.slot))
                refuse(where_, "IMM_UAV {} is no argument and not the program's constants",
                       data.slot);
        }
    }

    // COMPUTE_PGM_RSRC1 from the counts, RSRC2 as it is but for scratch and LDS, which a launch
    // fills.
    void registers() {
        KernelDescriptor& d = kernel_.descriptor;
        const uint32_t vgprs = value(info::kVectorRegisters, "number of vector registers");
        const uint32_t named = value(info::kScalarRegisters, "number of scalar registers");
        if (vgprs > 256 || named > kMaxScalarRegisters)
            refuse(where_, "{} vector and {} scalar registers, at most 256 and {} exist", vgprs,
                   named, kMaxScalarRegisters);
        if (value(info::kScratchBytes, "size of scratch memory") != 0)
            refuse(where_, "scratch memory is not supported");
        constexpr uint32_t kScratchEn = 1, kLdsSize = 0x1ffu << 15;
        d.pgm_rsrc2 = value(info::kResource2, "COMPUTE_PGM_RSRC2") & ~(kScratchEn | kLdsSize);
        for (const CatalystUserData& data : kernel_.catalyst->user_data)
            if (data.first + data.count > d.user_sgpr_count())
                refuse(where_, "COMPUTE_PGM_RSRC2 loads {} user registers, user data needs s{}",
                       d.user_sgpr_count(), data.first + data.count - 1);
        if (d.user_sgpr_count() > kMaxUserSgprs)
            refuse(where_, "COMPUTE_PGM_RSRC2 loads {} user registers, at most {} exist",
                   d.user_sgpr_count(), kMaxUserSgprs);
        // Group numbers (TGID_X_EN to TG_SIZE_EN, bits 10:7) come after the user data, VCC last.
        uint32_t start = d.user_sgpr_count();
        for (uint32_t bit = 7; bit <= 10; ++bit)
            start += d.pgm_rsrc2 >> bit & 1;
        constexpr uint32_t kVcc = 2, kDx10Clamp = 1u << 21;
        const uint32_t sgprs = std::min(std::max(named, start) + kVcc, kMaxScalarRegisters);
        d.pgm_rsrc1 = (std::max(vgprs, 1u) - 1) / 4 | (sgprs - 1) / 8 << 6 |
                      (value(info::kFloatMode, "float mode") & 0xff) << 12 | kDx10Clamp |
                      (value(info::kIeeeMode, "IEEE mode") & 1) << 23;
        d.group_segment_fixed_size = kernel_.metadata.group_segment_fixed_size;
    }

    const Inner& inner_;
    std::string where_;
    Kernel& kernel_;
};

// Places code or data at the next multiple of the code's alignment.
uint64_t place(CodeObject& object, const Part& part) {
    std::vector<uint8_t>& image = object.image.bytes;
    const uint64_t at = (image.size() + kCodeAlign - 1) / kCodeAlign * kCodeAlign;
    if (at + part.size > kMaxImageBytes)
        refuse(object.name, "the code of all kernels has more than 0x{:x} bytes", kMaxImageBytes);
    image.resize(at);
    image.insert(image.end(), part.data, part.data + part.size);
    return at;
}

Kernel read_kernel(CodeObject& object, const Outer& outer, const std::string& name,
                   const OuterKernel& parts) {
    const std::string where = fmt::format("{}: kernel '{}'", object.name, name);
    Kernel kernel;
    kernel.name = kernel.metadata.name = name;
    kernel.has_metadata = true;
    kernel.catalyst.emplace();
    kernel.metadata.kernarg_segment_align = 16;
    const std::string text(parts.metadata.data, parts.metadata.data + parts.metadata.size);
    const CatalystText said =
        read_catalyst_metadata(text, where, kernel.metadata, *kernel.catalyst);
    if (kernel.catalyst->wide != outer.wide)
        refuse(where, "the metadata is for {}-bit pointers, the file for {}-bit ones",
               kernel.catalyst->wide ? 64 : 32, outer.wide ? 64 : 32);
    kernel.metadata.max_flat_workgroup_size = kMaxFlatGroup;
    if (const auto& size = kernel.metadata.reqd_workgroup_size)
        kernel.metadata.max_flat_workgroup_size = (*size)[0] * (*size)[1] * (*size)[2];
    if (said.needs_constants && outer.constants.size == 0)
        refuse(where, "needs the program's constants, which the file has not (__OpenCL_0_global)");
    Part inner_file = parts.code;
    inner_file.name = where;
    const Inner inner = InnerReader(inner_file).read();
    KernelReader(inner, where, kernel).read(outer.constants.size != 0);
    kernel.entry_offset = place(object, inner.code);
    return kernel;
}

}  // namespace

bool is_catalyst_binary(const std::vector<uint8_t>& file) {
    // Its numbers of chips are not those of any processor.
    return is_elf(file) && file.size() >= sizeof(Elf32_Ehdr) && file[EI_DATA] == ELFDATA2LSB &&
           (file[EI_CLASS] == ELFCLASS32 || file[EI_CLASS] == ELFCLASS64) &&
           machine_of(file) >= 0x3f0 && machine_of(file) < 0x420;
}

CodeObject load_catalyst_binary(const std::vector<uint8_t>& file, const std::string& name) {
    const Outer outer = read_outer(file, name);
    CodeObject object;
    object.name = name;
    uint64_t constants = 0;
    if (outer.constants.size != 0)
        constants = place(object, outer.constants);
    for (const auto& [kernel, parts] : outer.kernels) {
        object.kernels.push_back(read_kernel(object, outer, kernel, parts));
        CatalystKernel& c = *object.kernels.back().catalyst;
        c.constants_offset = constants;
        c.constants_bytes = static_cast<uint32_t>(outer.constants.size);
    }
    object.image.segments.push_back({0, object.image.bytes.size(), true, false});
    return object;
}

std::vector<CodeSection> read_catalyst_code(const std::vector<uint8_t>& file,
                                            const std::string& name) {
    const Outer outer = read_outer(file, name);
    std::vector<CodeSection> sections;
    for (const auto& [kernel, parts] : outer.kernels) {
        Part inner_file = parts.code;
        inner_file.name = fmt::format("{}: kernel '{}'", name, kernel);
        const Part code = InnerReader(inner_file).code();
        CodeSection section;
        section.name = kernel;
        section.bytes.assign(code.data, code.data + code.size);
        section.labels.push_back({0, kernel, 0});
        sections.push_back(std::move(section));
    }
    return sections;
}

}  // namespace archipelago::host
