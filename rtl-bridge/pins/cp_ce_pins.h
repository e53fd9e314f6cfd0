// SPDX-License-Identifier: Apache-2.0
// Pins of the constant engine of the command processor; meanings stand in rtl-bridge/rtl/cp_ce.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CpCePins {
    static constexpr const char* kName = "cp_ce";
    static constexpr unsigned kRings = 3;
    static constexpr unsigned kWords = 16;  // of a line

    using Words = std::array<uint32_t, kWords>;
    // Static: they change with the block in reset only.
    struct Config {
        uint8_t packet_cycles = 1;  // of microcode, at least 1
        uint8_t reads = 1;          // lines being loaded, at least 1
        uint8_t writes = 1;         // dumped lines not confirmed, at least 1
        uint8_t sets = 2;           // constant sets whose writes are counted apart, 2 to 8
        uint16_t cs1 = 0, cs2 = 0;  // partitions after reset: byte offsets, multiples of 64
    };
    // DE's side of the synchronisation.
    struct Message {
        uint8_t ring = 0;
        uint8_t kind = 0;
        uint8_t buffer = 0;
        uint8_t flags = 0;
    };
    struct Response {
        uint8_t status = 0;  // 0: good
        uint16_t tag = 0;
        Words data{};
    };
    struct Request {
        uint8_t write = 0;
        uint64_t line = 0;  // byte address / 64
        uint16_t mask = 0;  // dwords of the line
        uint8_t vmid = 0;
        uint16_t tag = 0;
        Words data{};
    };

    struct In {
        uint8_t rst = 0;
        Config config;
        uint8_t stream_valid = 0;  // bit per ring
        std::array<uint32_t, kRings> stream_dword{};
        std::array<uint8_t, kRings> stream_vmid{};
        uint8_t de_valid = 0;
        Message de;
        uint8_t rsp_valid = 0;
        Response rsp;
        uint8_t req_ready = 0;
        uint8_t grant_ready = 0;
    };
    struct Out {
        uint8_t stream_ready = 0;  // bit per ring: the dword is taken
        uint8_t de_ready = 0;
        uint8_t rsp_ready = 0;
        uint8_t req_valid = 0;
        Request req;
        uint8_t grant_valid = 0;
        uint8_t grant_ring = 0;
        uint8_t grant_kind = 0;
        uint8_t grant_buffer = 0;
        uint8_t done_valid = 0;
        uint8_t done_ring = 0;
        uint8_t done_packet = 0;
        std::array<uint8_t, kRings> reason{};
        uint8_t active = 0;
        uint8_t stop_valid = 0;
        uint8_t stop_ring = 0;
        uint8_t stop_code = 0;
        uint32_t stop_info = 0;
    };
};

}  // namespace archipelago::rtl
