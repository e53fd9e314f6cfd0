// SPDX-License-Identifier: Apache-2.0
// The pins of an AXI4 port, as wide as AXI4 allows; AxiSpec says how much of them exists. One
// struct per driving side. AXI4-Lite uses the same pins with single full-width transfers.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace archipelago::adapters {

constexpr unsigned kMaxDataBytes = 128;  // 1024 bits

// Byte lane n is bits 8n+7..8n of the data pins.
using DataLanes = std::array<uint8_t, kMaxDataBytes>;

// One bit per byte lane.
struct StrobeLanes {
    std::array<uint64_t, 2> bits{};
    bool operator[](unsigned lane) const { return (bits[lane / 64] >> (lane % 64) & 1) != 0; }
    void set(unsigned lane) { bits[lane / 64] |= uint64_t{1} << (lane % 64); }
    void set_range(unsigned first, unsigned count) {
        for (unsigned i = first; i < first + count; ++i)
            set(i);
    }
    bool operator==(const StrobeLanes& o) const { return bits == o.bits; }
    bool operator!=(const StrobeLanes& o) const { return !(*this == o); }
};

// AxBURST (A3.4.1).
enum class AxiBurst : uint8_t { Fixed = 0, Incr = 1, Wrap = 2, Reserved = 3 };
// xRESP (A3.4.4).
enum class AxiResp : uint8_t { Okay = 0, ExOkay = 1, SlvErr = 2, DecErr = 3 };

// What an address carries besides the transfer itself (A4, A8). Initiators pass it on unchanged.
struct AxiAttributes {
    uint8_t lock = 0;    // 1 bit: exclusive access
    uint8_t cache = 0;   // 4 bits
    uint8_t prot = 0;    // 3 bits
    uint8_t qos = 0;     // 4 bits
    uint8_t region = 0;  // 4 bits
    uint64_t user = 0;   // AxUSER, up to 64 bits of it
    bool operator==(const AxiAttributes& o) const {
        return lock == o.lock && cache == o.cache && prot == o.prot && qos == o.qos &&
               region == o.region && user == o.user;
    }
};

// AW or AR.
struct AxiAddressPins {
    bool valid = false;
    uint32_t id = 0;
    uint64_t addr = 0;
    uint8_t len = 0;   // transfers - 1
    uint8_t size = 0;  // bytes of a transfer as power of two, 3 bits
    AxiBurst burst = AxiBurst::Incr;
    AxiAttributes attributes;
    bool same_payload(const AxiAddressPins& o) const {
        return id == o.id && addr == o.addr && len == o.len && size == o.size && burst == o.burst &&
               attributes == o.attributes;
    }
};

struct AxiWritePins {
    bool valid = false;
    bool last = false;
    StrobeLanes strb;
    DataLanes data{};
    bool same_payload(const AxiWritePins& o) const {
        return last == o.last && strb == o.strb && data == o.data;
    }
};

struct AxiResponsePins {
    bool valid = false;
    uint32_t id = 0;
    AxiResp resp = AxiResp::Okay;
    bool same_payload(const AxiResponsePins& o) const { return id == o.id && resp == o.resp; }
};

struct AxiReadPins {
    bool valid = false;
    bool last = false;
    uint32_t id = 0;
    AxiResp resp = AxiResp::Okay;
    DataLanes data{};
    bool same_payload(const AxiReadPins& o) const {
        return last == o.last && id == o.id && resp == o.resp && data == o.data;
    }
};

// Driven by the initiator (manager).
struct AxiInitiatorPins {
    AxiAddressPins aw, ar;
    AxiWritePins w;
    bool bready = false, rready = false;
};

// Driven by the target (subordinate).
struct AxiTargetPins {
    bool awready = false, wready = false, arready = false;
    AxiResponsePins b;
    AxiReadPins r;
};

}  // namespace archipelago::adapters
