// SPDX-License-Identifier: Apache-2.0
// Parameters of CTM's processor execution unit.
#pragma once

#include <cstdint>

#include "models/common/channel.h"
#include "models/ctm/pe/domain_walk.h"

namespace archipelago::ctm {

enum class Distribution : uint8_t {
    RoundRobin,  // each array in its turn, which waits for a place in it
    FirstFree,   // the lowest-numbered array with a place
};

struct PeSpec {
    unsigned arrays = 4;
    WalkSpec walk;
    Distribution distribution = Distribution::RoundRobin;
    bool allow_undefined = false;
    uint32_t register_base = 0;     // bytes; where the window is on the register bus
    uint8_t interrupt_source = 0;   // Interrupt::source_id of a consumed buffer
    unsigned command_cycles = 4;    // from a command's last dword to its effect
    unsigned fetch_lines = 8;       // of the buffer, asked for and not used up
    unsigned quads_per_cycle = 4;   // of a walk
    unsigned tests_in_flight = 16;  // quads at the CO
    unsigned submissions = 16;      // buffers that wait
    unsigned strobe_latency = 1;
    ChannelSpec registers{4, 1};
    ChannelSpec memory_response{8, 1};
    ChannelSpec condition{4, 1};  // results of the CO
    ChannelSpec done{4, 1};       // of each array

    static constexpr unsigned kMaxArrays = 16;
    static constexpr unsigned kMaxCommandCycles = 63;
    static constexpr unsigned kMaxFetchLines = 64;
    static constexpr unsigned kMaxTests = 256;
    static constexpr unsigned kMaxSubmissions = 4096;
    // Throws std::invalid_argument.
    void validate() const;
};

}  // namespace archipelago::ctm
