// SPDX-License-Identifier: Apache-2.0
// Cycles of PFP or ME by ring and packet: each from the arrival of its header to its end. Packets
// of different rings take turns, so the cycles of one ring add up to time, those of all do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/clocked.h"
#include "models/cp/pm4/packet_table.h"

namespace archipelago::cp {

struct PacketTime {
    uint64_t count = 0;
    uint64_t cycles = 0;
    uint64_t most = 0;  // of one packet, cycles
};

struct PacketTimes {
    static constexpr size_t kOpcodes = 256;
    static constexpr size_t kKinds = kOpcodes + 2;  // type-3 by opcode, type-0, type-2

    std::vector<PacketTime> kinds;  // ring after ring

    void add(unsigned ring, uint32_t header, Cycle cycles) {
        const size_t kind = header_type(header) == 3   ? header_opcode(header)
                            : header_type(header) == 0 ? kOpcodes
                                                       : kOpcodes + 1;
        PacketTime& time = kinds[ring * kKinds + kind];
        ++time.count;
        time.cycles += cycles;
        time.most = std::max<uint64_t>(time.most, cycles);
    }
};

// What an engine spent on the packets of a kind in a ring.
struct PacketUse {
    const char* engine = "";  // "pfp", "me"
    unsigned ring = 0;
    const char* packet = "";
    PacketTime time;
};

// Adds those of `times` that there were.
void add_packet_uses(const PacketTable& table, const char* engine, const PacketTimes& times,
                     std::vector<PacketUse>& uses);

}  // namespace archipelago::cp
