// SPDX-License-Identifier: Apache-2.0
// Everything a host must know to launch a kernel on GFX6: kernarg segment, AQL dispatch packet,
// user SGPRs, COMPUTE_PGM_RSRC words, LDS and scratch sizes.
// Source: LLVM AMDGPUUsage "Kernel Dispatch", "Kernarg", "Initial Kernel Execution State"; HSA
// Platform System Architecture 1.2, "AQL kernel dispatch packet".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/code_object.h"

namespace archipelago::host {

// One explicit kernel argument.
struct BufferArg {
    uint64_t address = 0;
    uint64_t bytes = 0;  // 0: not said
};
struct ScalarArg {
    std::vector<uint8_t> bytes;  // little-endian, exactly as long as the parameter
    ArgNumber number = ArgNumber::Unknown;
};
struct LocalArg {
    uint32_t bytes = 0;  // LDS space after a `local` pointer
};
// The address of the descriptor of an image or a sampler (opencl_images.h).
struct DescriptorArg {
    uint64_t address = 0;
    bool sampler = false;
};
using ArgValue = std::variant<BufferArg, ScalarArg, LocalArg, DescriptorArg>;

// scalar_arg(2.0f), scalar_arg(int8_t{3}): the bytes of an arithmetic value.
template <typename T>
ScalarArg scalar_arg(T value) {
    static_assert(std::is_arithmetic_v<T> && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    const auto bytes = bit_cast<std::array<uint8_t, sizeof value>>(value);
    return {{bytes.begin(), bytes.end()}, ArgNumber::Unknown};
}

// In work-items. The last group of a dimension may be partial.
struct LaunchGeometry {
    std::array<uint32_t, 3> global_size{1, 1, 1};
    std::array<uint32_t, 3> local_size{1, 1, 1};
    std::array<uint64_t, 3> global_offset{0, 0, 0};
    // 1..3; 0 means the highest dimension whose global size is not 1.
    uint32_t dimensions = 0;
};

// Addresses hidden arguments may carry; 0 where the host has no such thing.
struct HiddenAddresses {
    uint64_t printf_buffer = 0;
    uint64_t hostcall_buffer = 0;
    uint64_t default_queue = 0;
    uint64_t completion_action = 0;
    uint64_t multigrid_sync = 0;
    uint64_t heap = 0;
    uint64_t queue = 0;
};

// LDS one work-group may have on GFX6, and the unit COMPUTE_PGM_RSRC2.LDS_SIZE counts in.
constexpr uint32_t kMaxGroupSegmentBytes = 32768;
constexpr uint32_t kLdsGranuleBytes = 256;
constexpr uint32_t kMaxGroupItems = 1024;
constexpr uint32_t kScratchGranuleBytes = 1024;  // COMPUTE_TMPRING_SIZE.WAVESIZE unit
constexpr uint32_t kMaxScratchBytesPerWave = 0x1fff * kScratchGranuleBytes;

// What a launch puts into user SGPRs or into the kernarg segment once addresses are known: a buffer
// resource of four dwords, or the address of a table in two.
struct PlacedBuffer {
    enum class Base : uint8_t { Memory, Kernarg, Image };
    bool into_kernarg = false;
    uint32_t place = 0;  // byte of the segment, or SGPR
    bool resource = true;
    Base base = Base::Memory;
    uint64_t offset = 0;  // from the base
    uint32_t bytes = 0;   // range of a resource
};

struct DispatchPlan {
    std::string kernel;
    uint64_t entry_offset = 0;       // in the image; a multiple of 256
    uint64_t descriptor_offset = 0;  // in the image; the packet's kernel object
    uint32_t pgm_rsrc1 = 0;
    uint32_t pgm_rsrc2 = 0;  // LDS_SIZE filled in
    uint32_t user_sgpr_count = 0;
    std::vector<UserSgpr> user_sgprs;
    std::vector<PlacedBuffer> buffers;       // of Catalyst's binaries
    std::vector<uint8_t> kernarg;            // without what `buffers` places there
    uint32_t kernarg_align = 16;             // bytes
    uint32_t group_segment_bytes = 0;        // fixed plus dynamic, before rounding to granules
    uint32_t scratch_bytes_per_lane = 0;     // private segment of one work-item
    uint32_t scratch_bytes_per_wave = 0;     // 64 of them, rounded to the granule
    uint32_t dimensions = 1;                 // 1..3
    LaunchGeometry geometry;                 // as requested
    std::array<uint32_t, 3> group_count{};   // partial groups included
    std::array<uint32_t, 3> partial_size{};  // work-items in the last group; 0: it is full
};

struct KernargSegment {
    std::vector<uint8_t> bytes;
    uint32_t group_segment_bytes = 0;  // fixed plus LocalArg values
};

// Lays out explicit and hidden arguments. Errors name the kernel, the argument's number and name.
KernargSegment build_kernarg(const CodeObject& object, const Kernel& kernel,
                             const std::vector<ArgValue>& args, const LaunchGeometry& geometry,
                             const HiddenAddresses& hidden = {});

// Extra scratch bytes per work-item for kernels whose stack the compiler could not bound.
constexpr uint32_t kDynamicStackBytes = 4096;

// Checks a launch and computes all its numbers. Throws CodeObjectError.
DispatchPlan plan_dispatch(const CodeObject& object, const Kernel& kernel,
                           const std::vector<ArgValue>& args, const LaunchGeometry& geometry,
                           const HiddenAddresses& hidden = {},
                           uint32_t dynamic_stack_bytes = kDynamicStackBytes);

constexpr uint32_t kDispatchPacketBytes = 64;

// The packet get_local_size() and friends read. `image_base` is where CodeObject::image_at put the
// image.
std::array<uint8_t, kDispatchPacketBytes> make_dispatch_packet(const DispatchPlan& plan,
                                                               uint64_t image_base,
                                                               uint64_t kernarg_address,
                                                               uint64_t completion_signal = 0);

// Where the host has put things.
struct DispatchAddresses {
    uint64_t kernarg = 0;
    uint64_t packet = 0;
    uint64_t queue = 0;
    uint64_t scratch = 0;  // of all waves
    uint64_t image = 0;
    uint64_t dispatch_id = 0;
};

// The kernarg segment as it is written to memory.
std::vector<uint8_t> make_kernarg(const DispatchPlan& plan, const DispatchAddresses& addresses);

// Values of the user SGPRs s0.. in order, as many as RSRC2.USER_SGPR says.
std::vector<uint32_t> make_user_sgprs(const DispatchPlan& plan, const DispatchAddresses& addresses);

// Buffer resource for scratch memory as LLVM's amdhsa ABI wants it on GFX6: swizzled, 64 lanes
// interleaved, elements of 4 bytes, lane number added, no range limit.
std::array<uint32_t, 4> make_scratch_descriptor(uint64_t address);

}  // namespace archipelago::host
