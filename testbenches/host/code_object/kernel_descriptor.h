// SPDX-License-Identifier: Apache-2.0
// The 64-byte kernel descriptor of code object v3 and later, as GFX6 reads it.
// Source: LLVM AMDGPUUsage "Kernel Descriptor"; register fields: SI COMPUTE_PGM_RSRC1/2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::host {

constexpr uint32_t kKernelDescriptorBytes = 64;
constexpr uint32_t kMaxUserSgprs = 16;

// What a group of user SGPRs holds when a wave starts, in the order they are placed from s0.
enum class UserSgprKind : uint8_t {
    PrivateSegmentBuffer,  // 4: buffer resource descriptor of the scratch memory
    DispatchPtr,           // 2: address of the AQL dispatch packet
    QueuePtr,              // 2: address of the AQL queue
    KernargSegmentPtr,     // 2: address of the kernarg segment
    DispatchId,            // 2: 64-bit number of the dispatch
    FlatScratchInit,       // 2: not on GFX6, which has no flat addressing
    PrivateSegmentSize,    // 1: scratch bytes per work-item
};

struct UserSgpr {
    UserSgprKind kind;
    uint8_t first;  // SGPR number
    uint8_t count;
};

// Bytes of arguments a kernel may have; compilers stay far below it.
constexpr uint32_t kMaxKernarg = 1u << 20;

struct KernelDescriptor {
    uint32_t group_segment_fixed_size = 0;    // bytes
    uint32_t private_segment_fixed_size = 0;  // bytes per work-item
    uint32_t kernarg_size = 0;                // bytes; 0 when the compiler did not say
    int64_t code_entry_offset = 0;            // bytes from the descriptor to the first instruction
    uint32_t pgm_rsrc1 = 0;
    uint32_t pgm_rsrc2 = 0;
    uint16_t properties = 0;
    bool uses_dynamic_stack = false;
    std::vector<UserSgpr> user_sgprs;

    // RSRC2.USER_SGPR: how many SGPRs the dispatch writes. May exceed what user_sgprs names; the
    // rest is unused.
    uint32_t user_sgpr_count() const { return pgm_rsrc2 >> 1 & 0x1f; }
    bool scratch_enabled() const { return (pgm_rsrc2 & 1) != 0; }
};

// Decodes and checks 64 bytes. Throws CodeObjectError naming `where`.
KernelDescriptor decode_kernel_descriptor(const uint8_t* bytes, const std::string& where);

}  // namespace archipelago::host
