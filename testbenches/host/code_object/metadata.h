// SPDX-License-Identifier: Apache-2.0
// Code-object metadata: what the compiler says about each kernel and its arguments.
// Source: LLVM AMDGPUUsage, "Code Object V3/V4/V5 Metadata".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace archipelago::host {

// What kind of number an argument is, where that is known.
enum class ArgNumber : uint8_t { Unknown, Integer, Real };

// Sizes and offsets in bytes; offsets from the start of the kernarg segment.
struct KernelArg {
    std::string name;        // empty unless compiled with -cl-kernel-arg-info
    std::string type_name;   // as written in the source; may be empty
    std::string value_kind;  // as written in the metadata
    uint32_t offset = 0;
    uint32_t size = 0;
    uint32_t pointee_align = 0;  // dynamic_shared_pointer: alignment of the LDS space; 0: not given
    std::string address_space;   // "global", "local", ...; empty for values
    bool is_const = false;
    uint32_t buffer = 0;  // uav_buffer, constant_buffer of Catalyst's binaries: which one
    ArgNumber number = ArgNumber::Unknown;  // of a value, by its type's name
};

struct KernelMetadata {
    std::string name;
    std::string symbol;  // of the kernel descriptor, "<name>.kd"
    std::string language;
    std::array<uint32_t, 2> language_version{};
    std::vector<KernelArg> args;
    uint32_t kernarg_segment_size = 0;
    uint32_t kernarg_segment_align = 4;
    uint32_t group_segment_fixed_size = 0;    // bytes of LDS per work-group
    uint32_t private_segment_fixed_size = 0;  // bytes of scratch per work-item
    uint32_t wavefront_size = 64;
    uint32_t sgpr_count = 0;
    uint32_t vgpr_count = 0;
    uint32_t max_flat_workgroup_size = 1024;
    std::optional<std::array<uint32_t, 3>> reqd_workgroup_size;
    bool uses_dynamic_stack = false;
};

struct Metadata {
    std::array<uint32_t, 2> version{};  // 1.0: code object v3, 1.1: v4, 1.2: v5
    std::string target;
    std::vector<KernelMetadata> kernels;
};

// Reads a msgpack note. `file` names the object, `offset` is where the note's contents start in it.
Metadata read_metadata(const std::vector<uint8_t>& note, const std::string& file, uint64_t offset);

}  // namespace archipelago::host
