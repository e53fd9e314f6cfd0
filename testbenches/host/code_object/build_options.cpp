// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/build_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <system_error>
#include <utility>

#include "models/config/suggest.h"

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;

// Each takes a value, attached or in the next word. "-include" comes before "-I": it is longer.
constexpr std::array<std::string_view, 4> kWithValue = {"-include", "-D", "-U", "-I"};

const std::vector<std::string>& known_flags() {
    static const std::vector<std::string> flags = {"-cl-denorms-are-zero",
                                                   "-cl-fast-relaxed-math",
                                                   "-cl-finite-math-only",
                                                   "-cl-fp32-correctly-rounded-divide-sqrt",
                                                   "-cl-kernel-arg-info",
                                                   "-cl-mad-enable",
                                                   "-cl-no-signed-zeros",
                                                   "-cl-opt-disable",
                                                   "-cl-single-precision-constant",
                                                   "-cl-std=CL",
                                                   "-cl-std=CL1.0",
                                                   "-cl-std=CL1.1",
                                                   "-cl-std=CL1.2",
                                                   "-cl-std=CL2.0",
                                                   "-cl-std=CL3.0",
                                                   "-cl-strict-aliasing",
                                                   "-cl-uniform-work-group-size",
                                                   "-cl-unsafe-math-optimizations",
                                                   "-O0",
                                                   "-O1",
                                                   "-O2",
                                                   "-O3",
                                                   "-Os",
                                                   "-ffast-math",
                                                   "-fno-fast-math",
                                                   "-ffp-contract=fast",
                                                   "-ffp-contract=off",
                                                   "-ffp-contract=on",
                                                   "-funroll-loops",
                                                   "-fno-unroll-loops",
                                                   "-g",
                                                   "-w"};
    return flags;
}

// They name the machine, the steps of the compilation or its output: all of these are the model's.
bool is_own_choice(const std::string& option) {
    static const std::regex own(
        "--?target.*|-m.*|--?march.*|-o.*|-[cSEx]|-x.*|-X.*|-emit-llvm|-nogpulib|-cl-no-stdinc|"
        "-W[lap],.*|-f(syntax-only|lto.*|plugin.*)|-save-temps.*|-l.*|-L.*");
    return std::regex_match(option, own);
}

bool is_warning(const std::string& option) {
    static const std::regex warning("-W[a-z][-a-z0-9+=]*");
    return std::regex_match(option, warning) && !is_own_choice(option);
}

struct Word {
    std::string text;
    bool continues = false;  // the option before it
};

// Nothing when a quote is not closed.
std::optional<std::vector<Word>> words_of(const std::string& text) {
    std::vector<Word> words;
    std::string word;
    bool inside = false;  // a word, which may be empty in quotes
    char quote = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (quote == 0 && blank) {
            if (inside)
                words.push_back({std::exchange(word, {})});
            inside = false;
        } else if (quote == 0 && (c == '"' || c == '\'')) {
            quote = c;
            inside = true;
        } else if (c == quote) {
            quote = 0;
        } else {
            const bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size();
            word += escapes ? text[++i] : c;
            inside = true;
        }
    }
    if (quote != 0)
        return std::nullopt;
    if (inside)
        words.push_back({std::move(word)});
    for (Word& w : words)
        w.continues = w.text.empty() || w.text[0] != '-';
    return words;
}

bool starts_with(const std::string& text, std::string_view with) {
    return text.compare(0, with.size(), with) == 0;
}

bool is_integer(const std::string& text) {
    static const std::regex integer("-?(0[xX][0-9a-fA-F]+|[0-9]+)");
    return std::regex_match(text, integer);
}

}  // namespace

SourceKind source_kind(const fs::path& file) {
    const std::string ending = file.extension().string();
    return ending == ".cl"  ? SourceKind::OpenCl
           : ending == ".s" ? SourceKind::Assembly
                            : SourceKind::Object;
}

BuildOptionReader::BuildOptionReader(SourceKind kind, fs::path folder)
    : kind_(kind), folder_(std::move(folder)) {}

std::optional<std::string> BuildOptionReader::add(const std::string& text) {
    const std::optional<std::vector<Word>> words = words_of(text);
    if (!words)
        return "has a quote that is not closed";
    std::string option;  // that the next word may continue
    for (const Word& word : *words) {
        if (!pending_.empty()) {
            option = pending_ + word.text;
            pending_.clear();
        } else if (word.continues && option.empty()) {
            return fmt::format("\"{}\" is no option, expected one that begins with \"-\"",
                               word.text);
        } else if (word.continues) {
            option += " " + word.text;
        } else {
            if (!option.empty())
                if (auto fault = add_option(option))
                    return fault;
            option = word.text;
        }
        const bool lacks_value =
            std::find(kWithValue.begin(), kWithValue.end(), option) != kWithValue.end();
        if (lacks_value)
            pending_ = std::exchange(option, {});
    }
    return option.empty() ? std::nullopt : add_option(option);
}

std::optional<std::string> BuildOptionReader::finish() const {
    if (pending_.empty())
        return std::nullopt;
    return fmt::format("\"{}\" has no value", pending_);
}

std::optional<std::string> BuildOptionReader::add_option(const std::string& option) {
    if (kind_ == SourceKind::Object)
        return "the code is compiled already, expected options for a .cl or .s file";
    if (option.find_first_of("\n\r") != std::string::npos || option.find('\0') != std::string::npos)
        return "has a line's end in an option";
    for (const std::string_view flag : kWithValue)
        if (starts_with(option, flag))
            return add_value(std::string(flag), option.substr(flag.size()));
    if (is_own_choice(option))
        return fmt::format("\"{}\": machine, steps and output of the compilation are the model's",
                           option);
    if (kind_ == SourceKind::Assembly)
        return fmt::format("\"{}\": the assembler takes -D NAME=INTEGER and -I FOLDER only",
                           option);
    const std::vector<std::string>& known = known_flags();
    const bool extension = starts_with(option, "-cl-ext=");
    if (!extension && !is_warning(option) &&
        std::find(known.begin(), known.end(), option) == known.end())
        return fmt::format(
            "\"{}\": unknown option, expected -D, -U, -I, -include, -cl-..., -O..., -W..., -w or "
            "-g{}",
            option, config::did_you_mean(option, known));
    options_.push_back(option);
    return std::nullopt;
}

std::optional<std::string> BuildOptionReader::add_value(const std::string& flag,
                                                        const std::string& value) {
    const bool path = flag == "-I" || flag == "-include";
    if (kind_ == SourceKind::Assembly && (flag == "-U" || flag == "-include"))
        return fmt::format("\"{}\": the assembler takes -D NAME=INTEGER and -I FOLDER only", flag);
    return path ? add_path(flag, value) : add_definition(flag, value);
}

std::optional<std::string> BuildOptionReader::add_definition(const std::string& flag,
                                                             const std::string& value) {
    static const std::regex definition("[A-Za-z_]\\w*(\\([^()]*\\))?(=.*)?");
    static const std::regex name("[A-Za-z_]\\w*");
    const std::string text = value.substr(std::min(value.find_first_not_of(' '), value.size()));
    if (!std::regex_match(text, flag == "-D" ? definition : name))
        return fmt::format("\"{}{}\": expected a name{}", flag, text,
                           flag == "-D" ? " or NAME=VALUE" : "");
    const size_t equals = text.find('=');
    const bool number = equals == std::string::npos || is_integer(text.substr(equals + 1));
    if (kind_ == SourceKind::Assembly && !number)
        return fmt::format("\"{}{}\": in assembly the value is an integer", flag, text);
    options_.push_back(flag + text);
    return std::nullopt;
}

std::optional<std::string> BuildOptionReader::add_path(const std::string& flag,
                                                       const std::string& value) {
    const bool folder = flag == "-I";
    const fs::path path = folder_.empty() || folder_ == "." ? fs::path(value) : folder_ / value;
    std::error_code error;
    if (folder ? !fs::is_directory(path, error) : !fs::is_regular_file(path, error))
        return fmt::format("\"{}{}\": no {} {}", flag, value, folder ? "folder" : "file",
                           path.string());
    options_.push_back(flag + path.string());
    return std::nullopt;
}

std::string quoted_option(const std::string& option) {
    std::string out = "'";
    for (const char c : option)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

CompilerWords opencl_words(const BuildOptions& options) {
    CompilerWords out;
    for (const std::string& option : options) {
        const std::string text = option.substr(2);
        const size_t equals = text.find('=');
        const std::string name = text.substr(0, std::min(text.find_first_of("=("), text.size()));
        if (starts_with(option, "-D"))
            out.definitions += fmt::format(
                "#undef {}\n#define {} {}\n", name, text.substr(0, equals),
                equals == std::string::npos ? std::string("1") : text.substr(equals + 1));
        else if (starts_with(option, "-U"))
            out.definitions += fmt::format("#undef {}\n", name);
        else if (option == "-cl-std=CL" || option == "-cl-std=CL1.0" || option == "-cl-std=CL1.1")
            // 1.2 has all of them. clang would take the header for a source of these versions.
            out.definitions +=
                fmt::format("#undef __OPENCL_C_VERSION__\n#define __OPENCL_C_VERSION__ {}\n",
                            option == "-cl-std=CL1.1" ? 110 : 100);
        else
            out.words.push_back(option);
    }
    return out;
}

std::vector<std::string> assembler_words(const BuildOptions& options) {
    std::vector<std::string> words;
    for (const std::string& option : options) {
        const bool defines = starts_with(option, "-D");
        const bool valued = option.find('=') != std::string::npos;
        words.push_back(!defines ? option : "--defsym=" + option.substr(2) + (valued ? "" : "=1"));
    }
    return words;
}

std::vector<std::string> include_folders(const BuildOptions& options) {
    std::vector<std::string> folders;
    for (const std::string& option : options)
        if (starts_with(option, "-I"))
            folders.push_back(option.substr(2));
    return folders;
}

}  // namespace archipelago::host
