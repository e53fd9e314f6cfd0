// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/ctm/program_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/config/suggest.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/elf_code.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

using ctm::isa::kInstructionBytes;
using ctm::isa::kMaxInstructions;

// Errors shown of a text, and errors with suggestions: these cost time.
constexpr size_t kMaxShown = 20;

bool ends_with(const std::string& text, std::string_view ending) {
    return text.size() >= ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

ProgramInfo info_of(const ctm::isa::TextProgramInfo& text) {
    return {text.full_flow_control, text.uncached_outputs, text.temporaries};
}

std::string list_of(const std::vector<uint32_t>& numbers) {
    std::string out;
    for (size_t i = 0; i < numbers.size();) {
        size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        out += fmt::format("{}{}", i == 0 ? " " : ", ", numbers[i]);
        if (last != i)
            out += fmt::format("-{}", numbers[last]);
        i = last + 1;
    }
    return out.empty() ? " none" : out;
}

std::string program_info_line(const CtmExecutable& e) {
    if (!e.known_program_info) {
        std::string out = "// program information of another form:";
        for (const uint32_t word : e.program_info)
            out += fmt::format(" 0x{:08x}", word);
        return out + "\n";
    }
    return fmt::format(".proginfo {} {} temporaries={}\n",
                       e.info.full_flow_control ? "full" : "partial",
                       e.info.uncached_outputs ? "uncached" : "cached", e.info.temporaries);
}

void check_count(const std::string& name, size_t count) {
    if (count == 0 || count > kMaxInstructions)
        refuse(name, "{} instructions, expected 1 to {}", count, kMaxInstructions);
}

}  // namespace

CodeForm form_of(const std::vector<uint8_t>& file, const std::string& path) {
    if (is_elf(file))
        return CodeForm::Executable;
    return ends_with(path, ".ctm") || ends_with(path, ".s") ? CodeForm::Text
                                                            : CodeForm::Instructions;
}

ProgramCode read_program_code(const std::vector<uint8_t>& file, const std::string& name,
                              CodeForm form) {
    ProgramCode out;
    if (form == CodeForm::Text)
        return assemble_program({reinterpret_cast<const char*>(file.data()), file.size()}, name);
    if (form == CodeForm::Executable) {
        out.executable = read_executable(file, name);
        out.code = out.executable->code;
        out.info = out.executable->info;
        return out;
    }
    if (file.size() % kInstructionBytes != 0)
        refuse(name, "{} bytes, expected 1 to {} instructions of {}", file.size(), kMaxInstructions,
               kInstructionBytes);
    check_count(name, file.size() / kInstructionBytes);
    const std::vector<uint32_t> words = load_words(file);
    out.code.resize(file.size() / kInstructionBytes);
    for (size_t i = 0; i < words.size(); ++i)
        out.code[i / ctm::isa::kInstructionWords][i % ctm::isa::kInstructionWords] = words[i];
    return out;
}

ProgramCode assemble_program(std::string_view text, const std::string& name) {
    ctm::isa::Assembly assembly = ctm::isa::assemble(text);
    std::string refused;
    for (size_t i = 0; i < std::min(assembly.errors.size(), kMaxShown); ++i) {
        const TextError& e = assembly.errors[i];
        refused += fmt::format("{}{}:{}:{}: {}", i == 0 ? "" : "\n", name, e.line, e.column,
                               message_of(e, true));
    }
    if (assembly.errors.size() > kMaxShown)
        refused += fmt::format("\n{}: {} more errors", name, assembly.errors.size() - kMaxShown);
    if (!refused.empty())
        throw CodeObjectError("program text", refused);
    if (!assembly.tail.empty())
        refuse(name, "{} bytes after the last instruction", assembly.tail.size());
    check_count(name, assembly.program.size());
    ProgramCode out;
    out.code = std::move(assembly.program);
    if (assembly.info)
        out.info = info_of(*assembly.info);
    return out;
}

std::string message_of(const TextError& error, bool suggest) {
    std::string message = error.message;
    if (suggest && !error.unknown.empty())
        message += config::did_you_mean(error.unknown, error.known);
    return message;
}

CtmExecutable executable_of(const ctm::isa::Assembly& assembly) {
    CtmExecutable out =
        describe_program(assembly.program, assembly.info ? info_of(*assembly.info) : ProgramInfo());
    for (const ctm::isa::TextLabel& label : assembly.labels)
        out.symbols.push_back({label.name, label.instruction});
    return out;
}

std::string list_executable(const CtmExecutable& e) {
    std::string out = fmt::format(
        "// inputs{}; outputs{}; conditional output {}\n"
        "// float constants{}; integer constants{}; early exit {}\n",
        list_of(e.inputs), list_of(e.outputs), e.conditional_output ? "yes" : "no",
        list_of(e.float_constants), list_of(e.integer_constants), e.early_exit ? "yes" : "no");
    for (const CtmNote& note : e.other_notes)
        out += fmt::format("// another note: type {}, {} bytes\n", note.type, note.contents.size());
    out += program_info_line(e);
    std::vector<CtmSymbol> symbols = e.symbols;
    std::stable_sort(symbols.begin(), symbols.end(), [](const CtmSymbol& a, const CtmSymbol& b) {
        return a.instruction < b.instruction;
    });
    std::vector<std::string> written;
    auto next = symbols.begin();
    for (size_t i = 0; i <= e.code.size(); ++i) {
        for (; next != symbols.end() && next->instruction == i; ++next) {
            // A label is there once, and not every name is one.
            const bool label =
                ctm::isa::is_label(next->name) &&
                std::find(written.begin(), written.end(), next->name) == written.end();
            out += label ? next->name + ":\n" : "// " + next->name + ":\n";
            if (label)
                written.push_back(next->name);
        }
        if (i < e.code.size())
            out += fmt::format("{}  // {}\n", ctm::isa::disassemble(e.code[i]), i);
    }
    return out;
}

}  // namespace archipelago::host
