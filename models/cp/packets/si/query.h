// SPDX-License-Identifier: Apache-2.0
// Counters of queries lie in pairs of qwords: at the begin and at the end of a query. Bit 63 of a
// counter says that it has been written; depth blocks that do not exist have it set by the driver.
// "Radeon Southern Islands Acceleration" 2.7.4, 2.8.7.
#pragma once

#include <string>

#include "models/cp/pm4/operations.h"

namespace archipelago::cp::si {

constexpr uint64_t kPairBytes = 16;
constexpr unsigned kDepthPairs = 8;           // 2.8.7: the set has eight
constexpr uint32_t kCounterValid = 1u << 31;  // of the upper dword

// Reads pair p.index of those from `start` on.
inline bool read_pair(const ProgramState& p, MicroOp& op, uint64_t start) {
    return read_memory(op, start + kPairBytes * p.index, 4);
}

inline bool pair_is_there(const ProgramState& p) {
    return (p.result.data[1] & p.result.data[3] & kCounterValid) != 0;
}

// Second minus first counter of the pair.
inline uint64_t pair_difference(const ProgramState& p) {
    const auto counter = [&p](unsigned i) {
        return uint64_t{p.result.data[i + 1] & ~kCounterValid} << 32 | p.result.data[i];
    };
    return counter(2) - counter(0);
}

// What a packet whose first fields are the address of the pairs waits for.
inline std::string describe_pairs(const PacketInfo& info, const uint32_t* body, uint32_t) {
    const PacketField& low = info.fields[0];
    const uint64_t start =
        uint64_t{info.fields[1].in(body)} << 32 | (body[low.dword - 1] & low.mask());
    return ": counters from " + hex(start) + " on to be written";
}

}  // namespace archipelago::cp::si
