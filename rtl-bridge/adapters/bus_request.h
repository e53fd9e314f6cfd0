// SPDX-License-Identifier: Apache-2.0
// What the adapter cores exchange with their shells: reads and writes of byte ranges, as a TLM-2.0
// generic payload says them.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl-bridge/adapters/axi_pins.h"

namespace archipelago::adapters {

enum class BusStatus : uint8_t {
    Ok,
    AddressError,     // DECERR
    Error,            // SLVERR
    ByteEnableError,  // a write with holes to a port without WSTRB: not sent
    BurstError,       // a shape the port cannot carry: not sent
    Timeout,          // no answer in AxiSpec::timeout cycles; whether it took effect is unknown
    Reset,            // reset while it was on the bus
};
const char* to_string(BusStatus status);

constexpr uint32_t kAnyId = ~uint32_t{0};

struct BusRequest {
    uint64_t tag = 0;  // the sender's; returned in the response
    bool write = false;
    uint64_t address = 0;
    uint32_t length = 0;  // bytes, at least 1
    // Bytes after which the address starts again, as TLM's streaming width; 0: never. A FIFO's.
    uint32_t streaming = 0;
    std::vector<uint8_t> data;    // writes: `length` bytes
    std::vector<uint8_t> enable;  // empty: all; else `length` bytes, 0 where nothing is written
    uint32_t id = kAnyId;
    AxiAttributes attributes;
    // Initiator adapter: first byte wanted, for a WRAP burst over a range that is a whole wrap.
    bool wrap = false;
    uint64_t wrap_start = 0;
    // Initiator adapter: bytes of a transfer, 0: as wide as AxiSpec says.
    unsigned beat_bytes = 0;
};

struct BusResponse {
    uint64_t tag = 0;
    BusStatus status = BusStatus::Ok;
    bool write = false;
    bool exclusive_ok = false;  // EXOKAY to an exclusive access (A7.2)
    std::vector<uint8_t> data;  // reads: as long as the request
};

// xorshift64*: the random choices of the adapters' test modes.
class AdapterRandom {
  public:
    explicit AdapterRandom(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u | 1) {}
    uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545F4914F6CDD1Du >> 16;
    }
    unsigned below(unsigned n) { return static_cast<unsigned>(next() % n); }
    bool percent(unsigned p) { return p != 0 && below(100) < p; }

  private:
    uint64_t state_;
};

}  // namespace archipelago::adapters
