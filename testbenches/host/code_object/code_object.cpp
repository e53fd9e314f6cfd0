// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/code_object.h"

#include <elf.h>

#include <algorithm>

#include "models/common/files.h"
#include "testbenches/host/code_object/compiler.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

const std::string kDescriptorSuffix = ".kd";

bool is_descriptor(const ElfSymbol& symbol) {
    return symbol.name.size() > kDescriptorSuffix.size() &&
           symbol.name.compare(symbol.name.size() - kDescriptorSuffix.size(),
                               kDescriptorSuffix.size(), kDescriptorSuffix) == 0;
}

Kernel read_kernel(const ElfImage& image, const ElfSymbol& symbol, const std::string& object) {
    const std::string where =
        fmt::format("{}: kernel descriptor '{}' at 0x{:x}", object, symbol.name, symbol.address);
    if (symbol.type != STT_OBJECT)
        refuse(where, "symbol type {} is not OBJECT (1)", symbol.type);
    if (symbol.size != kKernelDescriptorBytes)
        refuse(where, "size {} is not {}", symbol.size, kKernelDescriptorBytes);
    Kernel kernel;
    kernel.name = symbol.name.substr(0, symbol.name.size() - kDescriptorSuffix.size());
    kernel.descriptor_offset = symbol.address - image.link_base;
    if (symbol.address < image.link_base ||
        !image.loaded(kernel.descriptor_offset, kKernelDescriptorBytes))
        refuse(where, "is in no loaded segment");
    kernel.descriptor =
        decode_kernel_descriptor(image.bytes.data() + kernel.descriptor_offset, where);
    kernel.entry_offset =
        kernel.descriptor_offset + static_cast<uint64_t>(kernel.descriptor.code_entry_offset);
    constexpr uint64_t kShortestProgram = 4;  // s_endpgm
    if (!image.executable(kernel.entry_offset, kShortestProgram))
        refuse(where, "entry point, {} bytes from it, is in no executable segment",
               kernel.descriptor.code_entry_offset);
    if ((image.link_base + kernel.entry_offset) % kCodeAlign != 0)
        refuse(where, "entry point 0x{:x} is not a multiple of {}",
               image.link_base + kernel.entry_offset, kCodeAlign);
    kernel.metadata.name = kernel.name;
    kernel.metadata.symbol = symbol.name;
    kernel.metadata.kernarg_segment_size = kernel.descriptor.kernarg_size;
    kernel.metadata.kernarg_segment_align = 16;
    kernel.metadata.group_segment_fixed_size = kernel.descriptor.group_segment_fixed_size;
    kernel.metadata.private_segment_fixed_size = kernel.descriptor.private_segment_fixed_size;
    return kernel;
}

// Descriptor and metadata say some things twice; a difference means that one of them is wrong.
void attach_metadata(Kernel& kernel, const KernelMetadata& metadata, const std::string& object) {
    const KernelDescriptor& d = kernel.descriptor;
    const auto check = [&](const char* what, uint32_t descriptor, uint32_t note) {
        if (descriptor != note)
            refuse(object, "kernel '{}': {} is {} in the descriptor and {} in the metadata",
                   kernel.name, what, descriptor, note);
    };
    check("group segment size", d.group_segment_fixed_size, metadata.group_segment_fixed_size);
    check("private segment size", d.private_segment_fixed_size,
          metadata.private_segment_fixed_size);
    if (d.kernarg_size != 0)
        check("kernarg segment size", d.kernarg_size, metadata.kernarg_segment_size);
    kernel.metadata = metadata;
    kernel.has_metadata = true;
}

std::vector<uint8_t> read_object(const std::filesystem::path& path) {
    try {
        const std::string text = read_file(path.string());
        return {text.begin(), text.end()};
    } catch (const FileError& error) {
        refuse(path.string(), "cannot be opened: {}", error.reason());
    }
}

}  // namespace

const Kernel& CodeObject::kernel(const std::string& kernel_name) const {
    if (kernel_name.empty() && kernels.size() == 1)
        return kernels.front();
    std::string names;
    for (const Kernel& k : kernels) {
        if (k.name == kernel_name)
            return k;
        names += (names.empty() ? "" : ", ") + k.name;
    }
    if (kernel_name.empty())
        refuse(name, "which kernel? it has {}", names);
    refuse(name, "no kernel '{}'; it has {}", kernel_name, names);
}

CodeObject load_code_object(const std::vector<uint8_t>& elf, const std::string& name) {
    if (is_catalyst_binary(elf))
        return load_catalyst_binary(elf, name);
    CodeObject object;
    object.name = name;
    object.image = read_elf_image(elf, name);
    for (const ElfSymbol& symbol : object.image.symbols)
        if (is_descriptor(symbol))
            object.kernels.push_back(read_kernel(object.image, symbol, name));
    std::sort(object.kernels.begin(), object.kernels.end(),
              [](const Kernel& a, const Kernel& b) { return a.name < b.name; });
    const auto twin =
        std::adjacent_find(object.kernels.begin(), object.kernels.end(),
                           [](const Kernel& a, const Kernel& b) { return a.name == b.name; });
    if (twin != object.kernels.end())
        refuse(name, "kernel descriptor '{}.kd' is defined twice", twin->name);
    if (object.kernels.empty())
        refuse(name, "symbol table: no kernel descriptor (a symbol <name>.kd)");
    if (!object.image.has_metadata)
        return object;
    const Metadata metadata =
        read_metadata(object.image.metadata, name, object.image.metadata_offset);
    object.metadata_version = metadata.version;
    for (const KernelMetadata& entry : metadata.kernels) {
        const auto found = std::find_if(
            object.kernels.begin(), object.kernels.end(),
            [&](const Kernel& k) { return k.name + kDescriptorSuffix == entry.symbol; });
        if (found == object.kernels.end())
            refuse(name, "metadata names the descriptor '{}', which the symbol table does not have",
                   entry.symbol);
        attach_metadata(*found, entry, name);
    }
    return object;
}

CodeObject load_code_object_file(const std::filesystem::path& path, std::string* diagnostics,
                                 DebugLines lines, const BuildOptions& build) {
    const SourceKind kind = source_kind(path);
    const bool with_lines = lines == DebugLines::Read;
    const auto options = [&](const char* debug_flag) {
        CompileOptions o;
        o.build = build;
        if (with_lines)
            o.flags.emplace_back(debug_flag);
        return o;
    };
    const std::vector<uint8_t> elf =
        kind == SourceKind::OpenCl
            ? compile_opencl(path, options("-gline-tables-only"), diagnostics)
        : kind == SourceKind::Assembly ? assemble(path, options("-g"), diagnostics)
                                       : read_object(path);
    CodeObject object = load_code_object(elf, path.string());
    if (with_lines && !is_catalyst_binary(elf))
        object.lines = LineTable::read(elf, object.image.link_base, path.string());
    return object;
}

}  // namespace archipelago::host
