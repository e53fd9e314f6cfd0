// SPDX-License-Identifier: Apache-2.0
// Turning OpenCL C and GFX6 assembly into code objects with the installed LLVM tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "testbenches/host/code_object/build_options.h"
#include "testbenches/host/code_object/code_object_error.h"

namespace archipelago::host {

struct CompileOptions {
    std::string cpu = "gfx600";
    // For the tool itself, after the built-in options, so that they win ("-O0",
    // "-gline-tables-only").
    std::vector<std::string> flags = {};
    BuildOptions build = {};  // the kernel's own, after these
};

// Which programs do the work. An empty path means: not installed.
struct Toolchain {
    std::filesystem::path clang;
    std::filesystem::path llvm_mc;
    std::filesystem::path lld;     // of the same version as clang when there is one
    std::filesystem::path libclc;  // bitcode of the OpenCL library, amdgcn--amdhsa.bc
};

// Looks in PATH for clang-15, then -16, -14 and clang, and for llvm-mc and ld.lld beside it; for
// libclc in the usual places. The environment variables ARCHIPELAGO_CLANG, ARCHIPELAGO_LLVM_MC,
// ARCHIPELAGO_LLD and ARCHIPELAGO_LIBCLC (each a file) override.
Toolchain find_toolchain();

// What compile_opencl and assemble give to clang and llvm-mc, without the names of files.
std::vector<std::string> opencl_options(const CompileOptions& options);
std::vector<std::string> assembly_options(const CompileOptions& options);

// Compiles OpenCL C 1.2 into a linked code object (version 4, which libclc's get_global_id
// expects). The compiler finds included files beside the source and in the folders of -I. Throws
// ToolMissingError, or CodeObjectError with the compiler's own messages. `diagnostics`, when given,
// receives warnings of a successful compilation.
std::vector<uint8_t> compile_opencl(const std::filesystem::path& source,
                                    const CompileOptions& options = {},
                                    std::string* diagnostics = nullptr);

// Assembles a file with .amdhsa_kernel directives and links it.
std::vector<uint8_t> assemble(const std::filesystem::path& source,
                              const CompileOptions& options = {},
                              std::string* diagnostics = nullptr);

// The files that a .cl or .s file includes, system headers apart; none for what cannot be compiled
// or is compiled already.
std::vector<std::string> included_files(const std::filesystem::path& source,
                                        const BuildOptions& build = {});

}  // namespace archipelago::host
