// SPDX-License-Identifier: Apache-2.0
// Loading AMD code objects (clang's amdgcn-amd-amdhsa output for gfx600, gfx601, gfx602): image,
// kernels, metadata. Source: LLVM AMDGPUUsage. See README.md of this folder.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/host/code_object/build_options.h"
#include "testbenches/host/code_object/catalyst.h"
#include "testbenches/host/code_object/code_object_error.h"
#include "testbenches/host/code_object/elf_image.h"
#include "testbenches/host/code_object/kernel_descriptor.h"
#include "testbenches/host/code_object/line_table.h"
#include "testbenches/host/code_object/metadata.h"

namespace archipelago::host {

struct Kernel {
    std::string name;
    uint64_t descriptor_offset = 0;  // bytes from the start of the image
    uint64_t entry_offset = 0;       // of the first instruction; a multiple of 256
    KernelDescriptor descriptor;
    // Hand-written assembly may carry no metadata; arguments are then laid out by natural
    // alignment and only `name`, `symbol` and the sizes below are set.
    bool has_metadata = false;
    KernelMetadata metadata;
    std::optional<CatalystKernel>
        catalyst;  // of AMD's own compiler; the descriptor is made up then
};

struct CodeObject {
    std::string name;  // as given to load_code_object, for messages
    ElfImage image;
    std::array<uint32_t, 2> metadata_version{};  // 0.0 without metadata
    std::vector<Kernel> kernels;                 // by name
    LineTable lines;                             // with DebugLines::Read only

    // The kernel called `kernel_name`; an empty name means the only one. Throws CodeObjectError
    // that lists the kernels there are.
    const Kernel& kernel(const std::string& kernel_name) const;

    // Bytes to put in memory at `base`, a multiple of kImageAlign.
    std::vector<uint8_t> image_at(uint64_t base) const { return relocate_image(image, base, name); }
};

// Parses a linked code object or a binary of Catalyst's compiler (catalyst.h). `name` is how
// messages call it. Throws CodeObjectError on anything malformed or not for GFX6, regardless of
// what the bytes are.
CodeObject load_code_object(const std::vector<uint8_t>& elf, const std::string& name);

// Loads `path` by its ending: .cl is compiled and .s is assembled with these options, anything else
// is read as it is.
// `diagnostics`, when given, receives the compiler's warnings. `lines`: whether sources are
// compiled with a line table, and line tables read.
enum class DebugLines : bool { Leave, Read };
CodeObject load_code_object_file(const std::filesystem::path& path,
                                 std::string* diagnostics = nullptr,
                                 DebugLines lines = DebugLines::Leave,
                                 const BuildOptions& build = {});

}  // namespace archipelago::host
