// SPDX-License-Identifier: Apache-2.0
// Parameters of the CTM memory controller.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/ctm/mc/address_spec.h"
#include "models/ctm/mc/mc_registers.h"
#include "models/tc/cache_array.h"

namespace archipelago::ctm {

// Latencies in cycles, at least 1.
struct CacheSpec {
    tc::CacheGeometry geometry{16, 4};
    unsigned lookups = 4;       // lines looked up in a cycle, of all its ports
    unsigned hit_latency = 1;   // lookup to answer leaving
    unsigned fill_latency = 1;  // line arriving to answer leaving
    unsigned fetches = 16;      // lines on their way
    unsigned writes = 16;       // to memory and not acknowledged
    unsigned queue = 8;         // requests that wait for the way to memory

    static constexpr unsigned kMinBytes = 4096;
    // Requests that enter the queue in one cycle: in the cache that is read and written, a fetch
    // after the write-back of the line whose place it takes.
    static constexpr unsigned least_queue(CacheId id) { return id == CacheId::Conditional ? 2 : 1; }
};

// Addresses that the host shares, downstream of a link of its own.
struct SystemSpec {
    uint32_t base = 0;  // bytes
    uint64_t size = 0;  // bytes; 0: there is none
    unsigned bytes_per_cycle = 4;
    bool has(uint64_t address) const { return address - base < size; }
};

struct McSpec {
    unsigned arrays = 4;
    AddressSpec address;
    ChannelSpec addresses{4, 1};  // of an address unit, back
    unsigned requests = 16;       // of a port, with their addresses and not answered
    unsigned lines_per_quad = 4;  // looked up in a cycle for a port
    unsigned return_bytes = 16;   // of elements, a port and cycle
    std::array<CacheSpec, kCaches> caches;
    unsigned invalidate_cycles = 1;  // a cache is not looked up
    unsigned local_ports = 2;        // to local memory, a line each a cycle; even and odd lines
    SystemSpec system;
    ChannelSpec elements{4, 1};  // queues in front of the ports
    ChannelSpec words{4, 1};
    ChannelSpec commands{4, 1};
    ChannelSpec memory_requests{4, 1};  // of the PE
    ChannelSpec local_responses{16, 1};
    ChannelSpec system_responses{16, 1};  // its latency is that of the link
    bool allow_undefined = false;  // 2x2 reads of several channels, writes outside of an output

    static constexpr unsigned kMaxArrays = 8;
    static constexpr unsigned kMaxLocalPorts = 8;

    // What is wrong, one sentence each.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::ctm
