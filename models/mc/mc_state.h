// SPDX-License-Identifier: Apache-2.0
// Everything in a memory controller channel that changes, but for its scheduler.
#pragma once

#include <array>
#include <vector>

#include "models/common/host_line.h"
#include "models/common/memory_message.h"
#include "models/mc/mc_spec.h"
#include "models/mc/schedule_state.h"

namespace archipelago::mc {

// The scheduler's own state is ScheduleState.
struct McState {
    // A request from acceptance to its answer, apart from the message.
    struct Entry {
        uint32_t tag = 0;  // the requester's
        Port port = Port::L2;
        Cycle data_end = 0;  // its data has crossed the pins
    };

    explicit McState(const McSpec& spec) : entries(spec.entries()), requests(entries.size()) {
        moving.reserve(spec.store_entries);
        free.reserve(entries.size());
        for (size_t i = entries.size(); i > 0; --i)
            free.push_back(static_cast<uint16_t>(i - 1));
    }

    // The event cycles that decide whether a tick has work, in one cache line of the host: the
    // first cycle in which an input channel has an entry, and a data burst has ended.
    alignas(64) Cycle from_l2 = kNever;
    Cycle l2_link_free = 0;  // the link from L2 has carried the write data before it
    Cycle from_hub = kNever;
    Cycle from_store = kNever;
    Cycle data_moved = kNever;  // data_end of the first of `moving`
    bool l2_blocked = false;    // L2's head request found its queue full; no entry freed since

    std::vector<Entry> entries;
    HostLineVector<MemRequest> requests;  // by the same index, which is their tag here
    std::vector<uint16_t> free;
    std::vector<uint16_t> moving;  // column command given, data not yet at the store, in order
    unsigned in_store = 0;
    std::array<Cycle, 2> blocked_since{kNever, kNever};
    McCounters count;
    static constexpr size_t kFields = 13;
};

}  // namespace archipelago::mc
