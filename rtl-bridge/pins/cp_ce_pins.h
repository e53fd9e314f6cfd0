// SPDX-License-Identifier: Apache-2.0
// Pins of the constant engine of the command processor; documented in rtl-bridge/rtl/cp_ce.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CpCePins {
    static constexpr const char* kName = "cp_ce";
    static constexpr unsigned kRings = 3;
    static constexpr unsigned kWords = 16;  // of a line
    static constexpr unsigned kPackets = 10;

    using Words = std::array<uint32_t, kWords>;
    // Static: they change with the block in reset only.
    struct Config {
        uint8_t packet_cycles = 1;  // of microcode, at least 1
        uint8_t reads = 1;          // lines being loaded, at least 1
        uint8_t writes = 1;         // dumped lines not confirmed, at least 1
        uint8_t sets = 2;           // constant sets whose writes are counted apart, 2 to 8
        uint16_t cs1 = 0, cs2 = 0;  // partitions after reset: byte offsets, multiples of 64
        std::array<uint8_t, kPackets> opcodes{};  // of packets, by number; 0: has none
    };
    struct Stream {
        uint8_t valid = 0;
        uint32_t dword = 0;
        uint8_t vmid = 0;
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
        std::array<Stream, kRings> stream;
        uint8_t de_valid = 0;
        Message de;
        uint8_t rsp_valid = 0;
        Response rsp;
        uint8_t req_ready = 0;
        uint8_t grant_ready = 0;
    };
    struct Out {
        std::array<uint8_t, kRings> stream_ready{};  // the dword is taken
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

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, packet_cycles, config.packet_cycles, 8);
        ARCHIPELAGO_PIN(cfg, reads, config.reads, 8);
        ARCHIPELAGO_PIN(cfg, writes, config.writes, 8);
        ARCHIPELAGO_PIN(cfg, sets, config.sets, 4);
        ARCHIPELAGO_PIN(cfg, cs1, config.cs1, 16);
        ARCHIPELAGO_PIN(cfg, cs2, config.cs2, 16);
        ARCHIPELAGO_PIN(cfg, opcodes, config.opcodes, 8);
        ARCHIPELAGO_PIN(stream0, valid, stream[0].valid, 1);
        ARCHIPELAGO_PIN(stream0, dword, stream[0].dword, 32);
        ARCHIPELAGO_PIN(stream0, vmid, stream[0].vmid, 8);
        ARCHIPELAGO_PIN(stream1, valid, stream[1].valid, 1);
        ARCHIPELAGO_PIN(stream1, dword, stream[1].dword, 32);
        ARCHIPELAGO_PIN(stream1, vmid, stream[1].vmid, 8);
        ARCHIPELAGO_PIN(stream2, valid, stream[2].valid, 1);
        ARCHIPELAGO_PIN(stream2, dword, stream[2].dword, 32);
        ARCHIPELAGO_PIN(stream2, vmid, stream[2].vmid, 8);
        ARCHIPELAGO_PIN(de, valid, de_valid, 1);
        ARCHIPELAGO_PIN(de, ring, de.ring, 2);
        ARCHIPELAGO_PIN(de, kind, de.kind, 3);
        ARCHIPELAGO_PIN(de, buffer, de.buffer, 1);
        ARCHIPELAGO_PIN(de, flags, de.flags, 2);
        ARCHIPELAGO_PIN(grant, ready, grant_ready, 1);
        ARCHIPELAGO_PIN(req, ready, req_ready, 1);
        ARCHIPELAGO_PIN(rsp, valid, rsp_valid, 1);
        ARCHIPELAGO_PIN(rsp, status, rsp.status, 2);
        ARCHIPELAGO_PIN(rsp, tag, rsp.tag, 16);
        ARCHIPELAGO_PIN(rsp, data, rsp.data, 32);
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(stream0, ready, stream_ready[0], 1);
        ARCHIPELAGO_PIN(stream1, ready, stream_ready[1], 1);
        ARCHIPELAGO_PIN(stream2, ready, stream_ready[2], 1);
        ARCHIPELAGO_PIN(de, ready, de_ready, 1);
        ARCHIPELAGO_PIN(grant, valid, grant_valid, 1);
        ARCHIPELAGO_PIN(grant, ring, grant_ring, 2);
        ARCHIPELAGO_PIN(grant, kind, grant_kind, 3);
        ARCHIPELAGO_PIN(grant, buffer, grant_buffer, 1);
        ARCHIPELAGO_PIN(req, valid, req_valid, 1);
        ARCHIPELAGO_PIN(req, write, req.write, 1);
        ARCHIPELAGO_PIN(req, line, req.line, 58);
        ARCHIPELAGO_PIN(req, mask, req.mask, 16);
        ARCHIPELAGO_PIN(req, vmid, req.vmid, 8);
        ARCHIPELAGO_PIN(req, tag, req.tag, 16);
        ARCHIPELAGO_PIN(req, data, req.data, 32);
        ARCHIPELAGO_PIN(rsp, ready, rsp_ready, 1);
        ARCHIPELAGO_PIN(done, valid, done_valid, 1);
        ARCHIPELAGO_PIN(done, ring, done_ring, 2);
        ARCHIPELAGO_PIN(done, packet, done_packet, 4);
        ARCHIPELAGO_PIN(state, reason, reason, 4);
        ARCHIPELAGO_PIN(state, active, active, 1);
        ARCHIPELAGO_PIN(stop, valid, stop_valid, 1);
        ARCHIPELAGO_PIN(stop, ring, stop_ring, 2);
        ARCHIPELAGO_PIN(stop, code, stop_code, 4);
        ARCHIPELAGO_PIN(stop, info, stop_info, 32);
    }
};

}  // namespace archipelago::rtl
