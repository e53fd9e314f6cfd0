// SPDX-License-Identifier: Apache-2.0
// Everything in a memory controller channel that changes.
#pragma once

#include <array>
#include <vector>

#include "models/common/host_line.h"
#include "models/common/memory_message.h"
#include "models/mc/mc_spec.h"
#include "models/mc/wait_queue.h"

namespace archipelago::mc {

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

struct McState {
    static constexpr uint16_t kNone = 0xFFFF;

    enum class Port : uint8_t { L2, Hub };

    // A request from acceptance to its answer, apart from the message: the scheduler scans many.
    struct Entry {
        uint64_t line = 0;
        uint64_t row = 0;
        Cycle accepted = 0;
        uint64_t order = 0;      // of acceptance
        uint32_t tag = 0;        // the requester's
        uint16_t after = kNone;  // the entry for the same line that must go first
        uint8_t bank = 0;
        Port port = Port::L2;
        bool write = false;
        bool opened = false;      // a row was opened for it: not a row hit
        bool conflicted = false;  // another row was closed for it
        Cycle data_end = 0;       // its data has crossed the pins
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

    explicit McState(const McSpec& spec)
        : entries(spec.read_entries + spec.write_entries + spec.store_entries),
          requests(entries.size()),
          reads(spec.read_entries, spec.geometry.banks),
          writes(spec.write_entries, spec.geometry.banks),
          banks(spec.geometry.banks),
          group_next(spec.geometry.bank_groups, 0),
          next_refresh(spec.timing.refi) {
        moving.reserve(spec.store_entries);
        free.reserve(entries.size());
        for (size_t i = entries.size(); i > 0; --i)
            free.push_back(static_cast<uint16_t>(i - 1));
    }

    // The event cycles that decide whether a tick has work, in one cache line of the host: the
    // first cycle in which an input channel has an entry, a data burst has ended, and a command may
    // be possible.
    alignas(64) Cycle from_l2 = kNever;
    Cycle l2_link_free = 0;  // the link from L2 has carried the write data before it
    Cycle from_hub = kNever;
    Cycle from_store = kNever;
    Cycle data_moved = kNever;  // data_end of the first of `moving`
    Cycle skip_until = 0;       // no command is possible earlier; a new request may lower it
    unsigned waiting = 0;       // in `reads` and `writes`
    bool l2_blocked = false;    // L2's head request found its queue full; no entry freed since

    HostLineVector<Entry> entries;
    HostLineVector<MemRequest> requests;  // by the same index, which is their tag here
    std::vector<uint16_t> free;
    WaitQueue reads;
    WaitQueue writes;
    // Waiting accesses by a hash of their line: where none is, none has the line.
    std::array<uint16_t, 1024> waiting_lines{};
    unsigned behind = 0;           // waiting accesses ordered after another one to their line
    std::vector<uint16_t> moving;  // column command given, data not yet at the store, in order
    unsigned in_store = 0;
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
    std::array<Cycle, 2> blocked_since{kNever, kNever};
    McCounters count;
    static constexpr size_t kFields = 34;
};

}  // namespace archipelago::mc
