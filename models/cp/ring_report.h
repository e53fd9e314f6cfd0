// SPDX-License-Identifier: Apache-2.0
// Where the rings stand, for the report of a machine that hangs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/ring_name.h"
#include "models/front/stream_reader.h"

namespace archipelago::cp {

using front::kBeyondWritePointer;

// Begins what a unit says of a ring in waiting_for(): "ring gfx: ", after what it says of others.
inline void begin_ring(std::string& text, unsigned ring) {
    text += (text.empty() ? "ring " : "; ring ") + std::string(ring_name(ring)) + ": ";
}

struct RingReport {
    std::string ring;   // its name
    uint32_t read = 0;  // dwords
    uint32_t write = 0;
    uint32_t dwords = 0;  // size; 0: never set up
    bool enabled = false;
    std::string engine;               // which has the packet: "ME", "PFP"; empty: between packets
    std::string place;                // of the packet
    std::string packet;               // as the log writes it
    std::string waits_for;            // values polled among it; empty: for nothing that is known
    std::vector<std::string> events;  // in the pipe, oldest first
    std::vector<std::string> end_of_pipe;  // commands that wait, oldest first
};

struct CpReport {
    std::vector<RingReport> rings;
    unsigned context = 0;                // render context of the next draw
    std::vector<unsigned> contexts;      // in the pipe
    std::vector<std::string> constants;  // what the constant engine waits for
};

}  // namespace archipelago::cp
