// SPDX-License-Identifier: Apache-2.0
#include "models/cp/register_map.h"

#include <algorithm>

namespace archipelago::cp {

RegisterMap::RegisterMap(const RegisterFacts& facts)
    : RegisterFacts(facts), entries_((context_end - context_start) / 4) {
    for (Entry& entry : entries_)
        entry.of_context = true;
    for (const uint32_t offset : single)
        entries_[index(offset)].of_context = false;
    for (const uint32_t offset : {copy_state, compute_copy_state, draw_initiator, event_initiator})
        entries_[index(offset)].acts = true;
    for (size_t i = 0; i < destinations.size(); ++i)
        entries_[index(destinations[i].offset)].destination = static_cast<int8_t>(i);
    unsigned run = 0;
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
        run = entry->acts || entry->destination >= 0 ? 0 : std::min(run + 1, 255u);
        entry->plain_run = static_cast<uint8_t>(run);
    }
}

}  // namespace archipelago::cp
