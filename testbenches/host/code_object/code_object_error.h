// SPDX-License-Identifier: Apache-2.0
// What goes wrong with code objects and compilers.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace archipelago::host {

// A code object, kernel source or argument list that cannot be used. what() names the file, the
// section, note or argument, and the reason.
class CodeObjectError : public std::runtime_error {
  public:
    CodeObjectError(const std::string& where, const std::string& reason)
        : std::runtime_error(where + ": " + reason) {}
};

// The value given for an argument, by its number from 0, does not fit the kernel.
class ArgumentError : public CodeObjectError {
  public:
    ArgumentError(const std::string& where, const std::string& reason, size_t number)
        : CodeObjectError(where, reason), number_(number) {}
    size_t number() const { return number_; }

  private:
    size_t number_;
};

// A compiler, linker or library that is not installed. tool() is what to look for in a package
// manager.
class ToolMissingError : public CodeObjectError {
  public:
    ToolMissingError(const std::string& where, std::string tool, const std::string& looked_for)
        : CodeObjectError(where, tool + " not found (looked for " + looked_for + ")"),
          tool_(std::move(tool)) {}
    const std::string& tool() const { return tool_; }

  private:
    std::string tool_;
};

}  // namespace archipelago::host
