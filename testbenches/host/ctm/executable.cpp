// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/ctm/executable.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "models/ctm/isa/semantics.h"
#include "models/ctm/isa/thread.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/elf_structures.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

using ctm::isa::kInstructionBytes;
using ctm::isa::kMaxInstructions;

constexpr uint32_t kInputs = 16, kIntegerConstants = 32;
constexpr std::array<uint8_t, SELFMAG> kMagic = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3};
constexpr char kOwner[] = "ATI DPP";  // of the guide's notes; eight bytes with the zero
constexpr size_t kMaxNameBytes = 128;
constexpr uint64_t kMaxSymbols = 4096;
constexpr size_t kNoteHeader = 12;

// dpp_proginfo as we write it, by word. The guide's first two words are known, the rest is lost.
enum ProgramInfoWord {
    kInfoReserved,     // 1
    kInfoDepthSource,  // FG_DEPTH_SRC
    kInfoPixelSize,    // temporaries, 0: all
    kInfoFlowControl,  // US_FC_CTRL of the R5xx: bit 31 full flow control
    kInfoOutputs,      // bit 0 uncached outputs
    kInfoWords,
};
constexpr uint32_t kFullFlowControl = 1u << 31;

// Lists of indices: how many there are to name, and where they go.
struct ListNote {
    CtmNoteType type;
    uint32_t limit;
    std::vector<uint32_t> CtmExecutable::*list;
};
constexpr ListNote kLists[] = {
    {CtmNoteType::Inputs, kInputs, &CtmExecutable::inputs},
    {CtmNoteType::Outputs, ctm::isa::kOutputTargets, &CtmExecutable::outputs},
    {CtmNoteType::FloatConstants, ctm::isa::kFloatConstants, &CtmExecutable::float_constants},
    {CtmNoteType::IntegerConstants, kIntegerConstants, &CtmExecutable::integer_constants},
};
struct FlagNote {
    CtmNoteType type;
    bool CtmExecutable::*flag;
};
constexpr FlagNote kFlags[] = {
    {CtmNoteType::ConditionalOutput, &CtmExecutable::conditional_output},
    {CtmNoteType::EarlyExit, &CtmExecutable::early_exit},
};

constexpr size_t padded(size_t bytes) {
    return (bytes + 3) / 4 * 4;
}

std::string printable(const uint8_t* text, size_t bytes) {
    std::string out;
    for (size_t i = 0; i < std::min(bytes, kMaxNameBytes) && text[i] != 0; ++i)
        out.push_back(text[i] > ' ' && text[i] < 0x7f ? static_cast<char>(text[i]) : '?');
    return out;
}

std::vector<uint32_t> words_of_info(const ProgramInfo& info) {
    std::vector<uint32_t> words(kInfoWords);
    words[kInfoReserved] = 1;
    words[kInfoPixelSize] = info.temporaries;
    words[kInfoFlowControl] = info.full_flow_control ? kFullFlowControl : 0;
    words[kInfoOutputs] = info.uncached_outputs ? 1 : 0;
    return words;
}

// None for words that words_of_info() does not make.
std::optional<ProgramInfo> info_of_words(const std::vector<uint32_t>& words) {
    if (words.size() != kInfoWords || words[kInfoPixelSize] > ctm::isa::kTemporaries)
        return std::nullopt;
    ProgramInfo info;
    info.temporaries = static_cast<uint8_t>(words[kInfoPixelSize]);
    info.full_flow_control = words[kInfoFlowControl] == kFullFlowControl;
    info.uncached_outputs = words[kInfoOutputs] == 1;
    return words_of_info(info) == words ? std::optional<ProgramInfo>(info) : std::nullopt;
}

// ---- reading -----------------------------------------------------------------------------------

class Reader {
  public:
    Reader(const std::vector<uint8_t>& file, const std::string& name) : file_(file), name_(name) {}

    CtmExecutable read() {
        check_header();
        read_segments();
        if (!loaded_)
            fail("program headers", "no segment with the instructions (PT_LOAD)");
        if (seen_.count(static_cast<uint32_t>(CtmNoteType::ProgramInfo)) == 0)
            fail("notes", "no program information note, without which no program loads");
        read_sections();
        return std::move(out_);
    }

  private:
    template <class... Arguments>
    [[noreturn]] void fail(const std::string& where, fmt::format_string<Arguments...> reason,
                           Arguments&&... arguments) const {
        refuse(name_ + ": " + where, reason, std::forward<Arguments>(arguments)...);
    }
    void check_range(const std::string& where, uint64_t offset, uint64_t bytes) const {
        if (offset > file_.size() || bytes > file_.size() - offset)
            fail(where, "bytes 0x{:x}+0x{:x} are outside the file of 0x{:x}", offset, bytes,
                 file_.size());
    }
    // The caller has checked the range.
    uint32_t word(uint64_t offset) const {
        return static_cast<uint32_t>(load_le(file_.data() + offset, 4));
    }
    void check_field(uint32_t at, uint64_t got, uint32_t expected, const char* field) const {
        if (got != expected)
            fail(fmt::format("ELF header at 0x{:x}", at), "{} is {}, of CTM executables it is {}",
                 field, got, expected);
    }

    void check_header();
    void read_segments();
    void read_code(const std::string& where, const GElf_Phdr& segment);
    void read_notes(const std::string& where, uint64_t first, uint64_t bytes);
    void take_note(const std::string& where, const CtmNote& note);
    std::vector<uint32_t> note_words(const std::string& where, const CtmNote& note) const;
    void read_sections();
    void read_symbols(uint32_t table);
    std::string text(uint32_t table, uint32_t offset) const;
    void check_text() const;

    const std::vector<uint8_t>& file_;
    const std::string& name_;
    CtmExecutable out_;
    bool loaded_ = false;
    uint32_t code_at_ = 0;     // in the file
    std::set<uint32_t> seen_;  // types of the guide's notes
    GElf_Ehdr header_{};
    std::vector<GElf_Shdr> sections_;
};

void Reader::check_header() {
    if (file_.size() > kMaxExecutableBytes)
        fail("the file", "{} bytes, at most {} are read", file_.size(), kMaxExecutableBytes);
    if (file_.size() < sizeof(Elf32_Ehdr))
        fail("ELF header", "the file has {} bytes, an ELF32 header has {}", file_.size(),
             sizeof(Elf32_Ehdr));
    if (!std::equal(kMagic.begin(), kMagic.end(), file_.begin()))
        fail("ELF header at 0x0", "not an ELF file (no 7f 45 4c 46 at the start)");
    check_field(EI_CLASS, file_[EI_CLASS], ELFCLASS32, "the class");
    check_field(EI_DATA, file_[EI_DATA], ELFDATA2LSB, "the byte order");
    check_field(EI_VERSION, file_[EI_VERSION], EV_CURRENT, "the version");
    check_field(EI_OSABI, file_[EI_OSABI], kCtmOsAbi, "the OS/ABI");
    check_field(EI_ABIVERSION, file_[EI_ABIVERSION], kCtmAbiVersion, "the ABI version");
    header_ = read_header(file_.data(), false);
    check_field(0x10, header_.e_type, ET_EXEC, "the type");
    check_field(0x12, header_.e_machine, kCtmMachine, "the machine");
    check_field(0x18, header_.e_entry, 0, "the entry point");
    check_field(0x24, header_.e_flags, kCtmFlags, "the flags word");
    check_field(0x2a, header_.e_phentsize, sizeof(Elf32_Phdr), "the size of a program header");
    if (header_.e_shnum == 0)
        return;
    check_field(0x2e, header_.e_shentsize, sizeof(Elf32_Shdr), "the size of a section header");
    check_range("section headers", header_.e_shoff, header_.e_shnum * sizeof(Elf32_Shdr));
    for (uint32_t i = 0; i < header_.e_shnum; ++i)
        sections_.push_back(
            read_section_header(file_.data() + header_.e_shoff + i * sizeof(Elf32_Shdr), false));
}

void Reader::read_segments() {
    check_range("program headers", header_.e_phoff, header_.e_phnum * sizeof(Elf32_Phdr));
    for (uint32_t i = 0; i < header_.e_phnum; ++i) {
        const GElf_Phdr segment =
            read_program_header(file_.data() + header_.e_phoff + i * sizeof(Elf32_Phdr), false);
        const char* const kind = segment.p_type == PT_LOAD   ? " (PT_LOAD)"
                                 : segment.p_type == PT_NOTE ? " (PT_NOTE)"
                                                             : "";
        const std::string where = fmt::format("program header {}{}", i, kind);
        check_range(where, segment.p_offset, segment.p_filesz);
        if (segment.p_type == PT_LOAD)
            read_code(where, segment);
        else if (segment.p_type == PT_NOTE)
            read_notes(where, segment.p_offset, segment.p_filesz);
        else if (segment.p_type == PT_DYNAMIC || segment.p_type == PT_INTERP)
            fail(where, "type {}: programs are not linked as they are loaded", segment.p_type);
    }
}

void Reader::read_code(const std::string& where, const GElf_Phdr& segment) {
    const uint64_t bytes = segment.p_filesz;
    if (loaded_)
        fail(where, "a second segment with instructions");
    if (segment.p_memsz != bytes)
        fail(where, "0x{:x} bytes in the file and 0x{:x} in memory: instructions are all there",
             bytes, segment.p_memsz);
    if (bytes == 0 || bytes % kInstructionBytes != 0 ||
        bytes / kInstructionBytes > kMaxInstructions)
        fail(where, "{} bytes, expected 1 to {} instructions of {}", bytes, kMaxInstructions,
             kInstructionBytes);
    loaded_ = true;
    code_at_ = static_cast<uint32_t>(segment.p_offset);
    out_.address = static_cast<uint32_t>(segment.p_vaddr);
    out_.code.resize(bytes / kInstructionBytes);
    uint64_t from = code_at_;
    for (ctm::isa::Words& instruction : out_.code)
        for (uint32_t& w : instruction) {
            w = word(from);
            from += 4;
        }
}

void Reader::read_notes(const std::string& where, uint64_t first, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes;) {
        const std::string here = fmt::format("note at 0x{:x}", first + at);
        const uint64_t left = bytes - at;
        if (left < kNoteHeader)
            fail(here, "{} bytes are left of {}, a note's header has {}", left, where, kNoteHeader);
        const uint64_t name_bytes = word(first + at), content_bytes = word(first + at + 4);
        const uint64_t content = kNoteHeader + padded(name_bytes);
        if (content > left || content_bytes > left - content)
            fail(here, "a name of 0x{:x} and contents of 0x{:x} bytes go beyond {}, of 0x{:x}",
                 name_bytes, content_bytes, where, bytes);
        CtmNote note;
        note.type = word(first + at + 8);
        const uint8_t* const from = file_.data() + first + at;
        if (name_bytes != 0) {
            if (from[kNoteHeader + name_bytes - 1] != 0)
                fail(here, "its name does not end with a zero");
            note.owner.assign(reinterpret_cast<const char*>(from) + kNoteHeader, name_bytes - 1);
        }
        note.contents.assign(from + content, from + content + content_bytes);
        take_note(here, note);
        at += std::min(left, content + padded(content_bytes));
    }
}

// Those of the guide say something, others are kept.
void Reader::take_note(const std::string& here, const CtmNote& note) {
    const auto type = static_cast<CtmNoteType>(note.type);
    if (note.owner != kOwner || to_string(type) == nullptr) {
        out_.other_notes.push_back(note);
        return;
    }
    const std::string where = fmt::format("{} ({})", here, to_string(type));
    if (!seen_.insert(note.type).second)
        fail(where, "a second note of this type");
    const std::vector<uint32_t> words = note_words(where, note);
    if (type == CtmNoteType::ProgramInfo) {
        if (words.empty())
            fail(where, "it is empty");
        out_.program_info = words;
        const std::optional<ProgramInfo> info = info_of_words(words);
        out_.known_program_info = info.has_value();
        out_.info = info.value_or(ProgramInfo());
    }
    for (const ListNote& list : kLists)
        if (list.type == type) {
            for (const uint32_t index : words)
                if (index >= list.limit)
                    fail(where, "index {}, there are {}", index, list.limit);
            std::set<uint32_t> rising(words.begin(), words.end());
            (out_.*list.list).assign(rising.begin(), rising.end());
        }
    for (const FlagNote& flag : kFlags)
        if (flag.type == type) {
            if (words.size() != 1 || words[0] > 1)
                fail(where, "expected one word, 0 or 1");
            out_.*flag.flag = words[0] == 1;
        }
}

std::vector<uint32_t> Reader::note_words(const std::string& where, const CtmNote& note) const {
    if (note.contents.size() % 4 != 0)
        fail(where, "{} bytes are not whole words", note.contents.size());
    return load_words(note.contents);
}

std::string Reader::text(uint32_t table, uint32_t offset) const {
    if (table >= sections_.size())
        fail("section headers", "there is no section {}", table);
    if (table == SHN_UNDEF)
        return {};
    const GElf_Shdr& section = sections_[table];
    const std::string where = fmt::format("string table (section {})", table);
    if (section.sh_type != SHT_STRTAB)
        fail(where, "is of type {}, expected {}", section.sh_type, SHT_STRTAB);
    check_range(where, section.sh_offset, section.sh_size);
    return offset < section.sh_size
               ? printable(file_.data() + section.sh_offset + offset, section.sh_size - offset)
               : std::string();
}

void Reader::read_sections() {
    for (uint32_t i = 1; i < sections_.size(); ++i) {
        const GElf_Shdr& header = sections_[i];
        CtmSection s;
        s.type = header.sh_type;
        s.offset = static_cast<uint32_t>(header.sh_offset);
        s.bytes = static_cast<uint32_t>(header.sh_size);
        if (s.type != SHT_NULL && s.type != SHT_NOBITS)
            check_range(fmt::format("section {}", i), s.offset, s.bytes);
        s.name = text(header_.e_shstrndx, header.sh_name);
        out_.sections.push_back(std::move(s));
    }
    if (sections_.empty())
        return;
    check_text();
    for (uint32_t i = 1; i < sections_.size(); ++i)
        if (sections_[i].sh_type == SHT_SYMTAB)
            read_symbols(i);
}

void Reader::check_text() const {
    uint32_t found = 0;
    for (uint32_t i = 1; i < sections_.size(); ++i) {
        const bool executable = (sections_[i].sh_flags & SHF_EXECINSTR) != 0;
        if (sections_[i].sh_type != SHT_PROGBITS || !executable)
            continue;
        const CtmSection& s = out_.sections[i - 1];
        const std::string where = fmt::format("section {} ({})", i, s.name);
        if (found != 0)
            fail(where, "section {} has instructions too; an executable has them in one", found);
        found = i;
        if (s.offset != code_at_ || s.bytes != out_.code.size() * kInstructionBytes)
            fail(where, "bytes 0x{:x}+0x{:x} are not those of the segment with the instructions",
                 s.offset, s.bytes);
    }
    if (found == 0)
        fail("section headers", "no section with the instructions (.text)");
}

void Reader::read_symbols(uint32_t table) {
    const GElf_Shdr& section = sections_[table];
    const uint64_t count = section.sh_size / sizeof(Elf32_Sym);
    if (count > kMaxSymbols)
        fail(fmt::format("symbol table (section {})", table), "{} symbols, at most {} are read",
             count, kMaxSymbols);
    for (uint64_t i = 1; i < count; ++i) {
        const GElf_Sym from =
            read_symbol(file_.data() + section.sh_offset + i * sizeof(Elf32_Sym), false);
        const unsigned type = GELF_ST_TYPE(from.st_info);
        const auto value = static_cast<uint32_t>(from.st_value - out_.address);
        CtmSymbol symbol;
        symbol.name = text(section.sh_link, from.st_name);
        symbol.instruction = value / kInstructionBytes;
        if (type != STT_SECTION && type != STT_FILE && !symbol.name.empty() &&
            value % kInstructionBytes == 0 && symbol.instruction <= out_.code.size() &&
            from.st_shndx != SHN_UNDEF)
            out_.symbols.push_back(std::move(symbol));
    }
}

// ---- what a program uses -----------------------------------------------------------------------

// Numbers as of a set, rising.
class Uses {
  public:
    void add(const ctm::isa::Instruction& instruction, bool uncached);
    void add_to(CtmExecutable& to) const {
        to.inputs.assign(inputs_.begin(), inputs_.end());
        to.outputs.assign(outputs_.begin(), outputs_.end());
        to.float_constants.assign(floats_.begin(), floats_.end());
        to.integer_constants.assign(integers_.begin(), integers_.end());
        to.conditional_output = conditional_;
    }

  private:
    void add_half(const ctm::isa::AluHalf& half, bool uncached) {
        if (half.output_mask != 0)
            outputs_.insert(uncached ? 0 : half.target);
    }

    std::set<uint32_t> inputs_, outputs_, floats_, integers_;
    bool conditional_ = false;
};

void Uses::add(const ctm::isa::Instruction& i, bool uncached) {
    using ctm::isa::Type;
    if (!i.error.empty())
        return;  // the machine stops at it
    if (ctm::isa::is_lookup(i))
        inputs_.insert(i.texture.input);
    if (i.type == Type::Out) {
        add_half(i.alu.rgb, uncached);
        add_half(i.alu.alpha, uncached);
        conditional_ |= i.alu.writes_conditional;
    }
    if (i.type == Type::FlowControl) {
        const ctm::isa::ConstantNeeds needs = ctm::isa::needs(i, ctm::isa::Thread());
        if (needs.integer)
            integers_.insert(needs.integer_index);
    }
    if (i.type != Type::Alu && i.type != Type::Out)
        return;
    const ctm::isa::MathPlan& plan = i.alu.plan;
    for (unsigned c = 0; c < plan.constant_count; ++c)
        floats_.insert(plan.constants[c]);
    if (plan.relative_constants)
        for (uint32_t c = 0; c < ctm::isa::kFloatConstants; ++c)
            floats_.insert(c);
}

// ---- writing -----------------------------------------------------------------------------------

class Bytes {
  public:
    size_t size() const { return bytes_.size(); }
    void word(uint32_t value) { put(value, 4); }
    void half(uint32_t value) { put(value, 2); }
    void byte(uint32_t value) { put(value, 1); }
    void text(const std::string& s) {
        bytes_.insert(bytes_.end(), s.begin(), s.end());
        bytes_.push_back(0);
    }
    void append(const std::vector<uint8_t>& more) {
        bytes_.insert(bytes_.end(), more.begin(), more.end());
    }
    void pad() { bytes_.resize(padded(bytes_.size())); }
    std::vector<uint8_t> take() { return std::move(bytes_); }

  private:
    void put(uint32_t value, unsigned count) {
        bytes_.resize(bytes_.size() + count);
        store_le(&bytes_[bytes_.size() - count], value, count);
    }
    std::vector<uint8_t> bytes_;
};

void put_note(Bytes& to, const std::string& owner, uint32_t type,
              const std::vector<uint8_t>& contents) {
    to.word(owner.empty() ? 0 : static_cast<uint32_t>(owner.size() + 1));
    to.word(static_cast<uint32_t>(contents.size()));
    to.word(type);
    if (!owner.empty())
        to.text(owner);
    to.pad();
    to.append(contents);
    to.pad();
}

void put_words(Bytes& to, CtmNoteType type, const std::vector<uint32_t>& words) {
    Bytes contents;
    for (const uint32_t w : words)
        contents.word(w);
    put_note(to, kOwner, static_cast<uint32_t>(type), contents.take());
}

std::vector<uint8_t> notes_of(const CtmExecutable& e) {
    Bytes out;
    put_words(out, CtmNoteType::ProgramInfo,
              e.known_program_info ? words_of_info(e.info) : e.program_info);
    for (const ListNote& list : kLists)
        put_words(out, list.type, e.*list.list);
    for (const FlagNote& flag : kFlags)
        put_words(out, flag.type, {e.*flag.flag ? 1u : 0u});
    for (const CtmNote& note : e.other_notes)
        put_note(out, note.owner, note.type, note.contents);
    return out.take();
}

std::vector<uint8_t> code_of(const CtmExecutable& e) {
    Bytes out;
    for (const ctm::isa::Words& instruction : e.code)
        for (const uint32_t w : instruction)
            out.word(w);
    return out.take();
}

// A section with its header, in order of the file.
struct Section {
    uint32_t name = 0, type = 0, flags = 0, address = 0, offset = 0;
    std::vector<uint8_t> contents;
    uint32_t link = 0, info = 0, entry_bytes = 0;
};

class Writer {
  public:
    explicit Writer(const CtmExecutable& e) : e_(e) {}
    std::vector<uint8_t> write();

  private:
    Section& add(const char* name, uint32_t type, std::vector<uint8_t> contents) {
        Section s;
        s.name = static_cast<uint32_t>(names_.size());
        names_.text(name);
        s.type = type;
        s.offset = end_;
        end_ += static_cast<uint32_t>(padded(contents.size()));
        s.contents = std::move(contents);
        sections_.push_back(std::move(s));
        return sections_.back();
    }
    void add_symbols();
    void put_header(Bytes& out) const;
    static void put_segment(Bytes& out, uint32_t type, const Section& s, uint32_t flags);

    static constexpr uint32_t kSegments = 2;
    const CtmExecutable& e_;
    Bytes names_;
    std::vector<Section> sections_;
    uint32_t end_ = sizeof(Elf32_Ehdr) + kSegments * sizeof(Elf32_Phdr);  // of the sections
};

void Writer::add_symbols() {
    if (e_.symbols.empty())
        return;
    constexpr uint32_t kText = 2;  // number of the section
    Bytes symbols, strings;
    strings.text("");
    for (size_t i = 0; i < sizeof(Elf32_Sym) / 4; ++i)
        symbols.word(0);
    for (const CtmSymbol& symbol : e_.symbols) {
        symbols.word(static_cast<uint32_t>(strings.size()));
        strings.text(symbol.name);
        symbols.word(e_.address + symbol.instruction * kInstructionBytes);
        symbols.word(0);
        symbols.byte(ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE));
        symbols.byte(0);
        symbols.half(kText);
    }
    Section& table = add(".symtab", SHT_SYMTAB, symbols.take());
    table.link = static_cast<uint32_t>(sections_.size() + 1);
    table.info = static_cast<uint32_t>(e_.symbols.size() + 1);  // all are local
    table.entry_bytes = sizeof(Elf32_Sym);
    add(".strtab", SHT_STRTAB, strings.take());
}

void Writer::put_header(Bytes& out) const {
    for (const uint8_t byte : kMagic)
        out.byte(byte);
    for (const uint32_t value : {uint32_t{ELFCLASS32}, uint32_t{ELFDATA2LSB}, uint32_t{EV_CURRENT},
                                 kCtmOsAbi, kCtmAbiVersion})
        out.byte(value);
    while (out.size() < EI_NIDENT)
        out.byte(0);
    out.half(ET_EXEC);
    out.half(kCtmMachine);
    out.word(EV_CURRENT);
    out.word(0);  // no entry point
    out.word(sizeof(Elf32_Ehdr));
    out.word(end_);
    out.word(kCtmFlags);
    for (const size_t value : {sizeof(Elf32_Ehdr), sizeof(Elf32_Phdr), size_t{kSegments},
                               sizeof(Elf32_Shdr), sections_.size() + 1, sections_.size()})
        out.half(static_cast<uint32_t>(value));
}

void Writer::put_segment(Bytes& out, uint32_t type, const Section& s, uint32_t flags) {
    const auto bytes = static_cast<uint32_t>(s.contents.size());
    for (const uint32_t value :
         {type, s.offset, s.address, s.address, bytes, bytes, flags, uint32_t{4}})
        out.word(value);
}

std::vector<uint8_t> Writer::write() {
    names_.text("");
    add(".note", SHT_NOTE, notes_of(e_));
    Section& code = add(".text", SHT_PROGBITS, code_of(e_));
    code.flags = SHF_ALLOC | SHF_EXECINSTR;
    code.address = e_.address;
    add_symbols();
    add(".shstrtab", SHT_STRTAB, {});
    sections_.back().contents = names_.take();
    end_ += static_cast<uint32_t>(padded(sections_.back().contents.size()));
    Bytes out;
    put_header(out);
    put_segment(out, PT_NOTE, sections_[0], PF_R);
    put_segment(out, PT_LOAD, sections_[1], PF_R | PF_X);
    for (const Section& s : sections_) {
        out.append(s.contents);
        out.pad();
    }
    for (size_t i = 0; i < sizeof(Elf32_Shdr) / 4; ++i)
        out.word(0);
    for (const Section& s : sections_)
        for (const uint32_t value :
             {s.name, s.type, s.flags, s.address, s.offset,
              static_cast<uint32_t>(s.contents.size()), s.link, s.info, uint32_t{4}, s.entry_bytes})
            out.word(value);
    return out.take();
}

}  // namespace

const char* to_string(CtmNoteType type) {
    static constexpr const char* kNames[] = {
        "program information", "inputs",    "outputs", "conditional output", "float constants",
        "integer constants",   "early exit"};
    const auto number = static_cast<uint32_t>(type);
    return number >= 1 && number <= std::size(kNames) ? kNames[number - 1] : nullptr;
}

CtmExecutable describe_program(std::vector<ctm::isa::Words> code, const ProgramInfo& info) {
    CtmExecutable out;
    Uses uses;
    for (size_t i = 0; i < code.size(); ++i) {
        const ctm::isa::Instruction instruction = ctm::isa::decode(code[i]);
        uses.add(instruction, info.uncached_outputs);
        // LAST in front of the end: some processors leave there.
        out.early_exit |= instruction.last && i + 1 < code.size();
    }
    uses.add_to(out);
    out.code = std::move(code);
    out.info = info;
    out.program_info = words_of_info(info);
    return out;
}

CtmExecutable read_executable(const std::vector<uint8_t>& file, const std::string& name) {
    return Reader(file, name).read();
}

std::vector<uint8_t> write_executable(const CtmExecutable& e) {
    if (e.code.empty() || e.code.size() > kMaxInstructions)
        refuse("executable", "{} instructions, expected 1 to {}", e.code.size(), kMaxInstructions);
    std::vector<uint8_t> file = Writer(e).write();
    if (file.size() > kMaxExecutableBytes)
        refuse("executable", "{} bytes, at most {} are read", file.size(), kMaxExecutableBytes);
    return file;
}

uint64_t executable_bytes(const std::function<bool(uint64_t, uint8_t*, size_t)>& read,
                          const std::string& name) {
    std::vector<uint8_t> header(sizeof(Elf32_Ehdr));
    const auto get = [&](const char* what, uint64_t offset, std::vector<uint8_t>& to) {
        if (!read(offset, to.data(), to.size()))
            refuse(name + ": " + what, "bytes 0x{:x}+0x{:x} are not there", offset, to.size());
    };
    get("ELF header", 0, header);
    uint64_t end = header.size();
    // Entries of a table from `first` on, each with an offset and a size of contents.
    const auto visit = [&](const char* what, unsigned table_at, unsigned count_at,
                           size_t entry_bytes, size_t first, const auto& contents) {
        const uint64_t table = load_le(&header[table_at], 4);
        std::vector<uint8_t> entries(load_le(&header[count_at], 2) * entry_bytes);
        if (entries.empty())
            return;
        get(what, table, entries);
        end = std::max(end, table + entries.size());
        for (size_t at = first * entry_bytes; at < entries.size(); at += entry_bytes)
            end = std::max(end, contents(&entries[at]));
    };
    visit("program headers", 0x1c, 0x2c, sizeof(Elf32_Phdr), 0,
          [](const uint8_t* e) { return load_le(e + 4, 4) + load_le(e + 16, 4); });
    // Section 0 is none.
    visit("section headers", 0x20, 0x30, sizeof(Elf32_Shdr), 1, [](const uint8_t* e) {
        const uint64_t type = load_le(e + 4, 4);
        return type == SHT_NULL || type == SHT_NOBITS ? 0 : load_le(e + 16, 4) + load_le(e + 20, 4);
    });
    if (end > kMaxExecutableBytes)
        refuse(name + ": ELF header", "contents to byte 0x{:x}, at most 0x{:x} are read", end,
               kMaxExecutableBytes);
    return end;
}

}  // namespace archipelago::host
