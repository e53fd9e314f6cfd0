// SPDX-License-Identifier: Apache-2.0
// `archipelago asm`, `disasm` and `compile`.
#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <stdexcept>

#include "models/common/files.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/compiler.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/instruction_sets.h"
#include "testbenches/host/command/job.h"
#include "testbenches/host/command/standard_streams.h"
#include "testbenches/host/output_files.h"

namespace archipelago::host {
namespace {

std::string shown_name(const std::string& path) {
    return path == "-" ? "<stdin>" : path;
}

// The whole file; "-" is standard input.
std::vector<uint8_t> read_all(const std::string& path) {
    if (path != "-") {
        const std::string text = read_file(path);
        return {text.begin(), text.end()};
    }
    std::vector<uint8_t> bytes;
    uint8_t block[65536];
    size_t count = 0;
    while ((count = std::fread(block, 1, sizeof block, stdin)) > 0)
        bytes.insert(bytes.end(), block, block + count);
    check_standard_input();
    return bytes;
}

void write_all(const std::string& path, const std::vector<uint8_t>& bytes) {
    OutputFile file(path);
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file.complete();
}

// Words as text: hexadecimal with or without 0x, apart by blanks, commas or lines. Comments as in
// assembly. Every word that is none is reported.
std::vector<uint8_t> parse_words(const std::string& text, std::vector<SourceError>& errors) {
    std::vector<uint8_t> bytes;
    unsigned line = 1;
    size_t line_start = 0;
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\n') {
            ++line;
            line_start = ++at;
            continue;
        }
        if (c == '#' || c == ';' || (c == '/' && text.compare(at, 2, "//") == 0)) {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',') {
            ++at;
            continue;
        }
        const size_t end = std::min(text.find_first_of(" \t\r\n,#;/", at + 1), text.size());
        std::string word = text.substr(at, end - at);
        if (word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
            word.erase(0, 2);
        const bool valid = word.size() <= 8 &&
                           word.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
        if (!valid)
            errors.push_back({line, static_cast<unsigned>(at - line_start) + 1,
                              fmt::format("\"{}\" is not a word of up to eight hexadecimal digits",
                                          word.substr(0, 40))});
        bytes.resize(bytes.size() + 4);
        store_le(&bytes[bytes.size() - 4], valid ? std::stoul(word, nullptr, 16) : 0, 4);
        at = end;
    }
    return bytes;
}

void print(const std::string& path, const char* severity, const std::vector<SourceError>& list) {
    for (const SourceError& error : list)
        fmt::print(stderr, "{}:{}:{}: {}{}\n", error.file.empty() ? shown_name(path) : error.file,
                   error.line, error.column, severity, error.message);
}

int report(const std::string& path, const std::vector<SourceError>& errors) {
    print(path, "", errors);
    return kBadUsage;
}

int print_toolchain() {
    const Toolchain tools = find_toolchain();
    fmt::print("clang {}\nllvm-mc {}\nld.lld {}\nlibclc {}\n", tools.clang.string(),
               tools.llvm_mc.string(), tools.lld.string(), tools.libclc.string());
    fmt::print(".cl {}\n.s {}\n", fmt::join(opencl_options({}), " "),
               fmt::join(assembly_options({}), " "));
    return kDone;
}

}  // namespace

int asm_command(const AsmArguments& a) {
    const InstructionSet& set = find_instruction_set(a.isa);
    check_outputs({{"--output", a.output}}, {a.file});
    const std::vector<uint8_t> file = read_all(a.file);
    if (a.elf && set.assemble_elf == nullptr)
        throw std::invalid_argument("--elf: \"" + a.isa + "\" has no executables here, ctm has");
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    const AssembledText result = a.elf               ? set.assemble_elf(text)
                                 : set.assemble_file ? set.assemble_file(text, a.file)
                                                     : set.assemble(text);
    print(a.file, "warning: ", result.warnings);
    if (!result.errors.empty())
        return report(a.file, result.errors);
    if (!a.output.empty()) {
        check_outputs({{"--output", a.output}}, result.files);
        write_all(a.output, result.bytes);
        return kDone;
    }
    // The last line has fewer digits when the bytes are not whole words.
    for (size_t at = 0; at < result.bytes.size(); at += 4) {
        const auto count = static_cast<unsigned>(std::min<size_t>(4, result.bytes.size() - at));
        fmt::print("0x{:0{}x}\n", load_le(&result.bytes[at], count), 2 * count);
    }
    return kDone;
}

int compile_command(const CompileArguments& a) {
    if (a.toolchain)
        return print_toolchain();
    CompileOptions options;
    const SourceKind kind = source_kind(a.file);
    if (kind == SourceKind::Object)
        throw std::invalid_argument("compile: \"" + a.file + "\", expected a .cl or .s file");
    if (a.output.empty())
        throw std::invalid_argument("compile: --output is required");
    options.build = read_build_options("compile", kind, a.options);
    std::vector<std::string> inputs = included_files(a.file, options.build);
    inputs.push_back(a.file);
    check_outputs({{"--output", a.output}}, inputs);
    std::string diagnostics;
    const std::vector<uint8_t> object = kind == SourceKind::OpenCl
                                            ? compile_opencl(a.file, options, &diagnostics)
                                            : assemble(a.file, options, &diagnostics);
    std::fputs(diagnostics.c_str(), stderr);
    write_all(a.output, object);
    return kDone;
}

int disasm_command(const DisasmArguments& a) {
    const InstructionSet& set = find_instruction_set(a.isa);
    std::vector<uint8_t> file = read_all(a.file);
    if (a.hex) {
        std::vector<SourceError> errors;
        file = parse_words({file.begin(), file.end()}, errors);
        if (!errors.empty())
            return report(a.file, errors);
    }
    if (!a.hex && set.list_elf != nullptr && is_elf(file)) {
        fmt::print("{}", set.list_elf(file, shown_name(a.file)));
        return kDone;
    }
    CodeSection code;
    code.bytes = std::move(file);
    fmt::print("{}", set.list(code));
    return kDone;
}

}  // namespace archipelago::host
