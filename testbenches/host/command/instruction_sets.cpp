// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/instruction_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/afuc/isa/text.h"
#include "models/afuc/pm4/text.h"
#include "models/asic/families.h"
#include "models/config/suggest.h"
#include "models/cp/pm4/text.h"
#include "models/ctm/command/command_text.h"
#include "models/ctm/isa/text.h"
#include "models/cu/isa/assemble.h"
#include "models/dma/packet_text.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/ctm/program_code.h"

namespace archipelago::host {
namespace {

// ---- gfx6 -------------------------------------------------------------------------------------

// Suggestions cost time.
constexpr size_t kMaxSuggestions = 100;

AssembledText assemble_gfx6(std::string_view text) {
    isa::Assembly assembly = isa::assemble(text);
    AssembledText result;
    result.bytes = std::move(assembly.bytes);
    for (isa::AssemblyError& error : assembly.errors) {
        std::string message = std::move(error.message);
        if (error.known != nullptr && result.errors.size() < kMaxSuggestions)
            message += config::did_you_mean(error.unknown, *error.known);
        result.errors.push_back({error.line, error.column, std::move(message)});
    }
    return result;
}

void add_line(std::string& out, const std::string& text, uint64_t address, const uint8_t* bytes,
              size_t count) {
    out += fmt::format("{:<60} // {:012x}:", text, address);
    for (size_t i = 0; i + 4 <= count; i += 4)
        out += fmt::format(" {:08x}", load_le(bytes + i, 4));
    out += "\n";
}

std::string list_gfx6(const CodeSection& code) {
    std::string out;
    if (!code.name.empty())
        out += fmt::format("// section {}\n", code.name);
    const std::vector<uint8_t>& bytes = code.bytes;
    auto label = code.labels.begin();
    uint64_t data_end = 0;
    for (uint64_t at = 0; at < bytes.size();) {
        for (; label != code.labels.end() && label->address <= code.address + at; ++label) {
            out += fmt::format("// {:012x} <{}>:\n", label->address, label->name);
            data_end = std::max(data_end, label->address - code.address + label->data_bytes);
        }
        // An instruction never goes beyond a label: what is in front of one may be data.
        uint64_t end = bytes.size();
        if (label != code.labels.end())
            end = std::min<uint64_t>(end, label->address - code.address);
        if (at < data_end)
            end = std::min(end, data_end);
        uint32_t words[2] = {};
        const auto avail = std::min<uint64_t>((end - at) / 4, 2);
        for (unsigned i = 0; i < avail; ++i)
            words[i] = static_cast<uint32_t>(load_le(&bytes[at + 4 * i], 4));
        if (avail == 0 || at % 4 != 0) {
            out += fmt::format(".byte 0x{:02x}\n", bytes[at]);
            ++at;
            continue;
        }
        if (at < data_end) {
            add_line(out, fmt::format(".long 0x{:08x}", words[0]), code.address + at, &bytes[at],
                     4);
            at += 4;
            continue;
        }
        const isa::Inst inst = isa::decode(words, avail);
        add_line(out, isa::disassemble_exact(inst, code.address + at), code.address + at,
                 &bytes[at], size_t{inst.dwords} * 4);
        at += uint64_t{inst.dwords} * 4;
    }
    return out;
}

std::string list_gfx6_elf(const std::vector<uint8_t>& file, const std::string& name) {
    std::string out;
    for (const CodeSection& section : read_elf_code(file, name))
        out += list_gfx6(section);
    return out;
}

// ---- ctm --------------------------------------------------------------------------------------

std::vector<SourceError> errors_of(const std::vector<TextError>& found) {
    std::vector<SourceError> errors;
    errors.reserve(found.size());
    for (const TextError& error : found)
        errors.push_back({error.line, error.column,
                          message_of(error, errors.size() < kMaxSuggestions), error.file});
    return errors;
}

AssembledText assemble_ctm(std::string_view text) {
    const ctm::isa::Assembly assembly = ctm::isa::assemble(text);
    AssembledText result;
    for (const ctm::isa::Words& words : assembly.program)
        for (const uint32_t word : words)
            for (unsigned byte = 0; byte < 4; ++byte)
                result.bytes.push_back(static_cast<uint8_t>(word >> 8 * byte));
    result.bytes.insert(result.bytes.end(), assembly.tail.begin(), assembly.tail.end());
    result.errors = errors_of(assembly.errors);
    return result;
}

AssembledText assemble_ctm_elf(std::string_view text) {
    const ctm::isa::Assembly assembly = ctm::isa::assemble(text);
    AssembledText result;
    result.errors = errors_of(assembly.errors);
    if (!assembly.tail.empty())
        result.errors.push_back({1, 1, "an executable has no .byte after its instructions"});
    if (!result.errors.empty())
        return result;
    try {
        result.bytes = write_executable(executable_of(assembly));
    } catch (const CodeObjectError& error) {
        result.errors.push_back({1, 1, error.what()});
    }
    return result;
}

std::string list_ctm_elf(const std::vector<uint8_t>& file, const std::string& name) {
    return list_executable(read_executable(file, name));
}

std::string list_ctm(const CodeSection& code) {
    const std::vector<uint8_t>& bytes = code.bytes;
    std::string out;
    size_t at = 0;
    for (; at + ctm::isa::kInstructionBytes <= bytes.size(); at += ctm::isa::kInstructionBytes) {
        ctm::isa::Words words;
        for (size_t i = 0; i < words.size(); ++i)
            words[i] = static_cast<uint32_t>(load_le(&bytes[at + 4 * i], 4));
        out += fmt::format("{}  // {}\n", ctm::isa::disassemble(words),
                           at / ctm::isa::kInstructionBytes);
    }
    for (; at < bytes.size(); ++at)
        out += fmt::format(".byte 0x{:02x}\n", bytes[at]);
    return out;
}

// ---- afuc -------------------------------------------------------------------------------------

AssembledText assemble_afuc(const afuc::Generation& generation, std::string_view text,
                            const std::string& path) {
    const afuc::Assembly assembly = afuc::assemble(generation, text, path);
    AssembledText result;
    result.bytes.resize(4 * assembly.words.size());
    for (size_t i = 0; i < assembly.words.size(); ++i)
        store_le(&result.bytes[4 * i], assembly.words[i], 4);
    result.errors = errors_of(assembly.errors);
    result.warnings = errors_of(assembly.warnings);
    result.files = assembly.files;
    return result;
}

std::string list_afuc(const afuc::Generation& generation, const CodeSection& code) {
    if (code.bytes.size() % 4 != 0)
        throw std::runtime_error(fmt::format("{} bytes are not whole words", code.bytes.size()));
    return afuc::disassemble(generation, load_words(code.bytes));
}

void add_micro_engines(std::vector<InstructionSet>& sets) {
    for (const afuc::Generation& g : afuc::kGenerations)
        sets.push_back(
            {std::string("afuc:") + g.name, std::string("images of micro engines, ") + g.title,
             [&g](std::string_view text) { return assemble_afuc(g, text, ""); },
             [&g](const CodeSection& code) { return list_afuc(g, code); }, nullptr, nullptr,
             [&g](std::string_view text, const std::string& path) {
                 return assemble_afuc(g, text, path);
             }});
}

// ---- packets ----------------------------------------------------------------------------------

std::string list_packets(const front::PacketLanguage& language, const CodeSection& code) {
    const std::vector<uint32_t> words = load_words(code.bytes);
    std::string out = language.disassemble(words.data(), words.size());
    for (size_t i = words.size() * 4; i < code.bytes.size(); ++i)
        out += fmt::format(".byte 0x{:02x}\n", code.bytes[i]);
    return out;
}

// `make` returns the language. It is called when there is text or code: the tables of a language
// are more than the rest of a command's start.
template <class Make>
InstructionSet packets_as_text(std::string name, std::string meaning, Make make) {
    return {std::move(name), std::move(meaning),
            [make](std::string_view text) { return assemble_packets(make(), text); },
            [make](const CodeSection& code) { return list_packets(make(), code); }};
}

// The registers that packets of a generation of async DMA engines may name.
const regs::RegisterDatabase& registers_of(const std::string& generation) {
    for (const asic::Family& family : asic::families())
        if (family.async_dma != nullptr && generation == family.async_dma)
            return family.registers != nullptr ? family.registers(family.generation)
                                               : family.packets().registers;
    return dma::TextLanguage::no_registers();
}

void add_packets(std::vector<InstructionSet>& sets) {
    for (const asic::Family& family : asic::families())
        if (family.packets != nullptr)
            sets.push_back(packets_as_text(
                std::string("pm4:") + family.generation,
                std::string("rings and indirect buffers of generation ") + family.generation,
                family.packets));
    for (const afuc::Pm4Generation& generation : afuc::kPm4Generations)
        sets.push_back(
            packets_as_text(std::string("pm4:") + generation.name,
                            std::string("rings and indirect buffers of ") + generation.title,
                            [&generation] { return afuc::Pm4Language(generation.names); }));
    for (const dma::Generation* generation : dma::generations())
        sets.push_back(packets_as_text(
            std::string("dma:") + generation->name,
            std::string("rings and indirect buffers of ") + generation->title, [generation] {
                return dma::TextLanguage(generation->packets, registers_of(generation->name));
            }));
    sets.push_back(packets_as_text("ctm:commands", "command buffers of CTM chips",
                                   [] { return ctm::CommandLanguage(); }));
}

}  // namespace

const std::vector<InstructionSet>& instruction_sets() {
    static const std::vector<InstructionSet> list = [] {
        std::vector<InstructionSet> sets = {
            {"gfx6", "shader code of Southern Islands, in LLVM's syntax", assemble_gfx6, list_gfx6,
             list_gfx6_elf},
            {"ctm", "programs of the CTM array's processors", assemble_ctm, list_ctm, list_ctm_elf,
             assemble_ctm_elf}};
        add_micro_engines(sets);
        add_packets(sets);
        return sets;
    }();
    return list;
}

const InstructionSet& find_instruction_set(const std::string& name) {
    std::vector<std::string> names;
    for (const InstructionSet& set : instruction_sets()) {
        if (name == set.name)
            return set;
        names.emplace_back(set.name);
    }
    throw std::runtime_error(fmt::format("--isa: unknown \"{}\", expected one of: {}{}", name,
                                         config::join_names(names),
                                         config::did_you_mean(name, names)));
}

}  // namespace archipelago::host
