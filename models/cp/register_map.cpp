// SPDX-License-Identifier: Apache-2.0
#include "models/cp/register_map.h"

#include <algorithm>

#include "models/common/invariant.h"

namespace archipelago::cp {

RegisterMap::RegisterMap(const RegisterFacts& facts)
    : RegisterFacts(facts), entries_((context_end - context_start) / 4) {
    invariant(context_start <= context_end && (context_end - context_start) % 4 == 0,
              "cp.registers", "the context registers are no whole window");
    for (Entry& entry : entries_)
        entry.of_context = true;
    const auto entry = [this](uint32_t offset) -> Entry& {
        invariant(in_context_window(offset), "cp.registers", "a fact lies outside the window");
        return entries_[index(offset)];
    };
    for (const uint32_t offset : single)
        entry(offset).of_context = false;
    for (const uint32_t offset : {copy_state, compute_copy_state, draw_initiator, event_initiator})
        entry(offset).acts = true;
    invariant(destinations.size() <= kMaxDestinations, "cp.registers", "too many destinations");
    for (size_t i = 0; i < destinations.size(); ++i)
        entry(destinations[i].offset).destination = static_cast<int8_t>(i);
    uint32_t last = 0;
    ring_first_ = ~0u;
    for (const std::vector<uint32_t>& ring : ring_set_up) {
        for (const uint32_t offset : ring) {
            ring_first_ = std::min(ring_first_, offset);
            last = std::max(last, offset);
        }
    }
    ring_span_ = last != 0 ? last - ring_first_ : 0;
    unsigned run = 0;
    for (auto e = entries_.rbegin(); e != entries_.rend(); ++e) {
        run = e->acts || e->destination >= 0 ? 0 : std::min(run + 1, 255u);
        e->plain_run = static_cast<uint8_t>(run);
    }
}

bool RegisterMap::sets_up_ring(uint32_t offset, unsigned ring) const {
    if (ring >= ring_set_up.size())
        return false;
    const std::vector<uint32_t>& list = ring_set_up[ring];
    return std::find(list.begin(), list.end(), offset) != list.end();
}

}  // namespace archipelago::cp
