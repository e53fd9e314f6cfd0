// SPDX-License-Identifier: Apache-2.0
// The build options of a kernel, those that a host program gives to clBuildProgram.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace archipelago::host {

// What a kernel's file is, by its ending.
enum class SourceKind : uint8_t { OpenCl, Assembly, Object };
SourceKind source_kind(const std::filesystem::path& file);

// One word an option, its value attached: "-DTILE=8", "-Ikernels/include", "-cl-mad-enable". Paths
// are as seen from where the program runs.
using BuildOptions = std::vector<std::string>;

// Reads options as their user writes them, and refuses those that the compiler does not know or
// that would change which machine the code is for or where it goes.
class BuildOptionReader {
  public:
    // Relative paths are relative to `folder`; empty: to where the program runs.
    BuildOptionReader(SourceKind kind, std::filesystem::path folder);

    // Adds the options of a text. Blanks separate them, quotes and backslashes protect blanks, and
    // a word without a leading "-" belongs to the option before it ("-D T=unsigned int"). A text
    // that ends in -D, -U, -I or -include leaves the value to the next. Returns why an option is
    // refused.
    std::optional<std::string> add(const std::string& text);
    // Why the texts cannot end here.
    std::optional<std::string> finish() const;

    const BuildOptions& options() const { return options_; }

  private:
    std::optional<std::string> add_option(const std::string& option);
    std::optional<std::string> add_value(const std::string& flag, const std::string& value);
    std::optional<std::string> add_definition(const std::string& flag, const std::string& value);
    std::optional<std::string> add_path(const std::string& flag, const std::string& value);

    SourceKind kind_;
    std::filesystem::path folder_;
    std::string pending_;  // an option whose value is still to come
    BuildOptions options_;
};

// The text that add() reads back as this one option.
std::string quoted_option(const std::string& option);

// How the tools take them. Definitions of OpenCL C are lines of the header that comes before the
// source, after the declarations of OpenCL's own functions: -Dx=3 renames no parameter of these.
struct CompilerWords {
    std::string definitions;
    std::vector<std::string> words;
};
CompilerWords opencl_words(const BuildOptions& options);
std::vector<std::string> assembler_words(const BuildOptions& options);
// The folders of -I, in order.
std::vector<std::string> include_folders(const BuildOptions& options);

}  // namespace archipelago::host
