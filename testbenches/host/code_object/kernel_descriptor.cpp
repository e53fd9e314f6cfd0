// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/kernel_descriptor.h"

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

// SGPRs of each UserSgprKind, whose number is also its bit of kernel_code_properties.
constexpr uint8_t kUserSgprs[] = {4, 2, 2, 2, 2, 2, 1};

constexpr uint16_t kWave32 = 1u << 10;
constexpr uint16_t kDynamicStack = 1u << 11;
constexpr uint16_t kKnownProperties = 0x7f | kWave32 | kDynamicStack;

// RSRC1: PRIORITY, PRIV, DEBUG_MODE, BULKY, CDBG_USER and the reserved bits above belong to the
// command processor and the driver. RSRC2: LDS_SIZE does too.
constexpr uint32_t kRsrc1Reserved = 0xff500c00;
constexpr uint32_t kRsrc2LdsSize = 0x1ff << 15;
constexpr uint32_t kRsrc2Reserved = 0x80000000;

}  // namespace

KernelDescriptor decode_kernel_descriptor(const uint8_t* bytes, const std::string& where) {
    const auto word = [&](unsigned offset) {
        return static_cast<uint32_t>(load_le(bytes + offset, 4));
    };
    KernelDescriptor d;
    d.group_segment_fixed_size = word(0);
    d.private_segment_fixed_size = word(4);
    d.kernarg_size = word(8);
    d.code_entry_offset = static_cast<int64_t>(load_le(bytes + 16, 8));
    d.pgm_rsrc1 = word(48);
    d.pgm_rsrc2 = word(52);
    d.properties = static_cast<uint16_t>(load_le(bytes + 56, 2));
    d.uses_dynamic_stack = (d.properties & kDynamicStack) != 0;

    if (d.kernarg_size > kMaxKernarg)
        refuse(where, "kernarg size {} exceeds {}", d.kernarg_size, kMaxKernarg);
    if (word(44) != 0)
        refuse(where, "COMPUTE_PGM_RSRC3 is 0x{:x}; GFX6 has none", word(44));
    if ((d.properties & ~kKnownProperties) != 0)
        refuse(where, "kernel code properties 0x{:04x} have reserved bits set", d.properties);
    if ((d.properties & kWave32) != 0)
        refuse(where, "asks for waves of 32 lanes; GFX6 has 64");
    if ((d.pgm_rsrc1 & kRsrc1Reserved) != 0)
        refuse(where, "COMPUTE_PGM_RSRC1 0x{:08x} sets fields reserved for the dispatcher",
               d.pgm_rsrc1);
    if ((d.pgm_rsrc2 & (kRsrc2Reserved | kRsrc2LdsSize)) != 0)
        refuse(
            where,
            "COMPUTE_PGM_RSRC2 0x{:08x} sets LDS_SIZE or reserved bits, which the dispatcher fills",
            d.pgm_rsrc2);
    uint32_t next = 0;
    for (unsigned bit = 0; bit < std::size(kUserSgprs); ++bit)
        if ((d.properties >> bit & 1) != 0) {
            d.user_sgprs.push_back(
                {static_cast<UserSgprKind>(bit), static_cast<uint8_t>(next), kUserSgprs[bit]});
            next += kUserSgprs[bit];
        }
    if (d.user_sgpr_count() > kMaxUserSgprs)
        refuse(where, "COMPUTE_PGM_RSRC2.USER_SGPR {} exceeds {}", d.user_sgpr_count(),
               kMaxUserSgprs);
    if (next > d.user_sgpr_count())
        refuse(
            where,
            "kernel code properties 0x{:04x} need {} user SGPRs, COMPUTE_PGM_RSRC2.USER_SGPR is {}",
            d.properties, next, d.user_sgpr_count());
    return d;
}

}  // namespace archipelago::host
