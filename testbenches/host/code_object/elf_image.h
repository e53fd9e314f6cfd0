// SPDX-License-Identifier: Apache-2.0
// An ELF64 AMDGPU shared object as a loader sees it: segments, symbols, dynamic relocations, notes.
// Source: System V ABI (ELF-64), LLVM AMDGPUUsage "ELF Code Object".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::host {

// Largest image (bytes of all segments including gaps) of a code object.
constexpr uint64_t kMaxImageBytes = 64u << 20;
// Images load at multiples of this many bytes (the page size lld aligns segments to).
constexpr uint64_t kImageAlign = 4096;
constexpr uint64_t kCodeAlign = 256;  // of a kernel: COMPUTE_PGM_LO holds address bits 39:8

// A loaded range; `offset` counts bytes from the start of the image.
struct ElfSegment {
    uint64_t offset = 0;
    uint64_t size = 0;
    bool executable = false;
    bool writable = false;
    bool holds(uint64_t begin, uint64_t bytes) const;
};

struct ElfSymbol {
    std::string name;
    uint64_t address = 0;  // as linked
    uint64_t size = 0;
    uint8_t type = 0;  // STT_*
};

// R_AMDGPU_* numbers that may appear in a linked object.
enum class RelocationType : uint32_t {
    None = 0,
    Abs32Lo = 1,
    Abs32Hi = 2,
    Abs64 = 3,
    Rel32 = 4,
    Rel64 = 5,
    Abs32 = 6,
    Rel32Lo = 10,
    Rel32Hi = 11,
    Relative64 = 13,
};

struct ElfRelocation {
    uint64_t offset = 0;  // of the place, from the start of the image
    RelocationType type = RelocationType::None;
    int64_t addend = 0;
    // The value of the symbol term: a linked address that moves with the image, or (undefined
    // weak and absolute symbols) a number that does not.
    uint64_t symbol = 0;
    bool symbol_moves = false;
};

struct ElfImage {
    uint8_t abi_version = 0;  // 1: code object v3, 2: v4, 3: v5
    uint32_t machine = 0;     // EF_AMDGPU_MACH number
    uint64_t link_base = 0;   // linked address of image byte 0, a multiple of kImageAlign
    std::vector<uint8_t> bytes;
    std::vector<ElfSegment> segments;
    std::vector<ElfSymbol> symbols;  // defined, named ones
    std::vector<ElfRelocation> relocations;
    bool has_metadata = false;
    std::vector<uint8_t> metadata;  // contents of NT_AMDGPU_METADATA (msgpack)
    uint64_t metadata_offset = 0;   // in the file

    // True when [offset, offset + size) lies in one loaded segment.
    bool loaded(uint64_t offset, uint64_t size) const;
    bool executable(uint64_t offset, uint64_t size) const;
};

// Reads `file`; `name` is how errors call it. Throws CodeObjectError on anything malformed and on
// anything that is not a GFX6 amdhsa shared object of code object version 3 to 5.
ElfImage read_elf_image(const std::vector<uint8_t>& file, const std::string& name);

// The image in memory when byte 0 is at `base` (a multiple of kImageAlign): all
// relocations applied. Throws CodeObjectError for a bad base or a value that does not fit.
std::vector<uint8_t> relocate_image(const ElfImage& image, uint64_t base, const std::string& name);

}  // namespace archipelago::host
