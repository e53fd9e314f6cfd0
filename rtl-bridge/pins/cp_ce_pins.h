// SPDX-License-Identifier: Apache-2.0
// Pins of the constant engine of the command processor; documented in rtl-bridge/rtl/cp_ce.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CpCePins {
    static constexpr const char* kName = "cp_ce";
    static constexpr Elastic kElastic{
        "", "", "", "",
        "which ring has its turn, and so what waits for what, follows from the cycles"};
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
        ARCHIPELAGO_PIN(cfg, packet_cycles, config.packet_cycles, 8,
                        "cycles of microcode a packet takes, at least 1");
        ARCHIPELAGO_PIN(cfg, reads, config.reads, 8, "lines being loaded at most, at least 1");
        ARCHIPELAGO_PIN(cfg, writes, config.writes, 8,
                        "dumped lines not confirmed at most, at least 1");
        ARCHIPELAGO_PIN(cfg, sets, config.sets, 4,
                        "constant sets whose writes are counted apart, 2 to 8");
        ARCHIPELAGO_PIN(
            cfg, cs1, config.cs1, 16,
            "byte offset of ring 1's partition of CE RAM after reset, a multiple of 64");
        ARCHIPELAGO_PIN(cfg, cs2, config.cs2, 16, "byte offset of ring 2's partition");
        ARCHIPELAGO_PIN(cfg, opcodes, config.opcodes, 8,
                        "opcode of packet n; 0: the chip does not have it");
        ARCHIPELAGO_PIN(stream0, valid, stream[0].valid, 1,
                        "a dword of ring 0's constant buffer is there");
        ARCHIPELAGO_PIN(stream0, dword, stream[0].dword, 32, "the dword");
        ARCHIPELAGO_PIN(stream0, vmid, stream[0].vmid, 8, "with a header: VMID of the buffer");
        ARCHIPELAGO_PIN(stream1, valid, stream[1].valid, 1,
                        "a dword of ring 1's constant buffer is there");
        ARCHIPELAGO_PIN(stream1, dword, stream[1].dword, 32, "the dword");
        ARCHIPELAGO_PIN(stream1, vmid, stream[1].vmid, 8, "with a header: VMID of the buffer");
        ARCHIPELAGO_PIN(stream2, valid, stream[2].valid, 1,
                        "a dword of ring 2's constant buffer is there");
        ARCHIPELAGO_PIN(stream2, dword, stream[2].dword, 32, "the dword");
        ARCHIPELAGO_PIN(stream2, vmid, stream[2].vmid, 8, "with a header: VMID of the buffer");
        ARCHIPELAGO_PIN(de, valid, de_valid, 1, "a message of the drawing engine is there");
        ARCHIPELAGO_PIN(de, ring, de.ring, 2, "its ring");
        ARCHIPELAGO_PIN(de, kind, de.kind, 3, "cp::DeKind: what it says");
        ARCHIPELAGO_PIN(de, buffer, de.buffer, 1, "number of the buffer it is about");
        ARCHIPELAGO_PIN(de, flags, de.flags, 2, "DE's flags of the buffers, by bit");
        ARCHIPELAGO_PIN(grant, ready, grant_ready, 1, "the drawing engine takes a message");
        ARCHIPELAGO_PIN(req, ready, req_ready, 1, "memory takes a request");
        ARCHIPELAGO_PIN(rsp, valid, rsp_valid, 1, "an answer of memory is there");
        ARCHIPELAGO_PIN(rsp, status, rsp.status, 2, "0: good, else MemStatus");
        ARCHIPELAGO_PIN(rsp, tag, rsp.tag, 16, "that of the request");
        ARCHIPELAGO_PIN(rsp, data, rsp.data, 32, "the line of a read");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(stream0, ready, stream_ready[0], 1, "the dword is taken");
        ARCHIPELAGO_PIN(stream1, ready, stream_ready[1], 1, "the dword is taken");
        ARCHIPELAGO_PIN(stream2, ready, stream_ready[2], 1, "the dword is taken");
        ARCHIPELAGO_PIN(de, ready, de_ready, 1, "the message is taken");
        ARCHIPELAGO_PIN(grant, valid, grant_valid, 1, "DE need not wait any longer");
        ARCHIPELAGO_PIN(grant, ring, grant_ring, 2, "its ring");
        ARCHIPELAGO_PIN(grant, kind, grant_kind, 3, "cp::DeKind of what it waited for");
        ARCHIPELAGO_PIN(grant, buffer, grant_buffer, 1, "number of the buffer it is about");
        ARCHIPELAGO_PIN(req, valid, req_valid, 1, "a request to memory");
        ARCHIPELAGO_PIN(req, write, req.write, 1, "a write, else a read");
        ARCHIPELAGO_PIN(req, line, req.line, 58, "byte address / 64");
        ARCHIPELAGO_PIN(req, mask, req.mask, 16, "dwords of the line");
        ARCHIPELAGO_PIN(req, vmid, req.vmid, 8, "VMID of the address");
        ARCHIPELAGO_PIN(req, tag, req.tag, 16,
                        "bits 1:0 ring, 2 write; writes: 5:3 constant set; reads: 13:3 address in "
                        "RAM / 32, 14 upper half, 15 both halves");
        ARCHIPELAGO_PIN(req, data, req.data, 32, "the line of a write");
        ARCHIPELAGO_PIN(rsp, ready, rsp_ready, 1, "the answer is taken");
        ARCHIPELAGO_PIN(done, valid, done_valid, 1, "a packet ends");
        ARCHIPELAGO_PIN(done, ring, done_ring, 2, "its ring");
        ARCHIPELAGO_PIN(done, packet, done_packet, 4, "its number in the list of cfg_opcodes");
        ARCHIPELAGO_PIN(state, reason, reason, 4,
                        "cp::CeReason: why ring n in a packet does not move");
        ARCHIPELAGO_PIN(state, active, active, 1, "something moves, or will without an input");
        ARCHIPELAGO_PIN(stop, valid, stop_valid, 1, "a rule is broken; silence until reset");
        ARCHIPELAGO_PIN(stop, ring, stop_ring, 2, "the ring at fault");
        ARCHIPELAGO_PIN(stop, code, stop_code, 4, "cp::CeStop: which rule");
        ARCHIPELAGO_PIN(stop, info, stop_info, 32, "what CeStop says of the code");
    }
};

}  // namespace archipelago::rtl
