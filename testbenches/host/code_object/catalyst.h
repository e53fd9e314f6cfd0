// SPDX-License-Identifier: Apache-2.0
// Binaries of the OpenCL 1.2 compiler in AMD's Catalyst drivers: an outer ELF file whose symbols
// name, for each kernel, a text about its arguments and an inner ELF file with the code and the
// notes that say how a dispatch sets it up. Source: CLRX's documents of the format and of the ABI
// (doc/ClrxAsmAmd, doc/AmdAbi), Multi2Sim's reading of the metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace archipelago::host {

struct CodeObject;
struct CodeSection;
struct KernelMetadata;

// What a group of user SGPRs holds, by the numbers of the notes.
enum class CatalystClass : uint32_t {
    ImmConstBuffer = 2,          // 4: resource of a constant buffer
    ImmUav = 4,                  // 4: resource of a UAV
    PtrConstBufferTable = 0x14,  // 2: address of 4 dwords for each constant buffer
    PtrUavTable = 0x17,          // 2: address of 8 dwords for each UAV
};

struct CatalystUserData {
    CatalystClass what{};
    uint32_t slot = 0;   // which buffer
    uint32_t first = 0;  // SGPR
    uint32_t count = 0;
};

struct CatalystKernel {
    std::vector<CatalystUserData> user_data;
    bool wide = false;  // pointers of 64 bits
    // The constants of the program, in the image; constant buffer 2 and, in newer drivers, a UAV.
    uint64_t constants_offset = 0;
    uint32_t constants_bytes = 0;
    std::optional<uint32_t> constants_uav;
};

bool is_catalyst_binary(const std::vector<uint8_t>& file);

// Throws CodeObjectError for what is malformed, made for other chips, or has what is not supported
// here: images, samplers, counters, scratch memory.
CodeObject load_catalyst_binary(const std::vector<uint8_t>& file, const std::string& name);

// The code of each kernel, for listings.
std::vector<CodeSection> read_catalyst_code(const std::vector<uint8_t>& file,
                                            const std::string& name);

// Reads the text about a kernel; `kernel` receives what it says beyond `metadata`: 64-bit pointers
// and the UAV of the program's constants.
struct CatalystText {
    bool needs_constants = false;
};
CatalystText read_catalyst_metadata(const std::string& text, const std::string& where,
                                    KernelMetadata& metadata, CatalystKernel& kernel);

}  // namespace archipelago::host
