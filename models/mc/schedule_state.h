// SPDX-License-Identifier: Apache-2.0
// Everything in the scheduler of a memory controller channel that changes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/clocked.h"
#include "models/common/host_line.h"
#include "models/mc/mc_spec.h"
#include "models/mc/wait_queue.h"

namespace archipelago::mc {

enum class Port : uint8_t { L2, Hub };

// Of a channel and its scheduler.
struct McCounters {
    uint64_t reads = 0;
    uint64_t writes = 0;
    uint64_t hub_requests = 0;
    uint64_t row_hits = 0;
    uint64_t row_misses = 0;
    uint64_t row_conflicts = 0;
    uint64_t activates = 0;
    uint64_t precharges = 0;
    uint64_t refreshes = 0;
    uint64_t turnarounds = 0;
    uint64_t write_drains = 0;
    uint64_t starved = 0;
    uint64_t order_waits = 0;
    uint64_t failed_accesses = 0;
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
    uint64_t data_bus_cycles = 0;
    uint64_t queue_cycles = 0;
    uint64_t write_data_cycles = 0;  // of the link from L2
    uint64_t l2_blocked_cycles = 0;
    uint64_t hub_blocked_cycles = 0;
};

struct ScheduleState {
    static constexpr uint16_t kNone = 0xFFFF;

    // A request from acceptance to its column command, by its id.
    struct Entry {
        uint64_t line = 0;
        uint64_t row = 0;
        Cycle accepted = 0;
        uint64_t order = 0;      // of acceptance
        uint16_t after = kNone;  // the entry for the same line that must go first
        uint8_t bank = 0;
        bool write = false;
        bool opened = false;      // a row was opened for it: not a row hit
        bool conflicted = false;  // another row was closed for it
    };
    struct Bank {
        bool open = false;
        uint64_t row = 0;
        Cycle opened_at = 0;
        Cycle next_activate = 0;
        Cycle next_precharge = 0;
        Cycle next_read = 0;
        Cycle next_write = 0;
    };

    ScheduleState(const McSpec& spec, unsigned ids)
        : room(spec.store_entries),
          entries(ids),
          reads(spec.read_entries, spec.geometry.banks),
          writes(spec.write_entries, spec.geometry.banks),
          banks(spec.geometry.banks),
          group_next(spec.geometry.bank_groups, 0),
          next_refresh(spec.timing.refi) {}

    Cycle skip_until = 0;  // no command is possible earlier; a new request may lower it
    unsigned waiting = 0;  // in `reads` and `writes`
    unsigned room;         // for accesses after their column command
    HostLineVector<Entry> entries;
    WaitQueue reads;
    WaitQueue writes;
    // Waiting accesses by a hash of their line: where none is, none has the line.
    std::array<uint16_t, 1024> waiting_lines{};
    unsigned behind = 0;  // waiting accesses ordered after another one to their line
    std::vector<Bank> banks;
    std::vector<Cycle> group_next;  // next column command per bank group
    Cycle next_read = 0;
    Cycle next_write = 0;
    Cycle next_activate = 0;
    std::array<Cycle, 4> activates{};  // the last four, plus tFAW: when another is allowed
    unsigned activate_index = 0;
    Cycle next_refresh;
    Cycle refresh_wakeup = kNever;  // the refresh that a wake-up is scheduled for
    bool writing = false;           // a write drain is in progress
    bool drain_by_mark = false;     // this or the last drain began at write_high
    bool last_was_write = false;
    unsigned reads_behind_writes = 0;
    uint64_t accepted = 0;
    bool hub_first = false;
    static constexpr size_t kFields = 23;
};

}  // namespace archipelago::mc
