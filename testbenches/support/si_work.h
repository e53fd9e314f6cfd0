// SPDX-License-Identifier: Apache-2.0
// Work for a chip of Southern Islands, for tests that stop it and run it again.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_writer.h"
#include "testbenches/host/rings/gcn_kernel.h"

namespace archipelago::host {

// A kernel whose lanes add 5 to the dwords that they read at the address in s[0:1], 64 of them, and
// store the sums 1024 bytes after it.
inline const std::vector<uint32_t> kAddFive = {
    0x34020082,              // v_lshlrev_b32 v1, 2, v0
    0xE0301000, 0x80000201,  // buffer_load_dword v2, v1, s[0:3]
    0xBF8C0F70,              // s_waitcnt vmcnt(0)
    0x4A040485,              // v_add_i32 v2, vcc, 5, v2
    0xE0701400, 0x80000201,  // buffer_store_dword v2 at 1024
    0xBF810000};             // s_endpgm

// Its launch in 20 groups, all of which work on the data at `data`.
inline GcnLaunch launch_add_five(uint64_t code, uint64_t data) {
    GcnLaunch launch;
    launch.code = code;
    launch.local_size = {64, 1, 1};
    launch.groups = {20, 1, 1};
    launch.rsrc1 = 4 | 1u << 6;
    launch.rsrc2 = 4u << 1;
    launch.user_sgprs = {static_cast<uint32_t>(data), static_cast<uint32_t>(data >> 32) & 0xFFFF,
                         0x1000, 0x00024FAC};
    return launch;
}

// A packet that waits until the dword at `address` is 1.
inline std::vector<uint32_t> wait_for_memory(uint64_t address) {
    return cp::PacketWriter(cp::si_packet_table())
        .packet("WAIT_REG_MEM")
        .set("FUNCTION", "EQUAL")
        .set("MEM_SPACE", "MEMORY")
        .address("POLL_ADDRESS", address)
        .set("REFERENCE", 1)
        .set("MASK", ~0u)
        .set("POLL_INTERVAL", 10);
}

}  // namespace archipelago::host
