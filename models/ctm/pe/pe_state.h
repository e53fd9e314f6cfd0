// SPDX-License-Identifier: Apache-2.0
// All that changes in the PE, but for its registers and the sequencer. Plain and serialisable.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/memory_message.h"
#include "models/ctm/command/command_reader.h"
#include "models/ctm/pe/domain_walk.h"
#include "models/ctm/pe/pe_settings.h"

namespace archipelago::ctm {

// A line of the buffer, asked for; in the buffer's order.
struct FetchedLine {
    uint64_t address = 0;  // bytes, of the first dword wanted
    uint8_t dwords = 0;    // from there on
    uint8_t used = 0;
    bool arrived = false;
    MemStatus status = MemStatus::Ok;
    Line data{};
};

struct PeState {
    struct Counters {
        uint64_t buffers = 0;
        uint64_t commands = 0;
        uint64_t starts = 0;
        uint64_t threads = 0;
        uint64_t quads = 0;
        uint64_t tests = 0;
        uint64_t quads_skipped = 0;
        uint64_t fetches = 0;
        uint64_t active_cycles = 0;
        uint64_t stall_dwords = 0;
        uint64_t stall_programs = 0;
        uint64_t stall_units = 0;
        uint64_t stall_receiver = 0;
        uint64_t stall_launch = 0;
    };
    // The buffer at work, as it is handed to the sequencer; for places and logs.
    CommandReader reader;
    bool open = false;
    uint32_t program_info = 0;
    std::deque<FetchedLine> lines;
    uint32_t fetched = 0;      // dwords of the buffer asked for
    uint32_t line_number = 0;  // tag of the oldest line
    Cycle command_began = 0;
    // Where the sequencer stalls, and since when.
    uint8_t wait = 0;
    Cycle wait_since = 0;

    DomainWalk walk;
    ThreadBuilder builder;
    bool walking = false;
    Cycle launch_since = kNever;        // a thread is not taken
    std::deque<WalkQuad> tested;        // at the CO, oldest first
    std::vector<uint32_t> outstanding;  // threads of each array
    uint32_t threads_out = 0;
    uint32_t next_array = 0;
    Cycle active_since = 0;  // while threads_out is not 0
    Cycle start_began = 0;

    PerfCounters perf;
    bool counters_sent = false;  // a write of them is on its way
    bool counters_done = false;
    uint64_t uid = 0;
    Counters counters;
};

}  // namespace archipelago::ctm
